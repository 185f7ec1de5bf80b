"""Makes the move log append-only in the database itself (docs/storage.md).

On SQLite, ``INSERT OR REPLACE`` deletes without the delete trigger, so inserting over a row is
refused too. Django rebuilds a SQLite table when its model changes and drops its triggers with
the old one: a migration that alters ``Move`` must run ``install`` again, and a test asserts the
triggers after all migrations.
"""

from typing import Any

from django.db import migrations

REFUSAL = "the move log is append-only"

POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION games_move_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';
END $$;
DROP TRIGGER IF EXISTS games_move_append_only ON games_move;
CREATE TRIGGER games_move_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON games_move
    FOR EACH STATEMENT EXECUTE FUNCTION games_move_append_only();
"""

SQLITE = [  # nothing from outside goes into these statements
    f"""
    CREATE TRIGGER IF NOT EXISTS games_move_no_{verb.lower()} BEFORE {verb} ON games_move
    BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END
    """
    for verb in ("UPDATE", "DELETE")
] + [
    f"""
    CREATE TRIGGER IF NOT EXISTS games_move_no_replace BEFORE INSERT ON games_move
    WHEN EXISTS (
        SELECT 1 FROM games_move
        WHERE id = NEW.id OR (game_id = NEW.game_id AND number = NEW.number)
    )
    BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END
    """
]


def install(_: Any, schema_editor: Any) -> None:
    """Create the triggers."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL, params=None)
    else:
        for statement in SQLITE:
            schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    """Installs the triggers; they are never taken away."""

    dependencies = [("games", "0001_initial")]
    operations = [migrations.RunPython(install, migrations.RunPython.noop)]
