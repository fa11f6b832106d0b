"""`memtui pack` and `memtui recipe`."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memtui.cli import parsing, payload_options, recall
from memtui.cli.output import diff_record, say, say_diff, write, write_json, write_line, write_table
from memtui.cli.parsing import Parser, at_least
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate.packs import AWAITING_DAYS, as_it_was, feedback_on, options_of, packs_awaiting_feedback, text_changes
from memtui.curate.projects import check_named_files
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, EXIT_NOTHING, UsageError
from memtui.pack.build import Pack
from memtui.pack.options import PackOptions, choices_words, standing_of, task_of
from memtui.pack.recipes import compare, delete_recipe, get_pack, get_recipe, list_packs, list_recipes, save_recipe
from memtui.pack.targets.base import STYLES
from memtui.pack.targets.formats import target_named
from memtui.recall.eligibility import PHASES
from memtui.recall.result import Task
from memtui.text.sanitize import one_line
from memtui.text.words import counted, parse_budget
from memtui.vault.packs import ABOUT_MEMORIES, Recipe, StoredPack

PACK_LIMIT = 50


def _pack_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    parser.set_defaults(limit=PACK_LIMIT, awaiting=False)
    listing = add("list", "list the most recent packs (default)", _list_packs, is_default=True)
    listing.add_value(
        "--limit", "N", f"maximum number of rows (default: {PACK_LIMIT})", type=at_least(0), default=PACK_LIMIT
    )
    listing.add_flag("--awaiting", f"only those copied at least {AWAITING_DAYS:.0f} days ago without feedback")
    show = add("show", "show one pack and its memories", _show_pack)
    parsing.add_id(show, "the pack's an id or its first characters")
    show.add_flag("--payload", "its exact bytes, rebuilt from the versions that it contained")
    show.add_flag("--diff", "compare it with what its task returns today")


def _list_packs(arguments: argparse.Namespace, session: Session) -> None:
    """List and show recorded packs: payloads that were copied, or recorded with --record.

    The text is not stored, only which versions of memories were in it and how it was built, so that `memtui feedback`
    can say whether they helped.
    """
    if arguments.awaiting:
        packs = packs_awaiting_feedback(session.vault, project=session.project)[: arguments.limit]
    else:
        packs = list_packs(session.vault, arguments.limit)
    given = feedback_on(session.vault, packs)
    rows = (
        [
            pack.id,
            f"{pack.made_at:%Y-%m-%d %H:%M}",
            pack.project or "",
            pack.target,
            f"{pack.tokens:,} tokens",
            counted(len(pack.members), "memory"),
            _feedback_words(given[pack.id]),
            _task_words(pack),
        ]
        for pack in packs
    )
    session.put_rows((_pack_record(pack, given) for pack in packs), rows)
    if not packs and not session.json:
        say("No packs yet: `memtui context` records one with --copy or --record.")


def _show_pack(arguments: argparse.Namespace, session: Session) -> int:
    pack = get_pack(session.vault, arguments.id)
    if arguments.payload:
        return _show_payload(pack, session)
    if arguments.diff:
        _show_pack_diff(pack, arguments, session)
        return EXIT_DONE
    with session.vault.read() as reader:
        memories = reader.get_many([member.memory_id for member in pack.members])
    given = feedback_on(session.vault, [pack])
    titles = {identifier: memory.title for identifier, memory in memories.items()}
    if session.json:
        members = [
            {
                "id": member.memory_id,
                "title": titles.get(member.memory_id),
                "version": member.version,
                "tokens": member.tokens,
                "score": round(member.score, 6),
            }
            for member in pack.members
        ]
        write_json({**_pack_record(pack, given), "members": members})
        return EXIT_DONE
    write_line(f"{pack.id}  {pack.made_at:%Y-%m-%d %H:%M}  {pack.actor}  {pack.project or 'every project'}")
    write_line(f"Task     {_task_words(pack)}")
    write_line(f"Payload  {pack.target}, {pack.tokens:,} tokens ({pack.encoding}), budget {pack.budget}")
    if chosen := choices_words(pack.options):
        write_line(f"Options  {chosen}")
    write_line(f"Feedback {_feedback_words(given[pack.id])}")
    write_table(
        [one.memory_id, f"{one.score:.2f}", f"{one.tokens} tokens", titles.get(one.memory_id, "(erased)")]
        for one in pack.members
    )
    if not given[pack.id]:
        say(f"Did it help? memtui feedback {pack.id} helped")
    return EXIT_DONE


def _show_payload(pack: StoredPack, session: Session) -> int:
    found = _rebuilt(pack, session)
    if session.json:
        write_json({"id": pack.id, "payload": found.payload if found else None})
    elif found is not None:
        write(found.payload)
    if found is None:
        why = "a memory was purged or had been shortened, or a file has changed since"
        say(f"The bytes of pack {pack.id} cannot be rebuilt: {why}")
        return EXIT_NOTHING
    return EXIT_DONE


def _show_pack_diff(pack: StoredPack, arguments: argparse.Namespace, session: Session) -> None:
    if session.project is None and pack.project is not None:
        session = Session(argparse.Namespace(**vars(arguments) | {"project": pack.project}))
    task = task_of(pack.task, pack.files, pack.options)
    chosen = options_of(pack, PackOptions.of(session.config.context, session.secret_patterns))
    today = recall.build_for(session, task, chosen, pack.target).pack
    before, diff = _rebuilt(pack, session), compare(today, pack, session.vault)
    lines = text_changes(before.payload, today.payload) if before else None
    if session.json:
        write_json({"id": pack.id, **diff_record(diff), "tokens": today.tokens, "lines": lines})
        return
    if lines is None:
        say("Its bytes cannot be rebuilt, so only memories are compared.")
    for line in lines or ():
        write_line(line)
    say_diff(diff, {one.memory.id: one.memory.title for one in today.included})
    if chosen.standing is not None:
        _say_recipe_changes(session, chosen.standing)
    say(f"{pack.tokens:,} tokens then, {today.tokens:,} today")


def _say_recipe_changes(session: Session, then: Sequence[str]) -> None:
    """Say which recipes were added to the standing payload or removed from it."""
    now = [recipe.name for recipe in recall.standing_recipes(session)]
    moved = [f"+ {name}" for name in now if name not in then] + [f"- {name}" for name in then if name not in now]
    if moved:
        say(f"recipes: {', '.join(moved)}")


def _rebuilt(pack: StoredPack, session: Session) -> Pack | None:
    usual = PackOptions.of(session.config.context, session.secret_patterns)
    form = target_named(pack.target, session.config.targets)
    return as_it_was(session.vault, pack, form, usual, session.view.tree)


def _task_words(pack: StoredPack) -> str:
    standing = standing_of(pack.options)
    if standing is None:
        return one_line(" ".join((pack.task, *pack.files)))
    return one_line(f"the standing payload: {', '.join(standing)}" if standing else "the standing payload")


def _feedback_words(given: Mapping[str, int]) -> str:
    return ", ".join(f"{verdict} {number}×" for verdict, number in given.items()) or "none yet"


def _pack_record(pack: StoredPack, given: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    return {
        "id": pack.id,
        "time": format_time(pack.made_at),
        "actor": pack.actor,
        "project": pack.project,
        "task": pack.task,
        "files": list(pack.files),
        "target": pack.target,
        "budget": pack.budget,
        "encoding": pack.encoding,
        "tokens": pack.tokens,
        # The options that were chosen; the state of the files is stored for the payload alone.
        "options": {name: value for name, value in pack.options.items() if name not in ABOUT_MEMORIES},
        "members": [member.memory_id for member in pack.members],
        "feedback": dict(given[pack.id]),
    }


def _recipe_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    save = add("save", "save a task under a name", _save_recipe)
    save.add_value("name", "NAME", "the recipe's name")
    save.add_value("task", "TASK", "the task in your words", nargs="*")
    parsing.add_files(save)
    payload_options.add_target(save, "the target that it is written for")
    save.add_value("--budget", "N", "its budget (default: from the configuration)")
    save.add_value("--style", "STYLE", "full or compiled (default: from the configuration)", choices=STYLES)
    save.add_value("--phase", "P", "the phase of the work (default: guessed)", choices=PHASES)
    payload_options.add_ticks(save)
    parsing.add_allow_secret(save)
    add("list", "list recipes (default)", _list_recipes, is_default=True)
    run = add("run", "print the payload of a recipe; without a name, of all recipes together", _run_recipe)
    run.add_value("name", "NAME", "the recipe's name", nargs="?")
    payload_options.add_target(run, "another target than the recipe's")
    run.add_value("--budget", "N", "another budget than the recipe's")
    run.add_value("--style", "STYLE", "another style than the recipe's", choices=STYLES)
    run.add_flag("--diff", "on stderr: what has changed since it was last used")
    run.add_flag("--copy", "also copy it, which records the pack")
    run.add_flag("--record", "record the pack")
    run.add_flag("--explain", "on stderr: scores and withheld memories")
    delete = add("delete", "delete a recipe", _delete_recipe)
    delete.add_value("name", "NAME", "the recipe's name")


def _list_recipes(arguments: argparse.Namespace, session: Session) -> None:
    """Save a task with its files, target, budget and options as a recipe, to run it again later."""
    recipes = list_recipes(session.vault)
    rows = (
        [r.name, r.project or "", r.target, r.budget, choices_words(r.options), one_line(" ".join((r.task, *r.files)))]
        for r in recipes
    )
    session.put_rows(map(_recipe_record, recipes), rows)
    if not recipes and not session.json:
        say('No recipes yet: memtui recipe save NAME "the task"')


def _save_recipe(arguments: argparse.Namespace, session: Session) -> None:
    settings = session.config.context
    target, budget = arguments.target or settings.target, arguments.budget or settings.budget
    target_named(target)
    parse_budget(budget)
    text = " ".join(arguments.task)
    files = check_named_files(session.vault, session.view, arguments.file, folder=session.folder)
    if not text.strip() and not files:
        raise UsageError(
            "A recipe needs a task or files", where=arguments.name, remedy="Give a task in words, or --file PATH."
        )
    put_in, left_out = payload_options.ticked(session, arguments.with_ids, arguments.without)
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
        secret_patterns=session.secret_patterns,
    )
    session.put(_recipe_record(recipe))
    say(f"{'Replaced' if replaces else 'Saved'}; run it with memtui recipe run {recipe.name}. {UNDO_HINT}")


def _delete_recipe(arguments: argparse.Namespace, session: Session) -> None:
    recipe = delete_recipe(session.vault, arguments.name, actor=session.actor.name)
    session.put(_recipe_record(recipe))
    say(f"Deleted: {recipe.name}. {UNDO_HINT}")


def _run_recipe(arguments: argparse.Namespace, session: Session) -> int:
    """Run `memtui context` with what the recipe says."""
    recipe = get_recipe(session.vault, arguments.name) if arguments.name else None
    parser = Parser()
    payload_options.context_options(parser)
    inner = parser.read([], argparse.Namespace(**vars(arguments)))
    kept = PackOptions().chosen(recipe.options) if recipe else PackOptions()
    existing = _existing(session, kept.with_ids | kept.without)
    inner.with_ids, inner.without = sorted(kept.with_ids & existing), sorted(kept.without & existing)
    inner.unconfirmed, inner.with_loaded = kept.unconfirmed, not kept.withhold_loaded
    inner.standing = recipe is None
    if recipe:
        inner.task, inner.file = [recipe.task] if recipe.task else [], list(recipe.files)
        inner.target, inner.budget = arguments.target or recipe.target, arguments.budget or recipe.budget
        inner.phase = task_of("", (), recipe.options).phase
        if recipe.options:
            inner.style, inner.secrets = arguments.style or kept.style, kept.secrets
    if session.project is None:
        project = recipe.project if recipe else _only_project(session)
        if project is not None:
            inner.project = project
    return recall.run_context(inner, Session(inner))


def _only_project(session: Session) -> str | None:
    """Return the one project of all recipes if none is in view; of several, say how to choose."""
    if session.view.project is not None or session.view.shows_all:
        return None
    projects = sorted({recipe.project for recipe in list_recipes(session.vault) if recipe.project})
    if len(projects) > 1:
        names = "|".join(projects)
        say(f"Several projects have recipes, and no project is selected: --project {names} adds one to global.")
    return projects[0] if len(projects) == 1 else None


def _existing(session: Session, identifiers: Collection[str]) -> frozenset[str]:
    """Return those of a recipe's memories that still exist: a recipe outlives what it names."""
    if not identifiers:
        return frozenset()
    with session.vault.read() as reader:
        return frozenset(reader.get_many(identifiers))


def _recipe_record(recipe: Recipe) -> dict[str, object]:
    return {
        "name": recipe.name,
        "project": recipe.project,
        "task": recipe.task,
        "files": list(recipe.files),
        "target": recipe.target,
        "budget": recipe.budget,
        "options": dict(recipe.options),
    }


COMMANDS: Commands = {
    "pack": (_pack_arguments, _list_packs),
    "recipe": (_recipe_arguments, _list_recipes),
}
