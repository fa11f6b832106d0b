"""Removes from `failing.toml` the names of what no longer fails: `python tests/reading/mended.py`.

It prints how many fail of each check and half. `--all` names everything that fails, for the first writing of the file.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from reading.checks import CHECKS, READING, Text, failing, imported, texts


def fails(check: str, text: Text) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            CHECKS[check](text, imported(text, Path(folder)))
        except (AssertionError, ValueError):
            return True
    return False


def main() -> None:
    known: Mapping[str, Collection[str]] = (
        failing() if "--all" not in sys.argv else {check: {text["name"] for text in texts()} for check in CHECKS}
    )
    rows = ["# What fails today of each check; `python tests/reading/mended.py` removes what does not."]
    for check in CHECKS:
        left = [text for text in texts() if text["name"] in known[check] and fails(check, text)]
        halves = {half: sum(text["half"] == half for text in left) for half in ("dev", "locked")}
        print(f"{check:<8}", *(f"{half} {number}" for half, number in halves.items()))
        rows += ["", f"{check} = [", *(f'  "{text["name"]}",' for text in left), "]"]
    (READING / "failing.toml").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
