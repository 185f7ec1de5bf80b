"""The interface for programs can be browsed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE


def test_the_interface_can_be_browsed_under_the_policy_of_the_site(new_person: NewPerson) -> None:
    visitor = new_person()
    answer = visitor.page.goto("/api/v1/docs/")
    assert answer
    assert "unsafe" not in answer.headers["content-security-policy"]

    operation = visitor.page.locator(".opblock")
    expect(operation.first).to_be_visible(timeout=PATIENCE)
    assert operation.count() >= 8
    assert visitor.errors == []
