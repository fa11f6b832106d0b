"""The decay lab's reads and panes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.clock import days_after
from memtui.curate.decay import Effect, Knobs, Snapshot, crossing_days, days_text
from memtui.domain.freshness import decay
from memtui.domain.kinds import split_project
from memtui.tui.text_layout import counted, fit, tame
from memtui.tui.values import Done, Signature
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.curve import Curve

if TYPE_CHECKING:
    from memtui.curate.decay import Members, PayloadChange, Payloads


@dataclass(frozen=True, slots=True)
class LabRead:
    """The vault as the lab reckons with it.

    Attributes:
        signature: what the file system said of the vault before it was read.
        project: the project in view.
        titles: of the memories in use, as the screen shows them, by id.
        payloads: makes the recipes' payloads.
    """

    snapshot: Snapshot
    signature: Signature
    project: str | None
    titles: Mapping[str, str]
    payloads: Payloads


class LabAccess:
    """The vault as the Decay lab sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def read(self) -> LabRead:
        """Read everything that effects are reckoned on."""
        from memtui.curate.decay import PayloadOptions, Payloads, take_snapshot

        opening, signature = self._opening, self._access.signature()
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
        snapshot = take_snapshot(self._reading, view.scope, threshold=opening.threshold)
        options = PayloadOptions(
            view=view,
            context=opening.context,
            recall=opening.recall,
            secret_patterns=opening.secret_patterns,
            targets=opening.targets,
            meaning=opening.meaning,
        )
        titles = {memory.id: tame(memory.title, 120) for memory in snapshot.memories}
        return LabRead(snapshot, signature, view.project, titles, Payloads(self._reading, options))

    def effect(self, read: LabRead, knobs: Knobs) -> Effect:
        """Return what the review queue would become; the vault is not touched."""
        from memtui.curate.decay import effect

        return effect(read.snapshot, knobs)

    def members(self, read: LabRead, knobs: Knobs, is_wanted: Callable[[], bool]) -> Members | None:
        """Return who would be in the payloads of the recipes, None once nobody wants to know any more."""
        kinds = knobs.kinds(read.snapshot.in_force)
        return read.payloads.members(kinds, memory=knobs.memory, is_wanted=is_wanted)

    def changes(self, before: Members, after: Members) -> list[PayloadChange]:
        """Return the recipes whose payload would change."""
        from memtui.curate.decay import payload_changes

        return payload_changes(before, after)

    def apply(self, read: LabRead, knobs: Knobs) -> Done:
        """Apply half-lives as one change; one that would hold anyhow is taken out of the vault."""
        from memtui.curate.decay import apply

        self._opening.before_change()
        in_force = read.snapshot.in_force
        half_lives: dict[str, float | None] = {}
        for name, days in knobs.half_lives.items():
            kind, project = split_project(name)
            usual = in_force.without_stored() if project is None else in_force
            half_lives[name] = None if days == usual.get(kind).half_life_days else days
        said = apply(self._vault, half_lives, memory=knobs.memory, actor=self._opening.actor)
        return Done(f"Applied: {tame(said)}; u undoes it")


CURVE_STEPS = 160
"""Points of a curve; a wide terminal has about so many columns for it."""

LADDER = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 75, 90, 120, 150, 180, 225, 270, 365, 450, 540, 730, 1095, 1825, 3650)
"""Half-lives in days that a knob stops at: a day to ten years, in steps that a person would name."""

MEMORY = "\0memory"
"""Stands for the one memory among the kinds; no kind is named so."""

_FURTHEST_DAYS = 365_000.0
_NAME_CELLS, _COUNT_CELLS, _DAYS_CELLS, _ORIGIN_CELLS = 13, 8, 18, 8
_WIDE = 90
_NARROW = 50


def step(days: float, by: int) -> float:
    """Return the next half-life of the ladder above or below one."""
    if by > 0:
        return float(next((rung for rung in LADDER if rung > days), max(days, LADDER[-1])))
    return float(next((rung for rung in reversed(LADDER) if rung < days), min(days, LADDER[0])))


# -- the curve -----------------------------------------------------------------------------------------


def curve_of(
    snapshot: Snapshot, knobs: Knobs, subject: str, memory_id: str | None, project: str | None = None
) -> Curve:
    """Return the curve of a kind as of a verification, or of one memory with today; beside it the one that is tried.

    Args:
        subject: a kind, or `MEMORY`.
        project: the one project that the kind is looked at in, None for wherever none has its own.
    """
    memory = snapshot.memory(memory_id) if subject == MEMORY and memory_id else None
    if memory is not None:
        now, tried = snapshot.half_life(memory, Knobs()), snapshot.half_life(memory, knobs)
    else:
        now, tried = (snapshot.kind_half_life(subject, project, each) for each in (Knobs(), knobs))
    threshold = snapshot.threshold if knobs.threshold is None else knobs.threshold
    floors = (snapshot.in_force.floor, snapshot.in_force.floor if knobs.floor is None else knobs.floor)
    crossings = (crossing_days(now, threshold, floors[0]), crossing_days(tried, threshold, floors[1]))
    age = memory.age_days if memory is not None else 0.0
    longest = max((days for days in crossings if days < math.inf), default=0.0)
    length = max(1.3 * longest, 2.0 * now, 1.1 * age, 1.0)
    changed = tried != now or floors[0] != floors[1]
    ticks = () if memory is not None else snapshot.kind(subject).verified_days
    return Curve(
        _values(now, length, floors[0]),
        age / length if memory is not None else None,
        threshold,
        _caption(snapshot, (now, tried), crossings, age),
        supposed=_values(tried, length, floors[1]) if changed else (),
        ticks=tuple(days / length for days in ticks if days <= length),
        labels=tuple((days / length, days_text(days)) for days in dict.fromkeys(crossings) if days < math.inf)
        + _ends(length),
    )


def _ends(length: float) -> tuple[tuple[float, str], ...]:
    return ((0.0, "0"), (1.0, days_text(length)))


def _values(half_life: float, length: float, floor: float) -> tuple[float, ...]:
    return tuple(decay(length * place / CURVE_STEPS, half_life, floor) for place in range(CURVE_STEPS + 1))


def _caption(snapshot: Snapshot, half_lives: tuple[float, float], crossings: tuple[float, float], age: float) -> str:
    dates = [days_after(snapshot.now, min(days - age, _FURTHEST_DAYS)) for days in crossings]
    words = [
        "never due" if days == math.inf else f"due {'since ' if day < snapshot.now else ''}{day:%Y-%m-%d}"
        for days, day in zip(crossings, dates, strict=True)
    ]
    said = f"█ now {days_text(half_lives[0])}, {words[0]}"
    same = half_lives[0] == half_lives[1] and crossings[0] == crossings[1]
    return said if same else f"{said} · • tried {days_text(half_lives[1])}, {words[1]}"


# -- the kinds -----------------------------------------------------------------------------------------


def kinds_head(width: int) -> Content:
    """Return the heading of the kinds."""
    count = fit("in use", _COUNT_CELLS - 2, right=True) + "  " if width >= _NARROW else ""
    days = fit("  half-life", _DAYS_CELLS)
    columns = "  " + fit("kind", _NAME_CELLS) + count + days + fit("set by", _ORIGIN_CELLS) + "learned, from verdicts"
    return Content.styled(fit(columns, width), "$memtui-dim")


def kind_line(
    snapshot: Snapshot, knobs: Knobs, name: str, *, chosen: bool, width: int, project: str | None = None
) -> Content:
    """Return a kind: how many, its half-life, what is tried, who set it, and what was learned."""
    kind = snapshot.kind(name)
    lesson = ""
    if kind.lesson is not None:
        noun = " verdicts" if width >= _WIDE else ""
        evidence = f"{kind.lesson.verdicts:,}{noun} ({kind.lesson.expired:,} outdated)"
        lesson = f"{kind.lesson.half_life_days:.0f} d from {evidence}"
    origin = "project" if (name, project) in snapshot.in_force.project_half_lives() else kind.origin
    row = _Row(tame(name, 60), f"{kind.memories:,}", origin, lesson)
    now, tried = (snapshot.kind_half_life(name, project, each) for each in (Knobs(), knobs))
    return _line(row, (now, tried if tried != now else None), chosen=chosen, width=width)


def memory_line(snapshot: Snapshot, knobs: Knobs, memory_id: str, *, chosen: bool, width: int) -> Content:
    """Return the one memory that was under the cursor, as a row before the kinds."""
    memory = snapshot.memory(memory_id)
    if memory is None:
        return Content("")
    origin = "itself" if memory.half_life_days is not None else "kind"
    row = _Row("this memory", "pinned" if memory.pinned else "", origin, tame(memory.title, 120))
    tried = snapshot.half_life(memory, knobs) if knobs.memory else None
    return _line(row, (snapshot.half_life(memory, Knobs()), tried), chosen=chosen, width=width)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    count: str
    origin: str
    rest: str


def _line(row: _Row, days: tuple[float, float | None], *, chosen: bool, width: int) -> Content:
    """Return a row of the kinds, with its half-life as it is and as it is tried."""
    now, tried = days
    mark = "▸ " if chosen else "* " if tried is not None else "  "
    count = fit(row.count, _COUNT_CELLS - 2, right=True) + "  " if width >= _NARROW else ""
    left = mark + fit(row.name, _NAME_CELLS) + count
    words = days_text(now) if tried is None else f"{days_text(now).removesuffix(' d')} → {days_text(tried)}"
    half_life = fit(f"◂ {words} ▸" if chosen else f"  {words}", min(_DAYS_CELLS, max(0, width - len(left))))
    end = fit(fit(row.origin, _ORIGIN_CELLS) + row.rest, max(0, width - len(left) - len(half_life)))
    plain = "bold" if chosen else "$foreground"
    return Content.assemble(
        (left, plain), (half_life, "bold $memtui-pin" if tried is not None else plain), (end, "$memtui-dim")
    )


# -- the effect ----------------------------------------------------------------------------------------


def effect_lines(
    found: Effect,
    payloads: Sequence[PayloadChange] | None,
    *,
    recipes: int,
    titles: Mapping[str, str],
    keep: Sequence[str],
    size: tuple[int, int],
) -> list[Content]:
    """Return what applying would do: the queue with who enters and leaves, and the payloads that change.

    Args:
        found: the effect on the review queue.
        payloads: the recipes whose payload would change, None while that is being reckoned.
        recipes: how many recipes there are.
        keep: lines for the configuration, which alone can keep what they say.
        size: cells and lines that there is room for.
    """
    width, height = size
    changed = found.entering or found.leaving
    queue = [_pair("review", f"{found.before:,} → {found.after:,} due" if changed else f"{found.before:,} due")]
    if changed:
        queue[0] = Content.assemble(
            queue[0], (f"   +{len(found.entering):,} −{len(found.leaving):,}", "bold $memtui-due")
        )
    rows = [_moved("+", one.title, one.after, width) for one in found.entering]
    rows += [_moved("−", one.title, one.after, width) for one in found.leaving]
    below = _payload_lines(payloads, recipes, titles, width)
    if keep:
        below.append(Content.styled(fit("the configuration keeps this:", width), "$memtui-dim"))
        below += [Content.styled(fit(line, width), "$memtui-dim") for line in keep]
    # At least two of the payload's lines stay in sight, however many memories move.
    room = max(0, height - len(queue) - min(len(below), max(2, height // 2)))
    lines = [*queue, *_clipped(rows, room, width), *below][:height]
    return [line.truncate(width, ellipsis=True) for line in lines]


def _pair(label: str, words: str) -> Content:
    return Content.assemble((f"{label:<9}", "$memtui-dim"), (words, "bold"))


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
        return [_pair("payloads", "no recipe is saved yet")]
    if payloads is None:
        return [_pair("payloads", "reckoning …")]
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
