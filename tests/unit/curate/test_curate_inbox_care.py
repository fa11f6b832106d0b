"""An inbox that does not drown: proposals fold, stale candidates are put away, and all of it comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from curating import AGENT, PERSON, Clock, add, bring, get, new_vault, repository

from memtui.capture.lessons.known import Known, Novelty
from memtui.capture.lessons.proposal import LessonSignal, Proposal
from memtui.capture.transcripts.session import Place
from memtui.curate.history import redo, undo
from memtui.curate.inbox import Offer
from memtui.curate.inbox_care import (
    StaleCause,
    bring_back,
    folded_offers,
    put_away,
    put_away_in,
    stale_candidates,
)
from memtui.curate.lifecycle import accept, reject
from memtui.curate.memories import edit_memory
from memtui.domain.causes import REJECTED
from memtui.domain.memory import Memory
from memtui.errors import RefusedError
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

WAITING = MemoryFilter(scope=EVERYTHING, statuses=("candidate",))


def offer(number: int, path: str | None, origin: str = "claude-code", score: float = 0.5) -> Offer:
    return Offer(f"id{number}", 1, "shop", "lesson", f"Lesson {number}", "", path, "", None, origin, score)


@pytest.fixture
def vault(tmp_path: Path, clock: Clock) -> Vault:
    return new_vault(tmp_path, clock)[0]


def stale(vault: Vault, days: int = 30, here: Tree | None = None) -> list[tuple[str, StaleCause]]:
    return [(found.title, found.cause) for found in stale_candidates(vault, WAITING, days, here)]


def test_only_proposals_fold_and_the_surest_of_each_source_stay() -> None:
    session = [offer(number, "/t/a.jsonl", score=number / 10) for number in range(1, 6)]
    agent = [offer(number, None, "cursor", 1.0) for number in range(11, 14)]
    rules = [offer(number, "AGENTS.md", score=1.0) for number in range(20, 30)]
    typed = [offer(number, None, "memtui", 1.0) for number in range(30, 40)]
    folded = folded_offers([*session, *agent, *rules, *typed], 2)
    assert {source: [one.id for one in rest] for source, rest in folded.items()} == {
        "/t/a.jsonl": ["id3", "id2", "id1"],
        "cursor": ["id13"],
    }
    assert folded_offers(session, 0) == {}


def test_what_waited_too_long_is_put_away_and_can_be_taken_back(vault: Vault, clock: Clock) -> None:
    old = add(vault, "Old proposal about the cart", actor=AGENT)
    clock.pass_days(40)
    new = add(vault, "New proposal about the till", actor=AGENT)
    assert stale(vault) == [(old.title, StaleCause.AGE)]
    assert stale(vault, days=0) == []
    put_away(vault, stale_candidates(vault, WAITING, 30), actor=PERSON)
    assert (get(vault, old.id).status, get(vault, new.id).status) == ("retired", "candidate")
    with vault.read() as reader:
        assert [memory.id for memory in put_away_in(reader, EVERYTHING, vault.now())] == [old.id]
        assert reader.tombstones() == []
    undo(vault, actor=PERSON)
    assert get(vault, old.id).status == "candidate"


def test_what_is_brought_back_waits_anew(vault: Vault, clock: Clock) -> None:
    old = add(vault, "Old proposal about the cart", actor=AGENT)
    clock.pass_days(40)
    put_away(vault, stale_candidates(vault, WAITING, 30), actor=PERSON)
    with pytest.raises(RefusedError):
        bring_back(vault, [old.id], actor=AGENT)
    bring_back(vault, [old.id], actor=PERSON)
    assert get(vault, old.id).status == "candidate"
    assert stale(vault) == []
    assert bring_back(vault, [old.id], actor=PERSON).skipped


@pytest.mark.parametrize("words", ["expired", "CLAUDE.md is never offered again", "purged", "retired"])
def test_a_typed_reason_is_never_taken_for_what_memtui_did(vault: Vault, words: str) -> None:
    memory = add(vault, "Proposal about the cart", actor=AGENT)
    (rejected,) = reject(vault, [memory.id], actor=PERSON, reason=words).changed
    assert (rejected.standing, rejected.status_reason) == ("rejected", words)
    with vault.read() as reader:
        assert put_away_in(reader, EVERYTHING, vault.now()) == []
        assert [(stone.deed, stone.reason) for stone in reader.tombstones()] == [("rejected", words)]
    assert bring_back(vault, [memory.id], actor=PERSON).changed == ()
    undo(vault, actor=PERSON)
    assert get(vault, memory.id).cause == ""
    redo(vault, actor=PERSON)
    again = get(vault, memory.id)
    assert again == replace(rejected, version=again.version, updated_at=again.updated_at)


def test_new_words_for_what_expired_leave_it_expired(vault: Vault, clock: Clock) -> None:
    old = add(vault, "Old proposal about the cart", actor=AGENT)
    clock.pass_days(40)
    put_away(vault, stale_candidates(vault, WAITING, 30), actor=PERSON)
    edit_memory(vault, old.id, {"status_reason": "rejected"}, actor=PERSON)
    assert bring_back(vault, [old.id], actor=PERSON).changed


def test_what_changed_since_it_was_found_stays(vault: Vault, clock: Clock, tmp_path: Path) -> None:
    old = add(vault, "Old proposal about the cart", actor=AGENT)
    clock.pass_days(40)
    found = stale_candidates(vault, WAITING, 30)
    accept(vault, [old.id], actor=PERSON, folder=tmp_path)
    put_away(vault, found, actor=PERSON)
    assert get(vault, old.id).status == "active"


def test_a_candidate_whose_files_are_all_gone_is_stale_at_any_age(vault: Vault, tmp_path: Path) -> None:
    root = repository(
        tmp_path / "shop", {"AGENTS.md": "- Keep `src/till.py` free of prints.\n- Say hello.\n", "src/till.py": ""}
    )
    bring(vault, root, project="shop")
    tree = Tree("shop", root)
    assert stale(vault, here=tree) == []
    (root / "src" / "till.py").unlink()
    assert [cause for _, cause in stale(vault, here=Tree("shop", root))] == [StaleCause.FILES]


def test_what_was_put_away_is_no_dismissal(vault: Vault, clock: Clock) -> None:
    words = "tariffs are stored with their validity everywhere, old bills are printed again"
    old = add(vault, words, actor=AGENT)
    clock.pass_days(40)
    put_away(vault, stale_candidates(vault, WAITING, 30), actor=PERSON)
    memory: Memory = get(vault, old.id)
    proposal = Proposal(
        quote=words, title=words, insight=words, rationale="", kind="constraint", signal=LessonSignal.CORRECTION,
        score=0.8, place=Place(Path("/t/a.jsonl"), 1),
    )  # fmt: skip
    assert Known([memory]).judge(proposal).novelty is Novelty.NEW
    rejected = memory.put_out(REJECTED)
    assert Known([rejected]).judge(proposal).novelty is Novelty.DISMISSED
