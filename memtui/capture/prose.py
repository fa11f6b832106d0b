"""Classify a paragraph or list: a rule, an enumeration, steps, a lead-in, or nothing to remember."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from memtui.analysis.classify import first_word, is_imperative, openings
from memtui.analysis.titles import plain_text
from memtui.capture.blocks import Block, BlockKind, item_text

LeadRole = Literal["neutral", "label", "needed"]


class SkipReason(StrEnum):
    """Why lines become no memory, as people read it; code compares the members, never their words."""

    COMMENT = "comment"
    CONTEXT = "heading: kept as context"
    NO_TEXT = "heading without text"
    LEAD = "words that lead to the list"
    RULE = "horizontal rule"
    LINKS = "links only"
    LINK_DEFINITION = "link definition"
    CONTENTS = "table of contents"
    IMPORT = "import of another file"


STRUCTURE = frozenset({SkipReason.COMMENT, SkipReason.CONTEXT, SkipReason.NO_TEXT})
"""Not reported line by line: they have no content of their own."""

_NEVER_TEXT: dict[BlockKind, str] = {"comment": SkipReason.COMMENT, "rule": SkipReason.RULE}

_LOOKED_AT_CHARS = 2_000
_LOOKED_AT_ITEMS = 200
_LONGEST_INTRO = 320

_IMAGES = re.compile(r"\[?!\[[^\[\]]{0,200}\]\([^()]{0,500}\)(?:\]\([^()]{0,500}\))?")
_TAGS = re.compile(r"<[^<>]{0,500}>")
_LINK_LINE = re.compile(r"\s*(?:\[[^\[\]]{1,200}\]\([^()\s]{1,500}\)|<?https?://\S{1,500}>?)[\s|·•,]*$")
_FRAGMENT_LINK = re.compile(r"\s*\[[^\[\]]{1,200}\]\(#[^()\s]{0,300}\)\s*$")
_IMPORT_LINE = re.compile(r"\s*@(?=[^\s@]*[./\\])(?:[^\s@`]|\\ ){1,300}\s*$")
_LINK_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,300}\]:")
_LIST_MARK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_INTRO = re.compile(
    r"th(?:is|e|ese|e following) (?:file|document|guide|page|instructions?|rules|guidelines)\b.{0,120}?"
    r"\b(?:guidance|instructions?|context|guidelines?|information|rules|directives?|apply|applies)\b.{0,160}?"
    r"\b(?:claude|agents?|copilot|cursor|gemini|codex|windsurf|cline|assistants?|ai|llms?"
    r"|(?:entire|whole) (?:repo|repository|project|code ?base))\b[^.]*(?:\.\w[^.]*)*\.?$",
    re.IGNORECASE | re.DOTALL,
)
_CONTENTS = re.compile(r"(?:table of contents|contents|toc|on this page|目录|目次)$", re.IGNORECASE)

_BOLD_LINE = re.compile("\\s*(?:\\*\\*([^*\n]{1,100})\\*\\*|__([^_\n]{1,100})__)\\s*([:：]?)\\s*$")
_CONDITION = re.compile(
    r"(?:when|whenever|if|before|after|while|during|once|unless|until|for|in|on|at|with|without|to|every time"
    r"|as soon as|never|don['’]?t|do not|avoid|must|always|prefer|use|each|any)\b"
    r"|(?:当|如果|禁止|不要|每次)",
    re.IGNORECASE,
)
_NEUTRAL = re.compile(
    r"(?:please\s+|also\s+|always\s+)*(?:follow|observe|respect|apply|adhere to|remember|note|keep in mind)\b"
    r"[^.]{0,60}$"
    r"|(?:(?:the|these|this|our|some|a few|here are|key|general|important|core|main|basic|project|team|coding"
    r"|code|style|more|other|all|following|critical|hard|golden)\s+)*"
    r"(?:rules?|guidelines|conventions|principles|notes|tips|standards|requirements|constraints"
    r"|(?:best\s+)?practices|lessons|points|things|gotchas|pitfalls|expectations)"
    r"(?:\s+(?:apply|to follow|to remember|to know|here|(?:for|of|in) this (?:repo|repository|project)))*$"
    r"|(?:in particular|specifically|in general|in short|note|also|additionally|notably)$"
    r"|(?:规则|规范|注意事项|约定|ルール|規約)$",
    re.IGNORECASE,
)
_SENTENCE_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|contains?|includes?|consists?|needs?|runs?|supports?|provides?|means?)\b",
    re.IGNORECASE,
)
_LABEL_WORDS = 5
_ENDED = (".", "!", "?", "。", ",", ";")

_STRONG = re.compile(
    r"\b(?:never|always|must|mustn['’]t|do not|don['’]t|avoid|forbidden|only)\b"
    r"|禁止|必须|不要|不得|务必|必ず",
    re.IGNORECASE,
)
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
_PROCEDURE = re.compile(
    r"\b(?:steps?|workflow|process|procedure|how to|check ?list|releasing|release|deploy(?:ing|ment)?|set ?up"
    r"|getting started|install(?:ing|ation)?|quick ?start|tutorial|walkthrough|upgrad(?:e|ing)"
    r"|migration guide|flow|commands?|stack|future|structure|layout|roadmap)\b|步骤|流程|手順",
    re.IGNORECASE,
)
_OCCASION = re.compile(r"(?:before|after|when|whenever|if|adding|creating|running)\b", re.IGNORECASE)
_RULES = re.compile(
    r"\b(?:rules?|principles?|guidelines|conventions?|constraints?|never|always|must|do not|don['’]?ts?"
    r"|standards|style|practices|lessons?|gotchas?|pitfalls?)\b|规则|规范|原则|约定|ルール|規約",
    re.IGNORECASE,
)
_FULL_SENTENCE_WORDS = 8
_SHORT_SENTENCE_WORDS = 5
_SPLIT_SHARE = 0.66  # two of three
_ORDERED_SHARE = 0.5
_NESTED_CHARS = 60
_RULE_HEADING_WORDS = 3


def no_memory_reason(block: Block, text: str) -> str:
    """Return why a block becomes no memory, or nothing if it may become one."""
    if block.kind in _NEVER_TEXT or not text.strip():
        return _NEVER_TEXT.get(block.kind, "holds no text")
    if len(text) > _LOOKED_AT_CHARS:
        return ""
    if block.kind == "paragraph":
        return _no_paragraph_reason(text)
    if block.kind == "html" and not _TAGS.sub("", text).strip():
        return "mark-up without text"
    return _no_list_reason(text) if block.kind in {"bullets", "ordered"} else ""


def _no_list_reason(text: str) -> str:
    items = [_LIST_MARK.sub("", line, count=1) for line in text.split("\n") if line.strip()]
    if all(map(_FRAGMENT_LINK.match, items)):
        return SkipReason.CONTENTS
    return SkipReason.IMPORT if all(map(_IMPORT_LINE.match, items)) else ""


def _no_paragraph_reason(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    if not _IMAGES.sub("", text).strip():
        return "badges or images"
    if all(map(_IMPORT_LINE.match, lines)):
        return SkipReason.IMPORT
    if all(map(_LINK_LINE.match, lines)):
        return SkipReason.LINKS
    is_intro = len(text) <= _LONGEST_INTRO and _INTRO.match(plain_text(text))
    return "says what the file is for" if is_intro else ""


def is_import(text: str) -> bool:
    """Return whether a text only names a file to import, `@path`."""
    return bool(_IMPORT_LINE.match(text))


def is_table_of_contents(heading: str) -> bool:
    """Return whether a heading introduces a table of contents."""
    return bool(_CONTENTS.match(heading.strip()))


def contents_reason(block: Block, lines: Sequence[str]) -> str:
    """Return why a list below "Table of contents" becomes no memory: it only names what follows."""
    items = (item_text(lines, item) for item in block.items)
    named = all("](" in text or (_words(text) <= _FULL_SENTENCE_WORDS and not _STRONG.search(text)) for text in items)
    return SkipReason.CONTENTS if named else ""


def is_link_definition(line: str) -> bool:
    """Return whether a line defines the target of a link, `[name]: url`."""
    return bool(_LINK_DEFINITION.match(line))


def is_rule_heading(heading: str) -> bool:
    """Return whether a heading states a rule by itself, without text below."""
    words = plain_text(heading)
    return len(words.split()) >= _RULE_HEADING_WORDS and bool(_STRONG.search(words))


def pseudo_heading(block: Block, following: Block) -> str:
    """Return the words of a paragraph that serves as a heading: one short bold line that states nothing."""
    if block.kind != "paragraph" or following.kind in {"rule", "comment"}:
        return ""
    bold = _BOLD_LINE.match(block.content)
    if bold is None:
        return ""
    words = plain_text(bold[1] or bold[2]).rstrip(" :：")
    too_long = len(words.split()) > _LABEL_WORDS + 2
    states = words.endswith(_ENDED) or bool(_STRONG.search(words)) or bool(_CONDITION.match(words))
    return "" if too_long or states else words


def is_condition(block: Block) -> bool:
    """Return whether a paragraph names a condition, as in "When adding a migration:"."""
    return bool(_CONDITION.match(plain_text(block.content)))


def lead_role(block: Block) -> LeadRole | None:
    """Return the role of a paragraph right before a list; None if it stands alone.

    neutral: announces rules and no more; label: a short heading in all but form; needed: its items make no sense
    without it ("The layers are:", "When adding a migration:").
    """
    if block.kind != "paragraph" or len(block.content) > _LOOKED_AT_CHARS:
        return None
    words = plain_text(block.content)
    announces = words.endswith((":", "："))
    bare = words.rstrip(" :：")
    if announces and _NEUTRAL.match(bare):
        return "neutral"
    short = len(bare.split()) <= _LABEL_WORDS and "\n" not in block.content
    states = bool(_CONDITION.match(bare)) or bool(_SENTENCE_VERB.search(bare)) or bool(_STRONG.search(bare))
    if short and not states and not bare.endswith(_ENDED):
        return "label"
    return "needed" if announces else None


def splits_into_items(block: Block, lines: Sequence[str], heading_path: Sequence[str]) -> bool:
    """Return whether every item of a list becomes a memory of its own."""
    heading = heading_path[-1] if heading_path else ""
    about_rules = bool(_RULES.search(heading))
    items = [item_text(lines, item)[:_LOOKED_AT_CHARS] for item in block.items[:_LOOKED_AT_ITEMS]]
    if not items or (not about_rules and (_PROCEDURE.search(heading) or _OCCASION.match(heading))):
        return False
    if 2 * sum(1 for item in items if _CHECK_BOX.match(item)) > len(items):
        return False
    if block.kind == "ordered" and not about_rules:
        return sum(map(_is_firm, items)) >= _ORDERED_SHARE * len(items)
    return sum(map(_stands_alone, items)) >= _SPLIT_SHARE * len(items)


def _is_firm(item: str) -> bool:
    """Return whether an ordered item is a rule rather than a step."""
    first = _first_paragraph(item)
    lead = _BOLD_LEAD.match(first)
    if lead is None or _NAMES_FIRST.match(first):
        return bool(_STRONG.search(first))
    return _words(first[lead.end() :]) >= _SHORT_SENTENCE_WORDS


def _stands_alone(item: str) -> bool:
    first = _first_paragraph(item)
    plain = plain_text(first)
    words = _words(plain)
    if _NAMES_FIRST.match(first):
        return words > _SHORT_SENTENCE_WORDS and bool(_STRONG.search(first))
    if _STRONG.search(first):
        return words > 1
    if _NESTED.search(item):
        return len(item) >= _NESTED_CHARS
    if lead := _BOLD_LEAD.match(first) or _KEY.match(first):
        rest = plain_text(first[lead.end() :])
        tells = is_imperative(rest) or (is_imperative(plain) and not (rest and first_word(plain) in openings("nouns")))
        return tells or _words(rest) >= _FULL_SENTENCE_WORDS
    if is_imperative(plain):
        return words > 1
    ended = first.rstrip().endswith(_ENDED)
    return words >= (_SHORT_SENTENCE_WORDS if ended else _FULL_SENTENCE_WORDS)


def _first_paragraph(item: str) -> str:
    return _BLANK_LINE.split(_NESTED.split(item, maxsplit=1)[0], maxsplit=1)[0]


def _words(text: str) -> int:
    """Return the number of words; two CJK characters count as one."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) // 2
