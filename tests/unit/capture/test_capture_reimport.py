"""Importing again changes exactly what changed in the sources: a line, a name, a place, the files they are about."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from curating import PERSON, Clock, bring, bring_with_plan, new_vault, repository

from memtui.capture.import_plan import ImportPlan
from memtui.capture.importer import ImportRequest, plan_import, read_sources, stating_files
from memtui.capture.source_conflicts import open_conflicts, resolve_conflicts
from memtui.curate.lifecycle import verify
from memtui.curate.memories import edit_memory
from memtui.curate.merge import merge
from memtui.curate.review_queue import review_queue
from memtui.curate.views import get_view
from memtui.domain.memory import Anchor, Memory
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

HARBOUR = """# Harbour office

## Berths

- Never assign two ships to one berth, even for an hour.
- Berth names are lower case with a dash, such as quay-north-3.
- Prefer the outer quay for ships above 120 metres.

## Tides

The tide table is fetched at four and cached for six hours, because the pilots trust a stale one blindly.

Do not round tide heights, since the charts are in decimetres.

> [!WARNING]
> Never start two planners against one tide table.

## Fees

| Ship | Rule |
|---|---|
| Ferry | Charge ferries per landing, not per day |
| Tug | Never charge our own tugs |

Round fees once, at the end: rounding earlier cost us 311 euros in March.
"""
YARD = """# Ship yard

- Write the hull number on every ticket.
- Use the shared logger, never print.

## Review

Two reviewers look at every change of the crane schedule.
"""
CLIENT = """---
description: Client modules
globs: src/**/*.ts
---

- Prefer named exports in every module of the client.
"""
FILES = {"CLAUDE.md": HARBOUR, "AGENTS.md": YARD, ".cursor/rules/client.mdc": CLIENT}
LINES = [
    (name, number)
    for name, text in FILES.items()
    for number, line in enumerate(text.split("\n"))
    if len(line.split()) > 3 and not line.startswith(("#", "> [", "description"))
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Vault, Path]:
    """A vault into which the files were imported; the tests that use it write nothing."""
    folder = tmp_path_factory.mktemp("harbour")
    return _imported(folder)


def _imported(folder: Path) -> tuple[Vault, Path]:
    vault, _ = new_vault(folder / "vault")
    root = repository(folder / "harbour", FILES, remote="git@example.org:acme/harbour.git")
    bring(vault, root)
    return vault, root


def _plan(vault: Vault, root: Path) -> ImportPlan:
    request = ImportRequest(paths=[root], folder=root, home=vault.path.parent)
    return plan_import(vault, read_sources(request), request)


def _changes(plan: ImportPlan) -> Counter[str]:
    """Return how many memories meet with each action, those that stay as they are left out."""
    found = Counter(item.action for item in plan.items if item.action != "unchanged")
    return found + Counter({"missing": len(plan.missing)})


def _stored(vault: Vault) -> list[Memory]:
    with vault.read() as reader:
        return reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())


def _with(vault: Vault, words: str) -> Memory:
    return next(memory for memory in _stored(vault) if words in memory.insight and memory.status != "merged")


def test_nothing_is_new_the_second_time(imported: tuple[Vault, Path]) -> None:
    plan = _plan(*imported)
    assert _changes(plan) == Counter()
    assert plan.moved == []


@pytest.mark.parametrize(("name", "number"), LINES)
def test_a_changed_word_updates_the_memory_it_stands_in(imported: tuple[Vault, Path], name: str, number: int) -> None:
    vault, root = imported
    lines = FILES[name].split("\n")
    words = lines[number].split(" ")
    longest = max(range(len(words)), key=lambda position: (words[position].isalpha(), len(words[position])))
    lines[number] = " ".join([*words[:longest], "lighthouse", *words[longest + 1 :]])
    (root / name).write_text("\n".join(lines), "utf-8")
    try:
        plan = _plan(vault, root)
    finally:
        (root / name).write_text(FILES[name], "utf-8")
    assert _changes(plan) == Counter(update=1)
    (item,) = [item for item in plan.items if item.action == "update"]
    assert "lighthouse" in f"{item.draft.insight} {item.draft.rationale}"
    assert item.memory is not None
    assert words[longest].strip(",.:") in f"{item.memory.insight} {item.memory.rationale}"


@pytest.mark.parametrize(
    ("name", "number"), [(name, number) for name, number in LINES if FILES[name].split("\n")[number][0] == "-"]
)
def test_a_new_item_adds_itself_and_a_removed_one_is_missed(
    imported: tuple[Vault, Path], name: str, number: int
) -> None:
    vault, root = imported
    lines = FILES[name].split("\n")
    try:
        (root / name).write_text(
            "\n".join([*lines[: number + 1], "- Moor the tugs on the lee side.", *lines[number + 1 :]]), "utf-8"
        )
        more = _changes(_plan(vault, root))
        (root / name).write_text("\n".join([*lines[:number], *lines[number + 1 :]]), "utf-8")
        less = _changes(_plan(vault, root))
    finally:
        (root / name).write_text(FILES[name], "utf-8")
    assert (more.total(), less.total()) == (1, 1)
    assert set(more) <= {"add", "update"}
    assert set(less) <= {"missing", "update"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CLAUDE.md", ".claude/CLAUDE.md"),
        ("CLAUDE.md", ".claude/rules/all.md"),
        (".cursor/rules/client.mdc", ".cursor/rules/ui.mdc"),
    ],
)
def test_a_renamed_file_keeps_its_memories(imported: tuple[Vault, Path], old: str, new: str) -> None:
    vault, root = imported
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    (root / old).rename(root / new)
    try:
        plan = _plan(vault, root)
    finally:
        (root / new).rename(root / old)
    assert _changes(plan) == Counter()
    assert {source.path for memory in plan.moved for source in memory.sources} == {new}
    assert len(plan.moved) == sum(memory.sources[0].path == old for memory in _stored(vault))


@pytest.mark.parametrize("heading", ["## Berths", "## Tides", "## Fees"])
def test_a_section_that_moves_to_another_file_takes_its_memories_along(tmp_path: Path, heading: str) -> None:
    vault, root = _imported(tmp_path)
    start = HARBOUR.index(heading)
    end = HARBOUR.find("\n## ", start + 1) + 1 or len(HARBOUR)
    (root / "CLAUDE.md").write_text(HARBOUR[:start] + HARBOUR[end:], "utf-8")
    (root / "AGENTS.md").write_text(f"{YARD}\n{HARBOUR[start:end]}", "utf-8")
    before = {memory.id for memory in _stored(vault)}
    plan, _ = bring_with_plan(vault, root)
    assert _changes(plan) <= Counter(update=len(plan.moved))  # a title may name the heading above
    assert plan.moved
    assert {memory.id for memory in _stored(vault)} == before
    sections = {memory.insight: memory.sources[0].path for memory in _stored(vault)}
    assert all(
        (path == "AGENTS.md") == (text.split("\n")[-1].rpartition(": ")[2] in (root / "AGENTS.md").read_text("utf-8"))
        for text, path in sections.items()
        if path != ".cursor/rules/client.mdc"
    )
    assert _changes(_plan(vault, root)) == Counter()


def test_an_edit_of_one_of_two_merged_lines_is_a_conflict_of_what_holds_both(tmp_path: Path) -> None:
    vault, root = _imported(tmp_path)
    first, second = _with(vault, "two ships"), _with(vault, "Berth names")
    merged = merge(vault, [first.id, second.id], actor=PERSON).result
    assert _changes(_plan(vault, root)) == Counter()
    (root / "CLAUDE.md").write_text(HARBOUR.replace("quay-north-3", "quay-east-4"), "utf-8")
    plan, _ = bring_with_plan(vault, root)
    assert _changes(plan) == Counter(conflict=1)
    with vault.read() as reader:
        (conflict,) = open_conflicts(reader)
    assert conflict.memory.id == merged.id
    assert "quay-north-3" in conflict.base.insight
    assert "quay-east-4" in conflict.text.stated.insight
    resolve_conflicts(vault, [merged.id], "mine", actor=PERSON)
    assert _changes(_plan(vault, root)) == Counter()
    (root / "CLAUDE.md").write_text(HARBOUR.replace("even for an hour", "not for an hour"), "utf-8")
    assert _changes(_plan(vault, root))["add"] == 0


def test_other_patterns_in_the_settings_change_what_its_memories_are_about(tmp_path: Path) -> None:
    vault, root = _imported(tmp_path)
    (root / ".cursor/rules/client.mdc").write_text(CLIENT.replace("src/", "lib/"), "utf-8")
    plan, report = bring_with_plan(vault, root)
    assert (_changes(plan), report.updated) == (Counter(update=1), 1)
    memory = _with(vault, "named exports")
    assert memory.anchors == (Anchor("lib/**/*.ts"),)
    edit_memory(vault, memory.id, {"anchors": (Anchor("lib/ui/**"),)}, actor=PERSON)
    assert _changes(_plan(vault, root)) == Counter()  # a person's choice stays until the source changes again


@pytest.mark.parametrize("files", [("src/ui/*.ts",), ("src/**/*.ts", "docs/style.md"), ()])
def test_files_that_a_person_wrote_stay_however_often_the_lines_of_their_source_move(
    tmp_path: Path, files: tuple[str, ...]
) -> None:
    vault, root = _imported(tmp_path)
    written = tuple(map(Anchor, files))
    of_none, of_globs = _with(vault, "hull number"), _with(vault, "named exports")
    for memory in (of_none, of_globs):
        edit_memory(vault, memory.id, {"anchors": written, "tags": ("mine",), "importance": 5}, actor=PERSON)
    for count in range(3):
        shift = "\n" * count
        (root / "AGENTS.md").write_text(
            YARD.replace("- Write", f"- Ring the bell {count} times.\n{shift}- Write"), "utf-8"
        )
        (root / ".cursor/rules/client.mdc").write_text(CLIENT.replace("\n- Prefer", f"\n{shift}\n- Prefer"), "utf-8")
        bring(vault, root)
        assert {item.action for item in _plan(vault, root).items} == {"unchanged"}
    for memory in (of_none, of_globs):
        with vault.read() as reader:
            now = reader.get(memory.id)
        assert (now.anchors, now.tags, now.importance) == (written, ("mine",), 5)
        assert now.sources[0].span != memory.sources[0].span


def test_another_text_or_other_patterns_of_a_source_leave_the_files_that_a_person_wrote(tmp_path: Path) -> None:
    vault, root = _imported(tmp_path)
    rules, memory = root / ".cursor/rules/client.mdc", _with(vault, "named exports")
    edit_memory(vault, memory.id, {"anchors": (*memory.anchors, Anchor("app/**"))}, actor=PERSON)
    rules.write_text(CLIENT.replace("every module", "all modules"), "utf-8")
    bring(vault, root)
    assert _with(vault, "all modules").anchors == (Anchor("src/**/*.ts"), Anchor("app/**"))
    for place in ("lib", "web"):
        rules.write_text(CLIENT.replace("every module", "all modules").replace("src/", f"{place}/"), "utf-8")
        bring(vault, root)
        assert set(_with(vault, "all modules").anchors) == {Anchor(f"{place}/**/*.ts"), Anchor("app/**")}
    edit_memory(vault, memory.id, {"anchors": (Anchor("app/**"),)}, actor=PERSON)
    rules.write_text(CLIENT.replace("every module", "each module").replace("src/", "web/"), "utf-8")
    bring(vault, root)
    assert _with(vault, "each module").anchors == (Anchor("app/**"),)  # what a person took out stays out


def test_an_item_that_goes_is_missed_also_where_a_link_repeats_its_file(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "vault")
    root = repository(tmp_path / "yard", {"AGENTS.md": YARD})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    bring(vault, root)
    (root / "AGENTS.md").write_text(YARD.replace("- Use the shared logger, never print.\n", ""), "utf-8")
    assert _changes(_plan(vault, root)) == Counter(missing=1)


@pytest.mark.words
def test_a_rule_that_left_its_file_is_due_until_a_person_decides_and_its_view_says_so(tmp_path: Path) -> None:
    clock = Clock()
    vault, _ = new_vault(tmp_path / "vault", clock)
    root = repository(tmp_path / "yard", {"AGENTS.md": YARD})
    bring(vault, root, active=True)
    memory = _with(vault, "shared logger")
    clock.pass_days(1)
    (root / "AGENTS.md").write_text(YARD.replace("- Use the shared logger, never print.\n", ""), "utf-8")
    plan = _plan(vault, root)
    assert [one.id for one in plan.newly_missing] == [memory.id]
    request = ImportRequest(paths=[root], folder=root, home=vault.path.parent)
    assert [has_news for _, has_news in stating_files(plan, read_sources(request))] == [True]
    _, report = bring_with_plan(vault, root)
    assert [one.id for one in report.dropped] == [memory.id]
    (due,) = review_queue(vault, EVERYTHING)
    assert due.memory.id == memory.id
    assert "AGENTS.md no longer says this since" in "; ".join(due.reasons)
    assert get_view(vault, memory.id).is_dropped
    assert not get_view(vault, _with(vault, "hull number").id).is_dropped
    plan, report = bring_with_plan(vault, root)
    assert (plan.newly_missing, report.dropped) == ([], [])  # told once
    assert [one.id for one in plan.missing] == [memory.id]
    clock.pass_days(1)
    verify(vault, [memory.id], actor=PERSON)
    assert review_queue(vault, EVERYTHING) == []
    assert get_view(vault, memory.id).is_dropped
    (root / "AGENTS.md").write_text(YARD, "utf-8")
    bring(vault, root)
    assert not get_view(vault, memory.id).is_dropped
    assert review_queue(vault, EVERYTHING) == []  # as on the way back to another branch
