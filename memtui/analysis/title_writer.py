"""Writes the title of a text by its blocks: what it states first, or what is above a list, table or code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from memtui.analysis.grammar import capital, grammar_of, has_verb, is_balanced, language_of
from memtui.analysis.headlines import without_asides
from memtui.analysis.imperative import is_imperative
from memtui.analysis.shorten import CLAUSE, cut_off, shortened
from memtui.analysis.title_blocks import REAL_SHELLS, SHELLS, Block
from memtui.analysis.title_code import flow_below, parts_of_code, remarks_in, with_remarks
from memtui.analysis.title_context import goes_on, is_telling
from memtui.analysis.title_fit import (
    MAX_TITLE_CELLS,
    behind_concession,
    behind_label,
    behind_reason,
    closed,
    fitted,
    main_clause,
    turned,
    with_fewer_subjects,
)
from memtui.analysis.title_headings import LIST_CELLS, PREFIX_CELLS, Headings
from memtui.analysis.title_lists import (
    HEAD_CELLS,
    LABEL_WORDS,
    OF_HEADING,
    brief,
    captions_of,
    counted,
    first_column,
    fitting,
    fitting_or_brief,
    heads_in,
    is_label,
    joined,
    led_by,
    listed_names,
    telling,
    tells,
    values_in,
    with_what_they_are,
    without_open_relative,
)
from memtui.analysis.title_parts import parts_in
from memtui.analysis.title_records import described, names_of, row_told
from memtui.analysis.title_statements import Statements, without_order
from memtui.analysis.title_trees import root_of
from memtui.analysis.title_words import (
    avoided,
    bold_lead,
    heads_list,
    is_bad,
    is_definition,
    is_dropped,
    is_file_name,
    is_metadata,
    is_rule,
    is_vague,
    lacks_subject,
    matches,
    parts_of_rule,
    record_labels,
    says_the_same,
    sentences,
    undecorated,
    waits,
    without_label,
)
from memtui.text.inline import HeldCode, one_line, unmarked, visible
from memtui.text.words import CJK, cell_width

_WORD = re.compile(r"\w")
_NAME = re.compile("[\ue000-\uf8ff]")
_COLONS = (":", "：")
_ORDERS = re.compile(r"(?:you )?(?:must|should|always|never) ", re.IGNORECASE)
_GERUND = re.compile(r"\w+ing\b")
_REFERS = re.compile(r"\b(?:those|these|them|they)\b", re.IGNORECASE)
_MEANS_ABOVE = re.compile(r"\bthis (?:class|kind|trap|mistake|failure|gap|regression|case)\b", re.IGNORECASE)
_ENDING = " .:;,：。；，、…-–—"
_LEAD_WORDS = 2
_LEAST_HEAD_CELLS, _LEAD_CHARS, _FEW_NAMES = 24, 12, 2


@dataclass(slots=True)
class TitleWriter:
    """Writes the title of one text."""

    headings: Headings = field(default_factory=Headings)
    language: str = "en"  # the language of the text
    _statements: Statements = field(init=False)
    _fits: dict[str, str] = field(default_factory=dict)
    _avoids: bool = False  # whether the label above says that what follows is to be avoided

    def __post_init__(self) -> None:
        self._statements = Statements(self.held)

    @property
    def held(self) -> HeldCode:
        """The code of the text and of its headings."""
        return self.headings.held

    @classmethod
    def below(cls, headings: Sequence[str], language: str) -> TitleWriter:
        """Return a writer for a text below these headings, outermost first."""
        writer = cls(language=language)
        for heading in headings:
            writer.headings.enter(heading)
        return writer

    def title(self, found: Sequence[Block]) -> str:
        """Return the title of a text by its blocks; empty if neither it nor a heading says anything."""
        wholes = (self._record, self._parts, self._pair, self._remarks, self._captions)
        if whole := next(filter(None, (write(found) for write in wholes)), ""):
            return whole
        for at, block in enumerate(found):
            if title := self._title_of(block, found[at:]):
                return title
        heading = self.headings.alone(self.headings.whole())
        pointer = "" if is_telling(heading) else self._pointer(found)
        return pointer or self.done(heading) or self._any_words(found)

    def _pointer(self, found: Sequence[Block]) -> str:
        """Return the first sentence of a text that only says what to read; empty for other texts."""
        told = found[0].text if found and found[0].kind in {"paragraph", "item"} else ""
        place = self._statements.place_to_read(told)
        subject = "" if says_the_same(place, self.headings.last) else self.headings.whole()
        return self.done(capital(place), subject) if place else ""

    # -- the blocks ---------------------------------------------------------------------------------

    def _title_of(self, block: Block, rest: Sequence[Block]) -> str:
        """Return the title that a block gives, with the blocks from it on; empty if it only names what follows."""
        if block.kind == "paragraph":
            return self._paragraph(block.text, rest[1:])
        if block.kind == "item":
            return self._items(rest)
        if block.kind == "code":
            return self._code(block, rest[1:])
        if block.kind == "table":
            return self._table(block)
        self.headings.enter(block.text)
        return ""

    def _record(self, found: Sequence[Block]) -> str:
        """Return the heading with the labels of a text of lines like `**Scope**: …`, or what a row of cells tells."""
        if self.headings.last and parts_of_rule(found) and not is_vague(self.headings.last):
            return self.done(self.headings.whole())
        if self.headings.last and (told := described(found, self.held)):
            return self._below_heading(told)
        labels = record_labels(found) if self.headings.last else []
        subject = self.headings.whole() or self.headings.last
        heads = values_in(found, self.held) or self._described(found, labels, subject) if labels else []
        row = "" if heads else row_told(found, self.held, self._width)
        return self.listed(subject, heads) if heads else self.done(row)

    def _described(self, found: Sequence[Block], names: Sequence[str], subject: str) -> Sequence[str]:
        """Return the few names in a list with what it says of each, if there is room for that behind a subject."""
        return with_what_they_are(found, names, self.held, MAX_TITLE_CELLS - self._width(subject) - 2)

    def _below_heading(self, told: str) -> str:
        """Return what describes a subject below the heading that names it, or below the end of a long path."""
        names = (*names_of(self.headings.whole()), *names_of(self.headings.last))
        for words in (told, without_asides(told, MAX_TITLE_CELLS // 2, self._width)):
            for name in names:
                if self._width(whole := f"{name}: {words}") <= MAX_TITLE_CELLS:
                    return self.done(whole)
        titles = ((name, self.done(told, name)) for name in names)
        return next((title for name, title in titles if title.startswith(self.held.put_back(name))), self.done(told))

    def _parts(self, found: Sequence[Block]) -> str:
        """Return the heading with those of the parts of a text, or with the labels of its lists."""
        parts = parts_in(found, self.held)
        return self.listed(self.headings.whole(), parts) if parts else ""

    def _pair(self, found: Sequence[Block]) -> str:
        """Return the heading above a wrong and a right example, if it states the rule and the text does not."""
        rule = self.headings.last
        if not any(block.kind == "code" for block in found):
            return ""
        labels = [without_label(undecorated(self._plain(block.text))[0])[0] or block.text for block in found]
        if not any(map(is_bad, labels)):
            return ""
        told = self._plain(found[0].text) if found[0].kind == "paragraph" else ""
        if len(rule.split()) <= _LEAD_WORDS or not is_imperative(rule) or is_imperative(told):
            return ""
        return self.done(rule)

    def _captions(self, found: Sequence[Block]) -> str:
        """Return the heading above code that has nothing but captions, as in `**In Rust**`."""
        told = [self._plain(undecorated(block.text)[0]) for block in found if block.kind != "code"]
        is_captioned = found and found[-1].kind == "code" and len(told) * 2 == len(found) > _LEAD_WORDS
        if not is_captioned or not self.headings.last or not all(map(is_label, told)):
            return ""
        heading = self.headings.above_code()
        captions = [without_label(words)[0] or words.rstrip(_ENDING) for words in told]
        says_all = any(map(is_bad, captions)) or has_verb(heading, language_of(heading))
        return self.listed(heading, [] if says_all else captions)

    def _remarks(self, found: Sequence[Block]) -> str:
        """Return the heading with what the comments of the code below it call right or wrong."""
        told = [self._plain(undecorated(block.text)[0]) for block in found if block.kind != "code"]
        heading = self.headings.above_code()
        if not all(map(is_label, told)) or is_imperative(heading):
            return ""
        negates = grammar_of(language_of(heading)).negation.search(heading)
        is_of_bad = bool(negates) or matches("headings", "bad", self.headings.last)
        return self.done(with_remarks(heading, remarks_in(found), self._width, is_of_bad=is_of_bad))

    def _paragraph(self, text: str, following: Sequence[Block]) -> str:
        source = self.held.take_out(text)
        if not following:
            return self.stated(source)
        plain = undecorated(unmarked(source))[0]
        announces, lead = plain.endswith(_COLONS), bold_lead(undecorated(source)[0])
        if is_metadata(plain):
            return ""
        is_alone = bool(lead and not lead.rest.strip(" :：")) or heads_list(plain, following)
        if (announces or is_alone) and is_label(plain):
            self.headings.enter_plain(plain)
            self._avoids = is_bad(plain)
            return ""
        introduces = not lead and following[0].kind in {"code", "table"} and waits(plain)
        if (announces and not (lead and lead.rest and lead.is_rule)) or introduces:
            return self._lead(plain, following)
        return self.stated(source)

    def _lead(self, plain: str, following: Sequence[Block]) -> str:
        """Return the words that lead to a list, code or table, with the heads of what follows."""
        *before, last = sentences(plain)
        if before:
            return self.stated(" ".join(before)) or self._lead(last, following)
        announced = without_label(plain)[1].rstrip(_ENDING)
        if _MEANS_ABOVE.search(announced) and is_telling(self.headings.last):
            return self.done(self.headings.last)
        bare, lead = led_by(announced)
        if not lead or is_dropped(lead) or any(matches("sentences", "neutral", words) for words in (bare, lead)):
            return ""
        if len(lead.split()) == _LEAD_WORDS + 1 and following[0].kind == "code" and following[0].mark not in SHELLS:
            return self.done(bare)  # "All rules follow this structure" says more than "All rules"
        subject = self.headings.subject()
        if subject and OF_HEADING.match(lead) and self._width(f"{subject}: {lead}") > LIST_CELLS:
            lead = subject  # "Available at night" says nothing of what is
        heads = self._heads_below(lead, following)
        return without_open_relative(self.listed(lead, heads, awaited=bare != announced), lead)

    def _heads_below(self, lead: str, following: Sequence[Block]) -> Sequence[str]:
        """Return the heads of what follows words that lead to it, or the lines of a shell that the words wait for."""
        first = following[0]
        heads = self._described(following, heads_in(following, self.held), lead)
        if heads or not waits(lead) or first.kind != "code" or first.mark not in SHELLS:
            return heads
        return [self.held.take_out(f"`{line.strip()}`") for line in first.lines if "`" not in line]

    def _items(self, found: Sequence[Block]) -> str:
        """Return what an item states, or for several the subject with their heads."""
        items = [block for block in found if block.kind == "item" and len(block.mark) <= len(found[0].mark)]
        texts = [self._plain(undecorated(block.text)[0]) for block in items]
        if len(told := telling(items, texts)) == 1 < len(items):
            return self._items(told)
        if len(items) > 1 and (title := self._several(found)):
            return title
        source = self.held.take_out(found[0].text)
        plain = unmarked(source)
        return self._lead(plain, found[1:]) if plain.endswith(_COLONS) and len(found) > 1 else self.stated(source)

    def _several(self, found: Sequence[Block]) -> str:
        """Return the subject of several items with their heads; empty if the first of them says more."""
        subject = self.headings.above_list()
        heads = self._heads_of_several(found, subject)
        if self._width(subject) > LIST_CELLS:
            bare = subject.partition(" (")[0]
            subject = bare if self._width(bare) <= PREFIX_CELLS else shortened(subject, PREFIX_CELLS, self._width) or ""
        is_long = bool(heads) and self._width(heads[0]) > HEAD_CELLS
        if is_long and (not subject or self._is_general(subject, heads[0])):
            return ""
        heads = list(self._described(found, heads, subject))
        names = [bool(_NAME.fullmatch(head)) for head in heads[: _FEW_NAMES + 1]]
        if names and names[0] and not (len(names) > 1 and all(names)):
            return ""
        is_name = " " not in self.headings.last and not (CJK.search(subject) or is_file_name(subject))
        return self.listed(subject, heads, any_of=is_name)

    def _heads_of_several(self, found: Sequence[Block], subject: str) -> list[str]:
        """Return the values or heads of items; below a label that says to avoid them, the first one says so itself."""
        if not self._avoids:
            return values_in(found, self.held) or heads_in(found, self.held)
        heads = heads_in(list(takewhile(lambda block: block.kind == "item", found)), self.held)
        return self._warned(heads, subject)

    @staticmethod
    def _warned(heads: list[str], subject: str) -> list[str]:
        """Return what is to be avoided, of which the first says so unless the subject does."""
        return heads if matches("headings", "bad", subject) else [*map(avoided, heads[:1]), *heads[1:]]

    def _is_general(self, subject: str, head: str) -> bool:
        """Return whether a heading says nothing of what an item below it states."""
        states = has_verb(head, language_of(head)) or lacks_subject(head)
        return matches("headings", "generic", subject) or (
            states and matches("headings", "section", self.headings.last)
        )

    def _code(self, block: Block, following: Sequence[Block]) -> str:
        commands = heads_in([block], self.held) if block.mark in SHELLS else []
        title = self._said_of_code(following)
        first = title.partition("; ")[0]
        captions = [] if is_rule(first) or is_imperative(first) else captions_of(block, self.held)
        if captioned := self._captioned(captions):
            return captioned
        if title and (not commands or has_verb(title, language_of(title))):
            is_led = len(commands) == 1 and lacks_subject(title)
            return self.done(f"{commands[0]}: {title}") if is_led else title
        if block.mark not in SHELLS and not listed_names(block) and self.headings.subject():
            heads, heading = list[str](), self.headings.with_place()
        else:
            heads, heading = heads_in([block], self.held), self.headings.above_code()
        root = root_of(block.lines) if len(heads) <= 1 else ""
        heads = [self.held.take_out(f"`{root}`")] if root else heads
        heads = heads or parts_of_code(block) or flow_below(heading, block, self._width)
        return self.listed(heading, heads, any_of=bool(root) or block.mark in REAL_SHELLS)

    def _captioned(self, captions: Sequence[str]) -> str:
        """Return the heading above code with what comments call its parts; empty where only one of them fits."""
        heading = self.headings.above_code()
        heading = heading if self._width(heading) <= PREFIX_CELLS else self.headings.whole()
        return self.listed(heading, captions) if len(fitting_or_brief(heading, captions, self._width)) > 1 else ""

    def _said_of_code(self, following: Sequence[Block]) -> str:
        """Return what the paragraphs below code state of it; words that lead to more code say nothing of this one."""
        texts = (later.text for later in following if later.kind == "paragraph")
        own = takewhile(lambda text: is_rule(text) or not self._plain(text).endswith(_COLONS), texts)
        return next(filter(None, (self.stated(self.held.take_out(text)) for text in own)), "")

    def _table(self, block: Block) -> str:
        if len(block.lines) > 1:
            subject, heads = self.headings.whole(), heads_in([block], self.held)
            is_ban = is_bad(self._plain(first_column(block)))
            return self.listed(subject, self._warned(heads, subject) if is_ban else heads)
        cells = [self._plain(cell) for row in block.rows for cell in row]
        return self.stated(": ".join(filter(None, [*cells[:1], ", ".join(filter(None, cells[1:]))])))

    # -- sentences ----------------------------------------------------------------------------------

    def stated(self, source: str) -> str:
        """Return the title of a paragraph or item, its code held; empty if it only points elsewhere."""
        found = self._statements.statement(source)
        if not found.words:
            return ""
        if found.avoid:
            return self.done(avoided(found.words))
        if found.part:
            return self.done(found.words, self.headings.whole() or found.lead)
        if title := self._rule_first(found.words):
            return title
        subject = self.headings.missing(found.words)
        title = self.done(found.words, subject)
        if matches("headings", "bad", subject) and not title.startswith(subject) and _GERUND.match(found.words):
            return self.done(avoided(found.words))
        is_unnamed = bool(subject) and is_definition(found.words) and ": " not in title
        named = self.done(subject, told=found.words) if is_unnamed and self._width(subject) <= HEAD_CELLS else ""
        return named if ": " in named else title

    def _rule_first(self, words: str) -> str:
        """Return the rule of a long sentence whose title would break off or end before it; else nothing."""
        if self._width(words) <= MAX_TITLE_CELLS:
            return ""
        if rule := behind_reason(words) or behind_concession(words):
            return self.done(rule, self.headings.missing(rule))
        title = self._fitted(words)
        if rule := behind_label(words, title, self.held):
            return self.done(rule)
        lead, main = main_clause(words)
        is_cut = title.endswith("…")
        if main and (is_cut or lead.startswith(title) or lead.casefold().find(title.casefold()[:_LEAD_CHARS]) > 0):
            if whole := turned(words, self.held):
                return self.done(whole)
            subject = self.headings.subject()
            if _REFERS.search(main) and is_telling(subject):
                return self.done(subject)
            return self.done(capital(main), "" if says_the_same(main, subject) else subject)
        fewer = with_fewer_subjects(words)
        return self.done(fewer) if is_cut and fewer != words else ""

    # -- the end ------------------------------------------------------------------------------------

    def listed(self, subject: str, heads: Sequence[str], *, awaited: bool = False, any_of: bool = False) -> str:
        """Return a subject with as many heads as fit, in brief if only one did (unless any tells), or alone."""
        is_ban = matches("headings", "bad", subject) or subject == avoided(subject)
        kept = self._all_or(fitting_or_brief(subject, heads, self._width, is_ban=is_ban), subject, heads)
        if len(kept) <= 1 and heads and (awaited or waits(subject)):
            return self._awaited(subject, heads, kept)
        if subject and not (tells(subject, kept, heads) or (any_of and kept)):
            first = self._with_first_rule(subject, heads)
            if first or not kept or self._states(subject):
                return first or self.done(self.headings.alone(subject))
        return self.done(self._counted(joined(subject, kept) or ", ".join(heads[:1]), kept, heads))

    def _all_or(self, kept: Sequence[str], subject: str, heads: Sequence[str]) -> Sequence[str]:
        """Return all items of a list if they fit, and with them the heading that would stand before some of them."""
        if len(kept) <= 1 or len(fitting(subject, heads, self._width, MAX_TITLE_CELLS)) < len(set(heads)):
            return kept
        some, whole = (self.done(joined(subject, words)) for words in (kept, list(dict.fromkeys(heads))))
        above = self.headings.before(some).removesuffix(some)
        return heads if self.headings.before(whole).startswith(above) else kept

    def _states(self, subject: str) -> bool:
        """Return whether a subject says something by itself, as a sentence does."""
        is_long = self.language != "en" or len(subject.split()) > _LEAD_WORDS + 1
        return is_long and has_verb(subject, language_of(subject))

    def _counted(self, title: str, kept: Sequence[str], heads: Sequence[str]) -> str:
        """Return a list's title with the number of the items that it does not name, if its text is in English."""
        return counted(title, kept, heads, self._width) if self.language == "en" else title

    def _with_first_rule(self, subject: str, heads: Sequence[str]) -> str:
        """Return a heading with the first item of a list if that is a rule; empty if there is no room for it."""
        later = heads[1:] if subject in self.headings.path else ()
        told = [*heads[:1], *(head for head in later if self._width(head) >= _LEAST_HEAD_CELLS)]
        first = next((head for head in told if is_rule(head) or is_imperative(head)), "")
        if not first:
            return ""
        short = shortened(first, MAX_TITLE_CELLS - self._width(subject) - 2, self._width, least_rank=CLAUSE)
        is_half = len(heads) == _FEW_NAMES and len(subject.split()) <= LABEL_WORDS and not short
        says_most = is_half or says_the_same(first, subject)
        if says_most and self._width(first) <= MAX_TITLE_CELLS:
            return self.done(first)
        if not short or not is_balanced(short):
            return ""
        return self.done(self._counted(f"{subject}: {short}", [short], heads))

    def _awaited(self, lead: str, heads: Sequence[str], kept: Sequence[str]) -> str:
        """Return the title of a list whose lead says nothing without it, such as a condition, with one head at most."""
        if len(kept) == len(heads):
            about = self.headings.subject() if grammar_of(self.language).preposition.match(lead) else ""
            return self.done(f"{lead}: {kept[0]}", about)
        heading = self.headings.subject()
        grammar = grammar_of(language_of(lead))
        opens = grammar.condition.match(lead) or grammar.preposition.match(lead)
        first = self._with_brief_first(lead, heads) if opens and lead[:1].isupper() else ""
        if first:
            return first
        if heading and opens and not matches("headings", "counted", lead):
            in_brief = [brief(head) for head in heads]
            found = fitting(heading, heads, self._width) or fitting(heading, in_brief, self._width)
            if found:
                return self.done(self._counted(f"{heading}: {', '.join(found)}", found, heads))
        return f"{self.done(f'{lead}: {kept[0]}')}…" if kept else self.done(lead, told=", ".join(heads))

    def _with_brief_first(self, lead: str, heads: Sequence[str]) -> str:
        """Return words that say when something is done, with the first thing that is done then, if there is room."""
        when = without_asides(lead, MAX_TITLE_CELLS - _LEAST_HEAD_CELLS, self._width)
        room = MAX_TITLE_CELLS - self._width(when) - 2
        first = heads[0] if self._width(heads[0]) <= room else brief(heads[0])
        orders = is_imperative(first) or _ORDERS.match(first)
        is_order = orders and len(first.split()) > 1 and self._width(first) <= room
        return self.done(self._counted(f"{when}: {first}", [first], heads)) if is_order else ""

    def done(self, words: str, subject: str = "", *, told: str = "") -> str:
        """Return a finished title: the words, after the subject if there is one and room for it.

        `told`: what the words lead to and say nothing without; cut at a word if it must be.
        """
        if told:
            both = self.held.put_back(f"{words}: {told}")
            both = both if cell_width(both) <= MAX_TITLE_CELLS else cut_off(both, MAX_TITLE_CELLS)
            return one_line(visible(closed(both)))
        words = words.strip().rstrip(_ENDING)
        subject = without_order(subject) if self._width(subject) > PREFIX_CELLS else subject
        prefix = (shortened(subject, PREFIX_CELLS, self._width) if subject else "") or ""
        room = MAX_TITLE_CELLS - self._width(prefix) - 2
        short = shortened(words, room, self._width, least_rank=CLAUSE) if prefix else ""
        if short and words.startswith(f"{short}: ") and not has_verb(short, language_of(short)):
            short = None  # a heading above a mere label says less than the label with what it is for
        between = " " if goes_on(words) else ": "
        whole = f"{prefix}{between}{short}" if prefix and short else self._fitted(words)
        return one_line(visible(self.held.put_back(closed(whole)))).rstrip(" ,;:")

    def _fitted(self, words: str) -> str:
        """Return words that fit, worked out once."""
        if words not in self._fits:
            self._fits[words] = fitted(words, self.held)
        return self._fits[words]

    def _any_words(self, found: Sequence[Block]) -> str:
        texts = (self._plain(block.text) for block in found)
        return next((self.done(words) for words in texts if _WORD.search(self.held.put_back(words))), "")

    def _plain(self, markdown: str) -> str:
        return unmarked(self.held.take_out(markdown)).strip()

    def _width(self, words: str) -> int:
        return cell_width(self.held.put_back(words))
