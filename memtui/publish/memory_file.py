"""One memory as a Markdown file with frontmatter, there and back without loss.

A text stands in the body where it can be read back exactly, else quoted in the frontmatter. The reader also accepts
hand edits: block scalars, single quotes, flow lists, unquoted texts that YAML would refuse, unknown keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memtui.domain.memory import Memory
from memtui.domain.record import TIME_FIELDS, Record, memory_record
from memtui.publish.files import HIDDEN, dump_line

TEXT_KEYS = ("title", "insight", "rationale", "snippet")
LIST_KEYS = ("anchors", "tags", "rules")
"""Keys whose value is a list, an item a line. One that is missing is written on one line, and comes back as text."""

NUMBER_KEYS = ("importance", "confidence", "half_life_days")
"""Keys whose value is a number. One that is missing comes back as text."""

KEYS = (
    *("id", "project", "kind", "status", "status_reason", "cause", *TEXT_KEYS, *LIST_KEYS),
    *("importance", "confidence", "pinned", *TIME_FIELDS),
    *("confirmed_by", "verified_by", "half_life_days", "source", "other_sources"),
)
"""The keys of a memory's record in their order; anything else in a frontmatter is ignored.

A field that is missing here is written but never read back: it is lost by export and import, and never reaches a team.
"""

_SECTION = re.compile(r"^##[ \t]+(why|snippet)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_UNSAFE_IN_BODY = re.compile(f"[\x00-\x08\x0b-\x1f]|{HIDDEN}")
_PLAIN = re.compile(r"[./]*(?!\d)\w(?:[\w./@+()*=,-]|:(?=[^\s:])|::(?=\S)| (?=[^\s#]))*")
_BARE = re.compile(r"[\w.][\w./+:-]*(?<!:)")
_EXPONENT = re.compile(r"^(-?\d+)e")  # YAML 1.1 reads `1e-05` as text and `1.0e-05` as a number
_NO_STRINGS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"})
_KEY = re.compile(r"(?:([A-Za-z_][\w-]*)|\"([A-Za-z_][\w-]*)\")[ \t]*:(?:[ \t]+(.*))?$", re.DOTALL)
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*$")


@dataclass(slots=True)
class ParsedFile:
    """The content of a memory file."""

    # the memory's record, keys in their order, as far as the file states them
    record: Record = field(default_factory=dict)
    ignored: list[int] = field(default_factory=list)  # numbers (from 1) of frontmatter lines that are not `key: value`
    problem: str = ""  # why the file cannot be read as a memory, else empty


def render_memory(memory: Memory) -> str:
    """Return the whole file of a memory, ending with one newline."""
    record = memory_record(memory)
    body = {key: record[key] for key in TEXT_KEYS if key in record and _fits_body(key, record[key])}
    head = ["---"]
    for key, value in record.items():
        if key not in body:
            head.extend(_entry(key, value))
    parts = ["\n".join([*head, "---"])]
    if "title" in body:
        parts.append(f"# {body['title']}")
    if "insight" in body:
        parts.append(body["insight"])
    if "rationale" in body:
        parts.append(f"## Why\n\n{body['rationale']}")
    if "snippet" in body:
        longest = max(map(len, re.findall("`+", body["snippet"])), default=0)
        fence = "`" * max(3, longest + 1)
        parts.append(f"## Snippet\n\n{fence}\n{body['snippet']}\n{fence}")
    return "\n\n".join(parts) + "\n"


def _fits_body(key: str, text: str) -> bool:
    """Return whether a text in the body is read back exactly as it is."""
    if _UNSAFE_IN_BODY.search(text):
        return False
    if key == "snippet":
        return True
    if key == "title":
        return bool(text) and text == text.strip() and "\n" not in text
    first, last = text.split("\n", 1)[0], text.rsplit("\n", 1)[-1]
    return bool(first.strip() and last.strip()) and not _SECTION.search(text)


def _entry(key: str, value: Any) -> Iterator[str]:
    if key not in LIST_KEYS:
        yield f"{key}: {value if key in TIME_FIELDS else _scalar(value)}"
        return
    yield f"{key}:"
    for item in value:
        plain = item["path"] if key == "anchors" and len(item) == 1 else item
        yield f"  - {_scalar(plain)}"


def _scalar(value: Any) -> str:
    """Return a value as YAML on one line: plain where no reader can misread it."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NO_STRINGS:
        return value
    if isinstance(value, float):
        return _EXPONENT.sub(r"\1.0e", json.dumps(value))
    quoted = dump_line(value)
    if quoted.isprintable():
        return quoted
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in quoted)


def parse_memory(text: str) -> ParsedFile:
    """Return the content of a memory file; never raises."""
    lines = text.split("\n")
    parsed = ParsedFile()
    values: Record = {}
    start = 0
    if lines[0].rstrip() == "---":
        end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
        if end is None:
            parsed.problem = "the frontmatter has no closing ---"
            return parsed
        values = _frontmatter(lines[1:end], parsed.ignored)
        start = end + 1
    for key, section in _sections(lines[start:], titled="title" in values).items():
        stated = values.get(key)
        values[key] = f"{stated}\n\n{section}" if isinstance(stated, str) and stated else section
    parsed.record = {key: values[key] for key in KEYS if key in values}
    return parsed


def _frontmatter(lines: list[str], ignored: list[int]) -> Record:
    values: Record = {}
    for key, rest, block in _entries(lines, ignored):
        value = _typed(key, _value(key, rest, block))
        if value is not None or (key == "project" and rest):
            values[key] = value
    return values


def _entries(lines: list[str], ignored: list[int]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield key, rest of its line, and the lines below it, of the known keys."""
    key, rest, block = "", "", list[str]()
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith((" ", "\t", "- ", "#")) or line == "-":
            block.append(line)
            continue
        found = _KEY.match(line)
        if found is None:
            ignored.append(number)
            continue
        if key in KEYS:
            yield key, rest, block
        key, rest, block = found[1] or found[2], (found[3] or "").strip(), []
    if key in KEYS:
        yield key, rest, block


def _value(key: str, rest: str, block: list[str]) -> Any:
    """Return the value of one entry: our own forms directly, anything else through YAML."""
    while block and (not block[-1].strip() or block[-1].startswith("#")):
        block = block[:-1]
    if not block:
        return _one_line(rest, literal=key not in {*LIST_KEYS, "source", "other_sources"})
    items = [line.strip() for line in block if line.strip() and not line.lstrip().startswith("#")]
    if not rest and items and all(item.startswith("- ") for item in items) and key in LIST_KEYS:
        return [_one_line(item[2:].strip(), literal=True, objects=True) for item in items]
    return _yaml("\n".join([f"{key}: {rest}", *block]), key)


def _one_line(rest: str, *, literal: bool, objects: bool = False) -> Any:
    if rest in {"", "null", "~"}:
        return None
    if rest[0] in '"{[':
        try:
            value = json.loads(rest)
        except (ValueError, RecursionError):
            value = _yaml(f"key: {rest}", "key")
    elif _PLAIN.fullmatch(rest) or _BARE.fullmatch(rest):
        return rest
    else:
        value = _yaml(f"key: {rest}", "key")
    if value == "" and rest[0] == "#":
        return None
    welcome = isinstance(value, str) or (objects and isinstance(value, dict)) or not literal
    return value if welcome else rest


def _yaml(chunk: str, key: str) -> Any:
    """Return the value of a key by YAML, every scalar as text; what YAML refuses is taken literally."""
    import yaml

    try:
        loaded = yaml.load(chunk, Loader=yaml.BaseLoader)  # noqa: S506 - BaseLoader makes only texts, lists and maps
        if isinstance(loaded, dict):
            return loaded.get(key)
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    return chunk.split(":", 1)[1].strip()


def _typed(key: str, value: Any) -> Any:
    """Return the value in the type of the record, where it can be converted."""
    if key in NUMBER_KEYS and isinstance(value, str):
        return _number(value)
    if key == "pinned" and isinstance(value, str):
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
            value.lower(), value
        )
    if key in LIST_KEYS:
        return _items(key, value)
    if key == "source":
        return _source(value)
    if key == "other_sources" and isinstance(value, list):
        return [_source(item) for item in value]
    return value


def _items(key: str, value: Any) -> Any:
    """Return a list, also from text: separated by commas, and rules a line each."""
    separator = "\n" if key == "rules" else ","
    items = [item.strip() for item in value.split(separator)] if isinstance(value, str) else value
    if not isinstance(items, list):
        return value
    kept = [item for item in items if item]
    return kept if key != "anchors" else [{"path": item} if isinstance(item, str) else item for item in kept]


def _source(value: Any) -> Any:
    if isinstance(value, dict) and isinstance(value.get("span"), list):
        return value | {"span": [_number(line) if isinstance(line, str) else line for line in value["span"]]}
    return value


def _number(text: str) -> Any:
    for number_type in (int, float):
        try:
            return number_type(text)
        except ValueError:
            continue
    return text


def _sections(lines: list[str], *, titled: bool) -> dict[str, str]:
    """Return title, insight, rationale and snippet as far as the body has them."""
    found: dict[str, list[str]] = {}
    position = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    if not titled and position < len(lines) and lines[position].startswith("# "):
        found["title"] = [lines[position][2:].strip()]
        position += 1
    key, start = "insight", position
    while position < len(lines):
        heading = _SECTION.match(lines[position])
        if heading is None:
            position += 1
            continue
        found.setdefault(key, []).append(_section_text(key, lines[start:position]))
        key = "rationale" if heading[1].lower() == "why" else "snippet"
        start = position + 1
        position = _past_fence(lines, start) if key == "snippet" else start
    found.setdefault(key, []).append(_section_text(key, lines[start:]))
    texts = {name: "\n\n".join(filter(None, parts)) for name, parts in found.items()}
    return {name: text for name, text in texts.items() if text}


def _past_fence(lines: list[str], start: int) -> int:
    """Return the first line after a snippet's fence, so that no line inside is read as a heading."""
    position = next((index for index in range(start, len(lines)) if lines[index].strip()), start)
    opening = _FENCE.match(lines[position]) if position < len(lines) else None
    if opening is None:
        return start
    for index in range(position + 1, len(lines)):
        if _closes(lines[index], opening[1]):
            return index + 1
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def _section_text(key: str, lines: list[str]) -> str:
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    lines = lines[first:last]
    if key == "snippet" and lines and (opening := _FENCE.match(lines[0])):
        end = next((i for i, line in enumerate(lines[1:], 1) if _closes(line, opening[1])), len(lines))
        if end >= len(lines) - 1:
            return "\n".join(lines[1:end])
    return "\n".join(lines)
