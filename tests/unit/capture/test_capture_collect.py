"""What a user relies on when files and folders are searched for memories."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from curating import write_files
from stores import make_store

from memtui.capture.collect import MAX_BYTES, Collected, SourcesFound, find, read
from memtui.capture.left_out import LeftOut
from memtui.capture.places import KnownPlace, find_places
from memtui.errors import NotFoundError, UsageError
from memtui.progress import Cancelled

RULE = "# Rules\n\n- Never edit the generated files by hand.\n"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="free symlinks and permission bits")


def _write(root: Path, name: str, text: str | bytes = RULE) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _collect(*paths: Path, root: Path | None = None, format_name: str = "auto") -> Collected:
    found = SourcesFound()
    for path in paths:
        found.add(find(path, root=root, home=Path("/nonexistent/home"), format=format_name))
    return read(found)


def _read(collected: Collected) -> list[tuple[str, str]]:
    return [(file.reader.format, file.file.name) for file in collected.files]


def _texts(collected: Collected) -> list[str]:
    return [draft.insight for file in collected.files for draft in file.result.drafts]


def test_a_folder_gives_what_readers_know_in_a_fixed_order(tmp_path: Path) -> None:
    for name in (
        *("src/app.py", "README.md", "docs/guide.md", "CLAUDE.md", ".cursor/rules/b.mdc", ".cursor/rules/a.mdc"),
        *(".github/copilot-instructions.md", "docs/adr/0001-x.md", "node_modules/x/CLAUDE.md", ".venv/AGENTS.md"),
        *("vendor/y/AGENTS.md", "build/GEMINI.md", ".git/CLAUDE.md", ".clinerules/r.md", ".windsurfrules"),
    ):
        _write(tmp_path, name)
    assert _read(_collect(tmp_path)) == [
        ("cline", ".clinerules/r.md"),
        ("cursor-rules", ".cursor/rules/a.mdc"),
        ("cursor-rules", ".cursor/rules/b.mdc"),
        ("copilot", ".github/copilot-instructions.md"),
        ("windsurf", ".windsurfrules"),
        ("claude-md", "CLAUDE.md"),
        ("adr", "docs/adr/0001-x.md"),
    ]


def test_a_folder_that_bears_a_skipped_name_is_read_when_it_is_named(tmp_path: Path) -> None:
    _write(tmp_path, "build/CLAUDE.md")
    assert _read(_collect(tmp_path / "build")) == [("claude-md", "CLAUDE.md")]
    assert _read(_collect(tmp_path / "build", root=tmp_path)) == [("claude-md", "build/CLAUDE.md")]


@posix_only
@pytest.mark.parametrize("link", ["AGENTS.md", "CLAUDE.md"])
def test_a_link_and_its_target_are_one_import(tmp_path: Path, link: str) -> None:
    real = "CLAUDE.md" if link == "AGENTS.md" else "AGENTS.md"
    _write(tmp_path, real)
    (tmp_path / link).symlink_to(real)
    collected = _collect(tmp_path)
    assert [name for _, name in _read(collected)] == [real]
    assert [(skipped.path, skipped.reason) for skipped in collected.skipped] == [(link, LeftOut.LINK)]


@pytest.mark.parametrize("text", ["AGENTS.md", "@AGENTS.md\n", "@./AGENTS.md", "# Claude\n\nSee @AGENTS.md\n"])
def test_an_import_and_the_text_form_of_a_link_are_one_import(tmp_path: Path, text: str) -> None:
    _write(tmp_path, "CLAUDE.md", text)
    _write(tmp_path, "AGENTS.md")
    for collected in (_collect(tmp_path), _collect(tmp_path / "CLAUDE.md", root=tmp_path)):
        assert sorted(name for _, name in _read(collected)) == ["AGENTS.md", "CLAUDE.md"]
        assert _texts(collected).count("Never edit the generated files by hand.") == 1


def test_the_same_path_twice_is_read_once(tmp_path: Path) -> None:
    path = _write(tmp_path, "CLAUDE.md")
    collected = _collect(path, tmp_path, path, root=tmp_path)
    assert _read(collected) == [("claude-md", "CLAUDE.md")]
    assert collected.skipped == []


def test_imports_are_followed_four_deep_and_circles_end(tmp_path: Path) -> None:
    _write(tmp_path, "CLAUDE.md", "@sub/CLAUDE.md\n\n- Rule number 0 of the main file.\n")
    chain = tmp_path
    for number in range(1, 7):
        chain = chain / "sub"
        _write(
            chain, "CLAUDE.md", f"@sub/CLAUDE.md\n@{tmp_path}/CLAUDE.md\n\n- Rule number {number} of a nested file.\n"
        )
    collected = _collect(tmp_path / "CLAUDE.md", root=tmp_path)
    assert [text[:13] for text in _texts(collected)] == [f"Rule number {number}" for number in range(5)]
    assert [skipped.reason for skipped in collected.skipped] == ["imported more than 4 files deep"]


def test_an_imported_file_comes_right_after_its_importer_as_plain_markdown(tmp_path: Path) -> None:
    _write(tmp_path, "CLAUDE.md", "@docs/style.md\n@package.json\n\n- Keep the public interface small.\n")
    _write(tmp_path, "docs/style.md", "# Style\n\n- Use four spaces for every indentation.\n")
    _write(tmp_path, "package.json", "{}")
    _write(tmp_path, "GEMINI.md")
    collected = _collect(tmp_path)
    assert _read(collected) == [("claude-md", "CLAUDE.md"), ("markdown", "docs/style.md"), ("gemini", "GEMINI.md")]
    assert [(skipped.path, skipped.reason) for skipped in collected.skipped] == [
        ("package.json", "no reader for this file")
    ]


def test_imports_from_outside_the_root_are_not_read(tmp_path: Path) -> None:
    _write(tmp_path, "private.md")
    _write(tmp_path, "repo/CLAUDE.md", "@../private.md\n\n- Keep the public interface small.\n")
    collected = _collect(tmp_path / "repo", root=tmp_path / "repo")
    assert _read(collected) == [("claude-md", "CLAUDE.md")]
    assert "outside the project" in collected.files[0].result.skipped[-1].reason


@posix_only
def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    _write(tmp_path, "outside/CLAUDE.md")
    _write(tmp_path, "repo/docs/rules/a.md")
    rules = tmp_path / "repo/.claude/rules"
    rules.mkdir(parents=True)
    (rules / "shared").symlink_to("../../docs/rules", target_is_directory=True)
    (rules / "foreign").symlink_to(tmp_path / "outside", target_is_directory=True)
    (tmp_path / "repo/AGENTS.md").symlink_to(tmp_path / "outside/CLAUDE.md")
    (tmp_path / "repo/loop").symlink_to(".", target_is_directory=True)
    (tmp_path / "repo/tool").symlink_to("/usr/bin", target_is_directory=True)
    collected = _collect(tmp_path / "repo")
    assert _read(collected) == [("claude-rules", ".claude/rules/shared/a.md")]
    told = sorted((Path(skipped.path).name, skipped.reason) for skipped in collected.skipped)
    assert told == [
        ("AGENTS.md", "a link that leads outside the folder"),
        ("foreign", "a link that leads outside the folder"),
    ]


def test_a_file_that_is_named_is_read_as_markdown_at_the_least(tmp_path: Path) -> None:
    for name, data in (
        ("notes.md", RULE),
        ("notes.txt", RULE),
        ("NOTES", RULE),
        ("utf16.md", RULE.encode("utf-16")),
    ):
        assert _read(_collect(_write(tmp_path, name, data))) == [("markdown", name)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.bin", b"\0\1"),
        ("b.md", b"\0\1\2"),
        ("d.py", b"# x\n"),
        ("config", b"[core]\n"),
    ],
)
def test_a_file_that_is_no_text_has_no_reader(tmp_path: Path, name: str, data: bytes) -> None:
    collected = _collect(_write(tmp_path, name, data))
    assert collected.files == []
    assert [skipped.reason for skipped in collected.skipped] == ["no reader for this file"]


def test_a_store_of_another_tool_says_how_it_is_read(tmp_path: Path) -> None:
    collected = _collect(make_store(tmp_path / "copy.db", "openmemory", {}))
    assert [skipped.reason for skipped in collected.skipped] == [
        "a store of OpenMemory: --from openmemory reads it",
    ]


def test_a_huge_text_is_skipped_and_a_huge_jsonl_is_not(tmp_path: Path) -> None:
    _write(tmp_path, "CLAUDE.md", b"x" * (MAX_BYTES + 1))
    _write(tmp_path, "a.jsonl", b'{"insight": "first"}\n{"insight": "' + b"x" * MAX_BYTES + b'"}\n')
    collected = _collect(tmp_path)
    assert _read(collected) == [("jsonl", "a.jsonl")]
    assert [(skipped.path, skipped.reason) for skipped in collected.skipped] == [("CLAUDE.md", "larger than 4 MiB")]


def test_a_format_takes_what_it_recognises_else_any_markdown(tmp_path: Path) -> None:
    _write(tmp_path, "a/LESSONS.md")
    _write(tmp_path, "a/CLAUDE.md")
    _write(tmp_path, "b/notes.md")
    _write(tmp_path, "b/x.py")
    assert _read(_collect(tmp_path / "a", format_name="lessons")) == [("lessons", "LESSONS.md")]
    assert _read(_collect(tmp_path / "b", format_name="lessons")) == [("lessons", "notes.md")]
    assert _read(_collect(tmp_path / "a/CLAUDE.md", format_name="cline")) == [("cline", "CLAUDE.md")]
    with pytest.raises(UsageError, match="Unknown format"):
        _collect(tmp_path, format_name="nonsense")


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="gone"):
        _collect(tmp_path / "gone.md")


def test_a_file_that_cannot_be_read_as_what_it_is_does_not_end_the_import(tmp_path: Path) -> None:
    _write(tmp_path, "v/memtui-vault.json", '{"format": "memtui-vault", "version": 9}')
    _write(tmp_path, "v/memories/shop/a.a.md", "---\nid: a\n---\n\nx\n")
    _write(tmp_path, "CLAUDE.md")
    collected = _collect(tmp_path)
    assert _read(collected) == [("claude-md", "CLAUDE.md")]
    assert [skipped.path for skipped in collected.skipped] == ["v/memories/shop/a.a.md"]
    assert "Update memtui" in collected.skipped[0].reason


@posix_only
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_files_and_folders_without_permission_are_told(tmp_path: Path) -> None:
    _write(tmp_path, "CLAUDE.md").chmod(0)
    _write(tmp_path, "closed/CLAUDE.md").parent.chmod(0)
    collected = _collect(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert [skipped.reason.partition(":")[0] for skipped in collected.skipped] == ["cannot be opened", "cannot be read"]


def test_a_file_that_vanishes_meanwhile_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path, "CLAUDE.md")

    def remove_it(done: int, total: int) -> None:
        if (done, total) == (0, 1):
            path.unlink(missing_ok=True)

    collected = read(find(path, root=None, home=tmp_path), progress=remove_it)
    assert collected.files == []
    assert [skipped.reason.partition(":")[0] for skipped in collected.skipped] == ["cannot be read"]


def test_progress_counts_files_and_may_cancel(tmp_path: Path) -> None:
    for number in range(3):
        _write(tmp_path, f"{number}/CLAUDE.md")
    reports: list[tuple[int, int]] = []
    read(find(tmp_path, root=None, home=tmp_path), progress=lambda done, total: reports.append((done, total)))
    assert reports[-4:] == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def cancel(done: int, total: int) -> None:
        if done == 1:
            raise Cancelled(total)

    with pytest.raises(Cancelled):
        read(find(tmp_path, root=None, home=tmp_path), progress=cancel)


def test_files_read_are_let_go_of(tmp_path: Path) -> None:
    _write(tmp_path, "CLAUDE.md")
    [file] = _collect(tmp_path).files
    assert "raw" not in vars(file.file)


@posix_only
def test_links_in_a_circle_are_told_and_end_nothing(tmp_path: Path) -> None:
    _write(tmp_path, "repo/CLAUDE.md")
    (tmp_path / "repo/a").symlink_to("b")
    (tmp_path / "repo/b.md").symlink_to("b.md")
    (tmp_path / "repo/b").symlink_to("a")
    collected = _collect(tmp_path / "repo")
    assert [name for _, name in _read(collected)] == ["CLAUDE.md"]
    assert sorted(Path(skipped.path).name for skipped in collected.skipped) == ["a", "b", "b.md"]
    assert all("cannot be read" in skipped.reason for skipped in collected.skipped)


RULES = "# Rules\n\n- Lock refunds by payment_id.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def places(folder: Path, home: Path) -> list[KnownPlace]:
    return find_places(folder, home)[0]


def test_places_of_project_and_home_are_found_from_a_folder_below(project: Path, home: Path) -> None:
    slug = re.sub(r"[^A-Za-z0-9]", "-", project.as_posix())
    write_files(
        project,
        {
            "CLAUDE.md": RULES,
            ".cursor/rules/pay.mdc": "---\nalwaysApply: true\n---\n" + RULES,
            "docs/adr/0001-lock.md": "# 1. Lock\n\n## Decision\n\nLock it.\n",
            "src/deep/notes.md": RULES,
        },
    )
    write_files(home, {".claude/CLAUDE.md": RULES, f".claude/projects/{slug}/memory/MEMORY.md": "# Memory\n\n- x\n"})
    write_files(home, {".claude/projects/-other-project/memory/MEMORY.md": "# Memory\n\n- not this one\n"})
    found = places(project / "src" / "deep", home)
    assert [(place.where, place.name) for place in found] == [
        ("project", ".cursor/rules"),
        ("project", "CLAUDE.md"),
        ("project", "docs/adr"),
        ("project", f"~/.claude/projects/{slug}/memory"),
        ("home", "~/.claude/CLAUDE.md"),
    ]
    assert all(place.label and len(place.sources) == 1 for place in found)


def test_one_file_under_two_names_is_one_place(project: Path, home: Path) -> None:
    write_files(project, {"AGENTS.md": RULES})
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert len(places(project, home)) == 1


def test_empty_folders_and_dead_links_are_no_places(project: Path, home: Path) -> None:
    (project / ".claude" / "rules").mkdir(parents=True)
    (project / "CLAUDE.md").symlink_to("nowhere.md")
    assert places(project, home) == []
