"""Sentences about what is installed in assistants."""

from __future__ import annotations

from memtui.domain.wiring import Answer, Part, Scope, Use, Wiring
from memtui.text.sanitize import one_line

PART_WORDS = {Part.SERVER: "MCP server", Part.HOOKS: "hooks", Part.SKILL: "skill"}

WIRING_WORDS = {
    Wiring.ABSENT: "not installed",
    Wiring.INSTALLED: "installed",
    Wiring.PARTIAL: "incomplete",
    Wiring.MOVED: "runs another memtui",
    Wiring.BROKEN: "runs what is gone",
    Wiring.OFF: "switched off",
    Wiring.UNTRUSTED: "waits for your approval",
    Wiring.UNREADABLE: "file cannot be read",
}

USE_WORDS = {
    Use.START: "start of a session: what is always worth knowing in the project",
    Use.PROMPT: "first prompt of a session: memories for the task",
    Use.COMMAND: "before a command: constraints that forbid it (only with `--commands`)",
    Use.FILE: "a file is read or edited: memories tied to it, once a session",
    Use.END: "end of a session: notes the transcript for `memtui capture`",
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
        Wiring.UNREADABLE: f"`memtui install {assistant} --dry-run` says where",
    }.get(wiring, "")


def changed_by_hand(path: str, kept: str) -> str:
    """Return that a person's change inside memtui's part of a file goes with it, and where it is kept."""
    return f"memtui's part of {path} was changed by hand, and the change goes with it; the file of before: {kept}"


def answer_words(answer: Answer, seconds: float, tools: int, detail: str) -> str:
    """Return what calling an installed part came to."""
    took = f"{seconds:.2f} s"
    said = f": {one_line(detail)}" if detail else ""
    return {
        Answer.WORKS: f"answers in {took}" + (f", {tools} tools" if tools else ""),
        Answer.SLOW: f"answers in {took}, longer than assistants wait",
        Answer.GARBLED: f"something else is printed before its answer{said}",
        Answer.FAILED: f"fails{said}",
        Answer.SILENT: f"no answer within {took}",
    }[answer]


def answer_remedy(answer: Answer) -> str:
    """Return what to do about it; empty where nothing is to be done."""
    return {
        Answer.SLOW: "another program may hold the vault; `memtui doctor` again later",
        Answer.GARBLED: "a shell profile or a wrapper prints text; call memtui directly",
        Answer.FAILED: "run the command of the configuration by hand",
        Answer.SILENT: "run the command of the configuration by hand",
    }.get(answer, "")
