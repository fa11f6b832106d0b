"""memtui's own formats: JSONL and the portable plain-text vault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any

from memtui.analysis.classify import kind_guess
from memtui.analysis.titles import title_for
from memtui.capture.blocks import Span
from memtui.capture.draft import EXPORTED, Draft, ReadResult, Skipped, SourceFile, with_postings
from memtui.capture.json_rows import JsonRow, first_lines, rows_of
from memtui.capture.merge_conflicts import Unresolved, has_marker, merge_conflicts
from memtui.capture.skip_codes import SkipCode
from memtui.children import made_in_two
from memtui.domain.memory import GLOBAL_PROJECT, Memory, Source, fit_tags, hash_parts, new_id, planted_reasons
from memtui.domain.record import (
    Record,
    RecordError,
    link_in_row,
    memory_from_record,
    memory_record,
    with_known_names,
    without_odd_anchors,
)
from memtui.errors import SourceError, UsageError
from memtui.publish.memory_file import parse_memory
from memtui.publish.portable import MANIFEST, MEMORIES, RECORDS, VERSION, project_of_folder, vault_version
from memtui.text.sanitize import LOST_CHARACTER, NOT_UTF8, lost_a_character, one_line, sanitise
from memtui.vault.packs import RECIPE
from memtui.vault.passed_files import PASSED_FILE
from memtui.vault.projects import check_name
from memtui.vault.rows import HALF_LIFE

KIN_KEYS: dict[str, tuple[str, ...]] = {
    "link": ("from", "link", "to"),
    "verdict": ("memory", "verdict", "at"),
    "signal": ("memory", "signal", "at"),
    "tombstone": ("content_hash", "memory", "at"),
    HALF_LIFE: ("kind",),
    RECIPE: ("name", "target", "budget", "created_at"),
    PASSED_FILE: ("path", "at"),
}
"""The typed lines other than memories, with the keys that each must have as text."""

_CONTROL_ESCAPE = re.compile(r"\\[bfru]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ODD_ANCHOR = "anchor-left-out"
"""Note of a draft with an anchor that can name no file: blank, or with a control character."""

ODD_ID = "new-id"  # Note of a draft with an invalid id: it gets a new one, and the source's becomes its `native_id`

LEFT_OUT = "-left-out"
"""End of a draft's note that names a key whose value fits no memory."""

LONGEST_ID = 64
_ID = re.compile(rf"[A-Za-z0-9][\w.:#@+=-]{{0,{LONGEST_ID - 1}}}", re.ASCII)
"""Ids of other programs are kept as well as ours, as long as they fit a column, a file's name and a shell."""

_JSON_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".jsonc", ".json5"})
_ROW_KEYS = frozenset({"insight", "type"})
_INSIGHT = re.compile(r"""(?<!\\)"insight"\s*:\s*\"""")
_TEXTS = ("title", "insight", "rationale", "snippet")
_LONG_TEXTS = ("insight", "rationale", "snippet")
_LONGEST_NATIVE_ID = 200
_MOST_ROWS = 20_000  # Of a file that are held at once before they become drafts
_MANY_ROWS = 3_000  # From which a child is worth its start


class JsonlReader:
    """Reads what `memtui export --target jsonl` writes, and any JSONL whose lines have an `insight`."""

    format = "jsonl"
    label = "memtui JSONL"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file ends in .jsonl and one of its first lines is one of ours, or seems to be."""
        if file.path.suffix.lower() != ".jsonl":
            return False
        lines = first_lines(file.path)
        has_object = any(line.startswith("{") and _loaded(line) is not None for line in lines)
        return any(map(_is_ours, lines)) or (not has_object and _names_an_insight(lines))

    def read(self, file: SourceFile) -> ReadResult:
        """Return the memories and their kin; a bad row is skipped with its reason."""
        result = _rows(file, self.format)
        result.note_if_empty(file.name)
        return result


def _rows(file: SourceFile, format_name: str) -> ReadResult:
    """Return what the rows of a file hold: drafts, records, or lines skipped."""
    result = ReadResult()
    lines = file.decoded.text.split("\n")
    conflicts = merge_conflicts(lines) if has_marker(file.decoded.text) else []
    for span in conflicts:
        result.skipped.append(_conflict(file, lines, span))
        lines[span.first : span.last + 1] = [""] * (span.last - span.first + 1)
    sound = _sound_rows(result, file, "\n".join(lines), conflicts)
    while rows := list(islice(sound, _MOST_ROWS)):
        read = partial(_read_rows, replace(file), format_name)  # a copy: the child needs no text of the file
        for made in made_in_two(read, rows, is_worth_a_child=len(rows) >= _MANY_ROWS):
            result.drafts += made.drafts
            result.skipped += made.skipped
            result.records += made.records
    result.sort_skipped()
    return result


def _sound_rows(result: ReadResult, file: SourceFile, text: str, conflicts: Sequence[Span]) -> Iterator[JsonRow]:
    """Yield the rows that can be read; add the others to what a result skips."""
    for row in rows_of(text, _ROW_KEYS):
        if problem := row.problem or _problem(file, row, conflicts):
            result.skipped.append(Skipped(file.name, row.span, problem, code=SkipCode.BAD_ROW))
        else:
            yield row


def _read_rows(file: SourceFile, format_name: str, rows: Sequence[JsonRow]) -> ReadResult:
    result = ReadResult()
    for row in rows:
        try:
            _add_row(result, file, row, format_name)
        except RecordError as error:
            result.skipped.append(Skipped(file.name, row.span, str(error), code=SkipCode.BAD_ROW))
    result.drafts[:] = map(with_postings, result.drafts)
    return result


def _problem(file: SourceFile, row: JsonRow, conflicts: Sequence[Span]) -> str:
    """Return why a readable row is not taken; empty if it is."""
    if any(row.span[0] <= span.first + 1 and span.last < row.span[1] for span in conflicts):
        return Unresolved.CONFLICT
    if file.decoded.replaced and "\ufffd" in row.text:
        return NOT_UTF8
    has_escape = "\\u" in row.text
    written = json.dumps(row.value, ensure_ascii=False) if has_escape else row.text
    return LOST_CHARACTER if lost_a_character(written) else ""


def _conflict(file: SourceFile, lines: Sequence[str], span: Span) -> Skipped:
    """Return a merge conflict as lines skipped, with the rows that it is about."""
    numbers: dict[str, list[int]] = {}
    for number in range(span.first, span.last + 1):
        for row in rows_of(lines[number], _ROW_KEYS) if lines[number].startswith("{") else ():
            numbers.setdefault(str((row.value or {}).get("id") or "a row without an id"), []).append(number + 1)
    rows = "; ".join(f"{one_line(name)[:LONGEST_ID]} on {_on_lines(found)}" for name, found in numbers.items())
    reason = f"{Unresolved.CONFLICT}: {rows}" if rows else Unresolved.CONFLICT
    return Skipped(file.name, (span.first + 1, span.last + 1), reason, is_conflict=True, code=SkipCode.CONFLICT)


def _on_lines(numbers: Sequence[int]) -> str:
    return f"line{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}"


def _add_row(result: ReadResult, file: SourceFile, row: JsonRow, format_name: str) -> None:
    """Add the content of a row to a result: a draft and its links, or a record. Raises `RecordError`: it is neither."""
    # Looking at the text once is many times cheaper than looking at each text in it.
    tame = row.text.isprintable() and not _CONTROL_ESCAPE.search(row.text)
    record: Record = dict(row.value or {}) if tame else clean(row.value)
    kind_of_line = record.pop("type", "memory")
    if kind_of_line != "memory":
        result.records.append({"type": kind_of_line, **_checked_kin(kind_of_line, record)})
        return
    links = record.pop("links", None) or []
    draft = record_draft(file, with_known_names(record), span=row.span, format_name=format_name)
    if not tame and sanitise("\n".join(str((row.value or {}).get(name) or "") for name in _TEXTS)).removed:
        draft = replace(draft, notes=(*draft.notes, "control-characters"))
    result.drafts.append(draft)
    for link in links if isinstance(links, list) else [links]:
        try:
            stated = link_in_row(draft.stated.id if draft.stated else "", link)
            result.records.append({"type": "link", **_checked_kin("link", stated)})
        except RecordError as error:
            result.skipped.append(
                Skipped(file.name, row.span, f"its link is left out: {error}", code=SkipCode.BAD_LINK)
            )


def record_draft(file: SourceFile, record: Record, *, span: tuple[int, int], format_name: str, name: str = "") -> Draft:
    """Return the draft of a memory's record; a missing title or kind is filled in, a status is not.

    `span`: its lines in the file. `name`: the source's own name for a record without an id; by default a hash of its
    texts.

    Raises `RecordError`: the record makes no memory, or one that ends before it begins.
    """
    stated, record, left_out = _readable(record)
    memory = without_odd_anchors(stated)
    if memory != stated:
        record = {**record, "anchors": memory_record(memory).get("anchors", [])}
    _check_sense(memory)
    odd_id = "" if not memory.id or _ID.fullmatch(memory.id) else memory.id
    if odd_id:
        record = {key: value for key, value in record.items() if key != "id"}
        memory, name = replace(memory, id=""), odd_id if len(odd_id) <= _LONGEST_NATIVE_ID else name
    filled = _filled(memory, record)
    name = memory.id or name or hash_parts(memory.title, memory.insight, memory.rationale, memory.snippet)
    return Draft(
        title=filled["title"],
        insight=memory.insight,
        kind=filled["kind"],
        source=Source(format=format_name, path=file.name, span=span, native_id=name),
        rationale=memory.rationale,
        snippet=memory.snippet,
        anchors=tuple(anchor.path for anchor in memory.anchors),
        tags=memory.tags,
        importance=memory.importance,
        observed_at=memory.observed_at,
        scope="global" if memory.project == GLOBAL_PROJECT else "project",
        record=record | {key: value for key, value in filled.items() if record.get(key) is None},
        stated=memory,
        notes=(
            *_notes(memory),
            *[ODD_ANCHOR][: memory.anchors != stated.anchors],
            *[ODD_ID][: bool(odd_id)],
            *(f"{key}{LEFT_OUT}" for key in left_out),
        ),
    )


def _filled(memory: Memory, record: Record) -> dict[str, str]:
    """Return the title and kind of a memory, guessed where its record states none."""
    title = memory.title or title_for(memory.insight, ())
    return {"title": title, "kind": memory.kind if record.get("kind") else kind_guess(memory.insight, title, ()).kind}


def _readable(record: Record) -> tuple[Memory, Record, list[str]]:
    """Return the memory of a record, the record without values that fit no memory, and the keys of those."""
    left_out: list[str] = []
    while True:
        try:
            return memory_from_record(record, now=_EPOCH, new_id=""), record, left_out
        except RecordError as error:
            if error.key == "insight" or error.key not in record:
                raise
            left_out.append(error.key)
            record = {key: value for key, value in record.items() if key != error.key}


def _check_sense(memory: Memory) -> None:
    """Raise RecordError for a memory that ends before it begins, or of a project that no person could name."""
    if memory.valid_from and memory.valid_until and memory.valid_from > memory.valid_until:
        raise RecordError("valid_from is after valid_until")
    if memory.project:
        try:
            check_name(memory.project)
        except UsageError as error:
            raise RecordError(f"project: {error.what}") from None


def _notes(memory: Memory) -> tuple[str, ...]:
    """Return the notes of a memory, whose control characters are already removed."""
    text = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
    cleaned = None if text.isascii() else sanitise(text)
    notes = (
        ("invisible-unicode", cleaned is not None and bool(cleaned.invisible or cleaned.bidi)),
        ("planted-instruction", bool(planted_reasons(memory))),
    )
    return tuple(note for note, present in notes if present)


def clean(value: Any) -> Any:
    """Return JSON without control characters and escape sequences in any text."""
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else sanitise(value).text
    if isinstance(value, dict):
        return {key: _clean_anchors(item) if key == "anchors" else clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value


def _clean_anchors(value: Any) -> Any:
    """Return anchors, blanking those with a control character: without it they would name another file."""
    if isinstance(value, list):
        return [_clean_anchors(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean_anchors(item) if key == "path" else clean(item) for key, item in value.items()}
    return " " if isinstance(value, str) and clean(value) != value else value


def _checked_kin(kind_of_line: object, record: Record) -> Record:
    keys = KIN_KEYS.get(kind_of_line) if isinstance(kind_of_line, str) else None
    if keys is None:
        raise RecordError(f"type must be one of memory, {', '.join(KIN_KEYS)}, not {str(kind_of_line)[:40]!r}")
    for key in keys:
        if not isinstance(record.get(key), str) or not record[key]:
            raise RecordError(f"{kind_of_line} without {key}")
    return record


def _is_ours(line: str) -> bool:
    value = _loaded(line)
    if value is None:
        return False
    kind_of_line = value.get("type", "memory")
    keys = ("insight",) if kind_of_line == "memory" else KIN_KEYS.get(str(kind_of_line))
    return keys is not None and all(isinstance(value.get(key), str) for key in keys)


def _loaded(line: str) -> Record | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def holds_rows(file: SourceFile) -> bool:
    """Return whether a file that a person names, and that is JSON of some kind by its name, holds rows of ours."""
    try:
        return file.path.suffix.lower() in _JSON_SUFFIXES and _INSIGHT.search(file.text) is not None
    except OSError:  # reported when the file is read
        return False


def _names_an_insight(lines: Sequence[str]) -> bool:
    """Return whether lines that are no JSON each hold a row all the same: an array, or an object over several."""
    return any(_INSIGHT.search(line) for line in lines)


READER = JsonlReader()


class PortableReader:
    """Reads the files of a portable vault, including hand-edited ones."""

    format = "vault"
    label = "memtui portable vault"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a memory or the records of a portable vault."""
        vault = _vault_of(file.path)
        return vault is not None and _version(vault) is not None

    def read(self, file: SourceFile) -> ReadResult:
        """Return the memory of a file, or the records.

        Raises `SourceError`: the vault was written by a newer memtui, or its manifest is damaged.
        """
        vault = _vault_of(file.path)
        version = _version(vault) if vault else None
        if vault is not None and version not in {None, VERSION}:
            raise SourceError(
                f"The manifest is not from a portable vault of version {VERSION}",
                where=str(vault / MANIFEST),
                remedy="Update memtui if a newer version wrote it, else repair the manifest.",
            )
        if file.path.suffix.lower() == ".jsonl":
            return _rows(file, self.format)
        return self._memory(file, vault)

    def _memory(self, file: SourceFile, vault: Path | None) -> ReadResult:
        result = ReadResult()
        text = file.decoded.text
        span = (1, max(1, len(text.rstrip("\n").split("\n"))))
        if file.conflicts or file.decoded.replaced:
            first = file.conflicts[0] if file.conflicts else None
            lines = (first.first + 1, first.last + 1) if first else span
            reason, code = (Unresolved.CONFLICT, SkipCode.CONFLICT) if first else (NOT_UTF8, SkipCode.NOT_UTF8)
            result.skipped.append(Skipped(file.name, lines, reason, is_conflict=first is not None, code=code))
            return result
        parsed = parse_memory(text)
        if parsed.problem:
            result.skipped.append(Skipped(file.name, span, parsed.problem, code=SkipCode.BAD_ROW))
            return result
        record: Record = clean(parsed.record)
        if "project" not in record and vault is not None:
            folder = file.path.parent.relative_to(vault / MEMORIES).parts[:1]
            record |= {"project": project_of_folder(folder[0])} if folder else {}
        try:
            result.drafts.append(record_draft(file, record, span=span, format_name=self.format, name=file.path.stem))
        except RecordError as error:
            result.skipped.append(Skipped(file.name, span, str(error), code=SkipCode.BAD_ROW))
            return result
        result.skipped.extend(
            Skipped(file.name, (number, number), "frontmatter: not `key: value`, left out", code=SkipCode.BAD_SETTING)
            for number in parsed.ignored
        )
        return result


def _vault_of(path: Path) -> Path | None:
    """Return the folder of the vault that the file would belong to."""
    if path.name == RECORDS:
        return path.parent
    if path.suffix.lower() != ".md" or path.name.lower() == "readme.md":
        return None
    return next((folder.parent for folder in path.parents if folder.name == MEMORIES), None)


def _version(vault: Path) -> int | None:
    """Return the version of a vault; its manifest is read again only if it changed."""
    try:
        state = (vault / MANIFEST).stat()
    except OSError:
        return None
    if not S_ISREG(state.st_mode):
        return None
    return _version_of(vault, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _version_of(vault: Path, _changed: int, _size: int) -> int | None:
    return vault_version(vault)


PORTABLE_READER = PortableReader()


def memory_of_record(draft: Draft, project: str | None, now: datetime, *, over: Memory | None = None) -> Memory:
    """Return the memory that a record of memtui's own states, sanitised; a candidate unless the row gives a status.

    Args:
        project: where a row without a project goes.
        now: stands in for a missing time of creation.
        over: a memory that the record replaces; a row that is no export keeps what it does not state.
    """
    if over is None and draft.stated is not None:
        return _as_stated(draft, draft.stated, project, now)
    record = dict(draft.record or {})
    if over is not None and not record.keys() >= EXPORTED:
        stated = {key: value for key, value in record.items() if value is not None and not _is_guess(key, draft)}
        kept = memory_record(over)
        if over.title == title_for(over.insight, ()):  # made from the text that is replaced
            kept.pop("title")
        record = {**kept, **stated}
    record |= {name: sanitise(record[name]).text for name in _LONG_TEXTS if isinstance(record.get(name), str)}
    record["title"] = _title(str(record.get("title") or ""), draft)
    record.setdefault("kind", draft.kind)
    record["project"] = record.get("project") or project
    record["status"] = record.get("status") or "candidate"
    memory = memory_from_record(record, now=now, new_id=record.get("id") or new_id())
    return replace(memory, sources=_sources(memory, draft))


def _title(stated: str, draft: Draft) -> str:
    return (one_line(stated) if "\n" in stated or "\t" in stated else stated) or draft.title


def _sources(memory: Memory, draft: Draft) -> tuple[Source, ...]:
    """Return a memory's sources; a row without an id is recognised by its text."""
    if memory.sources or (draft.record or {}).get("id"):
        return memory.sources
    return (replace(draft.source, imported_hash=draft.content),)


def _as_stated(draft: Draft, stated: Memory, project: str | None, now: datetime) -> Memory:
    """Return the same for a record that its reader already turned into a memory: parsing 11,637 once is enough."""
    record = draft.record or {}
    return replace(
        stated,
        id=stated.id or new_id(),
        title=_title(stated.title, draft),
        kind=draft.kind,
        project=stated.project or project,
        status=record.get("status") or "candidate",
        created_at=stated.created_at if record.get("created_at") else now,
        updated_at=now,
        sources=_sources(stated, draft),
    )


def news_of(draft: Draft, project: str | None, stored: Memory) -> list[str]:
    """Return the keys in which a record of memtui's own states something else than a memory already is.

    An export states everything. A row written by hand or by another program leaves out what it does not care about, so
    only what it states counts: accepting or tagging a memory here makes no difference.
    """
    theirs = memory_record(memory_of_record(draft, project, stored.created_at))
    mine = memory_record(without_odd_anchors(stored))
    record = draft.record or {}
    differing = {key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)}
    if record.keys() >= EXPORTED:
        return sorted(differing)
    if fit_tags(stored.tags) == fit_tags(theirs.get("tags", ())):
        differing.discard("tags")  # an older memtui took longer tags than are imported now
    return [key for key in record if key in differing and record[key] is not None and not _is_guess(key, draft)]


def _is_guess(key: str, draft: Draft) -> bool:
    """Return whether a title or kind was filled in by the reader."""
    if key == "title":
        return draft.title == title_for(draft.insight, ())
    return key == "kind" and draft.kind == kind_guess(draft.insight, draft.title, ()).kind
