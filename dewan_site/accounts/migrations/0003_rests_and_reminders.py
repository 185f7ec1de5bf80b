import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import dewan_site.accounts.models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_name_validator"),
    ]

    operations = [
        migrations.AddField(
            model_name="player",
            name="reminders",
            field=models.JSONField(default=dewan_site.accounts.models.all_stages),
        ),
        migrations.CreateModel(
            name="Rests",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField()),
                ("data", models.TextField()),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["since"],
                "constraints": [
                    models.UniqueConstraint(fields=("player", "since"), name="rests_since")
                ],
            },
        ),
    ]
