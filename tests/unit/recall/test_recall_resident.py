"""Search in memory finds what the search of the vault finds: the same hits, order, scores and explanations."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, recalled, story_vault
from support import make_memory

from memtui.config import RecallSettings
from memtui.domain.memory import STATUSES, Anchor, Memory, Signal
from memtui.domain.reasons import ReasonCode
from memtui.recall import embedding_cache
from memtui.recall.embedding_cache import ResidentVectors, embed_missing
from memtui.recall.resident import HeldWords, ResidentMeaning, read_words
from memtui.recall.result import Recall
from memtui.recall.search import Found, search
from memtui.recall.semantic import MOST_CAUGHT_UP, ModelMeaning
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.search.postings_memory import TermIndex
from memtui.vault.search.vectors import count_current
from memtui.vault.vault import Vault
from memtui.wording.reasons import explanation, hit_words

WORDS = (
    "retry",
    "payment",
    "payments",
    "lock",
    "Straße",
    "İzmir",
    "支付锁定",
    "retryPayment",
    "lock_ttl",
    "the",
    "a",
    "ΣΟΦΟΣ",
)
TYPOS = ("paymnet", "retyr", "lokc_ttl", "payemnts", "stroms", "retr", "mem0", "m", "", "zzzz", "retry\nlock")
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

texts = st.lists(st.sampled_from([*WORDS, "\n", "x\x1fy", "7"]), max_size=6).map(" ".join)
moments = st.integers(0, 900).map(lambda days: NOW - timedelta(days=days, seconds=days * 37))
memories: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    title=texts,
    insight=texts.map(lambda text: f"{text} fact"),
    kind=st.sampled_from(["decision", "lesson", "o'clock"]),
    project=st.sampled_from(["pay", "ship", None, 'a"b']),
    status=st.sampled_from(STATUSES),
    tags=st.lists(st.sampled_from(["storms", "locks"]), max_size=2).map(tuple),
    importance=st.integers(1, 5),
    pinned=st.booleans(),
    created_at=moments,
    observed_at=st.none() | moments,
    verified_at=st.none() | moments,
    half_life_days=st.none() | st.floats(1, 900),
    anchors=st.lists(st.sampled_from(["src/a.py", "gone.py", "a\nb", "*.md"]).map(Anchor), max_size=2, unique=True).map(
        tuple
    ),
)
ids_resident = st.sampled_from(["mem0", "mem00abc", "MEM00ABC", "lock"]) | st.from_regex(r"[a-z2-7]{8}", fullmatch=True)


def filled(folder: Path, rows: Sequence[dict[str, Any]], names: Sequence[str]) -> Vault:
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    lot = [Memory(id=name, updated_at=NOW, **row) for name, row in zip(names, rows, strict=False)]
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(lot)
        writer.add_signals(
            Signal(memory_id=memory.id, signal=signal, at=NOW - timedelta(days=days), actor="person", weight=0.7)
            for memory in lot[::2]
            for days, signal in ((3, "copied"), (1, "hurt"))
        )
        writer.insert_unjournaled(
            "anchor_states",
            (
                {"memory_id": memory.id, "path": anchor.path, "state": "gone", "checked_at": NOW}
                for memory in lot[1::2]
                for anchor in memory.anchors
            ),
        )
    return vault


def plain(words: str | tuple[str, ...]) -> list[str]:
    """Return the words of an explanation in no order: which of two that weigh the same comes first is left open."""
    return sorted(re.split(r"[\s,:;]+", words if isinstance(words, str) else " ".join(words)))


def same(
    vault: Vault,
    held: HeldWords,
    query: str,
    scope: Scope,
    *,
    limit: int = 100,
    statuses: Sequence[str] | None = ("active",),
    tree: Tree | None = None,
) -> None:
    """Compare both searches: the ids in order, the scores to nine digits, the explanations word for word."""
    by_vault = search(vault, query, scope, limit=limit, settings=SETTINGS, now=NOW, statuses=statuses, tree=tree).hits
    in_memory = held.search(query, scope, limit=limit, settings=SETTINGS, now=NOW, statuses=statuses, tree=tree).hits
    assert [hit.memory.id for hit in in_memory] == [hit.memory.id for hit in by_vault], query
    for mine, theirs in zip(in_memory, by_vault, strict=True):
        assert mine.score == pytest.approx(theirs.score, abs=1e-8)
        assert [plain(row) for row in explanation(mine)] == [plain(row) for row in explanation(theirs)]
        assert plain(hit_words(mine)) == plain(hit_words(theirs))
        assert mine.memory.title == theirs.memory.title


@settings(max_examples=8, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(
    st.lists(memories, min_size=1, max_size=14),
    st.lists(ids_resident, min_size=14, max_size=14, unique=True),
    st.data(),
)
def test_random_vaults_are_searched_alike(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, Any]],
    names: list[str],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("alike")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("pass")
    vault = filled(folder, rows, names)
    held = read_words(vault, TermIndex())
    assert held is not None
    queries = st.lists(st.sampled_from([*WORDS, *TYPOS]), min_size=1, max_size=3).map(" ".join)
    whole = [*names[:2], names[0][:5], str(rows[0]["title"])]
    scopes = (EVERYTHING, Scope(("pay",)), Scope(("pay", 'a"b'), with_unassigned=True), Scope(()))
    for query, scope in itertools.product([*whole, *data.draw(st.lists(queries, min_size=3, max_size=5))], scopes[:1]):
        same(vault, held, query, scope)
    same(vault, held, data.draw(queries), scopes[1])
    same(vault, held, data.draw(queries), scopes[2], statuses=None)
    same(vault, held, data.draw(queries), scopes[3], statuses=("retired", "candidate"))
    same(vault, held, data.draw(queries), EVERYTHING, limit=2, tree=Tree("pay", folder))


def test_the_story_is_searched_alike(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    held = read_words(vault, TermIndex())
    assert held is not None
    for query in (
        "retry webhooks",
        "refund",
        "lockpaym",
        "impe",
        "lock",
        "kuberntes ingres",
        "Lock refunds by payment_id",
    ):
        for scope, statuses in ((PAYMENTS, ("active",)), (EVERYTHING, None)):
            there = search(vault, query, scope, limit=20, settings=SETTINGS, now=NOON, statuses=statuses).hits
            here = held.search(query, scope, limit=20, settings=SETTINGS, now=NOON, statuses=statuses).hits
            assert [(hit.memory.id, plain(hit_words(hit))) for hit in here] == [
                (hit.memory.id, plain(hit_words(hit))) for hit in there
            ]


def test_many_that_score_alike_are_cut_off_alike(tmp_path: Path) -> None:
    """More equal scores than the limit: the oldest keys stay in both."""
    rows = [
        {"title": f"retry {number % 3 * 'lock '}", "insight": "payment", "created_at": NOW} for number in range(300)
    ]
    vault = filled(tmp_path, rows, [f"m{number:07d}" for number in range(300)])
    held = read_words(vault, TermIndex())
    assert held is not None
    for query in ("retry", "lock", "retry lock", "payment lock"):
        same(vault, held, query, EVERYTHING)


def test_what_is_read_while_the_vault_changes_is_dropped(tmp_path: Path) -> None:
    vault = filled(tmp_path, [{"title": "retry", "insight": "x", "created_at": NOW}], ["aaaaaaaa"])

    def change() -> bool:
        with vault.write(actor="person", action="pin") as writer:
            writer.set_meta("seen", "1")
        return True

    assert read_words(vault, TermIndex(), wanted=change) is None
    assert read_words(vault, TermIndex(), wanted=lambda: False) is None
    assert read_words(vault, TermIndex()) is not None


def test_an_empty_vault_has_nothing_to_find(tmp_path: Path) -> None:
    held = read_words(Vault(tmp_path / "none.duckdb"), TermIndex())
    assert held is not None
    assert held.search("retry paymnet", EVERYTHING, limit=9, settings=SETTINGS, now=NOW).hits == []


SCOPE = Scope(("p",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "vault.duckdb")
    with vault.write(actor="person", action="add") as writer:
        writer.put(
            make_memory(id="charging", title="Charge cards once", insight="Take a lock per payment.", project="p")
        )
        writer.put(
            make_memory(id="printers", title="Quay printer", insight="The printer jams on humid days.", project="p")
        )
    return vault


def found(vault: Vault, query: str, meaning: ResidentMeaning) -> list[str]:
    hits = search(vault, query, SCOPE, limit=5, settings=RecallSettings(), now=vault.now(), meaning=meaning).hits
    return [hit.memory.id for hit in hits]


def test_words_answer_until_the_model_is_there(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    assert (meaning.words, meaning.is_ready) == ("loading", False)
    assert found(vault, "customers billed twice", meaning) == []
    assert found(vault, "printer", meaning) == ["printers"]
    meaning.load()
    assert (meaning.words, meaning.is_ready) == ("loading", True), "nothing was counted yet"
    with vault.read() as reader:
        meaning.count(reader)
    assert meaning.words == "0 %"
    assert meaning.tend() == 2
    assert meaning.tend() == 0
    assert (meaning.words, meaning.problem) == ("ready", "")
    assert found(vault, "customers billed twice", meaning)[:1] == ["charging"]


def test_a_new_memory_is_found_by_meaning_once_it_was_tended(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.tend()
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="database", title="Seed the database", insight="Fill it before tests.", project="p"))
    with vault.read() as reader:
        meaning.count(reader)
    assert meaning.words == "0 %"
    assert meaning.tend() == 1
    assert meaning.words == "ready"
    assert "database" in found(vault, "populate fixtures ahead of the test run", meaning)


def test_none_is_off_and_a_missing_model_says_why(vault: Vault) -> None:
    off = ResidentMeaning(vault, "none")
    off.load()
    assert (off.words, off.sense("x"), off.tend()) == ("off", None, 0)
    missing = ResidentMeaning(vault, "sentence-transformers:no/such-model")
    missing.load()
    assert missing.words.startswith("off")
    assert missing.problem
    assert missing.sense("x") is None


def test_several_threads_may_ask_at_once(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.tend()
    answers: list[list[str]] = []
    threads = [threading.Thread(target=lambda: answers.append(found(vault, "billed twice", meaning))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert all(answer[:1] == ["charging"] for answer in answers)


def test_a_second_thread_does_not_embed_what_another_one_embeds(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    within: list[int] = []
    embed = embedding_cache.embed_missing

    def slowly(*given: Any, **options: Any) -> int:
        if options["limit"] is None:
            within.append(meaning.tend())
            within.append(meaning.tend(limit=1))
        return embed(*given, **options)

    monkeypatch.setattr(embedding_cache, "embed_missing", slowly)
    assert (meaning.tend(), within) == (1, [0, 1])
    assert (meaning.tend(), within) == (0, [0, 1, 0, 0]), "the next one begins once the first is done"


def test_cancelling_stops_before_the_next_texts(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.cancel()
    assert meaning.tend() == 0


@pytest.fixture(scope="module")
def vault_semantic(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    made = story_vault(tmp_path_factory.mktemp("meaning"))
    embed_missing(made, FakeEngine())
    return made


def meaning_of(vault_semantic: Vault, *, resident: bool = False) -> ModelMeaning:
    engine = FakeEngine()
    return ModelMeaning(
        vault_semantic, "bundled", engine=engine, resident=ResidentVectors(engine.name) if resident else None
    )


def found_semantic(vault_semantic: Vault, text: str, *files: str, resident: bool = False) -> Recall:
    from memtui.recall.rank import recall
    from memtui.recall.result import Task

    return recall(
        vault_semantic,
        Task(text, files),
        PAYMENTS,
        settings=SETTINGS,
        now=NOON,
        meaning=meaning_of(vault_semantic, resident=resident),
    )


def test_a_task_in_other_words_is_answered(vault_semantic: Vault) -> None:
    assert recalled(vault_semantic, "mutex around reimbursements").hits == ()
    assert ids(found_semantic(vault_semantic, "mutex around reimbursements").hits)[0] == "lockpaym"


def test_in_memory_and_in_the_vault_the_answer_is_the_same(vault_semantic: Vault) -> None:
    for text in ("mutex around reimbursements", "which address has the standby", "retry webhooks"):
        stored, resident = found_semantic(vault_semantic, text), found_semantic(vault_semantic, text, resident=True)
        assert ids(stored.hits) == ids(resident.hits)
        assert [hit.score for hit in stored.hits] == pytest.approx([hit.score for hit in resident.hits], abs=0.02)


def test_the_table_adds_up_and_names_the_meaning(vault_semantic: Vault) -> None:
    hit = found_semantic(vault_semantic, "lock the reimbursements").hits[0]
    assert sum(part.value for part in hit.parts if part.role == "term") == pytest.approx(hit.relevance)
    meaning = next(part.reason for part in hit.parts if part.name == "meaning")
    assert meaning.score
    assert 1 <= meaning.number <= meaning.among
    assert ReasonCode.MEANING in {reason.code for reason in hit.reasons}


def test_what_may_not_be_recalled_is_not_recalled_by_meaning_either(vault_semantic: Vault) -> None:
    shown = ids(found_semantic(vault_semantic, "reimbursements").hits)
    assert {"lockuser", "inboxed2", "retired2", "nowhere2", "guestref"}.isdisjoint(shown)


def test_nonsense_is_refused_and_the_reason_tells_how_near_the_nearest_is(vault_semantic: Vault) -> None:
    answer = found_semantic(vault_semantic, "wombat flugelhorn")
    assert answer.hits == ()
    assert answer.abstained is not None
    assert answer.abstained.score is not None


def test_files_still_lead_where_the_text_says_nothing(vault_semantic: Vault) -> None:
    assert ids(found_semantic(vault_semantic, "tidy up here", "legacy/export.py").hits)[0] == "legacyre"


def test_a_search_shows_what_is_close_without_a_common_word(vault_semantic: Vault) -> None:
    def searched(query: str) -> list[str]:
        meaning = meaning_of(vault_semantic)
        return ids(search(vault_semantic, query, PAYMENTS, limit=20, settings=SETTINGS, now=NOON, meaning=meaning).hits)

    assert searched("bookkeeping")[0] == "twicebug"
    assert searched("zyzzyva") == []
    assert searched("lockpaym")[0] == "lockpaym"


def test_a_search_tells_an_answer_from_what_is_merely_nearest(vault_semantic: Vault) -> None:
    def look(query: str, *, by_meaning: bool = True) -> Found:
        meaning = meaning_of(vault_semantic) if by_meaning else None
        return search(vault_semantic, query, PAYMENTS, limit=20, settings=SETTINGS, now=NOON, meaning=meaning)

    for query in ("bookkeeping", "lock refunds", "lockpaym"):
        assert look(query).sure == "sure"
        assert look(query).hits
    weak = look("replica quokka wombat giraffe zebra aardvark", by_meaning=False)
    assert ids(weak.hits) == ["replica2"]
    assert weak.sure == "unsure"
    assert look("port for the replica", by_meaning=False).sure == "sure"


def test_missing_vectors_are_made_up_for_a_few_at_a_time(tmp_path: Path) -> None:
    many = [memory(f"memory{number:03}", f"Tulip bed number {number}") for number in range(60)]
    vault_semantic = story_vault(tmp_path, [*many, memory("replica2", "port 8788 for the replica")], [])
    engine = FakeEngine()
    meaning = ModelMeaning(vault_semantic, "bundled", engine=engine)

    def searched() -> list[str]:
        return ids(
            search(vault_semantic, "standby", EVERYTHING, limit=5, settings=SETTINGS, now=NOON, meaning=meaning).hits
        )

    def stored() -> int:
        with vault_semantic.read() as reader:
            return count_current(reader, engine.name)

    # The newest are embedded first, so the one that is asked for is among the first few.
    assert searched() == ["replica2"]
    assert stored() == MOST_CAUGHT_UP
    searched()
    assert stored() == 61
    searched()
    assert stored() == 61


def test_while_most_are_not_embedded_words_answer_alone(tmp_path: Path) -> None:
    vault_semantic = story_vault(tmp_path)
    meaning = ModelMeaning(vault_semantic, "bundled", engine=FakeEngine(), catches_up=False)
    embed_missing(vault_semantic, FakeEngine(), limit=2)
    from memtui.recall.rank import recall
    from memtui.recall.result import Task

    answer = recall(
        vault_semantic, Task("which port does the replica use?"), PAYMENTS, settings=SETTINGS, now=NOON, meaning=meaning
    )
    assert ids(answer.hits)[0] == "replica2"


def test_a_model_that_is_missing_is_told_and_words_answer(vault_semantic: Vault) -> None:
    meaning = ModelMeaning(vault_semantic, "sentence-transformers:/no/such/model")
    hits = search(vault_semantic, "replica port", PAYMENTS, limit=5, settings=SETTINGS, now=NOON, meaning=meaning).hits
    assert ids(hits)[0] == "replica2"
    assert "/no/such/model" in meaning.problem
    assert ModelMeaning(vault_semantic, "none").sense("x") is None


def test_a_vault_that_does_not_exist_loads_no_model(tmp_path: Path) -> None:
    meaning = ModelMeaning(Vault(tmp_path / "none.duckdb"), "bundled")
    assert meaning.sense("anything") is None
    assert meaning._engine is None
