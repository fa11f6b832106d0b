"""What titles say of lists, of texts made of sections, and of what stands below labels."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.titles import title_for

SECTIONS = "### Moor\nTie two ropes.\n\n### Load\nUse the crane.\n\n### Cast off\nAsk the pilot."

CURRENTS = (
    "When you work in strong currents of a basin (tables, marks, logs):\n"
    "- MUST ask the pilot: first by radio, then by lamp\n- Trust no tables of the tides of another year"
)


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (SECTIONS, ("Harbour", "Day of a ferry"), "Day of a ferry: Moor, Load, Cast off"),
        (  # two sections are no list of parts unless they are numbered
            SECTIONS.partition("\n\n### Cast")[0],
            ("Harbour", "Day of a ferry"),
            "Day of a ferry: Moor: Tie two ropes",
        ),
        (
            "### 步骤 1：系好缆绳\n\n用两条绳。\n\n### 步骤 2：装货\n\n用吊车。",
            ("港口", "渡轮的一天"),
            "港口: 渡轮的一天: 系好缆绳, 装货",
        ),
        (
            "1. Moor the ferry → 2. Load it → 3. **Ask the pilot** → 4. Cast off",
            ("Harbour", "Day of a ferry"),
            "Day of a ferry: Moor the ferry → Load it → Ask the pilot → Cast off",
        ),
        (  # a tag says what kind of text it is, and nothing of what it says
            "**[contract] Ropes are never shared.** Each boat brings its own.",
            ("Harbour", "Mooring"),
            "Harbour: Mooring: Ropes are never shared: Each boat brings its own",
        ),
    ],
)
def test_a_text_of_parts_is_named_by_them(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_a_label_alone_does_not_replace_what_stands_below_it() -> None:
    text = "**Phase 1 — Moorings.** Tie the ropes. **Gate:** all knots hold and the fenders are out."
    assert title_for(text, ("Harbour profile", "Unloading Workflow")).endswith("Moorings: Tie the ropes")


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (  # what is forbidden keeps where it is forbidden
            "Never do these:\n\n- Ropes across the fairway in `north/*`.\n- Fresh hooks without a log entry.",
            ("Harbour guide", "Anti-Patterns – Hard No's"),
            "Anti-Patterns – Hard No's: Never do: Ropes across fairway in north/*, Fresh hooks without log entry",
        ),
        (  # a row with nothing but its first cell is the title of those below it
            "| Sign | Means |\n|--|--|\n| **Flags** | |\n| blue flag | A |\n| **Lamps** | |\n| green lamp | B |",
            ("Harbour", "Signals"),
            "Harbour: Signals: blue flag, green lamp",
        ),
        (  # two long items fit better than one and a number
            "- End ropes with a whipping\n- Never knot two wet ropes of different thickness together",
            ("Harbour", "Ropes"),
            "Harbour: Ropes: End ropes with a whipping, Never knot two wet ropes of different thickness together",
        ),
        (  # the condition of all that is listed stays
            CURRENTS,
            ("Harbour", "Order of asking (required)"),
            "Order of asking (required): When you work in strong currents of basin: MUST ask pilot, and 1 more",
        ),
    ],
)
def test_a_list_is_named_by_as_many_items_as_fit(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (  # long paths by their ends, so that more of them fit
            "- `ports/east/berths/`: ropes\n- `ports/east/cranes/`\n- `ports/west/lamps/`\n- `ports/west/marks/`",
            ("Harbour", "Where to look"),
            "Harbour: Where to look: …/berths, …/cranes, …/lamps, …/marks",
        ),
        (  # paths with the same end stay as they are
            "- `ports/east/berths/north/`: ropes\n- `ports/west/berths/north/`: hooks",
            ("Harbour", "Where to look"),
            "Harbour: Where to look: ports/east/berths/north/ (ropes), ports/west/berths/north/ (hooks)",
        ),
        (  # commands without what all of them begin with
            "\n".join(f"- `crane --berth north --slings 4 {act}`" for act in ("lift boat", "lower boat", "wash hull")),
            ("Harbour", "Crane work"),
            "Harbour: Crane work: lift boat, lower boat, wash hull",
        ),
        (  # few names with what they are
            "**Crane house:**\n- **Winch:** Lifts the boat, slowly.\n- **Lamp:** Warns the pilot.",
            ("Harbour", "What is where"),
            "What is where: Crane house: Winch (Lifts the boat), Lamp (Warns the pilot)",
        ),
    ],
)
def test_names_in_a_list_are_short_and_said_what_they_are(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title
