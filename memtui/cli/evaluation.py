"""`memtui eval`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli import parsing
from memtui.cli.output import progress, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.payload_options import add_size
from memtui.cli.session import Commands, Session
from memtui.curate.projects import check_named_files
from memtui.errors import NotFoundError, SourceError, UsageError, missing_file
from memtui.pack.options import PackOptions
from memtui.pack.targets.formats import target_named
from memtui.recall import semantic
from memtui.recall.semantic import Meaning, ModelMeaning
from memtui.text.words import counted
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault
from memtui.wording.reasons import partial_words

if TYPE_CHECKING:
    from memtui.recall.evaluation import Question

_FOUND = ("recall@5", "recall@10", "hit@5", "ndcg@10", "mrr", "sure", "found", "refused", "p50_ms", "p95_ms")
_SERVED = ("relevant", "complete", "essential", "empty", "refused", "memories", "tokens", "metadata")
_COUNTS = frozenset({"p50_ms", "p95_ms", "memories", "tokens"})  # Columns that are no shares
_IDS_SHOWN = 8


def _arguments(parser: Parser) -> None:
    parser.add_value(
        "queries",
        "QUERIES",
        'a file of lines {"query": "…", "expected": ["id"]}, optionally with "essential", "files", "exclude", '
        '"project" and "kind"; an empty list means that nothing should be found',
    )
    parser.add_value("--corpus", "MEMORIES", "query a temporary vault with the memories of this JSONL file instead")
    parser.add_value("--tree", "DIR", "the source tree of the queries' files (default: that of the working directory)")
    parser.add_flag("--fast", "use only words, files and links, not the model")
    add_size(parser)
    parser.add_value("--add", "QUERY", "append this query to QUERIES instead of running it")
    parsing.add_repeatable(parser, "--expect", "ID", "with --add: a memory that should be found")
    parser.add_value("--essential", "ID", "with --add: the expected memory that matters most")
    parsing.add_files(parser, "with --add: a file you are working on")
    parser.add_value("--kind", "NAME", "with --add: a name to group results by", default="")


def _eval(arguments: argparse.Namespace, session: Session) -> None:
    """Measure how well memtui finds what it should, and what its payloads hold.

    Write your own evaluation first: each time a memory was missing that should have been there, note it with
    `memtui eval --add "what I asked" --expect ID questions.jsonl`. With some twenty of them `memtui eval
    questions.jsonl` shows whether a change of settings, kinds or model helps you.

    The first table is about what a search finds, in order. Of the queries that expect something, `sure` is the share
    that is answered without a doubt and `found` the share that is answered at all; `refused` is the share of the others
    that is not answered for sure. The second table is about the payloads that `memtui context` makes for the same
    queries: `relevant` is the share of the memories in them that you expect, `complete` the share of what you expect
    that is in them, `essential` how often the essential memory is, and `empty` how often nothing is served although you
    expect something; `refused` is the share of the other queries for which nothing is served, and `metadata` the share
    of tokens that are headings, notes, files and ages. Pinned memories count where you expect them.
    """
    path = session.path(arguments.queries)
    if arguments.add is not None:
        _add(arguments, session, path)
        return
    for name in ("expect", "essential", "file", "kind"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} goes with --add", remedy="See `memtui eval --help`.")
    from memtui.recall.evaluation import read_questions

    questions = read_questions(_read(path), path.name)
    with _queried_vault(arguments, session) as (vault, scope):
        _measure(arguments, session, vault, scope, questions)


def _measure(
    arguments: argparse.Namespace, session: Session, vault: Vault, scope: Scope, questions: list[Question]
) -> None:
    from memtui.pack.evaluation import evaluate_payloads, payloads_record
    from memtui.recall.evaluation import known_ids, unknown_ids

    missing = unknown_ids(questions, known_ids(vault))
    if missing:
        more = f" and {len(missing) - _IDS_SHOWN} more" if len(missing) > _IDS_SHOWN else ""
        say(f"Not in the vault, so counted as not found: {', '.join(missing[:_IDS_SHOWN])}{more}")
    bar = progress("queries")
    usual = PackOptions.of(session.config.context, session.secret_patterns)
    answers, served, without_vector = evaluate_payloads(
        vault,
        questions,
        scope,
        replace(
            usual, budget=arguments.budget or usual.budget, style=arguments.style or usual.style, fast=arguments.fast
        ),
        target=target_named(session.config.context.target, session.config.targets),
        project=session.project,
        settings=session.config.recall,
        now=vault.now(),
        meaning=None if arguments.fast else _meaning(session.config.embedding.model, vault),
        tree=_tree(arguments, session),
        progress=(lambda done: bar(done, len(questions))) if bar else None,
    )
    record = payloads_record(answers, served)
    if without_vector:
        say(partial_words(without_vector))
    if session.json:
        partial = {"partial_vectors": without_vector} if without_vector else {}
        write_json(record | ({"unknown": missing} if missing else {}) | partial)
        return
    _print_tables(record)


def _tree(arguments: argparse.Namespace, session: Session) -> Tree | None:
    """Return the working tree that questions name files of: that of `--tree`, else the one around the folder."""
    if not arguments.tree:
        return session.view.tree
    root = session.path(arguments.tree)
    if not root.is_dir():
        raise missing_file(arguments.tree)
    return Tree(session.project or "", root)


def _print_tables(record: dict[str, Any]) -> None:
    named = {"all": record}
    if set(record["by_kind"]) != {""}:
        named |= {kind or "(no kind)": one for kind, one in record["by_kind"].items()}
    rows = [[name, str(one["queries"]), *_cells(one, _FOUND)] for name, one in named.items()]
    write_table(rows, headings=("search", "queries", *_FOUND))
    write_line("")
    rows = [[name, str(one["queries"]), *_cells(one["payload"], _SERVED)] for name, one in named.items()]
    write_table(rows, headings=("payload", "queries", *_SERVED))
    write_line("")


def _cells(record: dict[str, Any], columns: Sequence[str]) -> list[str]:
    return ["–" if record[name] is None else f"{record[name]:.{1 if name in _COUNTS else 3}f}" for name in columns]


@contextmanager
def _queried_vault(arguments: argparse.Namespace, session: Session) -> Iterator[tuple[Vault, Scope]]:
    """Give the vault to query, and the projects in view: those of `--project`, else all."""
    scope = Scope.of_project(session.project) if session.project else EVERYTHING
    if not arguments.corpus:
        yield session.vault, scope
        return
    from memtui.recall.evaluation import corpus_vault, read_corpus

    path = session.path(arguments.corpus)
    corpus = read_corpus(_read(path), path.name, session.vault.now())
    with tempfile.TemporaryDirectory(prefix="memtui-eval-") as folder:
        yield corpus_vault(Path(folder), corpus, kinds=session.kinds, now=session.vault.now), scope


def _meaning(model: str, vault: Vault) -> Meaning | None:
    """Return the meaning of a model with all vectors in memory, so that times are those of a warm process."""
    if not semantic.has_model(model):
        return None
    from memtui.recall.embedding_cache import ResidentVectors, embed_missing

    meaning = ModelMeaning(vault, model, catches_up=False)
    engine = meaning.engine()
    if engine is None:
        say(f"Semantic search is off: {meaning.problem}")
        return None
    embed_missing(vault, engine)
    return ModelMeaning(vault, model, engine=engine, resident=ResidentVectors(engine.name), catches_up=False)


def _add(arguments: argparse.Namespace, session: Session, path: Path) -> None:
    """Append a query to the file, atomically."""
    from memtui.publish.files import add_question
    from memtui.recall.evaluation import Question

    if not arguments.expect and not arguments.essential:
        raise UsageError(
            "No expected memory was given", where="eval --add", remedy="Name what should be found: --expect ID"
        )
    if not arguments.add.strip() and not arguments.file:
        raise UsageError("The query is empty", where="eval --add", remedy="Give words, or --file.")
    essential = next(iter(session.resolve([arguments.essential] if arguments.essential else [])), "")
    expected = tuple(dict.fromkeys([*session.resolve(arguments.expect), *filter(None, [essential])]))
    files = tuple(check_named_files(session.vault, session.view, arguments.file, folder=session.folder))
    add_question(
        Question(arguments.add, expected, files, kind=arguments.kind, essential=essential),
        str(path),
        folder=session.folder,
    )
    session.put({"file": str(path), "expected": list(expected)})
    say(f"Added to {path.name}, expecting {counted(len(expected), 'memory')}. Measure with `memtui eval {path.name}`.")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise missing_file(path, NotFoundError) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"The file cannot be read ({error})", where=str(path)) from error


COMMANDS: Commands = {"eval": (_arguments, _eval)}
