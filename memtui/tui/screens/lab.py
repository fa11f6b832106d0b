"""The Decay lab: how fast each kind fades, and what another half-life would do before it is applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from memtui.curate.decay import HIGHEST_THRESHOLD, LOWEST_THRESHOLD, Effect, Knobs
from memtui.errors import MemtuiError
from memtui.tui.access.lab import LabAccess, LabRead
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.lab import LAB
from memtui.tui.lab_lines import MEMORY, curve_of, effect_lines, kind_line, kinds_head, memory_line, step
from memtui.tui.messages import Act, LookFailed
from memtui.tui.opening import Opening
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.state import State
from memtui.tui.widgets.chrome import KeyHints
from memtui.tui.widgets.curve import CurveView
from memtui.tui.widgets.title_line import TitleLine
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.decay_payloads import Members, PayloadChange

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""

LINE_STEP = 0.05
"""How far one key moves the line below which a memory is due."""


@dataclass
class SnapshotRead(Message):
    """The vault was read."""

    read: LabRead
    ticket: int


@dataclass
class EffectReckoned(Message):
    """The effect on the review queue is known."""

    effect: Effect
    ticket: int


@dataclass
class PayloadsReckoned(Message):
    """The effect on the recipes' payloads is known.

    Attributes:
        base: who is in the payloads as things are.
    """

    base: Members
    changes: list[PayloadChange]
    ticket: int


@dataclass
class Tried:
    """What a person turned the knobs to.

    Attributes:
        half_lives: by kind, where they differ from what is in force.
        memory: days for the one memory.
        threshold: the line for review; None as it is.
    """

    half_lives: dict[str, float] = field(default_factory=dict)
    memory: float | None = None
    threshold: float | None = None

    @property
    def can_be_applied(self) -> bool:
        """Whether a half-life was changed."""
        return bool(self.half_lives) or self.memory is not None


class LabScreen(WorkingScreen):
    """The curve of one kind beside the effect of what is tried, above all kinds with their knobs.

    Args:
        opening: what the app was opened with.
        memory_id: a memory that can be given a half-life of its own, None for none.
    """

    AREA = LAB
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(LAB)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high"), (30, "-tall")]  # noqa: RUF012 - likewise

    def __init__(self, opening: Opening, *, memory_id: str | None = None) -> None:
        super().__init__(opening)
        self._lab = LabAccess(opening)
        self._memory_id = memory_id
        self._title = TitleLine("Decay lab", id="lab-title")
        self._curve = CurveView(id="lab-curve")
        self._effect_pane = Static("", markup=False, id="lab-effect")
        self._kinds_pane = Static("", markup=False, id="lab-kinds")
        self._hints = KeyHints(id="hints")
        self._read: LabRead | None = None
        self._subject = ""
        self._tried = Tried()
        self._effect: Effect | None = None
        self._base: Members | None = None
        self._changes: list[PayloadChange] | None = None
        self._ticket = 0
        self._reading = 0

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="lab-top"):
            yield self._curve
            yield self._effect_pane
        yield self._kinds_pane
        yield self._hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first picture."""
        self._curve.set_title("Curve")
        self._effect_pane.border_title = Content("If applied")  # a plain str would be read as markup
        self._kinds_pane.border_title = Content("Kinds")
        self._hints.place = LAB
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the lines for the room there is."""
        del event
        self.call_after_refresh(self._draw)

    @property
    def current_memory(self) -> str | None:
        """The memory that the lab was opened at."""
        return self._memory_id

    def remember(self, state: State) -> None:
        """Keep nothing: what was only tried is let go."""

    # -- reading ----------------------------------------------------------------------------------

    def _reload(self) -> None:
        self._reading += 1
        self._take_snapshot(self._reading)

    @work(thread=True, exclusive=True, group="lab-read", exit_on_error=False)
    def _take_snapshot(self, ticket: int) -> None:
        try:
            read = self._lab.read()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(SnapshotRead(read, ticket))

    @on(SnapshotRead)
    def _take_read(self, message: SnapshotRead) -> None:
        if message.ticket != self._reading:
            return
        self.trouble_is_over()
        self._read, self._base, self._changes = message.read, None, None
        self._title.project = message.read.project
        names = self._subjects()
        if self._subject not in names:
            self._subject = names[0]
        known = {kind.name: kind.half_life_days for kind in message.read.snapshot.kinds}
        # What was applied meanwhile, here or by somebody else, is not a trial any more.
        self._tried.half_lives = {
            name: days for name, days in self._tried.half_lives.items() if known.get(name, days) != days
        }
        self._turned()

    @on(LookFailed)
    def _tell_failed_look(self, message: LookFailed) -> None:
        self.complain(str(message.error))

    def _poll(self) -> None:
        if self._read is not None and not self.acting and self.access.signature() != self._read.signature:
            self._reload()

    def acts_ended(self, focus: str | None) -> None:
        """Read the vault anew after a change."""
        del focus
        self._reload()

    # -- the knobs --------------------------------------------------------------------------------

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
        return Knobs(half_lives=dict(self._tried.half_lives), memory=memory, threshold=self._tried.threshold)

    def _days(self) -> float:
        """Return the half-life of the subject as it is tried, else as it is."""
        read = self._read
        if read is None:
            return 0.0
        if self._subject == MEMORY:
            memory = read.snapshot.memory(self._memory_id or "")
            now = read.snapshot.half_life(memory, Knobs()) if memory is not None else 0.0
            return self._tried.memory if self._tried.memory is not None else now
        return self._tried.half_lives.get(self._subject, read.snapshot.kind(self._subject).half_life_days)

    def _try(self, days: float | None) -> None:
        """Try a half-life for the subject; None lets go of what was tried."""
        if self._read is None:
            return
        if self._subject == MEMORY:
            self._tried.memory = days
        elif days is None or days == self._read.snapshot.kind(self._subject).half_life_days:
            self._tried.half_lives.pop(self._subject, None)
        else:
            self._tried.half_lives[self._subject] = days
        self._turned()

    def _turned(self) -> None:
        """Draw the curve at once, and reckon the effect in a thread."""
        self._ticket += 1
        self._changes = None
        self._draw()
        if self._read is not None:
            self._reckon(self._read, self._knobs(), self._base, self._ticket)

    @work(thread=True, exclusive=True, group="lab-effect", exit_on_error=False)
    def _reckon(self, read: LabRead, knobs: Knobs, base: Members | None, ticket: int) -> None:
        worker = get_current_worker()

        def is_wanted() -> bool:
            return not worker.is_cancelled and ticket == self._ticket

        if not is_wanted():
            return
        self.post_message(EffectReckoned(self._lab.effect(read, knobs), ticket))
        try:
            before = base if base is not None else self._lab.members(read, Knobs(), is_wanted)
            after = before
            if before is not None and (knobs.half_lives or knobs.memory):
                after = self._lab.members(read, knobs, is_wanted)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
            return
        if before is not None and after is not None:
            self.post_message(PayloadsReckoned(before, self._lab.changes(before, after), ticket))

    @on(EffectReckoned)
    def _take_effect(self, message: EffectReckoned) -> None:
        if message.ticket == self._ticket:
            self._effect = message.effect
            self._draw()

    @on(PayloadsReckoned)
    def _take_payloads(self, message: PayloadsReckoned) -> None:
        if message.ticket == self._ticket:
            self._base, self._changes = message.base, message.changes
            self._draw()

    # -- drawing ----------------------------------------------------------------------------------

    def _draw(self) -> None:
        read = self._read
        if read is None:
            return
        line = read.snapshot.threshold
        tried_line = line if self._tried.threshold is None else self._tried.threshold
        self._title.note = f"due below {line:.2f}" + (f" → {tried_line:.2f}" if tried_line != line else "")
        knobs = self._knobs()
        self._curve.show(curve_of(read.snapshot, knobs, self._subject, self._memory_id))
        name = "this memory" if self._subject == MEMORY else self._subject
        self._curve.set_title(f"Curve ─ {tame(name, 40)}")
        self._draw_kinds(read, knobs)
        self._effect_pane.border_subtitle = Content(
            "a applies it" if self._tried.can_be_applied else "nothing is tried"
        )
        if self._effect is not None:
            size = self._effect_pane.content_size
            lines = effect_lines(
                self._effect,
                self._changes,
                recipes=len(read.payloads.recipes),
                titles=read.titles,
                threshold=(line, tried_line),
                size=(size.width, size.height),
            )
            self._effect_pane.update(Content("\n").join(lines))

    def _draw_kinds(self, read: LabRead, knobs: Knobs) -> None:
        subjects, size = self._subjects(), self._kinds_pane.content_size
        rows = max(1, size.height - 1)
        place = subjects.index(self._subject)
        start = max(0, min(place - rows // 2, len(subjects) - rows))
        lines = [kinds_head(size.width)]
        for name in subjects[start : start + rows]:
            chosen = name == self._subject
            if name == MEMORY:
                lines.append(memory_line(read.snapshot, knobs, self._memory_id or "", chosen=chosen, width=size.width))
            else:
                lines.append(kind_line(read.snapshot, knobs, name, chosen=chosen, width=size.width))
        self._kinds_pane.update(Content("\n").join(lines))
        changed = len(self._tried.half_lives) + (self._tried.memory is not None)
        self._kinds_pane.border_subtitle = Content(
            counted(changed, "half-life tried", "half-lives tried") if changed else f"{place + 1} of {len(subjects)}"
        )

    # -- acts -------------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why a knob cannot be turned now."""
        if not action.id.startswith("lab-"):
            return super().why_not(action)
        if self._read is None:
            return "The vault is being read."
        if action.id == "lab-apply":
            return self._why_not_apply(self._read)
        if action.id == "lab-learned" and self._subject == MEMORY:
            return "Verdicts teach of kinds, not of one memory."
        if action.id == "lab-learned" and self._read.snapshot.kind(self._subject).lesson is None:
            return f"No verdict says anything of {tame(self._subject, 40)} yet."
        return super().why_not(action)

    def _why_not_apply(self, read: LabRead) -> str | None:
        if not self._tried.can_be_applied:
            if self._tried.threshold is not None:
                return "The line for review is the configuration's: set [review] threshold there."
            return "No half-life is tried: ← and → turn it."
        fixed = [name for name in self._tried.half_lives if read.snapshot.kind(name).origin == "config"]
        if fixed:
            return f"The configuration sets the half-life of {tame(fixed[0], 40)}: change it there, 0 lets go here."
        return None

    def _move(self, by: int) -> None:
        subjects = self._subjects()
        place = subjects.index(self._subject) + by
        self._subject = subjects[max(0, min(len(subjects) - 1, place))]
        self._draw()

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
            self._try(None if self._subject == MEMORY else plain.get(self._subject).half_life_days)

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
        self._turned()

    def action_lab_apply(self) -> None:
        """Apply the half-lives that were tried, as one change."""
        if self._read is not None:
            read, knobs = self._read, self._knobs()
            self._tried.memory = None
            self.do(Act(partial(self._lab.apply, read, knobs)))
