"""The gate reads what git will commit: the index, added lines only, whatever the names, bytes and kinds of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checking import Repo, places, since, staged

from memtui.assist.check_git import GitError, Repository, whole_file

MARK = "forbid 'XX' in '**'"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "lagoon")
    made.commit("first", a_dot_py="one\nold XX\nthree\n")
    return made


def test_only_added_lines_count_and_old_sins_do_not_stop(repo: Repo) -> None:
    repo.stage(a_dot_py="one\nold XX\nthree\nnew XX\nfive\n")
    assert places(staged(repo, MARK)) == [("a.py", 4)]


def test_what_is_not_staged_is_not_checked(repo: Repo) -> None:
    repo.stage(a_dot_py="zero\none\nold XX\nthree\n")
    repo.write("a.py", "zero\none\nold XX\nthree\nunstaged XX\n")
    repo.write("b.py", "untracked XX\n")
    assert places(staged(repo, MARK)) == []


def test_a_line_that_only_the_index_has_is_checked(repo: Repo) -> None:
    repo.stage(a_dot_py="XX first\none\nold XX\nthree\n")
    repo.write("a.py", "one\nold XX\nthree\n")
    assert places(staged(repo, MARK)) == [("a.py", 1)]


def test_a_rename_adds_no_lines_but_what_it_edits(repo: Repo) -> None:
    repo.commit("long", b_dot_py="".join(f"line {number} XX\n" for number in range(40)))
    repo.git("mv", "b.py", "c.py")
    assert places(staged(repo, MARK)) == []
    text = (repo.folder / "c.py").read_text(encoding="utf-8")
    repo.stage(c_dot_py=f"{text}more XX\n")
    assert places(staged(repo, MARK)) == [("c.py", 41)]


@pytest.mark.parametrize(
    "name",
    ['quo"te.txt', "tab\there.txt", "new\nline.txt", "größe 日本.txt", " lead.txt", "a => b.txt", ":(top)x", "*.txt"],
)
def test_names_may_hold_anything(repo: Repo, name: str) -> None:
    repo.write(name, "XX\n")
    repo.git("add", "-A")
    assert places(staged(repo, MARK)) == [(name, 1)]


@pytest.mark.skipif(os.name != "posix", reason="names are text there")
def test_a_name_that_is_no_utf8_is_checked_and_shown(repo: Repo) -> None:
    raw = os.fsencode(repo.folder) + b"/na\xefve.txt"
    with open(raw, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b"XX\n")
    repo.git("add", "-A")
    ((file_name, line),) = places(staged(repo, MARK))
    assert (os.fsencode(file_name), line) == (b"na\xefve.txt", 1)


def test_lines_in_other_encodings_and_with_crlf_are_read(repo: Repo) -> None:
    repo.stage(latin_dot_txt="caf\xe9 XX\r\n".encode("latin-1"), crlf_dot_txt=b"a\r\nXX\r\n")
    report = staged(repo, "forbid 'XX$' in '**'")
    assert places(report) == [("crlf.txt", 2), ("latin.txt", 1)]
    assert report.findings[1].text == "café XX"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_new_lines_of_a_file_in_utf_16_are_read(repo: Repo, encoding: str) -> None:
    repo.commit("start", wide_dot_cs="old XX\r\nlast\r\n".encode(encoding))
    repo.stage(wide_dot_cs="old XX\r\nnew XX\r\nlast\r\n".encode(encoding), new_dot_cs="é\nXX\n".encode(encoding))
    assert places(staged(repo, MARK)) == [("new.cs", 2), ("wide.cs", 2)]
    repo.git("reset", "-q")
    named = whole_file(repo.folder / "new.cs", "new.cs")
    assert named.added[2] == "XX"


def test_lines_that_look_like_a_patch_are_lines(repo: Repo) -> None:
    repo.stage(p_dot_diff="diff --git a/x b/x\n@@ -1 +1 @@\n+XX\n--- a/x\n+++ b/x\nXX\n")
    assert places(staged(repo, MARK)) == [("p.diff", 3), ("p.diff", 6)]


def test_binary_files_are_passed_over_and_text_called_binary_is_not(repo: Repo) -> None:
    repo.stage(_dot_gitattributes="*.py -diff\n", img_dot_bin=b"\0XX\n", hidden_dot_py="ok\nXX\n")
    assert places(staged(repo, MARK)) == [("hidden.py", 2)]


def test_a_file_without_a_last_line_end_is_read_to_the_end(repo: Repo) -> None:
    repo.stage(a_dot_py="one\nold XX\nthree\nXX")
    assert places(staged(repo, MARK)) == [("a.py", 4)]


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_links_and_submodules_have_no_lines_but_are_changes(repo: Repo, tmp_path: Path) -> None:
    (repo.folder / "XX-link").symlink_to("XX")
    inner = Repo(tmp_path / "inner")
    inner.commit("inner", x_dot_txt="XX\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.folder), "vendor/inner")
    repo.git("add", "-A")
    report = staged(repo, MARK, "protect 'vendor/'")
    assert places(report) == [("vendor/inner", None)]


def test_a_file_that_becomes_a_link_does_not_shift_the_others(repo: Repo) -> None:
    repo.commit("two", b_dot_py="text\n", c_dot_py="c\n")
    (repo.folder / "b.py").unlink()
    (repo.folder / "b.py").symlink_to("a.py")
    repo.stage(c_dot_py="c\nXX\n")
    repo.git("add", "-A")
    assert places(staged(repo, MARK)) == [("c.py", 2)]


def test_the_first_commit_is_checked_whole(tmp_path: Path) -> None:
    fresh = Repo(tmp_path / "fresh")
    fresh.stage(a_dot_py="XX\n")
    assert places(staged(fresh, MARK)) == [("a.py", 1)]


def test_of_a_merge_only_what_neither_side_has_is_checked(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "theirs")
    repo.commit("theirs", b_dot_py="their XX\n", a_dot_py="one\nold XX\ntheirs\n")
    repo.git("checkout", "-q", "main")
    repo.commit("ours", c_dot_py="our XX\n", a_dot_py="one\nold XX\nours\n")
    repo.git("config", "merge.conflictStyle", "merge")
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "--no-commit", "theirs")
    repo.stage(a_dot_py="one\nold XX\nours and theirs XX\n")
    report = staged(repo, MARK, "protect 'b.py'", "protect 'a.py'")
    assert places(report) == [("a.py", 3), ("a.py", 3)]


def test_an_index_of_its_own_is_obeyed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.stage(b_dot_py="XX\n")
    own = repo.folder / ".git" / "other-index"
    repo.git("read-tree", "HEAD", GIT_INDEX_FILE=str(own))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other-index")
    assert places(staged(repo, MARK)) == []
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert places(staged(repo, MARK)) == [("b.py", 1)]


def test_the_worktree_of_a_bare_repository_is_checked(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "store" / ".bare"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    repo.git("--git-dir", str(bare), "worktree", "add", "-q", str(tmp_path / "store" / "main"), "main")
    tree = tmp_path / "store" / "main"
    (tree / "n.py").write_text("XX\n", encoding="utf-8")
    linked = Repo.__new__(Repo)
    linked.folder = tree
    linked.git("add", "-A")
    assert places(staged(linked, MARK)) == [("n.py", 1)]


def test_a_part_of_a_repository_sees_its_own_files_by_its_own_paths(repo: Repo) -> None:
    repo.stage(api__a_dot_py="XX\n", web__b_dot_py="XX\n")
    assert places(staged(repo, "forbid 'XX' in '/*.py'", root=repo.folder / "api")) == [("a.py", 1)]


def test_a_range_and_a_branch_are_compared_with_where_they_parted(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "-b", "work")
    repo.commit("work\n\nmemtui: allow rule01aa because it was agreed", b_dot_py="XX\n", c_dot_py="YY\n")
    repo.git("checkout", "-q", "main")
    repo.commit("main moves on", a_dot_py="one\n")
    repo.git("checkout", "-q", "work")
    for revision in ("main", f"{base}..work", "main...work"):
        report = since(repo, revision, MARK, "forbid 'YY' in '**'")
        assert places(report) == [("b.py", 1)]
        assert [one.reason for one in report.allowed] == ["it was agreed"]


def test_settings_of_a_person_do_not_change_what_is_read(repo: Repo) -> None:
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.diff", "always"),
        ("diff.external", "false"),
        ("diff.submodule", "log"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "false"),
        ("core.quotePath", "false"),
        ("diff.relative", "true"),
    ):
        repo.git("config", name, value)
    repo.write("ü/b.py", "XX\n")
    repo.git("add", "-A")
    assert places(staged(repo, MARK)) == [("ü/b.py", 1)]


def test_outside_of_a_repository_git_says_so(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        Repository(tmp_path)
    repo = Repo(tmp_path / "r")
    with pytest.raises(GitError):
        Repository(repo.folder).since("--output=x", lambda _: True)
