"""Files outside the vault are written all or none, and each vault of a folder takes back what itself left half-done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import FrozenClock, make_memory

from memtui.publish.edits import Edit, backup_of, finish_unfinished, written
from memtui.vault.lease import UNFINISHED, published_folder
from memtui.vault.purge import purge_memories, purge_text
from memtui.vault.vault import Vault

INSIGHT = "Warm the kiln before noon."


def _vaults(folder: Path, clock: FrozenClock) -> tuple[Vault, Vault]:
    made = Vault(folder / "vault.duckdb", now=clock), Vault(folder / "pottery.duckdb", now=clock)
    for vault, identifier in zip(made, ("ofdefaul", "ofpotter"), strict=True):
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory(id=identifier, insight=INSIGHT))
    return made


def _publish(vault: Vault, path: Path, text: str) -> None:
    before = path.read_bytes() if path.exists() else None
    with vault.write(actor="person", action="publish") as writer:
        writer.set_meta("published", text)
        with written(vault, writer, [Edit(path, path.parent, before, text.encode())]):
            pass


def test_no_other_vault_of_the_folder_takes_back_what_one_is_writing(tmp_path: Path, clock: FrozenClock) -> None:
    default, other = _vaults(tmp_path, clock)
    rules = [tmp_path / "one.md", tmp_path / "two.md"]
    for vault, another, path in ((default, other, rules[0]), (other, default, rules[1])):
        path.write_text("by hand", encoding="utf-8")
        with (
            vault.write(actor="person", action="publish") as writer,
            written(vault, writer, [Edit(path, tmp_path, b"by hand", b"published")]),
        ):
            finish_unfinished(another)
            assert path.read_bytes() == b"published"


def test_what_a_crash_left_half_done_is_taken_back_though_another_vault_publishes_next(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    default, other = _vaults(tmp_path, clock)
    path = tmp_path / "one.md"
    path.write_text("by hand", encoding="utf-8")
    with monkeypatch.context() as crash:
        crash.setattr("memtui.publish.edits._put_back", lambda _: None)
        crash.setattr(Path, "unlink", lambda *_, **__: None)
        with (
            pytest.raises(KeyboardInterrupt),
            default.write(actor="person", action="publish") as writer,
            written(default, writer, [Edit(path, tmp_path, b"by hand", b"half")]),
        ):
            raise KeyboardInterrupt
    _publish(other, tmp_path / "two.md", "published")
    finish_unfinished(default)
    assert path.read_bytes() == b"by hand"


def test_a_purge_removes_what_this_vault_kept_and_of_another_what_tells_of_the_memory(
    tmp_path: Path, clock: FrozenClock
) -> None:
    default, other = _vaults(tmp_path, clock)
    both, theirs = tmp_path / "both.md", tmp_path / "theirs.md"
    both.write_text("by hand", encoding="utf-8")
    theirs.write_text("by hand, too", encoding="utf-8")
    _publish(other, both, f"- {INSIGHT}")
    for path in (both, theirs):
        _publish(default, path, "of both")
    assert INSIGHT in backup_of(default, both).read_text(encoding="utf-8")
    assert purge_memories(other, ["ofpotter"]).leftovers == ()
    assert list(published_folder(other.path).iterdir()) == []
    assert [path.name for path in published_folder(default.path).iterdir() if path.is_file()] == [
        backup_of(default, theirs).name
    ]


@pytest.mark.parametrize("text", [INSIGHT, "stands nowhere"])
def test_what_is_kept_of_a_crash_goes_in_a_purge_of_a_text_only_if_it_holds_it(
    tmp_path: Path, clock: FrozenClock, text: str
) -> None:
    default, other = _vaults(tmp_path, clock)
    kept = [published_folder(vault.path) / UNFINISHED for vault in (default, other)]
    packed = {"path": "a.md", "base": ".", "before": None, "after": "V2FybSB0aGUga2lsbiBiZWZvcmUgbm9vbi4="}
    for file in kept:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"number": 9, "at": "", "files": [packed]}), encoding="utf-8")
    report = purge_text(default, text)
    assert [file.exists() for file in kept] == [text != INSIGHT, True]
    assert report.leftovers == ((kept[1],) if text == INSIGHT else ())
