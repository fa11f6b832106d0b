"""Whether an edit kept to the constraints that its session was told: a signal, and no word to the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.assist.hooks.events import Event
from memtui.assist.sessions import Session, short_hash
from memtui.domain.memory import Signal

if TYPE_CHECKING:
    from memtui.assist.check_constraints import Constraint
    from memtui.assist.hooks.serve import Desk

FOLLOWED, CONTRADICTED = "followed", "contradicted"
_JUDGED = frozenset({"forbid", "protect"})  # Forms of rules that one edit alone can keep or break


def judge(event: Event, desk: Desk, session: Session, files: Sequence[str]) -> None:
    """Keep what an edit says of the constraints with rules that the session knows, once a session each.

    `files`: the files of the edit, as memories name them. Only what it adds counts, as it does for a commit.
    """
    state = session.state()
    if not state.ruled or not event.written:
        return
    # Imported here: most sessions know no constraint with rules.
    from memtui.assist.check_constraints import stored_constraints

    constraints = stored_constraints(desk.vault, desk.view.workspace.folder, desk.view.project)
    known = [one for one in constraints.all if one.id in state.ruled]
    signals, marks = [], []
    for constraint, said in _said(known, files, event.written):
        mark = short_hash(f"{said} {constraint.id}")
        if mark not in state.files:
            marks.append(mark)
            signals.append(
                Signal(memory_id=constraint.id, signal=said, at=desk.now, actor=desk.dialect.name, reason=files[0])
            )
    if signals:
        session.claim([], event="judged", at=desk.now, project=desk.view.project, subjects=marks)
        session.spool.signal(signals)


def _said(known: Sequence[Constraint], files: Sequence[str], written: str) -> Iterator[tuple[Constraint, str]]:
    """Yield the constraints whose rules speak of the files, with whether they were followed or contradicted."""
    from memtui.assist.check import run_check
    from memtui.assist.check_changes import Change, Changes
    from memtui.assist.check_constraints import Constraints
    from memtui.text.guarded_patterns import Matcher

    added = dict(enumerate(written.splitlines(), 1))
    changes = Changes([Change(file, "M", added=added) for file in files])
    report = run_check(Constraints(tuple(known)), changes, matcher=Matcher(seconds=0.2))
    broken = {finding.memory for finding in report.findings if finding.severity != "reminder"}
    unsure = {identifier for identifier, _, _ in report.unchecked}
    for constraint in known:
        spoken = any(rule.form in _JUDGED and any(map(rule.concerns, files)) for _, rule in constraint.rules)
        if constraint.id in broken:
            yield constraint, CONTRADICTED
        elif spoken and constraint.id not in unsure:
            yield constraint, FOLLOWED
