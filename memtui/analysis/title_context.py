"""The headings that a title needs before it, and the items of a list in brief."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memtui.analysis.grammar import grammar_of, has_verb, is_balanced, language_of
from memtui.analysis.headlines import without_articles, without_asides
from memtui.analysis.shorten import CLAUSE, cut_off, shortened
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_reference import dangles
from memtui.analysis.title_words import (
    is_document,
    is_dropped,
    is_file_name,
    is_rule,
    matches,
    says_the_same,
)
from memtui.text.words import CJK, cell_width

_GOES_ON = re.compile(r"(?:is|are|was|were|must|should|shall|may|can|cannot|has|have|does)\s")
_BEGINS = re.compile(r"\w.*\s(?:for|when|if|unless|except|without)", re.IGNORECASE)
_ENDING = " .:;,：。；，、…-–—"
_PACKAGE = re.compile(r"\w+(?:[-_]\w+)+")  # a name that another one may begin with
_YEAR = re.compile(r"\d{4}")
_WORD = re.compile(r"\w+")
_HOW_TO = re.compile(r"how to ", re.IGNORECASE)
_QUESTIONS = ("?", "？")
_SLIGHT_WORDS = 2
_TELLING_WORDS = 6
_TOPIC_WORDS = 4
_NAMED_SHARE = 0.6
_SLIGHT_CELLS = 12


def subjects(headings: Sequence[str]) -> Iterator[str]:
    """Yield the headings that name a subject, innermost first, without the document's own name."""
    below = bool(headings) and not (is_file_name(headings[0]) or is_document(headings[0]))
    for at in range(len(headings) - 1, -1, -1):
        heading = headings[at]
        says_nothing = matches("headings", "instructions", heading) or (len(headings) > 1 and is_document(heading))
        if at == 0 and (is_file_name(heading) or says_nothing):
            return
        is_section = below and at > 0 and matches("headings", "section", heading)
        if not (is_section or matches("headings", "generic", heading) or is_dropped(heading) or _YEAR.search(heading)):
            yield heading


def below_subjects(title: str, names: Sequence[str]) -> str:
    """Return a title below the first of these headings if it does not name it, and a slight one below the next.

    A heading for which there is no room is left out.
    """
    name, above = (*names, "", "")[:2]
    if not name:
        return title
    if _replaces(name, title):
        return name
    if not (_fits(_below(name, title)) or has_verb(title, language_of(title)) or is_rule(title)):
        name = name.partition(" (")[0]
    if whole := _with_whole_heading(name, title):
        return whole
    begins = title.casefold().startswith(name.casefold())
    if not begins and _names(title, name):
        return title
    if above and (told := _below_next(above, name, title, begins=begins)):
        return told
    return title if begins else _fitting_below(name, title)


def _below_next(above: str, name: str, title: str, *, begins: bool) -> str:
    """Return a title whose own heading is slight below the heading above that one, if there is room; else nothing.

    `begins`: whether the title begins with its own heading.
    """
    named = title if begins else _below(name, title)
    if not _is_part(name, title) or _repeats(above, name, named):
        return ""
    told = _fits(_below(above, named)) or _without_part(above, name, title)
    if not told and begins and matches("headings", "referring", name):
        return _fits(_below(above, name))
    return told


def _with_whole_heading(name: str, title: str) -> str:
    """Return a title that begins with the first words of the heading above it with all of that; else nothing."""
    part, colon, rest = title.partition(": ")
    is_part = bool(colon) and " " in part and part != name and name.casefold().startswith(f"{part.casefold()} ")
    return (_fits(f"{name}: {rest}") or title) if is_part else ""


def _repeats(above: str, name: str, named: str) -> bool:
    """Return whether a heading says what the one below it, or a title with that, says already."""
    return says_the_same(named, above) or name.casefold() in above.casefold()


def _fits(title: str) -> str:
    """Return a title that has room, else nothing."""
    return title if cell_width(title) <= MAX_TITLE_CELLS else ""


def _replaces(name: str, title: str) -> bool:
    """Return whether a heading says more than the title below it, which is cut off or means what stands before."""
    is_open = title.endswith("…") or (dangles(title) and not _fits(_below(name, title)))
    return is_open and bool(_fits(name)) and (is_telling(name) or _says_less(title, name))


def _names(title: str, name: str) -> bool:
    """Return whether a title says a name in its middle, or in other words."""
    if name.casefold() in title.casefold() or _WORD.findall(name) == _WORD.findall(title):
        return True
    return not _PACKAGE.fullmatch(name) and says_the_same(title, name, share=_NAMED_SHARE)


def _fitting_below(name: str, title: str) -> str:
    """Return a title below a name, shortened where there is no room for all of it; as it is if that is not enough.

    Below the beginning of a sentence, such as `Skip charts for`, it is cut: without it, it may say the contrary.
    """
    bare = without_asides(title, MAX_TITLE_CELLS - cell_width(name) - 2)
    shorter = (title, bare, without_articles(title), without_articles(bare))
    fitting = (_below(name, words) for words in shorter)
    if found := next(filter(_fits, fitting), ""):
        return found
    if _BEGINS.fullmatch(name) and cell_width(name) <= MAX_TITLE_CELLS // 2:
        return cut_off(_below(name, without_articles(title)), MAX_TITLE_CELLS)
    return title


def _without_part(above: str, name: str, title: str) -> str:
    """Return a title below the heading above `How to moor`, if it says itself that it is of mooring; else nothing."""
    bare = title.removeprefix(f"{name}: ")
    own = _HOW_TO.sub("", name).lower()
    if own == name.lower() or own not in bare.lower():
        return ""
    room = MAX_TITLE_CELLS - cell_width(above) - 2
    short = shortened(bare, room, cell_width, least_rank=CLAUSE)
    return _below(above, short) if short and has_verb(short, language_of(short)) and is_balanced(short) else ""


def _says_less(title: str, name: str) -> bool:
    """Return whether a cut title only says when, below a heading of several words."""
    opens = grammar_of(language_of(title)).condition.match(title)
    return bool(opens) and len(name.split()) >= _TOPIC_WORDS and not re.search("[,:，：]", title)


def _is_part(name: str, title: str) -> bool:
    """Return whether a heading of one or two words, or one that is the whole title, needs the one above it."""
    words = len(_WORD.findall(_HOW_TO.sub("", name)))
    is_short = words <= _SLIGHT_WORDS and not (CJK.search(name) and cell_width(name) > _SLIGHT_CELLS)
    return (
        is_short or matches("headings", "referring", name) or (title == name and not has_verb(name, language_of(name)))
    )


def is_telling(name: str) -> bool:
    """Return whether a heading is long enough to say what the text below it says: `Keep one log for each crane`."""
    return len(name.split()) >= _TELLING_WORDS and ": " not in name and has_verb(name, language_of(name))


def goes_on(words: str) -> bool:
    """Return whether words go on with the sentence that a heading begins, as in "are forbidden"."""
    return bool(_GOES_ON.match(words))


def _below(heading: str, title: str) -> str:
    return f"{heading} {title}" if heading.endswith(_QUESTIONS) or goes_on(title) else f"{heading}: {title}"
