"""What the words around a statement mean: labels, numbers, marks, bold leads and headings without a subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memtui.analysis.grammar import FINITE, capital, grammar_of, has_verb, is_balanced, language_of
from memtui.analysis.imperative import is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.title_blocks import LABEL_LINE, Block
from memtui.analysis.title_fit import main_clause
from memtui.text.caseless import Caseless, Seldom
from memtui.text.inline import unmarked
from memtui.text.tables import compile_lines, read_table
from memtui.text.words import CJK, cell_width

_SYMBOLS = (
    "\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\ufe0f\u200d\u20e3"
    "\U0001f000-\U0001faff"
)
_DECORATION = re.compile(
    rf"(?:[{_SYMBOLS}]+|\[!\w{{2,20}}\][+-]?|[!?]{{3}}[+]?\s\w{{2,20}}(?:\s\"[^\"]*\")?|:::\s?\w*"
    r"|\[[ xX]\](?=\s)|>+(?=\s)|(?:[-*+•·]|\d{1,3}[.)])(?=\s)|[-*+•·](?=[\u3040-\u9fff])|#+(?=\s))\s*"
)
_BAD_SYMBOL = re.compile("[\u274c\u2717\u2718\u274e\u26d4\U0001f6ab\U0001f44e]")
_NUMBER = re.compile(
    r"§\s*\d+\s*|\d{1,3}\s·\s+|\(?(?:\d{1,3}|[a-zA-Z])\)\s+|\d{1,3}(?:\.\d{1,3})*(?:[.:]\s+|[、．]\s*)(?=\D)"
    r"|\d{1,2}(?:\.\d{1,2})+\s+(?=[A-Z\u3040-\u9fff])|#\d{1,3}[:.]?\s+|第\d{1,3}[步条章节]\s*[:：]?\s*"
)
_DATE = re.compile(
    r"(?:(?:discovered|added|updated|last updated|learned|decided|as of|since)\s+)?[\[(]?\d{4}-\d{2}-\d{2}"
    r"(?:T[\d:.Z+]+)?[\])]?\s*[:—–-]?\s+",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:\*\*(?=[^\s*])(.{1,300}?)(?<=[^\s*])\*\*|__(?=[^\s_])([^_]{1,300})__)\s*"
    r"((?:\([^()]{1,40}\)\s*)?(?:[:：.,;。]|[—–-]{1,2}(?=\s|$)|)(?:\s|$)?)\s*"
)
_LABEL = re.compile(r"([^:：—–]{1,40}?)\s*(?:\([^()]{0,40}\)\s*)?(?:[:：]\s*|\s[—–-]{1,2}\s+|—|$)")
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]?\s*$")
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|[.!?]*(?=[\s\"'”)\]]|$))")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|inkl|exkl|usw|vgl|zzgl|sog|max|min|env|aprox|incl|resp|esp|no|nr|dr|st|fig|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ca|ggf|evtl"
    r"|p\.\s?ex|p\.\s?ej|ej|ex|pág|núm|Sr|Sra|[A-Za-z])\.$|^\d{1,3}\.$",
    re.IGNORECASE,
)
_LISTED_NUMBER = re.compile(r"\s+[a-z]")  # `1. lift the boat, 2. tie it`
_RULE_WORDS = re.compile(
    r"\b(?:never|always|must|don['’]?t|do not|avoid|prefer|only|use|no|nie|niemals|immer"
    r"|jamais|toujours|nunca|siempre|sempre)\b|禁止|必须|不要|必ず|禁じ",
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(
    r"([A-Za-z]{2,}?)(?:e?s|ies)\s(an?\s|the\s|all\s|any\s|every\s|each\s|when\s|if\s|only\s|to\s|its\s|[\ue000-\uf8ff])?"
)
_PARTICIPLE = re.compile(r"[A-Z]\w+(?:ed|ilt) (?:for|to|by|in|on|with|as|from|via|when|at|through)\b")
_GERUND = re.compile(r"[A-Z][a-z]{2,}ing\s(?!(?:is|are)\b)(?!.*\b(?:is|are|must|should|can|will|needs?|requires?)\b)")
_DEFINES = re.compile(r"An? \w|[A-Z][a-z]+ (?:[a-z]+ ){0,3}(?:for|of|on|that|which|where) ")
_OF = re.compile(r" (?:of|for|that|which|where|in|on) ")
_RELATIVE = re.compile(r" (?:that|which|who|where|whose) ")
_CLAUSE = re.compile(r"\s[—–-]{1,2}\s|[;:]\s")
_OBLIGES = Caseless(r"\b(?:must|should|shall|needs?|cannot|never|always|only)\b")
_SYMBOLS_AFTER = re.compile(
    "\\s*[\\u2300-\\u23ff\\u25a0-\\u27bf\\u2b00-\\u2bff\\ufe0f\\u200d\\U0001f000-\\U0001faff]+$"
)
_PLACE = re.compile(r"\s*(?:\([^()]*[/_.][^()]*\)|\{#[^{}]*\})$")
_LETTER = re.compile(r"[^\W\d_]|[\ue000-\uf8ff]")
_ENDING = " .:;,：。；，、…-–—"
_FILE_NAME = re.compile(r"\.mdc?\b|^(?:claude|agents?|gemini|copilot|cursor|codex)\b", re.IGNORECASE)
_WORDS = re.compile(r"\w+")
_LACKS = re.compile(r"\bwithout\b", re.IGNORECASE)  # says what is bad in an example, and forbids nothing
_CONDITION_OPEN = re.compile(
    r" (?:when|whenever|if|unless|once) "
    r"((?:the|an?|any|your|its|this|these|you|we|it|they)(?: (?!\w+(?:s|ed)\b)\w+){0,4})$"
)
"""A condition that the words before a list end with, before its verb: "Tie up the boat when the wind"."""
_FEW_WORDS, _FEW_CELLS = 3, 28
_LONG_LEAD_WORDS, _FIRM_LEAD_WORDS = 4, 3
_MATCHED_CHARS = 240
_STEM = 4
_LEAST_NAME = 3  # Letters of a word that names something
_PLACE_BEHIND = re.compile(r"\s\([^()\s]*\w\.\w{1,12}\)$")  # the file behind the name of what it holds
_TYPE_NAME = re.compile(r"[A-Za-z][a-z0-9]+[A-Z][A-Za-z0-9]*")
_MEASURE = re.compile(
    r"(?:one|two|three|a few|at (?:most|least)|no more than|up to|max(?:imum)?)\b(?: (?:or|to) \w+)? (?:of )?(?:\w+ )?"
    r"(?:lines?|sentences?|words?|paragraphs?|characters?|columns?|levels?|items?|entries)\b",
    re.IGNORECASE,
)
_LEAD_CELLS = 40
_FEWEST_PARTS = 3
_LONG_LINE = 160  # Characters of a line that says more than what its label is about


@cache
def pattern(table: str, key: str) -> re.Pattern[str]:
    """Return a pattern of titles.toml."""
    return compile_lines(f"(?:{read_table(__file__, 'titles.toml')[table][key]})")


def matches(table: str, key: str, text: str) -> bool:
    """Return whether a pattern of titles.toml takes all of a text."""
    return _whole(table, key).fullmatch(text[:_MATCHED_CHARS].strip()) is not None


@cache
def _whole(table: str, key: str) -> Caseless:
    return Caseless(f"(?:{read_table(__file__, 'titles.toml')[table][key]})".replace("\n", ""))


@cache
def _ended() -> Seldom:
    return Seldom(read_table(__file__, "titles.toml")["sentences"]["ended"].replace("\n", ""))


def without_following(words: str) -> str:
    """Return words without what leads to more at their end, as in `like the following`."""
    return _ended().sub("", words)


@cache
def _before() -> tuple[re.Pattern[str], ...]:
    return _DECORATION, _NUMBER, pattern("labels", "numbered"), pattern("labels", "tags"), _DATE


def undecorated(words: str) -> tuple[str, bool]:
    """Return words without symbols, numbers and dates before them, and whether a symbol calls them wrong."""
    wrong = False
    while True:
        found = next(filter(None, (before.match(words) for before in _before())), None)
        if found is None or found.end() in {0, len(words)}:
            return words.strip(), wrong
        wrong |= bool(_BAD_SYMBOL.search(found[0]))
        words = words[found.end() :]


@dataclass(frozen=True, slots=True)
class BoldLead:
    """The bold words that a text begins with, and what follows them."""

    words: str
    rest: str
    is_apart: bool  # whether a sign or nothing at all follows
    goes_on: bool = False  # whether the sentence goes on behind a comma, or with what limits it

    @property
    def is_rule(self) -> bool:
        """Whether the bold words state something by themselves."""
        return stands_alone(unmarked(self.words))


def bold_lead(source: str) -> BoldLead | None:
    """Return the bold words that a text begins with, if any; its code must be held."""
    lead = _LEAD.match(source)
    if lead is None:
        return None
    words, rest = lead[1] or lead[2], source[lead.end() :]
    ended = words.rstrip().endswith((":", "：", ".", "。", ";", "!"))
    sign = lead[3].rpartition(")")[2].strip()
    is_apart = bool(sign) or ended or not rest.strip(" :：")
    grammar = grammar_of(language_of(unmarked(words)))
    limits = (grammar.exception, grammar.negation, grammar.condition, grammar.preposition, grammar.relative)
    is_limited = not is_apart and any(opener.match(rest) for opener in limits)
    return BoldLead(words, rest, is_apart, is_limited or sign == ",")


def is_metadata(words: str) -> bool:
    """Return whether words only set a value, as in `Impact: HIGH`."""
    label = _LABEL.match(words)
    return label is not None and matches("labels", "metadata", label[1])


def record_labels(found: Sequence[Block]) -> list[str]:
    """Return the labels of a text made of lines like `**Scope**: …`; none where only one of them says something."""
    labels = [label[1].strip() for block in found if (label := LABEL_LINE.match(block.text))]
    first = LABEL_LINE.match(found[0].text) if len(labels) > 1 else None
    leads = first and found[0].kind == "paragraph" and first.end() == len(found[0].text)
    if first is None or leads:
        return []
    told = [label for label in labels if not matches("labels", "metadata", label)]
    labels = told or labels
    says_little = len(told) == 1 or _says_little(labels)
    return [] if says_little or any(len(block.text) > _LONG_LINE for block in found[:2]) else labels


def parts_of_rule(found: Sequence[Block]) -> bool:
    """Return whether a text is made of parts such as `**Trigger:** …` and `**Why:** …`, with code among them.

    What the first of them says is then a part of what the heading says.
    """
    labels = [label[1].strip() for block in found if (label := LABEL_LINE.match(block.text))]
    told = sum(matches("labels", "part", label) for label in labels)
    is_part = bool(labels) and matches("labels", "part", labels[0]) and bool(LABEL_LINE.match(found[0].text))
    return is_part and told > 1 and len(labels) >= _FEWEST_PARTS and any(block.kind == "code" for block in found)


def _says_little(labels: Sequence[str]) -> bool:
    """Return whether the first of the labels of a record, or any open one, leaves out what the record is about."""
    first = labels[0]
    if (
        is_dropped(first)
        or matches("headings", "unfinished", first)
        or any(matches("headings", "open", one) for one in labels)
    ):
        return True
    return matches("labels", "part", first) or matches("labels", "beside", first)


def is_document(heading: str) -> bool:
    """Return whether a heading is the name of an instruction file or a title such as `Agent guide`."""
    is_name = matches("headings", "document", heading)
    return is_name and not (has_sense(heading) or matches("headings", "of_documents", heading))


def has_sense(heading: str) -> bool:
    """Return whether the title of a document says that nothing in it holds as it stands, as in "Ignored rules"."""
    return matches("headings", "senses", heading)


def is_file_name(heading: str) -> bool:
    """Return whether a heading is only the name of an instruction file, as in `CLAUDE.md (guide)`."""
    return bool(_FILE_NAME.search(heading)) and not matches("headings", "of_documents", heading)


def is_manner(words: str, heading: str) -> bool:
    """Return whether words tell an assistant how to think or answer, below a heading about something else."""
    return matches("sentences", "manner", words) and not matches("sentences", "about_manner", heading)


def is_dropped(label: str) -> bool:
    """Return whether a label or heading says nothing by itself."""
    bare = _PARENTHESIS.sub("", label).strip(" *_:：.!#[]()")
    return matches("labels", "empty", bare) or matches("labels", "bad", bare)


def is_field(label: str) -> bool:
    """Return whether a label names a side of what its heading is about, as in `Why: …`, and no thing of its own."""
    return is_dropped(label) or any(
        matches("labels", key, label) for key in ("part", "describing", "metadata", "beside")
    )


def without_label(plain: str) -> tuple[str, str]:
    """Return the label that says nothing by itself before a text, as in `Note: …`, and the rest; else no label."""
    label = _LABEL.match(plain)
    if label and label.end() < len(plain) and is_dropped(label[1]):
        return label[1], plain[label.end() :]
    return "", plain


@lru_cache(512)
def heading_words(plain: str) -> str:
    """Return what a heading or label is about, its code held; empty if it says nothing."""
    words = undecorated(plain)[0].rstrip(_ENDING)
    if is_metadata(words) or matches("sentences", "neutral", words):
        return ""
    led = without_following(words)
    words = words if led.endswith(" to") else led
    label, rest = without_label(words)
    if label and not (is_bad(label) and is_bad(rest)):
        words = avoided(rest) if is_bad(label) else capital(rest)
    words = _SYMBOLS_AFTER.sub("", _PLACE.sub("", words)).rstrip(_ENDING)
    return words if _LETTER.search(words) else ""


def is_vague(heading: str) -> bool:
    """Return whether a heading needs its parent to say what it is about."""
    return is_dropped(heading) or any(matches("headings", key, heading) for key in ("generic", "unfinished"))


def is_bad(label: str) -> bool:
    """Return whether a label says that what follows is to be avoided."""
    return matches("labels", "bad", label.strip(" *_:：.!"))


def avoided(words: str) -> str:
    """Return words as what is to be avoided, unless they forbid it themselves."""
    language = language_of(words)
    table: dict[str, str] = read_table(__file__, "titles.toml")["avoid"]
    forbids = grammar_of(language).negation.search(_LACKS.sub("", words) if language == "en" else words)
    return words if forbids else f"{table.get(language, table['en'])}: {words}"


def stands_alone(lead: str) -> bool:
    """Return whether bold words state a rule or a fact without what follows."""
    words = len(lead.split())
    firm = words >= _FIRM_LEAD_WORDS and bool(_RULE_WORDS.search(lead))
    return firm or ((words > _LONG_LEAD_WORDS or cell_width(lead) > _LEAD_CELLS) and not _GERUND.match(lead))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; one does not end within brackets."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        sentence = text[start : end.end()]
        is_number = end[0] == "." and _LISTED_NUMBER.match(text, end.end()) and sentence[-2:-1].isdigit()
        if (end[0] != "." or not (is_number or _ABBREVIATION.search(sentence[-12:]))) and is_balanced(sentence):
            yield sentence.strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def is_rule(words: str) -> bool:
    """Return whether words hold never, must, use and the like."""
    return bool(_RULE_WORDS.search(words))


def is_few(words: str) -> bool:
    """Return whether words are too few to say what they are about."""
    count = len(CJK.sub(" ", words).split()) + len(CJK.findall(words)) // 2
    return count <= _FEW_WORDS and cell_width(words) <= _FEW_CELLS and ": " not in words


def is_measure(words: str) -> bool:
    """Return whether an English text says only how much of something there is to be, as in "At most two lines"."""
    return _MEASURE.match(words) is not None and not has_verb(words.partition(". ")[0], "en")


def lacks_measured(words: str, heading: str) -> bool:
    """Return whether a text that says how much there is to be does not name what its heading begins with."""
    first = heading.partition(" ")[0].lower()
    return len(first) > _LEAST_NAME and is_measure(words) and first[:_STEM] not in words.partition(". ")[0].lower()


def lacks_subject(words: str) -> bool:
    """Return whether an English statement begins with its verb, as in "Runs when a task fails"."""
    if _PARTICIPLE.match(words):
        return True
    found = _THIRD_PERSON.match(words)
    if found is None:
        return False
    verbs = openings("verbs")
    base = next((base for base in (found[1], found[1] + "e", found[1] + "y") if base.lower() in verbs), "")
    return bool(base) and (bool(found[2]) or base.lower() not in openings("nouns"))


def is_definition(words: str) -> bool:
    """Return whether an English text says what something is without its name, as in "A tool that lifts boats"."""
    grammar = grammar_of("en")
    if language_of(words) != "en" or not _DEFINES.match(words) or _OBLIGES.search(words) or ": " in words:
        return False
    if grammar.condition.match(words) or grammar.preposition.match(words):
        return False
    relative = _RELATIVE.search(words)
    if relative and len([*FINITE.finditer(_CLAUSE.split(words, maxsplit=1)[0])]) > 1:
        return False  # `Boats that have no light are not let in`
    return not has_verb(words[: relative.start()] if relative else words, "en")


def is_mere_name(words: str) -> bool:
    """Return whether an English text of several words only names something, as in "Reusable hooks of all cranes"."""
    is_long = len(words.split()) > _FEW_WORDS and ": " not in words and not _CLAUSE.search(words)
    return is_long and language_of(words) == "en" and not (has_verb(words, "en") or _OBLIGES.search(words))


def heads_list(plain: str, following: Sequence[Block]) -> bool:
    """Return whether a line without a sign at its end stands above a list, as a heading does."""
    return following[0].kind == "item" and plain[-1:].isalnum() and not is_imperative(plain)


def waits(lead: str) -> bool:
    """Return whether a lead says only when, what for or how many, so that it needs what follows."""
    if matches("headings", "unfinished", lead) or matches("headings", "counted", lead):
        return True
    language = language_of(lead)
    grammar = grammar_of(language)
    opened = _CONDITION_OPEN.search(lead)
    if opened and not has_verb(opened[1], language):
        return True
    is_part = grammar.condition.match(lead) or grammar.preposition.match(lead) or lead.startswith("To ")
    return bool(is_part) and not ("," in lead and main_clause(lead)[1]) and "，" not in lead


def lacks_term(words: str, term: str) -> bool:
    """Return whether words define a term without naming all of it first."""
    return is_definition(words) and not says_the_same(_OF.split(words, maxsplit=1)[0], term, share=1)


def says_the_same(words: str, heading: str, *, share: float = 0.5) -> bool:
    """Return whether a statement holds most words of its heading."""
    if heading.startswith("<"):
        return heading in words  # `<example>` is more than an example
    if _TYPE_NAME.fullmatch(name := _PLACE_BEHIND.sub("", heading)):
        return re.search(rf"\b{name}(?:s|es)?\b", words) is not None  # `LiftPlanner` is more than lifting
    stems = {word[:_STEM] for word in _WORDS.findall(words.lower()) if len(word) > 2}  # noqa: PLR2004
    named = [word[:_STEM] for word in _WORDS.findall(heading.lower()) if len(word) > 2]  # noqa: PLR2004
    if CJK.search(heading):
        named = [heading[at : at + 2] for at in range(len(heading) - 1)]
        stems = {pair for pair in named if pair in words}
    return bool(named) and sum(stem in stems for stem in named) >= share * len(named)


def whole_heading(subject: str, headings: Sequence[str]) -> str:
    """Return a heading as a title of its own: a single word below its document's title."""
    is_word = " " not in subject and not CJK.search(subject) and subject in headings[1:]
    above = headings[-2] if is_word else ""
    return f"{above}: {subject}" if above and not is_file_name(above) else subject
