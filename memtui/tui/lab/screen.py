"""The Decay lab: how fast each kind decays, and what another half-life would change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from memtui.curate.decay import Effect, Members, PayloadChange, effect
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import LAB
from memtui.tui.lab.trial import (
    FLOOR,
    HURT_WEIGHT,
    MEMORY,
    THRESHOLD,
    LabRead,
    PayloadEffect,
    Trial,
    apply_trial,
    payload_effect,
    read_lab,
)
from memtui.tui.lab.view import curve_of, effect_lines, kinds_lines
from memtui.tui.launch_options import Opening
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.loader import Task
from memtui.tui.widgets.curve import CurveView
from memtui.tui.widgets.lines import TitleLine

ALL_SETTINGS_CELLS = 100
"""Width from which the title shows the settings that are not tried too."""


class LabScreen(MemtuiScreen):
    """The curve of one kind beside the effect of what is tried, above all kinds with their half-lives.

    Args:
        opening: what the app was opened with.
        memory_id: a memory that can be given a half-life of its own, None for none.
    """

    AREA = LAB
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(LAB)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "lab-next": ("_move", 1),
        "lab-previous": ("_move", -1),
        "lab-faster": ("_change", Trial.stepped, -1),
        "lab-slower": ("_change", Trial.stepped, 1),
        "lab-learned": ("_change", Trial.with_learned),
        "lab-as-now": ("_change", Trial.with_days, None),
        "lab-default": ("_change", Trial.with_default),
        "lab-here": ("_change", Trial.for_other_scope),
        "lab-line-down": ("_change", Trial.with_setting, THRESHOLD, -1),
        "lab-line-up": ("_change", Trial.with_setting, THRESHOLD, 1),
        "lab-floor-down": ("_change", Trial.with_setting, FLOOR, -1),
        "lab-floor-up": ("_change", Trial.with_setting, FLOOR, 1),
        "lab-hurt-down": ("_change", Trial.with_setting, HURT_WEIGHT, -1),
        "lab-hurt-up": ("_change", Trial.with_setting, HURT_WEIGHT, 1),
    }
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high"), (30, "-tall")]  # noqa: RUF012 - likewise

    def __init__(self, opening: Opening, *, memory_id: str | None = None) -> None:
        super().__init__(opening)
        self._title = TitleLine("Decay lab", id="lab-title")
        self._curve = CurveView(id="lab-curve")
        self._effect_pane = Static("", markup=False, id="lab-effect")
        self._kinds_pane = Static("", markup=False, id="lab-kinds")
        self._trial = Trial(memory_id)
        self._read: LabRead | None = None
        self._effect: Effect | None = None
        self._members: Members | None = None
        self._payload_changes: list[PayloadChange] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="lab-top"):
            yield self._curve
            yield self._effect_pane
        yield self._kinds_pane
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._curve.set_title("Curve")
        self._effect_pane.border_title = Content("If applied")  # a plain str would be read as markup
        self._kinds_pane.border_title = Content("Kinds")
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        """The memory that the lab was opened at."""
        return self._trial.memory_id

    # -- reading and calculating ------------------------------------------------------------------

    def look_again(self) -> None:
        """Read everything that effects are calculated from."""
        signature = self.access.signature()

        def take(read: LabRead) -> None:
            self.trouble_is_over()
            self.looked_at = signature
            self._read, self._members = read, None
            self._title.project = read.project
            self._try(self._trial.on(read))

        self.loader.read(lambda: read_lab(self.access), take, group="lab-read")

    def _try(self, trial: Trial) -> None:
        """Draw the curve at once, and calculate the effect in a thread."""
        self._trial, self._payload_changes = trial, None
        self.draw_again()
        read, members = self._read, self._members
        if read is None:
            return

        def calculate(task: Task) -> PayloadEffect | None:
            task.show(self._take_effect, effect(read.snapshot, trial.knobs))
            return payload_effect(read, trial.knobs, members, lambda: task.is_wanted)

        self.loader.run(calculate, self._take_payloads, group="lab-effect")

    def _take_effect(self, found: Effect) -> None:
        self._effect = found
        self.draw_again()

    def _take_payloads(self, found: PayloadEffect | None) -> None:
        if found is not None:
            self._members, self._payload_changes = found.current, found.changes
            self.draw_again()

    # -- drawing ----------------------------------------------------------------------------------

    def draw_again(self) -> None:
        """Draw the curve, the kinds and what is known of the effect."""
        read, trial = self._read, self._trial
        if read is None:
            return
        project = trial.project(read)
        self._title.note = trial.settings_words(read, all_of=self.size.width >= ALL_SETTINGS_CELLS)
        self._curve.show(curve_of(read.snapshot, trial, project))
        name = "this memory" if trial.subject == MEMORY else trial.subject
        where = f" in {tame(project, 40)} only" if project and trial.subject != MEMORY else ""
        self._curve.set_title(f"Curve ─ {tame(name, 40)}{where}")
        self._draw_kinds(read)
        self._effect_pane.border_subtitle = Content("a applies it" if trial.can_be_applied else "no change")
        if self._effect is not None:
            size = self._effect_pane.content_size
            lines = effect_lines(
                read,
                self._effect,
                self._payload_changes,
                configuration=trial.for_configuration(),
                width=size.width,
                height=size.height,
            )
            self._effect_pane.update(Content("\n").join(lines))

    def _draw_kinds(self, read: LabRead) -> None:
        trial, size = self._trial, self._kinds_pane.content_size
        lines = kinds_lines(read, trial, width=size.width, height=size.height)
        self._kinds_pane.update(Content("\n").join(lines))
        subjects = trial.subjects(read)
        place = f"{subjects.index(trial.subject) + 1} of {len(subjects)}"
        tried = counted(trial.changed, "half-life tried", "half-lives tried")
        self._kinds_pane.border_subtitle = Content(tried if trial.changed else place)

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if not action.id.startswith("lab-"):
            return super().why_not(action)
        if self._read is None:
            return "The vault is being read."
        if action.id == "lab-here" and self._read.project is None:
            return "No single project is in view."
        if action.id == "lab-apply":
            return self._trial.why_not_apply(self._read)
        if action.id == "lab-learned":
            return self._why_not_learned(self._read)
        return None

    def _why_not_learned(self, read: LabRead) -> str | None:
        subject = self._trial.subject
        if subject == MEMORY:
            return "Half-lives are learned for kinds, not for one memory."
        if read.snapshot.kind(subject).lesson is None:
            return f"There are no verdicts on {tame(subject, 40)} to learn from yet."
        return None

    def _move(self, by: int) -> None:
        if self._read is not None:
            self._trial = self._trial.moved(self._read, by)
            self.draw_again()

    def _change(self, change: Callable[..., Trial], *arguments: Any) -> None:
        """Try something else."""
        if self._read is not None:
            self._try(change(self._trial, self._read, *arguments))

    def action_lab_apply(self) -> None:
        """Apply the half-lives that are tried, as one change."""
        read, trial = self._read, self._trial
        if read is not None:
            self._trial = trial.without_memory()
            self.do(lambda: apply_trial(self.access, read, trial.knobs))
