"""Words find memories, in a sane order, and the index follows every change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import make_memory

from memtui.domain.memory import Anchor, Source
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.repair import reindex
from memtui.vault.vault import Vault

TEXTS = {
    "portport": ("Replica port", "The replica listens on port 8788, not on 5432."),
    "paymentx": ("Retries", "A payment without a key is charged twice by the gateway."),
    "parserxx": ("Webhooks", "parseWebhookEvent must verify the signature first."),
    "japanese": ("itgc", "重跑gen-itgc后50条"),
    "filterxx": ("Mail", "gmail-filters.js holds the rules for the mailbox."),
    "onlystop": ("It is what it is", "this and that"),
}


@pytest.fixture
def filled(vault: Vault) -> Vault:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(id=name, title=title, insight=text) for name, (title, text) in TEXTS.items()])
    return vault


def _found(vault: Vault, query: str, wanted: MemoryFilter | None = None) -> list[str]:
    with vault.read() as reader:
        hits = reader.search(query, wanted or MemoryFilter(), limit=10)
        memories = reader.get_by_keys(hit.key for hit in hits)
        return [memories[hit.key].id for hit in hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("which port does the replica use?", "portport"),
        ("charging payments", "paymentx"),
        ("parse_webhook_event", "parserxx"),
        ("webhook", "parserxx"),
        ("parseWebhookEvent", "parserxx"),
        ("itgc", "japanese"),
        ("后50条", "japanese"),
        ("重", "japanese"),
        ("8788", "portport"),
    ],
)
def test_a_question_finds_its_memory_first(filled: Vault, query: str, first: str) -> None:
    assert _found(filled, query)[0] == first


def test_words_are_or_ed_and_a_query_of_nothing_finds_nothing(filled: Vault) -> None:
    assert set(_found(filled, "replica zebra gateway")) == {"portport", "paymentx"}
    assert _found(filled, "zebra") == []
    assert _found(filled, "") == []
    assert _found(filled, "!?… \0") == []


def test_a_rare_word_outweighs_a_common_one_and_repetition_counts_less_each_time(vault: Vault) -> None:
    common = [make_memory(title="", insight=f"deploy note number {number}") for number in range(20)]
    rare = make_memory(id="rareword", title="", insight="kubernetes note")
    often = make_memory(id="oftenxxx", title="", insight="deploy deploy deploy note")
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([*common, rare, often])
    assert _found(vault, "deploy kubernetes")[0] == "rareword"
    assert _found(vault, "deploy")[0] == "oftenxxx"
    with vault.read() as reader:
        hits = reader.search("deploy kubernetes", MemoryFilter(), limit=30)
    assert all(hit.score == pytest.approx(sum(hit.terms.values())) for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_tags_anchors_and_heading_paths_are_found_too(vault: Vault) -> None:
    memory = make_memory(
        id="withkins",
        tags=("flaky-tests",),
        anchors=(Anchor("src/checkout/pricing.ts"),),
        sources=(Source(format="claude-md", native_id="Build > Watch mode#1"),),
    )
    with vault.write(actor="person", action="add") as writer:
        writer.put(memory)
    for query in ("flaky", "pricing.ts", "checkout", "watch mode"):
        assert _found(vault, query) == ["withkins"], query


def test_a_change_of_text_is_found_by_its_new_words_alone(filled: Vault) -> None:
    with filled.read() as reader:
        memory = reader.get("portport")
    with filled.write(actor="person", action="edit") as writer:
        writer.put(replace(memory, title="Reader node", insight="It answers on 9999."))
    assert _found(filled, "9999") == ["portport"]
    assert _found(filled, "replica") == []
    assert _found(filled, "8788") == []


def test_the_filter_holds_for_searches(filled: Vault) -> None:
    assert _found(filled, "replica", MemoryFilter(scope=Scope.of_project("ops"))) == []
    assert _found(filled, "replica", MemoryFilter(statuses=("retired",))) == []
    assert _found(filled, "replica", MemoryFilter(kinds=("lesson",), stale_at=filled.now(), threshold=1.1)) == [
        "portport"
    ]


def test_reindex_gives_what_was_there_before_it(filled: Vault) -> None:
    queries = ("replica port", "parseWebhookEvent", "条", "rules signature")
    with filled.read() as reader:
        before = [reader.search(query, MemoryFilter(), limit=10) for query in queries]
    with filled.connect(read_only=False) as connection:
        connection.execute("DELETE FROM postings")
        connection.execute("DELETE FROM documents")
    assert _found(filled, "replica") == []
    seen: list[tuple[int, int]] = []
    assert reindex(filled, progress=lambda done, total: seen.append((done, total))) == len(TEXTS)
    assert seen[-1] == (len(TEXTS), len(TEXTS))
    with filled.read() as reader:
        assert [reader.search(query, MemoryFilter(), limit=10) for query in queries] == before


def test_one_by_one_and_in_bulk_give_the_same_index(filled: Vault, vault: Vault) -> None:
    other = Vault(vault.path.with_name("other.duckdb"), now=vault.now)
    for name, (title, text) in TEXTS.items():
        with other.write(actor="person", action="add") as writer:
            writer.put(make_memory(id=name, title=title, insight=text))
    queries = ("replica port", "payment", "条")
    with filled.read() as one, other.read() as two:
        for query in queries:
            assert one.search(query, MemoryFilter(), limit=9) == two.search(query, MemoryFilter(), limit=9)
