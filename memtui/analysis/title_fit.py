"""Make a title fit: ended at a clause if it can be, cut at a word if not, with its brackets closed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from memtui.analysis.grammar import FINITE, Grammar, capital, grammar_of, has_verb, is_balanced, language_of
from memtui.analysis.headlines import compact
from memtui.analysis.imperative import is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.shorten import CLAUSE, REASON, cut_off, shortened
from memtui.analysis.title_reference import dangles
from memtui.text.inline import HeldCode, visible
from memtui.text.words import cell_width

MAX_TITLE_CELLS = 100  # Terminal cells, one for a Latin letter, two for a CJK one

_MANY_NAMES = re.compile("^([\ue000-\uf8ff]), (?:[\ue000-\uf8ff], )+and [\ue000-\uf8ff](?= )")
_LEAST_CELLS = 50  # A sentence without its reason that is shorter is better told whole, if as a headline
_LONG_NAME, _LONG_DOTTED = 20, 28
_LABEL_WORDS = 4
_BEGINNING = 12  # Characters by which a clause is known
_READ_CHARS = 600
_ARGUMENTS = re.compile(r"\([^()]+\)$")
_PATH = re.compile(r"[^\s/]*(?:/[^\s/]+){2,}/?")
_COMMA = re.compile(r",\s+|[，、]")
_ORDERS = re.compile(r"(?:do not|don['’]t|never|always|use)\b", re.IGNORECASE)
_ACTS_ON = re.compile(r"\w+ (?:the|an?|all|any|every|each|both|your|its|\w+ly) ", re.IGNORECASE)
_ACTS_ON_IT = re.compile(r"\w+ (?:it|them)\b", re.IGNORECASE)
_LISTED = re.compile(r", (?:[^,]+, )*(?:and|or|und|oder|et|ou|y|o|e) [^,]+$")
_ADVERB = re.compile(r"(?!only |early )[a-z]+ly ")
_MEMBER = re.compile(r"\w+, (?:and|or) ")
_PURPOSE = re.compile(r"(?:to|for) ", re.IGNORECASE)
_JAPANESE_CONDITION = re.compile(r".*?(?:場合|とき|時|際)(?:には|は|に)?、")
_SUBJECTS = re.compile(
    r"([^,:;]{1,60}), ([^,:;]{1,60}), (?:[^,:;]{1,60}, )*(and|or) [^,:;]{1,60}? "
    r"(?=(?:must|should|may|can|will|needs?|are) )"
)
_NAMED_CONDITION = re.compile(r"(?:if|when|whenever|unless) (?:the|an?|any|your|its) ", re.IGNORECASE)
_LISTED_ACT = re.compile(r"(?=never|do not|don['’]t)([^;]{20,}?);", re.IGNORECASE)
_SO = re.compile(
    r",? so (?:(?:you|we) should|please)?\s*(?=(?:always|never|only|do not|don['’]t|make sure|ensure|try|use)\b)"
    r"(.{20,})",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\b(?:this|it|its|those|these|them|they|(?:use|to|for|with) that)\b", re.IGNORECASE)
_OBLIGED = re.compile(r"(?:it|they) (?:also )?(?=(?:must|should|shall|cannot|may not|needs? to) )", re.IGNORECASE)
_CONCEDES = re.compile(
    r"([^,;:]{1,80}?) (?:may|can|might|remains?|(?:is|are) allowed) [^;:]{3,200}?, but (.{20,})", re.IGNORECASE
)
_OWES = re.compile(r"(?:(?:it|they) )?(?=(?:must|should|shall|cannot)\b)", re.IGNORECASE)
_OWED = re.compile(r"\b(?:must|should|shall|cannot|never|do not|don['’]t|always|only)\b", re.IGNORECASE)
_PLACED = re.compile(
    r"((?!(?:To|If|When|For|In|On|After|Before) )(?:[\w'’-]+ ){2,5}?[\w'’-]+) "
    r"((?:in|on|at|from|for|within|(?:attached|given|made|kept|used) (?:to|by|in|from)) [^—–;:()]{1,200}?) "
    r"((?:is|are|was|were|must|should|can|cannot|may|will|do not|does not|has|have)\b.{10,})"
)
"""A subject of three words or more, where it stands, and what is said of it."""

_LEAST_BARE = 30
_BRACKETS = re.compile(r"\s\([^()]{1,120}\)")
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+){2,}(?:\(\))?")


_EXAMPLES = re.compile(
    r"^((?:[^\s,.:;()]+ ){1,7}[^\s,.:;()]+),? (?:such as|including|for example|e\.g\.|like) [^.:;()]{3,160}?,? "
    r"(?=(?:should|must|shall|cannot|can|may|will|are|is|do not|does not|have to|has to|needs? to)\b)"
)
"""A subject with examples of it, before its verb: "Folders such as `out/` and `tmp/` must …"."""


def cut_title(title: str) -> str:
    """Return one line of at most 100 cells, ended at a clause, or cut at a word and marked with `…`."""
    return (held := HeldCode()).put_back(fitted(visible(title), held))


def fitted(words: str, held: HeldCode) -> str:
    """Return words that fit: without their reason, as a headline, ended at a clause, or at worst cut at a word."""

    def width(text: str) -> int:
        return cell_width(held.put_back(text))

    short = _in_room(words, held, width)
    return (_below_label(words, short, held) if dangles(short) else "") or short


def _in_room(words: str, held: HeldCode, width: Callable[[str], int]) -> str:
    if width(words) <= MAX_TITLE_CELLS:
        return words
    words = _MANY_NAMES.sub(r"\1 and others", words)
    if width(bare := _EXAMPLES.sub(r"\1 ", words, count=1)) <= MAX_TITLE_CELLS and bare != words:
        return bare
    short = shortened(words, MAX_TITLE_CELLS, width, least_rank=REASON)
    if short and width(short) >= _LEAST_CELLS:
        return short
    for at in reversed(range(len(held.spans))):  # what a sentence names first is what it is about
        if width(words) <= MAX_TITLE_CELLS:
            break
        held.spans[at] = _short_name(held.spans[at])
    dense = compact(words)
    whole = next((text for text in (words, dense) if width(text) <= MAX_TITLE_CELLS), None)
    whole = whole or shortened(words, MAX_TITLE_CELLS, width, least_rank=CLAUSE)
    if whole:
        return whole
    short = shortened(words, MAX_TITLE_CELLS, width)
    if short and width(short) >= _LEAST_CELLS:
        return short
    cut = cut_off(held.put_back(dense), MAX_TITLE_CELLS)
    loses_verb = cut.endswith("…") and not has_verb(cut, language_of(words))
    return (_fitted_without_place(words, width) if loses_verb else "") or cut


def _below_label(words: str, title: str, held: HeldCode) -> str:
    """Return what stands behind a label below that, shortened, if a title leaves the label out; else nothing."""
    label, colon, told = words.partition(": ")
    if not colon or len(label.split()) > _LABEL_WORDS or title.startswith(label):
        return ""
    room = MAX_TITLE_CELLS - cell_width(held.put_back(label)) - 2
    short = shortened(told, room, lambda text: cell_width(held.put_back(text)))
    return f"{label}: {short or cut_off(held.put_back(told), room)}"


def _fitted_without_place(words: str, width: Callable[[str], int]) -> str:
    """Return words that fit and end at a clause without what their subject stands in; empty if there are none."""
    told = (shortened(bare, MAX_TITLE_CELLS, width) for bare in _without_place(words))
    return next((bare for bare in told if bare and width(bare) >= _LEAST_BARE), "")


def _without_place(sentence: str) -> Iterator[str]:
    """Yield an English sentence with less and less of what its subject stands in or is attached to."""
    found = _PLACED.match(_BRACKETS.sub("", sentence)) if language_of(sentence) == "en" else None
    if found is not None:
        subject, place, act = found.groups()
        for nearer in (place.partition(" and ")[0], ""):
            if nearer != place:
                yield " ".join(filter(None, (subject, nearer, act)))


def main_clause(sentence: str) -> tuple[str, str]:
    """Return the condition, circumstance or purpose that a sentence begins with, and its main clause; else nothing."""
    sentence = sentence[:_READ_CHARS]
    if condition := _JAPANESE_CONDITION.match(sentence):
        return condition[0], sentence[condition.end() :]
    language = language_of(sentence)
    grammar = grammar_of(language)
    if not (grammar.condition.match(sentence) or grammar.preposition.match(sentence) or _PURPOSE.match(sentence)):
        return "", ""
    parts = [(lead, rest) for lead, rest in _divided(sentence) if not _goes_on(lead, rest, grammar)]
    if language == "en" and (obliged := next(filter(_obliges, parts), None)):
        return obliged[0], _OBLIGED.sub("", obliged[1], count=1)
    states = language in {"en", "zh"} and bool(grammar.condition.match(sentence))

    def tells(part: tuple[str, str]) -> bool:
        """Return whether a part is whole, and what follows it orders or states something."""
        return not _breaks_off(part[0]) and (_orders(part[1]) or (states and _has_predicate(part[1], language)))

    found = next(chain(filter(_orders_after_list, parts), filter(tells, parts)), ("", ""))
    return ("", "") if grammar.pronoun.match(found[1]) or _ACTS_ON_IT.match(found[1]) else found


def _goes_on(lead: str, rest: str, grammar: Grammar) -> bool:
    """Return whether a comma does not end what a sentence begins with."""
    return bool(grammar.addition.match(rest)) or _has_begun(lead)


def _obliges(part: tuple[str, str]) -> bool:
    return _OBLIGED.match(part[1]) is not None


def _orders_after_list(part: tuple[str, str]) -> bool:
    return bool(_LISTED.search(part[0])) and is_imperative(capital(part[1]))


def behind_reason(sentence: str) -> str:
    """Return the rule of a sentence that gives its reason first ("… takes long, so only …"), if it stands alone."""
    follows = _SO.search(sentence)
    return "" if follows is None or _POINTS_BACK.search(follows[1]) else capital(follows[1])


def behind_concession(sentence: str) -> str:
    """Return the rule behind what may be ("The old one may stay, but new ones must …"), if it stands alone."""
    found = _CONCEDES.match(sentence)
    if found is None:
        return ""
    subject, rule = found.groups()
    if owes := _OWES.match(rule):
        return f"{subject} {rule[owes.end() :]}"
    return capital(rule) if _OWED.search(rule) and not _POINTS_BACK.search(rule) else ""


def behind_label(sentence: str, title: str, held: HeldCode) -> str:
    """Return a label with the rule behind it, as in "Ropes: before a lift, weigh the boat", if a title breaks that off.

    As much of the condition as fits stands behind the rule.
    """
    label, colon, rest = sentence.partition(": ")
    if not colon or len(label.split()) > _LABEL_WORDS or has_verb(label, language_of(sentence)):
        return ""
    main = main_clause(rest)[1]
    if not is_imperative(capital(main)) or held.put_back(main)[:_BEGINNING].casefold() in title.casefold():
        return ""
    return f"{label}: {turned(rest, held, cell_width(label) + 2) or main}"


def _divided(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after each comma that is not within brackets or quotes."""
    lists = "、" if language_of(sentence) == "zh" else ""  # which parts clauses in Japanese, and items in Chinese
    for comma in _COMMA.finditer(sentence):
        if comma[0] != lists and is_balanced(lead := sentence[: comma.start()]):
            yield lead, sentence[comma.end() :]


def _has_predicate(clause: str, language: str) -> bool:
    return has_verb(_COMMA.split(clause, maxsplit=1)[0], language)


def _orders(clause: str) -> bool:
    """Return whether a clause begins with a verb that is no noun, so that it is no member of a list."""
    if _MEMBER.match(clause):
        return False
    clause = _ADVERB.sub("", clause)
    first = clause.partition(" ")[0].lower()
    is_verb = bool(_ACTS_ON.match(clause)) or first not in openings("nouns")
    return bool(_ORDERS.match(clause)) or (is_verb and is_imperative(capital(clause)))


def _has_begun(lead: str) -> bool:
    """Return whether the first of several acts already stands behind a colon, as in "When asked: lift the boat"."""
    _, colon, act = lead.rpartition(": ")
    return bool(colon) and is_imperative(capital(act))


def _breaks_off(lead: str) -> bool:
    """Return whether a condition ends before its verb, as in "If the crane" of "If the crane, winch or hoist fails"."""
    return bool(_NAMED_CONDITION.match(lead)) and not has_verb(lead, "en")


def turned(sentence: str, held: HeldCode, taken: int = 0) -> str:
    """Return the main clause of a sentence before as much of its leading clause as fits; empty if nothing does.

    `taken`: the cells that stand before it.
    """
    lead, main = main_clause(sentence)
    lead = lead[:1].lower() + lead[1:]
    main = capital(main)
    if language_of(sentence) != "en" or not main or not is_imperative(main):
        return ""
    ends = [len(lead), *(comma.start() for comma in reversed(list(_COMMA.finditer(lead))))]
    leads = [lead[:end] for end in ends if not _breaks_off(lead[:end])]

    def width(text: str) -> int:
        return cell_width(held.put_back(text))

    listed = _LISTED_ACT.match(main)  # of several acts the first is one of its own
    turns = (f"{act} {clause}" for act in (main, *(listed.groups() if listed else ())) for clause in leads)
    return next((words for words in turns if width(words) <= MAX_TITLE_CELLS - taken), "")


def with_fewer_subjects(sentence: str) -> str:
    """Return a sentence with the first two of the subjects that it lists."""
    grammar = grammar_of(language_of(sentence))
    is_led = grammar.condition.match(sentence) or grammar.preposition.match(sentence)
    listed = _SUBJECTS.match(sentence)
    if is_led or is_imperative(sentence) or not listed or FINITE.search(listed[1]):
        return sentence
    return _SUBJECTS.sub(r"\1 \3 \2 ", sentence, count=1)


def _short_name(code: str) -> str:
    """Return the marked end of a long path, the end of a dotted name, and a call without its arguments."""
    if len(code) <= _LONG_NAME:
        return code
    code = _ARGUMENTS.sub("()", code)
    if _PATH.fullmatch(code):
        end = "/".join(["…", *code.rstrip("/").split("/")[-2:]])
        return end if len(end) < len(code) else code
    is_long = len(code) > _LONG_DOTTED and _DOTTED.fullmatch(code)
    return ".".join(code.split(".")[-2:]) if is_long else code


def closed(words: str) -> str:
    """Return words without the brackets and quotes that have no partner."""
    if is_balanced(words):
        return words
    for opening, closing in zip('([{（「『“«【"`', ')]}）」』”»】"`', strict=True):
        odd = words.count(opening) % 2 if opening == closing else words.count(opening) != words.count(closing)
        if odd:
            words = words.replace(opening, "").replace(closing, "")
    return words
