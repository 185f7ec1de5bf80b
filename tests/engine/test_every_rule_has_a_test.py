"""docs/rules.md, the tests and the code know the same rules."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.engine.docs import ROOT, Rule, rules

CHAPTERS = (8, 6, 12, 2, 4, 7, 2, 6, 3, 7, 4, 3, 6, 1, 5)
"""How many rules each chapter has, from R1."""


@cache
def engine_tests() -> frozenset[str]:
    """Return the names of all test functions of the engine."""
    files = Path(__file__).parent.glob("test_*.py")
    return frozenset(
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@cache
def names_of(module: str) -> frozenset[str]:
    """Return the functions, classes, methods and constants of a module."""
    tree = ast.parse((ROOT / module).read_text())
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{member.name}" for member in node.body if _is_function(member)}
        names |= {target.id for target in _assigned(node)}
    return frozenset(names)


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef)


def _assigned(node: ast.stmt) -> list[ast.Name]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target for target in targets if isinstance(target, ast.Name)]


def test_the_document_has_every_rule_once_and_in_order() -> None:
    assert [rule.number for rule in rules()] == [
        f"R{chapter}.{number}"
        for chapter, last in enumerate(CHAPTERS, 1)
        for number in range(1, last + 1)
    ]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.number)
def test_the_rule_has_a_test(rule: Rule) -> None:
    chapter, number = rule.number[1:].split(".")
    pattern = re.compile(rf"test_r{chapter}_{number}_")
    assert any(pattern.match(name) for name in engine_tests()), rule.number


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.number)
def test_the_rule_lives_where_the_document_says(rule: Rule) -> None:
    assert rule.places, f"{rule.number} does not say where it lives"
    for module, name in rule.places:
        assert (ROOT / module).is_file(), module
        assert name in names_of(module), f"{module} has no {name}"


def test_no_test_is_about_a_rule_that_is_not_there() -> None:
    numbers = {rule.number for rule in rules()}
    tested = {
        f"R{m[1]}.{m[2]}" for name in engine_tests() if (m := re.match(r"test_r(\d+)_(\d+)_", name))
    }
    assert tested <= numbers
