"""Titles that read well in a list, and Markdown as plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

READ_CHARS = 2_000
"""Only the start of a line is read, so that a line of a megabyte costs nothing."""

_CODE_SPAN = re.compile(r"(?<!`)(`{1,4})(?!`)(.{1,400}?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\[\]]{0,200})\](?:\([^()\s]{0,400}[^()]{0,100}\)|\[[^\[\]]{0,100}\])")
_LINK = re.compile(
    r"\[([^\[\]]{1,300})\](?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,400}(?:\s[^()]{0,100})?\)|\[[^\[\]]{0,100}\])"
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,300})>")
_TAG = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,200})?/?>|<!--.{0,400}?-->")
_STRONG = re.compile(r"(?<![\w*])\*\*(?=[^\s*/,])(.{1,600}?)(?<=[^\s*])\*\*(?!\*)")
_EMPHASIS = re.compile(r"(?<![\w*/])\*(?=[^\s*/,.])([^*]{1,400}?)(?<=[^\s*])\*(?![\w*/])")
_UNDERLINED = re.compile(r"(?<![\w/])(_{1,2})(?=[^\s_])([^_]{0,300}[^_\s])\1(?![\w/.])")
_DUNDER = re.compile(r"__[a-z][a-z0-9_]*__")
_STRUCK = re.compile(r"~~([^~]{1,300})~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")

_MARKED = re.compile(r"[\[<*_~]")

_HOLD_FIRST = 0xE000
_HELD = re.compile("[\ue000-\uf8ff]")
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"\s+")
_CLAUSE = re.compile(r"(?:;\s|\s[—–-]{1,2}\s|,\s|\s\(|:\s|[，；：、])")
_COMMA_FROM, _CLAUSE_FROM = 48, 36
_TRAILING = " ,;:(—\u2013-\uff0c；：、"
_JOINER = "\u200d"


@dataclass(slots=True)
class HeldCode:
    """Code spans and escaped letters taken out of a text, so that none is read as punctuation or markup.

    There are 6,400 private characters, and no more than 1,000 such places in the part of a text that is read.
    """

    spans: list[str] = field(default_factory=list)

    def take_out(self, markdown: str) -> str:
        """Return the start of a text with a private character for each code span and escaped letter."""
        shown = _CONTROL.sub(" ", markdown[:READ_CHARS])
        if "`" in shown:
            shown = _CODE_SPAN.sub(lambda found: self._hold(found[2].strip()), shown)
        return _ESCAPE.sub(lambda found: self._hold(found[1]), shown) if "\\" in shown else shown

    def put_back(self, text: str) -> str:
        """Return a text with everything put back."""
        return _HELD.sub(lambda found: self.spans[ord(found[0]) - _HOLD_FIRST], text)

    def _hold(self, span: str) -> str:
        self.spans.append(span)
        return chr(_HOLD_FIRST + len(self.spans) - 1)


def plain_text(markdown: str) -> str:
    """Return one line of inline Markdown without markup: links become their text, code its content."""
    held = HeldCode()
    return held.put_back(unmarked(held.take_out(markdown)))


def unmarked(text: str) -> str:
    """Return a text without links, emphasis and tags; its code must be taken out before."""
    if not _MARKED.search(text):
        return one_line(text)
    for pattern in (_IMAGE, _LINK, _AUTOLINK):
        text = pattern.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    for pattern in (_STRONG, _EMPHASIS, _STRUCK):
        text = pattern.sub(r"\1", text)
    text = _UNDERLINED.sub(lambda found: found[0] if _DUNDER.fullmatch(found[0]) else found[2], text)
    return one_line(text)


def visible(text: str) -> str:
    """Return the start of a text as one line without control characters."""
    return one_line(_CONTROL.sub(" ", text[:READ_CHARS]))


def one_line(text: str) -> str:
    """Return a text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def cells(text: str) -> int:
    """Return the width of a text in terminal cells: one for a Latin letter, two for a CJK one."""
    if text.isascii():
        return len(text)
    from wcwidth import wcwidth  # takes 20 ms, and most texts are ASCII

    return sum(max(0, wcwidth(letter)) for letter in text)


def cut(text: str, most_cells: int) -> str:
    """Return one line of at most so many cells, cut at a clause or a word, the cut marked with `…`."""
    line = visible(text)
    if cells(line) <= most_cells:
        return line
    room = _fitting(line, most_cells - 1)
    fitted = line[:room]
    for clause in reversed(list(_CLAUSE.finditer(fitted))):
        least = _COMMA_FROM if clause[0].strip() in {",", "，", "、"} else _CLAUSE_FROM
        if cells(fitted[: clause.start()]) >= least:
            return fitted[: clause.start()].rstrip(_TRAILING) + "…"
    space = room if line[room].isspace() else fitted.rfind(" ")
    kept = fitted[:space] if space > room // 2 else fitted
    return kept.rstrip(_TRAILING) + "…"


def _fitting(line: str, most_cells: int) -> int:
    """Return how many characters fit, without splitting a letter from its marks or an emoji."""
    if line.isascii():
        return min(most_cells, len(line))
    from wcwidth import wcwidth  # see above

    width = whole = 0
    joined = False
    for position, letter in enumerate(line):
        step = max(0, wcwidth(letter))
        if step and not joined:
            whole = position
        joined = letter == _JOINER
        width += step
        if width > most_cells:
            return whole
    return len(line)


__all__ = ["MAX_TITLE_CELLS", "cut_title", "heading_title", "plain_text", "title_for"]

MAX_TITLE_CELLS = 72
"""Terminal cells, one for a Latin letter, two for a CJK one."""

_LIST_MARK = r"(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)"
_MARKER = re.compile(rf"(?:>[ \t]*)*(?:#{{1,6}}[ \t]+|{_LIST_MARK})?(?:\[[ xX]\][ \t]+)?")
_ITEM = re.compile(rf"{_LIST_MARK}(?=\S)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset({"", "sh", "bash", "zsh", "fish", "shell", "console", "powershell", "ps1", "text"})
_TABLE_LINE = re.compile(r"[ \t]*\|")
_RULER = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_DATE = re.compile(r"\[?\d{4}-\d{2}-\d{2}(?:T[\d:.Z+]+)?\]?\s*[:—–-]?\s+")
_LEAD = re.compile(
    r"(?:\*\*(?=[^\s*])(.{1,300}?)(?<=[^\s*])\*\*|__(?=[^\s_])([^_]{1,300})__)\s*"
    r"([:：.,;—–-]*)\s*"
)
_LABEL_LINE = re.compile(r"(?:\*\*|__)([^*_]{1,60})(?:[:：](?:\*\*|__)|(?:\*\*|__)\s*[:：])", re.MULTILINE)
_LABEL_ENDED = re.compile("[:：.;]$")
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|esp|no|nr|dr|st|fig|[A-Za-z]|\d{1,3})\.$",
    re.IGNORECASE,
)
_RULE_WORDS = re.compile(
    r"\b(?:never|always|must|don['’]?t|do not|avoid|prefer|only|use|no)\b|禁止|必须|不要|必ず|禁じ",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"(?:(?:see (?:below|above|also|the following|here)|as follows|the following|notes?|important|warning|tip"
    r"|overview|examples?|for example|e\.g|i\.e|usage|summary|details|introduction|in particular)\b.{0,12}"
    r"|todo|yes|no|ok|none|n/a)$",
    re.IGNORECASE,
)
_EMPTY_LABELS = re.compile(
    r"(?:symptoms?|problem|issue|location|patterns?|context|status|date|notes?|purpose|rule|why|what|where|when|who"
    r"|goal|summary|description|overview|key|cause|root cause|background|question|tl;?dr|type|file|files|path"
    r"|critical pattern|decision|warning|important|说明|问题|目标)$",
    re.IGNORECASE,
)
_FILE_TITLE = re.compile(
    r"\.mdc?\b|\b(?:claude|agents?|gemini|cursor|copilot|instructions|guide(?:lines)?|readme|rules|memory)\b",
    re.IGNORECASE,
)
_HEAD_END = re.compile(r"[:：](?:\s|$)|\s[—–-]{1,2}\s|\s\(|[.;]\s|：")
_CODE_LINE = "#/{}[]<>();@*│├└"

_LEAST_CELLS = 8
_LABEL_WORDS = 5
_LONG_LEAD_WORDS, _LONG_LEAD_CELLS, _FIRM_LEAD_WORDS = 4, 40, 3
_PARENT_WORDS, _TITLE_WORDS = 3, 2
_LONGEST_HEAD = 40
_MOST_HEADS = 4
_ENDING = " .:;,：。"


def title_for(text: str, heading_path: Sequence[str]) -> str:
    """Return a title for a memory: one line, at most 72 cells, never empty.

    It is the text's bold lead or first sentence. If the text opens with a fence, a table, a list or a lead-in, it is
    the heading with what follows below it.
    """
    lines = text[:READ_CHARS].split("\n")
    opening = _opening(lines)
    if not opening or _announces(opening) or _is_list(lines):
        title = _headed_title(heading_path, opening, lines)
    else:
        title = _record_title(lines, heading_path) or _sentence_title(" ".join(opening), heading_path)
    if _says_little(title):
        title = heading_title(heading_path) or title
    return cut_title(title) or cut_title(text) or "Untitled"


def cut_title(title: str) -> str:
    """Return one line of at most 72 cells, cut at a clause or a word, the cut marked with `…`."""
    return cut(title, MAX_TITLE_CELLS)


def heading_title(heading_path: Sequence[str]) -> str:
    """Return the last heading, preceded by its parent if it is a single word."""
    headings = [words for part in heading_path if (words := plain_text(part).strip().rstrip(_ENDING))]
    if not headings:
        return ""
    last, parent = headings[-1], headings[-2] if len(headings) > 1 else ""
    if not parent or len(last.split()) > 1 or len(parent.split()) > _PARENT_WORDS:
        return last
    is_document = len(headings) == 2 and (  # noqa: PLR2004 - the parent is the outermost heading
        len(parent.split()) > _TITLE_WORDS or bool(_FILE_TITLE.search(parent))
    )
    return last if is_document else f"{parent}: {last}"


def _opening(lines: Sequence[str]) -> list[str]:
    """Return the first paragraph or item, line by line without markers; none if a fence or table comes first."""
    opening: list[str] = []
    for line in lines:
        bare = line.strip()
        if not bare or _RULER.match(line):
            if opening:
                break
            continue
        marker = _MARKER.match(bare)
        marked = marker.end() if marker else 0
        if _FENCE.match(line) or _TABLE_LINE.match(line):
            break
        if opening and (marked or _LABEL_LINE.match(bare)):
            break
        if bare[marked:].strip():
            opening.append(bare[marked:].strip())
    return opening


def _announces(opening: Sequence[str]) -> bool:
    """Return whether the words only lead to what follows."""
    return opening[-1].rstrip("*_ ").endswith((":", "："))


def _is_list(lines: Sequence[str]) -> bool:
    """Return whether the text is a list of several items, perhaps below a short line."""
    items = list(islice((number for number, line in enumerate(lines) if _ITEM.match(line)), 2))
    if len(items) <= 1:
        return False
    above = [line for line in lines[: items[0]] if line.strip()]
    return not above or (len(above) == 1 and _is_label(above[0].strip()))


def _is_label(line: str) -> bool:
    lead = _LEAD.match(line)
    told = bool(lead and line[lead.end() :].strip())
    return not told and len(line.split()) <= _LABEL_WORDS and not line.endswith((".", "!", "?"))


def _says_little(title: str) -> bool:
    return cells(title) < _LEAST_CELLS or bool(_GENERIC.match(title))


def _record_title(lines: Sequence[str], heading_path: Sequence[str]) -> str:
    """Return the heading with the labels of a text made of lines like `**Scope**: …`."""
    labels = [match[1].strip() for line in lines if (match := _LABEL_LINE.match(line))]
    if len(labels) <= 1 or not heading_path or _EMPTY_LABELS.match(labels[0]):
        return ""
    heading = plain_text(heading_path[-1]).strip().rstrip(_ENDING)
    return f"{heading}: {', '.join(labels[:_MOST_HEADS])}" if cells(heading) <= _LONGEST_HEAD else heading


def _sentence_title(paragraph: str, heading_path: Sequence[str]) -> str:
    """Return the bold lead or the first sentence of a paragraph as plain text."""
    held = HeldCode()
    source = held.take_out(paragraph)
    dated = _DATE.match(source)
    if dated and dated.end() < len(source):
        source = source[dated.end() :]
    sentence = held.put_back(_first_sentence(unmarked(source))).strip().rstrip(_ENDING)
    lead = _LEAD.match(source)
    if lead is None:
        return sentence
    words = lead[1] or lead[2]
    separated = bool(lead[3]) or bool(_LABEL_ENDED.search(words))
    words = held.put_back(unmarked(words)).strip().rstrip(_ENDING)
    rest = held.put_back(_first_sentence(unmarked(source[lead.end() :]))).strip().rstrip(_ENDING)
    if rest and not separated:
        return sentence
    if rest and _EMPTY_LABELS.match(words):
        heading = heading_path[-1] if heading_path else words
        return f"{plain_text(heading).strip().rstrip(_ENDING)}: {rest}"
    return words if not rest or _stands_alone(words) else f"{words}: {rest}"


def _stands_alone(lead: str) -> bool:
    words = len(lead.split())
    firm = words >= _FIRM_LEAD_WORDS and bool(_RULE_WORDS.search(lead))
    return firm or words > _LONG_LEAD_WORDS or cells(lead) > _LONG_LEAD_CELLS


def _first_sentence(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        sentence = text[: end.end()]
        if end[0] != "." or not _ABBREVIATION.search(sentence[-12:]):
            return sentence
    return text


def _headed_title(heading_path: Sequence[str], opening: Sequence[str], lines: Sequence[str]) -> str:
    """Return the words that lead to a list, else the heading, with the heads of what follows."""
    lead = ""
    if opening and not _ITEM.match(lines[0]):
        words = plain_text(" ".join(opening))
        lead = _first_sentence(words).strip().rstrip(_ENDING)
        if len(lead) < len(words.strip().rstrip(_ENDING)) and not _says_little(lead):
            return lead
    heads = list(_heads(lines))
    heading = heading_title(heading_path)
    if heading and (len(lead.split()) <= 1 or cells(lead) > _LONGEST_HEAD or _says_little(lead)):
        short = plain_text(heading_path[-1]).strip().rstrip(_ENDING)
        lead = short if heads and cells(short) >= _LEAST_CELLS else heading
    if not lead:
        return plain_text(" ".join(opening)) or ", ".join(heads)
    return f"{lead}: {', '.join(heads)}" if heads and cells(lead) <= _LONGEST_HEAD else lead


def _heads(lines: Sequence[str]) -> Iterator[str]:
    """Yield the heads of the first items, commands or columns, up to the first long one."""
    for number, head in enumerate(islice(_all_heads(lines), _MOST_HEADS)):
        is_long = cells(head) > _LONGEST_HEAD
        if number == 0 or not is_long:
            yield head
        if is_long:
            return


def _all_heads(lines: Sequence[str]) -> Iterator[str]:
    fence: str | None = None
    for line in lines:
        if mark := _FENCE.match(line):
            fence = None if fence is not None else mark[2].lower()
        elif fence is not None:
            if head := _command(line) if fence in _SHELLS else "":
                yield head
        elif item := _ITEM.match(line):
            if head := _item_head(line[item.end() :]):
                yield head
        elif _TABLE_LINE.match(line):
            yield from (head for cell in line.strip().strip("|").split("|") if (head := plain_text(cell)))
            return


def _command(line: str) -> str:
    bare = visible(line)
    if not bare or bare[0] in _CODE_LINE or bare.endswith("/"):
        return ""
    return bare.removeprefix("$ ").split(" #")[0].split(" //")[0].strip()


def _item_head(item: str) -> str:
    held = HeldCode()
    marker = _MARKER.match(item)
    text = unmarked(held.take_out(item[marker.end() if marker else 0 :]))
    return held.put_back(_HEAD_END.split(text, maxsplit=1)[0]).strip().rstrip(_ENDING)
