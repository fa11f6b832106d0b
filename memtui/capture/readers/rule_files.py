"""Readers of rule files, which one table describes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from memtui.capture.draft import DraftMaker, ReadResult, Skipped, SourceFile
from memtui.capture.folders import folder_of, is_below_home, within_folder
from memtui.capture.frontmatter import Frontmatter, globs_of, split_frontmatter, without_wrapper
from memtui.capture.includes import add_imports, link_target
from memtui.capture.markdown import PIECE_CHARS
from memtui.capture.markdown_drafts import drafts_from_markdown
from memtui.capture.prose import is_statement, is_strong
from memtui.capture.skip_codes import SkipCode
from memtui.text.tables import read_table

_MATCH_ALL = frozenset({"*", "**", "**/*", "**/**"})


@dataclass(frozen=True, kw_only=True)
class RuleReader:
    """Reads the rule files of one assistant."""

    format: str
    label: str
    agent: str | None = None
    # ends of paths that name such a file in any folder. On a case-sensitive disk an assistant finds only this spelling,
    # so another one counts only where a person surely means it: at the root
    names: tuple[str, ...] = ()
    root_names: tuple[str, ...] = ()  # the same, at the root of the repository only; `*` stands for part of a name
    folders: tuple[str, ...] = ()  # folders, wherever they lie, whose files with one of the suffixes are such files
    suffixes: tuple[str, ...] = (".md",)
    skipped_names: tuple[str, ...] = ()  # files of those folders that are not, in lower case
    # names of which such a folder has at least one unless it lies at the root, in lower case
    marks: tuple[str, ...] = ()
    marked_by: tuple[str, ...] = ()  # an end of a name and a setting that together tell such a file in any place
    home_folders: tuple[str, ...] = ()  # folders below the user's home; what lies there holds for every project
    # the assistant, where its folder or file tells which of several it is
    agents: Mapping[str, str] = field(default_factory=dict, hash=False)
    globs_keys: tuple[
        str, ...
    ] = ()  # the frontmatter's keys for the files that a rule is about, the first that is there
    # key and value by which a frontmatter says that a rule is about every file
    always: tuple[str, object] | None = None
    match_all_is_none: bool = False  # whether a pattern that fits every file counts as none
    global_globs: bool = False  # whether a rule in the user's home keeps its globs
    anchored: bool = True  # whether a file in a subfolder is about that folder only
    title_keys: tuple[str, ...] = ()  # the frontmatter's keys for a title, the first that is there
    whole_if_titled: bool = False  # whether a short text with a title stays one memory
    hint: str = ""  # what the files say of the kind of their memories, as `explain_kind` takes it
    hints: Mapping[str, str] = field(default_factory=dict, hash=False)  # the same for single names
    is_link: bool = False  # whether a file whose whole text is a path stands for that file
    imports: bool = False  # whether `@path` imports a file

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is one of these rule files, by its path."""
        name = f"/{file.name.lstrip('/')}"
        if self._named.search(name) or (self._named_otherwise.search(name) and not folder_of(file)):
            return True
        if self.folder(file):
            is_text = name.lower().endswith(self.suffixes) and file.path.name.lower() not in self.skipped_names
            return is_text and self._is_marked(file)
        return self._has_its_setting(file)

    def looks_like(self, file: SourceFile) -> bool:
        """Return whether the file bears one of the names in another spelling, or in a place where it does not count."""
        name = f"/{file.name.lstrip('/')}"
        return bool(self._named_otherwise.search(name) or self._rooted.search(name))

    def folder(self, file: SourceFile) -> str:
        """Return the path of the rule folder that the file lies in; empty if it lies in none."""
        path = file.path.as_posix()
        found = self._foldered.search(path)
        return path[: found.end() - 1] if found else ""

    def read(self, file: SourceFile) -> ReadResult:
        """Return the file's memories, anchored to the files that it is about, or to the folder it lies in."""
        if self.is_link and (target := link_target(file)):
            reason = f"only names {file.text.strip()}, which is read instead"
            return ReadResult(
                skipped=[Skipped(file.name, (1, 1), reason, code=SkipCode.READ_INSTEAD)], includes=[target]
            )
        settings = split_frontmatter(without_wrapper(file.text), documented=bool(self.globs_keys or self.title_keys))
        is_global = is_below_home(file, *self.home_folders)
        globs = self._globs(settings)
        title = next(filter(None, map(settings.text, self.title_keys)), "").removesuffix(".")
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=self._agent(file),
            anchors=self._global_anchors(globs) if is_global else self._anchors(file, globs),
            scope="global" if is_global else "project",
            hint=self._hint(file),
        )
        whole_chars = PIECE_CHARS if title and self.whole_if_titled else 0
        result = drafts_from_markdown(maker, settings, title=title, whole_chars=whole_chars)
        if not settings.body.strip() and is_strong(title) and is_statement(title):
            span = (1, settings.raw.rstrip("\n").count("\n") + 1)  # a rule that stands where its name should
            result = ReadResult()
            result.add(maker.draft(title, span=span, native_id="#1"))
            return result
        if self.imports:
            add_imports(result, file, settings)
        return result

    @property
    def hint_of_path(self) -> str:
        """A pattern that every path has, in any case, that is one of these files or resembles one."""
        ends = _one_of((*self.names, *self.root_names))
        return f"/{ends}$|/{_one_of(self.folders)}/|{re.escape(self.marked_by[0]) if self.marked_by else '(?!)'}$"

    @cached_property
    def _named(self) -> re.Pattern[str]:
        return re.compile(f"/{_one_of(self.names)}$|^/{_one_of(self.root_names)}$")

    @cached_property
    def _named_otherwise(self) -> re.Pattern[str]:
        return re.compile(f"/{_one_of(self.names)}$", re.IGNORECASE)

    @cached_property
    def _rooted(self) -> re.Pattern[str]:
        return re.compile(f"/{_one_of(self.root_names)}$", re.IGNORECASE)

    @cached_property
    def _foldered(self) -> re.Pattern[str]:
        return re.compile(f"/{_one_of(self.folders)}/")

    def _is_marked(self, file: SourceFile) -> bool:
        """Return whether the rule folder is surely one: by its place, or by a file that such folders have."""
        folder = Path(self.folder(file))
        if not self.marks or folder.parent == file.root or not folder_of(file, in_rule_folder=True):
            return True
        return any(path.name.lower() in self.marks for path in folder.rglob("*.md"))

    def _has_its_setting(self, file: SourceFile) -> bool:
        if not self.marked_by or not file.path.name.lower().endswith(self.marked_by[0]):
            return False
        return self.marked_by[1] in split_frontmatter(without_wrapper(file.text)).values

    def _globs(self, settings: Frontmatter) -> tuple[str, ...]:
        if self.always is not None and settings.values.get(self.always[0]) == self.always[1]:
            return ()
        globs = next(filter(None, (globs_of(settings.values.get(key)) for key in self.globs_keys)), ())
        return tuple(glob for glob in globs if glob not in _MATCH_ALL) if self.match_all_is_none else globs

    def _global_anchors(self, globs: tuple[str, ...]) -> tuple[str, ...]:
        return globs if self.global_globs else ()

    def _anchors(self, file: SourceFile, globs: tuple[str, ...]) -> tuple[str, ...]:
        if not self.anchored:
            return ()
        if globs and not self.folder(file) and self.marked_by:
            return globs
        return within_folder(folder_of(file, in_rule_folder=bool(self.folder(file))), globs)

    def _agent(self, file: SourceFile) -> str | None:
        return next((self.agents[part] for part in file.path.parts if part in self.agents), self.agent)

    def _hint(self, file: SourceFile) -> str | None:
        if self.hint:
            return f"{self.hint}:{file.path.stem}"
        return self.hints.get(file.path.name)


def _one_of(names: tuple[str, ...]) -> str:
    written = ("[^/]*".join(map(re.escape, name.split("*"))) for name in names)
    return f"(?:{'|'.join(written) or '(?!)'})"


def rule_readers() -> tuple[RuleReader, ...]:
    """Return the readers of the table, in its order."""
    return tuple(RuleReader(**_settings(row)) for row in read_table(__file__, "rule_files.toml")["rules"])


def _settings(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
