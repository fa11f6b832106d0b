"""Rules of constraints: what `memtui check` holds a commit to, written as one line each.

    forbid 'REGEX' in 'GLOB'          no added line of these files may match
    protect 'GLOB'                    these files must not change, and none is added
    protect existing 'GLOB'           the same, but files may be added
    forbid-import 'GLOB' -> 'NAME'    these files must not import a module, package or path
    with 'GLOB' change 'GLOB'         who changes the first also changes the second
    forbid-command 'REGEX'            an assistant must not run such a command

`warn ` before a rule makes its findings warnings; `except 'GLOB'` after it leaves files out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memtui.domain.scope import matches
from memtui.errors import RefusedError, UsageError
from memtui.text.guarded_patterns import hanging_reason
from memtui.text.sanitize import one_line
from memtui.text.words import did_you_mean

Form = Literal["forbid", "protect", "forbid-import", "with", "forbid-command"]

FORMS: dict[Form, str] = {
    "forbid": "forbid 'REGEX' in 'GLOB'",
    "protect": "protect [existing] 'GLOB'",
    "forbid-import": "forbid-import 'GLOB' -> 'NAME'",
    "with": "with 'GLOB' change 'GLOB'",
    "forbid-command": "forbid-command 'REGEX'",
}
"""How each form is written."""

MOST_RULES = 20  # Rules of one memory
LONGEST_RULE = 500  # Characters of a rule

Severity = Literal["error", "warning"]

_WORDS: dict[Form, tuple[str, ...]] = {
    "forbid": ("", "in"),
    "protect": ("",),
    "forbid-import": ("", "->"),
    "with": ("", "change"),
    "forbid-command": ("",),
}
"""The word before each part of a form."""

_PART = re.compile(r"""\s*(?:(?P<quote>['"])(?P<quoted>(?:\\.|(?!(?P=quote)).)*+)(?P=quote)|(?P<bare>[^\s'"]\S*))""")
_WARN, _EXCEPT, _EXISTING = "warn", "except", "existing"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, read."""

    form: Form
    what: str  # the pattern or glob that it speaks of first
    other: str = ""  # the glob, name or path after the second word of its form
    severity: Severity = "error"
    spared: str = ""  # the glob of files that it leaves out, empty for none
    spares_new: bool = False  # whether files may be added where none may change

    def __str__(self) -> str:
        """Return the rule as it is stored."""
        pieces = [_WARN] * (self.severity == "warning") + [self.form] + [_EXISTING] * self.spares_new
        for word, part in zip(_WORDS[self.form], (self.what, self.other), strict=False):
            pieces += [*filter(None, [word]), _quoted(part)]
        return " ".join([*pieces, *([_EXCEPT, _quoted(self.spared)] if self.spared else [])])

    def concerns(self, path: str) -> bool:
        """Return whether a file is one of those that the rule speaks of."""
        glob = self.other if self.form == "forbid" else self.what
        return fits(glob, path) and not (self.spared and fits(self.spared, path))


@lru_cache(maxsize=1024)
def parse_rule(text: str) -> Rule:
    """Return the rule that a line states.

    Raises `UsageError`: it is none, or its pattern is invalid or could hang.
    """
    line = one_line(text)
    if len(line) > LONGEST_RULE:
        raise UsageError(
            f"A rule has at most {LONGEST_RULE} characters",
            where=f"{line[:60]}…",
            remedy="Split it into several rules.",
        )
    severity: Severity = "error"
    word, _, rest = line.partition(" ")
    if word.lower() == _WARN:
        severity = "warning"
        word, _, rest = rest.lstrip().partition(" ")
    form = next((name for name in FORMS if name == word.lower()), None)
    if form is None:
        raise UsageError(
            "No such rule", where=word[:40] or "empty", remedy=f"{did_you_mean(word, tuple(FORMS))} {_forms()}".strip()
        )
    head, _, after = rest.lstrip().partition(" ")
    spares_new = form == "protect" and head.lower() == _EXISTING and bool(after.strip())
    parts, rest = _parts(form, after if spares_new else rest, line)
    spared, rest = _after(_EXCEPT, rest, line) if rest.strip() else ("", "")
    if rest.strip():
        raise UsageError("Something stands after the rule", where=rest.strip()[:40], remedy=f"Write {FORMS[form]}.")
    what, other = (*parts, "", "")[:2]
    rule = Rule(form, what, other, severity, spared, spares_new)
    if form in {"forbid", "forbid-command"}:
        _check_pattern(rule.what)
    return rule


def _parts(form: Form, rest: str, line: str) -> tuple[list[str], str]:
    parts = []
    for word in _WORDS[form]:
        if form == "forbid" and word and not rest.strip():
            parts.append("**")  # in every file
            break
        part, rest = _after(word, rest, line, form)
        parts.append(part)
    return parts, rest


def _after(word: str, rest: str, line: str, form: Form | None = None) -> tuple[str, str]:
    """Return the part that follows a word, and what comes after it."""
    usage = f"Write {FORMS[form]}." if form else f"Write {_EXCEPT} 'GLOB'."
    rest = rest.lstrip()
    if word:
        head, _, rest = rest.partition(" ")
        if head.lower() != word:
            raise UsageError(f"`{word}` is missing", where=line[:80], remedy=usage)
    found = _PART.match(rest)
    if found is None:
        raise UsageError("A part of the rule is missing", where=line[:80], remedy=usage)
    quote = found["quote"]
    part = found["bare"] if quote is None else found["quoted"].replace(f"\\{quote}", quote)
    if not part.strip():
        raise UsageError("A part of the rule is empty", where=line[:80], remedy=usage)
    return part, rest[found.end() :]


def _quoted(part: str) -> str:
    quote = '"' if "'" in part and '"' not in part else "'"
    escaped = part.replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"


def _forms() -> str:
    return "A rule is one of: " + "; ".join(FORMS.values()) + "."


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(
            f"The pattern is not valid ({error})", where=pattern[:80], remedy="Correct the regular expression."
        ) from error
    reason = hanging_reason(pattern)
    if reason:
        raise UsageError(
            f"The pattern could take for ever: {reason}", where=pattern[:80], remedy="Write it without that."
        )


def clean_rules(lines: Iterable[str], *, in_use: Sequence[str] = ()) -> tuple[str, ...]:
    """Return rules as they are stored, each once; empty lines are left out.

    `in_use`: rules that a memory has already, which stay as they are, also where this memtui cannot read them.

    Raises:
        UsageError: a line is no rule.
        RefusedError: there are too many.
    """
    found = dict.fromkeys(line if line in in_use else str(parse_rule(line)) for line in map(one_line, lines) if line)
    if len(found) > MOST_RULES:
        raise RefusedError(f"A memory has at most {MOST_RULES} rules", where=f"{len(found)} rules")
    return tuple(found)


def readable_rules(lines: Iterable[str]) -> tuple[list[tuple[str, Rule]], list[tuple[str, str]]]:
    """Return stored rules with what they mean, and those that cannot be read with the reason."""
    found, broken = [], []
    for line in lines:
        try:
            found.append((line, parse_rule(line)))
        except UsageError as error:
            broken.append((line, error.what))
    return found, broken


def fits(glob: str, path: str) -> bool:
    """Return whether a project-relative path is meant by a glob of a rule, read as git reads its ignore files.

    Without a slash it means a file or folder of that name anywhere, else a path from the root.
    """
    plain = glob.removeprefix("./")
    if "/" in plain.rstrip("/"):
        return matches(plain.removeprefix("/"), path)
    if matches(plain, path):
        return True
    name = plain.rstrip("/")
    parts = path.split("/")
    folders = parts[:-1] if plain.endswith("/") else parts
    return any(matches(name, part) for part in folders)


def names_module(name: str, written: str) -> bool:
    """Return whether an import as written is a module or lies in it: `app.db` and `app/db` mean the same."""
    wanted, said = (re.sub(r"::|[./]", "/", text.strip("/").removesuffix("/**")) for text in (name, written))
    return said == wanted or said.startswith(f"{wanted}/")


def same_place(name: str, path: str) -> bool:
    """Return whether a file of the tree is, or lies in, the module that a dotted name stands for."""
    stem = posixpath.splitext(path)[0]
    return f"/{name.replace('::', '/').replace('.', '/')}/" in f"/{stem}/"
