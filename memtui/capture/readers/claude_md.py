"""Claude Code's CLAUDE.md, in the project, its sub-folders and the user's home."""

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
        if target := link_target(file):
            return ReadResult(
                skipped=[Skipped(file.name, (1, 1), f"only names {file.text.strip()}, which is read instead")],
                includes=[target],
            )
        settings = read_settings(file)
        result = drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=folder_anchors(folder_of(file, ".claude")),
            scope="global" if is_below_home(file, ".claude") else "project",
            first_line=settings.body_first_line,
            text=settings.body,
        )
        includes, unread = resolve_imports(file, settings.body, first_line=settings.body_first_line)
        told = {skipped.span for skipped in unread}
        gaps = [gap for gap in result.skipped if gap.reason != IMPORT or gap.span not in told]
        result.skipped = in_order([*gaps, *unread])
        result.includes.extend(includes)
        return result


READER = ClaudeMdReader()
