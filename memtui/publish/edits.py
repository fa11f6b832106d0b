"""Write files of others around a change of the vault: all of them or none, each with a backup, also in a crash."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.domain.record import Record, format_time
from memtui.errors import BlockChangedError, ConflictError, MemtuiError, RefusedError
from memtui.publish import managed_blocks
from memtui.publish.destinations import folder_published_in
from memtui.publish.files import refuse_outside, write_atomically
from memtui.publish.managed_blocks import Block
from memtui.vault.journal import Step, change_at, last_number
from memtui.vault.lease import UNFINISHED, published_folder
from memtui.vault.publications import BLOCK, CUT, PUBLICATION
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700

LARGEST_FILE = 16 * 1024 * 1024  # Bytes; a rules file that is larger is something else


def read_file(path: Path, base: Path) -> bytes | None:
    """Return a file's bytes, None if there is none.

    Raises `RefusedError`: it leads outside of its folder by a link, or is no regular file.
    """
    if base.exists():
        refuse_outside(path, base)
    try:
        if path.is_dir() or (path.exists() and not path.is_file()):
            raise RefusedError("This is not a regular file", where=str(path))
        if path.exists() and path.stat().st_size > LARGEST_FILE:
            raise RefusedError("The file is too large for a rules file", where=str(path))
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusedError(f"The file cannot be read ({error.strerror})", where=str(path)) from error


@dataclass(frozen=True, slots=True)
class Edit:
    """One file as it was, and as it is to be; None: no file."""

    path: Path
    base: Path  # the folder that it must lie in
    before: bytes | None
    after: bytes | None
    emptied_below: Path | None = None  # the folder below which empty ones go with the file, None for `base`


@contextmanager
def written(vault: Vault, writer: VaultWriter, edits: Sequence[Edit]) -> Iterator[None]:
    """Write files around a change of the vault: if either fails, both are as before. The change must be journaled.

    Raises:
        ConflictError: a file is not what it was.
        MemtuiError: the system refuses; nothing is changed.
    """
    if not edits:
        yield
        return
    for edit in edits:
        if edit.base.exists():
            refuse_outside(edit.path, edit.base)
        if read_file(edit.path, edit.base) != edit.before:
            raise ConflictError(
                "The file changed since it was read",
                where=str(edit.path),
                remedy="Look at it again; nothing was changed.",
            )
    _keep(vault, writer, edits)
    try:
        for edit in edits:
            _write(edit.path, edit.after)
            if edit.after is None:
                _drop_folders(edit)
        yield
    except BaseException:
        for edit in reversed(edits):
            _put_back(edit)
        raise
    finally:
        with suppress(OSError):
            (published_folder(vault.path) / UNFINISHED).unlink(missing_ok=True)


def _write(path: Path, data: bytes | None) -> None:
    if data is not None:
        write_atomically(path, data)
        return
    try:
        # As it is written: through a link, which stays.
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise MemtuiError(f"The file cannot be removed ({error.strerror})", where=str(path)) from error


def _drop_folders(edit: Edit) -> None:
    """Remove the folders that a removed file leaves empty, below the one it must lie in."""
    top = edit.emptied_below or edit.base
    for folder in edit.path.parents:
        if folder == top or not folder.is_relative_to(top):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _put_back(edit: Edit) -> None:
    """Give a file back what it was, unless somebody else has changed it."""
    with suppress(OSError, MemtuiError):
        if (edit.path.read_bytes() if edit.path.exists() else None) == edit.after:
            _write(edit.path, edit.before)


# -- what a crash leaves ------------------------------------------------------------------------------


def _keep(vault: Vault, writer: VaultWriter, edits: Sequence[Edit]) -> None:
    """Keep a backup of each file, and the old bytes of all until all are written and the vault has the change."""
    folder = published_folder(vault.path)
    for one in (folder.parent, folder):
        one.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
    for edit in edits:
        if edit.before is not None:
            write_atomically(backup_of(vault, edit.path), edit.before, mode=_PRIVATE_FILE)
    files = [
        {
            "path": str(edit.path),
            "base": str(edit.base),
            "before": _packed(edit.before),
            "after": _packed(edit.after),
        }
        for edit in edits
    ]
    kept = {"number": last_number(writer) + 1, "at": format_time(writer.now), "files": files}
    write_atomically(folder / UNFINISHED, json.dumps(kept).encode(), mode=_PRIVATE_FILE)


def backup_of(vault: Vault, path: Path) -> Path:
    """Return where a file is kept as it was before memtui last wrote into it."""
    return (
        published_folder(vault.path)
        / f"{sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:16]}-{path.name}"
    )


def finish_unfinished(vault: Vault) -> None:
    """Take back what a crash left half-done: files that were written while the vault was not.

    To be called before anything is written, which forgets what an earlier crash left.
    """
    file = published_folder(vault.path) / UNFINISHED
    if not file.exists():
        return
    # Whoever writes files holds the vault: what is still there under its lease was left by a crash.
    with vault.read() as reader:
        for edit in reversed(_unfinished(reader, file)):
            _put_back(edit)
        file.unlink(missing_ok=True)


def _unfinished(reader: VaultReader, file: Path) -> list[Edit]:
    """Return what was written with a change that the vault does not have."""
    try:
        kept = json.loads(file.read_bytes())
        made = change_at(reader, int(kept["number"]))
        is_stored = made is not None and format_time(made.at) == kept["at"]
        return [] if is_stored else [_edit_of(row) for row in kept["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _packed(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _edit_of(row: dict[str, Any]) -> Edit:
    before, after = (None if row[side] is None else base64.b64decode(row[side]) for side in ("before", "after"))
    return Edit(Path(row["path"]), Path(row["base"]), before, after)


# -- undo ---------------------------------------------------------------------------------------------


def edits_of_undo(steps: Sequence[Step]) -> list[Edit]:
    """Return what becomes of files when a change is undone or made again.

    `steps`: what is done to publications, from `before` to `after`.

    Raises:
        ConflictError: a block is not as that change left it.
        RefusedError: its markers are broken.
    """
    replaced = {step.key: step for step in steps if step.entity == BLOCK}
    published = {step.key: step for step in steps if step.entity == PUBLICATION and step.key not in replaced}
    found = [edit for step in published.values() if (edit := _edit_of_step(step))]
    found += [edit for step in replaced.values() if (edit := _edit_of_block(step))]
    return [*found, *_edits_of_cuts([step for step in steps if step.entity == CUT])]


def without_block(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the files, by name, that steps would take a block out of, and that have none any more."""
    found = []
    for step in steps:
        path, block = Path(str(step.known.get("path", ""))), str(step.known.get("block", ""))
        if step.entity == PUBLICATION and step.after is None:
            data = read_file(path, path.parent)
            found += [path.name] if data is None or managed_blocks.find(data, block) is None else []
    return tuple(found)


def _edits_of_cuts(steps: Sequence[Step]) -> list[Edit]:
    """Return the files with pieces put back where they stood, or taken out again."""
    edits: dict[Path, Edit] = {}
    for step in steps:
        path = Path(str(step.known["path"]))
        if path not in edits:
            before = read_file(path, path.parent)
            edits[path] = Edit(path, path.parent, before, before)
        edits[path] = replace(edits[path], after=_recut(edits[path].after or b"", step, path))
    return list(edits.values())


def _recut(data: bytes, step: Step, path: Path) -> bytes:
    """Return a file with a piece put back, or taken out. Raises `ConflictError`: its place is not certain any more."""
    text, above, below = (str(step.known[name]).encode() for name in ("text", "above", "below"))
    old, new = (above + below, above + text + below) if step.after else (above + text + below, above + below)
    if not old or data.count(old) != 1:
        if not old and not data:
            return new
        raise ConflictError(
            "Cannot undo: the file was changed around the piece since",
            where=str(path),
            remedy="Nothing was written. The piece is in the journal: `memtui log`.",
            mine=text.decode(),
        )
    return data.replace(old, new)


def _edit_of_step(step: Step) -> Edit | None:
    path = Path(str(step.known["path"]))
    block = str(step.known["block"])
    before = read_file(path, path.parent)
    found = None if before is None else managed_blocks.find(before, block)
    was = _whole_text(step.before)
    if found is None and step.after is None:
        return None  # it is gone already
    if (stands := _block_text(found)) != was:
        raise _changed_since(path, block, mine=_whole_text(step.after), theirs=stands)
    if step.after is None:
        after = None if before is None else managed_blocks.remove(before, block)
    else:
        after = managed_blocks.write(before, block, str(step.after["text"]), head=str(step.after["head"]))
    return Edit(path, path.parent, before, after, emptied_below=folder_published_in(path, block))


def _edit_of_block(step: Step) -> Edit | None:
    """Return a file with what a publication wrote over, or wrote."""
    path, block = Path(str(step.known["path"])), str(step.known["block"])
    was, put = (str((record or {})["text"]) for record in (step.before, step.after))
    before = read_file(path, path.parent)
    found = None if before is None else managed_blocks.find(before, block)
    if found is None and not put:
        return None  # it is gone already
    if (stands := _block_text(found)) != _block_text(managed_blocks.find(was.encode(), block)):
        raise _changed_since(path, block, mine=put, theirs=stands)
    return Edit(path, path.parent, before, managed_blocks.with_piece(before, block, put))


def _changed_since(path: Path, block: str, *, mine: str, theirs: str) -> BlockChangedError:
    export = f"memtui export --target {block}"
    return BlockChangedError(
        "Cannot undo: the block in the file was changed since",
        where=str(path),
        remedy=f"Nothing was written. `{export} --take` takes the edit into the inbox, `{export} --remove --force`"
        " takes the block out with it; `memtui log` lists other changes, `memtui undo N` undoes one of them.",
        mine=mine,
        theirs=theirs,
    )


def _block_text(block: Block | None) -> str:
    return "" if block is None else block.head + block.text


def _whole_text(record: Record | None) -> str:
    return "" if record is None else f"{record['head']}{record['text']}"
