"""The health of a vault as rows for people, for the app and the command line alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memtui.curate.health import BINS, NO_PATH, Health, Ranked
from memtui.text.plural import counted
from memtui.text.sanitize import one_line

PATHS_SHOWN = 6
"""Folders that are shown; the rest are counted."""


_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class HealthRow:
    """One figure.

    Attributes:
        value: the figure as text.
        note: one line of explanation; may hold text of others.
        share: 0–1 for a bar, None for none.
        asks: whether something should be done about it.
        is_memory: whether the label is the id of a memory and the note its title.
    """

    label: str
    value: str
    note: str = ""
    share: float | None = None
    asks: bool = False
    is_memory: bool = False


@dataclass(frozen=True, slots=True)
class HealthSection:
    """Rows under a title; `is_contents` if they say what the vault holds, rather than what needs attention."""

    title: str
    rows: tuple[HealthRow, ...]
    is_contents: bool = False


def bar(share: float, cells: int) -> str:
    """Return a bar of eighths of a cell, padded to its cells; a share above 0 is visible."""
    eighths = round(max(0.0, min(1.0, share)) * cells * 8)
    eighths = max(1, eighths) if share > 0 else 0
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)


def sections(found: Health) -> list[HealthSection]:
    """Return the health as sections, the most actionable first."""
    return [
        HealthSection("Freshness", _freshness(found), is_contents=True),
        HealthSection("Review", _review(found)),
        HealthSection("By kind", _shares(found.counts["by_kind"]), is_contents=True),
        HealthSection("By path", _paths(found.by_path), is_contents=True),
        HealthSection("In doubt", _doubts(found)),
        HealthSection("Use", _use(found)),
        HealthSection("Most useful", _ranked_rows(found.most_useful, "nothing was rated helpful yet")),
        HealthSection("Least useful", _ranked_rows(found.least_useful, "nothing was rated harmful")),
    ]


def _freshness(found: Health) -> tuple[HealthRow, ...]:
    most = max(found.freshness, default=0) or 1
    rows = [
        HealthRow(f"{place / BINS:.1f}–{(place + 1) / BINS:.1f}", f"{number:,}", share=number / most)
        for place, number in reversed(list(enumerate(found.freshness)))
    ]
    return (*rows, HealthRow("mean", f"{found.mean_freshness:.2f}"))


def _review(found: Health) -> tuple[HealthRow, ...]:
    due, inbox = found.counts["due"], found.counts["inbox"]
    oldest = f"{found.due_share:.0%} of what is in use" + (f", the oldest {found.overdue_days:,} d" if due else "")
    return (
        HealthRow("due", f"{due:,}", oldest, share=found.due_share, asks=due > 0),
        HealthRow("inbox", f"{inbox:,}", "waiting to be accepted" if inbox else "", asks=inbox > 0),
        HealthRow("pinned", f"{found.counts['pinned']:,}", "never fade" if found.counts["pinned"] else ""),
    )


def _shares(counts: Mapping[str, int]) -> tuple[HealthRow, ...]:
    most = max(counts.values(), default=0) or 1
    return tuple(
        HealthRow(one_line(str(name))[:80], f"{number:,}", share=number / most) for name, number in counts.items()
    ) or (HealthRow("none", "0"),)


def _paths(counts: Mapping[str, int]) -> tuple[HealthRow, ...]:
    named = {name: number for name, number in counts.items() if name != NO_PATH}
    shown = dict(list(named.items())[:PATHS_SHOWN])
    rows = list(_shares(shown)) if shown else []
    if len(named) > len(shown):
        rows.append(HealthRow(f"{len(named) - len(shown):,} more", ""))
    if NO_PATH in counts:
        most = max(counts.values())
        rows.append(HealthRow("tied to no file", f"{counts[NO_PATH]:,}", share=counts[NO_PATH] / most))
    return tuple(rows) or (HealthRow("none", "0"),)


def _doubts(found: Health) -> tuple[HealthRow, ...]:
    doubles = found.duplicates
    if doubles is None:
        words = "exact copies; `memtui tidy` looks for the rest"
        double = HealthRow("duplicates", f"{found.copies:,}", words, asks=found.copies > 0)
    else:
        words = f"{found.duplicate_tokens:,} tokens said twice" if doubles else ""
        double = HealthRow("duplicates", f"{doubles:,}", words, asks=doubles > 0)
    proposed = (
        "`memtui tidy` looks for more"
        if found.proposed_contradictions is None
        else f"{found.proposed_contradictions:,} more proposed"
    )
    disputed = found.linked_contradictions + (found.proposed_contradictions or 0)
    total = sum(found.anchors.values())
    dead = found.anchors["gone"] + found.anchors["moved"]
    where = f"{found.dead_share:.0%} of {total:,}"
    if dead:
        where += f", in {counted(found.dead_memories, 'memory')}"
    changed = found.anchors["changed"]
    return (
        double,
        HealthRow("contradictions", f"{found.linked_contradictions:,}", f"linked, {proposed}", asks=disputed > 0),
        HealthRow("dead anchors", f"{dead:,}", where, found.dead_share, asks=dead > 0),
        HealthRow(
            "changed files", f"{changed:,}", "since their memory was verified" if changed else "", asks=changed > 0
        ),
    )


def _use(found: Health) -> tuple[HealthRow, ...]:
    packs, standing = found.packs, found.standing
    used = packs["used"]
    share = packs["helped"] / used if used else None
    judged = f"{packs['helped']:,} helped, {packs['hurt']:,} hurt, {packs['unjudged']:,} not judged" if used else ""
    signals = ", ".join(f"{number:,} {one_line(name)}" for name, number in found.signals.items())
    recipes = f"of {counted(standing.recipes, 'recipe')}" if standing.recipes else "without a task"
    memories = counted(standing.memories, "memory")
    return (
        HealthRow("packs used", f"{used:,}", judged, share=share),
        HealthRow("signals", f"{sum(found.signals.values()):,}", signals),
        HealthRow(
            "standing",
            f"{standing.tokens:,}",
            f"tokens, budget {standing.budget}: {memories} {recipes}",
        ),
    )


def _ranked_rows(ranked: tuple[Ranked, ...], nothing: str) -> tuple[HealthRow, ...]:
    return tuple(
        HealthRow(one.id, f"{one.usefulness:.2f}", one_line(one.title)[:200], is_memory=True) for one in ranked
    ) or (HealthRow("none", "", nothing),)
