"""Every reader, the most specific first. Import this module lazily: it imports all of them."""

from __future__ import annotations

from memtui.capture.draft import Reader, SourceFile
from memtui.capture.readers import adr, claude_memory, lessons, own_formats, rule_files
from memtui.errors import UsageError

AUTO = "auto"
"""The format that lets each file choose its reader."""

READERS: tuple[Reader, ...] = (
    own_formats.PORTABLE_READER,
    own_formats.READER,
    claude_memory.READER,
    rule_files.CLAUDE_RULES_READER,
    rule_files.CLAUDE_MD_READER,
    rule_files.CURSOR_READER,
    rule_files.COPILOT_READER,
    rule_files.WINDSURF_READER,
    rule_files.CLINE_READER,
    rule_files.MEMORY_BANK,
    rule_files.GEMINI_READER,
    rule_files.READER,
    adr.READER,
    rule_files.CONVENTIONS_READER,
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
