"""`memtui model`."""

from __future__ import annotations

import argparse

from memtui.cli.output import say, write_json, write_table
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.embedding.engine import BUNDLED, NONE, PREFIX, damage_of
from memtui.errors import EXIT_DONE, EXIT_ERROR, UsageError

DESCRIPTIONS = {
    "model": "The embedding model, which finds memories by meaning. embedding.model in the configuration chooses it: "
    "bundled, none, or sentence-transformers:NAME-or-path. Only `get` uses the network."
}


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser(
        "status", parents=[parent], help="say which model is in use and how many memories have vectors (default)"
    )
    get = actions.add_parser("get", parents=[parent], help="fetch a Sentence Transformers model from its hub")
    get.add_argument("name", metavar="NAME", help="its name there, e.g. intfloat/e5-small-v2")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of the subcommands."""
    if arguments.action == "get":
        return _get(arguments.name.strip().removeprefix(PREFIX), session)
    return _status(session)


def _status(session: Session) -> int:
    from memtui.recall.embedding_cache import semantic_state

    state = semantic_state(session.vault, session.config.embedding.model)
    damage = damage_of(state.model) if state.model.usable else ""
    works = state.model.usable and not damage
    fate = ", which `memtui reindex` drops" if works else ""
    others = [["other models", f"{state.others:,} vectors{fate}"]] if state.others else []
    problem = damage or state.model.problem
    if session.json:
        write_json(
            {
                "model": state.model.model,
                "state": "missing" if damage else state.model.state,
                "name": state.model.name or None,
                "where": state.model.where or None,
                "problem": problem or None,
                "remedy": state.model.remedy if problem else None,
                "vectors": {"stored": state.embedded, "missing": state.missing, "other_models": state.others},
            }
        )
    else:
        write_table(
            [
                ["setting", f"embedding.model = {state.model.model}"],
                ["semantic", f"off: {damage}" if damage else state.words],
                *([["where", state.model.where]] if state.model.where else []),
                *([["file", "as it was shipped"]] if works and state.model.state == "bundled" else []),
                *others,
            ]
        )
    if problem:
        say(state.model.remedy)
    elif works and state.missing:
        say("`memtui reindex` makes the vectors that are missing.")
    return EXIT_ERROR if problem else EXIT_DONE


def _get(name: str, session: Session) -> int:
    if name in {BUNDLED, NONE, ""}:
        raise UsageError(
            "There is nothing to fetch",
            where=name or "(empty)",
            remedy="The bundled model comes with memtui; name a Sentence Transformers model.",
        )
    from memtui.embedding.sentence_transformers import cache_folder, download, folder_bytes, full_name

    say(f"fetching {full_name(name)} into {cache_folder()}; small models take about 100 MB, large ones several GB")
    folder = download(name)
    size = folder_bytes(folder)
    if session.json:
        write_json({"name": name, "path": str(folder), "bytes": size})
    say(f'{size / 1e6:,.0f} MB in {folder}. To use it: embedding.model = "{PREFIX}{name}"')
    return EXIT_DONE
