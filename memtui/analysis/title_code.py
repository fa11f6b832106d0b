"""What code says by itself, for a title: remarks in it, the tables of a settings file, the parts of a drawn flow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtui.analysis.grammar import is_balanced
from memtui.analysis.shorten import CLAUSE, shortened
from memtui.analysis.title_blocks import COMMENT_LINE, REAL_SHELLS, Block
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import avoided, is_bad, is_dropped, matches, undecorated, without_label
from memtui.text.inline import visible
from memtui.text.words import cell_width

_DECLARING = frozenset({"cpp", "csharp", "dart", "go", "java", "javascript", "js", "jsx", "kotlin", "php", "py"}) | {
    *("python", "rs", "rust", "scala", "swift", "ts", "tsx", "typescript")
}
_DECLARES = re.compile(
    r"(?:(?:export|default|declare|public|internal|private|abstract|final|sealed|static|async|data|pub(?:\([^()]*\))?)\s+)*"
    r"(?:(?:(?:class|interface|struct|enum|trait|type|protocol|record)\s+(?P<type>[A-Z]\w+))"
    r"|(?:func|function|fn|def|fun)\s+(?:\([^()]*\)\s*)?(?P<function>\w{3,})\s*[(<\[])"
)
_FILE = re.compile(r"(?:[\w.@\[\]()-]+/)+[\w.\[\]-]+\.\w{1,5}")
_SETTINGS = frozenset({"toml", "ini", "cfg", "properties"})
_TABLE = re.compile(r"\s*\[{1,2}([\w. :\"-]{2,60})\]{1,2}\s*$")
_GOOD_SIGN = re.compile("\\s*[\u2705\u2714\u2713\u2611\U0001f44d]")
_ARROW_LINE = re.compile(r"[\s|│]*(?:[↓↕⇓▼⬇]|\bv\b)[\s↓↕⇓▼⬇|│]*(?:[A-Za-z][^→>-]{0,40})?$")
_ACROSS = re.compile(r"\s+(?:→|⇒|⟶|-+>)\s+")
_NODE_END = re.compile(r"\s{2,}|\s*[(（:：→]|\s[—–-]{1,2}\s|\s-?->")
_NODE = re.compile(r"[\s|│]*(\w.*)")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_REFERS = re.compile(r"(?:this|that|it|these|same|also|and|or|but|see (?:also|above|below|the|`))\b", re.IGNORECASE)
_NOTE_BEHIND = re.compile(r"\s+(?:#|//)\s.*$")
_CODE = re.compile(r"[\"'=`]|\w\(")
_CALL = re.compile(r"[\w.]+\(.*\)[;.]?$")
_CAPTION_LINE = re.compile(r"(?:#{1,6}|//+|--|;+|/\*+|<!--)\s+(?P<words>\S.*?)\s*(?:\*/|-->)?$")
_CAPTION = re.compile(r"[^\W\d_][^={}<>$\\|;]*$")
_CAPTION_END = re.compile(r"[:：](?:\s|$)|\s[—–-]{1,2}\s|\s*[(（]|[.!。](?:\s|$)|；|;\s")
_CAPTION_CELLS = 60
_LEAST_WORDS, _FEWEST_PARTS = 2, 3


@dataclass(frozen=True, slots=True)
class Remarks:
    """The first remarks of code that call what follows right or wrong; either may be empty."""

    good: str = ""
    bad: str = ""


def remarks_in(found: Sequence[Block]) -> Remarks:
    """Return what comments such as `# ❌ Lifting at night` or `// RIGHT — ask the pilot` say in the code of a text."""
    good = bad = ""
    for block in found:
        for words, is_wrong in _marked(block) if block.kind == "code" else ():
            good, bad = (good, bad or words) if is_wrong else (good or words, bad)
    return Remarks(good, bad)


def _marked(block: Block) -> Iterator[tuple[str, bool]]:
    """Yield the words of each comment that is marked as right or wrong, and whether it is wrong."""
    for line in block.lines if block.mark not in REAL_SHELLS else ():
        comment = COMMENT_LINE.match(line)
        words = visible(comment["words"]) if comment else ""
        bare, wrong = undecorated(words)
        label, rest = without_label(bare)
        is_wrong = wrong or is_bad(label)
        is_good = bool(_GOOD_SIGN.match(words)) or matches("labels", "good", label)
        end = _SENTENCE_END.search(rest)
        said = _NOTE_BEHIND.sub("", rest[: end.start()] if end else rest)
        if (is_wrong or is_good) and _says(said):
            yield said.rstrip(" .:;,"), is_wrong


def _says(words: str) -> bool:
    is_told = len(words.split()) >= _LEAST_WORDS or _CALL.match(words)
    return bool(is_told) and is_balanced(words) and not (is_bad(words) or _REFERS.match(words))


def with_remarks(heading: str, remarks: Remarks, width: Callable[[str], int], *, is_of_bad: bool) -> str:
    """Return a heading with what code below it shows as right or wrong; empty if there is no room.

    `is_of_bad`: whether the heading itself says that what stands below it is wrong.
    """
    good, bad = remarks.good, remarks.bad
    told = (
        *([bad] if is_of_bad and bad else ()),
        *([good] if good and not (bad and _CODE.search(good)) else ()),
        *([avoided(bad)] if bad else ()),
    )
    room = MAX_TITLE_CELLS - (width(heading) + 2 if heading else 0)
    both = f"{good}, not {_within(bad)}" if good and bad and not _forbids(bad) and not _forbids(good) else ""
    if both and not is_of_bad and width(both) <= room:  # cut, it would be what is right, and code says nothing of why
        return ": ".join(filter(None, (heading, both)))
    fits = (words if width(words) <= room else shortened(words, room, width, least_rank=CLAUSE) for words in told)
    best = next(filter(None, fits), "")
    return ": ".join(filter(None, (heading, best))) if best else ""


def _forbids(words: str) -> bool:
    return avoided(words) == words


def _within(words: str) -> str:
    """Return words as they stand within a sentence; names keep their capital."""
    first = words.partition(" ")[0]
    return words if not first.istitle() or "_" in first else words[:1].lower() + words[1:]


def captions_in(block: Block) -> list[str]:
    """Return what comments at the margin of code, or headings of Markdown, call its parts; nothing for less than two.

    Only a comment at the beginning or below a blank line names a part; what says good or bad, or before and after, does
    not. Code that begins without one, or with a part that has no name, has other parts than its comments tell.
    """
    found: list[str] = []
    caption, begins = "", True
    for line in block.lines:
        comment = _CAPTION_LINE.match(line)
        if not line.strip():
            caption, begins = "", True
        elif comment:
            caption = caption or (_caption(comment["words"]) if begins else "")
            begins = False
        elif not (caption or found):
            return []
        else:
            found += [caption] if caption else []
            caption, begins = "", False
    told = list(dict.fromkeys(found))
    return told if len(told) > 1 and not any(map(is_dropped, told)) else []


def _caption(comment: str) -> str:
    """Return what a comment calls the code below it; empty for a remark on it, and for code in a comment."""
    words = undecorated(visible(comment))[0].strip("-=# ")
    label, rest = without_label(words)
    words = _CAPTION_END.split(rest or words, maxsplit=1)[0].rstrip(" .:;,")
    is_name = _CAPTION.match(words) and cell_width(words) <= _CAPTION_CELLS and is_balanced(words)
    return words if is_name and not (is_bad(label) or _REFERS.match(words)) else ""


def parts_of_code(block: Block) -> list[str]:
    """Return what a settings file is about by the names of its tables, or what other code declares; else nothing."""
    if block.mark in _DECLARING:
        return _declared_in(block)
    if block.mark not in _SETTINGS:
        return []
    names = [found[1].strip() for line in block.lines if (found := _TABLE.match(line))]
    return list(dict.fromkeys(names))


def _declared_in(block: Block) -> list[str]:
    """Return the file that code names in its first comment; else the types or functions that it declares."""
    first = next((line for line in block.lines if line.strip()), "")
    comment = COMMENT_LINE.match(first)
    if comment and _FILE.fullmatch(comment["words"]):
        return [comment["words"]]
    found = [match for line in block.lines if (match := _DECLARES.match(line))]
    types = [match["type"] for match in found if match["type"]]
    names = list(dict.fromkeys(types or [match["function"] for match in found]))
    return names if len(names) > 1 else []


def flow_below(heading: str, block: Block, width: Callable[[str], int]) -> list[str]:
    """Return the first parts of a flow that code draws as one head, as many as fit below a heading; else nothing."""
    flow = ""
    for part in _flow_in(block):
        longer = " → ".join(filter(None, (flow, part)))
        if width(f"{heading}: {longer}") > MAX_TITLE_CELLS:
            break
        flow = longer
    return [flow] if "→" in flow else []


def _flow_in(block: Block) -> list[str]:
    """Return the parts of a flow that is drawn in one line, or from the top down; nothing for other code.

    Drawn from the top down, each part stands on a line of its own, with a line of arrows before the next.
    """
    lines = [line for line in block.lines if line.strip()]
    across = _ACROSS.split(lines[0].strip()) if lines and block.mark not in REAL_SHELLS else []
    if len(across) >= _FEWEST_PARTS and all(map(_NODE.match, across)):
        return across
    arrows = [bool(_ARROW_LINE.match(line)) for line in lines]
    if sum(arrows) < _FEWEST_PARTS - 1 or not lines or arrows[0]:
        return []
    begins = [lines[0], *(after for (is_arrow, after) in zip(arrows, lines[1:], strict=False) if is_arrow)]
    names = [_NODE_END.split(found[1], maxsplit=1)[0].strip() for line in begins if (found := _NODE.match(line))]
    return list(dict.fromkeys(filter(None, names)))
