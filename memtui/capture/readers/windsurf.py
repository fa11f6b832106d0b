"""Windsurf's rules, now Devin's: rule files with a trigger, the older `.windsurfrules`, the global rules."""

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
from memtui.capture.markdown import PIECE_CHARS

_FOLDERS = (".windsurf/rules", ".devin/rules")
_HOME_FOLDER = ".codeium/windsurf/memories"
_EVERYTHING = frozenset({"*", "**", "**/*", "**/**"})


class WindsurfReader:
    """Reads `.windsurf/rules/**/*.md`, `.devin/rules/**/*.md`, `.windsurfrules` and `global_rules.md`."""

    format = "windsurf"
    label = "Windsurf and Devin rules"
    agent: str | None = "windsurf"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a rule of Windsurf or Devin, by its path."""
        path = file.path.as_posix()
        if file.path.name.lower() == ".windsurfrules":
            return True
        folders = (*_FOLDERS, _HOME_FOLDER)
        return file.path.suffix.lower() == ".md" and any(f"/{folder}/" in path for folder in folders)

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its globs when globs trigger it."""
        settings = read_settings(file)
        always = settings.values.get("trigger") == "always_on"
        globs = [] if always else [g for g in globs_of(settings.values.get("globs")) if g not in _EVERYTHING]
        title = text_setting(settings, "description")
        marker = next((folder for folder in _FOLDERS if f"/{folder}/" in file.path.as_posix()), "")
        is_global = is_below_home(file, _HOME_FOLDER)
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=() if is_global else within_folder(folder_of(file, marker), globs),
            scope="global" if is_global else "project",
            first_line=settings.body_first_line,
            text=settings.body,
            title=title or None,
            whole_chars=PIECE_CHARS if title else 0,
        )


READER = WindsurfReader()
