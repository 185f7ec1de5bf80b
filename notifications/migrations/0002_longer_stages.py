from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="outboxmail",
            name="stage",
            field=models.CharField(default="", max_length=20),
        ),
    ]
