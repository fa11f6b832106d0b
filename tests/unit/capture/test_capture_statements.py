"""One memory is one statement that holds by itself: what stays together, what stands alone, what is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.capture.markdown import PIECE_CHARS, Split, split_markdown
from memtui.capture.sections import STEPS_CHARS
from memtui.capture.stable_split import Familiar, KnownUnit
from memtui.capture.tag_headings import CODE_CHARS


def texts(markdown: str) -> list[str]:
    return [piece.text for piece in split_markdown(markdown).pieces]


def reasons(markdown: str) -> set[str]:
    return {gap.reason for gap in split_markdown(markdown).skipped} - {
        "heading: kept as context",
        "heading without text",
    }


# -- fragments -------------------------------------------------------------------------------------


def test_fragments_of_a_list_stay_together_below_their_heading() -> None:
    [piece] = split_markdown("# Ferry\n\n## Tide reader\n\n- Custom stations supported\n- Default to metres\n").pieces
    assert piece.text == "- Custom stations supported\n- Default to metres"
    assert piece.heading_path == ("Ferry", "Tide reader")


def test_a_fragment_between_rules_goes_with_the_rule_before_it() -> None:
    rules = "- Never moor a barge without a pilot.\n- Default to berth four\n- Always log the draught in metres.\n"
    assert texts(f"## Mooring\n\n{rules}") == [
        "- Never moor a barge without a pilot.\n- Default to berth four",
        "Always log the draught in metres.",
    ]


def test_an_item_that_refers_to_the_one_before_it_goes_with_it() -> None:
    first, second = texts(
        "- Never reuse a berth number.\n- This makes the yearly report wrong.\n- Always sign the harbour log.\n"
    )
    assert first.endswith("- This makes the yearly report wrong.")
    assert second == "Always sign the harbour log."


@pytest.mark.parametrize(
    "second",
    [
        "These guards keep the yearly migration from running twice in one harbour.",
        "This separation keeps the pilots' desk free of the customs desk's data.",
        "That floor reaches every consumer of the tide tables as well.",
        "A lint rule enforces this. Its exceptions are listed in the settings of the linter.",
    ],
)
def test_a_paragraph_about_what_was_said_before_it_goes_with_that(second: str) -> None:
    first = "Each migration of the berth tables checks first whether its columns are there."
    assert texts(f"## Migrations\n\n{first}\n\n{second}\n") == [f"{first}\n\n{second}"]


@pytest.mark.parametrize(
    "text",
    [
        "Follow the [harbour style guide](STYLE.md).",
        "If you need a new berth type, see [berths.md](./docs/berths.md).",
        "- @ .claude/guides/tides.md (heights, currents)\n- @ .claude/guides/berths.md (sizes, owners)",
    ],
)
def test_what_only_sends_the_reader_elsewhere_is_no_memory(text: str) -> None:
    assert texts(f"## Guides\n\n{text}\n") == []


@pytest.mark.parametrize("text", ["_À rédiger._", "(変更なし)", "No changes.", "(keine Änderungen)"])
def test_an_empty_place_of_a_record_is_no_memory(text: str) -> None:
    assert reasons(f"## Berths\n\n{text}\n") == {"empty place of a template"}


def test_headings_with_nothing_but_fragments_become_one_memory() -> None:
    [piece] = split_markdown("# Ferry\n\n## Output\n\n### Log\n\nPlain lines\n\n### Report\n\nCSV files\n").pieces
    assert piece.heading_path == ("Ferry", "Output")
    assert "### Log" in piece.text
    assert "CSV files" in piece.text


def test_a_sentence_with_its_subject_stands_alone() -> None:
    assert texts("The buoy reconnects on its own after ten minutes.") == [
        "The buoy reconnects on its own after ten minutes."
    ]


def test_terms_with_their_meaning_stay_a_glossary() -> None:
    glossary = "- **Berth** - Place along the quay for one ship\n- **Draught** - Depth of the hull under water\n"
    assert texts(f"## Words\n\n{glossary}") == [glossary.strip()]


def test_items_below_a_heading_that_forbids_keep_the_prohibition() -> None:
    [text] = texts("## Avoid\n\n- mooring at night\n- ropes of hemp\n")
    assert text == "**Avoid**\n\n- mooring at night\n- ropes of hemp"


def test_chinese_and_japanese_rules_stand_alone() -> None:
    assert texts("## 规则\n\n- 不要在主分支上直接提交代码。\n- 提交之前必须运行全部测试。\n") == [
        "不要在主分支上直接提交代码。",
        "提交之前必须运行全部测试。",
    ]
    assert texts("## 規約\n\n- コミットの前にテストを必ず実行する\n- 秘密鍵をリポジトリに保存しないこと\n") == [
        "コミットの前にテストを必ず実行する",
        "秘密鍵をリポジトリに保存しないこと",
    ]


# -- what belongs together -------------------------------------------------------------------------


STEPS = "### Step 1: Measure\n\nRead the gauge.\n\n```sh\ngauge read\n```\n\n### Step 2: Report\n\nSend the value.\n"


@pytest.mark.parametrize(
    "steps",
    [
        STEPS,
        STEPS.replace("Step 1", "Phase 1").replace("Step 2", "Phase 2"),
        STEPS.replace("Step 1", "Schritt 1").replace("Step 2", "Schritt 2"),
        STEPS.replace("Step 1", "步骤 1").replace("Step 2", "步骤 2"),
        STEPS.replace("Step 1: ", "1. ").replace("Step 2: ", "2. "),
        STEPS.replace("### Step 1: Measure", "**Step 1: Measure**").replace("### Step 2: Report", "**Step 2: Report**"),
        "1. Read the gauge.\n\n```sh\ngauge read\n```\n\n2. Send the value.\n",
    ],
    ids=["steps", "phases", "German", "Chinese", "numbered headings", "bold lines", "a list that code interrupts"],
)
def test_steps_stay_one_memory(steps: str) -> None:
    [piece] = split_markdown(f"# Tides\n\n## How to publish a tide\n\n{steps}").pieces
    assert piece.text == steps.strip()
    assert piece.heading_path == ("Tides", "How to publish a tide")


def test_numbered_chapters_are_no_steps() -> None:
    chapters = "".join(
        f"## {n}. {name}\n\nThe {name} is kept in the harbour office.\n\n" for n, name in enumerate("abc")
    )
    assert len(texts(f"# Handbook\n\n{chapters}")) == 3


def test_steps_that_are_too_long_together_are_parted_at_their_borders() -> None:
    steps = "".join(f"### Step {n}\n\n{'Read the gauge at the pier once more. ' * 25}\n\n" for n in range(1, 6))
    pieces = split_markdown(f"## Publishing\n\n{steps}").pieces
    assert [piece.heading_path for piece in pieces] == [("Publishing", f"Step {n}") for n in range(1, 6)]


@pytest.mark.parametrize(
    "pair",
    [
        "✅ Correct:\n\n```ts\nmoor()\n```\n\n❌ Incorrect:\n\n```ts\ntie()\n```",
        "**Good:**\n\n```ts\nmoor()\n```\n\n**Bad:**\n\n```ts\ntie()\n```",
        "```ts\n// Good\nmoor()\n```\n\n```ts\n// Bad\ntie()\n```",
        "### Good\n\n```ts\nmoor()\n```\n\n### Bad\n\n```ts\ntie()\n```",
        "良い例:\n\n```ts\nmoor()\n```\n\n悪い例:\n\n```ts\ntie()\n```",
        "- ✅ Do: moor()\n- ❌ Don't: tie()",
    ],
    ids=["marks", "labels", "comments", "headings", "Japanese", "items"],
)
def test_good_and_bad_examples_stay_with_their_rule(pair: str) -> None:
    rule = "Name functions after what the harbour master says:" if pair.startswith("-") else "Name functions plainly."
    assert texts(f"## Names\n\n{rule}\n\n{pair}\n") == [f"{rule}\n\n{pair}"]


def test_commands_stay_with_the_sentence_that_announces_them() -> None:
    text = "Before a release, refresh the tide tables:\n\n```sh\nmake tides\n```"
    assert texts(f"{text}\n\nThe quay office opens at six in the morning.\n")[0].startswith(text)


def test_headings_of_counted_things_keep_what_is_below_them() -> None:
    [piece] = split_markdown(
        "# Tests\n\n## Four ways to fake a tide\n\n### Clock\n\n```py\na\n```\n\n### File\n\n```py\nb\n```\n"
    ).pieces
    assert piece.heading_path == ("Tests", "Four ways to fake a tide")
    assert "### File" in piece.text


def test_numbered_commands_stay_steps_below_a_heading_about_running() -> None:
    enter = "1. **Enter the folder of the gauge:**\n   ```sh\n   cd gauge\n   ```"
    start = "2. **Start the gauge:**\n   ```sh\n   ./run\n   ```"
    assert texts(f"## Building and Running\n\n### Gauge\n\n{enter}\n\n{start}\n") == [f"{enter}\n\n{start}"]


def test_a_tagged_example_stays_with_its_rule() -> None:
    text = "Answer a skipper in two sentences.\n\n<example>\nHello! Berth four is free.\n\nSee you at noon.\n</example>"
    assert texts(f"# Tone\n\n{text}\n") == [text]


def test_long_examples_between_tags_are_taken_one_by_one() -> None:
    example = "<example>\nThe gauge says:\n<code>\nread(1)\n\n- 1\n</code>\n</example>"
    filler = "Ask the skipper for the draught of the ship before the berth is chosen. " * 100
    pieces = texts(f"<examples>\n{example}\n\n{filler}\n\n{example}\n</examples>\n")
    assert pieces[0] == example
    assert pieces[-1].endswith(example)
    assert all(len(text) <= PIECE_CHARS + len(example) for text in pieces)


def test_paragraphs_that_state_something_are_memories_of_their_own() -> None:
    first = "The tide model runs on the old server in the harbour office."
    second = "Forecasts are kept for ninety days and then thrown away."
    assert texts(f"# Model\n\n{first}\n\n{second}\n\nThis keeps the disk small.\n") == [
        first,
        f"{second}\n\nThis keeps the disk small.",
    ]


def test_a_lead_that_states_something_stays_with_its_list() -> None:
    items = "- The ship is longer than ninety metres.\n- The ship carries fuel."
    text = f"A berth needs a permit when one of the following holds:\n\n{items}"
    assert texts(f"# Permits\n\n{text}\n") == [text]


# -- tables ----------------------------------------------------------------------------------------


def test_each_row_of_a_table_of_rules_is_a_memory_with_its_column_heads() -> None:
    table = "| Situation | Rule |\n|---|---|\n| fog | Never leave the quay |\n| storm | Double the mooring lines |\n"
    assert texts(f"## Weather\n\n{table}") == [
        "Situation: fog — Rule: Never leave the quay",
        "Situation: storm — Rule: Double the mooring lines",
    ]
    assert reasons(f"## Weather\n\n{table}") == {"column heads: kept with each row"}


@pytest.mark.parametrize(
    "table",
    [
        "| Word | Meaning |\n|---|---|\n| berth | place at the quay |\n| draught | depth of the hull |",
        "| Command | What for |\n|---|---|\n| `make tides` | Run the tide model |\n| `make logs` | Show the log |",
        "which ones\n\n| When | Use |\n|---|---|\n| many ships | queue |\n| one ship | call |",
    ],
    ids=["glossary", "commands", "under a lead"],
)
def test_a_reference_table_stays_one_memory(table: str) -> None:
    assert texts(f"## Reference\n\n{table}\n") == [table]


def test_a_long_reference_table_repeats_its_column_heads() -> None:
    rows = "\n".join(f"| berth {n} | {'deep ' * 8} |" for n in range(120))
    pieces = texts(f"| Berth | Depth |\n|---|---|\n{rows}\n")
    assert len(pieces) > 1
    assert all(text.startswith("| Berth | Depth |") for text in pieces)


# -- callouts, rules, stored lists -----------------------------------------------------------------


@pytest.mark.parametrize(
    "callout",
    [
        "> [!WARNING]\n> Never tow two barges with one tug.",
        ":::warning\nNever tow two barges with one tug.\n:::",
        "!!! warning\n    Never tow two barges with one tug.",
    ],
    ids=["quoted", "fenced", "indented"],
)
def test_the_mark_of_a_callout_is_no_text(callout: str) -> None:
    around = f"The tug office is at pier two.\n\n{callout}\n\nTugs burn diesel.\n"
    assert texts(f"# Tugs\n\n{around}") == [
        "The tug office is at pier two.",
        "Never tow two barges with one tug.",
        "Tugs burn diesel.",
    ]
    assert reasons(around) == {"callout mark"}


def test_the_name_of_a_callout_is_kept() -> None:
    assert texts('!!! danger "Low tide"\n    Never tow a barge.\n') == ["**Low tide**:\nNever tow a barge."]


def test_a_fact_above_a_rule_is_no_heading() -> None:
    text = "# Notes\n\nThe pier lamp runs on twelve volts\n---\nMia keeps the spare keys\n---\n"
    assert texts(text) == ["The pier lamp runs on twelve volts", "Mia keeps the spare keys"]


def test_a_short_line_above_a_long_underline_is_a_heading() -> None:
    [piece] = split_markdown(
        "How to reach the pier\n---------------------\n\nTake the tram to the fish market.\n"
    ).pieces
    assert piece.heading_path == ("How to reach the pier",)


def test_each_item_that_an_assistant_stored_is_a_memory() -> None:
    items = ["Kim likes short answers", "My tram is line 4", "tabs", "See `pier.md` for the keys"]
    listed = "\n".join(f"- {item}" for item in items)
    assert texts(f"## Gemini Added Memories\n{listed}\n") == items


# -- size ------------------------------------------------------------------------------------------


def test_a_long_line_is_parted_at_sentences() -> None:
    line = " ".join(f"Pier {n} takes ships of up to {n} metres." for n in range(200))
    pieces = texts(line)
    assert " ".join(pieces) == line
    assert all(text.startswith("Pier ") and text.endswith("metres.") and len(text) <= PIECE_CHARS for text in pieces)


def test_a_long_chinese_line_is_parted_at_sentences() -> None:
    pieces = texts("".join(f"第{n}号码头只能停靠小船。" for n in range(300)))
    assert len(pieces) > 1
    assert all(text.endswith("。") and len(text) <= PIECE_CHARS for text in pieces)


def test_a_part_does_not_begin_with_a_reference_to_the_one_before() -> None:
    line = " ".join(f"Pier {n} is closed in winter, from the first frost on. It freezes over." for n in range(60))
    assert all(text.startswith("Pier") for text in texts(line))


@pytest.mark.parametrize(
    ("line", "end"),
    [
        (".".join(f"Moor barges at pier {n}" for n in range(1, 200)), r"\."),
        ("; ".join(f"pier {n} takes barges and never takes ferries" for n in range(200)), ";"),
        (" ".join(f"{n}) moor the barge, close pier {n}" for n in range(200)), r"close pier \d+"),
        (" - ".join(f"pier {n} takes barges, never ferries" for n in range(200)), "never ferries"),
        (", ".join(f"never moor a barge at pier {n}, nor a ferry" for n in range(200)), "nor a ferry,"),
        ("，".join(f"第{n}号码头只停小船" for n in range(400)), "，"),
    ],
)
def test_a_line_without_sentence_ends_is_cut_where_something_ends(line: str, end: str) -> None:
    *pieces, last = texts(line)
    assert pieces
    assert all(re.search(f"{end}$", text.strip()) for text in pieces)
    assert max(map(len, [*pieces, last])) <= PIECE_CHARS


def test_the_number_of_a_rule_in_running_text_stays_before_the_rule() -> None:
    pieces = texts(" ".join(f"{n}. Moor no barge at pier {n}." for n in range(1, 200)))
    assert len(pieces) > 1
    assert all(re.match(r"\d+\. Moor", text) and re.search(r"pier \d+\.$", text) for text in pieces)


def test_the_parts_of_a_long_item_without_a_label_stand_below_nothing() -> None:
    split = split_markdown("- " + "; ".join(f"pier {n} takes barges and never takes ferries" for n in range(90)))
    assert len(split.pieces) > 1
    assert {piece.heading_path for piece in split.pieces} == {()}


def test_text_without_any_place_to_cut_is_cut_by_its_length() -> None:
    pieces = texts("- " + "码头只停小船" * 2_000)
    assert "".join(pieces) == "- " + "码头只停小船" * 2_000
    assert max(map(len, pieces)) <= PIECE_CHARS


@pytest.mark.parametrize(
    "markdown",
    [
        *(f"{start}{'q7' * 5_000}\n" for start in ("", "- ", "> ", "Key: ", "| A | B |\n|---|---|\n| a | ")),
        "\n".join(["q7Zk" * 19] * 40),
        "- " + "\n  ".join(["q7Zk" * 19] * 40),
    ],
)
def test_encoded_data_is_reported_wherever_it_stands(markdown: str) -> None:
    assert texts(markdown) == []
    assert "data rather than text" in reasons(markdown)


def test_data_among_the_items_of_a_list_leaves_the_others() -> None:
    markdown = f"- Moor barges at pier four only.\n- {'q7' * 5_000}\n- Never moor a ferry at pier six.\n"
    assert texts(markdown) == ["Moor barges at pier four only.", "Never moor a ferry at pier six."]
    assert reasons(markdown) == {"data rather than text"}


def test_a_huge_block_of_code_is_data() -> None:
    dump = "0 1 2\n" * CODE_CHARS
    assert texts(f"The dump of the gauge:\n\n```\n{dump}```\n") == []
    assert "data rather than text" in reasons(f"```\n{dump}```\n")


# -- nothing to remember ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "reason"),
    [
        ("See tides.md.", "only points elsewhere"),
        ("See `pier.py` for a good lock.", "only points elsewhere"),
        ("For more details, refer to [the handbook](docs/handbook.md).", "only points elsewhere"),
        ("Siehe docs/gezeiten.md für Einzelheiten.", "only points elsewhere"),
        ("Quick start for new pilots: `pilots/README.md` (signals, tides and ropes).", "only points elsewhere"),
        (
            (
                "For ropes, hooks, chains, pulleys, winches, lamps, bells, horns, flags, charts, tide tables, books, "
                "anchors, buoys, fenders, ladders or gangways, read [Gear](docs/gear.md)."
            ),
            "only points elsewhere",
        ),
        ("To know how our tide table is made, please check our [page](https://x.example).", "only points elsewhere"),
        ("`rules/ropes.md` — the companion rule for ropes outside the basin.", "only points elsewhere"),
        (
            "_created_at: 2026-01-06_\n_updated_at: 2026-03-18 (berths added after the survey of the spring)_",
            "metadata: author, date, version or rank",
        ),
        ("This guide helps new pilots get started. It covers tides and ropes.", "says what the file is for"),
        ("Voir [le guide](docs/guide.md).", "only points elsewhere"),
        ("Consulte [la guía](docs/guia.md).", "only points elsewhere"),
        ("Veja [o guia](docs/guia.md).", "only points elsewhere"),
        ("详见 [指南](docs/guide.md)。", "only points elsewhere"),
        ("詳細は [ガイド](docs/guide.md) を参照。", "only points elsewhere"),
        ("For background:\n\n- [Tides](tides.md) - how tides work\n- [Piers](piers.md): the list", "links only"),
        ("| Guide | File |\n|---|---|\n| Tides | docs/tides.md |\n| Piers | docs/piers.md |", "links only"),
        ("You are an expert senior harbour engineer.", "tells the assistant who it is"),
        ("You are a senior pilot. You are thoughtful, and know each quay.", "tells the assistant who it is"),
        ("Du bist ein erfahrener Hafenmeister.", "tells the assistant who it is"),
        ("Eres un ingeniero portuario con experiencia.", "tells the assistant who it is"),
        ("你是一名资深的港口工程师。", "tells the assistant who it is"),
        ("This file provides guidance for assistants in this repository.", "says what the file is for"),
        ("Diese Datei enthält Hinweise für Assistenten.", "says what the file is for"),
        ("このファイルはアシスタント向けのガイドを提供します。", "says what the file is for"),
        ("**Last updated:** 2026-01-04", "metadata: author, date, version or rank"),
        ("[Describe the harbour here]", "empty place of a template"),
        ("# Licence\n\nMIT, see LICENSE.", "licence note"),
        (
            "Operational guide for mooring, weighing and stacking the crates of this harbour.",
            "says what the file is for",
        ),
        (
            "If any of these parts are unclear or you want more samples, tell me which pier to expand and I'll go on.",
            "asks whoever asked for the file",
        ),
        ("- **Plan** — [PLAN-7](../p/7.md): piers and berths", "links only"),
        ("**Owners** — [`H/PIERS.md`](../H/PIERS.md): which crew owns which pier.", "only points elsewhere"),
        ("Tide plan: @docs/tides.md", "only points elsewhere"),
        ("For berths, cranes and ropes, read `docs/harbour.md`.", "only points elsewhere"),
    ],
)
def test_what_tells_nothing_becomes_no_memory_and_says_why(markdown: str, reason: str) -> None:
    assert texts(markdown) == []
    assert reasons(markdown) == {reason}


@pytest.mark.parametrize(
    "text",
    [
        "See `pier.py` for a good lock. Too many locks can stall the ferry.",
        "You are an expert pilot. Never enter the channel without a chart.",
        "The gauge answers at http://localhost:9100.",
        "Consult the pilot before a barge is moved.",
        "For a new berth, check the depth first.",
        "**Documentation:** Add a drawing for each new pier.",
        "查看日志之后再重启潮汐服务。",
        "Use [Harbormaster](https://harbor.example) for berth plans.",
        "New files need the licence header of the port authority.",
        "For berths and ropes, read `docs/harbour.md` before moving a crane.",
        "For berths and ropes, read `docs/harbour.md` and verify the tide table.",
        "Let me know before you push to the pier.",
        "**Log** — kept at [`H/log.md`](../H/log.md). Never extend the old one.",
    ],
)
def test_a_statement_beside_a_pointer_is_kept(text: str) -> None:
    assert texts(text) == [text]


# -- every line ------------------------------------------------------------------------------------

SENTENCES = st.sampled_from(
    [
        "Never moor at low tide.",
        "The gauge reports in feet.",
        "See docs/tides.md.",
        "Default to berth four",
        "This keeps the quay free.",
        "Run the model:",
        "You are an expert pilot.",
        "**Good:**",
        "**Step 1: Measure**",
        "不要在退潮时停泊。",
        "Long " + "and deep is the channel at the north pier, " * 40 + "so take care.",
    ]
)
BLOCKS = st.one_of(
    SENTENCES,
    st.lists(SENTENCES, min_size=1, max_size=5).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(SENTENCES, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"{n}. {t}" for n, t in enumerate(items, 1))
    ),
    st.lists(SENTENCES, min_size=1, max_size=3).map(
        lambda cells: "| Case | Rule |\n|---|---|\n" + "\n".join(f"| {n} | {cell} |" for n, cell in enumerate(cells))
    ),
    st.sampled_from(["# Harbour", "## Step 1", "## Step 2", "### Good", "### Bad", "## Two ways to moor", "## Avoid"]),
    st.sampled_from(["```sh\nmake tides\n```", "```\n" + "x\n" * 900 + "```", "> [!NOTE]\n> Tides turn.", "---"]),
    st.sampled_from([":::tip\nTides turn.\n:::", "!!! note\n    Tides turn.", "<!-- c -->", "![a](b.png)", "[t]: u"]),
)


def uncovered(markdown: str, split: Split) -> list[int]:
    spans = [part.span for part in split.pieces] + [gap.span for gap in split.skipped]
    covered = {line for first, last in spans for line in range(first, last + 1)}
    return [n for n, line in enumerate(markdown.split("\n"), 1) if line.strip() and n not in covered]


@example([f"- See docs/tides.md.\n- Long is the channel{', and deep is the channel at the north pier' * 45}."])
@given(st.lists(BLOCKS, max_size=12))
def test_every_line_is_in_a_memory_or_reported_and_no_prose_is_too_long(blocks: list[str]) -> None:
    markdown = "\n\n".join(blocks)
    split = split_markdown(markdown)
    assert uncovered(markdown, split) == []
    for piece in split.pieces:
        told = " ".join((*piece.heading_path, piece.text))
        most = STEPS_CHARS if any(mark in told for mark in ("```", "|", "Rule: ", "1. ", "Step")) else PIECE_CHARS
        assert len(piece.text) <= most + 60, "a repeated label or column heads come on top"


# -- at the next import ----------------------------------------------------------------------------


def split_again(markdown: str, before: Split) -> Split:
    units = [KnownUnit(piece.native_id, piece.text) for piece in before.pieces]
    return split_markdown(markdown, familiar=Familiar(units, markdown))


@given(st.lists(BLOCKS, max_size=10))
def test_a_text_that_did_not_change_is_split_alike(blocks: list[str]) -> None:
    markdown = "\n\n".join(blocks)
    before = split_markdown(markdown)
    assert split_again(markdown, before).pieces == before.pieces


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Read the gauge.", "Read the gauge at the north pier."),
        ("Never leave the quay in fog", "Never leave the quay in dense fog"),
        ("Pilots board at pier nine.", "Pilots board at pier eleven."),
        ("Never tow two barges with one tug.", "Never tow three barges with one tug."),
        ("moor()", "moor(berth)"),
    ],
    ids=["a step", "a row", "a sentence of a long line", "a callout", "an example"],
)
def test_an_edit_of_one_line_changes_one_memory(before: str, after: str) -> None:
    row = "| Weather | Rule |\n|---|---|\n| fog | Never leave the quay in fog |\n| storm | Double the mooring lines |\n"
    line = " ".join(f"Pier {n} takes ships of up to {n} metres." for n in range(60))
    example = "Name functions plainly.\n\n✅ Good:\n\n```ts\nmoor()\n```"
    markdown = "\n\n".join(
        [
            f"# Tides\n\n## Publishing\n\n{STEPS}\n## Weather\n\n{row}\n## Piers\n\n{line} Pilots board at pier nine.",
            f"> [!CAUTION]\n> Never tow two barges with one tug.\n\n## Names\n\n{example}\n",
        ]
    )
    first = split_markdown(markdown)
    second = split_again(markdown.replace(before, after), first)
    old, new = ({piece.text for piece in split.pieces} for split in (first, second))
    assert len(first.pieces) == len(second.pieces) == len(old)
    [changed] = new - old
    assert after in changed


def test_steps_that_outgrow_one_memory_stay_one() -> None:
    markdown = f"# Tides\n\n## Publishing\n\n{STEPS}"
    before = split_markdown(markdown)
    longer = markdown.replace("Send the value.", "Send the value to the harbour office and wait. " * 60)
    after = split_again(longer, before)
    assert len(before.pieces) == len(after.pieces) == 1
