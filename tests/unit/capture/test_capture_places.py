"""Which sources of a project wait to be imported."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from curating import git, write_files

from memtui.capture.importer import (
    ImportRequest,
    plan_import,
    read_sources,
    run_import,
    stating_files,
    turned_down_files,
)
from memtui.capture.places import find_places
from memtui.capture.waiting import Waiting, waiting_sources
from memtui.curate.lifecycle import reject
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault


def test_sources_wait_until_they_are_imported_and_again_when_they_change(tmp_path: Path) -> None:
    root, home = tmp_path / "quay", tmp_path / "home"
    home.mkdir()
    write_files(root, {"CLAUDE.md": "Berths are leased by the hour.\n", "notes.txt": "no source"})
    git(root, "init", "-q")
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: moment)
    assert waiting_sources(vault, "quay", root, home) == Waiting(new=1)
    request = ImportRequest(paths=[root], folder=root, home=home)
    run_import(vault, read_sources(request), request, actor=Actor())
    for days, waiting in ((-1, 0), (1, 0), (1, 1)):
        write_files(
            root, {"CLAUDE.md": "Berths are leased by the day.\n" if waiting else "Berths are leased by the hour.\n"}
        )
        os.utime(root / "CLAUDE.md", (moment.timestamp() + days * 86_400,) * 2)
        for at_a_glance in (True, False):
            found = waiting_sources(vault, "quay", root, home, at_a_glance=at_a_glance)
            assert found == Waiting(changed=waiting)
    write_files(root, {"api/AGENTS.md": "Berths of the api are numbered.\n"})
    assert waiting_sources(vault, "quay", root, home, at_a_glance=True) == Waiting(changed=1)
    assert waiting_sources(vault, "quay", root, home) == Waiting(new=1, changed=1)


def test_a_touched_file_whose_rules_were_turned_down_does_not_wait_for_ever(tmp_path: Path) -> None:
    root, home = tmp_path / "quay", tmp_path / "home"
    home.mkdir()
    write_files(root, {"CLAUDE.md": "# Berths\n\n- Lease berths by the hour.\n- Never moor at night.\n"})
    git(root, "init", "-q")
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: moment)
    request = ImportRequest(paths=[root], folder=root, home=home)
    _, report = run_import(vault, read_sources(request), request, actor=Actor())
    reject(vault, report.ids[:1], actor=Actor())
    os.utime(root / "CLAUDE.md", (moment.timestamp() + 86_400,) * 2)
    assert waiting_sources(vault, "quay", root, home) == Waiting()
    read = read_sources(request)
    plan = plan_import(vault, read, request)
    assert stating_files(plan, read) == [(root / "CLAUDE.md", False)]
    assert turned_down_files(plan, read) == set(), "one of its rules waits still"
    reject(vault, report.ids[1:], actor=Actor())
    assert turned_down_files(plan_import(vault, read, request), read) == {root / "CLAUDE.md"}
    write_files(root, {"api/AGENTS.md": "# Api\n\n- Never nest loops.\n"})
    assert waiting_sources(vault, "quay", root, home) == Waiting(new=1)


def test_files_of_one_sort_in_a_folder_are_one_place_where_nothing_else_lies_there(tmp_path: Path) -> None:
    root, home = tmp_path / "quay", tmp_path / "home"
    home.mkdir()
    lesson = "# Lesson\n\nMoor with two lines; one of them chafes through in a gale.\n"
    files = {f"docs/lessons/{name}.md": lesson.replace("two", name) for name in ("four", "five", "six")}
    write_files(root, {"CLAUDE.md": "Berths are leased by the hour.\n", **files})
    git(root, "init", "-q")
    places, _ = find_places(root, home)
    assert [(place.name, len(place.sources)) for place in places] == [("CLAUDE.md", 1), ("docs/lessons", 3)]
    write_files(root, {"docs/lessons/CLAUDE.md": "Lessons are short.\n"})
    places, _ = find_places(root, home)
    assert len(places) == 5, "a folder with something else is not left out as a whole"
    (root / "docs/lessons/CLAUDE.md").unlink()
    (root / "docs/lessons/six.md").unlink()
    assert len(find_places(root, home)[0]) == 3, "two files are told one by one"
