"""The Decay lab: the curve, the kinds, and the effect of what is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memtui.curate.decay import Effect, Knobs, Members, PayloadChange, Snapshot, days_text, effect
from memtui.curate.workload import Week, workload
from memtui.domain.freshness import review_pace
from memtui.text.sanitize import tame
from memtui.text.words import bar, counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import LAB, Action
from memtui.tui.lab.curve import curve_of
from memtui.tui.lab.trial import (
    DAILY,
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
from memtui.tui.list_detail import LIST, MemtuiScreen
from memtui.tui.loader import Task
from memtui.tui.state import Opening
from memtui.tui.styled_text import fit, wrap
from memtui.tui.widgets.detail import CurveView
from memtui.tui.widgets.lines import TitleLine
from memtui.wording.health import spark
from memtui.wording.reasons import pace_words

WEEKS = 8  # Weeks of which the reviews are foretold

_NAME_CELLS, _COUNT_CELLS, _DAYS_CELLS, _ORIGIN_CELLS = 13, 8, 18, 8
_LABEL_CELLS, _WHEN_CELLS, _DUE_CELLS, _MOST_BAR_CELLS = 9, 6, 18, 24
_MOVED = "bold $memtui-due"
_WIDE = 90
_NARROW = 50


# -- the kinds -----------------------------------------------------------------------------------------


def kinds_lines(read: LabRead, trial: Trial, *, width: int, height: int) -> list[Content]:
    """Return the heading and as many subjects as there is room for, the current one among them."""
    return [_head(width), *(_subject_line(read, trial, name, width) for name in _in_sight(read, trial, height))]


def _in_sight(read: LabRead, trial: Trial, height: int) -> Sequence[str]:
    """Return the subjects of which there are lines below the heading."""
    subjects, rows = trial.subjects(read), max(1, height - 1)
    start = max(0, min(subjects.index(trial.subject) - rows // 2, len(subjects) - rows))
    return subjects[start : start + rows]


class KindsPane(Static):
    """Shows the kinds with their half-lives."""

    @dataclass
    class Clicked(Message):
        """A line was clicked; 0 is the heading."""

        line: int

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None:
            event.stop()
            self.post_message(self.Clicked(offset.y))


def _head(width: int) -> Content:
    count = fit("active", _COUNT_CELLS - 2, right=True) + "  " if width >= _NARROW else ""
    days = fit("  half-life", _DAYS_CELLS)
    columns = "  " + fit("kind", _NAME_CELLS) + count + days + fit("set by", _ORIGIN_CELLS) + "learned from verdicts"
    return Content.styled(fit(columns, width), "$memtui-dim")


def _subject_line(read: LabRead, trial: Trial, name: str, width: int) -> Content:
    row = _memory_row(read.snapshot, trial) if name == MEMORY else _kind_row(read, trial, name, width)
    is_current = name == trial.subject
    is_tried = row.tried != row.now
    mark = "▸ " if is_current else "* " if is_tried else "  "
    count = fit(row.count, _COUNT_CELLS - 2, right=True) + "  " if width >= _NARROW else ""
    left = mark + fit(row.name, _NAME_CELLS) + count
    days = f"{days_text(row.now).removesuffix(' d')} → {days_text(row.tried)}" if is_tried else days_text(row.now)
    half_life = fit(f"◂ {days} ▸" if is_current else f"  {days}", min(_DAYS_CELLS, max(0, width - len(left))))
    end = fit(fit(row.origin, _ORIGIN_CELLS) + row.rest, max(0, width - len(left) - len(half_life)))
    plain = "bold" if is_current else "$foreground"
    return Content.assemble((left, plain), (half_life, "bold $memtui-pin" if is_tried else plain), (end, "$memtui-dim"))


@dataclass(frozen=True, slots=True)
class _Row:
    """A kind or the one memory; `now` and `tried` are its half-life in days."""

    name: str
    count: str
    now: float
    tried: float
    origin: str
    rest: str


def _kind_row(read: LabRead, trial: Trial, name: str, width: int) -> _Row:
    snapshot, project = read.snapshot, trial.project(read)
    kind = snapshot.kind(name)
    lesson = ""
    if kind.lesson is not None:
        number = kind.lesson.verdicts
        shown = counted(number, "verdict") if width >= _WIDE else f"{number:,}"
        evidence = f"{shown} ({kind.lesson.expired:,} outdated)"
        low, high = kind.lesson.rate.range_days
        spread = f" ({low:.0f}–{high:.0f})" if width >= _WIDE else ""
        lesson = f"{kind.lesson.half_life_days:.0f} d{spread} from {evidence}"
    origin = "project" if (name, project) in snapshot.in_force.project_half_lives() else kind.origin
    now, tried = (snapshot.kind_half_life(name, project, each) for each in (Knobs(), trial.knobs))
    return _Row(tame(name, 60), f"{kind.memories:,}", now, tried, origin, lesson)


def _memory_row(snapshot: Snapshot, trial: Trial) -> _Row:
    memory = snapshot.memory(trial.memory_id or "")
    if memory is None:
        raise KeyError(trial.memory_id)  # it is not among the subjects
    origin = "itself" if memory.half_life_days is not None else "kind"
    now = snapshot.half_life(memory, Knobs())
    tried = now if trial.knobs.memory is None else snapshot.half_life(memory, trial.knobs)
    return _Row("this memory", "pinned" if memory.pinned else "", now, tried, origin, tame(memory.title, 120))


# -- the effect ----------------------------------------------------------------------------------------


def effect_lines(
    read: LabRead,
    found: Effect,  # the effect on the review queue
    # the recipes whose payload would change, None while that is being calculated
    payloads: Sequence[PayloadChange] | None,
    *,
    coming: Sequence[Week] = (),  # the reviews of the coming weeks
    as_is: Sequence[Week] = (),  # the same without what is tried
    configuration: Sequence[str],  # lines for the configuration, which keeps what cannot be applied here
    paced: str = "",  # how long the one memory waits, against what its half-life says
    width: int,
    height: int,
) -> list[Content]:
    """Return what applying would do: the queue with the memories that enter and leave, and the payloads that change."""
    changed = bool(found.entering or found.leaving)
    queue = _due_lines(found, width, changed=changed)
    rows = [_moved("+", one.title, one.after, width) for one in found.entering]
    rows += [_moved("−", one.title, one.after, width) for one in found.leaving]
    queue += _coming_lines(coming, as_is if list(as_is) != list(coming) else (), width)
    below = _payload_lines(payloads, len(read.payloads.recipes), read.titles, width)
    reasons = wrap(paced, max(1, width - _LABEL_CELLS)) if paced else []
    queue[:0] = [_pair("" if place else "due", line) for place, line in enumerate(reasons)]
    kept = ["for the configuration:", *configuration] if configuration else []
    below += [Content.styled(fit(line, width), "$memtui-dim") for line in kept]
    # At least two of the payload's lines stay in sight, however many memories move.
    room = max(0, height - len(queue) - min(len(below), max(2, height // 2)))
    lines = [*queue, *_clipped(rows, room, width), *below][:height]
    return [line.truncate(width, ellipsis=True) for line in lines]


def _due_lines(found: Effect, width: int, *, changed: bool) -> list[Content]:
    """Return what is due as bars: as it is and, where it would change, as it would be."""
    most = max(1, found.before, found.after)
    cells = max(0, min(_MOST_BAR_CELLS, width - _LABEL_CELLS - _WHEN_CELLS - _DUE_CELLS))

    def line(label: str, when: str, number: int, tail: str = "") -> Content:
        drawn = (bar(number / most, cells) + " ", "$memtui-bar")
        return Content.assemble(
            _pair(label, f"{when:<{_WHEN_CELLS}}"), drawn, (f"{number:,} due", "bold"), (tail, _MOVED)
        )

    if not changed:
        return [line("review", "now", found.before)]
    moved = f"   +{len(found.entering):,} −{len(found.leaving):,}"
    return [line("review", "now", found.before), line("", "tried", found.after, moved)]


def _coming_lines(coming: Sequence[Week], as_is: Sequence[Week], width: int) -> list[Content]:
    """Return the reviews of the coming weeks, as bars and as numbers, and how many still wait at their end.

    `as_is`: the same without what is tried, for comparison; empty for none.
    """
    most = max(1, *(week.reviewed for week in (*coming, *as_is)), 1)

    def line(label: str, when: str, weeks: Sequence[Week]) -> Content:
        drawn = spark([week.reviewed for week in weeks], most)
        numbers = " ".join(f"{week.reviewed:,}" for week in weeks)
        left = f" · {weeks[-1].left:,} left" if weeks[-1].left else ""
        room = width - _LABEL_CELLS - _WHEN_CELLS - len(drawn) - 2
        whole = f"{numbers} a week{left}"
        words = whole if len(whole) <= room else f"up to {max(week.reviewed for week in weeks):,}{left}"
        head = _pair(label, f"{when:<{_WHEN_CELLS}}")
        return Content.assemble(head, (f"{drawn}  ", "$memtui-bar"), (words, "bold"))

    if not coming:
        return []
    return [line("ahead", "now", as_is), line("", "tried", coming)] if as_is else [line("ahead", "now", coming)]


def _pair(label: str, words: str) -> Content:
    return Content.assemble((f"{label:<{_LABEL_CELLS}}", "$memtui-dim"), (words, "bold"))


def paced(read: LabRead, trial: Trial) -> str:
    """Return when the one memory is due, against when it has faded, and why; empty for a kind."""
    words = pace_words(review_pace(read.memory)) if read.memory is not None and trial.subject == MEMORY else ""
    times, _, why = words.partition(" as long: ")
    return f"{times} its fading time: {why}" if why else ""


def _moved(sign: str, title: str, fresh: float, width: int) -> Content:
    figure = f" {fresh:.2f}"
    return Content.assemble(
        (f"{sign} ", "bold"),
        (fit(tame(title, 200), max(0, width - 2 - len(figure))), "$foreground"),
        (figure, "$memtui-dim"),
    )


def _clipped(rows: list[Content], room: int, width: int) -> list[Content]:
    if len(rows) <= room:
        return rows
    if room < 1:
        return []
    rest = len(rows) - room + 1
    return [*rows[: room - 1], Content.styled(fit(f"  … {rest:,} more", width), "$memtui-dim")]


def _payload_lines(
    payloads: Sequence[PayloadChange] | None, recipes: int, titles: Mapping[str, str], width: int
) -> list[Content]:
    if not recipes:
        return [_pair("payloads", "no recipe yet (Context: R)")]
    if payloads is None:
        return [_pair("payloads", "calculating …")]
    if not payloads:
        return [_pair("payloads", f"the same for {counted(recipes, 'recipe', 'recipes')}")]
    come, go = sum(len(one.entering) for one in payloads), sum(len(one.leaving) for one in payloads)
    lines = [
        Content.assemble(
            _pair("payloads", f"{len(payloads):,} of {counted(recipes, 'recipe', 'recipes')}"),
            (f"   +{come:,} −{go:,}", "bold $memtui-due"),
        )
    ]
    for one in payloads:
        lines.append(Content.styled(fit(f"  {tame(one.recipe, 60)}", width), "$memtui-dim"))
        named = [("+", identifier) for identifier in one.entering] + [("−", identifier) for identifier in one.leaving]
        lines += [
            Content.assemble(
                (f"  {sign} ", "bold"), (fit(titles.get(identifier, identifier), max(0, width - 4)), "$foreground")
            )
            for sign, identifier in named
        ]
    return lines


ALL_SETTINGS_CELLS = 100  # Width from which the title shows the settings that are not tried too


class LabScreen(MemtuiScreen):
    """The curve of one kind beside the effect of what is tried, above all kinds with their half-lives.

    `memory_id`: a memory that can be given a half-life of its own, None for none.
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
        "lab-daily-down": ("_change", Trial.with_setting, DAILY, -1),
        "lab-daily-up": ("_change", Trial.with_setting, DAILY, 1),
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
        self._kinds_pane = KindsPane("", markup=False, id="lab-kinds")
        self._trial = Trial(memory_id)
        self._read: LabRead | None = None
        self._effect: Effect | None = None
        self._coming: list[Week] = []
        self._as_is: list[Week] = []  # The same without what is tried
        self._members: Members | None = None
        self._payload_changes: list[PayloadChange] | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="lab-top"):
            yield self._curve
            yield self._effect_pane
        yield self._kinds_pane
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._curve.set_title("Freshness by days")
        self._effect_pane.border_title = Content("If applied")  # a plain str would be read as markup
        self._kinds_pane.border_title = Content("Kinds")
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        return self._trial.memory_id

    # -- reading and calculating ------------------------------------------------------------------

    def look_again(self) -> None:
        """Read everything that effects are calculated from."""
        signature = self.access.signature()

        def take(read: LabRead) -> None:
            self.trouble_is_over()
            self.looked_at = signature
            self._read, self._members = read, None
            self._title.place = read.project
            self._try(self._trial.on(read))

        memory_id = self._trial.memory_id
        self.loader.read(lambda: read_lab(self.access, memory_id), take, group=LIST)

    def _try(self, trial: Trial) -> None:
        """Draw the curve at once, and calculate the effect in a thread."""
        self._trial, self._payload_changes = trial, None
        self.draw_again()
        read, members = self._read, self._members
        if read is None:
            return

        def calculate(task: Task) -> PayloadEffect | None:
            daily = read.daily if trial.knobs.daily is None else int(trial.knobs.daily)
            coming = workload(read.snapshot, trial.knobs, daily=daily, weeks=WEEKS)
            as_is = workload(read.snapshot, Knobs(), daily=read.daily, weeks=WEEKS)
            task.show(self._take_effect, (effect(read.snapshot, trial.knobs), coming, as_is))
            return payload_effect(read, trial.knobs, members, lambda: task.is_wanted)

        self.loader.run(calculate, self._take_payloads, group="lab-effect")

    def _take_effect(self, found: tuple[Effect, list[Week], list[Week]]) -> None:
        self._effect, self._coming, self._as_is = found
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
        self._curve.show(curve_of(read.snapshot, trial, project, due=read.due_words))
        name = "this memory" if trial.subject == MEMORY else trial.subject
        where = f" in {tame(project, 40)} only" if project and trial.subject != MEMORY else ""
        self._curve.set_title(f"Freshness by days ─ {tame(name, 40)}{where}")
        self._draw_kinds(read)
        self._effect_pane.border_subtitle = Content("a applies it" if trial.can_be_applied else "no change")
        if self._effect is not None:
            size = self._effect_pane.content_size
            lines = effect_lines(
                read,
                self._effect,
                self._payload_changes,
                coming=self._coming,
                as_is=self._as_is,
                configuration=trial.for_configuration(),
                paced=paced(read, trial),
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
            return "No single project is selected."
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
            return f"No verdicts on {tame(subject, 40)} to learn from yet."
        return None

    def _move(self, by: int) -> None:
        if self._read is not None:
            self._trial = self._trial.moved(self._read, by)
            self.draw_again()

    @on(KindsPane.Clicked)
    def _go_to(self, message: KindsPane.Clicked) -> None:
        """Go to the kind that was clicked."""
        message.stop()
        if self._read is None or message.line < 1:
            return
        shown = _in_sight(self._read, self._trial, self._kinds_pane.content_size.height)
        if message.line <= len(shown):
            subjects = self._trial.subjects(self._read)
            self._move(subjects.index(shown[message.line - 1]) - subjects.index(self._trial.subject))

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
