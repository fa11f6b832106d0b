"""Files that are not quite what they should be: one bad row costs one row, and nothing is stored broken."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from flows.cli_driver import Cli

ROWS = [
    {"id": "moor", "insight": "Moor the tugs on the lee side of the pier.", "project": "harbour"},
    {"id": "fees", "insight": "Round the fees once, at the end of the day.", "project": "harbour"},
]


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.ndjson"])
def test_a_list_of_rows_is_read_from_any_json(cli: Cli, name: str) -> None:
    text = json.dumps({"exported": "2026-02-01", "memories": ROWS}, indent=2).replace("\n  ]", ",\n  ] // all of them")
    run = cli("import", cli.write(name, text), "--active")
    assert run.lines == ["moor", "fees"]
    assert cli("import", name, "--json").json["unchanged"] == 2


def test_what_is_listed_can_be_imported_elsewhere_with_its_links(cli: Cli) -> None:
    cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, ROWS))), "--active")
    cli("link", "moor", "relates", "fees")
    listed = cli("list", "--all-projects", "--json").out
    cli("purge", "moor", "fees", "--yes")
    cli("import", cli.write("listed.json", listed), "--include-deleted")
    assert cli("show", "moor", "--json").json["links"] == [{"type": "relates", "id": "fees"}]


def test_rows_around_a_merge_conflict_come_in_and_the_conflict_is_named(cli: Cli) -> None:
    ours, theirs = json.dumps(ROWS[0]), json.dumps(ROWS[0] | {"insight": "Moor the tugs anywhere."})
    lines = ["<<<<<<< HEAD", ours, "=======", theirs, ">>>>>>> other", json.dumps(ROWS[1])]
    run = cli("import", cli.write("rows.jsonl", "\n".join(lines)), code=4)
    assert run.lines == ["fees"]
    assert "rows.jsonl:1-5: unresolved merge conflict: moor on lines 2 and 4" in run.err


def test_a_file_in_another_encoding_is_read_or_refused_by_name(cli: Cli) -> None:
    cli.write("CLAUDE.md", "# Gebühren\n\n- Gebühren werden nie vor dem Abschluss gerundet.\n".encode("cp1252"))
    cli.write("AGENTS.md", b"# \xd1\xfa\n\n- \xff\xfa\xd1 and \x9f\x81.\n")
    run = cli("import", ".", "--project", "harbour")
    assert "CLAUDE.md: not UTF-8, read as cp1252" in run.err
    assert "iconv" in run.err
    assert "AGENTS.md" in run.err
    (row,) = cli("list", "--status", "any", "--all-projects", "--json").json
    assert row["insight"] == "Gebühren werden nie vor dem Abschluss gerundet."


def test_settings_below_a_comment_and_never_closed_scope_what_follows(cli: Cli) -> None:
    cli.write(".claude/rules/a.md", "<!-- lint off -->\n\n---\npaths: src/**/*.go\n---\n\n- Wrap every error.\n")
    cli.write(".claude/rules/b.md", "---\npaths: *.ts, **/*.tsx\n\n- Export by name.\n")
    run = cli("import", ".", "--project", "harbour")
    assert "never closed" in run.err
    rows = cli("list", "--status", "any", "--all-projects", "--json").json
    assert {row["insight"]: [anchor["path"] for anchor in row["anchors"]] for row in rows} == {
        "Wrap every error.": ["src/**/*.go"],
        "Export by name.": ["*.ts", "**/*.tsx"],
    }


def test_a_rule_around_a_merge_conflict_is_read_and_its_line_is_named(cli: Cli) -> None:
    conflict = "<<<<<<< HEAD\n- Round up.\n=======\n- Round down.\n>>>>>>> other\n"
    cli.write("CLAUDE.md", f"# Fees\n\n- Write fees with their currency.\n\n{conflict}")
    assert "CLAUDE.md:5-9: unresolved merge conflict" in cli("import", ".", "--project", "harbour").err
    assert [row["insight"] for row in cli.all_rows()] == ["Write fees with their currency."]


@pytest.mark.parametrize(
    "again", ["  Moor on the lee side", "Moor on the lee side  \n", "\n\tMoor on the lee side\r\n"]
)
def test_the_same_text_with_other_white_space_is_the_same_memory(cli: Cli, again: str) -> None:
    first = cli("add", "Moor on the lee side", "--project", "harbour").id
    assert cli("add", again, "--project", "harbour").id == first
    assert cli("add", "-", "--project", "harbour", stdin=again).id == first


@pytest.mark.parametrize("again", ["Moor on\nthe lee side", "Moor\ton  the lee\r\n\nside"])
def test_white_space_inside_a_text_makes_no_second_memory(cli: Cli, again: str) -> None:
    first = cli("add", "Moor on the lee side", "--project", "harbour").id
    run = cli("add", "-", "--project", "harbour", stdin=again)
    assert run.id == first
    assert "Already stored" in run.err
    assert cli("add", again, "--project", "pilots").id != first


def test_white_space_inside_code_tells_memories_apart(cli: Cli) -> None:
    text = "Start it like this:\n\n```\nif tide:\n    moor()\n```"
    first = cli("add", "-", "--project", "harbour", stdin=text).id
    assert cli("add", "-", "--project", "harbour", stdin=text.replace("\n    moor", " moor")).id != first


def test_words_are_found_without_their_accents(cli: Cli) -> None:
    cli("add", "The Café on the quay closes at six", "--project", "harbour")
    for number in range(6):
        cli("add", f"Berth {number} is dredged in week {number}", "--project", "harbour")
    assert "café for cafe" in cli("search", "cafe", "--project", "harbour", "--explain").out


def test_a_value_that_fits_no_memory_costs_itself_and_not_its_row(cli: Cli) -> None:
    odd = {"created_at": "last Tuesday", "importance": 40, "title": 7, "id": ["x"], "tags": {"a": 1}, "pinned": "yes"}
    rows = [
        {"insight": f"Berth {number} silts up in spring.", key: value}
        for number, (key, value) in enumerate(odd.items())
    ]
    run = cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, [*rows, {"insight": 5}]))))
    assert len(run.lines) == len(odd)
    for key in odd:
        assert f"its {key} is not valid and was left out" in run.err
    assert "insight is not text" in run.err
    assert cli("import", "rows.jsonl", "--json").json["unchanged"] == len(odd)


def test_a_title_made_from_the_text_is_replaced_with_it_and_a_chosen_one_stays(cli: Cli) -> None:
    rows = [{"id": "quay", "insight": "The quay floods at spring tide"}, {"id": "crane", "insight": "The crane rests"}]
    cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, rows))), "--active")
    cli("edit", "crane", "--title", "About the crane")
    rows = [rows[0] | {"insight": "Lamps are lit at dusk"}, rows[1] | {"insight": "The crane turns in any wind"}]
    cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, rows))), "--replace")
    listed = cli("list", "--all-projects", "--json").json
    assert {row["id"]: row["title"] for row in listed} == {"quay": "Lamps are lit at dusk", "crane": "About the crane"}


def test_conflicts_of_other_projects_are_counted_where_they_are_not_listed(cli: Cli) -> None:
    cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, ROWS))), "--active")
    cli("import", cli.write("rows.jsonl", json.dumps(ROWS[0] | {"insight": "Moor the tugs anywhere."})), code=4)
    run = cli("inbox", "conflicts", "--project", "pilots")
    assert run.lines == []
    assert "1 in project harbour (--project harbour)" in run.err
    assert "agrees" not in run.err


def test_a_folder_whose_name_is_no_text_is_not_gone(cli: Cli) -> None:
    folder = Path(os.fsdecode(os.fsencode(cli.repository("port")) + b"/quay\xff"))
    folder.mkdir()
    (folder / "AGENTS.md").write_text("- Never tie up at the coal quay.\n")
    cli.write("AGENTS.md", "- Ask the pilot before noon.\n")
    for _ in range(2):
        assert "gone" not in cli("import", ".").err
    (folder / "AGENTS.md").unlink()
    assert "quay?/AGENTS.md is gone" in cli("import", ".").err


def test_a_rule_file_whose_settings_are_in_conflict_is_not_called_missing(cli: Cli) -> None:
    conflict = "<<<<<<< HEAD\npaths: a/**\n=======\npaths: b/**\n>>>>>>> quay\n"
    cli.write("CLAUDE.md", f"---\n{conflict}---\nNever moor at night.\n")
    run = cli("import", ".", "--project", "harbour", code=4)
    assert "CLAUDE.md:2-6: unresolved merge conflict in the frontmatter" in run.err
    assert "No memory files" not in run.err
    cli.write(".memtuiignore", "CLAUDE.md\n")
    assert "Everything found there was left out." in cli("import", ".", "--project", "harbour", code=3).err


RULE = "- Never tow a barge against the ebb.\n"


def _paths(cli: Cli) -> dict[str, tuple[list[str], list[str]]]:
    """Return the anchors and the sources of memories, by their text."""
    rows: list[dict[str, Any]] = list(map(json.loads, cli("export", "--target", "jsonl").lines))
    return {
        row["insight"]: (
            [anchor["path"] for anchor in row.get("anchors", ())],
            [source["path"] for source in (row["source"], *row.get("other_sources", ()))],
        )
        for row in rows
        if row.get("type", "memory") == "memory"
    }


def test_a_rule_in_several_folders_holds_for_each_and_for_those_that_still_state_it(cli: Cli) -> None:
    root = cli.repository("port")
    for name in ("east/AGENTS.md", "north/AGENTS.md", "west/CLAUDE.md"):
        cli.write(name, RULE)
    assert "2 more places say the same" in cli("import", ".").err
    text = RULE.removeprefix("- ").strip()
    sources = ["east/AGENTS.md", "north/AGENTS.md", "west/CLAUDE.md"]
    assert _paths(cli) == {text: (["east/**", "north/**", "west/**"], sources)}
    assert "Nothing new: 1 unchanged" in cli("import", ".").err
    assert "Nothing new: 1 unchanged" in cli("import", "north").err
    (root / "north/AGENTS.md").unlink()
    assert "gone" not in cli("import", ".").err
    assert _paths(cli) == {text: (["east/**", "west/**"], ["east/AGENTS.md", "west/CLAUDE.md"])}
    cli.write("AGENTS.md", RULE)
    cli("import", ".")
    assert _paths(cli)[text][0] == []
    cli("undo")
    assert _paths(cli)[text][0] == ["east/**", "west/**"]


def test_a_memory_names_the_lines_where_its_text_stands_now(cli: Cli) -> None:
    cli.repository("port")
    cli.write("AGENTS.md", f"{RULE}- Ask the pilot before noon.\n")
    cli("import", ".")

    def spans() -> dict[str, list[int]]:
        return {row["insight"]: row["source"]["span"] for row in cli.all_rows()}

    before = spans()
    cli.write("AGENTS.md", f"\n\n- Ask the pilot before noon.\n{RULE}")
    assert "Nothing new: 2 unchanged" in cli("import", ".").err
    assert spans() == {"Never tow a barge against the ebb.": [4, 4], "Ask the pilot before noon.": [3, 3]}
    assert "Nothing new: 2 unchanged" in cli("import", ".").err
    assert "2 memories stand now" in cli("undo").err
    assert spans() == before


def test_what_a_file_says_twice_is_one_memory_and_reported(cli: Cli) -> None:
    cli.write("GEMINI.md", "## Gemini Added Memories\n- Likes short logs\n- Sails at dawn\n- likes  short logs.\n")
    run = cli("import", "GEMINI.md", "--project", "harbour")
    assert "1 line left out: says the same as line 2 (GEMINI.md:4)" in run.err
    assert sorted(row["title"] for row in cli.all_rows()) == ["Likes short logs", "Sails at dawn"]
    assert "2 unchanged" in cli("import", "GEMINI.md", "--project", "harbour").err


def test_code_in_other_capitals_is_another_memory(cli: Cli) -> None:
    cli.write("AGENTS.md", "- Never call `tide()` at night.\n- Never call `Tide()` at night.\n")
    cli("import", "AGENTS.md", "--project", "harbour")
    assert len(cli.all_rows()) == 2
