"""Titles name what they speak of: neither a pronoun without its noun nor a statement without its subject."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.title_reference import dangles
from memtui.analysis.titles import title_for


@pytest.mark.parametrize(
    "title",
    [
        "Always ask the crew to do it",
        "Read this before lifting",
        "The lamp turns red for those ropes, and stays on",
        "Keep them dry",
        "Agents use the shared guidance above",
    ],
)
def test_a_title_without_what_it_means_dangles(title: str) -> None:
    assert dangles(title)


@pytest.mark.parametrize(
    "title",
    [
        "Never lift boats alone; ask the crew to do it",
        "When a rope tears, the crew may do it",
        "Read this log before lifting",
        "Sort ropes and hang a tag on each of those ropes",
        "Keep the ropes dry and count them",
        "Use Node 20 and above",
    ],
)
def test_a_title_that_names_what_it_means_does_not(title: str) -> None:
    assert not dangles(title)


def test_a_later_sentence_that_lost_its_noun_is_no_title() -> None:
    text = "NEVER lift a boat yourself. Always ask the crew to do it.\nNEVER sound horns - use the horn skill."

    assert "do it" not in title_for(text, ("Quay", "Night"))


def test_a_heading_that_tells_the_rule_replaces_a_title_that_only_means_it() -> None:
    text = (
        "`quay/lamps.yml` sets `night-lamp-color` to `dark-red` for those ropes, and the crane runs\n"
        "with `--max-ropes 0`. One rope stops it."
    )
    rule = "Never use wet or badly torn ropes anywhere"

    assert title_for(text, ("AGENTS.md", rule)) == rule


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            "```python\nclass RopeKind:\n    name: str\n\nclass KnotEdge:\n    a: str\n\ndef tie():\n    pass\n```",
            ("Loft", "Existing Records"),
            "Existing Records: RopeKind, KnotEdge",
        ),
        (
            "```ts\n// quay/lifts/night.ts\n\nimport { crane } from './crane';\n\nexport function lift() {}\n```",
            ("Loft", "Lift pattern"),
            "Lift pattern: quay/lifts/night.ts",
        ),
        (
            "Steers one boat through the fog. Knows `horn_delay`.\n\n| Call | Use |\n|---|---|\n| `go()` | Start |",
            ("Quay", "Pilots", "SteeringPilot (steering.rs)"),
            "SteeringPilot: Steers one boat through the fog",
        ),
        (
            "At most two lines, telling why rather than how. The log has no long remarks.",
            ("Quay", "Log", "Remarks tell why"),
            "Remarks tell why: At most two lines, telling why rather than how",
        ),
        (
            "Log Place: `night.log` — in the loft (`QUAY 2/`)\nOpen with: Crane → Log → down to the loft of QUAY 2",
            ("Night & Fog",),
            "Log Place: night.log — in the loft (QUAY 2/)",
        ),
        (
            (
                "Night-lamp housing: cover it with dry cloths AND, where feasible, an oiled brush under `loft/oil/` "
                "(marked with the `dry_*` labels so it can be told from others). Note any lamp you could only wipe dry."
            ),
            ("Quay", "Light of the piers"),
            "Night-lamp housing: cover it with dry cloths AND, where feasible, an oiled brush under loft/oil/",
        ),
        (
            "`night_log_of_the_piers.log` — in the loft (`QUAY 2/`)\nOpen with: Crane → Lamp → Log → down to QUAY 2",
            ("Night & Fog", "Log Place"),
            "Log Place: night_log_of_the_piers.log — in the loft (QUAY 2/)",
        ),
        (
            "Count ropes and knots",
            ("Quay/loft", "Responsibilities & Coordination", "Core Responsibilities"),
            "Quay/loft: Count ropes and knots",
        ),
        (
            "- **north/** — wet ropes\n- **south/** — dry ropes",
            ("Quay/loft", "Responsibilities & Coordination", "Input Sources"),
            "Quay/loft: Input Sources: north/ (wet ropes), south/ (dry ropes)",
        ),
    ],
)
def test_a_title_names_its_subject(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path).endswith(title)
