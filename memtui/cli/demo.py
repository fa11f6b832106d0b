"""`memtui demo`: a private copy of the sample vault."""

from __future__ import annotations

import argparse
from pathlib import Path

from memtui import locations
from memtui.cli.app import open_app
from memtui.cli.output import has_terminal, say, write, write_explanation, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.curate.projects import DEFAULT_SCOPE_KEY
from memtui.curate.views import list_memories
from memtui.domain.identity import Actor, path_identity
from memtui.errors import EXIT_DONE, UsageError
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.recall.result import Task
from memtui.recall.search import search
from memtui.recall.semantic import ModelMeaning
from memtui.text.sanitize import reveal
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.lease import FILE_NAME
from memtui.vault.vault import Vault

TOUR_TASK = "refund fails twice on retry"
TOUR_FILE = "payments/service.py"
TOUR_PROJECT = "payments-api"


def _demo_arguments(parser: Parser) -> None:
    parser.add_value("--at", "DIR", "put the copy in this folder, print the vault's path, and keep it")


def _demo(arguments: argparse.Namespace, session: Session) -> int:
    """Explore a private copy of the sample vault: three invented projects over 14 months.

    Without a terminal it prints a tour: a list, a search with its reasons, a payload.
    """
    import tempfile

    if arguments.at is not None:
        folder = session.path(arguments.at).resolve()
        path = build_demo(folder)
        _embed(Vault(path), session)
        session.put({"vault": str(path), "folder": str(folder)}, [str(path)])
        say(f"Its source trees are next to it. Try memtui --vault {path} list, or open it: memtui --vault {path}")
        return EXIT_DONE
    with tempfile.TemporaryDirectory(prefix="memtui-demo-") as temporary:
        path = build_demo(Path(temporary) / "demo")
        vault = Vault(path, kinds=session.kinds)
        if has_terminal():
            return open_app(arguments, vault=vault)
        _embed(vault, session)
        _tour(vault, session)
        return EXIT_DONE


def _embed(vault: Vault, session: Session) -> None:
    """Give every memory its vector, so that the first command answers as the second will."""
    meaning = session.meaning
    engine = meaning.engine() if meaning is not None else None
    if engine is not None:
        from memtui.recall.embedding_cache import embed_missing

        embed_missing(vault, engine)


def build_demo(folder: Path) -> Path:
    """Make a vault from the sample in a folder, with the source trees beside it; returns the vault file.

    Raises `UsageError`: the folder contains a vault already.
    """
    import shutil

    from memtui.capture.importer import ImportRequest, read_sources, run_import
    from memtui.vault import projects
    from memtui.vault.undo import seal

    sample = locations.resource_folder("sample_vault")
    vault = Vault(folder / FILE_NAME)
    if vault.exists:
        raise UsageError("This folder already contains a vault", where=str(folder), remedy="Choose an empty folder.")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    trees = {tree.name: folder / tree.name for tree in sorted((sample / "trees").iterdir()) if tree.is_dir()}
    for name, target in trees.items():
        if not target.exists():
            shutil.copytree(sample / "trees" / name, target)
    request = ImportRequest(paths=[sample], folder=sample, home=folder, format="vault")
    run_import(vault, read_sources(request), request, actor=Actor())
    with vault.write(actor=Actor().name, action="demo") as writer:
        writer.set_meta(DEFAULT_SCOPE_KEY, "all")
        for name, target in trees.items():
            projects.link_identity(writer, name, path_identity(target.as_posix()))
        seal(writer)
    return vault.path


def _tour(vault: Vault, session: Session) -> None:
    """Print a list, a search with reasons, and a payload."""
    from dataclasses import replace

    now, config = vault.now(), session.config
    write_line("# A vault holds memories (memtui list --sort importance --limit 8)\n")
    views = list_memories(vault, MemoryFilter(scope=EVERYTHING), sort="importance", limit=8)
    write_table(
        [v.memory.id, v.memory.kind, v.memory.project or "", f"{v.freshness:.2f}", v.memory.title] for v in views
    )
    scope = Scope.of_project(TOUR_PROJECT)
    write_line(f'\n# Search says why (memtui search "double charge" --project {TOUR_PROJECT} --explain)\n')
    meaning = ModelMeaning(vault, config.embedding.model) if session.meaning is not None else None
    found = search(vault, "double charge", scope, limit=2, settings=config.recall, now=now, meaning=meaning)
    for hit in found.hits:
        write_line(f"{hit.memory.id}  {reveal(hit.memory.title)}")
        write_explanation(hit)
    write_line(f'\n# A payload for a task (memtui context "{TOUR_TASK}" --file {TOUR_FILE} --budget 800)\n')
    pack = context(
        vault,
        Task(text=TOUR_TASK, files=(TOUR_FILE,)),
        scope,
        replace(PackOptions.of(config.context), budget="800"),
        project=TOUR_PROJECT,
        target="chat",
        settings=config.recall,
        now=now,
        meaning=meaning,
    )
    write(pack.payload)
    say("\nIn a terminal `memtui demo` opens the app; `memtui demo --at DIR` keeps the copy to try commands on.")


COMMANDS: Commands = {"demo": (_demo_arguments, _demo)}
