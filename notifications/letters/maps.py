"""The map in mails: a picture with its words, and the same in characters."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from games import selectors
from games.web.board import covered
from games.web.scenario import said
from games.words import counted, listed
from notifications import notices, textmap
from notifications.letters.letter import Picture, Section
from notifications.letters.reading import Reading
from notifications.picture import SEAT_WORDS, picture_of


def the_map(reading: Reading, title: str = "The map") -> Section:
    """Return the map from the reader's view, with what is new since their last move."""
    state, fresh = reading.state, _fresh(reading)
    png = picture_of(state, fresh, owners=said(state.scenario.key).owners)
    cid = f"map.{hashlib.sha256(png).hexdigest()[:24]}@{notices.mail_domain()}"
    words = " ".join(_words(reading, fresh))
    return Section(
        title,
        drawn=[
            *textmap.text_map(state, fresh),
            "",
            *textmap.legend(state, reading.names, fresh=bool(fresh)),
        ],
        picture=Picture(cid, png, words),
    )


def _fresh(reading: Reading) -> frozenset[str]:
    """Return the spaces with something new; what was taken back meanwhile is not there."""
    state = reading.state
    changed = selectors.spaces_changed(reading.seen, reading.last_move, state.version)
    standing = {state.board.names[space] for space, camp in enumerate(state.camps) if camp}
    return changed & (standing | covered(state))


def _words(reading: Reading, fresh: Collection[str]) -> Iterator[str]:
    """Yield the map in sentences: camps, berries, and what is new."""
    state, names = reading.state, reading.state.board.names
    yield "The map."
    for seat in state.seats:
        whose = "Your camps" if seat == reading.seat else f"Camps of {reading.names[seat]}"
        camps = listed([names[space] for space in state.camps_of(seat)])
        yield f"{whose} ({seat + 1}, {SEAT_WORDS[seat]}): {camps}."
    if berries := [f"{names[s]} {number}" for s, number in enumerate(state.berries) if number]:
        yield f"Berries: {listed(berries)}."
    if fresh:
        new = counted(len(fresh), "space")
        yield f"New since your last move, with a star, on {new}: {listed(sorted(fresh))}."
