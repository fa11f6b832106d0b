"""From the rows of a store to drafts, links, signals and tombstones, under ids that every import makes alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from memtui.analysis.classify import kind_guess
from memtui.analysis.title_fit import cut_title
from memtui.analysis.titles import title_for
from memtui.capture.draft import PLANTED, Draft, with_postings
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, Row, listed, moment, number_of, share, text
from memtui.domain.causes import RETIRED
from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    GLOBAL_PROJECT,
    ID_ALPHABET,
    ID_LENGTH,
    Anchor,
    Memory,
    Source,
    fit_tags,
    hash_parts,
    planted_reasons,
)
from memtui.domain.record import Record, format_time, memory_record, names_a_path
from memtui.text.sanitize import Sanitised, one_line, sanitise

PRIVATE = re.compile(r"<private>.*?</private>", re.IGNORECASE | re.DOTALL)
LONGEST_TITLE = 200
LONGEST_NATIVE_ID = 200
ODD_BYTES = "odd-bytes"
_TITLE_MARK = re.compile(r"^#{1,6}\s+")

Namer = Callable[[object], str | None]
"""Returns the project of the vault that a store's own name or path means."""


made_title = lru_cache(maxsize=20_000)(title_for)  # A preview and the import after it make the same titles


def memory_id(tool: str, key: str) -> str:
    """Return the id of a store's memory: the same at each import, from whichever of the tool's files it is read."""
    bits = int.from_bytes(blake2b(f"{tool}\0{key}".encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return "".join(ID_ALPHABET[bits >> shift & 31] for shift in range(0, 5 * ID_LENGTH, 5))


def id_of(place: Place, key: str) -> str:
    """Return the id of a memory of a store by its key there."""
    return memory_id(place.tool, f"{place.owner}\n{key}" if place.owner else key)


def project_word(value: object) -> str:
    """Return a store's name for a project in its shortest form: the last part of a path or of `owner/repository`."""
    parts = [part for part in text(value).strip().replace("\\", "/").split("/") if part]
    last = one_line(parts[-1]) if parts else ""
    return last.removesuffix(".git").strip().casefold()[:100]


def draft_of(row: Row, place: Place, project: str | None, now: datetime, known: Memory | None = None) -> Draft | None:
    """Return the draft of a row; None if nothing readable is left of its text.

    `known`: the memory that it became at an earlier import; its title is that of its text, if neither was changed.
    """
    texts = [_told(value) for value in (row.insight, row.rationale, row.snippet)]
    insight, rationale, snippet = (cleaned.text.strip("\n") for cleaned in texts)
    if not insight.strip():
        return None
    heading = one_line(row.heading)
    title = _title_as_before(known, row, place.tool, (insight, rationale, snippet)) or _title(row, insight, heading)
    owner = GLOBAL_PROJECT if row.is_global else project
    source = _source(row, place, hash_parts(title, insight, rationale, snippet))
    created = _past(row.created, now)
    memory = Memory(
        id=id_of(place, row.key),
        title=title,
        insight=insight,
        kind=row.kind or _guessed(f"{insight}\n{rationale}", title, heading),
        project=owner,
        rationale=rationale,
        snippet=snippet,
        anchors=tuple(Anchor(path) for path in _paths(row.files, owner)),
        tags=fit_tags(filter(None, map(one_line, listed(row.tags)))),
        created_at=created or now,
        updated_at=now,
        observed_at=created or _past(row.updated, now) or _file_time(row, now),
        sources=(source,),
        **_decided(row),
        **_judged(row, now),
    )
    return Draft(
        title=title,
        insight=insight,
        kind=memory.kind,
        source=source,
        rationale=rationale,
        snippet=snippet,
        anchors=tuple(anchor.path for anchor in memory.anchors),
        tags=memory.tags,
        importance=memory.importance,
        observed_at=memory.observed_at,
        scope="global" if row.is_global else "project",
        record=_stated(memory, has_status=bool(row.status), has_time=created is not None),
        stated=memory,
        notes=_notes(texts, memory),
    )


Wanted = tuple[Row, str | None, Memory | None]  # A row with its project, and what it became at an earlier import


def drafts_of(place: Place, now: datetime, wanted: Iterable[Wanted]) -> list[Draft | None]:
    """Return the drafts of several rows; in this module, because it is the least that a child process has to load."""
    drafts = (draft_of(row, place, project, now, before) for row, project, before in wanted)
    return [draft and with_postings(draft) for draft in drafts]


def _stated(memory: Memory, *, has_status: bool, has_time: bool) -> Record:
    """Return the record of what a store states; a memory without a status there becomes a candidate here."""
    record = memory_record(memory)
    return {
        key: value
        for key, value in record.items()
        if (key != "status" or has_status) and (key != "created_at" or has_time)
    }


def _told(value: object) -> Sanitised:
    """Return a value as a text that may be stored, without what was marked as private."""
    cleaned = sanitise(text(value))
    return replace(cleaned, text=PRIVATE.sub("", cleaned.text)) if "<" in cleaned.text else cleaned


def _guessed(words: str, title: str, heading: str) -> str:
    """Return the kind that the words surely show, else a lesson: these tools keep what a session taught."""
    guess = kind_guess(words, title, (heading,) if heading else ())
    return guess.kind if guess.confidence == "sure" else "lesson"


def _decided(row: Row) -> dict[str, Any]:
    """Return what was decided about a memory in its store, and why; a candidate if nothing was."""
    return {
        "status": row.status or "candidate",
        "status_reason": one_line(row.reason)[:LONGEST_TITLE] if row.status else "",
        "cause": RETIRED if row.status == "retired" else "",  # whatever word the store gives as its reason
    }


def _judged(row: Row, now: datetime) -> dict[str, Any]:
    """Return what the tool says beside the texts: weights, times, how long it holds."""
    importance, half_life = number_of(row.importance), number_of(row.half_life)
    confidence, verified = share(row.confidence), _past(row.verified, now)
    begin, end = moment(row.valid_from), moment(row.valid_until)
    fits = half_life is not None and SHORTEST_HALF_LIFE <= half_life <= LONGEST_HALF_LIFE
    return {
        "importance": min(5, max(1, int(importance))) if importance is not None else DEFAULT_IMPORTANCE,
        "confidence": DEFAULT_CONFIDENCE if confidence is None else confidence,
        "half_life_days": half_life if fits else None,
        "pinned": row.pinned,
        "verified_at": verified,
        "due_at": moment(row.due),
        "valid_from": None if begin and end and begin > end else begin,
        "valid_until": end,
    }


def _past(value: object, now: datetime) -> datetime | None:
    found = moment(value)
    return None if found is None else min(found, now)


def _file_time(row: Row, now: datetime) -> datetime | None:
    try:
        return None if row.path is None else _past(row.path.stat().st_mtime, now)
    except OSError:
        return None


def _title(row: Row, insight: str, heading: str) -> str:
    """Return the first line of the title that a store states, else one by the rule; below the name of its entity."""
    stated = next((line for line in _told(row.title).text.split("\n") if line.strip()), "")
    stated = one_line(_TITLE_MARK.sub("", stated))
    if not stated and heading:
        return one_line(f"{heading}: {made_title(insight, ())}")
    title = stated or made_title(insight, ())
    return title if len(title) <= LONGEST_TITLE else cut_title(title)


def _title_as_before(known: Memory | None, row: Row, tool: str, texts: tuple[str, str, str]) -> str:
    """Return the title that was made for these texts at the last import; empty if it has to be made."""
    if known is None or text(row.title).strip():
        return ""
    stated = next((one.imported_hash for one in known.sources if one.format == tool), None)
    return known.title if stated == hash_parts(known.title, *texts) else ""


def _paths(files: object, project: str | None) -> list[str]:
    """Return what names a file, relative to the project where its path says so."""
    found: list[str] = []
    for stated in listed(files):
        path = stated.strip("`'\" ").replace("\\", "/")
        if project and f"/{project}/" in path.casefold():
            path = path[path.casefold().rindex(f"/{project.casefold()}/") + len(project) + 2 :]
        path = path.removeprefix("./")
        is_path = (
            names_a_path(path)
            and len(path) <= LONGEST_TITLE
            and "://" not in path
            and path.lower() not in {"none", "null", "n/a"}
        )
        if is_path and (len(path.split()) == 1 or "/" in path) and path not in found:
            found.append(path)
    return found


def _source(row: Row, place: Place, content: str) -> Source:
    path = row.path or place.path
    if place.repository is not None and path.is_relative_to(place.repository):
        path = path.relative_to(place.repository)
    native = one_line(row.native_id)[:LONGEST_NATIVE_ID] or None
    agent = one_line(row.agent) or None
    return Source(format=place.tool, path=path.as_posix(), native_id=native, agent=agent, imported_hash=content)


def _notes(texts: Sequence[Sanitised], memory: Memory) -> tuple[str, ...]:
    whole = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
    notes = (
        ("control-characters", any(one.removed for one in texts)),
        ("invisible-unicode", any(one.invisible or one.bidi for one in texts)),
        (ODD_BYTES, "\ufffd" in whole),
        (PLANTED, bool(planted_reasons(memory))),
    )
    return tuple(note for note, present in notes if present)


def kin_of(contents: Contents, place: Place, name: Namer, now: datetime) -> list[Record]:
    """Return the links, signals and tombstones of a store as typed lines."""
    tool = place.tool
    records: list[Record] = [
        {
            "type": "link",
            "from": id_of(place, start),
            "link": kind,
            "to": id_of(place, end),
            "weight": weight,
            "origin": "import",
        }
        for start, kind, end, weight in contents.links
    ]
    for row in contents.rows:
        for signal, when in row.signals:
            at = _past(when, now) or _past(row.created, now)
            if at is not None:
                records.append(
                    {
                        "type": "signal",
                        "memory": id_of(place, row.key),
                        "signal": signal,
                        "at": format_time(at),
                        "actor": tool,
                        "reason": f"counted by {tool}",
                    }
                )
    for row in contents.deleted:
        draft = draft_of(row, place, name(row.project), now)
        at = _past(row.updated, now) or _past(row.created, now)
        records.append(
            {
                "type": "tombstone",
                "content_hash": draft.content if draft is not None else hash_parts("", row.key),
                "project": None if draft is None or draft.stated is None else draft.stated.project,
                "memory": id_of(place, row.key),
                "at": format_time(at or _EPOCH),
                "actor": tool,
                "reason": f"deleted in {tool}",
            }
        )
    return records


_EPOCH = moment(1)
