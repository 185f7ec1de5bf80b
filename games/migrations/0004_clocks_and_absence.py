"""Clocks reckoned from what they began with; who sat where; how tables treat absence."""

import datetime as dt
from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def carry_over(apps: Any, _: Any) -> None:
    """Begin with what the columns that go away say; a running clock goes on as it was."""
    _carry_over_decisions(apps)
    _carry_over_games(apps)


def _carry_over_decisions(apps: Any) -> None:
    outages = list(apps.get_model("notifications", "RecordedOutage").objects.order_by("start"))
    moves = apps.get_model("games", "Move").objects.exclude(decision=None)
    closed_by = {
        (game, decision): actor
        for game, decision, actor in moves.values_list("game", "decision", "actor")
    }
    seats = apps.get_model("games", "Seat").objects.values_list("game", "number", "player")
    players = {(game, number): player for game, number, player in seats}
    for decision in apps.get_model("games", "Decision").objects.iterator():
        asked, deadline = decision.asked_at, decision.deadline
        lost = [
            outage.end - max(outage.start, asked)
            for outage in outages
            if asked < outage.end and outage.start < deadline
        ]
        decision.runs_from = asked
        decision.granted = deadline - asked - sum(lost, dt.timedelta(0))
        decision.closed_by = closed_by.get((decision.game_id, decision.decision), "")
        decision.player_id = players[decision.game_id, decision.seat]
        decision.wake_at = django.utils.timezone.now() if decision.answered_at is None else None
        decision.save()


def _carry_over_games(apps: Any) -> None:
    now = django.utils.timezone.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    for game in apps.get_model("games", "Game").objects.iterator():
        cancelled = "operator" if game.version else "called_off"
        game.ending = {
            "finished": (game.result or {}).get("reason", ""),
            "cancelled": cancelled,
        }.get(game.status, "")
        game.credited = now
        game.save()
    sitting = apps.get_model("games", "Sitting")
    sitting.objects.bulk_create(
        sitting(game_id=seat.game_id, seat=seat.number, player_id=seat.player_id, since=1)
        for seat in apps.get_model("games", "Seat")
        .objects.filter(game__version__gt=0)
        .exclude(player=None)
    )


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_sealed_answers"),
        ("notifications", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Proposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("undo", "Undo"),
                            ("undo_time_out", "Undo Time Out"),
                            ("pause", "Pause"),
                            ("resume", "Resume"),
                            ("cancel", "Cancel"),
                        ],
                        max_length=20,
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("version", models.PositiveIntegerField()),
                ("first", models.PositiveIntegerField(null=True)),
                ("seconds", models.PositiveIntegerField(null=True)),
                ("agreed", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("agreed", "Agreed"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                            ("overtaken", "Overtaken"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="SeatOffer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("token", models.CharField(max_length=43, unique=True)),
                ("offered_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Sitting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("since", models.PositiveIntegerField()),
                ("until", models.PositiveIntegerField(null=True)),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("resigned", "Resigned"),
                            ("timed_out", "Timed Out"),
                            ("handed_over", "Handed Over"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="decision",
            name="closed_by",
            field=models.CharField(
                choices=[
                    ("player", "Player"),
                    ("bot", "Bot"),
                    ("clock", "Clock"),
                    ("operator", "Operator"),
                    ("service", "Service"),
                ],
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="decision",
            name="granted",
            field=models.DurationField(default=dt.timedelta(0)),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="decision",
            name="lives",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="decision",
            name="missed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="decision",
            name="player",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="decisions",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="decision",
            name="runs_from",
            field=models.DateTimeField(default=django.utils.timezone.now),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="decision",
            name="wake_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="game",
            name="absence",
            field=models.CharField(
                choices=[
                    ("move", "Move"),
                    ("bot", "Bot"),
                    ("replacement", "Replacement"),
                    ("forfeit", "Forfeit"),
                ],
                default="move",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="game",
            name="bank",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="game",
            name="bank_cap",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="game",
            name="credited",
            field=models.CharField(default="", max_length=27),
        ),
        migrations.AddField(
            model_name="game",
            name="ending",
            field=models.CharField(default="", max_length=20),
        ),
        migrations.AddField(
            model_name="game",
            name="excused_misses",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="game",
            name="is_paused",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="game",
            name="pauses",
            field=models.TextField(default="[]"),
        ),
        migrations.AddField(
            model_name="game",
            name="rests",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="seat",
            name="misses",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="seat",
            name="standing",
            field=models.CharField(
                choices=[
                    ("playing", "Playing"),
                    ("absent", "Absent"),
                    ("left", "Left"),
                    ("out", "Out"),
                ],
                default="playing",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="decision",
            index=models.Index(
                condition=models.Q(("answered_at", None)), fields=["wake_at"], name="open_by_waking"
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="game",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="proposals",
                to="games.game",
            ),
        ),
        migrations.AddField(
            model_name="seatoffer",
            name="game",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="offers", to="games.game"
            ),
        ),
        migrations.AddField(
            model_name="sitting",
            name="game",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sittings",
                to="games.game",
            ),
        ),
        migrations.AddField(
            model_name="sitting",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sittings",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("game", "kind"),
                name="one_proposal_a_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="seatoffer",
            constraint=models.UniqueConstraint(fields=("game", "seat"), name="one_offer_a_seat"),
        ),
        migrations.AddConstraint(
            model_name="sitting",
            constraint=models.UniqueConstraint(
                condition=models.Q(("until", None)),
                fields=("game", "seat"),
                name="one_player_a_seat",
            ),
        ),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.RemoveIndex(
            model_name="decision",
            name="open_by_deadline",
        ),
        migrations.RemoveIndex(
            model_name="decision",
            name="open_by_reminder",
        ),
        migrations.RemoveField(
            model_name="decision",
            name="deadline",
        ),
        migrations.RemoveField(
            model_name="decision",
            name="remind_at",
        ),
        migrations.RemoveField(
            model_name="decision",
            name="remind_stage",
        ),
    ]
