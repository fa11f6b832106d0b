from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.capture.markdown import PIECE_CHARS, Split, split_markdown
from memtui.capture.skip_codes import SkipReason
from memtui.capture.unclosed import Unclosed

FIXTURES = Path(__file__).parent / "fixtures"


def texts(markdown: str) -> list[str]:
    return [piece.text for piece in split_markdown(markdown).pieces]


def reasons(split: Split) -> dict[int, str]:
    return {line: gap.reason for gap in split.skipped for line in range(gap.span[0], gap.span[1] + 1)}


def uncovered_or_doubled(markdown: str, split: Split) -> list[int]:
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    counts = [0] * len(lines)
    for first, last in (part.span for part in split.pieces):
        for line in range(first, last + 1):
            counts[line - 1] += 1
    for first, last in (gap.span for gap in split.skipped):
        for line in range(first, last + 1):
            counts[line - 1] = 1 if counts[line - 1] <= 1 else 2  # left out of the middle of a piece
    # The sentences of a very long line are pieces that share it.
    most = [1 if len(line) <= PIECE_CHARS else len(line) for line in lines]
    return [n + 1 for n, line in enumerate(lines) if counts[n] > most[n] or (line.strip() and not counts[n])]


def test_rules_of_a_list_become_one_piece_each() -> None:
    split = split_markdown(
        "## Rules\n\n- Never push to main.\n- Use cents for money\n- Always run `make check` first\n"
    )
    assert [piece.text for piece in split.pieces] == [
        "Never push to main.",
        "Use cents for money",
        "Always run `make check` first",
    ]
    assert [piece.native_id for piece in split.pieces] == ["Rules#1", "Rules#2", "Rules#3"]
    assert [piece.span for piece in split.pieces] == [(3, 3), (4, 4), (5, 5)]


def test_what_is_left_out_of_the_middle_of_a_piece_is_told() -> None:
    markdown = (
        "Four rules for tugs:\n\n## Ropes\n\n- [Ropes](docs/ropes.md) - Rules for ropes\n\n"
        "## Signals\n\nNever sound a horn at night.\n"
    )
    told = {line for gap in split_markdown(markdown).skipped for line in range(gap.span[0], gap.span[1] + 1)}
    assert 5 in told


def test_what_is_nested_in_an_item_stays_with_it() -> None:
    markdown = (
        "- **Refunds**: a refund is a new row, never an update\n"
        "  - partial ones carry `parent_id`\n"
        "\n"
        "    ```python\n"
        "    # Not a heading\n"
        "    refund(share=1)\n"
        "    ```\n"
        "\n"
        "  Both are checked.\n"
        "- Never delete a row\n"
    )
    first, second = split_markdown(markdown).pieces
    assert first.text.split("\n") == [
        "**Refunds**: a refund is a new row, never an update",
        "- partial ones carry `parent_id`",
        "",
        "  ```python",
        "  # Not a heading",
        "  refund(share=1)",
        "  ```",
        "",
        "Both are checked.",
    ]
    assert (first.span, second.span) == ((1, 9), (10, 10))


@pytest.mark.parametrize(
    "markdown",
    [
        "The layers are:\n\n- api\n- core\n- store",
        "When adding a migration:\n\n- write the down step\n- run it on a copy",
        "- Python 3.12\n- FastAPI\n- React 19",
        "- `make check`: runs all checks\n- `make seed`: fills the database",
        "- `src/api/` - HTTP handlers\n- `src/core/` - the rules of the business",
        "1. Fetch the list.\n2. Compare it with the last state.\n3. Write what changed.",
        "- Build tool: Vite\n- Test runner: Vitest\n- Type checker: tsc",
        "- [ ] tests pass\n- [ ] the changelog has an entry",
        "Intro of a table:\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        "Run it like this:\n\n```sh\nmake\n```\n\nIt takes a minute.",
        "Always weigh hulls before they go:\n```sh\nmake hulls\n```\n**Finishes in a minute. Every hull must pass.**",
        "One thought.\n\nAnother one, on the same matter.",
        "> quoted\n> words\n\nand the comment on it",
    ],
)
def test_what_belongs_together_stays_one_piece(markdown: str) -> None:
    assert texts(markdown) == [markdown]


def test_steps_stay_together_under_a_heading_that_says_so() -> None:
    assert len(texts("## Release process\n\n- Run the tests\n- Build the wheel\n- Push the tag\n")) == 1
    assert len(texts("## Rules\n\n- Run the tests\n- Build the wheel\n- Push no tag\n")) == 3


def test_two_rules_of_three_part_a_list_whatever_its_heading() -> None:
    items = "- Keep waypoints in WGS84\n- Missions are immutable once flown\n- Never trust the barometer alone\n"
    assert [len(texts(f"## {heading}\n\n{items}")) for heading in ("Rules", "Flying")] == [3, 3]


def test_ordered_rules_are_parted_where_steps_are_not() -> None:
    rules = "1. **Errors**: return a typed error, never panic.\n2. **Unsafe**: needs a comment that proves it.\n"
    assert len(texts(rules)) == 2


def test_a_neutral_lead_in_is_dropped_with_a_reason() -> None:
    split = split_markdown("Follow these rules:\n\n- Never a\n- Never b\n")
    assert [piece.text for piece in split.pieces] == ["Never a", "Never b"]
    assert reasons(split) == {1: "words that lead to the list"}


def test_short_lines_above_lists_serve_as_headings() -> None:
    split = split_markdown(
        "**Naming**\n\n- Use snake_case for files\n- Use nouns for types\n\n"
        "Code Style:\n- Prefer tabs over spaces\n- Avoid globals\n"
    )
    assert [piece.native_id for piece in split.pieces] == ["Naming#1", "Naming#2", "Code Style#1", "Code Style#2"]


def test_a_bold_rule_is_no_heading() -> None:
    assert texts("**Never push to main.**\n\nIt deploys at once.") == ["**Never push to main.**\n\nIt deploys at once."]


def test_heading_paths_are_plain_text_in_every_style() -> None:
    markdown = "Title\n=====\n\n## The `api` *layer* ##\n\na\n\nSet\n---\n\nb\n\n### [Deep](x.md)\n\nc\n"
    paths = [piece.heading_path for piece in split_markdown(markdown).pieces]
    assert paths == [("Title", "The api layer"), ("Title", "Set"), ("Title", "Set", "Deep")]


def test_equal_headings_share_their_numbering() -> None:
    ids = [piece.native_id for piece in split_markdown("# N\na\n# M\nb\n# N\nc\n").pieces]
    assert ids == ["N#1", "M#1", "N#2"]


def test_headings_and_items_inside_code_are_text() -> None:
    markdown = "# Real\n\n```md\n# Not one\n- nor this\n```\n\n    # indented\n    - code\n"
    assert [piece.heading_path for piece in split_markdown(markdown).pieces] == [("Real",)]


def test_a_rule_line_under_a_paragraph_makes_no_heading_of_it() -> None:
    split = split_markdown("A full sentence that happens to stand here.\n---\nnext\n")
    assert all(piece.heading_path == () for piece in split.pieces)


def test_long_sections_part_between_paragraphs() -> None:
    paragraphs = [f"Paragraph {n}. " + "words " * 80 for n in range(6)]
    pieces = split_markdown("# H\n\n" + "\n\n".join(paragraphs)).pieces
    assert 3 <= len(pieces) <= 6
    assert all(len(piece.text) <= 1_200 for piece in pieces)


def test_a_long_enumeration_parts_between_its_items() -> None:
    markdown = "The modules are:\n\n" + "\n".join(f"- `m{n}/`: {'word ' * 12}" for n in range(80))
    pieces = split_markdown(markdown).pieces
    assert len(pieces) > 3
    assert pieces[0].text.startswith("The modules are:")
    assert pieces[1].heading_path == ("The modules are",)


@pytest.mark.parametrize(
    ("markdown", "reason"),
    [
        (
            "This file provides guidance to Claude Code (claude.ai/code) when working with code here.",
            "says what the file is for",
        ),
        ("[![CI](https://ci.example/b.svg)](https://ci.example) ![x](y.png)", "badges or images"),
        ("[Docs](docs/a.md)\n<https://example.org>", "links only"),
        ("@docs/style.md\n@./more.md", "import of another file"),
        ("- @docs/style.md\n- @docs/git.md", "import of another file"),
        ("***", "horizontal rule"),
        ("<!-- a comment\n\nover lines -->", "comment"),
        ("# Alone", "heading without text"),
        ("- [A](#a)\n  - [B](#b)", "table of contents"),
        ("[name]: https://example.org", "link definition"),
        ("<details>\n\n</details>", "mark-up without text"),
        ("(See also **Ropes** and **Anchors** below.)", "only points elsewhere"),
        ("Check `HARBOUR.local.md` for the preferences of the crew.", "only points elsewhere"),
        ("Follow `.rules/mooring.md` and `.rules/signals.md`", "only points elsewhere"),
        ("**Important:** Read and follow [`DOCKS.md`](./DOCKS.md) as well.", "only points elsewhere"),
        ("**ID:** deck-rule\n**Severity:** MUST", "metadata: author, date, version or rank"),
        ("Generated by ropeforge\nContent Hash: 80288c1f70e3", "metadata: author, date, version or rank"),
        ("> Instructions for LLM agents. Keep edits short (bullets).", "says what the file is for"),
        ("You are an expert in tides. Follow these rules strictly in every review.", "tells the assistant who it is"),
    ],
)
def test_boilerplate_becomes_no_memory_and_says_why(markdown: str, reason: str) -> None:
    split = split_markdown(markdown)
    assert split.pieces == []
    assert set(reasons(split).values()) == {reason}


@pytest.mark.parametrize(
    "rule",
    [
        "Check `docs/tides.md` before you change a berth.",
        "Follow `docs/tides.md` whenever a ship enters at night.",
        "You are an expert in tides. Never trust a forecast of more than two days.",
    ],
)
def test_a_rule_that_names_a_file_or_the_reader_is_kept(rule: str) -> None:
    assert texts(rule) == [rule]


def test_an_item_without_a_subject_stays_with_the_rule_that_it_goes_on_about() -> None:
    listed = "# Ships\n\n- Mark tugs as working ships unless they are museum pieces\n- Applies to barges and rafts\n"
    assert texts(f"{listed}- Never moor two tugs abreast\n") == [
        "- Mark tugs as working ships unless they are museum pieces\n- Applies to barges and rafts",
        "Never moor two tugs abreast",
    ]


def test_a_table_of_contents_is_skipped_but_not_rules_under_such_a_heading() -> None:
    assert texts("## Contents\n\n- Setup\n- Rules\n") == []
    assert texts("## Contents\n\n- Never commit secrets\n- Always sign\n") == ["Never commit secrets", "Always sign"]


def test_a_heading_that_is_itself_a_rule_is_kept() -> None:
    assert texts("# Rules\n\n## Never edit generated files\n\n## Overview\n") == ["Never edit generated files"]


def test_tags_around_markdown_do_not_hide_it() -> None:
    split = split_markdown("<rules>\n- Never a\n- Never b\n</rules>\n")
    assert [piece.text for piece in split.pieces] == ["Never a", "Never b"]
    assert reasons(split) == {1: "mark-up without text", 4: "mark-up without text"}


def test_dividers_that_name_a_part_belong_to_no_memory() -> None:
    split = split_markdown(
        "=== quay rules ===\n\n- Moor on the left.\n\n=== crane/v2 rules ===\n\n- Lift before noon.\n\n"
        "--- Tugs ---\nTow slowly.\n"
    )
    assert [piece.text for piece in split.pieces] == ["Moor on the left.", "Lift before noon.", "Tow slowly."]
    assert reasons(split) == dict.fromkeys((1, 5, 9), "horizontal rule")


def test_components_of_a_docs_site_lose_their_tags_and_keep_their_titles() -> None:
    text = (
        "# Kiln\n\n<Info>Never open the door above 200 °C.</Info>\n\n"
        '<Step title="Load the shelves">\nPut the heavy pots on the lowest shelf.\n</Step>\n\n'
        'Read the <a href="https://kiln.example/cones">table of cones</a> before you choose a firing.\n'
    )
    assert texts(text) == [
        "Never open the door above 200 °C.",
        "**Load the shelves**:\nPut the heavy pots on the lowest shelf.",
        "Read the [table of cones](https://kiln.example/cones) before you choose a firing.",
    ]
    for code in ("Render `<Info>text</Info>` as a box.", 'Never write `<a href="/x">here</a>` in a template.'):
        assert texts(f"{code}\n") == [code]


def test_the_list_of_sessions_that_claude_mem_writes_into_a_rule_file_is_told_and_not_imported() -> None:
    day = '### Mar 3, 2031\n14 9:02a fix The kiln door no longer jams\n15 " feat Cones are sorted by temperature\n\n'
    log = f"<claude-mem-context>\n# Recent activity\n\n{day * 9}</claude-mem-context>\n"
    split = split_markdown(
        f"# Kiln\n\n## Safety\n\n- Never open the kiln\n- Fire once\n\n{log}\n## Cones\n\nSort them.\n"
    )
    assert [piece.text for piece in split.pieces] == ["- Never open the kiln\n- Fire once", "Sort them."]
    assert "a list of sessions that a tool rewrites" in set(reasons(split).values())
    assert len(texts(log.rpartition("</")[0])) > 1, "what nothing closes is read"


def test_pages_of_documentation_between_tags_are_told_and_not_imported() -> None:
    page = "# Firing\n\nFiring takes nine hours, and the door stays shut for all of them.\n\n"
    split = split_markdown(f"- Never open the kiln\n\n<kiln_docs>\n{page * 100}</kiln_docs>\n\n- Never fire twice\n")
    assert [piece.text for piece in split.pieces] == ["Never open the kiln", "Never fire twice"]
    assert set(reasons(split).values()) == {"pages of documentation, put between tags"}
    assert split.skipped[0].span == (3, 404)
    assert len(texts(f"<kiln_docs>\n{page}</kiln_docs>\n")) == 1, "a short note is no page"
    assert len(texts(f"<kiln_docs>\n{page * 100}")) == 100, "what nothing closes is read"


def test_what_memtui_wrote_itself_is_not_read_back() -> None:
    block = "<!-- memtui:begin v1 id=a sha=b -->\n## X\n\n- Never c\n```\nopen fence\n<!-- memtui:end id=a -->"
    split = split_markdown(f"- Never a\n\n{block}\n\n- Never b\n")
    assert [piece.text for piece in split.pieces] == ["Never a", "Never b"]
    assert set(reasons(split).values()) == {"written by memtui's export"}


def test_a_begin_marker_without_end_hides_nothing() -> None:
    assert texts("<!-- memtui:begin v1 id=a -->\n\n- Never a\n- Never b\n") == ["Never a", "Never b"]


def test_markers_inside_a_fence_are_text() -> None:
    markdown = "Example:\n\n```\n<!-- memtui:begin v1 -->\n<!-- memtui:end -->\n```"
    assert texts(markdown) == [markdown]


def test_line_ends_change_nothing() -> None:
    markdown = (FIXTURES / "ferry_claude.md").read_text(encoding="utf-8")
    assert split_markdown(markdown.replace("\n", "\r\n")) == split_markdown(markdown)
    assert split_markdown(markdown.replace("\n", "\r\n", 40)) == split_markdown(markdown)


def test_spans_count_from_the_first_line_given() -> None:
    split = split_markdown("# H\n\ntext\n", first_line=6)
    assert (split.pieces[0].span, split.skipped[0].span) == ((8, 8), (6, 6))


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir()))
def test_every_line_of_a_real_looking_file_is_told(name: str) -> None:
    markdown = (FIXTURES / name).read_text(encoding="utf-8")
    assert uncovered_or_doubled(markdown, split_markdown(markdown)) == []


LINES = st.sampled_from(
    [
        *("", "", "", "text", "a  ", "# Heading", "## Sub ##", "## Contents", "#", "######", "Setext", "===", "---"),
        *("- item", "- Never do it.", "-", "  - nested", "        - deep", "1. first", "2) second", "- [ ] box"),
        *("    code", "```", "~~~", "```python", "   ```", "> quote", "> - quoted item", "| a | b |", "|---|---|"),
        *("<!-- c -->", "<!-- open", "-->", "<div>", "</div>", "<b>x</b>", "<pre>", "</pre>", "[a]: b", "[x](#y)"),
        *("**Bold**", "**Bold**:", "Lead:", "When so:", "@a/b.md", "- @a/b.md", "* * *", "\ttab", "![i](j)", "[/x]"),
        *("<!-- memtui:begin v1 id=a -->", "<!-- memtui:end id=a -->", "必须", "- 不要这样做。", "&amp;"),
        *("\u00a0", "\u200b", "\x0c", "\x00", "\x1b[31m", "\u2028", "\x1c"),
    ]
)


@given(st.lists(LINES, max_size=30))
@example(["<pre>", "<!-- open", "text"])
def test_every_line_is_in_exactly_one_piece_or_gap(lines: list[str]) -> None:
    markdown = "\n".join(lines)
    split = split_markdown(markdown)
    assert uncovered_or_doubled(markdown, split) == []
    assert all(piece.text.strip() for piece in split.pieces)
    assert len({piece.native_id for piece in split.pieces}) == len(split.pieces)
    assert split.pieces == sorted(split.pieces, key=lambda piece: piece.span)


@given(st.text(max_size=200))
def test_any_text_at_all_is_told(markdown: str) -> None:
    assert uncovered_or_doubled(markdown, split_markdown(markdown)) == []


HOSTILE = {
    "one line of a megabyte": "never " * 170_000,
    "brackets": "[" * 300_000,
    "unclosed fence": "```\n" + "x\n" * 15_000,
    "deep list": "\n".join("  " * depth + "- Never a" for depth in range(400)),
    "deep quotes": ">" * 20_000 + " a",
    "markers": "- " * 20_000 + "a",
    "many items": "- Never do this\n" * 5_000,
    "table": "|a|b|\n|-|-|\n" + "|1|2|\n" * 5_000,
    "headings": "# a\n" * 5_000,
    "comments": "<!--\n" * 15_000,
    "more than two megabytes": "a paragraph\n\n" * 170_000,
    "tags": "<b>\n" * 15_000,
    "emphasis": "**a" * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_split_without_losing_or_doubling_a_line(name: str) -> None:
    markdown = HOSTILE[name]
    split = split_markdown(markdown)
    assert uncovered_or_doubled(markdown, split) == []


@pytest.mark.parametrize(
    ("markdown", "said", "kept"),
    [
        ("- Moor at dusk.\n\n<!-- draft\n\n- Light the lamps.\n", {3: Unclosed.COMMENT_UNCLOSED}, 2),
        ("<!-- draft\n\nMoor at dusk.\n\n<!-- done -->\n\nNever sail alone.\n", {1: Unclosed.COMMENT_UNCLOSED}, 2),
        ("<!-- a\n<!-- b -->\nMoor at dusk.\n-->\n\nNever sail alone.\n", {}, 2),
        (
            "# Pier\n\n```sh\nmake pier\n\n# not a heading of ours?\n\nNever sail alone.\n",
            {3: Unclosed.FENCE_UNCLOSED},
            1,
        ),
        ("```sh\nmake pier\n## Pier\n\n- Never sail alone.\n", {1: Unclosed.FENCE_UNCLOSED}, 1),
        ("```sh\n\n- Never sail alone.\n- Moor at dusk.\n", {1: Unclosed.FENCE_UNCLOSED}, 2),
        ("```sh\nmake pier\n\nmake quay\n", {1: Unclosed.FENCE_UNCLOSED}, 0),
        ("```html\n<!-- open\n```\n\n- Never sail alone.\n", {}, 1),
        (
            "Moor at dusk.\n```\n\n## Quay\n\n```\nmake quay\n```\n\n## Pier\n\nNever sail alone.\n",
            {2: Unclosed.FENCE_UNOPENED},
            2,
        ),
        ("As a template:\n```\n\n## Quay\n```\n\n```sh\nmake quay\n```\n\nNever sail alone.\n", {}, 1),
    ],
)
def test_a_comment_or_fence_that_is_never_closed_swallows_no_rule(
    markdown: str, said: dict[int, str], kept: int
) -> None:
    split = split_markdown(markdown)
    assert {gap.span[0]: gap.reason for gap in split.unclosed} == said
    texts_only = re.sub(r"`{3}.*?`{3}", "", "\n".join(piece.text for piece in split.pieces), flags=re.DOTALL)
    assert sum(rule in texts_only for rule in ("Moor at dusk.", "Light the lamps.", "Never sail alone.")) == kept
    assert uncovered_or_doubled(markdown, split) == []


def test_an_import_line_is_no_text_whatever_stands_around_it() -> None:
    split = split_markdown("@quay/none.md\nNever sail alone.\n@~/pier.md\n\n- Moor at dusk.\n  @../lamps\n\nMail @jo\n")
    assert not any("none.md" in piece.text or "pier" in piece.text or "lamps" in piece.text for piece in split.pieces)
    assert any("Mail @jo" in piece.text for piece in split.pieces) or reasons(split).get(8)


def test_a_fence_of_quotes_is_no_import() -> None:
    assert reasons(split_markdown(">>>\nNever sail alone.\n\nMoor at dusk.\n>>>\n")).get(5) != SkipReason.IMPORT


LONG = "Call the yard, and nobody else, whenever a boat was lifted by one of the cranes of the northern quay. " * 14


@pytest.mark.parametrize(
    "lead",
    ["When somebody asks how a lift works:", "Cranes know several kinds of lifts:", "We have a few notes on lifts:"],
)
def test_words_that_only_lead_to_the_headings_below_them_are_no_memory(lead: str) -> None:
    split = split_markdown(f"# Cranes\n\n{lead}\n\n## Lifts\n\n{LONG}\n")
    assert not any(lead in piece.text for piece in split.pieces)
    assert SkipReason.LEAD in {gap.reason for gap in split.skipped}


def test_words_that_send_to_files_go_with_the_list_of_them() -> None:
    lead = "Read these files before a lift so that you know the yard"
    split = split_markdown(f"# Yard\n\n## Files\n\n**{lead}**\n\n1. `README.md`\n2. `LIFTS.md` (read on demand)\n")
    assert split.pieces == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("This file provides guidance to agents (Claude Code, Codex etc.) working in this yard.", SkipReason.INTRO),
        ("These conventions apply when working with cranes.", SkipReason.INTRO),
        ("This context guides the development of the crane to keep it in line with its goals.", SkipReason.INTRO),
        ("Rules for the old lift server. The root `AGENTS.md` still applies.", SkipReason.INTRO),
        ("Part of the Lift.js speed rule set. See `speed.md` for the full index.", SkipReason.INTRO),
        ("Read this file before moving, lifting or mending boats. This file is the full reference.", SkipReason.INTRO),
        ("本文件是港口的起重规则。任何人在港口工作时，都应优先遵守本文件。", SkipReason.INTRO),
        ("This section is for people who embed our crane in their harbour.", SkipReason.INTRO),
        ("This rule is triggered when the user types `@crane`.", SkipReason.INTRO),
        ("You are Crane Keeper, an autonomous harbour specialist. You help people to lift boats.", SkipReason.PERSONA),
        ("@ notes/cranes.md (hooks, ropes and chains)", SkipReason.POINTER),
        ("Hooks and ropes: `mem:harbour/cranes`", SkipReason.POINTER),
    ],
)
def test_what_tells_nothing_but_of_files_and_the_assistant_is_no_memory(text: str, reason: SkipReason) -> None:
    split = split_markdown(f"# Yard\n\n## Cranes\n\n{text}\n")
    assert split.pieces == []
    assert reason in {gap.reason for gap in split.skipped}


@pytest.mark.parametrize(
    "text",
    [
        "This is the longest section and should cover all ropes.",
        "This chapter must always list the cranes of each quay.",
        "The README needs to describe every lift.",
        "Read this file before moving the crane, as its brake is released by hand.",
    ],
)
def test_what_a_section_is_to_hold_is_a_rule_and_no_introduction(text: str) -> None:
    assert [piece.text for piece in split_markdown(f"# Yard\n\n## Cranes\n\n{text}\n").pieces] == [text]


def test_a_numbered_line_and_a_summary_that_can_be_folded_are_headings() -> None:
    text = f"7 · Lifts by night\n\n{LONG}\n\n<details><summary>More lifts</summary>\n\n{LONG}\n</details>\n"
    split = split_markdown(text)
    assert "Lifts by night" in {heading for piece in split.pieces for heading in piece.heading_path}
    assert not any("summary" in piece.text for piece in split.pieces if len(piece.text) < len(LONG))


TAGGED = """\
<quay_rules>
Boats are moored on the left side of the quay, and never on the right one.
</quay_rules>

<crane-loading>
On create: the list of all boats is taken from the yard and then sorted by weight.

<example>
lift one
</example>
</crane-loading>
"""


def test_tags_that_part_a_text_without_headings_are_its_headings() -> None:
    split = split_markdown(f"{TAGGED}\n<night_shift>\n{LONG}\n</night_shift>\n")
    paths = {heading for piece in split.pieces for heading in piece.heading_path}
    assert paths == {"Quay rules", "Crane loading", "Night shift"}
    assert not any("lift one" in heading for heading in paths)


@pytest.mark.parametrize(
    "text",
    [
        f"# Yard\n\n{TAGGED}",
        f"{TAGGED}\nText after it belongs to no section of it.\n",
        "<div>\nMoor left.\n</div>\n\n<p>\nMoor right.\n</p>\n",
        "<rules>\nMoor left.\n</rules>\n",
    ],
)
def test_tags_beside_headings_and_those_of_html_are_no_headings(text: str) -> None:
    paths = {heading for piece in split_markdown(text).pieces for heading in piece.heading_path}
    assert paths <= {"Yard"}
