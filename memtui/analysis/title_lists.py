"""The items of a list, table or listing of commands in brief, for a title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile

from memtui.analysis.grammar import (
    FINITE,
    Grammar,
    capital,
    grammar_of,
    has_verb,
    is_balanced,
    language_of,
    plain_verbs,
)
from memtui.analysis.imperative import is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.shorten import shortened
from memtui.analysis.title_blocks import REAL_SHELLS, SHELLS, Block
from memtui.analysis.title_code import captions_in, parts_of_code
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_headings import LIST_CELLS
from memtui.analysis.title_names import shorter_names
from memtui.analysis.title_trees import begins_tree, folders_of, types_of
from memtui.analysis.title_words import (
    is_bad,
    is_dropped,
    is_metadata,
    is_rule,
    lacks_subject,
    matches,
    sentences,
    undecorated,
    without_following,
    without_label,
)
from memtui.text.inline import HeldCode, unmarked
from memtui.text.words import cell_width

_FOLLOWING = re.compile(r",?\s?\b(?:(?:any|either|each|all|one|both|some) of )?the following\b(?=[\s,])", re.IGNORECASE)
_OPEN_RELATIVE = re.compile(
    r"(?<=\w),? (?:(?:that|which|who) (?:also |only )?[a-z]+s|and [a-z]+s? that)$"
)  # `a test that drives:`
_BRIEF_END = re.compile(
    r"\s\(|\s(?=(?:for|to|with|in|on|by|via|using|from|when|if|that|which|so|before|after|as|through|at|into|and|or"
    r"|across|under|per|against|during|within|without)\s)|\s(?=-)"
)
_HEAD_END = re.compile(r"[:：](?:\s|$)|\s[—–-]{1,2}\s|\s\(|;\s|：|。")
_JOINED = re.compile(r",\s(?:and|or|und|oder|et|ou|y|o|e)$", re.IGNORECASE)
_RULE_LABEL = re.compile("(?:key )?(?:rule|principle|guideline|requirement)", re.IGNORECASE)
_OPTIONS = re.compile(r"\s(?=-|[|&<>\"'$({\[])")
_CHANGES_FOLDER = re.compile(r"cd \S+(?:\s*(?:&&|;)\s*|$)")
OF_HEADING = re.compile(
    r"(?:Available|Required|Needed|Used|Allowed|Supported|Included|Provided|Defined|Stored|Optional|Installed)\s(?!by\b)"
)
"""Says that something is there, and is no label: "Available at night"."""

_NAMED = re.compile(
    r"(?:[\w./-]+(?: [\w./-]+){0,2}|[\ue000-\uf8ff])\s?(?::|\s[—–-]{1,2})\s(?P<told>\w.*|[\ue000-\uf8ff].*)"
)
_CLAUSE_END = re.compile(r"[,;]\s|\s(?:[—–-]{1,2}|\|)\s|\s\(|[.:](?:\s|$)")
_FOR_SOME = re.compile(r"(?:for|für|pour|para)\s", re.IGNORECASE)
_PLACE_FIRST = re.compile("([\ue000-\uf8ff])\\s\\w")  # code with what lies there
_MOST_DESCRIBED, _NAME_WORDS = 3, 3
_LONG_COMMAND = 40
_SHORT_LISTING = 60
LABEL_WORDS = 5
HEAD_CELLS = 40
"""The most cells of an item, but the first, that a title names."""
_LEAST_HEAD_CELLS = 24
_MOST_IN_BRIEF = 3
_MOST_HEADS = 6
_NAMED_SHARE = 0.5
_VALUE_CELLS = 30
_DONE = re.compile(  # `is deployed` of `is deployed with the crane`, `Logs written`
    r"\b(?:is|are|be|was|were|been) \w+(?:ed|en|ilt|pt|nt|ut)$|\w [\w-]+(?:(?<!e)ed|ten)$|\b(?:between|both)\b.*"
)
_PAIR_OF_ADVERBS = re.compile(r"ly (?:and|or) [a-z]+ly\b")
_WITHIN_LIST, _LAST_MEMBER = (
    re.compile(r",[^:]*$"),
    re.compile(r"\s(?:and|or)\s"),
)  # `ropes, hooks` of `ropes, hooks and lamps`
_WAITS_FOR_MORE = re.compile(  # `is the thing` of `is the thing under test`, `easy` of `easy to tie`
    r"\b(?:is|are) (?:the|an?) [\w-]+$|\b(?:easy|hard|able|ready|likely|free|safe|due|next|close|similar|equal)$"
)
_ASKS = re.compile(r"\s(?:which|what|how|whether)\s")
_HOW = re.compile(r"\s(?:using|via|by|with|through|and|or)\s")
_OBJECT = re.compile(r"\s(?:which|that|if|when) ")
_PARTICLE = re.compile("down|up|out|off|over|back|away|in|on")
_GOES_BACK = re.compile(
    r"(?:The (?:script|wrapper|snippet|output|generator|watcher|linter|helper|two|three)|\w+ing the (?:two|three)"
    r"|This|It|They|These) "
)
_LETTER = re.compile(r"[^\W\d_]|[\ue000-\uf8ff]")
_COMMIT_TYPE = re.compile("fix|test|docs")  # in lower case no label that says nothing
_NUMBERING = re.compile(r"\|?\s*(?:#|№|n[or°]\.?|num(?:ber)?|序号|番号)\s*\|", re.IGNORECASE)  # the head of a column
_ARROW = re.compile(r"\s*(?:[-=]+>|[→⇒↓▼⟶])")
_ENDING = " .:;,：。；，、…-–—"


def without_open_relative(title: str, lead: str) -> str:
    """Return a title that is no more than words that lead to a list, without the verb that waits for the list."""
    return _OPEN_RELATIVE.sub("", title) if lead.endswith(title.rpartition(" ")[2]) else title


def is_label(plain: str) -> bool:
    """Return whether a line is a heading in all but form, or a label."""
    bare = plain.rstrip(_ENDING)
    is_short = len(bare.split()) <= LABEL_WORDS and len(bare) <= HEAD_CELLS and ". " not in bare
    states = (
        is_rule(bare)
        or matches("headings", "unfinished", bare)
        or grammar_of(language_of(bare)).condition.match(bare)
        or OF_HEADING.match(bare)
    )
    return (is_short and not states) or is_dropped(bare)


def led_by(announced: str) -> tuple[str, str]:
    """Return words that lead to something without "the following" if need be, and what of them is their subject."""
    if (purpose := _FOLLOWING.search(announced)) and (comma := announced.find(", ", purpose.end())) > 0:
        announced = announced[:comma]  # "… the following marks, to tell the pilot" is about the marks
    lead = without_following(announced).rstrip(_ENDING)
    if lead and lead != announced:
        return announced, lead
    bare = capital(_FOLLOWING.sub("", announced).strip()) or announced
    return bare, without_following(bare).rstrip(_ENDING)


def joined(subject: str, heads: Sequence[str]) -> str:
    """Return a subject with the heads below it; whichever there is of the two."""
    between = "; " if any(", " in head for head in heads) else ", "
    return ": ".join(filter(None, [subject, between.join(heads)]))


def first_list(found: Sequence[Block]) -> Sequence[Block]:
    """Return blocks up to a paragraph at the margin or a heading below the first of them: the end of a list or code."""
    ends = (
        at
        for at, block in enumerate(found[1:], 1)
        if block.kind == "heading" or (block.kind == "paragraph" and not block.is_within)
    )
    return found[: next(ends, len(found))]


def heads_in(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return what the items, commands or rows of blocks begin with, their code held, up to the end of a list."""
    found = first_list(found)
    if found and (captions := captions_of(found[0], held)):
        return captions
    each = (head for block in found for head in _heads_of(block, found[0].mark, held))
    heads = _without_occasions([head for head in each if head and not matches("headings", "open", head)])
    return heads if found and found[0].kind == "code" else shorter_names(heads, held)


def _without_occasions(heads: list[str]) -> list[str]:
    """Return items without those that only say when they hold, as in `For most lifts: …`, unless most of them do."""
    told = [head for head in heads if not _is_occasion(head)]
    return told if len(heads) <= 2 * len(told) else heads


def _is_occasion(head: str) -> bool:
    is_short = len(head.split()) <= LABEL_WORDS and not has_verb(head, language_of(head))
    return is_short and (_FOR_SOME.match(head) or grammar_of(language_of(head)).condition.match(head)) is not None


def with_what_they_are(found: Sequence[Block], heads: Sequence[str], held: HeldCode, room: int) -> Sequence[str]:
    """Return the names in a list of few with what it says of each, where there is room for that."""
    named = _told_of(first_list(found), heads, held)
    if not named:
        return heads
    clauses = [_CLAUSE_END.split(words, maxsplit=1)[0] for words in named]
    if any(_is_cut(clause, words) for clause, words in zip(clauses, named, strict=True)):
        return heads
    first = (place[1] if (place := _PLACE_FIRST.match(clause)) else brief(clause) for clause in clauses)
    told = [f"{head} ({words})" for head, words in zip(heads, first, strict=True)]
    fits = cell_width(held.put_back(", ".join(told))) <= room and all(map(is_balanced, told))
    return told if fits else heads


def _told_of(found: Sequence[Block], heads: Sequence[str], held: HeldCode) -> Sequence[str]:
    """Return what a list of few says of each name; nothing where one is no name, or nothing is said of it."""
    items = [block for block in found if block.kind == "item" and len(block.mark) <= len(found[0].mark)]
    if not 1 < len(items) == len(heads) <= _MOST_DESCRIBED or any(len(head.split()) > _NAME_WORDS for head in heads):
        return []
    texts = (unmarked(held.take_out(undecorated(block.text)[0])).strip() for block in items)
    named = [each["told"] for text in texts if (each := _NAMED.match(text))]
    return named if len(named) == len(heads) else []


def captions_of(block: Block, held: HeldCode) -> list[str]:
    """Return what comments call the parts of code, unless its commands or what it declares tell as much in a title."""
    if block.kind != "code":
        return []
    captions = list(map(held.take_out, captions_in(block)))
    if block.mark in SHELLS:
        is_long = sum(len(command) + 2 for command in block.commands) > _SHORT_LISTING
        return captions if block.mark in REAL_SHELLS and is_long else []
    return captions if len(captions) > len(parts_of_code(block)) else []


def _is_cut(clause: str, words: str) -> bool:
    """Return whether words end within values, or subjects: `All cranes` of `All cranes, winches and lamps must …`."""
    sentence = next(sentences(words), "")
    lacks_verb = FINITE.search(sentence) is not None and FINITE.search(clause) is None
    return sentence.startswith(f"{clause} |") or (sentence.startswith(f"{clause}, ") and lacks_verb)


def values_in(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return what the items of a list say where most of their labels name what every project has; else nothing.

    `Language: Rust` and `Database: Postgres` give `Rust` and `Postgres`.
    """
    told = ("item", "paragraph")
    items = [block for block in found if block.kind in told and len(block.mark) <= len(found[0].mark)]
    texts = (unmarked(held.take_out(undecorated(block.text)[0])).strip() for block in items)
    pairs = [text.partition(": ") for text in texts]
    named = sum(matches("labels", "facet", label) for label, _, value in pairs if value)
    if named <= 1 or named < _NAMED_SHARE * len(pairs) or not all(value for _, _, value in pairs):
        return []
    return [_brief_value(head) for _, _, value in pairs if (head := _head_of(value))]


def _brief_value(value: str) -> str:
    return value if len(value) <= _VALUE_CELLS else brief(value.partition(", ")[0])


def _head_of(text: str) -> str:
    """Return what a text says first, up to a colon, dash, bracket or semicolon."""
    return _HEAD_END.split(next(sentences(text), ""), maxsplit=1)[0].rstrip(_ENDING)


def fitting(
    subject: str,
    heads: Sequence[str],
    width: Callable[[str], int],
    most: int = LIST_CELLS,
    *,
    longest: int = HEAD_CELLS,
) -> list[str]:
    """Return the first heads for which there is room after a subject, the first one shortened if it must be.

    `longest`: the most cells of a head behind the first one.
    """
    room = most - (width(subject) + 2 if subject else 0)
    kept: list[str] = []
    for head in islice(dict.fromkeys(heads), _MOST_HEADS):
        space = room if kept else room + MAX_TITLE_CELLS - most
        short = head if kept else shortened(head, space, width) or ""
        is_cut = short != head and width(short) < _LEAST_HEAD_CELLS
        too_long = width(", ".join([*kept, short])) > space or (kept and width(short) > longest)
        if is_cut or too_long or not is_balanced(short):
            break
        if short != subject:
            kept.append(short)
    return kept


def fitting_or_brief(
    subject: str, heads: Sequence[str], width: Callable[[str], int], *, is_ban: bool = False
) -> Sequence[str]:
    """Return the first heads for which there is room, in brief or with long ones if that was only one.

    `is_ban`: whether the subject forbids what is listed, which in brief would be more than is meant.
    """
    kept = fitting(subject, heads, width)
    if len(kept) > 1 or len(heads) <= 1:
        return kept
    if len(whole := fitting(subject, heads, width, MAX_TITLE_CELLS, longest=MAX_TITLE_CELLS)) == len(set(heads)):
        return whole
    short = heads if is_ban else [brief(head) for head in heads]
    in_brief = fitting(subject, short, width, MAX_TITLE_CELLS)[:_MOST_IN_BRIEF]
    ways = (heads, [*heads[:1], *short[1:]])
    longer = (fitting(subject, way, width, MAX_TITLE_CELLS, longest=MAX_TITLE_CELLS) for way in ways)
    return next((way for way in (in_brief, *longer) if len(way) > 1), kept)


def counted(title: str, kept: Sequence[str], heads: Sequence[str], width: Callable[[str], int]) -> str:
    """Return the title of a list with the number of the items that it does not name, if there is room."""
    left = len(set(heads) - {title}) - len(kept)
    states = any(", " in head or has_verb(head, language_of(head)) for head in kept)
    both = f"{title}{',' if states else ''} and {left} more"
    return both if left > 0 and kept and width(both) <= MAX_TITLE_CELLS else title


def tells(subject: str, kept: Sequence[str], heads: Sequence[str]) -> bool:
    """Return whether the heads that fit say something of a list; one of many only as a rule or below a mere label."""
    if len(kept) != 1 or len(heads) == 1:
        return bool(kept)
    return matches("headings", "generic", subject) or is_rule(kept[0])


def telling(items: Sequence[Block], texts: Sequence[str]) -> Sequence[Block]:
    """Return the items that do not only set a value, by their texts; the first where all others only go on from it."""
    later = texts[1:]
    if later and ((is_imperative(texts[0]) and all(map(lacks_subject, later))) or all(map(_GOES_BACK.match, later))):
        return items[:1]
    return [block for block, words in zip(items, texts, strict=True) if not is_metadata(words)]


def _heads_of(block: Block, margin: str, held: HeldCode) -> Iterator[str]:
    if block.kind == "code":
        yield from _heads_of_code(block, held)
    elif block.kind == "table":
        rows = [[unmarked(held.take_out(cell)).strip() for cell in row[:3]] for row in _rows_of(block)]
        skipped = int(bool(_NUMBERING.match(block.lines[0])) and all(len(row) > 1 for row in rows))
        rows = [row[skipped : skipped + 2] for row in rows]
        firsts = [row[0] for row in rows]
        is_name = len(set(firsts)) == len(firsts)
        cells = (_first_cell(row) if is_name else " ".join(filter(None, row)) for row in rows)
        yield from ("" if _is_aside(cell) else cell for cell in cells)
    elif block.kind == "item" and len(block.mark) <= len(margin):
        yield _head_of_item(unmarked(held.take_out(undecorated(block.text)[0])).strip())


def _rows_of(block: Block) -> list[list[str]]:
    """Return the rows of a table without those that only have a first cell, as a title of the rows below it has."""
    rows = block.rows
    full = [row for row in rows if any(cell.strip() for cell in row[1:])]
    return full or rows


def first_column(table: Block) -> str:
    """Return the head of a table's first column that says something: behind the numbers of its rows, if it has any."""
    heads = table.lines[0]
    numbering = _NUMBERING.match(heads)
    return heads[numbering.end() if numbering else 0 :].strip().strip("|").partition("|")[0]


def _heads_of_code(block: Block, held: HeldCode) -> Iterator[str]:
    if listed := listed_names(block):
        yield from (held.take_out(f"`{name}`") for name in dict.fromkeys(listed))
    elif block.mark not in SHELLS:
        yield from (words for words in block.commands if not without_label(undecorated(words)[0])[0])
    elif folders := folders_of(block.lines) if block.mark not in REAL_SHELLS else []:
        yield from (held.take_out(f"`{folder}`") for folder in (folders if len(folders) > 1 else ()))
    elif not (_shows_both(block) or any(map(_ARROW.match, block.lines))):
        yield from (held.take_out(f"`{command}`" if "`" not in command else command) for command in _commands_of(block))


def _commands_of(block: Block) -> Iterable[str]:
    """Return the commands of a shell in brief, each once, up to a label that says to avoid what follows."""
    told = takewhile(lambda command: not (command.endswith(":") and is_bad(command)), block.commands)
    commands = [each for each in told if _LETTER.search(each) and not each.endswith(":")]
    briefly = dict.fromkeys(map(_brief_command, commands) if block.mark in REAL_SHELLS else commands)
    if len(briefly) > 1:
        briefly.pop("", None)
    return briefly


def listed_names(block: Block) -> list[str]:
    """Return the types, or the folders of a tree marked as some language, that code lists; empty for other code."""
    if block.kind != "code" or block.mark in REAL_SHELLS:
        return []
    listed = types_of(block.lines)
    if block.mark not in SHELLS and begins_tree(block.lines):
        listed = folders_of(block.lines)
    return listed if len(listed) > 1 else []


def _shows_both(block: Block) -> bool:
    """Return whether commands are shown in a wrong and a right way, below comments such as `# ❌ Wrong`."""
    comments = (undecorated(line.strip().lstrip("#/ "))[0] for line in block.lines if line.lstrip()[:1] in {"#", "/"})
    return any(is_bad(without_label(comment)[0] or comment) for comment in comments)


def _first_cell(cells: Sequence[str]) -> str:
    """Return the first cell of a row, a mere number or sign with the next one."""
    return cells[0] if _LETTER.search(cells[0]) else " ".join(filter(None, cells))


def _brief_command(command: str) -> str:
    """Return a command without `cd`, a long one up to its options if it says what it does by then."""
    command = _CHANGES_FOLDER.sub("", command, count=1)
    words = command if len(command) <= _LONG_COMMAND else _OPTIONS.split(command, maxsplit=1)[0].rstrip()
    return words if " " in words else command


def _head_of_item(text: str) -> str:
    label, rest = without_label(text)
    if label and matches("headings", "open", label):
        text = f"{label} {rest[:1].lower()}{rest[1:]}" if is_bad(label) else rest
    elif label and _RULE_LABEL.fullmatch(label):
        text = rest
    head = _head_of(text)
    is_label = text[len(head) :].lstrip().startswith((":", "：")) and _is_aside(head)
    is_label = is_label and not _COMMIT_TYPE.fullmatch(head)
    return "" if is_metadata(text) or is_label else _JOINED.sub("", head).rstrip(_ENDING)


def _is_aside(label: str) -> bool:
    """Return whether a label names no item of its own but what is said of the others, as in `Exception: …`."""
    return matches("labels", "beside", label) or matches("labels", "empty", label)


def brief(head: str) -> str:
    """Return the first words of an item of a list, up to a phrase; all of one that forbids or limits something."""
    grammar = grammar_of(language_of(head))
    if grammar.negation.search(head) or grammar.exception.search(head) or grammar.condition.match(head):
        return head
    ends = (found.start() for found in _BRIEF_END.finditer(head))
    ends = (end for end in ends if " " in head[:end] and is_balanced(head[:end]) and not _parts(head, end))
    return next((start for end in ends if not _waits(start := head[:end].rstrip(_ENDING), head[end:], grammar)), head)


def _parts(head: str, end: int) -> bool:
    """Return whether words would end between what is done and how, within a list, or within a pair of adverbs."""
    start = head[:end]
    if (_DONE.search(start) and _HOW.match(head, end)) or (
        _WITHIN_LIST.search(start) and _LAST_MEMBER.match(head, end)
    ):
        return True
    return _PAIR_OF_ADVERBS.match(head, max(0, end - 2)) is not None


def _waits(start: str, rest: str, grammar: Grammar) -> bool:
    """Return whether the first words of an item end with one that opens what follows, or a verb before its object."""
    before, _, last = start.rpartition(" ")
    if grammar.dangling.fullmatch(last) or _PARTICLE.fullmatch(last) or _WAITS_FOR_MORE.search(start):
        return True
    if _ASKS.match(rest) and last.endswith("s") and last.removesuffix("s") in openings("verbs"):
        return True
    is_verb = last.endswith("s") and last.removesuffix("s") in plain_verbs() and not is_imperative(before)
    return is_verb and bool(_OBJECT.match(rest))
