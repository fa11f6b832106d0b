"""Handing a memory on: its text to paste, and its place in files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.curate.views import memory_text, place_of
from memtui.domain.memory import Anchor, Memory, Source
from memtui.errors import NotFoundError

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PLAIN = Memory(
    id="m0000001", title="Lock by payment", insight="Users have several cards.", created_at=NOW, updated_at=NOW
)


def test_the_text_holds_what_is_said_and_a_fence_that_the_snippet_cannot_close() -> None:
    full = replace(PLAIN, rationale="Double charge.", snippet="a\n```\nb", anchors=(Anchor("pay/lock.py"),))
    assert memory_text([full]) == (
        "Lock by payment\n\nUsers have several cards.\n\nWhy: Double charge.\n\n"
        "````\na\n```\nb\n````\n\nFiles: pay/lock.py\n"
    )
    same = replace(PLAIN, insight="Lock by payment")
    assert memory_text([same, same]) == "Lock by payment\n\n---\n\nLock by payment\n"


@given(st.text(max_size=100), st.text(max_size=100))
def test_no_control_character_is_handed_on(title: str, snippet: str) -> None:
    text = memory_text([replace(PLAIN, title=title, snippet=snippet)])
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in text)
    text.encode("utf-8")


def test_the_source_comes_before_the_files_and_a_symbol_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("x\n", encoding="utf-8")
    (tmp_path / "lock.py").write_text("import os\n\ndef unlocked(): ...\n\ndef lock(): ...\n", encoding="utf-8")
    source = Source(format="claude-md", path="CLAUDE.md", span=(41, 58))
    anchors = (Anchor("src/*.py"), Anchor("gone.py"), Anchor("lock.py::Store.lock"))
    memory = replace(PLAIN, sources=(source,), anchors=anchors)
    assert place_of(memory, tmp_path) == (tmp_path / "CLAUDE.md", 41)
    assert place_of(replace(memory, sources=()), tmp_path) == (tmp_path / "lock.py", 5)
    elsewhere = replace(memory, sources=(replace(source, path=str(tmp_path / "CLAUDE.md")),))
    assert place_of(elsewhere, None) == (tmp_path / "CLAUDE.md", 41)


@pytest.mark.parametrize(
    ("memory", "root", "said"),
    [
        (PLAIN, None, "It was typed here and is tied to no file"),
        (replace(PLAIN, anchors=(Anchor("a.py"),)), None, "a.py lies in a project whose folder is not known here"),
        (replace(PLAIN, anchors=(Anchor("a\x07.py\0"),)), Path("/nowhere"), "a.py is not there"),
        (replace(PLAIN, anchors=(Anchor("x" * 5_000),)), Path("/nowhere"), "is not there"),
    ],
)
def test_why_there_is_no_place_is_said(memory: Memory, root: Path | None, said: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        place_of(memory, root)
    assert said in caught.value.what
