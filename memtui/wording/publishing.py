"""Sentences about what is published into files of assistants, and about what assistants load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memtui.capture.loaded import Fault, Loaded, LoadedFile, Stale
from memtui.publish.plan import FilePlan, Note, Plan
from memtui.text.words import counted, some_of
from memtui.wording.reasons import sentence

STATES = {
    "missing": "not published",
    "current": "up to date",
    "stale": "out of date",
    "edited": "edited by hand",
    "refused": "cannot be written",
}
"""What a block is, in a word or two."""

_NOTES = {
    Note.IMPORTED_INSTEAD: "{about} only imports {path}, so the block goes there",
    Note.LINKED_INSTEAD: "{about} is a link to {path}, so the block goes there",
}


def note_words(note: Note, about: str, path: str) -> str:
    return _NOTES[note].format(about=about, path=path)


def plan_words(plan: Plan) -> str:
    """Return what a plan comes to in a few words."""
    changes = sum(file.is_change for file in plan.files)
    if plan.state in {"refused", "edited"} or not plan.files:
        return STATES[plan.state]
    if not changes:
        return STATES["current"]
    return f"{STATES[plan.state]}, {changes} {'file' if changes == 1 else 'files'} would change"


def left_out_words(plan: Plan) -> str:
    """Return how many memories a plan leaves out and why, the most common reason first; empty for none."""
    by_reason = sorted(plan.withheld.items(), key=lambda one: -one[1])
    why = ", ".join(f"{number:,} {sentence(reason)}" for reason, number in by_reason)
    return f"{counted(plan.left_out, 'memory')} left out: {why}" if plan.left_out else ""


def shown_path(path: Path, root: Path) -> str:
    """Return a path relative to the repository where it lies in it, else with `~`."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def file_words(file: FilePlan, root: Path) -> str:
    """Return what becomes of a file."""
    path = shown_path(file.path, root)
    if file.problem is not None:
        return f"{path}: {file.problem}"
    if not file.is_change:
        return f"{path}: {STATES[file.state] if file.text else 'nothing of memtui in it'}"
    if file.after is None:
        return f"{path} removed"
    if not file.text:
        return f"{path}: block taken out"
    return f"{path} {'written' if file.before is None else 'changed'}"


_FAULTS = {
    Fault.RETIRED: "still says what was retired: {title}",
    Fault.SUPERSEDED: "still says what was replaced: {title}",
    Fault.MERGED: "still says what was merged into another: {title}",
    Fault.EDITED: "says something else than the vault by now: {title}",
    Fault.CONTRADICTED: "says what {other} contradicts: {title}",
    Fault.BY_HAND: "the block of memtui was edited by hand",
}


def stale_words(stale: Stale) -> str:
    """Return what is wrong with what a file says."""
    return _FAULTS[stale.fault].format(title=stale.title, other=stale.other)


def loaded_notes(file: LoadedFile) -> str:
    """Return what there is to say of a file that an assistant reads."""
    parts = (
        "" if file.when == "always" else file.when,
        f"imported by {file.imported_by}" if file.imported_by else "",
        f"{file.cut:,} bytes cut" if file.cut else "",
        "read twice" if file.twice else "",
        f"{len(file.stale)} stale" if file.stale else "",
    )
    return ", ".join(part for part in parts if part)


def loaded_record(found: Loaded) -> dict[str, object]:
    """Return what an assistant reads, for `--json`."""
    return {
        "assistant": found.assistant.name,
        "version": found.assistant.version,
        "source": found.assistant.source,
        "files": [
            {
                "path": file.shown,
                "bytes": file.bytes,
                "tokens": file.tokens,
                "cut": file.cut,
                "twice": file.twice,
                "when": file.when,
                "stale": [
                    {"id": one.id or None, "reason_code": str(one.fault), "reason": stale_words(one)}
                    for one in file.stale
                ],
            }
            for file in found.files
        ],
        "total_tokens": found.total_tokens,
    }


def still_said_words(paths: Sequence[str]) -> str:
    """Return that files still say what was retired."""
    return f"{some_of(paths, 3)} still say{'s' if len(paths) == 1 else ''} it:"


def twice_words(label: str, paths: tuple[str, ...]) -> str:
    """Return that an assistant reads the same block in several files."""
    return f"{label} reads the same memories again in {some_of(paths, 3)}: they cost twice there"
