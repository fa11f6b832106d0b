"""Words find memories, in a sane order, and the index follows every change."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NOON, make_memory

from memtui.domain.memory import STATUSES, Anchor, Link, Memory, Signal, Source
from memtui.progress import Cancelled
from memtui.text import tokens
from memtui.text.tokens import query_terms
from memtui.vault import writer as writer_module
from memtui.vault.bm25 import LexicalHit
from memtui.vault.connection import open_connection
from memtui.vault.executing import executing
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.indexed import indexed_text, postings_of
from memtui.vault.purge import purge_memories
from memtui.vault.repair import reindex
from memtui.vault.review_triggers import store_states
from memtui.vault.rows import Statement
from memtui.vault.search import postings_memory, postings_table
from memtui.vault.search.catalogue import Texts, lower
from memtui.vault.search.postings_memory import TermIndex
from memtui.vault.search.spelling import nearest_of
from memtui.vault.undo import undo
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


def _written(vault: Vault) -> dict[str, list[tuple[object, ...]]]:
    with vault.read() as reader:
        return {
            table: reader.connection.table(table).order("ALL").fetchall()
            for table in ("postings", "documents", "memories", "revisions")
        }


def test_many_memories_are_written_as_a_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their postings are written at once, those that were made before too, and follow what changes afterwards."""
    memories = [make_memory(id=f"row{n:05}", title=f"Report {n}", insight=f"Crane {n} lifts boats") for n in range(45)]
    known = {one.id: postings_of(indexed_text(one)) for one in memories[::2]}
    known[memories[1].id] = postings_of("of another text")
    told: list[tuple[int, int]] = []
    written = []
    for number, together in enumerate((100, 20)):
        monkeypatch.setattr(writer_module, "TOGETHER", together)
        vault = Vault(tmp_path / f"{number}.duckdb", now=lambda: NOON)
        with vault.write(actor="person", action="add") as writer:
            writer.put_many(memories, indexed=known if number else None, progress=lambda *done: told.append(done))
            writer.put(replace(memories[0], title="Report on winches"))
            writer.remove([memories[44].id])
        written.append(_written(vault))
    assert written[0] == written[1]
    assert told == [(45, 45), (20, 45), (40, 45), (45, 45)]
    assert _found(vault, "winches") == [memories[0].id]


def test_postings_that_were_made_before_are_not_made_again(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make_memory(title="Winch", insight="The winch is greased on Fridays")
    known = {memory.id: postings_of(indexed_text(memory))}
    monkeypatch.setattr(tokens, "term_counts", None)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([memory], indexed=known)
    monkeypatch.undo()
    assert _found(vault, "winch") == [memory.id]


def _insert_beside(
    connection: duckdb.DuckDBPyConnection, *statements: Statement, then: Exception | None = None
) -> None:
    with executing(connection, beside=True) as execute:
        for statement in statements:
            execute(statement)
        if then is not None:
            raise then


def test_statements_are_executed_in_order_beside_what_makes_them_until_one_fails() -> None:
    connection = open_connection(None, read_only=False)
    connection.execute("CREATE TABLE lifts (n INTEGER)")
    one_more = "INSERT INTO lifts SELECT coalesce(max(n), 0) + ? FROM lifts"
    forty: list[Statement] = [(one_more, [number]) for number in range(40)]
    _insert_beside(connection, *forty)
    assert connection.execute("SELECT max(n), count(*) FROM lifts").fetchone() == (sum(range(40)), 40)
    with pytest.raises(duckdb.Error, match="nowhere"):
        _insert_beside(connection, ("INSERT INTO nowhere VALUES (1)", []))
    with pytest.raises(Cancelled):
        _insert_beside(connection, *forty[:4], then=Cancelled())
    left = connection.execute("SELECT count(*) FROM lifts").fetchone()
    assert left is not None
    assert 40 <= left[0] <= 44


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


WORDS = ("payment", "retry", "lock", "webhook", "ledger", "cart", "coupon", "port 8788", "parseJson", "二重課金", "the")
ANY = MemoryFilter(statuses=None)
STATUS_SETS = (None, ("active",), ("retired", "merged"))
NAMES = ("memory003", "MEMORY003", "payment payment", "Retry Lock", "no such title")
SCOPES = (EVERYTHING, Scope(("north",)), Scope(("north", "global")), Scope(("nobody",)), Scope(("north",), True))
QUERIES = (*WORDS, "retry the payment lock", "cart coupon parseJson nowhere", "ledger ledger webhook", "")


def some_memory(chance: random.Random, number: int) -> Memory:
    return make_memory(
        id=f"memory{number:03}",
        title=" ".join(chance.choices(WORDS, k=2)),
        insight=" ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
        project=chance.choice(("north", "south", "global", None)),
        status=chance.choices(STATUSES, weights=(1, 5, 1, 1, 1))[0],
    )


def filled_memory(path: Path, chance: random.Random, count: int) -> Vault:
    vault = Vault(path)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(some_memory(chance, number) for number in range(count))
    return vault


def plain(hits: list[LexicalHit]) -> list[tuple[int, float, list[tuple[str, float]]]]:
    return [
        (hit.key, round(hit.score, 9), [(term, round(points, 9)) for term, points in hit.terms.items()]) for hit in hits
    ]


def assert_same_answers(vault: Vault, index: TermIndex, chance: random.Random) -> None:
    """Compare some of the answers; which ones differs from call to call."""
    with vault.read() as stored:
        keys = [key for key, _ in stored.keyed(stored.select_ids(ANY, sort="created", now=vault.now())).values()]
        for _ in range(3):
            wanted = MemoryFilter(scope=chance.choice(SCOPES), statuses=chance.choice(STATUS_SETS))
            cached = index.reader(stored, wanted)
            assert cached is not stored
            name, query = chance.choice(NAMES), chance.choice(QUERIES)
            assert cached.count(ANY) == stored.count(ANY)
            assert cached.keys_within(wanted, [*keys, 9_999]) == stored.keys_within(wanted, [*keys, 9_999])
            assert cached.keys_by_name(name, wanted) == stored.keys_by_name(name, wanted)
            limit, floor = chance.choice((3, 1_000)), chance.choice((0.5, 2.5))
            weights = {term: 1.0 + place for place, term in enumerate(query_terms(query))}
            one, other = stored.match(query_terms(query)), cached.match(query_terms(query))
            assert other.counts == one.counts
            assert plain(other.search(wanted, limit=limit)) == plain(one.search(wanted, limit=limit))
            survey = one.survey(weights, wanted.scope, floor=floor)
            assert other.survey(weights, wanted.scope, floor=floor) == survey
            barred = other.barred(weights, wanted.scope, floor=floor, limit=5)
            assert plain(barred) == plain(one.barred(weights, wanted.scope, floor=floor, limit=5))


@pytest.mark.parametrize("count", [0, 1, 40])
def test_it_answers_as_the_vault_does(tmp_path: Path, count: int) -> None:
    chance = random.Random(count)
    vault = filled_memory(tmp_path / "vault.duckdb", chance, count)
    assert_same_answers(vault, TermIndex(), chance)


def _edit(vault: Vault, number: int) -> None:
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(f"memory{number:03}"), insight="coupon coupon for a webhook", project="north"))


def _add(vault: Vault, number: int) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id=f"added{number:03}", title="Retry Lock", insight="ledger cart", project="north"))


def _undo(vault: Vault, number: int) -> None:  # noqa: ARG001 - as the others
    with vault.write(actor="person", action="undo") as writer:
        undo(writer)


CHANGES: tuple[Callable[[Vault, int], object], ...] = (
    _edit,
    _undo,
    _add,
    lambda vault, number: purge_memories(vault, [f"memory{number:03}"]),
)


def test_it_keeps_up_with_every_change(tmp_path: Path) -> None:
    chance = random.Random(4)
    vault = filled_memory(tmp_path / "vault.duckdb", chance, 30)
    index = TermIndex()
    assert_same_answers(vault, index, chance)
    for number, change in enumerate((*CHANGES, _edit)):
        change(vault, number)
        assert_same_answers(vault, index, chance)
    index.load(vault)
    assert_same_answers(vault, index, random.Random(1))


def test_it_is_loaded_under_many_leases_and_takes_up_what_changed_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = filled_memory(tmp_path / "vault.duckdb", random.Random(5), 30)
    monkeypatch.setattr(postings_memory, "MOST_AT_ONCE", 10)
    monkeypatch.setattr(postings_memory, "POSTINGS_PER_LEASE", 40)
    index = TermIndex()
    with vault.read() as reader:
        assert index.state_at(reader) is None
        assert index.reader(reader, ANY) is reader
    made: list[object] = []
    made_of = postings_table.table_of

    def changing(*arguments: object) -> object:
        # Called after each lease, when others may write.
        made.append(arguments)
        if len(made) == 2:
            _edit(vault, 7)
            _add(vault, 1)
            purge_memories(vault, ["memory003"])
        return made_of(*arguments)  # type: ignore[arg-type] # what it was given

    monkeypatch.setattr(postings_memory, "table_of", changing)
    index.load(vault)
    assert len(made) > 3
    assert_same_answers(vault, index, random.Random(1))


def test_too_much_at_once_is_left_to_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = filled_memory(tmp_path / "vault.duckdb", random.Random(6), 10)
    index = TermIndex()
    index.load(vault)
    monkeypatch.setattr(postings_memory, "MOST_CHANGED", 3)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(some_memory(random.Random(number), number) for number in range(100, 120))
    with vault.read() as reader:
        assert index.state_at(reader) is None
        assert index.reader(reader, ANY) is reader
    monkeypatch.setattr(postings_memory, "MOST_AT_ONCE", 0)
    index.load(vault)
    assert_same_answers(vault, index, random.Random(1))


def test_another_vault_in_its_place_is_read_anew(tmp_path: Path) -> None:
    vault = filled_memory(tmp_path / "vault.duckdb", random.Random(7), 12)
    other = filled_memory(tmp_path / "other.duckdb", random.Random(8), 12)
    index = TermIndex()
    assert_same_answers(vault, index, random.Random(1))
    other.path.replace(vault.path)
    assert_same_answers(vault, index, random.Random(1))


def test_what_is_held_of_memories_is_what_the_vault_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings_memory, "MOST_MEMORIES", 5)
    vault = filled_memory(tmp_path / "vault.duckdb", random.Random(9), 20)
    index = TermIndex()

    def assert_same_rows() -> None:
        with vault.read() as reader:
            cached = index.reader(reader, ANY)
            keyed = reader.keyed(reader.select_ids(ANY, sort="created", now=vault.now()))
            ids, keys = list(keyed), [key for key, _ in keyed.values()]
            for part in (keys[:4], keys[2:9], keys):
                assert cached.get_by_keys(part) == reader.get_by_keys(part)
            for some in (ids, ids[:3], []):
                assert cached.links(some) == reader.links(some)
                assert sorted(cached.signals(some), key=str) == sorted(reader.signals(some), key=str)
                assert cached.anchor_states(some) == reader.anchor_states(some)
                assert cached.get_many(some) == reader.get_many(some)

    assert_same_rows()
    with vault.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id="memory001", type="supersedes", to_id="memory002", created_at=NOON)])
        writer.add_signals([Signal(memory_id="memory004", signal="helped", at=NOON, actor="person")])
        store_states(writer, {("memory005", "a.py"): "gone"}, {})
    assert_same_rows()
    _edit(vault, 3)
    monkeypatch.setattr(postings_memory, "MOST_ROWS", 0)
    assert_same_rows()


lines = st.lists(st.text(alphabet="abß😀é ", max_size=6), max_size=12)


def packed(texts: list[str]) -> Texts:
    return Texts.of("\n".join(texts), np.array([len(text.encode()) for text in texts], dtype=np.int64))


@given(lines, st.text(alphabet="abß😀é ", max_size=3))
def test_parts_of_texts_are_found_where_they_are(texts: list[str], part: str) -> None:
    for held in (packed(texts), Texts.of_lines("\n".join(texts), len(texts))):
        assert [held[number] for number in range(len(held))] == texts
        assert held.holding(part).tolist() == [number for number, text in enumerate(texts) if part in text]
        starting = [number for number, text in enumerate(texts) if text.startswith(part)]
        assert held.starting(part, most=3) == starting[:3]
        assert held.equal(part, most=99) == [number for number, text in enumerate(texts) if text == part]


def test_a_text_with_a_line_end_is_kept_whole_and_is_no_start_of_another() -> None:
    held = packed(["a\nbc", "b"])
    assert [held[0], held[1]] == ["a\nbc", "b"]
    assert held.starting("b", most=9) == [1]
    assert held.equal("bc", most=9) == []
    assert held.holding("a\nb").tolist() == []


words = st.text(alphabet="abcd", min_size=3, max_size=9)


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = open_connection(None, read_only=False)
    yield connection
    connection.close()


@settings(max_examples=40)
@given(st.lists(words, min_size=1, max_size=12), words, words)
def test_the_nearest_word_is_the_one_that_the_engine_names(
    engine: duckdb.DuckDBPyConnection, known: list[str], wrong: str, stem: str
) -> None:
    times = {word: known.count(word) for word in known}
    by_letter: dict[str, dict[str, int]] = {}
    for word, number in times.items():
        by_letter.setdefault(word[0], {})[word] = number
    found = engine.execute(
        "SELECT first(name ORDER BY errors, times DESC, name) FROM (SELECT name, times,"
        " least(damerau_levenshtein(name, $wrong), damerau_levenshtein(name, $stem)) AS errors"
        " FROM (SELECT unnest($names) AS name, unnest($times) AS times)"
        " WHERE name[1] = $wrong[1] AND abs(length(name) - length($wrong)) <= 2) WHERE errors <= 2",
        {"wrong": wrong, "stem": stem, "names": list(times), "times": list(times.values())},
    ).fetchone()
    expected = {wrong: found[0]} if found and found[0] else {}
    assert nearest_of({wrong: stem}, {wrong: 2}, by_letter) == expected


def test_lower_case_is_the_engines(engine: duckdb.DuckDBPyConnection) -> None:
    """Every letter there is, one by one: only a vault's engine says what its lower case is."""
    letters = [
        chr(code) for code in range(1, 0x20000) if not 0xD800 <= code < 0xE000 and chr(code).lower() != chr(code)
    ]
    found = engine.execute("SELECT lower(unnest(from_json(?, '[\"VARCHAR\"]')))", [json.dumps(letters)]).fetchall()
    differing = {letter for letter, (theirs,) in zip(letters, found, strict=True) if lower(letter) != theirs}
    # Letters that one of the two Unicode tables does not know yet.
    assert all(unicodedata.name(letter, "") for letter in differing)
    assert len(differing) < 40
