"""Titles that say what a memory says: its subject and its rule, short enough for a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from memtui.analysis.grammar import has_verb, language_of
from memtui.analysis.title_blocks import Block, blocks
from memtui.analysis.title_choice import better_of
from memtui.analysis.title_fit import cut_title
from memtui.analysis.title_options import options
from memtui.analysis.title_records import described
from memtui.analysis.title_reference import dangles
from memtui.analysis.title_signs import TextSigns
from memtui.analysis.title_subject import is_headless
from memtui.analysis.title_words import undecorated, waits
from memtui.analysis.title_writer import TitleWriter
from memtui.text.inline import READ_CHARS, HeldCode

_MARKS = re.compile(r"""[-*+>#|`"“”«»()\[\]{}（）「」『』【】_~=]""")
_OPENING_MARKS = re.compile(r"\A(?:(?:[-*+>#]|\d+[.)])\s+)+")
_NAMES = re.compile(r"(?:the|an?|your|its|our) ", re.IGNORECASE)
_ENDING = " .:;,：。；，、…-–—"
UNTITLED = "Untitled"
_TOPIC_WORDS = 3  # of a heading that says what a text is about, whatever its words are
_TOLD_CHARS = 400  # By which the language of a text is told


def title_for(text: str, heading_path: Sequence[str]) -> str:
    """Return a title for a memory: one line, at most 100 cells, never empty.

    It is the title by rules, or where readers of other memories would rather have had what the text states further on,
    or another heading above it, that. All that readers judged stood below headings.
    """
    found, language = _read(text)
    title = _by_rules(text, found, heading_path, language)
    if not heading_path or not title:
        return title or UNTITLED
    told = TextSigns.of(found, heading_path, language)
    if told.is_said_by(title) or described(found, HeldCode()):
        return title
    others = (_finished(option) for option in options(title, found, heading_path, language))
    return better_of(title, filter(partial(_stands, title, told), others), told)


def _stands(title: str, told: TextSigns, other: str) -> bool:
    """Return whether another title names what it is about, and does not end where a text only says when it holds.

    A heading or bold label is none instead of a title that says something below it.
    """
    said = other.rpartition(": ")[2]
    counts_on = said.endswith(" both")
    main = said.rpartition(", ")[2] if waits(said) or counts_on else ""
    lacks_act = counts_on or main == said or (_NAMES.match(main) and not has_verb(main, language_of(main)))
    is_open = bool(main) and lacks_act and said.casefold() not in told.headings and not title.endswith(said)
    bare, label = undecorated(said)[0], undecorated(told.bold)[0]
    is_short = len(said.split()) <= _TOPIC_WORDS or not has_verb(said, told.language)
    is_heading = said.casefold() in told.headings and is_short
    is_label = (is_heading or bare.casefold() == label) and f"{bare}: " in title
    return not (is_headless(other) or is_open or is_label or dangles(said))


def _read(text: str) -> tuple[list[Block], str]:
    return blocks(text[:READ_CHARS]), language_of(text[:_TOLD_CHARS])


def _by_rules(text: str, found: Sequence[Block], heading_path: Sequence[str], language: str) -> str:
    writer = TitleWriter.below(heading_path, language)
    title = writer.title(found) or cut_title(_MARKS.sub(" ", text[:READ_CHARS])).strip(_ENDING)
    return _finished(writer.headings.before(title))


def _finished(title: str) -> str:
    # A sign that stood behind a quote or a full stop would now begin a list.
    return _OPENING_MARKS.sub("", title).strip()
