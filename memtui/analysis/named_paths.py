"""Find the relative paths that a text names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from memtui.analysis.kind_form import READ_CHARS, prose_lines
from memtui.analysis.sentence_acts import CODE_SPAN
from memtui.text.braces import unbraced

MAX_ANCHORS = 8
_HEADING_CHARS = 300

_LINK_TARGET = re.compile(r"\]\(<?([^()\s<>]{1,300})>?(?:\s[^()]{0,100})?\)")
_LABEL = re.compile(r"\[([^\[\]\n]{1,300})\](?:\(<?([^()\s<>]{1,300})|\[([^\[\]\n]{0,100})\])?")
_DEFINED = re.compile(r"^\s{0,3}\[([^\[\]\n]{1,100})\]:\s*<?(\S{1,300})", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
"""A link's label, and where it leads: to a URL, so that a path in its label is not one of the repository."""

_PATH = re.compile(r"(?:\./)?((?:[\w.@+-]+/)+(?:[\w.@+-]*[\w@+-]\.[A-Za-z][A-Za-z0-9]{0,9}|[\w-]*\.[a-z]\w{1,12})?)$")
_DOMAIN = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|edu|gov|rs|de|uk|cn|jp|me|sh|local|internal)$"
)
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/")
"""Begins as a module does whose first part is a host: `gopkg.in/yaml.v3`. A folder may be called so, too."""

_OF_HEADING = re.compile(r"(?:^|[(（:：—–]|\s-\s)\s*`?([^\s`()（）]{3,200})`?\s*[)）]?\s*$")
"""The path that ends a heading and is what its section is about: `Tides (src/tides.py)`, `New file: src/tides.py`."""

_LOCATION = re.compile(r"(?:::.*|:\d+(?:[:-]\d+)*|[#?].*)$")
_PLACEHOLDER = re.compile(
    r"(?:^|/)(?:path/to|(?:foo(?:bar)?|baz|quu?x|your(?:[-_][\w-]*)?|some[-_][\w-]*|x{3,}|y{4}|n{3,})(?=[./-]|$))"
    r"|[-_](?:x{3,}|y{4}|n{3,})(?=[./_-]|$)"
    r"|^node_modules/|\.\.\.",
    re.IGNORECASE,
)
"""A path that stands for any other, or one that is not the repository's own."""


_OWNER_CHARS = 60  # On either side of a path, in which it may be said whose it is
_OWNER_BEFORE = re.compile(
    r"\b(?:each|every)\s+(?:[\w-]+\s+){0,2}[\w-]+(?:['\u2019]s|\s+(?:has|have|with|keeps?)\s+(?:an?|its(?:\s+own)?))"
    r"\s+$",
    re.IGNORECASE,
)
_OWNER_AFTER = re.compile(
    r"\s+(?:(?:sub)?(?:folders?|director(?:y|ies)|dirs?)\s+)?(?:of|in|inside|within|under|for)\s+(?:each|every)\b",
    re.IGNORECASE,
)
"""Whose a path is: `each crate's X`, `every package has its own X`, `the X folder of each service`."""


_BEGINS = re.compile(r"\s*(?:$|[-*+•>|#]|\d{1,3}[.)]\s)")  # A line that does not go on with the one above
_POSSIBLE_CHARS = 120  # On either side of a path, in which it may be said that it is one of several that there may be
_MAY_BE_BEFORE = re.compile(
    r"\b(?:(?:such as|e\.\s?g\.|for (?:example|instance)|could|might|may|perhaps"
    r"|would (?:be(?:long|come)?|fit|go|land|live|move|sit)"
    r"|z\.\s?b\.|par exemple|por ejemplo|por exemplo)(?!\s+not\b)[^.;`]{0,40}"
    r"|(?:no|without|(?:never|not|don['’]t) create|keine?[nms]?|ohne|aucune?|pas de|sans|sin|sem)\s+(?:\w+\s+)?)"
    r"(?:`[^`]*`,?\s*(?:(?:or|and|oder|ou|o)\s+)?)*$",
    re.IGNORECASE,
)
_TO_BE_MADE = re.compile(
    r"\b(?:create|creating|generate|generating|scaffold|erstelle|erzeuge|crée[rz]?|crear?|crie)\b[^.;`]{0,40}$",
    re.IGNORECASE,
)
_TO_BE_FILLED = re.compile(
    r"\b(?:stor|sav|plac|writ|keep|put|add|lege|speichere|enregistre|guarda|salve)(?:e|ing|ting)?\b[^.;`]{0,60}"
    r"\b(?:in|into|to|under|within|unter|dans|sous|en|em)\s+(?:(?:the|a|an)\s+)?$",
    re.IGNORECASE,
)
"""What says that a path is still to be made: `Create X`, and of a folder, `Store fixtures in X/`."""

_CONDITION = r"\b(?:if|once|as soon as|should)\b"
_MOVES_TO = (
    r"\b(?:convert|extract|factor|hoist|lift|migrate|move|promote|rename|split|turn)\b[^.;`]{0,40}"
    r"\b(?:to|into)\s+(?:(?:the|a|an)\s+)?$"
)
_WOULD_MOVE = re.compile(_MOVES_TO, re.IGNORECASE)
_ON_CONDITION = re.compile(rf"{_CONDITION}[^.;`]{{0,80}}{_MOVES_TO}", re.IGNORECASE)
_CONDITION_AFTER = re.compile(rf"[^.;`]{{0,40}}?{_CONDITION}", re.IGNORECASE)
"""What says that something goes to a path on a condition: `Promote to X if it grows`, `If it grows, move it to X`."""

_CODE_NAME = re.compile(r"(?:^|/)[a-z_]\w*\.[A-Z]\w*$")  # `internal/privacy.Filter`, which a package holds
_MAY_BE_AFTER = re.compile(
    r"(?:,?\s*(?:or\s+|and\s+)?`[^`]*`)*(?:,?\s*(?:or|and)\s+(?:(?:something|anything|some)\s+)?"
    r"(?:similar|the like|so on|such)\b|\s+(?:\w+\s+)?(?:do(?:es)?(?:\s+not|n['’]t)|no longer) exists?\b)",
    re.IGNORECASE,
)
"""A path that there may be, or is not: `under X, Y, or similar`, `a folder such as X`, `there is no X directory`."""

_OUTSIDE = r"`(?:~/|/|\$\{?[A-Z]\w*\}?[/\\]|%\w+%[/\\])[^`\n]*`"  # A folder of the home or the machine
_OUTSIDE_BEFORE = re.compile(rf"{_OUTSIDE}\s*(?:[:(–—-]|(?:has|holds|contains)\b)(?:[^.\n]|\.(?=\S))*$")
_OUTSIDE_AFTER = re.compile(
    rf"\s+(?:[\w-]+\s+){{0,3}}?(?:in|under|inside|within|below)\s+(?:the\s+)?{_OUTSIDE}", re.IGNORECASE
)
_OUTSIDE_LEAD = re.compile(rf"{_OUTSIDE}[^`\n]*:[*_]*\s*$")
_MARKED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
"""What says that a path lies outside the repository: `X in Y`, `Y: X`, and a list below a line that ends in `Y:`."""


def anchors_in(text: str, is_there: Callable[[str], bool] = lambda _: True) -> tuple[str, ...]:
    """Return the relative paths in code spans and links, at most eight, in order.

    A path has a slash, and an extension or a trailing slash; alternatives in braces are a path each. URLs, absolute
    paths, globs, bare file names and paths in fenced code do not count, nor do those in the label of a link to a URL,
    nor those of each part of a project, such as every package's tests.

    `is_there`: whether a path exists, asked of those that are named as a possibility, or as lying outside the
    repository, or whose first part may be a host, and count only then.
    """
    found: dict[str, None] = {}
    lines = ["", *prose_lines(text[:READ_CHARS]), ""]
    outside = _lines_outside(lines)
    defined = {name.casefold(): target for name, target in _DEFINED.findall(text[:READ_CHARS])}
    for number, (previous, line, following) in enumerate(zip(lines, lines[1:], lines[2:], strict=False), start=1):
        spans = [
            (span.start(), span[2].split(), number in outside or _is_possible(line, span, previous, following))
            for span in CODE_SPAN.finditer(line)
            if not _is_of_each(line, span) and not _is_label_of_url(line, span, defined)
        ]
        links = [(link.start(), [link[1]], False) for link in _LINK_TARGET.finditer(line)]
        for start, words, is_possible in sorted(spans + links):
            for word in (each for braced in words for each in unbraced(braced)):
                path = _relative_path(word)
                if path and (not (is_possible or _is_no_file_yet(path, line[:start])) or is_there(path)):
                    found[path] = None
    return tuple(found)[:MAX_ANCHORS]


def path_of_heading(heading: str) -> str | None:
    """Return the relative path that a heading ends with; None if it goes on, or only speaks of one."""
    named = _OF_HEADING.search(heading[-_HEADING_CHARS:])
    return _relative_path(named[1]) if named else None


def _lines_outside(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of lists that stand below the name of a folder outside the repository."""
    found: set[int] = set()
    lead: str | None = None
    for number, line in enumerate(lines):
        if lead is not None and line.strip():
            deeper = _indent(line) > _indent(lead) or (_MARKED.match(line) and not _MARKED.match(lead))
            if deeper:
                found.add(number)
                continue
            lead = None
        if _OUTSIDE_LEAD.search(line):
            lead = line
    return frozenset(found)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_label_of_url(line: str, span: re.Match[str], defined: Mapping[str, str]) -> bool:
    """Return whether a code span stands in the label of a link that leads to a URL. `defined`: targets by name."""
    for label in _LABEL.finditer(line):
        if label.start(1) <= span.start() and span.end() <= label.end(1):
            named = label[3] or label[1]
            return bool(_ELSEWHERE.match(label[2] or defined.get(named.casefold(), "")))
    return False


def _is_of_each(line: str, span: re.Match[str]) -> bool:
    """Return whether a code span names what each of several folders has."""
    before, after = line[max(0, span.start() - _OWNER_CHARS) : span.start()], line[span.end() :][:_OWNER_CHARS]
    return bool(_OWNER_BEFORE.search(before) or _OWNER_AFTER.match(after))


def _is_possible(line: str, span: re.Match[str], previous: str, following: str) -> bool:
    """Return whether a code span names what there may be, or what lies elsewhere; a sentence may go over lines."""
    before, after = line[: span.start()], line[span.end() :]
    if _OUTSIDE_BEFORE.search(before) or _OUTSIDE_AFTER.match(after):
        return True
    if not _BEGINS.match(line):
        before = f"{previous} {before}"
    if not _BEGINS.match(following):
        after = f"{after} {following.strip()}"
    before, after = before[-_POSSIBLE_CHARS:], after[:_POSSIBLE_CHARS]
    is_planned = _ON_CONDITION.search(before) or (_WOULD_MOVE.search(before) and _CONDITION_AFTER.match(after))
    return bool(is_planned or _MAY_BE_BEFORE.search(before) or _MAY_BE_AFTER.match(after))


def _is_no_file_yet(path: str, before: str) -> bool:
    """Return whether a path is to be made, or is a name of code or of what others publish."""
    near = before[-_POSSIBLE_CHARS:]
    is_filled = path.endswith("/") and _TO_BE_FILLED.search(near)
    return bool(is_filled or _TO_BE_MADE.search(near) or _CODE_NAME.search(path) or _HOST.match(path))


def _relative_path(word: str) -> str | None:
    bare = _LOCATION.sub("", word.strip("\"'(),;"))
    path = _PATH.match(bare)
    if path is None or ".." in path[1].split("/") or path[1].startswith("@") or _PLACEHOLDER.search(path[1]):
        return None
    first = path[1].split("/", 1)[0]
    return None if _DOMAIN.match(first) or first in {".", "-"} or first.startswith("-") else path[1]
