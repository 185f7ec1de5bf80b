// Optional comfort; every page is complete without it. It looks for news and loads the page
// again when there is some, copies an invitation, says in short what a form chooses, and proposes
// or offers the browser's time zone.
(() => {
  "use strict";
  const { url, page, version, seconds, zone, offer } = document.currentScript.dataset;
  const SLOWEST = 120;

  const isTyping = () => {
    const field = document.activeElement;
    return Boolean(field && field.matches("input, select, textarea") && field.value && !field.readOnly);
  };

  const watch = () => {
    let wait = Number(seconds);
    let timer;
    const look = async () => {
      try {
        const answer = await fetch(url, { headers: { Accept: "application/json" } });
        const news = answer.ok && (await answer.json()).version !== version;
        if (news && !isTyping()) {
          location.replace(page);
          return;
        }
      } catch {
        // Out of reach: look again later.
      }
      wait = Math.min(wait * 1.5, SLOWEST);
      timer = setTimeout(look, wait * 1000);
    };
    timer = setTimeout(look, wait * 1000);
    document.addEventListener("visibilitychange", () => {
      clearTimeout(timer);
      if (!document.hidden) {
        wait = Number(seconds);
        look();
      }
    });
  };

  const offerCopying = (button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
      button.textContent = "Copied";
    });
  };

  const sayInShort = (output) => {
    const words = Object.entries(JSON.parse(output.dataset.words));
    const form = output.closest("form");
    const length = (_, name) => form.elements[name].selectedOptions[0].text;
    const say = () => {
      const data = new FormData(form);
      const parts = words.map(([name, by]) => by[data.get(name) ?? ""]);
      output.textContent = parts.join("; ").replace(/\{(\w+)\}/g, length);
    };
    form.addEventListener("change", say);
    say();
  };

  const proposeZone = (select, here) => {
    if (select.value === "UTC") {
      select.value = here;
    }
  };

  const offerZone = (select, here, note) => {
    note.hidden = select.value === here;
    note.querySelector("b").textContent = here;
    note.querySelector("button").addEventListener("click", () => {
      select.value = here;
      select.form.requestSubmit();
    });
  };

  if (url) {
    watch();
  }
  document.querySelectorAll("[data-copy]").forEach(offerCopying);
  document.querySelectorAll("[data-words]").forEach(sayInShort);
  if (zone) {
    const select = document.getElementById(zone);
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const known = [...select.options].some((option) => option.value === here);
    if (known && offer) {
      offerZone(select, here, document.getElementById(offer));
    } else if (known) {
      proposeZone(select, here);
    }
  }
})();
