"""Public means documented, and this says so."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest

from engine import commands, events
from engine.questions import KINDS
from engine.scenarios import SCENARIOS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "deploy").glob("*.md")]
SOURCES = [
    p for d in ("engine", "games", "notifications", "dewan_site") for p in (ROOT / d).rglob("*.py")
]


def page(name: str) -> str:
    return (DOCS / name).read_text()


def tags(union: object) -> list[str]:
    return sorted(kind.__struct_config__.tag for kind in typing.get_args(union))


def fields_of(kind: type) -> list[str]:
    return list(kind.__struct_encode_fields__)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", tags(commands.Command))
def test_every_command_is_documented(command: str) -> None:
    assert f'"type": "{command}"' in page("api.md")
    assert f"`{command}" in page("api.md")


@pytest.mark.parametrize("event", typing.get_args(events.Event), ids=lambda e: e.__name__)
def test_every_event_and_field_is_documented(event: type) -> None:
    tag = event.__struct_config__.tag  # type: ignore[attr-defined]
    row = next(line for line in page("events.md").splitlines() if line.startswith(f"| `{tag}`"))
    documented = set(re.findall(r"`(\w+)`", row.split("|")[2]))
    assert documented == set(fields_of(event))


def test_every_problem_code_is_documented_with_its_status() -> None:
    from games.errors import STATUS  # noqa: PLC0415

    documented = dict(re.findall(r"^\| `(\w+)` \| (\d{3}) \|", page("api.md"), re.MULTILINE))
    assert documented == {code: str(status) for code, status in STATUS.items()}


def test_every_setting_is_documented_and_read() -> None:
    settings = (ROOT / "dewan_site" / "settings.py").read_text()
    env = (ROOT / "dewan_site" / "env.py").read_text()
    read = set(re.findall(r'\(\s*"((?:DEWAN|DATABASE|REDIS|EMAIL)_[A-Z_]+)"', settings + env))
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", page("settings.md"), re.MULTILINE))
    assert documented == read


def test_every_management_command_is_documented() -> None:
    names = {path.stem for path in ROOT.glob("*/management/commands/*.py")} - {"__init__"}
    documented = set(re.findall(r"`([a-z_]+)(?: [^`]*)?`", page("operating.md")))
    assert names <= documented


def test_every_kind_of_mail_is_documented() -> None:
    from notifications import letters, notices  # noqa: PLC0415

    kinds = {*letters.GAME_LETTERS, *letters.ACCOUNT_LETTERS, notices.LEFT}
    table = page("mail.md").partition("| kind |")[2].partition("\n\n")[0]
    assert kinds == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert {notices.TURN, notices.SIGN_IN} <= kinds


def test_every_make_target_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", makefile, re.MULTILINE)
    explained = re.findall(r"^([a-z][a-z-]*):.*## ", makefile, re.MULTILINE)
    assert sorted(targets) == sorted(explained)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decision_is_in_the_glossary(kind: str) -> None:
    assert f"`{kind}`" in page("glossary.md")


@pytest.mark.parametrize("key", SCENARIOS)
def test_every_scenario_is_documented(key: str) -> None:
    assert f"`{key}`" in page("api.md")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(path: Path) -> None:
    text = path.read_text()
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (path.parent / link).exists(), link
    for name in re.findall(r"docs/([\w/-]+\.md)", text):
        assert (DOCS / name).exists(), name


def test_every_page_that_the_code_names_exists() -> None:
    named = {
        name for path in SOURCES for name in re.findall(r"docs/([\w-]+\.md)", path.read_text())
    }
    assert {name for name in named if not (DOCS / name).exists()} == set()


def test_the_readme_gives_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make run" in readme
    assert "make test" in readme
