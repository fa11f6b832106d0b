"""The decay lab: how fast each kind decays, and what another half-life would change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from memtui.curate.decay import Effect, Knobs
from memtui.domain.kinds import split_project
from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.table import LAB
from memtui.tui.lab.knobs import LabKnobs
from memtui.tui.lab.view import MEMORY, LabAccess, LabRead, curve_of, effect_lines, kind_line, kinds_head, memory_line
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.state import State
from memtui.tui.text_layout import counted, tame
from memtui.tui.widgets.curve import CurveView
from memtui.tui.widgets.lines import TitleLine

if TYPE_CHECKING:
    from memtui.curate.decay import Members, PayloadChange


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


class LabScreen(LabKnobs):
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
        super().__init__(opening, memory_id)
        self._lab = LabAccess(self.access)
        self._title = TitleLine("Decay lab", id="lab-title")
        self._curve = CurveView(id="lab-curve")
        self._effect_pane = Static("", markup=False, id="lab-effect")
        self._kinds_pane = Static("", markup=False, id="lab-kinds")
        self._effect: Effect | None = None
        self._base: Members | None = None
        self._payload_changes: list[PayloadChange] | None = None
        self._ticket = 0
        self._reading = 0

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="lab-top"):
            yield self._curve
            yield self._effect_pane
        yield self._kinds_pane
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first picture."""
        self._curve.set_title("Curve")
        self._effect_pane.border_title = Content("If applied")  # a plain str would be read as markup
        self._kinds_pane.border_title = Content("Kinds")
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        """The memory that the lab was opened at."""
        return self._memory_id

    def remember(self, state: State) -> None:
        """Keep nothing: what was only tried is let go."""

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read everything that effects are reckoned on."""
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
        self._read, self._base, self._payload_changes = message.read, None, None
        self.looked_at = message.read.signature
        self._title.project = message.read.project
        names = self._subjects()
        if self._subject not in names:
            self._subject = names[0]
        in_force = message.read.snapshot.in_force
        # What was applied meanwhile, here or by somebody else, is not a trial any more.
        self._tried.half_lives = {
            name: days
            for name, days in self._tried.half_lives.items()
            if in_force.half_life(*split_project(name)) != days
        }
        self.turned()

    # -- the knobs --------------------------------------------------------------------------------

    def turned(self) -> None:
        """Draw the curve at once, and reckon the effect in a thread."""
        self._ticket += 1
        self._payload_changes = None
        self.draw_again()
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
            if before is not None and knobs != Knobs(threshold=knobs.threshold):
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
            self.draw_again()

    @on(PayloadsReckoned)
    def _take_payloads(self, message: PayloadsReckoned) -> None:
        if message.ticket == self._ticket:
            self._base, self._payload_changes = message.base, message.changes
            self.draw_again()

    # -- drawing ----------------------------------------------------------------------------------

    def draw_again(self) -> None:
        """Draw the curve, the kinds and what is known of the effect."""
        read = self._read
        if read is None:
            return
        knobs, project = self._knobs(), self._project
        self._title.note = self._settings_words(read)
        self._curve.show(curve_of(read.snapshot, knobs, self._subject, self._memory_id, project))
        name = "this memory" if self._subject == MEMORY else self._subject
        where = f" in {tame(project, 40)} alone" if project and self._subject != MEMORY else ""
        self._curve.set_title(f"Curve ─ {tame(name, 40)}{where}")
        self._draw_kinds(read, knobs)
        self._effect_pane.border_subtitle = Content(
            "a applies it" if self._tried.can_be_applied else "nothing is tried"
        )
        if self._effect is not None:
            size = self._effect_pane.content_size
            lines = effect_lines(
                self._effect,
                self._payload_changes,
                recipes=len(read.payloads.recipes),
                titles=read.titles,
                keep=self._to_keep(),
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
                lines.append(
                    kind_line(read.snapshot, knobs, name, chosen=chosen, width=size.width, project=self._project)
                )
        self._kinds_pane.update(Content("\n").join(lines))
        changed = len(self._tried.half_lives) + (self._tried.memory is not None)
        self._kinds_pane.border_subtitle = Content(
            counted(changed, "half-life tried", "half-lives tried") if changed else f"{place + 1} of {len(subjects)}"
        )

    # -- applying ----------------------------------------------------------------------------------------

    def action_lab_apply(self) -> None:
        """Apply the half-lives that were tried, as one change."""
        if self._read is not None:
            read, knobs = self._read, self._knobs()
            self._tried.memory = None
            self.do(partial(self._lab.apply, read, knobs))
