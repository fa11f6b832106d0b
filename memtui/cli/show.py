"""`memtui list`, `show` and `sql`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memtui.cli import parsing
from memtui.cli.output import read_input, say, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.curate.fields import check_kind_in_use, named_tags
from memtui.curate.views import MemoryView, get_view, list_memories, view_record
from memtui.domain.freshness import UNTIL_CHANGE, half_life_days, review_pace
from memtui.domain.memory import STATUSES, Memory, held_back, planted_reasons
from memtui.domain.record import format_time
from memtui.errors import UsageError
from memtui.text.sanitize import one_line, reveal
from memtui.text.words import counted, shorten
from memtui.vault.filters import EVERYTHING, SORTS, MemoryFilter
from memtui.wording import outcomes
from memtui.wording.checks import anchor_state, at_commit
from memtui.wording.tidying import planted_words

if TYPE_CHECKING:
    from memtui.vault.journal import MemoryRevision
    from memtui.vault.sql_query import Table

LIST_LIMIT = 200  # Rows listed for people unless --limit says otherwise


def _list_arguments(parser: Parser) -> None:
    parsing.add_kinds(parser)
    parser.add_value(
        "--status",
        "STATUS",
        "candidate, active, retired, superseded, merged or any (default: active)",
        choices=(*STATUSES, "any"),
        default="active",
    )
    parsing.add_repeatable(parser, "--tag", "TAG", "only with this tag")
    parser.add_flag("--stale", "only memories that are due for review")
    parser.add_flag("--pinned", "only pinned memories")
    parsing.add_where(parser, "only memories that a query matches")
    parser.add_value("--sort", "BY", f"{', '.join(SORTS)} (default: updated)", choices=SORTS, default="updated")
    parsing.add_limit(parser, f"{LIST_LIMIT}, with --json all")
    parsing.add_all_projects(parser)


def _list(arguments: argparse.Namespace, session: Session) -> None:
    """List memories."""
    wanted = _filter(arguments, session)
    limit = arguments.limit if arguments.limit is not None or session.json else LIST_LIMIT
    views = list_memories(
        session.vault,
        wanted,
        sort=arguments.sort,
        limit=limit,
        threshold=session.config.review.threshold,
        tree=session.view.tree if session.json else None,
    )
    session.put_rows((view_record(view, session.kinds) for view in views), map(_row, views))
    if session.json:
        return
    if views and len(views) != limit:
        say(counted(len(views), "memory"))
    else:
        _say_what_is_not_listed(session, wanted, len(views))


def _filter(arguments: argparse.Namespace, session: Session) -> MemoryFilter:
    base = MemoryFilter(
        scope=EVERYTHING if arguments.all_projects else session.view.listing_scope,
        statuses=None if arguments.status == "any" else (arguments.status,),
        kinds=tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind),
        tags=named_tags(arguments.tag),
        pinned=True if arguments.pinned else None,
        stale_at=session.vault.now() if arguments.stale else None,
        threshold=session.config.review.threshold,
    )
    if arguments.where is None:
        return base
    from memtui.curate.query import parse_choice

    return parse_choice(arguments.where, session.kinds, session.vault.now()).narrow(base)


def _row(view: MemoryView) -> list[str]:
    memory = view.memory
    mark = "●" if memory.pinned else " "
    state = memory.kind if memory.status == "active" else f"{memory.kind}, {memory.standing}"
    return [memory.id, mark, state, memory.project or "unassigned", f"{view.freshness:.2f}", memory.title]


def _say_what_is_not_listed(session: Session, wanted: MemoryFilter, shown: int) -> None:
    """Say how many memories the limit left out, or where to look for others."""
    with session.vault.read() as reader:
        total = reader.count(wanted)
        waiting = (
            0 if total or wanted.statuses != ("active",) else reader.count(replace(wanted, statuses=("candidate",)))
        )
        everywhere = total or reader.count(MemoryFilter(statuses=None))
        elsewhere = total or reader.count(replace(wanted, statuses=None, scope=EVERYTHING))
    if total > shown:
        say(f"{shown:,} of {counted(total, 'memory')}; --limit shows more")
    elif total:
        say(counted(total, "memory"))
    elif session.is_vault_missing:
        return  # reported at the end of every command
    elif waiting:
        say(f"None of these is active; {outcomes.waiting_in_inbox(waiting)}")
    elif not everywhere:
        say(
            'The vault is empty. Add memories with `memtui add "…"` or `memtui import .`; `memtui demo` shows a sample.'
        )
    else:
        where = f" in project {session.view.project}" if session.view.project else ""
        names_file = any(one.field == "file" and not one.negated for one in wanted.conditions)
        hint = "Try --all-projects or --status any." if elsewhere else outcomes.FILE_TAKES if names_file else ""
        say(f"No matching memories{where}; the vault holds {everywhere:,}. {hint}".rstrip())


def _show_arguments(parser: Parser) -> None:
    parsing.add_id(parser)
    parser.add_flag("--history", "every change to it: who, when, what")


def _show(arguments: argparse.Namespace, session: Session) -> None:
    """Show a memory or its history."""
    if arguments.history:
        _show_history(arguments, session)
        return
    view = get_view(session.vault, arguments.id, threshold=session.config.review.threshold, tree=session.view.tree)
    record, founded = view_record(view, session.kinds), None
    if view.memory.status == "candidate":
        from memtui.analysis.classify import kind_confidence

        record["kind_confidence"] = founded = kind_confidence(view.memory)
    if view.memory.status == "candidate" or held_back(view.memory):
        record["planted"] = [outcomes.planted_record(reason) for reason in planted_reasons(view.memory)]
    session.put(record, map(reveal, _lines(view, session, founded)))


def _lines(view: MemoryView, session: Session, founded: str | None) -> Iterator[str]:
    """Yield a memory; `founded`: how well the kind of a candidate is founded."""
    memory = view.memory
    kind = f"{memory.kind} ({founded})" if founded else memory.kind
    facts = [kind, view.tier, memory.project or "unassigned", memory.standing, *(["pinned"] * memory.pinned)]
    yield memory.title
    yield f"{memory.id} v{memory.version} · {' · '.join(facts)}"
    if memory.standing_words != memory.standing:
        yield f"Because  {memory.status_reason}"
    yield from ("", memory.insight)
    if memory.rationale:
        yield from ("", f"Why  {memory.rationale}")
    if memory.snippet:
        yield from ("", memory.snippet)
    yield ""
    for anchor in memory.anchors:
        state = view.anchor_states.get(anchor.path)
        yield f"File     {anchor.path}  {anchor_state(anchor, state) if state else ''}".rstrip()
    if memory.tags:
        yield f"Tags     {', '.join(memory.tags)}"
    for rule in memory.rules:
        yield f"Rule     {rule}"
    for signal in view.at_commits:
        yield f"Commits  {at_commit(signal)}"
    for link in view.links:
        arrow = f"{link.type} {link.to_id}" if link.from_id == memory.id else f"{link.from_id} {link.type} this"
        yield f"Link     {arrow}"
    yield from _source_lines(view, session)
    yield from _held_lines(view.memory)
    yield from _value_lines(view, session)


def _held_lines(memory: Memory) -> Iterator[str]:
    """Yield why a memory that looks planted reaches no assistant, or waits."""
    if memory.status == "active" and (planted := held_back(memory)):
        yield f"Held     looks planted, it {planted}; withheld from assistants until `memtui verify {memory.id}`"
    elif memory.status == "candidate" and (reasons := planted_reasons(memory)):
        yield f"Held     {planted_words(reasons[0])}; `memtui inbox accept {memory.id}` if it is meant to"


def _source_lines(view: MemoryView, session: Session) -> Iterator[str]:
    from memtui.capture.matching import gone_sources

    memory, tree = view.memory, session.view.tree
    gone = gone_sources(memory, tree.root) if tree is not None and tree.project == memory.project else set()
    for source in memory.sources:
        place = f"{source.path}:{source.span[0]}-{source.span[1]}" if source.path and source.span else source.path
        missing = "(the file no longer exists)" if source.path in gone else None
        yield " ".join(filter(None, ("Source  ", source.format, place, source.native_id, missing)))
    if view.source_says_this:
        yield "Source   still states what was changed or retired here"
    if view.is_dropped:
        yield "Source   no longer states this; `memtui retire` retires it"


def _freshness_lines(view: MemoryView, session: Session) -> Iterator[str]:
    from memtui.wording.reasons import pace_words

    memory = view.memory
    origin = "set by a person" if memory.half_life_days is not None else "from its kind and how long it has been valid"
    yield f"Fresh    {view.freshness:.2f}, half-life {half_life_days(memory, session.kinds):.0f} days ({origin})"
    if paced := pace_words(review_pace(memory)):
        yield f"         waits {paced}"


def _value_lines(view: MemoryView, session: Session) -> Iterator[str]:
    memory = view.memory
    yield from _freshness_lines(view, session)
    dates = [f"added {memory.created_at:%Y-%m-%d}"]
    if memory.confirmed_at:
        dates.append(f"accepted {memory.confirmed_at:%Y-%m-%d} by {memory.confirmed_by}")
    if memory.verified_at:
        dates.append(f"verified {memory.verified_at:%Y-%m-%d} by {memory.verified_by}")
    elif not memory.confirmed_at:
        dates.append("never verified")
    if view.due_at:
        dates.append(f"due {view.due_at:%Y-%m-%d}")
    if memory.snoozed_until == UNTIL_CHANGE:
        dates.append("snoozed until a file changes")
    elif memory.snoozed_until:
        dates.append(f"snoozed until {memory.snoozed_until:%Y-%m-%d}")
    if memory.valid_from:
        dates.append(f"valid from {memory.valid_from:%Y-%m-%d}")
    if memory.valid_until:
        dates.append(f"valid until {memory.valid_until:%Y-%m-%d}")
    yield f"Dates    {', '.join(dates)}"
    yield f"Worth    usefulness {view.usefulness:.2f}, importance {memory.importance}, confidence {memory.confidence:g}"
    if view.signals:
        from memtui.wording.reasons import signals_words

        yield f"Use      {reveal(signals_words(view.signals))}"


def _show_history(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.history import history

    steps = history(session.vault, arguments.id)
    if session.json:
        write_json(
            [
                {
                    "version": step.version,
                    "at": format_time(step.change.at),
                    "actor": step.change.actor,
                    "action": step.change.action,
                    "summary": step.change.summary,
                    "state": step.change.state,
                    "before": step.before,
                    "after": step.after,
                }
                for step in steps
            ]
        )
        return
    for step in steps:
        change = step.change
        state = "" if change.state == "done" else f"  ({change.state})"
        summary = reveal(change.summary)
        write_line(f"v{step.version}  {change.at:%Y-%m-%d %H:%M}  {change.actor}  {summary}{state}")
        for line in _differences(step):
            write_line(f"    {reveal(line)}")
    say("`memtui restore ID --to VERSION` brings an earlier text back.")


def _differences(step: MemoryRevision) -> Iterator[str]:
    if step.after is None:
        yield "(deleted)"
        return
    if step.before is None:
        yield "(created)"
    before = step.before or {}
    for key in dict.fromkeys((*before, *step.after)) if before else ("title", "insight", "rationale", "snippet"):
        old, new = before.get(key), step.after.get(key)
        if old == new:
            continue
        if old is not None:
            yield f"- {key}: {_told(key, old)}"
        if new or (before and new is not None):
            yield f"+ {key}: {_told(key, new)}"


def _told(name: str, value: Any) -> str:
    from memtui.curate.history import value_text

    text = value_text(name, value)
    return ", ".join(text.split("\n")) if isinstance(value, list) else text


MOST_SHOWN = 1_000  # Characters of a cell in a table for people: more than any memory worth its tokens has
MOST_WRITTEN = 1_000_000  # Characters of a cell in JSON and CSV: as long as the longest text that a memory may have


def _sql_arguments(parser: Parser) -> None:
    from memtui.vault.sql_query import STABLE_VIEWS

    views = "; ".join(f"{view} ({', '.join(columns)})" for view, columns in STABLE_VIEWS.items())
    parser.description = f"{parser.description} Views and their columns: {views}."
    parser.add_value("query", "QUERY", "one SELECT, or - to read it from standard input")
    parser.add_flag("--csv", "write CSV: a header line, one line per row, empty for NULL")


def _sql(arguments: argparse.Namespace, session: Session) -> None:
    """Query the vault with read-only SQL, without access to the file system.

    Example: SELECT kind, count(*) FROM memories GROUP BY kind. A slow query runs on a copy, so that nobody has to
    wait for it. With --json, NaN and infinity are null; bytes are hexadecimal everywhere; a second column of the same
    name gets a number.
    """
    from memtui.vault.sql_query import as_text, jsonable, run_query

    if arguments.csv and session.json:
        raise UsageError("--csv and --json cannot be combined", remedy="Give one of them.")
    table = run_query(session.vault, read_input() if arguments.query == "-" else arguments.query)
    cells = _Cells(MOST_WRITTEN if session.json or arguments.csv else MOST_SHOWN)
    if session.json:
        rows = ([cells.value(jsonable(cell)) for cell in row] for row in table.rows)
        write_json([dict(zip(table.columns, row, strict=True)) for row in rows])
    elif arguments.csv:
        _write_csv(table, cells)
    else:
        write_table(
            [[cells.text(one_line(as_text(cell))) for cell in row] for row in table.rows], headings=table.columns
        )
        say(counted(len(table.rows), "row"))
    if cells.cut:
        say(f"{counted(cells.cut, 'cell')} cut to {cells.most:,} characters")


class _Cells:
    """Cuts long cells and counts them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.cut = 0

    def text(self, text: str) -> str:
        if len(text) <= self.most:
            return text
        self.cut += 1
        return shorten(text, self.most)

    def value(self, value: object) -> object:
        from memtui.vault.sql_query import as_text

        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | dict) and len(whole := as_text(value)) > self.most:
            # A part of a list is not a list: what is too long becomes text.
            return self.text(whole)
        return value


def _write_csv(table: Table, cells: _Cells) -> None:
    import csv

    from memtui.vault.sql_query import as_text

    class Lines:
        """Standard output as `csv` takes it."""

        def write(self, text: str) -> int:
            write(text)
            return len(text)

    shown = reveal if sys.stdout.isatty() else str
    writer = csv.writer(Lines(), lineterminator="\n")
    writer.writerow(map(shown, table.columns))
    for row in table.rows:
        writer.writerow([shown(cells.text(as_text(cell))) for cell in row])


COMMANDS: Commands = {
    "list": (_list_arguments, _list),
    "show": (_show_arguments, _show),
    "sql": (_sql_arguments, _sql),
}
