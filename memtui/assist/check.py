"""Hold changes and commands to the rules of constraints: what a commit must not do, and who allowed it all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memtui.assist.check_changes import Change, Changes, new_imports
from memtui.assist.check_constraints import Constraint, Constraints
from memtui.assist.check_git import Repository
from memtui.domain.rules import Rule, fits
from memtui.text.guarded_patterns import Matcher
from memtui.text.sanitize import one_line
from memtui.wording import checks

Severity = Literal["error", "warning", "reminder"]

LONGEST_QUOTE = 160  # Characters of a line that a finding quotes
SHORTEST_ID = 4  # Characters of an id that an exception names at least

_ALLOWED = re.compile(
    r"memtui:\s*allow\s+(?P<id>[A-Za-z0-9][\w.:#@+=-]*)\s+because\s+(?P<reason>\w.{0,300})", re.IGNORECASE
)
_COMMENT_END = re.compile(r"\s*(?:\*/|-->|#\}|%\}|\"{3})\s*$")
_PARSED = frozenset({"forbid", "forbid-import"})  # Forms that look into the lines of a file


@dataclass(frozen=True, slots=True)
class Finding:
    """A change that breaks a rule, or that a reminder speaks of."""

    memory: str  # id of the constraint
    title: str
    rule: str  # as it is written; empty for words alone
    file: str
    line: int | None  # from 1; None where the file as a whole is meant
    severity: Severity
    why: str
    text: str = ""  # the line, or what was imported

    @property
    def allow(self) -> str:
        """What to write in the line, or the commit's message, to allow it."""
        return "" if self.severity == "reminder" else f"memtui: allow {self.memory} because …"


@dataclass(frozen=True, slots=True)
class Allowed:
    """A finding that somebody allowed."""

    finding: Finding
    reason: str


@dataclass(slots=True)
class Report:
    """What a check found."""

    findings: list[Finding] = field(default_factory=list)  # errors first
    allowed: list[Allowed] = field(default_factory=list)
    unchecked: list[tuple[str, str, str]] = field(default_factory=list)  # memory, rule and why it could not be checked
    notes: list[str] = field(default_factory=list)  # what was not looked into, in words
    files: int = 0  # how many files were checked

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]


Contents = Callable[[Sequence[Change]], Mapping[str, tuple[bytes, bytes]]]
"""Returns the contents of files before and after, by path."""


def lines_wanted(constraints: Constraints) -> Callable[[str], bool]:
    """Return a test for the files whose lines matter to any rule."""
    rules = [rule for _, _, rule in constraints.rules if rule.form in _PARSED]
    # An exception may stand in any line of a file that a rule on whole files speaks of.
    whole = [rule for _, _, rule in constraints.rules if rule.form in {"protect", "with"}]
    return lambda path: any(rule.concerns(path) for rule in rules) or any(rule.concerns(path) for rule in whole)


def run_check(
    constraints: Constraints,
    changes: Changes,
    *,
    repository: Repository | None = None,  # where the contents of files are; None: no imports are looked at
    matcher: Matcher | None = None,
) -> Report:
    """Check changes against constraints."""
    report = Report(notes=list(changes.notes), files=len(changes.files))
    check = _Check(changes, repository, matcher or Matcher(), report)
    for constraint in constraints.all:
        for text, reason in constraint.unread:
            report.unchecked.append((constraint.id, text, reason))
        for text, rule in constraint.rules:
            for finding in check.findings(constraint, text, rule):
                reason = check.allowance(finding, rule)
                if reason:
                    report.allowed.append(Allowed(finding, reason))
                else:
                    report.findings.append(finding)
        report.findings += check.reminders(constraint)
    order = {"error": 0, "warning": 1, "reminder": 2}
    report.findings.sort(key=lambda one: (order[one.severity], one.file, one.line or 0, one.memory))
    return report


@dataclass(slots=True)
class _Check:
    changes: Changes
    repository: Repository | None
    matcher: Matcher
    report: Report

    def findings(self, constraint: Constraint, text: str, rule: Rule) -> Iterator[Finding]:
        """Yield what breaks one rule."""
        found: Mapping[str, Callable[[Rule], Iterator[tuple[Change, int | None, str]]]] = {
            "forbid": self._forbidden,
            "protect": self._protected,
            "with": self._without_companion,
            "forbid-import": self._imported,
        }
        look = found.get(rule.form)
        if look is None:
            return
        try:
            for change, line, quote in look(rule):
                shown = one_line(quote)[:LONGEST_QUOTE]
                title, why = constraint.told
                yield Finding(constraint.id, title, text, change.path, line, rule.severity, why, shown)
        except TimeoutError:
            self.report.unchecked.append((constraint.id, text, "its pattern takes too long"))

    def reminders(self, constraint: Constraint) -> Iterator[Finding]:
        """Yield one finding for words alone whose files change."""
        if constraint.rules or constraint.unread:
            return
        for change in self.changes.files:
            if any(fits(anchor.split("::", 1)[0], path) for anchor in constraint.anchors for path in change.paths):
                title, why = constraint.told
                yield Finding(constraint.id, title, "", change.path, None, "reminder", why)
                return

    def _forbidden(self, rule: Rule) -> Iterator[tuple[Change, int | None, str]]:
        places = [
            (change, number, line)
            for change in self.changes.files
            if rule.concerns(change.path)
            for number, line in sorted(change.added.items())
        ]
        looked = self.matcher.search(rule.what, [line for _, _, line in places])
        if not looked.in_time:
            raise TimeoutError
        yield from (places[position] for position in looked.lines)

    def _protected(self, rule: Rule) -> Iterator[tuple[Change, int | None, str]]:
        for change in self.changes.files:
            if change.status == "A" and rule.spares_new:
                continue
            if any(map(rule.concerns, change.paths)):
                yield change, min(change.added, default=None), ""

    def _without_companion(self, rule: Rule) -> Iterator[tuple[Change, int | None, str]]:
        changed = [path for change in self.changes.files for path in change.paths]
        first = next((change for change in self.changes.files if any(map(rule.concerns, change.paths))), None)
        if first is not None and not any(fits(rule.other, path) for path in changed):
            yield first, min(first.added, default=None), ""

    def _imported(self, rule: Rule) -> Iterator[tuple[Change, int | None, str]]:
        concerned = [change for change in self.changes.files if change.added and rule.concerns(change.path)]
        if concerned:
            contents = self.repository.contents(concerned) if self.repository is not None else {}
            root = self.repository.root if self.repository is not None else None
            yield from new_imports(concerned, contents, rule.other, root)

    def allowance(self, finding: Finding, rule: Rule) -> str:
        """Return the reason that somebody gave for a finding; empty if it is not allowed."""
        change = next(one for one in self.changes.files if one.path == finding.file)
        if rule.form in _PARSED and finding.line is not None:
            beside = [change.line(number) for number in (finding.line, finding.line - 1)]
        elif rule.form == "with":
            beside = [line for one in self.changes.files if rule.concerns(one.path) for line in one.added.values()]
        else:
            beside = list(change.added.values())
        for text in (*beside, self.changes.messages):
            for found in _ALLOWED.finditer(text):
                if len(found["id"]) >= SHORTEST_ID and finding.memory.startswith(found["id"]):
                    return one_line(_COMMENT_END.sub("", found["reason"]))
        return ""


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
