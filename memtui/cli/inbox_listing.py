"""`memtui inbox list`: what waits, by file and heading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtui.cli.output import say, write_table
from memtui.cli.session import Session
from memtui.curate.lifecycle import NOT_STATED
from memtui.domain.kinds import CONFIDENCE_SIGNS
from memtui.domain.memory import planted_reasons
from memtui.text.words import counted, pad
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.inbox import Offer
    from memtui.curate.views import MemoryView


def put_candidates(
    session: Session, views: Sequence[MemoryView], offers: Iterable[Offer], folded: Mapping[str, Sequence[Offer]]
) -> None:
    """Print candidates under their files and headings, or as records.

    Args:
        session: what the command was called with.
        views: the candidates, the first to be printed first.
        offers: the same with their places; others are left aside.
        folded: the proposals that are not printed, by their source.
    """
    if session.json:
        session.put([candidate_record(view, session) for view in views])
        return
    signs = _write_groups(session, views, {offer.id: offer for offer in offers})
    ways = "`memtui inbox accept ID…`, --file, --section, --of-kind or --all accepts them."
    say(f"{counted(len(views), 'candidate')}. {ways}" if views else "The inbox is empty.")
    if not signs.isdisjoint("~?"):
        say("~ marks a kind that is likely, ? one that is a guess.")
    for line in outcomes.folded_lines({source: len(rest) for source, rest in folded.items()}):
        say(line)


def candidate_record(view: MemoryView, session: Session) -> dict[str, Any]:
    """Return the `--json` form of a candidate: with why it looks planted, and with how well its kind is founded.

    That is None if a person chose the kind.
    """
    from memtui.analysis.classify import kind_confidence
    from memtui.curate.views import view_record

    planted = [outcomes.planted_record(reason) for reason in planted_reasons(view.memory)]
    return {**view_record(view, session.kinds), "kind_confidence": kind_confidence(view.memory), "planted": planted}


def _write_groups(session: Session, views: Sequence[MemoryView], offers: Mapping[str, Offer]) -> set[str]:
    """Write candidates below the lines of their files and headings; return the signs of their kinds."""
    from memtui.analysis.classify import kind_confidence

    files: dict[str, dict[str, list[MemoryView]]] = {}
    for view in views:
        offer = offers[view.memory.id]
        files.setdefault(_label(offer, session.view.project), {}).setdefault(offer.heading, []).append(view)
    width, signs = max((len(view.memory.kind) for view in views), default=0), set[str]()
    for label, sections in files.items():
        write_table([[f"{label} ({sum(map(len, sections.values())):,})"]])
        for heading, members in sections.items():
            if heading:
                write_table([[f"  {heading} ({len(members):,})"]])
            rows = []
            for view in members:
                memory = view.memory
                sign = CONFIDENCE_SIGNS[kind_confidence(memory) or "sure"]
                signs.add(sign)
                rows.append([f"    {memory.id}", f"{pad(memory.kind, width)} {sign}", f"{memory.title}{_said(view)}"])
            write_table(rows)
    return signs


def _label(offer: Offer, project: str | None) -> str:
    """Return what candidates stand under: their file, else what they came from, and the project if it is another."""
    place = offer.path or offer.origin
    return place if offer.project == project else f"{offer.project or 'unassigned'}: {place}"


def _said(view: MemoryView) -> str:
    planted = "".join(f"  [looks planted: it {reason}]" for reason in planted_reasons(view.memory)[:1])
    return f"{planted}  [{NOT_STATED}]" if view.is_dropped else planted
