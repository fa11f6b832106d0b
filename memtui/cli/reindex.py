"""`memtui reindex`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from memtui.cli.output import plural, say, write_json
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.embedding.engine import open_engine
from memtui.errors import EXIT_DONE
from memtui.vault.maintenance import reindex

DESCRIPTIONS = {
    "reindex": "Rebuild the search index from the memories, in one transaction, then make the vectors that are missing "
    "and drop those of other models. Ctrl+C loses nothing: the next run goes on."
}


def configure(parser: Parser) -> None:
    """Add no options."""


def run(arguments: argparse.Namespace, session: Session) -> int:  # noqa: ARG001 - every command is called alike
    """Rebuild the index, then embed."""
    number = reindex(session.vault, progress=_progress(""))
    say(f"{plural(number, 'memory')} indexed")
    embedded, off = _embed(session)
    if session.json:
        write_json({"memories": number, "embedded": embedded, "semantic": off or "on"})
    return EXIT_DONE


def _embed(session: Session) -> tuple[int, str]:
    """Make the vectors that are missing; returns how many, and why not where the model is off."""
    from memtui.recall.embedding_cache import embed_missing, semantic_state
    from memtui.vault.search.vectors import drop_others

    state = semantic_state(session.vault, session.config.embedding.model)
    if not state.model.usable:
        say(f"semantic {state.words}" + (f". {state.model.remedy}" if state.model.remedy else ""))
        return 0, state.model.problem or "off"
    embedded = 0
    if state.missing:
        engine = open_engine(session.config.embedding.model)
        if engine is not None:
            embedded = embed_missing(session.vault, engine, progress=_progress("embedded "))
        say(f"{plural(embedded, 'memory')} embedded ({state.model.name})")
    if state.others:
        # Only now: until here they were all that there was.
        drop_others(session.vault, state.model.name)
    return embedded, ""


def _progress(what: str) -> Callable[[int, int], None] | None:
    """Return what shows progress on a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        print(f"\r{what}{done:,} of {total:,}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return show
