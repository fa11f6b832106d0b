"""A person's turn as statements: without code, quotations, tags and what was pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memtui.capture.lessons.cues import words_of_language

MOST_CHARS = 6_000
"""Characters of a turn that are read; a longer one is a paste or a plan."""

MOST_MATCHED = 480  # Characters of a statement in which cues are looked for
MOST_STATEMENTS = 40  # Statements of a turn that are judged
MOST_LINES = 10  # Lines of a block without a blank one from which it counts as pasted

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_TAGGED = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)(?:\s[^<>]{0,200})?>.*?(?:</\1>|\Z)", re.DOTALL)
"""Tags of the programs around an assistant; those of code that a person names have no second word."""

_QUOTED_LINES = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_LOGGED = re.compile(
    r"^(?:[+-]{3} |@@ |[ \t]+at [\w.$]+\(|Traceback|\s*File \"|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\$ |>>> |"
    r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|NOTE)\b|E\s{2,}|diff --git|error(?:\[\w+\])?: "
    r"|[\w.]*(?:Error|Exception)\b:? |\s*>? ?\d+ ?\| |\d+:\d+\s+(?:[Ee]rror|[Ww]arning)\b"
    r"|(?:DOM Path|HTML Element|Position|Detail|DETAIL): |Type '"
    r"|(?:INSERT INTO|SELECT|CREATE|ALTER|DROP|UPDATE|DELETE FROM|VALUES|FROM|WHERE) ?[(\w\"`]"
    r"|\[[\w:@/. -]{2,40}\] |\s*</?[a-z]+[ >]).*$",
    re.MULTILINE,
)
_PASTED = re.compile(r"(?<=[:：])[ \t]*\n(?:[ \t]*\n)?(?![ \t]*(?:[-*•]|\d+[.)])\s)(?:[^\n]*\S[^\n]*\n){1,}[^\n]*")
"""Lines after one that announces them."""

_QUOTED = re.compile(
    r"“[^”\n]{18,600}”|„[^“”\"\n]{18,600}[“”\"]|«[^»\n]{18,600}»|\"[^\"\n]{18,600}\"|「[^」\n]{9,400}」|『[^』\n]{9,400}』|“[^”\n]{7,400}”"
)
_BOUND = re.compile(r"(?<=[.!?…])[\s\"')”]+(?=\S)|(?<=[。！？!?])|\n+|(?<=[\w)`])\s+(?=[✅👍🙏🎉😀-🙏])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|z\.\s?b|d\.\s?h|bzw|ca|usw|p\.\s?ex|ej|nr|dr|st|resp)|\b\w)\.$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that a person typed, as it stands in the turn."""

    text: str
    start: int
    end: int
    paragraph: int
    """Statements of one paragraph or list item belong together."""

    is_item: bool = False

    @property
    def plain(self) -> str:
        """Its start in lower case with plain apostrophes, as cues are matched."""
        return self.text[:MOST_MATCHED].lower().replace("\u2019", "'")


_BOLD = re.compile(r"\*\*[^*\n]{1,200}\*\*|^#{2,6} ", re.MULTILINE)
_MOST_BOLD = 2  # Bold words and headings of a turn; people type few, answers of assistants that they paste have many
_SIGNS = re.compile(r"[{}\[\]()<>|=;:\"'\\/$@#_*%&+~^│└┌├─→⨯⚠✓❯━\u2800-\u28ff]")
_MOST_SIGNS, _FEW_SIGNS = 0.2, 0.12  # Share of such signs from which a line is code or a log, or may be one
_SPOKEN = 2  # Words of a language, or signs of Chinese and Japanese, from which a line may be typed
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def statements_of(text: str) -> list[Statement]:
    """Return what a person states in a turn, in order."""
    typed = without_quotations(text[:MOST_CHARS])
    is_answer = len(_BOLD.findall(typed)) > _MOST_BOLD
    found: list[Statement] = []
    for number, (start, end) in enumerate(_paragraphs(typed)):
        if is_answer and _BOLD.search(typed, start, end):
            continue
        found.extend(one for one in _sentences(typed, start, end, number) if not _is_log(one.text))
        if len(found) >= MOST_STATEMENTS:
            break
    return found[:MOST_STATEMENTS]


def _is_log(text: str) -> bool:
    """Return whether a statement is a line of code, of a log or of markup rather than words."""
    plain = re.sub(r"`[^`\n]*`", "", text)
    signs = len(_SIGNS.findall(plain)) / max(1, len(plain))
    if signs < _FEW_SIGNS:
        return False
    spoken = words_of_language(plain) + len(_WIDE.findall(plain)) / 2
    return spoken < _SPOKEN or signs >= _MOST_SIGNS * max(1.0, spoken / _SPOKEN)


def without_quotations(text: str) -> str:
    """Return a text of the same length in which everything that is not a person's own words is blank."""
    for pattern in (_FENCE, _TAGGED, _QUOTED_LINES, _PASTED, _LOGGED, _QUOTED):
        text = pattern.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    return "".join("\n" if sign == "\n" else " " for sign in found[0])


def _paragraphs(typed: str) -> Iterator[tuple[int, int]]:
    """Yield where the paragraphs and list items of a text stand; blocks of many lines are pasted."""
    at = 0
    for block in re.split(r"(\n[ \t]*\n\s*)", typed):
        lines = block.split("\n")
        if block.strip() and len(lines) <= MOST_LINES:
            yield from _items(block, at)
        elif block.strip():
            yield from _listed(lines, at)
        at += len(block)


def _items(block: str, at: int) -> Iterator[tuple[int, int]]:
    start = 0
    for line_start in [match.end() for match in re.finditer(r"\n", block)]:
        if _ITEM.match(block, line_start):
            yield at + start, at + line_start
            start = line_start
    yield at + start, at + len(block)


def _listed(lines: list[str], at: int) -> Iterator[tuple[int, int]]:
    """Yield the items of a block of many lines, if it is a list that a person may have typed."""
    if sum(bool(_ITEM.match(line)) for line in lines) * 2 < len(lines):
        return
    for line in lines:
        if _ITEM.match(line):
            yield at, at + len(line)
        at += len(line) + 1


def _sentences(typed: str, start: int, end: int, paragraph: int) -> Iterator[Statement]:
    item = _ITEM.match(typed, start, end)
    begin = item.end() if item else start
    for bound in [*_BOUND.finditer(typed, begin, end), None]:
        stop = bound.start() if bound else end
        if bound and _ABBREVIATION.search(typed, max(begin, stop - 8), stop):
            continue
        piece = typed[begin:stop]
        if _WORD.search(piece):
            lead = len(piece) - len(piece.lstrip())
            yield Statement(piece.strip(), begin + lead, begin + len(piece.rstrip()), paragraph, item is not None)
        begin = bound.end() if bound else end
