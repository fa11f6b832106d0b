"""Cursor's rules: `.mdc` files below `.cursor/rules` and the older `.cursorrules`."""

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

_FOLDER = ".cursor/rules"
_EVERYTHING = frozenset({"*", "**", "**/*", "**/**"})


class CursorReader:
    """Reads `.cursor/rules/**/*.mdc` and `.cursorrules`."""

    format = "cursor-rules"
    label = "Cursor rules"
    agent: str | None = "cursor"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a Cursor rule; Cursor ignores plain `.md` in its rules folder."""
        if file.path.name.lower() == ".cursorrules":
            return True
        return f"/{_FOLDER}/" in file.path.as_posix() and file.path.suffix.lower() == ".mdc"

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its globs unless it always applies."""
        settings = read_settings(file)
        always = settings.values.get("alwaysApply") is True
        globs = () if always else globs_of(settings.values.get("globs"))
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=within_folder(folder_of(file, _FOLDER), [glob for glob in globs if glob not in _EVERYTHING]),
            first_line=settings.body_first_line,
            text=settings.body,
            title=text_setting(settings, "description") or None,
            whole_chars=PIECE_CHARS if text_setting(settings, "description") else 0,
        )


READER = CursorReader()
