"""Lessons against what is known: said again, corrections, dismissed ones, rules of files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lessons.exchanges import session_of

from memtui.capture.lessons.detect import propose
from memtui.capture.lessons.known import Known, Novelty
from memtui.capture.lessons.proposal import Proposal
from memtui.domain.memory import Memory

NOW = datetime(2026, 3, 9, tzinfo=UTC)


def memory(identifier: str, insight: str) -> Memory:
    return Memory(id=identifier, title=insight[:60], insight=insight, created_at=NOW, updated_at=NOW)


def said(words: str) -> Proposal:
    session = session_of("one", [["person", "go on"], ["edit", "src/a.py", words[:40]], ["person", words]])
    (found,) = propose(session)
    return found


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (
            "no, tariffs are stored with their validity everywhere, old bills are printed again",
            "Tariffs are stored with their validity: old bills are printed again.",
        ),
        (
            "nein, Tarife speichern wir immer mit ihrer Gültigkeit, alte Rechnungen werden nachgedruckt",
            "Tarife immer mit ihrer Gültigkeit speichern, alte Rechnungen werden nachgedruckt.",
        ),
        (
            "记住：资费一律带有效期保存，旧账单会重新打印",
            "资费一律带有效期保存。",
        ),
    ],
)
def test_what_a_memory_says_is_evidence_and_no_new_proposal(words: str, known: str) -> None:
    others = [memory("b", "Buses leave the depot before six."), memory("c", "Use the sandbox for prints.")]
    found = Known([*others, memory("a", known)]).judge(said(words))
    assert (found.novelty, found.memory_id) == (Novelty.SAID_AGAIN, "a")


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("no, everything here runs with yarn, never npm", "Everything here runs with npm, never yarn."),
        ("no, never log station names in UTC reports, privacy", "Log station names in UTC reports."),
        ("不对，金额一律用整数，不要用浮点数", "金额一律用浮点数。"),
        (
            "nein, Zeiten werden immer lokal gespeichert, nicht in UTC",
            "Zeiten werden immer in UTC gespeichert, nicht lokal.",
        ),
    ],
)
def test_what_contradicts_a_memory_is_proposed_as_its_correction(words: str, known: str) -> None:
    found = Known([memory("a", known), memory("b", "Buses leave the depot before six.")]).judge(said(words))
    assert (found.novelty, found.memory_id, found.link) == (Novelty.CORRECTS, "a", "supersedes")


def test_what_was_dismissed_stays_dismissed() -> None:
    proposal = said("no, tariffs are stored with their validity everywhere, old bills are printed again")
    gone = memory("a", "Tariffs are stored with their validity everywhere, old bills are printed again")
    rejected = replace(gone, status="retired", status_reason="rejected")
    assert Known([rejected]).judge(proposal).novelty is Novelty.DISMISSED
    assert Known([], dismissed=[proposal.digest]).judge(proposal).novelty is Novelty.DISMISSED
    outdated = replace(gone, status="retired", status_reason="outdated", confirmed_at=NOW)
    assert Known([outdated]).judge(proposal).novelty is Novelty.NEW


def test_what_a_rules_file_says_is_no_new_proposal() -> None:
    proposal = said("no, tariffs are stored with their validity everywhere, old bills are printed again")
    rules = "# Rules\n\n- Store tariffs with their validity everywhere; old bills are printed again.\n"
    found = Known([], {"AGENTS.md": rules}).judge(proposal)
    assert (found.novelty, found.title) == (Novelty.STATED, "AGENTS.md")
    assert Known([], {"AGENTS.md": "- Tariffs are written in French.\n"}).judge(proposal).novelty is Novelty.NEW


def test_what_nobody_wrote_down_is_new() -> None:
    known = Known([memory(str(number), f"Rule {number} about wagon {number} and its brakes.") for number in range(50)])
    proposal = said("no, tariffs are stored with their validity everywhere, old bills are printed again")
    assert known.judge(proposal).novelty is Novelty.NEW
