"""AGENTS.md, the file that most assistants share."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_anchors,
    folder_of,
    is_below_home,
    read_settings,
)
from memtui.capture.imports import link_target

_NAMES = frozenset({"agents.md", "agents.override.md", "agent.md"})
_HOME_FOLDERS = (
    ".codex",
    ".agents",
    ".junie",
    ".config/zed",
    ".config/devin",
    ".config/agents",
    ".config/opencode",
)


class AgentsMdReader:
    """Reads AGENTS.md, AGENTS.override.md and AGENT.md."""

    format = "agents-md"
    label = "AGENTS.md"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is an AGENTS.md by its name, in any letter case."""
        return file.path.name.lower() in _NAMES

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories; a nested file is anchored to its folder."""
        if target := link_target(file):
            return ReadResult(
                skipped=[Skipped(file.name, (1, 1), f"only names {file.text.strip()}, which is read instead")],
                includes=[target],
            )
        settings = read_settings(file)
        return drafts_from_markdown(
            file,
            format=self.format,
            agent="codex" if is_below_home(file, ".codex") else self.agent,
            anchors=folder_anchors(folder_of(file, ".junie")),
            scope="global" if is_below_home(file, *_HOME_FOLDERS) else "project",
            first_line=settings.body_first_line,
            text=settings.body,
        )


READER = AgentsMdReader()
