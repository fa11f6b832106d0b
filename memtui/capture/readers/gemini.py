"""Gemini CLI's GEMINI.md, in the project, its sub-folders and the user's home."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_anchors,
    folder_of,
    in_order,
    is_below_home,
    read_settings,
)
from memtui.capture.imports import link_target, resolve_imports
from memtui.capture.prose import IMPORT


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
        if target := link_target(file):
            reason = f"only names {file.text.strip()}, which is read instead"
            return ReadResult(skipped=[Skipped(file.name, (1, 1), reason)], includes=[target])
        settings = read_settings(file)
        result = drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=folder_anchors(folder_of(file, ".gemini")),
            scope="global" if is_below_home(file, ".gemini") else "project",
            first_line=settings.body_first_line,
            text=settings.body,
        )
        includes, unread = resolve_imports(file, settings.body, first_line=settings.body_first_line)
        told = {skipped.span for skipped in unread}
        gaps = [gap for gap in result.skipped if gap.reason != IMPORT or gap.span not in told]
        result.skipped = in_order([*gaps, *unread])
        result.includes.extend(includes)
        return result


READER = GeminiReader()
