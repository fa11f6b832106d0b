"""What becomes no memory: links, tables of contents, introductions, empty places of templates, data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memtui.analysis.imperative import first_word, is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.title_words import without_label
from memtui.capture.blocks import (
    Block,
    BlockKind,
    item_text,
)
from memtui.capture.history_sections import is_history, is_of_tasks
from memtui.capture.prose import (
    EDGES,
    FULL_SENTENCE_WORDS,
    LOOKED_AT_CHARS,
    LOOKED_AT_ITEMS,
    REMEMBERED,
    WORD_LETTER,
    announces,
    is_statement,
    is_strong,
    pattern,
    sentences_of,
    words_in,
)
from memtui.capture.skip_codes import SkipReason
from memtui.capture.tag_headings import CODE_CHARS
from memtui.text.inline import plain_text

_NEVER_TEXT: dict[BlockKind, SkipReason] = {"comment": SkipReason.COMMENT, "rule": SkipReason.RULE}

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
    r"@[\w.-]{1,80}/[\w./-]{0,120}\.[a-z]{2,6}\b"
    r"|`?(?:@ ?|\./|\.\./)?[\w./@*<>{}-]{0,150}\.(?:mdx?|mdc|markdown|rst|txt|adoc|html|pdf)(?:#[\w-]+)?`?(?![\w/])"
    r"|`[^`]{0,80}(?:docs|documentation)/[^`]{0,80}`|`mem:[\w./-]{1,120}`"
)
_LEFT_OPEN = re.compile(r"\.{3}|…")
_PLACE_ALONE = re.compile(r"`[\w./@-]*/[\w./-]+`|\[[^\[\]]{1,200}\]\([^()\s]{1,500}\)")
_LABEL_OF_POINTER = re.compile(r"^[\w /-]{1,40}[:*_]{1,6}\s+(?=see\b)", re.IGNORECASE)
_CODE_ALONE = re.compile(r"`[^`]+`")
_DASHED_PATH = re.compile(r"\s[—–-]\s+(?:\[[^\[\]]+\]\([^()\s]+\.mdx?\)|`[\w./-]+\.mdx?`)[.\s]*$")
_DASHED = re.compile(r"\s[—–]\s[^—–]{1,300}\s[—–]\s")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_FOLDER = re.compile(r"[*_]*`[\w./-]+/`[*_]*(?:(?:,|\s+and)\s+`[\w./-]+`)*\s+[—–-]")
_PATH_FIRST = re.compile(r"[*_]*`(?:[\w.-]+/)*[\w.-]*\.(?:json|ya?ml|toml|example)`[*_]*\s*(?:[:：]|[—–-]\s)")
_DOC_LINK = re.compile(r"\]\([^()\s]*(?:\.mdx?\b|/docs?/)")
# No spaces, and no script that is written without them.
_UNBROKEN = re.compile(
    "[^\\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]{1200}"
    "|^(?:[ \\t>]*[!-~]{40,}\n){20}",
    re.MULTILINE,
)
_INSTRUCTIONS = re.compile(r"\b(?:agents|claude|gemini|copilot-instructions)\.md\b", re.IGNORECASE)
_LABELLED_PATH = re.compile(
    r"(?:[:：]|\s(?:→|->)\s)[*_\s]*(?:(?:the|our|root|parent|main|top-level|nearest)\s+){0,2}[`\[<@]*[\w./-]+\.(?:mdx?|mdc|rst|txt|adoc)\b[`*)\s]*(?:\]\([^()\s]*\)[*\s]*)?(?:(?:under|in|at)\s|[.\s]*$)"
)
_CLAUSES = re.compile(
    r"(?P<mark>[;；]|,(?:\s+(?:and|then|but))*|\s(?:and|then|but))\s+(?=(?P<said>[^;；,]{1,300}))", re.IGNORECASE
)
_ENDS_POINTING = re.compile(r"\b(?:read|see|consult|check|refer to)(?: (?:our|the|this))?[\s.*_`]*$")
_DATED = re.compile(r"[:：]\s*\d{4}-\d{2}-\d{2}\b")
_LABEL_OF_LINK = re.compile(
    r"(?:[\w/-]+ ){0,3}[\w/-]+[*_]*\s*(?:[—–-]{1,2}|[:：])[*_]*\s+"
    r"(?=\[[^\[\]]{1,200}\]\([^()\s]+\)[*_`]*\s*[:：—–-]\s*\w)"
)
_ASKED_ABOUT = re.compile(r"\]\([^()\s]+\)[*_`]*\s*[:：—–-]\s*(?:which|what|who|how|where|why)\b", re.IGNORECASE)
"""The label before a link, `**Owners** — [page](…)`, and a question behind it that the page answers."""
_DESCRIBED = re.compile(r"(?:(?<=[`)])|(?<=\.md))\s+\([^()]{1,200}\)[.\s]*$")
_TELLS = re.compile(r"[`/\d]|\]\(")  # code, a path, a number or a link, by which a list of virtues says something
_PHRASE_REST = re.compile(r"[^.:：;,—–]{0,80}\.?")
_WITH_OBJECT = re.compile(
    r"\b(?!(?:of|for|in|on|at|to|with|from|by|and|or|about|into|across|within|under|inside|over|through|using|\w+ing)\s)"
    r"[\w'’-]+\s+(?:the|an?|its|their|this|these|our|your|every|each|all)\s",
    re.IGNORECASE,
)
"""A word before an article that is no preposition, thus a verb that the list of verbs lacks: "tests block the pier"."""
_FENCE_MARK = re.compile(r"^[ \t>]*(?:`{3}|~{3})", re.MULTILINE)
_CHAPTER_WORDS = 4
_POINTING_SHARE = 0.75
_LINK_HEAD_WORDS = 10
_DESCRIBED_WORDS = 24
_BESIDE_LINK_WORDS = 5
_POINTER_WORDS = 20
_ROLE_WORDS = 14
_SENTENCES_BESIDE = 1
_LICENCE_CHARS = 400
_CLAUSE_WORDS = 3
_TOPIC_WORDS = 5


def no_memory_reason(
    block: Block, lines: Sequence[str], heading_path: Sequence[str], *, each_item: bool = False, above: str = ""
) -> str:
    """Return why a block becomes no memory, or nothing if it may become one.

    Args:
        block: the block.
        lines: the lines of the text.
        heading_path: the headings above it.
        each_item: whether every item of a list is a memory, even one that is a link.
        above: the paragraph right above a list, which may be its label.
    """
    text = "\n".join(lines[block.lines.first : block.lines.last + 1])
    if block.kind in _NEVER_TEXT or not text.strip():
        return _NEVER_TEXT.get(block.kind, SkipReason.EMPTY)
    if _is_all_data(block, text, lines):
        return SkipReason.DATA
    if block.kind in {"fence", "code", "heading"}:
        return SkipReason.PLACEHOLDER if block.kind == "fence" and _is_left_open(text) else ""
    heading = heading_path[-1] if heading_path else ""
    if reason := _heading_reason(block, text, heading) or _past_reason(block, lines, heading_path):
        return reason
    if block.kind == "table":
        return _no_table_reason([lines[row.first] for row in block.items], is_pointing=_leads_elsewhere(heading))
    if block.kind in {"bullets", "ordered"}:
        items = [] if each_item else [item_text(lines, item) for item in block.items[:LOOKED_AT_ITEMS]]
        return _no_list_reason(text, items, heading, is_pointing=_leads_elsewhere(heading) or _leads_elsewhere(above))
    return _no_markup_reason(text) if block.kind == "html" else _no_paragraph_reason(text)


def _no_markup_reason(text: str) -> str:
    words = _TAGS.sub("", text[:LOOKED_AT_CHARS]).strip()
    is_label = words_in(words) <= _CHAPTER_WORDS and not is_statement(words)
    return SkipReason.MARKUP if not words or is_label else ""


def _is_left_open(fence: str) -> bool:
    """Return whether Markdown shown as an example has nothing below its headings but `...`."""
    lines = [line.strip() for line in fence.split("\n")[1:-1] if line.strip()]
    told = [line for line in lines if not line.startswith("#")]
    return 0 < len(told) < len(lines) and all(map(_LEFT_OPEN.fullmatch, told))


def _is_all_data(block: Block, text: str, lines: Sequence[str]) -> bool:
    if block.kind in {"fence", "code"}:
        return len(text) > CODE_CHARS
    if block.kind in {"bullets", "ordered"} and block.items:
        return all(is_data(item_text(lines, item)) for item in block.items)
    return block.kind != "heading" and is_data(text)


def _heading_reason(block: Block, text: str, heading: str) -> str:
    """Return why a block below a heading like "Licence" or "Version history" becomes no memory."""
    if pattern("licence_heading").match(heading) and len(text) <= _LICENCE_CHARS and not is_strong(text):
        return SkipReason.LICENCE
    if pattern("role_heading").match(heading) and words_in(text) <= _ROLE_WORDS and block.kind == "paragraph":
        return "" if _tells(text) else SkipReason.PERSONA
    if pattern("praise_heading").match(heading) and _only_praises(block, text):
        return SkipReason.INTRO
    if pattern("instructions_heading").match(heading) and pattern("virtues").match(plain_text(text).strip(EDGES)):
        return SkipReason.INTRO
    is_audience = pattern("audience_heading").match(heading) and words_in(text) <= _POINTER_WORDS
    return SkipReason.INTRO if is_audience and not _says_something(text) else ""


def _tells(text: str) -> bool:
    """Return whether a text announces, orders or states something."""
    says = announces(text) or is_strong(text) or is_statement(text)
    return says or pattern("verb").search(plain_text(text)) is not None


def _only_praises(block: Block, text: str) -> bool:
    """Return whether a list names virtues alone, each behind a bold label, and no code, rule, number or verb."""
    items = [line for line in text.split("\n") if line.strip()]
    labelled = all("**" in line for line in items)
    says = is_strong(text) or _TELLS.search(text) or any(pattern("verb").search(plain_text(item)) for item in items)
    return block.kind == "bullets" and labelled and not says


def _says_something(text: str) -> bool:
    return is_strong(text) or is_imperative(text) or pattern("verb").search(plain_text(text)) is not None


def _past_reason(block: Block, lines: Sequence[str], heading_path: Sequence[str]) -> str:
    if is_history(block, lines, heading_path):
        return SkipReason.HISTORY
    return SkipReason.TASKS if is_of_tasks(block, lines, heading_path) else ""


def _leads_elsewhere(label: str) -> bool:
    """Return whether a heading or label stands above other places to read: "See also"."""
    return bool(pattern("pointer_list").match(plain_text(label[:_LICENCE_CHARS]).strip(EDGES)))


def _is_place_to_read(item: str) -> bool:
    """Return whether an item of such a list names a page, and states no rule."""
    bare, named = _DOC_PATH.subn(" ", _LINK.sub(" ", item))
    targets = named or _LINK.search(item) or _FOLDER.match(item) or _PATH_FIRST.match(item)
    is_brief = words_in(bare) <= _DESCRIBED_WORDS and len([*sentences_of(item)]) <= _SENTENCES_BESIDE
    return bool(targets) and is_brief and not is_strong(item) and not _also_rules(item)


def _no_list_reason(text: str, items: Sequence[str], heading: str, *, is_pointing: bool) -> str:
    bare = [_LIST_MARK.sub("", line, count=1) for line in text[:LOOKED_AT_CHARS].split("\n") if line.strip()]
    if all(map(_FRAGMENT_LINK.match, bare)):
        return SkipReason.CONTENTS
    if all(map(_IMPORT_LINE.match, bare)):
        return SkipReason.IMPORT
    if items and pattern("contents_heading").match(heading) and all(map(_names_chapter, items)):
        return SkipReason.CONTENTS
    return _no_items_reason(items, is_pointing=is_pointing) if items else ""


def _no_items_reason(items: Sequence[str], *, is_pointing: bool) -> str:
    """Return why the items of a list are nothing to remember, if most of them are none and the others say nothing."""
    reasons = [
        SkipReason.POINTER if is_pointing and _is_place_to_read(item) else no_text_reason(item) for item in items
    ]
    left = [item for item, reason in zip(items, reasons, strict=True) if not reason]
    is_most = len(items) - len(left) >= _POINTING_SHARE * len(items)
    if not is_most or any(map(is_strong, left)) or any(map(is_statement, left)):
        return ""
    return SkipReason.LINKS if SkipReason.POINTER in reasons else next(filter(None, reasons))


def _names_chapter(item: str) -> bool:
    return "](" in item or (words_in(item) <= _CHAPTER_WORDS and not is_strong(item))


def _no_table_reason(rows: Sequence[str], *, is_pointing: bool) -> str:
    """Return why the rows of a table become no memory; `is_pointing`: whether its heading leads to other places."""
    if not rows:
        return SkipReason.EMPTY
    pointing = sum(map(_names_page if is_pointing else _points_in_cell, map(_cells_of, rows)))
    return SkipReason.LINKS if pointing >= _POINTING_SHARE * len(rows) and not any(map(is_strong, rows)) else ""


def _points_in_cell(cells: Sequence[str]) -> bool:
    return bool(_DOC_PATH.search(cells[-1])) or _points(cells[0])


def _names_page(cells: Sequence[str]) -> bool:
    """Return whether one cell of a row below "See also" is a path or link alone, as far as the row only points."""
    return _points_in_cell(cells) or any(map(_PLACE_ALONE.fullmatch, cells))


def _cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")] or [""]


def _no_paragraph_reason(text: str) -> str:
    if not WORD_LETTER.search(text):
        return SkipReason.EMPTY
    if len(text) > LOOKED_AT_CHARS:
        return ""
    lines = [line.lstrip("> ") for line in text.split("\n") if line.strip("> ")]
    if not lines:
        return SkipReason.MARKUP
    if not _IMAGES.sub("", text).strip():
        return SkipReason.IMAGES
    if all(map(_IMPORT_LINE.match, lines)):
        return SkipReason.IMPORT
    if not WORD_LETTER.search(_LINK.sub("", text)) and _LINK.search(text):
        return SkipReason.LINKS
    plain = [plain_text(line).lstrip("_*") for line in lines]
    if all(
        pattern("metadata").match(line) and (_DATED.search(line) or words_in(line) <= _LINK_HEAD_WORDS)
        for line in plain
    ):
        return SkipReason.METADATA
    return no_text_reason("\n".join(lines))


@lru_cache(REMEMBERED)
def no_text_reason(text: str) -> str:
    """Return why a text is nothing to remember: each of its sentences points elsewhere, introduces, or is empty."""
    if len(text) > LOOKED_AT_CHARS or "```" in text or "~~~" in text:
        return ""
    if is_import(text):
        return SkipReason.IMPORT
    if len(text) <= _LICENCE_CHARS and pattern("read_first").match(without_label(plain_text(text).strip(EDGES))[1]):
        return SkipReason.POINTER
    return _reason_of_all(text)


def _reason_of_all(text: str) -> str:
    """Return why every sentence of a text is nothing to remember; praise counts beside an introduction alone."""
    reason = ""
    praises = False
    for sentence in sentences_of(_IMAGES.sub("", text)):
        found = _no_sentence_reason(sentence)
        if found or _goes_on(sentence, reason):
            reason = reason or found
        elif not reason and pattern("praise").match(plain_text(sentence)) and not is_strong(sentence):
            praises = True
        else:
            return ""
    return reason if not praises or reason == SkipReason.INTRO else ""


def _goes_on(sentence: str, reason: str) -> bool:
    """Return whether a sentence only goes on about who the assistant is, or where to read."""
    if not reason:
        return False
    if (
        reason == SkipReason.INTRO
        and pattern("intro_more").match(plain_text(sentence))
        and (not is_strong(sentence) or pattern("upkeep").match(plain_text(sentence)))
    ):
        return True
    if reason == SkipReason.PERSONA and pattern("persona_more").match(sentence) and not is_strong(sentence):
        return True
    return bool(pattern("pointer_more").match(" ".join(sentence.split())))


def _no_sentence_reason(sentence: str) -> str:
    plain = plain_text(sentence).strip(EDGES)
    if not WORD_LETTER.search(plain):
        return SkipReason.EMPTY
    if pattern("placeholder").match(plain) and not (_LINK.search(sentence) or _CODE_ALONE.fullmatch(sentence)):
        return SkipReason.PLACEHOLDER
    if _points(sentence):
        return SkipReason.POINTER
    if pattern("persona").match(plain):
        return SkipReason.PERSONA
    if pattern("chatter").search(plain):
        return SkipReason.CHATTER
    said = without_label(plain)[1]
    is_intro = pattern("intro").match(said) and not (is_strong(said) and not pattern("upkeep").match(said))
    return SkipReason.INTRO if is_intro or _names_what_for(said) or _says_where_it_holds(plain) else ""


def _names_what_for(said: str) -> bool:
    """Return whether a text is a phrase alone that names what the file is for: "Agent instructions for the pier"."""
    phrase = pattern("intro_phrase").match(said)
    rest = said[phrase.end() :] if phrase else ""
    says = is_strong(said) or pattern("verb").search(rest) or _WITH_OBJECT.search(rest)
    return phrase is not None and _PHRASE_REST.fullmatch(rest) is not None and not says


def _says_where_it_holds(plain: str) -> bool:
    """Return whether a sentence only names the files that the text holds for: "Applies to: the crane tests"."""
    label = pattern("scope").match(plain)
    files = _IN_BRACKETS.sub("", plain[label.end() :]) if label else ""
    names = first_word(files) in openings("nouns") and not pattern("order").match(files)
    orders = is_imperative(files) and not names
    says = orders or is_strong(files) or pattern("verb").search(files)
    return label is not None and words_in(files) <= _POINTER_WORDS and not says


def _points(sentence: str) -> bool:
    """Return whether a sentence only says where something stands."""
    if _also_rules(sentence) or pattern("before_work").search(sentence):
        return False
    sentence = _DESCRIBED.sub("", sentence)
    bare, named = _DOC_PATH.subn(" ", _LINK.sub(" ", sentence))
    targets = len(_LINK.findall(sentence)) + named
    plain = _LABEL_OF_POINTER.sub("", plain_text(sentence.lstrip("-*+ >")).strip(EDGES + "→()"), count=1)
    rest = words_in(plain_text(bare))
    if pattern("pointer").match(plain) or (targets and pattern("pointer_to").match(plain)):
        ends = bool(targets) and bool(_ENDS_POINTING.search(bare))
        return (ends or rest <= _POINTER_WORDS) and not (is_strong(plain) and rest > FULL_SENTENCE_WORDS)
    return bool(targets) and not is_strong(plain) and _names_place(sentence, plain, bare)


def _names_place(sentence: str, plain: str, bare: str) -> bool:
    """Return whether a sentence with a link or path says no more than what stands there.

    `plain`: its words without markup. `bare`: the sentence without links and paths.
    """
    if (found := pattern("topic_to").match(plain)) and words_in(_IN_BRACKETS.sub("", found["topic"])) <= _TOPIC_WORDS:
        return _is_topic(found["topic"], plain)
    bare_of_asides = _IN_BRACKETS.sub("", sentence)
    if pattern("pointing").search(plain) or (
        pattern("pointing_at").search(bare_of_asides) and not is_imperative(without_label(plain)[1])
    ):
        most = _POINTER_WORDS if _INSTRUCTIONS.search(sentence) else _LINK_HEAD_WORDS
        return words_in(plain_text(_DASHED.sub(" ", _IN_BRACKETS.sub("", bare)))) <= most
    states = is_imperative(plain) or bool(pattern("verb").search(plain_text(_IN_BRACKETS.sub("", bare))))
    return words_in(plain_text(bare)) <= _words_beside_link(sentence, states=states)


def _is_topic(topic: str, sentence: str) -> bool:
    orders = is_imperative(sentence) and first_word(sentence) not in openings("nouns")
    return not (orders or pattern("verb").search(topic))


def _also_rules(sentence: str) -> bool:
    """Return whether a sentence goes on with a rule of its own behind the place it names: "…; keep it sorted"."""
    for clause in _CLAUSES.finditer(sentence):
        plain = plain_text(clause["said"]).strip(EDGES)
        if words_in(plain) < _CLAUSE_WORDS or pattern("reading").match(plain):
            continue
        mark = clause["mark"].lower()
        is_apart = mark.endswith((";", "；", "then"))
        names = first_word(plain) in openings("nouns") and not mark.endswith("then")
        joins = mark.strip() in {"and", ", and"} and first_word(plain) in openings("verbs")
        is_order = ((is_apart or joins) and not names) or bool(pattern("order").match(plain))
        if (is_imperative(plain) and is_order) or (is_apart and is_strong(plain)):
            return True
    return False


def _words_beside_link(sentence: str, *, states: bool) -> int:
    """Return how many words may stand beside the link of a sentence that only points; below 0 if it does not."""
    head = _LABEL_OF_LINK.sub("", sentence.lstrip("-*+ >_"), count=1)
    states = states and not _ASKED_ABOUT.search(sentence)
    if any((_LINK.match(head), _DOC_PATH.match(head), _DOC_PATH.match(head.lstrip("`*[")))):
        return _BESIDE_LINK_WORDS if states else _DESCRIBED_WORDS
    if _LABELLED_PATH.search(sentence):
        return _LINK_HEAD_WORDS + words_in(" ".join(_IN_BRACKETS.findall(sentence)))
    if states:
        return -1
    if _DASHED_PATH.search(sentence):
        return _LINK_HEAD_WORDS
    is_doc = _DOC_LINK.search(sentence) or any("/" in path for path in _DOC_PATH.findall(sentence))
    return _BESIDE_LINK_WORDS if is_doc else 0


def is_data(text: str) -> bool:
    """Return whether a text holds a long run without spaces, as encoded files do, outside code of the usual size."""
    return bool(_UNBROKEN.search(text)) and (len(text) > CODE_CHARS or not _FENCE_MARK.search(text))


def is_import(text: str) -> bool:
    """Return whether a text only names a file to import, `@path`."""
    return bool(_IMPORT_LINE.match(text))


def is_link_definition(line: str) -> bool:
    """Return whether a line defines the target of a link, `[name]: url`."""
    return bool(_LINK_DEFINITION.match(line))
