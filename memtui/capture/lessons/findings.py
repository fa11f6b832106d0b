"""What the assistant found out and a person took up: why something failed."""

from __future__ import annotations

from memtui.analysis.sentence_acts import acts_of
from memtui.capture.lessons.cues import language_of, says
from memtui.capture.lessons.exchange import Said
from memtui.capture.lessons.features import NAME
from memtui.capture.lessons.proposal import LONGEST_QUOTE, Evidence, LessonSignal, Proposal
from memtui.capture.lessons.secret_words import holds_secret
from memtui.capture.lessons.speech import Statement, statements_of
from memtui.capture.lessons.write import cut, files_of, kind_of, title_of
from memtui.capture.transcripts.session import Session

_SCORE = 0.5
_MOST_TAKEN_UP = 3  # Statements of the answer that are compared, the last
_FAULTS = frozenset({"fails", "failed", "fault_explained"})


def finding_taken_up(session: Session, said: Said) -> Proposal | None:
    """Return what the assistant had just found, where a person says that this explains it."""
    if said.answered is None or said.refused or not said.statements:
        return None
    reply = said.statements[0]
    if not says("takes_up", reply.plain, said.language) or reply.plain.rstrip().endswith(("?", "？")):
        return None
    found = max(statements_of(said.answer)[-_MOST_TAKEN_UP:], key=_telling, default=None)
    if found is None or _telling(found) < _LEAST_TELLING or holds_secret(found.text):
        return None
    explains = says("reason", found.plain, language_of(said.answer))
    signal = LessonSignal.ROOT_CAUSE if explains else LessonSignal.DISCOVERY
    return Proposal(
        quote=cut(found.text, LONGEST_QUOTE),
        title=title_of(found.text),
        insight=found.text,
        rationale="",
        kind=kind_of(signal, found.text),
        signal=signal,
        score=_SCORE,
        place=said.answered.place,
        evidence=(Evidence(said.place, cut(reply.text, LONGEST_QUOTE), said.at, session.id),),
        assistant=session.assistant,
        session=session.id,
        at=said.answered.at,
        files=files_of(found.text, session.folder, ()),
    )


_LEAST_TELLING = 2


def _telling(statement: Statement) -> int:
    """Return how much a statement of the assistant says of a fault: that it fails, why, and of what."""
    acts = acts_of(statement.text)
    fault, named = not acts.isdisjoint(_FAULTS), bool(NAME.search(statement.text))
    return fault + named + says("reason", statement.plain, language_of(statement.text))
