"""What a seat may answer now, by where on the table it is tapped."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from django.urls import reverse

from engine import commands as c
from engine.commands import Command, Pile
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


NO_CHOICES = Choices([], {}, {}, [], "")
"""For somebody who is not asked."""


def choices_of(state: State, seat: int | None, game_id: str) -> Choices:
    """Return what the seat may answer, from its own view; nothing if it is not asked."""
    if seat is None:
        return NO_CHOICES
    answers = [(entry.command, confirm_path(game_id, entry.text)) for entry in legal(state, seat)]
    return Choices(
        takes=[
            TakeChoice(command.places[0], "–".join(map(str, command.places)), href)
            for command, href in answers
            if isinstance(command, c.Take)
        ],
        spaces={
            command.route[-1]: reverse("camp", args=[game_id, command.route[-1]])
            for command, _ in answers
            if isinstance(command, c.Camp)
        },
        stories={command.place: href for command, href in answers if isinstance(command, c.Story)},
        tucks=_tucks(state, answers),
        decline=next((href for command, href in answers if command == c.Tuck(card=None)), ""),
    )


def _tucks(state: State, answers: Sequence[tuple[Command, str]]) -> list[TuckChoice]:
    choices: dict[str, TuckChoice] = {}
    for command, href in answers:
        if isinstance(command, c.Tuck) and command.card is not None:
            face = card_face(state.components.cards[command.card])
            choice = choices.setdefault(command.card, TuckChoice(face, []))
            choice.sides.append(Choice(side_words(face.sides[command.side]), href))
    return list(choices.values())
