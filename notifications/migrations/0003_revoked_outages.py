from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0002_longer_stages"),
    ]

    operations = [
        migrations.AddField(
            model_name="recordedoutage",
            name="revoked_at",
            field=models.DateTimeField(null=True),
        ),
    ]
