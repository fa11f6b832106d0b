"""What the words of a block, an item or a heading do: state something, lead to it, belong to it, or only point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

from memtui.analysis.imperative import first_word, is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.capture.blocks import Block
from memtui.text.inline import plain_text
from memtui.text.tables import compile_lines, read_table
from memtui.text.words import CJK

LeadRole = Literal["neutral", "label", "condition", "needed"]

LOOKED_AT_CHARS, LOOKED_AT_ITEMS = 2_000, 200

_BOLD_LINE = re.compile("\\s*(?:\\*\\*([^*\n]{1,100})\\*\\*|__([^_\n]{1,100})__)\\s*([:：]?)\\s*$")
_NUMBERED_LINE = re.compile(r"\s*\d{1,2}\s+·\s+([^\n.:]{1,60}?)\s*$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]*_`]*(?=\s|$)|[。！？]+[」』）)\"'”’*_`]*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|esp|no|nr|dr|st|fig|z\.b|d\.h|bzw|ca|p\.\s?ex|ex|[A-Za-z])\.$"
    r"|(?:^|[.!?:;)]\s)\s*\d{1,3}\.$",
    re.IGNORECASE,
)
_ENDED = (".", "!", "?", "。", "！", "？")
_GOES_ON = (",", ";", "，", "；", " and", " or")
_ANNOUNCES = (":", "：")
_ASKS_FIRST = re.compile(r"[?？][*_\"”]*\s*(?:→|->|=>|⇒)")
_ASKS = ("?", "？", "か", "か。", "吗")
EDGES = " *_~`>#"
_NAMES_FIRST = re.compile(
    r"(?:\[[ xX]\]\s+)?(?:(?:\*\*|__)?"
    r"(?:`[^`]{1,120}`|\[[^\[\]]{1,120}\]\([^()]{1,300}\)|[\w.@*-]*/[\w./@*-]*)"
    r"(?:\*\*|__)?|(?:\*\*|__)(?:[\w-]+\.[A-Za-z.]{1,12}|[\w.]+\(\)|[\w-]+/)(?:\*\*|__))\s*"
    r"(?:$|[:：=→]|[—–-]{1,2}\s|\(|->)"
)
_NAMED_AREA = re.compile(r"[A-Z][A-Za-z]*/[A-Za-z]+[:：]\s")  # "SOPS/age: …", which is no path
_FACT = re.compile(r"(?:The|An?|Each|Every|All|No|[A-Z][a-z]+s)\s")
_HELD_EXAMPLE = re.compile(r"[:：][*_]*\s*`[^`]+`[.\s]*$")
_ASIDE = re.compile(r"\([^()]{1,120}\)\s+")
_BOLD_LEAD = re.compile(r"(?:\*\*|__)(?=\S).{1,160}?(?<=\S)(?:\*\*|__)(?:\s*\([^()]{1,80}\))?\s*([:：.—–-])?")
_KEY = re.compile(r"(?:[^\s:：.,;]+ ){0,3}[^\s:：.,;]+[:：]\s+(?=\S)")
_NUMBERED_CELL = re.compile(r"\W{0,2}\d{1,2}[.)]\s+\S")
_LOW_ARTICLE = re.compile(r"[*_ ]*(?:an?|the) (?=[^.]*$)")  # "a hook used at night": what a lead before it asks for
_CODE_ONLY = re.compile(r"\W*(?:`[^`]+`[\s,;/+&·→()—–-]*(?:(?:or|and|then)\s+)?)+[.\s]*")
_STEPS = re.compile(r"\bsteps\b", re.IGNORECASE)
_LOWER_CASE = re.compile(r"[*_ ]*(?![a-z][.)])[a-zà-öø-ÿ]")
_CHECK_BOX = re.compile(r"\[[ xX]\]\s")
_VALUE_LINE = re.compile(r"[^\W\d][^:：\n`*]{1,30}[:：]\s+(?:`[^`]+`|\S+)\s*$")
_NESTED = re.compile(r"\n[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_FENCE_LINE = re.compile(r"\n[ \t]*(?:`{3}|~{3})")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
WORD_LETTER = re.compile(r"\w")
REMEMBERED = 4_096  # Texts whose judgement is kept; several steps ask about the same ones

_LABEL_WORDS = 5
_LONGEST_LABEL = 120
_TERM_WORDS = 14
FULL_SENTENCE_WORDS = 8
_SENTENCE_WORDS = 5
_IMPERATIVE_WORDS = 3
_STRONG_WORDS = 2
_FIRM_ITEM_WORDS = 6
_SPLIT_SHARE = 0.66  # two of three
_ORDERED_SHARE = 0.5
_RULE_WORDS = 25
_LONG_SHARE = 0.9
_NESTED_CHARS = 60
_LINK_HEAD_WORDS = 10


@cache
def pattern(name: str) -> re.Pattern[str]:
    table = read_table(__file__, "prose.toml")
    return compile_lines(table["at_start"].get(name) or table["anywhere"][name])


@lru_cache(REMEMBERED)
def words_in(text: str) -> int:
    """Return the number of words; two CJK characters count as one."""
    latin = sum(1 for word in CJK.sub(" ", text).split() if WORD_LETTER.search(word))
    return latin + (len(CJK.findall(text)) + 1) // 2


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the position behind each sentence of a text, the last one included."""
    for end in _SENTENCE_END.finditer(text):
        # `(tide, moon etc.) in the list` and `(tide, moon, …) in it` go on
        goes_on = end[0][-1] == ")" and text[end.end() :].lstrip()[:1].islower()
        if goes_on and end[0][0] == "…":
            continue
        is_open = end[0] != "." and not (end[0] == ".)" and goes_on)
        if is_open or not _ABBREVIATION.search(text[max(0, end.start() - 12) : end.start() + 1]):
            yield end.end()
    if text and not _SENTENCE_END.search(text[-4:]):
        yield len(text)


def sentences_of(text: str) -> Iterator[str]:
    start = 0
    for end in sentence_ends(text):
        if sentence := text[start:end].strip():
            yield sentence
        start = end


@lru_cache(REMEMBERED)
def is_strong(text: str) -> bool:
    """Return whether a text requires or forbids something."""
    return bool(pattern("strong").search(text))


# -- statements and fragments ----------------------------------------------------------------------


@lru_cache(REMEMBERED)
def is_statement(text: str) -> bool:
    """Return whether the first paragraph of a text says something by itself, rather than being a name or a fragment."""
    first = first_paragraph(text)
    plain = plain_text(first).strip(EDGES)
    words = words_in(plain)
    name = None if _NAMED_AREA.match(first) else _NAMES_FIRST.match(first)
    if name and not _says_of_name(first[name.end() - 1 :]):
        return words > _SENTENCE_WORDS and is_strong(first)
    if is_strong(first):
        return words >= _STRONG_WORDS
    if is_dependent(text) or pattern("subjectless").match(plain) or _LOW_ARTICLE.match(first.rstrip(EDGES)):
        return False
    if _NESTED.search(text):
        return len(text) >= _NESTED_CHARS
    if lead := _label(first):
        if _CODE_ONLY.fullmatch(first[lead.end() :]):
            return False
        return words > _IMPERATIVE_WORDS and _states_below(plain_text(first[lead.end() :]), plain, first)
    if orders(plain):
        return words >= (_SENTENCE_WORDS if pattern("complement").match(plain) else _IMPERATIVE_WORDS)
    return _says_enough(plain, first, FULL_SENTENCE_WORDS)


def _states_below(rest: str, plain: str, first: str) -> bool:
    """Return whether the words behind a label, or the label with them, say something: `Naming: use …`."""
    names = rest and first_word(plain) in openings("nouns")
    return orders(rest) or (is_imperative(plain) and not names) or _says_enough(rest, first, _TERM_WORDS)


def orders(plain: str) -> bool:
    """Return whether a text is an instruction, by its first word or by its form."""
    return is_imperative(plain) or bool(pattern("order_by_form").match(plain))


def _says_of_name(rest: str) -> bool:
    """Return whether a name is the subject of a sentence that goes on behind brackets: "`lift` (alone) fails"."""
    aside = _ASIDE.match(rest)
    said = plain_text(rest[aside.end() :]) if aside else ""
    return said[:1].islower() and words_in(said) > _IMPERATIVE_WORDS and bool(pattern("verb").search(said))


def _label(first: str) -> re.Match[str] | None:
    """Return the label that a paragraph begins with ("**Errors**: …", "Scope: …")."""
    bold = _BOLD_LEAD.match(first)
    if bold is not None:
        is_apart = bool(bold[1]) or bold.end() == len(first)
        return bold if is_apart or bold[0].rstrip("*_ ").endswith((*_ENDED, *_GOES_ON, *_ANNOUNCES)) else None
    key = _KEY.match(first)
    return None if key is None or pattern("verb").search(key[0]) else key


def _says_enough(plain: str, first: str, enough: int) -> bool:
    words = words_in(plain)
    if words >= enough or (words >= _SENTENCE_WORDS and pattern("order").match(plain)):
        return True
    says = first.rstrip().endswith(_ENDED) or bool(pattern("verb").search(plain))
    return says and words >= _SENTENCE_WORDS


@lru_cache(REMEMBERED)
def is_dependent(text: str) -> bool:
    """Return whether a text refers to what was said before it ("This makes …", "Otherwise …")."""
    plain = plain_text(text[:200].lstrip("-*+> ")).strip(EDGES)
    return bool(pattern("anaphora").match(plain))


def goes_on_with(above: Sequence[Block], paragraph: Block) -> bool:
    """Return whether a paragraph goes on with what stands right above it, such as a sentence that code interrupts."""
    text = paragraph.content
    is_interrupted = above[-1].kind in {"fence", "code"} and len(above) > 1 and _LOWER_CASE.match(text)
    solves = is_answer(text) and any(is_problem(block.content) for block in above)
    lasts = above[-1].kind in {"fence", "code"} and pattern("of_command").match(plain_text(text[:200]).strip(EDGES))
    means = above[-1].kind in {"fence", "code"} and pattern("same_as_above").search(plain_text(text[:200]))
    return bool(is_interrupted or lasts or means) or solves or is_example_label(text) or is_dependent(text)


def first_paragraph(text: str) -> str:
    """Return the first paragraph of an item, without what is nested in it."""
    return _BLANK_LINE.split(_NESTED.split(text[:LOOKED_AT_CHARS], maxsplit=1)[0], maxsplit=1)[0]


def is_rule_heading(heading: str) -> bool:
    """Return whether a heading states a rule by itself, without text below."""
    plain = plain_text(heading)
    return words_in(plain) >= _IMPERATIVE_WORDS and is_strong(plain)


# -- labels ----------------------------------------------------------------------------------------


def pseudo_heading(block: Block, following: Block) -> str:
    """Return the words of a paragraph that serves as a heading: one short bold line that states nothing."""
    if block.kind != "paragraph" or following.kind in {"rule", "comment"}:
        return ""
    bold = _BOLD_LINE.match(block.content) or _NUMBERED_LINE.match(block.content)
    if bold is None or is_example_label(block.content) or is_step_label(block.content):
        return ""
    label = plain_text(next(filter(None, bold.groups()))).rstrip(" :：")
    too_long = words_in(label) > _LABEL_WORDS + 2
    binds = is_strong(label) or bool(pattern("condition").match(label))
    states = label.endswith((*_ENDED, *_GOES_ON)) or (binds and not pattern("rules_label").match(label))
    return "" if too_long or states else label


def announces(text: str) -> bool:
    """Return whether a text ends with a colon, so that what follows belongs to it."""
    return text.rstrip().rstrip("*_ ").endswith(_ANNOUNCES)


def only_announces(text: str, most_words: int = FULL_SENTENCE_WORDS) -> bool:
    """Return whether words before a colon, up to so many, say nothing but that something follows."""
    plain = plain_text(text).strip(EDGES)
    if not is_statement(text) or is_counted(plain):
        return True
    announced = pattern("announcing").match(plain) or pattern("following").search(plain)
    return bool(announced) and words_in(plain) <= most_words


def lead_role(block: Block) -> LeadRole | None:
    """Return the role of a paragraph right before a list or table; None if it stands alone.

    neutral: announces rules and no more; label: a short heading in all but form; condition: says when the items hold
    ("When adding a migration:"); needed: its items make no sense without it ("The layers are:").
    """
    if block.kind != "paragraph" or len(block.content) > LOOKED_AT_CHARS:
        return None
    plain = plain_text(block.content)
    bare = plain.rstrip(" :：*_")
    if announces(plain) and pattern("neutral").match(bare):
        return "neutral"
    is_condition = bool(pattern("condition").match(bare))
    states = is_condition or bool(pattern("verb").search(bare)) or is_strong(bare)
    short = words_in(bare) <= _LABEL_WORDS and "\n" not in block.content
    if short and not states and not bare.endswith((*_ENDED, *_GOES_ON)):
        return "label"
    if not announces(plain):
        return None
    return "condition" if is_condition else "needed"


def leads_to_files(block: Block) -> bool:
    """Return whether a paragraph right before a list of places only leads to them, with a colon or without."""
    if is_strong(block.content):
        return False
    return bool(lead_role(block)) or (
        block.kind == "paragraph"
        and words_in(block.content) <= _RULE_WORDS
        and bool(pattern("listed_files").search(plain_text(block.content)))
    )


def only_leads(text: str) -> bool:
    """Return whether a text ends with a colon and says nothing but that something follows, or when that holds."""
    return announces(text) and (only_announces(text, LOOKED_AT_CHARS) or _is_mere_condition(text))


def leads_nowhere(text: str) -> bool:
    """Return whether a single sentence announces a structure, an example or the like: "Follow this structure:"."""
    plain = plain_text(text).strip(EDGES)
    return announces(plain) and len([*sentences_of(plain)]) == 1 and bool(pattern("shown_below").search(plain))


def _is_mere_condition(text: str) -> bool:
    """Return whether words before a colon only say when what follows holds: "When a hoist fails:"."""
    plain = plain_text(text).strip(EDGES)
    is_open = not any(sign in plain for sign in (",", "，", "、", ". "))
    return is_open and bool(pattern("condition").match(plain)) and bool(pattern("occasion").match(plain))


def is_example_label(text: str) -> bool:
    """Return whether a text is a label above an example: "Good:", "❌ Don't", "Example"."""
    if len(text) > _LONGEST_LABEL or "\n" in text.strip():
        return False
    plain = plain_text(text.strip()).strip(EDGES)
    return bool(pattern("example").match(plain)) and words_in(plain) <= _LINK_HEAD_WORDS


def holds_example(text: str) -> bool:
    """Return whether a label above an example is followed by the example itself: "Right: `lift()`"."""
    return bool(_HELD_EXAMPLE.search(text))


def is_glossary(heading: str) -> bool:
    """Return whether a heading stands above terms and what each of them means."""
    return bool(pattern("glossary_heading").match(heading))


def is_negative(label: str) -> bool:
    """Return whether a label or heading forbids what stands below it."""
    plain = plain_text(label[:_LONGEST_LABEL]).strip(EDGES)
    return bool(pattern("negative").match(plain)) and words_in(plain) <= FULL_SENTENCE_WORDS


def is_problem(text: str) -> bool:
    """Return whether a text begins with "Problem:" or the like, whose solution follows."""
    return bool(pattern("problem").match(plain_text(text[:_LONGEST_LABEL]).strip(EDGES)))


def is_answer(text: str) -> bool:
    """Return whether a text begins with "Solution:" or the like."""
    return bool(pattern("answer").match(plain_text(text[:_LONGEST_LABEL]).strip(EDGES)))


def is_record(text: str) -> bool:
    """Return whether each of several lines gives one value: "Module path: `quay`", "Go version: `1.26`"."""
    lines = text.strip().split("\n")
    return len(lines) > 1 and all(map(_VALUE_LINE.match, lines))


def names_all(text: str, items: Sequence[str]) -> bool:
    """Return whether a text names the label of each of several items, as in "Follow DRAIN-LIFT-TIE"."""
    labels = [plain_text(first_label(item)).strip(EDGES + ":：.—–-") for item in items]
    return len(labels) > 1 and all(len(label) > 1 and re.search(rf"\b{re.escape(label)}\b", text) for label in labels)


def has_bold_label(text: str) -> bool:
    """Return whether a text begins with a label in bold, as in "**Limits** — two of them:"."""
    found = _BOLD_LEAD.match(text)
    return found is not None and (found[1] in {":", "：", "—", "–", "-"} or announces(found[0]))


def has_label(text: str) -> bool:
    """Return whether a text begins with a label, as in "Limits: …"."""
    return len(first_label(text)) > 1


def is_counted(heading: str) -> bool:
    """Return whether a heading announces several things ("Four ways to mock")."""
    return bool(pattern("counted").match(heading))


def is_stored_list(heading: str) -> bool:
    """Return whether an assistant keeps its memories below a heading, an item for each."""
    return bool(pattern("stored_heading").match(heading))


def step_number(heading: str, parent: str) -> str | None:
    """Return the number of a step ("Step 2: …", or "2. …" below a heading that is about a procedure)."""
    plain = plain_text(heading).strip(EDGES)
    if found := pattern("step").match(plain):
        return found[0]
    found = pattern("numbered").match(plain)
    return found["number"] if found and is_procedure(parent) else None


def is_step_label(text: str) -> bool:
    """Return whether a paragraph begins a step ("**Step 2:** …")."""
    return bool(pattern("step").match(plain_text(text[:_LONGEST_LABEL]).strip(EDGES)))


def is_procedure(heading: str) -> bool:
    """Return whether a heading is about work in several steps rather than about rules."""
    if pattern("rules").search(heading):
        return False
    return bool(pattern("procedure").search(heading) or pattern("occasion").match(heading))


# -- lists and tables ------------------------------------------------------------------------------


def splits_into_items(block: Block, texts: Sequence[str], heading_path: Sequence[str]) -> bool:
    """Return whether the items of a list become memories of their own; a fragment goes with its neighbour then."""
    items = [text[:LOOKED_AT_CHARS] for text in texts[:LOOKED_AT_ITEMS]]
    heading = "".join(heading_path[-1:])
    if not items or sum(map(_goes_on, items)) > 1:
        return False
    states = sum(map(is_statement, items)) / len(items)
    are_long = sum(map(words_in, items)) >= _RULE_WORDS * len(items) and states >= _LONG_SHARE
    is_ordered = block.kind == "ordered"
    if are_long and len(items) > 1 and block.kind == "bullets" and not is_negative(heading):
        return True
    if is_ordered and pattern("making_rules").match(heading):
        return False
    about_rules = bool(pattern("rules").search(heading))
    if _belong_together(items, heading_path, about_rules=about_rules, is_ordered=is_ordered):
        return False
    if is_ordered and not about_rules:
        return _are_no_steps(items, are_long=are_long, states=states)
    return states >= _SPLIT_SHARE


def _are_no_steps(items: Sequence[str], *, are_long: bool, states: float) -> bool:
    """Return whether ordered items below a heading that names no rules are facts, or rules all the same.

    `states`: the share of them that are statements.
    """
    if all(map(_is_fact, items)):
        return len(items) > 1
    return are_long or (states == 1 and sum(map(_is_firm, items)) >= _ORDERED_SHARE * len(items))


def _is_fact(item: str) -> bool:
    """Return whether an ordered item is a sentence about something rather than a step."""
    plain = plain_text(first_paragraph(item)).strip(EDGES)
    is_sentence = plain.endswith((".", "。")) and words_in(plain) >= FULL_SENTENCE_WORDS and is_statement(item)
    return is_sentence and not (is_imperative(plain) or first_label(item)[1:]) and bool(_FACT.match(plain))


def _goes_on(item: str) -> bool:
    return item.rstrip().endswith(_GOES_ON)


def _belong_together(items: Sequence[str], heading_path: Sequence[str], *, about_rules: bool, is_ordered: bool) -> bool:
    """Return whether items are steps, things to try, checks, a pair of examples, or what a heading forbids."""
    heading = heading_path[-1] if heading_path else ""
    tries = any(map(pattern("trouble").search, heading_path))
    numbered = heading_path if is_ordered else heading_path[-1:]
    if is_ordered and _STEPS.search(heading):
        return True
    if not about_rules and (tries or is_counted(heading) or any(map(is_procedure, numbered))):
        return True
    if 2 * sum(map(_is_check, items)) > len(items):
        return True
    if any(map(is_answer, items)) and any(map(is_problem, items)):
        return True
    if _are_examples(items):
        return True
    return is_negative(heading) and not all(map(is_strong, map(first_paragraph, items)))


def _are_examples(items: Sequence[str]) -> bool:
    """Return whether some items are good examples, and some bad ones."""
    labels = [is_negative(first_label(item)) for item in items if is_example_label(first_label(item))]
    return any(labels) and not all(labels)


def _is_check(item: str) -> bool:
    first = first_paragraph(item).rstrip()
    return bool(_CHECK_BOX.match(item) or _ASKS_FIRST.search(first)) or first.endswith(_ASKS)


def are_firm(items: Sequence[str]) -> bool:
    """Return whether each of some items states a whole rule."""
    whole = all(is_statement(item) and words_in(item) >= _FIRM_ITEM_WORDS for item in items)
    return whole and all(is_strong(item) or item.rstrip().endswith((".", "。")) for item in items)


def first_label(item: str) -> str:
    """Return the label that an item begins with ("❌ Bad: …"), else its first sign."""
    first = first_paragraph(item)
    lead = _label(first)
    return lead[0] if lead else first[:1]


def _is_firm(item: str) -> bool:
    """Return whether an ordered item is a rule rather than a step."""
    first = first_paragraph(item)
    lead = _BOLD_LEAD.match(first)
    if lead is None or _NAMES_FIRST.match(first):
        return is_strong(first)
    return words_in(plain_text(_FENCE_LINE.split(first[lead.end() :], maxsplit=1)[0])) >= _SENTENCE_WORDS


def splits_into_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table states a rule in each row, rather than being a glossary, commands or other reference."""
    is_list = not rows or len(heads) < 2  # noqa: PLR2004 - a single column is a list
    if is_list or _is_reference(heads, [cells[0] for cells in rows]):
        return False
    named = sum(1 for cells in rows if _NAMES_FIRST.match(cells[0]))
    rules = _is_strong_statement if 2 * named > len(rows) else _is_rule_cell
    return sum(any(map(rules, cells)) for cells in rows) >= _SPLIT_SHARE * len(rows)


def _is_reference(heads: Sequence[str], firsts: Sequence[str]) -> bool:
    """Return whether a table numbers steps or lists the properties of something, by its heads and first column."""
    first, *others = (plain_text(head).strip(EDGES) for head in heads)
    if pattern("step_head").match(first) or all(map(_NUMBERED_CELL.match, firsts)):
        return True
    return bool(pattern("reference_head").match(first)) and any(map(pattern("value_head").match, others))


def _is_strong_statement(cell: str) -> bool:
    return is_strong(cell) and is_statement(cell)


def _is_rule_cell(cell: str) -> bool:
    plain = plain_text(cell)
    orders = is_imperative(plain) and first_word(plain) not in openings("nouns")
    return words_in(plain) >= _IMPERATIVE_WORDS and (orders or is_strong(cell) or bool(pattern("order").match(plain)))
