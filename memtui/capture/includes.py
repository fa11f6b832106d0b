"""Files that a rule file includes: `@path` imports and symbolic links."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.capture.blocks import code_lines
from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.frontmatter import Frontmatter
from memtui.capture.skip_codes import SkipCode, SkipReason

_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`).{1,2000}?(?<!`)\1(?!`)")
_INLINE_COMMENT = re.compile(r"<!--.{0,2000}?-->")
_IMPORT = re.compile(r"(?<![\w`@./\\)\]-])@((?:\\ |[^\s`\"'<>()\[\]{}|,;@\\]|\\(?=[\w.]))+)")
_PATH_LIKE = re.compile(
    r"(?:\.{1,2}[/\\]|~[/\\]|/).|.*\.(?:mdc?|markdown|txt|rst|adoc|json|ya?ml|toml)$", re.IGNORECASE
)
_LINK_TEXT = re.compile(r"[^\s<>|*?\"'`#@][^\n<>|*?\"'`]{0,250}\n?\Z")
_LOOKED_AT_CHARS = 20_000
_LONGEST_PATH = 260


@dataclass(frozen=True, slots=True)
class ImportMark:
    """An `@path` in a text."""

    path: str  # the path as written, without the `@`
    line: int  # its line, counted from 1


def find_imports(text: str, *, first_line: int = 1) -> list[ImportMark]:
    """Return every `@word` that may be an import: outside fences, indented code, code spans and comments."""
    if "@" not in text:
        return []
    lines = text.split("\n")
    hidden = code_lines(lines)
    return [
        ImportMark(path, number + first_line)
        for number, line in enumerate(lines)
        if "@" in line and number not in hidden
        for path in _marks(line)
    ]


def _marks(line: str) -> Iterator[str]:
    shown = _INLINE_COMMENT.sub("`", _CODE_SPAN.sub("`", line[:_LOOKED_AT_CHARS]))
    for found in _IMPORT.finditer(shown):
        path = found[1].replace("\\ ", " ").rstrip(".:!?*_")
        if path and len(path) <= _LONGEST_PATH:
            yield path


def resolve_imports(file: SourceFile, text: str, *, first_line: int = 1) -> tuple[list[Path], list[Skipped]]:
    """Return the existing files that a text imports, and the imports that are not followed, with the reason.

    A word that names no file counts as an import only if it looks like a path; `@param` and `@scope/package` are words.
    """
    includes: dict[Path, None] = {}
    skipped = []
    for mark in find_imports(text, first_line=first_line):
        target = _target(file, mark.path)
        span = (mark.line, mark.line)
        if target is None or not _is_file(target):
            if _PATH_LIKE.match(mark.path):
                skipped.append(Skipped(file.name, span, f"import not found: @{mark.path}", code=SkipCode.MISSING))
        elif not is_inside(file, target):
            skipped.append(
                Skipped(file.name, span, f"outside the project: import it by name: @{mark.path}", code=SkipCode.OUTSIDE)
            )
        else:
            includes[target] = None
    return list(includes), skipped


def link_target(file: SourceFile) -> Path | None:
    """Return the file that a file names as its whole text: a symbolic link checked out as text."""
    if len(file.raw) > _LONGEST_PATH or not _LINK_TEXT.match(file.text):
        return None
    target = _target(file, file.text.strip())
    if target is None or target == file.path or not _is_file(target) or not is_inside(file, target):
        return None
    return target


def is_inside(file: SourceFile, target: Path) -> bool:
    """Return whether a target really lies in the project, or in `.claude` for a user's own file there."""
    real = Path(os.path.realpath(target))
    if real.is_relative_to(os.path.realpath(file.root)):
        return True
    own_folder = file.home / ".claude"
    return file.path.is_relative_to(own_folder) and real.is_relative_to(os.path.realpath(own_folder))


def _target(file: SourceFile, written: str) -> Path | None:
    if "\0" in written:
        return None
    if written.startswith(("~/", "~\\")):
        return Path(os.path.normpath(file.home / written[2:]))
    slashed = written.replace("\\", "/") if os.sep == "/" else written
    return Path(os.path.normpath(file.path.parent / slashed))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def add_imports(result: ReadResult, file: SourceFile, settings: Frontmatter) -> None:
    """Add the files that a text imports with `@path`, and the imports that are not followed."""
    includes, unread = resolve_imports(file, settings.body, first_line=settings.body_first_line)
    explained = {skipped.span for skipped in unread}
    result.skipped = [
        gap for gap in result.skipped if gap.reason != SkipReason.IMPORT or gap.span not in explained
    ] + unread
    result.sort_skipped()
    result.includes.extend(includes)
