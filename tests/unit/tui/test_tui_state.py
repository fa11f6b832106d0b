"""What the app remembers, and what it does with a broken memory of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.tui.state import State


def test_each_vault_has_sections_of_its_own_and_the_theme_is_one_for_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "app.json"
    one, other = Path("/a/vault.duckdb"), Path("/b/vault.duckdb")
    state = State(path, one)
    state.choose_theme("quay")
    state.remember("browse", {"query": "日本 [/x] \x1b", "marks": [1, 2]})
    state.remember("context", {"task": "refund"})
    state.save()
    assert path.stat().st_mode & 0o777 == 0o600
    again = State(path, one)
    assert again.theme == "quay"
    assert again.section("browse") == {"query": "日本 [/x] \x1b", "marks": [1, 2]}
    assert again.section("context") == {"task": "refund"}
    assert State(path, other).theme == "quay"
    assert State(path, other).section("browse") == {}


def test_only_the_vaults_used_last_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "app.json"
    for number in range(60):
        state = State(path, Path(f"/v{number}"))
        state.remember("browse", {"number": number})
        state.save()
    assert State(path, Path("/v0")).section("browse") == {}
    assert State(path, Path("/v59")).section("browse") == {"number": 59}


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"theme": 3, "vaults": []}',
        b'{"vaults": {"/v": 1}}',
        b"[" * 100_000,
        b" " * 300_000,
    ],
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "app.json"
    path.write_bytes(broken)
    state = State(path, Path("/v"))
    assert state.theme == ""
    assert state.section("browse") == {}
    state.remember("browse", {"query": "x"})
    state.save()
    assert State(path, Path("/v")).section("browse") == {"query": "x"}


def test_a_folder_that_cannot_be_written_troubles_nobody(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    state = State(blocked / "app.json", Path("/v"))
    state.choose_theme("quay")
    state.save()
    assert state.theme == "quay"
    State(None, Path("/v")).save()
