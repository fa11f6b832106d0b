"""Links of memories in files of other folders: they lead where they led, and nothing else is touched."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.domain.memory import Memory, Source
from memtui.publish.destinations import rebased


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("AGENTS.md", "dock/AGENTS.md", "dock/tides.md", "dock/plans/crew.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def _from(path: str | None) -> Memory:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    sources = (Source(format="agents-md", path=path),)
    return Memory(id="abcdefgh2345", title="t", insight="i", kind="note", sources=sources, created_at=at, updated_at=at)


@pytest.mark.parametrize(
    ("folder", "text", "anew"),
    [
        ("", "See [the crew](./plans/crew.md).", "See [the crew](dock/plans/crew.md)."),
        ("", "See [`../AGENTS.md`](../AGENTS.md#watch).", "See [`AGENTS.md`](AGENTS.md#watch)."),
        ("", '[plans](plans/) and ![tides](tides.md "low")', '[plans](dock/plans/) and ![tides](dock/tides.md "low")'),
        (".rules/all", "[crew](plans/crew.md)", "[crew](../../dock/plans/crew.md)"),
        ("dock", "[crew](plans/crew.md?raw=1)", "[crew](plans/crew.md?raw=1)"),
    ],
)
def test_a_link_of_a_nested_file_leads_where_it_led(root: Path, folder: str, text: str, anew: str) -> None:
    assert rebased(text, _from("dock/AGENTS.md"), root, root / folder) == anew


@pytest.mark.parametrize(
    "text",
    [
        "[gone](./plans/none.md)",
        "[out](../../etc/passwd)",
        "[site](https://example.org/tides.md) [mail](mailto:crew@example.org) [part](#tides)",
        "[root](/dock/tides.md)",
        "Write `[tides](tides.md)` there.",
        "```md\n[tides](tides.md)\n```",
        "tides.md and ./plans/crew.md",
    ],
)
def test_what_is_no_relative_link_to_a_file_of_the_repository_stays(root: Path, text: str) -> None:
    assert rebased(text, _from("dock/AGENTS.md"), root, root) == text


@pytest.mark.parametrize("path", [None, "/elsewhere/AGENTS.md"])
def test_a_memory_that_comes_from_no_file_of_the_repository_stays(root: Path, path: str | None) -> None:
    assert rebased("[tides](dock/tides.md)", _from(path), root, root / "dock") == "[tides](dock/tides.md)"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("](" + "`" * 300_000, id="ticks"),
        pytest.param("[" * 300_000 + "](a)", id="brackets"),
        pytest.param("[a](" * 80_000, id="links"),
        pytest.param("` `` ](" * 40_000, id="spans"),
    ],
)
def test_a_hostile_text_takes_no_time(root: Path, text: str) -> None:
    assert rebased(text, _from("dock/AGENTS.md"), root, root) == text
