"""`memtui withdraw`: what was retired goes from the files that still say it, by its very lines, and can come back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from flows.cli_driver import Cli

TIDES = "Tide tables are written by hand, because the pilots want it so."
BLUE = "Tickets are printed on blue paper, so that rain shows."
TEXT = (
    f"\ufeff# Desk\r\n\r\n## Rules\r\n\r\n- {TIDES}\r\n- Berth 4 is closed in winter, because of the ice.\r\n"
    f"- {BLUE}\r\n\r\n## Boats\r\n\r\nThe ferry is green, because the owner likes it"
)


@pytest.fixture
def desk(cli: Cli) -> Cli:
    cli.repository("desk")
    cli.write("AGENTS.md", TEXT)
    cli("import", "AGENTS.md", "--active")
    return cli


def id_of(cli: Cli, insight: str) -> str:
    return str(next(row["id"] for row in cli.all_rows() if row["insight"] == insight))


def test_retiring_says_where_it_still_stands_and_withdraw_takes_out_its_lines_alone(desk: Cli) -> None:
    run = desk("retire", id_of(desk, TIDES))
    assert "AGENTS.md still says it: `memtui withdraw" in run.err
    shown = desk("withdraw", "--dry-run")
    assert f"-- {TIDES}" in shown.out
    assert Path("AGENTS.md").read_bytes() == TEXT.encode()
    desk("withdraw")
    assert Path("AGENTS.md").read_bytes() == TEXT.replace(f"- {TIDES}\r\n", "").encode()
    desk("withdraw", code=3)
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == TEXT.encode()
    desk("redo")
    assert TIDES not in Path("AGENTS.md").read_text(encoding="utf-8")


def test_a_candidate_that_was_turned_down_stays_in_its_file_unless_it_is_named(cli: Cli) -> None:
    cli.repository("desk")
    cli.write("AGENTS.md", TEXT)
    cli("import", "AGENTS.md")
    turned_down = id_of(cli, TIDES)
    cli("inbox", "accept", turned_down)
    cli("undo")
    cli("inbox", "reject", turned_down)
    cli("withdraw", "--dry-run", code=3)
    assert f"-- {TIDES}" in cli("withdraw", turned_down, "--dry-run").out


def test_several_pieces_of_one_file_come_back_together(desk: Cli) -> None:
    desk("retire", id_of(desk, TIDES), id_of(desk, BLUE))
    desk("withdraw")
    kept = TEXT.replace(f"- {TIDES}\r\n", "").replace(f"- {BLUE}\r\n", "")
    assert Path("AGENTS.md").read_bytes() == kept.encode()
    Path("AGENTS.md").write_bytes(kept.encode() + b"\r\nadded since")
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == TEXT.encode() + b"\r\nadded since"


def test_an_undo_whose_place_is_not_certain_any_more_writes_nothing(desk: Cli) -> None:
    desk("retire", id_of(desk, TIDES))
    desk("withdraw")
    Path("AGENTS.md").write_text("# Another\n", encoding="utf-8")
    assert "around the piece" in desk("undo", code=4).err
    assert Path("AGENTS.md").read_text(encoding="utf-8") == "# Another\n"


def test_lines_that_say_something_else_by_now_stay(desk: Cli) -> None:
    changed = TEXT.replace("by hand", "by hand and by heart")
    Path("AGENTS.md").write_bytes(changed.encode())
    assert "still says" not in desk("retire", id_of(desk, TIDES)).err
    desk("withdraw", code=3)
    Path("AGENTS.md").write_bytes((TEXT + f"\r\n- {TIDES}\r\n").encode())
    desk("withdraw", code=3)
    assert Path("AGENTS.md").read_bytes() == (TEXT + f"\r\n- {TIDES}\r\n").encode(), (
        "two places say it: neither is sure"
    )


def test_a_published_block_loses_what_was_retired(desk: Cli) -> None:
    identifier = desk("add", "Gangways are raised at dusk, because of the seals.").id
    desk("export", "--target", "claude-md")
    assert "CLAUDE.md still says it" in desk("retire", identifier).err
    desk("withdraw", identifier)
    assert not Path("CLAUDE.md").exists() or "Gangways" not in Path("CLAUDE.md").read_text(encoding="utf-8")
    desk("undo")
    assert "Gangways" in Path("CLAUDE.md").read_text(encoding="utf-8")


def test_lines_and_a_block_of_one_file_are_withdrawn_together(desk: Cli) -> None:
    added = desk("add", "Fenders are checked on Mondays.").id
    desk("export", "--target", "codex")
    desk("retire", id_of(desk, TIDES), added)
    desk("withdraw")
    left = Path("AGENTS.md").read_text(encoding="utf-8")
    assert TIDES not in left
    assert "Fenders" not in left
    assert BLUE in left


def test_a_file_that_undo_could_not_mend_is_refused_whole(cli: Cli) -> None:
    cli.repository("desk")
    text = f"- {TIDES}\n- Die F\xe4hre ist gr\xfcn, weil es so sein soll.\n".encode("latin-1")
    Path("AGENTS.md").write_bytes(text)
    cli("import", "AGENTS.md", "--active")
    cli("retire", id_of(cli, TIDES))
    assert f"-- {TIDES}" in cli("withdraw", "--dry-run").out
    assert "AGENTS.md, byte" in cli("withdraw", code=6).err
    assert Path("AGENTS.md").read_bytes() == text


KILLED_AT_THE_END = """
import os, signal, sys
from pathlib import Path
unlink = Path.unlink
def dying(path, missing_ok=False):
    if path.name == "unfinished.json":
        os.kill(os.getpid(), signal.SIGKILL)
    unlink(path, missing_ok)
Path.unlink = dying
from memtui.cli.main import main
main(sys.argv[1:])
"""


def test_a_kill_after_the_vault_has_the_change_leaves_the_file_as_the_change_says(desk: Cli) -> None:
    desk("retire", id_of(desk, TIDES))
    done = subprocess.run([sys.executable, "-c", KILLED_AT_THE_END, "withdraw"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    kept = TEXT.replace(f"- {TIDES}\r\n", "").encode()
    assert Path("AGENTS.md").read_bytes() == kept
    desk("withdraw", "--dry-run", code=3)
    desk("export", "--check", code=3)
    assert Path("AGENTS.md").read_bytes() == kept
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == TEXT.encode()


def test_purging_a_memory_takes_the_withdrawn_lines_out_of_the_journal(desk: Cli) -> None:
    identifier = id_of(desk, TIDES)
    desk("retire", identifier)
    desk("withdraw")
    desk("purge", identifier, "--yes")
    folder = Path(os.environ["XDG_DATA_HOME"])
    assert not any(TIDES.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())
