"""Shorten a sentence to a clause that says the same, without losing what it forbids or when it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from heapq import heappop, heappush

from memtui.analysis.classify import is_imperative
from memtui.analysis.grammar import (
    FINITE,
    LATIN,
    RELATIVE_SUBJECT,
    Grammar,
    capital,
    grammar_of,
    has_verb,
    is_balanced,
    language_of,
    plain_verbs,
    without_filler,
)
from memtui.analysis.headlines import PURPOSE, without_asides
from memtui.text.words import cell_width, clip

_READ_CHARS = 600  # Of a longer sentence only the start is read
_TAIL_CHARS = 240  # What stands further behind the end of a title does not limit what that says

_BEFORE_REASON = re.compile(
    r"(?:because|since(?! \S+ \d)|due to|being|given|having|weil|da|parce qu|puisqu|comme|porque|como|dado que|já que"
    r"|由于|因为)(?:e |['’]| |(?<=[于为]))",
    re.IGNORECASE,
)
_WAITING = re.compile(r"\b(?:when(?:ever)?|if|unless|where|until|once|wenn|falls|sobald)\s+(\S.*)$", re.IGNORECASE)
_PRONOUN_ACTS = re.compile(r"(?:it|they|you|we) (?:\w+ ){1,2}\w+")
_NO_SUBJECT = re.compile(
    r"\w+(?:ing|ed)\b|(?:possible|needed|necessary|applicable|appropriate|relevant|required|in doubt|practical)\b"
)
_EDGE = re.compile(r";\s+|\s[—–]+\s|—+|\s--?\s|:\s+|,\s+|\s(?=[^\W\d_])|[；，。：]")
_CLAUSE_END = re.compile(r";|\s[—–]|—|\s--?\s|；|。")
_COMMA = re.compile(r"[,:]\s|[，：]")
_COMMA_OR_COLON = re.compile("[,:]")
_HELD = re.compile("[\ue000-\uf8ff]")
_ARTICLE_WORD = re.compile(r"\b(?:an?|the|der|die|das|eine?n?|un|une|el|la|los|las|uma?|os?) \S+$", re.IGNORECASE)
_ANY_WORD = re.compile(r"\b(?:any|each|every) \S+$", re.IGNORECASE)
_INFINITIVE = re.compile(r"to (?:\w+ly )?([a-z]+)")
_CODE_LIKE = re.compile("[\ue000-\uf8ff()_/`]")
_LIST_END = re.compile(r"(?:[^,]{1,60}, )*(?:[^\s,]+(?: |$)){1,5}")
_SEGMENT = re.compile(r",\s+(?:(?:and|or|but|und|oder|et|ou|y|o|e)\s+)?|，")
# What needs a word more: `the log and table`, `is stored`, `read and, if asked, …`.
_WITHIN = re.compile(
    r" (?:and|or|und|oder|et|ou|y|o|e) \w+$"
    r"|\b(?:must|should|can|will|may|might|could|would) \w+$|\b(?:is|are|was|were|be|been) \w+ed$"
    r"|(?:,| when| while| by| before| after) \w+ing$|\b(?:and|or|und|oder|et|ou|y|o|e),"
    r"|\bbut \w+ \w+$|\bto (?:\w+ly )?be \w+ing$"
)
_DETERMINED = re.compile("^(?:no|only|any|all) ", re.IGNORECASE)
_ACTS_ON = re.compile(
    "\\w+ (?:the|an?|all|any|every|each|both|your|its|no|\\w+ly|to|for|from|with|[\ue000-\uf8ff])", re.IGNORECASE
)
_ASIDE_SUBJECT = re.compile(r"([^,]{1,60}), (?:which|who|whose|where|such as|including|like) [^,]*$")
_LIST_CLOSED = re.compile(r", (?:and|or|und|oder|et|ou|y|e|o) ")
_LIST_GOES_ON = re.compile(r", (?:and|or|und|oder|et|ou|y|e|o) ")
_OBLIGES = re.compile(r"\b(?:must|should|shall|always|never|only|required?|mandatory|has to|have to)\b", re.IGNORECASE)
_INFINITIVE_END = re.compile(r" to \w+$")
_PARTICIPLE_END = re.compile(
    r"(?<!ly)(?<! already)(?<! not)(?<! never) (?!need|feed|seed|embed|speed|red|bed|shared|advanced)\w+ed$"
)
_PHRASE = re.compile(r"(?:to|than|that|which|as|while) ", re.IGNORECASE)
_TAKES_ONLY = re.compile(
    r"\b(?:accepts?|allows?|contains?|takes?|returns?|supports?|permits?|includes?|has|have|uses?) only$"
)
_ONLY_ONE = re.compile(r"\bonly:? \S+$")
_BEGUN = re.compile(r"([:,]) ([^\s,:]+)$")
_LONE_WORD = re.compile(r", [^\s,]+$")
_PAIR_OPEN = re.compile(r" (?:and|or) (?:each|every) \w+$")
_DASHED = re.compile(r"\s[—–]\s(\S+(?:\s\S+){0,2})$")
_GAP = re.compile(r"\s|[，。；：、]")
_DANGLING = re.compile(
    r"[\s(](?:but|so|then|that|which|who|the|an?|of|to|and|in|for|with|on|by|or|a|der|die|das|und|le|la|les|de|el|los|y|o|e)$"
)
_ENDING = " .,;:—–-…·。，；：、|/&+=→"

_BEST_RANK = 5
CLAUSE, REASON = 3, 5  # How good it is to end before another statement, and before a reason or remark

_SIGN_RANKS = {"：": 4, ":": 4}
_CLAUSE_RANKS = (3, 4)
_LEAST_WORDS = 3
_CLAUSE_WORDS = 6
_CLAUSE_SIGNS = frozenset({";", ":", "—", "–"})
_LEAST_LEAD = 14
_PART_CELLS = 60
_MOST_TRIED = 40
_CLEAN_CUT = 7  # The rank of a statement that ends before a semicolon, colon or dash
_LIST_WORDS = 3
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
    is_named = _CODE_LIKE.search(label) or (rest[:1].islower() and not has_verb(rest, language))
    if not (is_condition or is_named or least_rank >= CLAUSE) and len(rest.split()) >= _STATEMENT_WORDS:
        return shortened(capital(rest), most, width)
    statement = label.rstrip(_ENDING)
    states = len(statement.split()) >= _LEAST_WORDS and has_verb(statement, language)
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
    ends = [gap.start() for gap in _GAP.finditer(text[:most]) if cell_width(text[: gap.start()]) < most]
    heads = [
        head for end in reversed(ends[-_MOST_TRIED:]) if 5 * cell_width(head := text[:end].rstrip(_ENDING)) > 2 * most
    ]
    within = (_DANGLING, _WITHIN, _TAKES_ONLY)
    whole = [head for head in heads if is_balanced(head) and not any(words.search(head) for words in within)]
    ranks = {head: _rank_of_cut(head, text, grammar, language) for head in whole}
    whole.sort(key=ranks.__getitem__, reverse=True)
    if whole and ranks[whole[0]] >= _CLEAN_CUT:
        return whole[0]
    if whole and _hides_limit(whole[0], text[len(whole[0]) :], grammar):
        further = (head for head in whole[1:] if len(head) > len(whole[0]) and ranks[head])
        whole[:1] = [next(further, whole[0])]
    head = next(iter(whole), heads[0] if heads else clip(text, most).removesuffix("…").rstrip(_ENDING))
    return head + "…"


def _rank_of_cut(head: str, text: str, grammar: Grammar, language: str) -> int:
    """Return how good a marked cut is; of equal ones the longest is best."""
    waiting = _WAITING.search(head)
    states = waiting is None or _PRONOUN_ACTS.match(waiting[1]) or has_verb(waiting[1], language)
    begun = _BEGUN.search(head)
    starts_act = begun and (begun[1] == ":" or (is_imperative(begun[2]) and not _is_open_list(head[: begun.start()])))
    is_open = not states or _INFINITIVE_END.search(head) or starts_act
    rest = text[len(head) :]
    ends = rest[:1] in set(";:；：—。")
    waits = (grammar.dangling, grammar.exception, grammar.condition)
    if is_open or (not ends and any(word.fullmatch(head.rpartition(" ")[2]) for word in waits)):
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
    """Drop the reasons that a sentence of a language with final verbs begins with."""
    while width(text) > most:
        reason, comma, rest = text.partition("、")
        if not comma or not grammar.reason.match(reason):
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
    edges = _edges(
        text, most, width, lowest=(least or _scaled(min(_LEAST_CELLS.values()), most)) // share, least_rank=least_rank
    )
    grammar, is_part = grammar_of(language), most < _PART_CELLS
    waiting: list[tuple[int, int, str, str]] = []
    while edges or waiting:
        # No edge further in can be worth more than the best rank with its cells, so those are looked at only if needed.
        if waiting and (not edges or -waiting[0][0] >= _BEST_RANK * _CELLS_OF_RANK + edges[-1][0]):
            _, _, head, bare = heappop(waiting)
            if not _is_mere_subject(head, language) and _is_whole(bare, grammar, language, is_part=is_part):
                yield head
            continue
        cells, head, edge = edges.pop()
        rank = _rank(head, edge[0], text[edge.end() : edge.end() + _TAIL_CHARS], language)
        fewest = least or (_scaled(_LEAST_CELLS[rank], most) if rank else 0)
        if rank >= least_rank and cells >= fewest // share:
            bare = head.removesuffix(" only") if edge[0].strip() and not _TAKES_ONLY.search(head) else head
            heappush(waiting, (-rank * _CELLS_OF_RANK - cells, -len(head), head, bare))


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


def _is_whole(head: str, grammar: Grammar, language: str, *, is_part: bool) -> bool:
    if not is_balanced(head):
        return False
    if language not in LATIN:
        return not grammar.dangling.search(head)
    aside = _DASHED.search(head)
    if aside and not has_verb(aside[1], language):
        return False
    waiting = _WAITING.search(head)
    if waiting and not (has_verb(waiting[1], language) or _NO_SUBJECT.match(waiting[1])):
        return False
    words = head.split()
    least = _LEAST_WORDS - (bool(_HELD.search(words[-1])) or is_part)
    if len(words) > 1 and words[-2].lower() in {"as", "so"}:
        return False  # `as long`, `so that`
    waits = (grammar.dangling, grammar.exception, grammar.condition)
    return len(words) >= least and not any(word.fullmatch(words[-1]) for word in waits)


@lru_cache(256)
def _rank(head: str, edge: str, rest: str, language: str) -> int:
    """Return how good a sentence ends at an edge between its head and the rest, 1 to 5; 0 for no end at all."""
    grammar = grammar_of(language)
    sign, tail = edge.strip(), _CLAUSE_END.split(rest, maxsplit=1)[0]
    if _breaks(edge, rest, tail, language):
        return 0
    if sign and sign not in ",，":
        return 0 if sign == ":" and _is_label(head, language) else _SIGN_RANKS.get(sign, 5)
    is_participle = not sign and tail.split(" ", 1)[0].endswith("ing")
    if not sign and tail.startswith("as ") and not has_verb(" ".join(tail.split()[1:_CLAUSE_WORDS]), language):
        return 0  # `Treat the log as the truth`
    if (grammar.reason.match(tail) and not is_participle) or (sign and grammar.aside.match(tail)):
        return _rank_of_remark(sign, tail, head, language)
    if language not in LATIN:
        return 0 if not sign or _limits(tail, grammar, is_rule=True) else 3
    return _rank_of_phrase(sign, tail, head, language)


def _breaks(edge: str, rest: str, tail: str, language: str) -> bool:
    """Return whether what follows is excepted, says which one is meant, or holds the point."""
    grammar = grammar_of(language)
    is_restriction = (not edge.strip() or language == "de") and grammar.restriction.match(tail)
    return bool(grammar.exception.match(tail) or is_restriction or _turns(edge + rest, grammar))


def _turns(rest: str, grammar: Grammar) -> bool:
    """Return whether what is cut off holds the point, as in `A seems fine, but it fails at night`."""
    return any(rest[: at.start()].rstrip()[-1:] in {*",;—–，；"} for at in grammar.contrast.finditer(rest))


def _rank_of_remark(sign: str, tail: str, head: str, language: str) -> int:
    """Return how good a sentence ends before a reason, an example or an aside; not within its subject."""
    within_subject = sign and "," in tail and not has_verb(head, language)
    if within_subject or grammar_of(language).exception.search(tail):
        return 0
    return 5 if sign else 4


def _is_label(head: str, language: str) -> bool:
    return len(head.split()) < _LEAST_WORDS or not has_verb(head, language)


def _is_mere_subject(head: str, language: str) -> bool:
    """Return whether a clause within the subject is all that words state: `The log, which is kept at the quay`."""
    head = _DETERMINED.sub("", head, count=1)
    aside = _ASIDE_SUBJECT.match(head)
    if aside:
        return not has_verb(aside[1], language)
    _, sign, second = head.rpartition("; ")
    if sign and not has_verb(second, language):
        return True
    return bool(RELATIVE_SUBJECT.match(head)) and not has_verb(head, language)


def _is_rule(head: str, grammar: Grammar) -> bool:
    """Return whether a sentence orders or forbids, so that its condition is part of the rule."""
    return is_imperative(head) or bool(_OBLIGES.search(head) or grammar.negation.search(head))


def _limits(tail: str, grammar: Grammar, *, is_rule: bool) -> bool:
    """Return whether what is cut off says what is excepted, or when the rest holds if that is a rule."""
    first, *later = _SEGMENT.split(tail)
    if not is_rule and (at := grammar.temporal.match(first)):
        first = first[at.end() :]
    if grammar.exception.search(tail) or grammar.negation.search(first) or grammar.condition.search(first):
        return True
    return any(grammar.condition.match(segment) and not grammar.aside.match(segment) for segment in later)


def _rank_of_phrase(sign: str, tail: str, head: str, language: str) -> int:
    """Return how good a sentence ends before a phrase that is no reason."""
    grammar = grammar_of(language)
    opener = grammar.addition.match(tail)
    rest = tail[opener.end() :].strip() if opener else tail
    following = _COMMA_OR_COLON.split(rest, maxsplit=1)[0]
    is_list = bool(sign) and len(following.split()) <= _LIST_WORDS
    if _parts_pair(head, following, is_addition=bool(opener)):
        return 0
    if opener and _opens_clause(rest, head, is_list=is_list or not sign):
        return _rank_of_clause(sign, rest, head, language)
    if sign and grammar.negation.match(tail):
        return 4  # a contrast, as in "Use the pool, not a thread"
    if _is_within(sign, bool(opener), tail, head, grammar, is_open_list=_is_open_list(head)):
        return 0
    if grammar.example.match(tail):
        return _rank_of_remark(sign, tail, head, language)
    return _rank_of_marked(tail, is_list=is_list) if sign else _rank_of_unmarked(bool(opener), tail, head, grammar)


def _parts_pair(head: str, following: str, *, is_addition: bool) -> bool:
    """Return whether a sentence would end within a pair: `each boat and each mooring is`, `reads and writes to`."""
    if _PAIR_OPEN.search(head):
        return True
    return is_addition and head.endswith("s") and following.split(" ", 1)[0].endswith("s")


def _rank_of_clause(sign: str, rest: str, head: str, language: str) -> int:
    """Return how good a sentence ends before another statement that is added to it."""
    ends_list = _is_open_list(head) and not _acts(re.split(", | — ", head)[-1], language)
    return 0 if ends_list or _opens_limit(rest, grammar_of(language)) else _CLAUSE_RANKS[bool(sign)]


def _is_open_list(head: str) -> bool:
    return ", " in head and not _LIST_CLOSED.search(head)


def _acts(head: str, language: str) -> bool:
    told = head.rpartition(" ")[0]  # the last word would be a verb without its object, so it is taken for a noun
    if FINITE.search(head) or (language == "en" and told and has_verb(told, language) and not is_imperative(head)):
        return True
    is_verb = head.partition(" ")[0].lower() in plain_verbs() or _ACTS_ON.match(head)
    return is_imperative(head) and bool(is_verb) and not _DETERMINED.match(head)


def _opens_limit(rest: str, grammar: Grammar) -> bool:
    return bool(grammar.condition.match(rest) or grammar.exception.search(rest))


def _opens_clause(rest: str, head: str, *, is_list: bool) -> bool:
    """Return whether another statement follows `and`, rather than another word of the same."""
    if not is_list or (FINITE.search(head) and FINITE.search(rest)):
        return True
    first = rest.split(" ", 1)[0].lower()
    verbs = plain_verbs()
    return first in verbs or (first.endswith("s") and first.removesuffix("s") in verbs)


def _is_within(sign: str, opener: bool, tail: str, head: str, grammar: Grammar, *, is_open_list: bool) -> bool:
    """Return whether a sentence would end within a list or phrase, or without what limits it."""
    segment = tail.partition(", ")[0]
    if sign == "," and not opener and _breaks_list(head):
        return True
    if sign and not opener and _LIST_GOES_ON.search(tail) and not _acts(segment, language_of(segment)):
        return True
    if _limits(tail, grammar, is_rule=_is_rule(head, grammar)) or (
        is_open_list and (opener or _LIST_GOES_ON.search(tail))
    ):
        return True
    if grammar.verb_last.search(head) and not sign:
        return True
    is_shared = (bool(sign or opener) and _ARTICLE_WORD.search(head)) or (
        opener and not sign and _ANY_WORD.search(head)
    )
    return bool(is_shared or _WITHIN.search(head))


def _breaks_list(head: str) -> bool:
    """Return whether a sentence would end at a comma within its adjectives or objects; a list after a label may."""
    is_within = ": " not in head and bool(_LONE_WORD.search(head)) and has_verb(head, language_of(head))
    return is_within or bool(_ONLY_ONE.search(head))


def _rank_of_marked(tail: str, *, is_list: bool) -> int:
    """Return how good a sentence ends before a sign; within a list, only at its end."""
    return int(bool(_LIST_END.fullmatch(tail))) if is_list else 3


def _rank_of_unmarked(is_addition: bool, tail: str, head: str, grammar: Grammar) -> int:
    """Return how good a sentence ends before a word that no sign stands before."""
    if grammar.negation.search(head):
        return int(is_addition)  # where something is forbidden is part of what is forbidden
    if is_addition or grammar.preposition.match(tail):
        return 0 if not is_addition and _PARTICIPLE_END.search(head) else 2
    purpose = _INFINITIVE.match(tail)
    if purpose and purpose[1] in plain_verbs():
        return 3
    return 3 if _HELD.search(head[-1:]) and grammar.relative.match(tail) else 0
