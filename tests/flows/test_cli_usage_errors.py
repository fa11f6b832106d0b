"""What a person mistypes is answered with what is wrong, where, and what to do."""

from __future__ import annotations

import pytest
from flows.cli_driver import Cli


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
        (("add", "   "), ("no text",)),
        (("add", "-"), ("no text",)),
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
