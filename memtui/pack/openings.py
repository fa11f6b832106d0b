"""Where a text may be cut, the opening of a memory that is too long, and the lines of listings that a task needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from memtui.domain.memory import Memory
from memtui.text.tokens import index_terms

CLOSERS = r"(?:\*\*|__|[*_\"'”’)\]」』）])*"
ABBREVIATED = re.compile(
    r"(?:^|[\s(\"'*_\[])(?:e\.g|i\.e|cf|vs|approx|no|fig|dr|mr|mrs|ms|st|al|inc|resp|incl|excl"
    r"|p\.? ?ex|p\.? ?ej|z\. ?b|d\. ?h|u\. ?a|bzw|ca|nr|vgl"
    r"|ggf|evtl|usw|sog|ch|ed|eds|vol|pp|(?<!\d )(?:max|min|sec|[a-z])|\d{1,3}[a-z]?)\.[\"'”’)\]*_]*$",
    re.IGNORECASE,
)
_PAIRS = (("`", "`"), ("**", "**"), ("(", ")"), ("[", "]"), ("“", "”"), ("「", "」"), ("『", "』"), ("（", "）"))
COLON = re.compile(r"[:：][\"')\]*_]*$")

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(
    rf"\n(?=[ \t]*(?:[-*+•>|#]|\d{{1,3}}[.)][ \t]|`{{3}}|~{{3}}))"
    rf"|(?<=[.!?…]){CLOSERS}(?:[ \t]+|\n)(?=[^a-z\s])|(?<=[。！？])"
)


def is_closed(text: str) -> bool:
    """Return whether every code span, emphasis, quotation and bracket of a text is closed."""
    bare = re.sub(r"`[^`]*`", "", text)
    if "`" in bare or bare.count('"') % 2:
        return False
    return all(
        not bare.count(opening) % 2 if opening == closing else bare.count(opening) <= bare.count(closing)
        for opening, closing in _PAIRS
    )


def mark(memory: Memory) -> str:
    """Return the mark at the end of a shortened text."""
    return f"[shortened: memtui show {memory.id}]"


def shortened(memory: Memory, *, fits: Callable[[Memory], bool], longest: int) -> Memory | None:
    """Return as much of a memory as fits, or None if not even its first sentence does.

    The snippet goes first, then whole paragraphs from the end, then the rationale, then sentences or lines
    of the first paragraph.

    `fits`: whether a memory is small enough. `longest`: characters beyond which no text can fit; nothing after them is
    looked at.
    """
    known = memory.insight[:longest]
    whole = len(known) == len(memory.insight)
    paragraphs = _cuts(known, _PARAGRAPH, whole=whole)
    sentences = _cuts(known[: paragraphs[0]] if paragraphs else known, _SENTENCE, whole=whole or bool(paragraphs))
    for cuts, rationale in ((paragraphs, memory.rationale), (paragraphs, ""), (sentences, "")):
        if len(rationale) > longest:
            continue
        plain = replace(memory, snippet="", rationale=rationale)
        found = _longest_that_fits(plain, known, cuts, fits)
        if found:
            return found
    return None


def _cuts(text: str, boundary: re.Pattern[str], *, whole: bool) -> list[int]:
    """Return the ends of the pieces of a text; the last piece only if the text is whole."""
    ends = [match.start() for match in boundary.finditer(text) if _may_end(text[: match.start()])]
    return [*ends, len(text)] if whole and text.strip() else ends


def _may_end(text: str) -> bool:
    """Return whether a text says something where it is cut: it leaves no code open and announces nothing."""
    last = text.rstrip().rpartition("\n")[2]
    return bool(last) and not COLON.search(last) and not ABBREVIATED.search(last) and is_closed(last)


def _longest_that_fits(memory: Memory, text: str, cuts: list[int], fits: Callable[[Memory], bool]) -> Memory | None:
    """Return the memory with the longest of the cuts that fits, by bisection."""
    best = None
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        tried = replace(memory, insight=f"{text[: cuts[middle]].rstrip()}\n\n{mark(memory)}")
        if fits(tried):
            best, low = tried, middle + 1
        else:
            high = middle
    return best


FEWEST_LINES = 10  # Lines from which a tree, a list of commands or a table is something to look up in
FEWEST_LEFT_OUT = 5  # Lines that must go so that it is worth saying that some are missing
LONGEST_LISTED = 20_000  # Characters of a text beyond which no listings are looked for

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*")
_BRANCH = re.compile(r"[│├└|`+][─-]{2}|│")
_DEPTH = re.compile(r"[ \t│├└─|`+-]*")
_SHELL = frozenset(("", "bash", "sh", "shell", "console", "zsh", "fish", "powershell", "bat"))
_COMMENT = re.compile(r"[ \t]*#[ \t]*(?=\S)(?!\d|step\b|then\b|next\b|finally\b|first\b)", re.IGNORECASE)
_BINDS = re.compile(
    r"\b(?:must|never|always|don't|not|no|only|required|avoid|nie|niemals|immer|nicht|kein\w*|jamais|toujours|nunca"
    r"|siempre|sempre)\b|禁止|必ず|不要|しない",
    re.IGNORECASE,
)
_FEWEST_GROUPS = 3  # Commented groups from which commands are alternatives rather than steps


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a listing, by the places of its lines."""

    lines: tuple[int, ...]
    above: tuple[int, ...] = ()  # what it says nothing without: the folders of a file, the head of a table


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines of a text that are a listing, with its entries, or something else, without any."""

    lines: Sequence[str]
    entries: tuple[_Entry, ...] = ()
    is_table: bool = False
    is_commands: bool = False

    def kept(self, entries: Sequence[_Entry], more: str) -> Sequence[str]:
        """Return the lines of some entries, and how many are missing; all where that would not be worth it."""
        places = {place for one in entries for place in (*one.lines, *one.above)}
        missing = sum(bool(line.strip()) and place not in places for place, line in enumerate(self.lines))
        if not self.entries or missing < FEWEST_LEFT_OUT:
            return self.lines
        indent = self.lines[0][: len(self.lines[0]) - len(self.lines[0].lstrip())]
        note = f"{indent}… {missing}{more}"
        return [*(self.lines[place] for place in sorted(places)), *([""] if self.is_table else []), note]


def more_lines(memory: Memory) -> str:
    """Return what follows the number of lines that are left out of a listing."""
    return f" more lines: memtui show {memory.id}"


def near_lines(memory: Memory, wanted: frozenset[str], *, fits: Callable[[Memory], bool]) -> Memory | None:
    """Return a memory whose directory trees, lists of commands and tables are reduced; None where nothing is left out.

    What the task names is kept and what orders or forbids, then the uppermost entries as far as the memory fits. Steps
    and other code stay whole.

    `wanted`: the words of the task, stemmed. `fits`: whether a memory is small enough.
    """
    runs = _listed_runs(memory)
    if not runs or fits(memory):
        return None
    ranked = sorted(
        (not is_needed, len(one.above), number, one.lines, one)
        for number, run in enumerate(runs)
        for one, is_needed in zip(run.entries, _needed(run, wanted), strict=True)
    )

    def with_first(count: int) -> Memory:
        kept: list[list[_Entry]] = [[] for _ in runs]
        for *_, number, _, one in ranked[:count]:
            kept[number].append(one)
        texts = [run.kept(few, more_lines(memory)) for run, few in zip(runs, kept, strict=True)]
        return replace(memory, insight="\n".join(chain.from_iterable(texts)))

    low, high = max(1, sum(not is_far for is_far, *_ in ranked)), len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(with_first(middle)) else (low, middle - 1)
    short = with_first(low)
    return short if short.insight != memory.insight else None


def _listed_runs(memory: Memory) -> Sequence[_Run]:
    """Return the lines of a memory in runs, none where it has no listing to look something up in."""
    is_short = memory.insight.count("\n") < FEWEST_LINES - 1
    if is_short or len(memory.insight) > LONGEST_LISTED or memory.kind == "constraint":
        return ()
    runs = list(_runs(memory.insight.split("\n")))
    prose = chain((memory.title,), *(run.lines for run in runs if not run.entries))
    if _BINDS.search("\n".join(prose)):
        runs = [replace(run, entries=()) if run.is_commands else run for run in runs]  # a procedure to follow
    return runs if any(run.entries for run in runs) else ()


def _needed(run: _Run, wanted: frozenset[str]) -> list[bool]:
    """Return which entries a task names, by words that do not stand in every second one, or must be known anyway."""
    texts = ["\n".join(run.lines[place] for place in one.lines) for one in run.entries]
    named = [wanted.intersection(index_terms(text)) for text in texts]
    counts = Counter(word for words in named for word in words)
    common = {word for word, count in counts.items() if 2 * count > len(texts)}
    return [bool(words - common or _BINDS.search(text)) for words, text in zip(named, texts, strict=True)]


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Yield the lines of a text as listings and what stands between them."""
    start = 0
    while start < len(lines):
        end, fence = start + 1, _FENCE.fullmatch(lines[start])
        if fence:
            while end < len(lines) and not lines[end].lstrip().startswith(fence["fence"]):
                end += 1
            inside = lines[start + 1 : end]
            entries = _entries(inside, fence["info"].strip().lower()) if end < len(lines) else ()
            yield _Run(lines[start : start + 1])
            yield _Run(inside, tuple(entries), is_commands=not _is_tree(inside))
        elif _ROW.fullmatch(lines[start]):
            while end < len(lines) and _ROW.fullmatch(lines[end]):
                end += 1
            rows = range(2, end - start) if end - start >= FEWEST_LINES else ()
            yield _Run(lines[start:end], tuple(_Entry((place,), (0, 1)) for place in rows), is_table=True)
        else:
            yield _Run(lines[start:end])
        start = end


def _entries(code: Sequence[str], language: str) -> Iterator[_Entry]:
    if len(code) < FEWEST_LINES:
        return
    if _is_tree(code):
        yield from _entries_of_tree(code)
    elif language in _SHELL:
        yield from _groups(code)


def _is_tree(code: Sequence[str]) -> bool:
    return 2 * sum(_BRANCH.search(line) is not None for line in code) >= len(code)


def _entries_of_tree(code: Sequence[str]) -> Iterator[_Entry]:
    open_folders: list[tuple[int, int]] = []  # depth and place
    for place, line in enumerate(code):
        if not line.strip():
            continue
        depth = len((_DEPTH.match(line) or [""])[0])
        while open_folders and open_folders[-1][0] >= depth:
            open_folders.pop()
        yield _Entry((place,), tuple(above for _, above in open_folders))
        open_folders.append((depth, place))


def _groups(code: Sequence[str]) -> Iterator[_Entry]:
    """Yield commands with the comments above them, where each group has one that numbers no step."""
    starts = [
        place
        for place, line in enumerate(code)
        if _COMMENT.match(line) and not (place and code[place - 1].lstrip().startswith("#"))
    ]
    if len(starts) >= _FEWEST_GROUPS and not any(line.strip() for line in code[: starts[0]]):
        yield from (_Entry(tuple(range(one, end))) for one, end in zip(starts, [*starts[1:], len(code)], strict=True))
