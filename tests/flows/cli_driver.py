"""Drives the command line as a person or a script would: in this process, or as a real one.

`conftest.py` makes its fixtures known to the flows.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memtui.cli.main import main

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[a-z2-7]{12}")
LOCK = "zpuwvdkl"
"""The payment lock of the sample vault."""

MEMORY_KEYS = re.findall(
    r"\w+",
    "id version project kind tier status title insight rationale snippet anchors tags rules importance confidence "
    "pinned created_at updated_at observed_at confirmed_at confirmed_by verified_at verified_by valid_from valid_until "
    "due_at snoozed_until half_life_days freshness usefulness source links",
)
"""The keys of a memory in `--json`, as the design lists them."""

_UNSET = (
    *("MEMTUI_VAULT", "MEMTUI_ACTOR", "MEMTUI_NOW", "MEMTUI_EDITOR", "VISUAL", "EDITOR", "TMUX", "SSH_TTY"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"),
)


@dataclass(frozen=True)
class Run:
    """What one command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The whole of stdout as JSON."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def id(self) -> str:
        """The one id that stdout holds."""
        assert ID.fullmatch(self.out.strip()), f"{self.out!r} is no id; stderr: {self.err}"
        return self.out.strip()


class Cli:
    """Runs `memtui` in this process, in a home of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self._capsys = capsys
        self.patch = monkeypatch
        self.home = home
        self.folder = home / "work"
        self.globals: list[str] = []
        self.is_typed = False  # whether a person types at a terminal

    def __call__(self, *words: object, stdin: str | bytes = b"", code: int | tuple[int, ...] = 0) -> Run:
        """Run one command line; the exit code must be `code`, or one of them."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        if self.is_typed:
            self.patch.setattr(sys.stdin, "isatty", lambda: True)
        self._capsys.readouterr()
        argv = [*self.globals, *map(str, words)]
        done = main(argv)
        captured = self._capsys.readouterr()
        run = Run(done, captured.out, captured.err)
        wanted = (code,) if isinstance(code, int) else code
        assert run.code in wanted, f"memtui {argv}: exit {run.code}, not {code}\n{run.out}\n{run.err}"
        assert "Traceback" not in run.err
        return run

    def cd(self, folder: Path) -> Path:
        """Go to a folder, made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        self.patch.chdir(folder)
        return folder

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file below the folder one is in; returns it."""
        path = Path.cwd() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def repository(self, name: str, remote: str | None = None) -> Path:
        """Make a git repository, go there and return it."""
        folder = self.cd(self.home / name)
        subprocess.run(["git", "init", "-q", "-b", "main", "."], check=True, cwd=folder)
        if remote:
            subprocess.run(["git", "remote", "add", "origin", remote], check=True, cwd=folder)
        return folder

    def all_rows(self) -> list[dict[str, Any]]:
        """Every memory of the vault, of any status, by id."""
        rows: list[dict[str, Any]] = self("list", "--json", "--status", "any", "--all-projects").json
        return sorted(rows, key=lambda row: str(row["id"]))

    def exported(self) -> str:
        """The vault in its portable form, in which byte-equal means equal."""
        return self("export", "--target", "jsonl").out


def isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    """Give this process a home of its own, without the person's settings."""
    (home / "work").mkdir(parents=True)
    for name in _UNSET:
        patch.delenv(name, raising=False)
    values = {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_DATA_HOME": home / "data",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "cache",
        "MEMTUI_CONFIG": home / "config" / "memtui.toml",
        "MEMTUI_TRACEBACK": "1",  # a defect fails the test where it is
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    for name, value in values.items():
        patch.setenv(name, str(value))
    patch.chdir(home / "work")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """`memtui` in an empty home; one is in a folder that is no repository."""
    home = tmp_path / "home"
    isolate(monkeypatch, home)
    # Loading the model and embedding the demo again for every command would take most of a flow's time; the flows
    # of meaning take this back.
    monkeypatch.setattr("memtui.recall.semantic.has_model", lambda _: False)
    return Cli(capsys, monkeypatch, home)


@pytest.fixture(scope="session")
def demo_master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `memtui demo --at` made, once; never written to."""
    folder = tmp_path_factory.mktemp("demo") / "copy"
    done = memtui("demo", "--at", folder, cwd=tmp_path_factory.getbasetemp())
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def demo(cli: Cli, demo_master: Path) -> Cli:
    """`memtui` with a copy of the demo's vault as the chosen one; `demo.home / "demo"` holds it."""
    folder = cli.home / "demo"
    shutil.copytree(demo_master, folder)
    cli.globals = ["--vault", str(folder)]
    return cli


def memtui(
    *words: object,
    cwd: Path | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    python: Sequence[str] = (),
) -> Run:
    """Run `python -m memtui` as a real process; its streams are read as UTF-8."""
    done = subprocess.run(
        [sys.executable, *python, "-m", "memtui", *map(str, words)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=60,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
