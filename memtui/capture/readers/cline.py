"""Cline's rules, and the memory bank that its users keep beside them."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_of,
    is_below_home,
    read_settings,
    within_folder,
)
from memtui.capture.frontmatter import globs_of

_HOME_FOLDERS = ("Documents/Cline/Rules", "Cline/Rules", ".cline/rules")
_FOLDERS = (".clinerules", ".cline/rules", "Documents/Cline/Rules", "Cline/Rules")
_NOT_RULES = ("/.clinerules/hooks/", "/.clinerules/workflows/", "/.clinerules/skills/")


class ClineReader:
    """Reads the `.clinerules` file or folder, and `.cline/rules`."""

    format = "cline"
    label = "Cline rules"
    agent: str | None = "cline"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is one of Cline's rules, by its path."""
        path = file.path.as_posix()
        if file.path.name.lower() == ".clinerules":
            return True
        if file.path.suffix.lower() not in {".md", ".txt"} or any(folder in path for folder in _NOT_RULES):
            return False
        return any(f"/{folder}/" in path for folder in _FOLDERS)

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its `paths`."""
        settings = read_settings(file)
        is_global = is_below_home(file, *_HOME_FOLDERS)
        marker = next((folder for folder in _FOLDERS if f"/{folder}/" in file.path.as_posix()), "")
        globs = globs_of(settings.values.get("paths"))
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=() if is_global else within_folder(folder_of(file, marker), globs),
            scope="global" if is_global else "project",
            first_line=settings.body_first_line,
            text=settings.body,
        )


class MemoryBankReader:
    """Reads `memory-bank/*.md`; the file's name says what kind of notes it holds."""

    format = "cline-memory-bank"
    label = "Cline memory bank"
    agent: str | None = "cline"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file lies in a memory bank."""
        folders = [folder.lower() for folder in file.path.parts[:-1]]
        in_bank = "memory-bank" in folders or "memory_bank" in folders
        return in_bank and file.path.suffix.lower() == ".md" and file.path.stem.lower() != "readme"

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, with the file's name as the hint of their kind."""
        settings = read_settings(file)
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            hint=f"memory-bank:{file.path.stem}",
            first_line=settings.body_first_line,
            text=settings.body,
        )


READER = ClineReader()
MEMORY_BANK = MemoryBankReader()
