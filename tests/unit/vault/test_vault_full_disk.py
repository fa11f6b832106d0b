"""A disk that is full or read-only: what is said is what is stored, and the vault can be read."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recall_story import memory

from memtui.errors import VaultNotWritableError
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import backup_folder
from memtui.vault.repair import back_up_daily
from memtui.vault.vault import Vault


def in_own_mounts(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script where it may mount file systems that nobody else sees."""
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state")}
    memtui = f"{sys.executable} -m memtui --vault {folder}/disk/vault.duckdb --project port"
    return subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        env={**os.environ, **home, "M": memtui, "DISK": f"{folder}/disk"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Return a folder with an empty folder `disk`; skips where file systems cannot be mounted."""
    (tmp_path / "disk").mkdir()
    try:
        done = in_own_mounts("mount -t tmpfs tmpfs $DISK", tmp_path)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    return tmp_path


def test_on_a_full_disk_every_memory_that_was_acknowledged_is_listed_and_no_other(disk: Path) -> None:
    script = """
    mount -t tmpfs -o size=6m,mode=700 tmpfs $DISK
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
      head -c 90000 /dev/urandom | base64 -w 0 >$HOME/text
      $M add - --title "berth $i" --kind note --allow-secret <$HOME/text >/dev/null 2>$HOME/told \
        && echo $i >>$HOME/acknowledged || { cat $HOME/told; break; }
    done
    wc -l <$HOME/acknowledged
    $M list --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'
    $M search berth >/dev/null && echo found
    """
    done = in_own_mounts(script, disk)
    told, acknowledged, listed, found = done.stdout.strip().rsplit("\n", 3)
    assert "The disk is full" in told
    assert int(acknowledged) == int(listed) > 0
    assert found == "found"


def test_a_vault_on_a_read_only_disk_is_read_and_refuses_changes(disk: Path) -> None:
    script = """
    mount -t tmpfs -o size=60m,mode=700 tmpfs $DISK
    $M add "The berth lease lasts thirty seconds" >/dev/null
    mount -o remount,ro $DISK
    for command in list "search lease" "context lease" doctor; do $M $command >/dev/null; echo $?; done
    $M export --target jsonl >/dev/null; echo $?
    $M add more 2>&1 >/dev/null; echo $?
    """
    *codes, told, refused = in_own_mounts(script, disk).stdout.strip().split("\n")
    assert codes == ["0"] * 5
    assert "read-only" in told
    assert refused == "1"


@pytest.mark.parametrize(("number", "words"), [(errno.EROFS, "read-only file system"), (errno.ENOSPC, "disk is full")])
def test_a_lock_file_that_cannot_be_made_says_what_is_wrong_with_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    vault = Vault(tmp_path / "vault.duckdb")

    def write(title: str) -> None:
        with vault.write(actor="person", action="add") as writer:
            writer.put(memory(f"{title:x<12}", "Berths are leased by the hour"))

    write("lease")
    opened: Callable[..., int] = os.open

    def refused(path: Any, *rest: Any) -> int:
        if str(path).endswith(".lock"):
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(VaultNotWritableError, match=words):
        write("refused")
    monkeypatch.undo()
    with vault.read() as reader:
        assert reader.count(MemoryFilter()) == 1


def test_a_disk_that_the_daily_copy_fills_is_told_as_any_full_disk_and_gets_its_room_back(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(memory("ferry", "Tie up at berth four"))

    def fill(source: Any, target: Any, *_: Any) -> None:
        target.write(source.read(1))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("memtui.vault.lease.shutil.copyfileobj", fill)
    with pytest.raises(VaultNotWritableError) as refused:
        back_up_daily(vault)
    assert refused.value.what == "The disk is full"
    assert refused.value.where.startswith(str(vault.path.parent))
    assert refused.value.remedy.startswith("Nothing was changed.")
    assert list(backup_folder(vault.path).iterdir()) == []
