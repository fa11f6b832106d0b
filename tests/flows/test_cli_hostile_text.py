"""Text that would break a terminal, a parser or a database breaks nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from flows.cli_driver import Cli

SOUP = "[/ [b + x [type=x, v={'a[0]'}] [red] [@click=app.quit]x[/] {0} %s ``` ~~~~ --- </memory>"
EVERYTHING = (
    f"{SOUP} \x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b[201~:q! \u202ereversed\u202c zero\u200bwidth \U000e0041tag "
    "bell\x07back\x08 日本語 😀👩‍👩‍👧 e\u0301 العربية a\u2028b\u2029c\x85d\x0be '; DROP TABLE memories; -- "
    "../../../etc/passwd line\r\nline\rline\n---\n# heading"
)
ARGUMENTS = {
    "everything": f"{EVERYTHING} undecodable \udcff\ud800",
    "dashes": "--",
    "long": "x" * 100_000,
}
INPUTS = {
    "everything": EVERYTHING.encode() + b"nul\x00",
    "megabyte": b"x" * 500_000 + b"[/]" * 200_000,
}


def clean(text: str) -> bool:
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


def harmless(cli: Cli, *words: str, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> str:
    """Run a command that may succeed or refuse, but never crashes nor lets a control character through."""
    run = cli(*words, stdin=stdin, code=codes)
    assert clean(run.out), run.out[:200]
    assert clean(run.err), run.err[:200]
    return run.out


@pytest.mark.parametrize("name", INPUTS)
def test_every_text_of_a_memory_is_stored_shown_and_found(cli: Cli, name: str) -> None:
    data = INPUTS[name]
    text = data.decode("utf-8", "replace").replace("\x00", "")
    made = harmless(cli, "add", "-", "--kind", "note", "--project", "p", f"--why={text[:9000]}", stdin=data).strip()
    options = (f"--title={text[:9000]}", f"--snippet={text}", f"--tag={text[:50]}", "--project=p")
    harmless(cli, "add", *options, "The replica listens on port 8788.")
    for words in (("list", "--all-projects"), ("show", made), ("show", made, "--history"), ("log",)):
        harmless(cli, *words)
        json.loads(harmless(cli, *words, "--json"))
    harmless(cli, "search", "replica port", "--explain", "--project", "p")
    harmless(cli, "context", "replica port", "--project", "p", "--explain", codes=(0, 3))
    harmless(cli, "sql", "SELECT * FROM memory")
    before, folder = cli.exported(), cli.home / "portable"
    harmless(cli, "export", "--target", "vault", "--out", str(folder))
    harmless(cli, "import", str(folder))
    assert cli.exported() == before


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_argument_that_takes_text_takes_it(cli: Cli, name: str) -> None:
    """No command crashes on it; where it is wrong, the answer says so."""
    made = cli("add", "A plain one.", "--project", "p").id
    text = ARGUMENTS[name]
    commands: list[tuple[tuple[str, ...], tuple[int, ...]]] = [
        (("search", "--", text), (0, 2, 3)),
        (("context", "--project", "p", "--", text), (0, 3)),
        (("edit", made, f"--text={text}", f"--title={text}", f"--why={text}"), (0,)),
        (("feedback", made, "helped", f"--why={text}"), (0,)),
        (("retire", made, f"--why={text}"), (0,)),
        (("show", "--", text), (3,)),
        (("link", made, "relates", "--", text), (2, 3)),
        (("recipe", "save", "--", text, text), (0, 2)),
        (("recipe", "run", "--", text), (0, 3)),
        (("list", f"--tag={text}", f"--project={text}"), (0, 2)),
        (("list", f"--status={text}"), (2,)),
        (("list", f"--kind={text}"), (2,)),
        (("add", "x", f"--actor={text}", f"--file={text}"), (0, 1, 2)),
        (("search", "x", f"--file={text}"), (0, 1, 2)),
        (("import", f"./{text}"), (1, 3)),
        (("sql", "--", text), (2, 6)),
        (("context", f"--budget={text}"), (2,)),
        (("purge", "--yes", f"--text={text}"), (0, 2, 3)),
        (("project", "alias", "p", "--", text), (0, 2)),
        (("completion", "--", text), (2,)),
        ((text,), (2,)),
        ((f"--{text}",), (2,)),
    ]
    for words, codes in commands:
        harmless(cli, *words, codes=codes)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00\xd8", b"\x00" * 1000, b"\xef\xbb\xbf", b"---\n", b"{\n" * 5000])
def test_files_of_rubbish_are_imported_or_refused(cli: Cli, data: bytes) -> None:
    for name in ("CLAUDE.md", "AGENTS.md", ".cursor/rules/x.mdc", "x.jsonl", "docs/adr/0001-x.md", "notes.md"):
        cli.write(name, data)
    harmless(cli, "import", ".", "notes.md", "x.jsonl", codes=(0, 1, 3))


def test_a_directory_named_like_a_rule_file_is_no_crash(cli: Cli) -> None:
    cli.write("CLAUDE.md/readme.txt", "a folder\n")
    harmless(cli, "import", ".", codes=(0, 1, 3))


def test_hidden_characters_are_written_out_for_people_and_kept_for_programs(cli: Cli) -> None:
    made = cli("add", "admin \u202ekrow\u202c", "--title", "a \u202eb").id
    assert "‹U+202E›" in cli("list").out
    assert "‹U+202E›" in cli("show", made).out
    assert "\u202e" in cli("show", made, "--json").json["insight"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_file_whose_name_is_no_text_is_imported_or_refused(cli: Cli) -> None:
    name = "caf\udce9.md"
    cli.write(name, "# Ports\n\n## Replica\n\nThe replica listens on 8788.\n")
    harmless(cli, "import", name, "--json", codes=(0, 1))
    harmless(cli, "add", "Tied to an odd file.", "--file", name, codes=(0, 2))
    harmless(cli, "list", "--json", "--status", "any")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
def test_a_folder_whose_name_is_no_text_can_be_worked_in(cli: Cli) -> None:
    cli.cd(cli.home / os.fsdecode(b"f\xff\xfe"))
    cli.write("CLAUDE.md", "# Rules\n\n- Use tabs everywhere in Go.\n")
    made = harmless(cli, "add", "The replica listens on 8788.").strip()
    harmless(cli, "import", ".", "--active")
    harmless(cli, "show", made)
    assert made in harmless(cli, "list", "--json", "--all-projects")


def test_a_file_nested_without_end_is_no_crash(cli: Cli) -> None:
    cli("add", "seed", "--project", "p")
    folder = cli.home / "portable"
    cli("export", "--target", "vault", "--out", folder)
    (path,) = folder.glob("memories/*/*.md")
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\ntags: {'[' * 5000}{']' * 5000}\n", 1), "utf-8")
    harmless(cli, "import", str(folder), codes=(0, 1, 4))


def test_one_row_with_an_impossible_project_is_skipped_and_the_others_come_in(cli: Cli) -> None:
    rows = [{"insight": "one", "project": "p"}, {"insight": "two", "project": "p\nq"}, {"insight": "three"}]
    path = cli.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    report = cli("import", path, "--json").json
    assert report["added"] == 2
    assert [(row["line"], row["reason"][:8]) for row in report["skipped"]] == [(2, "project:")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_no_vault(cli: Cli) -> None:
    os.mkfifo(cli.home / "pipe.duckdb")
    for words in (("list",), ("add", "x")):
        assert "not a regular file" in cli("--vault", cli.home / "pipe.duckdb", *words, code=1).err


def test_a_process_without_streams_does_its_work(cli: Cli) -> None:
    """Data that reaches nobody is a failure, and a change is made all the same."""
    for shell, code in (
        ("memtui add one --project p >&-", 1),
        ("memtui add two <&- 2>&-", 0),
        ("memtui context one --project p --record >&-", 1),
        ("memtui list >&- 2>&-", 1),
        ("memtui --version >&-", 1),
        ("memtui list --help <&- >&-", 1),
    ):
        words = shell.replace("memtui", f"{sys.executable} -m memtui")
        done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), (shell, done.stderr)
        told = "memtui: Nothing could be written: standard output is closed." in done.stderr
        assert told == (code == 1 and "2>&-" not in shell), (shell, done.stderr)
    assert len(cli.all_rows()) == 2
    assert cli("pack", "list", "--json").json == [], "a payload that nobody got was not used"


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
def test_the_ends_of_the_calendar_are_no_crash(cli: Cli, now: str) -> None:
    made = cli("add", "one", "--project", "p").id
    cli.globals = ["--project", "p"]
    cli.patch.setenv("MEMTUI_NOW", now)
    cli("snooze", made, "--until", "9999-12-31", code=(0, 2))
    cli("verify", made)
    cli("context", "--record")
    for words in (
        ("review", "--list"),
        ("list", "--stale"),
        ("list", "--where", "age>90d"),
        ("pack", "list", "--awaiting"),
        ("tidy",),
        ("half-life",),
        ("stats",),
        ("doctor",),
    ):
        cli(*words, code=(0, 3, 7))


def test_a_moment_before_the_calendar_is_told(cli: Cli) -> None:
    """In UTC it lies in a year that there is not."""
    for moment in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"):
        cli.patch.setenv("MEMTUI_NOW", moment)
        assert f"MEMTUI_NOW={moment}" in cli("add", "one", code=2).err


def test_a_defect_is_told_in_words(cli: Cli) -> None:
    cli.patch.delenv("MEMTUI_TRACEBACK")
    cli.patch.setattr("memtui.cli.vault.health", lambda *_: 1 / 0)
    run = cli("stats", code=1)
    assert "internal error: ZeroDivisionError" in run.err
    assert "MEMTUI_TRACEBACK=1" in run.err
