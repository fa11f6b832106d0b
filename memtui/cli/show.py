"""`memtui show`."""

from __future__ import annotations

import argparse

from memtui.capture.missing_sources import gone_sources
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.history import history
from memtui.curate.views import MemoryView, get_view, view_record
from memtui.domain.freshness import UNTIL_CHANGE, half_life_days
from memtui.errors import EXIT_DONE
from memtui.text.sanitize import reveal
from memtui.vault.journal import MemoryRevision

_TEXTS = ("title", "insight", "rationale", "snippet")


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", help="id, or the beginning of one")
    parser.add_argument("--history", action="store_true", help="every change of it: who, when, what")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Show one memory."""
    if arguments.history:
        return _show_history(session, history(session.vault, arguments.id))
    view = get_view(session.vault, arguments.id, threshold=session.config.review.threshold, tree=session.view.tree)
    if session.json:
        write_json(view_record(view, session.kinds))
    else:
        for line in _lines(view, session):
            write_line(reveal(line))
    return EXIT_DONE


def _lines(view: MemoryView, session: Session) -> list[str]:
    memory, tree = view.memory, session.view.tree
    facts = [memory.kind, view.tier, memory.project or "unassigned", memory.status]
    facts += ["pinned"] if memory.pinned else []
    lines = [memory.title, f"{memory.id} v{memory.version} · {' · '.join(facts)}"]
    if memory.status_reason:
        lines.append(f"Because  {memory.status_reason}")
    lines += ["", memory.insight]
    lines += ["", f"Why  {memory.rationale}"] if memory.rationale else []
    lines += ["", memory.snippet] if memory.snippet else []
    lines.append("")
    lines += [
        f"File     {anchor.path}  {view.anchor_states.get(anchor.path, '')}".rstrip() for anchor in memory.anchors
    ]
    lines += [f"Tags     {', '.join(memory.tags)}"] if memory.tags else []
    for link in view.links:
        arrow = f"{link.type} {link.to_id}" if link.from_id == memory.id else f"{link.from_id} {link.type} this"
        lines.append(f"Link     {arrow}")
    gone = gone_sources(memory, tree.root) if tree is not None and tree.project == memory.project else set()
    for source in memory.sources:
        place = f"{source.path}:{source.span[0]}-{source.span[1]}" if source.path and source.span else source.path or ""
        said = "(gone: the file is no longer there)" if source.path in gone else ""
        lines.append(" ".join(filter(None, ("Source  ", source.format, place, source.native_id or "", said))))
    if view.source_says_this:
        lines.append("Source   still says what was changed or retired here")
    days = half_life_days(memory, session.kinds)
    own = "set by a person" if memory.half_life_days is not None else "from its kind and what it held so far"
    lines.append(f"Fresh    {view.freshness:.2f}, half-life {days:.0f} days ({own})")
    verified = (
        f"verified {memory.verified_at:%Y-%m-%d} by {memory.verified_by}" if memory.verified_at else "never verified"
    )
    lines.append(f"Dates    added {memory.created_at:%Y-%m-%d}, {verified}" + _until(view))
    lines.append(
        f"Worth    usefulness {view.usefulness:.2f}, importance {memory.importance}, confidence {memory.confidence:g}"
    )
    return lines


def _until(view: MemoryView) -> str:
    memory = view.memory
    parts = [f", due {view.due_at:%Y-%m-%d}"] if view.due_at else []
    if memory.snoozed_until:
        is_open = memory.snoozed_until == UNTIL_CHANGE
        parts.append(f", snoozed until {'a file changes' if is_open else f'{memory.snoozed_until:%Y-%m-%d}'}")
    parts += [f", valid from {memory.valid_from:%Y-%m-%d}"] if memory.valid_from else []
    parts += [f", valid until {memory.valid_until:%Y-%m-%d}"] if memory.valid_until else []
    return "".join(parts)


def _show_history(session: Session, steps: list[MemoryRevision]) -> int:
    if session.json:
        write_json(
            [
                {
                    "version": step.version,
                    "at": step.change.at.isoformat().replace("+00:00", "Z"),
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
        return EXIT_DONE
    for step in steps:
        undone = "" if step.change.state == "done" else f"  ({step.change.state})"
        write_line(
            f"v{step.version}  {step.change.at:%Y-%m-%d %H:%M}  {step.change.actor}"
            f"  {reveal(step.change.summary)}{undone}"
        )
        for line in _differences(step):
            write_line(f"    {reveal(line)}")
    say("`memtui restore ID --to VERSION` brings an earlier text back.")
    return EXIT_DONE


def _differences(step: MemoryRevision) -> list[str]:
    if step.after is None:
        return ["(taken out)"]
    if step.before is None:
        made = [f"+ {key}: {step.after[key]}" for key in _TEXTS if step.after.get(key)]
        return ["(made)", *made]
    keys = list(dict.fromkeys((*step.before, *step.after)))
    lines = []
    for key in keys:
        old, new = step.before.get(key), step.after.get(key)
        if old != new:
            lines += [f"- {key}: {old}"] if old is not None else []
            lines += [f"+ {key}: {new}"] if new is not None else []
    return lines
