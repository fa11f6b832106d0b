"""What each kind of event is answered with; an edit against a constraint that its session was told is only noted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from memtui import clock, locations
from memtui.assist.hooks.dialects import Dialect
from memtui.assist.hooks.events import Event, Kind
from memtui.assist.sessions import Session, State, short_hash
from memtui.config import HookSettings, load_config
from memtui.domain.memory import Signal
from memtui.errors import VaultMissingError
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.assist.check_constraints import Constraint
    from memtui.assist.hooks.serve import Desk, Offer


PATIENCE_SECONDS = 0.4
"""How long a hook waits for the vault: the time limits that are installed are 2 s, for everything together."""

_FORGOTTEN = frozenset({"clear", "compact"})  # Sources of a start after which the model no longer has what it was told
_TYPED = frozenset({"", "user"})  # Sources of a prompt that a person wrote


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event takes place."""

    vault: Path
    folder: Path  # the working directory
    project: str | None = None  # the project that was named, if any


@dataclass(frozen=True, slots=True)
class Reply:
    """What an assistant is told; both empty for nothing."""

    text: str = ""
    denial: str = ""  # why it must not do what it is about to do


SILENCE = Reply()


def respond(event: Event, dialect: Dialect, place: Place) -> Reply:
    """Return what an event is answered with.

    Raises `MemtuiError` or `OSError`: the vault is missing, busy or damaged, or the configuration is wrong.
    """
    session = Session(place.vault, _session_name(event), dialect.name)
    config = load_config(locations.config_file())
    if event.kind is Kind.START and event.source in _FORGOTTEN:
        session.begin_anew()
    state, subjects = session.state(), _subjects(event)
    if _is_settled(event, state, subjects, config.hooks):
        return SILENCE
    # What is imported next takes longer than creating an engine, which needs no interpreter.
    from memtui.vault.connection import warm_up

    warm_up()
    from memtui.assist.hooks.serve import open_desk

    vault = Vault(place.vault, now=clock.now, patience_seconds=PATIENCE_SECONDS)
    if not vault.exists:
        raise VaultMissingError("No vault was found", where=str(vault.path))
    desk = open_desk(vault, place.folder, dialect, config, named=place.project)
    if desk is None:
        return SILENCE
    if event.is_command:
        return _on_command(event, desk, session)
    return Reply(_served(event, desk, session, subjects))


def _session_name(event: Event) -> str:
    """Return the name that a session's state is kept under; a subagent has a context of its own."""
    name = event.session or f"unnamed-{token_hex(8)}"
    return name if event.subagent is None else f"{name}/{event.subagent}"


def _subjects(event: Event) -> list[str]:
    """Return the hash of each file of an event, by which a session knows it again."""
    return [short_hash(os.path.normpath(os.path.join(event.folder, file))) for file in event.files]  # noqa: PTH118 - strings that may be anything


def _judged(subject: str) -> str:
    """Return the mark of a file whose edit was held against the rules that the session knows."""
    return short_hash(f"judged {subject}")


def _is_settled(event: Event, state: State, subjects: Iterable[str], settings: HookSettings) -> bool:
    """Return whether an event has no answer because of what the session had before, or of what a person chose."""
    if event.kind is Kind.START:
        # It runs again where a session is resumed, and Cursor runs Claude Code's beside its own.
        return Kind.START in state.events
    if event.kind is Kind.PROMPT:
        had = state.events.get(Kind.PROMPT, 0)
        wanted = settings.prompts == "every" or (settings.prompts == "first" and not had)
        return not wanted or not event.prompt or event.source not in _TYPED
    if event.kind in {Kind.BEFORE_TOOL, Kind.AFTER_TOOL} and not event.is_command:
        is_judged = not state.ruled or not event.is_edit or all(_judged(one) in state.files for one in subjects)
        return is_judged and all(subject in state.files for subject in subjects)
    return False


def _served(event: Event, desk: Desk, session: Session, subjects: list[str]) -> str:
    recipe = None
    if event.subagent is not None:
        # Subagents get nothing unless a recipe names them.
        recipe = next((one.name for one in desk.recipes if one.name == event.subagent), None)
        if recipe is None:
            return ""
    if event.kind in {Kind.START, Kind.SUBAGENT}:
        return _claimed(session, desk, event.kind, lambda known: desk.standing(known, recipe=recipe))
    if event.kind is Kind.PROMPT:
        return _claimed(session, desk, event.kind, lambda known: desk.for_task(event.prompt, known))

    files = _in_project(event, desk)
    parts = []
    if Kind.START not in desk.dialect.reaches and Kind.START not in session.state().events:
        # The text of its start would not arrive, so the first tool brings it.
        parts.append(_claimed(session, desk, Kind.START, desk.standing))
    if files and event.is_edit:
        judge(event, desk, session, files)
        subjects = [*subjects, *map(_judged, subjects)]
    if files:
        parts.append(
            _claimed(session, desk, Kind.AFTER_TOOL, lambda known: desk.for_files(files, known), subjects=subjects)
        )
    return "\n".join(filter(None, parts))


def _on_command(event: Event, desk: Desk, session: Session) -> Reply:
    """Return what a constraint's rules say of a command that is about to run.

    A rule stops it where the person switched that on and the assistant can be stopped; else the assistant is told, once
    a session for each constraint.
    """
    from memtui.assist.check import forbidden_command
    from memtui.assist.check_constraints import stored_constraints

    constraints = stored_constraints(desk.vault, desk.view.workspace.folder, desk.view.project)
    found = forbidden_command(constraints, event.command)
    if found is None:
        return SILENCE
    if found.severity == "error" and desk.config.hooks.stop_commands and desk.dialect.deny is not None:
        hour = desk.now.replace(minute=0, second=0, microsecond=0)  # a command that is tried again counts once an hour
        stopped = Signal(memory_id=found.memory, signal="stopped", at=hour, actor=desk.dialect.name, reason=found.rule)
        session.spool.signal([stopped])
        return Reply(denial=found.reason)
    told = short_hash(f"rule of {found.memory}")
    if event.subagent is not None or not event.session or not desk.dialect.takes_text(event):
        return SILENCE
    if told in session.state().files:
        return SILENCE
    session.claim([], event="rule", at=desk.now, project=desk.view.project, subjects=[told])
    return Reply(found.reason)


def _in_project(event: Event, desk: Desk) -> list[str]:
    """Return the files of an event as memories name them, without those outside of the project."""
    base, found = event.folder or str(desk.view.workspace.folder), []
    for file in event.files:
        path = os.path.normpath(os.path.join(base, file.replace("\\", "/") if os.sep == "/" and "\\" in file else file))  # noqa: PTH118 - a string that may be anything
        for name in (path, os.path.realpath(path)):
            relative = os.path.relpath(name, desk.view.root)
            if relative != os.curdir and not relative.startswith(os.pardir) and not os.path.isabs(relative):  # noqa: PTH117 - as above
                found.append(relative.replace(os.sep, "/"))
                break
    return found


def _claimed(
    session: Session,
    desk: Desk,
    kind: Kind,
    build: Callable[[State], Offer],
    *,
    subjects: Iterable[str] = (),
) -> str:
    """Return the payload that `build` makes of what the session does not know, marked as served.

    Where another hook of the session serves one of its memories at the same moment, it is made again without.
    """
    offer = build(session.state())
    pack = offer.pack
    fresh = session.claim(
        [one.memory for one in pack.included] if pack else [],
        event=kind,
        at=desk.now,
        tokens=pack.tokens if pack else 0,
        project=desk.view.project,
        subjects=tuple(subjects),
        lessons=offer.lessons,
    )
    if pack is None or len(fresh) == len(pack.included):
        return pack.payload if pack else ""
    mine = {memory.id for memory in fresh}
    state = session.state()
    again = build(replace(state, served={one: known for one, known in state.served.items() if one not in mine})).pack
    return again.payload if again and {one.memory.id for one in again.included} <= mine else ""


FOLLOWED, CONTRADICTED = "followed", "contradicted"
_JUDGED = frozenset({"forbid", "protect"})  # Forms of rules that one edit alone can keep or break


def judge(event: Event, desk: Desk, session: Session, files: Sequence[str]) -> None:
    """Keep what an edit says of the constraints with rules that the session knows, once a session each.

    `files`: the files of the edit, as memories name them. Only what it adds counts, as it does for a commit.
    """
    state = session.state()
    if not state.ruled or not event.written:
        return
    # Imported here: most sessions know no constraint with rules.
    from memtui.assist.check_constraints import stored_constraints

    constraints = stored_constraints(desk.vault, desk.view.workspace.folder, desk.view.project)
    known = [one for one in constraints.all if one.id in state.ruled]
    signals, marks = [], []
    for constraint, said in _said(known, files, event.written):
        mark = short_hash(f"{said} {constraint.id}")
        if mark not in state.files:
            marks.append(mark)
            signals.append(
                Signal(memory_id=constraint.id, signal=said, at=desk.now, actor=desk.dialect.name, reason=files[0])
            )
    if signals:
        session.claim([], event="judged", at=desk.now, project=desk.view.project, subjects=marks)
        session.spool.signal(signals)


def _said(known: Sequence[Constraint], files: Sequence[str], written: str) -> Iterator[tuple[Constraint, str]]:
    """Yield the constraints whose rules speak of the files, with whether they were followed or contradicted."""
    from memtui.assist.check import run_check
    from memtui.assist.check_changes import Change, Changes
    from memtui.assist.check_constraints import Constraints
    from memtui.text.guarded_patterns import Matcher

    added = dict(enumerate(written.splitlines(), 1))
    changes = Changes([Change(file, "M", added=added) for file in files])
    report = run_check(Constraints(tuple(known)), changes, matcher=Matcher(seconds=0.2))
    broken = {finding.memory for finding in report.findings if finding.severity != "reminder"}
    unsure = {identifier for identifier, _, _ in report.unchecked}
    for constraint in known:
        spoken = any(rule.form in _JUDGED and any(map(rule.concerns, files)) for _, rule in constraint.rules)
        if constraint.id in broken:
            yield constraint, CONTRADICTED
        elif spoken and constraint.id not in unsure:
            yield constraint, FOLLOWED
