"""What a command that failed, and the one that worked, teach."""

from __future__ import annotations

import re

from memtui.capture.lessons.proposal import LONGEST_QUOTE, Evidence, LessonSignal, Proposal
from memtui.capture.lessons.runs import Recovery
from memtui.capture.lessons.secret_words import masked
from memtui.capture.lessons.write import cut, title_of
from memtui.capture.transcripts.session import Session

_RUN_SCORE = 0.55
_TELLING = re.compile(
    r"error|not found|cannot|can't|missing|fail|no such|unable|denied|refused|could not", re.IGNORECASE
)
_MOST_LINES, _LINE_CHARS = 120, 300  # Of an output, in which the reason of a failure is looked for


def proposal_of(session: Session, found: Recovery) -> Proposal:
    """Return what a failure and its cure teach."""
    failed, passed = (masked(call.command) for call in (found.failed, found.passed))
    steps = [masked(call.command) for call in found.between]
    reason = cut(masked(_telling_line(found.failed.output)), 200)
    worked = " && ".join([*steps, passed]) if steps and steps[-1] != passed else passed
    insight = f"Run `{worked}`; `{failed}` fails." if not steps else f"Before `{passed}`, run `{' && '.join(steps)}`."
    quote = steps[-1] if steps else passed
    return Proposal(
        quote=cut(quote, LONGEST_QUOTE),
        title=title_of(insight),
        insight=insight,
        rationale=f"`{failed}` failed" + (f": {reason}" if reason else "") + ".",
        kind="tooling",
        signal=LessonSignal.FAIL_THEN_PASS,
        score=min(0.9, _RUN_SCORE + 0.1 * (found.failures - 1)),
        place=(found.between[-1] if steps else found.passed).place,
        evidence=evidence_of(session, found),
        assistant=session.assistant,
        session=session.id,
        at=found.turn.at,
    )


def _telling_line(output: str) -> str:
    lines = (line[:_LINE_CHARS] for line in output.splitlines()[:_MOST_LINES])
    return next((" ".join(line.split()) for line in lines if _TELLING.search(line)), "")


def evidence_of(session: Session, found: Recovery) -> tuple[Evidence, ...]:
    """Return the run that failed and the one that passed."""
    calls = (found.failed, found.passed)
    return tuple(Evidence(call.place, cut(masked(call.command), LONGEST_QUOTE), session=session.id) for call in calls)
