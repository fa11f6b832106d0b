"""What a user is told about what an import left out."""

from __future__ import annotations

from memtui.capture.apply import ImportReport
from memtui.capture.draft import SUPERSEDED_NOTE, Draft, Skipped
from memtui.capture.import_plan import ImportPlan, Planned
from memtui.capture.left_out import LeftOut
from memtui.capture.skip_codes import FrontmatterProblem, SkipCode, SkipReason
from memtui.domain.memory import Source
from memtui.tui.importing.came_in import came_to
from memtui.tui.importing.preview import news_words, plan_words
from memtui.wording.imports import (
    files_left_out,
    lines_left_out,
    lost_imports,
    new_in_inbox,
    passed_over,
    told_besides,
    told_files,
    told_lines,
)


def test_files_are_told_by_reason_with_a_few_places() -> None:
    few = [Skipped("template/AGENTS.md", None, LeftOut.TEMPLATE)]
    many = [Skipped(f"web/tests/fixtures/{name}/a/AGENTS.md", None, LeftOut.FIXTURE) for name in "abcd"]
    assert told_files([*few, *many, Skipped("CLAUDE.md", (1, 2), SkipReason.LINKS)]) == [
        "4 files left out: data of tests (web/tests/fixtures/)",
        "1 file left out: a template for other projects (template/AGENTS.md)",
    ]
    assert {reason: len(paths) for reason, paths in files_left_out([*few, *many]).items()} == {
        LeftOut.FIXTURE: 4,
        LeftOut.TEMPLATE: 1,
    }


def _status(path: str) -> Skipped:
    return Skipped(path, (3, 3), "status: read as settings", code=SkipCode.SETTINGS, settings="status")


def test_lines_are_counted_by_reason_and_structure_comes_last() -> None:
    skipped = [
        Skipped("CLAUDE.md", (1, 1), SkipReason.CONTEXT),
        Skipped("AGENTS.md", (1, 4), SkipReason.FRONTMATTER),
        _status("quay/1.md"),
        _status("quay/2.md"),
        Skipped(".cursor/rules/quay.mdc", (1, 4), FrontmatterProblem.FRONTMATTER_UNCLOSED),
        Skipped("CLAUDE.md", (3, 5), SkipReason.LINKS),
        *(Skipped("AGENTS.md", (line, line), SkipReason.LINKS) for line in (7, 9, 11)),
        Skipped("CLAUDE.md", (20, 24), "unresolved merge conflict", is_conflict=True),
    ]
    assert told_lines(skipped) == [
        "skipped CLAUDE.md:20-24: unresolved merge conflict",
        "6 lines left out in 4 places: links only (CLAUDE.md:3, AGENTS.md:7, AGENTS.md:9 …)",
    ]
    assert told_besides(skipped) == [
        "frontmatter that is never closed, read as settings: .cursor/rules/quay.mdc:1-4",
        "6 lines (frontmatter, status) read as settings",
        "1 line of headings, comments and separators",
    ]
    assert lines_left_out(skipped)[SkipReason.LINKS] == 6
    lost = [Skipped(name, (2, 2), "import not found: @quay.md", code=SkipCode.MISSING) for name in ("a.md", "b.md")]
    assert lost_imports([*skipped, *lost], {"b.md"}) == ["a.md:2: import not found: @quay.md"]


def test_folders_that_are_not_searched_are_told_in_a_line_of_their_own_and_not_counted() -> None:
    folders = ["web/node_modules", "api/node_modules", "vendor"]
    skipped = [Skipped(path, None, LeftOut.UNSEARCHED) for path in folders]
    [said] = told_files(skipped)
    assert said.startswith("3 folders not searched (node_modules, vendor); ")
    assert passed_over(one.reason_code for one in skipped) == 0


def test_names_of_files_are_tamed() -> None:
    [said] = told_files([Skipped("a\x1b[31mb/AGENTS.md", None, LeftOut.FIXTURE)])
    assert "\x1b" not in said


def test_what_a_source_superseded_is_told_not_to_wait() -> None:
    assert new_in_inbox(ImportReport(added=3)) == "They wait in the inbox"
    told = new_in_inbox(ImportReport(added=3, superseded=1))
    finds = "(Browse: status:superseded)"
    assert told == f"1 marked as superseded in its source {finds}; the other 2 wait in the inbox"
    told = new_in_inbox(ImportReport(added=1, superseded=1))
    assert told == f"All of it is marked as superseded in its source {finds}"


def test_where_nothing_waits_no_key_leads_to_the_inbox() -> None:
    came = came_to(ImportReport(added=2, superseded=2), [], active=False)
    assert ("b goes there" in came.words, "b opens the inbox" in came.done.message) == (False, False)
    assert "2 of them in other projects: @" in came_to(ImportReport(added=3), [], active=False, elsewhere=2).words
    came = came_to(ImportReport(added=3, superseded=1), [], active=False)
    assert came.words.startswith("Imported: 3 added. 1 marked as superseded in its source")
    assert "the other 2 wait in the inbox: b goes there" in came.words
    assert "1 marked as superseded" in came_to(ImportReport(added=3, superseded=1), [], active=True).words


def test_a_preview_counts_where_memories_go_as_the_import_will() -> None:
    def item(number: int, *notes: str) -> Planned:
        draft = Draft(
            title=f"Berth {number}", insight="x", kind="convention", source=Source(format="claude"), notes=notes
        )
        return Planned("add", draft, "shop")

    fresh, old = [item(number) for number in range(2)], [item(9, SUPERSEDED_NOTE)]
    for items, words in (
        (fresh, "2 new → inbox"),
        ([*fresh, *old], "2 new → inbox · 1 new → superseded"),
        (old, "1 new → superseded"),
        ([], "0 new → inbox"),
    ):
        plan = ImportPlan(items)
        assert news_words(plan, "inbox") == words
        assert plan_words(plan, active=False).startswith(f"{words} · 0 changed")
