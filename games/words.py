"""The game in words: what cards and tiles are called, and what each move did, for pages and mails.

Everything here works on redacted events, so that nothing can be told that may not be seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine import events as e
from engine.components import Card, ComponentSet, Side, StoryTile

ACTORS = {
    "clock": "Time was up: the clock played for {name}.",
    "operator": "The operator stepped in.",
}
ENDINGS = {
    "last_camp": "The last camp stands, and the round is over.",
    "no_destination": "No free space is left that anyone could reach.",
    "all_passed": "Nobody could take a card or place a camp.",
    "forfeit": "All others are out of the game.",
}
CANCELLED = {
    "operator": "The game was called off.",
    "first_round": "A player called the game off before the first round.",
    "agreed": "All agreed to call the game off.",
}
LEFT = {
    "resigned": "{name} resigned and left the game",
    "timed_out": "{name}'s time was up, and {name} is out of the game",
}

SCENARIO_EVENTS = {
    "downpour": "The small pile is empty: it rains.",
    "volcano": "The small pile is empty: the volcano erupts.",
    "lake_villages": "The small pile is empty: the villages go fishing.",
}


def victory_words(names: Sequence[str], sides: int) -> str:
    """Return who wins: a player, a team of several, or several ``sides`` that share it (R8.6)."""
    if sides > 1:
        return f"{listed(names)} share the victory"
    return f"{listed(names)} {'wins' if len(names) == 1 else 'win'}"


def side_words(side: Side) -> str:
    """Return what a side shows, such as ``forest with fire``."""
    return f"{side.terrain} with {side.symbol}" if side.symbol else side.terrain


def card_words(card: Card) -> str:
    """Return what a card shows, such as ``desert / water with crystal``."""
    return " / ".join(map(side_words, card.sides))


def listed(parts: Sequence[str]) -> str:
    """Join words as in a sentence: ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun: ``1 card``, ``2 cards``."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def requirement_words(requires: Mapping[str, int]) -> str:
    """Return what a story tile requires, such as ``2 forest and 1 badlands``."""
    return listed([f"{times} {what}" for what, times in requires.items()])


def story_words(story: StoryTile) -> str:
    """Return a story tile with its worth: ``Deep Woods (7 points, 1 fire: 3 forest)``."""
    fire = f", {story.fire} fire" if story.fire else ""
    return f"{story.name} ({story.points} points{fire}: {requirement_words(story.requires)})"


class Teller:
    """Tells the moves of one game to one reader."""

    def __init__(self, components: ComponentSet, names: Sequence[str]) -> None:
        """``names`` are what the seats are called, in seat order."""
        self.components = components
        self.names = names

    def move(self, seat: int | None, actor: str, events: Iterable[e.Event]) -> list[str]:
        """Return a move as sentences, one for each event worth telling."""
        events = tuple(events)
        told = [ACTORS[actor].format(name=self.name(seat))] if _is_told(actor, seat, events) else []
        if not events:  # What came of it is told with the last answer (R13.5).
            told.append(f"The sealed answer of {self.name(seat)} was opened.")
        for event in events:
            tell = _TOLD.get(type(event))
            if tell:
                told.append(tell(self, event))
        return told

    def name(self, seat: int | None) -> str:
        """Return what a seat is called."""
        return "the game" if seat is None else self.names[seat]

    def card(self, card: str | None) -> str:
        """Return what a card shows, or that it is hidden."""
        return "a card" if card is None else card_words(self.components.cards[card])

    def cards(self, cards: Iterable[str]) -> str:
        """Return what several cards show."""
        return listed([self.card(card) for card in cards])

    def story(self, story: str) -> str:
        """Return a story tile's name."""
        return f"“{self.components.stories[story].name}”"


def _is_told(actor: str, seat: int | None, events: Sequence[e.Event]) -> bool:
    """Tell whether a move says who made it; what the clock did to a seat says so itself."""
    played = seat is not None and not any(isinstance(event, e.SeatForfeited) for event in events)
    return actor in ACTORS and (actor != "clock" or played)


def _set_up(teller: Teller, event: e.GameSetUp) -> str:
    return f"The game is set up. {teller.names[event.start_seat]} is the start player."


def _story_taken(teller: Teller, event: e.StoryTaken) -> str:
    where = "the pile" if event.from_ == "pile" else f"place {event.from_}"
    return (
        f"{teller.names[event.seat]} took the story tile {teller.story(event.story)} from {where}."
    )


def _cards_taken(teller: Teller, event: e.CardsTaken) -> str:
    return f"{teller.names[event.seat]} took {teller.cards(event.cards)}."


def _passed(teller: Teller, event: e.Passed) -> str:
    return f"{teller.names[event.seat]} could neither take a card nor place a camp, and passed."


def _camp_placed(teller: Teller, event: e.CampPlaced) -> str:
    start, *via, destination = event.route
    way = f" via {' '.join(via)}" if via else ""
    spent = teller.cards(paid.card for paid in event.payment if paid.to is None)
    given = [
        f"gave {teller.card(paid.card)} to {teller.names[paid.to]}"
        for paid in event.payment
        if paid.to is not None
    ]
    costs = listed([*([f"spent {spent}"] if spent else []), *given])
    name = teller.names[event.seat]
    return f"{name} placed a camp on {destination}, from {start}{way}, and {costs}."


def _berry_taken(teller: Teller, event: e.BerryTaken) -> str:
    return f"{teller.names[event.seat]} picked a berry."


def _card_tucked(teller: Teller, event: e.CardTucked) -> str:
    if event.card is None:
        return f"{teller.names[event.seat]} tucked no card."
    side = teller.components.cards[event.card].sides[event.side]
    return f"{teller.names[event.seat]} tucked a card: {side_words(side)}."


def _story_completed(teller: Teller, event: e.StoryCompleted) -> str:
    points = teller.components.stories[event.story].points
    name = teller.names[event.seat]
    return f"{name} completed {teller.story(event.story)} ({counted(points, 'point')})."


def _reward_drawn(teller: Teller, event: e.RewardDrawn) -> str:
    card = "a card" if event.card is None else teller.card(event.card)
    return f"{teller.names[event.seat]} drew {card} as a reward."


def _pile_shuffled(_teller: Teller, event: e.PileShuffled) -> str:
    pile = "draw pile" if event.pile == "draw" else "supply"
    return f"The discard pile was shuffled into a new {pile}."


def _scenario_event(teller: Teller, event: e.ScenarioEvent) -> str:
    happens = SCENARIO_EVENTS[event.kind]
    fishers = [teller.names[asked.seat] for asked in event.asks if asked.kind == "fish"]
    return f"{happens} {listed(fishers)} may discard a card for fish." if fishers else happens


def _water_placed(teller: Teller, event: e.WaterPlaced) -> str:
    placed = f"{teller.names[event.seat]} placed a water tile on {event.space}."
    return placed + _odd_berry(teller, event)


def _lava_placed(teller: Teller, event: e.LavaPlaced) -> str:
    placed = f"{teller.names[event.seat]} placed a lava tile on {event.space}: no route passes it."
    return placed + _odd_berry(teller, event)


def _odd_berry(teller: Teller, event: e.WaterPlaced | e.LavaPlaced) -> str:
    if event.asks:
        asked = f"{teller.names[event.seat]} says where the odd berry goes."
        return f" The area falls into equal parts, and {asked}"
    return ""


def _berries_moved(_teller: Teller, event: e.BerriesMoved) -> str:
    shares = [
        f"{counted(share.berries, 'berry', 'berries')} at {share.space}"
        for share in event.shares
        if share.berries
    ]
    return f"Its area is split, with {listed(shares)}."


def _fish_resolved(teller: Teller, event: e.FishResolved) -> str:
    return " ".join(_fish_answer(teller, answer) for answer in event.answers)


def _fish_answer(teller: Teller, answer: e.FishAnswer) -> str:
    name = teller.names[answer.seat]
    if answer.card is None:
        return f"{name} kept all cards and caught no fish."
    return (
        f"{name} discarded {teller.card(answer.card)} for {counted(answer.fish, 'fish', 'fish')}."
    )


def _round_ended(_teller: Teller, event: e.RoundEnded) -> str:
    return f"Round {event.round} is over."


def _undone(_teller: Teller, event: e.Undone) -> str:
    one = event.from_ == event.to
    which = f"move {event.to}" if one else f"moves {event.from_} to {event.to}"
    if event.agreed:
        return f"All agreed to take back {which}."
    return f"{which.capitalize()} {'was' if one else 'were'} taken back."


def _deadline_extended(_teller: Teller, event: e.DeadlineExtended) -> str:
    if not event.seconds:
        return "The clock was wrong, and runs from now."
    return f"There is {duration_words(event.seconds)} more to answer."


def _game_cancelled(_teller: Teller, event: e.GameCancelled) -> str:
    return CANCELLED[event.reason]


def _miss_excused(teller: Teller, event: e.MissExcused) -> str:
    left = f"{event.left or 'none'} {'is' if event.left == 1 else 'are'} left"
    return f"{teller.names[event.seat]}'s time was up; one excused miss is used, {left}."


def _seat_absent(teller: Teller, event: e.SeatAbsent) -> str:
    return f"A bot plays on for {teller.names[event.seat]} until they return."


def _seat_returned(teller: Teller, event: e.SeatReturned) -> str:
    return f"{teller.names[event.seat]} is back and plays again."


def _seat_left(teller: Teller, event: e.SeatLeft) -> str:
    return f"{_left(teller, event)}; a bot plays on for the seat."


def _seat_forfeited(teller: Teller, event: e.SeatForfeited) -> str:
    return f"{_left(teller, event)}; the camps stay, and the turns are skipped."


def _left(teller: Teller, event: e.SeatLeft | e.SeatForfeited) -> str:
    return LEFT[event.reason].format(name=teller.names[event.seat])


def _seat_taken_over(teller: Teller, event: e.SeatTakenOver) -> str:
    return f"Seat {event.seat + 1} has a new player: {teller.names[event.seat]}."


def _turn_skipped(teller: Teller, event: e.TurnSkipped) -> str:
    return f"{teller.names[event.seat]}'s turn was skipped."


def _game_paused(_teller: Teller, event: e.GamePaused) -> str:
    return f"The game is paused: all clocks rest for {duration_words(event.seconds)} at most."


def _game_resumed(_teller: Teller, _event: e.GameResumed) -> str:
    return "The pause is over: all clocks run again."


def _outage_credited(_teller: Teller, event: e.OutageCredited) -> str:
    lasted = duration_words(event.seconds)
    return f"The service was out of order for {lasted}; the clocks got it back."


def _game_ended(teller: Teller, event: e.GameEnded) -> str:
    won = [score for score in event.scores if event.winners[0] in score.seats]
    sides = sum(score.seats[0] in event.winners for score in event.scores)
    winners = victory_words([teller.names[seat] for seat in event.winners], sides)
    return f"{ENDINGS[event.reason]} {winners} with {counted(won[0].total, 'point')}."


_TOLD: dict[type, Callable[[Teller, Any], str]] = {
    e.GameSetUp: _set_up,
    e.StoryTaken: _story_taken,
    e.CardsTaken: _cards_taken,
    e.Passed: _passed,
    e.CampPlaced: _camp_placed,
    e.BerryTaken: _berry_taken,
    e.CardTucked: _card_tucked,
    e.StoryCompleted: _story_completed,
    e.RewardDrawn: _reward_drawn,
    e.PileShuffled: _pile_shuffled,
    e.ScenarioEvent: _scenario_event,
    e.WaterPlaced: _water_placed,
    e.LavaPlaced: _lava_placed,
    e.BerriesMoved: _berries_moved,
    e.FishResolved: _fish_resolved,
    e.RoundEnded: _round_ended,
    e.Undone: _undone,
    e.DeadlineExtended: _deadline_extended,
    e.GameCancelled: _game_cancelled,
    e.MissExcused: _miss_excused,
    e.SeatAbsent: _seat_absent,
    e.SeatReturned: _seat_returned,
    e.SeatLeft: _seat_left,
    e.SeatTakenOver: _seat_taken_over,
    e.SeatForfeited: _seat_forfeited,
    e.TurnSkipped: _turn_skipped,
    e.GamePaused: _game_paused,
    e.GameResumed: _game_resumed,
    e.OutageCredited: _outage_credited,
    e.GameEnded: _game_ended,
}

_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


def duration_words(seconds: int) -> str:
    """Return a length of time in its two largest units: ``2 days and 4 hours``."""
    counts: Counter[str] = Counter()
    for unit, length in _UNITS:
        counts[unit], seconds = divmod(max(seconds, 0), length)
    parts = [counted(counts[unit], unit) for unit, _ in _UNITS if counts[unit]]
    return listed(parts[:2]) or "no time"


def proposal_words(kind: str, first: int | None, seconds: int | None) -> str:
    """Return what is proposed to the table, after “proposes to”."""
    return _PROPOSED[kind].format(first=first, length=duration_words(seconds or 0))


_PROPOSED = {
    "undo": "take everything back from move {first} on",
    "undo_time_out": "take back what was played for the seat that was late, from move {first} on",
    "pause": "pause the game for {length}",
    "resume": "end the pause",
    "cancel": "call the game off, without a result",
}
