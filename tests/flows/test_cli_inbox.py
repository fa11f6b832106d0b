"""The inbox in bulk at the command line: by file, section and kind, as one text in the editor, and files left out."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from flows.cli_driver import Cli

LOCKS = """# Harbour

## Locks

- Never hold two lock gates open at once.
- Log every lockage with its water level.

## Tides

- Read the tide table before you moor.
"""
SIGNS = {"likely": "~", "guess": "?"}
QUAY = "# Quay\n\n- Keep the fenders out on quay four.\n"


@pytest.fixture
def harbour(cli: Cli) -> Cli:
    root = cli.repository("harbour", "git@github.com:acme/harbour.git")
    cli.cd(root)
    (root / "CLAUDE.md").write_text(LOCKS)
    (root / "quay").mkdir()
    (root / "quay" / "AGENTS.md").write_text(QUAY)
    cli("import", ".")
    return cli


def waiting(cli: Cli) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = cli("inbox", "--json").json
    return rows


def editor(cli: Cli, body: str) -> None:
    """Make the script `body` the editor; `path` in it is the file to edit."""
    script = cli.home / "sheet_editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{body}\n", encoding="utf-8")
    cli.patch.setenv("EDITOR", f'"{sys.executable}" "{script}"')


def test_what_waits_stands_below_its_file_and_heading_with_how_sure_its_kind_is(harbour: Cli) -> None:
    harbour("add", "Buoys are green.", "--actor", "cursor", "--project", "harbour")
    told, rows = harbour("inbox"), {row["insight"]: row for row in waiting(harbour)}
    places = [line.rstrip() for line in told.out.splitlines() if not line.startswith("    ")]
    assert {"CLAUDE.md (3)", "  Harbour > Locks (2)", "  Harbour > Tides (1)", "cursor (1)"} <= set(places)
    tide = rows["Read the tide table before you moor."]
    assert tide["source"]["heading"] == "Harbour > Tides"
    under = told.out.split("Harbour > Tides (1)")[1].splitlines()[1]
    assert under.split()[0] == tide["id"]
    sign, row = next((SIGNS[one["kind_confidence"]], one) for one in rows.values() if one["kind_confidence"] in SIGNS)
    line = next(line for line in told.out.splitlines() if row["id"] in line)
    assert line.split()[1:3] == [row["kind"], sign]
    assert "~ marks a kind that is likely, ? one that is a guess." in told.err
    assert f"{row['kind']} ({row['kind_confidence']})" in harbour("show", row["id"]).out
    assert harbour("show", row["id"], "--json").json["kind_confidence"] == row["kind_confidence"]


def test_a_section_a_file_and_a_kind_are_decided_on_at_once(harbour: Cli) -> None:
    dry = harbour("inbox", "accept", "--section", "Locks", "--dry-run", "--json").json
    assert [row["path"] for row in dry] == ["CLAUDE.md", "CLAUDE.md"]
    assert len(waiting(harbour)) == 4
    assert harbour("inbox", "accept", "--section", "Locks", "--json").json["changed"] == [row["id"] for row in dry]
    assert "Rejected: " in harbour("inbox", "reject", "--file", "quay").err
    (left,) = waiting(harbour)
    harbour("undo")
    assert len(waiting(harbour)) == 2
    harbour("inbox", "reject", "--of-kind", "no-such-kind", code=3)
    assert harbour("inbox", "list", "--file", "CLAUDE.md", "--json").json == [left]
    assert harbour("inbox", "--json", "--file=CLAUDE.md").json == [left]
    assert left in harbour("inbox", "--of-kind", left["kind"], "--json").json
    assert "Too many arguments: accept" in harbour("inbox", "--file", "CLAUDE.md", "accept", code=2).err
    assert harbour("inbox", "accept", "--of-kind", left["kind"], "--file", "CLAUDE.md").lines == [left["id"]]
    harbour("inbox", "accept", "--file", "CLAUDE.md", code=3)
    harbour("inbox", "reject", left["id"], "--file", "CLAUDE.md", code=2)


def test_a_file_narrows_all_and_a_kind_is_given(harbour: Cli) -> None:
    dry = harbour("inbox", "accept", "--all", "--file", "quay", "--kind", "note", "--dry-run", "--json").json
    assert [(row["path"], row["kind"]) for row in dry] == [("quay/AGENTS.md", "note")]
    harbour("inbox", "accept", "--all", "--file", "quay", "--kind", "no-such-kind", code=2)
    (taken,) = harbour("inbox", "accept", "--all", "--file", "quay", "--kind", "note").lines
    assert harbour("show", taken, "--json").json["kind"] == "note"
    assert len(waiting(harbour)) == 3
    assert len(harbour("inbox", "accept", "--all", "--section", "Locks").lines) == 2
    harbour("inbox", "accept", "--all", "--of-kind", "no-such-kind", code=3)
    (left,) = waiting(harbour)
    harbour("inbox", "accept", left["id"], "--of-kind", left["kind"], code=2)
    dry = harbour("inbox", "accept", "--all", "--kind", "bug-pattern", "--dry-run", "--json").json
    assert [row["kind"] for row in dry] == ["bug-pattern"]
    harbour("inbox", "accept", "--all", "--kind", "bug-pattern")
    assert harbour("show", left["id"], "--json").json["kind"] == "bug-pattern"


def test_what_was_just_accepted_is_not_due_for_files_that_were_missing_then(cli: Cli) -> None:
    root = cli.repository("mill", "git@github.com:acme/mill.git")
    cli.cd(root)
    (root / "mill" / "wheel").mkdir(parents=True)
    (root / "wheel").mkdir()
    for path in ("mill/wheel/turn.py", "wheel/turn.py", "mill/stone.py"):
        (root / path).touch()
    rules = ["- Write the grain log to `var/grain.log` each night.", "- Keep `mill/stone.py` free of IO at all times."]
    (root / "AGENTS.md").write_text("\n".join(["# Mill", "", *rules, ""]))
    (root / "mill" / "AGENTS.md").write_text("# Mill\n\n- Never turn the wheel but through `wheel/turn.py`.\n")
    cli("import", ".")
    anchors = {anchor["path"] for row in waiting(cli) for anchor in row["anchors"]}
    assert {"var/grain.log", "mill/wheel/turn.py"} <= anchors
    assert "wheel/turn.py" not in anchors
    cli("inbox", "accept", "--all")
    assert cli("review", "--list", "--json").json == []
    (root / "mill" / "stone.py").unlink()
    assert "mill/stone.py is gone" in cli("review", "--list").out


def test_a_kind_is_set_for_all_of_a_file(harbour: Cli) -> None:
    assert len(harbour("inbox", "kind", "bug-pattern", "--file", "CLAUDE.md").lines) == 3
    assert {row["kind"] for row in waiting(harbour) if row["source"]["path"] == "CLAUDE.md"} == {"bug-pattern"}
    harbour("inbox", "kind", "no-such-kind", "--file", "CLAUDE.md", code=2)
    harbour("inbox", "kind", "note", code=2)
    dry = harbour(
        "inbox", "kind", "note", "--of-kind", "bug-pattern", "--file", "CLAUDE.md", "--dry-run", "--json"
    ).json
    assert [row["kind"] for row in dry] == ["note"] * 3
    assert "Nothing was changed" in harbour("inbox", "kind", "note", "--of-kind", "bug-pattern", "--dry-run").err
    assert len(harbour("inbox", "kind", "note", "--of-kind", "bug-pattern", "--where", "tide").lines) == 1
    assert sorted(row["kind"] for row in waiting(harbour)).count("bug-pattern") == 2


def test_a_file_is_never_offered_again_until_that_is_taken_back(harbour: Cli) -> None:
    run = harbour("inbox", "never", "AGENTS.md")
    assert "Ignored in future imports: quay/AGENTS.md; 1 candidate rejected." in run.err
    assert "memtui inbox never --undo quay/AGENTS.md" in run.err
    assert [row["path"] for row in harbour("inbox", "never", "--list", "--json").json] == ["quay/AGENTS.md"]
    report = harbour("import", ".", "--json").json
    assert [row["path"] for row in report["skipped"] if "never offered" in row["reason"]] == ["quay/AGENTS.md"]
    assert report["added"] == 0
    harbour("inbox", "never", "--undo", "quay/AGENTS.md")
    assert harbour("inbox", "never", "--list", "--json").json == []
    assert len(waiting(harbour)) == 4
    harbour("undo")
    assert "quay/AGENTS.md" in harbour("inbox", "never", "--list").out
    harbour("undo")
    assert len(waiting(harbour)) == 4
    harbour("inbox", "never", "--undo", "quay/AGENTS.md", code=3)
    harbour("inbox", "never", code=2)


def test_one_text_in_the_editor_accepts_rewords_and_rejects(harbour: Cli) -> None:
    by_title = {row["title"]: row["id"] for row in waiting(harbour)}
    tides = next(row["id"] for row in waiting(harbour) if "tide table" in row["insight"])
    editor(
        harbour,
        "text = path.read_text()\n"
        "mark = text.split('%% ')[2].split()[0]\n"
        "head, *blocks = text.split(f'%% {mark} ')\n"
        f"kept = [block for block in blocks if not block.startswith('{tides}')]\n"
        "path.write_text(f'%% {mark} '.join([head, *kept]).replace('two lock gates', 'two gates'))",
    )
    asked = harbour("inbox", "edit", "--file", "CLAUDE.md", code=2)
    assert "accept 2 (1 reworded), reject 1" in asked.err
    assert len(waiting(harbour)) == 4
    report = harbour("inbox", "edit", "--file", "CLAUDE.md", "--yes", "--json").json
    assert len(report["changed"]) == 3
    assert harbour("show", tides, "--json").json["status"] == "retired"
    texts = {row["insight"] for row in harbour("list", "--json").json}
    assert "Never hold two gates open at once." in texts
    harbour("undo")
    assert {row["title"]: row["id"] for row in waiting(harbour)} == by_title


def test_an_empty_or_failed_edit_changes_nothing(harbour: Cli) -> None:
    editor(harbour, "path.write_text('')")
    assert "Nothing was changed" in harbour("inbox", "edit", "--yes").err
    editor(harbour, "sys.exit(3)")
    harbour("inbox", "edit", "--yes", code=1)
    editor(
        harbour, "path.write_text(path.read_text().replace('kind: ', 'kind: x', 1).replace('kind: x', 'kind: y', 2))"
    )
    assert "Unknown kind" in harbour("inbox", "edit", "--yes", code=2).err
    assert len(waiting(harbour)) == 4


def configure(cli: Cli, text: str) -> None:
    file = cli.home / "config" / "memtui.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_what_a_query_selects_is_accepted_and_rejected(harbour: Cli) -> None:
    assert len(harbour("inbox", "list", "--where", "lockage", "--json").json) == 1
    harbour("inbox", "accept", "--where", "lockage")
    assert len(waiting(harbour)) == 3
    harbour("inbox", "reject", "--where", "fenders")
    assert len(waiting(harbour)) == 2
    assert "No candidate matches" in harbour("inbox", "accept", "--where", "nothing-like-it", code=3).err


def test_proposals_beyond_the_surest_of_an_agent_fold_until_the_whole_is_asked_for(cli: Cli) -> None:
    configure(cli, "[inbox]\nmost = 2\n")
    for number in range(5):
        cli("add", f"Rule {number}: buoy {number} is checked", "--actor", "cursor", "--project", "bay")
    told = cli("inbox", "list")
    assert "3 less certain proposals from cursor hidden" in told.err
    assert len(cli("inbox", "list", "--whole").lines) == len(told.lines) + 3
    assert len(waiting(cli)) == 5


def test_what_waits_too_long_is_put_away_listed_and_brought_back(cli: Cli) -> None:
    configure(cli, "[inbox]\ndays = 30\n")
    cli("add", "Buoys are checked before the race", "--actor", "cursor", "--project", "bay")
    assert cli("inbox", "expire", "--dry-run", "--json").json == []
    cli.patch.setenv("MEMTUI_NOW", "2099-01-01T00:00:00Z")
    (found,) = cli("inbox", "expire", "--dry-run", "--json").json
    assert (found["cause"], found["title"]) == ("age", "Buoys are checked before the race")
    cli("inbox", "expire")
    assert waiting(cli) == []
    (away,) = cli("inbox", "expired", "--json").json
    cli("inbox", "back", away["id"])
    assert [row["id"] for row in waiting(cli)] == [away["id"]]
    cli("inbox", "reject", away["id"], "--why", "expired")
    assert cli("inbox", "expired", "--json").json == []
    assert "already rejected" in cli("inbox", "back", away["id"]).err


def test_accepting_a_correction_keeps_what_it_corrects_and_names_the_command_that_replaces_it(cli: Cli) -> None:
    old = cli("add", "Berth fees are due on Fridays", "--project", "shop").id
    agent = ("--project", "shop", "--actor", "codex")
    proposed = cli("add", "Berth fees are due on Mondays", "--supersedes", old, *agent).id
    said = cli("inbox", "accept", proposed).err
    command = ("link", proposed, "supersedes", old)
    assert f"`memtui {' '.join(command)}` replaces it" in said
    assert cli("show", old, "--json").json["status"] == "active"
    cli(*command)
    assert cli("show", old, "--json").json["status"] == "superseded"
