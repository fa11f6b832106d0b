"""Dead anchors: one finding for each path, and one for a rule file that holds for no file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from curating import AGENT, PERSON, START, get, new_vault, repository
from support import make_memory

from memtui.curate.anchors import glance, let_be_gone, untie
from memtui.curate.dead_places import dead_keys, places_seen
from memtui.curate.fields import ListChanges, anchors_for
from memtui.curate.history import undo
from memtui.curate.memories import edit_memory
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport, report_record
from memtui.curate.views import get_view
from memtui.domain.memory import Anchor, Memory, Source
from memtui.errors import RefusedError
from memtui.tree import Tree
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

RULES = {"knots": ("rope/**/*.py", "knots/"), "tides": ("hull/*.py", "moor.py"), "crews": ("crew/**/*.py", "log/*.md")}
"""Rule files by what they hold for: of the second one alternative is there, of the others none."""


def rule(name: str, number: int) -> Memory:
    paths = (*RULES[name], *(["hull/winch.py"] if number == 0 else []))
    return make_memory(
        id=f"{name}{number}22222"[:8],
        title=f"{name} rule {number}",
        insight="Oil `hull/winch.py` weekly." if number == 0 else f"Rule {number} of {name}.",
        project="shop",
        anchors=tuple(Anchor(path) for path in paths),
        sources=(Source(format="cursor", path=f".cursor/rules/{name}.mdc"),),
        created_at=START,
        updated_at=START,
    )


@pytest.fixture
def yard(tmp_path: Path) -> tuple[Vault, Tree]:
    root = repository(tmp_path / "shop", {"hull/keel.py": "1\n", "hull/ribs/fore.py": "2\n", "README.md": "x\n"})
    vault, _ = new_vault(tmp_path)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([rule(name, number) for name in RULES for number in range(3)])
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="typed222", title="Typed", project="shop", anchors=(Anchor("hull/mast.py"),)))
    return vault, Tree("shop", root)


def look(yard: tuple[Vault, Tree]) -> TidyReport:
    vault, tree = yard
    return tidy(vault, TidyOptions(tree=tree))


def test_a_path_is_told_once_and_a_rule_file_that_holds_for_nothing_as_such(yard: tuple[Vault, Tree]) -> None:
    report = look(yard)
    found = {anchor.file or anchor.path: anchor for anchor in report.anchors}
    assert set(found) == {".cursor/rules/knots.mdc", ".cursor/rules/crews.mdc", "hull/winch.py", "hull/mast.py"}
    crews, winch = found[".cursor/rules/crews.mdc"], found["hull/winch.py"]
    assert (set(crews.ids), crews.paths) == ({rule("crews", number).id for number in range(3)}, RULES["crews"])
    assert set(winch.ids) == {rule(name, 0).id for name in RULES}
    record = {one["path"]: one for one in report_record(report)["anchors"]}
    assert record["hull/winch.py"]["ids"] == list(winch.ids)
    assert record["crew/**/*.py"]["file"] == crews.file
    assert (record["hull/mast.py"], len(report.ids("anchors"))) == (
        {"id": "typed222", "path": "hull/mast.py", "state": "gone"},
        8,
    )


def test_a_shared_path_is_taken_out_or_let_be_gone_for_all_at_once(yard: tuple[Vault, Tree]) -> None:
    vault, _ = yard
    found = {anchor.file or anchor.path: anchor for anchor in look(yard).anchors}
    winch, knots = found["hull/winch.py"], found[".cursor/rules/knots.mdc"]
    with pytest.raises(RefusedError):
        untie(vault, winch, actor=AGENT)
    untie(vault, winch, actor=PERSON)
    assert not {"hull/winch.py"} & {anchor.path for one in winch.ids for anchor in get(vault, one).anchors}
    assert "hull/winch.py" not in {anchor.path for anchor in look(yard).anchors}
    undo(vault, actor=PERSON)
    let_be_gone(vault, winch.ids, winch.paths, actor=PERSON)
    let_be_gone(vault, knots.ids, knots.paths, actor=PERSON)
    assert {anchor.file or anchor.path for anchor in look(yard).anchors} == {".cursor/rules/crews.mdc", "hull/mast.py"}


def test_a_look_counts_what_tidy_finds(yard: tuple[Vault, Tree]) -> None:
    vault, tree = yard
    seen, kept = glance(vault, MemoryFilter(), tree)
    elsewhere, _ = glance(vault, MemoryFilter())
    found = {(anchor.file, anchor.path, frozenset(anchor.ids)) for anchor in look(yard).anchors}
    assert {(one.file, one.path, frozenset(one.ids)) for one in places_seen(vault, seen, kept)} == found
    keys = {identifier: anchor.key for (identifier, _), anchor in seen.items()}
    named = {keys[identifier] for _, _, ids in found for identifier in ids}
    assert set(dead_keys(vault, MemoryFilter(), tree)) == named
    assert places_seen(vault, elsewhere, kept) == (), "nothing is lost that no tree here tells of"


def test_a_glob_that_a_person_ties_to_nothing_is_told_and_one_that_git_ignores_is_not(yard: tuple[Vault, Tree]) -> None:
    vault, tree = yard
    (tree.root / ".gitignore").write_text("made/\n", encoding="utf-8")
    tied = anchors_for(["sails/**", "made/*.py", "hull/**"], root=tree.root, folder=tree.root)
    edit_memory(vault, "typed222", {}, lists=ListChanges(add_anchors=tied), actor=PERSON)
    view = get_view(vault, "typed222", tree=tree)
    told = {path for path, state in view.anchor_states.items() if state == "gone"}
    assert told == {"hull/mast.py", "sails/**"}
    assert {one.path for one in look(yard).anchors if "typed222" in one.ids} == told


def test_what_a_text_names_from_its_own_folder_or_with_alternatives_is_no_scope_of_its_file(
    yard: tuple[Vault, Tree],
) -> None:
    vault, _ = yard
    paths = ("hull/*.adb", "hull/ribs/aft.py", "hull/plank.c", "hull/plank.h")
    text = "Tar `hull/plank.{c,h}` and `ribs/aft.py`."
    memory = make_memory(
        id="beside22",
        title="Tar",
        insight=text,
        project="shop",
        anchors=tuple(Anchor(path) for path in paths),
        sources=(Source(format="agents", path="hull/AGENTS.md"),),
        created_at=START,
        updated_at=START,
    )
    with vault.write(actor="person", action="import") as writer:
        writer.put(memory)
    found = {anchor.path for anchor in look(yard).anchors if memory.id in anchor.ids and not anchor.file}
    assert found == {"hull/plank.c", "hull/plank.h", "hull/ribs/aft.py"}


@pytest.mark.parametrize(
    ("pattern", "files", "meant"),
    [
        ("pier/*", ("pier/README.md", "pier/north/a.yaml", "pier/south/b.yaml"), "pier/**"),
        ("pier/*", ("pier/north/a.yaml",), "pier/**"),
        ("pier/*", ("pier/crane.yaml", "pier/north/a.yaml", "pier/south/b.yaml"), ""),
        ("pier/*", ("pier/README.md", "pier/north/a.md", "pier/south/b.png"), ""),
        ("pier/**", ("pier/README.md", "pier/north/a.yaml", "pier/south/b.yaml"), ""),
        ("*", ("README.md", "pier/a.yaml", "pier/b.yaml"), ""),
    ],
)
def test_a_rule_file_whose_pattern_leaves_out_the_folders_below_is_told_with_what_may_be_meant(
    tmp_path: Path, pattern: str, files: tuple[str, ...], meant: str
) -> None:
    tree = Tree("shop", repository(tmp_path / "shop", dict.fromkeys(files, "x\n")))
    vault, _ = new_vault(tmp_path)
    piers = replace(rule("crews", 1), anchors=(Anchor(pattern),))
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([piers])
    found = look((vault, tree)).anchors
    assert [(one.ids, one.paths, one.meant) for one in found] == ([((piers.id,), (pattern,), meant)] if meant else [])
    assert places_seen(vault, *glance(vault, MemoryFilter(), tree)) == found
    assert not meant or report_record(look((vault, tree)))["anchors"][0]["meant"] == meant
