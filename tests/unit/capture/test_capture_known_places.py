"""What a user relies on when memtui looks for memories by itself: known places alone, each once, none made up."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from curating import write_files

from memtui.capture import known_places
from memtui.capture.known_places import find_places, look_at

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
    found = find_places(project / "src" / "deep", home)
    assert [(place.where, place.name) for place in found] == [
        ("project", "CLAUDE.md"),
        ("project", ".cursor/rules"),
        ("project", "docs/adr"),
        ("project", f"~/.claude/projects/{slug}/memory"),
        ("home", "~/.claude/CLAUDE.md"),
    ]
    assert all(place.label and place.files == 1 for place in found)


def test_one_file_under_two_names_is_one_place(project: Path, home: Path) -> None:
    write_files(project, {"AGENTS.md": RULES})
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert len(find_places(project, home)) == 1


def test_empty_folders_and_dead_links_are_no_places(project: Path, home: Path) -> None:
    (project / ".claude" / "rules").mkdir(parents=True)
    (project / "CLAUDE.md").symlink_to("nowhere.md")
    assert find_places(project, home) == []


def test_counting_stops_at_the_cap(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_places, "MOST_FILES", 3)
    write_files(project, {f".claude/rules/r{number}.md": RULES for number in range(9)})
    assert [place.files for place in find_places(project, home)] == [3]


def test_a_place_that_a_person_names_is_told_by_its_path(project: Path, home: Path) -> None:
    write_files(project, {"CLAUDE.md": RULES, "picture.png": "x"})
    place = look_at(project / "CLAUDE.md", where="named", base=project, home=home)
    assert place is not None
    assert place.name == str(project / "CLAUDE.md")
    assert look_at(project / "picture.png", where="named", base=project, home=home) is None
