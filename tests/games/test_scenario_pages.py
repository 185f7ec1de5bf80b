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
from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.state import State
from games import selectors, services
from games.models import Game
from games.services import Submitted
from games.web.asking import winners_words
from games.web.choices import choices_of
from games.web.preview import preview
from games.web.scenario import piles
from tests.engine.game import Dice
from tests.engine.policies import stirrer
from tests.engine.table import Table
from tests.pages import Page, Visitor
from tests.people import Person, start_game

LONGEST = 300


@pytest.fixture
def people(ann: Person, ben: Person) -> list[Person]:
    return [ann, ben]


def state_of(person: Person, game: str) -> State:
    state = selectors.position(person.player, game).state
    assert state is not None
    return state


def settler(seen: State, seat: int, dice: Dice) -> Command:
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
    return villages[0] if villages else stirrer(seen, seat, dice)


def play_on(game: str, people: list[Person], kind: str = "", number: int = 0) -> Person | None:
    """Play until somebody is asked this, and return who; None if the game ends before."""
    dice = Dice("pages", number)
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
                commands=(settler(state, seat, dice),),
            )
            services.submit_move(person.player, game, submitted)
            break
    raise AssertionError("the game goes on for ever")


def reach(people: list[Person], scenario: str, kind: str) -> tuple[str, Person]:
    """Play games until somebody is asked this kind of question."""
    for number in range(12):
        game = start_game(*people, scenario=scenario)
        if person := play_on(game, people, kind, number):
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
    before = Game.objects.get(pk=game).version
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
    assert re.search(rf"Then \d {kind} tiles are left", shown.words)
    assert f"placed a {kind} tile on {spaces[0]}" in played.words

    version = Game.objects.get(pk=game).version
    covered = re.compile(f"<title>{spaces[0]}: (water, a water tile|lava, closed)")
    assert covered.search(page_of(person, game).html)
    assert not covered.search(page_of(person, game, at=before).html)
    assert covered.search(page_of(person, game, at=version).html)


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


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_page_of_a_game_is_there(people: list[Person], scenario: str) -> None:
    table = [*people, Person("Cleo"), Person("Dora")][: max(SCENARIOS[scenario].players)]
    game = start_game(*table, scenario=scenario)
    dice = Dice("pages")
    for number in range(LONGEST):
        asked = (p for p in table if state_of(p, game).question_of(table.index(p)))
        person = next(asked, None)
        if person is None:
            break
        seat = table.index(person)
        if number % LOOKED_AT == 0:
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
            commands=(settler(state, seat, dice),),
        )
        services.submit_move(person.player, game, submitted)

    assert Game.objects.get(pk=game).status == Game.Status.FINISHED
    last = page_of(table[0], game)
    for term in SCENARIOS[scenario].terms:
        assert term.label in last.words
        assert last.has_link(f"#{term.rule}")
    for at in range(1, Game.objects.get(pk=game).version, 25):
        assert page_of(table[-1], game, at=at).status == 200


# ---- What is said beforehand -----------------------------------------------------------------

NAMES = ["Ann", "Ben"]


def foretold(table: Table, *commands: Command) -> str:
    """Return everything that the page says before a command is played."""
    shown = preview(table.state, table.asked, commands, NAMES)
    return " ".join([shown.headline, *shown.lines, shown.undo])


def rainy(drawing: str) -> Table:
    return Table(drawing, scenario=DOWNPOUR, small_pile="W1 W2").play("take 1-2")


@pytest.mark.parametrize(
    ("drawing", "told"),
    [
        (
            "*0 f:1 f:2 f f m *1\n b w m x b",
            "parts of 2 and 1 spaces. Of its 3 berries you then find 3 at A3",
        ),
        ("*0 f:1 f m m *1\n b w m x b", "Its area keeps 1 berry."),
        ("*0 m f:2 x m *1", "Nothing is left of its area: 2 berries there leave the game."),
        ("*0 f:1 f m m *1\n b w m x b", "7 water tiles are left"),
    ],
)
def test_what_becomes_of_the_berries_is_said_beforehand(drawing: str, told: str) -> None:
    table = rainy(drawing)
    assert told in foretold(table, c.Water(space="A2"))


def test_a_split_that_leaves_an_odd_berry_says_so() -> None:
    table = rainy("*0 f:1 f:2 f *1\n b w m x b")
    assert "cannot be shared evenly" in foretold(table, c.Water(space="A2"))

    choices = choices_of(table.play("water A2").state, table.asked, "game")
    assert [(part.letter, part.spaces) for part in choices.parts] == [
        ("A", ("A1",)),
        ("B", ("A3",)),
    ]
    assert [share.label for share in choices.shares] == [
        "2 berries to A and 1 berry to B",
        "1 berry to A and 2 berries to B",
    ]
    assert choices.letters == {"A1": "A", "A3": "B"}
    assert set(choices.spaces) == {"A1", "A3"}


def test_a_take_that_brings_the_event_says_so() -> None:
    table = Table("*0 f x *1", scenario=DOWNPOUR, small_pile="W1 W2")
    assert "the last card of the small pile: it rains." in foretold(table, c.Take(places=(1, 2)))
    table = Table("*0 f x *1", scenario=DOWNPOUR, small_pile="W1 W2 W3")
    assert "it rains" not in foretold(table, c.Take(places=(1, 2)))
    assert piles(table.state).soon == "3 cards until it rains."


def test_a_village_says_what_it_does_and_who_is_paid_for_crossing() -> None:
    lake = Table(
        "*0 f w w1 d *1", scenario=LAKE_VILLAGES, small_pile="W4", hands={0: "B1 F1 W1 D1"}
    )
    (over,) = [camp for camp in lake.legal if isinstance(camp, c.Camp) and camp.route[-1] == "A4"]
    assert [spent.to for spent in preview(lake.state, 0, [over], NAMES).spent] == [
        "",
        "",
        "Ben",
        "",
    ]

    lake = Table("*0 f w w d *1", scenario=LAKE_VILLAGES, small_pile="W4", hands={0: "B1 F1 W1"})
    (build,) = [camp for camp in lake.legal if isinstance(camp, c.Camp) and camp.route[-1] == "A2"]
    assert "It is a lake village" in foretold(lake, build)


# ---- Teams -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winners", "you", "told"),
    [
        ([0, 2], None, "Ann and Cleo win with 41 points"),
        ([0, 2], 2, "You and Ann win with 41 points"),
        ([0, 1, 2, 3], 1, "You, Ann, Cleo and Dora share the victory with 41 points"),
    ],
)
def test_a_team_wins_together(winners: list[int], you: int | None, told: str) -> None:
    names = ["Ann", "Ben", "Cleo", "Dora"]
    scores = [{"seats": [0, 2], "total": 41}, {"seats": [1, 3], "total": 41}]
    entry = {
        "you": you,
        "seats": [{"seat": seat, "name": name} for seat, name in enumerate(names)],
        "result": {"winners": winners, "scores": scores},
    }
    assert winners_words(entry) == told


def test_partners_are_marked_and_hide_their_hands(people: list[Person]) -> None:
    table = [*people, Person("Cleo"), Person("Dora")]
    game = start_game(*table, scenario="teams")
    page = page_of(table[0], game)

    assert page.html.count("#g-team-0") == page.html.count("#g-team-1") > 2
    assert "your partner" in page.words
    assert page.words.count("2 of them unknown") == 3


# ---- Opening a game --------------------------------------------------------------------------


NEW = {
    "players": "2",
    "seat1": "me",
    "seat2": "open",
    "move_time": "259200",
    "visibility": "public",
}


def test_a_scenario_for_others_than_want_to_play_is_refused_on_the_page(ann: Person) -> None:
    page = Visitor(ann.player).post("/games/new/", NEW | {"scenario": "teams"})

    assert page.status == 400
    assert "Teams is for 4 players, and you want to be 2." in page.words
    assert not Game.objects.exists()


def test_the_scenario_is_told_wherever_one_comes_to_the_table(people: list[Person]) -> None:
    ann, ben = (Visitor(person.player) for person in people)
    page = ann.post("/games/new/", NEW | {"scenario": "volcano"})

    assert "Volcano. Now and then lava closes a space" in page.words
    assert "Volcano" in ben.get("/").words
    assert "Volcano. Now and then lava closes a space" in ben.get(f"{page.path}join/").words


def test_a_rematch_keeps_the_scenario(people: list[Person]) -> None:
    game = start_game(*people, scenario="lake_villages")
    services.cancel_game(game)

    page = Visitor(people[0].player).post(f"/games/{game}/rematch/")

    assert page.status == 200
    assert Game.objects.exclude(pk=game).get().scenario == "lake_villages"


LOOKED_AT = 15
"""One page in so many is looked at while a whole game is played."""
