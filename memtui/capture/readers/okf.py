"""Bundles of the Open Knowledge Format."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.readers.own_formats import clean, record_draft
from memtui.capture.skip_codes import SkipCode
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.record import Record, RecordError
from memtui.publish.okf import INDEX, RESERVED, foreign_record, is_bundle, own_record, parse_concept
from memtui.text.sanitize import NOT_UTF8

_DEPTH = 12  # Folders above a file in which the index of its bundle is looked for


class OkfReader:
    """Reads one file of a bundle: a memory that memtui wrote, or a concept of somebody else."""

    format = "okf"
    label = "Open Knowledge Format"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file lies in a bundle, whose index names the version of the format."""
        if file.path.suffix != ".md":
            return False
        return any(_is_root(folder, _changed(folder)) for folder in list(file.path.parents)[:_DEPTH])

    def read(self, file: SourceFile) -> ReadResult:
        """Return the memory of a file with its links and verdicts; listings hold none."""
        result = ReadResult()
        span = (1, max(1, file.text.rstrip("\n").count("\n") + 1))
        concept = parse_concept(file.text)
        problem = (
            "the listing or history of its bundle"
            if file.path.name in RESERVED
            else NOT_UTF8
            if file.decoded.replaced
            else concept.problem
        )
        if problem:
            result.skipped.append(Skipped(file.name, span, problem, code=SkipCode.BAD_ROW))
            return result
        own = bool(concept.own.get("id"))
        record: Record = clean(own_record(concept) if own else foreign_record(concept, DEFAULT_KINDS))
        try:
            name = file.path.relative_to(file.root).as_posix().removesuffix(".md")
            draft = record_draft(file, record, span=span, format_name=self.format, name=name)
        except (RecordError, ValueError) as error:
            result.skipped.append(Skipped(file.name, span, str(error), code=SkipCode.BAD_ROW))
            return result
        extra = concept.unknown | ({} if own or record.get("kind") else {"type": concept.keys.get("type")})
        result.drafts.append(replace(draft, extra=clean(extra)))
        for key in ("verdicts", "links"):
            rows = concept.own.get(key)
            result.records += [clean(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return result


def _changed(folder: Path) -> int:
    try:
        return (folder / INDEX).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _is_root(folder: Path, changed: int) -> bool:
    """Return whether a folder is the root of a bundle; its index is read again only if it changed."""
    return changed != 0 and is_bundle(folder)


READER = OkfReader()
