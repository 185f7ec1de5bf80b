"""What a seat may answer now, by where on the table it is tapped."""

from __future__ import annotations

import msgspec
from django.urls import reverse

from engine import commands as c
from engine.commands import Pile
from engine.legal import legal
from engine.state import State
from games.web.faces import CardFace, card_face
from games.web.paying import confirm_path
from games.words import side_words


class Choice(msgspec.Struct, frozen=True):
    """Something to tap: what it is called, and where it leads."""

    label: str
    href: str


class TakeChoice(msgspec.Struct, frozen=True):
    """Cards of the row that may be taken; ``first`` is the place of the first."""

    first: int
    label: str
    href: str


class TuckChoice(msgspec.Struct, frozen=True):
    """A hand card that may be tucked, with a choice for each of its sides."""

    card: CardFace
    sides: list[Choice]


class Choices(msgspec.Struct, frozen=True):
    """Everything a seat may answer: spaces and story tiles lead on by their name and place."""

    takes: list[TakeChoice]
    spaces: dict[str, str]
    stories: dict[int | Pile, str]
    tucks: list[TuckChoice]
    decline: str


def choices_of(state: State, seat: int, game_id: str) -> Choices:
    """Return what the seat may answer, from its own view."""
    found = Choices([], {}, {}, [], "")
    tucks: dict[object, TuckChoice] = {}
    decline = ""
    for entry in legal(state, seat):
        href = confirm_path(game_id, entry.text)
        match entry.command:
            case c.Take(places=places):
                label = "–".join(map(str, places))
                found.takes.append(TakeChoice(places[0], label, href))
            case c.Camp(route=route):
                found.spaces[route[-1]] = reverse("camp", args=[game_id, route[-1]])
            case c.Story(place=place):
                found.stories[place] = href
            case c.Tuck(card=None):
                decline = href
            case c.Tuck(card=str(card), side=side):
                face = card_face(state.components.cards[card])
                choice = tucks.setdefault(card, TuckChoice(face, []))
                choice.sides.append(Choice(side_words(face.sides[side]), href))
    return msgspec.structs.replace(found, tucks=list(tucks.values()), decline=decline)
