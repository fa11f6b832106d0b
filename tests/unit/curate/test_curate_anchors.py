"""Snoozing until a file changes. What git and the working tree say about a memory's files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, bring, commit, everything, get, git, new_vault, repository, write_files
from support import make_memory

from memtui.curate.anchors import check_anchors, check_trees, dead_anchors, let_be_gone, snooze_until_change
from memtui.curate.bulk_changes import SkipReason
from memtui.curate.file_history import MOST_FILES, MOST_LINES, FileChange, file_changes
from memtui.curate.history import redo, undo
from memtui.curate.lifecycle import verify
from memtui.curate.memories import edit_memory
from memtui.curate.review_queue import review_queue
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.views import get_view, view_record
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import MATCHED, Anchor, Memory
from memtui.errors import NotFoundError, RefusedError
from memtui.git import run_git
from memtui.tree import Tree, file_hash
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


@pytest.fixture
def root_anchors(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", {"pay/lock.py": "lock\n", "pay/card.py": "card\n", "docs/pay.md": "pay\n"})


def stale(vault: Vault, root_anchors: Path, *files: str) -> str:
    memory = add(vault, f"Rule on {' '.join(files)}", kind="note", files=list(files), folder=root_anchors)
    vault.now.pass_days(100)  # type: ignore[attr-defined] # the clock of the tests
    return memory.id


def due(vault: Vault) -> dict[str, str]:
    return {found.memory.id: found.why for found in review_queue(vault, EVERYTHING)}


def look(vault: Vault, root_anchors: Path) -> None:
    check_trees(vault, [Tree("shop", root_anchors)])


@pytest.mark.parametrize(
    ("anchor", "change"),
    [
        ("pay/lock.py", {"pay/lock.py": "another lock\n"}),
        ("pay/*.py", {"pay/new.py": "new\n"}),
        ("pay", {"pay/card.py": "another card\n"}),
    ],
)
def test_it_is_due_again_once_a_file_is_another(
    vault: Vault, root_anchors: Path, anchor: str, change: dict[str, str]
) -> None:
    memory = stale(vault, root_anchors, anchor)
    assert memory in due(vault)
    (snoozed,) = snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors)).changed
    assert snoozed.snoozed_until == UNTIL_CHANGE
    look(vault, root_anchors)
    vault.now.pass_days(1_000)  # type: ignore[attr-defined] # as above
    write_files(root_anchors, {"docs/pay.md": "another page\n"})
    look(vault, root_anchors)
    assert due(vault) == {}, "neither time nor another file brings it back"
    assert get_view(vault, memory).due_at is None
    write_files(root_anchors, change)
    assert due(vault) == {}, "a check has to see it first"
    look(vault, root_anchors)
    assert "a file changed since it was snoozed" in due(vault)[memory]
    assert get_view(vault, memory).due_at is not None
    verify(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors))
    assert due(vault) == {}


def test_a_file_that_goes_or_comes_is_a_change_too(vault: Vault, root_anchors: Path) -> None:
    memory = stale(vault, root_anchors, "pay/lock.py")
    (root_anchors / "pay/lock.py").unlink()
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors))
    look(vault, root_anchors)
    assert due(vault) == {}
    write_files(root_anchors, {"pay/lock.py": "lock\n"})
    look(vault, root_anchors)
    assert memory in due(vault)


def test_a_second_snooze_waits_for_the_next_change(vault: Vault, root_anchors: Path) -> None:
    memory = stale(vault, root_anchors, "pay/lock.py")
    for text in ("two\n", "three\n"):
        snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors))
        assert due(vault) == {}
        look(vault, root_anchors)
        assert due(vault) == {}
        write_files(root_anchors, {"pay/lock.py": text})
        look(vault, root_anchors)
        assert memory in due(vault)


def test_undo_takes_the_snooze_and_what_it_waits_for_back(vault: Vault, root_anchors: Path) -> None:
    memory = stale(vault, root_anchors, "pay/lock.py")
    before = everything(vault)
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors))
    after = everything(vault)
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    assert memory in due(vault)
    redo(vault, actor=PERSON)
    assert everything(vault) == after
    write_files(root_anchors, {"pay/lock.py": "two\n"})
    look(vault, root_anchors)
    assert memory in due(vault)


def test_a_file_that_may_be_gone_is_reported_no_more_wherever_the_memory_goes(
    vault: Vault, root_anchors: Path, tmp_path: Path
) -> None:
    identifier = stale(vault, root_anchors, "pay/lock.py", "pay/card.py")
    verify(vault, [identifier], actor=PERSON)
    for name in ("pay/lock.py", "pay/card.py"):
        (root_anchors / name).unlink()
    tree = Tree("shop", root_anchors)

    def reported(of: Vault) -> tuple[list[str], list[str], bool]:
        check_trees(of, [tree])
        found = [anchor.path for anchor in tidy(of, TidyOptions(tree=tree)).anchors]
        dead = [path for _, path in dead_anchors(of, MemoryFilter(), tree)]
        return sorted(found), sorted(dead), "pay/lock.py is gone" in str(due(of))

    both = ["pay/card.py", "pay/lock.py"]
    assert reported(vault) == (both, both, True)
    with pytest.raises(NotFoundError, match="not tied to this file"):
        let_be_gone(vault, [identifier], ["pay/other.py"], actor=PERSON)
    with pytest.raises(RefusedError):
        let_be_gone(vault, [identifier], ["pay/lock.py"], actor=AGENT)
    let_be_gone(vault, [identifier], ["pay/lock.py"], actor=PERSON)
    assert reported(vault) == (["pay/card.py"], ["pay/card.py"], False), "the other file still is"
    carried, _ = new_vault(tmp_path)
    kept = tmp_path / "kept.jsonl"
    kept.write_text(everything(vault), "utf-8")
    bring(carried, kept, folder=root_anchors)
    assert reported(carried)[:2] == (["pay/card.py"], ["pay/card.py"])
    edit_memory(vault, identifier, {"insight": "Another text on both"}, actor=PERSON)
    assert reported(vault)[0] == ["pay/card.py"], "it is about the file, not the text"
    undo(vault, actor=PERSON)
    undo(vault, actor=PERSON)
    assert reported(vault)[:2] == (both, both)


def test_the_record_keeps_its_shape(vault: Vault, root_anchors: Path) -> None:
    memory = stale(vault, root_anchors, "pay/lock.py")
    snooze_until_change(vault, [memory], actor=PERSON, tree=Tree("shop", root_anchors))
    record = view_record(get_view(vault, memory), vault.kinds)
    assert (record["snoozed_until"], record["due_at"]) == ("9999-12-31T00:00:00Z", None)


def test_what_cannot_change_is_left_alone_and_agents_may_not(vault: Vault, root_anchors: Path) -> None:
    loose, elsewhere = add(vault, "Tied to nothing"), add(vault, "Elsewhere", files=["x/*.py"], project="till")
    moved = stale(vault, root_anchors, "pay/lock.py")
    version = get(vault, moved).version
    edit_memory(vault, moved, {"tags": ["x"]}, actor=PERSON)
    tree = Tree("shop", root_anchors)
    ids = [loose.id, elsewhere.id, moved]
    outcome = snooze_until_change(vault, ids, actor=PERSON, tree=tree, versions={moved: version})
    assert outcome.changed == ()
    assert {each.id: each.reason for each in outcome.skipped} == {
        loose.id: SkipReason.NO_FILES,
        elsewhere.id: SkipReason.UNKNOWN_FOLDER,
        moved: SkipReason.CHANGED,
    }
    with pytest.raises(RefusedError):
        snooze_until_change(vault, [moved], actor=AGENT, tree=tree)


VERIFIED = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture
def tree_history(tmp_path: Path) -> Tree:
    """A repository whose file changed in March, after the memory was verified in February."""
    root = repository(
        tmp_path / "shop",
        {"pay/service.py": "for i in range(3):\n    send()\n", "pay/lock.py": "lock()\n", "[x]/a.py": "one\n"},
    )
    write_files(root, {"pay/service.py": "@idempotent\n    send()\n\x1b[31m\tred()\n", "[x]/a.py": "two\n"})
    commit(root, on="2026-03-01")
    return Tree("shop", root)


def tied(*paths: str, verified_at: datetime | None = VERIFIED, **values: object) -> Memory:
    anchors = tuple(Anchor(path) for path in paths)
    return make_memory(anchors=anchors, verified_at=verified_at, project="shop", **values)


def test_lines_added_and_taken_away_since_it_was_verified(tree_history: Tree) -> None:
    changed, same = file_changes(tied("pay/service.py", "pay/lock.py"), tree_history)
    assert (changed.added, changed.removed) == (2, 1)
    assert changed.lines[:2] == ("-for i in range(3):", "+@idempotent")
    assert "\x1b" not in "".join(changed.lines), "control characters are written out"
    assert (same.added, same.removed, same.lines) == (0, 0, ())


def test_nothing_changed_since_a_later_verification(tree_history: Tree) -> None:
    (change,) = file_changes(tied("pay/service.py", verified_at=datetime(2026, 4, 1, tzinfo=UTC)), tree_history)
    assert (change.added, change.removed) == (0, 0)


def test_names_are_taken_as_they_are_and_short_ones_are_found(tree_history: Tree) -> None:
    magic, short = file_changes(tied(":(exclude)pay", "service.py"), tree_history)
    assert not magic.lines
    assert (short.added, short.removed) == (2, 1)


def test_globs_folders_outside_and_many_files_are_no_trouble(tree_history: Tree) -> None:
    paths = ("pay/*.py", "../elsewhere.py", "/etc/passwd", "gone.py", "--output=x", *(f"f{n}.py" for n in range(9)))
    found = file_changes(tied(*paths), tree_history)
    assert len(found) == MOST_FILES
    assert all(not change.lines for change in found)
    assert not list(tree_history.root.glob("x"))


def test_only_the_first_lines_of_a_large_change_are_kept(tree_history: Tree) -> None:
    write_files(tree_history.root, {"pay/lock.py": "".join(f"line {number} {'y' * 500}\n" for number in range(1_000))})
    commit(tree_history.root, on="2026-03-02")
    (change,) = file_changes(tied("pay/lock.py"), tree_history)
    assert change.added == 1_000
    assert len(change.lines) == MOST_LINES
    assert max(map(len, change.lines)) <= 200


def test_files_that_are_gone_or_moved_are_told_before_those_that_are_as_they_were(tree_history: Tree) -> None:
    memory = tied("[x]/a.py", "pay/", "pay/old.py", "pay/lock.py")
    told = file_changes(memory, tree_history, moves={"pay/lock.py": "pay/locking.py"})
    assert [(one.path, one.state) for one in told[:2]] == [("pay/old.py", "gone"), ("pay/lock.py", "moved")]


def test_without_a_tree_or_a_repository_git_says_nothing(tree_history: Tree, tmp_path: Path) -> None:
    assert file_changes(tied("pay/lock.py"), None) == [FileChange("pay/lock.py", None)]
    assert file_changes(tied("pay/lock.py"), Tree("other", tree_history.root)) == [FileChange("pay/lock.py", None)]
    (tmp_path / "plain").mkdir()
    (change,) = file_changes(tied("pay/lock.py"), Tree("shop", tmp_path / "plain"))
    assert change.added is None


def test_drivers_of_the_repository_are_not_run(tree_history: Tree, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(tree_history.root, "config", "diff.evil.textconv", f"touch {ran};cat")
    git(tree_history.root, "config", "diff.evil.command", f"touch {ran};true")
    write_files(tree_history.root, {".gitattributes": "*.py diff=evil\n"})
    (change,) = file_changes(tied("pay/service.py"), tree_history)
    assert change.added == 2
    assert not ran.exists()


def test_what_is_not_committed_yet_is_shown_too_and_runs_no_filter(tree_history: Tree, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    git(tree_history.root, "config", "filter.evil.clean", f"touch {ran};cat")
    git(tree_history.root, "config", "filter.evil.smudge", f"touch {ran};cat")
    write_files(tree_history.root, {".gitattributes": "*.py filter=evil\n"})
    verified = tied("pay/lock.py", verified_at=datetime(2026, 4, 1, tzinfo=UTC))
    memory = replace(verified, anchors=(Anchor("pay/lock.py", file_hash(tree_history.root / "pay/lock.py")),))
    write_files(tree_history.root, {"pay/lock.py": "lock()\nrelease()\n"})
    (change,) = file_changes(memory, tree_history)
    assert change == FileChange("pay/lock.py", "changed", 1, 0, ("+release()",))
    assert not ran.exists()


def test_a_move_is_no_change_of_the_text(tree_history: Tree) -> None:
    git(tree_history.root, "mv", "pay/lock.py", "pay/locking.py")
    commit(tree_history.root, on="2026-03-05")
    (before,) = file_changes(tied("pay/lock.py"), tree_history)
    assert (before.state, before.removed) == ("gone", 1)
    (told,) = file_changes(tied("pay/lock.py::lock"), tree_history, moves={"pay/lock.py::lock": "pay/locking.py::lock"})
    assert told == FileChange("pay/lock.py::lock", "moved", 0, 0)
    write_files(tree_history.root, {"pay/locking.py": "lock()\nrelease()\n" + "more()\n"})
    commit(tree_history.root, on="2026-03-06")
    (followed,) = file_changes(tied("pay/locking.py"), tree_history)
    assert followed.added is not None
    assert followed.lines[-1] == "+more()"


def test_a_file_that_is_there_in_other_capitals_is_where_its_path_leads(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "shop", {".github/pull_request_template.md": "What and why\n", "Pier/A.py": "", "a": ""}
    )
    memory = tied(".github/PULL_REQUEST_TEMPLATE.md", "pier/a.py::dock", ".github/gone.md")
    found = {one.path: (one.state, one.suggestion) for one in check_anchors([memory], Tree("shop", root))}
    assert found[".github/PULL_REQUEST_TEMPLATE.md"] == ("moved", ".github/pull_request_template.md")
    assert found["pier/a.py::dock"] == ("moved", "Pier/A.py::dock")
    assert found[".github/gone.md"] == ("gone", None)


def test_a_bare_folder_that_is_there_below_another_is_not_gone_though_the_root_had_one(tmp_path: Path) -> None:
    files = {f"{name}/{number}.py": f"{name} {number}\n" for name in ("quay", "crane", "winch") for number in range(3)}
    root = repository(tmp_path / "shop", {**files, "dock/winch/a.py": "another\n"})
    for name in ("quay", "crane", "winch"):
        git(root, "mv", name, "dock/old" if name == "crane" else f"dock/new-{name}" if name == "winch" else "dock/quay")
    write_files(root, {"pier/crane/a.py": "a\n", "lock/crane/b.py": "b\n"})
    commit(root, on="2026-03-01")
    memory = tied("quay/", "crane/", "winch/", "hold/")
    found = {one.path: (one.state, one.suggestion) for one in check_anchors([memory], Tree("shop", root))}
    assert found == {
        "quay/": ("moved", "dock/quay/"),  # the only one of this name, and git saw it go there
        "crane/": ("unverifiable", None),  # every place may be meant
        "winch/": ("unverifiable", None),  # another one of this name than the one that git saw go
        "hold/": ("unverifiable", None),
    }


def test_git_is_asked_once_of_all_globs_that_fit_no_file(root_anchors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(root: Path, *arguments: str, **options: float) -> str | None:
        asked.extend(word for word in arguments if word == "check-ignore")
        return run_git(root, *arguments, **options)

    monkeypatch.setattr("memtui.tree.run_git", counted)
    memory = make_memory(project="shop", anchors=tuple(Anchor(f"pier{at}/*.py", MATCHED) for at in range(9)))
    assert {found.state for found in check_anchors([memory], Tree("shop", root_anchors))} == {"gone"}
    assert asked == ["check-ignore"]
