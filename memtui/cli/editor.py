"""Editing a memory as a file in the person's own editor; a file that cannot be read back is kept."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.curate.editing import EDITABLE
from memtui.domain.memory import Anchor, Memory
from memtui.domain.record import RecordError, memory_from_record, memory_record
from memtui.errors import MemtuiError, UsageError
from memtui.publish.memory_file import parse_memory, render_memory
from memtui.text.decoding import decode


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


@dataclass(frozen=True, slots=True)
class Edited:
    """What came back from the editor.

    Attributes:
        values: the fields that changed.
        path: the file, to be deleted once they are saved.
        left_alone: keys that were changed in the file but are not edited this way.
    """

    values: dict[str, Any]
    path: Path
    left_alone: tuple[str, ...] = ()


def edit_in_editor(memory: Memory) -> Edited:
    """Open a memory in the editor and read the file back.

    Raises:
        MemtuiError: the editor failed, or the file cannot be read as a memory; the file is kept and named.
    """
    before = render_memory(memory)
    command = find_editor()
    path = _temporary_file(memory.id, before)
    try:
        done = subprocess.run([*command, str(path)], check=False)
    except OSError as error:
        path.unlink()
        raise UsageError(f"The editor cannot be started ({error.strerror})", where=command[0]) from error
    if done.returncode != 0:
        raise MemtuiError(
            f"The editor ended with status {done.returncode}",
            where=str(path),
            remedy="The file was kept; nothing was saved.",
        )
    try:
        after = decode(path.read_bytes()).text
    except OSError as error:
        raise MemtuiError(f"The edited file is gone ({error.strerror})", where=str(path)) from error
    if after == before:
        return Edited({}, path)
    edited = _read_back(memory, after, path)
    mine, theirs = memory_record(memory), memory_record(edited)
    changed = [key for key in dict.fromkeys((*mine, *theirs)) if mine.get(key) != theirs.get(key)]
    return Edited(_changes(memory, edited), path, tuple(key for key in changed if key not in EDITABLE))


def _read_back(memory: Memory, text: str, path: Path) -> Memory:
    parsed = parse_memory(text)
    problem = parsed.problem or (f"line {parsed.ignored[0]} is no `key: value`" if parsed.ignored else "")
    if not problem and parsed.record.get("id") != memory.id:
        problem = f"the line `id: {memory.id}` is missing or changed"
    if not problem and not parsed.record.get("insight"):
        problem = "it has no text"
    try:
        if not problem:
            return memory_from_record(parsed.record, now=memory.updated_at, new_id=memory.id)
    except RecordError as error:
        problem = str(error)
    raise MemtuiError(
        f"The edited file cannot be read as a memory ({problem})",
        where=str(path),
        remedy="It was kept; mend it and paste it, or start again. Nothing was saved.",
    )


def _temporary_file(identifier: str, text: str) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=f"memtui-{identifier[:20].replace(os.sep, '_')}-", suffix=".md")
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return Path(name)


def _changes(memory: Memory, edited: Memory) -> dict[str, Any]:
    fields = [name for name in EDITABLE if name != "anchors"]
    values = {name: getattr(edited, name) for name in fields if getattr(edited, name) != getattr(memory, name)}
    if [anchor.path for anchor in edited.anchors] != [anchor.path for anchor in memory.anchors]:
        known = {anchor.path: anchor for anchor in memory.anchors}
        values["anchors"] = tuple(known.get(anchor.path, Anchor(anchor.path)) for anchor in edited.anchors)
    return values
