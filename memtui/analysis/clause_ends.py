"""How good a sentence can end at one of its places, without losing what it forbids or when it holds."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.analysis.grammar import (
    FINITE,
    LATIN,
    RELATIVE_SUBJECT,
    Grammar,
    grammar_of,
    has_verb,
    is_balanced,
    language_of,
    plain_verbs,
)
from memtui.analysis.imperative import is_imperative
from memtui.text.caseless import Caseless

WAITING = re.compile(r"\b(?:when(?:ever)?|if|unless|where|until|once|wenn|falls|sobald)\s+(\S.*)$", re.IGNORECASE)
"""A condition that a clause ends with, and its words."""
_CONSEQUENCE = re.compile(r"[ ,]so (?:that )?(\S[^,;:]*)$")
"""What a clause ends with that tells why it is done, and its words: "so late boats"."""
_NO_SUBJECT = re.compile(
    r"\w+(?:ing|ed)\b|(?:possible|needed|necessary|applicable|appropriate|relevant|required|in doubt|practical)\b"
)
_DONE_HOW = re.compile(r"\b(?:is|are|be|was|were|been) \w+ \w+ly$")
_CLAUSE_END = re.compile(r"[;；。—\s](?:(?<=\S)|[—–]|--?\s)")
_COMMA_OR_COLON = re.compile("[,:]")
_HELD = re.compile("[\ue000-\uf8ff]")
_ARTICLE_WORD = re.compile(r"\b(?:an?|the|der|die|das|eine?n?|un|une|el|la|los|las|uma?|os?) \S+$", re.IGNORECASE)
_ANY_WORD = re.compile(r"\b(?:any|each|every) \S+$", re.IGNORECASE)
_INFINITIVE = re.compile(r"to (?:\w+ly )?([a-z]+)")
_LIST_END = re.compile(r"(?:[^,]{1,60}, )*(?:[^\s,]+(?: |$)){1,5}")
_SEGMENT = re.compile(r",\s+(?:(?:and|or|but|und|oder|et|ou|y|o|e)\s+)?|，")
_WITHIN = re.compile(
    r" (?:and|or|und|oder|et|ou|y|o|e) \w+$"
    r"|\b(?:must|should|can|will|may|might|could|would) \w+$"
    r"|(?:,| when| while| by| before| after) \w+ing$"
    r"|\bbut \w+ \w+$|\bto (?:\w+ly )?be \w+ing$"
)
_JOINED = re.compile(r"\b(?:and|or|und|oder|et|ou|y|o|e),")
_APART = re.compile(r"\b(?:distinct|separate(?:ly)?|apart|different(?:ly)?|both|two)\b")
_CANNOT = re.compile(r"cannot |can['’]t ")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been) \w+ed$")
_LAST_WORDS = 4  # the most that are looked at of what a clause ends with
_SECOND = re.compile(r" (?:and|or) \S+$")
_PARALLEL_CHARS = 60
_PHRASE_WORD = re.compile(r"\b(?:for|with|to|in|of|by|from|as) [^\s,]+$")
_NAME_FOLLOWS = re.compile("(?:(?:and|or) )?[\ue000-\uf8ff]")
_DETERMINED = re.compile("^(?:no|only|any|all) ", re.IGNORECASE)
_ACTS_ON = re.compile(
    "\\w+ (?:the|an?|all|any|every|each|both|your|its|no|\\w+ly|to|for|from|with|[\ue000-\uf8ff])", re.IGNORECASE
)
_ASIDE_SUBJECT = re.compile(r"([^,]{1,60}), (?:which|who|whose|where|such as|including|like) [^,]*$")
_LIST_CLOSED = re.compile(r", (?:and|or|und|oder|et|ou|y|e|o) ")
_LIST_GOES_ON = re.compile(r", (?:and|or|und|oder|et|ou|y|e|o) ")
_OBLIGES = Caseless(r"\b(?:must|should|shall|always|never|only|required?|mandatory|has to|have to)\b")
_PARTICIPLE_END = re.compile(
    r"(?<!ly)(?<! already)(?<! not)(?<! never) (?!need|feed|seed|embed|speed|red|bed|shared|advanced)\w+ed$"
)
_LAST_MEMBER = re.compile(r";\s+(?:or|and|und|oder|et|ou|y|o)\s")  # of `never lift; lower; or stop`
_VERB_FOLLOWS = re.compile(
    r"(?:(?!(?:that|which|who|when|where|if|because|to|so|and)\b)[^\s,;:.—–]+ ){1,6}?"
    r"(?:must|should|shall|cannot|can|may|will|is|are)\b"
)
_ONLY_ONE = re.compile(r"\bonly:? \S+$")
_LONE_WORD = re.compile(r", [^\s,]+$")
_PAIR_OPEN = re.compile(r" (?:and|or) (?:each|every) \w+$")
_RELATIVE_END = re.compile(r"\b(?:that|which|who|it|they|we|you)$")
_ADVERB = re.compile(r"^\w+ly ")
_ADVERB_ACTS = re.compile(r"\w+ly [a-z]+$")
_DASHED = re.compile(r"\s[—–]\s(\S+(?:\s\S+){0,2})$")

_SIGN_RANKS = {"：": 4, ":": 4}
_CLAUSE_RANKS = (3, 4)
LEAST_WORDS = 3
"""The fewest words that state something."""
_PREDICATE = re.compile("(?:都|均|一律|也)?(?:必须|必須|应|應|需|须|不得|不能|不要|不可|禁止|只能|只允许)")
"""What is said of a subject that stands before a comma in Chinese."""
_CLAUSE_WORDS = 6
_LIST_WORDS = 3


def last_words(head: str) -> str:
    """Return the last four words, with the space before them."""
    at = len(head)
    for _ in range(_LAST_WORDS):
        at = head.rfind(" ", 0, at)
        if at < 0:
            return head
    return head[at:]


def ends_within(head: str) -> bool:
    """Return whether words need one more: `the log and table`, `must keep`, `read and, if asked, …`."""
    return _WITHIN.search(last_words(head)) is not None or ("," in head and _JOINED.search(head) is not None)


def is_passive(head: str) -> bool:
    """Return whether words end with a passive, as `is stored` does if no sign follows."""
    return head.endswith("ed") and _PASSIVE.search(last_words(head)) is not None


def waits(word: str, grammar: Grammar) -> bool:
    """Return whether no clause ends with a word, since it opens what follows."""
    return any(words.fullmatch(word) for words in (grammar.dangling, grammar.exception, grammar.condition))


def is_whole(head: str, grammar: Grammar, language: str, *, is_part: bool) -> bool:
    """Return whether a clause is complete: no bracket, condition or phrase of it waits for more words."""
    if not is_balanced(head):
        return False
    if language not in LATIN:
        return not grammar.dangling.search(head)
    aside = _DASHED.search(head)
    if aside and not has_verb(aside[1], language):
        return False
    waiting = WAITING.search(head)
    if waiting and not (has_verb(waiting[1], language) or _NO_SUBJECT.match(waiting[1])):
        return False
    words = head.split()
    least = LEAST_WORDS - (bool(_HELD.search(words[-1])) or is_part)
    if len(words) > 1 and words[-2].lower() in {"as", "so"} and words[-1].islower():
        return False  # `as long`, `so that`, unlike `as HTTP`
    return len(words) >= least and not waits(words[-1], grammar)


@lru_cache(256)
def rank_of_end(head: str, edge: str, rest: str, language: str) -> int:
    """Return how good a sentence ends at an edge between its head and the rest, 1 to 5; 0 for no end at all."""
    grammar = grammar_of(language)
    sign, tail = edge.strip(), _CLAUSE_END.split(rest, maxsplit=1)[0]
    if _breaks(edge, rest, tail, language) or _is_amid_semicolons(sign, rest, head):
        return 0
    if sign == "：" and "、" in tail:
        return 0  # what it leads to is the object of its verb
    if sign and sign not in ",，":
        return 0 if sign == ":" and _is_label(head, language) else _SIGN_RANKS.get(sign, 5)
    if not sign and _completes_verb(tail, head, language):
        return 0
    if _opens_remark(sign, tail, grammar):
        return _rank_of_remark(sign, tail, head, language)
    if language not in LATIN:
        return 0 if not sign or _PREDICATE.match(tail) or _limits(tail, grammar, is_rule=True) else 3
    return _rank_of_phrase(sign, tail, head, language)


def _completes_verb(tail: str, head: str, language: str) -> bool:
    """Return whether what follows without a sign belongs to the verb before it."""
    if tail.startswith("as ") and not has_verb(" ".join(tail.split()[1:_CLAUSE_WORDS]), language):
        return True  # `Treat the log as the truth`
    is_done_how = head.endswith("ly") and _DONE_HOW.search(head) is not None
    return is_done_how and grammar_of(language).preposition.match(tail) is not None  # `is tied directly to the ring`


def _opens_remark(sign: str, tail: str, grammar: Grammar) -> bool:
    """Return whether a reason follows, or behind a sign an aside; a participle without a sign goes on."""
    is_participle = not sign and tail.split(" ", 1)[0].endswith("ing")
    return bool((grammar.reason.match(tail) and not is_participle) or (sign and grammar.aside.match(tail)))


def _is_amid_semicolons(sign: str, rest: str, head: str) -> bool:
    """Return whether a semicolon parts what is listed, or what is to be kept apart: "Keep both apart: one …; one …"."""
    if sign != ";":
        return False
    rule, colon, _ = head.partition(": ")
    return (";" in head and _LAST_MEMBER.search(rest) is not None) or bool(colon and _APART.search(rule))


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
    return len(head.split()) < LEAST_WORDS or not has_verb(head, language)


def is_mere_subject(head: str, language: str, tail: str = "") -> bool:
    """Return whether a clause within the subject is all that words state: `The log, which is kept at the quay`.

    `tail`: what follows them, which may hold the verb: "in the log must be kept".
    """
    if language == "en" and _VERB_FOLLOWS.match(tail) and not (FINITE.search(head) or is_imperative(head)):
        return True
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
        return 0 if _CANNOT.match(tail) else 4  # a contrast, as in "Use the pool, not a thread"
    if _is_within(sign, bool(opener), tail, head, grammar, is_open_list=is_open_list(head)):
        return 0
    if grammar.example.match(tail):
        return _rank_of_remark(sign, tail, head, language)
    if sign:
        return int(bool(_LIST_END.fullmatch(tail))) if is_list else 3  # within a list only at its end
    return _rank_of_unmarked(bool(opener), tail, head, grammar)


def _parts_pair(head: str, following: str, *, is_addition: bool) -> bool:
    """Return whether a sentence would end within a pair: `each boat and each mooring is`, `reads and writes to`."""
    if _PAIR_OPEN.search(head):
        return True
    follows = _CONSEQUENCE.search(head) if is_addition else None
    if follows and not has_verb(follows[1], "en"):
        return True  # `so late boats` of `so late boats and cranes are seen`
    if is_addition and _ADVERB_ACTS.search(head) and following.split(" ", 1)[0] in plain_verbs():
        return True  # `carefully weigh` of `carefully weigh and lift your boat`
    if is_addition and _lacks_object(head) and _ADVERB.sub("", following).split(" ", 1)[0] in plain_verbs():
        return True
    return is_addition and head.endswith("s") and following.split(" ", 1)[0].endswith("s")


def _lacks_object(head: str) -> bool:
    """Return whether a sentence ends with a verb whose object follows another: `create` of `create and check it`."""
    before, _, last = head.rpartition(" ")
    return last in plain_verbs() and not (last.endswith("s") or _RELATIVE_END.search(before))


def _rank_of_clause(sign: str, rest: str, head: str, language: str) -> int:
    """Return how good a sentence ends before another statement that is added to it."""
    ends_list = is_open_list(head) and not _acts(re.split(", | — ", head)[-1], language)
    grammar = grammar_of(language)
    opens_limit = grammar.condition.match(rest) or grammar.exception.search(rest)
    return 0 if ends_list or opens_limit else _CLAUSE_RANKS[bool(sign)]


def is_open_list(head: str) -> bool:
    """Return whether words list something without having named its last."""
    return ", " in head and not _LIST_CLOSED.search(head)


def _acts(head: str, language: str) -> bool:
    told = head.rpartition(" ")[0]  # the last word would be a verb without its object, so it is taken for a noun
    if FINITE.search(head) or (language == "en" and told and has_verb(told, language) and not is_imperative(head)):
        return True
    is_verb = head.partition(" ")[0].lower() in plain_verbs() or _ACTS_ON.match(head)
    return is_imperative(head) and bool(is_verb) and not _DETERMINED.match(head)


def _opens_clause(rest: str, head: str, *, is_list: bool) -> bool:
    """Return whether another statement follows `and`, rather than another word of the same."""
    if not is_list or (FINITE.search(head) and FINITE.search(rest)):
        return True
    first = rest.split(" ", 1)[0].lower()
    verbs = plain_verbs()
    return first in verbs or (first.endswith("s") and first.removesuffix("s") in verbs)


def _is_within(sign: str, opener: bool, tail: str, head: str, grammar: Grammar, *, is_open_list: bool) -> bool:
    """Return whether a sentence would end within a list or phrase, or without what limits it."""
    if sign and not opener and _is_in_list(sign, tail, head):
        return True
    if is_open_list and (opener or _LIST_GOES_ON.search(tail)):
        return True
    if ends_within(head) or _is_within_phrase(sign, opener, head, grammar):
        return True
    # Another act has conditions of its own.
    acts = sign and FINITE.search(head) and tail.partition(" ")[0] in plain_verbs()
    return not acts and _limits(tail, grammar, is_rule=_is_rule(head, grammar))


def _is_within_phrase(sign: str, opener: bool, head: str, grammar: Grammar) -> bool:
    """Return whether words end before what they wait for: a passive before its agent, `a` or `any` before its noun."""
    if (sign or opener) and _ARTICLE_WORD.search(head):
        return True
    if sign:
        return False
    return bool(is_passive(head) or grammar.verb_last.search(head) or (opener and _ANY_WORD.search(head)))


def _is_in_list(sign: str, tail: str, head: str) -> bool:
    """Return whether a sentence would end at a sign within its adjectives, objects or what is listed."""
    segment = tail.partition(", ")[0]
    if _HELD.search(head[-1:]) and _NAME_FOLLOWS.match(tail) and has_verb(head, language_of(head)):
        return True
    if sign == "," and _PHRASE_WORD.search(head) and not _opens_statement(segment):
        return True  # `for disposable, ignored files`
    goes_on = _LIST_GOES_ON.search(tail) and not _acts(segment, language_of(segment))
    return bool((sign == "," and _breaks_list(head)) or goes_on)


def _opens_statement(segment: str) -> bool:
    return segment.partition(" ")[0] in plain_verbs() or bool(FINITE.search(segment))


def _breaks_list(head: str) -> bool:
    """Return whether a sentence would end at a comma within its adjectives or objects; a list after a label may."""
    is_within = ": " not in head and bool(_LONE_WORD.search(head)) and has_verb(head, language_of(head))
    return is_within or bool(_ONLY_ONE.search(head))


def _is_parallel(head: str, tail: str) -> bool:
    """Return whether a phrase follows the second of two as one did the first: `a for boats and b for cranes`."""
    second = _SECOND.search(head)
    if second is None:
        return False
    word = f" {tail.partition(' ')[0]} "
    clause = max(head.rfind(sign, 0, second.start()) for sign in ",;:") + 1
    earliest = max(clause, second.start() - _PARALLEL_CHARS) - len(word)
    return head.find(word, max(0, earliest), second.start() - 1) >= 0


def _rank_of_unmarked(is_addition: bool, tail: str, head: str, grammar: Grammar) -> int:
    """Return how good a sentence ends before a word that no sign stands before."""
    if grammar.negation.search(head):
        return int(is_addition)  # where something is forbidden is part of what is forbidden
    if not is_addition and _is_parallel(head, tail):
        return 0
    if is_addition or grammar.preposition.match(tail):
        return 0 if not is_addition and _PARTICIPLE_END.search(head) else 2
    purpose = _INFINITIVE.match(tail)
    if purpose and purpose[1] in plain_verbs():
        return 3
    return 3 if _HELD.search(head[-1:]) and grammar.relative.match(tail) else 0
