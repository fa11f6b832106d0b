"""The portable plain-text vault: one Markdown file for each memory, and `records.jsonl`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.readers.jsonl import add_line, clean, record_draft
from memtui.domain.record import RecordError
from memtui.errors import SourceError
from memtui.publish.memory_file import parse_memory
from memtui.publish.portable import MANIFEST, MEMORIES, RECORDS, VERSION, project_of_folder, vault_version

if TYPE_CHECKING:
    from memtui.domain.record import Record


class PortableReader:
    """Reads the files of a portable vault, also after hands have edited them."""

    format = "vault"
    label = "memtui portable vault"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a memory or the records of a portable vault."""
        vault = _vault_of(file.path)
        return vault is not None and _version(vault) is not None

    def read(self, file: SourceFile) -> ReadResult:
        """Return the memory of a file, or the records.

        Raises:
            SourceError: the vault was written by a newer memtui, or its manifest is damaged.
        """
        vault = _vault_of(file.path)
        version = _version(vault) if vault else None
        if vault is not None and version not in {None, VERSION}:
            raise SourceError(
                f"The manifest is not that of a portable vault of version {VERSION}",
                where=str(vault / MANIFEST),
                remedy="Update memtui if a newer one wrote it, else mend the manifest.",
            )
        if file.path.suffix.lower() == ".jsonl":
            result = ReadResult()
            for number, line in enumerate(file.text.split("\n"), 1):
                if line.strip():
                    add_line(result, file, line, number, format_name=self.format)
            return result
        return self._memory(file, vault)

    def _memory(self, file: SourceFile, vault: Path | None) -> ReadResult:
        result = ReadResult()
        span = (1, max(1, len(file.text.rstrip("\n").split("\n"))))
        parsed = parse_memory(file.text)
        if parsed.problem:
            result.skipped.append(Skipped(file.name, span, parsed.problem))
            return result
        record: Record = clean(parsed.record)
        if "project" not in record and vault is not None:
            folder = file.path.parent.relative_to(vault / MEMORIES).parts[:1]
            record |= {"project": project_of_folder(folder[0])} if folder else {}
        try:
            result.drafts.append(record_draft(file, record, span=span, format_name=self.format, name=file.path.stem))
        except RecordError as error:
            result.skipped.append(Skipped(file.name, span, str(error)))
            return result
        result.skipped.extend(
            Skipped(file.name, (number, number), "frontmatter: no `key: value`, left out") for number in parsed.ignored
        )
        return result


def _vault_of(path: Path) -> Path | None:
    """Return the folder that would be the vault if the file belonged to one."""
    if path.name == RECORDS:
        return path.parent
    if path.suffix.lower() != ".md" or path.name.lower() == "readme.md":
        return None
    return next((folder.parent for folder in path.parents if folder.name == MEMORIES), None)


def _version(vault: Path) -> int | None:
    """Return the version of a vault; its manifest is read again only when it changed."""
    try:
        state = (vault / MANIFEST).stat()
    except OSError:
        return None
    return _version_of(vault, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _version_of(vault: Path, _changed: int, _size: int) -> int | None:
    return vault_version(vault)


READER = PortableReader()
