"""Change logs, tasks of the past and what a file says of itself are reported and become no memory."""

from __future__ import annotations

import pytest

from memtui.capture.markdown import split_markdown
from memtui.capture.skip_codes import SkipReason


def reasons(source: str) -> list[str]:
    """Return why the lines of a text became no memory, where none of them became one."""
    split = split_markdown(source)
    assert not split.pieces, [piece.text for piece in split.pieces]
    return [gap.reason for gap in split.skipped if gap.reason not in {SkipReason.CONTEXT, SkipReason.NO_TEXT}]


def texts(source: str) -> list[str]:
    return [piece.text for piece in split_markdown(source).pieces]


@pytest.mark.parametrize(
    ("heading", "entries"),
    [
        ("Changelog", "- 2026-03-01: the crane lifts boats of twelve tons\n- 2026-02-11: the tide log keeps a year\n"),
        ("Changelog", "### v1.4.0\n\n- The crane lifts boats of twelve tons.\n- The tide log keeps a year.\n"),
        ("变更记录 (Changelog)", "| 日期 | 变更 |\n|---|---|\n| 2026-03-01 | 起重机可以吊起十二吨的船 |\n"),
        ("更新日志", "- 2026-03-01 起重机可以吊起十二吨的船\n"),
        ("変更履歴", "- 2026年3月 クレーンは十二トンの船を吊り上げる\n"),
        ("Änderungsverlauf", "- 01.03.2026: Der Kran hebt Boote von zwölf Tonnen.\n"),
        ("История изменений", "- 2026-03-01: кран поднимает лодки весом двенадцать тонн\n"),
        ("Histórico de alterações", "2026-03-01 — o guindaste levanta barcos de doze toneladas\n"),
    ],
)
def test_a_change_log_is_no_memory(heading: str, entries: str) -> None:
    assert SkipReason.HISTORY in reasons(f"# Quay\n\n## {heading}\n\n{entries}")


def test_how_a_change_log_is_kept_is_a_rule() -> None:
    source = (
        "## Changelog\n\n- Add a line to the log for every crane that changes.\n- Never delete a line of the log.\n"
    )

    assert len(texts(source)) == 2


@pytest.mark.parametrize(
    "table",
    [
        "| # | Action | Owner | Priority |\n|---|---|---|---|\n| 1 | Grease the crane | Ada | HIGH |\n",
        "| Aufgabe | Verantwortlich | Frist |\n|---|---|---|\n| Kran schmieren | Ada | Mai |\n",
        "| 任务 | 负责人 | 状态 |\n|---|---|---|\n| 给起重机上油 | 阿达 | 完成 |\n",
    ],
)
def test_a_table_of_who_does_what_by_when_is_no_memory(table: str) -> None:
    assert reasons(f"# After the storm\n\n## Action items\n\n{table}") == [SkipReason.TASKS]


def test_a_table_of_who_owns_what_is_a_fact() -> None:
    assert texts("## Quays\n\n| Quay | Owner |\n|---|---|\n| north | the pilots |\n| south | the fishers |\n")


@pytest.mark.parametrize(
    ("headings", "items"),
    [
        (
            "## Recent changes\n\n### Crane",
            "- Completed the first half of the new brake\n- Added a log for the crane\n",
        ),
        ("## What's left to build", "- Second brake of the crane\n- Log of the outer pier\n"),
        ("## Status\n\n### 📋 Planned", "- Floating pier (oak)\n- Night watch\n"),
        ("## Future enhancements (after spring)", "- [ ] Lift boats of thirty tons\n- [ ] Tie two boats at once\n"),
        ("## 最近更新", "- 完成了新刹车的前半部分\n- 给起重机加了日志\n"),
        ("## 目前進度", "- ✅ 新刹车完成，試吊通過\n- 🔄 **進行中**：給起重機加日誌\n- 🔲 移到外港\n"),
        ("## Build", "- ✅ Phase 1: the crane turns\n- [ ] Phase 2: the crane lifts boats of thirty tons\n"),
        ("## Stand", "- [x] Kran dreht sich\n- [ ] Kran hebt Boote von dreißig Tonnen\n"),
        ("## Merged PRs (last 7 days)", "- fix: the second brake of the crane\n- docs: a page on tides\n"),
        (
            "## What else",
            (
                "- [#12](https://quay.example/harbour/crane/pull/12) second brake\n"
                "- [#9](https://quay.example/harbour/crane/issues/9) tides are late\n"
            ),
        ),
    ],
)
def test_lists_of_what_was_done_or_is_planned_are_no_memory(headings: str, items: str) -> None:
    assert SkipReason.TASKS in reasons(f"# Quay\n\n{headings}\n\n{items}")


def test_ticks_and_crosses_before_rules_are_rules() -> None:
    assert texts("## Mooring\n\n- ✅ Tie two ropes to each boat\n- ❌ Tie a boat to the crane\n")
    assert texts("## Status\n\n- The crane lifts boats of twelve tons\n- The outer pier is closed in winter\n")


def test_what_was_carried_forward_is_no_memory_unless_it_rules() -> None:
    assert reasons("## Carried forward\n\n- Paint the bollards of the north quay in spring\n- Tide log, second part\n")
    assert texts("## Carried forward\n\n- Never lift a boat without its keel blocks.\n- Always log the tide at noon.\n")


@pytest.mark.parametrize(
    "line",
    [
        "Always reference these instructions first and fall back to a search only when the quay differs from them.",
        "Follow this guide for any assisted or automated changes.",
        "**Note**: Keep this file up to date.",
        "This rule file should be updated regularly.",
        "注意：本规则文件应定期更新。",
        "このファイルは適宜更新してください。",
        "This file will be updated as each box is ticked.",
        "**Generated from `HARBOUR.md`** — the source of truth. Last synced: 2026-08-12.",
        "The Quay guidelines are specifically curated by its pilots. These guidelines should be followed closely.",
        "当你修改起重机时，必须严格遵守以下规范。",
        "This file is the source of truth. It is written for Claude Code but holds for all. Read whichever you like.",
        "**Generated from `HARBOUR.md`** — its source. Regenerate this file when that changes; do not edit it.",
        "These notes apply to all tests of the crane. Combine them with the rules of the quay.",
        "How you work at the quay while a boat hangs in the crane.",
        "Operating charter for any agent working in this harbour.",
        "_Updated at session end via the log skill. Works with any assistant._",
        "Context document for GitHub Copilot. Kept up to date so that it can skip the search.",
        "Agent guidance for lifting and mooring boats at this quay.",
        "Comprehensive review guidelines for GitHub Copilot that fit any quay.",
        "These conventions are the canonical source for knots. [The other](../OTHER.md) references this file.",
        "These rules apply to the whole repository. Combine them with any nested file. The most specific file wins.",
    ],
)
def test_what_a_file_says_of_itself_is_no_memory(line: str) -> None:
    assert reasons(f"{line}\n") == [SkipReason.INTRO]


@pytest.mark.parametrize(
    "line",
    [
        "Update this file when a crane is added to the quay.",
        "How you tie a boat: two rings, one knot.",
        "Keep this guide next to the crane, never in the shed.",
    ],
)
def test_a_rule_about_a_file_stays(line: str) -> None:
    assert texts(f"{line}\n")


@pytest.mark.parametrize(
    "line", ["_生成时间：2026-04-22 00:25:29_", "Generado el: 2026-04-22", "Обновлено: 2026-04-22"]
)
def test_when_a_file_was_made_is_no_memory(line: str) -> None:
    assert reasons(f"{line}\n") == [SkipReason.METADATA]


@pytest.mark.parametrize(
    "source",
    [
        "Documentation:\n\n- Knots: @docs/knots.md\n- Tide protocol: @docs/tide.md\n- Wire: @proto/tide.proto\n",
        "## Crane\n\n- [CRANE.md](docs/CRANE.md) - Levers & Brakes\n- Mooring patterns documented in CRANE.md\n",
        "- Mooring plan (rings, knots, the second rope of the pilots): `docs/plans/mooring.md`.\n",
        "Further rules of the quay are available in `AGENTS.md` in the root.\n",
        "Explore `docs/` and `docs/plans/` to understand how boats are moored.\n",
        "For knots that can be tied at night, reference @docs/shared/NightKnots.ts\n",
        "Follow the harbour's knot rules as documented in [docs/knots.md](docs/knots.md)\n",
        "Shared workflow for what sailors see of the crane:\n[`../skills/crane/SKILL.md`](../skills/crane/SKILL.md)\n",
        "## Full Documentation\n\n- `docs/a.md`: The guide\n- `tide/all.json`: Tides\n- `quay/` and `.env` - keys\n",
        "Детали: `docs/knots.md` — узлы и кольца.\n",
        "Full map of the inner quay → [`quay/AGENTS.md`](quay/AGENTS.md).\n",
        "Short form of these rules for sailors — [docs/knots.md](docs/knots.md) (this part stays the source).\n",
        "**NOTE**: Further rules of the quay are available in `AGENTS.md` in the root.\n",
        "Documented in TIDE-11-002 (updated statement) and ADR-0068 (last section).\n",
    ],
)
def test_what_only_names_places_to_read_is_no_memory(source: str) -> None:
    assert set(reasons(source)) <= {SkipReason.POINTER, SkipReason.LINKS, SkipReason.LEAD, SkipReason.CONTEXT}


@pytest.mark.parametrize(
    "line",
    [
        "Use exactly `liftBoat` and `lowerBoat` as documented in `docs/crane.md`.",
        "Check `tide log` to see whether the boat may leave before the lock closes at noon.",
        "The quay does not tie boats itself; the pilots do (documented in `docs/pilots.md`).",
    ],
)
def test_a_rule_that_names_its_page_stays(line: str) -> None:
    assert texts(f"{line}\n")


def test_a_place_that_is_described_in_sentences_is_a_memory() -> None:
    source = "## Documentation\n\n- `notes/tide.md` — tides. It is kept by the pilots and binds all of us.\n"

    assert texts(source)


def test_an_empty_place_for_lessons_is_no_memory() -> None:
    assert reasons("## Learnings\n\n_Log mistakes and patterns discovered during work sessions here._\n") == [
        SkipReason.PLACEHOLDER
    ]


def test_an_example_that_leaves_all_below_its_headings_open_is_no_memory() -> None:
    source = "## Example\n\n```markdown\n## Piers\n### Pier: North\n...\n```\n"

    assert not texts(source)
    assert texts(source.replace("...", "Boats of the north tie up here."))


def test_a_table_of_places_to_read_and_a_labelled_pointer_are_no_memories() -> None:
    rows = "| `../pier/lift.go` | how lifts work |\n| `../../tides/table.go` | the tides |\n"

    assert not texts(f"## 相关文档\n\n| 文档 | 描述 |\n|---|---|\n{rows}")
    assert texts(f"## Layout\n\n| file | what |\n|---|---|\n{rows}")
    assert not texts("## Ropes\n\n**Settings**: See `.ropes.yml` for the knots that are allowed.\n")


def test_a_bold_line_that_only_calls_rules_binding_is_a_heading_of_them() -> None:
    source = "## Piers\n\n**MUST rules**\n\n- Ask the pilot before every lift\n- Never lift at night\n"

    assert not any("MUST rules" in text.splitlines()[-1] for text in texts(source))
    assert texts("## Piers\n\n**Never lift**\n\n- Ask the pilot before every lift\n")


def test_a_role_that_is_only_named_is_no_memory() -> None:
    assert reasons("# Pilot\n\n## Role\n\nAutonomous Harbour Agent & Tide Optimizer\n") == [SkipReason.PERSONA]


def test_a_lead_below_such_a_heading_stays_with_its_list() -> None:
    source = "# Pilot\n\n## Identity\n\nYour slip assigns both:\n\n- a **name** used in the log\n- a **boat**\n"

    pieces = split_markdown(source).pieces

    assert pieces
    assert all("assigns" in piece.text or piece.heading_path[-1] == "Your slip assigns both" for piece in pieces)


def test_a_sentence_that_announces_what_other_headings_hold_is_no_memory() -> None:
    tides = "".join(f"- Write the tide of noon on quay {number} into its own book.\n" for number in range(30))
    found = texts(f"## Layout\n\nAll quay books should follow this structure:\n\n### Tides\n\n{tides}")

    assert found
    assert not any("structure" in text for text in found)
