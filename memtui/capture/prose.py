"""What the words of a block, an item or a heading do: state something, lead to it, belong to it, or only point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import Literal

from memtui.analysis.classify import first_word, is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.titles import plain_text
from memtui.capture.blocks import CALLOUT_MARK, Block, BlockKind, item_text
from memtui.text.tables import compile_lines, read_table

LeadRole = Literal["neutral", "label", "condition", "needed"]


class SkipReason(StrEnum):
    """Why lines become no memory, as people read it; code compares the members, never their words."""

    COMMENT = "comment"
    CONTEXT = "heading: kept as context"
    NO_TEXT = "heading without text"
    CALLOUT = CALLOUT_MARK
    COLUMNS = "column heads: kept with each row"
    LEAD = "words that lead to the list"
    RULE = "horizontal rule"
    LINKS = "links only"
    LINK_DEFINITION = "link definition"
    CONTENTS = "table of contents"
    IMPORT = "import of another file"
    POINTER = "only points elsewhere"
    PERSONA = "tells the assistant who it is"
    INTRO = "says what the file is for"
    METADATA = "says who wrote it and when"
    PLACEHOLDER = "empty place of a template"
    LICENCE = "licence note"
    IMAGES = "badges or images"
    MARKUP = "mark-up without text"
    EMPTY = "holds no text"
    DATA = "data rather than text"


STRUCTURE = frozenset(
    {SkipReason.COMMENT, SkipReason.CONTEXT, SkipReason.NO_TEXT, SkipReason.CALLOUT, SkipReason.COLUMNS}
)
"""Not reported line by line: they have no content of their own."""

_NEVER_TEXT: dict[BlockKind, SkipReason] = {"comment": SkipReason.COMMENT, "rule": SkipReason.RULE}

_LOOKED_AT_CHARS = 2_000
_LOOKED_AT_ITEMS = 200

_IMAGES = re.compile(r"\[?!\[[^\[\]]{0,200}\]\([^()]{0,500}\)(?:\]\([^()]{0,500}\))?")
_TAGS = re.compile(r"<[^<>]{0,500}>")
_FRAGMENT_LINK = re.compile(r"\s*\[[^\[\]]{1,200}\]\(#[^()\s]{0,300}\)\s*$")
_IMPORT_LINE = re.compile(r"\s*@(?=[^\s@]*[./\\])(?:[^\s@`]|\\ ){1,300}\s*$")
_LINK_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,300}\]:")
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_LINK = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]{0,80}\]){1,200}\]\([^()\s]{1,500}(?:\s[^()]{0,100})?\)|<?https?://[^\s<>)]{1,500}>?"
)
_DOC_PATH = re.compile(
    r"`?(?:@|\./|\.\./)?[\w./@*<>{}-]{0,150}\.(?:mdx?|mdc|rst|txt|adoc|html|pdf)(?:#[\w-]+)?`?(?![\w/])|`[^`]{0,80}(?:docs|documentation)/[^`]{0,80}`"
)
_BOLD_LINE = re.compile("\\s*(?:\\*\\*([^*\n]{1,100})\\*\\*|__([^_\n]{1,100})__)\\s*([:：]?)\\s*$")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]*_`]*(?=\s|$)|[。！？]+[」』）)\"'”’*_`]*")
_UNBROKEN = re.compile(r"[!-~]{1200}")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|esp|no|nr|dr|st|fig|z\.b|d\.h|bzw|ca|p\.\s?ex|ex|[A-Za-z])\.$|^\s*\d{1,3}\.$",
    re.IGNORECASE,
)
_ENDED = (".", "!", "?", "。", "！", "？", ",", ";")
_ANNOUNCES = (":", "：")
_EDGES = " *_~`>#"
_NAMES_FIRST = re.compile(
    r"(?:\[[ xX]\]\s+)?(?:(?:\*\*|__)?"
    r"(?:`[^`]{1,120}`|\[[^\[\]]{1,120}\]\([^()]{1,300}\)|[\w.@*-]*/[\w./@*-]*)"
    r"(?:\*\*|__)?|(?:\*\*|__)(?:[\w-]+\.[A-Za-z.]{1,12}|[\w.]+\(\)|[\w-]+/)(?:\*\*|__))\s*"
    r"(?:$|[:：=→]|[—–-]{1,2}\s|\(|->)"
)
_BOLD_LEAD = re.compile(r"(?:\*\*|__)(?=\S).{1,160}?(?<=\S)(?:\*\*|__)\s*(?:[:：.—–-]|$)?")
_KEY = re.compile(r"(?:[^\s:：.,;]+ ){0,3}[^\s:：.,;]+[:：]\s+(?=\S)")
_CHECK_BOX = re.compile(r"\[[ xX]\]\s")
_NESTED = re.compile(r"\n[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD_LETTER = re.compile(r"\w")
_CODE_COMMENT = re.compile(r"\s*(?://|#|--|/\*|<!--)\s*(.{1,80}?)\s*(?:\*/|-->)?\s*$")

_LABEL_WORDS = 5
_LONGEST_LABEL = 120
_FULL_SENTENCE_WORDS = 8
_SENTENCE_WORDS = 5
_IMPERATIVE_WORDS = 3
_STRONG_WORDS = 2
_SPLIT_SHARE = 0.66  # two of three
_ORDERED_SHARE = 0.5
_POINTING_SHARE = 0.75
_NESTED_CHARS = 60
_LINK_HEAD_WORDS = 10
_BESIDE_LINK_WORDS = 5
_POINTER_WORDS = 20
_LICENCE_CHARS = 400


@cache
def _pattern(name: str) -> re.Pattern[str]:
    table = read_table(__file__, "prose.toml")
    return compile_lines(table["at_start"].get(name) or table["anywhere"][name])


def words_in(text: str) -> int:
    """Return the number of words; two CJK characters count as one."""
    latin = sum(1 for word in _CJK.sub(" ", text).split() if _WORD_LETTER.search(word))
    return latin + (len(_CJK.findall(text)) + 1) // 2


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the position behind each sentence of a text, the last one included."""
    for end in _SENTENCE_END.finditer(text):
        if end[0] != "." or not _ABBREVIATION.search(text[max(0, end.start() - 12) : end.end()]):
            yield end.end()
    if text and not _SENTENCE_END.search(text[-4:]):
        yield len(text)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in sentence_ends(text):
        if sentence := text[start:end].strip():
            yield sentence
        start = end


def is_strong(text: str) -> bool:
    """Return whether a text requires or forbids something."""
    return bool(_pattern("strong").search(text))


# -- nothing to remember ---------------------------------------------------------------------------


def no_memory_reason(
    block: Block, lines: Sequence[str], heading_path: Sequence[str], *, each_item: bool = False
) -> str:
    """Return why a block becomes no memory, or nothing if it may become one.

    Args:
        block: the block.
        lines: the lines of the text.
        heading_path: the headings above it.
        each_item: whether every item of a list is a memory, even one that is a link.
    """
    text = "\n".join(lines[block.lines.first : block.lines.last + 1])
    if block.kind in _NEVER_TEXT or not text.strip():
        return _NEVER_TEXT.get(block.kind, SkipReason.EMPTY)
    if block.kind in {"fence", "code", "heading"}:
        return ""
    heading = heading_path[-1] if heading_path else ""
    if _pattern("licence_heading").match(heading) and len(text) <= _LICENCE_CHARS and not is_strong(text):
        return SkipReason.LICENCE
    if block.kind == "table":
        return _no_table_reason([lines[row.first] for row in block.items])
    if block.kind in {"bullets", "ordered"}:
        items = [] if each_item else [item_text(lines, item) for item in block.items[:_LOOKED_AT_ITEMS]]
        return _no_list_reason(text, items, heading)
    if block.kind == "html":
        return "" if _TAGS.sub("", text[:_LOOKED_AT_CHARS]).strip() else SkipReason.MARKUP
    return _no_paragraph_reason(text)


def _no_list_reason(text: str, items: Sequence[str], heading: str) -> str:
    bare = [_LIST_MARK.sub("", line, count=1) for line in text[:_LOOKED_AT_CHARS].split("\n") if line.strip()]
    if all(map(_FRAGMENT_LINK.match, bare)):
        return SkipReason.CONTENTS
    if all(map(_IMPORT_LINE.match, bare)):
        return SkipReason.IMPORT
    if (
        items
        and _pattern("contents_heading").match(heading)
        and all("](" in item or (words_in(item) <= _FULL_SENTENCE_WORDS and not is_strong(item)) for item in items)
    ):
        return SkipReason.CONTENTS
    reasons = [reason for item in items if (reason := no_text_reason(item))]
    left = sum(1 for item in items if not no_text_reason(item) and (is_strong(item) or is_statement(item)))
    if items and len(reasons) >= _POINTING_SHARE * len(items) and (not left or len(reasons) == len(items)):
        return SkipReason.LINKS if SkipReason.POINTER in reasons else reasons[0]
    return ""


def _no_table_reason(rows: Sequence[str]) -> str:
    if not rows:
        return SkipReason.EMPTY
    pointing = sum(1 for row in rows if _DOC_PATH.search(_cells_of(row)[-1]) or _points(_cells_of(row)[0]))
    return SkipReason.LINKS if pointing >= _POINTING_SHARE * len(rows) and not any(map(is_strong, rows)) else ""


def _cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")] or [""]


def _no_paragraph_reason(text: str) -> str:
    if _UNBROKEN.search(text):
        return SkipReason.DATA
    if len(text) > _LOOKED_AT_CHARS:
        return ""
    lines = [line.lstrip("> ") for line in text.split("\n") if line.strip("> ")]
    if not _IMAGES.sub("", text).strip():
        return SkipReason.IMAGES
    if all(map(_IMPORT_LINE.match, lines)):
        return SkipReason.IMPORT
    if not _WORD_LETTER.search(_LINK.sub("", text)) and _LINK.search(text):
        return SkipReason.LINKS
    if all(_pattern("metadata").match(plain_text(line)) and words_in(line) <= _LINK_HEAD_WORDS for line in lines):
        return SkipReason.METADATA
    return no_text_reason("\n".join(lines))


def no_text_reason(text: str) -> str:
    """Return why a text is nothing to remember: each of its sentences points elsewhere, introduces, or is empty."""
    if len(text) > _LOOKED_AT_CHARS or "```" in text or "~~~" in text:
        return ""
    if is_import(text):
        return SkipReason.IMPORT
    reason = ""
    for sentence in _sentences(_IMAGES.sub("", text)):
        found = _no_sentence_reason(sentence)
        if not found:
            return ""
        reason = reason or found
    return reason


def _no_sentence_reason(sentence: str) -> str:
    plain = plain_text(sentence).strip(_EDGES)
    if not _WORD_LETTER.search(plain):
        return SkipReason.EMPTY
    if _pattern("placeholder").match(plain) and not _LINK.search(sentence):
        return SkipReason.PLACEHOLDER
    if _points(sentence):
        return SkipReason.POINTER
    if _pattern("persona").match(plain):
        return SkipReason.PERSONA
    return SkipReason.INTRO if _pattern("intro").match(plain) and not is_strong(plain) else ""


def _points(sentence: str) -> bool:
    """Return whether a sentence only says where something stands."""
    bare, named = _DOC_PATH.subn(" ", _LINK.sub(" ", sentence))
    targets = len(_LINK.findall(sentence)) + named
    plain = plain_text(sentence.lstrip("-*+ >")).strip(_EDGES + "→")
    rest = words_in(plain_text(bare))
    if _pattern("pointer").match(plain):
        return rest <= _POINTER_WORDS and not (is_strong(plain) and rest > _FULL_SENTENCE_WORDS)
    if not targets or is_strong(plain):
        return False
    if _pattern("pointing").search(plain):
        return rest <= _LINK_HEAD_WORDS
    states = is_imperative(plain) or bool(_pattern("verb").search(plain_text(bare)))
    head = sentence.lstrip("-*+ >_[")
    if _LINK.match(sentence.lstrip("-*+ >_")) or _DOC_PATH.match(head.lstrip("`*")) or _DOC_PATH.match(head):
        return rest <= (_BESIDE_LINK_WORDS if states else _LINK_HEAD_WORDS)
    is_doc = bool(named) or any(re.search(r"\.mdx?\b|/docs?/", link) for link in _LINK.findall(sentence))
    return rest <= (_BESIDE_LINK_WORDS if is_doc else 2) and not states


def is_import(text: str) -> bool:
    """Return whether a text only names a file to import, `@path`."""
    return bool(_IMPORT_LINE.match(text))


def is_link_definition(line: str) -> bool:
    """Return whether a line defines the target of a link, `[name]: url`."""
    return bool(_LINK_DEFINITION.match(line))


# -- statements and fragments ----------------------------------------------------------------------


def is_statement(text: str) -> bool:
    """Return whether the first paragraph of a text says something by itself, rather than being a name or a fragment."""
    first = first_paragraph(text)
    plain = plain_text(first).strip(_EDGES)
    words = words_in(plain)
    if _NAMES_FIRST.match(first):
        return words > _SENTENCE_WORDS and is_strong(first)
    if is_strong(first):
        return words >= _STRONG_WORDS
    if is_dependent(text):
        return False
    if _NESTED.search(text):
        return len(text) >= _NESTED_CHARS
    if lead := _BOLD_LEAD.match(first) or _KEY.match(first):
        rest = plain_text(first[lead.end() :])
        tells = is_imperative(rest) or (is_imperative(plain) and not (rest and first_word(plain) in openings("nouns")))
        return words >= _IMPERATIVE_WORDS and (tells or _says_enough(rest, first))
    if is_imperative(plain):
        return words >= _IMPERATIVE_WORDS
    return _says_enough(plain, first)


def _says_enough(plain: str, first: str) -> bool:
    words = words_in(plain)
    if words >= _FULL_SENTENCE_WORDS:
        return True
    says = first.rstrip().endswith(_ENDED) or bool(_pattern("verb").search(plain))
    return says and words >= _SENTENCE_WORDS


def is_dependent(text: str) -> bool:
    """Return whether a text refers to what was said before it ("This makes …", "Otherwise …")."""
    plain = plain_text(text[:200].lstrip("-*+> ")).strip(_EDGES)
    return bool(_pattern("anaphora").match(plain))


def first_paragraph(text: str) -> str:
    """Return the first paragraph of an item, without what is nested in it."""
    return _BLANK_LINE.split(_NESTED.split(text[:_LOOKED_AT_CHARS], maxsplit=1)[0], maxsplit=1)[0]


def is_rule_heading(heading: str) -> bool:
    """Return whether a heading states a rule by itself, without text below."""
    plain = plain_text(heading)
    return words_in(plain) >= _IMPERATIVE_WORDS and is_strong(plain)


# -- labels ----------------------------------------------------------------------------------------


def pseudo_heading(block: Block, following: Block) -> str:
    """Return the words of a paragraph that serves as a heading: one short bold line that states nothing."""
    if block.kind != "paragraph" or following.kind in {"rule", "comment"}:
        return ""
    bold = _BOLD_LINE.match(block.content)
    if bold is None or is_example_label(block.content) or is_step_label(block.content):
        return ""
    label = plain_text(bold[1] or bold[2]).rstrip(" :：")
    too_long = words_in(label) > _LABEL_WORDS + 2
    states = label.endswith(_ENDED) or is_strong(label) or bool(_pattern("condition").match(label))
    return "" if too_long or states else label


def announces(text: str) -> bool:
    """Return whether a text ends with a colon, so that what follows belongs to it."""
    return text.rstrip().rstrip("*_ ").endswith(_ANNOUNCES)


def lead_role(block: Block) -> LeadRole | None:
    """Return the role of a paragraph right before a list or table; None if it stands alone.

    neutral: announces rules and no more; label: a short heading in all but form; condition: says when the items hold
    ("When adding a migration:"); needed: its items make no sense without it ("The layers are:").
    """
    if block.kind != "paragraph" or len(block.content) > _LOOKED_AT_CHARS:
        return None
    plain = plain_text(block.content)
    bare = plain.rstrip(" :：*_")
    if announces(plain) and _pattern("neutral").match(bare):
        return "neutral"
    is_condition = bool(_pattern("condition").match(bare))
    states = is_condition or bool(_pattern("verb").search(bare)) or is_strong(bare)
    short = words_in(bare) <= _LABEL_WORDS and "\n" not in block.content
    if short and not states and not bare.endswith(_ENDED):
        return "label"
    if not announces(plain):
        return None
    return "condition" if is_condition else "needed"


def is_example_label(text: str) -> bool:
    """Return whether a text is a label above an example: "Good:", "❌ Don't", "Example"."""
    if len(text) > _LONGEST_LABEL or "\n" in text.strip():
        return False
    plain = plain_text(text.strip()).strip(_EDGES)
    return bool(_pattern("example").match(plain)) and words_in(plain) <= _LINK_HEAD_WORDS


def is_negative(label: str) -> bool:
    """Return whether a label or heading forbids what stands below it."""
    plain = plain_text(label[:_LONGEST_LABEL]).strip(_EDGES)
    return bool(_pattern("negative").match(plain)) and words_in(plain) <= _FULL_SENTENCE_WORDS


def is_example_code(code: str) -> bool:
    """Return whether a fence begins with a comment like "// Bad"."""
    lines = code.split("\n", 2)
    comment = _CODE_COMMENT.match(lines[0]) if lines else None
    return bool(comment) and is_example_label(comment[1] if comment else "")


def is_counted(heading: str) -> bool:
    """Return whether a heading announces several things ("Four ways to mock")."""
    return bool(_pattern("counted").match(heading))


def is_stored_list(heading: str) -> bool:
    """Return whether an assistant keeps its memories below a heading, an item for each."""
    return bool(_pattern("stored_heading").match(heading))


def step_number(heading: str, parent: str) -> str | None:
    """Return the number of a step ("Step 2: …", or "2. …" below a heading that is about a procedure)."""
    plain = plain_text(heading).strip(_EDGES)
    if found := _pattern("step").match(plain):
        return found[0]
    found = _pattern("numbered").match(plain)
    return found["number"] if found and is_procedure(parent) else None


def is_step_label(text: str) -> bool:
    """Return whether a paragraph begins a step ("**Step 2:** …")."""
    return bool(_pattern("step").match(plain_text(text[:_LONGEST_LABEL]).strip(_EDGES)))


def is_procedure(heading: str) -> bool:
    """Return whether a heading is about work in several steps rather than about rules."""
    if _pattern("rules").search(heading):
        return False
    return bool(_pattern("procedure").search(heading) or _pattern("occasion").match(heading))


# -- lists and tables ------------------------------------------------------------------------------


def splits_into_items(block: Block, texts: Sequence[str], heading: str) -> bool:
    """Return whether the items of a list become memories of their own; a fragment goes with its neighbour then."""
    items = [text[:_LOOKED_AT_CHARS] for text in texts[:_LOOKED_AT_ITEMS]]
    about_rules = bool(_pattern("rules").search(heading))
    if not items or (not about_rules and is_procedure(heading)):
        return False
    if 2 * sum(1 for item in items if _CHECK_BOX.match(item)) > len(items):
        return False
    labels = [is_negative(first_label(item)) for item in items if is_example_label(first_label(item))]
    if any(labels) and not all(labels):
        return False
    if is_negative(heading) and not all(map(is_strong, map(first_paragraph, items))):
        return False
    if block.kind == "ordered" and not about_rules:
        return sum(map(_is_firm, items)) >= _ORDERED_SHARE * len(items)
    return sum(map(is_statement, items)) >= _SPLIT_SHARE * len(items)


def first_label(item: str) -> str:
    """Return the label that an item begins with ("❌ Bad: …"), else its first sign."""
    first = first_paragraph(item)
    lead = _BOLD_LEAD.match(first) or _KEY.match(first)
    return lead[0] if lead else first[:1]


def _is_firm(item: str) -> bool:
    """Return whether an ordered item is a rule rather than a step."""
    first = first_paragraph(item)
    lead = _BOLD_LEAD.match(first)
    if lead is None or _NAMES_FIRST.match(first):
        return is_strong(first)
    return words_in(plain_text(first[lead.end() :])) >= _SENTENCE_WORDS


def splits_into_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table states a rule in each row, rather than being a glossary, commands or other reference."""
    if not rows or len(heads) < 2:  # noqa: PLR2004 - a single column is a list
        return False
    named = sum(1 for cells in rows if _NAMES_FIRST.match(cells[0]))
    ruled = sum(1 for cells in rows if any(_is_rule_cell(cell) for cell in cells))
    if 2 * named > len(rows):
        ruled = sum(1 for cells in rows if any(is_strong(cell) and is_statement(cell) for cell in cells))
    return ruled >= _SPLIT_SHARE * len(rows)


def _is_rule_cell(cell: str) -> bool:
    words = words_in(plain_text(cell))
    return (is_strong(cell) or is_imperative(plain_text(cell))) and words >= _IMPERATIVE_WORDS
