"""Shorten a sentence to a clause that says the same, without losing what it forbids or when it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from memtui.analysis.clause_ends import (
    LEAST_WORDS,
    WAITING,
    ends_within,
    is_mere_subject,
    is_open_list,
    is_passive,
    is_whole,
    last_words,
    rank_of_end,
    waits,
)
from memtui.analysis.grammar import (
    LATIN,
    Grammar,
    capital,
    grammar_of,
    has_verb,
    is_balanced,
    language_of,
    without_filler,
)
from memtui.analysis.headlines import PURPOSE, without_asides
from memtui.analysis.imperative import is_imperative
from memtui.text.words import cell_width, clip

_READ_CHARS = 600  # Of a longer sentence only the start is read
_TAIL_CHARS = 240  # What stands further behind the end of a title does not limit what that says

_BEFORE_REASON = re.compile(
    r"(?:because|since(?! \S+ \d)|due to|being|given|having|weil|da|parce qu|puisqu|comme|porque|como|dado que|já que"
    r"|由于|因为)(?:e |['’]| |(?<=[于为]))",
    re.IGNORECASE,
)
_PRONOUN_ACTS = re.compile(r"(?:it|they|you|we) (?:\w+ ){1,2}\w+")
# It begins with a set of signs, which the search for the next one goes by.
_EDGE = re.compile(r"[;:,\s—；，。：](?:(?<=[;:,])\s+|(?<=—)—*|(?<=\s)(?:[—–]+\s|--?\s|(?=[^\W\d_]))|(?<=[；，。：]))")
_COMMA = re.compile(r"[,:]\s|[，：]")
_CODE_LIKE = re.compile("[\ue000-\uf8ff()_/`]")
_VALUE_ALONE = re.compile("[\ue000-\uf8ff][;,]")  # of a label: `Crates: held; hooks: held`
_NAMES_FIRST = re.compile("[a-z\ue000-\uf8ff]")
_INFINITIVE_END = re.compile(r" to \w+$")
_PHRASE = re.compile(r"(?:to|than|that|which|as|while) ", re.IGNORECASE)
_TAKES_ONLY = re.compile(
    r"\b(?:accepts?|allows?|contains?|takes?|returns?|supports?|permits?|includes?|has|have|uses?) only$"
)
_BEGUN = re.compile(r"([:,]) ([^\s,:]+)$")
_GAP = re.compile(r"\s|[，。；：、]")
_DANGLING = re.compile(
    r"[\s(](?:but|so|then|that|which|who|the|an?|of|to|and|in|for|with|on|by|or|a|der|die|das|und|le|la|les|de|el|los|y|o|e)$"
)
_CLAUSE_PARTICLE = re.compile("[はがをにでてばりしずも]$")
_ENDING = " .,;:—–-…·。，；：、|/&+=→"

_BEST_RANK = 5
CLAUSE, REASON = 3, 5  # How good it is to end before another statement, and before a reason or remark
_LEAST_LEAD = 14
_MEMBER_CHARS = 24
_PART_CELLS = 60
_MOST_TRIED = 40
_CLEAN_CUT = 7  # The rank of a statement that ends before a semicolon, colon or dash
_LABEL_WORDS = 4
_LEAD_WORDS = 8
_STATEMENT_WORDS = 5
_LEAST_CELLS = {5: 24, 4: 26, 3: 30, 2: 36, 1: 40}  # The fewest cells that are left by a cut of each rank, of 80
_WIDEST = 80
_CELLS_OF_RANK = 13  # A cut one rank better is worth as many cells of the title


def shortened(text: str, most: int, width: Callable[[str], int], *, least_rank: int = 1) -> str | None:
    """Return a sentence that fits, ended at a clause; None if it has no clause that says the same.

    Args:
        most: the cells it may take.
        width: returns the cells of a text.
        least_rank: how good its end must be: `REASON` to end before a reason or remark only, `CLAUSE` before another
            statement as well, 1 before a mere phrase.
    """
    known = width if isinstance(width, _Known) else _Known(width)
    asked = (text, most, least_rank)
    if asked not in known.shortened:
        known.shortened[asked] = _shortened(text, most, known, least_rank)
    return known.shortened[asked]


class _Known:
    """The width of texts, with what each was shortened to: behind each of many labels both ways lead to the same."""

    def __init__(self, width: Callable[[str], int]) -> None:
        self._width = width
        self.shortened: dict[tuple[str, int, int], str | None] = {}

    def __call__(self, text: str) -> int:
        return self._width(text)


def _shortened(text: str, most: int, width: _Known, least_rank: int) -> str | None:
    text = text[:_READ_CHARS]
    if width(text) <= most:
        return text
    language = language_of(text)
    grammar = grammar_of(language)
    text = without_asides(text, most, width)
    if width(text) <= most:
        return text
    label, rest = _labelled(text)
    if label:
        short = shortened(rest, most - width(label), width, least_rank=least_rank)
        return label + short if short else _without_label(label, rest, most, width, language, least_rank=least_rank)
    if language in {"ja", "ko"}:
        return _without_reason(text, most, width, grammar)
    lead, main = _leading(text, grammar)
    if main and _BEFORE_REASON.match(lead):
        return shortened(capital(main), most, width, least_rank=least_rank)
    if lead:
        return _both(lead, without_filler(main), most, width, language) if main and least_rank < CLAUSE else None
    return next(_cuts(text, most, width, language, least_rank=least_rank), None)


def _without_label(
    label: str, rest: str, most: int, width: Callable[[str], int], language: str, *, least_rank: int
) -> str | None:
    """Return what a label stands before if that says enough, else the label if it states something itself."""
    is_condition = grammar_of(language).condition.match(label) or PURPOSE.match(label)
    is_named = (
        _CODE_LIKE.search(label)
        or _VALUE_ALONE.match(rest)
        or (_NAMES_FIRST.match(rest) and not has_verb(rest, language))
    )
    if not (is_condition or is_named or least_rank >= CLAUSE) and len(rest.split()) >= _STATEMENT_WORDS:
        return shortened(capital(rest), most, width)
    statement = label.rstrip(_ENDING)
    states = len(statement.split()) >= LEAST_WORDS and has_verb(statement, language)
    return statement if states and not is_condition and not _TAKES_ONLY.search(statement) else None


def cut_off(text: str, most: int) -> str:
    """Return the beginning of a sentence up to a word that fits, the cut marked with `…`.

    It ends before a clause or phrase if enough is left of it, without the mark before another statement.
    """
    language = language_of(text)
    grammar = grammar_of(language)
    text = without_asides(text, most, cell_width)
    lead, main = _leading(text, grammar)
    if main and _BEFORE_REASON.match(lead) and cell_width(main) > most:
        text = capital(main)
    heads = _beginnings(text, most)
    ranks = {head: _rank_of_cut(head, text, grammar, language) for head in heads if not _breaks_words(head)}
    whole = sorted(ranks, key=ranks.__getitem__, reverse=True)
    if not whole:
        return (heads[0] if heads else clip(text, most).removesuffix("…").rstrip(_ENDING)) + "…"
    head, *others = whole
    if ranks[head] >= _CLEAN_CUT:
        return head
    if _hides_limit(head, text[len(head) :], grammar):
        head = next((other for other in others if len(other) > len(head) and ranks[other]), head)
    return head + "…"


def _beginnings(text: str, most: int) -> list[str]:
    """Return the beginnings of a sentence up to a word that fill some of the room there is, the longest first."""
    ends = [gap.start() for gap in _GAP.finditer(text[:most]) if cell_width(text[: gap.start()]) < most]
    heads = (text[:end].rstrip(_ENDING) for end in reversed(ends[-_MOST_TRIED:]))
    return [head for head in heads if 5 * cell_width(head) > 2 * most]


def _breaks_words(head: str) -> bool:
    if not is_balanced(head) or ends_within(head) or is_passive(head):
        return True
    last = last_words(head)
    return _DANGLING.search(last) is not None or _TAKES_ONLY.search(last) is not None


def _rank_of_cut(head: str, text: str, grammar: Grammar, language: str) -> int:
    """Return how good a marked cut is; of equal ones the longest is best."""
    rest = text[len(head) :]
    ends = rest[:1] in set(";:；：—。")
    if _awaits_more(head, language) or (not ends and waits(head.rpartition(" ")[2], grammar)):
        return 0
    tail = rest.lstrip(" ,，、")
    opens = (grammar.condition, grammar.exception, grammar.addition, grammar.reason)
    if ends:
        rank = 3
    elif rest[:1] in ",，、" or any(opener.match(tail) for opener in opens):
        rank = 2
    else:
        rank = int(bool(grammar.preposition.match(tail) or _PHRASE.match(tail)))
    lacks_main = grammar.condition.match(head) and not _leading(head, grammar)[1]
    return rank + (0 if lacks_main or not has_verb(head, language) else 4)


def _awaits_more(head: str, language: str) -> bool:
    """Return whether words end within a condition, before the object of a verb, or with the first word of an act."""
    waiting, begun = WAITING.search(head), _BEGUN.search(head)
    if waiting and not (_PRONOUN_ACTS.match(waiting[1]) or has_verb(waiting[1], language)):
        return True
    if begun is None or _INFINITIVE_END.search(head):
        return bool(_INFINITIVE_END.search(head))
    return begun[1] == ":" or (is_imperative(begun[2]) and not is_open_list(head[: begun.start()]))


def _hides_limit(head: str, tail: str, grammar: Grammar) -> bool:
    """Return whether what is cut off says when a rule holds, or what else it forbids."""
    tail = tail.lstrip(" ,，、").removeprefix("only ")
    limits = (grammar.condition, grammar.exception, grammar.negation)
    if any(limit.match(tail) for limit in limits):
        return True
    return bool(grammar.negation.search(head) and grammar.addition.match(tail))


def _labelled(text: str) -> tuple[str, str]:
    """Return a short label that a text begins with, as in `Naming: …`, and the rest."""
    label, colon, rest = text.partition(": ")
    is_label = len(label.split()) <= _LABEL_WORDS or not has_verb(label, language_of(text))
    return (label + colon, rest) if colon and is_label else ("", text)


def _without_reason(text: str, most: int, width: Callable[[str], int], grammar: Grammar) -> str | None:
    """Drop the reasons, and then the first of a list, that a sentence of a language with final verbs begins with."""
    while width(text) > most:
        reason, comma, rest = text.partition("、")
        is_member = len(reason) < _MEMBER_CHARS and "、" in rest and not _CLAUSE_PARTICLE.search(reason)
        if not comma or not (is_member or grammar.reason.match(reason)):
            return None
        text = rest
    return text


def _leading(text: str, grammar: Grammar) -> tuple[str, str]:
    """Return the condition or circumstance that a sentence begins with and its main clause, if it has both."""
    condition = grammar.condition.match(text)
    most_words = _LEAD_WORDS * (2 if PURPOSE.match(text) or _BEFORE_REASON.match(text) else 1)
    if not (condition or most_words > _LEAD_WORDS or grammar.preposition.match(text)):
        return "", ""
    for comma in _COMMA.finditer(text):
        lead, main = text[: comma.start()], text[comma.end() :]
        is_remark = bool(grammar.reason.match(main)) or main.split(" ", 1)[0].endswith("ing")
        if not condition and (len(lead.split()) > most_words or is_remark):
            return "", ""
        if not (is_remark or grammar.addition.match(main) or grammar.negation.fullmatch(main.partition(" ")[0])):
            return lead, main
    return (text, "") if condition else ("", "")


def _both(lead: str, main: str, most: int, width: Callable[[str], int], language: str) -> str | None:
    """Return a leading clause and the main clause, both shortened as far as needed."""
    between = ", " if language in LATIN else "，"
    addition = grammar_of(language).addition
    cuts = _cuts(lead, width(lead) - 1, width, language, least=_LEAST_LEAD)
    for clause in (lead, *(head for head in cuts if not addition.match(lead[len(head) :].lstrip(", ")))):
        room = most - width(clause) - 2
        if room >= _LEAST_CELLS[5] and (short := shortened(main, room, width)):
            return f"{clause}{between}{short}"
    return shortened(capital(main), most, width) if PURPOSE.match(lead) else None


def _cuts(
    text: str, most: int, width: Callable[[str], int], language: str, *, least: int = 0, least_rank: int = 1
) -> Iterator[str]:
    """Yield every clause that a sentence can end with, the best first: by its length and how good its end is.

    `least`: the fewest cells of a clause; by default they depend on how good its end is.
    """
    share = 1 if language in LATIN else 2
    lowest = (least or _scaled(min(_LEAST_CELLS.values()), most)) // share
    edges = _edges(text, most, width, lowest=lowest, least_rank=least_rank)
    grammar, is_part = grammar_of(language), most < _PART_CELLS
    waiting: list[tuple[int, int, str, str]] = []
    while edges or waiting:
        # No edge further in can be worth more than the best rank with its cells, so those are looked at only if needed.
        if waiting and (not edges or -waiting[0][0] >= _BEST_RANK * _CELLS_OF_RANK + edges[-1][0]):
            _, _, head, bare = heappop(waiting)
            tail = text[len(head) :].lstrip(" ,，")
            if not is_mere_subject(head, language, tail) and is_whole(bare, grammar, language, is_part=is_part):
                yield head
            continue
        cells, head, edge = edges.pop()
        rank = rank_of_end(head, edge[0], text[edge.end() : edge.end() + _TAIL_CHARS], language)
        if rank >= least_rank and cells >= (least or _scaled(_LEAST_CELLS.get(rank, 0), most)) // share:
            bare = _without_only(head) if edge[0].strip() else head
            heappush(waiting, (-rank * _CELLS_OF_RANK - cells, -len(head), head, bare))


def _without_only(head: str) -> str:
    """Return a clause without the `only` behind its sentence; with it where it is the object of a verb."""
    return head if _TAKES_ONLY.search(head) else head.removesuffix(" only")


def _scaled(cells: int, most: int) -> int:
    """Return the fewest cells of a clause where a title has so much room."""
    return cells * min(most, _WIDEST) // _WIDEST


def _edges(
    text: str, most: int, width: Callable[[str], int], *, lowest: int, least_rank: int
) -> list[tuple[int, str, re.Match[str]]]:
    """Return where a clause may end: its cells, its text and what follows it, the shortest first."""
    edges: list[tuple[int, str, re.Match[str]]] = []
    for edge in _EDGE.finditer(text):
        head = text[: edge.start()].rstrip(_ENDING)
        cells = width(head)
        if cells > most:
            break
        # Nothing but a sign ends a sentence before a reason or remark as well as that takes.
        if cells >= lowest and (edge[0].strip() or least_rank < REASON):
            edges.append((cells, head, edge))
    return edges
