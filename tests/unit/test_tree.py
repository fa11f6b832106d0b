"""Anchors are held against the working tree, and the check changes nothing."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import make_memory

from memtui.curate.anchors import check_anchors
from memtui.curate.fields import rehashed
from memtui.domain.memory import MATCHED, Anchor, Memory
from memtui.tree import Tree, file_hash

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("src/a.py", "fresh"),
        ("src/a.py::x", "fresh"),
        ("src/", "fresh"),
        ("src/**/*.py", "fresh"),
        ("src/*.{py,ts}", "fresh"),
        ("lib/**/*.py", "unverifiable"),
        ("src/*.ts", "unverifiable"),
        ("src/b.py", "gone"),
        ("b.py", "gone"),
        ("kiln/sdk.h", "unverifiable"),
        ("src/kiln/sdk.h", "unverifiable"),
        ("checks/install@v2/", "unverifiable"),
        ("/etc/passwd", "unverifiable"),
        ("../elsewhere.py", "unverifiable"),
        ("https://example.com/a.py", "unverifiable"),
        ("~/notes.md", "unverifiable"),
        ("", "unverifiable"),
        ("x" * 5000, "unverifiable"),
    ],
)
def test_what_the_tree_says(root: Path, path: str, state: str) -> None:
    assert Tree("", root).state(Anchor(path)) == state


def test_a_file_that_was_edited_since_the_verification_is_changed(root: Path) -> None:
    anchor = Anchor("src/a.py", file_hash(root / "src" / "a.py"))
    assert Tree("", root).state(anchor) == "fresh"
    (root / "src" / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert Tree("", root).state(anchor) == "changed"
    (root / "src" / "a.py").unlink()
    assert Tree("", root).state(anchor) == "gone"


def test_what_was_there_when_its_memory_was_verified_is_gone_with_its_whole_folder(root: Path) -> None:
    (root / "kiln").mkdir()
    (root / "kiln" / "sdk.h").write_text("int heat();\n", encoding="utf-8")
    verified = rehashed([Anchor("kiln/sdk.h")], Tree("shop", root))
    (root / "kiln" / "sdk.h").unlink()
    (root / "kiln").rmdir()
    assert [Tree("shop", root).state(anchor) for anchor in verified] == ["gone"]


def test_a_glob_is_gone_only_if_files_fitted_it_when_its_memory_was_verified(root: Path) -> None:
    before = (Anchor("src/*.py"), Anchor("src/*.ts"), Anchor("src/a.py"))
    fitted, never, _ = rehashed(before, Tree("shop", root))
    assert (fitted, never) == (Anchor("src/*.py", MATCHED), Anchor("src/*.ts"))
    (root / "src" / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert Tree("shop", root).state(fitted) == "fresh", "what the files hold is another matter"
    (root / "src" / "a.py").unlink()
    assert [Tree("shop", root).state(anchor) for anchor in (fitted, before[0], never)] == [
        "gone",
        "unverifiable",
        "unverifiable",
    ]


def test_a_folder_with_brackets_in_its_name_is_a_folder_and_an_emptied_one_is_there(root: Path) -> None:
    page = root / "app" / "[id]" / "page.tsx"
    page.parent.mkdir(parents=True)
    page.write_text("one", encoding="utf-8")
    anchor = Anchor("app/[id]/page.tsx", file_hash(page))
    assert Tree("shop", root).state(anchor) == "fresh"
    page.write_text("two", encoding="utf-8")
    assert Tree("shop", root).state(anchor) == "changed"
    assert Tree("shop", root).state(Anchor("app/[id]")) == "fresh"
    page.unlink()
    assert Tree("shop", root).state(Anchor("app/[id]")) == "unverifiable"


def test_a_file_that_git_knows_and_that_was_deleted_fits_no_glob(root: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True, cwd=root)
    subprocess.run(["git", "add", "--all"], check=True, cwd=root)
    (root / "src" / "a.py").unlink()
    assert Tree("shop", root).state(Anchor("**/*.py", MATCHED)) == "gone"


def test_line_ends_alone_change_nothing(root: Path) -> None:
    anchor = Anchor("src/a.py", file_hash(root / "src" / "a.py"))
    (root / "src" / "a.py").write_bytes(b"x = 1\r\n")
    assert Tree("", root).state(anchor) == "fresh"


def test_only_the_tree_of_its_own_project_says_something_of_a_memory(root: Path) -> None:
    memory = Memory(
        id="abcdefgh",
        title="t",
        insight="i",
        project="shop",
        created_at=NOON,
        updated_at=NOON,
        anchors=(Anchor("src/a.py"), Anchor("src/b.py")),
    )
    assert Tree("shop", root).states(memory) == {"src/a.py": "fresh", "src/b.py": "gone"}
    assert Tree("other", root).states(memory) == {}


def _memory(*paths: str) -> Memory:
    anchors = tuple(Anchor(path) for path in paths)
    return Memory(
        id="abcdefgh", title="t", insight="i", project="shop", created_at=NOON, updated_at=NOON, anchors=anchors
    )


@pytest.mark.parametrize("git", [True, False])
def test_the_end_of_a_path_means_the_one_file_that_has_it(root: Path, git: bool) -> None:
    if git:
        subprocess.run(["git", "init", "-q", "."], check=True, cwd=root)
        (root / ".gitignore").write_text("build/\n", encoding="utf-8")
    for name in ("src/cart/service.py", "src/cart/lines.py", "src/tax/lines.py", "src/cart/index.ts", "docs/README.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    (root / "build").mkdir()
    (root / "build" / "service.py").write_text("x", encoding="utf-8")
    states = {
        "service.py": "fresh",
        "service.py::capture": "fresh",
        "./cart/service.py": "fresh",
        "cart/lines.py": "fresh",
        "cart/index.ts": "fresh",
        "lines.py": "unverifiable",
        "art/lines.py": "unverifiable",
        "index.ts": "gone",
        "README.md": "gone",
        "missing.py": "gone",
        "service.py/": "unverifiable",
        "src/service.py/": "gone",
        "cart/": "unverifiable",
        "src/carts/": "gone",
        "cart": "gone",
        "../service.py": "unverifiable",
    }
    tree = Tree("shop", root)
    assert tree.states(_memory(*states)) == states
    assert tree.resolve("service.py::capture") == "src/cart/service.py"
    assert tree.resolve("src/a.py") == "src/a.py"
    assert tree.resolve("*.py") is None
    (root / "src" / "cart" / "service.py").unlink()
    assert tree.states(_memory("service.py")) == {"service.py": "gone"}, "a list made before is no proof"


def test_a_file_found_by_the_end_of_its_path_is_held_against_its_content(root: Path) -> None:
    (root / "src" / "service.py").write_text("x = 1\n", encoding="utf-8")
    memory = replace(_memory(), anchors=(Anchor("service.py", file_hash(root / "src" / "service.py")),))
    assert Tree("shop", root).states(memory) == {"service.py": "fresh"}
    (root / "src" / "service.py").write_text("x = 2\n", encoding="utf-8")
    assert Tree("shop", root).states(memory) == {"service.py": "changed"}


def test_what_lies_in_a_submodule_that_is_not_checked_out_is_not_gone(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    held = f"160000,{'1' * 40},hull/core"
    subprocess.run(["git", "-C", str(root), "update-index", "--add", "--cacheinfo", held], check=True)
    (root / ".gitmodules").write_text('[submodule "hull"]\n\tpath = hull/core\n\turl = https://example.com/core.git\n')
    (root / "hull" / "core").mkdir(parents=True)
    (root / ".gitignore").write_text("out/\n")
    tree = Tree("ferry", root)
    tree.learn_ignored(["hull/core/keel.py", "out/log.txt", "hull/mast.py"])
    assert [tree.ignores(path) for path in ("hull/core/keel.py", "out/log.txt", "hull/mast.py")] == [True, True, False]
    assert Tree("ferry", root).state(Anchor("hull/core/keel.py")) == "unverifiable"
    (found,) = check_anchors([make_memory(project="ferry", anchors=(Anchor("hull/core/keel.py"),))], tree)
    assert (found.state, found.suggestion) == ("unverifiable", None)
    (root / "hull" / "core" / "rib.py").write_text("x = 1\n")
    assert Tree("ferry", root).state(Anchor("hull/core/keel.py")) == "gone"


def test_what_git_ignores_is_generated_and_never_gone(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("src/build/\n*.log\n", encoding="utf-8")
    states = {
        path: Tree("", root).state(Anchor(path)) for path in ("src/build/", "src/build", "src/run.log", "src/b.py")
    }
    assert states == {
        "src/build/": "unverifiable",
        "src/build": "unverifiable",
        "src/run.log": "unverifiable",
        "src/b.py": "gone",
    }
    (found,) = check_anchors([make_memory(project="ferry", anchors=(Anchor("src/build/"),))], Tree("ferry", root))
    assert found.state == "unverifiable"


def test_a_folder_whose_content_git_ignores_is_not_gone_though_it_once_held_files(root: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=k", "-c", "user.email=k@example.com", *arguments], check=True, cwd=root)

    names = ("sails/**/*.js", "masts/*", "**/ropes/*.log")
    folders = ("sails/", "masts/", "deck/ropes/", "hulls/", "deck/planks/")
    for folder in folders:
        (root / folder).mkdir(parents=True)
        (root / folder / "old.txt").write_text("x", encoding="utf-8")
    git("init", "-q", ".")
    git("add", "--all")
    git("commit", "-qm", "begin")
    for folder in folders:
        (root / folder / "old.txt").unlink()
        if folder != "deck/planks/":
            (root / folder).rmdir()
    (root / ".gitignore").write_text("\n".join([*names, "!masts/crew.md", "!hulls/*"]), encoding="utf-8")
    git("add", "--all")
    git("commit", "-qm", "let git ignore what is built")
    memory = make_memory(project="ferry", anchors=tuple(map(Anchor, folders)))
    states = {found.path: found.state for found in check_anchors([memory], Tree("ferry", root))}
    assert states == {**dict.fromkeys(folders, "unverifiable"), "hulls/": "gone"}
