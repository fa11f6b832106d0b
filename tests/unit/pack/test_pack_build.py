"""What a user relies on when a payload is built: it is within the budget, the same each time, and accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pack_story import packed
from recall_story import LINKS, NOON, STORY, days_ago, link, memory, set_state, story_vault

from memtui.analysis.snapshot import NOT_DUPLICATE
from memtui.curate.memories import edit_memory
from memtui.curate.resolutions import Validity, contradiction_of, dismiss, keep_both
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Source, content_hash
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.pack.build import Pack, build_pack
from memtui.pack.compile import Compiler
from memtui.pack.options import PackOptions
from memtui.pack.select import PINNED
from memtui.pack.targets.base import STYLES, PayloadInfo, Style
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.result import Hit, Recall, Task, Withheld
from memtui.text.token_count import get_counter
from memtui.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("pack"))


def _context(vault: Vault, text: str = "", *files: str, **more: Any) -> Pack:
    return packed(vault, Task(text, files), **more)


def _recall(memories: Sequence[Memory], *, links: Any = (), scores: Sequence[float] | None = None) -> Recall:
    values = scores or [1.0 - number / 1000 for number in range(len(memories))]
    hits = [Hit(one, score, score, (), ()) for one, score in zip(memories, values, strict=True)]
    return Recall(
        hits=tuple(hit for hit in hits if not hit.memory.pinned),
        pins=tuple(hit for hit in hits if hit.memory.pinned),
        withheld=(),
        withheld_counts={},
        other_projects=0,
        abstained=None,
        links=tuple(links),
    )


def _pack(
    found: Recall,
    budget: str = "1200",
    *,
    target: str = "chat",
    max_memories: int = 40,
    fast: bool = False,
    style: Style = "full",
) -> Pack:
    return build_pack(
        found,
        PackOptions(budget=budget, encoding="o200k_base", max_memories=max_memories, style=style, fast=fast),
        target=target_named(target),
        info=PayloadInfo("payments-api", style),
        compiler=Compiler.for_task(Task("made up")) if style == "compiled" else None,
    )


def _included(pack: Pack) -> list[str]:
    return [one.memory.id for one in pack.included]


def _why(pack: Pack) -> dict[str, tuple[str, str]]:
    return {one.id: (one.reason.code, one.reason.other) for one in pack.withheld}


# -- the whole way ----------------------------------------------------------------------------------


def test_a_task_gets_its_memories_and_nothing_else(vault: Vault) -> None:
    pack = _context(vault, "make refunds idempotent")
    assert _included(pack) == ["cardlogs", "lockpaym", "twicebug", "intcents"]
    assert pack.abstained is None
    assert "replica" not in pack.payload
    assert "guests" not in pack.payload
    assert _why(pack)["lockuser"] == (ReasonCode.SUPERSEDED, "lockpaym")
    assert pack.other_projects == 1


def test_the_same_question_gives_the_same_bytes(vault: Vault) -> None:
    first = _context(vault, "make refunds idempotent", "payments/service.py")
    later = _context(vault, "make refunds idempotent", "payments/service.py", now=NOON.replace(minute=1))
    assert first.payload == later.payload
    assert first == _context(vault, "make refunds idempotent", "payments/service.py")


@pytest.mark.parametrize("way", ["no duplicates", "both are right"])
@pytest.mark.parametrize("more", ["", " That is what the harbour master asks for every morning."])
def test_two_memories_that_a_person_kept_apart_both_go_in(tmp_path: Path, more: str, way: str) -> None:
    """One of two that say the same, or of which one says the other's, gives way: not after a person's verdict."""
    rule = "Read the tide table of the harbour before the ferry leaves the quay."
    both = [memory("quayone1", "Tide table, quay", rule), memory("quaytwo2", "Tide table, quay", rule + more)]
    vault = story_vault(tmp_path, both, [])
    task = "read the tide table of the harbour before the ferry leaves"
    assert len(_included(_context(vault, task))) == 1
    if way == "no duplicates":
        dismiss(vault, NOT_DUPLICATE, ["quayone1", "quaytwo2"], actor=Actor())
    else:
        pair = contradiction_of(vault, "quayone1", "quaytwo2")
        keep_both(vault, pair, {"quayone1": Validity(words="the old quay")}, actor=Actor())
    assert sorted(_included(_context(vault, task))) == ["quayone1", "quaytwo2"]


def test_the_order_of_storing_does_not_change_the_bytes(vault: Vault, tmp_path: Path) -> None:
    other = story_vault(tmp_path, reversed(STORY), reversed(LINKS))
    for text in ("make refunds idempotent", "", "how do exports round"):
        assert _context(vault, text).payload == _context(other, text).payload


def test_nothing_relevant_gives_an_empty_payload_with_the_reason(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [memory("replica2", "port 8788 for the replica")], [])
    pack = _context(vault, "bake sourdough bread")
    assert (pack.payload, pack.tokens) == ("", 0)
    assert pack.abstained == Reason(ReasonCode.NO_KNOWN_WORD)


def test_pins_alone_are_a_payload(vault: Vault) -> None:
    pack = _context(vault, "bake sourdough bread")
    assert _included(pack) == ["cardlogs"]
    assert pack.abstained == Reason(ReasonCode.NO_KNOWN_WORD)


def test_states_of_files_are_told(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    set_state(vault, "lockpaym", "payments/service.py", "changed")
    assert "payments/service.py (changed)" in _context(vault, "lock refunds").payload


def test_an_unknown_target_budget_or_encoding_is_refused(vault: Vault) -> None:
    for wrong in ({"target": "papyrus"}, {"budget": "lots"}, {"encoding": "morse"}):
        with pytest.raises(UsageError):
            _context(vault, "refunds", **wrong)


# -- the budget -------------------------------------------------------------------------------------

MANY = [
    memory(f"memory{n:03}", f"Ledger rule {n}", f"Rule {n} of the ledger: {'word ' * (n % 17)}.") for n in range(200)
]


@pytest.mark.parametrize("budget", ["0", "1", "40", "100", "1000", "900 chars", "2 KiB"])
@pytest.mark.parametrize("target", ["chat", "json"])
@pytest.mark.parametrize("fast", [False, True])
def test_no_payload_exceeds_its_budget(budget: str, target: str, fast: bool) -> None:
    pack = _pack(_recall(MANY), budget, target=target, fast=fast)
    assert pack.size <= pack.budget.amount
    unit = pack.budget.unit
    if unit == "tokens":
        assert get_counter("o200k_base").count(pack.payload) <= pack.budget.amount
    else:
        assert len(pack.payload.encode() if unit == "bytes" else pack.payload) <= pack.budget.amount
    assert bool(pack.payload) == bool(pack.included)


def test_the_budget_is_used_well() -> None:
    assert _pack(_recall(MANY), "1000").tokens > 900


def test_tokens_of_frame_and_memories_add_up_to_the_total() -> None:
    pack = _pack(_recall(MANY), "1000")
    assert pack.exact
    assert pack.frame_tokens > 0
    assert pack.frame_tokens + sum(one.tokens for one in pack.included) == pack.tokens


def test_every_memory_is_either_in_or_named_or_counted() -> None:
    pack = _pack(_recall(MANY), "1000", max_memories=20)
    assert len(pack.included) == 20
    assert len(pack.withheld) == 50
    assert sum(pack.withheld_counts.values()) == 200 - 20 - 50


def test_the_three_best_come_before_many_small_ones() -> None:
    big = [
        memory(f"bigbig{n:02}", f"Rule {n}", f"Number {n} " + "alpha beta gamma delta " * 12, kind="decision")
        for n in range(3)
    ]
    small = [memory(f"small{n:03}", f"Tip {n} on topic{n}") for n in range(40)]
    pack = _pack(_recall([*big, *small], scores=[1.0, 0.99, 0.98, *[0.9] * 40]), "500")
    assert {"bigbig00", "bigbig01", "bigbig02"} <= set(_included(pack))


def test_later_small_ones_still_fit_after_one_that_does_not() -> None:
    sentence = "One line of prose without end "
    giant = memory("giantone", "Giant", sentence * 100)
    small = [memory(f"small{n:03}", f"Tip about topic{n}") for n in range(5)]
    pack = _pack(_recall([giant, *small]), "300")
    assert _included(pack) == [one.id for one in small]
    assert _why(pack)["giantone"] == (ReasonCode.OVER_BUDGET, "")


def test_a_giant_memory_is_shortened_where_others_wait() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} of the story of the ledger." for n in range(100))
    giant = memory("giantone", "Giant", paragraphs)
    small = [memory(f"small{n:03}", f"Tip about topic{n}") for n in range(5)]
    pack = _pack(_recall([giant, *small]), "1000")
    assert _included(pack)[-1] == "giantone"
    assert len(pack.included) == 6
    assert "[shortened: memtui show giantone]" in pack.payload


def test_a_giant_leaves_room_for_others_though_it_is_the_best() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} of the story of the ledger." for n in range(100))
    giant = memory("giantone", "Giant", paragraphs)
    small = [memory(f"small{n:03}", f"Tip about topic{n}") for n in range(80)]
    pack = _pack(_recall([giant, *small]), "1000", max_memories=100)
    assert pack.included[-1].memory.id == "giantone"
    assert 200 < pack.included[-1].tokens <= 400
    assert pack.tokens > 950


def test_a_big_memory_that_fits_is_left_whole() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} of the story of the ledger." for n in range(30))
    pack = _pack(_recall([memory("giantone", "Giant", paragraphs)]), "600")
    assert "Paragraph 29" in pack.payload
    assert "shortened" not in pack.payload


def test_a_megabyte_on_one_line_is_left_out_and_others_come() -> None:
    pack = _pack(_recall([memory("giantone", "Giant", "x" * 1_000_000), memory("smallone", "Tip")]))
    assert _included(pack) == ["smallone"]
    assert _why(pack) == {"giantone": (ReasonCode.OVER_BUDGET, "")}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(alphabet="ab cd\n`*日😀#-", min_size=1, max_size=300).filter(str.strip), min_size=1, max_size=12),
    st.integers(min_value=0, max_value=600),
    st.sampled_from(["", " chars", " bytes"]),
    st.sampled_from(target_names()),
    st.sampled_from(STYLES),
)
def test_any_texts_stay_within_any_budget(texts: list[str], amount: int, unit: str, target: str, style: Style) -> None:
    memories = [memory(f"id{n:02}", f"Title {n}", text, pinned=n % 5 == 0) for n, text in enumerate(texts)]
    pack = _pack(_recall(memories), f"{amount}{unit}", target=target, style=style)
    assert pack.size <= amount
    assert pack.tokens == get_counter("o200k_base").count(pack.payload)
    assert pack.tokens == pack.frame_tokens + sum(one.tokens for one in pack.included)
    assert "".join(piece.text for piece in pack.pieces) == pack.payload
    assert len(pack.included) + len(pack.withheld) == len(memories)


# -- pins -------------------------------------------------------------------------------------------


def test_pins_come_first_and_are_counted() -> None:
    pin = memory("pinnedon", "Never log card numbers", pinned=True, created_at=days_ago(1100))
    pack = _pack(_recall([*MANY, pin], scores=[1.0] * 200 + [0.1]), "200")
    assert "pinnedon" in _included(pack)
    assert pack.tokens <= 200


def test_pins_that_exceed_the_budget_alone_go_in_by_score_and_the_rest_is_told() -> None:
    pins = [memory(f"pinned{n:02}", f"Rule {n} about topic{n}", pinned=True) for n in range(40)]
    pack = _pack(_recall(pins), "300")
    assert 5 < len(pack.included) < 40
    assert _included(pack) == [one.id for one in pins[: len(pack.included)]]
    assert {(one.reason.code, one.reason.because) for one in pack.withheld} == {(ReasonCode.OVER_BUDGET, (PINNED,))}


# -- what must not stand side by side ---------------------------------------------------------------


def test_a_twin_is_withheld_and_one_with_another_number_is_not() -> None:
    twins = [
        memory("originaa", "The replica listens on port 8788"),
        memory("duplicat", "The replica listens on port 8788."),
        memory("otherone", "The replica listens on port 9000"),
    ]
    pack = _pack(_recall(twins))
    assert _included(pack) == ["originaa", "otherone"]
    assert _why(pack) == {"duplicat": (ReasonCode.DUPLICATE, "originaa")}


def test_a_correction_never_stands_beside_what_it_replaces() -> None:
    pair = [memory("oldvalue", "Batch size is 50", pinned=True), memory("newvalue", "Batch size is 80")]
    pack = _pack(_recall(pair, links=[link("newvalue", "supersedes", "oldvalue")]))
    assert _included(pack) == ["newvalue"]
    assert _why(pack) == {"oldvalue": (ReasonCode.SUPERSEDED, "newvalue")}


def test_a_correction_comes_in_where_what_it_replaces_was_asked_for() -> None:
    correction = memory("newvalue", "Batch size is 80", "word " * 30)
    small = [memory(f"small{n:03}", f"Tip {n} on topic{n}") for n in range(40)]
    found = _recall([*small, correction], scores=[*[0.9] * 40, 0.3])
    assert "newvalue" not in _included(_pack(found, "400"))
    asked = Withheld("oldvalue", "Batch size is 50", Reason(ReasonCode.SUPERSEDED, other="newvalue"), nearness=3.0)
    pack = _pack(replace(found, withheld=(asked,)), "400")
    assert "newvalue" in _included(pack)
    assert _why(pack)["oldvalue"] == (ReasonCode.SUPERSEDED, "newvalue")


def test_where_only_the_number_is_limited_the_best_are_taken_whatever_their_size() -> None:
    big = [memory(f"bigone{n:02}", f"Rule {n} on subject{n}", f"only{n} " * 40) for n in range(8)]
    small = [memory(f"small{n:03}", f"Tip {n} on topic{n}") for n in range(8)]
    pack = _pack(_recall([*big, *small], scores=[1.0] * 8 + [0.5] * 8), "100k", max_memories=8)
    assert sorted(_included(pack)) == [one.id for one in big]


def test_of_a_contradicting_pair_the_lower_is_withheld() -> None:
    pair = [memory("retryyes", "Retry webhooks"), memory("retrynot", "Never retry webhooks")]
    pack = _pack(_recall(pair, links=[link("retrynot", "contradicts", "retryyes")]))
    assert _included(pack) == ["retryyes"]
    assert _why(pack) == {"retrynot": (ReasonCode.CONTRADICTED, "retryyes")}


def test_what_repeats_others_waits_behind_what_is_new() -> None:
    base = [
        memory("baseaaaa", "Lock refunds by payment", "Lock refunds by payment because customers pay twice at once."),
        memory("basebbbb", "Tulip beds"),
        memory("basecccc", "Garden gates"),
    ]
    repeat = memory("repeatit", "Customers pay refunds twice at once on the page")
    fresh = memory("freshone", "Webhook signatures expire after five minutes of clock skew")
    everything = _pack(_recall([*base, repeat, fresh], scores=[1, 0.9, 0.8, 0.5, 0.5]))
    room = everything.tokens - 5
    pack = _pack(_recall([*base, repeat, fresh], scores=[1, 0.9, 0.8, 0.5, 0.5]), str(room))
    assert "freshone" in _included(pack)
    assert "repeatit" not in _included(pack)


def test_what_its_own_file_says_is_not_published_there_under_another_title_and_makes_room(tmp_path: Path) -> None:
    sluices = [memory(f"sluice{at:02}", f"Sluice {at} opens at level {at}", importance=5) for at in range(70)]
    stated = [Source(format="agents-md", path="AGENTS.md", imported_hash=content_hash(one)) for one in sluices]
    read = [replace(one, sources=(source,)) for one, source in zip(sluices, stated, strict=True)]
    vault = story_vault(tmp_path, [*read, memory("mineonly", "Weirs are inspected in May", importance=1)], [])
    edit_memory(vault, "sluice00", {"title": "The first sluice"}, actor=Actor())
    wanted: dict[str, Any] = {"publishing": True, "withhold_loaded": True, "target": "codex", "standing": ()}
    assert _included(_context(vault, **wanted)) == ["mineonly"]
    edit_memory(vault, "sluice01", {"insight": "It opens at level two."}, actor=Actor())
    assert set(_included(_context(vault, **wanted))) == {"mineonly", "sluice01"}
