"""A person's choices on the Context screen, and how to undo them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.vault.packs import Recipe, StoredPack

SEPARATOR = ", "
"""Between names in a line; a comma alone will do when it is read."""

MOST_OFFERED = 8


def names_in(line: str) -> list[str]:
    """Return the names of a line, in order and once each."""
    return list(dict.fromkeys(filter(None, (part.strip() for part in line.split(",")))))


def typed_at(line: str, cursor: int) -> str:
    """Return the beginning of the name at the cursor."""
    return line[:cursor].rsplit(",", 1)[-1].lstrip()


def offers(names: Sequence[str], typed: str, *, without: Sequence[str] = (), most: int = MOST_OFFERED) -> list[str]:
    """Return the names that fit what was typed, the likeliest first.

    Names that begin so stand before those whose last part does, before those that hold it anywhere, before those
    that hold its letters in order; within each the shorter first. Letter case does not count.
    """
    wanted = typed.strip().lower()
    taken = set(without)
    found: list[tuple[int, int, str]] = []
    for name in names:
        rank = _rank(name.lower(), wanted)
        if rank is not None and name not in taken:
            found.append((rank, len(name), name))
    return [name for _, _, name in sorted(found)[:most]]


def _rank(name: str, wanted: str) -> int | None:
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1 if name.rsplit("/", 1)[-1].startswith(wanted) else 2
    letters = iter(name)
    return 3 if all(letter in letters for letter in wanted) else None


def completed(line: str, cursor: int, name: str) -> tuple[str, int]:
    """Return the line with the name at the cursor replaced and a separator after it, and the new cursor."""
    before, after = line[:cursor], line[cursor:]
    head = before.rpartition(",")[0]
    rest = after.partition(",")[2].strip()
    start = f"{head.strip()}{SEPARATOR}" if head.strip() else ""
    text = f"{start}{name}{SEPARATOR}"
    return text + rest, len(text)


_YES = "yes"


@dataclass(frozen=True, slots=True)
class Choices:
    """Ticks, and what is let in.

    Attributes:
        without: ids left out by hand.
        with_ids: ids put in by hand.
        unconfirmed: whether what waits in the inbox may go in.
        with_loaded: whether what the target loads by itself goes in all the same.
        secrets: what happens to what looks like a secret; empty for what the configuration says.
    """

    without: frozenset[str] = frozenset()
    with_ids: frozenset[str] = frozenset()
    unconfirmed: bool = False
    with_loaded: bool = False
    secrets: str = ""

    @classmethod
    def restored(cls, values: Mapping[str, Any]) -> Choices:
        """Return what was remembered; what is no text is passed over."""
        found = {key: value for key, value in values.items() if isinstance(value, str)}
        return cls(
            without=frozenset(found.get("without", "").split()),
            with_ids=frozenset(found.get("with", "").split()),
            unconfirmed=found.get("unconfirmed") == _YES,
            with_loaded=found.get("loaded") == _YES,
            secrets=found.get("secrets", ""),
        )

    def remembered(self) -> dict[str, str]:
        """Return what to restore; what is as usual is left out."""
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

    def ticked(self, identifier: str, *, is_withheld: bool) -> Choices:
        """Return the choices with a memory ticked in where it is withheld, else out; a tick of before goes."""
        if self.has_tick(identifier):
            return replace(self, without=self.without - {identifier}, with_ids=self.with_ids - {identifier})
        if is_withheld:
            return replace(self, with_ids=self.with_ids | {identifier})
        return replace(self, without=self.without | {identifier})


def of_kept(kept: StoredPack | Recipe) -> tuple[dict[str, str], Choices]:
    """Return the lines and the choices that a pack or a recipe was kept with."""
    options = kept.options
    style, phase = options.get("style"), options.get("phase")
    lines = {
        "task": kept.task,
        "files": SEPARATOR.join(kept.files),
        "budget": kept.budget,
        "target": kept.target,
        "style": style if isinstance(style, str) else "",
        "phase": phase if isinstance(phase, str) else "",
    }
    choices = Choices(
        without=_ids(options.get("without")),
        with_ids=_ids(options.get("with")),
        unconfirmed=options.get("unconfirmed") is True,
        with_loaded=options.get("with_loaded") is True,
        secrets=str(options.get("secrets") or ""),
    )
    return lines, choices


def _ids(value: object) -> frozenset[str]:
    return frozenset(one for one in value if isinstance(one, str)) if isinstance(value, list) else frozenset()


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stood before or after a step; None and nothing for what the step did not touch.

    Attributes:
        lines: values of the lines by name, as `TaskLines.restore` takes them.
    """

    choices: Choices | None = None
    lines: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was changed on the screen, to be taken back by undo.

    Attributes:
        words: what was done.
        before, after: how things stood; None for a change of the vault, which the journal takes back.
    """

    words: str
    before: Moment | None = None
    after: Moment | None = None

    @property
    def is_in_vault(self) -> bool:
        """Whether the journal holds it."""
        return self.before is None


class Steps:
    """The steps of a screen, the last one first to be taken back."""

    def __init__(self) -> None:
        self._done: list[Step] = []
        self._undone: list[Step] = []

    def take(self, step: Step) -> None:
        """Note a step; what was taken back before it cannot be done again."""
        self._done.append(step)
        self._undone.clear()

    def back(self) -> Step | None:
        """Return the step to take back, None where there is none on this screen."""
        return self._moved(self._done, self._undone)

    def again(self) -> Step | None:
        """Return the step to do again, None where there is none."""
        return self._moved(self._undone, self._done)

    @staticmethod
    def _moved(source: list[Step], target: list[Step]) -> Step | None:
        if not source:
            return None
        step = source.pop()
        target.append(step)
        return step
