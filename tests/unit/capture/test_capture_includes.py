from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.draft import SourceFile
from memtui.capture.includes import ImportMark, find_imports, link_target, resolve_imports


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("docs/git.md", "docs/my notes.md", "README", "package.json", "sub/x.md"):
        path = tmp_path / "home/code/app" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    (tmp_path / "home/.claude").mkdir()
    (tmp_path / "home/.claude/mine.md").write_text("x", encoding="utf-8")
    return tmp_path / "home/code/app"


def file_in(project: Path, name: str, text: str) -> SourceFile:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return SourceFile(path, project, project.parent.parent)


def test_imports_stand_anywhere_in_the_text() -> None:
    text = "See @docs/a.md for diagrams, and @./b.md.\n\n- rules: @~/.claude/c.md\n(@d.md)\n> @e.md!"
    assert [(mark.path, mark.line) for mark in find_imports(text)] == [
        ("docs/a.md", 1),
        ("./b.md", 1),
        ("~/.claude/c.md", 3),
        ("d.md", 4),
        ("e.md", 5),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`@docs/a.md`",
        "``@docs/a.md ` x``",
        "```\n@docs/a.md\n```",
        "- item\n\n  ~~~\n  @docs/a.md\n  ~~~",
        "text\n\n    @docs/a.md",
        "<!-- @docs/a.md -->",
        "<!--\n@docs/a.md\n-->",
        "words <!-- @docs/a.md --> words",
        "ops@ferry.example",
        "a @ b",
    ],
)
def test_code_comments_and_addresses_hold_no_imports(text: str) -> None:
    assert find_imports(text) == []


def test_existing_files_are_included_and_others_reported(project: Path) -> None:
    file = file_in(project, "CLAUDE.md", "")
    text = "@docs/git.md @README @package.json @docs/git.md\n@docs/my\\ notes.md\n@docs/no.md @param @types/n @mcp.to"
    includes, skipped = resolve_imports(file, text, first_line=4)
    assert [path.relative_to(project).as_posix() for path in includes] == [
        "docs/git.md",
        "README",
        "package.json",
        "docs/my notes.md",
    ]
    assert [(gap.span, gap.reason) for gap in skipped] == [((6, 6), "import not found: @docs/no.md")]


def test_imports_are_relative_to_the_file_that_holds_them(project: Path) -> None:
    file = file_in(project, "sub/CLAUDE.md", "")
    assert resolve_imports(file, "@x.md @../docs/git.md")[0] == [project / "sub/x.md", project / "docs/git.md"]


def test_imports_that_leave_the_project_are_named_not_followed(project: Path) -> None:
    (project / "link.md").symlink_to(project.parent.parent / ".claude/mine.md")
    file = file_in(project, "CLAUDE.md", "")
    includes, skipped = resolve_imports(file, "@~/.claude/mine.md\n@link.md\n@../../.claude/mine.md")
    assert includes == []
    assert [gap.reason.partition(": @")[0] for gap in skipped] == ["outside the project: import it by name"] * 3


def test_a_users_own_file_may_import_from_its_folder(project: Path) -> None:
    home = project.parent.parent
    (home / ".claude/CLAUDE.md").write_text("@mine.md", encoding="utf-8")
    file = SourceFile(home / ".claude/CLAUDE.md", project, home)
    assert resolve_imports(file, file.text)[0] == [home / ".claude/mine.md"]


@pytest.mark.parametrize("text", ["docs/git.md", "docs/git.md\n", "./docs/git.md", "docs\\git.md"])
def test_a_symbolic_link_checked_out_as_text_is_an_include(project: Path, text: str) -> None:
    assert link_target(file_in(project, "CLAUDE.md", text)) == project / "docs/git.md"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Never push",
        "CLAUDE.md",
        "none.md",
        "docs",
        "../../.claude/mine.md",
        "docs/git.md\nmore",
        "@docs/git.md",
        "\0",
    ],
)
def test_other_short_texts_are_no_links(project: Path, text: str) -> None:
    assert link_target(file_in(project, "CLAUDE.md", text)) is None


@given(st.text(alphabet="@ab./~\\ `\n<!->-", max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    for mark in find_imports(text):
        assert isinstance(mark, ImportMark)
        assert f"@{mark.path}".replace(" ", "\\ ") in text.split("\n")[mark.line - 1]
