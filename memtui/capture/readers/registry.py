"""Every reader, in the order in which they are asked for a file."""

from __future__ import annotations

import re

from memtui.capture.draft import Reader, SourceFile
from memtui.capture.readers import adr, claude_memory, config_files, decision_log, lessons, okf, own_formats, skills
from memtui.capture.readers.rule_files import rule_readers
from memtui.text.words import unknown

AUTO = "auto"  # Selects the reader by the file
RULE_READERS = rule_readers()  # The most specific first; the last, `conventions`, gives way to decision records

READERS: tuple[Reader, ...] = (
    own_formats.PORTABLE_READER,
    own_formats.READER,
    okf.READER,
    claude_memory.READER,
    skills.READER,
    config_files.READER,
    *RULE_READERS[:-1],
    decision_log.READER,
    adr.READER,
    RULE_READERS[-1],
    lessons.READER,
    lessons.MARKDOWN,
)

_OTHER_READERS = tuple(reader for reader in READERS if reader not in RULE_READERS)
_HINT = re.compile("|".join(reader.hint_of_path for reader in RULE_READERS), re.IGNORECASE)
"""One search in place of one for each reader: most files of a large tree are none of theirs."""

_ALIASES = {"memtui": "jsonl", "portable": "vault"}


def formats() -> tuple[str, ...]:
    """Return every name that `import --format` takes."""
    return (AUTO, *(reader.format for reader in READERS), *_ALIASES)


def reader_for(file: SourceFile) -> Reader | None:
    """Return the first reader that recognises a file."""
    readers = READERS if may_be_rules(file) else _OTHER_READERS
    return next((reader for reader in readers if reader.detect(file)), None)


def is_misplaced(file: SourceFile) -> bool:
    """Return whether a file bears the name of a rule file where, or so spelled that, no assistant looks for it."""
    return may_be_rules(file) and any(reader.looks_like(file) for reader in RULE_READERS)


def may_be_rules(file: SourceFile) -> bool:
    """Return whether a file is a rule file by its path, or resembles one."""
    return _HINT.search(file.path.as_posix()) is not None


def reader_named(name: str) -> Reader:
    """Return the reader of a format. Raises `UsageError`: the format is unknown."""
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    for reader in READERS:
        if reader.format == wanted:
            return reader
    raise unknown("format", name, formats(), where=f"--format {name}")
