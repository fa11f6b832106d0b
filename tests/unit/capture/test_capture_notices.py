"""What a file says is history is not brought in as what holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import bring, everything, repository

from memtui.capture.notices import notices_in
from memtui.domain.memory import Memory
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

LESSONS = """# Lessons of the shop

What we learned.

The Tape/Drum sections below are retained as historical evidence. What holds now is in the ledger.

## Tape drives

### Rewind the reel before every count

A reel that is not rewound counts from the middle, which made the tills differ by a day.

## Counting

### Count twice when the lamp is red

The lamp is red while the drum spins up, so that the first count is short.

### Drawers stick in the cold

Below five degrees the drawers stick, so warm them before opening.
"""


def stored(vault: Vault) -> dict[str, Memory]:
    with vault.read() as reader:
        found = reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())
    return {memory.title.split()[0]: memory for memory in found}


def test_named_sections_are_put_aside_with_the_notice(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"docs/LESSONS.md": LESSONS})
    report = bring(vault, root, active=True)
    found = stored(vault)
    assert {name: memory.status for name, memory in found.items()} == {
        "Rewind": "superseded",
        "Count": "candidate",
        "Drawers": "active",
    }
    assert found["Rewind"].status_reason == "superseded at its source"
    assert "Its file says: The Tape/Drum sections below are retained" in found["Rewind"].rationale
    assert "What holds now is in the ledger." in found["Count"].rationale
    assert found["Drawers"].rationale == ""
    assert dict(report.flagged)[found["Count"].id] == ("historical-at-source",)
    assert [(row["line"], row["reason_code"]) for row in report.skipped if row["reason_code"] == "notice"] == [
        (5, "notice")
    ]
    before = everything(vault)
    assert bring(vault, root, active=True).unchanged == 3
    assert everything(vault) == before


def test_a_notice_that_names_nothing_found_is_told(vault: Vault, tmp_path: Path) -> None:
    text = LESSONS.replace("Tape/Drum", "Abacus")
    report = bring(vault, repository(tmp_path / "shop", {"docs/LESSONS.md": text}), active=True)
    assert {memory.status for memory in stored(vault).values()} == {"active"}
    assert [(row["line"], row["reason_code"]) for row in report.skipped if "notice" in row["reason_code"]] == [
        (5, "notice-of-nothing")
    ]


def test_a_file_or_a_section_that_is_history_is_put_aside(vault: Vault, tmp_path: Path) -> None:
    rules = (
        "# Shop\n\n## Tills (archived)\n\n- Always feed the paper tape by hand.\n\n"
        "## Doors\n\n- Never lock the back door while staff is inside.\n"
    )
    whole = "# Depot\n\n> **This file is deprecated**: use the one above.\n\n- Always weigh crates before noon.\n"
    bring(vault, repository(tmp_path / "shop", {"CLAUDE.md": rules, "depot/CLAUDE.md": whole}), active=True)
    with vault.read() as reader:
        found = reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())
    assert {memory.status for memory in found if memory.sources[0].path == "depot/CLAUDE.md"} == {"superseded"}
    shop = {memory.insight.split()[1]: memory.status for memory in found if memory.sources[0].path == "CLAUDE.md"}
    assert shop == {"feed": "superseded", "lock": "active"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("This document is kept for historical reference only.", (1, 9)),
        ("⚠️ This file has been superseded by LEDGER.md.", (1, 9)),
        ("**Status:** Archived", (1, 9)),
        ("> **Superseded 2026-03-01** by the ledger.", (1, 9)),
        ("Everything below is historical.", (3, 9)),
    ],
)
def test_a_notice_holds_for_what_it_stands_over(text: str, lines: tuple[int, int]) -> None:
    (notice,) = notices_in(f"# Tills\n\n{text}\n\n## Doors\n\nLock them.\n\nAlways.\n".removesuffix("\n"))
    assert notice.holds_for == lines


@pytest.mark.parametrize(
    "text",
    [
        "If this section is outdated, update it.",
        "This file is deprecated when the ledger is closed.",
        "The old API is deprecated. Use the ledger.",
        "Do not trust the rules below when they are outdated.",
        "This file is for reference.",
        "**Deprecated:** `count()`, `weigh()`",
        "The following lessons are important.",
        "Superseded decisions stay in the folder.",
        "The data is stale after two hours.",
        "This file may be outdated.",
        "Historical prices are kept in the ledger.",
        "```\nThis file is deprecated.\n```",
    ],
)
def test_what_speaks_of_other_things_is_no_notice(text: str) -> None:
    assert notices_in(f"# Tills\n\n{text}\n\n## Doors (deprecated)\n\nLock them.\n") == []
