"""What a sentence only tells of: what is blocked or refused, and what is named as doing harm. It orders none of it.

`Blocked commands: git commit --no-verify`, `the wrapper rejects --no-verify` and `[skip ci] kills the release` are
descriptions, and so is what a list says that a script or an option does: `--yes: skip confirmations`.
`If the hook blocks your commit, use --no-verify` is none: what stands under a condition is not looked at.
"""

from __future__ import annotations

import re
from functools import cache

from memtui.text.injection_roles import roles_of
from memtui.text.planted import PlantedSort
from memtui.text.tables import compile_lines, fill, read_table

_BEFORE, _AFTER = 100, 60  # characters of a sentence around a wording that are read
_LONGEST = 400  # characters of a sentence that names what is refused

_TOLD_OF = re.compile(
    r"""\s*(?:[-*+|]\s+)?\**
    (?:`(?:[\w.@-]+/)*[\w.-]+\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|rb|pl|[cm]?js|ts)`
    |`-{1,2}[\w-]+(?:[ =][^`\n]{1,40})?`
    (?:(?:\s*[/|,]\s*|\s+or\s+)`-{1,2}[\w-]+(?:[ =][^`\n]{1,40})?`){0,3})
    \**\s*(?:[—–:|→]|-{1,2}(?=\s))\s*""",
    re.VERBOSE,
)
"""The name of a script or an option, of which is told what it does: `- `quick.sh` — `, `- `--yes`/`-y`: `."""

_DOES = re.compile(r"(?:skip|avoid|assume|answer|suppresse?)s?\b", re.IGNORECASE)
"""What an option does of which the name is a part of the wording."""

_DOWNLOADS = re.compile(r"\b(?:curl|wget|fetch|iwr|irm)\b", re.IGNORECASE)
_NO_ADDRESS = re.compile(
    r"(?:\s+-[\w-]+)*\s*(?:…|\.{3}|<[\w -]{1,20}>|[\[({]?url\b[\])}]?)?\s*[|)]",
    re.IGNORECASE,
)
"""What may follow a command that downloads, in place of an address: `curl … | sh`, `$(curl url)`."""

_FED = re.compile(r"\|[^`\n]*$")
"""What gives a command that downloads its address: what stands before it in a pipe."""

_NAMED = re.compile(r"(?:^|[.:;>\n])[\s*+>-]*[`\"'“«「]?\[?$")


_PRIVATE = frozenset({"secret", "value", "secret value"})
"""The roles of what is private."""

_KEPT_AT = re.compile(
    r"[\s*>-]*[^\W\d_][\w /-]{0,40}\*{0,2}\s?[:=]\*{0,2}\s*`?(?:~|\.{0,2}/|\$HOME\b)[\w./-]{1,200}`?[\s*.]*"
)
"""A name and the path of it, and nothing else."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    table = read_table(__file__, "injection.toml")["described"]
    return compile_lines(fill(table[name], {"refused": table["refused"]}))


def downloads_nothing(sentence: str, start: int, end: int) -> bool:
    """Return whether a wording that stands there has a download without an address: it names a kind of command."""
    command = _DOWNLOADS.search(sentence, start, end)
    if command is None or _FED.search(sentence[max(0, start - _BEFORE) : command.start()]):
        return False
    return _NO_ADDRESS.match(sentence, command.end(), end + _AFTER) is not None


def is_only_told_of(sentence: str, start: int, end: int, sort: str) -> bool:
    """Return whether a wording that stands there is told of as refused, or named as doing harm, under no condition."""
    before = sentence[max(0, start - _BEFORE) : start]
    if _pattern("condition").search(before):
        return False
    # A name that is made up could stand before any download or secret that is sent.
    if sort == PlantedSort.OFF and _is_done_by_named(sentence, start, end):
        return True
    after = sentence[end : end + _AFTER]
    if _pattern("label").search(before) or _pattern("refuses").search(before) or _pattern("is_refused").match(after):
        return True
    return _NAMED.search(before) is not None and _pattern("does_harm").match(after) is not None


def _is_done_by_named(sentence: str, start: int, end: int) -> bool:
    """Return whether a wording is what a script or an option does, by whose name a sentence begins.

    It begins behind the name, or within it as `--yes … skip` does, and ends behind it.
    """
    named = _TOLD_OF.match(sentence[:_BEFORE])
    if named is None:
        return False
    return named.end() == start or (start < named.end() < end and _DOES.match(sentence, named.end()) is not None)


def names_refused(sentence: str) -> bool:
    """Return whether a sentence does nothing but name what is refused: `Blocked commands: a, b`."""
    return (
        len(sentence) <= _LONGEST
        and _pattern("label").search(sentence) is not None
        and not _pattern("condition").search(sentence)
    )


def leads_to_refused(lead: str) -> bool:
    """Return whether a line introduces a list of what is refused: `Blocked commands:`."""
    return _pattern("lead").search(lead) is not None and not _pattern("condition").search(lead)


def only_tells_where(statement: str) -> bool:
    """Return whether all that a statement says is where something private is kept: `SSH key: ~/.ssh/id_rsa`.

    It says neither what is to be done with it, nor where to, nor by whom.
    """
    return _KEPT_AT.fullmatch(statement) is not None and roles_of(statement) <= _PRIVATE
