"""The headings above one text: which of them names its subject, and whether the text says so itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memtui.analysis.grammar import grammar_of, has_verb, language_of
from memtui.analysis.imperative import is_imperative
from memtui.analysis.text_features import COUNTED
from memtui.analysis.title_context import below_subjects, subjects
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_subject import below_its_subject
from memtui.analysis.title_words import (
    has_sense,
    heading_words,
    is_bad,
    is_definition,
    is_document,
    is_dropped,
    is_few,
    is_file_name,
    is_manner,
    is_mere_name,
    is_vague,
    lacks_measured,
    lacks_subject,
    lacks_term,
    matches,
    says_the_same,
    waits,
    whole_heading,
)
from memtui.text.inline import HeldCode, literal_tags, one_line, unmarked, visible
from memtui.text.words import CJK, cell_width

PREFIX_CELLS = 44  # The most that a heading before a title may take
_TOPIC_CELLS = 72
_OWN_NAME = re.compile(r"^(?:AGENTS|CLAUDE|GEMINI)\.md\s+[—–|:-]\s+|\s+[—–|:-]\s+(?:AGENTS|CLAUDE|GEMINI)\.md$")
"""The file's own name in the title of its document: without it the same text in two files is one memory."""

_THING = re.compile(
    r"[a-z]{2}[\w-]*\.[a-z]{1,5}\b|[a-z][/_][a-z]|[a-z][A-Z]|\(\)|::|^/?[a-z0-9]+(?:-[a-z0-9]+)+$|^/[a-z]"
)
"""A file, a place in the code or a command: "lift.sh", "src/crane", "/hoist"."""

LIST_CELLS = 80  # What a heading may take with the heads of what is below it

_FILE_BEHIND = re.compile(r"\s\([^()\s]*\w\.\w{1,12}\)\W*$")
_TITLE_PARTS = re.compile(r"\s+[—–|:-]{1,2}\s+|[:：]\s+")
_BRACKET = re.compile(r"\s+\(([^()]*)\)$")
_FILE_TITLE = re.compile(r"^\w+\.mdc?\s*\(?(.*?)\)?$")
_FOR_ALL = re.compile(r"(?:claude|agents?|gemini|copilot-instructions|guidelines)\.", re.IGNORECASE)
_TITLE_OPENING = " \t—–-:,|"
_TITLE_ENDING = f"{_TITLE_OPENING}."
_DOCUMENT_WORDS = re.compile(
    r"(?:(?:\s+(?:&|and))?\s+(?:(?:ai|agents?|claude|copilot|gemini|cursor|module|file|coding|development|developer)\s+)*"
    r"(?:agents?|instructions?|guid(?:es?|elines?|ance)|rules?|orientation|memory|handbook|conventions?|playbook|dox))+$",
    re.IGNORECASE,
)
_AGENTS = re.compile(r"\b(?:ai|agents?|claude|copilot|cursor|codex|gemini|windsurf)\b", re.IGNORECASE)
_KIND_ALONE = re.compile(r"(?:the|our|custom|common|general|main|other|more|new|additional|basic|core)", re.IGNORECASE)
_FEW_WORDS, _MOST_WORDS = 3, 8  # A longer title is a sentence
_NAMES = re.compile("(?:[\ue000-\uf8ff](?:, (?:and |or )?)?){2,}")
_LEAD_WORDS = 2
_WITH_PARENT = 3
"""A heading of one word has a parent that says more if the document's own title stands above both."""


def scoped(headings: Sequence[str], file: str) -> tuple[str, ...]:
    """Return the headings of a memory, the title of a nested file as what the file is about.

    `# harbour-log — Agent orientation` of `crates/log/AGENTS.md` becomes `harbour-log`; where the title names nothing
    but the kind of document, the folder does. A rule in a file without headings keeps its own words,
    by which it is the same in several folders.
    """
    *folders, name = file.split("/")
    title = one_line(visible(headings[0])) if headings else ""
    in_hidden = any(folder.startswith(".") for folder in folders)
    is_whole = not folders or (in_hidden and _FOR_ALL.match(name))
    if is_whole or (headings and not is_document(title)):
        return tuple(headings)
    place = "" if in_hidden or file.startswith("/") else folders[-1]
    about = subject_of(title) or (place if headings else "")
    return (about, *headings[1:]) if about else tuple(headings)


def subject_of(title: str) -> str:
    """Return what a document is about by its title: `Loom` of "Loom — Agent guide"; empty if that names its kind only.

    The words for the document itself go, unless an adjective would be left that says nothing without them.
    """
    parts = (
        _FILE_TITLE.sub(r"\1", part).rstrip(_TITLE_ENDING).lstrip(_TITLE_OPENING) for part in _TITLE_PARTS.split(title)
    )
    return next(filter(None, map(_subject_of_part, parts)), "")


def topic_of(title: str) -> str:
    """Return what a document is about by its title, that of one about instruction files as it stands."""
    return title if matches("headings", "of_documents", title) else subject_of(title)


def _subject_of_part(part: str) -> str:
    """Return a part of a title without words for the document; empty if nothing is left or it is a sentence."""
    bracket = _BRACKET.search(part)
    if bracket and (_AGENTS.search(bracket[1]) or _names_kind(bracket[1])):
        part = part[: bracket.start()]
    if not part or _names_kind(part) or len(part.split()) > _MOST_WORDS:
        return ""
    about = _DOCUMENT_WORDS.sub("", part).rstrip(_TITLE_ENDING).lstrip(_TITLE_OPENING)
    if _KIND_ALONE.fullmatch(about):
        return part
    for_agents = _AGENTS.search(about) and (len(about.split()) <= _FEW_WORDS or _names_kind(about.split()[0]))
    states = len(about.split()) > _FEW_WORDS and (about[0].islower() or has_verb(about, language_of(about)))
    return "" if for_agents or states or _names_kind(about) else about


def _names_kind(part: str) -> bool:
    """Return whether a part of a title only says what kind of document it is."""
    return matches("headings", "instructions", part) or is_file_name(part) or is_vague(part)


@dataclass(slots=True)
class Headings:
    """The headings and labels above a text, outermost first, as plain words, their code held."""

    held: HeldCode = field(default_factory=HeldCode)
    path: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)  # the file in brackets behind a heading

    @property
    def last(self) -> str:
        """The innermost heading, empty without one."""
        return self.path[-1] if self.path else ""

    def enter(self, heading: str) -> None:
        """Go below a heading of the source."""
        self.enter_plain(unmarked(self.held.take_out(literal_tags(heading))))

    def enter_plain(self, plain: str) -> None:
        """Go below a heading or label, its code held."""
        if (words := heading_words(plain)) and words.casefold() != self.last.casefold():
            self.path.append(words)
            if place := _FILE_BEHIND.search(self.held.put_back(plain)):
                self.places[words] = place[0].strip()

    def subject(self, *, above: int = 0) -> str:
        """Return the innermost heading that names a subject, leaving out so many; empty if none does."""
        return next(subjects(self.path[: len(self.path) - above]), "")

    def whole(self) -> str:
        """Return the last heading, preceded by its parent's subject if it names none or is a single word."""
        if not self.path:
            return ""
        last = _OWN_NAME.sub("", self.path[-1])
        vague = is_vague(last)
        is_long = len(last.split()) > 1 or bool(CJK.search(last[3:]))
        above = self.subject(above=1)
        is_title = len(self.path) < _WITH_PARENT and len(above.split()) > _LEAD_WORDS
        if not vague and (is_long or is_title):
            return last
        if vague and not above:
            named = (one for one in reversed(self.path[:-1]) if not (is_dropped(one) or is_document(one)))
            above = next(named, "")
        if is_dropped(last) and not (is_bad(last) and above):
            return above
        return f"{above}: {last}" if above not in {"", last} and self._width(above) <= PREFIX_CELLS else last

    def above_list(self) -> str:
        """Return the heading above a list, after its parent's subject where that is a thing and this a topic of it."""
        heading, last = self.whole(), self.last
        is_topic = 1 < len(last.split()) <= _FEW_WORDS + 1 and not has_verb(last, language_of(last))
        above = self.subject(above=1) if is_topic and heading == last else ""
        is_top = len(self.path) < _WITH_PARENT
        if is_top or not _THING.search(self.held.put_back(above)) or says_the_same(last, above):
            return heading
        both = f"{above}: {heading}"
        return both if self._width(both) <= _TOPIC_CELLS else heading

    def above_code(self) -> str:
        """Return the heading above code, after its parent's subject if there is room."""
        heading, above = self.whole(), self.subject(above=1)
        is_top = len(self.path) < _WITH_PARENT
        if is_top or is_imperative(heading) or not above or says_the_same(heading, above):
            return heading
        both = f"{above}: {heading}"
        return heading if above in heading or self._width(both) > LIST_CELLS else both

    def with_place(self) -> str:
        """Return the heading above code with the file that stands in brackets behind it."""
        heading = self.above_code()
        place = self.places.get(self.last, "") if heading.endswith(self.last) else ""
        return f"{heading} {place}" if place and self._width(f"{heading} {place}") <= LIST_CELLS else heading

    def alone(self, subject: str) -> str:
        """Return a heading as a title of its own: a single word below its document's title."""
        return whole_heading(subject, self.path)

    def missing(self, words: str) -> str:
        """Return the heading's subject if a statement does not stand without it, else nothing."""
        above = self.last
        if is_manner(words, above):
            return ""
        grammar = grammar_of(language_of(words))
        is_section = matches("headings", "section", above)
        forbids = not is_section and matches("headings", "bad", above) and not grammar.negation.search(words)
        if above and (forbids or matches("headings", "unfinished", above)):
            return above
        is_condition = bool(grammar_of(language_of(above)).condition.match(above))
        subject = above if is_condition else self.subject()
        if lacks_measured(words, subject):
            return subject
        is_named = says_the_same(words, subject) and not lacks_term(words, subject)
        if not subject or is_named:
            return ""
        refers = grammar.pronoun.match(words) or grammar.anaphora.search(words)
        names_none = (_NAMES.fullmatch(words), lacks_subject(words), is_definition(words), is_mere_name(words))
        is_lacking = any((is_condition, refers, *names_none, is_few(self.held.put_back(words))))
        return subject if is_lacking else ""

    def before(self, title: str) -> str:
        """Return a title below the heading that says what it is about, if the title does not and there is room."""
        if is_manner(title, self.last):
            return title
        names = self._visible(subjects(self.path))
        below = below_its_subject(self._below(title, names), names)
        is_needed = bool(names) and has_sense(names[-1]) and names[-1] not in below
        return self._below_document(below, names) if is_needed or self._states_nothing(below) else below

    def _below(self, title: str, names: Sequence[str]) -> str:
        below, counted = below_subjects(title, names), COUNTED.search(title)
        if below != title or not counted:
            return below
        bare = title[: counted.start()]
        told = below_subjects(bare, names)
        return title if told == bare else told  # what a list is about tells more than how long it is

    def _states_nothing(self, title: str) -> bool:
        """Return whether a title is made of headings alone, or of one and a condition without what holds then."""
        *above, last = title.split(": ")
        headings = self._visible(self.path)
        return all(part in headings for part in above) and (last in headings or (bool(above) and waits(last)))

    def _below_document(self, title: str, names: Sequence[str]) -> str:
        """Return a title below what the document is about, if it does not say that and there is room."""
        document = names[-1] if names else ""
        both = f"{document}: {title}"
        if not has_sense(document) and (
            not document or says_the_same(title, document) or has_verb(title, language_of(title))
        ):
            return title
        return both if cell_width(both) <= MAX_TITLE_CELLS else title

    def _visible(self, names: Iterable[str]) -> list[str]:
        return [one_line(visible(self.held.put_back(name))) for name in names]

    def _width(self, words: str) -> int:
        return cell_width(self.held.put_back(words))
