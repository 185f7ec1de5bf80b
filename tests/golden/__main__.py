"""``python -m tests.golden``: write the golden transcripts again, to be reviewed as a diff."""

from __future__ import annotations

import json
import sys

from tests.golden.games import GOLDEN


def main() -> None:
    """Write every transcript, and print which ones are new or different."""
    changed = []
    for golden in GOLDEN:
        text = golden.text()
        if not golden.file.exists() or golden.file.read_text() != text:
            golden.file.write_text(text)
            changed.append(golden.name)
    sys.stdout.write(json.dumps({"games": len(GOLDEN), "changed": changed}) + "\n")


main()
