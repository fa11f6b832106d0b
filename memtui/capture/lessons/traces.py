"""What a session shows of the memories that it was served: named, followed, or contradicted by the person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memtui.analysis.sentence_acts import CODE_SPAN, is_command
from memtui.capture.lessons.secret_words import masked
from memtui.capture.transcripts.session import CallKind, CallResult, Place, Role, Session
from memtui.domain.memory import Memory
from memtui.text.normal_form import normal_form

UseSignal = Literal["referenced", "followed", "contradicted", "restated"]

_MARK = "memtui"  # Stands in every payload, block and tool name of memtui
_TOOL = re.compile(r"(?:^|[-_])memory_(?:context|search|get|check)$|memtui")
_SHOWN_CHARS = 60_000
_SAID_CHARS = 60_000
_MOST_RUN = 200
_LEAST_NAMED = 20  # Characters of a title from which its words in an answer are no accident


@dataclass(frozen=True, slots=True)
class Trace:
    """What the assistant did or said at one place."""

    words: str
    place: Place
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Traces:
    """What a session that was served memories shows of their use; kept in memory only while it is read."""

    shown: str
    """What it was served, in normal form."""

    said: tuple[Trace, ...]
    ran: tuple[Trace, ...]
    """Commands that passed."""


@dataclass(frozen=True, slots=True)
class Use:
    """One automatic signal of a memory with its evidence."""

    memory_id: str
    signal: UseSignal
    place: Place
    at: datetime | None
    words: str = ""


def traces_of(session: Session) -> Traces | None:
    """Return what a session shows of the use of memories; None where it was served none."""
    shown: list[str] = []
    said: list[Trace] = []
    ran: list[Trace] = []
    room = _SAID_CHARS
    for number, turn in enumerate(session.turns):
        if turn.role is Role.OTHER and _MARK in turn.text:
            shown.append(turn.text[:_SHOWN_CHARS])
        shown.extend(call.output[:_SHOWN_CHARS] for call in turn.calls if _TOOL.search(call.name))
        if shown and turn.role is Role.ASSISTANT and number >= session.seen:
            if turn.text and room > 0:
                said.append(Trace(turn.text[:room], turn.place, turn.at))
                room -= len(turn.text)
            ran.extend(
                Trace(masked(call.command), call.place, turn.at)
                for call in turn.calls
                if call.kind is CallKind.COMMAND and call.result is CallResult.PASSED
            )
    return Traces(normal_form("\n".join(shown)[:_SHOWN_CHARS]), tuple(said), tuple(ran[:_MOST_RUN])) if shown else None


def uses(traces: Traces, memories: Iterable[Memory]) -> Iterator[Use]:
    """Yield what became of each memory that was served, at most one signal for each."""
    said = [(normal_form(one.words), one) for one in traces.said]
    for memory in memories:
        title = normal_form(memory.title.rstrip("…."))
        if not title or title not in traces.shown:
            continue
        followed = _followed(memory, traces.ran)
        named = next((one for words, one in said if _names(words, memory, title)), None)
        if followed is not None:
            yield Use(memory.id, "followed", followed.place, followed.at, followed.words)
        elif named is not None:
            yield Use(memory.id, "referenced", named.place, named.at)


def _followed(memory: Memory, ran: Sequence[Trace]) -> Trace | None:
    """Return the first passing command that a memory names word for word."""
    text = f"{memory.title}\n{memory.insight}"
    told = [span[2].strip() for span in CODE_SPAN.finditer(text) if is_command(span[2])]
    return next((one for one in ran for command in told if command in one.words), None)


def _names(words: str, memory: Memory, title: str) -> bool:
    if re.search(rf"(?<![\w-]){re.escape(memory.id)}(?![\w-])", words):
        return True
    return len(title) >= _LEAST_NAMED and title in words
