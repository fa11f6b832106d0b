"""The headings that a title needs before it, and the items of a list in brief."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from memtui.analysis.grammar import grammar_of, has_verb, is_balanced, language_of
from memtui.analysis.headlines import without_articles, without_asides
from memtui.analysis.title_blocks import REAL_SHELLS, SHELLS, Block
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import (
    is_bad,
    is_document,
    is_dropped,
    is_file_name,
    is_metadata,
    matches,
    says_the_same,
    sentences,
    undecorated,
    without_label,
)
from memtui.text.inline import HeldCode, unmarked
from memtui.text.words import CJK, cell_width

_BRIEF_END = re.compile(
    r"\s\(|\s(?=(?:for|to|with|in|on|by|via|using|from|when|if|that|which|so|before|after|as|through|at|into|and|or"
    r"|across|under|per|against|during|within|without)\s)|\s(?=-)"
)
_HEAD_END = re.compile(r"[:：](?:\s|$)|\s[—–-]{1,2}\s|\s\(|;\s|：|。")
_JOINED = re.compile(r",\s(?:and|or|und|oder|et|ou|y|o|e)$", re.IGNORECASE)
_TREE = re.compile(r"\s*(?!(?:src|app|lib|packages|\.+)/(?:\s|$))([\w@.-][\w@./-]{0,60}/)(?:[ \t]+#.*)?\n\s*[├└│|`+]")
_RULE_LABEL = re.compile("(?:key )?(?:rule|principle|guideline|requirement)", re.IGNORECASE)
_TREE_ROOT = re.compile(r"([\w@.-][\w@./-]{0,60}/)(?:\s|$)")
_TREE_LINE = re.compile(r"\s*[├└│]")
_OPTIONS = re.compile(r"\s(?=-|[|&<>\"'$({\[])")
_CHANGES_FOLDER = re.compile(r"cd \S+(?:\s*(?:&&|;)\s*|$)")
_LONG_COMMAND = 40
_GOES_ON = re.compile(r"(?:is|are|was|were|must|should|shall|may|can|cannot|has|have|does)\s")
_ENDING = " .:;,：。；，、…-–—"
_MOST_HEADS = 6
_DONE = re.compile(
    r"\b(?:is|are|be|was|were|been) \w+(?:ed|en|ilt|pt|nt|ut)$"
)  # `is deployed` of `is deployed with the crane`
_PAIR_OF_ADVERBS = re.compile(r"ly (?:and|or) [a-z]+ly\b")
_HOW = re.compile(r"\s(?:using|via|by|with|through)\s")
_PARTICLE = re.compile("down|up|out|off|over|back|away|in|on")
_LETTER = re.compile(r"[^\W\d_]|[\ue000-\uf8ff]")
_ARROW = re.compile(r"\s*(?:[-=]+>|[→⇒↓▼⟶])")
_PACKAGE = re.compile(r"\w+(?:[-_]\w+)+")  # a name that another one may begin with
_YEAR = re.compile(r"\d{4}")
_WORD = re.compile(r"\w+")
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
    if title.endswith("…") and cell_width(name) <= MAX_TITLE_CELLS and (is_telling(name) or _says_less(title, name)):
        return name
    begins = title.casefold().startswith(name.casefold())
    if not begins and _names(title, name):
        return title
    named = title if begins else _below(name, title)
    if above and _is_part(name, title) and not (says_the_same(named, above) or name.casefold() in above.casefold()):
        both = _below(above, named)
        if cell_width(both) <= MAX_TITLE_CELLS:
            return both
        if begins and matches("headings", "referring", name) and cell_width(_below(above, name)) <= MAX_TITLE_CELLS:
            return _below(above, name)
    return title if begins else _fitting_below(name, title)


def _names(title: str, name: str) -> bool:
    """Return whether a title says a name in its middle, or in other words."""
    if name.casefold() in title.casefold() or _WORD.findall(name) == _WORD.findall(title):
        return True
    return not _PACKAGE.fullmatch(name) and says_the_same(title, name, share=_NAMED_SHARE)


def _fitting_below(name: str, title: str) -> str:
    """Return a title below a name, shortened where there is no room for all of it; as it is if that is not enough."""
    bare = without_asides(title, MAX_TITLE_CELLS - cell_width(name) - 2)
    shorter = (title, bare, without_articles(title), without_articles(bare))
    fitting = (_below(name, words) for words in shorter)
    return next((one for one in fitting if cell_width(one) <= MAX_TITLE_CELLS), title)


def _says_less(title: str, name: str) -> bool:
    """Return whether a cut title only says when, below a heading of several words."""
    opens = grammar_of(language_of(title)).condition.match(title)
    return bool(opens) and len(name.split()) >= _TOPIC_WORDS and not re.search("[,:，：]", title)


def _is_part(name: str, title: str) -> bool:
    """Return whether a heading of one or two words, or one that is the whole title, needs the one above it."""
    is_short = len(_WORD.findall(name)) <= _SLIGHT_WORDS and not (CJK.search(name) and cell_width(name) > _SLIGHT_CELLS)
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


def heads_in(found: Sequence[Block], held: HeldCode) -> list[str]:
    """Return what the first items, commands or rows of blocks begin with, their code held."""
    heads = (head for block in found for head in _heads_of(block, found[0].mark, held))
    heads = (head for head in heads if head and not matches("headings", "open", head))
    return list(islice(heads, _MOST_HEADS))


def _heads_of(block: Block, margin: str, held: HeldCode) -> Iterator[str]:
    if block.kind == "code":
        yield from _heads_of_code(block, held)
    elif block.kind == "table":
        rows = [[unmarked(held.take_out(cell)).strip() for cell in row[:2]] for row in block.rows]
        firsts = [row[0] for row in rows]
        is_name = len(set(firsts)) == len(firsts)
        cells = (_first_cell(row) if is_name else " ".join(filter(None, row)) for row in rows)
        yield from ("" if _is_aside(cell) else cell for cell in cells)
    elif block.kind == "item" and len(block.mark) <= len(margin):
        yield _head_of_item(unmarked(held.take_out(undecorated(block.text)[0])).strip())


def _heads_of_code(block: Block, held: HeldCode) -> Iterator[str]:
    if block.mark not in SHELLS:
        yield from (words for words in block.commands if not without_label(undecorated(words)[0])[0])
    elif any(map(_TREE_LINE.match, block.lines)):
        roots = [root[1] for root in map(_TREE_ROOT.match, block.lines) if root]
        yield from (held.take_out(f"`{root}`") for root in (roots if len(roots) > 1 else ()))
    elif not _shows_both(block):
        is_diagram = any(_ARROW.match(line) for line in block.lines)
        told = takewhile(lambda command: not (command.endswith(":") and is_bad(command)), block.commands)
        commands = [] if is_diagram else [each for each in told if _LETTER.search(each) and not each.endswith(":")]
        briefly = dict.fromkeys(map(_brief_command, commands) if block.mark in REAL_SHELLS else commands)
        if len(briefly) > 1:
            briefly.pop("", None)
        yield from (held.take_out(f"`{command}`" if "`" not in command else command) for command in briefly)


def _shows_both(block: Block) -> bool:
    """Return whether commands are shown in a wrong and a right way, below comments such as `# ❌ Wrong`."""
    comments = (undecorated(line.strip().lstrip("#/ "))[0] for line in block.lines if line.lstrip()[:1] in {"#", "/"})
    return any(is_bad(without_label(comment)[0] or comment) for comment in comments)


def _first_cell(cells: Sequence[str]) -> str:
    """Return the first cell of a row, a mere number or sign with the next one."""
    return cells[0] if _LETTER.search(cells[0]) else " ".join(filter(None, cells))


def tree_root(block: Block, held: HeldCode) -> list[str]:
    """Return the folder below which a tree of files is drawn, its code held; none where it names no folder."""
    root = _TREE.match("\n".join(block.lines[:2]))
    return [held.take_out(f"`{root[1]}`")] if root else []


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
    head = _HEAD_END.split(next(sentences(text), ""), maxsplit=1)[0].rstrip(_ENDING)
    is_label = text[len(head) :].lstrip().startswith((":", "：")) and _is_aside(head)
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
    ends = (end for end in ends if not (_DONE.search(head[:end]) and _HOW.match(head, end)))
    ends = (end for end in ends if not _PAIR_OF_ADVERBS.match(head, max(0, end - 2)))
    starts = (head[:end].rstrip(_ENDING) for end in ends if " " in head[:end] and is_balanced(head[:end]))
    dangling = (grammar.dangling, _PARTICLE)
    return next((one for one in starts if not any(end.fullmatch(one.rpartition(" ")[2]) for end in dangling)), head)
