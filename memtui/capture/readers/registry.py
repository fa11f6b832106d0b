"""Every reader, the most specific first. Import this module lazily: it imports all of them."""

from __future__ import annotations

from memtui.capture.draft import Reader, SourceFile
from memtui.capture.readers import (
    adr,
    agents_md,
    claude_md,
    claude_memory,
    claude_rules,
    cline,
    conventions,
    copilot,
    cursor,
    gemini,
    jsonl,
    lessons,
    portable,
    windsurf,
)
from memtui.errors import UsageError

AUTO = "auto"
"""The format that lets each file choose its reader."""

READERS: tuple[Reader, ...] = (
    portable.READER,
    jsonl.READER,
    claude_memory.READER,
    claude_rules.READER,
    claude_md.READER,
    cursor.READER,
    copilot.READER,
    windsurf.READER,
    cline.READER,
    cline.MEMORY_BANK,
    gemini.READER,
    agents_md.READER,
    adr.READER,
    conventions.READER,
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
        UsageError: there is none of that name.
    """
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    for reader in READERS:
        if reader.format == wanted:
            return reader
    raise UsageError(
        "There is no such format",
        where=f"--format {name}",
        remedy=f"Choose one of {', '.join(formats())}.",
    )
