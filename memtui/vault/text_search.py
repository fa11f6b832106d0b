"""Find a text or a secret in whatever the vault holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import Anchor, Memory
from memtui.errors import SecretRefusedError
from memtui.text.secrets import SecretFinding, find_secrets, redact
from memtui.vault import rows
from memtui.vault.connection import engine_errors, open_connection
from memtui.vault.rows import MACHINE_KEYS

if TYPE_CHECKING:
    import duckdb

# Titles and summaries fold line breaks, JSON writes them as escapes, and so do environment files.
_SPACE = r"(?:\s|\\+(?:[nrtfv]|u00(?:0[9a-d]|1[c-f]|85)|u202[89]))+"
_SPACE_BYTES = (
    rb"(?:[\s\x1c-\x1f]|\xc2[\x85\xa0]|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe3\x80\x80"
    rb"|\\+(?:[nrtfv]|u00(?:0[9a-d]|1[c-f]|85)|u202[89]))+"
)


def text_pattern(text: str) -> str:
    """Return a pattern for a text that is not blank; white space at its ends means a word boundary."""
    body = "|".join(_SPACE.join(map(re.escape, form)) for form in _forms(text))
    head = rf"(?:{_SPACE}|(?<!\w))" if text[:1].isspace() else ""
    tail = rf"(?:{_SPACE}|(?!\w))" if text[-1:].isspace() else ""
    return f"{head}(?:{body}){tail}"


def bytes_pattern(text: str) -> re.Pattern[bytes]:
    """Return the pattern for the same text in a file's bytes; white space at its ends does not count."""
    forms = ([re.escape(word.encode()) for word in form] for form in _forms(text))
    return re.compile(b"|".join(_SPACE_BYTES.join(form) for form in forms))


def _squeezed(text: str) -> tuple[str, list[int]]:
    """Return a text with runs of white space as one space and none at its ends, and the place of each character."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if not letter.isspace():
            letters.append(letter)
            places.append(place)
        elif letters and letters[-1] != " ":
            letters.append(" ")
            places.append(place)
    if letters and letters[-1] == " ":
        del letters[-1], places[-1]
    return "".join(letters), places


def _forms(text: str) -> list[list[str]]:
    """Return the words of a text as JSON writes them, then as they are."""
    words = text.split()
    written = [json.dumps(word, ensure_ascii=False)[1:-1] for word in words]
    return [written, words] if written != words else [words]


MARK = "[purged]"  # What replaces a purged text

_CUT_LENGTH = 8
"""A title that was cut within the text still shows its beginning; this many characters of it count as the text."""

_LONGEST_CUT = 200  # Greatest length of titles and summaries

_NAMED_BY_TEXT = {
    **dict.fromkeys(("half-life", "identity", "recipe", "passed-file"), ""),
    "publication": "#",
    "block": "#",
    "cut": "@",
}
"""Entities of the journal with a name that somebody gave as their key, or a path, instead of an id; with the sign after
which a machine word follows it."""


_MEMORY_TEXTS = tuple(
    name for name, kind in rows.COLUMNS["memories"].items() if kind == "VARCHAR" and name not in MACHINE_KEYS
)


class Eraser:
    """Removes one text from whatever contains it, whatever the white space between its words.

    `text`: not blank. `kept_words`: values that stay even if they contain it: names of kinds, `person`, `global`.
    """

    def __init__(self, text: str, kept_words: frozenset[str]) -> None:
        self._text, _ = _squeezed(text)
        self._pattern = re.compile(text_pattern(text))
        self._kept_words = kept_words

    @property
    def hint(self) -> str:
        """A part of its beginning that JSON does not escape, to find rows by; empty if there is none."""
        # A cut text may contain no more than the beginning.
        runs = re.findall(r'[^"\\\s\x00-\x1f\x7f]+', self._text[:_CUT_LENGTH])
        return max(runs, key=len, default="")

    def text(self, value: str) -> str:
        """Return a text without it; a cut that ends in `…` counts."""
        if value in self._kept_words:
            return value
        return _without_cut_end(self._pattern.sub(lambda _: MARK, value), self._text)

    def _everywhere(self, value: Any) -> Any:
        """Return a part of a structure without it, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._everywhere(part) for part in value]
        if isinstance(value, dict):
            return {self.text(key): self._everywhere(part) for key, part in value.items()}
        return value

    def value(self, value: Any) -> Any:
        """Return a cell, or a portable record, without it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(part) for part in value]
        if isinstance(value, dict):
            return {key: part if key in MACHINE_KEYS else self.value(part) for key, part in value.items()}
        return value

    def row(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row of any table but `memories` without it; its `before` and `after` are records as JSON."""
        erased = {
            name: self._json(value, self.value) if name in {"before", "after"} else self.value(value)
            for name, value in row.items()
            if name not in MACHINE_KEYS
        }
        sign = _NAMED_BY_TEXT.get(row.get("entity", ""))
        if sign is not None:
            name, mark, word = row["entity_key"].rpartition(sign) if sign else (row["entity_key"], "", "")
            erased["entity_key"] = f"{self.text(name)}{mark}{word}"
        if row.get("options"):
            erased["options"] = self._json(row["options"], self._everywhere, sort_keys=True)
        return {**row, **erased}

    def _json(self, text: str | None, erase: Callable[[Any], Any], *, sort_keys: bool = False) -> str | None:
        """Return a JSON text with its structure erased, unchanged if that makes no difference."""
        if text is None:
            return None
        try:
            structure = json.loads(text)
        except ValueError:
            return self.text(text)
        erased = erase(structure)
        return text if erased == structure else json.dumps(erased, ensure_ascii=False, sort_keys=sort_keys)

    def memory(self, memory: Memory, now: datetime) -> Memory:
        """Return a memory without it and with the next version; the same object if it does not contain it."""
        texts = {name: self.value(getattr(memory, name)) for name in _MEMORY_TEXTS}
        erased = replace(
            memory,
            **texts,
            tags=tuple(dict.fromkeys(self.text(tag) for tag in memory.tags)),
            rules=tuple(dict.fromkeys(self.text(rule) for rule in memory.rules)),
            anchors=tuple(Anchor(self.text(anchor.path), anchor.content_hash) for anchor in memory.anchors),
            sources=tuple(
                replace(one, **{name: self.value(getattr(one, name)) for name in ("path", "native_id", "agent")})
                for one in memory.sources
            ),
        )
        return memory if erased == memory else replace(erased, version=memory.version + 1, updated_at=now)


def _without_cut_end(value: str, text: str) -> str:
    """Return a value without the beginning of a text without extra white space that it ends with before `…`."""
    for sign in ("…", "..."):
        body = value.removesuffix(sign)
        if body == value:
            continue
        start = max(0, len(body) - 4 * _LONGEST_CUT)
        end, places = _squeezed(body[start:])
        for length in range(min(len(text) - 1, len(end), _LONGEST_CUT), _CUT_LENGTH - 1, -1):
            if end.endswith(text[:length]):
                return f"{body[: start + places[len(end) - length]]}{MARK}{sign}"
    return value


def quotes(summary: str, titles: frozenset[str]) -> bool:
    """Return whether a line quotes one of these titles, whole or cut."""
    return any(title and (title in summary or title[:_CUT_LENGTH] in summary) for title in titles)


def holds_text(path: Path, eraser: Eraser) -> bool:
    """Return whether an eraser would find its text in a file, which is only read; the caller holds the lease.

    Raises `MemtuiError`: the file cannot be opened.
    """
    with engine_errors(path):
        connection = open_connection(path, read_only=True)
        try:
            return any(eraser.text(cell) != cell for cell in _cells(connection, eraser.hint))
        finally:
            connection.close()


def cells_with_word(connection: duckdb.DuckDBPyConnection, word: str) -> Iterator[str]:
    """Yield the cells of free text that contain a word in any case, lists and structures as JSON."""
    for table, columns in rows.COLUMNS.items():
        for name, kind in columns.items():
            cell = None if name in MACHINE_KEYS else rows.json_cell(name, kind)
            if cell:
                yield from _matching(connection, cell, table, "contains(lower({cell}), lower(?))", word)


def _cells(connection: duckdb.DuckDBPyConnection, hint: str) -> Iterator[str]:
    """Yield the cells of free text and names that may hold it; an older file has fewer columns."""
    found = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    existing = {(str(table), str(column)) for table, column in found}
    # A setting or a revision may be named by a text, such as the name of a kind or a recipe.
    machine_keys = MACHINE_KEYS - {"entity_key", "key"}
    for table, columns in {**rows.COLUMNS, "meta": {"key": "VARCHAR", "value": "VARCHAR"}}.items():
        for name, kind in columns.items():
            cell = rows.json_cell(name, kind)
            if cell and (table, name) in existing and name not in machine_keys:
                yield from _matching(connection, cell, table, "contains({cell}, ?)", hint)


def _matching(connection: duckdb.DuckDBPyConnection, cell: str, table: str, condition: str, word: str) -> Iterator[str]:
    query = f"SELECT {cell} FROM {table} WHERE {condition.format(cell=cell)}"
    yield from (str(value) for (value,) in connection.execute(query, [word]).fetchall())


Patterns = Sequence[tuple[str, str]]  # The user's own rules as (name, regular expression)


@lru_cache(maxsize=32)
def text_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass that can contain free text, directly or nested."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.name not in MACHINE_KEYS and any(word in str(field.type) for word in _HOLDERS)
    )


_HOLDERS = ("str", "tuple", "list", "Sequence", "Mapping", "Record", "Anchor", "Source", "Memory", "Any")


def texts_in(thing: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield (field, text) for every free text in a thing of the vault, or in its record.

    `thing`: a text, a memory, link, verdict or signal, a pack, a recipe, a portable record, or a list of these. `name`:
    field name of a bare text.
    """
    waiting: list[tuple[str, Any]] = [(name, thing)]
    while waiting:
        name, thing = waiting.pop()
        if isinstance(thing, str):
            yield name, thing
        else:
            waiting += [(field, part) for field, part in reversed(_parts(name, thing)) if part]


def _parts(name: str, thing: Any) -> list[tuple[str, Any]]:
    """Return the parts of a thing that can contain free text, each with the name of its field."""
    if isinstance(thing, Mapping):
        return [(key, part) for key, part in thing.items() if key not in MACHINE_KEYS]
    if isinstance(thing, list | tuple):
        return [(name, part) for part in thing]
    if is_dataclass(thing):
        # The texts of an anchor or a source go by the name of the field that contains it.
        return [(name or field, getattr(thing, field)) for field in text_fields(thing.__class__)]
    return []


def secrets_in(thing: Any, patterns: Patterns = (), *, unless_in: Any = None) -> dict[str, list[str]]:
    """Return the names of the rules that found a secret, by field; never the value.

    `patterns`: the user's own rules. `unless_in`: texts in here were stored before with the user's consent.
    """
    known = {text for _, text in texts_in(unless_in)} if unless_in is not None else set()
    texts = [(field, text) for field, text in texts_in(thing) if text not in known]
    # Nearly always there is none, and one scan of all texts is several times faster than one of each.
    together = _rules(find_secrets("\n".join(text for _, text in texts), patterns))
    if not together:
        return {}
    found: dict[str, list[str]] = {}
    read: list[str] = []
    for field, text in texts:
        rules = _rules(find_secrets(text, patterns))
        if field in _OF_SOURCES and _GENERIC.issuperset(rules) and _MADE_ID.fullmatch(text):
            continue
        read.append(text)
        if rules:
            found[field] = list(dict.fromkeys([*found.get(field, []), *rules]))
    if not found and len(read) < len(texts):
        together = _rules(find_secrets("\n".join(read), patterns))
    return found or ({"texts together": together} if together else {})


_MADE_ID = re.compile(r"(?:[a-z]{1,12}[-_/])?[0-9a-fA-F-]{16,64}")
"""A hash, a UUID or the like, as tools make them for a source's id: with a word before it, it looks like a key."""

_OF_SOURCES = frozenset({"source", "sources", "native_id"})

_GENERIC = frozenset({"prefixed-key", "random-token"})
"""Rules that know no provider: the word before a made id says nothing to them."""


def _rules(findings: Iterable[SecretFinding]) -> list[str]:
    return list(dict.fromkeys(finding.rule for finding in findings if finding.severity == "secret"))


def refuse_secrets_in(thing: Any, patterns: Patterns = (), *, what: str = "text", unless_in: Any = None) -> None:
    """Refuse a thing with something that looks like a secret, without echoing it; arguments as for `secrets_in`.

    `what`: field name of a bare text.

    Raises `SecretRefusedError`: names the field and the rules that matched.
    """
    found = secrets_in(thing, patterns, unless_in=unless_in)
    if found:
        field, rules = next(iter(found.items()))
        raise SecretRefusedError(
            "The text contains what looks like a secret",
            where=f"{field or what}: {', '.join(rules)}",
            remedy="Nothing was stored. Remove it, or use --allow-secret if it is not a secret.",
        )


def without_values(text: str, patterns: Patterns = ()) -> str:
    """Return a text in which each value that looks like a secret is replaced by the name of its rule."""
    return redact(text, [found for found in find_secrets(text, patterns) if found.severity == "secret"])


def masked(memory: Memory, patterns: Patterns = ()) -> Memory:
    """Return a memory whose payload shows no value that looks like a secret or an example from documentation."""

    def hidden(text: str) -> str:
        return redact(text, find_secrets(text, patterns))

    return replace(
        memory,
        title=hidden(memory.title),
        insight=hidden(memory.insight),
        rationale=hidden(memory.rationale),
        snippet=hidden(memory.snippet),
        anchors=tuple(Anchor(hidden(one.path), one.content_hash) for one in memory.anchors),
    )


def payload_texts(memory: Memory) -> dict[str, Any]:
    """Return the parts of a memory that a payload shows, by field."""
    return {name: getattr(memory, name) for name in ("title", "insight", "rationale", "snippet", "anchors")}
