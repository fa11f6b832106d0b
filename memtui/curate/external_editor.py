"""Edit a memory as a file in the user's editor; an unreadable file is kept."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui import locations
from memtui.curate.memories import EDITABLE
from memtui.domain.memory import MATCHED, Anchor, Memory
from memtui.domain.record import RecordError, memory_from_record, memory_record
from memtui.errors import MemtuiError, UsageError
from memtui.publish.memory_file import parse_memory, render_memory
from memtui.text.sanitize import decode

_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
"""Editors that take `--goto FILE:LINE`."""

_COLON = frozenset({"subl", "zed", "hx", "helix", "micro"})  # Editors that take `FILE:LINE`

_PLUS = frozenset({"vi", "vim", "nvim", "nano", "pico", "emacs", "emacsclient", "kak", "joe", "ne", "mg", "gvim"})
"""Editors that take `+LINE FILE`."""


_AT_ONCE_SECONDS = 1.0  # Nobody reads a text in less

_WAIT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*_GOTO, "subl", "mate", "atom"), ("--wait", "-w")),
    "zed": ("--wait", "-w"),
    "gvim": ("--nofork", "-f"),
}
"""Options of editors that return at once, by which they wait until the file is closed; the first one is added."""


def find_editor() -> list[str]:
    """Return the command of the user's editor.

    Raises `UsageError`: none is set and none is found, or the setting is not a valid command.
    """
    for name in ("MEMTUI_EDITOR", "VISUAL", "EDITOR"):
        chosen = os.environ.get(name, "").strip()
        if chosen:
            try:
                return shlex.split(chosen)
            except ValueError as error:
                raise UsageError(
                    f"The editor is not a valid command ({error})",
                    where=f"${name}",
                    remedy="Set it to a command line such as `vim`.",
                ) from error
    for candidate in ("nano", "vim", "vi", "notepad"):
        if shutil.which(candidate):
            return [candidate]
    raise UsageError("No editor is set", where="$EDITOR", remedy="Set it, or edit by options: `memtui edit --help`.")


def editor_command(path: Path, line: int | None = None) -> list[str]:
    """Return the command that opens a file in the user's editor, at a line where the editor supports it.

    Raises `UsageError`: there is no editor.
    """
    command = find_editor()
    name = Path(command[0]).stem.lower()
    if line is None:
        return [*command, str(path)]
    if name in _GOTO:
        return [*command, "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*command, f"{path}:{line}"]
    return [*command, f"+{line}", str(path)] if name in _PLUS else [*command, str(path)]


@dataclass(frozen=True, slots=True)
class EditorFile:
    """A temporary file for the editor, with the text as written."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class MemoryFile(EditorFile):
    """The file of a memory."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Edited:
    """What came back from the editor."""

    values: dict[str, Any]  # the fields that changed
    path: Path  # the file, to be deleted once they are saved
    left_alone: tuple[str, ...] = ()  # keys that were changed in the file but cannot be edited this way


def edit_in_editor(memory: Memory) -> Edited:
    """Open a memory in the editor and read the file back.

    Raises `MemtuiError`: the editor failed, or the file cannot be read as a memory; the file is kept and named.
    """
    find_editor()
    file = write_memory_file(memory)
    run_editor(file)
    return read_memory_file(file)


def write_memory_file(memory: Memory) -> MemoryFile:
    """Write a memory to a temporary file that only its owner can read."""
    file = write_text_file(render_memory(memory), locations.file_stem(memory.id))
    return MemoryFile(file.path, file.text, memory)


def write_text_file(text: str, name: str) -> EditorFile:
    """Write a text to a temporary file that only its owner can read."""
    descriptor, path = tempfile.mkstemp(prefix=f"{locations.EDITOR_PREFIX}{name}-", suffix=locations.EDITOR_SUFFIX)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return EditorFile(Path(path), text)


def waiting_command(path: Path, line: int | None = None) -> list[str]:
    """Return the command of the user's editor on a file, which returns once the file is closed."""
    program, *arguments = editor_command(path, line)
    waits = _WAIT.get(Path(program).stem.lower(), ())
    return [program, *(waits[:1] if not set(waits) & set(arguments) else ()), *arguments]


def run_editor(file: EditorFile) -> None:
    """Run the editor on a file until it exits; one that would return at once is told to wait.

    Raises:
        UsageError: it cannot be started; an untouched file is deleted.
        MemtuiError: it failed; the file is kept and named.
    """
    command = waiting_command(file.path)
    began = time.monotonic()
    try:
        done = subprocess.run(command, check=False)
    except (OSError, ValueError) as error:
        discard_untouched(file)
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"The editor cannot be started ({reason})", where=command[0], remedy="Set EDITOR to a command that exists."
        ) from error
    if done.returncode != 0:
        raise MemtuiError(
            f"The editor exited with status {done.returncode}",
            where=str(file.path),
            remedy="The file was kept; nothing was saved.",
        )
    told_to_wait = _is_known(command[0]) or not {"--wait", "-w"}.isdisjoint(command[1:])
    if not told_to_wait and time.monotonic() - began < _AT_ONCE_SECONDS and _is_untouched(file):
        raise MemtuiError(
            f"{command[0]} returned at once and changed nothing",
            where=str(file.path),
            remedy="If it is still open, it did not wait: the file was kept, and nothing was saved."
            " Set EDITOR to a command that waits until the file is closed.",
        )


def _is_known(program: str) -> bool:
    """Return whether an editor is known to run until its file is closed, or to be told to."""
    name = Path(program).stem.lower()
    return name in _PLUS or name in _COLON or name in _WAIT or name == "notepad"


def _is_untouched(file: EditorFile) -> bool:
    try:
        return file.path.read_bytes() == file.text.encode()
    except OSError:
        return False


def discard_untouched(file: EditorFile) -> None:
    """Delete a file that still holds the text as written."""
    if _is_untouched(file):
        with suppress(OSError):
            file.path.unlink()


def read_memory_file(file: MemoryFile) -> Edited:
    """Read an edited file back. Raises `MemtuiError`: it cannot be read as a memory; it is kept and named."""
    after = read_text_file(file)
    if after == file.text:
        return Edited({}, file.path)
    edited = _read_back(file.memory, after, file.path)
    mine, theirs = memory_record(file.memory), memory_record(edited)
    changed = [key for key in dict.fromkeys((*mine, *theirs)) if mine.get(key) != theirs.get(key)]
    return Edited(_changes(file.memory, edited), file.path, tuple(key for key in changed if key not in EDITABLE))


def read_text_file(file: EditorFile) -> str:
    """Read an edited file back as text. Raises `MemtuiError`: it is gone."""
    try:
        return decode(file.path.read_bytes()).text
    except OSError as error:
        raise MemtuiError(f"The edited file is gone ({error.strerror})", where=str(file.path)) from error


def _read_back(memory: Memory, text: str, path: Path) -> Memory:
    parsed = parse_memory(text)
    problem = parsed.problem or (f"line {parsed.ignored[0]} is not `key: value`" if parsed.ignored else "")
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
        remedy="The file was kept; fix it and paste it, or start again. Nothing was saved.",
    )


def _changes(memory: Memory, edited: Memory) -> dict[str, Any]:
    fields = [name for name in EDITABLE if name != "anchors"]
    values = {name: getattr(edited, name) for name in fields if getattr(edited, name) != getattr(memory, name)}
    if [anchor.path for anchor in edited.anchors] != [anchor.path for anchor in memory.anchors]:
        known = {anchor.path: anchor for anchor in memory.anchors}
        values["anchors"] = tuple(known.get(anchor.path, Anchor(anchor.path, MATCHED)) for anchor in edited.anchors)
    return values
