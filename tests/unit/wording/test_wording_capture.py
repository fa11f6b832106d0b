"""What a person reads about what a capture proposes and leaves out."""

from __future__ import annotations

from datetime import UTC, datetime

from memtui.capture.lessons.proposal import LessonSignal
from memtui.capture.proposals.plan import Offered, ProposalPlan
from memtui.capture.proposals.run import CaptureReport
from memtui.domain.memory import Link, Memory
from memtui.vault.proposals import StoredProposal
from memtui.wording.imports import left_out_lines, what_for

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_what_a_proposal_corrects_is_named_beside_its_signal() -> None:
    memory = Memory(id="berth-1", title="Berths", insight="UTC.", kind="note", created_at=NOW, updated_at=NOW)
    stored = StoredProposal(
        memory_id="berth-1",
        digest="0",
        signal=LessonSignal.REJECTED_TOOL,
        score=0.9,
        quote="never",
        assistant="codex",
        session="s-1",
        task="add a berth",
        file="/s.jsonl",
    )
    offered = Offered(memory, stored)
    plan = ProposalPlan(new=[offered])
    assert what_for(offered, plan) == "refused with a reason"
    plan.links.append(Link(from_id="berth-1", type="supersedes", to_id="tide-7", created_at=NOW))
    assert what_for(offered, plan) == "refused with a reason, corrects tide-7"


def test_what_is_held_back_as_planted_is_told() -> None:
    (line,) = left_out_lines(CaptureReport(plan=ProposalPlan(planted=1)))
    assert "1 lesson not proposed" in line
    assert "looks planted" in line
