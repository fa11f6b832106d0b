"""The gate at the command line: what it stops, what it says, and that it never stands in the way."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from checking import Repo
from flows.cli_driver import Cli, memtui

from memtui.vault.lease import lease, vault_file


@pytest.fixture
def repo(cli: Cli) -> Repo:
    made = Repo(cli.home / "lagoon")
    made.git("remote", "add", "origin", "git@example.org:lagoon/tides.git")
    cli.cd(made.folder)
    return made


def constraint(cli: Cli, words: str, *rules: str) -> str:
    """Add a constraint with rules; returns its id."""
    made = cli("add", words, "--kind", "constraint", "--why", "It once cost a week").id
    cli("edit", made, *(part for rule in rules for part in ("--rule", rule)))
    return made


FIVE = (
    ("Generated code is made by make gen", "protect 'gen/'"),
    ("Only the store talks to the database", "forbid-import '**/*.py' -> 'sqlite3' except 'store/**'"),
    ("Nothing prints", r"forbid '\bprint\(' in '*.py'"),
    ("Each schema change is told", "with 'schema/**' change 'CHANGELOG.md'"),
    ("Applied migrations stay as they are", "protect existing 'migrations/'"),
)

START = {
    "gen/api.py": "API = 1\n",
    "store/db.py": "import sqlite3\n",
    "ui/view.py": "import os\nprint('old sin')\n",
    "schema/tide.sql": "create table tide (at text);\n",
    "migrations/0001.sql": "create table a (b int);\n",
    "CHANGELOG.md": "# Changes\n",
}

STOPPED: dict[int, tuple[dict[str, str], int]] = {
    3: ({"gen/api.py": "API = 2\n"}, 0),
    7: ({"ui/view.py": "import os\nimport sqlite3\nprint('old sin')\n"}, 1),
    11: ({"ui/view.py": "import os\nprint('old sin')\nprint('new')\n"}, 2),
    15: ({"schema/tide.sql": "create table tide (at text, cm int);\n"}, 3),
    19: ({"migrations/0001.sql": "create table a (b bigint);\n"}, 4),
    23: ({"gen/more.py": "MORE = 1\n"}, 0),
    27: ({"tools/load.py": "from sqlite3 import connect\n"}, 1),
    31: ({"tools/show.py": "def show(x):\n    print(x)\n"}, 2),
}
"""Commits of the forty that break a constraint: the files, and which of the five."""

QUIET: dict[int, dict[str, str]] = {
    1: {"ui/view.py": "import os\nimport sys\nprint('old sin')\n"},
    5: {"schema/tide.sql": "create table tide (at text, m int);\n", "CHANGELOG.md": "# Changes\n\n- tides in metres\n"},
    9: {"migrations/0002.sql": "create table c (d int);\n"},
    13: {"store/db.py": "import sqlite3\nfrom sqlite3 import connect\n"},
    17: {"docs/print.md": "Call `print(tide)` to see it.\n"},
    21: {"ui/print_view.py": "def blueprint(x):\n    return x\n"},
    25: {"ui/note.py": "# import sqlite3 is for the store\nNAME = 'sqlite3'\n"},
    29: {"docs/gen.md": "How gen/ is made.\n"},
}
"""Commits that come close and break none."""


def test_of_forty_commits_the_right_ones_are_stopped_and_none_of_the_others(cli: Cli, repo: Repo) -> None:
    ids = [constraint(cli, words, rule) for words, rule in FIVE]
    for name, text in START.items():
        repo.write(name, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "start")
    stopped: dict[int, list[str]] = {}
    for number in range(40):
        broken, _ = STOPPED.get(number, ({}, 0))
        for name, text in {**QUIET.get(number, {}), **broken, f"notes/{number}.txt": f"note {number}\n"}.items():
            repo.write(name, text)
        repo.git("add", "-A")
        found = cli("check", "--staged", "--json", code=(0, 7))
        if found.code:
            stopped[number] = [one["memory"] for one in found.json["findings"]]
            repo.git("reset", "-q", "--hard")
            repo.git("clean", "-qfd")
        else:
            assert found.json["findings"] == []
            repo.git("commit", "-q", "-m", f"commit {number}")
    assert stopped == {number: [ids[which]] for number, (_, which) in STOPPED.items()}


def test_json_keeps_its_contract_and_what_is_shown_says_how_to_allow_it(cli: Cli, repo: Repo) -> None:
    identifier = constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    repo.stage(a_dot_py="x = 1\nprint(x)\n")
    (found,) = cli("check", "--json", code=7).json["findings"]
    assert found == {
        "memory": identifier,
        "rule": r"forbid 'print\(' in '*.py'",
        "file": "a.py",
        "line": 2,
        "severity": "error",
        "why": "Nothing prints. It once cost a week",
        "allow": f"memtui: allow {identifier} because …",
    }
    shown = cli("check", code=7)
    assert "error    a.py:2  Nothing prints. It once cost a week" in shown.lines
    assert f"memtui: allow {identifier} because …" in shown.out
    repo.stage(a_dot_py=f"x = 1\nprint(x)  # memtui: allow {identifier} because it is a script\n")
    assert "1 exception in 1 changed file" in cli("check").err


def test_warnings_alone_pass(cli: Cli, repo: Repo) -> None:
    constraint(cli, "Nothing prints", r"warn forbid 'print\(' in '*.py'")
    repo.stage(a_dot_py="print(1)\n")
    assert cli("check").lines[0].startswith("warning  a.py:1")


def test_a_message_allows_what_its_trailer_names(cli: Cli, repo: Repo) -> None:
    identifier = constraint(cli, "Generated", "protect 'gen/'")
    repo.stage(gen__a_dot_py="x\n")
    message = repo.write(".git/MSG", f"Change\n\n# memtui: allow {identifier} because comments do not count\n")
    cli("check", "--message", message, code=7)
    message.write_text(f"Change\n\nmemtui: allow {identifier} because the tool is gone\n", encoding="utf-8")
    assert cli("check", "--message", message, "--json").json["allowed"][0]["reason"] == "the tool is gone"


def test_files_are_checked_without_being_staged_and_without_a_repository(cli: Cli, repo: Repo) -> None:
    constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    repo.commit("start", old_dot_py="print(1)\n")
    repo.write("old.py", "print(1)\nprint(2)\n")
    repo.write("new/n.py", "print(3)\n")
    cli.cd(repo.folder / "new")
    found = cli("check", "../old.py", "n.py", "--json", code=7).json["findings"]
    assert [(one["file"], one["line"]) for one in found] == [("new/n.py", 1), ("old.py", 2)]
    portable = cli.home / "portable.jsonl"
    portable.write_text(cli("export", "--target", "jsonl").out, encoding="utf-8")
    plain = cli.cd(cli.home / "plain")
    (plain / "p.py").write_text("print(1)\n", encoding="utf-8")
    assert len(cli("check", "p.py", "--from", portable, "--json", code=7).json["findings"]) == 1
    assert "No such file or folder" in cli("check", "gone.py", "--from", portable, code=2).err


def test_what_cannot_be_checked_lets_the_commit_pass_unless_it_is_strict(cli: Cli, repo: Repo) -> None:
    repo.stage(a_dot_py="x\n")
    quiet = cli("check")
    assert (quiet.out, quiet.err.count("\n")) == ("", 1)
    cli("check", "--strict", code=1)
    constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    with lease(vault_file(Path(cli("vault", "path").out.strip())), exclusive=True, wait_seconds=1):
        begun = time.monotonic()
        busy = cli("check")
        assert (busy.out, busy.err.count("\n")) == ("", 1)
        assert "in use" in busy.err
        cli("check", "--strict", code=5)
        assert (
            time.monotonic() - begun < 8
        )  # 0.4 s and 2 s of waiting on a busy machine; a vault's own patience is 10 s
    named = cli("check", "--vault", cli.home / "gone.duckdb")
    assert (named.out, named.err.count("\n")) == ("", 1)
    cli.cd(cli.home / "plain")
    assert "not a git repository" in cli("check").err
    cli("check", "--strict", code=1)
    cli("check", "--staged", "--diff", "HEAD", code=2)


def test_constraints_come_from_a_portable_vault_in_the_repository(cli: Cli, repo: Repo) -> None:
    constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    cli("export", "--target", "vault", "--out", repo.folder / ".memtui")
    repo.commit("start", a_dot_py="x\n")
    repo.commit("sin", a_dot_py="x\nprint(1)\n")
    cli.globals = ["--vault", str(cli.home / "none")]
    found = cli("check", "--from", ".memtui", "--diff", "HEAD~1", "--strict", "--json", code=7).json["findings"]
    assert [(one["file"], one["line"]) for one in found] == [("a.py", 2)]
    cli("check", "--from", "gone", "--strict", code=1)
    assert cli("check", "--from", "gone").out == ""


def test_what_stopped_a_commit_and_what_was_allowed_is_known_to_the_memory(cli: Cli, repo: Repo) -> None:
    first = constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    second = constraint(cli, "Nothing sleeps", r"forbid 'sleep\(' in '*.py'")
    repo.stage(a_dot_py=f"print(1)\nsleep(1)  # memtui: allow {second} because the tide is slow\n")
    cli.patch.setenv("MEMTUI_NOW", "2031-05-04T10:20:30Z")
    for _ in range(3):
        cli("check", code=7)
    rows = cli("sql", "SELECT memory_id, signal, reason FROM signals ORDER BY signal", "--json").json
    assert [(row["memory_id"], row["signal"], row["reason"]) for row in rows] == [
        (second, "allowed", "a.py:2: the tide is slow"),
        (first, "stopped", "a.py:1"),
    ]
    assert "allowed a.py:2: the tide is slow" in cli("show", second).out
    cli.patch.setenv("MEMTUI_NOW", "2031-05-04T10:21:30Z")
    cli("verify", second)
    assert "allowed a.py" not in cli("show", second).out


def test_a_rule_that_cannot_be_read_is_named_and_fails_a_strict_check(cli: Cli, repo: Repo) -> None:
    row = {"id": "futureaaaaaa", "insight": "Later", "kind": "constraint", "rules": ["forbid-license 'GPL'"]}
    (repo.folder / "m.jsonl").write_text(json.dumps(row), encoding="utf-8")
    repo.stage(a_dot_py="x\n")
    assert "forbid-license 'GPL' of futureaaaaaa" in cli("check", "--from", "m.jsonl").err
    cli("check", "--from", "m.jsonl", "--strict", code=1)


def test_hostile_names_and_texts_reach_no_annotation_or_terminal_raw(cli: Cli, repo: Repo) -> None:
    constraint(cli, "No [/x] \x1b[31m%0A::error::", r"forbid 'XX' in '**'")
    repo.write("a,b:c%\n::warning::.py", "XX \x1b]0;x\x07\n")
    repo.git("add", "-A")
    shown = cli("check", "--github", code=7)
    assert len(shown.lines) == 1
    assert shown.out.startswith("::error file=a%2Cb%3Ac%25%0A%3A%3Awarning%3A%3A.py,line=1,endLine=1,title=memtui ")
    assert "\x1b" not in shown.out + cli("check", code=7).out


def test_a_file_is_named_on_one_line_and_one_that_is_not_utf_8_so_that_it_can_be_found(cli: Cli, repo: Repo) -> None:
    constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'")
    repo.write("a  b\n\x1b[31m\x07.py", "print(1)\n")
    raw = os.fsencode(repo.folder) + b"/back\\\xe9.py"
    try:
        Path(os.fsdecode(raw)).write_text("print(1)\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes no such name")
    repo.git("add", "-A")
    shown = cli("check", code=7)
    assert [line.split("  Nothing")[0] for line in shown.lines if line.startswith("error")] == [
        "error    a  b‹U+000A›‹U+001B›[31m‹U+0007›.py:1",
        "error    back\\\\\\xe9.py:1",
    ]
    assert cli("check", "--json", code=7).json["findings"][1]["file"] == "back\\\\\\xe9.py"


def test_sarif_is_what_its_standard_asks_for(cli: Cli, repo: Repo) -> None:
    constraint(cli, "Nothing prints", r"forbid 'print\(' in '*.py'", "warn protect 'gen/'")
    repo.write("größe/ä b.py", "print(1)\nprint(2)\n")
    repo.stage(gen__a_dot_txt="x\n")
    repo.git("add", "-A")
    log = cli("check", "--sarif", code=7).json
    _require_sarif(log)
    results = log["runs"][0]["results"]
    assert [(one["level"], one["locations"][0]["physicalLocation"]["region"]["startLine"]) for one in results] == [
        ("error", 1),
        ("error", 2),
        ("warning", 1),
    ]
    assert unquote(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "größe/ä b.py"
    repo.git("reset", "-q")
    _require_sarif(cli("check", "--sarif").json)


def _require_sarif(log: Any) -> None:
    """Hold a log to the required properties, types and ranges of SARIF 2.1.0 as far as memtui uses them."""
    assert set(log) <= {"$schema", "version", "runs", "inlineExternalProperties", "properties"}
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        assert set(run) <= {"tool", "results", "columnKind"}
        assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
        driver = run["tool"]["driver"]
        assert driver["name"]
        rules = driver["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for rule in rules:
            assert rule["shortDescription"]["text"]
            assert rule["help"]["text"]
        for result in run["results"]:
            _require_result(result, rules)


def _require_result(result: Any, rules: Any) -> None:
    assert result["message"]["text"]
    assert result["level"] in {"none", "note", "warning", "error"}
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    for location in result["locations"]:
        place = location["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+", place["artifactLocation"]["uri"])
        assert not place["artifactLocation"]["uri"].startswith("/")


def test_fifty_files_are_checked_in_a_moment(cli: Cli, repo: Repo) -> None:
    for words, rule in FIVE:
        constraint(cli, words, rule)
    for number in range(50):
        repo.write(f"ui/view{number}.py", "import os\n" + "".join(f"x{line} = {line}\n" for line in range(100)))
    repo.git("add", "-A")
    spent = []
    for _ in range(4):
        before = os.times()
        assert memtui("check", cwd=repo.folder).code == 0
        after = os.times()
        # Processor time, which others on the machine do not lengthen.
        spent.append(sum(after[2:4]) - sum(before[2:4]))
    print(f"check of 50 files: {min(spent):.3f} s of processor time at best")
    assert min(spent) < 0.4


def test_the_project_of_a_repository_has_the_same_name_where_there_is_no_vault(cli: Cli, repo: Repo) -> None:
    rows = [
        {"insight": "Generated code is made by make gen.", "project": name, "rules": [f"protect '{name}/'"]}
        for name in ("tides", "moon")
    ]
    source = cli.write("all.jsonl", "\n".join(map(json.dumps, rows)))
    repo.commit("start", tides__api_dot_py="A = 1\n", moon__api_dot_py="A = 1\n")
    repo.stage(moon__api_dot_py="A = 2\n")
    cli("check", "--from", source)
    repo.stage(tides__api_dot_py="A = 2\n")
    assert "protect 'tides/'" in cli("check", "--from", source, code=7).out


def test_a_rule_is_tried_on_the_last_commits_before_it_is_saved(cli: Cli, repo: Repo) -> None:
    repo.commit("start", gen__a_dot_py="A = 1\n")
    repo.commit("by hand", gen__a_dot_py="A = 2\n")
    added = cli("add", "Never edit `gen/` by hand", "--kind", "constraint")
    assert f"memtui edit {added.id} --rule 'protect '\"'\"'gen/'\"'\"''" in added.err
    said = cli("edit", added.id, "--rule", "protect existing gen/").err
    assert "protect existing 'gen/': would have stopped this one of the last 2 commits: " in said
    tried = cli("check", "--try", added.id, "--json").json
    assert (tried["commits"], [one["subject"] for one in tried["stopped"]]) == (2, ["by hand"])
    cli("edit", added.id, "--no-rules")
    assert "no rules" in cli("check", "--try", added.id, code=2).err


def test_a_purge_takes_a_text_out_of_rules_and_of_what_was_allowed(cli: Cli, repo: Repo) -> None:
    identifier = constraint(cli, "Nothing prints", r"forbid 'harbour_key' in '*.py'")
    repo.stage(a_dot_py=f"harbour_key = 1  # memtui: allow {identifier} because harbour_key is public\n")
    cli("check")
    cli("purge", "--text", "harbour_key", "--yes")
    assert "harbour_key" not in cli.exported()
    assert b"harbour_key" not in b"".join(file.read_bytes() for file in cli.home.rglob("*.duckdb*"))


def test_a_check_of_nothing_says_that_nothing_was_checked_and_what_would_be(cli: Cli, repo: Repo) -> None:
    constraint(cli, *FIVE[2])
    repo.commit(**START)
    repo.write("ui/view.py", "import os\nprint('new')\n")
    for strict in ((), ("--strict",)):
        said = cli("check", *strict)
        assert said.out == ""
        assert said.err.startswith("memtui check: nothing was checked: nothing is staged; ")
        assert "`memtui check FILE`" in said.err
    cli("check", "ui/view.py", code=7)
    assert "nothing was checked: nothing changed in HEAD..HEAD" in cli("check", "--diff", "HEAD..HEAD").err
    assert "these files match the last commit" in cli("check", "gen/api.py").err
    repo.git("add", "-A")
    assert "nothing was checked" not in cli("check", code=7).err
