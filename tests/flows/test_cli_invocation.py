"""How memtui is called: global options anywhere, help, streams, folders, and what happens without a terminal."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from flows.cli_driver import Cli, memtui

from memtui import __version__
from memtui.cli.parsing import full_parser
from memtui.cli.registry import COMMANDS
from memtui.text.words import cell_width

EXPECTED = re.findall(
    r"\w+",
    "add list show edit search context recipe pack verify pin unpin retire restore snooze merge unmerge link unlink "
    "feedback undo redo log purge import inbox export review sql stats doctor reindex completion vault config project "
    "demo",
)


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    children = [
        child
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for child in action.choices.values()
    ]
    return [parser, *(found for child in children for found in _parsers(child))]


def test_every_command_of_the_foundation_is_there() -> None:
    assert {command.name for command in COMMANDS} >= set(EXPECTED)


def test_every_option_and_argument_has_a_help_text() -> None:
    for parser in _parsers(full_parser()):
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                assert all(choice.help for choice in action._choices_actions), parser.prog
            else:
                assert action.help, f"{parser.prog} {action.option_strings or action.dest}"


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_help_of_every_command(cli: Cli, name: str) -> None:
    run = cli(name, "--help")
    assert run.out.startswith(f"usage: memtui {name}")
    assert run.err == ""


def test_help_of_nested_commands(cli: Cli) -> None:
    for words in (
        ("recipe", "save"),
        ("vault", "backup"),
        ("inbox", "accept"),
        ("project", "link"),
        ("config", "init"),
    ):
        assert f"usage: memtui {' '.join(words)}" in cli(*words, "--help").out


def test_the_help_names_every_command_and_the_exit_codes(cli: Cli) -> None:
    run = cli("--help")
    for command in COMMANDS:
        assert f"\n  {command.name} " in run.out
    assert "5 vault busy" in run.out
    assert cli("-h").out == run.out


@pytest.mark.parametrize("words", [("--version",), ("list", "--version"), ("vault", "path", "--version")])
def test_version_before_and_after_a_command(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli(*words).out == f"memtui {__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--vault", "VAULT", "--project", "shop", "--json", "list"),
        ("list", "--vault", "VAULT", "--project", "shop", "--json"),
        ("--vault=VAULT", "list", "--project=shop", "--json"),
        ("--json", "inbox", "list", "--project", "shop", "--vault", "VAULT"),
        ("inbox", "--json", "list", "--vault", "VAULT", "--project", "shop"),
    ],
)
def test_global_options_stand_anywhere(cli: Cli, words: tuple[str, ...]) -> None:
    vault = cli.home / "elsewhere" / "mine.duckdb"
    inbox = "inbox" in words
    actor = ("--actor", "codex") if inbox else ()
    made = cli("--vault", vault, "add", "The shop opens at ten.", "--project", "shop", *actor).id
    run = cli(*(word.replace("VAULT", str(vault)) for word in words))
    assert [row["id"] for row in run.json] == [made]


def test_the_actor_may_be_named_on_either_side(cli: Cli) -> None:
    cli("--actor", "codex", "add", "One from an agent.")
    cli("add", "Another from an agent.", "--actor", "codex")
    cli.patch.setenv("MEMTUI_ACTOR", "gemini")
    cli("add", "A third from an agent.")
    assert [row["source"]["agent"] for row in cli("inbox", "--json").json] == ["gemini", "codex", "codex"]


def test_a_vault_may_be_named_by_its_folder(cli: Cli) -> None:
    folder = cli.cd(cli.home / "team")
    made = cli("--vault", folder, "add", "Named by its folder.").id
    assert (folder / "vault.duckdb").is_file()
    assert cli("--vault", folder / "vault.duckdb", "list", "--json").json[0]["id"] == made
    assert cli("--vault", ".", "vault", "path").out == f"{folder / 'vault.duckdb'}\n"


def test_the_environment_names_the_vault_and_the_option_wins(cli: Cli) -> None:
    cli.patch.setenv("MEMTUI_VAULT", str(cli.home / "env.duckdb"))
    cli("add", "In the vault of the environment.")
    assert cli("vault", "path").out == f"{cli.home / 'env.duckdb'}\n"
    assert cli("--vault", cli.home / "other.duckdb", "list", "--json").json == []


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("search", "anything"),
        ("context", "anything"),
        ("stats",),
        ("inbox",),
        ("log",),
        ("review", "--list"),
        ("export", "--target", "jsonl"),
        ("sql", "SELECT * FROM memory"),
        ("recipe", "list"),
        ("pack", "list"),
        ("project", "list"),
        ("show", "abc"),
    ],
)
def test_a_named_vault_that_is_not_there_reads_as_empty_and_says_so(cli: Cli, words: tuple[str, ...]) -> None:
    missing = cli.home / "typo.duckdb"
    run = cli("--vault", missing, *words, code=3 if words[0] in {"search", "context", "show"} else 0)
    assert f"No vault at {missing} yet" in run.err
    assert "The vault is empty" not in run.err
    assert not missing.exists()


def test_a_vault_named_in_the_environment_that_is_not_there_is_told_too(cli: Cli) -> None:
    missing = cli.home / "typo.duckdb"
    cli.patch.setenv("MEMTUI_VAULT", str(missing))
    assert f"No vault at {missing} yet" in cli("list").err
    assert not missing.exists()


def test_nothing_is_said_of_a_vault_that_a_command_has_just_made(cli: Cli) -> None:
    assert "no vault" not in cli("--vault", cli.home / "new.duckdb", "add", "The first one.").err


def test_without_a_terminal_and_a_command_the_help_goes_to_stderr(tmp_path: Path) -> None:
    run = memtui(cwd=tmp_path)
    assert run.code == 2
    assert run.out == ""
    assert run.err.startswith("usage: memtui")


def test_python_m_memtui_prints_help(tmp_path: Path) -> None:
    run = memtui("--help", cwd=tmp_path)
    assert (run.code, run.err) == (0, "")
    assert "Exit codes" in run.out


def test_review_without_a_terminal_prints_the_queue(cli: Cli) -> None:
    assert cli("review").err.strip().endswith("Nothing is due.")


@pytest.mark.usefixtures("cli")
def test_emoji_survive_a_windows_code_page() -> None:
    """P75: the streams are UTF-8 whatever the locale says."""
    page = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    made = memtui("add", "ships ✅, 日本語 too, é", "--json", env=page)
    assert made.code == 0, made.err
    shown = memtui("list", env=page)
    assert "ships ✅, 日本語 too, é" in shown.out
    piped = memtui("add", "-", stdin="Families like 👩‍👩‍👧 sail free ✅".encode(), env=page)
    assert "Families like 👩‍👩‍👧 sail free ✅" in piped.err
    assert "Families like 👩‍👩‍👧 sail free ✅" in json.loads(memtui("list", "--json", env=page).out)[0]["insight"]


@pytest.mark.skipif(os.name != "posix", reason="a shell's pipe")
def test_a_reader_that_leaves_early_is_no_error(demo: Cli) -> None:
    command = f"{sys.executable} -m memtui --vault {demo.home / 'demo'} list --all-projects --json; echo code $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({command}) | head -1"], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.stdout == "[\n"
    assert "code 0" in done.stderr
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_on_a_terminal_no_line_is_wider_than_it(cli: Cli) -> None:
    """P74: columns count cells, and cutting splits no character."""
    import pty

    for title in ("日本語のとても長い題名" * 6, "😀" * 60, "e\u0301" * 90, "👩‍👩‍👧" * 40, "سطر طويل " * 20):
        cli("add", f"Text under {title[:3]}", "--title", title)
    main_end, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "memtui", "list"],
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "72"},
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(main_end, 65_536):
            shown += part
    except OSError:  # Linux reports the end of a terminal so
        pass
    os.close(main_end)
    child.communicate(timeout=30)
    lines = shown.decode().splitlines()
    assert len(lines) == 5
    assert all(cell_width(line) <= 72 for line in lines)
    assert all("\N{REPLACEMENT CHARACTER}" not in line and line.endswith("…") for line in lines)


@pytest.mark.skipif(os.name != "posix", reason="an open folder cannot be deleted elsewhere")
@pytest.mark.parametrize(("know", "code"), [("PWD", 0), ("", 2)])
def test_a_run_from_a_folder_that_was_deleted(cli: Cli, know: str, code: int) -> None:
    gone = cli.cd(cli.home / "gone")
    script = (
        "import os, sys\n"
        "os.rmdir(os.getcwd())\n"
        "from memtui.cli.main import main\n"
        "sys.exit(main(['add', 'written from nowhere']))"
    )
    environment = {**os.environ, "PWD": str(gone) if know else str(cli.home)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, cwd=gone, check=False
    )
    cli.cd(cli.home)
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    assert ("unassigned" if know else "was deleted") in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_a_completion_script_for_each_shell(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).out
    assert "memtui" in script
    assert "unmerge" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)


def test_ctrl_c_ends_with_a_word_and_the_usual_code(cli: Cli) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    cli.patch.setattr("memtui.cli.vault.health", interrupt)
    assert "interrupted" in cli("stats", code=130).err


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the system has no pseudo-terminals")
def test_a_terminal_that_cannot_move_its_cursor_gets_help(tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "dumb", "MEMTUI_VAULT": str(tmp_path / "v.duckdb")}
    master, slave = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "memtui"],
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            check=False,
        )
    finally:
        os.close(slave)
        os.close(master)
    assert done.returncode == 2
    assert "every action has a command too" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lst",), ("Unknown command: lst", "Did you mean list?")),
        (("--jsn", "list"), ("Unknown option: --jsn", "Did you mean --json?")),
        (("list", "--sor", "title"), ("Unknown option: --sor", "Did you mean --sort?", "memtui list --help")),
        (("vault", "backup", "--too", "x"), ("Unknown option: --too", "Did you mean --to?")),
        (("vault", "bakup"), ("bakup", "Did you mean backup?", "restore")),
        (("add", "x", "--kind", "lessn"), ("Unknown kind: lessn", "Did you mean lesson?", "bug-pattern")),
        (("list", "--kind", "lessn"), ("Did you mean lesson?",)),
        (("list", "--status", "actve"), ("Unknown status: actve", "Did you mean active?", "any")),
        (("list", "--sort", "titel"), ("Unknown sort: titel", "Did you mean title?", "freshness")),
        (("export", "--target", "jsnol"), ("Unknown target: jsnol", "Did you mean jsonl?", "vault")),
        (("context", "x", "--target", "chatt"), ("chatt", "chat", "json")),
        (("context", "x", "--phase", "implment"), ("implment", "implement")),
        (("context", "x", "--style", "fulll"), ("fulll", "full")),
        (("import", ".", "--format", "claud-md"), ("claud-md", "claude-md")),
        (("link", "a", "supercedes", "b"), ("Unknown type: supercedes", "Did you mean supersedes?")),
        (("feedback", "a", "helpd"), ("Unknown verdict: helpd", "Did you mean helped?")),
        (("completion", "bsh"), ("Unknown shell: bsh", "Did you mean bash?")),
        (("list", "--limit", "ten"), ("--limit", "whole number", "ten")),
        (("list", "--limit", "-1"), ("--limit", "-1")),
        (("search", "x", "--limit", "0"), ("--limit", "1 or more")),
        (("log", "--limit", "1.5"), ("--limit", "1.5")),
        (("review", "--size", "0"), ("--size", "1 or more")),
        (("add", "x", "--importance", "9"), ("1 to 5", "9")),
        (("add", "x", "--importance", "high"), ("--importance", "whole number")),
        (("add", "x", "--confidence", "2"), ("0 to 1", "2")),
        (("add", "x", "--confidence", "nan"), ("0 to 1", "nan")),
        (("add", "x", "--valid-until", "tomorrow"), ("tomorrow", "2026-01-31")),
        (("context", "x", "--as-of", "31.01.2026"), ("31.01.2026", "2026-01-31")),
        (("context", "x", "--budget", "-5"), ("-5", "2k")),
        (("context", "x", "--budget", "lots"), ("lots", "2k", "32 KiB")),
        (("context", "x", "--max", "-1"), ("--max", "-1")),
        (("snooze", "a", "--for", "a while"), ("a while", "90d")),
        (("snooze", "a", "--until", "soon"), ("soon", "2026-01-31")),
        (("add", "x", "--file", "no/such.py"), ("no/such.py", "exists")),
        (("search", "x", "--file", "no/such.py"), ("no/such.py", "exists")),
        (("add", "x", "--project", ""), ("project's name", "1 to 100")),
        (("add", "x", "--actor", ""), ("actor's name",)),
        (("list", "--project", "a\x1b[31m"), ("project's name",)),
        (("add", "   "), ("No text to remember",)),
        (("add", "-"), ("No text to remember",)),
        (("add",), ("TEXT", "memtui add --help")),
        (("show",), ("ID", "memtui show --help")),
        (("list", "a"), ("Too many arguments: a", "takes no text", "--where 'QUERY'")),
        (("show", "a", "b"), ("Too many arguments: b", "Quote")),
        (("search",), ("Nothing to search for", "--file")),
        (("list", "--vault"), ("--vault", "expected one argument")),
        (("add", "--why", "--kind"), ("--why", "--option=VALUE")),
        (("add", "--never"), ("Unknown option: --never", "`--` before text")),
        (("recipe", "save", "weekly"), ("task or files",)),
        (("inbox", "accept"), ("--all",)),
        (("purge",), ("Erase what?", "--text")),
        (("purge", "a", "--text", "long enough"), ("Erase what?",)),
        (("purge", "--text", "abc", "--yes"), ("--text", "4 characters")),
        (("vault",), ("path", "backup")),
        (("config",), ("path", "init")),
        (("project", "link", "shop", "no/such/folder"), ("no/such/folder",)),
        (("project", "link", "global"), ("global",)),
        (("export", "--target", "vault"), ("--out",)),
        (("import", ".", "--inbox", "--active"), ("--active", "--inbox")),
    ],
)
def test_wrong_usage_exits_2_and_says_what_to_do(cli: Cli, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    run = cli(*words, code=2)
    assert run.out == ""
    assert run.err.count("memtui: ") == 1
    assert "\x1b" not in run.err
    for part in said:
        assert part in run.err


@pytest.mark.parametrize(
    "words",
    [
        ("show", "zzzzzzzz"),
        ("show", ""),
        ("show", "x", "--history"),
        ("edit", "zzzzzzzz", "--text", "x"),
        ("verify", "zzzzzzzz"),
        ("pin", "zzzzzzzz"),
        ("retire", "zzzzzzzz"),
        ("restore", "zzzzzzzz"),
        ("restore", "zzzzzzzz", "--to", "1"),
        ("snooze", "zzzzzzzz"),
        ("merge", "zzzzzzzz", "yyyyyyyy"),
        ("unmerge", "zzzzzzzz"),
        ("link", "zzzzzzzz", "relates", "yyyyyyyy"),
        ("feedback", "zzzzzzzz", "helped"),
        ("inbox", "accept", "zzzzzzzz"),
        ("inbox", "reject", "zzzzzzzz"),
        ("add", "x", "--supersedes", "zzzzzzzz"),
        ("purge", "zzzzzzzz", "--yes"),
        ("pack", "show", "zzzzzzzz"),
        ("recipe", "run", "zzzzzzzz"),
        ("recipe", "delete", "zzzzzzzz"),
        ("vault", "restore"),
        ("vault", "restore", "zzzzzzzz"),
        ("undo",),
        ("redo",),
        ("import", "no/such/file.md"),
    ],
)
def test_what_does_not_exist_exits_3_and_names_it(cli: Cli, words: tuple[str, ...]) -> None:
    run = cli(*words, code=3)
    assert run.out == ""
    assert run.err.startswith("memtui: ")
    named = next((word for word in words if word in {"zzzzzzzz", "no/such/file.md"}), "")
    assert named in run.err
    assert not list(cli.home.rglob("vault.duckdb")) or cli.all_rows() == []


def test_an_ambiguous_prefix_names_the_candidates(cli: Cli) -> None:
    lines = ('{"id": "aaaa1111", "insight": "First of two."}', '{"id": "aaaa2222", "insight": "Second of two."}')
    cli("import", cli.write("two.jsonl", "\n".join(lines)), "--active", "--project", "x")
    run = cli("show", "aaaa", code=2)
    assert "aaaa1111" in run.err
    assert "aaaa2222" in run.err
    assert cli("show", "aaaa1", "--json").json["insight"] == "First of two."


def test_one_wrong_id_among_many_changes_nothing(cli: Cli) -> None:
    """P85: an unknown id is an error, and nothing is half done."""
    ids = [cli("add", f"Fact number {number}.").id for number in range(3)]
    cli("retire", *ids, "zzzzzzzz", code=3)
    assert {row["status"] for row in cli.all_rows()} == {"active"}


def test_an_unknown_project_is_told_with_the_nearest(cli: Cli) -> None:
    cli("add", "Money is an integer.", "--project", "payments-api")
    run = cli("list", "--project", "paymets-api")
    assert "Project paymets-api is not in the vault" in run.err
    assert "Did you mean payments-api?" in run.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[contxt]\n", ("Unknown key contxt", "line 1", "Did you mean context?")),
        ('[context]\nbudget = "2k"\nbugdet = 3\n', ("context.bugdet", "line 3", "Did you mean budget?")),
        ("[recall]\nlimit = 0\n", ("recall.limit", "line 2", "from 1")),
        ("[vault]\ndaily_backup = 1\n", ("vault.daily_backup", "line 2", "true or false")),
        ("[context\n", ("Invalid TOML", "line 1")),
        ("[kinds.runbook]\ntier = 'semantic'\n", ("kinds.runbook", "half_life_days")),
        ('[secrets.patterns]\nmine = "("\n', ("secrets.patterns.mine", "regular expression")),
        ('[embedding]\nmodel = "bundeld"\n', ("embedding.model", "line 2", "sentence-transformers:NAME")),
        ('[context]\nbudget = "lots"\n', ("lots", "2k")),
    ],
)
def test_a_wrong_configuration_names_file_line_and_key(cli: Cli, text: str, said: tuple[str, ...]) -> None:
    path = cli.home / "config" / "memtui.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    run = cli("context", "anything", code=2)
    for part in said:
        assert part in run.err
    if "lots" not in said:
        assert str(path) in run.err


def test_a_frozen_clock_that_is_no_time_is_told(cli: Cli) -> None:
    cli.patch.setenv("MEMTUI_NOW", "yesterday")
    assert "MEMTUI_NOW=yesterday" in cli("add", "x", code=2).err
