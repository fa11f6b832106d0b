"""The knobs of the decay lab."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memtui.curate.decay import HIGHEST_THRESHOLD, LOWEST_THRESHOLD, Knobs
from memtui.domain.kinds import in_project
from memtui.tui.actions.action import Action
from memtui.tui.lab.view import MEMORY, LabRead, step
from memtui.tui.launch_options import Opening
from memtui.tui.screen import MemtuiScreen
from memtui.tui.text_layout import tame

LINE_STEP = 0.05
"""How far one key moves the line below which a memory is due."""

FLOOR_STEP, HURT_STEP = 0.01, 1.0
"""How far one key moves the floor, and the weight of a hurt."""

ROOMY = 100
"""Cells from which the title tells of the floor and the hurts though nothing is tried of them."""

RANGES = {"floor": (0.0, 0.3), "hurt_weight": (0.0, 20.0)}
"""What the configuration takes."""


@dataclass
class Tried:
    """What a person turned the knobs to.

    Attributes:
        half_lives: by kind, where they differ from what is in force.
        memory: days for the one memory.
        threshold: the line for review; None as it is.
        floor: what is left however old a memory is; None as it is.
        hurt_weight: how many helps outweigh one hurt; None as it is.
    """

    half_lives: dict[str, float] = field(default_factory=dict)
    memory: float | None = None
    threshold: float | None = None
    floor: float | None = None
    hurt_weight: float | None = None

    @property
    def can_be_applied(self) -> bool:
        """Whether a half-life was changed."""
        return bool(self.half_lives) or self.memory is not None


class LabKnobs(MemtuiScreen):
    """What is tried, and the keys that turn it.

    Args:
        opening: what the app was opened with.
        memory_id: a memory that can be given a half-life of its own, None for none.
    """

    def __init__(self, opening: Opening, memory_id: str | None) -> None:
        super().__init__(opening)
        self._memory_id = memory_id
        self._read: LabRead | None = None
        self._subject = ""
        self._tried = Tried()
        self._here = False
        """Whether half-lives are tried for the project in view alone."""

    def turned(self) -> None:
        """Draw the curve at once, and reckon the effect in a thread."""
        raise NotImplementedError

    # -- what is tried ----------------------------------------------------------------------------

    def _subjects(self) -> list[str]:
        """Return what can be turned: the one memory if it is in use, then the kinds, the most used first."""
        if self._read is None:
            return []
        snapshot = self._read.snapshot
        first = [MEMORY] if self._memory_id and snapshot.memory(self._memory_id) is not None else []
        return [*first, *(kind.name for kind in snapshot.kinds)]

    def _knobs(self) -> Knobs:
        memory = None
        if self._memory_id is not None and self._tried.memory is not None:
            memory = (self._memory_id, self._tried.memory)
        tried = self._tried
        return Knobs(
            half_lives=dict(tried.half_lives),
            memory=memory,
            threshold=tried.threshold,
            floor=tried.floor,
            hurt_weight=tried.hurt_weight,
        )

    @property
    def _project(self) -> str | None:
        """The one project that is tried for; None where it is the kind everywhere."""
        return self._read.project if self._here and self._read is not None else None

    def _days(self) -> float:
        """Return the half-life of the subject as it is tried, else as it is."""
        read = self._read
        if read is None:
            return 0.0
        if self._subject == MEMORY:
            memory = read.snapshot.memory(self._memory_id or "")
            now = read.snapshot.half_life(memory, Knobs()) if memory is not None else 0.0
            return self._tried.memory if self._tried.memory is not None else now
        return read.snapshot.kind_half_life(self._subject, self._project, self._knobs())

    def _try(self, days: float | None) -> None:
        """Try a half-life for the subject; None lets go of what was tried."""
        if self._read is None:
            return
        if self._subject == MEMORY:
            self._tried.memory = days
        else:
            project = self._project
            name = in_project(self._subject, project) if project else self._subject
            if days is None or days == self._read.snapshot.kind_half_life(self._subject, project, Knobs()):
                self._tried.half_lives.pop(name, None)
            else:
                self._tried.half_lives[name] = days
        self.turned()

    # -- acts -------------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why a knob cannot be turned now."""
        if not action.id.startswith("lab-"):
            return super().why_not(action)
        if self._read is None:
            return "The vault is being read."
        if action.id == "lab-here" and self._read.project is None:
            return "No single project is in view."
        if action.id == "lab-apply":
            return self._why_not_apply(self._read)
        if action.id == "lab-learned" and self._subject == MEMORY:
            return "Verdicts teach of kinds, not of one memory."
        if action.id == "lab-learned" and self._read.snapshot.kind(self._subject).lesson is None:
            return f"No verdict says anything of {tame(self._subject, 40)} yet."
        return super().why_not(action)

    def _why_not_apply(self, read: LabRead) -> str | None:
        if not self._tried.can_be_applied:
            if self._to_keep():
                return f"The configuration alone keeps this: {'; '.join(self._to_keep())}"
            return "No half-life is tried: ← and → turn it."
        fixed = [
            name for name in self._tried.half_lives if "@" not in name and read.snapshot.kind(name).origin == "config"
        ]
        if fixed:
            return f"The configuration sets the half-life of {tame(fixed[0], 40)}: change it there, 0 lets go here."
        return None

    def _move(self, by: int) -> None:
        subjects = self._subjects()
        place = subjects.index(self._subject) + by
        self._subject = subjects[max(0, min(len(subjects) - 1, place))]
        self.draw_again()

    def action_lab_next(self) -> None:
        """Go to the next kind."""
        self._move(1)

    def action_lab_previous(self) -> None:
        """Go to the kind before."""
        self._move(-1)

    def action_lab_faster(self) -> None:
        """Try a shorter half-life."""
        self._try(step(self._days(), -1))

    def action_lab_slower(self) -> None:
        """Try a longer half-life."""
        self._try(step(self._days(), 1))

    def action_lab_learned(self) -> None:
        """Try what verdicts speak for."""
        if self._read is not None:
            lesson = self._read.snapshot.kind(self._subject).lesson
            self._try(round(lesson.half_life_days, 1) if lesson is not None else None)

    def action_lab_as_now(self) -> None:
        """Let go of what was tried for the subject."""
        self._try(None)

    def action_lab_default(self) -> None:
        """Try the half-life that holds where nothing was applied."""
        if self._read is not None:
            plain = self._read.snapshot.in_force.without_stored()
            kinds = self._read.snapshot.in_force if self._project else plain
            self._try(None if self._subject == MEMORY else kinds.get(self._subject).half_life_days)

    def action_lab_here(self) -> None:
        """Turn the half-lives of one project alone, or of the kinds everywhere again."""
        self._here = not self._here
        self.turned()

    def action_lab_floor_down(self) -> None:
        """Try a lower floor."""
        self._turn("floor", -FLOOR_STEP)

    def action_lab_floor_up(self) -> None:
        """Try a higher floor."""
        self._turn("floor", FLOOR_STEP)

    def action_lab_hurt_down(self) -> None:
        """Let a hurt weigh less."""
        self._turn("hurt_weight", -HURT_STEP)

    def action_lab_hurt_up(self) -> None:
        """Let a hurt weigh more."""
        self._turn("hurt_weight", HURT_STEP)

    def _turn(self, name: Literal["floor", "hurt_weight"], by: float) -> None:
        if self._read is None:
            return
        now: float = getattr(self._read.snapshot.in_force, name)
        tried: float | None = getattr(self._tried, name)
        lowest, highest = RANGES[name]
        moved = max(lowest, min(highest, round((now if tried is None else tried) + by, 4)))
        setattr(self._tried, name, None if moved == now else moved)
        self.turned()

    def _settings_words(self, read: LabRead) -> str:
        """Return the line for review, the floor and the weight of hurts, as they are and as they are tried."""
        kinds, tried = read.snapshot.in_force, self._tried
        rows = (
            ("due below", f"{read.snapshot.threshold:.2f}", tried.threshold),
            ("floor", f"{kinds.floor:.2f}", tried.floor),
            ("hurt ×", f"{kinds.hurt_weight:g}", tried.hurt_weight),
        )
        roomy = self.size.width >= ROOMY
        return " · ".join(
            f"{word} {now}" + ("" if other is None else f" → {other:g}")
            for place, (word, now, other) in enumerate(rows)
            if roomy or not place or other is not None
        )

    def _to_keep(self) -> list[str]:
        """Return what only the configuration can keep, as it is written there."""
        tried = self._tried
        rows = (
            ("review", "threshold", tried.threshold),
            ("recall", "floor", tried.floor),
            ("recall", "hurt_weight", tried.hurt_weight),
        )
        return [f"[{section}] {name} = {value:g}" for section, name, value in rows if value is not None]

    def action_lab_line_down(self) -> None:
        """Try a lower line for review."""
        self._move_line(-LINE_STEP)

    def action_lab_line_up(self) -> None:
        """Try a higher line for review."""
        self._move_line(LINE_STEP)

    def _move_line(self, by: float) -> None:
        if self._read is None:
            return
        line = self._read.snapshot.threshold
        moved = round((line if self._tried.threshold is None else self._tried.threshold) + by, 4)
        moved = max(LOWEST_THRESHOLD, min(HIGHEST_THRESHOLD, moved))
        self._tried.threshold = None if moved == line else moved
        self.turned()
