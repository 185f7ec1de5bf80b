"""Signing in by a mailed link, and what a player can change about themselves.

A link from a mail shows a page, and only the button on it acts: scanners follow links too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from django import forms
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from knox.models import AuthToken

from dewan_site.accounts import links, rests
from dewan_site.accounts.forms import (
    AddressForm,
    CancelForm,
    NameAndZoneForm,
    RemindersForm,
    RestsForm,
    RhythmForm,
    SignInForm,
    VacationForm,
)
from dewan_site.accounts.limits import client_of, within_limit
from dewan_site.accounts.models import Player
from notifications import health, mailbox_views, notices, preferences
from notifications.rests import Stretch

MAILS_TO_ADDRESS = 5
"""How many mails with links an address gets in an hour, at most."""

MAILS_FOR_CLIENT = 60
"""How many mails with links a client can ask for in an hour, at most."""

TOO_MANY_MAILS = (
    "No mail was sent: too many were asked for within the hour, for this address or from where you"
    " are. Look for the newest one, or ask again in an hour."
)
"""What is said when a limit is reached; the same for every address, known or not."""

NEXT = "next"
"""Where to go after signing in: the name of the parameter and of the session's note of it."""

show_or_act = require_http_methods(["GET", "HEAD", "POST"])


# ---- Signing in ------------------------------------------------------------------------------


@never_cache
@show_or_act
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for an address and mail a link to it; the answer is the same for every address."""
    wanted = request.POST.get(NEXT) or request.GET.get(NEXT, "")
    form = SignInForm(request.POST or None)
    context = {"form": form, "next": wanted}
    if request.method == "POST" and form.is_valid():
        if not _mail_link(request, form.cleaned_data["email"].lower()):
            form.add_error("email", TOO_MANY_MAILS)
            return render(request, "accounts/sign_in.html", context, status=429)
        if wanted:
            request.session[NEXT] = wanted
        return redirect("sign_in_sent")
    if request.user.is_authenticated:
        return redirect(_safe(request, wanted))
    return render(request, "accounts/sign_in.html", context)


def _mail_link(request: HttpRequest, address: str) -> bool:
    """Mail a link, whether there is a player yet or not, unless it is one too many."""
    allowed = _may_be_mailed(request, address)
    if allowed:
        notices.write_to_player(notices.SIGN_IN, Player.objects.with_email(address))
    return allowed


def _may_be_mailed(request: HttpRequest, address: str) -> bool:
    """Count a mail with a link against its limits, and tell whether it may be sent."""
    by_client = within_limit("mails-for-client", client_of(request), MAILS_FOR_CLIENT)
    return by_client and within_limit("mails-to-address", address, MAILS_TO_ADDRESS)


@require_safe
def sign_in_sent(request: HttpRequest) -> HttpResponse:
    """Say that there is a mail to look for."""
    context = {"mailbox": mailbox_views.is_open_to(request)}
    return render(request, "accounts/sign_in_sent.html", context)


@never_cache
@show_or_act
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show whom the link of a mail is for; the button signs them in and uses it up."""
    player = links.player_signing_in(token)
    if player is not None and request.method != "POST":
        context = {"player": player, "next": request.GET.get(NEXT, "")}
        return render(request, "accounts/sign_in_link.html", context)
    wanted = request.POST.get(NEXT) or request.session.get(NEXT, "")
    if player is None or not _signed_in(request, player):
        return _link_is_spent(request, status=410)
    request.session.pop(NEXT, None)
    if player.introduced:
        return redirect(_safe(request, wanted))
    return redirect(f"{reverse('welcome')}?{urlencode({NEXT: _safe(request, wanted)})}")


@transaction.atomic
def _signed_in(request: HttpRequest, player: Player) -> bool:
    """Sign in whom a link is for, unless the link was spent at the same moment."""
    unspent = links.spend_sign_in(player)
    if unspent:
        login(request, player)
    return unspent


def _link_is_spent(request: HttpRequest, status: int) -> HttpResponse:
    context = {"form": SignInForm()}
    return render(request, "accounts/link_spent.html", context, status=status)


def _safe(request: HttpRequest, wanted: str) -> str:
    """Return where somebody wanted to go, if that is on this site, else the first page."""
    here = {request.get_host()}
    safe = url_has_allowed_host_and_scheme(wanted, here, require_https=request.is_secure())
    return wanted if safe else reverse("home")


@show_or_act
@login_required
def welcome(request: HttpRequest) -> HttpResponse:
    """Ask for name and zone after the first sign-in, then go on."""
    wanted = request.POST.get(NEXT) or request.GET.get(NEXT, "")
    form = NameAndZoneForm(request.POST or None, instance=_player(request))
    if request.method == "POST" and form.is_valid():
        form.instance.introduced = True
        if _accepted(form, partial(_save, form)):
            return redirect(_safe(request, wanted))
    return render(request, "accounts/welcome.html", {"form": form, "next": wanted})


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Sign the player out."""
    logout(request)
    return redirect("home")


def _player(request: HttpRequest) -> Player:
    assert isinstance(request.user, Player), "only players are signed in"
    return request.user


# ---- Me --------------------------------------------------------------------------------------


@show_or_act
@login_required
def me(request: HttpRequest) -> HttpResponse:
    """Show what a player can change about themselves, and change name and zone."""
    form = NameAndZoneForm(request.POST or None, instance=_player(request))
    if request.method == "POST" and form.is_valid() and _accepted(form, partial(_save, form)):
        messages.success(request, "Your name and time zone are changed.")
        return redirect("me")
    return _show_me(request, form=form)


@transaction.atomic
def _save(form: NameAndZoneForm) -> None:
    """Save name and zone; nights and days that rest clocks follow to another zone."""
    player = form.save()
    rests.move_to(player, player.zone)


def _accepted(form: forms.BaseForm, change: Callable[[], object]) -> bool:
    """Do what a form asks for; a refusal is said in the form."""
    try:
        change()
    except ValidationError as error:
        form.add_error(None, error)
    return form.is_valid()


def _show_me(request: HttpRequest, **context: Any) -> HttpResponse:
    # A form that has refused its input may have put it into the player: read them again.
    player = Player.objects.get(pk=_player(request).pk)
    mine = rests.rests_of(player)
    shown = {
        "player": player,
        "form": NameAndZoneForm(instance=player),
        "address_form": AddressForm(),
        "rests_form": RestsForm.showing(mine),
        "vacation_form": VacationForm(),
        "vacations": booked(mine.vacations, player.zone),
        "days_left": rests.days_left(mine, timezone.now()),
        "reminders_form": RemindersForm(initial={"stages": player.reminders}),
        "rhythm_form": RhythmForm.showing(player),
        "tokens": AuthToken.objects.filter(user=player).order_by("created"),
    }
    refused = [name for name, form in context.items() if getattr(form, "errors", None)]
    return render(request, "accounts/me.html", shown | context | {"refused": refused})


@require_POST
@login_required
def change_address(request: HttpRequest) -> HttpResponse:
    """Mail a link to a new address; nothing changes before its button is pressed."""
    form = AddressForm(request.POST)
    if not form.is_valid():
        return _show_me(request, address_form=form)
    address = form.cleaned_data["address"]
    if not _may_be_mailed(request, address):
        form.add_error("address", TOO_MANY_MAILS)
        return _show_me(request, address_form=form)
    notices.write_to_player(notices.ADDRESS_CHANGE, _player(request), address=address)
    messages.success(request, f"Look for our mail at {address}: its link changes your address.")
    return redirect("me")


@never_cache
@show_or_act
def address_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show which address a link gives to whom; the button does it."""
    change = links.address_change(token)
    if change is None:
        return _link_is_spent(request, status=410)
    player, address = change
    taken = Player.objects.exclude(pk=player.pk).filter(email=address).exists()
    done = request.method == "POST" and not taken
    if done and not _moved(player, address):
        return _link_is_spent(request, status=410)
    context = {"player": player, "address": address, "taken": taken, "done": done}
    return render(request, "accounts/address_link.html", context, status=409 if taken else 200)


def _moved(player: Player, address: str) -> bool:
    """Give a player a new address, and tell the old one; False if somebody was faster."""
    with suppress(IntegrityError), transaction.atomic():
        old = Player.objects.filter(pk=player.pk, email=player.email)
        moved = old.update(email=address) == 1
        if moved:
            notices.write_to_player(notices.ADDRESS_CHANGED, player, address=player.email)
            health.moved(player, player.email)
        return moved
    return False


# ---- When my clocks rest, and when I am reminded -----------------------------------------------


class Booked(msgspec.Struct, frozen=True):
    """A vacation as its player sees it: its first and last day in their zone."""

    start: datetime
    first: date
    last: date
    has_begun: bool


def booked(vacations: tuple[Stretch, ...], zone: str) -> list[Booked]:
    """Return the vacations that are not over."""
    now = timezone.now()
    return [
        Booked(start, _day_of(start, zone), _day_of(end - timedelta.resolution, zone), start <= now)
        for start, end in vacations
        if end > now
    ]


def _day_of(moment: datetime, zone: str) -> date:
    return moment.astimezone(ZoneInfo(zone)).date()


@require_POST
@login_required
def change_rests(request: HttpRequest) -> HttpResponse:
    """Set the night hours and free days in which the player's clocks rest."""
    form, player = RestsForm(request.POST), _player(request)
    if form.is_valid():
        change = partial(rests.change, player, form.night, form.cleaned_data["weekdays"])
        if _accepted(form, change):
            messages.success(request, "It counts from the next question that you are asked.")
            return redirect("me")
    return _show_me(request, rests_form=form)


@require_POST
@login_required
def book_vacation(request: HttpRequest) -> HttpResponse:
    """Book a vacation; the same one twice is one."""
    form, player = VacationForm(request.POST), _player(request)
    if form.is_valid():
        first, last = form.cleaned_data["first"], form.cleaned_data["last"]
        known = booked(rests.rests_of(player).vacations, player.zone)
        is_known = any((first, last) == (vacation.first, vacation.last) for vacation in known)
        if is_known or _accepted(form, partial(rests.book, player, first, last)):
            messages.success(request, "Your vacation is booked, and it ends by itself.")
            return redirect("me")
    return _show_me(request, vacation_form=form)


@require_POST
@login_required
def cancel_vacation(request: HttpRequest) -> HttpResponse:
    """Cancel a vacation that has not begun; one that is not there any more is cancelled."""
    form, player = CancelForm(request.POST), _player(request)
    if form.is_valid():
        start = form.cleaned_data["start"]
        is_there = any(start == v.start for v in rests.rests_of(player).vacations)
        if not is_there or _accepted(form, partial(rests.cancel, player, start)):
            messages.success(request, "The vacation is cancelled.")
            return redirect("me")
    return _show_me(request, cancel_form=form)


@require_POST
@login_required
def change_reminders(request: HttpRequest) -> HttpResponse:
    """Set at which stages the player is reminded of a question."""
    form, player = RemindersForm(request.POST), _player(request)
    if not form.is_valid():
        return _show_me(request, reminders_form=form)
    player.reminders = form.cleaned_data["stages"]
    player.save(update_fields=["reminders"])
    messages.success(request, "It counts from the next question that you are asked.")
    return redirect("me")


# ---- Mails about games -------------------------------------------------------------------------


@require_POST
@login_required
def set_mails(request: HttpRequest) -> HttpResponse:
    """Stop the mails about games, or send them again."""
    preferences.stop(_player(request), stopped=request.POST.get("mails") == "stop")
    return redirect("me")


@require_POST
@login_required
def change_rhythm(request: HttpRequest) -> HttpResponse:
    """Set when the player gets mails about games."""
    form, player = RhythmForm(request.POST), _player(request)
    if not form.is_valid():
        return _show_me(request, rhythm_form=form)
    preferences.change(
        player,
        rhythm=form.cleaned_data["rhythm"],
        digest_at=form.cleaned_data["digest_at"] or player.digest_at,
        quiet=form.quiet,
    )
    messages.success(request, "It counts from now on, also for what waits to be sent.")
    return redirect("me")


@require_POST
@login_required
def mail_again(request: HttpRequest) -> HttpResponse:
    """Send what waits for an address that our mails did not reach."""
    health.try_again(_player(request))
    messages.success(request, "We try again now. Look into your mailbox in a minute.")
    return redirect(_safe(request, request.POST.get(NEXT, "")))


@csrf_exempt
@show_or_act
def stop_mails(request: HttpRequest, token: str) -> HttpResponse:
    """Stop the mails about games by a link in one of them, signed in or not (RFC 8058)."""
    player = links.player_stopping_mails(token)
    if player is None:
        return _link_is_spent(request, status=404)
    if request.method == "POST":
        preferences.stop(player, stopped=request.POST.get("mails") != "start")
    return render(request, "accounts/stop_mails.html", {"player": player})


# ---- Tokens for the REST API -----------------------------------------------------------------


@never_cache
@require_POST
@login_required
def new_token(request: HttpRequest) -> HttpResponse:
    """Make a token and show it, this once."""
    _, token = AuthToken.objects.create(_player(request))
    return _show_me(request, token=token)


@require_POST
@login_required
def revoke_token(request: HttpRequest, digest: str) -> HttpResponse:
    """Make one of the player's tokens useless."""
    AuthToken.objects.filter(user=_player(request), digest=digest).delete()
    messages.success(request, "The token does not work any more.")
    return redirect("me")
