"""Commands that failed, and what was run instead until the same purpose was met."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from memtui.capture.transcripts.session import CallKind, CallResult, Session, ToolCall, Turn
from memtui.text.tables import read_table

MOST_APART = 12  # Calls between a failure and what passes
_LONGEST = 400
_LINK = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_PIPED = re.compile(
    r"\s*(?:\||[12&]?>{1,2})\s*(?:&1|/dev/null|tail\b.*|head\b.*|grep\b.*|tee\b.*|cat\b.*|less\b.*|wc\b.*|sort\b.*)?"
)
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\S+")
_SETTING = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_QUIET = re.compile(
    r"-{1,2}(?:v+|q+|verbose|quiet|s|x|vv|tb=\w+|color(?:=\w+)?|no-color|lf|ff|maxfail=?\d*|k|m|count|version|help|h)"
)


_BYPASS = re.compile(r"--?force\S*|--no-verify|--set-upstream|-u|sudo|--skip-\S*checks?")
_SCRIPT_GIVEN = frozenset({"-c", "-e", "--eval"})  # Options after which a program of one line stands
_LIMITED = re.compile(r"\Atimeout (?:-\S+ )*\S+ ")


@dataclass(frozen=True, slots=True)
class Recovery:
    """A command that failed, and the one that worked."""

    failed: ToolCall
    passed: ToolCall
    between: tuple[ToolCall, ...]
    """Commands that made it pass where the same one was run again."""

    turn: Turn
    """The turn in which it passed."""

    number: int
    """The position of that turn."""

    failures: int = 1


@dataclass(frozen=True, slots=True)
class _Run:
    call: ToolCall
    turn: Turn
    number: int
    edits: int
    """Edits made in the session before it."""

    words: tuple[str, ...]


def recoveries(session: Session) -> Iterator[Recovery]:
    """Yield what failed and then passed in another way, each purpose once."""
    if not any(call.result is CallResult.FAILED for turn in session.turns for call in turn.calls):
        return
    waiting: list[_Run] = []
    since: list[_Run] = []
    told: set[str] = set()
    for run in _runs(session):
        if run.call.result is CallResult.FAILED:
            waiting = [*waiting[-5:], run]
        elif run.call.result is CallResult.PASSED:
            found = _recovered(run, waiting, since)
            if found is not None and found.passed.command not in told:
                told.add(found.passed.command)
                yield found
            if found is not None or any(each.words == run.words for each in waiting):
                waiting = [each for each in waiting if not _purpose(each.words) & _purpose(run.words)]
        since = [*since[-MOST_APART:], run]


def _runs(session: Session) -> Iterator[_Run]:
    edits = 0
    for number, turn in enumerate(session.turns):
        for call in turn.calls:
            if call.kind is CallKind.EDIT and call.result is not CallResult.REFUSED:
                edits += 1
            elif call.kind is CallKind.COMMAND and call.command and len(call.command) <= _LONGEST:
                yield _Run(call, turn, number, edits, tuple(_TOKEN.findall(_plain(call.command))))


def _plain(command: str) -> str:
    """Return a command without changes of folder and without what only shortens its output."""
    steps = [step for step in _LINK.split(command.strip()) if step and not step.startswith("cd ")]
    return " && ".join(_LIMITED.sub("", _PIPED.split(step, maxsplit=1)[0].strip()) for step in steps)


def _recovered(run: _Run, waiting: list[_Run], since: list[_Run]) -> Recovery | None:
    for failed in reversed(waiting):
        if failed.edits != run.edits and failed.words == run.words:
            continue
        count = sum(bool(_purpose(each.words) & _purpose(failed.words)) for each in waiting)
        if failed.words == run.words:
            setup = _setup(failed, run, since)
            if setup:
                return Recovery(failed.call, run.call, setup, run.turn, run.number, count)
        elif _same_purpose(failed, run) and _differs(failed.words, run.words, edited=failed.edits != run.edits):
            return Recovery(failed.call, run.call, (), run.turn, run.number, count)
    return None


def _setup(failed: _Run, passed: _Run, since: list[_Run]) -> tuple[ToolCall, ...]:
    """Return what was run between two runs of one command and may have mended it."""
    later = since[since.index(failed) + 1 :] if failed in since else []
    if failed.edits != passed.edits:
        return ()
    done = [each for each in later if each.call.result is CallResult.PASSED and not _only_looks(each.words)]
    return tuple(each.call for each in done[-2:] if each.words != passed.words)


@lru_cache(4_096)
def _only_looks(words: tuple[str, ...]) -> bool:
    program = _program(words)
    if _SCRIPT_GIVEN & set(words) and any(word[:1] in "\"'" for word in words):
        return True
    return program in _words("look") or f"{program}-{_after_program(words)}" in _words("look")


def _same_purpose(failed: _Run, passed: _Run) -> bool:
    if _only_looks(failed.words) or _only_looks(passed.words):
        return False
    mine, theirs = _purpose(failed.words), _purpose(passed.words)
    shared, program = mine & theirs, _program(failed.words)
    if program == _program(passed.words) and mine != {program}:
        return bool(shared - {program})
    return bool(shared) and len(shared) * 2 >= min(len(mine), len(theirs))


@lru_cache(4_096)
def _purpose(words: tuple[str, ...]) -> frozenset[str]:
    """Return what a command is for: its words without settings, options and wrappers; a path by its last part."""
    bare = (word.strip("\"'") for word in words if not _SETTING.fullmatch(word) and not word.startswith("-"))
    parts = (
        word.rsplit("/", 1)[-1].lower()
        for word in bare
        if word not in _words("wrap") and word not in {"&&", "run", "."}
    )
    return frozenset(part for word in parts for part in re.split(r"[:.]", word) if len(part) > 1)


@lru_cache(4_096)
def _program(words: tuple[str, ...]) -> str:
    bare = [word for word in words if not _SETTING.fullmatch(word) and word not in _words("wrap")]
    return bare[0].rsplit("/", 1)[-1] if bare else ""


def _after_program(words: tuple[str, ...]) -> str:
    bare = [word for word in words if not _SETTING.fullmatch(word) and word not in _words("wrap")]
    return bare[1] if len(bare) > 1 else ""


def _differs(failed: tuple[str, ...], passed: tuple[str, ...], *, edited: bool) -> bool:
    """Return whether the difference of two commands may be why one passed, and not only what it was run on.

    What only steps over a check is no way to do it.
    """
    new = [word for word in passed if word not in failed and not _QUIET.fullmatch(word)]
    if any(_BYPASS.fullmatch(word) for word in new):
        return False
    setting = any(_SETTING.fullmatch(word) for word in new)
    option = any(word.startswith("-") for word in new)
    program = _program(failed) != _program(passed)
    steps = passed.count("&&") > failed.count("&&")
    if edited:
        return setting or program
    return setting or option or program or steps


@cache
def _words(what: str) -> frozenset[str]:
    """Return the programs that only look, or those that run another."""
    return frozenset(read_table(__file__, "cues.toml")["commands"][what].split())
