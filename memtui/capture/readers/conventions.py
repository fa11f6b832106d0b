"""Plain files of conventions: Aider's CONVENTIONS.md, Zed's `.rules`, Junie's guidelines, Amazon Q's rules."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.drafting import drafts_from_markdown, folder_anchors, folder_of, read_settings

_NAMES = {"conventions.md": None, ".rules": "zed"}
_FOLDERS = {
    ".junie/guidelines": "junie",
    ".amazonq/rules": "amazon-q",
    ".aiassistant/rules": "jetbrains-ai",
}


class ConventionsReader:
    """Reads CONVENTIONS.md, `.rules`, `.junie/guidelines.md`, `.amazonq/rules` and `.aiassistant/rules`."""

    format = "conventions"
    label = "Conventions (Aider, Zed, Junie, Amazon Q)"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is one of these, by its path."""
        return self._place(file) is not None

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories; a nested file is anchored to its folder."""
        folder, agent = self._place(file) or ("", None)
        settings = read_settings(file)
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=agent,
            anchors=folder_anchors(folder_of(file, folder)),
            hint="convention" if file.path.name.lower() == "conventions.md" else None,
            first_line=settings.body_first_line,
            text=settings.body,
        )

    def _place(self, file: SourceFile) -> tuple[str, str | None] | None:
        """Return the assistant's folder above the file, and the assistant; None for any other file."""
        name = file.path.name.lower()
        if name in _NAMES:
            return "", _NAMES[name]
        path = file.path.as_posix()
        if path.endswith("/.junie/guidelines.md"):
            return ".junie", "junie"
        if file.path.suffix.lower() != ".md":
            return None
        return next(((folder, agent) for folder, agent in _FOLDERS.items() if f"/{folder}/" in path), None)


READER = ConventionsReader()
