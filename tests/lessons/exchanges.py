"""Exchanges written for the detection of lessons, as sessions, and how well proposals fit what is expected of them.

`exchanges-dev.jsonl` was tuned on; `exchanges-locked.jsonl` was not looked at until its figures were published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.session import CallKind, CallResult, Place, Role, Session, ToolCall, Turn

HERE = Path(__file__).parent
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A short session and the lessons that a careful colleague would write down of it."""

    id: str
    language: str
    session: Session
    lessons: tuple[dict[str, Any], ...]


def read_exchanges(name: str) -> list[Exchange]:
    """Return the exchanges of a file, e.g. `exchanges-dev`."""
    lines = (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [exchange_of(json.loads(line)) for line in lines]


def exchange_of(told: dict[str, Any]) -> Exchange:
    return Exchange(told["id"], told["lang"], session_of(told["id"], told["turns"]), tuple(told["lessons"]))


def session_of(name: str, turns: list[list[Any]], *, begin: datetime = BEGIN) -> Session:
    """Return a session of turns as they stand in the files of exchanges."""
    file = Path(f"/transcripts/{name}.jsonl")
    session = Session("claude-code", name, file)
    for number, told in enumerate(turns, start=1):
        place = Place(file, line=number)
        at = begin + timedelta(minutes=number)
        if told[0] in {"person", "assistant", "other"}:
            session.turns.append(Turn(Role(told[0]), told[1], place, at=at))
        else:
            session.turns.append(Turn(Role.ASSISTANT, "", place, at=at, calls=(_call(told, place),)))
    return session


def _call(told: list[Any], place: Place) -> ToolCall:
    name = f"call-{place.line}"
    if told[0] == "run":
        result = CallResult.FAILED if told[2] else CallResult.PASSED
        return ToolCall(
            name, "Bash", CallKind.COMMAND, place, told[1], result=result, output=told[3], exit_code=told[2]
        )
    if told[0] == "edit":
        return ToolCall(name, "Edit", CallKind.EDIT, place, paths=(told[1],), written=told[2], result=CallResult.PASSED)
    kind = CallKind.EDIT if told[1] == "edit" else CallKind.COMMAND
    what = {"paths": (told[2],)} if kind is CallKind.EDIT else {"command": told[2]}
    return ToolCall(name, "Edit", kind, place, **what, result=CallResult.REFUSED, reason=told[3])


def overlap(one: str, other: str) -> bool:
    """Return whether one text holds the other, or both share a run of words or characters."""
    first, second = (" ".join(text.split()).casefold() for text in (one, other))
    if not first or not second:
        return False
    if first in second or second in first:
        return True
    return bool(_runs(first) & _runs(second))


def _runs(text: str) -> set[str]:
    words = text.split()
    spaced = {" ".join(words[at : at + 4]) for at in range(len(words) - 3)}
    return spaced | ({text[at : at + 8] for at in range(len(text) - 7)} if _WIDE.search(text) else set())


@dataclass(slots=True)
class Figures:
    """How proposals fit: right, false and missed, with kinds and signals that are as expected."""

    right: int = 0
    false: int = 0
    missed: int = 0
    kinds: int = 0
    signals: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.false)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    def add(self, other: Figures) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        kinds, signals = (f"{count / max(1, self.right):.2f}" for count in (self.kinds, self.signals))
        shares = f"precision {self.precision:.2f} · recall {self.recall:.2f} · kinds {kinds} · signals {signals}"
        return f"{shares} · {self.right} right, {self.false} false, {self.missed} missed"


def judge(exchange: Exchange, proposals: list[Any]) -> tuple[Figures, list[str]]:
    """Return how the proposals of one exchange fit, and a line for each that is false or missed."""
    figures, notes, found = Figures(), [], set()
    for proposal in proposals:
        number = next(
            (at for at, told in enumerate(exchange.lessons) if at not in found and _fits(proposal, told)), None
        )
        if number is None:
            figures.false += 1
            notes.append(f"false  {exchange.id} {proposal.signal} | {proposal.quote}")
            continue
        found.add(number)
        figures.right += 1
        figures.kinds += proposal.kind in exchange.lessons[number]["kinds"]
        figures.signals += proposal.signal in exchange.lessons[number]["signals"]
        if proposal.kind not in exchange.lessons[number]["kinds"]:
            notes.append(f"kind   {exchange.id} {proposal.kind} | {proposal.quote}")
    for at, told in enumerate(exchange.lessons):
        if at not in found:
            figures.missed += 1
            notes.append(f"missed {exchange.id} {told['signals'][0]} | {told['quote']}")
    return figures, notes


def _fits(proposal: Any, told: dict[str, Any]) -> bool:
    """Judge as the scorer of the issue does: half of the words, and a quote that overlaps."""
    words = f"{proposal.title} {proposal.insight} {proposal.rationale} {proposal.quote}".casefold()
    named = sum(word.casefold() in words for word in told["words"])
    return overlap(proposal.quote, told["quote"]) and named * 2 >= len(told["words"])


def labelled_statements(exchanges: list[Exchange]) -> Iterator[tuple[Exchange, Any, Any, bool]]:
    """Yield each statement of a person with its exchange, where it stands, and whether a lesson quotes it.

    What stands beside a lesson in its paragraph without being quoted is left out, unless it orders something: it may
    say a part of the lesson.
    """
    from memtui.capture.lessons.cues import says
    from memtui.capture.lessons.exchange import said_in

    for exchange in exchanges:
        for said in said_in(exchange.session):
            rows = [(*row, _is_quoted(row[0].text, exchange)) for row in said.settings()]
            taught = {statement.paragraph for statement, _, is_lesson in rows if is_lesson}
            for statement, setting, is_lesson in rows:
                orders = says("task", statement.plain, setting.language)
                if is_lesson or orders or statement.paragraph not in taught:
                    yield exchange, statement, setting, is_lesson


def _is_quoted(text: str, exchange: Exchange) -> bool:
    return any(overlap(text, told["quote"]) for told in exchange.lessons)
