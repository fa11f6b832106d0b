"""Claude Code's rule files below `.claude/rules`."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_of,
    is_below_home,
    read_settings,
    text_setting,
    within_folder,
)
from memtui.capture.frontmatter import globs_of

_FOLDER = ".claude/rules"


class ClaudeRulesReader:
    """Reads `.claude/rules/**/*.md`."""

    format = "claude-rules"
    label = "Claude Code rules"
    agent: str | None = "claude-code"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is Markdown below a `.claude/rules` folder."""
        return f"/{_FOLDER}/" in file.path.as_posix() and file.path.suffix.lower() == ".md"

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its `paths`."""
        settings = read_settings(file)
        user_wide = is_below_home(file, _FOLDER)
        paths = globs_of(settings.values.get("paths"))
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=paths if user_wide else within_folder(folder_of(file, _FOLDER), paths),
            scope="global" if user_wide else "project",
            first_line=settings.body_first_line,
            text=settings.body,
            title=text_setting(settings, "description") or None,
        )


READER = ClaudeRulesReader()
