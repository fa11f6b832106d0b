"""Frontmatter: the settings block at the top of a rule file, valid YAML or not."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from textwrap import dedent
from typing import Any

import yaml

from memtui.capture.skip_codes import FrontmatterProblem

MAX_YAML_CHARS = 64_000  # Longer blocks go to the line parser: no assistant writes them, and YAML is slow

MAX_YAML_DEPTH = 20

_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"---[ \t]*(?:#[^\n]*)?\r?\n")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_SPACE = re.compile(r"\s*")
_BEFORE = re.compile(r"(?:\s|\ufeff|<!--.*?-->)*", re.DOTALL)
_WRAPPER = re.compile(
    r"(?P<above>\s*)(?P<fence>`{3,}|~{3,})[ \t]*(?:instructions|prompt|chatmode|chatagent|skill|markdown|md|mdc)"
    r"[ \t]*\n(?P<body>.*^(?:---|#{1,3} ).*)\n(?P=fence)\s*",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_RULE_KEYS = frozenset({"globs", "alwaysApply", "paths", "applyTo", "trigger", "inclusion", "fileMatchPattern"})
"""Keys that nothing but a rule file has."""

_SETTINGS = _RULE_KEYS | {"description", "name", "type", "title", "tags", "status", "date", "author", "version"}
_OTHER_SETTINGS = frozenset(
    re.findall(
        r"\S+",
        """
        agent aliases argument-hint allowed-tools authors category categories color created created_at deciders decision
        decision-makers disable-model-invocation draft environment excerpt hide_title id inclusion informed consulted
        keywords lang language last_updated lastmod layout license labels metadata mode model nav_order order owner
        owners parent permalink priority published redirect_from related reviewed scope severity sidebar_label
        sidebar_position slug source summary superseded-by supersedes tool tools topic updated updated_at
        user-invocable visibility weight
        """,
    )
)
"""Keys of other settings that makers of assistants, of decision records and of site generators document."""

_GLOBS = frozenset({"globs", "paths", "applyTo", "fileMatchPattern"})
_SPELLINGS = {re.sub("[^a-z]", "", key.lower()): key for key in _SETTINGS} | {"glob": "globs"}
_KEY_LINE = re.compile(r"(?:([A-Za-z_][\w.\-]*)|\"([\w.\-]+)\")[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_LIST_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_BLOCK_MARK = re.compile(r"[|>][+-]?\d?$")
_QUOTED = re.compile(r"""(["'])(.*)\1$""")
_COMMENT = re.compile(r"\s#(?:\s.*)?$")
_ENDS_BLANK = re.compile(r"\n[ \t\r]*\n\Z")
_CORE_RESOLVERS = (
    ("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), "~nN\0"),
)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A text split into its settings block and its body; `raw + body` is the text without its BOM."""

    # the settings; numbers and dates are as they were written, empty values are None
    values: dict[str, object] = field(default_factory=dict)
    raw: str = ""  # the block as written, with its `---` lines and what stands before it; empty without one
    body: str = ""  # everything after the block
    body_first_line: int = 1  # line number of the body's first line, counted from 1
    problem: str = ""  # what is wrong with the block, for the report; empty if nothing is

    def text(self, key: str) -> str:
        """Return a setting as one line of text; empty when it is missing or no text."""
        value = self.values.get(key)
        return " ".join(value.split()) if isinstance(value, str) else ""


def without_wrapper(text: str) -> str:
    """Return the text of a file without the fence that a chat put around all of it; its lines keep their numbers."""
    found = _WRAPPER.fullmatch(text)
    if found is None:
        return text
    fences = sum(line.lstrip().startswith(found["fence"]) for line in found["body"].split("\n"))
    return text if fences % 2 else f"{found['above']}\n{found['body']}\n"


def split_frontmatter(text: str, *, documented: bool = True) -> Frontmatter:
    """Split a text into frontmatter and body; without frontmatter the body is the whole text.

    The block opens with `---`, above which only empty lines and HTML comments may stand, and closes with a line `---`,
    which may end the file. A block without settings and comments (prose between two thematic breaks) belongs to the
    body. Some tools put an empty block above the author's own: the two count as one, and the first takes precedence.
    Where a `---` is missing, the lines that only a rule file has at its top are read all the same. A block of TOML
    stands between two lines `+++`.

    `documented`: whether the format has frontmatter. In a file of another format a block is text unless one of its
    keys is a known setting: people set off facts such as `Port: 5433 is staging` between two thematic breaks.
    """
    text = text.removeprefix("\ufeff")
    start = _first_line(text)
    found = _toml(text, start) or _block(text, start) or (_block(text, 0) if start else None) or _unfenced(text, start)
    if found is None or not (documented or text.startswith("+++", start) or _is_known(text[start : found[1]])):
        return Frontmatter(body=text)
    values, end, problem = found
    space = _SPACE.match(text, end)
    second = _block(text, space.end() if space else end)
    if second is not None and _SETTINGS.intersection(second[0]):
        values = {**second[0], **{key: value for key, value in values.items() if value is not None}}
        end = second[1]
    return Frontmatter(values, text[:end], text[end:], text.count("\n", 0, end) + 1, problem)


_Found = tuple[dict[str, object], int, str]  # The settings of a block, its end, and what is wrong with it


def _first_line(text: str) -> int:
    """Return where the first line begins below empty lines and comments."""
    before = _BEFORE.match(text)
    start = before.end() if before else 0
    return start if text[start - 1 : start] in {"", "\n"} else 0


def _is_known(raw: str) -> bool:
    """Return whether a block surely holds settings: a known key in lower case, or none that is not known."""
    written = [found[1] or found[2] for line in raw.splitlines() if (found := _KEY_LINE.match(line.rstrip()))]
    known = [key for key in written if _canonical(key) in _SETTINGS or key.lower() in _OTHER_SETTINGS]
    if not written:
        return all(line.startswith(("#", "<!--", "---", "...")) for line in raw.splitlines() if line.strip())
    return len(known) == len(written) or any(key[:1].islower() for key in known)


def _toml(text: str, start: int) -> _Found | None:
    """Return the block of TOML that opens here."""
    found = _TOML.match(text, start)
    if found is None:
        return None
    try:
        stated = tomllib.loads(found[1])
    except (tomllib.TOMLDecodeError, RecursionError):
        return ({}, found.end(), FrontmatterProblem.FRONTMATTER_UNKNOWN) if "=" in found[1] else None
    plain = (bool, int, float, str, list, dict)
    values: dict[str, object] = {}
    values |= {_canonical(key): value if isinstance(value, plain) else str(value) for key, value in stated.items()}
    return values, found.end(), ""


def _block(text: str, start: int) -> _Found | None:
    """Return the closed block that opens here."""
    found = _fences(text, start)
    if found is None:
        return None
    inner_start, inner_end, end = found
    inner = text[inner_start:inner_end]
    if _goes_astray(inner):
        return None
    values = _settings(inner)
    if values is None:
        values = _lenient_settings(inner)
    if values is None or (start and values and not _SETTINGS.intersection(values)):
        return None  # below something else, only what is surely no prose
    return values, end, ""


def _fences(text: str, start: int) -> tuple[int, int, int] | None:
    """Return the start and end of the block's inside and the start of what follows it."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    position = opening.end()
    while True:
        if closing := _CLOSING.match(text, position):
            return opening.end(), position, closing.end()
        line_end = text.find("\n", position)
        if line_end < 0:
            return None
        position = line_end + 1


def _goes_astray(inner: str) -> bool:
    """Return whether a block that a later `---` seems to close ends before it: settings, then a text of its own."""
    end = _end_of_settings(inner, closed=True)
    rest = inner[end:]
    told = any(line.strip() and not line.startswith("#") for line in rest.split("\n"))
    return bool(end and told and (_ENDS_BLANK.search(inner[:end]) or _LIST_ITEM.match(rest.split("\n", 1)[0])))


def _end_of_settings(text: str, *, closed: bool = False) -> int:
    """Return where the lines end that can be settings, with the empty lines after them; 0 if the first is none.

    `closed`: whether a `---` follows, so that below an empty line keys of any tool are settings.
    """
    position = end = 0
    blank = titled = inside = valued = False
    while position < len(text):
        line_end = text.find("\n", position) + 1 or len(text)
        line = text[position:line_end].rstrip()
        position = line_end
        kind, name, has_value = _line_kind(line)
        if kind in {"blank", "comment"}:
            # A comment below an empty line may be a heading of the body: what comes next tells.
            blank |= kind == "blank"
            titled |= blank and kind == "comment"
            end = position if inside and not titled else end
            continue
        may_follow = {
            "key": not (blank and inside) or name in _SETTINGS or (closed and name[:1].islower()),
            "nested": inside,
            "item": inside and not blank and not valued,
        }
        if not may_follow.get(kind):
            break
        valued = has_value if kind == "key" else valued
        inside, blank, titled, end = True, False, False, position
    return end


def _line_kind(line: str) -> tuple[str, str, bool]:
    """Return what a line of a block is, its key, and whether a value follows that."""
    if not line or line.startswith("#"):
        return ("comment" if line else "blank"), "", False
    if key := _KEY_LINE.match(line):
        return "key", _canonical(key[1] or key[2]), bool(key[3])
    if line[0] in " \t":
        return "nested", "", False
    return ("item" if _LIST_ITEM.match(line) else "text"), "", False


def _unfenced(text: str, start: int) -> _Found | None:
    """Return the settings at the top of a text whose block is not closed, or not opened."""
    opening = _OPENING.match(text, start)
    inner_start = opening.end() if opening else start
    length = _end_of_settings(text[inner_start:])
    values = _lenient_settings(text[inner_start : inner_start + length]) if length else None
    if not values:
        return None
    if opening is not None:
        return (
            (values, inner_start + length, FrontmatterProblem.FRONTMATTER_UNCLOSED)
            if _SETTINGS.intersection(values)
            else None
        )
    if len(_SETTINGS.intersection(values)) < len(values) or not _RULE_KEYS.intersection(values):
        return None
    closing = _CLOSING.match(text, inner_start + length)
    return values, closing.end() if closing else inner_start + length, FrontmatterProblem.FRONTMATTER_UNOPENED


def _settings(inner: str) -> dict[str, object] | None:
    """Return the block's YAML mapping; None if it is none, is hostile, or says something twice."""
    lines = [line.strip() for line in inner.splitlines()]
    if all(not line or line.startswith("#") for line in lines):
        return {}
    keys = [found[1] or found[2] for line in inner.splitlines() if (found := _KEY_LINE.match(line))]
    if len(inner) > MAX_YAML_CHARS or len(set(map(_canonical, keys))) < len(keys):
        return None
    try:
        if not _is_tame(inner):
            return None
        loaded = yaml.load(inner, Loader=_loader())  # noqa: S506 - a subclass of the safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(loaded, dict):
        return None
    return _with_patterns({_canonical(str(key)): value for key, value in loaded.items()}, inner)


def _with_patterns(values: dict[str, object], inner: str) -> dict[str, object]:
    """Return settings with patterns as written: `{src,lib}` and the like are patterns to people, mappings to YAML."""
    odd = [key for key in _GLOBS.intersection(values) if values[key] is not None and not globs_of(values[key])]
    lines_read = (_lenient_settings(inner) or {}) if odd else {}
    return values | {key: lines_read[key] for key in odd if key in lines_read}


def _canonical(key: str) -> str:
    """Return a setting's name in the usual spelling: `apply_to` and `ApplyTo` are `applyTo`."""
    return _SPELLINGS.get(re.sub("[^a-z]", "", key.lower()), key)


def _is_tame(inner: str) -> bool:
    """Return whether the YAML has no aliases (they can multiply without end) and little depth."""
    depth = 0
    for event in yaml.parse(inner, Loader=_loader()):
        if isinstance(event, yaml.AliasEvent):
            return False
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_YAML_DEPTH:
                return False
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return True


@cache
def _loader() -> type[yaml.SafeLoader]:
    """Return a safe loader for true, false, null and plain numbers that leaves the rest as text."""
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("_FrontmatterLoader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in _CORE_RESOLVERS:
        for letter in first:
            resolvers = loader.yaml_implicit_resolvers
            resolvers.setdefault("" if letter == "\0" else letter, []).append((tag, pattern))
    found: type[yaml.SafeLoader] = loader
    return found


def _lenient_settings(inner: str) -> dict[str, object] | None:
    """Return settings read line by line, or None if the first words of the block are not a setting."""
    settings: list[tuple[str, object, list[object], list[str]]] = []
    for line in dedent(inner.replace("\r", "")).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if found := _KEY_LINE.match(line):
            settings.append((_canonical(found[1] or found[2]), _scalar(found[3] or ""), [], []))
            continue
        if not settings:
            return None
        _, value, items, words = settings[-1]
        if (item := _LIST_ITEM.match(line)) and value is None and not words:
            items.append(_scalar(item[1]))
        else:
            words.append(line.strip())
    return _together((key, _continued(value, items, words)) for key, value, items, words in settings) or None


def _together(settings: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Return settings by key; of one that is stated twice, all patterns and the last of anything else."""
    values: dict[str, object] = {}
    for key, stated in settings:
        if key in _GLOBS and values.get(key) is not None:
            values[key] = [*globs_of(values[key]), *globs_of(stated)]
        elif stated is not None or key not in values:
            values[key] = stated
    return values


def _continued(value: object, items: list[object], words: list[str]) -> object:
    """Return a setting with the lines below its key: list items, or more of its text."""
    if items:
        return items
    if not words:
        return value
    return " ".join([value, *words] if isinstance(value, str) else words)


def _scalar(written: str) -> object:
    written = _COMMENT.sub("", written).strip()
    if not written or written in {"~", "null"} or _BLOCK_MARK.match(written):
        return None
    if written in {"true", "false"}:
        return written == "true"
    if (quoted := _QUOTED.match(written)) and quoted[1] not in quoted[2]:
        return quoted[2]
    if written.startswith("[") and written.endswith("]") and ("," in written or '"' in written or "'" in written):
        return list(globs_of(written))
    return written


def globs_of(value: object) -> tuple[str, ...]:
    """Return the patterns of a `globs`, `paths` or `applyTo` setting, in order, without repeats.

    A text is split at commas outside braces, at line ends, and at spaces where each word is a pattern; a list is taken
    item by item; quotes and spaces are removed.
    """
    if isinstance(value, str):
        written = value.strip()
        if written.startswith("[") and written.endswith("]") and re.search("[\"',*/]", written):
            written = written[1:-1]
        parts = _outside_braces(written)
    elif isinstance(value, list | tuple):
        parts = [part for item in value if isinstance(item, str) for part in _outside_braces(item)]
    else:
        return ()
    cleaned = (part.strip().strip("\"'`").strip() for whole in parts for part in _words(whole))
    return tuple(dict.fromkeys(part for part in cleaned if part))


def _words(part: str) -> list[str]:
    """Return the patterns of a text that separates them by spaces; one with a space in a name stays whole."""
    words = part.split()
    return words if len(words) > 1 and all("*" in word for word in words) else [part]


def _outside_braces(written: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for position, letter in enumerate(written):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
        elif letter == "\n" or (letter in ",;" and not depth):
            parts.append(written[start:position])
            start = position + 1
    return [*parts, written[start:]]
