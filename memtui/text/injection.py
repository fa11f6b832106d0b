"""Text that tries to steer an assistant, and wording that reads as an order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.text.width import shorten

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

_NEGATED = re.compile(
    r"\b(?:never|not|don'?t|avoid|cannot|can'?t|without|refuse|nobody|no one)\W+(?:\w+\W+){0,4}$", re.IGNORECASE
)

_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard)\s+(?:(?:all|any|every|of|the|your|my|our|these|those)\s+){0,3}"
    r"(?:(?:previous|prior|above|earlier|preceding|existing|original|other|system|safety|foregoing)\s+(?:(?:system|safety|user)\s+)?"
    r"(?:instructions?|rules|prompts?|directions?|directives|guidelines|context|messages|constraints|policies)"
    r"|(?:instructions?|prompts?|directives)\b)",
    re.IGNORECASE,
)
_SECRECY = re.compile(
    r"\b(?:(?:do\s+not|don'?t|never|must\s+not)\s+(?:(?:ever|tell|inform|warn|let|reveal|disclose|mention|admit|show|say)\s+){1,2}"
    r"(?:(?:this|it|any(?:thing)?|about|of|that|these)\s+){0,3}(?:to\s+)?(?:the\s+|your\s+)?(?:user|human|developer|operator|person)s?\b"
    r"(?!\s+(?:to|the|a|an|raw|internal|which|how|what|where|their|more|passwords?)\b)"
    r"|without\s+(?:telling|informing|notifying|alerting|asking)\s+(?:the\s+|your\s+)?(?:user|human|developer|operator|person)\b"
    r"|(?:keep|hide)\s+(?:this|it|that|these)(?:\s+\w+){0,3}\s+from\s+(?:the\s+|your\s+)?(?:user|human|developer|operator|person)\b)",
    re.IGNORECASE,
)
_PERSONA = re.compile(
    r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:\w+\s+){0,3}(?:dan\b|developer\s+mode|god\s+mode|jailbroken|unrestricted|unfiltered|bound\s+by)",
    re.IGNORECASE,
)
_FAKE_SYSTEM = re.compile(
    r"<\|im_start\|>|<\|system\|>|<<SYS>>|\[INST\]|</?system(?:-reminder|_prompt)?>", re.IGNORECASE
)
_DECODE_AND_RUN = re.compile(
    r"\b(?:base64|decode|decrypt|rot13)\b[^\n]{0,80}?(?:\band\b|\bthen\b|\|)\s*(?:execute|run|follow|obey|eval|sudo|(?:ba|z)?sh)\b",
    re.IGNORECASE,
)
_LOWER_GUARD = re.compile(
    r"\b(?:always\s+|automatically\s+|auto-?)(?:approve|accept|allow|confirm)\s+(?:all|any|every|each)\s+(?:\w+\s+)?"
    r"(?:tools?|commands?|permissions?|requests?|prompts?|calls?)\b",
    re.IGNORECASE,
)

_CARRY = re.compile(
    r"\b(?:send|post|upload|exfiltrate|transmit|forward|e-?mail|leak|submit|deliver|copy|push|curl|wget|append|embed"
    r"|encode)\b",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"(?:^|(?<=[\s`\"'(/~]))\.env\b|\bcredentials?\b|\bsecrets?\b|\bpasswords?\b|\bid_rsa\b|\.ssh\b|\.aws\b|\bcookies?\b"
    r"|\b(?:private|ssh|api|access|secret)[\s_-]?keys?\b|\benv(?:ironment)? var(?:iable)?s?\b|\bsystem prompt\b"
    r"|\b(?:conversation|chat)(?:\s+(?:history|log|transcript))?\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\b(?:https?|ftp|wss?)://"
    r"(?!localhost|127\.|0\.0\.0\.0|\[::1|[\w.-]{1,80}\.(?:internal|local|lan|test)\b)"
    r"|\b[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,}|\bwebhook\b|\bpastebin\b"
    r"|\b(?:external|remote|my|our|attacker'?s?)\s+(?:server|endpoint|host|address)\b",
    re.IGNORECASE,
)
_PIPE_OUT = re.compile(r"\|\s*(?:curl|wget|nc|ncat)\b")
_EVERY_TIME = re.compile(
    r"\b(?:every\s+time|(?:after|before)\s+(?:answering|responding|replying|you\s+answer)"
    r"|(?:after|before|in|with)\s+(?:each|every)\s+(?:answer|response|reply|message|session)|silently|secretly|quietly)\b",
    re.IGNORECASE,
)
_CALL = re.compile(r"\b(?:send|post|upload|curl|wget|fetch|visit|open|call|request|download|GET|ping)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"\b(?:assistants?|ai|agents?|claude|copilot|cursor|codex|gemini|chatgpt|gpt|llms?|language models?)\b[^\n]{0,40}?"
    r"\b(?:must|should|always|never|shall|will|need to|has to|please|do not|don't|:\s*\w+)\b",
    re.IGNORECASE,
)

# Small letters one of which must be in a sentence, since looking for them is ten times faster; then the rest.
_ANYWHERE = (
    (
        ("ignore", "disregard", "forget", "overr", "bypass", "discard"),
        _OVERRIDE,
        "tells the assistant to ignore its other instructions",
    ),
    (("user", "human", "developer", "operator", "person"), _SECRECY, "asks to keep something from the person"),
    (("you are",), _PERSONA, "gives the assistant another role without limits"),
    (("base64", "decode", "decrypt", "rot13"), _DECODE_AND_RUN, "asks to decode something and act on it"),
    (("approve", "accept", "allow", "confirm"), _LOWER_GUARD, "asks to approve every action unseen"),
)
_OUTSIDE_HINTS = ("://", "@", "webhook", "pastebin", "server", "endpoint", "host", "address")


def planted_instructions(text: str) -> list[str]:
    """Return why a text looks planted, one plain clause per reason; an empty list if nothing does."""
    reasons = [*_hidden_text(text)]
    visible = _HIDDEN_CHARACTERS.sub("", text) if not text.isascii() else text
    if _FAKE_SYSTEM.search(visible):
        reasons.append("imitates a message of the system")
    if _may_be_planted(visible):
        for sentence in _sentences(visible):
            reasons += _sentence_reasons(sentence)
    if "<!--" in visible:
        reasons += _comment_reasons(visible)
    return list(dict.fromkeys(reasons))


def _may_be_planted(text: str) -> bool:
    """Return whether any pattern fits the text as a whole; most texts need not be cut into sentences."""
    lower = text.lower()
    if any(_has_any(lower, hints) and pattern.search(text) for hints, pattern, _ in _ANYWHERE):
        return True
    return _has_any(lower, _OUTSIDE_HINTS) and _OUTSIDE.search(text) is not None


def _sentences(text: str) -> list[str]:
    """Return sentences, lines of a paragraph joined; list items and headings stay apart."""
    sentences = _SENTENCE_END.split(_LINE_INSIDE_PARAGRAPH.sub(" ", text))
    return [sentence for sentence in sentences if len(sentence) >= _SHORTEST_SENTENCE]


def _sentence_reasons(sentence: str) -> Iterator[str]:
    lower = sentence.lower()
    for hints, pattern, reason in _ANYWHERE:
        found = pattern.search(sentence) if _has_any(lower, hints) else None
        if found and not _is_negated(sentence, found.start()):
            yield reason
    if not _has_any(lower, _OUTSIDE_HINTS) or not _OUTSIDE.search(sentence):
        return
    if _carries_away(sentence):
        yield "sends secrets or the conversation to an outside address"
    every = _EVERY_TIME.search(sentence)
    call = _CALL.search(sentence, every.end(), every.end() + _REACH) if every else None
    if call and not _is_negated(sentence, call.start()) and _OUTSIDE.search(sentence, call.end(), call.end() + _REACH):
        yield "makes the assistant call an outside address every time"


def _has_any(text: str, hints: tuple[str, ...]) -> bool:
    return any(hint in text for hint in hints)


def _carries_away(sentence: str) -> bool:
    """Return whether a verb of sending, something private and an address follow closely on each other."""
    for carry in _CARRY.finditer(sentence):
        private = _PRIVATE.search(sentence, carry.end(), carry.end() + _REACH)
        if not private or _is_negated(sentence, carry.start()):
            continue
        if _OUTSIDE.search(sentence, private.end(), private.end() + _REACH):
            return True
    return any(
        _PRIVATE.search(sentence, max(0, pipe.start() - _REACH), pipe.start()) for pipe in _PIPE_OUT.finditer(sentence)
    )


def _is_negated(sentence: str, at: int) -> bool:
    return bool(_NEGATED.search(sentence, max(0, at - _SHOWN), at))


def _comment_reasons(text: str) -> Iterator[str]:
    """Yield reasons for comments, which a rendered page hides and an assistant reads."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        comment = text[start + 4 : end]
        if _ADDRESSED.search(comment) or _says_something(comment):
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


_ORDER = re.compile(
    r"^[ \t]*(?:[-*+>#]+[ \t]*|\d+[.)][ \t]*)?[*_`]*"
    r"((?:you )?(?:always|never|must(?: not| never)?|do not|don['’]t)\b|(?:important|remember|attention)\s*[:!])",
    re.IGNORECASE | re.MULTILINE,
)
_SHOUT = re.compile(r"\b(?:ALWAYS|NEVER|MUST)\b")


def ordering_line(text: str) -> int | None:
    """Return the number (from 1) of the first line that orders, e.g. begins with ALWAYS or NEVER; None for none."""
    starts = [found.start() for found in (_ORDER.search(text), _SHOUT.search(text)) if found]
    return text.count("\n", 0, min(starts)) + 1 if starts else None
