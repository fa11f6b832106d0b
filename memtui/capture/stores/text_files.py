"""Stores in text files: JSON, JSONL, YAML, compressed ones, and folders of notes."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from memtui.capture.draft import Skipped
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stores.rows import Contents, loaded
from memtui.errors import SourceError
from memtui.regular_files import read_regular
from memtui.text.sanitize import decode

LARGEST_EXPANDED = 64 * 1024 * 1024
LARGEST_FILE = 512 * 1024 * 1024
LARGEST_YAML = 16 * 1024 * 1024
_ALIAS = re.compile(r"(?:^|[\s,\[{:-])\*[\w-]+[ \t]*(?=$|[,\]}\n])", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^|[\s,\[{:-])&[\w-]+(?=\s)", re.MULTILINE)


def file_text(path: Path) -> str:
    """Return the text of a file, expanded if it is compressed. Raises `SourceError`: it cannot be read."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SourceError("The file is too large for a store", where=str(path))
        raw = read_regular(path)
    except OSError as error:
        raise SourceError("The file cannot be read", where=str(path), remedy=error.strerror or str(error)) from error
    return decode(expanded(raw, path)).text


def expanded(raw: bytes, path: Path) -> bytes:
    """Return what compressed bytes hold, others as they are. Raises `SourceError`: damaged, or too large."""
    if raw[:2] != b"\x1f\x8b":
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            found = stream.read(LARGEST_EXPANDED + 1)
    except (OSError, EOFError, ValueError) as error:
        raise SourceError("The compressed file is damaged", where=str(path), remedy=str(error)) from error
    if len(found) > LARGEST_EXPANDED:
        raise SourceError("The file expands to more than 64 MiB", where=str(path), remedy="It was not read.")
    return found


def zip_member(path: Path, name: str) -> str:
    """Return the text of a file in a zip; empty if it is not there. Raises `SourceError`: damaged, or too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = next((member for member in archive.infolist() if Path(member.filename).name == name), None)
            if found is None:
                return ""
            with archive.open(found) as stream:
                raw = stream.read(LARGEST_EXPANDED + 1)
    except (OSError, zipfile.BadZipFile, RuntimeError, EOFError, NotImplementedError) as error:
        raise SourceError("The archive is damaged or encrypted", where=str(path), remedy=str(error)) from error
    if len(raw) > LARGEST_EXPANDED:
        raise SourceError("The archive expands to more than 64 MiB", where=str(path), remedy="It was not read.")
    return decode(expanded(raw, path)).text


def json_object(path: Path, tool: str, contents: Contents) -> dict[str, Any]:
    """Return the object of a JSON export. Raises `SourceError`: the file holds none."""
    values = json_values(file_text(path), path.as_posix(), contents)
    if len(values) == 1 and isinstance(values[0], dict):
        return values[0]
    raise SourceError(f"Not an export of {tool}", where=str(path))


def json_values(written: str, name: str, contents: Contents) -> list[Any]:
    """Return the value of a JSON text, or that of each line of JSONL.

    Lines that are no JSON are reported. Of a text that is damaged or was cut off, what stands before that is read.
    """
    where = fault(written)
    if where is None:
        return [json.loads(written)]
    lines = [(number, line) for number, line in enumerate(written.split("\n"), 1) if line.strip()]
    begun = begun_value(written[:where]) if lines and loaded(lines[0][1]) is None else None
    if begun is not None:
        at = written.count("\n", 0, where) + 1
        contents.problems.append(
            Skipped(name, (at, at), "damaged JSON: what stands before this line was read", code=SkipCode.DAMAGED)
        )
        return [begun]
    values: list[Any] = []
    for number, row in lines:
        try:
            values.append(json.loads(row))
        except (ValueError, RecursionError) as error:
            contents.problems.append(
                Skipped(name, (number, number), f"not JSON: {str(error)[:80]}", code=SkipCode.BAD_ROW)
            )
    return values


def fault(written: str) -> int | None:
    """Return where a text is no longer JSON, 0 where it is nested too deeply; None if it is JSON."""
    try:
        json.loads(written)
    except ValueError as error:
        return int(getattr(error, "pos", 0))
    except RecursionError:
        return 0
    return None


_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def begun_value(written: str) -> Any:
    """Return the value that a JSON text begins, up to the last part in it that is whole; None if there is none."""
    open_ones: list[str] = []
    end, closing = 0, ""
    for sign in _SIGN.finditer(written):
        if sign[0] in "[{":
            open_ones.append("]" if sign[0] == "[" else "}")
        elif sign[0] in "]}" and open_ones:
            open_ones.pop()
            end, closing = sign.end(), "".join(reversed(open_ones))
    return loaded(written[:end] + closing) if closing else None


def json_lines(path: Path, contents: Contents) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file, of a JSON list, or the one object; everything else is reported."""
    written = file_text(path)
    values = json_values(written, path.as_posix(), contents)
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return [value for value in values if isinstance(value, dict)]


def yaml_value(path: Path, contents: Contents) -> Any:
    """Return the value of a YAML file, or what stands before the item where it is damaged.

    Raises `SourceError`: not YAML, too large, or it grows by aliases.
    """
    written = file_text(path)
    if len(written) > LARGEST_YAML:
        raise SourceError("The file is too large for a store", where=str(path))
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if _ANCHOR.search(written) or _ALIAS.search(written):
        try:
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(written, Loader=loader)):
                raise SourceError(
                    "The file uses YAML aliases, by which it could grow without end",
                    where=str(path),
                    remedy="It was not read.",
                )
        except yaml.YAMLError as error:
            raise SourceError("Invalid YAML", where=str(path), remedy=str(error)[:200]) from error
    try:
        return yaml.load(written, Loader=loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        is_syntax = isinstance(error, yaml.scanner.ScannerError | yaml.parser.ParserError)
        mark = getattr(error, "problem_mark", None) if is_syntax else None
        begun = _yaml_before(written, mark.line, loader) if mark is not None else None
        if begun is None:
            raise SourceError("Invalid YAML", where=str(path), remedy=str(error)[:200]) from error
        value, line = begun
        reason = "damaged YAML: what stands before this line was read"
        contents.problems.append(Skipped(path.as_posix(), (line, line), reason, code=SkipCode.BAD_ROW))
        return value


CUTS_TRIED = 3  # Items before the place where YAML is damaged: it is often noticed later


def _yaml_before(written: str, fault_line: int, loader: Any) -> tuple[Any, int] | None:
    """Return what a YAML text holds before the item that is damaged, and the line where that begins."""
    lines = written.split("\n")
    starts = [number for number in range(min(fault_line, len(lines) - 1), 0, -1) if lines[number].startswith("  - ")]
    for start in starts[:CUTS_TRIED]:
        try:
            return yaml.load("\n".join(lines[:start]), Loader=loader), start + 1  # noqa: S506 - a safe loader
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
    return None


MOST_FILES = 20_000
MOST_DEEP = 24


def notes_of(root: Path, contents: Contents, *, suffixes: tuple[str, ...] = (".md",)) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder with these suffixes, by name; links that lead out of it are left out."""
    real = root.resolve()
    found: list[Path] = []
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if not (here / name).is_symlink() or _reported(here / name, real, contents)
        )
        if len(here.relative_to(root).parts) >= MOST_DEEP:
            folders.clear()
        found += [here / name for name in names if name.lower().endswith(suffixes)]
    for path in sorted(found)[:MOST_FILES]:
        if path.is_symlink() and not _leads_inside(path, real):
            contents.problems.append(
                Skipped(path.as_posix(), None, "a link that leads outside the store", code=SkipCode.OUTSIDE)
            )
        elif path.is_file():
            yield path.relative_to(root).as_posix(), path
        else:
            contents.problems.append(Skipped(path.as_posix(), None, "no regular file", code=SkipCode.IRREGULAR))


def _reported(folder: Path, real: Path, contents: Contents) -> bool:
    """Report a linked folder; it is never entered: one inside is read in its own place."""
    if not _leads_inside(folder, real):
        contents.problems.append(
            Skipped(folder.as_posix(), None, "a link that leads outside the store", code=SkipCode.OUTSIDE)
        )
    return False


def _leads_inside(path: Path, real: Path) -> bool:
    try:
        return path.resolve().is_relative_to(real)
    except (OSError, RuntimeError):
        return False


def note_text(path: Path, contents: Contents) -> str:
    """Return the text of a note; one that cannot be read is reported, and empty."""
    try:
        return file_text(path)
    except SourceError as error:
        contents.problems.append(
            Skipped(path.as_posix(), None, f"{error.what}: {error.remedy or ''}".strip(": "), code=SkipCode.UNREADABLE)
        )
        return ""
