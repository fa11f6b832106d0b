"""`memtui recipe`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace

from memtui.cli.context import add_target, add_ticks, ticked
from memtui.cli.context import configure as configure_context
from memtui.cli.context import run as run_context
from memtui.cli.output import say, write_json, write_table
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.curate.projects import check_named_files
from memtui.errors import EXIT_DONE, UsageError
from memtui.pack.options import PackOptions, choices_words, task_of
from memtui.pack.recipes import delete_recipe, get_recipe, list_recipes, save_recipe
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.registry import target_named
from memtui.recall.phase import PHASES
from memtui.recall.result import Task
from memtui.text.quantities import parse_budget
from memtui.text.sanitize import one_line
from memtui.vault.packs import Recipe

DESCRIPTIONS = {
    "recipe": "A recipe is a saved task with its files, target, budget and choices, to be run again every week."
}


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    save = actions.add_parser("save", parents=[parent], help="save a task under a name")
    save.add_argument("name", metavar="NAME", help="the recipe's name")
    save.add_argument("task", metavar="TASK", nargs="*", help="the task in your words")
    save.add_argument("--file", metavar="PATH", action="append", default=[], help="a file in hand; repeatable")
    add_target(save, "what it is written for")
    save.add_argument("--budget", metavar="N", help="its size (default: the configuration's)")
    save.add_argument(
        "--style", metavar="STYLE", choices=STYLES, help="full or compiled (default: the configuration's)"
    )
    save.add_argument("--phase", metavar="P", choices=PHASES, help="the phase of the work (default: guessed)")
    add_ticks(save)
    save.add_argument("--allow-secret", action="store_true", help="save it even if it looks like a secret")
    actions.add_parser("list", parents=[parent], help="list recipes (default)")
    run_parser = actions.add_parser(
        "run",
        parents=[parent],
        help="print the payload of a recipe; without a name of all of them together",
    )
    run_parser.add_argument("name", metavar="NAME", nargs="?", help="the recipe's name")
    add_target(run_parser, "another target than the recipe's")
    run_parser.add_argument("--budget", metavar="N", help="another budget than the recipe's")
    run_parser.add_argument("--style", metavar="STYLE", choices=STYLES, help="another style than the recipe's")
    run_parser.add_argument("--diff", action="store_true", help="on stderr: what changed since it was used last")
    run_parser.add_argument("--copy", action="store_true", help="also copy it, and record the pack")
    run_parser.add_argument("--record", action="store_true", help="record the pack")
    run_parser.add_argument("--explain", action="store_true", help="on stderr: scores, and what was withheld")
    delete = actions.add_parser("delete", parents=[parent], help="delete a recipe")
    delete.add_argument("name", metavar="NAME", help="the recipe's name")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of the subcommands."""
    if arguments.action in {None, "list"}:
        return _list(session)
    if arguments.action == "save":
        return _save(arguments, session)
    if arguments.action == "delete":
        recipe = delete_recipe(session.vault, arguments.name, actor=session.actor.name)
        if session.json:
            write_json(_record(recipe))
        say(f"deleted: {recipe.name}; `memtui undo` brings it back")
        return EXIT_DONE
    return _run(arguments, session)


def _run(arguments: argparse.Namespace, session: Session) -> int:
    """Run `memtui context` with what the recipe says."""
    recipe = get_recipe(session.vault, arguments.name) if arguments.name else None
    parser = Parser(prog="memtui recipe run", parents=[global_options()])
    configure_context(parser)
    flags = [f"--{name}" for name in ("copy", "record", "explain", "diff") if getattr(arguments, name)]
    files = [f"--file={file}" for file in (recipe.files if recipe else ())]
    words = ["--", recipe.task] if recipe and recipe.task else []
    kept = PackOptions().chosen(recipe.options) if recipe else PackOptions()
    chosen = {
        "target": arguments.target or (recipe.target if recipe else None),
        "budget": arguments.budget or (recipe.budget if recipe else None),
        "style": arguments.style or (kept.style if recipe and recipe.options else None),
        "phase": task_of("", (), recipe.options).phase if recipe else None,
    }
    options = [f"--{name}={value}" for name, value in chosen.items() if value]
    inner = parser.read([*options, *flags, *files, *words], argparse.Namespace(**_globals(arguments)))
    there = _there(session, kept.with_ids | kept.without)
    inner.with_ids, inner.without = sorted(kept.with_ids & there), sorted(kept.without & there)
    inner.unconfirmed, inner.with_loaded = kept.unconfirmed, not kept.withhold_loaded
    inner.secrets = kept.secrets if recipe and recipe.options else None
    inner.standing = recipe is None
    if session.project is None:
        project = recipe.project if recipe else _only_project(session)
        if project is not None:
            inner.project = project
    return run_context(inner, Session(inner))


def _only_project(session: Session) -> str | None:
    """Return the one project of all recipes where none is in view; else None, and what that means is told."""
    if session.view.project is not None or session.view.shows_all:
        return None
    projects = sorted({recipe.project for recipe in list_recipes(session.vault) if recipe.project})
    if len(projects) > 1:
        say(f"Recipes of several projects, and none is in view: --project {'|'.join(projects)} shows more than global.")
    return projects[0] if len(projects) == 1 else None


def _there(session: Session, identifiers: Collection[str]) -> frozenset[str]:
    """Return those of the ticked memories that are not gone meanwhile: a recipe outlives what it names."""
    if not identifiers:
        return frozenset()
    with session.vault.read() as reader:
        return frozenset(reader.get_many(identifiers))


def _globals(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the global options that were given."""
    names = ("vault", "project", "actor", "json")
    return {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}


def _save(arguments: argparse.Namespace, session: Session) -> int:
    settings = session.config.context
    target, budget = arguments.target or settings.target, arguments.budget or settings.budget
    target_named(target)
    parse_budget(budget)
    text = " ".join(arguments.task)
    files = check_named_files(session.vault, session.view, arguments.file, folder=session.folder)
    if not text.strip() and not files:
        raise UsageError("A recipe needs a task or files", where=arguments.name)
    put_in, left_out = ticked(arguments, session.vault)
    usual = PackOptions.of(settings)
    replaces = any(recipe.name == arguments.name for recipe in list_recipes(session.vault))
    recipe = save_recipe(
        session.vault,
        arguments.name,
        Task(text=text, files=tuple(files), phase=arguments.phase),
        actor=session.actor.name,
        project=session.view.project,
        target=target,
        budget=budget,
        options=replace(usual, style=arguments.style or usual.style, with_ids=put_in, without=left_out),
        allow_secret=arguments.allow_secret,
        secret_patterns=session.config.secrets.patterns,
    )
    if session.json:
        write_json(_record(recipe))
    word = "replaced the recipe of this name" if replaces else "saved"
    say(f"{word}: memtui recipe run {recipe.name}; `memtui undo` takes it back")
    return EXIT_DONE


def _record(recipe: Recipe) -> dict[str, object]:
    return {
        "name": recipe.name,
        "project": recipe.project,
        "task": recipe.task,
        "files": list(recipe.files),
        "target": recipe.target,
        "budget": recipe.budget,
        "options": dict(recipe.options),
    }


def _list(session: Session) -> int:
    recipes = list_recipes(session.vault)
    if session.json:
        write_json([_record(recipe) for recipe in recipes])
        return EXIT_DONE
    write_table(
        [
            [
                r.name,
                r.project or "",
                r.target,
                r.budget,
                choices_words(r.options),
                one_line(" ".join((r.task, *r.files))),
            ]
            for r in recipes
        ]
    )
    if not recipes:
        say('No recipes yet: memtui recipe save NAME "the task"')
    return EXIT_DONE
