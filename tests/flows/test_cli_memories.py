"""Adding, listing and showing memories, and the shape of what scripts read."""

from __future__ import annotations

from typing import Any

import pytest
from flows.cli_driver import ID, MEMORY_KEYS, Cli

EXTRA_KEYS = {"status_reason", "linked_from"}
"""What a memory tells beside the design's keys: why it has its status, and which others point at it."""


def only(cli: Cli) -> dict[str, Any]:
    rows = cli.all_rows()
    assert len(rows) == 1
    return rows[0]


def test_add_prints_the_id_alone_and_says_the_rest_on_stderr(cli: Cli) -> None:
    run = cli("add", "Lock refunds by payment_id, never by user_id.", "--kind", "constraint")
    assert run.out == f"{run.id}\n"
    assert "constraint" in run.err
    assert "Lock refunds by payment_id" in run.err


def test_add_json_is_the_id_in_an_object(cli: Cli) -> None:
    run = cli("add", "Seed the database before the tests.", "--json")
    assert list(run.json) == ["id"]
    assert ID.fullmatch(run.json["id"])


def test_add_takes_every_option(cli: Cli) -> None:
    cli.write("payments/lock.py", "TTL = 30\n")
    old = cli("add", "The lock lives 60 s.").id
    new = cli(
        *("add", "The lock lives 30 s.", "--kind", "constraint", "--title", "Lock TTL", "--why", "Sagas end by then."),
        *(
            "--snippet",
            "lock(ttl=30)",
            "--file",
            "payments/lock.py",
            "--file",
            "payments/**/*.py",
            "--tag",
            "redis,lock",
        ),
        *("--tag", "#money", "--project", "payments-api", "--pin", "--importance", 5, "--confidence", 0.8),
        *("--supersedes", old[:5], "--valid-until", "2031-01-31"),
    ).id
    row = cli("show", new, "--json").json
    assert row["title"] == "Lock TTL"
    assert row["insight"] == "The lock lives 30 s."
    assert row["rationale"] == "Sagas end by then."
    assert row["snippet"] == "lock(ttl=30)"
    assert [anchor["path"] for anchor in row["anchors"]] == ["payments/lock.py", "payments/**/*.py"]
    assert row["tags"] == ["redis", "lock", "money"]
    assert (row["project"], row["pinned"], row["importance"], row["confidence"]) == ("payments-api", True, 5, 0.8)
    assert row["valid_until"] == "2031-01-31T00:00:00Z"
    assert row["links"] == [{"type": "supersedes", "id": old}]
    assert cli("show", old, "--json").json["status"] == "superseded"


def test_words_of_one_text_may_stand_around_the_options(cli: Cli) -> None:
    made = cli("add", "run", "the", "narrowest", "--kind", "convention", "test", "first").id
    assert cli("show", made, "--json").json["insight"] == "run the narrowest test first"


def test_a_guessed_kind_is_said_and_can_be_set(cli: Cli) -> None:
    run = cli("add", "We decided to use Postgres 14 instead of MySQL.")
    assert "decision" in run.err
    assert "guessed" in run.err
    assert "guessed" not in cli("add", "Ports are fixed.", "--kind", "note").err


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (b"first line\r\nsecond line\r\n", "first line\nsecond line"),
        (b"\xef\xbb\xbfwith a mark\n", "with a mark"),
        ("\ufefffrom a UTF-16 file".encode("utf-16-le"), "from a UTF-16 file"),
    ],
)
def test_add_reads_standard_input_as_text(cli: Cli, sent: bytes, stored: str) -> None:
    run = cli("add", "-", stdin=sent)
    assert cli("show", run.id, "--json").json["insight"] == stored
    assert "stripped" not in run.err


def test_control_characters_are_stripped_and_counted(cli: Cli) -> None:
    run = cli("add", "-", stdin=b"red \x1b[31malert\x00 and \x1b]0;title\x07 the end")
    assert "Removed 3 control characters" in run.err
    assert "\x1b" not in run.out + run.err
    assert cli("show", run.id, "--json").json["insight"] == "red alert and  the end"


def test_bytes_that_are_no_utf8_are_read_as_what_they_are_or_refused(cli: Cli) -> None:
    run = cli("add", "-", stdin=b"The caf\xe9 closes at six")
    assert "cp1252" in run.err
    assert cli("show", run.id, "--json").json["insight"] == "The café closes at six"
    assert "iconv" in cli("add", "-", stdin=b"\xff\xf0 closes at six", code=2).err


@pytest.mark.parametrize("ending", ["", "  \n\n", "\r\n"])
def test_the_same_text_is_not_added_twice(cli: Cli, ending: str) -> None:
    first = cli("add", "Seed the database first.").id
    run = cli("add", "-", stdin=f"Seed the database first.{ending}")
    assert run.id == first
    assert f"Already stored: {first}" in run.err
    assert len(cli.all_rows()) == 1


def test_the_same_text_in_another_project_is_another_memory(cli: Cli) -> None:
    first = cli("add", "Seed first.", "--project", "one").id
    assert cli("add", "Seed first.", "--project", "two").id != first


SECRET = "AKIA" + "QYLPMN5HHHF" + "PZAM2"


@pytest.mark.parametrize("where", [("add", SECRET), ("add", "the key", "--why", f"it is {SECRET}"), ("add", "-")])
def test_a_secret_is_refused_and_never_echoed(cli: Cli, where: tuple[str, ...]) -> None:
    run = cli(*where, stdin=f"aws_access_key_id = {SECRET}\n", code=6)
    assert SECRET not in run.out + run.err
    assert run.out == ""
    assert "--allow-secret" in run.err
    assert cli.all_rows() == []


def test_a_secret_is_stored_when_a_person_insists(cli: Cli) -> None:
    assert cli("add", f"The expired key was {SECRET}", "--allow-secret").id
    assert SECRET in only(cli)["insight"]


def test_an_edit_that_brings_a_secret_is_refused(cli: Cli) -> None:
    made = cli("add", "Keys live in the keeper.").id
    run = cli("edit", made, "--text", f"The key is {SECRET}", code=6)
    assert SECRET not in run.out + run.err
    assert only(cli)["insight"] == "Keys live in the keeper."


def test_an_agent_proposes_and_may_not_alter_what_a_person_pinned(cli: Cli) -> None:
    proposed = cli("add", "Cache the rates.", "--actor", "claude-code")
    assert "inbox" in proposed.err
    assert only(cli)["status"] == "candidate"
    pinned = cli("add", "Never cache balances.", "--pin").id
    run = cli("edit", pinned, "--text", "Cache balances.", "--actor", "claude-code", code=6)
    assert "pinned" in run.err
    cli("inbox", "accept", proposed.id, "--actor", "claude-code", code=6)


def test_a_memory_has_the_keys_of_the_contract_in_order(cli: Cli) -> None:
    made = cli("add", "Lock by payment_id.", "--project", "payments-api").id
    for record in (cli("show", made, "--json").json, cli("list", "--json", "--project", "payments-api").json[0]):
        assert [key for key in record if key not in EXTRA_KEYS] == MEMORY_KEYS
        assert record["tier"] in {"semantic", "procedural", "episodic", "working"}
        assert record["created_at"].endswith("Z")
        assert {"format", "path", "span", "native_id", "agent"} <= set(record["source"])
        assert 0 <= record["freshness"] <= 1


def test_list_shows_the_active_ones_and_filters(cli: Cli) -> None:
    keep = cli("add", "Prices are integers.", "--kind", "convention", "--tag", "money", "--pin").id
    gone = cli("add", "Prices are floats.", "--kind", "note").id
    cli("retire", gone)
    assert keep in cli("list").out
    assert gone not in cli("list").out
    assert [row["id"] for row in cli("list", "--status", "retired", "--json").json] == [gone]
    assert {row["id"] for row in cli("list", "--status", "any", "--json").json} == {keep, gone}
    for options in (("--kind", "convention"), ("--tag", "#money"), ("--pinned",)):
        assert [row["id"] for row in cli("list", *options, "--status", "any", "--json").json] == [keep]
    assert cli("list", "--stale", "--json").json == []


@pytest.mark.parametrize("sort", ["updated", "created", "title", "kind", "importance", "freshness", "due", "verified"])
def test_every_order_lists_everything(demo: Cli, sort: str) -> None:
    rows = demo("list", "--all-projects", "--sort", sort, "--json").json
    assert len(rows) > 80
    if sort == "title":
        titles = [row["title"].lower() for row in rows]
        assert titles == sorted(titles)
    if sort == "importance":
        marks = [-row["importance"] for row in rows]
        assert marks == sorted(marks)


def test_a_limit_says_what_it_left_out(demo: Cli) -> None:
    run = demo("list", "--limit", 3)
    assert len(run.lines) == 3
    assert "--limit shows more" in run.err
    assert demo("list", "--limit", 0).out == ""


def test_an_empty_vault_says_what_to_do(cli: Cli) -> None:
    run = cli("list")
    assert run.out == ""
    assert "memtui import" in run.err
    assert cli("list", "--json").json == []


def test_show_prints_the_whole_memory(cli: Cli) -> None:
    made = cli("add", "Lock by payment_id.", "--why", "Users hold several cards.", "--snippet", "x[0] = [/b]").id
    text = cli("show", made[:4]).out
    for part in (
        "Lock by payment_id.",
        "Users hold several cards.",
        "x[0] = [/b]",
        made,
        "half-life",
        "accepted ",
    ):
        assert part in text


def test_history_shows_each_version_with_its_words(cli: Cli) -> None:
    made = cli("add", "Retries: 3.").id
    cli("edit", made, "--text", "Retries: 5.")
    run = cli("show", made, "--history")
    assert "Retries: 3." in run.out
    assert "Retries: 5." in run.out
    steps = cli("show", made, "--history", "--json").json
    assert [step["version"] for step in steps] == [2, 1]
    assert steps[-1]["before"] is None
    assert steps[0]["after"]["insight"] == "Retries: 5."


def test_a_memory_that_undo_took_out_still_has_a_history(cli: Cli) -> None:
    made = cli("add", "Gone soon.").id
    cli("undo")
    cli("show", made, code=3)
    assert "Gone soon." in cli("show", made, "--history").out


def test_an_upper_case_prefix_finds_the_memory(cli: Cli) -> None:
    made = cli("add", "Ids may be shouted.").id
    assert cli("show", made[:5].upper(), "--json").json["id"] == made
