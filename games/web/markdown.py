"""Enough Markdown for our own rules document: headings, lists, tables, code, emphasis, links.

What begins with a rule's number can be linked to by it (``#R3.6``), and so can the lettered
parts of a rule (``#R8.4a``); rule numbers in the text are links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

_FENCE = re.compile(r"^```\w*\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_ITEM = re.compile(r"(\s*)(?:[-*]|\d+\.)\s+(.*)")
_RULE = re.compile(r"\*{0,2}(R\d+(?:\.\d+)?)\b\*{0,2}")
_RULER = re.compile(r"[|:\-\s]+")


def render(source: str) -> SafeString:
    """Return a document as HTML; everything in it is escaped."""
    return format_html_join("\n", "{}", ((block,) for block in _blocks(source)))


def _blocks(source: str) -> Iterator[SafeString]:
    for number, part in enumerate(_FENCE.split(source)):
        if number % 2:
            yield format_html("<pre><code>{}</code></pre>", part)
            continue
        for block in re.split(r"\n\s*\n|\n(?=#)", part.strip()):
            yield from _block(block.splitlines())


def _block(lines: list[str]) -> Iterator[SafeString]:
    while lines and (heading := _HEADING.fullmatch(lines[0].strip())):
        yield _ruled(f"h{len(heading[1])}", heading[2])
        lines = lines[1:]
    if lines and lines[0].lstrip().startswith("|"):
        yield _table(lines)
        return
    first_item = next((i for i, line in enumerate(lines) if _ITEM.fullmatch(line)), len(lines))
    if first_item:
        yield _ruled("p", " ".join(line.strip() for line in lines[:first_item]))
    if lines[first_item:]:
        yield _list(lines[first_item:])


def _list(lines: list[str]) -> SafeString:
    items: list[str] = []
    for line in lines:
        item = _ITEM.fullmatch(line)
        if item:
            items.append(item[2])
        else:
            items[-1] += f" {line.strip()}"
    return format_html(
        "<ul>{}</ul>", format_html_join("", "{}", ((_ruled("li", i),) for i in items))
    )


def _table(lines: list[str]) -> SafeString:
    rows = [
        [_inline(cell.strip()) for cell in line.strip().strip("|").split("|")]
        for line in lines
        if not _RULER.fullmatch(line)
    ]
    head = format_html_join("", "<th>{}</th>", ((cell,) for cell in rows[0]))
    body = format_html_join(
        "",
        "<tr>{}</tr>",
        ((format_html_join("", "<td>{}</td>", ((c,) for c in r)),) for r in rows[1:]),
    )
    return format_html(
        '<div class="scroll"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
        head,
        body,
    )


def _ruled(tag: str, text: str) -> SafeString:
    """Return an element that has the rule's number as its id, if its text begins with one."""
    rule = _RULE.match(text)
    if rule is None:
        return format_html("<{0}>{1}</{0}>", SafeString(tag), _inline(text))
    number = rule[1]
    html = _inline(text[rule.end() :])
    lettered = re.sub(r"\(([a-e])\)", rf'<span id="{number}\1">(\1)</span>', html)
    return format_html(
        '<{0} id="{1}"><a class="rule" href="#{1}">{1}</a>{2}</{0}>',
        SafeString(tag),
        number,
        SafeString(lettered),
    )


def _inline(text: str) -> SafeString:
    """Return text with code, emphasis, links and rule numbers; within code nothing is read."""
    parts = re.split(r"`([^`]+)`", text)
    html = [
        f"<code>{escape(part)}</code>" if number % 2 else _emphasised(str(escape(part)))
        for number, part in enumerate(parts)
    ]
    return SafeString("".join(html))


def _emphasised(html: str) -> str:
    html = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+)\)", r'<a href="\2">\1</a>', html)
    html = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", html)
    html = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html)
    html = re.sub(r"(?<!\w)\*(\S(?:.*?\S)?)\*(?!\w)", r"<em>\1</em>", html)
    return re.sub(r"\bR(\d+\.\d+[a-e]?)\b", r'<a href="#R\1">R\1</a>', html)
