"""What a sentence does, in several languages: it forbids, obliges, tells, decides, reports a fault, runs a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain, dropwhile
from typing import Any, Literal

from memtui.text.tables import compile_lines, read_table
from memtui.text.words import CJK

SENTENCE_CHARS = 320  # Only the start of a sentence is read

CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]{1,300})\1(?!`)")

_CJK = frozenset({"zh", "ja", "ko"})
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_RUN, _CODE, _SETTING = "\u2318", "\u25e6", "\u2699"
_WORD = re.compile(rf"[\w']+(?:-[\w']+)*|[{_RUN}{_CODE}{_SETTING}]")
_SLASH_COMMAND = re.compile(r"/[a-z][\w:-]+(?: .*)?")
_SCRIPT_NAME = re.compile(r"[\w.-]+\.(?:sh|ps1|bat)")
_RUNS_SOMETHING = re.compile(
    r"(?!(?:git|new|class|def|fn|func|function|const|let|var|return|import|from|type|public|private|static|async|await)\b)"
    r"[a-z][a-z0-9-]{2,} (?:-[\w-]+ )*(?:check|build|run|test|tests|install|get|list|init|up|down|deploy|lint|format"
    r"|fmt|generate|sync|push|pull|status|apply|dev|watch|publish|release|migrate|serve|exec|verify|validate|login|logs)"
    r"(?:[ :-][\w./:@=<>\[\]-]+)*"
)
"""Code that runs a program of any name, by what the program is told to do."""
_TRIED = re.compile(
    r"(?:unit|integration|smoke|double|dry|type|spot|cross|hand|hot)-(?=(?:test|check|run|write|edit|wire)$)"
)
_FORBIDDING_CODE = re.compile(r"#!?\[(?:forbid|deny)\(")
_OPTION = re.compile(r"--?[a-z][\w-]+(?:[= ]\S+)?|[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=\S*)?")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)")
_LABEL = re.compile(r"[^.:：]{1,60}?[:：](?=\s|[^\x00-\x7f])\s*|[^.:：]{1,60}?\s[—–-]{1,2}\s")
_EARLY_CHARS = 60
_LABEL_WORDS = 4
_ARTICLES = ("the ", "a ", "an ", "each ")
_OCCASIONS = (["when"], ["whenever"], ["if"], ["before"], ["after"], ["unless"], ["until"])
RULES = frozenset({"forbids", "obliges", "orders", "advises"})
_STARTS = {"stack": "stack", "setting": "setting", "logged": "entry_of_log", "dated": "dated", "purpose": "purpose"}
_HOLDS = {"named": "naming", "underway": "now", "version": "version"}
"""Patterns that a sentence begins with, and those that it holds, each with what it then does."""

Act = str  # The name of an act in the table, or of a shape: `forbids`, `obliges`, `orders`, `tells`, `command` …


@lru_cache(512)
def acts_of(sentence: str) -> frozenset[Act]:
    """Return what a sentence of Markdown, without its list mark, does."""
    spans = CODE_SPAN.sub(_held, sentence[:SENTENCE_CHARS])
    plain = _EMPHASIS.sub("", spans).lower().replace("\u2019", "'").strip()
    remark = pattern("remark").match(plain)
    plain = pattern("harmless").sub("…", plain[remark.end() :] if remark else plain)
    words = _WORD.findall(plain)
    if not words:
        return frozenset()
    said = dict(reversed(list(sightings(plain, "acts"))))
    if pattern("none_told").match(plain):
        return frozenset({"tells", *_topics(plain, words, said, set())})
    cures = pattern("symptom_cured").match(plain)
    mood = {"orders"} if cures else _mood(plain, said)
    shape = set(_shape(plain, said)) if mood.isdisjoint(RULES | {"only"}) else set()
    return frozenset({*mood, *shape, *_topics(plain, words, said, mood), *(["symptom"] if cures else [])})


def _held(span: re.Match[str]) -> str:
    slash = not span.start() and _SLASH_COMMAND.fullmatch(span[2])
    if slash and pattern("route").search(span.string[span.end() :].lower()):
        return f" {_CODE} "
    if not span.start() and _FORBIDDING_CODE.match(span[2]):
        return f" {_CODE} is forbidden "
    before = _WORD.findall(span.string[: span.start()].lower())[-2:]
    is_named = bool(before) and _SCRIPT_NAME.fullmatch(span[2]) and words_of("run").isdisjoint(before)
    if slash or ((is_command(span[2]) or _RUNS_SOMETHING.fullmatch(span[2])) and not is_named):
        return f" {_RUN} "
    return f" {_SETTING if _OPTION.fullmatch(span[2]) else _CODE} "


def is_command(code: str) -> bool:
    """Return whether code is a command line: a program with arguments or a script."""
    return bool(_command().match(code.strip()))


def _mood(plain: str, said: dict[Act, int]) -> set[Act]:
    """Return how strongly a sentence tells what to do; nothing if it does not."""
    label, rest = _labelled(plain)
    reason = SENTENCE_CHARS if CJK.search(plain) else said.get("cause") or SENTENCE_CHARS
    early = _EARLY_CHARS + (plain.find(",") if plain.partition(" ")[0] in words_of("conditions") else 0)
    stated = (plain, rest) if label.rstrip().endswith((":", "：")) else (plain,)  # behind a dash stands a reason
    if said.get("forbid", SENTENCE_CHARS) < min(reason, early) or any(map(_forbids_by_shape, stated)):
        return {"forbids"}
    obliges = said.get("oblige", reason) < reason or any(map(pattern("restricts").match, (plain, rest)))
    obliges = obliges or (bool(pattern("stresses").match(plain)) and not _is_fact(rest, said))
    mood = {"obliges"} if obliges else {"orders"} if _orders(label, rest, tells="tell" in said) else set()
    advises = "advise" in said and mood != {"orders"}
    later = {"forbids_later": "forbid" in said, "advises": advises, "only": pattern("only").search(plain)}
    return mood | {act for act, holds in later.items() if holds}


def _is_fact(rest: str, said: dict[Act, int]) -> bool:
    """Return whether the words behind a label tell how something is."""
    words = _WORD.findall(rest)
    tells = "tell" in said or any(map(_is_finite, words[1:5]))
    return tells and "advise" not in said and words_of("determiners").isdisjoint(words[:1]) and not _is_order(rest)


def _shape(plain: str, said: dict[Act, int]) -> Iterator[Act]:
    """Yield how a sentence that tells nobody what to do is made."""
    stressed = pattern("stresses").match(plain)
    does = pattern("code_does").match(_labelled(plain)[1])
    acted = does and {does[1], does[1].removesuffix("s")} & openings("verbs")
    of_code = plain.startswith((_CODE, _SETTING)) and plain != _CODE
    if stressed or acted or "tell" in said or "build" in said or of_code:
        yield "tells"
        yield from (act for act in ("by_default", "stresses") if pattern(act).search(plain))
    else:
        yield "defines" if pattern("defines").match(plain) else "names"
    if pattern("over").match(plain):
        yield "over"


def _topics(plain: str, words: list[str], said: dict[Act, int], mood: set[Act]) -> Iterator[Act]:
    """Yield what a sentence is about, whatever it says of it."""
    yield from said.keys() & {"build", "style", "naming", "learned", "now"}
    yield from _shown_topics(plain, said, mood)
    if _RUN in words and "forbids" not in mood:
        told = "tell" in said and "orders" not in mood
        opening = {words[0], *_WORD.findall(_labelled(plain)[1])[:1]}
        first = _RUN in opening or not opening.isdisjoint(words_of("run"))
        yield "command_first" if first else "command_told" if told else "command"
    elif plain.endswith((":", "：")) and words[0] in words_of("run") - {"use", "check", "verify"}:
        yield "command"
    elif "tool" in said:
        yield "tool"
    if words[0] in words_of("done"):
        yield "done"
    yield from _story(plain, said, mood)


def _shown_topics(plain: str, said: dict[Act, int], mood: set[Act]) -> Iterator[Act]:
    """Yield what the shape of a sentence shows that it is about."""
    yield from (act for name, act in _STARTS.items() if pattern(name).match(plain))
    yield from (act for name, act in _HOLDS.items() if pattern(name).search(plain))
    if mood.isdisjoint(RULES):
        yield from (
            act for act in ("of_all", "needs", "offers", "not_this", "and_forbids") if pattern(act).search(plain)
        )
        yield from (act for act in ("role", "hook", "about_itself") if pattern(act).match(plain))
    if pattern("enters").match(plain):
        yield "enters"
    if "obliges" in mood and pattern("permits").search(plain):
        yield "permits"
    if "secure" in said and "orders" in mood:
        yield "secures"


def _story(plain: str, said: dict[Act, int], mood: set[Act]) -> Iterator[Act]:
    """Yield what happened: something was decided, learned, or failed and was cured."""
    if "decide" in said:
        yield "decide_in_rule" if mood & {"forbids", "orders"} else "decide"
    chosen = {"instead", "cause"} <= said.keys() and pattern("we").search(plain)
    if chosen and mood.isdisjoint({"forbids", "orders"}):
        yield "instead_because"
    if pattern("noted").match(plain):
        yield "learned"
    if pattern("once").search(plain) and mood.isdisjoint(RULES):
        yield "story"
    if mood.isdisjoint(RULES - {"advises"}):
        yield from _fault(plain, said)


def _fault(plain: str, said: dict[Act, int]) -> Iterator[Act]:
    """Yield what failed: whether it tells why, how it was cured or on what occasion, and whether it is past."""
    cured = "cured" in said or bool(pattern("cures").search(plain))
    breaks = (cured and "errs" in said) or pattern("breaks").search(plain)
    fault = next((act for act in ("failed", "fails") if act in said), "fails" if breaks else "")
    if not fault:
        return
    yield fault
    if cured or "cause" in said or _on_occasion(plain, said.get(fault, 0)):
        yield "fault_explained"
    if pattern("past").search(plain):
        yield "fault_past"


def _on_occasion(plain: str, fault: int) -> bool:
    """Return whether the fault at a position is one that happens on an occasion, not the occasion of something else."""
    when = pattern("occasion").search(plain)
    if when is None or pattern("gates").search(plain):
        return False
    return bool(CJK.search(plain)) or fault < when.start() or "," in plain[when.start() : fault]


def _labelled(plain: str) -> tuple[str, str]:
    """Return the words before the first colon or dash, if they are few, and the rest."""
    label = _LABEL.match(plain)
    return (label[0], plain[label.end() :]) if label else ("", plain)


def _orders(label: str, rest: str, *, tells: bool) -> bool:
    """Return whether a sentence tells what to do; a label of a few words may begin with a noun that is also a verb."""
    if label.startswith(_ARTICLES) and pattern("chain").match(rest):
        return False
    if _is_order(rest):
        first = _WORD.findall(rest)[0].removeprefix("re-")
        return not (label.startswith((_CODE, _SETTING)) and first in openings("nouns"))
    words = _WORD.findall(label)
    if len(words) < _LABEL_WORDS and words[1:2] not in _OCCASIONS and tells and pattern("noun_phrase").match(rest):
        return False
    if not words or not _is_order(label):
        return False
    return len(words) > _LABEL_WORDS or words[0] not in openings("nouns") or words[1:2] in _OCCASIONS


def _forbids_by_shape(part: str) -> bool:
    german = pattern("german_no").search(part) and _ends_as_german_order(part)
    return bool(german or pattern("forbids").match(part))


def _is_order(part: str) -> bool:
    """Return whether a part of a sentence tells what to do."""
    words = list(dropwhile(_is_adverb, _WORD.findall(part)))
    match words:
        case []:
            return False
        case ["every" | "each", "time", *_]:
            return _orders_behind_comma(part)
        case [first, *_] if first in words_of("conditions"):
            return _orders_behind_comma(part)
        case ["i", "will", *_]:  # an assistant's promise, kept as it was told
            return True
        case ["you", second, *_]:
            return second in openings("verbs") and second not in words_of("gains")
    first, *rest = _TRIED.sub("", words[0].removeprefix("re-")), *words[1:]
    if first in openings("verbs") and first not in words_of("determiners"):
        return first not in openings("nouns") or not any(map(_is_finite, rest[:4]))
    return first in words_of("do") or _is_foreign_order(part, " ".join((first, *rest)))


def _is_adverb(word: str) -> bool:
    return word in words_of("adverbs") or word.endswith("ly")


def _orders_behind_comma(part: str) -> bool:
    _, comma, main = part.partition(",")
    return bool(comma) and any(map(_is_order, map(str.strip, main.split(","))))


def _is_finite(word: str) -> bool:
    """Return whether a word shows that the noun before it is no instruction: is, has, inherits."""
    stem = word.removesuffix("s")
    return word in words_of("finite") or (stem != word and stem in openings("verbs") - openings("nouns"))


def _is_foreign_order(part: str, words: str) -> bool:
    if _KANA_OR_HANGUL.search(part):
        end = part.rstrip("。．.! ")
        return end.endswith(cjk_words_of("do_last")) or bool(pattern("japanese_order").search(end))
    german = pattern("german").search(part) and _ends_as_german_order(part)
    return bool(german or pattern("foreign_orders").match(words) or part.startswith(cjk_words_of("do")))


def _ends_as_german_order(part: str) -> bool:
    found = pattern("german_order").search(part)
    return found is not None and words_of("german_finite").isdisjoint(_WORD.findall(part[: found.end()]))


# The tables


_LEAST_PLAIN = 5
_LEAST_COMPOUND, _LEAST_PART = 13, 6  # Letters of a word that may be made of several, and of one of these
_ACCENTED = {"a": "àâáã", "c": "ç", "e": "éèêë", "i": "íîï", "n": "ñ", "o": "óôõ", "u": "úû"}
_PLAIN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
    | {accented: plain for plain, letters in _ACCENTED.items() for accented in letters}
)
_OWN = frozenset({"acts", "words", "patterns", "openings"})
_Phrases = dict[str, list[tuple[tuple[str, ...], str]]]


def sightings(lower: str, table: Literal["acts", "headings"]) -> Iterator[tuple[str, int]]:
    """Yield the entry and the position of every phrase of a table that a text in lower case holds, as whole words."""
    phrases, cjk = _phrase_table(table)
    found = [(match[0], match.start()) for match in _WORD.finditer(lower)]
    for number, (word, position) in enumerate(found):
        for phrase, entry in phrases.get(word, ()):
            following = found[number + 1 : number + len(phrase)]
            if len(phrase) == 1 or tuple(next_word for next_word, _ in following) == phrase[1:]:
                yield entry, position
    if table == "headings":
        yield from ((entry, start) for word, start in found if len(word) >= _LEAST_COMPOUND for entry in _parts(word))
    if not lower.isascii() and CJK.search(lower):
        for word, entry in cjk:
            if (position := lower.find(word)) >= 0:
                yield entry, position


def _parts(compound: str) -> Iterator[str]:
    """Yield the entries of headings that a long word ends with: Entwicklungsrichtlinien."""
    phrases, _ = _phrase_table("headings")
    for word in () if compound in phrases else phrases:
        if len(word) >= _LEAST_PART and compound.endswith(word):
            yield from (entry for phrase, entry in phrases[word] if len(phrase) == 1)


@cache
def words_of(name: str) -> frozenset[str]:
    """Return a list of single words, those of all languages with spaces together."""
    languages = table("words")[name].items()
    return frozenset(phrase[0] for name, written in languages if name not in _CJK for phrase in _phrases(written))


@cache
def cjk_words_of(name: str) -> tuple[str, ...]:
    """Return the same of Chinese, Japanese and Korean."""
    return tuple(_cjk_words(table("words")[name]))


@cache
def openings(part_of_speech: Literal["verbs", "nouns"]) -> frozenset[str]:
    """Return the first words of instructions, or those of them that also begin a noun phrase."""
    return frozenset(table("openings")[part_of_speech].split())


def table(name: str) -> dict[str, Any]:
    """Return one table of the two files of cues."""
    found: dict[str, Any] = read_table(__file__, "sentence_acts.toml" if name in _OWN else "kind_cues.toml")[name]
    return found


@cache
def pattern(name: str) -> re.Pattern[str]:
    return compile_lines(table("patterns")[name])


@cache
def _command() -> re.Pattern[str]:
    programs = table("patterns")["programs"].replace("\n", "")
    return re.compile(
        rf"(?:\$ )?(?:sudo |[A-Z_]+=\S+ )*(?:(?:\./)?(?:{programs}) \S|\./[\w./-]+\.(?:sh|ps1|py)\b|\./[\w-]+ \S"
        r"|(?:\./)?(?:scripts?|bin)/[\w./-]+ \S"
        r"|\./(?:scripts?|bin)/[\w./-]+|[\w./-]+\.(?:sh|ps1|bat)\b|[\w./-]+(?: [\w./:-]+)* --?[a-z])"
    )


@cache
def _phrase_table(name: str) -> tuple[_Phrases, tuple[tuple[str, str], ...]]:
    """Return the phrases by their first word, and the words of scripts without spaces, each with its entry."""
    phrases: _Phrases = {}
    cjk: list[tuple[str, str]] = []
    for entry, languages in table(name).items():
        cjk.extend((word, entry) for word in _cjk_words(languages))
        for phrase in chain.from_iterable(_phrases(languages[name]) for name in languages.keys() - _CJK):
            phrases.setdefault(phrase[0], []).append((phrase, entry))
    return phrases, tuple(cjk)


def _cjk_words(languages: dict[str, str]) -> Iterator[str]:
    for language in sorted(_CJK & languages.keys()):
        yield from (word.replace("_", " ") for word in languages[language].split())


def _phrases(written: str) -> Iterator[tuple[str, ...]]:
    for entry in written.split():
        forms: list[tuple[str, ...]] = [()]
        for part in entry.split("_"):
            stem, *endings = part.split("/")
            variants = [stem, *(stem + ending for ending in endings)]
            forms = [(*form, variant) for form in forms for variant in variants]
        forms += [("-".join(form),) for form in forms if len(form) > 1]
        yield from forms
        yield from (bare for form in forms if (bare := _without_accents(form)) != form)


def _without_accents(form: tuple[str, ...]) -> tuple[str, ...]:
    """Return a phrase as it is written where umlauts and accents are missing; short words would become other words."""
    return tuple(word.translate(_PLAIN) if len(word) >= _LEAST_PLAIN else word for word in form)
