"""Configurations of assistants that name further files to load: Aider, OpenCode, Gemini CLI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.includes import is_inside
from memtui.capture.skip_codes import SkipCode
from memtui.text.json_comments import plain_json

_SETTINGS = "settings; the files they name are read"
_MAX_BYTES = 200_000


class ConfigReader:
    """Reads which files a configuration names: they are read in its place."""

    format = "assistant-config"
    label = "Files that a configuration names"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is such a configuration and names files that exist."""
        return file.name in CONFIG_FILES and bool(_named_files(file))

    def read(self, file: SourceFile) -> ReadResult:
        """Return no memories, but the files that are named."""
        lines = file.text.rstrip("\n").count("\n") + 1
        return ReadResult(
            skipped=[Skipped(file.name, (1, lines), _SETTINGS, code=SkipCode.CONFIGURATION)],
            includes=_named_files(file),
        )


def _aider(file: SourceFile) -> Any:
    return split_frontmatter(f"---\n{file.text}\n---\n").values.get("read")


def _opencode(file: SourceFile) -> Any:
    return _json(file.text).get("instructions")


def _gemini(file: SourceFile) -> Any:
    settings = _json(file.text)
    context = settings.get("context")
    return context.get("fileName") if isinstance(context, dict) else settings.get("contextFileName")


CONFIG_FILES = {
    ".aider.conf.yml": _aider,
    "opencode.json": _opencode,
    "opencode.jsonc": _opencode,
    ".opencode/opencode.json": _opencode,
    ".opencode/opencode.jsonc": _opencode,
    ".gemini/settings.json": _gemini,
}
"""Paths from the root of a project, each with what returns the value that names files."""


def _named_files(file: SourceFile) -> list[Path]:
    if file.path.stat().st_size > _MAX_BYTES:
        return []
    named = CONFIG_FILES[file.name](file)
    names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    found = {path: None for name in names if isinstance(name, str) for path in _matching(file, name)}
    return [path for path in found if is_inside(file, path)]


def _matching(file: SourceFile, name: str) -> Iterator[Path]:
    written = name.strip().removeprefix("./")
    if not written or "://" in written or written.startswith(("/", "~")) or ".." in written.split("/"):
        return
    try:
        yield from sorted(path for path in file.root.glob(written) if path.is_file())
    except (ValueError, OSError):
        return


def _json(text: str) -> dict[str, Any]:
    """Return an object of JSON with comments and trailing commas; empty for anything else."""
    try:
        value = json.loads(plain_json(text))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


READER = ConfigReader()
