"""Sentences about what Tidy finds in single memories, how it is mended, and what dismissals teach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memtui.analysis.dismissals import Lesson, PlaceSort
from memtui.analysis.flaws import Flaw, FlawReason, Mend
from memtui.curate.anchors import CheckedAnchor
from memtui.curate.mends import Mended
from memtui.curate.tidy_report import Alikeness, TidyReport
from memtui.text.planted import Planted
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.wording import outcomes

_FLAWS: Mapping[FlawReason, str] = {
    FlawReason.OPEN: "it ends before what it announces",
    FlawReason.BACK: "it refers to a text that came before it",
    FlawReason.DANGLING: "it begins with a reference to something that another text names",
    FlawReason.RESUMED: "its list continues another one",
    FlawReason.CODE: "it is code without an explanation",
    FlawReason.HALF: "it says what is wrong, but not what is right",
    FlawReason.NAMELESS: "it describes something without naming it",
    FlawReason.POINTER: "it only says where to read",
    FlawReason.ANNOUNCES: "it only says what its file is",
    FlawReason.STAMP: "it only sets a date, a version or an author",
    FlawReason.ECHO: "it only repeats its own name",
    FlawReason.PLATITUDE: "it says only what is true everywhere",
    FlawReason.OVERSIZED: "it is as long as several memories",
}

_MENDS: Mapping[Mend, str] = {
    Mend.JOIN: "join it with {other}",
    Mend.HEADING: "add its heading",
    Mend.SPLIT: "split it",
    Mend.EDIT: "edit it",
    Mend.RETIRE: "retire it",
}

_MENDED: Mapping[Mend, str] = {
    Mend.JOIN: "Joined into",
    Mend.HEADING: "Added the heading",
    Mend.SPLIT: "Split",
    Mend.RETIRE: "Retired",
}

DISMISSED = {
    "duplicates": outcomes.NOT_DUPLICATES,
    "contradictions": outcomes.NOT_CONTRADICTING,
    "ripe": outcomes.NO_COMMON_CONCLUSION,
    "oversized": "Its length will not be mentioned again",
    "vague": "It will not be called vague again",
    "fragments": "It will not be called a fragment again",
}
"""What a dismissal says, by finding."""

_PLACES: Mapping[PlaceSort, str] = {"files": "in {place}", "heading": "under “{place}”", "project": "in {place}"}
_NOUNS = {
    "duplicates": ("duplicate", "duplicates"),
    "contradictions": ("contradiction", "contradictions"),
    "ripe": ("common conclusion", "common conclusions"),
    "links": ("link", "links"),
    "oversized": ("oversized memory", "oversized memories"),
    "vague": ("vague memory", "vague memories"),
    "fragments": ("fragment", "fragments"),
}


def mass_words(report: TidyReport, finding: str) -> str:
    """Return how much a finding weighs: `51 tokens`, of duplicates `34 tokens to save`, where all is sure."""
    most, sure = report.token_mass(finding), report.sure_savings
    if finding != "duplicates":
        return f"{most:,} tokens"
    if most == sure:
        return f"{most:,} tokens to save"
    return f"{sure:,} to {most:,} tokens to save" if sure else f"up to {most:,} tokens to save"


def records_words(report: TidyReport) -> str:
    """Return how much the long memories of whole files take: `16 decisions … take 58% of the tokens`."""
    number = counted(len(report.records), "decision or skill", "decisions and skills")
    each, take = ("", "takes") if len(report.records) == 1 else ("each ", "take")
    return f"{number}, {each}read from a file as one long memory, {take} {report.records_share:.0%} of the tokens"


def planted_words(reason: Planted) -> str:
    """Return why a memory is held back: `looks planted: it REASON`."""
    return f"looks planted: it {reason}"


def flaw_words(flaw: Flaw) -> str:
    """Return what is wrong with a memory: `it ends before what it announces: “follow these rules:”`."""
    said = f": “{tame(flaw.said, 60)}”" if flaw.said else ""
    return f"{_FLAWS[flaw.reason]}{said}"


def mend_words(flaw: Flaw) -> str:
    """Return what would mend it: `join it with k3f9x2ab`, or with `k3f9x2ab and 2 before it`."""
    before = f" and {len(flaw.more):,} before it" if flaw.more else ""
    return _MENDS[flaw.mend].format(other=f"{flaw.other}{before}")


def mended(done: Mended) -> str:
    """Return what was done: `Split: TITLE; 2 more parts`."""
    more = f"; {counted(len(done.others), 'more part')}" if done.mend is Mend.SPLIT else ""
    return f"{_MENDED[done.mend]}: {tame(done.memory.title)}{more}"


def lesson_words(lesson: Lesson, hidden: int) -> str:
    """Return why proposals are not shown: `3 contradictions (number) in docs/adr.md: you dismissed 12 like this`."""
    shape = f" ({', '.join(lesson.shape)})" if lesson.shape else ""
    where = _PLACES[lesson.sort].format(place=tame(lesson.place, 80))
    what = counted(hidden, *_NOUNS[lesson.finding]) if hidden else f"no {_NOUNS[lesson.finding][0]} yet"
    return f"{what}{shape} {where}: you dismissed {lesson.number:,} like this"


def not_shown(lessons: Iterable[tuple[Lesson, int]]) -> str:
    """Return how much is not shown for what dismissals teach."""
    hidden = [(lesson, number) for lesson, number in lessons if number]
    total = sum(number for _, number in hidden)
    like = hidden[0][0].number if len(hidden) == 1 else sum(lesson.number for lesson, _ in hidden)
    return f"Not shown: {total:,}, because you dismissed {like:,} like them. `memtui tidy --learned` lists the reasons."


def next_in_line(number: int) -> str:
    """Return what came up with a dismissal."""
    return f"{counted(number, 'other proposal')} about one of these appeared"


def anchor_words(anchor: CheckedAnchor) -> str:
    """Say which path a finding is about, where its file may be, and how many memories have it."""
    if anchor.file:
        held = f"{counted(len(anchor.ids), 'memory')} of {tame(anchor.file, 80)}"
        verb = "applies" if len(anchor.ids) == 1 else "apply"
        paths = ", ".join(tame(path, 80) for path in anchor.paths)
        if anchor.meant:
            return f"{held} {verb} to no or hardly any file: {paths} · maybe {tame(anchor.meant, 80)}"
        return f"{held} {verb} to files that do not exist: {paths}"
    words = {"gone": "maybe", "moved": "now"}
    where = f" · {words[anchor.state]} {tame(anchor.suggestion, 80)}" if anchor.suggestion else ""
    shared = f" · {len(anchor.ids):,} memories" if anchor.others else ""
    return f"{tame(anchor.path, 80)}{where}{shared}"


def untied(path: str) -> str:
    return f"Removed {tame(path, 80)} from Files"


def still_tied(path: str) -> str:
    return f"{tame(path, 80)} is still in Files: enter removes it, n accepts that it is missing"


def left_gone(path: str) -> str:
    return f"{tame(path, 80)} stays in Files and will not be reported again"


def unlearned(lesson: Lesson) -> str:
    number = counted(lesson.number, "dismissal")
    return f"Proposals like these {number} are made again; the dismissed ones stay dismissed"


def ways_to_dismiss(
    finding: str, found: Mapping[Alikeness, Sequence[tuple[str, ...]]], files: str
) -> list[tuple[Alikeness, str]]:
    """Return the ways to dismiss proposals as (name, words), narrowest first, each of more than the one before it."""
    words = {"shape": "of this shape", "file": f"from {tame(files, 60)}", "sort": "all of them"}
    ways: list[tuple[Alikeness, str]] = []
    largest = 0
    for by, alike in sorted(found.items(), key=lambda each: len(each[1])):
        if len(alike) > largest and (len(alike) > 1 or by == "shape"):
            ways.append((by, f"{words[by]}: {counted(len(alike), *_NOUNS[finding])}"))
            largest = len(alike)
    return ways
