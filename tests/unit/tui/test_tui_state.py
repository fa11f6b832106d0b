"""What the app remembers, and what it does with a broken memory of itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from memtui.locations import resource_folder
from memtui.tui.state import State
from memtui.tui.themes import DOMAIN_COLOURS, load_themes, read_theme


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


READABLE = 4.5
"""Contrast of normal text that WCAG 2.2 asks for (1.4.3, level AA)."""

HIGH = 7.0
"""The same at level AAA."""

NO_TEXT = {"memtui-border", "memtui-cursor", "memtui-bar", "memtui-due-bar"}

FILES = sorted(resource_folder("themes").glob("*.toml"))


def luminance(colour: Color) -> float:
    parts = [value / 255 for value in colour.rgb]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))))
    return (high + 0.05) / (low + 0.05)


def test_there_are_themes_for_every_room_and_terminal() -> None:
    loaded = load_themes([resource_folder("themes")])
    assert loaded.problems == []
    assert len(loaded.themes) >= 6
    assert any(not theme.dark for theme in loaded.themes)
    assert any(theme.ansi and theme.dark for theme in loaded.themes)
    assert any(theme.ansi and not theme.dark for theme in loaded.themes)
    assert "memtui-contrast" in {theme.name for theme in loaded.themes}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_can_be_read_on_its_ground(path: Path) -> None:
    theme = read_theme(path)
    assert theme.name == path.stem
    assert set(DOMAIN_COLOURS) <= set(theme.variables)
    if theme.ansi:
        # Which colours the terminal has is its owner's to say; a cursor must still be seen.
        assert theme.variables["memtui-cursor"] not in {theme.background, theme.variables["memtui-dim"]}
        return
    wanted = HIGH if path.stem == "memtui-contrast" else READABLE
    texts = {name: value for name, value in theme.variables.items() if name in DOMAIN_COLOURS and name not in NO_TEXT}
    texts |= {"foreground": str(theme.foreground), "primary": theme.primary, "error": str(theme.error)}
    for name, colour in texts.items():
        assert contrast(colour, str(theme.background)) >= wanted, name
