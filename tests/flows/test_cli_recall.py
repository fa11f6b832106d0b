"""Questions are answered, and a task gets its exact payload."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.cli_driver import LOCK, Cli, memtui

from memtui.pack import relevance

TASK = ("refund fails twice on retry", "--file", "payments/service.py", "--budget", "800")
KEY = "s32z25oj"
"""Tied to payments/idempotency.py, which payments/service.py imports."""
CONTEXT_KEYS = {"payload", "target", "encoding", "tokens", "budget", "included", "withheld"}


def ids(run: Any) -> list[str]:
    return [row["id"] for row in run.json]


@pytest.mark.parametrize(
    ("question", "wanted", "within"),
    [
        ("double charge", "lzrwxxnl", 3),
        ("二重課金", "piyzwyrm", 1),
        ("paymentId", "bazmucda", 5),
        ("which port does the replica use?", "zqixe4jo", 1),
        ("who wins when a guest signs in with a full cart?", "edo2dxyv", 3),
        ("ERR_LOCK_TIMEOUT", "igwql7fk", 1),
        ("payments/ledger.py", "u2hcbbgf", 3),
    ],
)
def test_a_question_finds_its_memory(demo: Cli, question: str, wanted: str, within: int) -> None:
    assert wanted in ids(demo("search", question, "--json"))[:within]


def test_hits_are_memories_with_score_and_explanation_in_order(demo: Cli) -> None:
    hits = demo("search", "lock a refund", "--json").json
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all({"id", "title", "insight", "status", "score", "explain"} <= set(hit) for hit in hits)
    assert {hit["status"] for hit in hits} == {"active"}
    for hit in hits:
        parts = hit["explain"]["parts"]
        product = sum(part["value"] for part in parts if part["role"] == "term")
        for part in parts:
            product *= part["value"] if part["role"] == "factor" else 1
        assert product == pytest.approx(hit["score"], rel=1e-4)


def test_explain_prints_the_same_table(demo: Cli) -> None:
    run = demo("search", "double charge", "--explain", "--limit", 1)
    for word in ("relevance", "freshness", "usefulness", "importance", "score"):
        assert word in run.out


def test_a_search_keeps_to_its_project(demo: Cli) -> None:
    hits = demo("search", "prices integers minor units", "--project", "storefront", "--json").json
    assert {hit["project"] for hit in hits} <= {"storefront", "global"}
    everywhere = demo(
        "search", "prices integers minor units", "--project", "storefront", "--all-projects", "--json"
    ).json
    assert "payments-api" in {hit["project"] for hit in everywhere}


def test_files_alone_are_a_question(demo: Cli) -> None:
    assert LOCK in ids(demo("search", "--file", "payments/lock.py", "--json"))


def test_nothing_found_is_exit_3_and_empty(demo: Cli) -> None:
    run = demo("search", "zzyzx quokka", code=3)
    assert run.out == ""
    assert "Nothing found" in run.err
    assert demo("search", "zzyzx quokka", "--json", code=3).json == []


def test_a_word_that_stands_like_a_field_and_is_none_names_the_field(demo: Cli) -> None:
    assert "Unknown field “knd”, try “kind”. Searched for as words" in demo("search", "knd:constraint locks").err
    assert "Unknown field “path”, try “file”. Searched" in demo("search", "path:payments locks").err
    assert "Unknown field “author”. Searched for as words" in demo("search", "author:ada locks").err
    assert "Unknown field" not in demo("search", "locks at 10:30").err
    assert "Did you mean file?" in demo("list", "--where", "path:payments", code=2).err
    nothing = demo("list", "--where", "file:quokka/zebra.py").err
    assert "file: takes a path, one of its folders, its end" in nothing
    assert "--all-projects" not in nothing, "it would not help"


def test_the_payload_is_the_same_bytes_within_its_budget(demo: Cli) -> None:
    first, second = demo("context", *TASK), demo("context", *TASK)
    assert first.out == second.out
    record = demo("context", *TASK, "--json").json
    assert record["payload"] == first.out
    assert record["tokens"] <= 800
    assert (record["target"], record["encoding"], record["budget"]) == ("chat", "o200k_base", 800)
    assert LOCK in [row["id"] for row in record["included"]]
    assert "Lock refunds by payment_id, never by user_id" in first.out
    assert "lock:payment:{payment_id}" in first.out


def test_a_real_process_prints_the_very_same_bytes(demo: Cli) -> None:
    now = {"MEMTUI_NOW": "2026-11-20T12:00:00Z"}
    demo.patch.setenv("MEMTUI_NOW", now["MEMTUI_NOW"])
    path = demo.home / "config" / "memtui.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('[embedding]\nmodel = "none"\n', encoding="utf-8")
    run = memtui("--vault", demo.home / "demo", "context", *TASK, env=now)
    assert run.out == demo("context", *TASK).out
    assert "\r" not in run.out


def test_the_payload_lists_no_memory_that_is_not_in_use(demo: Cli) -> None:
    record = demo("context", *TASK, "--json").json
    inside = {row["id"] for row in record["included"]}
    by_id = {row["id"]: row for row in demo.all_rows()}
    assert {by_id[identifier]["status"] for identifier in inside} == {"active"}
    assert {by_id[identifier]["project"] for identifier in inside} <= {"payments-api", "global"}
    keys = {"id", "tokens", "score", "reason", "reason_code", "detail", "chance", "needed", "grounds"}
    assert all(set(row) == keys for row in record["included"])
    assert all({"id", "reason"} <= set(row) for row in record["withheld"])
    assert set(record) >= CONTEXT_KEYS
    assert "abstained" not in record


def test_what_is_withheld_has_its_reason(demo: Cli) -> None:
    words = ("context", "lock refunds by user id, mock the acquirer", "--project", "payments-api", "--json")
    reasons = {row["id"]: row["reason"] for row in demo(*words).json["withheld"]}
    assert reasons["bcdbkhpa"] == f"superseded by {LOCK}"
    assert "not confirmed" in reasons["ysela5ki"]


def test_explain_tells_on_stderr_what_was_withheld(demo: Cli) -> None:
    plain, explained = demo("context", *TASK), demo("context", *TASK, "--explain")
    assert explained.out == plain.out
    for part in ("included", LOCK, "withheld", "over budget", "of other projects"):
        assert part in explained.err


def test_it_says_whether_there_is_more_that_matters(demo: Cli) -> None:
    task = ("refund fails twice", "--project", "payments-api")
    assert demo("context", *task, "--budget", "8k").err.endswith(" left: the rest is unlikely to matter\n")
    assert demo("context", *task, "--budget", "8k", "--max", "1").err.endswith(" left\n")


@pytest.mark.parametrize(
    ("budget", "unit"), [("300", "tokens"), ("2k", "tokens"), ("900 chars", "chars"), ("1 KiB", "b")]
)
def test_every_form_of_budget_holds(demo: Cli, budget: str, unit: str) -> None:
    run = demo("context", "refund fails twice", "--project", "payments-api", "--budget", budget)
    record = demo("context", "refund fails twice", "--project", "payments-api", "--budget", budget, "--json").json
    size = {"tokens": record["tokens"], "chars": len(run.out), "b": len(run.out.encode())}[unit]
    assert 0 < size <= record["budget"]


@pytest.mark.parametrize("budget", ["0", "5"])
def test_an_empty_payload_is_exit_3_and_says_why(demo: Cli, budget: str) -> None:
    run = demo("context", *TASK[:3], "--budget", budget, code=3)
    assert run.out == ""
    assert "budget" in run.err
    record = demo("context", *TASK[:3], "--budget", budget, "--json", code=3).json
    assert (record["payload"], record["included"]) == ("", [])
    assert "budget" in record["abstained"]["reason"]


def test_nothing_relevant_is_an_answer(cli: Cli) -> None:
    cli("add", "Ports are fixed in compose.yml.", "--project", "shop")
    record = cli("context", "quokka zzyzx", "--project", "shop", "--json", code=3).json
    assert record["abstained"]["reason"]


def test_without_a_task_the_most_useful_come(demo: Cli) -> None:
    run = demo("context", "--project", "payments-api")
    assert "Lock refunds by payment_id" in run.out
    assert "storefront" not in run.out


def test_the_json_target_is_json(demo: Cli) -> None:
    payload = json.loads(demo("context", *TASK, "--target", "json").out)
    assert LOCK in json.dumps(payload)


def test_fewer_memories_another_day_and_a_fast_estimate(demo: Cli) -> None:
    assert len(demo("context", *TASK, "--max", 1, "--json").json["included"]) == 1
    fast = demo("context", *TASK, "--fast", "--json").json
    assert fast["encoding"] == "estimate"
    assert fast["tokens"] <= 800
    demo("context", *TASK, "--phase", "debug", "--as-of", "2026-02-01")


def test_previews_leave_no_trace_and_recorded_packs_do(demo: Cli) -> None:
    demo("context", *TASK)
    assert demo("pack", "list", "--json").json == []
    before = demo("show", LOCK, "--json").json["usefulness"]
    run = demo("context", *TASK, "--record")
    packs = demo("pack", "list", "--json").json
    assert len(packs) == 1
    pack = packs[0]
    assert {"id", "time", "task", "target", "tokens", "members"} <= set(pack)
    assert pack["id"] in run.err
    assert LOCK in pack["members"]
    assert (pack["task"], pack["files"], pack["target"]) == (TASK[0], ["payments/service.py"], "chat")
    row = demo("pack", "list").out
    for part in (pack["id"], "chat", f"{pack['tokens']:,}", "refund fails twice"):
        assert part in row
    shown = demo("pack", "show", pack["id"][:5])
    assert "Lock refunds by payment_id" in shown.out
    members = demo("pack", "show", pack["id"], "--json").json["members"]
    assert [member["id"] for member in members] == pack["members"]
    effects = demo("feedback", pack["id"], "helped", "--json").json
    assert all(effect["after"] > effect["before"] for effect in effects)
    assert demo("show", LOCK, "--json").json["usefulness"] > before


def test_copy_prints_records_and_says_how_it_went(demo: Cli) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_CLIENT"):
        demo.patch.delenv(name, raising=False)
    run = demo("context", *TASK, "--copy")
    assert run.out == demo("context", *TASK).out
    assert "Recorded as pack" in run.err
    assert len(demo("pack", "list", "--json").json) == 1


def test_feedback_on_one_memory_moves_it_and_can_be_undone(demo: Cli) -> None:
    before = demo("show", LOCK, "--json").json["usefulness"]
    run = demo("feedback", LOCK, "hurt", "--why", "stale TTL")
    assert "→" in run.out
    assert demo("show", LOCK, "--json").json["usefulness"] < before
    demo("undo")
    assert demo("show", LOCK, "--json").json["usefulness"] == before


def test_a_recipe_is_saved_run_and_deleted(demo: Cli) -> None:
    assert demo("recipe", "save", "weekly", "another task", "--project", "payments-api").err.startswith("Saved")
    assert "Replaced" in demo("recipe", "save", "weekly", *TASK, "--project", "payments-api").err
    assert [row["name"] for row in demo("recipe", "list", "--json").json] == ["weekly"]
    assert "payments/service.py" in demo("recipe").out
    run = demo("recipe", "run", "weekly")
    assert run.out == demo("context", *TASK, "--project", "payments-api").out
    assert demo("recipe", "run", "weekly", "--json").json["payload"] == run.out
    demo("recipe", "run", "weekly", "--record")
    assert len(demo("pack", "list", "--json").json) == 1
    assert "Did you mean weekly?" in demo("recipe", "run", "wekly", code=3).err
    demo("recipe", "delete", "weekly")
    assert demo("recipe", "list", "--json").json == []


def test_a_recipe_for_a_task_that_looks_like_an_option(demo: Cli) -> None:
    demo("recipe", "save", "odd", "--project", "payments-api", "--", "--refund", "fails")
    assert "refund" in demo("recipe", "run", "odd").out


def test_the_demo_puts_a_copy_down_and_prints_its_path(demo_master: Path, cli: Cli) -> None:
    assert (demo_master / "vault.duckdb").is_file()
    assert (demo_master / "payments-api" / "payments" / "service.py").is_file()
    again = cli("demo", "--at", demo_master, code=2)
    assert "already contains a vault" in again.err
    assert cli("--vault", demo_master, "undo", code=3).err


def test_inside_a_source_tree_of_the_demo_its_project_is_in_view(demo_master: Path, cli: Cli) -> None:
    cli.patch.chdir(demo_master / "payments-api" / "payments")
    rows = cli("--vault", demo_master, "list", "--json").json
    assert {row["project"] for row in rows} == {"payments-api", "global"}
    run = cli("--vault", demo_master, "context", "refund fails twice", "--file", "service.py", "--json")
    assert LOCK in [row["id"] for row in run.json["included"]]


def reasons(run: Any) -> dict[str, str]:
    return {row["id"]: row["reason"] for row in run.json["included"]}


def test_beside_the_source_trees_imports_are_followed_as_inside_them(demo_master: Path, cli: Cli) -> None:
    asked = ("context", "make refunds idempotent", "--file", "payments/service.py", "--budget", "700", "--json")
    cli.patch.chdir(demo_master / "payments-api")
    inside = reasons(cli("--vault", demo_master, *asked))
    assert "payments/idempotency.py is imported by payments/service.py" in inside[KEY]
    for folder in (demo_master, cli.home):
        cli.patch.chdir(folder)
        for named in ((), ("--project", "payments-api")):
            assert reasons(cli("--vault", demo_master, *named, *asked)) == inside
    cli.write("payments/service.py", "import json\n")
    here = reasons(cli("--vault", demo_master, *asked))
    assert not any("is imported by" in reason for reason in here.values())


def test_the_tour_shows_a_list_a_search_and_a_payload(tmp_path: Path) -> None:
    run = memtui("demo", cwd=tmp_path, env={"HOME": str(tmp_path), "TMPDIR": str(tmp_path)})
    assert run.code == 0, run.err
    assert "memtui search" in run.out
    assert "× " in run.out
    assert "## Memories of payments-api" in run.out
    assert "memtui demo --at DIR" in run.err
    assert list(tmp_path.iterdir()) == []


def test_a_demo_folder_that_is_a_file_is_told(cli: Cli) -> None:
    path = cli.write("taken", "mine\n")
    assert str(path) in cli("demo", "--at", path, code=1).err
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_where_nothing_matches_well_a_search_says_so_and_a_typo_is_no_such_case(demo: Cli) -> None:
    weak = demo("search", "webhook quokka wombat giraffe zebra")
    assert "Nothing matches well; the closest:" in weak.err
    assert weak.lines, "what shares a word is not hidden"
    for query in ("retry stroms", "double charge", LOCK):
        sure = demo("search", query)
        assert sure.lines
        assert "matches well" not in sure.err


def test_a_single_letter_is_no_task_that_a_payload_answers_for_sure(cli: Cli) -> None:
    cli("add", "The x axis of the chart is time.", "--project", "ferry")
    run = cli("context", "x", "--project", "ferry", "--json", code=(0, 3))
    assert run.json["sure"] != "sure"
    assert cli("context", "the axis of the chart", "--project", "ferry", "--json").json["sure"] == "sure"


def test_a_task_that_the_vault_hardly_covers_or_not_at_all_gets_a_payload_that_says_so(
    demo: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = ("context", "lock refunds by user id", "--project", "payments-api", "--budget", "4000", "--json")
    known = demo(*task)
    assert known.json["covered"] == "well"
    assert "hardly cover" not in known.err
    monkeypatch.setattr(relevance, "WELL_COVERED", 1.01)
    run = demo(*task)
    assert run.json["covered"] == "hardly"
    assert "The vault may not cover this task" in run.err
    assert "hardly cover" not in run.json["payload"]
    for bar in ("LEAST_OF_NEAREST", "LEAST_OF_CLOSE"):
        monkeypatch.setattr(relevance, bar, 1.01)
    monkeypatch.setattr(relevance, "ALONE", replace(relevance.ALONE, of_best=1.01))
    silent = demo(*task)
    assert silent.json["covered"] == "not"
    said = "no memory is likely to matter for this task (the best chance is "
    assert silent.json["abstained"]["reason"].startswith(said)
    assert f"Pinned memories only: {said}" in silent.err
    pinned = {one["id"] for one in demo("list", "--pinned", "--json").json}
    assert {one["id"] for one in silent.json["included"]} <= pinned


def test_what_waits_in_the_inbox_is_told_where_nothing_is_in_use(cli: Cli) -> None:
    waits = "1 memory waits in the inbox: `memtui inbox` lists them."
    rules = cli.write("CLAUDE.md", "# Quay\n\n- Moor at the north quay when the wind is from the west.\n")
    assert waits in cli("import", rules, "--project", "quay").err
    assert waits in cli("list", "--project", "quay").err
    assert waits in cli("search", "where to moor", "--project", "quay", code=3).err
    assert waits not in cli("import", rules, "--project", "quay", "--active").err
    cli("inbox", "accept", "--all", "--project", "quay")
    assert "waits" not in cli("list", "--project", "quay").err
    kind = cli("list", "--project", "quay", "--json").json[0]["kind"]
    assert cli("list", "--project", "quay", "--kind", kind[:4]).lines


def test_contradictions_in_a_payload_are_told_until_they_are_settled(demo: Cli) -> None:
    task = ("context", "webhook timeout lock ttl", "--project", "payments-api", "--budget", "1500")
    told = demo(*task)
    assert "in this payload: " in told.err
    assert f"[{LOCK} / o6j6sc7w]" in told.err
    assert "30 s against 60 s: “" in told.err
    assert "60 s" in told.err
    pairs = {tuple(one["ids"]) for one in demo(*task, "--json").json["contradictions"]}
    assert (LOCK, "o6j6sc7w") in pairs
    demo("settle", LOCK, "o6j6sc7w", "--none")
    after = demo(*task, "--json").json
    assert after["payload"] == told.out
    assert {tuple(one["ids"]) for one in after["contradictions"]} == pairs - {(LOCK, "o6j6sc7w")}
    fast = demo(*task, "--fast", "--json")
    assert fast.json["contradictions"] == []
    assert "contradiction" not in fast.err


def test_what_is_told_in_part_says_so(demo: Cli) -> None:
    task = ("context", "lock refunds", "--project", "payments-api", "--style", "compiled", "--budget", "4k")
    details = {row["id"]: row["detail"] for row in demo(*task, "--json").json["included"]}
    assert set(details.values()) <= {"most", "much", "some", "little", "whole", "opening"}
    assert len(set(details.values())) > 1
    explained = demo(*task, "--explain").err
    for identifier, detail in details.items():
        line = next(line for line in explained.splitlines() if line.startswith(f"{identifier}  "))
        assert ("(shortened)" in line or "(rules alone)" in line) == (detail != "whole")
    full = demo(*task[:-4], "--budget", "4k", "--json").json["included"]
    assert {row["detail"] for row in full} == {"whole"}


def test_a_file_that_moved_keeps_its_memories(cli: Cli) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *words], check=True, cwd=cli.folder, capture_output=True)

    (cli.folder / "src").mkdir(parents=True)
    (cli.folder / "src" / "a.py").write_text("def pay():\n    return 1\n\n\nRATE = 3\n", encoding="utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    rule = cli("add", "Charge a card once", "--file", "src/a.py").id
    git("mv", "src/a.py", "src/b.py")
    staged = cli("context", "card", "--file", "src/b.py", "--explain")
    git("commit", "-q", "-m", "two")
    for run in (staged, cli("context", "card", "--file", "src/b.py", "--explain", "--fast")):
        assert "tied to src/b.py, moved from src/a.py" in run.err
        assert "src/a.py no longer exists" not in run.err
        assert "src/a.py (moved)" in run.out
    hit = cli("search", "--file", "src/b.py", "--json").json[0]
    assert hit["id"] == rule
    assert "files gone" not in {part["name"] for part in hit["explain"]["parts"]}
    (cli.folder / "src" / "c.py").write_text("other = 1\n", encoding="utf-8")
    other = cli("context", "card", "--file", "src/c.py", "--explain")
    assert "src/a.py no longer exists" in other.err


def test_a_search_leaves_out_what_was_replaced_or_has_expired_and_says_how_many(cli: Cli) -> None:
    old = cli("add", "The crane lifts twelve tonnes.", "--project", "harbour").id
    new = cli("add", "The crane lifts fifteen tonnes since its overhaul.", "--project", "harbour").id
    past = cli("add", "The crane lifts nothing in spring.", "--project", "harbour", "--valid-until", "2020-04-01").id
    cli("link", new, "supersedes", old)
    question = ("search", "what does the crane lift", "--project", "harbour", "--fast")
    found = cli(*question, "--json")
    assert ids(found) == [new]
    assert "1 more replaced, expired or not valid yet (--all shows them)" in cli(*question).err
    assert set(ids(cli(*question, "--all", "--json"))) == {old, new, past}


def test_a_search_for_the_very_title_of_what_expired_finds_it(cli: Cli) -> None:
    past = cli("add", "The crane is closed in spring.", "--project", "harbour", "--valid-until", "2020-04-01").id
    assert ids(cli("search", "The crane is closed in spring", "--project", "harbour", "--fast", "--json")) == [past]


@pytest.mark.parametrize("query", ["transac", "Transac", "services anno", "@trans"])
def test_half_a_word_finds_the_title_that_holds_its_letters_first(cli: Cli, query: str) -> None:
    wanted = cli("add", "Use the @Transactional annotation on services", "--project", "port").id
    for text in ("Go vet runs in CI", "Run C with -Wall", "Money is rounded once, in the last step"):
        cli("add", text, "--project", "port")
    assert ids(cli("search", query, "--project", "port", "--json"))[0] == wanted


def test_letters_without_their_accents_find_a_title(cli: Cli) -> None:
    wanted = cli("add", "Café orders close at nine", "--project", "port").id
    assert ids(cli("search", "cafe", "--project", "port", "--fast", "--json")) == [wanted]
    cli("search", "rders x", "--project", "port", "--fast", code=3)


def test_a_list_for_people_ends_before_hits_that_score_nothing(demo: Cli) -> None:
    demo.patch.setattr("memtui.cli.recall.LEAST_SHOWN", 0.5)
    query = ("search", "why was a customer charged twice?")
    run = demo(*query)
    scores = [float(line.split()[1]) for line in run.out.splitlines()]
    assert 1 <= len(scores) < 20
    assert min(scores) >= 0.5
    assert f"{20 - len(scores)} more with a score of 0.00 (--limit N lists them)" in run.err
    assert len(demo(*query, "--json").json) == 20, "programs get all"
    assert len(demo(*query, "--limit", 20).out.splitlines()) == 20
