"""The health of a vault, and what its memories were worth, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.curate.health import Pending
from memtui.text.sanitize import one_line
from memtui.text.words import counted

if TYPE_CHECKING:
    from memtui.curate.health import Health, Ranked
    from memtui.curate.value import Value

PATHS_SHOWN = 6  # Folders that are shown; the rest are counted


NOT_KNOWN = "…"  # Stands for a figure that is being counted

_COLUMNS = " ▁▂▃▄▅▆▇█"
_MONTH_CELLS = 2


@dataclass(frozen=True, slots=True)
class HealthRow:
    """One figure."""

    label: str
    value: str  # the figure as text
    note: str = ""  # one line of explanation; may hold text of others
    share: float | None = None  # 0–1 for a bar, None for none
    asks: bool = False  # whether something should be done about it
    is_memory: bool = False  # whether the label is the id of a memory and the note its title
    chart: str = ""  # a small drawing, one line


@dataclass(frozen=True, slots=True)
class HealthSection:
    """Rows under a title."""

    title: str
    rows: tuple[HealthRow, ...]
    is_contents: bool = False  # whether they say what the vault holds, rather than what needs attention
    columns: tuple[int, ...] = ()  # what a screen may draw as columns in place of the rows that have a share


def spark(values: Sequence[int], most: int, *, cells: int = 1) -> str:
    """Return a column of eighths of a line for each value, each so many cells wide; a value above 0 is visible."""
    heights = (max(1, round(8 * value / most)) if value else 0 for value in values)
    return "".join(_COLUMNS[min(8, height)] * cells for height in heights)


def sections(found: Health) -> list[HealthSection]:
    """Return the health as sections, the most actionable first."""
    worth = [HealthSection("Worth", value_rows(found.value))] if found.value.sessions else []
    return [
        HealthSection("Freshness", _freshness(found), is_contents=True, columns=found.freshness),
        HealthSection("Review", _review(found)),
        HealthSection("By kind", _shares(found.counts["by_kind"]), is_contents=True),
        *([HealthSection("By month", _months(found), is_contents=True)] if found.by_month else []),
        HealthSection("By path", _paths(found.by_path), is_contents=True),
        HealthSection("In doubt", _doubts(found)),
        HealthSection("Use", _use(found)),
        *worth,
        HealthSection("Most useful", _ranked_rows(found.most_useful, "nothing was rated helpful yet")),
        HealthSection("Least useful", _ranked_rows(found.least_useful, "nothing was rated harmful")),
    ]


def _freshness(found: Health) -> tuple[HealthRow, ...]:
    most, bins = max(found.freshness, default=0) or 1, len(found.freshness)
    rows = [
        HealthRow(f"{place / bins:.1f}–{(place + 1) / bins:.1f}", f"{number:,}", share=number / most)
        for place, number in reversed(list(enumerate(found.freshness)))
    ]
    return (*rows, HealthRow("mean", f"{found.mean_freshness:.2f}"))


def _review(found: Health) -> tuple[HealthRow, ...]:
    due, inbox = found.counts["due"], found.counts["inbox"]
    unseen = f", not verified for up to {found.overdue_days:,} d" if due and found.overdue_days else ""
    oldest = f"{found.due_share:.0%} of what is in use{unseen}"
    is_known = Pending.FILES not in found.pending
    return (
        HealthRow("due", f"{due:,}", oldest, share=found.due_share, asks=due > 0)
        if is_known
        else HealthRow("due", NOT_KNOWN, "looking at the files …"),
        HealthRow("inbox", f"{inbox:,}", "waiting to be accepted" if inbox else "", asks=inbox > 0),
        HealthRow("pinned", f"{found.counts['pinned']:,}", "never fade" if found.counts["pinned"] else ""),
    )


def _shares(counts: Mapping[str, int], *, most: int = 0) -> tuple[HealthRow, ...]:
    """Return numbers with their bars. `most`: the number of a whole bar; 0 for the largest of them."""
    most = most or max(counts.values(), default=0) or 1
    return tuple(
        HealthRow(one_line(str(name))[:80], f"{number:,}", share=number / most) for name, number in counts.items()
    ) or (HealthRow("none", "0"),)


def _months(found: Health) -> tuple[HealthRow, ...]:
    """Return how many memories of each kind came in each month: a column a month, one scale for all kinds."""
    most = max(max(row) for row in found.by_month.values())
    heading = f"since {found.first_month}, at most {most:,} a month"
    rows = (
        HealthRow(one_line(str(kind))[:80], f"{sum(row):,}", chart=spark(row, most, cells=_MONTH_CELLS))
        for kind, row in found.by_month.items()
    )
    return (*rows, HealthRow("", "", heading))


def _paths(counts: Mapping[str, int]) -> tuple[HealthRow, ...]:
    named = {"(top folder)" if name == "." else name: number for name, number in counts.items() if name}
    shown = dict(list(named.items())[:PATHS_SHOWN])
    most = max(counts.values(), default=0)
    rows = list(_shares(shown, most=most)) if shown else []
    if len(named) > len(shown):
        rows.append(HealthRow(f"{len(named) - len(shown):,} more", ""))
    if untied := counts.get(""):
        rows.append(HealthRow("tied to no file", f"{untied:,}", share=untied / most))
    return tuple(rows) or (HealthRow("none", "0"),)


def _doubts(found: Health) -> tuple[HealthRow, ...]:
    return (*_of_several(found), *_of_files(found))


def _of_several(found: Health) -> tuple[HealthRow, ...]:
    if Pending.DOUBLES in found.pending:
        return (
            HealthRow("duplicates", NOT_KNOWN, "counting duplicates …"),
            HealthRow("contradictions", NOT_KNOWN, f"{found.linked_contradictions:,} linked, looking for more …"),
        )
    doubles = found.duplicates
    if doubles is None:
        words = "exact copies; `memtui tidy` looks for the rest"
        double = HealthRow("duplicates", f"{found.copies:,}", words, asks=found.copies > 0)
    else:
        spare = counted(doubles, "redundant memory", "redundant memories")
        words = f"{spare}, {found.duplicate_tokens:,} duplicate tokens" if doubles else ""
        double = HealthRow("duplicates", f"{found.duplicate_groups:,}", words, asks=doubles > 0)
    proposed = (
        "`memtui tidy` looks for more"
        if found.proposed_contradictions is None
        else f"{found.proposed_contradictions:,} proposed"
    )
    disputed = found.linked_contradictions + (found.proposed_contradictions or 0)
    linked = f"{found.linked_contradictions:,} linked, {proposed}"
    return double, HealthRow("contradictions", f"{disputed:,}", linked, asks=disputed > 0)


def _of_files(found: Health) -> tuple[HealthRow, ...]:
    if Pending.ANCHORS in found.pending:
        return tuple(HealthRow(name, NOT_KNOWN, "looking at the files …") for name in ("dead anchors", "changed files"))
    total = sum(found.anchors.values())
    dead = found.anchors["gone"] + found.anchors["moved"]
    named = "" if dead == found.dead_places else f"{counted(dead, 'anchor')}, "
    where = (
        f"{named}{found.dead_share:.0%} of {total:,}"
        if dead or not found.dead_places
        else "rule files that apply to no file"
    )
    if found.dead_places:
        where += f", in {counted(found.dead_memories, 'memory')}"
    changed = found.anchors["changed"]
    return (
        HealthRow("dead anchors", f"{found.dead_places:,}", where, found.dead_share, asks=found.dead_places > 0),
        HealthRow(
            "changed files", f"{changed:,}", "since their memory was verified" if changed else "", asks=changed > 0
        ),
    )


def _use(found: Health) -> tuple[HealthRow, ...]:
    packs, standing = found.packs, found.standing
    used = packs["used"]
    share = packs["helped"] / used if used else None
    judged = (
        f"{packs['helped']:,} helped, {packs['hurt']:,} hurt, {packs['unjudged']:,} without feedback" if used else ""
    )
    signals = ", ".join(f"{number:,} {one_line(name)}" for name, number in found.signals.items())
    recipes = f"of {counted(standing.recipes, 'recipe')}" if standing.recipes else "without a task"
    memories = counted(standing.memories, "memory")
    return (
        HealthRow("packs used", f"{used:,}", judged, share=share),
        HealthRow("signals", f"{sum(found.signals.values()):,}", signals),
        HealthRow("standing", NOT_KNOWN, "choosing the memories …")
        if Pending.USE in found.pending
        else HealthRow("standing", f"{standing.tokens:,}", f"of {standing.budget}: {memories} {recipes}"),
    )


def _ranked_rows(ranked: tuple[Ranked, ...], nothing: str) -> tuple[HealthRow, ...]:
    return tuple(
        HealthRow(one.id, f"{one.usefulness:.2f}", one_line(one.title)[:200], is_memory=True) for one in ranked
    ) or (HealthRow("none", "", nothing),)


IDLE_SHOWN = 3  # Memories that were never used which are listed; the rest are a number


def value_rows(found: Value, *, most_idle: int = IDLE_SHOWN) -> tuple[HealthRow, ...]:
    """Return the figures; what programs found stands apart from what a person said."""
    if not found.sessions and not found.paid:
        return (HealthRow("sessions", "0", "no assistant has been served yet; `memtui install` sets one up"),)
    by_assistant = ", ".join(f"{number:,} {one_line(name)[:40]}" for name, number in found.by_assistant.items())
    per_session = f"{found.per_session:,} a session with memories" if found.served else ""
    assumed = f"each would take {found.rediscovery_tokens:,} to find out again (value.rediscovery_tokens)"
    rows = [
        HealthRow("sessions", f"{found.sessions:,}", by_assistant),
        HealthRow("with memories", f"{found.served:,}", f"{found.without:,} without", share=_share(found)),
        HealthRow("tokens served", f"{found.tokens:,}", f"{per_session}, {counted(found.memories, 'memory')}"),
        HealthRow("avoided", f"{found.repeats:,}", "repeats: known lessons whose file or task came up again"),
        HealthRow("tokens saved", f"{found.saved:,}", f"assumed: {assumed}"),
        HealthRow("found", f"{sum(found.automatic.values()):,}", f"by programs: {_listed(found.automatic)}"),
        HealthRow("said", f"{sum(found.said.values()):,}", f"by a person: {_listed(found.said)}"),
    ]
    if found.paid:
        sums = ", ".join(f"{amount} {one_line(currency)}".strip() for currency, amount in found.paid.items())
        rows.append(HealthRow("paid", sums))
    if found.idle:
        note = "served often and never used; retire them, or mark them as helpful"
        rows.append(HealthRow("never used", f"{len(found.idle):,}", note, asks=True))
        rows += [HealthRow(one.id, "", one_line(one.title)[:200], is_memory=True) for one in found.idle[:most_idle]]
    return tuple(rows)


def _share(found: Value) -> float | None:
    return found.served / found.sessions if found.sessions else None


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {one_line(name)[:40]}" for name, number in counts.items()) or "nothing yet"
