"""Editing a memory as a file in the person's own editor; a file that cannot be read back is kept."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from memtui.domain.memory import Anchor, Memory
from memtui.domain.record import RecordError, memory_from_record
from memtui.errors import MemtuiError, UsageError
from memtui.publish.memory_file import parse_memory, render_memory


def find_editor() -> list[str]:
    """Return the command of the person's editor.

    Raises:
        UsageError: none is set and none is found.
    """
    for name in ("MEMTUI_EDITOR", "VISUAL", "EDITOR"):
        chosen = os.environ.get(name)
        if chosen:
            return shlex.split(chosen)
    for candidate in ("nano", "vim", "vi", "notepad"):
        if shutil.which(candidate):
            return [candidate]
    raise UsageError("No editor is set", where="$EDITOR", remedy="Set it, or edit by options: `memtui edit --help`.")


def edit_in_editor(memory: Memory) -> dict[str, Any]:
    """Open a memory in the editor; returns the fields that changed.

    Raises:
        MemtuiError: the editor failed, or the file cannot be read as a memory; the file is kept and named.
    """
    before = render_memory(memory)
    path = _temporary_file(memory.id, before)
    command = [*find_editor(), str(path)]
    try:
        done = subprocess.run(command, check=False)
    except OSError as error:
        raise UsageError(f"The editor cannot be started ({error.strerror})", where=command[0]) from error
    if done.returncode != 0:
        raise MemtuiError(
            f"The editor ended with status {done.returncode}",
            where=str(path),
            remedy="The file was kept; nothing was saved.",
        )
    after = path.read_text(encoding="utf-8-sig", errors="replace")
    if after == before:
        path.unlink()
        return {}
    parsed = parse_memory(after.replace("\r\n", "\n"))
    problem = parsed.problem or (f"line {parsed.ignored[0]} is no `key: value`" if parsed.ignored else "")
    edited = memory
    if not problem:
        try:
            edited = memory_from_record(parsed.record, now=memory.updated_at, new_id=memory.id)
        except RecordError as error:
            problem = str(error)
    if problem:
        raise MemtuiError(
            f"The edited file cannot be read as a memory ({problem})",
            where=str(path),
            remedy="It was kept; mend it and paste it, or start again. Nothing was saved.",
        )
    path.unlink()
    return _changes(memory, edited)


def _temporary_file(identifier: str, text: str) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=f"memtui-{identifier[:20].replace(os.sep, '_')}-", suffix=".md")
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return Path(name)


def _changes(memory: Memory, edited: Memory) -> dict[str, Any]:
    fields = [
        "title",
        "insight",
        "rationale",
        "snippet",
        "kind",
        "tags",
        "importance",
        "confidence",
        "half_life_days",
        "valid_from",
        "valid_until",
        "due_at",
        "project",
    ]
    values = {name: getattr(edited, name) for name in fields if getattr(edited, name) != getattr(memory, name)}
    if [anchor.path for anchor in edited.anchors] != [anchor.path for anchor in memory.anchors]:
        known = {anchor.path: anchor for anchor in memory.anchors}
        values["anchors"] = tuple(known.get(anchor.path, Anchor(anchor.path)) for anchor in edited.anchors)
    return values
