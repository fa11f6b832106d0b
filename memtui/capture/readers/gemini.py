"""Gemini CLI's GEMINI.md, in the project, its sub-folders and the user's home."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.readers.including import read_with_imports


class GeminiReader:
    """Reads GEMINI.md; what it imports with `@path` is read beside it."""

    format = "gemini"
    label = "Gemini CLI GEMINI.md"
    agent: str | None = "gemini"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a GEMINI.md by its name, in any letter case."""
        return file.path.name.lower() == "gemini.md"

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories; a nested file is anchored to its folder."""
        return read_with_imports(file, format_name=self.format, agent=self.agent, home_folder=".gemini")


READER = GeminiReader()
