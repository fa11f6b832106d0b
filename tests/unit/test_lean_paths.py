"""What starts fast imports little: held by looking at `sys.modules` in a fresh process."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import make_memory

from memtui.vault.vault import Vault

HEAVY = {"textual", "rich", "torch", "numpy", "sentence_transformers", "pandas", "pyarrow", "onnxruntime", "tokenizers"}


def modules_after(tmp_path: Path, *words: str, given: str = "") -> set[str]:
    """Return the top-level modules that are loaded when a command has run."""
    script = (
        "import sys, json\n"
        "from memtui.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "print('MODULES' + json.dumps(sorted({name.split('.')[0] for name in sys.modules})))\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        input=given,
        cwd=tmp_path,
        check=False,
    )
    assert "MODULES" in done.stdout, done.stderr
    return set(json.loads(done.stdout.split("MODULES")[1]))


@pytest.mark.parametrize("words", [("--help",), ("--version",)])
def test_help_and_version_open_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    loaded = modules_after(tmp_path, *words)
    needless = {"_duckdb", "duckdb", "yaml", "markdown_it", "asyncio", "platformdirs", "snowballstemmer"}
    assert not loaded & (HEAVY | needless)


@pytest.mark.parametrize(
    "words",
    [
        ("add", "lock refunds by payment_id"),
        ("list",),
        ("search", "refund"),
        ("context", "refund", "--fast"),
        ("undo", "--json"),
    ],
)
def test_data_commands_import_neither_the_app_nor_a_model(tmp_path: Path, words: tuple[str, ...]) -> None:
    loaded = modules_after(tmp_path, "--vault", str(tmp_path / "vault.duckdb"), *words)
    assert "_duckdb" in loaded
    assert not loaded & (HEAVY | {"duckdb", "markdown_it", "asyncio"})


def test_a_check_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    vault = ("--vault", str(tmp_path / "vault.duckdb"))
    modules_after(tmp_path, *vault, "add", "Nothing prints", "--kind", "constraint")
    loaded = modules_after(tmp_path, *vault, "check")
    assert not loaded & (HEAVY | {"duckdb", "markdown_it", "asyncio", "yaml", "mcp", "snowballstemmer"})


@pytest.mark.parametrize("words", [("mcp", "--help"), ("list",), ("search", "refund", "--fast"), ("stats",)])
def test_nothing_but_the_server_imports_the_protocol(tmp_path: Path, words: tuple[str, ...]) -> None:
    loaded = modules_after(tmp_path, "--vault", str(tmp_path / "vault.duckdb"), *words)
    assert not loaded & {"mcp", "mcp_types", "pydantic", "anyio", "httpx", "starlette"}


def test_the_protocol_is_imported_by_the_server_alone() -> None:
    package = Path(__file__).parents[2] / "memtui"
    users = [
        path
        for path in package.rglob("*.py")
        if re.search(r"^\s*(?:from|import) (?:mcp|anyio)", path.read_text(), re.MULTILINE)
    ]
    assert {path.name for path in users} == {"server.py", "confirming.py"}
    assert {path.parent for path in users} == {package / "assist" / "mcp"}


def test_a_fast_context_loads_no_tokenizer(tmp_path: Path) -> None:
    assert "rs_bpe" not in modules_after(tmp_path, "--vault", str(tmp_path / "vault.duckdb"), "context", "x", "--fast")


def test_a_vault_without_a_team_imports_nothing_of_sync(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from memtui.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "found = [name for name in sys.modules if name.startswith(('memtui.sync', 'memtui.vault.teams', 'psycopg'))]\n"
        "sys.exit(repr(found) if found else code)"
    )
    for words in (("add", "lock refunds"), ("search", "refund"), ("context", "refund", "--fast"), ("list",)):
        done = subprocess.run(
            [sys.executable, "-c", script, "--vault", str(tmp_path / "vault.duckdb"), *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode in {0, 3}, done.stderr


def test_the_app_imports_nothing_of_sync_for_a_vault_without_a_team(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from memtui.tui import app\n"
        "from memtui.tui.state import Opening\n"
        "from memtui.vault.vault import Vault\n"
        "from memtui.tui.team import watch\n"
        "watch.FIRST_SECONDS = 0.01\n"
        "async def main():\n"
        "    one = app.MemtuiApp(Opening(vault=Vault(Path(sys.argv[1])), folder=Path(sys.argv[2])))\n"
        "    async with one.run_test() as pilot:\n"
        "        while 'memtui.vault.teams' not in sys.modules:\n"
        "            await pilot.pause(0.05)\n"
        "        await one.workers.wait_for_complete([w for w in one.workers if w.group == 'team'])\n"
        "asyncio.run(main())\n"
        "found = [name for name in sys.modules if name.startswith(('memtui.sync', 'psycopg'))]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    vault = tmp_path / "vault.duckdb"
    modules_after(tmp_path, "--vault", str(vault), "add", "lock refunds by payment_id")
    done = subprocess.run(
        [sys.executable, "-c", script, str(vault), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_vault_without_a_team_is_no_larger_for_what_teams_need(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    sizes = []
    for tables in ((), ("teams", "team_projects", "team_heads", "team_orders")):
        with vault.connect(read_only=False) as connection:
            for table in tables:
                connection.execute(f"DROP TABLE {table}")
            connection.execute("CHECKPOINT")
        sizes.append(vault.path.stat().st_size)
    assert sizes[0] == sizes[1]


HOOKS: dict[str, dict[str, object]] = {
    "SessionStart": {},
    "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}},
    "UserPromptSubmit": {"prompt": "refund the payment"},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "SessionEnd": {"transcript_path": "/t"},
}


@pytest.mark.parametrize("event", HOOKS)
def test_hooks_load_neither_a_model_nor_a_server_nor_the_app(tmp_path: Path, event: str) -> None:
    vault = ("--vault", str(tmp_path / "vault.duckdb"))
    modules_after(tmp_path, *vault, "add", "lock refunds by payment_id")
    given = json.dumps({"session_id": "s", "cwd": str(tmp_path), "hook_event_name": event, **HOOKS[event]})
    loaded = modules_after(tmp_path, *vault, "hook", event, "--assistant", "codex", given=given)
    assert not loaded & (HEAVY | {"duckdb", "markdown_it", "asyncio", "mcp", "yaml", "rs_bpe"})
    assert event != "SessionEnd" or "_duckdb" not in loaded


@pytest.mark.extras
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs memtui[sentence-transformers]")
def test_with_the_extra_installed_nothing_heavy_is_imported_unasked(tmp_path: Path) -> None:
    vault = ("--vault", str(tmp_path / "vault.duckdb"))
    for words in (("--help",), ("add", "a memory"), ("search", "memory", "--fast"), ("context", "memory", "--fast")):
        assert not modules_after(tmp_path, *vault, *words) & HEAVY
    for words in (("search", "memory"), ("context", "memory")):
        assert not modules_after(tmp_path, *vault, *words) & {"torch", "sentence_transformers", "transformers"}
