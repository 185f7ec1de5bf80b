"""What the engine says when a submission is refused (docs/api.md, *Problems*).

Every refusal is one of these classes; anything else that is raised is a bug. ``code`` is
the stable string that clients see, ``rule`` the rule number where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from engine.notation import Entry


class GameError(Exception):
    """A refusal of a submission. Nothing was written; ``detail`` says what would be right."""

    code: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class InvalidCommand(GameError):
    """The text or the fields cannot be read as a command.

    ``right`` is how a text would be written, and unlike ``detail`` has nothing of what was sent.
    """

    code = "invalid_command"

    def __init__(self, detail: str, right: str = "") -> None:
        super().__init__(detail)
        self.right = right


class IllegalMove(GameError):
    """The command was understood and is not allowed now.

    ``rule`` is the number of the rule that forbids it, ``command_index`` the place of the command
    in its submission, from 0, ``legal`` what would be allowed (added where the view is known).
    """

    code = "illegal_move"

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        self.command_index = 0
        self.legal: list[Entry] = []


class AmbiguousCommand(GameError):
    """The text fits several moves; ``candidates`` are the ones it fits (20 at most)."""

    code = "ambiguous_command"

    def __init__(self, detail: str, candidates: list[Entry]) -> None:
        super().__init__(detail)
        self.candidates = candidates


class NotYourDecision(GameError):
    """The seat was not asked this, or has answered it already."""

    code = "not_your_decision"


class GameOver(GameError):
    """The game has ended; nothing more can be played."""

    code = "game_over"


class StaleMove(GameError):
    """The question was put, or its legal answers changed, after the version the client saw."""

    code = "stale_move"
