"""The terminal app, and `memtui demo`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memtui import locations
from memtui.cli.output import has_terminal, say, write, write_explanation, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.curate.fields import check_kind_in_use
from memtui.curate.projects import DEFAULT_SCOPE_KEY
from memtui.curate.views import list_memories
from memtui.domain.identity import Actor, path_identity
from memtui.errors import EXIT_DONE, UsageError
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.recall.rank import search
from memtui.recall.result import Task
from memtui.recall.semantic import ModelMeaning
from memtui.text.sanitize import reveal
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.lease import FILE_NAME
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.tui.state import Opening


def open_app(arguments: argparse.Namespace, start: str = "list", vault: Vault | None = None) -> int:
    """Open the app and return its exit code once the person leaves it.

    `start`: `list`, or `due` for what is due for review. `vault`: another vault than the chosen one, e.g. the demo's
    copy; it gets no daily backup.
    """
    import gc
    from dataclasses import replace

    from memtui.assist.spool import fold_quietly
    from memtui.tui.app import MemtuiApp

    # The command line runs without it; an app that stays open needs it.
    gc.enable()
    # What is on the screen waits a fifth as long for threads that read, as they hand the interpreter over sooner.
    sys.setswitchinterval(0.001)
    session = Session(arguments)
    opened = vault or session.vault
    opening = opening_of(session, vault)
    if start == "due":
        review = {"kinds": _kinds(arguments, session), "most": arguments.size}
        opening = replace(opening, start="due", **review)
    fold_quietly(opened)
    app = MemtuiApp(opening)
    code = app.run(mouse=session.config.app.mouse) or app.return_code or EXIT_DONE
    if code != EXIT_DONE:
        app.keep_drafts()
    if opened.wrote:
        opened.fold_log_if_free()
    return code


def opening_of(session: Session, vault: Vault | None = None) -> Opening:
    """Return what the app is opened with. `vault`: another one than the chosen one."""
    from memtui.recall.resident import ResidentMeaning
    from memtui.tui.state import Opening

    config, opened = session.config, vault or session.vault
    return Opening(
        vault=opened,
        folder=session.folder,
        project=session.project,
        actor=session.actor,
        threshold=config.review.threshold,
        recall=config.recall,
        before_change=session.back_up_daily if vault is None else lambda: None,
        daily=config.review.daily,
        weekly=config.review.weekly,
        keys=dict(config.keys),
        theme=config.app.theme,
        burst=config.app.burst,
        # A demo starts the same for everybody, and leaves nothing behind.
        state_path=locations.state_folder() / "app.json" if vault is None else None,
        context=config.context,
        inbox=config.inbox,
        meaning=ResidentMeaning(opened, config.embedding.model),
        secret_patterns=tuple(config.secrets.patterns),
        targets=config.targets,
    )


def _kinds(arguments: argparse.Namespace, session: Session) -> tuple[str, ...]:
    """Return the kinds of `memtui review --kind`, checked."""
    return tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind)


TOUR_TASK = "refund fails twice on retry"
TOUR_FILE = "payments/service.py"
TOUR_PROJECT = "payments-api"


def _demo_arguments(parser: Parser) -> None:
    parser.add_value("--at", "DIR", "put the copy there, print the vault's path, and keep it")


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
        say(f"Its source trees are beside it. Try memtui --vault {path} list, or open it: memtui --vault {path}")
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
        raise UsageError("This folder contains a vault already", where=str(folder), remedy="Choose an empty folder.")
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
