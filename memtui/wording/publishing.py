"""Sentences about what is published into files of assistants, and about what assistants load."""

from __future__ import annotations

from pathlib import Path

from memtui.publish.plan import FilePlan, Note, Plan

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
    Note.TWICE: "{about} reads {path} as well, and pays for the same block twice",
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
