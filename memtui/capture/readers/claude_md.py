"""Claude Code's CLAUDE.md, in the project, its sub-folders and the user's home."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.readers.including import read_with_imports

_NAMES = frozenset({"claude.md", "claude.local.md"})


class ClaudeMdReader:
    """Reads CLAUDE.md and CLAUDE.local.md."""

    format = "claude-md"
    label = "Claude Code CLAUDE.md"
    agent: str | None = "claude-code"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a CLAUDE.md by its name, in any letter case."""
        return file.path.name.lower() in _NAMES and "/.claude/rules/" not in file.path.as_posix()

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, a nested one's anchored to its folder; the caller follows includes."""
        return read_with_imports(file, format_name=self.format, agent=self.agent, home_folder=".claude")


READER = ClaudeMdReader()
