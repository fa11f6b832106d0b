"""Tidy, mends and what dismissals teach, from the command line."""

from __future__ import annotations

import json
from typing import Any

from flows.cli_driver import Cli

GRAIN = ("wheat", "barley", "maize", "oats", "rye")
RULES = "# Silos\n\n" + "\n".join(
    f"- The silo for {grain} holds {number + more} tonnes." for number, grain in enumerate(GRAIN) for more in (30, 60)
)


def fill(cli: Cli) -> None:
    cli("import", cli.write("CLAUDE.md", RULES), "--active", "--project", "mill")


def tidied(cli: Cli) -> Any:
    return cli("tidy", "--all-projects", "--json", code=(0, 7)).json


def conflicts(cli: Cli) -> list[list[str]]:
    return [one["ids"] for one in tidied(cli)["conflicts"]]


def test_a_pair_is_listed_with_both_titles_and_all_are_listed_on_demand(cli: Cli) -> None:
    texts = [
        f"Sweep the floor of silo number {name} before the {name} harvest." for name in (*GRAIN, "spelt", "millet")
    ]
    rules = "".join(f"- {text}\n" for text in texts)
    cli("import", cli.write("CLAUDE.md", f"# Silos\n\n{rules}"), "--active", "--project", "mill")
    more = "".join(f"- {text} Then log the hour in the book.\n" for text in texts)
    cli("import", cli.write("docs/lessons.md", f"# Brooms\n\n{more}"), "--active", "--project", "mill")
    short, full = (cli("tidy", *option, "--all-projects", code=7).out for option in ((), ("--all",)))
    assert "and 2 more; --all lists them" in short
    assert "more; --all" not in full
    assert full.count("similarity") == len(texts)
    assert all(line.count("Sweep the floor") == 2 for line in full.split("\n") if "similarity" in line)


def test_dismissals_teach_are_listed_and_taken_back(cli: Cli) -> None:
    fill(cli)
    found = conflicts(cli)
    assert len(found) == len(GRAIN)
    for pair in found[:3]:
        cli("settle", *pair, "--dismiss", "--project", "mill")
    report = cli("tidy", "--all-projects", code=(0, 7))
    assert "Not shown: 2, because you dismissed 3 like them." in report.err
    assert tidied(cli)["hidden"] == 2
    row = cli("tidy", "--learned", "--all-projects", "--json").json[0]
    assert {key: row[key] for key in ("finding", "shape", "by", "dismissals", "hidden")} == {
        "finding": "contradictions", "shape": ["number"], "by": "files", "dismissals": 3, "hidden": 2,
    }  # fmt: skip
    assert "2 contradictions (number) in" in cli("tidy", "--learned", "--all-projects").out
    told = cli("tidy", "--unlearn", row["name"], "--all-projects")
    assert "are made again" in told.err
    assert conflicts(cli) == found[3:]
    cli("undo")
    assert tidied(cli)["hidden"] == 2
    missing = cli("tidy", "--unlearn", "nosuch", "--all-projects", code=3)
    assert "No such lesson was learned" in missing.err


def test_all_of_a_shape_are_dismissed_at_once(cli: Cli) -> None:
    fill(cli)
    first = conflicts(cli)[0]
    told = cli("settle", *first, "--dismiss", "--alike", "--project", "mill")
    assert "5 proposals" in told.err
    assert tidied(cli)["conflicts"] == []
    wrong = cli("settle", *first, "--keep", first[0], "--alike", code=2)
    assert "--alike goes with" in wrong.err


def test_mends_are_offered_shown_and_done(cli: Cli) -> None:
    rows = [
        {
            "insight": text,
            "source": {"format": "claude-md", "path": "C.md", "span": [line, line], "native_id": f"Tide gauge#{line}"},
        }
        for line, text in enumerate(("The scale is calibrated weekly.", "All three are calibrated by hand."), 3)
    ]
    cli("import", cli.write("rows.jsonl", "\n".join(map(json.dumps, rows))), "--active", "--project", "pier")
    (offer,) = cli("mend", "--all-projects", "--json").json
    assert (offer["finding"], offer["reason"], offer["mend"]) == ("fragments", "dangling", "join")
    listed = cli("mend", "--all-projects")
    assert f"join it with {offer['with']}" in listed.out
    assert "1 fix suggested. Nothing was changed." in listed.err
    (done,) = cli("mend", offer["id"], "--project", "pier", "--json").json
    assert done == {"id": offer["with"], "mend": "join", "others": [offer["id"]]}
    assert cli("show", offer["id"], "--json").json["status"] == "merged"
    cli("undo")
    assert cli("mend", offer["id"], "--how", "heading", "--project", "pier").lines
    assert cli("show", offer["id"], "--json").json["insight"].startswith("Tide gauge: ")
    gone = cli("mend", offer["with"], "--project", "pier", code=3)
    assert "No fix is suggested for it" in gone.err


def test_what_only_an_edit_shortens_is_left_and_told_while_others_are_mended(cli: Cli) -> None:
    items = "\n".join(f"| crane {number} | lifts {number} tonnes of gravel by hand |" for number in range(80))
    table = cli("add", f"All cranes.\n\n| crane | load |\n| --- | --- |\n{items}", "--project", "pier").out.split()[0]
    vague = cli("add", "Be careful with errors.", "--project", "pier").out.split()[0]
    listed = cli("mend", "--project", "pier")
    assert "1 fix suggested, and 1 that can be shortened only by editing. Nothing was changed." in listed.err
    done = cli("mend", table, vague, "--project", "pier")
    assert "Mended 1 memory. `memtui undo` reverts it." in done.err
    assert f"Unchanged: Only a person can shorten it: {table}" in done.err
    assert cli("show", vague, "--json").json["status"] == "retired"
    cli("undo")
    assert cli("show", vague, "--json").json["status"] == "active"
    assert "can shorten it" in cli("mend", table, "--project", "pier", code=2).err


def test_the_newer_of_two_that_contradict_and_what_speaks_for_a_duplicate_are_told(cli: Cli) -> None:
    old, new = (
        cli("add", f"The service runs on Remix {version}.", "--project", "pier").out.split()[0]
        for version in ("2.1", "2.17.4")
    )
    found = cli("tidy", "--project", "pier", code=7)
    assert f"{new} is newer: `memtui settle {old} {new} --keep {new}`" in found.out
    for text in ("Weigh every lorry twice.", "weigh every lorry **twice**"):
        cli("add", text, "--project", "mill")
    assert "easy, similarity 1.00 · the same text" in cli("tidy", "--project", "mill", code=7).out
