"""The bundled model over a bakery's memories: what one mean vector, common words or one threshold would get wrong."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from support import make_memory

from memtui.config import RecallSettings
from memtui.domain.memory import Anchor
from memtui.domain.reasons import ReasonCode
from memtui.embedding.engine import open_engine
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.recall.embedding_cache import ResidentVectors, embed_missing
from memtui.recall.rank import recall
from memtui.recall.result import Recall, Task
from memtui.recall.search import Found, search
from memtui.recall.semantic import ModelMeaning
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.wording.reasons import explanation

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HERE = Scope.of_project("bakery")
SETTINGS = RecallSettings()

CLOSING = """Sweep the floor and stack the chairs on the tables by the window. Empty the dishwasher before you leave.
Wipe the counter with vinegar and put the trays away. Only Ines and Piet hold keys to the strongbox.
Switch off the lights in the hallway and set the alarm."""
MEMORIES = {
    "closings": ("Closing routine", CLOSING),
    "openings": (
        "Opening routine",
        "Raise the blinds and take the chairs down. Start the coffee machine. Check the reservations of the day.",
    ),
    "panelidl": ("Panel sleeps when idle", "The display turns off when nobody has touched it for 40 minutes."),
    "ovenlids": (
        "Lid switch shares the timer's interrupt",
        "Both are on line 7 of the oven controller; read the status register.",
    ),
    "ovenwarm": ("Oven warms up for 20 minutes", "Do not open it before the lamp is green."),
    "tabledep": ("Public symbols", "When you deprecate a public symbol, keep it for two minor versions."),
    "tablewid": ("Table widths", "Tables of the menu are 40 columns wide; never let a public page scroll."),
    "cranekor": ("크레인 과부하", "과부하 한계는 KR-4410 센서가 정한다. 값을 바꾸지 말 것."),
    "germantr": (
        "Lieferwagen im Winter",
        "Die Transporter werden ab Oktober auf Winterreifen und mit Ketten gefahren.",
    ),
    "tilecach": ("Map tiles are cached", "Tiles of the delivery map are kept for 30 days on disk."),
    "orderids": ("Order numbers", "An order number holds the branch, the day and a count; never reuse one."),
    "moneyint": ("Money", "Amounts are integers of cents with a currency code."),
}


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    vault = Vault(tmp_path_factory.mktemp("bakery") / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(
            make_memory(id=name, project="bakery", title=title, insight=insight, verified_at=NOW, verified_by="person")
            for name, (title, insight) in MEMORIES.items()
        )
    engine = open_engine("bundled")
    assert engine is not None
    embed_missing(vault, engine)
    return vault


@pytest.fixture(params=["in memory", "by SQL"])
def meaning(bakery: Vault, request: pytest.FixtureRequest) -> ModelMeaning:
    engine = open_engine("bundled")
    assert engine is not None
    resident = ResidentVectors(engine.name) if request.param == "in memory" else None
    return ModelMeaning(bakery, "bundled", engine=engine, resident=resident, catches_up=False)


def asked(bakery: Vault, text: str, meaning: ModelMeaning | None) -> Recall:
    return recall(bakery, Task(text), HERE, settings=SETTINGS, now=NOW, meaning=meaning)


def looked_up(bakery: Vault, text: str, meaning: ModelMeaning | None) -> Found:
    return search(bakery, text, HERE, limit=20, settings=SETTINGS, now=NOW, meaning=meaning)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("who can unlock the safe", "closings"),
        ("screen goes black after lunch", "panelidl"),
        ("why is the oven timer reset by the lid", "ovenlids"),
        ("overload limit of part KR-4410", "cranekor"),
        ("Winterreifen for vans", "germantr"),
        ("deprecate", "tabledep"),
    ],
)
def test_the_memory_that_answers_comes_first(bakery: Vault, meaning: ModelMeaning, text: str, wanted: str) -> None:
    assert asked(bakery, text, meaning).hits[0].memory.id == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("who can unlock the safe", "closings"),
        ("screen goes black after lunch", "panelidl"),
        ("why is the oven timer reset by the lid", "ovenlids"),
        ("deprecate", "tabledep"),
    ],
)
def test_a_payload_holds_the_memory_that_answers(bakery: Vault, meaning: ModelMeaning, text: str, wanted: str) -> None:
    options = PackOptions(encoding="o200k_base")
    pack = context(
        *(bakery, Task(text), HERE, options),
        project="bakery",
        target="chat",
        settings=SETTINGS,
        now=NOW,
        meaning=meaning,
    )
    assert wanted in {one.memory.id for one in pack.included}


def test_a_task_of_several_parts_brings_a_memory_for_each(bakery: Vault, meaning: ModelMeaning) -> None:
    found = asked(
        bakery, "show prices in another currency, the order number and a map of the delivery on the receipt", meaning
    )
    assert {hit.memory.id for hit in found.hits[:5]} >= {"moneyint", "orderids", "tilecach"}


def test_the_explanation_quotes_the_sentence_that_answers(bakery: Vault, meaning: ModelMeaning) -> None:
    hit = asked(bakery, "who can unlock the safe", meaning).hits[0]
    (words,) = [words for name, words, _ in explanation(hit) if name == "meaning"]
    assert "“Only Ines and Piet hold keys to the strongbox.”" in words


def test_a_rare_word_ties_a_memory_to_the_task(bakery: Vault, meaning: ModelMeaning) -> None:
    hits = {hit.memory.id: hit for hit in asked(bakery, "deprecate the table function", meaning).hits[:2]}
    hit = hits["tabledep"]
    assert ReasonCode.WORDS in {reason.code for reason in hit.reasons}


def test_an_answer_is_sure_unsure_or_nothing(bakery: Vault, meaning: ModelMeaning) -> None:
    assert asked(bakery, "how wide are the tables of the menu", meaning).sure == "sure"
    unknown = asked(bakery, "which supplier do we buy map tiles from, and what is the price", meaning)
    assert unknown.hits[0].memory.id == "tilecach"
    for text in ("which map tiles do we buy?", "what does a map tile cost"):
        for found in (asked(bakery, text, meaning), looked_up(bakery, text, meaning)):
            assert (found.hits[0].memory.id, found.sure) == ("tilecach", "unsure"), text
    assert asked(bakery, "how long are map tiles kept", meaning).sure == "sure"
    assert asked(bakery, "what is the type of an amount to pay", meaning).sure == "sure"
    assert asked(bakery, "polyphonic choir rehearsal in an abbey", meaning).sure != "sure"
    assert looked_up(bakery, "polyphonic choir rehearsal in an abbey", meaning).sure != "sure"
    assert looked_up(bakery, "zzzqqq", meaning).sure != "sure"
    assert looked_up(bakery, "orderids", meaning).sure == "sure"


def test_what_a_file_is_tied_to_is_sure_whatever_the_words_say(tmp_path_factory: pytest.TempPathFactory) -> None:
    vault = Vault(tmp_path_factory.mktemp("tied") / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="add") as writer:
        writer.put(
            make_memory(id="ovenfile", project="bakery", insight="Never block here", anchors=(Anchor("oven/lid.c"),))
        )
    found = recall(vault, Task("tidy this up", ("oven/lid.c",)), HERE, settings=SETTINGS, now=NOW)
    assert found.sure == "sure"


def test_memories_without_a_vector_are_counted_in_the_answer(tmp_path_factory: pytest.TempPathFactory) -> None:
    vault = Vault(tmp_path_factory.mktemp("partial") / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(
            make_memory(id=f"bun{n:05}", project="bakery", insight=f"Bun {n} rises twice") for n in range(4)
        )
    engine = open_engine("bundled")
    assert engine is not None
    embed_missing(vault, engine, limit=3)
    partial = ModelMeaning(vault, "bundled", engine=engine, catches_up=False)
    assert asked(vault, "how often does dough rise", partial).without_vector == 1
    assert looked_up(vault, "how often does dough rise", partial).without_vector == 1
    assert asked(vault, "how often does dough rise", None).without_vector == 0
