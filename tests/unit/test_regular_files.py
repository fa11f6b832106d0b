"""A pipe or a device that stands for a file of a project keeps nobody waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import NOON

from memtui.assist.check_constraints import written_constraints
from memtui.assist.check_git import whole_file
from memtui.errors import MemtuiError
from memtui.git import ignores_below
from memtui.publish.destinations import places
from memtui.publish.instead import read_instead
from memtui.regular_files import read_regular
from memtui.submodules import lacking_by_path
from memtui.tree import file_hash

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has neither pipes nor devices among its files")


@pytest.fixture(params=["pipe", "device"])
def endless(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "CLAUDE.md"
    if request.param == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return path


def test_a_regular_file_is_read_as_far_as_wanted(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"Tie the bow line.\r\n")
    assert read_regular(path) == b"Tie the bow line.\r\n"
    assert read_regular(path, 3) == b"Tie"
    link = tmp_path / "link.md"
    link.symlink_to(path)
    assert read_regular(link, 3) == b"Tie"
    for other in (tmp_path, tmp_path / "missing.md"):
        with pytest.raises(OSError, match=r"directory|No such"):
            read_regular(other)


def test_what_has_no_end_is_not_read(endless: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no regular file"):
        read_regular(endless)
    assert file_hash(endless) is None
    assert whole_file(endless, endless.name).added in ({}, {1: ""})
    with pytest.raises(MemtuiError, match="regular"):
        written_constraints(endless, NOON, None)
    with pytest.raises(MemtuiError, match="no memories"):
        written_constraints(tmp_path, NOON, None)
    (own,) = (place for place in places() if place.path == endless.name and not place.base)
    assert read_instead(own, tmp_path)[0] == own
    for name in (".gitignore", ".gitmodules"):
        endless.rename(tmp_path / name)
        assert not ignores_below(tmp_path, "lib/")
        assert lacking_by_path(tmp_path, ["lib"]) == {}
        (tmp_path / name).rename(endless)
