"""A save says what the new memory resembles: rarely wrong, and never in the way."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, add, new_vault, try_import
from support import NOON, make_memory

from memtui.analysis.duplicates import find_duplicates
from memtui.analysis.pair_differences import text_differences
from memtui.analysis.resemblance import changed_much, compared
from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, Snapshot
from memtui.analysis.text_features import Wording
from memtui.analysis.titles import title_for
from memtui.curate.lifecycle import retire
from memtui.curate.links import MOST_COMPARED, link, resembling, resembling_each
from memtui.curate.memories import edit_memory
from memtui.curate.resolutions import dismiss
from memtui.domain.memory import Memory
from memtui.errors import VaultBusyError
from memtui.locations import resource_folder
from memtui.recall.semantic import Likeness
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

PAIRS = Path(__file__).parents[2] / "curation"


def labelled(half: str) -> list[tuple[str, Memory, Memory]]:
    found = []
    for name in ("duplicate-pairs.jsonl", "conflict-pairs.jsonl"):
        for line in (PAIRS / name).read_text("utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            if row["half"] == half:
                one, other = (make_memory(title=title_for(row[end], ()), insight=row[end]) for end in ("one", "other"))
                found.append((row["label"], one, make_memory(**_of(other), created_at=NOON + timedelta(days=1))))
    return found


def _of(memory: Memory) -> dict[str, str]:
    return {"title": memory.title, "insight": memory.insight}


@pytest.mark.parametrize(("half", "least_precision", "least_recall"), [("develop", 0.93, 0.94), ("report", 0.95, 0.85)])
def test_the_rule_is_rarely_wrong_on_labelled_pairs(half: str, least_precision: float, least_recall: float) -> None:
    """Offering a link is right for a duplicate, a near miss and a conflict; wrong for the others."""
    told = [(label, compared(other, one) is not None) for label, one, other in labelled(half)]
    alike = {"duplicate", "near-miss", "conflict"}
    offered = [label in alike for label, found in told if found]
    wanted = [found for label, found in told if label in alike]
    precision, recall = sum(offered) / len(offered), sum(wanted) / len(wanted)
    assert (precision >= least_precision, recall >= least_recall) == (True, True), (precision, recall)


def test_what_contradicts_is_found_with_the_link_that_settles_it(vault: Vault) -> None:
    old = add(vault, "Lock refunds by payment_id for 30 seconds")
    add(vault, "Deploys wait for the smoke test")
    new = add(vault, "Refunds are locked by payment_id for 60 seconds")
    (found,) = resembling(vault, new)
    assert (found.id, found.sort, found.is_winner) == (old.id, "clashes", False)


@pytest.mark.parametrize(
    ("old", "new", "sort", "why"),
    [
        ("Alma keeps the ledger of the mill.", "Bruno keeps the ledger of the mill.", "differs", "Alma / Bruno"),
        ("Alma keeps the ledger of the mill.", "Alma keeps the ledger of the forge.", "differs", "mill / forge"),
        ("Alma keeps the ledger of the mill.", "Alma keeps the ledger of the mill locked.", "differs", "locked"),
        ("Alma keeps the ledger of the mill.", "Alma keeps a ledger for the mill", "same", "says the same"),
        ("Flour rests for 60 minutes.", "Flour rests for one hour", "same", "says the same"),
        ("Flour rests for 60 minutes.", "Flour rests for two hours", "clashes", "60 m against 2 h"),
    ],
)
def test_only_what_differs_in_function_words_alone_says_the_same(old: str, new: str, sort: str, why: str) -> None:
    one, other = (make_memory(id=text[:8], title=title_for(text, ()), insight=text) for text in (old, new))
    found = compared(other, one)
    assert found is not None
    assert (found.sort, why in found.why) == (sort, True), found


def test_what_holds_of_two_that_exclude_each_other_is_named_and_offered_first(vault: Vault) -> None:
    old = add(vault, "We moved the price cache from Redis to Valkey.")
    new = add(vault, "We use Redis for the price cache.")
    (found,) = resembling(vault, new)
    assert (found.sort, found.winner, found.is_winner) == ("clashes", old.id, True)


def test_a_twin_and_a_near_miss_are_told_apart(vault: Vault) -> None:
    add(vault, "Seed the database before running the tests.")
    add(vault, "The staging database is reset every night.")
    same = add(vault, "Seed the database before you run tests")
    differs = add(vault, "The production database is reset every night.")
    sorts = {memory.id: found for memory in (same, differs) for found in resembling(vault, memory)}
    assert [found.sort for found in sorts.values()] == ["same", "differs"]


def test_what_is_settled_out_of_use_or_elsewhere_is_not_offered(vault: Vault) -> None:
    def pair(text: str, **options: Any) -> tuple[Memory, Memory]:
        return add(vault, text.format(30), **options), add(vault, text.format(60))

    linked, dismissed, harmless, retired, foreign, everywhere = (
        pair(text, **options)
        for text, options in (
            ("The price cache keeps entries for {} seconds", {}),
            ("Webhooks are answered within {} milliseconds", {}),
            ("A session token expires after {} minutes", {}),
            ("Backups are deleted after {} days", {}),
            ("The quay printer needs {} watts", {"project": "docks"}),
            ("Pull requests hold {} lines at most", {"project": "global"}),
        )
    )
    assert all(resembling(vault, new) for _, new in (linked, dismissed, harmless, retired, everywhere))
    link(vault, linked[1].id, "relates", linked[0].id, actor=PERSON)
    dismiss(vault, NOT_DUPLICATE, [old.id for old in dismissed], actor=PERSON)
    dismiss(vault, NOT_CONTRADICTION, [harmless[0].id, harmless[1].id], actor=PERSON)
    retire(vault, [retired[0].id], actor=PERSON)
    for _, new in (linked, dismissed, harmless, retired, foreign):
        assert resembling(vault, new, limit=9) == []


def test_a_candidate_and_a_first_memory_resemble_nothing(vault: Vault) -> None:
    assert resembling(vault, add(vault, "Lock refunds by payment_id")) == []
    assert resembling(vault, add(vault, "Lock the refunds by payment_id", actor=AGENT)) == []
    assert resembling(vault, add(vault, "Lock refunds by payment_id now", project=None)) == []


def test_only_an_edit_that_says_something_else_is_looked_at(vault: Vault) -> None:
    memory = add(vault, "The refund lock lives for 30 seconds in Redis")
    small = edit_memory(vault, memory.id, {"insight": "The refund lock lives for 60 seconds in Redis"}, actor=PERSON)
    other = edit_memory(vault, memory.id, {"insight": "Deploys wait for the smoke test", "title": "x"}, actor=PERSON)
    tagged = edit_memory(vault, memory.id, {"tags": ("a",)}, actor=PERSON)
    assert [changed_much(memory, small), changed_much(small, other), changed_much(other, tagged)] == [
        False,
        True,
        False,
    ]


class Near:
    """A meaning that finds one memory near whatever is asked."""

    terms = None

    def __init__(self, key: int, cosine: float) -> None:
        self.found = {key: cosine}

    def sense(self, _text: str) -> Near:
        return self

    def look(self, _reader: Any, _wanted: Any, *, keys: Any, limit: int) -> Likeness:
        assert limit > 0
        return Likeness({**dict.fromkeys(keys, 0.1), **self.found})

    def kinship(self, _reader: Any, _keys: Any) -> dict[tuple[int, int], float]:
        return {}

    def catch_up(self) -> bool:
        return False


def test_a_loaded_meaning_finds_what_words_alone_do_not_tell(vault: Vault) -> None:
    old = add(vault, "Every retry of a refund carries the idempotency key of the original attempt.")
    new = add(vault, "A refund that is sent again reuses its idempotency key, so nobody is paid twice.")
    with vault.read() as reader:
        ((key, _),) = reader.keyed([old.id]).values()
    assert resembling(vault, new) == []
    assert [found.id for found in resembling(vault, new, meaning=Near(key, 0.95))] == [old.id]
    assert resembling(vault, new, meaning=Near(key, 0.3)) == []


def test_a_busy_vault_and_a_large_import_cost_no_save(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = add(vault, "Lock refunds by payment_id for 30 seconds")
    looked: list[Memory] = []

    def busy(_vault: Vault, one: Memory) -> list[Any]:
        looked.append(one)
        raise VaultBusyError("busy")

    monkeypatch.setattr("memtui.curate.links.resembling", busy)
    assert resembling_each(vault, [memory] * (MOST_COMPARED + 5)) == []
    assert len(looked) == MOST_COMPARED


REFUNDS = {
    "title": "Lock refunds by payment_id, never by user_id",
    "text": "Hold the Redis lock `lock:payment:{payment_id}` around every capture and refund, TTL 30 s.",
}
"""A memory that states the matter in its title and explains it in other words."""


def test_what_is_written_another_way_is_offered_without_a_model(vault: Vault) -> None:
    old = add(vault, REFUNDS["text"], title=REFUNDS["title"])
    for text in (
        "Lock refunds by payment id and never by user id",
        "Refunds are locked by paymentId, not userId",
        "Lock a refund by its payment id; never lock it by the user id",
    ):
        new = add(vault, text)
        assert [found.id for found in resembling(vault, new)] == [old.id], text
        (group,) = find_duplicates(Snapshot([old, new]))
        assert (set(group.ids), group.pile) == ({old.id, new.id}, "look"), text
        retire(vault, [new.id], actor=PERSON)
    assert resembling(vault, add(vault, "Lock the door of the server room by hand, never by the remote")) == []


def test_a_name_of_code_is_the_same_in_words_and_another_is_not() -> None:
    def apart(one: str, other: str) -> str:
        return "".join(each.text for each in text_differences(Wording(one), Wording(other)))

    assert apart("Locks hold the payment_id.", "Locks hold the payment id.") == ""
    assert apart("Locks hold the paymentId.", "Locks hold the payment id.") == ""
    assert "names differ" in apart("Locks hold the payment_id.", "Locks hold the user_id.")


def test_the_sample_vault_offers_only_what_is_close(tmp_path: Path) -> None:
    """All 101 memories, each as if it were new: whoever adds one is rarely asked, and never about nonsense."""
    vault = new_vault(tmp_path)[0]
    try_import(vault, resource_folder("sample_vault"))
    memories = {memory.id: memory for memory in stored(vault)}
    assert len(memories) > 90
    offered = {frozenset((memory.id, found.id)) for memory in memories.values() for found in resembling(vault, memory)}
    assert offered <= set(map(frozenset, CLOSE)), offered
    assert len(offered) >= 0.4 * len(CLOSE)


CLOSE = (
    ("ijty3pw6", "ohuaqqd4"),  # prices are integers in minor units
    ("ohuaqqd4", "lu3oh5yu"),  # the same, never floats
    ("dkgjhs4w", "fyoxtpp2"),  # plan before apply
    ("mzsclfzc", "f7ewfyoa"),  # webhooks: 5 s against 10 s
    ("qmuc3vqm", "sfjjwjlh"),  # Node 20 against Node 22
    ("zpuwvdkl", "o6j6sc7w"),  # the lock: 30 s against 60 s
    ("ioddebrc", "o6j6sc7w"),
)
"""Pairs of the sample vault of which a person said that they belong together."""


def stored(vault: Vault) -> list[Memory]:
    with vault.read() as reader:
        return reader.select(MemoryFilter(), sort="created", now=vault.now())


def test_what_is_asked_about_is_rarely_apart(vault: Vault) -> None:
    """Asking is right where one of the two texts would go, or where they differ in what matters."""
    told = [label for label, one, other in labelled("report") if (found := compared(other, one)) and found.is_likely]
    assert len(told) >= 30
    assert sum(label in {"different", "no-conflict"} for label in told) <= 2
    add(vault, "The staging database is reset every night.")
    (found,) = resembling(vault, add(vault, "The production database is reset every night."))
    assert not found.is_likely
