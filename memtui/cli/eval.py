"""`memtui eval`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.cli.output import plural, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, NotFoundError, SourceError, UsageError

if TYPE_CHECKING:
    from memtui.recall.evaluation import Question
    from memtui.recall.semantic import Meaning
    from memtui.vault.filters import Scope
    from memtui.vault.vault import Vault

DESCRIPTIONS = {
    "eval": "Measure how well recall finds what it should. Write your own evaluation first: each time a memory did "
    'not come that should have, note it with `memtui eval --add "what I asked" --expect ID questions.jsonl`. After '
    "some twenty of them `memtui eval questions.jsonl` tells whether a change of settings, kinds or model helps you. "
    "Every query is run as `memtui context` runs it, with what that refuses as irrelevant, so `empty` is the share of "
    "tasks that get no answer; pinned memories count where they are relevant, not for being pinned."
}

_COLUMNS = ("recall@5", "recall@10", "hit@5", "hit@10", "ndcg@10", "mrr", "empty", "p50_ms", "p95_ms")


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "queries",
        metavar="QUERIES",
        help='a file of lines {"query": "…", "expected": ["id"]}, with "files", "exclude" and "kind" if you like; '
        "an empty list says that nothing should come",
    )
    parser.add_argument(
        "--corpus", metavar="MEMORIES", help="ask a throw-away vault with the memories of this JSONL file instead"
    )
    parser.add_argument(
        "--tree", metavar="DIR", help="the source tree that the queries' files lie in (default: the one you stand in)"
    )
    parser.add_argument("--fast", action="store_true", help="words, files and links alone, without the model")
    parser.add_argument("--add", metavar="QUERY", help="append this query to QUERIES instead of running it")
    parser.add_argument(
        "--expect", metavar="ID", action="append", default=[], help="with --add: a memory that should come; repeatable"
    )
    parser.add_argument(
        "--file", metavar="PATH", action="append", default=[], help="with --add: a file in hand; repeatable"
    )
    parser.add_argument("--kind", metavar="NAME", default="", help="with --add: a name to group results by")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Measure recall, or note a query."""
    path = session.folder / Path(arguments.queries).expanduser()
    if arguments.add is not None:
        return _add(arguments, session, path)
    for name in ("expect", "file", "kind"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} goes with --add", where="eval", remedy="See `memtui eval --help`.")
    from memtui.recall.evaluation import read_questions

    questions = read_questions(_read(path), path.name)
    with _asked_vault(arguments, session) as (vault, scope):
        return _measure(arguments, session, vault, scope, questions)


def _measure(
    arguments: argparse.Namespace, session: Session, vault: Vault, scope: Scope, questions: list[Question]
) -> int:
    from memtui.recall.evaluation import evaluate, evaluation_record, known_ids, unknown_ids
    from memtui.workspace import Tree

    missing = unknown_ids(questions, known_ids(vault))
    if missing:
        shown = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")  # noqa: PLR2004 - as many as fit a line
        say(f"The vault knows no memory {shown}: what expects it cannot be found.")
    tree = session.view.tree
    if arguments.tree:
        root = session.folder / Path(arguments.tree).expanduser()
        if not root.is_dir():
            raise UsageError("There is no such folder", where=arguments.tree)
        tree = Tree(session.project or "", root)
    answers = evaluate(
        vault,
        questions,
        scope,
        settings=session.config.recall,
        now=vault.now(),
        meaning=None if arguments.fast else _meaning(session.config.embedding.model, vault),
        tree=tree,
        progress=_progress(len(questions)),
    )
    record = evaluation_record(answers)
    if session.json:
        write_json(record | ({"unknown": missing} if missing else {}))
    else:
        _print(record)
    return EXIT_DONE


@contextmanager
def _asked_vault(arguments: argparse.Namespace, session: Session) -> Iterator[tuple[Vault, Scope]]:
    """Give the vault to ask and the projects in view: of the vault those of `--project`, else all."""
    from memtui.vault.filters import EVERYTHING, Scope

    scope = Scope.of_project(session.project) if session.project else EVERYTHING
    if not arguments.corpus:
        yield session.vault, scope
        return
    from memtui.recall.evaluation import corpus_vault, read_corpus

    path = session.folder / Path(arguments.corpus).expanduser()
    corpus = read_corpus(_read(path), path.name, session.vault.now())
    with tempfile.TemporaryDirectory(prefix="memtui-eval-") as folder:
        yield corpus_vault(Path(folder), corpus, kinds=session.kinds, now=session.vault.now), scope


def _meaning(model: str, vault: Vault) -> Meaning | None:
    """Return the meaning of a model with all vectors made and in memory: the times are those of a warm process."""
    from memtui.recall.semantic import ModelMeaning, has_model

    if not has_model(model):
        return None
    from memtui.recall.embedding_cache import ResidentVectors, embed_missing

    meaning = ModelMeaning(vault, model, catches_up=False)
    engine = meaning.engine()
    if engine is None:
        say(f"Words alone: {meaning.problem}")
        return None
    embed_missing(vault, engine)
    return ModelMeaning(vault, model, engine=engine, resident=ResidentVectors(engine.name), catches_up=False)


def _add(arguments: argparse.Namespace, session: Session, path: Path) -> int:
    """Append a query to the file, atomically."""
    from memtui.curate.projects import check_named_files
    from memtui.publish.files import add_question
    from memtui.recall.evaluation import Question

    if not arguments.expect:
        raise UsageError("What should have come?", where="eval --add", remedy="Name it: --expect ID")
    if not arguments.add.strip() and not arguments.file:
        raise UsageError("What was asked?", where="eval --add", remedy="Give words, or --file.")
    with session.vault.read() as reader:
        expected = tuple(dict.fromkeys(reader.resolve(one) for one in arguments.expect))
    files = tuple(check_named_files(session.vault, session.view, arguments.file, folder=session.folder))
    question = Question(arguments.add, expected, files, kind=arguments.kind)
    add_question(question, str(path), folder=session.folder)
    if session.json:
        write_json({"file": str(path), "expected": list(expected)})
    say(f"Noted in {path.name}: {plural(len(expected), 'memory')} expected. `memtui eval {path.name}` measures.")
    return EXIT_DONE


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError("There is no such file", where=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"The file cannot be read ({error})", where=str(path)) from error


def _print(record: dict[str, Any]) -> None:
    rows = [["all", str(record["queries"]), *_cells(record)]]
    if set(record["by_kind"]) != {""}:
        rows += [[kind or "(no kind)", str(one["queries"]), *_cells(one)] for kind, one in record["by_kind"].items()]
    write_table(rows, headings=("kind", "queries", *_COLUMNS))
    write_line("")


def _cells(record: dict[str, Any]) -> list[str]:
    return ["–" if record[name] is None else f"{record[name]:.{1 if name.endswith('ms') else 3}f}" for name in _COLUMNS]


def _progress(total: int) -> Any:
    if not sys.stderr.isatty():
        return None

    def show(done: int) -> None:
        print(f"\r{done:,} of {total:,}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return show
