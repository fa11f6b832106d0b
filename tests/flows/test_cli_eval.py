"""Recall is measured from the command line, and by meaning it finds what no word names."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from flows.cli_driver import LOCK, Cli

from memtui.embedding import bundled

KEYS = {
    *("recall@5", "recall@10", "hit@5", "hit@10", "ndcg@10", "mrr", "empty", "sure", "found", "refused"),
    *("p50_ms", "p95_ms", "payload"),
}
CORPUS = "".join(
    json.dumps({"id": identifier, "project": "p", "title": title, "insight": insight}) + "\n"
    for identifier, title, insight in (
        ("bench:1", "Carts live in a cookie", "The cart is kept in a signed cookie of the browser."),
        ("bench:2", "Deploys stop on Friday", "Nothing is rolled out after lunch on a Friday."),
        ("bench:3", "Invoices are numbered", "Every invoice has a number without gaps."),
    )
)


def lines(*records: dict[str, object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def use_the_model(cli: Cli) -> None:
    cli.patch.setattr("memtui.recall.semantic.has_model", lambda model: model != "none")


def test_a_corpus_is_asked_without_touching_the_vault(cli: Cli) -> None:
    cli.write("memories.jsonl", CORPUS)
    cli.write(
        "queries.jsonl",
        lines(
            {"query": "where is the cart kept", "expected": ["bench:1"], "kind": "easy"},
            {"query": "numbering of an invoice", "expected": ["bench:3"], "exclude": ["bench:3"], "kind": "hard"},
            {"query": "sourdough", "expected": [], "kind": "foreign"},
        ),
    )
    record = cli("eval", "queries.jsonl", "--corpus", "memories.jsonl", "--json").json
    assert set(record) >= KEYS
    assert set(record["by_kind"]) == {"easy", "hard", "foreign"}
    assert record["by_kind"]["easy"]["mrr"] == 1.0
    assert record["by_kind"]["hard"]["recall@10"] == 0.0
    assert record["by_kind"]["foreign"]["empty"] == 1.0
    assert record["by_kind"]["foreign"]["mrr"] is None
    assert record["by_kind"]["foreign"]["payload"]["refused"] == 1.0
    assert record["by_kind"]["easy"]["payload"]["complete"] == 1.0
    assert cli("list", "--json", code=(0, 3)).json == []
    table = cli("eval", "queries.jsonl", "--corpus", "memories.jsonl").out
    assert "ndcg@10" in table
    assert "easy" in table
    assert "metadata" in table
    assert "budget" in cli("eval", "queries.jsonl", "--corpus", "memories.jsonl", "--budget", "none", code=2).err


def test_what_should_have_come_is_noted_and_measured(demo: Cli) -> None:
    run = demo("eval", "--add", "double refund", "--expect", LOCK[:5], "--file", "payments/lock.py", "mine.jsonl")
    assert "expecting 1 memory" in run.err
    demo("eval", "--add", "port of the replica", "--expect", "zqixe4jo", "--kind", "ops", "mine.jsonl")
    demo("eval", "--add", "lag of the replica", "--essential", "zqixe4jo", "mine.jsonl")
    written = [json.loads(line) for line in Path("mine.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == [
        {"query": "double refund", "files": ["payments/lock.py"], "expected": [LOCK]},
        {"query": "port of the replica", "expected": ["zqixe4jo"], "kind": "ops"},
        {"query": "lag of the replica", "expected": ["zqixe4jo"], "essential": "zqixe4jo"},
    ]
    assert demo("eval", "mine.jsonl", "--json").json["hit@10"] == 1.0


def test_an_id_that_the_vault_does_not_know_is_named(demo: Cli) -> None:
    demo.write("q.jsonl", lines({"query": "port of the replica", "expected": ["nosuchid"]}))
    run = demo("eval", "q.jsonl", "--json")
    assert "nosuchid" in run.err
    assert run.json["unknown"] == ["nosuchid"]
    assert run.json["recall@5"] == 0.0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("missing.jsonl",), 3, "No such file or folder"),
        (("bad.jsonl",), 1, "line 2"),
        (("good.jsonl", "--corpus", "bad.jsonl"), 1, "line 1"),
        (("good.jsonl", "--expect", "x"), 2, "goes with --add"),
        (("good.jsonl", "--add", "x"), 2, "No expected memory was given"),
        (("good.jsonl", "--add", "x", "--expect", "nosuchid"), 3, "No memory has this id"),
        (("notes.md", "--add", "x", "--expect", LOCK), 1, "line 1"),
        (("good.jsonl", "--tree", "nowhere"), 2, "No such file or folder: nowhere"),
    ],
)
def test_what_cannot_be_done_is_told(demo: Cli, words: tuple[str, ...], code: int, message: str) -> None:
    demo.write("good.jsonl", lines({"query": "a", "expected": []}))
    demo.write("bad.jsonl", '{"query": "a", "expected": []}\nnot json\n')
    demo.write("notes.md", "# Notes\n")
    assert message in demo("eval", *words, code=code).err
    assert Path("notes.md").read_text(encoding="utf-8") == "# Notes\n"


def test_by_meaning_other_words_find_it_and_fast_does_without(demo: Cli) -> None:
    use_the_model(demo)
    words = ("how are two baskets combined at login", "--project", "storefront", "--json")
    hits = demo("search", *words).json
    assert "edo2dxyv" in [hit["id"] for hit in hits][:5]
    parts = {part["name"]: part for part in hits[0]["explain"]["parts"]}
    assert "closest of" in parts["meaning"]["detail"]
    fast = demo("search", *words, "--fast", code=(0, 3))
    assert "edo2dxyv" not in fast.out
    record = demo("context", "sourdough bread with rye", "--project", "payments-api", "--json").json
    assert {one["id"] for one in record["included"]} == {LOCK, "oeyjiqnh"}
    assert "none is close in meaning" in record["abstained"]["reason"]
    scored = demo("eval", "q.jsonl", "--json", code=3)
    assert scored.out == ""
    demo.write("q.jsonl", lines({"query": words[0], "expected": ["edo2dxyv"]}))
    assert demo("eval", "q.jsonl", "--json").json["hit@5"] == 1.0
    assert demo("eval", "q.jsonl", "--fast", "--json").json["hit@5"] == 0.0


def config(cli: Cli, model: str) -> None:
    path = cli.home / "config" / "memtui.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[embedding]\nmodel = "{model}"\n', encoding="utf-8")


@pytest.fixture
def filled(cli: Cli) -> Cli:
    for text in ("Refunds lock the payment row", "The replica lags behind the primary"):
        cli("add", text, "--project", "shop")
    return cli


def semantic(cli: Cli) -> dict[str, str]:
    checks = cli("doctor", "--json").json["checks"]
    (check,) = [check for check in checks if check["name"] == "semantic"]
    found: dict[str, str] = check
    return found


def test_reindex_embeds_and_status_and_doctor_say_how_far_it_is(filled: Cli) -> None:
    before = filled("model", "status", "--json").json
    assert (before["state"], before["name"]) == ("bundled", "all-MiniLM-L6-v2-int8")
    assert before["vectors"] == {"stored": 0, "missing": 2, "other_models": 0}
    assert semantic(filled)["remedy"].startswith("`memtui reindex`")
    done = filled("reindex", "--json")
    assert done.json == {"memories": 2, "embedded": 2, "semantic": "on"}
    assert "Embedded 2 memories" in done.err
    assert filled("model", "--json").json["vectors"] == {"stored": 2, "missing": 0, "other_models": 0}
    assert semantic(filled)["detail"] == "on (all-MiniLM-L6-v2-int8), 2 memories with a vector"
    filled("add", "A third one", "--project", "shop")
    assert "2 memories with a vector, 1 without" in filled("model").out


def test_none_is_off_and_everything_else_works(filled: Cli) -> None:
    config(filled, "none")
    assert filled("reindex", "--json").json == {"memories": 2, "embedded": 0, "semantic": "off"}
    check = semantic(filled)
    assert (check["state"], check["detail"]) == ("ok", 'off (embedding.model is "none")')
    assert filled("model", "status", "--json").json["state"] == "off"
    assert "Refunds" in filled("search", "refunds", "--all-projects").out


def test_a_missing_model_is_told_with_its_place_and_the_command(filled: Cli) -> None:
    config(filled, "sentence-transformers:/no/such/model")
    status = filled("model", "status", code=1)
    assert "/no/such/model" in status.out
    assert "embedding.model" in status.err
    check = semantic(filled)
    assert (check["state"], check["detail"][:5]) == ("warn", "off: ")
    assert filled("reindex", "--json").json["semantic"] != "on"
    assert filled("search", "refunds", "--all-projects").code == 0


def test_an_unknown_setting_is_an_error_that_says_what_there_is(filled: Cli) -> None:
    config(filled, "minilm")
    for command in (("model", "status"), ("search", "x"), ("doctor",)):
        run = filled(*command, code=2)
        assert '"bundled", "none"' in run.err
        assert "line 2" in run.err


def test_switching_models_drops_the_vectors_of_the_old_one_at_the_end(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled("reindex")
    monkeypatch.setattr(bundled, "NAME", "a-newer-model")
    monkeypatch.setattr(bundled.BundledEngine, "name", "a-newer-model")
    assert filled("model", "--json").json["vectors"] == {"stored": 0, "missing": 2, "other_models": 2}
    filled("reindex")
    assert filled("model", "--json").json["vectors"] == {"stored": 2, "missing": 0, "other_models": 0}


def test_a_damaged_model_is_told_and_harms_nothing_else(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "MODEL_SHA256", "0" * 64)
    assert "not the file that was shipped" in filled("model", "status", code=1).out
    assert "Reinstall memtui" in semantic(filled)["remedy"]
    failed = filled("reindex", code=1)
    assert "not the file that was shipped" in failed.err
    assert "Indexed 2 memories" in failed.err


def test_get_fetches_nothing_but_models_of_the_hub_and_status_never_asks_the_network(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    for name in ("create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    filled("model", "status")
    filled("reindex")
    assert "comes with memtui" in filled("model", "get", "bundled", code=2).err


def test_an_import_makes_the_first_vectors_and_what_has_none_is_told_with_every_answer(cli: Cli) -> None:
    use_the_model(cli)
    cli.patch.setattr("memtui.cli.transfer.MOST_EMBEDDED", 1)
    cli.patch.setattr("memtui.recall.semantic.MOST_CAUGHT_UP", 0)
    cli.write("memories.jsonl", CORPUS)
    assert "2 memories without a vector yet" in cli("import", "memories.jsonl", "--active").err
    run = cli("search", "where is the cart kept", "--project", "p", "--json")
    assert "2 memories without a vector" in run.err
    assert {(row["sure"], row["partial_vectors"]) for row in run.json} == {("sure", 2)}
    run = cli("context", "where is the cart kept", "--project", "p", "--json")
    assert (run.json["sure"], run.json["partial_vectors"]) == ("unsure", 2), "words alone make it too little likely"
    run = cli("why", "bench:1", "where is the cart kept", "--project", "p", "--json")
    assert (run.json["partial_vectors"], "2 memories without a vector" in run.err) == (2, True)
    run = cli("tidy", "--project", "p", "--json", code=(0, 7))
    assert (run.json["partial_vectors"], "2 memories without a vector" in run.err) == (2, True)
    assert "2 memories without a vector" in cli("link", "--proposals", "--project", "p").err
    cli("reindex")
    assert cli("context", "where is the cart kept", "--project", "p", "--json").json["sure"] == "sure"
    cli("reindex")
    run = cli("tidy", "--project", "p", "--json", code=(0, 7))
    assert ("partial_vectors" in run.json, "without a vector" in run.err) == (False, False)
    run = cli("context", "where is the cart kept", "--project", "p", "--json")
    assert "partial_vectors" not in run.json
    assert "without a vector" not in run.err


def test_a_link_is_suggested_for_the_same_reason_in_the_list_and_of_one_memory(cli: Cli) -> None:
    use_the_model(cli)
    texts = ("Database backups run every night.", "Each night the database is backed up.")
    ids = [cli("add", text, "--project", "p", "--json").json["id"] for text in texts]
    cli("reindex")
    listed = cli("link", "--proposals", "--project", "p", "--json").json
    assert [one["why"] for one in listed if "meaning" in one["why"]]
    assert cli("link", "--proposals", ids[0], "--json").json == listed


def test_an_import_makes_the_few_vectors_that_would_be_left_as_well(cli: Cli) -> None:
    use_the_model(cli)
    cli.patch.setattr("memtui.cli.transfer.MOST_EMBEDDED", 2)
    cli.write("memories.jsonl", CORPUS)
    assert "without a vector" not in cli("import", "memories.jsonl", "--active").err


def test_what_nothing_answers_for_sure_is_said(cli: Cli) -> None:
    use_the_model(cli)
    cli.write("memories.jsonl", CORPUS)
    cli("import", "memories.jsonl", "--active")
    run = cli("search", "does the shop print a receipt on paper", "--project", "p")
    assert "Nothing matches well" in run.err
    assert cli("search", "polyphonic choir rehearsal", "--project", "p", "--json", code=3).json == []
