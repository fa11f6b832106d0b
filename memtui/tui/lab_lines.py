"""The Decay lab's panes as lines of content: the kinds with their knobs, and the effect of what is tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.curate.decay import Effect, Knobs, Snapshot, crossing_days, days_text
from memtui.domain.freshness import FLOOR
from memtui.tui.cells import fit
from memtui.tui.widgets.curve import Curve
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.curate.decay_payloads import PayloadChange

CURVE_STEPS = 160
"""Points of a curve; a wide terminal has about so many columns for it."""

LADDER = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 75, 90, 120, 150, 180, 225, 270, 365, 450, 540, 730, 1095, 1825, 3650)
"""Half-lives in days that a knob stops at: a day to ten years, in steps that a person would name."""

MEMORY = "\0memory"
"""Stands for the one memory among the kinds; no kind is named so."""

_FURTHEST_DAYS = 365_000.0
_NAME_CELLS, _COUNT_CELLS, _DAYS_CELLS, _ORIGIN_CELLS = 14, 8, 18, 8


def step(days: float, by: int) -> float:
    """Return the next half-life of the ladder above or below one."""
    if by > 0:
        return float(next((rung for rung in LADDER if rung > days), max(days, LADDER[-1])))
    return float(next((rung for rung in reversed(LADDER) if rung < days), min(days, LADDER[0])))


# -- the curve -----------------------------------------------------------------------------------------


def curve_of(snapshot: Snapshot, knobs: Knobs, subject: str, memory_id: str | None) -> Curve:
    """Return the curve of a kind as of a verification, or of one memory with today; beside it the one that is tried."""
    memory = snapshot.memory(memory_id) if subject == MEMORY and memory_id else None
    if memory is not None:
        now, tried = snapshot.half_life(memory, Knobs()), snapshot.half_life(memory, knobs)
    else:
        now = snapshot.kind(subject).half_life_days
        tried = knobs.half_lives.get(subject, now)
    threshold = snapshot.threshold if knobs.threshold is None else knobs.threshold
    crossings = (crossing_days(now, threshold), crossing_days(tried, threshold))
    age = memory.age_days if memory is not None else 0.0
    length = max(1.3 * max(crossings), 2.0 * now, 1.1 * age, 1.0)
    changed = tried != now
    ticks = () if memory is not None else snapshot.kind(subject).verified_days
    return Curve(
        _values(now, length),
        age / length if memory is not None else None,
        threshold,
        _caption(snapshot, (now, tried), crossings, age),
        supposed=_values(tried, length) if changed else (),
        ticks=tuple(days / length for days in ticks if days <= length),
        labels=tuple((days / length, days_text(days)) for days in dict.fromkeys(crossings)) + _ends(length),
    )


def _ends(length: float) -> tuple[tuple[float, str], ...]:
    return ((0.0, "0"), (1.0, days_text(length)))


def _values(half_life: float, length: float) -> tuple[float, ...]:
    return tuple(
        FLOOR + (1.0 - FLOOR) * 2.0 ** (-length * place / CURVE_STEPS / half_life) for place in range(CURVE_STEPS + 1)
    )


def _caption(
    snapshot: Snapshot, half_lives: tuple[float, float], crossings: tuple[float, float], age: float
) -> str:
    dates = [snapshot.now + timedelta(days=min(days - age, _FURTHEST_DAYS)) for days in crossings]
    words = [f"due {day:%Y-%m-%d}" if day >= snapshot.now else f"due since {day:%Y-%m-%d}" for day in dates]
    said = f"█ now {days_text(half_lives[0])}, {words[0]}"
    return said if half_lives[0] == half_lives[1] else f"{said} · • tried {days_text(half_lives[1])}, {words[1]}"


# -- the kinds -----------------------------------------------------------------------------------------


def kinds_head(width: int) -> Content:
    """Return the heading of the kinds."""
    columns = (
        fit("  kind", _NAME_CELLS + 2)
        + fit("in use", _COUNT_CELLS, right=True)
        + "  "
        + fit("half-life", _DAYS_CELLS)
        + fit("set by", _ORIGIN_CELLS)
        + "learned from verdicts"
    )
    return Content.styled(fit(columns, width), "$memtui-dim")


def kind_line(snapshot: Snapshot, knobs: Knobs, name: str, *, chosen: bool, width: int) -> Content:
    """Return a kind: how many, its half-life, what is tried, who set it, and what was learned."""
    kind = snapshot.kind(name)
    tried = knobs.half_lives.get(name)
    lesson = ""
    if kind.lesson is not None:
        lesson = f"{kind.lesson} ({kind.lesson.expired:,} outdated)"
    return _line(
        tame(name, 60),
        f"{kind.memories:,}",
        _half_life(kind.half_life_days, tried, chosen=chosen),
        kind.origin,
        lesson,
        chosen=chosen,
        tried=tried is not None,
        width=width,
    )


def memory_line(snapshot: Snapshot, knobs: Knobs, memory_id: str, *, chosen: bool, width: int) -> Content:
    """Return the one memory that was under the cursor, as a row before the kinds."""
    memory = snapshot.memory(memory_id)
    if memory is None:
        return Content("")
    now = snapshot.half_life(memory, Knobs())
    tried = snapshot.half_life(memory, knobs) if knobs.memory else None
    origin = "itself" if memory.half_life_days is not None else "its kind"
    return _line(
        "this memory",
        "pinned" if memory.pinned else "",
        _half_life(now, tried, chosen=chosen),
        origin,
        tame(memory.title, 120),
        chosen=chosen,
        tried=tried is not None,
        width=width,
    )


def _half_life(now: float, tried: float | None, *, chosen: bool) -> str:
    words = days_text(now) if tried is None else f"{days_text(now)} → {days_text(tried)}"
    return f"◂ {words} ▸" if chosen else f"  {words}"


def _line(
    name: str, count: str, half_life: str, origin: str, rest: str, *, chosen: bool, tried: bool, width: int
) -> Content:
    mark = "▸ " if chosen else "* " if tried else "  "
    left = mark + fit(name, _NAME_CELLS) + fit(count, _COUNT_CELLS, right=True) + "  "
    end = fit(origin, _ORIGIN_CELLS) + rest
    room = max(0, width - len(mark) - _NAME_CELLS - _COUNT_CELLS - 2 - _DAYS_CELLS)
    style = "bold $memtui-pin" if tried else "bold" if chosen else "$foreground"
    return Content.assemble(
        (left, "bold" if chosen else "$foreground"), (fit(half_life, _DAYS_CELLS), style), (fit(end, room), "$memtui-dim")
    )


# -- the effect ----------------------------------------------------------------------------------------


def effect_lines(
    found: Effect,
    payloads: Sequence[PayloadChange] | None,
    *,
    recipes: int,
    titles: Mapping[str, str],
    threshold: tuple[float, float],
    size: tuple[int, int],
) -> list[Content]:
    """Return what applying would do: the queue with who enters and leaves, and the payloads that change.

    Args:
        found: the effect on the review queue.
        payloads: the recipes whose payload would change, None while that is being reckoned.
        recipes: how many recipes there are.
        titles: by id.
        threshold: the line for review as it is and as tried.
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
    if threshold[0] != threshold[1]:
        below.append(Content.styled(fit(f"a leaves the line: [review] threshold = {threshold[1]:.2f}", width), "$memtui-dim"))
        below.append(Content.styled(fit("in the configuration keeps it", width), "$memtui-dim"))
    # At least two of the payload's lines stay in sight, however many memories move.
    room = max(0, height - len(queue) - min(len(below), max(2, height // 2)))
    return [*queue, *_clipped(rows, room, width), *below][:height]


def _pair(label: str, words: str) -> Content:
    return Content.assemble((f"{label:<9}", "$memtui-dim"), (words, "bold"))


def _moved(sign: str, title: str, fresh: float, width: int) -> Content:
    figure = f" {fresh:.2f}"
    return Content.assemble(
        (f"{sign} ", "bold"), (fit(tame(title, 200), max(0, width - 2 - len(figure))), "$foreground"), (figure, "$memtui-dim")
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
            Content.assemble((f"  {sign} ", "bold"), (fit(titles.get(identifier, identifier), max(0, width - 4)), "$foreground"))
            for sign, identifier in named
        ]
    return lines
