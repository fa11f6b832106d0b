"""What a user relies on when memories are ticked in and out of a payload by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pack_story import packed
from recall_story import link, memory, story_vault

from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.build import Pack
from memtui.pack.filters import LEFT_OUT, PUT_IN
from memtui.pack.targets.base import STYLES, join
from memtui.pack.targets.formats import target_names
from memtui.recall.result import Task

if TYPE_CHECKING:
    from memtui.vault.vault import Vault

TASK = "make refunds idempotent"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("by-hand"))


def _context(vault: Vault, text: str = TASK, **more: Any) -> Pack:
    return packed(vault, Task(text), **more)


def _ids(pack: Pack) -> list[str]:
    return [one.memory.id for one in pack.included]


def test_no_ticks_change_no_byte(vault: Vault) -> None:
    assert _context(vault, without=(), with_ids=()) == _context(vault)


@pytest.mark.parametrize("target", ["chat", "json"])
def test_the_pieces_are_the_payload(vault: Vault, target: str) -> None:
    pack = _context(vault, target=target)
    assert pack.payload
    assert join(pack.pieces) == pack.payload
    assert {piece.memory_id for piece in pack.pieces} - {None} == set(_ids(pack))


def test_what_is_left_out_is_gone_and_told(vault: Vault) -> None:
    whole = _context(vault)
    first = whole.included[0].memory
    pack = _context(vault, without={first.id})
    assert first.id not in _ids(pack)
    assert first.title not in pack.payload
    assert [hit.memory.id for hit in pack.left_out] == [first.id]
    assert {one.id: one.reason for one in pack.withheld}[first.id] == LEFT_OUT
    assert set(_ids(whole)) - {first.id} <= set(_ids(pack))


def test_leaving_out_everything_is_an_empty_payload_with_the_reason(vault: Vault) -> None:
    whole = _context(vault)
    pack = _context(vault, without=set(_ids(whole)) | {one.id for one in whole.withheld})
    assert pack.payload == ""
    assert pack.abstained == Reason(ReasonCode.ALL_LEFT_OUT)


def test_what_is_withheld_can_be_put_in_and_says_what_stood_against_it(vault: Vault) -> None:
    whole = _context(vault)
    for one in whole.withheld:
        pack = _context(vault, with_ids={one.id})
        put_in = next(included for included in pack.included if included.memory.id == one.id)
        assert put_in.hit.reasons == (replace(PUT_IN, because=(one.reason,)),)
        assert one.id not in {other.id for other in pack.withheld}
        assert pack.payload == _context(vault, with_ids=[one.id, one.id]).payload
    assert whole.withheld


def test_what_was_put_in_comes_before_pins_and_scores_but_not_before_the_budget(vault: Vault) -> None:
    whole = _context(vault)
    tight = str(whole.tokens - 1)
    dropped = set(_ids(whole)) - set(_ids(_context(vault, budget=tight)))
    assert dropped
    last = min(dropped)
    assert last in _ids(_context(vault, budget=tight, with_ids={last}))
    none = _context(vault, budget="1", with_ids={last})
    assert none.payload == ""
    over = next(one.reason for one in none.withheld if one.id == last)
    assert (over.code, over.because) == (ReasonCode.OVER_BUDGET, (PUT_IN,))


def test_unknown_ids_and_ids_on_both_sides_do_no_harm(vault: Vault) -> None:
    first = _ids(_context(vault))[0]
    pack = _context(vault, without={first, "nowhere1"}, with_ids={first, "nowhere2"})
    assert first not in _ids(pack)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("target", target_names())
def test_every_target_says_of_what_was_put_in_that_it_is_not_in_use(vault: Vault, target: str, style: str) -> None:
    told = {
        "lockuser": "superseded by lockpaym",
        "inboxed2": "not confirmed by a person",
        "retired2": "retired",
        "freezes2": "expired on 2026-01-01",
    }
    pack = _context(vault, "bake bread", with_ids=set(told), target=target, style=style)
    assert {one.memory.id: one.status for one in pack.included if one.status} == told
    texts = {piece.memory_id: piece.text.lower() for piece in pack.pieces}
    for identifier, words in told.items():
        assert words in texts[identifier]
    assert not any(word in texts["cardlogs"] for word in ("retired", "superseded", "confirmed by"))


def test_what_replaced_a_memory_is_named_only_while_it_is_in_use_itself(tmp_path: Path) -> None:
    memories = [memory("oldrule2", "Old rule"), memory("newrule2", "New rule", status="retired")]
    vault = story_vault(tmp_path, memories, [link("newrule2", "supersedes", "oldrule2")])
    pack = _context(vault, "bake bread", with_ids={"oldrule2"})
    assert [one.status for one in pack.included] == [""]
    assert "superseded" not in pack.payload.lower()
