"""What an architecture decision record decided: the option that its text names, and a title that says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from memtui.analysis.grammar import FINITE, capital, has_verb, language_of
from memtui.analysis.headlines import compact
from memtui.analysis.imperative import first_word, is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.shorten import shortened
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import says_the_same
from memtui.analysis.titles import title_for
from memtui.text.inline import plain_text
from memtui.text.tables import compile_lines, read_table
from memtui.text.words import cell_width

_PAIRS = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "「": "」", "『": "』", "„": "“"}
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|#{1,6}[ \t])")
_MARK = re.compile(r"[ \t]*(?:(?:[-*+]|#{1,6}|\d{1,3}[.)])[ \t]+|>[ \t]?|\[[xX ]\][ \t]+)*")
_AFTER_QUOTE = re.compile(r"[\s,.;:)，。；、：）]|$")
_LINK = re.compile(r"\[[^\[\]]{0,200}\]\([^()\s]{0,400}\)")
_CONNECTIVE = re.compile(
    r"(?:and|because|since|as|to|for|with|in|on|due|was|is|at|weil|car|porque|pois)\b", re.IGNORECASE
)
_DONE = re.compile(
    r"(?:we|the team) (?!decided|agreed|considered|discussed)(?=\w+(?:ed|ose|pt|lt|de)\b)", re.IGNORECASE
)  # `We introduced a pool`
_TITLE_CASE = re.compile(r"[A-Z][\w-]*(?: [A-Z][\w-]*){1,2}")
_READ_CHARS = 1_200
_PARAGRAPHS = 5
_CHOICE_CHARS = 200
_OPTION_CHARS = 20_000
_LEAST_ROOM = 16
_ASKS = re.compile(
    r"(?:how (?:to|do we|should we|shall we|can we) (?P<act>.+?)"
    r"|(?:which|what) (?P<thing>(?:(?!\b(?:do|does|should|shall|is|are|can|will|to)\b).)+?))[?？]?",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"(?:(?:use|choose|pick|select|adopt|take) (?:which|what) (?P<used>.+?)"
    r"|(?:which|what) (?P<thing>.+?) (?:(?:do|should|shall|can|will) we|to) (?:use|choose|pick|select|adopt|take)"
    r"(?: (?P<purpose>(?:for|in|to) .+?))?)[?？]?",
    re.IGNORECASE,
)  # `Use which cache`, `Which queue do we use for orders?`
_LEADS = re.compile(r"(?:we|the team) (?:have )?(?:decided|agreed|chose)(?: (?:on|to|that))?: ", re.IGNORECASE)
_ADDRESS = re.compile(r"\w+://")
_LISTED = re.compile(r", \S")
_QUESTIONS = ("?", "？")
_TOPIC_WORDS = 3
_SAME_SHARE = 0.7
_PART = re.compile(r"^(?:#{2,6}[ \t]+)?\d{1,2}[.)][ \t]+[^\n]{1,120}:?$", re.MULTILINE)
_OF_ALL = re.compile(r"(?:any|all|every|each)\s", re.IGNORECASE)
_RELATIVE = re.compile(r"\s(?:that|which|who|whose)\s")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "adr.toml")["outcome"][name])


def is_open(decision: str) -> bool:
    """Return whether a decision is still to be made, or only names a link."""
    bare = plain_text(_LINK.sub("", decision)).strip(" *_().:")
    return not bare or bool(_pattern("open").fullmatch(bare))


def states_reason(decision: str) -> bool:
    """Return whether a decision says why."""
    return bool(_pattern("reason").search(decision))


def decision_title(subject: str, decision: str, options: str, *, most: int = MAX_TITLE_CELLS) -> str:
    """Return the title of a record, of at most so many cells: what was decided about its subject.

    Args:
        subject: the record's own title.
        decision: the text of its decision, as Markdown.
        options: the text of its options, in which a bare number is looked up.
    """
    subject = _thing_asked_for(plain_text(subject))
    choice, is_named = chosen(decision, options)
    if not choice or (_is_action(subject) and not is_named):
        return _of_topic(subject, decision, most) if subject else title_for(decision, ())
    if not subject or says_the_same(subject, choice, share=_SAME_SHARE):
        return subject or choice
    if topic := _asked_for(subject):
        return _below(topic, choice, most)
    if subject.endswith(_QUESTIONS):
        return choice if is_imperative(choice) else _fitting(f"{subject} {choice}", most) or choice
    return _below(subject, choice, most)


def _thing_asked_for(subject: str) -> str:
    """Return what a title asks to choose, as `Queue` of `Which queue do we use?`, else the title."""
    asked = _WHICH.fullmatch(subject.strip())
    if asked is None:
        return subject
    return capital(" ".join(filter(None, (asked["used"] or asked["thing"], asked["purpose"]))))


def _asked_for(subject: str) -> str:
    """Return what a title asks for, as `Count boats` of `How to count boats`; empty for one that asks in a sentence."""
    asked = _ASKS.fullmatch(subject)
    if asked is None or (asked["act"] and not is_imperative(asked["act"])):
        return ""
    return capital(asked["act"] or asked["thing"])


def _below(subject: str, choice: str, most: int) -> str:
    """Return a choice after its subject; without room the choice alone after a subject of a few words."""
    room = most - cell_width(subject) - 2
    if cell_width(choice) > room >= cell_width(compact(choice)):
        choice = compact(choice)
    short = shortened(choice, room, cell_width) if room >= _LEAST_ROOM else None
    if short:
        return f"{subject}: {short}"
    alone = choice if _is_slight(subject) and len(choice.split()) > _TOPIC_WORDS else None
    return (alone and shortened(alone, most, cell_width)) or subject


def _is_slight(title: str) -> bool:
    """Return whether a title is a question or a few words, and so says nothing of what was decided."""
    return len(title.split()) <= _TOPIC_WORDS or title.endswith(_QUESTIONS)


_WE_DO = re.compile(r"We (?:(?:will|shall|should|now|always|never|do not|don['’]t) )?[a-z]+ \w", re.IGNORECASE)


def _is_action(subject: str) -> bool:
    """Return whether a title states a decision, as in `Use Redis streams`, unlike `State Management`."""
    names = _TITLE_CASE.fullmatch(subject) and first_word(subject) in openings("nouns")
    return bool(_WE_DO.match(subject)) or (" " in subject and is_imperative(subject) and not names)


def _of_topic(subject: str, decision: str, most: int) -> str:
    """Return a subject, one of a few words with what its decision says first."""
    names = not has_verb(subject, language_of(subject))
    is_topic = subject.endswith(_QUESTIONS) or len(subject.split()) <= _TOPIC_WORDS + names
    if _is_action(subject) or not (is_topic or names):
        return subject
    told, is_act = _said_first(subject, decision, is_topic=is_topic)
    says_more = not _is_slight(told)
    if told.endswith("…"):
        return _fitting(f"{subject}: {told}", most) or (told if says_more and is_topic else subject)
    if not says_more or says_the_same(told, subject):
        return told if says_more and is_act else subject
    if subject.endswith(_QUESTIONS):
        return _fitting(f"{subject} {told}", most) or subject
    return _below(subject, told, most)


def _said_first(subject: str, decision: str, *, is_topic: bool) -> tuple[str, bool]:
    """Return what a decision says first, and whether that is an act; nothing if it states nothing.

    `is_topic`: whether its subject is a question or a few words, below which any statement says what was decided.
    """
    opening, _, parts = decision.partition("\n\n")
    said = opening if _PART.search(parts) and opening.rstrip().endswith(".") else decision
    told = _LEADS.sub("", title_for(said, (subject,)).removeprefix(f"{subject}: "), count=1)
    if _ADDRESS.match(told) or _lacks_main_verb(told):
        return "", False
    if done := _DONE.match(told):
        return capital(told[done.end() :]), True
    is_act = is_imperative(told)
    states = has_verb(told, language_of(told)) or _LISTED.search(told) if is_topic else is_act
    return (told, is_act) if states else ("", False)


def _fitting(title: str, most: int) -> str:
    """Return a title that takes no more cells than it may, else nothing."""
    return title if cell_width(title) <= most else ""


def _lacks_main_verb(told: str) -> bool:
    """Return whether a title ends before the verb of a sentence about all things of a kind: `Any rope that is wet`."""
    relative = _RELATIVE.search(told) if _OF_ALL.match(told) else None
    if relative is None:
        return False
    rest = told[relative.end() :]
    own = FINITE.match(rest)  # the verb of `that is wet`
    return FINITE.search(rest, own.end() if own else 0) is None


def chosen(decision: str, options: str) -> tuple[str, bool]:
    """Return the option that a decision names, and whether as one of several; empty if it names none."""
    paragraphs = list(_paragraphs(decision))
    for at, words in enumerate(paragraphs):
        label = _pattern("chosen").match(words)
        if label and not words[label.end() :].strip() and at + 1 < len(paragraphs):
            return _choice(paragraphs[at + 1], options), True
        found = label or _pattern("y_statement").match(words) or _pattern("decided").search(words)
        if found:
            rest = words[found.end() :]
            action = f"do not {rest[7:]}" if rest.startswith("not to ") else rest
            return _choice(action, options), found.re is not _pattern("decided")
        if numbered := _pattern("numbered").search(words):
            return _named(numbered["number"] or numbered["also"], options), True
        if (option := _pattern("option").match(words)) and option["number"]:
            return _choice(words, options), True
    return "", False


def option_named(decision: str, options: str) -> str:
    """Return the name of the option that a decision calls by its number or letter alone; else nothing."""
    for words in islice(_paragraphs(decision), 2):
        label = _pattern("chosen").match(words)
        rest = words[label.end() if label else 0 :].strip(" :-–—*_\"'“”‘’«»")
        option = _pattern("option").match(rest)
        number = option and (option["number"] or option["bare"])
        if option and number and (option.end() == len(rest) or _CONNECTIVE.match(rest, option.end())):
            return _named(number, options)
    return ""


def _paragraphs(text: str) -> Iterator[str]:
    outside = re.sub(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", "", text[:_READ_CHARS], flags=re.MULTILINE | re.DOTALL)
    parts = (plain_text(_MARK.sub("", part, count=1)) for part in _PARAGRAPH.split(outside))
    yield from islice(filter(None, parts), _PARAGRAPHS)


def _choice(words: str, options: str) -> str:
    """Return the choice that a text begins with: what it quotes, or the words up to the reason."""
    words = words.strip(" :-–—*_")
    while option := _pattern("option").match(words):
        following = words[option.end() :]
        if not following or _CONNECTIVE.match(following):
            return _named(option["number"] or option["bare"], options)
        words = following
    closing = _PAIRS.get(words[:1], "")
    ends = (at for at in range(1, len(words)) if words[at] == closing and _AFTER_QUOTE.match(words, at + 1))
    end = next(ends, 0)
    if end:
        return _choice(words[1:end], options) if _pattern("option").match(words[1:end]) else _name(words[1:end])
    ended = _pattern("ended").search(words)
    return _name(words[: ended.start()] if ended else words)


def _name(words: str) -> str:
    """Return an option's name with a capital; empty for a placeholder and for more than a sentence."""
    bare = words.replace("**", "").strip(" .,;:*_—–-+")
    is_name = len(bare) <= _CHOICE_CHARS and not bare.startswith("{") and not is_open(bare)
    is_name = is_name and not (_pattern("announces").search(bare) or _pattern("option").fullmatch(bare))
    return capital(bare) if is_name else ""


def _named(number: str, options: str) -> str:
    """Return the name of an option by its number or letter; empty if no line names it."""
    word = "(?:syntax )?(?:options?|ideas?|variant|alternative|approach)"
    line = re.compile(
        rf"^[ \t]*(?:#{{1,6}}[ \t]+|[-*+][ \t]+)?(?:\*\*|__|\[)?[ \t]*(?:{word}[ \t]*)?#?{re.escape(number)}\b"
        r"[ \t]*[\].):–—-]*(?:\*\*)?[ \t]*(?:[:–—-][ \t]*)?(?P<name>\S.*)$",
        re.IGNORECASE | re.MULTILINE,
    )
    found = line.search(options[:_OPTION_CHARS])
    if found is None:
        return ""
    is_bold = "**" in found[0][: found.start("name") - found.start()]
    return _choice(plain_text(found["name"].partition("**")[0] if is_bold else found["name"]), "")
