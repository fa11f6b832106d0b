"""What a person asks Context for, and how to undo choices: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from memtui.pack.options import standing_of
from memtui.pack.targets.base import Style
from memtui.text.words import cell_width

if TYPE_CHECKING:
    from memtui.vault.packs import Recipe, StoredPack

SEPARATOR = ", "  # Between names in a line; a comma alone will do when it is read

_YES = "yes"

_HABITS = ("budget", "target", "style")  # What a person keeps from project to project; the rest belongs to a task
_MOST_PLACES = 20  # Of which the task is kept, the one used last among them


def kept_lines(section: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return what the state keeps of the lines and choices for a place: its own task, and habits of anywhere."""
    tasks = section.get("tasks")
    task = tasks.get(place) if isinstance(tasks, dict) else None
    habits = {name: section[name] for name in _HABITS if name in section}
    return {**(task if isinstance(task, dict) else {}), **habits}


def with_lines(
    section: Mapping[str, Any], place: str, shown: Mapping[str, str], used: Mapping[str, str]
) -> dict[str, Any]:
    """Return a section of the state with the habits of what is shown, and of a place the task that was used last."""
    tasks = section.get("tasks")
    tasks = dict(tasks) if isinstance(tasks, dict) else {}
    tasks.pop(place, None)
    if task := {name: value for name, value in used.items() if name not in _HABITS}:
        tasks[place] = task
    habits = {name: shown[name] for name in _HABITS if name in shown}
    return {**habits, **({"tasks": dict(list(tasks.items())[-_MOST_PLACES:])} if tasks else {})}


def is_another_task(text: str, before: str) -> bool:
    """Return whether a task is another than the one before, as it shares fewer than half of the words of the shorter.

    Words that say nothing of a task do not count; an empty line is no other task.
    """
    from memtui.text.tokens import query_terms  # its tables take long to load

    words, known = set(query_terms(text)), set(query_terms(before))
    return bool(words and known) and 2 * len(words & known) < min(len(words), len(known))


def is_slip(before: Mapping[str, str], text: str) -> bool:
    """Return whether no more than a letter or two were typed over a task: keys that were meant for the list.

    `before`: the lines before, by name.
    """
    task = before.get("task", "")
    return bool(task) and text != task and 0 < cell_width(text.strip()) <= _SLIP_CELLS


_SLIP_CELLS = 2


@dataclass(frozen=True, slots=True)
class Choices:
    """Ticks, and what is allowed in."""

    without: frozenset[str] = frozenset()  # ids left out by hand
    with_ids: frozenset[str] = frozenset()  # ids put in by hand
    unconfirmed: bool = False  # whether memories that wait in the inbox may go in
    with_loaded: bool = False  # whether what the target loads by itself goes in too
    secrets: str = ""  # what happens to what looks like a secret; empty for what the configuration says

    @classmethod
    def restored(cls, values: Mapping[str, Any]) -> Self:
        """Return what was remembered; values that are not text are ignored."""
        found = {key: value for key, value in values.items() if isinstance(value, str)}
        return cls(
            without=frozenset(found.get("without", "").split()),
            with_ids=frozenset(found.get("with", "").split()),
            unconfirmed=found.get("unconfirmed") == _YES,
            with_loaded=found.get("loaded") == _YES,
            secrets=found.get("secrets", ""),
        )

    def remembered(self) -> dict[str, str]:
        """Return what to restore, without defaults."""
        values = {
            "without": " ".join(sorted(self.without)),
            "with": " ".join(sorted(self.with_ids)),
            "unconfirmed": _YES if self.unconfirmed else "",
            "loaded": _YES if self.with_loaded else "",
            "secrets": self.secrets,
        }
        return {key: value for key, value in values.items() if value}

    @property
    def has_ticks(self) -> bool:
        """Whether any memory was ticked by hand."""
        return bool(self.without or self.with_ids)

    def has_tick(self, identifier: str) -> bool:
        """Whether a memory was ticked by hand."""
        return identifier in self.without or identifier in self.with_ids

    def ticked(self, identifier: str, *, is_withheld: bool) -> Self:
        """Return the choices with a memory put in where it is withheld, else left out; an earlier tick is removed."""
        if self.has_tick(identifier):
            return replace(self, without=self.without - {identifier}, with_ids=self.with_ids - {identifier})
        if is_withheld:
            return replace(self, with_ids=self.with_ids | {identifier})
        return replace(self, without=self.without | {identifier})

    def toggled(self, name: Literal["unconfirmed", "with_loaded"]) -> Self:
        """Return the choices with memories of a sort allowed, or not any more."""
        if name == "unconfirmed":
            return replace(self, unconfirmed=not self.unconfirmed)
        return replace(self, with_loaded=not self.with_loaded)

    def without_ticks(self) -> Self:
        return replace(self, without=frozenset(), with_ids=frozenset())


@dataclass(frozen=True, slots=True)
class Ask:
    """What a payload is asked for with."""

    text: str
    files: tuple[str, ...]
    target: str
    budget: str
    phase: str | None = None  # None to guess it
    style: Style = "full"
    choices: Choices = field(default_factory=Choices)
    # names of the recipes whose union a pack was, None for a task; today's recipes take their place
    standing: tuple[str, ...] | None = None

    @property
    def has_task(self) -> bool:
        """Whether there is a task or a file, rather than the standing payload."""
        return bool(self.text.strip() or self.files)

    @classmethod
    def of(cls, kept: StoredPack | Recipe) -> Self:
        options = kept.options
        phase = options.get("phase")
        return cls(
            kept.task,
            kept.files,
            kept.target,
            kept.budget,
            phase if isinstance(phase, str) and phase else None,
            style="compiled" if options.get("style") == "compiled" else "full",
            choices=Choices(
                without=_ids(options.get("without")),
                with_ids=_ids(options.get("with")),
                unconfirmed=options.get("unconfirmed") is True,
                with_loaded=options.get("with_loaded") is True,
                secrets=str(options.get("secrets") or ""),
            ),
            standing=standing_of(options),
        )


def lines_of(kept: StoredPack | Recipe) -> dict[str, str]:
    """Return the lines of a pack or a recipe, as `TaskLines.restore` takes them."""
    ask, style = Ask.of(kept), kept.options.get("style")
    return {
        "task": ask.text,
        "files": SEPARATOR.join(ask.files),
        "budget": ask.budget,
        "target": ask.target,
        "style": style if isinstance(style, str) else "",
        "phase": ask.phase or "",
    }


def _ids(value: object) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()


@dataclass(frozen=True, slots=True)
class Moment:
    """The state before or after a step; None for what the step did not touch."""

    choices: Choices | None = None
    lines: Mapping[str, str] | None = None  # values of the lines by name, as `TaskLines.restore` takes them


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was changed on the screen or from it, to be undone.

    Attributes:
        before, after: the state; None for a change of the vault, which the journal undoes.
    """

    words: str  # what was done
    before: Moment | None = None
    after: Moment | None = None
    change: int | None = None  # number of that change
    is_copy: bool = False  # whether that change recorded a copied payload
    wrote: tuple[Path, str, bool] | None = None  # a file, the text that was written there, and whether it is new


class Steps:
    """The steps of a screen; the last one is undone first."""

    def __init__(self) -> None:
        self._done: list[Step] = []
        self._undone: list[Step] = []

    def add(self, step: Step) -> None:
        """Note a step; steps undone before it cannot be redone any more."""
        self._done.append(step)
        self._undone.clear()

    def undo(self) -> Step | None:
        """Return the step to undo, None where there is none on this screen."""
        return self._moved(self._done, self._undone)

    def redo(self) -> Step | None:
        return self._moved(self._undone, self._done)

    @staticmethod
    def _moved(source: list[Step], target: list[Step]) -> Step | None:
        if not source:
            return None
        step = source.pop()
        if step.wrote is None:  # a file that was taken back is not written again
            target.append(step)
        return step
