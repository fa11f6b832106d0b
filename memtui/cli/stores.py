"""`memtui import --from` and `--list-stores`: the stores of other memory tools."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.output import progress, say
from memtui.errors import NotFoundError, UsageError
from memtui.text.words import counted, some_of
from memtui.wording import imports

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtui.capture.importer import SourcesRead
    from memtui.capture.stores.importing import Choice, StoreFound, StoresRead
    from memtui.capture.stores.location import Place
    from memtui.cli.parsing import Parser
    from memtui.cli.session import Session

SHOWN = 6  # Types and projects named for a store
MOST_NAMED = 20  # Where one is not among them


def add_store_arguments(parser: Parser) -> None:
    """Add the options for stores of other tools."""
    group = parser.add_argument_group("stores of other memory tools")
    group.add_argument(
        "--from",
        dest="tool",
        metavar="TOOL",
        help="read this tool's store, at PATH or its default location; auto: all",
    )
    group.add_argument("--list-stores", action="store_true", help="list the stores that were found; import nothing")
    group.add_argument(
        "--only-type", metavar="TYPE", action="append", help="only this type, in the tool's own words; repeatable"
    )
    group.add_argument(
        "--only-project", metavar="NAME", action="append", help="only this project of the store; repeatable"
    )
    group.add_argument("--since", metavar="DATE", help="only entries created or changed there since")
    group.add_argument(
        "--min-importance", metavar="N", type=int, choices=range(1, 6), help="only this importance (1-5) or more"
    )
    group.add_argument(
        "--map", metavar="NAME=PROJECT", action="append", help="map the store's NAME to this PROJECT; remembered"
    )


def list_stores(arguments: argparse.Namespace, session: Session) -> None:
    """Print the stores that are found, with what they hold."""
    from memtui.capture.stores.importing import look_into

    stores = look_into(_places(arguments, session), progress("reading"))
    session.put_rows([store.record() for store in stores], [_row(store) for store in stores])
    if not stores and not session.json:
        say("No store of another memory tool was found. `memtui import --from TOOL PATH` names one.")


def read_stores(arguments: argparse.Namespace, session: Session) -> SourcesRead:
    """Read the stores that are named, or found at their default places.

    Raises:
        NotFoundError: there is none.
        SourceError: the one that was named cannot be read.
    """
    from memtui import clock
    from memtui.capture.importer import SourcesRead
    from memtui.capture.stores.importing import Names, known_rows, look_into, mapping_of, offer
    from memtui.capture.stores.tools import read_store

    places = _places(arguments, session)
    if not places:
        raise NotFoundError(
            f"No store of {arguments.tool} was found" if arguments.tool != "auto" else "No store was found",
            remedy="Name its file or folder: memtui import --from TOOL PATH.",
        )
    stores = look_into(places, progress("reading"))
    if len(stores) == 1 and stores[0].problem:
        read_store(stores[0].place)  # raises what is wrong
    with session.vault.read() as reader:
        names = Names(reader, mapping_of(arguments.map or ()))
        known = known_rows(reader, stores, names)
    choice = _choice(arguments)
    _check_choice(choice, stores)
    choices = {place.path: choice for place in places}
    offered = offer(stores, names, now=clock.now(), known=known, choices=choices, progress=progress("reading"))
    if not session.json:
        _say_offered(stores, offered)
    return SourcesRead(stores=offered)


def _say_offered(stores: Sequence[StoreFound], offered: StoresRead) -> None:
    for store in stores:
        say(f"{store.place.path}: {store.problem}" if store.problem else "  ".join(filter(None, _row(store))))
    for line in imports.told_rows(offered):
        say(line)
    for name, known in offered.unclear.items():
        say(f"The store's project {name} may be {known}: `--map {name}={known}` maps it")


def _places(arguments: argparse.Namespace, session: Session) -> Sequence[Place]:
    from memtui.capture.stores.find import default_places, places_at
    from memtui.curate.projects import known_trees, read_places
    from memtui.vault.projects import project_names

    home, tool = Path.home(), arguments.tool or "auto"
    if arguments.path:
        named = [Path(path).expanduser() for path in arguments.path]
        return [place for path in named for place in places_at(tool, (session.folder / path).absolute(), home)]
    folders = [session.folder]
    if session.vault.path.exists():
        with session.vault.read() as reader:
            places = read_places(reader, project_names(reader))
        folders += [tree.root for tree in known_trees(places).values()]
    return default_places(tool, home, folders)


def _choice(arguments: argparse.Namespace) -> Choice:
    from memtui.capture.stores.drafts import project_word
    from memtui.capture.stores.importing import Choice
    from memtui.capture.stores.rows import moment

    since = moment(arguments.since)
    if arguments.since and since is None:
        raise UsageError("Not a date", where=f"--since {arguments.since}", remedy="Write it like 2026-01-31.")
    return Choice(
        types=frozenset(one.casefold() for one in arguments.only_type) if arguments.only_type else None,
        projects=frozenset(map(project_word, arguments.only_project)) if arguments.only_project else None,
        since=since,
        importance=arguments.min_importance or 1,
    )


def _check_choice(choice: Choice, stores: Sequence[StoreFound]) -> None:
    """Raise `UsageError` for a type or project that no store has."""
    types = Counter[str]()
    projects = Counter[str]()
    for store in stores:
        types += store.types
        projects += store.projects
    for option, what, chosen, there in (
        ("--only-type", "type", choice.types, types),
        ("--only-project", "project", choice.projects, projects),
    ):
        known = {name.casefold() for name in there}
        for name in sorted((chosen or frozenset()) - known):
            named = some_of([name for name, _ in there.most_common()], MOST_NAMED)
            remedy = f"The {what}s here: {named}." if there else "The store holds no memories."
            raise UsageError(f"No memory of the store has this {what}", where=f"{option} {name}", remedy=remedy)


def _row(store: StoreFound) -> list[str]:
    """Return a store as the cells of a table."""
    name = " ".join(filter(None, (store.place.tool, store.contents.version)))
    changed = store.changed_at
    told = [
        ", ".join(f"{key} {number:,}" for key, number in counts.most_common(SHOWN))
        + (" …" if len(counts) > SHOWN else "")
        for counts in (store.types, store.projects)
    ]
    for before, counts in (("", store.dates), ("importance ", store.importances)):
        parts = [f"{key}: {number:,}" for key, number in counts.items()]
        told.append(before + some_of(parts, SHOWN) if len(parts) > 1 else "")
    number = counted(len(store.contents.rows), "memory")
    return [name, store.problem or number, *told, f"{changed:%Y-%m-%d}" if changed else "", str(store.place.path)]
