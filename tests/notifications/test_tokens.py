"""Tokens in addresses and links: one seat, one decision, one player, one purpose."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import ID_ALPHABET, Seat
from notifications import tokens
from notifications.tokens import Purpose
from tests.people import Person, start_game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def seat(ann: Person, ben: Person) -> Seat:
    return Seat.objects.get(game=start_game(ann, ben), player=ann.player)


def test_a_token_stands_for_the_seat_and_what_it_was_asked(seat: Seat) -> None:
    for since in (0, 1, 17, 2**20 - 1):
        held = tokens.read(Purpose.REPLY, tokens.make(Purpose.REPLY, seat, since))
        assert held is not None
        assert (held.seat, held.since) == (seat, since)
        assert held.decision == f"{since}-{seat.number}"


def test_a_token_survives_capitals_and_fits_into_an_address(seat: Seat) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    address = tokens.reply_address(token)

    assert tokens.token_in(address.upper()) == token
    assert tokens.read(Purpose.REPLY, token.upper()) == tokens.read(Purpose.REPLY, token)
    assert len(address.partition("@")[0]) <= 64


def test_every_letter_of_a_token_counts(seat: Seat) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    for place, letter in enumerate(token):
        other = ID_ALPHABET[(ID_ALPHABET.index(letter) + 1) % 32]
        assert tokens.read(Purpose.REPLY, token[:place] + other + token[place + 1 :]) is None


def test_a_token_for_one_purpose_is_none_for_the_other(seat: Seat) -> None:
    assert tokens.read(Purpose.LINK, tokens.make(Purpose.REPLY, seat, 3)) is None
    assert tokens.read(Purpose.REPLY, tokens.make(Purpose.LINK, seat, 3)) is None


def test_a_token_dies_when_somebody_else_sits_there(seat: Seat, cleo: Person) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    Seat.objects.filter(pk=seat.pk).update(player=cleo.player)
    assert tokens.read(Purpose.REPLY, token) is None

    Seat.objects.filter(pk=seat.pk).update(player=None)
    assert tokens.read(Purpose.REPLY, token) is None


def test_a_player_who_is_locked_out_has_no_tokens(seat: Seat, ann: Person) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    ann.player.is_active = False
    ann.player.save()
    assert tokens.read(Purpose.REPLY, token) is None


def test_the_key_of_the_service_signs_tokens(seat: Seat, settings: pytest.FixtureRequest) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    settings.SECRET_KEY = "another"
    assert tokens.read(Purpose.REPLY, token) is None


@given(st.text(alphabet=string.printable + "éıſK", max_size=60))
def test_what_is_no_token_is_none(text: str) -> None:
    assert tokens.read(Purpose.REPLY, text) is None


def test_only_our_own_address_carries_tokens(seat: Seat) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    address = tokens.reply_address(token)
    local, _, domain = address.partition("@")

    assert tokens.is_ours(address)
    assert tokens.is_ours(tokens.reply_address())
    for other in (f"{local}@elsewhere.example", f"x{local}@{domain}", "", "@", "+@", local):
        assert tokens.token_in(other) == ""
        assert not tokens.is_ours(other)


def test_a_text_for_other_eyes_has_none_of_our_addresses_links_and_tokens(seat: Seat) -> None:
    token = tokens.make(Purpose.REPLY, seat, 3)
    address = tokens.reply_address(token)
    link = f"http://127.0.0.1:8000/answer/{token}/3/"
    for secret in (
        token,
        token.upper(),
        address,
        f"<{address}>,",
        link,
        f"dewan+short@{'localhost'}",
    ):
        shown = tokens.without_tokens(f"Look: {secret} is it")
        assert token not in shown.lower()
        assert "dewan+" not in shown
        assert shown.startswith("Look: ")
        assert shown.endswith("is it")
    assert tokens.without_tokens("well played, see you at 8") == "well played, see you at 8"
