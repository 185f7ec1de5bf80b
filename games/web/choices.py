"""What a seat may answer now, by where on the table it is tapped."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from django.urls import reverse

from engine import commands as c
from engine.commands import Command, Pile
from engine.legal import legal
from engine.rules.cover import parts_of_split
from engine.rules.map import villages_of
from engine.state import State
from games.web.faces import CardFace, card_face
from games.web.paying import confirm_path
from games.words import counted, listed, side_words

Answers = Sequence[tuple[Command, str]]
"""Commands with where they lead."""

ACTS = {
    "turn": "Place a camp on",
    "water": "Place a water tile on",
    "lava": "Place a lava tile on",
    "share": "Give the odd berry to the part of",
}
"""What tapping a space of the map does, by what is asked."""

HINTS = {
    "turn": "Ringed spaces: your hand pays a way there.",
    "water": "Ringed spaces: a water tile can lie there.",
    "lava": "Ringed spaces: a lava tile can lie there.",
    "share": "Ringed spaces: tap a part to give it the odd berry.",
}
"""What the rings on the map mean, by what is asked."""


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


class FishChoice(msgspec.Struct, frozen=True):
    """A hand card that may be given for fish; of identical ones one stands for all."""

    card: CardFace
    href: str
    count: int


class Part(msgspec.Struct, frozen=True):
    """A part of a split area that may get an odd berry: its letter on the map, and its spaces."""

    letter: str
    spaces: tuple[str, ...]


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a seat may answer: spaces and story tiles lead on by their name and place.

    ``act`` and ``hint`` are what tapping a space does; ``fish`` says how many fish a card brings.
    """

    takes: list[TakeChoice] = []
    act: str = ""
    hint: str = ""
    spaces: dict[str, str] = {}
    stories: dict[int | Pile, str] = {}
    tucks: list[TuckChoice] = []
    parts: list[Part] = []
    shares: list[Choice] = []
    fish: list[FishChoice] = []
    brings: int = 0
    decline: str = ""

    @property
    def letters(self) -> dict[str, str]:
        """Return the letters of the parts of a split area, by space."""
        return {space: part.letter for part in self.parts for space in part.spaces}


NO_CHOICES = Choices()
"""For somebody who is not asked."""


def choices_of(state: State, seat: int | None, game_id: str) -> Choices:
    """Return what the seat may answer, from its own view; nothing if it is not asked."""
    asked = state.question_of(seat)
    if seat is None or asked is None:
        return NO_CHOICES
    answers = [(entry.command, confirm_path(game_id, entry.text)) for entry in legal(state, seat)]
    parts = _parts(state, asked.space) if asked.kind == "share" and asked.space else []
    return Choices(
        takes=[
            TakeChoice(command.places[0], "–".join(map(str, command.places)), href)
            for command, href in answers
            if isinstance(command, c.Take)
        ],
        act=ACTS.get(asked.kind, ""),
        hint=HINTS.get(asked.kind, ""),
        spaces=_spaces(answers, parts, game_id),
        stories={command.place: href for command, href in answers if isinstance(command, c.Story)},
        tucks=_tucks(state, answers),
        parts=parts,
        shares=_shares(answers, parts),
        fish=_fish(state, answers),
        brings=min(state.stock, villages_of(state, seat)),
        decline=next((href for command, href in answers if command in _DECLINED), ""),
    )


_DECLINED = (c.Tuck(card=None), c.Fish(card=None))


def _spaces(answers: Answers, parts: Sequence[Part], game_id: str) -> dict[str, str]:
    """Return where the spaces of the map lead that can be tapped."""
    spaces = {}
    for command, href in answers:
        if isinstance(command, c.Camp):
            end = command.route[-1]
            spaces[end] = reverse("camp", args=[game_id, end])
        elif isinstance(command, c.Water | c.Lava):
            spaces[command.space] = href
        elif isinstance(command, c.Share) and len(lucky := _lucky(command, parts)) == 1:
            spaces |= dict.fromkeys(lucky[0].spaces, href)
    return spaces


def _tucks(state: State, answers: Answers) -> list[TuckChoice]:
    choices: dict[str, TuckChoice] = {}
    for command, href in answers:
        if isinstance(command, c.Tuck) and command.card is not None:
            face = card_face(state.components.cards[command.card])
            choice = choices.setdefault(command.card, TuckChoice(face, []))
            choice.sides.append(Choice(side_words(face.sides[command.side]), href))
    return list(choices.values())


def _fish(state: State, answers: Answers) -> list[FishChoice]:
    cards = state.components.cards
    alike: dict[object, list[FishChoice]] = {}
    for command, href in answers:
        if isinstance(command, c.Fish) and command.card is not None:
            card = cards[command.card]
            alike.setdefault(card.face, []).append(FishChoice(card_face(card), href, 1))
    return [msgspec.structs.replace(same[0], count=len(same)) for same in alike.values()]


# ---- Sharing the berries of an area that was split (R11.3) -----------------------------------


def _parts(state: State, covered: str) -> list[Part]:
    """Return the largest parts of a split area: those that an odd berry may go to."""
    names = state.board.names
    parts = parts_of_split(state, covered)
    largest = [part for part in parts if len(part) == len(parts[0])]
    return [
        Part(letter, tuple(names[space] for space in sorted(part)))
        for letter, part in zip("ABCDEF", largest, strict=False)
    ]


def _given(command: c.Share, parts: Sequence[Part]) -> list[int]:
    """Return how many berries each part gets."""
    given = {share.space: share.berries for share in command.shares}
    return [sum(given.get(space, 0) for space in part.spaces) for part in parts]


def _lucky(command: c.Share, parts: Sequence[Part]) -> list[Part]:
    """Return the parts that get one berry more than others."""
    given = _given(command, parts)
    return [
        part for part, berries in zip(parts, given, strict=True) if berries == max(given, default=0)
    ]


def _shares(answers: Answers, parts: Sequence[Part]) -> list[Choice]:
    return [
        Choice(_share_words(command, parts), href)
        for command, href in answers
        if isinstance(command, c.Share)
    ]


def _share_words(command: c.Share, parts: Sequence[Part]) -> str:
    shares = zip(parts, _given(command, parts), strict=True)
    return listed([f"{berries_words(berries)} to {part.letter}" for part, berries in shares])


def berries_words(number: int) -> str:
    """Return a number of berries: ``no berry``, ``1 berry``, ``2 berries``."""
    return counted(number, "berry", "berries") if number else "no berry"
