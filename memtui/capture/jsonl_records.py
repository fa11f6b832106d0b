"""Import the typed lines of memtui's own formats: links, verdicts, signals, tombstones, half-lives, recipes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from memtui.capture.import_plan import ImportOptions
from memtui.capture.readers.own_formats import clean
from memtui.domain.causes import ERASED
from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE, SIGNAL_TYPES
from memtui.domain.identity import Actor
from memtui.domain.kinds import in_project
from memtui.domain.memory import LINK_TYPES, Link, Signal, Tombstone, Verdict
from memtui.domain.record import Record, RecordError
from memtui.errors import UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import parse_budget
from memtui.vault.journal import thing_from_record
from memtui.vault.packs import RECIPE, recipe_from_record, recipe_named, recipe_record, write_recipe
from memtui.vault.passed_files import PASSED_FILE, pass_files, passed_file_from_record
from memtui.vault.projects import check_name
from memtui.vault.rows import HALF_LIFE
from memtui.vault.text_search import Patterns, secrets_in
from memtui.vault.writer import VaultWriter

_Kin = Link | Verdict | Signal | Tombstone


def add_typed_lines(writer: VaultWriter, records: Iterable[Record], options: ImportOptions, actor: Actor) -> list[str]:
    """Add what the vault does not hold yet; returns what was rejected, with the reason."""
    bad: list[str] = []
    half_lives: list[Record] = []
    recipes: list[Record] = []
    passed: list[Record] = []
    kin: list[Record] = []
    for record in records:
        {HALF_LIFE: half_lives, RECIPE: recipes, PASSED_FILE: passed}.get(record["type"], kin).append(record)
    if not options.allow_secret:
        kin = _without_secrets(kin, bad, options.secret_patterns)
        recipes = _without_secrets(recipes, bad, options.secret_patterns)
    _add_records(writer, kin, bad, actor)
    _apply_half_lives(writer, half_lives, bad, actor, over=options.replace)
    _save_recipes(writer, recipes, bad, actor, over=options.replace)
    _pass_files(writer, passed, bad, actor)
    return bad


def _without_secrets(records: Iterable[Record], bad: list[str], patterns: Patterns) -> list[Record]:
    """Return the typed lines without secrets; report the others without the value."""
    kept = []
    for record in records:
        found = secrets_in(record, patterns)
        if found:
            rules = ", ".join(dict.fromkeys(rule for rules in found.values() for rule in rules))
            bad.append(f"{record.get('type')}: looks like a secret ({rules}); --allow-secret stores it")
        else:
            kept.append(record)
    return kept


def _apply_half_lives(
    writer: VaultWriter, records: Iterable[Record], bad: list[str], actor: Actor, *, over: bool
) -> None:
    """Apply half-lives of kinds that this vault has none for; others only on request."""
    held = writer.half_lives()
    for record in records:
        kind, days = one_line(record["kind"]), _days(record.get("half_life_days"))
        if record.get("project"):
            kind = in_project(kind, one_line(str(record["project"])))
        problem = ""
        if days is None:
            problem = "half_life_days is not a number of days"
        elif not actor.is_person:
            problem = "only a person's import takes what persons decided"
        elif not over and held.get(kind, days) != days:
            problem = f"this vault has {held[kind]:g} days, not {days:g}; --replace takes it"
        if days is None or problem:
            bad.append(f"half-life of {kind[:40]}: {problem}")
        else:
            held[kind] = days
            writer.set_half_life(kind, days)


def _save_recipes(writer: VaultWriter, records: Iterable[Record], bad: list[str], actor: Actor, *, over: bool) -> None:
    """Save recipes with new names; replace existing ones only on request."""
    from memtui.pack.targets.formats import target_named  # few imports hold a recipe

    for record in records:
        problem = ""
        try:
            recipe = recipe_from_record(record)
            target_named(recipe.target)
            parse_budget(recipe.budget)
            if recipe.project is not None:
                check_name(recipe.project)
        except RecordError as error:
            bad.append(f"recipe {one_line(record['name'])[:40]}: {error}")
            continue
        except UsageError as error:
            bad.append(f"recipe {one_line(record['name'])[:40]}: {error.what}")
            continue
        known = recipe_named(writer, recipe.name)
        # What was stored with control characters comes back without them, and is the same recipe.
        if known is not None and clean(recipe_record(known)) == recipe_record(recipe):
            continue
        if not actor.is_person:
            problem = "only a person's import takes what persons decided"
        elif known is not None and not over:
            problem = "differs from the one in this vault; --replace takes it"
        if problem:
            bad.append(f"recipe {recipe.name[:40]}: {problem}")
        else:
            write_recipe(writer, recipe)


def _pass_files(writer: VaultWriter, records: Iterable[Record], bad: list[str], actor: Actor) -> None:
    """Pass over files that this vault does not pass over yet."""
    files = []
    for record in records:
        try:
            file = passed_file_from_record(record)
            if file.project is not None:
                check_name(file.project)
        except (RecordError, UsageError) as error:
            bad.append(f"file never to offer again {one_line(str(record.get('path')))[:40]}: {error}")
            continue
        if actor.is_person:
            files.append(file)
        else:
            bad.append(f"file never to offer again {file.path[:40]}: only a person's import takes what persons decided")
    pass_files(writer, files)


def _days(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if SHORTEST_HALF_LIFE <= value <= LONGEST_HALF_LIFE else None


def _kin_of(record: Record) -> _Kin:
    """Return what a typed line states.

    Raises `KeyError, RecordError, TypeError, ValueError`: a vault cannot hold it.
    """
    thing = thing_from_record(record)
    if isinstance(thing, Link) and thing.type not in LINK_TYPES:
        raise RecordError(f"link must be one of {', '.join(LINK_TYPES)}, not {thing.type[:40]!r}")
    if isinstance(thing, Link) and thing.from_id == thing.to_id:
        raise RecordError("a memory cannot be linked to itself")
    if isinstance(thing, Signal) and thing.signal not in SIGNAL_TYPES:
        raise RecordError(f"signal must be one of {', '.join(SIGNAL_TYPES)}, not {thing.signal[:40]!r}")
    if isinstance(thing, Link | Signal) and not 0 <= thing.weight <= 1:
        raise RecordError(f"weight is not a number from 0 to 1: {thing.weight}")
    if isinstance(thing, Verdict) and not 0 <= thing.exposure_days <= LONGEST_HALF_LIFE:
        raise RecordError(f"exposure_days is not a number of days: {thing.exposure_days}")
    return _as_imported(thing)


def _as_imported(thing: _Kin) -> _Kin:
    """Return a thing as an import may state it: what was erased elsewhere stays out and orders no team to erase it."""
    return replace(thing, cause=ERASED) if isinstance(thing, Tombstone) and thing.is_erased else thing


def _as_of(actor: Actor, thing: _Kin) -> _Kin | None:
    """Return what an actor may import of a typed line; None for a decision that only a person can make."""
    if actor.is_person:
        return thing
    if isinstance(thing, Link):
        return replace(thing, origin=actor.name)
    return replace(thing, actor=actor.name) if isinstance(thing, Signal) else None


def _add_records(writer: VaultWriter, records: Iterable[Record], bad: list[str], actor: Actor) -> None:
    """Add what the vault does not hold yet; what an export holds twice is added twice."""
    stated: Counter[_Kin] = Counter()
    # Links that a row states have no date; a typed line of the same link, which has one, takes precedence.
    for record in sorted(records, key=lambda record: record["type"] == "link" and not record.get("created_at")):
        dated = record if record.get("created_at") or record["type"] != "link" else record | {"created_at": writer.now}
        try:
            thing = _kin_of(dated)
        except KeyError as error:
            bad.append(f"{record.get('type')}: without {error.args[0]}")
            continue
        except (RecordError, TypeError, ValueError) as error:
            bad.append(f"{record.get('type')}: {error}")
            continue
        allowed = _as_of(actor, thing)
        if allowed is None:
            bad.append(f"{record.get('type')}: only a person's import takes what persons decided")
        else:
            stated[allowed] += 1
    if stated:
        _add_new(writer, stated)


def _add_new(writer: VaultWriter, stated: Counter[_Kin]) -> None:
    """Add what the vault holds less often than it is stated."""
    # Links are known by their ends, whatever else they say.
    writer.add_links(thing for thing in stated if isinstance(thing, Link))
    held: Counter[_Kin] = Counter([*writer.verdicts(), *writer.signals(), *map(_as_imported, writer.tombstones())])
    fresh = list((stated - held).elements())
    writer.add_verdicts(thing for thing in fresh if isinstance(thing, Verdict))
    writer.add_signals(thing for thing in fresh if isinstance(thing, Signal))
    writer.add_tombstones(thing for thing in fresh if isinstance(thing, Tombstone))
