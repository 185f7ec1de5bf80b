"""The pages of scenarios and teams: whatever is asked can be seen, tapped and played."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote_plus

import pytest

from engine import commands as c
from engine.commands import Command
from engine.legal import legal
from engine.scenarios import SCENARIOS
from engine.state import State
from games import selectors, services
from games.models import Game
from games.services import Submitted
from tests.engine.game import Dice
from tests.engine.policies import stirrer
from tests.pages import Page, Visitor
from tests.people import Person, start_game

LONGEST = 300
DICE = Dice(b"pages")


@pytest.fixture
def people(ann: Person, ben: Person) -> list[Person]:
    return [ann, ben]


def state_of(person: Person, game: str) -> State:
    state = selectors.position(person.player, game).state
    assert state is not None
    return state


def settler(seen: State, seat: int) -> Command:
    """Build a village where one can be, keep a card; else stir."""
    answers = [entry.command for entry in legal(seen, seat)]
    water = {n for n, t in zip(seen.board.names, seen.terrain, strict=True) if t == "water"}
    villages = [
        answer
        for answer in answers
        if isinstance(answer, c.Camp)
        and answer.route[-1] in water
        and len(answer.payment) < len(seen.tribes[seat].hand)
    ]
    return villages[0] if villages else stirrer(seen, seat, DICE)


def play_on(game: str, people: list[Person], kind: str = "") -> Person | None:
    """Play until somebody is asked this, and return who; None if the game ends before."""
    for _ in range(LONGEST):
        for person in people:
            state = state_of(person, game)
            if state.over:
                return None
            seat = people.index(person)
            question = state.question_of(seat)
            if question is None:
                continue
            if question.kind == kind:
                return person
            submitted = Submitted(
                decision=state.decision_of(question),
                expected_version=state.version,
                commands=(settler(state, seat),),
            )
            services.submit_move(person.player, game, submitted)
            break
    raise AssertionError("the game goes on for ever")


def reach(people: list[Person], scenario: str, kind: str) -> tuple[str, Person]:
    """Play games until somebody is asked this kind of question."""
    for _ in range(12):
        game = start_game(*people, scenario=scenario)
        if person := play_on(game, people, kind):
            return game, person
    raise AssertionError(f"nobody was ever asked {kind} in {scenario}")


def page_of(person: Person, game: str, **query: object) -> Page:
    return Visitor(person.player).get(f"/games/{game}/", data=query)


def answers(page: Page) -> list[str]:
    """Return the lines of notation that a page offers."""
    links = [link for link in page.links if "/confirm/?text=" in link]
    return list(dict.fromkeys(unquote_plus(link.partition("?text=")[2]) for link in links))


def play(person: Person, page: Page, part: str) -> tuple[Page, Page]:
    """Tap something, look at it, and play it; return both pages."""
    visitor = Visitor(person.player)
    shown = visitor.follow(page, part)
    return shown, visitor.send(shown, "/play/")


# ---- Every kind of answer --------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "kind"), [("downpour", "water"), ("volcano", "lava")])
def test_a_tile_is_placed_by_tapping_the_map(
    people: list[Person], scenario: str, kind: str
) -> None:
    game, person = reach(people, scenario, kind)
    page = page_of(person, game)
    spaces = [line.split()[1] for line in answers(page) if line.startswith(kind)]

    assert page.title == f"Your turn: place a {kind} tile"
    assert f'aria-label="Place a {kind} tile on {spaces[0]}: ' in page.html
    assert not page.has_link("/camp/")
    assert ("It rains now" if kind == "water" else "The volcano erupts now") in page.words

    shown, played = play(person, page, f"text={kind}+{spaces[0]}")
    assert shown.title == f"Place a {kind} tile on {spaces[0]}?"
    assert f"{spaces[0]}: {'water, a water tile' if kind == 'water' else 'lava, closed'}" in (
        html.unescape(shown.html)
    )
    assert f"7 {kind} tiles are left" in shown.words or " left." in shown.words
    assert f"placed a {kind} tile on {spaces[0]}" in played.words


@pytest.mark.parametrize("scenario", ["downpour", "volcano"])
def test_the_odd_berry_goes_to_the_part_that_is_tapped(people: list[Person], scenario: str) -> None:
    game, person = reach(people, scenario, "share")
    page = page_of(person, game)
    lines = answers(page)

    assert page.title == "Your turn: say where the odd berry goes"
    assert len(lines) > 1
    assert 'class="part"' in page.html
    assert "part A" in page.html
    shown, played = play(person, page, "text=share")
    assert shown.title.startswith("Share the berries: ")
    assert "of its berries" in played.words.lower() or "berries" in played.words


def test_fish_are_caught_sealed_and_only_ones_own_page_says_so(people: list[Person]) -> None:
    for _ in range(12):
        game = start_game(*people, scenario="lake_villages")
        while play_on(game, people, "fish") and len(people[0].view(game)["awaiting"]) < 2:
            one = next(p for p in people if state_of(p, game).question_of(people.index(p)))
            one.choose(game, "fish")
        if len(people[0].view(game)["awaiting"]) == 2:
            break
    ann, ben = people
    before = page_of(ben, game)
    page = page_of(ann, game)
    assert "sealed" in page.words
    assert "fish nothing" in answers(page)

    shown, after = play(ann, page, "text=fish+T")

    assert shown.title.startswith("Discard ")
    assert re.search(r"the card brings \d fish", shown.words)
    assert "This cannot be taken back" in shown.words
    assert after.title == "Your answer is sealed until the others have answered"
    assert answers(after) == []
    assert "Take it back" not in after.words
    assert page_of(ben, game).words == before.words
    assert "Your answer is sealed" in Visitor(ann.player).get("/").words
    again = Visitor(ann.player).get(f"/games/{game}/confirm/", data={"text": "fish nothing"})
    assert again.title == after.title

    shown, after = play(ben, page_of(ben, game), "text=fish+nothing")
    assert shown.title == "Catch no fish?"
    assert "discarded" in after.words


# ---- A whole game of each scenario, page by page ---------------------------------------------


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_page_of_a_game_is_there(people: list[Person], scenario: str) -> None:
    table = [*people, Person("Cleo"), Person("Dora")][: max(SCENARIOS[scenario].players)]
    game = start_game(*table, scenario=scenario)
    for _ in range(LONGEST):
        asked = [p for p in table if state_of(p, game).question_of(table.index(p))]
        if not asked:
            break
        person, seat = asked[0], table.index(asked[0])
        page = page_of(person, game)
        assert page.status == 200
        if lines := answers(page):
            assert Visitor(person.player).get(page.link("/confirm/?text=")).status == 200, lines
        state = state_of(person, game)
        question = state.question_of(seat)
        assert question is not None
        submitted = Submitted(
            decision=state.decision_of(question),
            expected_version=state.version,
            commands=(settler(state, seat),),
        )
        services.submit_move(person.player, game, submitted)

    assert Game.objects.get(pk=game).status == Game.Status.FINISHED
    last = page_of(table[0], game)
    for term in SCENARIOS[scenario].terms:
        assert term.label in last.words
        assert last.has_link(f"#{term.rule}")
    for at in range(1, Game.objects.get(pk=game).version, 9):
        assert page_of(table[-1], game, at=at).status == 200
