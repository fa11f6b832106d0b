"""Which constraint forbids a command that an assistant is about to run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memtui.assist.check import Severity
from memtui.assist.check_constraints import Constraint, Constraints
from memtui.domain.rules import Rule
from memtui.text.guarded_patterns import Matcher
from memtui.wording import checks

LONGEST_COMMAND = 20_000  # Characters of a command that are looked at

_BREAK = re.compile(r"\n|;|&&|\|\||\||(?<![<>&])&(?![>&])")
_WORD = re.compile(r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+""")
_QUOTES = re.compile(r"""^(['"])(.*)\1$""", re.DOTALL)
_TARGET = re.compile(r"(?:^|[^<>&\d])\d?>{1,2}\|?\s*(?P<file>[^\s<>&|;]+)")

_WRITERS = frozenset({"rm", "mv", "cp", "tee", "truncate", "touch", "unlink", "shred", "ln", "rmdir", "patch", "dd"})
"""Programs that change the files they are given."""

_IN_PLACE = {"sed": "-i", "perl": "-i", "ruby": "-i", "gawk": "-i"}
_GIT_WRITERS = frozenset({"rm", "mv", "checkout", "restore"})
_PREFIXES = frozenset({"sudo", "env", "time", "nice", "nohup", "xargs", "command", "exec"})


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A command that a constraint forbids."""

    memory: str  # id of the constraint
    rule: str  # as it is written
    severity: Severity  # an `error` may be denied, a `warning` is told only
    reason: str  # what to tell the assistant


def forbidden_command(constraints: Constraints, command: str, matcher: Matcher | None = None) -> Forbidden | None:
    """Return the constraint that forbids a shell command, an error before a warning; None if none does.

    Rules on commands are matched with each line of it; rules that protect files with the files that it would change.
    Words alone forbid nothing. A pattern that takes too long forbids nothing either.
    """
    found = list(_found(constraints, command[:LONGEST_COMMAND], matcher or Matcher(seconds=0.3)))
    return next((one for one in found if one.severity == "error"), found[0] if found else None)


def _found(constraints: Constraints, command: str, matcher: Matcher) -> Iterator[Forbidden]:
    lines = [" ".join(command.split()), *command.split("\n")]
    changed = tuple(dict.fromkeys(files_changed_by(command)))
    for constraint, text, rule in constraints.rules:
        if rule.form == "forbid-command":
            matches = bool(matcher.search(rule.what, lines).lines)
        elif rule.form == "protect":
            matches = any(rule.concerns(file) or _holds(file, rule) for file in changed)
        else:
            continue
        if matches:
            yield _forbidden(constraint, text, rule.severity)


def _holds(folder: str, rule: Rule) -> bool:
    """Return whether a folder holds the files that a rule protects."""
    return rule.what.removeprefix("/").startswith(f"{folder.rstrip('/')}/")


def _forbidden(constraint: Constraint, rule: str, severity: Severity) -> Forbidden:
    return Forbidden(constraint.id, rule, severity, checks.command_refused(constraint.id, rule, constraint.told[1]))


def files_changed_by(command: str) -> Iterator[str]:
    """Yield the files that a shell command writes, moves or removes, as far as it names them."""
    for part in _BREAK.split(command):
        yield from (_plain(found["file"]) for found in _TARGET.finditer(part))
        words = [_plain(word) for word in _WORD.findall(part)]
        while words and (words[0] in _PREFIXES or "=" in words[0]):
            words = words[1:]
        if words:
            yield from _files(words)


def _files(words: list[str]) -> Iterator[str]:
    program, *rest = words
    name = program.rsplit("/", 1)[-1]
    named = [word for word in rest if not word.startswith("-")]
    if name in _WRITERS:
        yield from (word.removeprefix("of=") for word in named)
    elif name in _IN_PLACE and any(word.startswith(_IN_PLACE[name]) for word in rest):
        yield from named
    elif name == "git" and named and named[0] in _GIT_WRITERS:
        yield from named[1:]


def _plain(word: str) -> str:
    """Return a word without quotes, as a path from the project's root."""
    quoted = _QUOTES.match(word)
    return (quoted[2] if quoted else word).removeprefix("./")
