"""What a commit teaches: the sentences of its message that say why, where they outlast the commit itself.

Most messages say what was changed, which the code says too. Worth proposing is a cause, a reason for a choice, a rule,
or what others must know of it; how much a message says of that is summed up from its sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from memtui.capture.commits.cues import (
    SHORTEST,
    acts_of,
    binds,
    cue,
    is_cut,
    is_firm,
    is_passing,
    outlasts,
    points_back,
    points_of,
    reaches_out,
    states_limit,
    without_code,
)
from memtui.capture.commits.read import LESSON_KEYS, Commit
from memtui.capture.commits.sentences import paragraphs, sentences
from memtui.capture.commits.title import capital, title_in
from memtui.capture.lessons.proposal import LONGEST_QUOTE

Sort = Literal["trailer", "revert", "breaking", "rule", "fix", "decision", "note"]
"""What makes a commit worth a proposal."""

ENOUGH = 3.25  # Points from which a sentence is proposed; below it most only say what was changed
MOST_SENTENCES = 3  # Of what a breaking change says
ALONE = 0.25  # Points lost where a sentence stands alone
LONG_MESSAGE = 1_600  # Characters; of a longer one, which tells how the code works, only what binds is taken
LIMIT = 0.5  # Points above the least of what states a limit of the world
ROOM = 400  # Characters up to which what follows a reason is taken along
MOST_FILES = 5  # Files that a proposal is tied to; a commit that changes more speaks of none of them

KINDS: dict[Sort, str] = {
    "trailer": "decision",
    "revert": "lesson",
    "breaking": "decision",
    "rule": "constraint",
    "fix": "bug-pattern",
    "decision": "decision",
    "note": "lesson",
}


@dataclass(frozen=True, slots=True)
class CommitLesson:
    """What one commit teaches."""

    commit: Commit
    sort: Sort
    title: str
    insight: str
    quote: str
    score: float  # 0–1
    kind: str
    files: tuple[str, ...] = ()


_BREAKING = re.compile(r"(?m)^BREAKING[ -]CHANGES?\s*[:\n]\s*(?P<text>\S[\s\S]*)")
_TYPE = re.compile(r"^(?:[a-z]+(?:\([^)]*\))?!?|[a-z]+/[a-z]+):\s*", re.IGNORECASE)
_REVERT_SUBJECT = re.compile(r"^(?:revert\b[:\s]*|\w+: revert\b)", re.IGNORECASE)
_REVERT_LINE = re.compile(
    r"This reverts? (?:commit|PR|pull request|#)[^.\n]*\.?|This is a revert of[^.\n]*\.?|^Reverts? \S+#?\d+\.?$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(
    r"\s*\(#\d+\)$|\s*\[(?:#?\d+|[A-Z]+-\d+)\]$|[.,;]?\s*(?:closes?|fix(?:es)?|refs?) #\d+(?:, #\d+)*\.?$",
    re.IGNORECASE,
)
_UNCLEAR_SUBJECT = re.compile(
    r"^(?:fix(?:es|ed)?|update|wip|tweak|misc|changes?|oops|more|again|cleanup|improvements?|test)\W*\w*$",
    re.IGNORECASE,
)
_MERGE_OF = re.compile(
    r"^Merge (?:(?:pull request|pr) #?\d+.*|(?:branch|tag|remote\S*) .*|'(?P<what>.+?)'(?: from .*)?)$", re.IGNORECASE
)


def lessons_of(commits: Sequence[Commit]) -> list[CommitLesson]:
    """Return what commits teach, in their order; what a merge repeats of the commits that it brings is said once."""
    found: list[CommitLesson] = []
    # The commits themselves first: they name the files, which a merge does not.
    own = frozenset(word.casefold() for commit in commits for file in commit.files for word in _WORD.findall(file))
    for commit in sorted(commits, key=lambda one: one.is_merge):
        lesson = lesson_of(commit, own)
        if (
            lesson is not None
            and _key(lesson.title) != _key(lesson.insight)
            and not any(_is_same(lesson, other) for other in found)
        ):
            found.append(lesson)
    places = {commit.id: number for number, commit in enumerate(commits)}
    return sorted(found, key=lambda one: places[one.commit.id])


_WORD = re.compile(r"[^\W\d_]+")


def _is_same(one: CommitLesson, other: CommitLesson) -> bool:
    """Return whether two commits say the same, maybe of another version or file."""
    from rapidfuzz.fuzz import ratio

    mine, theirs = ((_key(each.title), _key(each.insight)) for each in (one, other))
    return bool({*mine} & {*theirs}) or ratio(mine[1], theirs[1]) >= _SAME


_SAME = 85.0  # Likeness of two texts, 0–100, from which they say the same


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def lesson_of(commit: Commit, own: AbstractSet[str] = frozenset()) -> CommitLesson | None:
    """Return what a commit teaches, None for most: at most one lesson, the best that its message says.

    `own`: words by which the repository names its code, in lower case.
    """
    if any(cue("bot").search(name) for name in (commit.author, commit.email.partition("@")[0])):
        return None
    stated = _stated(commit)
    if stated is not None:
        return stated
    if commit.notes:
        found = _told(commit, commit.notes, "note", ENOUGH - 1.0, own)
        if found is not None:
            return found
    if commit.is_merge and not commit.body:
        return None
    if _REVERT_SUBJECT.match(commit.subject) or commit.reverts:
        return _told(commit, _REVERT_LINE.sub("", commit.body), "revert", ENOUGH - 1.5, own)
    if _is_chore(commit) or cue("quiet").search(commit.subject):
        return None
    return _breaking(commit) or _told(commit, commit.body, None, ENOUGH, own)


def _is_chore(commit: Commit) -> bool:
    if cue("chore").match(commit.subject) and not commit.is_merge:
        return True
    if cue("chore_type").match(commit.subject):
        return True
    return bool(commit.files) and all(cue("prose_files").search(file) for file in commit.files)


def _stated(commit: Commit) -> CommitLesson | None:
    """Return what a trailer states."""
    for key, value in commit.trailers:
        if key in LESSON_KEYS and "break" not in key and len(value.split()) >= 3:  # noqa: PLR2004 - fewer words say nothing
            kind = {"constraint": "constraint", "rule": "constraint", "invariant": "constraint", "lesson": "lesson"}
            return _lesson(commit, "trailer", value, 0.95, kind.get(key, KINDS["trailer"]))
    return None


def _breaking(commit: Commit) -> CommitLesson | None:
    """Return what a breaking change means for others."""
    text = next((value for key, value in commit.trailers if key.startswith("breaking")), "")
    found = _BREAKING.search(commit.body)
    if found is not None:
        text = found["text"]
    for paragraph in paragraphs(text):
        said = " ".join(sentences(paragraph)[:MOST_SENTENCES])
        if len(said) >= SHORTEST:
            return _lesson(commit, "breaking", said, 0.8, KINDS["breaking"])
        break
    return None


def _told(commit: Commit, text: str, sort: Sort | None, enough: float, own: AbstractSet[str]) -> CommitLesson | None:
    """Return the best of what a message says, None where that is not enough."""
    best = max(_teachings(commit, text, sort, enough, own), key=lambda one: one.points, default=None)
    if best is None or best.points < enough:
        return None
    score = min(0.9, 0.5 + 0.08 * (best.points - enough))
    quote, chosen = " ".join(best.said), sort or _sort_of(acts_of(best.key))
    is_order = chosen != "rule" or cue("order").search(without_code(quote))
    kind = KINDS[chosen] if is_order else "lesson"
    return _lesson(commit, chosen, quote, score, kind, title_in(best.key, quote))


@dataclass(frozen=True, slots=True)
class _Teaching:
    """A sentence that teaches, with those around it."""

    points: float
    key: str
    said: list[str]


def _teachings(
    commit: Commit, text: str, sort: Sort | None, enough: float, own: AbstractSet[str]
) -> Iterator[_Teaching]:
    """Yield what of a message teaches, with how much."""
    own, is_short = own | _own_words(commit), len(text) <= LONG_MESSAGE
    before: list[str] = []
    for paragraph in paragraphs(text):
        told = [*before, *sentences(paragraph)]
        for number in range(len(before), len(told)):
            key = told[number]
            points = points_of(key, acts_of(key), commit.subject)
            after = told[number + 1] if number + 1 < len(told) else ""
            is_lasting = binds(key) or (is_short and states_limit(key, after, own))
            if not is_lasting and (points < enough or not (sort or is_short)):
                continue
            said = _with_context(told, number, len(before))
            if _is_whole(said, sort) and (is_lasting or _holds(" ".join(said), sort)):
                points = max(points, enough + LIMIT) if is_lasting else points - ALONE * (len(said) == 1)
                yield _Teaching(points, key, said)
        before = told[len(before) :]


def _is_whole(said: list[str], sort: Sort | None) -> bool:
    """Return whether words are understood without what stands around them, and firm enough; a note may point back."""
    if is_cut(said[-1]) or (points_back(said[0]) and sort != "note"):
        return False
    return sort is not None or is_firm(" ".join(said))


def _holds(said: str, sort: Sort | None) -> bool:
    """Return whether words hold once the change is made; what was taken back may tell of it, if it says why."""
    if sort == "revert":
        return not _tells_past(said) or cue("follows").search(said) is not None
    return sort is not None or (outlasts(said) and reaches_out(said))


def _own_words(commit: Commit) -> frozenset[str]:
    """Return the words by which a commit names the code that it changes, in lower case."""
    area, mark, _ = commit.subject.partition(":")
    return frozenset(word.casefold() for word in _WORD.findall(f"{area if mark else ''} {' '.join(commit.files)}"))


def _sort_of(does: AbstractSet[str]) -> Sort:
    if {"cause", "bad"} <= does:
        return "fix"
    if "choice" in does:
        return "decision"
    return "rule" if "rule" in does else "note"


def _with_context(told: list[str], number: int, own: int) -> list[str]:
    """Return a sentence with those around it that a quote has room for: first what it refers to, then what follows.

    `own`: the number of the first sentence of its paragraph; what stands before it, or tells of what was, is taken
    only where it is pointed to.
    """
    start, end = number, number + 1
    while start > 0 and len(" ".join(told[start - 1 : end])) <= LONGEST_QUOTE and not is_passing(told[start - 1]):
        if not points_back(told[start]) and (start <= own or _tells_past(told[start - 1])):
            break
        start -= 1
    while end < len(told) and len(" ".join(told[start : end + 1])) <= ROOM and _goes_on(told[end]):
        end += 1
    return told[start:end]


def _goes_on(sentence: str) -> bool:
    return not (is_passing(sentence) or is_cut(sentence) or _tells_past(sentence))


def _tells_past(sentence: str) -> bool:
    return cue("past").search(without_code(sentence)) is not None


def _own_subject(commit: Commit) -> str:
    """Return what a commit says it does; of a merge what it merges."""
    quoted = _MERGE_OF.match(commit.subject)
    if quoted is not None and quoted["what"]:
        return str(quoted["what"])
    return commit.body.split("\n", 1)[0].strip() if quoted is not None and commit.body else commit.subject


def _lesson(commit: Commit, sort: Sort, said: str, score: float, kind: str, title: str = "") -> CommitLesson | None:
    text = " ".join(said.split())
    if len(text) > LONGEST_QUOTE:
        text = f"{text[: LONGEST_QUOTE - 1].rsplit(' ', 1)[0]}…"
    subject = _NUMBER.sub("", _NUMBER.sub("", _own_subject(commit))).strip()
    subject = _TYPE.sub("", subject) if _TYPE.match(subject) and sort != "breaking" else subject
    unclear = _UNCLEAR_SUBJECT.match(subject) or not subject
    title = title or (sentences(text)[0] if unclear and sentences(text) else subject)
    files = tuple(file for file in commit.files if not cue("prose_files").search(file))
    return CommitLesson(
        commit=commit,
        sort=sort,
        title=capital(title),
        insight=text,
        quote=text,
        score=round(score, 2),
        kind=kind,
        files=files if len(files) <= MOST_FILES else (),
    )
