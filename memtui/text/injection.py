"""Detect text that tries to steer an assistant, and wording phrased as an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from memtui.text.tables import compile_lines, read_table
from memtui.text.words import shorten

_SHOWN = 60
_SHORTEST_SENTENCE = 12  # "ignore rules" is the shortest that any pattern takes
_REACH = 100  # characters within which verb, object and address belong together

_HIDDEN_CHARACTERS = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+"
)
_TAG_TEXT = re.compile("(?:\U0001f3f4[\U000e0020-\U000e007f]{3,7})|([\U000e0020-\U000e007e]{2,})")
_SELECTOR_TEXT = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ZERO_WIDTH_RUN = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{8,}")
_OVERRIDE_MARK = re.compile("[\u202d\u202e]")

_LINE_INSIDE_PARAGRAPH = re.compile(r"\n(?![ \t]*(?:[-*+#>|\d]|$))", re.MULTILINE)
_SENTENCE_END = re.compile(r"\n|(?<=[.!?])[ \t]+(?=[\"'(A-Z*_`])")

_PIPE_OUT = re.compile(r"\|\s*(?:curl|wget|nc|ncat)\b")
_OUTSIDE_HINTS = ("://", "@", "webhook", "pastebin", "server", "endpoint", "host", "address")


@dataclass(frozen=True)
class _Wording:
    """A wording that no ordinary text needs, with texts one of which it contains and the pattern that finds it."""

    reason: str
    hints: tuple[str, ...]
    text: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled for the first text that holds a hint."""
        return compile_lines(self.text)

    def found_in(self, text: str, lower: str) -> re.Match[str] | None:
        """Return the match in a text, which is also given in lower case."""
        return self.pattern.search(text) if _has_any(lower, self.hints) else None


@cache
def _wordings() -> tuple[_Wording, ...]:
    rows = read_table(__file__, "injection.toml")["anywhere"]
    return tuple(_Wording(row["reason"], tuple(row["hints"]), row["pattern"]) for row in rows)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    flags = re.IGNORECASE | re.MULTILINE if name == "order" else re.IGNORECASE
    return compile_lines(read_table(__file__, "injection.toml")["patterns"][name], flags)


def planted_instructions(text: str) -> list[str]:
    """Return why a text looks planted, one plain clause per reason; an empty list if nothing does."""
    reasons = [*_hidden_text(text)]
    visible = _HIDDEN_CHARACTERS.sub("", text) if not text.isascii() else text
    if _pattern("fake_system").search(visible):
        reasons.append("imitates a message of the system")
    if _may_be_planted(visible):
        for sentence in _sentences(visible):
            reasons += _sentence_reasons(sentence)
    if "<!--" in visible:
        reasons += _comment_reasons(visible)
    return list(dict.fromkeys(reasons))


def _may_be_planted(text: str) -> bool:
    """Return whether any pattern fits the text as a whole; most texts need not be split into sentences."""
    lower = text.lower()
    if any(wording.found_in(text, lower) for wording in _wordings()):
        return True
    return _has_any(lower, _OUTSIDE_HINTS) and _pattern("outside").search(text) is not None


def _sentences(text: str) -> list[str]:
    """Return sentences, joining the lines of a paragraph; list items and headings stay separate."""
    sentences = _SENTENCE_END.split(_LINE_INSIDE_PARAGRAPH.sub(" ", text))
    return [sentence for sentence in sentences if len(sentence) >= _SHORTEST_SENTENCE]


def _sentence_reasons(sentence: str) -> Iterator[str]:
    lower = sentence.lower()
    for wording in _wordings():
        found = wording.found_in(sentence, lower)
        if found and not _is_negated(sentence, found.start()):
            yield wording.reason
    outside = _pattern("outside")
    if not _has_any(lower, _OUTSIDE_HINTS) or not outside.search(sentence):
        return
    if _carries_away(sentence):
        yield "sends secrets or the conversation to an outside address"
    every = _pattern("every_time").search(sentence)
    call = _pattern("call").search(sentence, every.end(), every.end() + _REACH) if every else None
    if call and not _is_negated(sentence, call.start()) and outside.search(sentence, call.end(), call.end() + _REACH):
        yield "makes the assistant call an outside address every time"


def _has_any(text: str, hints: tuple[str, ...]) -> bool:
    return any(hint in text for hint in hints)


def _carries_away(sentence: str) -> bool:
    """Return whether a verb of sending, something private and an address follow closely on each other."""
    private, outside = _pattern("private"), _pattern("outside")
    for carry in _pattern("carry").finditer(sentence):
        found = private.search(sentence, carry.end(), carry.end() + _REACH)
        if not found or _is_negated(sentence, carry.start()):
            continue
        if outside.search(sentence, found.end(), found.end() + _REACH):
            return True
    return any(
        private.search(sentence, max(0, pipe.start() - _REACH), pipe.start()) for pipe in _PIPE_OUT.finditer(sentence)
    )


def _is_negated(sentence: str, at: int) -> bool:
    return bool(_pattern("negated").search(sentence, max(0, at - _SHOWN), at))


def _comment_reasons(text: str) -> Iterator[str]:
    """Yield reasons for comments, which a rendered page hides but an assistant reads."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        comment = text[start + 4 : end]
        if _pattern("addressed").search(comment) or _says_something(comment):
            yield f"hides an instruction in a comment: {_excerpt(comment)}"
        start = text.find("<!--", end)


def _says_something(text: str) -> bool:
    return any(reason for sentence in _sentences(text) for reason in _sentence_reasons(sentence))


def _hidden_text(text: str) -> Iterator[str]:
    if text.isascii():
        return
    for match in _TAG_TEXT.finditer(text):
        if match.group(1):
            letters = "".join(chr(ord(sign) - 0xE0000) for sign in match.group(1))
            yield f"carries text in invisible tag characters: {_excerpt(letters)}"
    if _SELECTOR_TEXT.search(text):
        yield "carries data in a run of variation selectors"
    if _ZERO_WIDTH_RUN.search(text):
        yield "carries data in a run of zero-width characters"
    if _OVERRIDE_MARK.search(text):
        yield "shows text in another order than it is read"


def _excerpt(text: str) -> str:
    return shorten(" ".join(text.split()), _SHOWN)


_SHOUT = re.compile(r"\b(?:ALWAYS|NEVER|MUST)\b")


def ordering_line(text: str) -> int | None:
    """Return the number (from 1) of the first line phrased as an order, e.g. with ALWAYS; None without one."""
    starts = [found.start() for found in (_pattern("order").search(text), _SHOUT.search(text)) if found]
    return text.count("\n", 0, min(starts)) + 1 if starts else None
