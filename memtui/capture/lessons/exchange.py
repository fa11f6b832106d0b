"""A session as exchanges: what a person said, and what the assistant had just done and said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from memtui.capture.lessons.cues import language_of, says
from memtui.capture.lessons.features import Setting
from memtui.capture.lessons.speech import Statement, statements_of
from memtui.capture.transcripts.session import CallKind, CallResult, Place, Role, Session, ToolCall, Turn
from memtui.text.tokens import query_terms

LEAST_CHARS = 6  # Characters of a turn from which it can say more than yes or no
_ACTED_CHARS = 400  # Characters of each call and answer that are compared with what is said about them
_COMMAND = re.compile(r"\A\s*(?:/(?!remember\b|memori[sz]e\b|note\b)[a-z][\w:-]*(?:\s|\Z)|!\s?\w)")
"""A slash command or a shell line, typed; not one that asks to remember."""

_OPTIONS = re.compile(
    r"\b(?:or|oder|ou|o|either|entweder|soit|options?|optionen|opciones|opções|alternativ\w*|instead|while|two|zwei|deux|dos|duas)\b"
    r"|还是|或者|两种|または|か、|どちら|もしくは",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Said:
    """What a person typed at one point: a turn, or the reason for refusing a call."""

    text: str
    place: Place
    at: datetime | None
    number: int
    """The position of the turn in the session."""

    refused: ToolCall | None = None
    is_reply: bool = False
    """Whether it follows a refusal that was given no reason, rather than being given with it."""

    calls: tuple[ToolCall, ...] = ()
    """What the assistant did since a person last spoke."""

    answered: Turn | None = None
    """What the assistant said last before."""

    asked: str = ""
    """What the person typed before that."""

    is_opening: bool = False

    @property
    def answer(self) -> str:
        return self.answered.text if self.answered else ""

    @cached_property
    def language(self) -> str:
        return language_of(self.text)

    @cached_property
    def statements(self) -> list[Statement]:
        return statements_of(self.text)

    def settings(self) -> Iterator[tuple[Statement, Setting]]:
        """Yield each statement with where it stands."""
        statements = self.statements
        kinds = {call.kind for call in (*self.calls, *([self.refused] if self.refused and self.is_reply else []))}
        ordinary = Setting(
            language=self.language,
            is_refusal=self.refused is not None and not self.is_reply,
            is_reply=self.is_reply,
            after_edit=CallKind.EDIT in kinds,
            after_command=CallKind.COMMAND in kinds,
            after_options=self._after_options(),
            is_opening=self.is_opening,
            is_alone="\n" not in self.text.strip(),
            acted_on=self._acted_on() if self.calls or self.answer or self.refused else frozenset(),
        )
        opened = bool(statements) and _contradicts(statements[0].plain, self.language)
        for position, statement in enumerate(statements):
            following = statements[position + 1] if position + 1 < len(statements) else None
            is_near = following is not None and following.paragraph == statement.paragraph
            yield (
                statement,
                replace(
                    ordinary,
                    opened_no=opened,
                    after_task=any(says("task", each.plain, self.language) for each in statements[:position]),
                    next_plain=following.plain if following is not None and is_near else "",
                ),
            )

    def _after_options(self) -> bool:
        """Return whether the person or the assistant just laid out several ways."""
        asked = self.asked.rstrip().endswith(("?", "？")) and bool(_OPTIONS.search(self.asked))
        answer = self.answer[:2_000]
        return asked or (len(_OPTIONS.findall(answer)) > 0 and not self.calls)

    def _acted_on(self) -> frozenset[str]:
        done = [*self.calls, *([self.refused] if self.refused else [])]
        texts = [f"{call.command[:_ACTED_CHARS]} {' '.join(call.paths)} {call.written[:_ACTED_CHARS]}" for call in done]
        return frozenset(query_terms(" ".join([*texts[-6:], self.answer[:_ACTED_CHARS]])))


def _contradicts(plain: str, language: str) -> bool:
    return says("opens_no", plain, language) and not says("no_matter", plain, language)


def stems(text: str) -> frozenset[str]:
    """Return the terms by which two texts of a session are compared."""
    return frozenset(query_terms(text))


@dataclass(slots=True)
class _Before:
    """What happened since a person last spoke."""

    calls: list[ToolCall] = field(default_factory=list)
    answered: Turn | None = None
    asked: str = ""
    has_spoken: bool = False
    refused: ToolCall | None = None
    """The last call, where it was refused without a reason: what is typed next is likely to be it."""

    def take(self, call: ToolCall) -> None:
        """Note a call."""
        is_refused = call.result is CallResult.REFUSED
        self.refused = call if is_refused and not call.reason.strip() else None
        if not is_refused:
            self.calls.append(call)


def said_in(session: Session) -> Iterator[Said]:
    """Yield what a person said in a session, in order."""
    before = _Before()
    for number, turn in enumerate(session.turns):
        if turn.role is Role.PERSON:
            if not _COMMAND.match(turn.text):
                yield from _turn(turn, number, before)
                before = _Before(asked=turn.text, has_spoken=True)
        elif turn.role is Role.ASSISTANT:
            before.answered = turn if turn.text else before.answered
            yield from _refusals(turn, number, before)
        for call in turn.calls:
            before.take(call)


def _turn(turn: Turn, number: int, before: _Before) -> Iterator[Said]:
    if len(turn.text.strip()) < LEAST_CHARS and turn.text.isascii():
        return
    yield Said(
        turn.text,
        turn.place,
        turn.at,
        number,
        refused=before.refused,
        is_reply=before.refused is not None,
        calls=tuple(before.calls),
        answered=before.answered,
        asked=before.asked,
        is_opening=not before.has_spoken,
    )


def _refusals(turn: Turn, number: int, before: _Before) -> Iterator[Said]:
    for call in turn.calls:
        if call.result is CallResult.REFUSED and call.reason.strip():
            place = call.reason_place or call.place
            yield Said(call.reason, place, turn.at, number, refused=call, answered=before.answered, asked=before.asked)
