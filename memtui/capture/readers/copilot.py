"""GitHub Copilot's instructions: one file for the repository, others for paths."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_of,
    read_settings,
    text_setting,
    within_folder,
)
from memtui.capture.frontmatter import globs_of
from memtui.capture.markdown import PIECE_CHARS

_EVERYTHING = frozenset({"*", "**", "**/*", "**/**"})


class CopilotReader:
    """Reads `.github/copilot-instructions.md` and `.github/instructions/**/*.instructions.md`."""

    format = "copilot"
    label = "GitHub Copilot instructions"
    agent: str | None = "copilot"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is one of Copilot's, by its path."""
        path = file.path.as_posix().lower()
        if path.endswith("/.github/copilot-instructions.md"):
            return True
        return "/.github/instructions/" in path and path.endswith(".instructions.md")

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, anchored to what `applyTo` names."""
        settings = read_settings(file)
        globs = [glob for glob in globs_of(settings.values.get("applyTo")) if glob not in _EVERYTHING]
        title = text_setting(settings, "description") or text_setting(settings, "name")
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=within_folder(folder_of(file, ".github"), globs),
            first_line=settings.body_first_line,
            text=settings.body,
            title=title or None,
            whole_chars=PIECE_CHARS if title else 0,
        )


READER = CopilotReader()
