"""Why a file that looks like a source is not read: where it lies, what it is part of, what a person left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.capture.draft import Reader, SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.readers.registry import is_misplaced
from memtui.capture.readers.rule_files import RuleReader
from memtui.capture.readers.skills import SKILL_FILE, skill_of
from memtui.capture.skip_codes import SkipWords
from memtui.errors import SourceError, UsageError
from memtui.regular_files import read_regular
from memtui.text.tables import read_table

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".memtuiignore"  # In the root of a repository: what import leaves out, written as `.gitignore` is

_TEXTS = frozenset({".md", ".mdc", ".mdx", ".markdown"})
_NO_CODE = _TEXTS | {".txt", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf", ""}
_NO_CODE |= {".sh", ".ps1", ".bat", ".lock", ".tmp", ".env", ".example"}
_NO_CODE |= {".json", ".jsonc", ".yml", ".yaml", ".toml", ".ini"}
_MANIFESTS = frozenset({"package.json", "pyproject.toml", "Cargo.toml", "composer.json", "Makefile", "Dockerfile"})
_PLUGIN_MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json")
_MOST_LOOKED_AT = 300
_AGENT_NAME = re.compile(r"\.(?:agent|chatmode|prompt)\.md$")
_AGENT_KEYS = frozenset({"name", "description", "tools", "model", "mode"})  # Settings of which an agent has one or more


class LeftOut(SkipWords):
    """Why a file or folder is not read."""

    WORKTREE = "a worktree: its main checkout is read"
    CLONE = "another repository; import it separately"
    UNSEARCHED = "not searched: dependencies, copies of other code, or build output"
    LINK = "a link to a file that is read"
    OUTSIDE = "a link that leads outside the folder"
    DANGLING = "a link that leads nowhere"
    IRREGULAR = "no regular file"
    IGNORED = f"left out by {IGNORE_FILE}"
    EXCLUDED = "left out by your pattern"
    FIXTURE = "data of tests"
    TEMPLATE = "a template for other projects"
    EXAMPLE = "an example of a rule file"
    ARCHIVED = "in an archive"
    OFFERED = "a skill outside the assistants' folders: none of them loads it"
    SKILL_PART = "part of a skill, read when the skill is used"
    STARTED = "an agent, command or prompt, started by its name"
    UNLOADED = "in an assistant's folder, but not loaded by itself"
    UNKNOWN_TOOL = "looks like a rule file of a tool that is not known here"
    MISPLACED = "named like a rule file, but not where, or as, assistants look for it"
    PAGE = "read only where you name the file itself"


UNREADABLE = frozenset({LeftOut.DANGLING, LeftOut.IRREGULAR})
"""Of what cannot be opened only rule files are named."""


@cache
def folder_names(table: str) -> frozenset[str]:
    """Return a list of names of places.toml."""
    return frozenset(read_table(__file__, "places.toml")[table])


def kind_of_folder(name: str, *, in_examples: bool = False) -> str:
    """Return `fixtures`, `templates`, `examples`, `archives`, `tests` or `test_data` by a folder's name, or nothing.

    Among examples, what ends with the name of a template is one to start from: `harbour-starter`.
    """
    bare = name.lower().strip("_-.")
    is_start = in_examples and re.split("[-_.]", bare)[-1] in folder_names("templates")
    if is_start or "{{" in name or "cookiecutter" in bare:
        return "templates"
    tables = ("fixtures", "templates", "examples", "archives", "tests", "test_data")
    return next((table for table in tables if {bare, name.lower()} & folder_names(table)), "")


@dataclass(slots=True)
class Exclusions:
    """The patterns of a person: of an import, and of the ignore file of each repository."""

    patterns: Sequence[str] = ()
    _specs: dict[Path | None, GitIgnoreSpec | None] = field(default_factory=dict)

    def reason(self, file: SourceFile) -> LeftOut | None:
        """Return why a person left a file out.

        Raises:
            UsageError: a pattern cannot be read.
            SourceError: a line of the ignore file cannot be.
        """
        if self.patterns and self._matches(None, file):
            return LeftOut.EXCLUDED
        return LeftOut.IGNORED if self._matches(file.root, file) else None

    def _matches(self, root: Path | None, file: SourceFile) -> bool:
        if root not in self._specs:
            self._specs[root] = self._spec(root)
        spec = self._specs[root]
        return spec is not None and not Path(file.name).is_absolute() and spec.match_file(file.name)

    def _spec(self, root: Path | None) -> GitIgnoreSpec | None:
        if root is None:
            return _compiled(
                self.patterns,
                UsageError("This pattern cannot be read", where="--exclude", remedy="Write it in .gitignore syntax."),
            )
        path = root / IGNORE_FILE
        if not path.exists():
            return None
        try:
            lines = read_regular(path).decode("utf-8-sig", "replace").splitlines()
        except OSError as error:
            # Without it, what a person wants to keep out would be read.
            raise SourceError(
                f"What to leave out cannot be read: {error.strerror or error}",
                where=str(path),
                remedy="Make it a file that you may read, or remove it.",
            ) from error
        return _compiled(lines, SourceError("A pattern cannot be read", where=str(path)))


def _compiled(lines: Sequence[str], trouble: UsageError | SourceError) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise type(trouble)(trouble.what, where=trouble.where, remedy=str(error)) from error


@dataclass(frozen=True, slots=True)
class IgnoreLine:
    """The line that leaves one file or folder out, in the ignore file of its repository."""

    root: Path  # of the repository
    name: str  # of the file or folder, from the root

    @property
    def path(self) -> Path:
        return self.root / IGNORE_FILE

    @property
    def text(self) -> str:
        """The line as it is written, without its end."""
        return "/" + "".join(f"\\{letter}" if letter in "*?[\\" else letter for letter in self.name)

    def write(self) -> None:
        """Add the line at the end of the file, which is made if need be; nothing where it is there already.

        Raises:
            UsageError: no line can name it.
            UnsafePathError: the file is a link that leads out of the repository.
            MemtuiError: the file cannot be read or written.
        """
        if self.name != self.name.strip() or "\n" in self.name or "\r" in self.name:
            raise UsageError(
                f"No line of {IGNORE_FILE} can name it",
                where=self.name,
                remedy="Rename the file, or untick it.",
            )
        is_new = not self.path.exists()
        lines = [f"{HEAD}\n".encode()] if is_new else self._lines()
        if self._place_in(lines) is None:
            end = b"\r\n" if any(line.endswith(b"\r\n") for line in lines) else b"\n"
            if lines and not lines[-1].endswith(b"\n"):
                lines[-1] += end
            self._put([*lines, self.text.encode("utf-8", "surrogateescape") + end])

    def take_out(self) -> None:
        """Take the line out again, and the file with it if it was made for such lines and holds none any more.

        Raises:
            UnsafePathError: the file is a link that leads out of the repository.
            MemtuiError: the file cannot be read or written.
        """
        lines = self._lines() if self.path.exists() else []
        place = self._place_in(lines)
        if place is None:
            return
        del lines[place]
        if b"".join(lines).strip() == HEAD.encode() and not self.path.is_symlink():
            self.path.unlink()
        else:
            self._put(lines)

    def _place_in(self, lines: Sequence[bytes]) -> int | None:
        own = self.text.encode("utf-8", "surrogateescape")
        return next((place for place, line in enumerate(lines) if line.strip() == own), None)

    def _lines(self) -> list[bytes]:
        try:
            return read_regular(self.path).splitlines(keepends=True)
        except OSError as error:
            raise SourceError(f"The file cannot be read: {error.strerror or error}", where=str(self.path)) from error

    def _put(self, lines: Sequence[bytes]) -> None:
        from memtui.publish.files import refuse_outside, write_atomically

        refuse_outside(self.path, self.root)
        write_atomically(self.path, b"".join(lines))


HEAD = "# What memtui does not import, written as in .gitignore"  # First line of an ignore file that memtui made


def ignore_lines(root: Path) -> list[IgnoreLine]:
    """Return the lines of a repository's ignore file that each leave out one file or folder that exists."""
    try:
        text = read_regular(root / IGNORE_FILE).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    names = (re.sub(r"\\(.)", r"\1", line.strip()[1:]) for line in text.split("\n") if line.startswith("/"))
    lines = (IgnoreLine(root, name) for name in dict.fromkeys(names) if name and "\0" not in name)
    written = {line.strip() for line in text.split("\n")}
    return [line for line in lines if line.text in written and (root / line.name).exists()]


def left_out(file: SourceFile, reader: Reader | None, lies_in: LeftOut | None) -> LeftOut | None:
    """Return why a file that was found by searching is not read; None if it is, or if it is of no interest.

    Args:
        file: the file.
        reader: the reader that recognises it, if any.
        lies_in: what the folders around it make of it.
    """
    if reader is not None and reader.format in {"vault", "jsonl", "claude-memory"}:
        return lies_in
    is_text = file.path.suffix.lower() in _TEXTS
    named = isinstance(reader, RuleReader) and not reader.folder(file)
    if is_text and (asked_for := _read_when_asked_for(file, is_named=named)):
        return asked_for
    if reader is None:
        unread = _unread(file, is_text=is_text)
        return (lies_in or unread) if unread else None
    if lies_in is LeftOut.EXAMPLE:
        return None if _holds_code(file) or _tells_of_its_tests(file) else lies_in
    return lies_in or (LeftOut.TEMPLATE if named and _is_beside_offered_skills(file) else None)


def _read_when_asked_for(file: SourceFile, *, is_named: bool) -> LeftOut | None:
    """Return why a text is read only when a skill or a person asks for it; None if it is not one of these."""
    if file.path.name != SKILL_FILE and skill_of(file) is not None:
        return LeftOut.SKILL_PART
    owned = None if is_named else _folder_started_by_name(file)
    if owned is None:
        return None
    if file.path.stem.lower() == "readme":
        # A page for people; in `.github`, which is no folder of assistants, it is of no interest.
        return None if file.name.startswith(".github/") else LeftOut.UNLOADED
    return LeftOut.UNLOADED if _is_article(file, *owned) else LeftOut.STARTED


def _is_beside_offered_skills(file: SourceFile) -> bool:
    """Return whether a file tells the users of a plugin or of a folder of skills, not those who work on it."""
    folder = file.path.parent
    if folder == file.root or folder.name.startswith("."):
        return False
    is_plugin = any((folder / manifest).is_file() for manifest in _PLUGIN_MANIFESTS)
    return (is_plugin or folder.name.lower().endswith("skills")) and any(folder.glob(f"skills/*/{SKILL_FILE}"))


def _folder_started_by_name(file: SourceFile) -> tuple[str, int] | None:
    """Return the folder of an assistant's agents, commands or prompts that holds a file, and how far above it is."""
    parts = file.name.split("/")[:-1]
    owner = next((number for number, part in enumerate(parts) if _is_assistants(part)), None)
    if owner is None or not set(parts[owner + 1 : owner + 2]) & folder_names("started_by_name"):
        return None
    return parts[owner + 1], len(parts) - owner - 2


def _is_article(file: SourceFile, folder: str, depth: int) -> bool:
    """Return whether a text in a folder below that of the agents is none itself: neither its name nor its head says so.

    A command may lie in any folder below that of the commands, which is part of its name.
    """
    if depth == 0 or folder not in folder_names("agents") or _AGENT_NAME.search(file.path.name.lower()):
        return False
    try:
        head = read_regular(file.path).decode("utf-8", "replace")
    except OSError:
        return False
    return _AGENT_KEYS.isdisjoint(split_frontmatter(head).values)


def _is_assistants(folder: str) -> bool:
    return folder == ".github" or folder in folder_names("assistants")


def _unread(file: SourceFile, *, is_text: bool) -> LeftOut | None:
    if file.path.name == SKILL_FILE:
        return LeftOut.OFFERED
    if is_misplaced(file) or file.path.name in folder_names("misnamed_files"):
        return LeftOut.MISPLACED
    parts = file.name.split("/")
    if is_text and any(part in folder_names("assistants") for part in parts[:-1]):
        return LeftOut.UNLOADED
    rules = {*parts[1:-1], file.path.stem} & folder_names("unknown_rules")
    of_tool = is_text and bool(rules) and parts[0].startswith(".") and parts[0] != ".github"
    return LeftOut.UNKNOWN_TOOL if of_tool or file.name in folder_names("unread_files") else None


def _holds_code(file: SourceFile) -> bool:
    """Return whether a file's folder, or the one around an assistant's folder, or one in it, holds code."""
    folder = file.path.parent
    while folder.name.startswith(".") and folder != file.root:
        folder = folder.parent
    return any(
        path.suffix.lower() not in _NO_CODE or path.name in _MANIFESTS
        for pattern in ("*", "*/*", "*/*/*")
        for path in islice(folder.glob(pattern), _MOST_LOOKED_AT)
        if path.is_file()
    )


def _tells_of_its_tests(file: SourceFile) -> bool:
    """Return whether a file among tests names its own folder from the root, as no sample does that a test reads."""
    folder = file.name.rpartition("/")[0]
    parts = set(folder.lower().split("/"))
    if len(parts) == 1 or not parts & folder_names("tests") or parts & folder_names("examples"):
        return False
    try:
        return f"{folder}/".encode() in file.raw
    except OSError:
        return False
