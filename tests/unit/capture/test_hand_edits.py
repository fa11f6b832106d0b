"""What a person wrote into a block: item by item, each with the one that it replaces."""

from __future__ import annotations

import pytest

from memtui.capture.hand_edits import HandEdit, hand_edits

WRITTEN = """## Project memories of dock

Constraints are rules; facts may be stale.

### Constraints

- **Berths are numbered from the harbour mouth**
  Why: the pilots count that way.
- Never move a crane in fog.

  It has no radar.

### Tooling

- Run `make tides` before a release.
"""


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("", "", []),
        (
            "fog",
            "fog or snow",
            [("Never move a crane in fog or snow.\n\nIt has", "Never move a crane in fog.")],
        ),
        (
            "It has no radar",
            "It has no lamp",
            [("Never move a crane in fog.\n\nIt has no lamp", "Never move")],
        ),
        ("### Tooling\n\n- Run", "### Tooling\n\n- Lights stay on.\n- Run", [("Lights stay on.", "")]),
        ("- Run `make tides` before a release.\n", "", []),
        ("### Tooling", "### Tools", []),
        (
            "### Tooling",
            "The gate closes at ten.\nNobody opens it.\n\n### Tooling",
            [("The gate closes at ten.\nNobody", "")],
        ),
        ("- Run `make tides` before a release.", "* Berth 9 is closed.", [("Berth 9 is closed.", "")]),
    ],
)
def test_only_what_was_written_by_hand_is_taken(old: str, new: str, edits: list[tuple[str, str]]) -> None:
    found = hand_edits(WRITTEN, WRITTEN.replace(old, new, 1) if old else WRITTEN)
    assert len(found) == len(edits)
    for one, (text, was) in zip(found, edits, strict=True):
        assert one.text.startswith(text)
        assert one.was.startswith(was) if was else one.was == ""


def test_without_a_known_block_everything_is_new() -> None:
    assert hand_edits("", "- Lights stay on.\n") == [HandEdit("Lights stay on.")]
