"""Rule files of assistants: AGENTS.md, CLAUDE.md, GEMINI.md, Cursor, Copilot, Windsurf, Cline, conventions."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_anchors,
    folder_of,
    is_below_home,
    read_settings,
    text_setting,
    within_folder,
)
from memtui.capture.frontmatter import globs_of
from memtui.capture.includes import link_target, read_with_imports
from memtui.capture.markdown import PIECE_CHARS

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


_CLAUDE_MD_NAMES = frozenset({"claude.md", "claude.local.md"})


class ClaudeMdReader:
    """Reads CLAUDE.md and CLAUDE.local.md."""

    format = "claude-md"
    label = "Claude Code CLAUDE.md"
    agent: str | None = "claude-code"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a CLAUDE.md by its name, in any letter case."""
        return file.path.name.lower() in _CLAUDE_MD_NAMES and "/.claude/rules/" not in file.path.as_posix()

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, a nested one's anchored to its folder; the caller follows includes."""
        return read_with_imports(file, format_name=self.format, agent=self.agent, home_folder=".claude")


CLAUDE_MD_READER = ClaudeMdReader()


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


CLAUDE_RULES_READER = ClaudeRulesReader()


_CLINE_HOME_FOLDERS = ("Documents/Cline/Rules", "Cline/Rules", ".cline/rules")
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
        is_global = is_below_home(file, *_CLINE_HOME_FOLDERS)
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


CLINE_READER = ClineReader()
MEMORY_BANK = MemoryBankReader()


_CONVENTIONS_NAMES = {"conventions.md": None, ".rules": "zed"}
_CONVENTIONS_FOLDERS = {
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
        if name in _CONVENTIONS_NAMES:
            return "", _CONVENTIONS_NAMES[name]
        path = file.path.as_posix()
        if path.endswith("/.junie/guidelines.md"):
            return ".junie", "junie"
        if file.path.suffix.lower() != ".md":
            return None
        return next(((folder, agent) for folder, agent in _CONVENTIONS_FOLDERS.items() if f"/{folder}/" in path), None)


CONVENTIONS_READER = ConventionsReader()


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


COPILOT_READER = CopilotReader()


_CURSOR_FOLDER = ".cursor/rules"


class CursorReader:
    """Reads `.cursor/rules/**/*.mdc` and `.cursorrules`."""

    format = "cursor-rules"
    label = "Cursor rules"
    agent: str | None = "cursor"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is a Cursor rule; Cursor ignores plain `.md` in its rules folder."""
        if file.path.name.lower() == ".cursorrules":
            return True
        return f"/{_CURSOR_FOLDER}/" in file.path.as_posix() and file.path.suffix.lower() == ".mdc"

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its globs unless it always applies."""
        settings = read_settings(file)
        always = settings.values.get("alwaysApply") is True
        globs = () if always else globs_of(settings.values.get("globs"))
        return drafts_from_markdown(
            file,
            format=self.format,
            agent=self.agent,
            anchors=within_folder(folder_of(file, _CURSOR_FOLDER), [glob for glob in globs if glob not in _EVERYTHING]),
            first_line=settings.body_first_line,
            text=settings.body,
            title=text_setting(settings, "description") or None,
            whole_chars=PIECE_CHARS if text_setting(settings, "description") else 0,
        )


CURSOR_READER = CursorReader()


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


GEMINI_READER = GeminiReader()


_WINDSURF_FOLDERS = (".windsurf/rules", ".devin/rules")
_HOME_FOLDER = ".codeium/windsurf/memories"


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
        folders = (*_WINDSURF_FOLDERS, _HOME_FOLDER)
        return file.path.suffix.lower() == ".md" and any(f"/{folder}/" in path for folder in folders)

    def read(self, file: SourceFile) -> ReadResult:
        """Return the rule's memories, anchored to its globs when globs trigger it."""
        settings = read_settings(file)
        always = settings.values.get("trigger") == "always_on"
        globs = [] if always else [g for g in globs_of(settings.values.get("globs")) if g not in _EVERYTHING]
        title = text_setting(settings, "description")
        marker = next((folder for folder in _WINDSURF_FOLDERS if f"/{folder}/" in file.path.as_posix()), "")
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


WINDSURF_READER = WindsurfReader()
