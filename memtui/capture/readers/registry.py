"""Every reader, the most specific first. Import this module lazily: it imports all of them."""

from __future__ import annotations

from memtui.capture.draft import Reader, SourceFile
from memtui.capture.readers import adr, claude_memory, lessons, own_formats, rule_files
from memtui.errors import UsageError
from memtui.text.suggest import did_you_mean

AUTO = "auto"
"""Selects the reader by the file."""

READERS: tuple[Reader, ...] = (
    own_formats.PORTABLE_READER,
    own_formats.READER,
    claude_memory.READER,
    *rule_files.READERS,
    adr.READER,
    rule_files.CONVENTIONS,
    lessons.READER,
    lessons.MARKDOWN,
)

_ALIASES = {"memtui": "jsonl", "portable": "vault"}


def formats() -> tuple[str, ...]:
    """Return every name that `import --format` takes."""
    return (AUTO, *(reader.format for reader in READERS), *_ALIASES)


def reader_for(file: SourceFile) -> Reader | None:
    """Return the first reader that recognises a file."""
    return next((reader for reader in READERS if reader.detect(file)), None)


def reader_named(name: str) -> Reader:
    """Return the reader of a format.

    Raises:
        UsageError: the format is unknown.
    """
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    for reader in READERS:
        if reader.format == wanted:
            return reader
    raise UsageError(
        "Unknown format",
        where=f"--format {name}",
        remedy=did_you_mean(name, formats(), then=f"Known: {', '.join(formats())}."),
    )
