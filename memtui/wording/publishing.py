"""Sentences about what is published into files of assistants, what these load, and what is installed there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memtui.capture.loaded import Fault, Loaded, LoadedFile, Stale
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.wiring import Answer, Part, Scope, Use, Wiring
from memtui.publish.instead import Note
from memtui.publish.plan import FilePlan, Plan
from memtui.text.sanitize import one_line
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
    Note.SAID_OTHERWISE: "{about} still says what was changed here, and is read as well: change it there, too",
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


def size_words(plan: Plan) -> str:
    """Return how many memories a plan writes, and how much of the budget they take."""
    is_counted = plan.budget is not None and plan.budget.unit == "tokens"
    tokens = f"{plan.tokens:,} of the {plan.budget}" if is_counted else f"{plan.tokens:,} tokens"
    return f"{counted(plan.memories, 'memory')}, {tokens}"


def left_out_words(plan: Plan) -> str:
    """Return how many memories a plan leaves out and why, the most common reason first; empty for none."""
    by_words: Counter[str] = Counter()
    for reason, number in plan.withheld.items():
        by_words[_why(plan, reason)] += number
    why = ", ".join(f"{number:,} {words}" for words, number in by_words.most_common())
    return f"{counted(plan.left_out, 'memory')} left out: {why}" if plan.left_out else ""


def _why(plan: Plan, reason: Reason) -> str:
    """Return a reason, with the budget where there was no room."""
    is_over = reason.code is ReasonCode.OVER_BUDGET and plan.budget is not None
    return f"over the budget of {plan.budget}" if is_over else sentence(reason)


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
        return f"{path}: {STATES[file.state] if file.text else 'no memtui block'}"
    if file.after is None:
        return f"{path} removed"
    if not file.text:
        return f"{path}: block removed"
    return f"{path} {'written' if file.before is None else 'changed'}"


_FAULTS = {
    Fault.RETIRED: "still says what was retired: {title}",
    Fault.SUPERSEDED: "still says what was replaced: {title}",
    Fault.MERGED: "still says what was merged into another: {title}",
    Fault.EDITED: "differs from the vault: {title}",
    Fault.CONTRADICTED: "contradicted by {other}: {title}",
    Fault.BY_HAND: "memtui's block was edited by hand",
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
    return f"{label} also reads the same memories in {some_of(paths, 3)}, so their tokens count twice"


PART_WORDS = {Part.SERVER: "MCP server", Part.HOOKS: "hooks", Part.SKILL: "skill"}

WIRING_WORDS = {
    Wiring.ABSENT: "not installed",
    Wiring.INSTALLED: "installed",
    Wiring.PARTIAL: "incomplete",
    Wiring.MOVED: "runs another memtui",
    Wiring.BROKEN: "program missing",
    Wiring.OFF: "switched off",
    Wiring.UNTRUSTED: "waits for your approval",
    Wiring.UNREADABLE: "file cannot be read",
}

USE_WORDS = {
    Use.START: "start of a session: what is always worth knowing in the project",
    Use.PROMPT: "first prompt of a session: memories for the task",
    Use.COMMAND: "before a command: constraints that forbid it (only with `--commands`)",
    Use.FILE: "a file is read or edited: memories tied to it, once a session",
    Use.END: "end of a session: queues the transcript for `memtui capture`",
}

SCOPE_WORDS = {Scope.USER: "for you, in every project", Scope.PROJECT: "for this project"}


def remedy(wiring: Wiring, assistant: str, title: str) -> str:
    """Return what to do about a state; empty where nothing is to be done."""
    again = f"`memtui install {assistant}` brings it up to date"
    return {
        Wiring.PARTIAL: again,
        Wiring.MOVED: again,
        Wiring.BROKEN: again,
        Wiring.OFF: f"switch it on in the settings of {title}",
        Wiring.UNTRUSTED: f"start {title} and accept memtui's hooks",
        Wiring.UNREADABLE: f"`memtui install {assistant} --dry-run` shows where",
    }.get(wiring, "")


def changed_by_hand(path: str, kept: str) -> str:
    """Return that a person's change inside memtui's part of a file goes with it, and where it is kept."""
    return f"memtui's part of {path} was edited by hand, and the edit is removed with it; the previous file: {kept}"


def answer_words(answer: Answer, seconds: float, tools: int, detail: str) -> str:
    """Return what calling an installed part came to."""
    took = f"{seconds:.2f} s"
    said = f": {one_line(detail)}" if detail else ""
    return {
        Answer.WORKS: f"answers in {took}" + (f", {tools} tools" if tools else ""),
        Answer.SLOW: f"answers in {took}, longer than assistants wait",
        Answer.GARBLED: f"it prints other output before its answer{said}",
        Answer.FAILED: f"fails{said}",
        Answer.SILENT: f"no answer within {took}",
    }[answer]


def answer_remedy(answer: Answer) -> str:
    """Return what to do about it; empty where nothing is to be done."""
    return {
        Answer.SLOW: "another program may be using the vault; run `memtui doctor` again later",
        Answer.GARBLED: "a shell profile or a wrapper prints text; call memtui directly",
        Answer.FAILED: "run the configured command by hand",
        Answer.SILENT: "run the configured command by hand",
    }.get(answer, "")
