"""What of a session a careful colleague would write down: who typed it and the shape of the exchange decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, takewhile

from memtui.analysis.sentence_acts import acts_of
from memtui.capture.lessons.cues import language_of, only_agrees, says
from memtui.capture.lessons.exchange import Said, said_in, stems
from memtui.capture.lessons.features import NAME, SHORT, Setting, features, is_kept, model
from memtui.capture.lessons.findings import finding_taken_up
from memtui.capture.lessons.proposal import LONGEST_QUOTE, Evidence, LessonSignal, Proposal
from memtui.capture.lessons.recovery_text import evidence_of, proposal_of
from memtui.capture.lessons.runs import Recovery, recoveries
from memtui.capture.lessons.same import joined, said_twice, same_lesson, stated_in
from memtui.capture.lessons.secret_words import holds_secret, secret_spans
from memtui.capture.lessons.speech import Statement
from memtui.capture.lessons.until import end_of
from memtui.capture.lessons.write import (
    act_words,
    acted,
    context_of,
    cut,
    files_of,
    in_project,
    insight_of,
    kind_of,
    quote_of,
    title_of,
)
from memtui.capture.transcripts.session import CallKind, Role, Session, ToolCall
from memtui.text.words import CJK

LEAST = 0.33
"""Share of the model from which a statement is proposed: a false proposal costs a person more than a missed one."""

LEAST_IN_REFUSAL = 0.2  # The same in the reason for a refusal, which is seldom small talk
LEAST_AGAIN = 0.2  # The same of what is said twice about what was done

_EXPLAINS = 2  # Statements after a lesson that may belong to it


def propose(session: Session, *, earlier: Sequence[Proposal] = ()) -> list[Proposal]:
    """Return what is worth keeping of a session, in the order in which it was said.

    `earlier`: proposals of other sessions; what is said again raises one of these to a repeated correction, and is
    then returned in its place, with the places of both.
    """
    if session.subagent:
        return []
    reader = _Reader(session)
    found: list[Proposal] = []
    for proposal in sorted(reader.proposals(), key=lambda each: reader.order[each.place]):
        _take(found, proposal)
    found = said_twice(found, reader.unsure)
    rules = _rules(session)
    found = [
        replace(each, stated=stated_in(each, rules), evidence=(*each.evidence, *reader.proven.get(each.digest, ())))
        for each in found
        if each.digest not in reader.retracted
    ]
    return [next((joined(old, each) for old in earlier if same_lesson(old, each)), each) for each in found]


_SUMMARY = re.compile(r"continued from a previous|summary|compact", re.IGNORECASE)
_SUMMARY_CHARS = 300


def _rules(session: Session) -> list[str]:
    """Return what the session began with: rules files and what it was served; a summary only repeats a person."""
    before = takewhile(lambda turn: turn.role is not Role.PERSON, session.turns)
    return [turn.text for turn in before if turn.role is Role.OTHER and not _SUMMARY.search(turn.text[:_SUMMARY_CHARS])]


def _take(found: list[Proposal], proposal: Proposal) -> None:
    for at, old in enumerate(found):
        if same_lesson(old, proposal):
            found[at] = joined(old, proposal, is_copy=old.quote == proposal.quote)
            return
    found.append(proposal)


@dataclass(frozen=True, slots=True)
class _Judged:
    statement: Statement
    setting: Setting
    share: float
    is_out: bool
    """Whether it cannot be a lesson, nor belong to one."""

    until: datetime | None = None
    """The end that the words give to it."""


class _Reader:
    """One reading of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.order: dict[object, int] = {}
        self.retracted: set[str] = set()
        self.proven: dict[str, tuple[Evidence, ...]] = {}
        """The runs that prove what a person said, by the digest of that proposal."""
        self.unsure: list[Proposal] = []
        """What a person said of what was done, and what is only sure once it is said again."""
        self._language = ""
        self._spoken: list[Proposal] = []

    def proposals(self) -> Iterator[Proposal]:
        for said in said_in(self.session):
            self._language = said.language or self._language
            self.order[said.place] = said.number
            yield from self._of_person(said)
        yield from self._of_runs()

    def _of_person(self, said: Said) -> Iterator[Proposal]:
        found = finding_taken_up(self.session, said)
        if found is not None:
            self.order.setdefault(found.place, said.number - 1)
            yield found
        if only_agrees(said.text[:200].lower()):
            return
        judged = list(_lasting([_judge(statement, setting, said.at) for statement, setting in said.settings()]))
        if any(says("retracts", one.statement.plain, said.language) for one in judged):
            self._retract(said)
        groups = list(_groups(judged))
        for group in groups:
            proposal = self._proposal(said, [one.statement for one in group], judged)
            if proposal is not None:
                self._spoken.append(proposal)
                yield proposal
        self._note_unsure(said, judged, [one for group in groups for one in group])

    def _note_unsure(self, said: Said, judged: Sequence[_Judged], sure: Sequence[_Judged]) -> None:
        if not (said.calls or said.refused):
            return
        for one in judged:
            if one.share >= LEAST_AGAIN and one not in sure:
                proposal = self._proposal(said, [one.statement], judged)
                if proposal is not None:
                    self.unsure.append(proposal)

    def _proposal(self, said: Said, group: list[Statement], judged: Sequence[_Judged]) -> Proposal | None:
        words = quote_of(said, group)
        if holds_secret(words):
            group = _without_secrets(said, group)
            words = cut(" … ".join(one.text.strip() for one in group), LONGEST_QUOTE)
        if not group or holds_secret(words):
            return None
        chosen = [one for one in judged if one.statement in group]
        best = max(chosen, key=lambda one: one.share)
        signal = _signal(said, chosen)
        act = self._act_of(said, signal, words)
        insight = insight_of(said, group, act)
        title = title_of(insight)
        rationale = context_of(said, act, _around(judged, group))
        is_tied = act is not None and (act.kind is CallKind.EDIT or act_words(act) in insight)
        pointed = act.paths[:1] if act is not None and is_tied else ()
        until = min((one.until for one in chosen if one.until is not None), default=None)
        return Proposal(
            quote=words,
            title=title,
            insight=insight,
            rationale=rationale,
            kind=kind_of(signal, insight_of(said, group, None)) if until is None else "note",
            signal=signal,
            score=round(_score(best.share, signal), 3),
            place=said.place,
            evidence=_evidence_of_call(act, self.session.id),
            assistant=self.session.assistant,
            session=self.session.id,
            at=said.at,
            until=until,
            files=files_of(words, self.session.folder, pointed),
        )

    def _act_of(self, said: Said, signal: LessonSignal, words: str) -> ToolCall | None:
        """Return the call that words refuse or correct; None where they do neither, or it holds a secret."""
        if signal not in {LessonSignal.REJECTED_TOOL, LessonSignal.CORRECTION, LessonSignal.REPEATED_CORRECTION}:
            return None
        terms = {
            call.id: stems(f"{call.command[:300]} {' '.join(call.paths)} {call.written[:300]}") for call in said.calls
        }
        act = in_project(acted(said, stems(words), terms), self.session.folder)
        return act if act is not None and not holds_secret(act_words(act)) else None

    def _retract(self, said: Said) -> None:
        """Take back what the words name most; without a name in them, what was said last."""
        terms = stems(said.text)
        alike = [(len(terms & stems(each.quote)) / max(1, len(terms)), each) for each in self._spoken]
        best = max(alike, key=lambda each: each[0], default=None)
        if best is not None and best[0] >= _RETRACTED_SHARE:
            self.retracted.add(best[1].digest)

    def _of_runs(self) -> Iterator[Proposal]:
        for found in recoveries(self.session):
            told = self._told_by_person(found)
            if told is not None:
                self.proven[told.digest] = evidence_of(self.session, found)
            elif not self._was_wrong(found):
                proposal = proposal_of(self.session, found)
                self.order.setdefault(proposal.place, found.number)
                yield proposal

    def _told_by_person(self, found: Recovery) -> Proposal | None:
        """Return a person's lesson that already says what made a command pass."""
        new = stems(found.passed.command) - stems(found.failed.command)
        new |= frozenset().union(*(stems(call.command) for call in found.between))
        return next((each for each in self._spoken if len(new & stems(each.quote)) * 2 >= max(1, len(new))), None)

    def _was_wrong(self, found: Recovery) -> bool:
        """Return whether the person contradicted right after it."""
        turns = islice(self.session.turns, found.number + 1, None)
        reply = next((turn.text for turn in turns if turn.role is Role.PERSON), "")
        plain = reply[:200].lower()
        language = language_of(reply) or self._language
        return says("opens_no", plain, language) and not says("no_matter", plain, language)


_RETRACTED_SHARE = 0.75


def _judge(statement: Statement, setting: Setting, at: datetime | None) -> _Judged:
    end = end_of(statement.plain, at) if _is_temporary(statement, setting) else None
    if is_out(statement, setting, end):
        return _Judged(statement, setting, 0.0, is_out=True)
    return _Judged(statement, setting, _share(statement, setting), is_out=False, until=end)


def _share(statement: Statement, setting: Setting) -> float:
    """Return how probable it is that a careful colleague would write a statement down."""
    if is_kept(statement, setting):
        return _KEPT
    found = features(statement, setting)
    if found["remembers"] and not found["asks"] and found["length"] >= SHORT:
        return max(_ASKED_TO_KEEP, model().share(found))
    return 0.0 if _passes_by(statement, setting, found) else model().share(found)


def _passes_by(statement: Statement, setting: Setting, found: Mapping[str, float]) -> bool:
    """Return whether a statement only orders something now, tells what is seen, wishes or praises."""
    if found["remembers"] or setting.is_refusal:
        return False
    if says("i_see", statement.plain, setting.language):
        return True
    if found["task"] and not found["rule"] and not found["caused"]:
        return True
    binds = setting.is_reply or any(found[name] for name in _BINDING)
    return not binds and any(found[name] for name in _PASSING)


_BINDING = ("forbids", "obliges", "contrast", "keeps")
_PASSING = ("observes", "wishes", "approves")
_KEPT = 0.97  # Share of what is typed to be kept
_ASKED_TO_KEEP = 0.6  # Least share of what a person asks to remember, if it is more than a word or two


def is_out(statement: Statement, setting: Setting, end: datetime | None = None) -> bool:
    """Return whether a statement cannot hold a lesson, whatever else it says; `end`: until when it holds."""
    plain, language = statement.plain, setting.language
    if only_agrees(plain) or plain.rstrip().endswith(("?", "？")) or says("asks_last", plain, language):
        return True
    if says("retracts", plain, language) or says("told_by_others", plain, language):
        return True
    if end is None and _is_temporary(statement, setting):
        return True
    if says("supposes", plain, language) and not says("remembers", plain, language):
        return True
    is_long = len(plain) > _SHORT_REFUSAL
    return (says("no_matter", plain, language) and not (setting.is_refusal and is_long)) or holds_secret(statement.text)


_SHORT_REFUSAL = 40  # Characters of a refusal up to which "not now" is all that it says


def _is_temporary(statement: Statement, setting: Setting) -> bool:
    plain, language = statement.plain, setting.language
    passing = says("temporary", plain, language) and not says("again", plain, language)
    return passing or says("for_a_while", plain, language)


def _lasting(judged: Sequence[_Judged]) -> Iterator[_Judged]:
    """Yield statements, out those that hold for a while because one beside them says so.

    That is what follows in the same paragraph, up to what is said to last, and what a short statement speaks of that
    says nothing else ("Only for this branch.").
    """
    paragraph = -1
    for at, one in enumerate(judged):
        plain, language = one.statement.plain, one.setting.language
        following = judged[at + 1 : at + 2]
        if says("for_a_while", plain, language):
            paragraph = one.statement.paragraph if one.until is None else -1
        elif says("lasting", plain, language) or says("remembers", plain, language):
            paragraph = -1
        passes = one.statement.paragraph == paragraph or any(map(_is_only_for_a_while, following))
        yield replace(one, share=0.0, is_out=True) if passes else one


_FEW_WORDS = 8
_FEW_SIGNS = 14  # Of Chinese or Japanese


def _is_only_for_a_while(one: _Judged) -> bool:
    """Return whether a short statement says for how long the one before it holds."""
    plain = one.statement.plain
    is_short = len(plain.split()) <= _FEW_WORDS and len(CJK.findall(plain)) <= _FEW_SIGNS
    return is_short and says("for_a_while", plain, one.setting.language)


def _groups(judged: Sequence[_Judged]) -> Iterator[list[_Judged]]:
    """Yield the statements of each lesson: one that holds it, and those around it that explain it."""
    group: list[_Judged] = []
    trailing = 0
    for at, one in enumerate(judged):
        if one.is_out:
            yield from [group] if group else []
            group = []
        elif _holds(one):
            if group and _is_another(group[-1], one):
                yield group
                group = []
            group, trailing = [*(group or _lead(judged[:at], one)), one], 0
        elif group and _explains(one, group[-1]) and trailing < _EXPLAINS:
            group, trailing = [*group, one], trailing + 1
        elif group:
            yield group
            group = []
    if group:
        yield group


def _holds(one: _Judged) -> bool:
    """Return whether a statement holds a lesson."""
    return one.share >= (LEAST_IN_REFUSAL if one.setting.is_refusal or one.setting.is_reply else LEAST)


def _lead(before: Sequence[_Judged], one: _Judged) -> list[_Judged]:
    """Return what was said right before a lesson that is its reason: an answer in a word, or what to use."""
    last = before[-1] if before else None
    if last is None or last.is_out or last.statement.paragraph != one.statement.paragraph:
        return []
    text = last.statement.text
    is_short = len(text.split()) <= _FEW_ANSWERED and len(CJK.findall(text)) <= _FEW_SIGNS
    return [last] if is_short or NAME.search(text) is not None else []


_FEW_ANSWERED = 3


def _is_another(before: _Judged, one: _Judged) -> bool:
    """Return whether a statement begins another lesson."""
    apart = before.statement.paragraph != one.statement.paragraph
    return (apart and one.statement.is_item) or says("another", one.statement.plain, one.setting.language)


def _explains(one: _Judged, before: _Judged) -> bool:
    plain, language = one.statement.plain, one.setting.language
    same = one.statement.paragraph == before.statement.paragraph
    tells = not says("task", plain, language) or bool(NAME.search(one.statement.text))
    return same and (tells or one.setting.is_refusal)


def _without_secrets(said: Said, group: Sequence[Statement]) -> list[Statement]:
    spans = secret_spans(said.text[: group[-1].end])
    return [one for one in group if not any(start < one.end and end > one.start for start, end in spans)]


def _around(judged: Sequence[_Judged], group: Sequence[Statement]) -> str:
    """Return the statement before a lesson where it belongs to it: what was chosen, what is wrong."""
    first = next(at for at, one in enumerate(judged) if one.statement is group[0])
    if not first:
        return ""
    before = judged[first - 1]
    plain, language = before.statement.plain, before.setting.language
    belongs = not before.is_out and not says("task", plain, language) and len(plain) > 12  # noqa: PLR2004
    return cut(before.statement.text, 200) if belongs else ""


def _signal(said: Said, chosen: Sequence[_Judged]) -> LessonSignal:
    plain, language = " ".join(one.statement.plain for one in chosen), said.language
    setting = chosen[0].setting
    is_choice = says("chooses", plain, language)
    if said.refused:
        return LessonSignal.REJECTED_TOOL
    if says("remembers", plain, language) or is_kept(chosen[0].statement, chosen[0].setting):
        return LessonSignal.REMEMBER
    if _is_repeated(said, setting):
        return LessonSignal.REPEATED_CORRECTION
    if _answers_options(said, setting) or (is_choice and "decide" in acts_of(plain)):
        return LessonSignal.DECISION
    if _corrects(chosen):
        return LessonSignal.CORRECTION
    return LessonSignal.DECISION if is_choice else LessonSignal.STANDING_RULE


def _is_repeated(said: Said, setting: Setting) -> bool:
    return says("again", said.text.lower(), said.language) and (bool(said.calls) or setting.opened_no)


def _corrects(chosen: Sequence[_Judged]) -> bool:
    """Return whether a person objected, or spoke of what the assistant had just done."""
    setting = chosen[0].setting
    return setting.opened_no or (_acted(setting) and _shares(chosen))


def _answers_options(said: Said, setting: Setting) -> bool:
    """Return whether a person chose among what the assistant offered, rather than spoke of what it did."""
    return setting.after_options and (says("chooses", said.text.lower(), said.language) or not _acted(setting))


def _acted(setting: Setting) -> bool:
    return setting.after_edit or setting.after_command


def _shares(chosen: Sequence[_Judged]) -> bool:
    return any(stems(one.statement.text) & one.setting.acted_on for one in chosen)


_WEIGHT = {
    LessonSignal.REJECTED_TOOL: 0.15,
    LessonSignal.REMEMBER: 0.15,
    LessonSignal.REPEATED_CORRECTION: 0.2,
    LessonSignal.CORRECTION: 0.05,
}


def _score(share: float, signal: LessonSignal) -> float:
    return min(0.99, share * 0.85 + _WEIGHT.get(signal, 0.0))


def _evidence_of_call(call: ToolCall | None, session: str) -> tuple[Evidence, ...]:
    return (Evidence(call.place, act_words(call), session=session),) if call is not None else ()
