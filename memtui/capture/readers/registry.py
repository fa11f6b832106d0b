"""Every reader, and the readers of rule files, which one table describes."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.capture.draft import (
    DraftMaker,
    Reader,
    ReadResult,
    Skipped,
    SourceFile,
    drafts_from_markdown,
    folder_of,
    is_below_home,
    within_folder,
)
from memtui.capture.frontmatter import Frontmatter, globs_of, split_frontmatter
from memtui.capture.includes import add_imports, link_target
from memtui.capture.markdown import PIECE_CHARS
from memtui.capture.readers import adr, claude_memory, lessons, own_formats
from memtui.errors import UsageError
from memtui.text.words import did_you_mean

_MATCH_ALL = frozenset({"*", "**", "**/*", "**/**"})


@dataclass(frozen=True, kw_only=True)
class RuleReader:
    """Reads the rule files of one assistant.

    Attributes:
        names: endings of paths that name such a file wherever it lies, in lower case.
        folders: folders whose files with one of the suffixes are such files.
        excluded: parts of paths that are not.
        home_folders: folders below the user's home; what lies there holds for every project.
        own_folder: a folder above the file that is the assistant's own, not one that the rules are about.
        globs_key: the frontmatter's key for the files that a rule is about.
        always: key and value by which a frontmatter says that a rule is about every file.
        match_all_is_none: whether a pattern that fits every file counts as none.
        global_globs: whether a rule in the user's home keeps its globs.
        title_keys: the frontmatter's keys for a title, the first that is there.
        whole_if_titled: whether a short text with a title stays one memory.
        is_link: whether a file whose whole text is a path stands for that file.
        imports: whether `@path` imports a file.
    """

    format: str
    label: str
    agent: str | None = None
    names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = (".md",)
    excluded: tuple[str, ...] = ()
    home_folders: tuple[str, ...] = ()
    own_folder: str = ""
    globs_key: str = ""
    always: tuple[str, object] | None = None
    match_all_is_none: bool = False
    global_globs: bool = False
    title_keys: tuple[str, ...] = ()
    whole_if_titled: bool = False
    is_link: bool = False
    imports: bool = False

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is one of these rule files, by its path."""
        path = file.path.as_posix()
        if any(part in path for part in self.excluded):
            return False
        if path.lower().endswith(tuple(f"/{name}" for name in self.names)):
            return True
        return file.path.name.lower().endswith(self.suffixes) and bool(self._folder(file))

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, anchored to the files that it is about, or to the folder it lies in."""
        if self.is_link and (target := link_target(file)):
            reason = f"only names {file.text.strip()}, which is read instead"
            return ReadResult(skipped=[Skipped(file.name, (1, 1), reason)], includes=[target])
        settings = split_frontmatter(file.text)
        is_global = is_below_home(file, *self.home_folders)
        globs = self._globs(settings)
        title = next(filter(None, map(settings.text, self.title_keys)), "")
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=self._agent(file),
            anchors=self._global_anchors(globs) if is_global else self._anchors(file, globs),
            scope="global" if is_global else "project",
        )
        whole_chars = PIECE_CHARS if title and self.whole_if_titled else 0
        result = drafts_from_markdown(maker, settings, title=title, whole_chars=whole_chars)
        if self.imports:
            add_imports(result, file, settings)
        return result

    def _folder(self, file: SourceFile) -> str:
        """Return the first of the folders that the file lies in; empty if it lies in none."""
        path = file.path.as_posix()
        return next((folder for folder in self.folders if f"/{folder}/" in path), "")

    def _globs(self, settings: Frontmatter) -> tuple[str, ...]:
        if self.always is not None and settings.values.get(self.always[0]) == self.always[1]:
            return ()
        globs = globs_of(settings.values.get(self.globs_key))
        return tuple(glob for glob in globs if glob not in _MATCH_ALL) if self.match_all_is_none else globs

    def _global_anchors(self, globs: tuple[str, ...]) -> tuple[str, ...]:
        return globs if self.global_globs else ()

    def _anchors(self, file: SourceFile, globs: tuple[str, ...]) -> tuple[str, ...]:
        return within_folder(folder_of(file, self._folder(file) or self.own_folder), globs)

    def _agent(self, file: SourceFile) -> str | None:  # noqa: ARG002 - some formats tell it by the file
        return self.agent


class _AgentsMd(RuleReader):
    def _agent(self, file: SourceFile) -> str | None:
        return "codex" if is_below_home(file, ".codex") else None


class _MemoryBank(RuleReader):
    """`memory-bank/*.md`; a file's name says what kind of notes it holds."""

    def detect(self, file: SourceFile) -> bool:
        folders = {folder.lower() for folder in file.path.parts[:-1]}
        in_bank = not folders.isdisjoint({"memory-bank", "memory_bank"})
        return in_bank and file.path.suffix.lower() == ".md" and file.path.stem.lower() != "readme"

    def _anchors(self, file: SourceFile, globs: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - none
        return ()


class _Conventions(RuleReader):
    """Files of several assistants, identified by their place."""

    def _agent(self, file: SourceFile) -> str | None:
        path = file.path.as_posix()
        agents = {"/.junie/": "junie", "/.amazonq/rules/": "amazon-q", "/.aiassistant/rules/": "jetbrains-ai"}
        if file.path.name.lower() in {"conventions.md", ".rules"}:
            return "zed" if file.path.name.lower() == ".rules" else None
        return next((agent for folder, agent in agents.items() if folder in path), None)


CLAUDE_RULES = RuleReader(
    format="claude-rules",
    label="Claude Code rules",
    agent="claude-code",
    folders=(".claude/rules",),
    home_folders=(".claude/rules",),
    globs_key="paths",
    global_globs=True,
    title_keys=("description",),
)
CLAUDE_MD = RuleReader(
    format="claude-md",
    label="Claude Code CLAUDE.md",
    agent="claude-code",
    names=("claude.md", "claude.local.md"),
    excluded=("/.claude/rules/",),
    home_folders=(".claude",),
    own_folder=".claude",
    is_link=True,
    imports=True,
)
CURSOR = RuleReader(
    format="cursor-rules",
    label="Cursor rules",
    agent="cursor",
    names=(".cursorrules",),
    folders=(".cursor/rules",),
    suffixes=(".mdc",),  # Cursor ignores plain .md there
    globs_key="globs",
    always=("alwaysApply", True),
    match_all_is_none=True,
    title_keys=("description",),
    whole_if_titled=True,
)
COPILOT = RuleReader(
    format="copilot",
    label="GitHub Copilot instructions",
    agent="copilot",
    names=(".github/copilot-instructions.md",),
    folders=(".github/instructions",),
    suffixes=(".instructions.md",),
    own_folder=".github",
    globs_key="applyTo",
    match_all_is_none=True,
    title_keys=("description", "name"),
    whole_if_titled=True,
)
WINDSURF = RuleReader(
    format="windsurf",
    label="Windsurf and Devin rules",
    agent="windsurf",
    names=(".windsurfrules",),
    folders=(".windsurf/rules", ".devin/rules", ".codeium/windsurf/memories"),
    home_folders=(".codeium/windsurf/memories",),
    globs_key="globs",
    always=("trigger", "always_on"),
    match_all_is_none=True,
    title_keys=("description",),
    whole_if_titled=True,
)
CLINE = RuleReader(
    format="cline",
    label="Cline rules",
    agent="cline",
    names=(".clinerules",),
    folders=(".clinerules", ".cline/rules", "Documents/Cline/Rules", "Cline/Rules"),
    suffixes=(".md", ".txt"),
    excluded=("/.clinerules/hooks/", "/.clinerules/workflows/", "/.clinerules/skills/"),
    home_folders=("Documents/Cline/Rules", "Cline/Rules", ".cline/rules"),
    globs_key="paths",
)
MEMORY_BANK = _MemoryBank(format="cline-memory-bank", label="Cline memory bank", agent="cline")
GEMINI = RuleReader(
    format="gemini",
    label="Gemini CLI GEMINI.md",
    agent="gemini",
    names=("gemini.md",),
    home_folders=(".gemini",),
    own_folder=".gemini",
    is_link=True,
    imports=True,
)
AGENTS_MD = _AgentsMd(
    format="agents-md",
    label="AGENTS.md",
    names=("agents.md", "agents.override.md", "agent.md"),
    home_folders=(
        *(".codex", ".agents", ".junie", ".config/zed", ".config/devin", ".config/agents", ".config/opencode"),
    ),
    own_folder=".junie",
    is_link=True,
)
CONVENTIONS = _Conventions(
    format="conventions",
    label="Conventions (Aider, Zed, Junie, Amazon Q)",
    names=("conventions.md", ".rules", ".junie/guidelines.md"),
    folders=(".junie/guidelines", ".amazonq/rules", ".aiassistant/rules"),
    own_folder=".junie",
)
RULE_READERS = (CLAUDE_RULES, CLAUDE_MD, CURSOR, COPILOT, WINDSURF, CLINE, MEMORY_BANK, GEMINI, AGENTS_MD)
"""The readers whose names are unmistakable, the most specific first; `CONVENTIONS` gives way to decision records."""


AUTO = "auto"
"""Selects the reader by the file."""

READERS: tuple[Reader, ...] = (
    own_formats.PORTABLE_READER,
    own_formats.READER,
    claude_memory.READER,
    *RULE_READERS,
    adr.READER,
    CONVENTIONS,
    lessons.READER,
    lessons.MARKDOWN,
)

_ALIASES = {"memtui": "jsonl", "portable": "vault"}


def formats() -> tuple[str, ...]:
    """Return every name that `import --format` takes."""
    return (AUTO, *(reader.format for reader in READERS), *_ALIASES)


def reader_for(file: SourceFile) -> Reader | None:
    """Return the first reader that recognises a file."""
    return next((reader for reader in READERS if reader.detect(file)), None)


def reader_named(name: str) -> Reader:
    """Return the reader of a format.

    Raises:
        UsageError: the format is unknown.
    """
    wanted = name.strip().lower()
    wanted = _ALIASES.get(wanted, wanted)
    for reader in READERS:
        if reader.format == wanted:
            return reader
    raise UsageError(
        "Unknown format",
        where=f"--format {name}",
        remedy=did_you_mean(name, formats(), then=f"Known: {', '.join(formats())}."),
    )
