"""Titles without their subject ("Prevents lifts at night", "This hook …"), and the heading that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memtui.analysis.grammar import FINITE
from memtui.analysis.headlines import without_articles, without_asides
from memtui.analysis.sentence_acts import openings
from memtui.analysis.shorten import CLAUSE, cut_off, shortened
from memtui.analysis.title_context import goes_on
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import lacks_subject, says_the_same
from memtui.text.words import cell_width

_POINTS_AT = re.compile(
    r"(?:This|These) (?:\w+ )?(?:scripts?|commands?|tools?|files?|documents?|config(?:uration)?s?|class(?:es)?"
    r"|functions?|methods?|modules?|hooks?|components?|pages?|endpoints?|tables?|skills?|agents?|workflows?|jobs?|tests?|checks?"
    r"|flags?|options?|settings?|patterns?|wrappers?|helpers?|templates?|fields?|columns?|types?|folders?"
    r"|director(?:y|ies)|plugins?|layers?|services?|packages?|crates?|guides?|sections?|steps?|hierarchy|structure|setup"
    r"|format|mode|feature|library|view|store|action|rule)(?=\s)"
)
_CLAUSE = re.compile(r"\b(?:when|whenever|if|that|which|where|unless|until|so|because|before|after|while)\b|[,;:—–(]")
_OF_NOUN = re.compile(r"\b(?:must|should|shall|are|is|was|were|can|cannot|may|will|do not|don['’]t|have|has|need)\b")
"""Behind a subject that looks like a verb, as in "Locks of the lower quay must …"."""

_ACTS = re.compile(r"([A-Z][a-z]+?)(?:e?s|ies) ([A-Za-z][\w-]*) [\w`\ue000-\uf8ff]")
_BEHIND_NOUN = re.compile(
    r"(?:of|for|to|in|on|from|with|and|or|by|at|via|as|per|about|not|live|go|use|run|\w+ed|\w+ing|only|also|never|always)$"
)

_PHRASAL = re.compile(r"[A-Z][a-z]{2,}s (?:up|down|out|off|back|away|together) [\w`\ue000-\uf8ff~/.]")
"""A verb with its particle, in no list of verbs: "Backs up freight lists"."""

_ASPECT = re.compile(
    r"(?:Purpose|Use cases?|Usage|Inputs?|Returns|Behaviou?r|Effects?|Defaults?|Options?|Flags?|Arguments?|Parameters?"
    r"|Fields?|Formats?|Limits?|Tunables?|Location|Restore|Bypass|Override|Exit codes?|Errors?|Debug log|Log file|Logs?"
    r"|(?:Whitelisted|Allowlisted|Excluded|Ignored|Allowed|Blocked|Supported|Required) [a-z]+)(?: \([^)]*\))?: "
)
"""A side of something that only the heading names: "Exit codes: 0 lifted, 2 jammed"."""

_LEAST_ROOM = 30  # Cells of a title below its subject


def is_headless(title: str) -> bool:
    """Return whether an English title begins with its verb or a side of its subject, or only points at it."""
    if _only_points(title) or _ASPECT.match(title) or _PHRASAL.match(title):
        return True
    main = _CLAUSE.split(title, maxsplit=1)[0]
    return (lacks_subject(title) or _acts(title)) and not _OF_NOUN.search(main)


def _acts(title: str) -> bool:
    """Return whether a title begins with a verb that may be a noun, with what it acts on: "Blocks late lifts at"."""
    found = _ACTS.match(title)
    if found is None or _BEHIND_NOUN.match(found[2]) or FINITE.match(found[2]) or found[2].lower() in openings("verbs"):
        return False
    base = found[1].lower()
    return any(verb in openings("verbs") for verb in (base, f"{base}e", f"{base}y"))


def _only_points(title: str) -> bool:
    return goes_on(title) or bool(_POINTS_AT.match(title))


def below_its_subject(title: str, names: Sequence[str]) -> str:
    """Return a title that names no subject below the first heading that does, shortened where there is no room.

    Args:
        title: the title, as it is if it needs no subject or no heading has one.
        names: the headings above it that name a subject, innermost first.
    """
    if not is_headless(title):
        return title
    telling = takewhile(lambda name: not _is_named(title, name), names)
    if not (name := next(filter(_has_room, telling), "")):
        return title
    told = (words for shorten in (_whole, _shorter, _cut) for words in shorten(name, title))
    return next(filter(_fits, told), title)


def _has_room(name: str) -> bool:
    return MAX_TITLE_CELLS - cell_width(name.partition(" (")[0]) - 2 >= _LEAST_ROOM


def _is_named(title: str, name: str) -> bool:
    return says_the_same(title, name, share=1) if " " in name else name.casefold() in title.casefold()


def _whole(name: str, title: str) -> Iterator[str]:
    """Yield a title below a name, both in full or without articles and what stands in brackets."""
    bare = name.partition(" (")[0]
    for words in (title, _without_articles(title)):
        yield from (_below(name, words), _below(bare, words))


def _shorter(name: str, title: str) -> Iterator[str]:
    bare = name.partition(" (")[0]
    room = MAX_TITLE_CELLS - cell_width(_below(bare, ""))
    yield _below(bare, _without_articles(without_asides(title, room)))
    for rank in (CLAUSE, 1):
        if short := shortened(title, room, cell_width, least_rank=rank):
            yield _below(bare, short)


def _cut(name: str, title: str) -> Iterator[str]:
    bare = name.partition(" (")[0]
    room = MAX_TITLE_CELLS - cell_width(_below(bare, ""))
    yield _below(bare, f"{cut_off(_without_articles(title.removesuffix('…')), room).removesuffix('…')}…")


def _without_articles(title: str) -> str:
    return title[:1] + without_articles(title)[1:]


def _below(name: str, title: str) -> str:
    points = _POINTS_AT.match(title)
    if points and " " not in name:
        return f"{name}{title[points.end() :]}"
    return f"{name} {title}" if goes_on(title) else f"{name}: {title}"


def _fits(title: str) -> bool:
    return cell_width(title) <= MAX_TITLE_CELLS
