"""Values of fields as people type them: files, globs and symbols, tags and completions."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import write_files
from hypothesis import given
from hypothesis import strategies as st

from memtui.curate.fields import (
    anchors_for,
    check_files,
    completions,
    files_from,
    nameable_files,
    rehashed,
    relative_name,
    vault_tags,
)
from memtui.domain.memory import MATCHED, Anchor, Memory
from memtui.errors import EXIT_USAGE, UsageError
from memtui.tree import Tree, file_hash
from memtui.vault.vault import Vault


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path / "shop", {"src/pay.py": "x = 1\n", "src/deep/lock.py": "y\n", "README.md": "z\n"})
    write_files(tmp_path, {"outside.md": "z\n"})
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("src/pay.py", "src/pay.py"),
        ("./src/pay.py", "src/pay.py"),
        ("src/../README.md", "README.md"),
        ("src/", "src"),
        ("src/pay.py::charge", "src/pay.py::charge"),
        ("gone/a.py", "gone/a.py"),
        ("./gone/a.py", "gone/a.py"),
        (r"gone\a.py", "gone/a.py"),
    ],
)
def test_a_name_is_taken_from_the_root(root: Path, given: str, name: str) -> None:
    assert relative_name(given, root=root, folder=root) == name


def test_a_name_typed_in_a_folder_or_in_full_is_the_same(root: Path) -> None:
    names = [
        relative_name("pay.py", root=root, folder=root / "src"),
        relative_name("../src/pay.py", root=root, folder=root / "src"),
        relative_name(str(root / "src/pay.py"), root=root, folder=root / "src/deep"),
    ]
    assert set(names) == {"src/pay.py"}


def test_a_name_through_a_link_to_the_project_is_the_same(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert relative_name("src/pay.py", root=root, folder=tmp_path / "link") == "src/pay.py"
    assert relative_name("src/pay.py", root=tmp_path / "link", folder=root) == "src/pay.py"


def test_a_file_outside_keeps_its_whole_path(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    assert relative_name(str(outside), root=root, folder=root) == outside.as_posix()


def test_names_in_other_scripts_are_names(root: Path) -> None:
    write_files(root, {"文書/設計\u3000書.md": "x"})
    (anchor,) = anchors_for(["文書/設計\u3000書.md"], root=root, folder=root)
    assert anchor.path == "文書/設計\u3000書.md"


def test_a_file_that_exists_or_that_an_anchor_names_will_do(root: Path) -> None:
    anchors = ["old/gone.py::f", "lib/**/*.ts", "docs/"]
    given = ["src/pay.py", "old/gone.py", "lib/a/b.ts", "docs/x.md", "./src/pay.py"]
    assert check_files(given, root=root, folder=root, anchors=anchors) == given[:-1]


def test_a_path_typed_in_part_is_an_error_and_a_folder_is_one_without_its_slash(root: Path) -> None:
    write_files(root, {"lib/weir/gate.ts": "x"})
    for part, whole in (("lib/we", "lib/weir"), ("lib/wier", "lib/weir"), ("lib/weir/gate.t", "lib/weir/gate.ts")):
        with pytest.raises(UsageError, match=f"No such file or folder.*Did you mean {whole}"):
            check_files([part], root=root, folder=root, anchors=["lib/**"])
    given = ["lib/weir", "lib/weir/", "lib/weir/planned.ts"]
    assert check_files(given, root=root, folder=root, anchors=["lib/**"]) == ["lib/weir/", "lib/weir/planned.ts"]


def test_any_other_file_is_an_error_that_names_the_nearest(root: Path) -> None:
    with pytest.raises(UsageError, match=r"Did you mean old/gone\.py") as refused:
        check_files(["old/gon.py"], root=root, folder=root, anchors=["old/gone.py"])
    assert refused.value.exit_code == EXIT_USAGE
    assert "old/gon.py" in str(refused.value)


@pytest.mark.parametrize(
    "name", ["x" * 5000, "a/" * 4000 + "b", "a\x00b", "a\nb", "\x1b[31m", "a\udcffb", "::", "~nobody/x"]
)
def test_a_name_that_no_system_takes_is_an_error_too(root: Path, name: str) -> None:
    with pytest.raises(UsageError):
        anchors_for([name] if name != "::" else ["gone::"], root=root, folder=root)
    with pytest.raises(UsageError):
        check_files([name] if name != "::" else ["gone::"], root=root, folder=root, anchors=[])


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_an_error(name: str) -> None:
    try:
        anchors_for([name], root=Path("/nowhere/at/all"), folder=Path("/nowhere/at/all"))
    except UsageError as error:
        assert str(error)  # noqa: PT017 - most texts are errors, and each has words


def test_globs_typed_below_the_root_hold_from_the_root(root: Path) -> None:
    def glob(text: str, folder: Path) -> str:
        (anchor,) = anchors_for([text], root=root, folder=folder)
        assert anchor.content_hash == MATCHED, "what a person names is expected to be there"
        assert relative_name(text, root=root, folder=folder) == anchor.path
        return anchor.path

    assert glob("*.py", root) == "*.py"
    assert glob("*.py", root / "src") == "src/*.py"
    assert glob("deep/*.py", root / "src") == "src/deep/*.py"
    assert glob("src/**", root / "src") == "src/**"
    assert glob("**/*.{py,md}", root / "src/deep") == "src/deep/**/*.{py,md}"


def test_the_hash_of_a_file_is_kept_and_renewed(root: Path) -> None:
    before = file_hash(root / "src/pay.py")
    anchors = (Anchor("src/pay.py", before), Anchor("src"), Anchor("src/*.py"))
    write_files(root, {"src/pay.py": "x = 2\n"})
    renewed = rehashed(anchors, Tree("shop", root))
    assert renewed[0].content_hash == file_hash(root / "src/pay.py") != before
    assert renewed[1:] == (anchors[1], Anchor("src/*.py", MATCHED)), "a glob takes note that files fit it"


def test_line_ends_do_not_change_the_hash_of_a_file(root: Path) -> None:
    before = file_hash(root / "src/pay.py")
    write_files(root, {"src/pay.py": "x = 1\r\n"})
    assert file_hash(root / "src/pay.py") == before


def test_a_file_that_is_gone_keeps_the_hash_it_had(root: Path) -> None:
    anchors = anchors_for(["src/pay.py"], root=root, folder=root)
    (root / "src/pay.py").unlink()
    assert rehashed(anchors, Tree("shop", root)) == anchors


def test_what_may_be_named_are_the_files_of_the_tree_and_those_that_memories_are_tied_to(root: Path) -> None:
    anchors = ["gone/old.py::Old", "src/pay.py", "src/*.py", "https://example.org/x", "src/pay.py::Lock"]
    assert nameable_files(root, anchors) == ["src/pay.py", "README.md", "src/deep/lock.py"]
    assert nameable_files(None, anchors) == ["gone/old.py", "src/pay.py"]
    assert nameable_files(root, anchors, most=1) == ["src/pay.py"]


def test_two_colons_begin_a_symbol_only_where_no_file_has_the_whole_name(tmp_path: Path) -> None:
    (tmp_path / "a::b.py").write_text("x = 1\n")
    (tmp_path / "c.py").write_text("x = 2\n")
    whole, symbol = anchors_for(["a::b.py", "c.py::run"], root=tmp_path, folder=tmp_path)
    assert (whole.path, symbol.path) == ("a::b.py", "c.py::run")
    assert check_files(["a::b.py"], root=tmp_path, folder=tmp_path, anchors=[]) == ["a::b.py"]
    tree = Tree("shop", tmp_path)
    assert [tree.state(anchor) for anchor in (whole, symbol)] == ["fresh", "fresh"]
    assert rehashed([whole], tree) == (whole,)
    (tmp_path / "a::b.py").write_text("x = 3\n")
    assert Tree("shop", tmp_path).state(whole) == "changed"


@pytest.mark.parametrize("given", ["", " ", "bad\udcff.py"])
def test_a_name_that_no_memory_can_hold_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(UsageError):
        anchors_for([given], root=tmp_path, folder=tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are Linux's")
def test_a_folder_whose_name_is_no_text_lends_it_to_no_memory(tmp_path: Path) -> None:
    folder = tmp_path / "bad\udcff"
    folder.mkdir()
    (folder / "x.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="not valid UTF-8"):
        anchors_for(["x.py"], root=tmp_path, folder=folder)


AT = datetime(2026, 6, 1, tzinfo=UTC)
CHOICES = ("pay/lock.py", "pay/api.py", "tests/test_pay.py", "Locking")


def test_what_begins_with_the_text_comes_before_what_holds_it() -> None:
    assert completions("lock", CHOICES) == ["Locking", "pay/lock.py"]
    assert completions("pay/", CHOICES, most=1) == ["pay/lock.py"]
    assert completions("", CHOICES) == []
    assert completions("Locking", CHOICES) == [], "what is a choice already needs none"


@given(st.text(max_size=5), st.lists(st.text(max_size=8), max_size=20), st.integers(1, 9))
def test_completions_are_choices_that_hold_the_text(typed: str, choices: list[str], most: int) -> None:
    found = completions(typed, tuple(choices), most)
    assert len(found) <= most
    assert all(each in choices and typed.casefold() in each.casefold() for each in found)


def test_tags_come_most_used_first(vault: Vault) -> None:
    memory = Memory(id="a", title="t", insight="i", created_at=AT, updated_at=AT, tags=("lock", "redis"))
    with vault.write(actor="person", action="add", summary="add") as writer:
        writer.put_many([memory, replace(memory, id="b", tags=("redis",))])
    assert vault_tags(vault) == ("redis", "lock")


def test_files_to_change_are_named_as_memories_name_them_also_with_commas(root: Path) -> None:
    write_files(root, {"Quay, Pier/notes.md": "n\n"})
    added, gone = files_from("src/*.py, Quay, Pier/notes.md, -Quay, Pier/**, -src/deep/, - ./src/pay.py", root)
    assert [anchor.path for anchor in added] == ["src/*.py", "Quay, Pier/notes.md"]
    assert {"Quay, Pier/**", "src/deep", "src/pay.py"} <= set(gone)
    assert not {"Pier/**", "Quay"} & set(gone)
    with pytest.raises(UsageError) as told:
        files_from("src/pya.py", root)
    assert told.value.remedy == "Give a path that exists, or a glob.", "the app knows no shell"
