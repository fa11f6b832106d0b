"""The text of a proposal: a standalone insight, a title, the context, and the files that the words name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from memtui.analysis.classify import kind_guess, states_rule
from memtui.analysis.named_paths import anchors_in
from memtui.analysis.titles import title_for
from memtui.capture.lessons.cues import matches, says
from memtui.capture.lessons.exchange import Said
from memtui.capture.lessons.features import NAME
from memtui.capture.lessons.proposal import LONGEST_QUOTE, LessonSignal
from memtui.capture.lessons.speech import Statement
from memtui.capture.transcripts.session import CallKind, ToolCall
from memtui.text.sanitize import one_line
from memtui.text.tables import read_table
from memtui.text.words import CJK

_LONGEST_ACT = 160
_CUT = "…"
_CLAUSE_END = re.compile(
    r"\A([^,.:;!，：；、。！]{1,90}?)\s*(?:[,.:;!，：；、。！]+\s*|\s[–—-]+\s+|\s(?:that|dass|que|qu')\s*)(?=\S)"
)
_TO = re.compile(r"\A(?:please )?(?:remember|don't forget|make sure|keep in mind|be sure) to (?=\w)", re.IGNORECASE)
_LEFT_OF_LEAD = 3  # Words of a clause beside those that ask to remember up to which it says nothing else
_BEFORE = re.compile(
    r"\A(?:\w+ )?(?:one|a) (?:more |last |quick |other )?(?:thing|note|point)\b(?: before .*)?\Z|\Aby the way\Z"
)
_MARK = re.compile(r"\A(?:#+|/\w+)\s+")  # Of a line that is typed to be kept, or of a command
_FIRST = re.compile(r"[^\W\d_]")
_POINTS = re.compile(
    r"\A(?:it|that|this|these|those|they|there|the (?:file|table|test|folder|command)|das"
    r"|dies\w*|es|sie|ça|c'est|cela|eso|esto|isso|"
    r"isto|ele|ela|elle|il|这|那|它|それ|これ|そこ|そのファイル)(?!\w)",
    re.IGNORECASE,
)


def quote_of(said: Said, statements: Sequence[Statement]) -> str:
    """Return the words that a proposal rests on."""
    words = said.text[statements[0].start : statements[-1].end]
    return cut(words.strip(), LONGEST_QUOTE)


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters, shortened at a word."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = max(head.rfind(" "), head.rfind("\n"))
    return (head[:at] if at > most // 2 else head).rstrip() + _CUT


def insight_of(said: Said, statements: Sequence[Statement], act: ToolCall | None) -> str:
    """Return the words as they can be read without the session; what they point at is put before them."""
    parts = [_without_lead(one.text, said.language) for one in statements]
    words = _joined(part for part in parts if part)
    named = act_words(act) if act else ""
    unclear = _POINTS.match(words) is not None or (said.refused is not None and not NAME.search(words))
    if named and unclear and named.strip("`") not in words:
        return f"{named}: {words}"
    return f"{words[:1].upper()}{words[1:]}" if _is_prose(words) else words


def _joined(parts: Iterable[str]) -> str:
    words = ""
    for part in parts:
        gap = "" if not words or words.endswith(("。", "！", "？")) else " " if words[-1:] in ".!?…:;" else ". "
        words += f"{gap}{part}"
    return words


def _is_prose(words: str) -> bool:
    """Return whether the first word is plain, so that its letter may become a capital."""
    first = re.sub(r"['\u2019]|[.,:;!?]+\Z", "", words.split(maxsplit=1)[0]) if words.split() else ""
    return first.isalpha() and first.islower() and not NAME.fullmatch(first)


def _without_lead(text: str, language: str) -> str:
    """Return a statement without its "no," or "sure, but", and without the words that ask to keep it in mind."""
    bare = _TO.sub("", _MARK.sub("", text)).strip()
    while (clause := _CLAUSE_END.match(bare)) is not None and _is_lead(clause[1], language):
        bare = bare[clause.end() :]
    words = bare.split(maxsplit=1)
    while len(words) > 1 and words[0].lower() in _lead_words("unmarked"):
        words = words[1].split(maxsplit=1)
    bare = _TO.sub("", " ".join(words))
    return bare if _FIRST.search(bare) else text


@cache
def _lead_words(where: str) -> frozenset[str]:
    """Return the words at the start that say nothing: of a clause that is `alone`, or also `unmarked`."""
    return frozenset(read_table(__file__, "cues.toml")["lead_words"][where].split())


def _is_lead(clause: str, language: str) -> bool:
    """Return whether a clause at the start says nothing but "no" or "sure", or asks to remember what follows."""
    plain = clause.lower().replace("\u2019", "'").strip()
    if _lead_words("alone").issuperset(plain.split()) or _BEFORE.match(plain):
        return True
    found = next(iter(matches("remembers", plain, language)), None)
    if found is None:
        return False
    left = f"{plain[: found[0]]} {plain[found[1] :]}".split()
    left = [word for word in left if word not in _lead_words("alone")]
    return max(len(left), len(CJK.findall("".join(left)))) <= _LEFT_OF_LEAD


def act_words(call: ToolCall) -> str:
    """Return what a call did, as a code span: its command, or the file that it wrote."""
    words = one_line(call.command) or (call.paths[0] if call.paths else "")
    return f"`{cut(words, _LONGEST_ACT)}`" if words and "`" not in words else words


def in_project(call: ToolCall | None, folder: Path | None) -> ToolCall | None:
    """Return a call with its paths relative to the project; of files elsewhere the name alone, not whose folders."""
    if call is None:
        return None
    return replace(call, paths=tuple(_in_project(path, folder) for path in call.paths))


def _in_project(path: str, folder: Path | None) -> str:
    near = _relative(path.replace("\\", "/"), folder)
    return PurePosixPath(near).name if PurePosixPath(near).is_absolute() else near


def context_of(said: Said, act: ToolCall | None, around: str) -> str:
    """Return why it was said: what was refused or corrected, and the words around it."""
    # The file of an edit is among those that the lesson is tied to.
    is_told = act is not None and (said.refused is not None or act.kind is CallKind.COMMAND)
    verb = "Reason for refusing" if said.refused else "Said after"
    parts = [f"{verb} {act_words(act)}." if act is not None and is_told else "", around]
    return " ".join(part for part in parts if part)


def files_of(words: str, folder: Path | None, pointed: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that words name, relative to the project, and those that they point at."""
    named = [found[0].strip("`.,;:") for found in NAME.finditer(words) if "/" in found[0]]
    spans = " ".join(f"`{_relative(each, folder)}`" for each in [*named, *pointed])
    return anchors_in(spans)


def _relative(path: str, folder: Path | None) -> str:
    root = f"{folder.as_posix().rstrip('/')}/" if folder else ""
    return path.removeprefix(root) if root else path


def acted(said: Said, insight_terms: frozenset[str], terms_of_call: dict[str, frozenset[str]]) -> ToolCall | None:
    """Return the call that was refused, or the one just made that the words are about; else the last one."""
    if said.refused:
        return said.refused
    made = [call for call in said.calls if call.kind in {CallKind.EDIT, CallKind.COMMAND}]
    if not made:
        return None
    best = max(made[-8:], key=lambda call: len(terms_of_call.get(call.id, frozenset()) & insight_terms))
    return best if terms_of_call.get(best.id, frozenset()) & insight_terms else made[-1]


_KIND_OF_SIGNAL = {
    LessonSignal.DECISION: ("decision", frozenset({"decision"})),
    LessonSignal.FAIL_THEN_PASS: ("tooling", frozenset({"tooling"})),
    LessonSignal.ROOT_CAUSE: ("bug-pattern", frozenset({"bug-pattern"})),
    LessonSignal.DISCOVERY: ("bug-pattern", frozenset({"bug-pattern"})),
}


def kind_of(signal: LessonSignal, words: str) -> str:
    """Return the kind that the words say; a signal that says more than the words decides.

    What a person says of how things are, in answer to what was done, binds what is done next where it says so: that
    it forbids, obliges or holds in all cases. Else it tells how a thing is made.
    """
    guessed = kind_guess(words, title_of(words), ()).kind
    firm, fitting = _KIND_OF_SIGNAL.get(signal, ("", frozenset()))
    if firm and guessed not in fitting:
        return firm
    if guessed in _KINDS_OF_PERSONS or firm:
        return guessed
    if _SET.search(words):
        return "tooling"
    binds = states_rule(words) or says("general", words.lower()) or says("keeps", words.lower())
    return "constraint" if binds or guessed != "architecture" else "architecture"


_KINDS_OF_PERSONS = frozenset({"constraint", "convention", "tooling", "decision", "bug-pattern"})
_SET = re.compile(r"(?<![\w-])--?[a-z][\w-]*|\b[A-Z][A-Z0-9_]+=\S")  # An option of a command, or a setting


def title_of(insight: str) -> str:
    """Return a title; an answer of a word or two says little without the reason after it."""
    first, mark, rest = insight.partition(". ")
    told = f"{first}: {rest}" if mark and len(first.split()) <= _FEW_WORDS else insight
    return title_for(told, ())


_FEW_WORDS = 2
