"""Undo and redo: each takes one change back, or makes it again, and keeps what others wrote since.

A change is applied to the vault as it stands now, as a three-way merge: what the change says was there before it, what
it made, and what is there now. Where both touched the same words nothing is written and both texts are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from memtui.domain.combine import LINE_TEXTS, merge_field
from memtui.domain.memory import Change, Link, Signal, Tombstone, Verdict
from memtui.domain.record import Record, memory_from_record, memory_record
from memtui.errors import BuiltUponError, NotFoundError, NothingToUndoError, RefusedError
from memtui.text.sanitize import one_line
from memtui.vault.journal import (
    Step,
    change_at,
    is_undoable,
    last_noted,
    last_redoable,
    last_undoable,
    reversed_by,
    steps_of,
    thing_from_record,
)
from memtui.vault.packs import RECIPE, set_recipe
from memtui.vault.passed_files import PASSED_FILE, offer_again, pass_files, passed_file_from_record
from memtui.vault.projects import IDENTITY, drop_unused, set_identity
from memtui.vault.publications import BLOCK, CUT, PUBLICATION, publication_from_record, set_publication
from memtui.vault.reader import VaultReader
from memtui.vault.rows import CHANGE, HALF_LIFE, SYNC
from memtui.vault.writer import VaultWriter

_STATED_BY_BOTH = frozenset(
    {"title", "kind", "project", "status", "importance", "confidence", "pinned", "half_life_days"}
    | {"valid_from", "valid_until", *LINE_TEXTS}
)
"""Fields that cannot be merged where both sides set them; of the others, moments and sources, the later one stays.

A field that a person sets and that is missing here is not undone where somebody set it since, and nobody is told.
"""


def undo(writer: VaultWriter, *, actor: str | None = None, number: int | None = None) -> Change:
    """Undo one change and return it.

    `actor`: whose last change is undone; None for that of anybody. `number`: the change to undo instead of the last.

    Raises:
        NothingToUndoError: no change is left to undo, or this one is undone already.
        NotFoundError: there is no change with this number.
        RefusedError: this change cannot be undone.
        ConflictError: others changed the same words since, or use what the change made.
    """
    change = change_to_undo(writer, actor=actor, number=number)
    _Patch(writer, change, "undo").apply(steps_back(writer, change))
    _close(writer, change, "undone", f"undo: {change.summary}")
    return change


def redo(writer: VaultWriter, *, actor: str | None = None) -> Change:
    """Redo the change that was undone last and return it; `actor` as in `undo`.

    Raises:
        NothingToUndoError: nothing was undone, or a new change came after.
        ConflictError: others changed the same words since.
    """
    change = last_redoable(writer, actor=actor)
    if change is None:
        raise nothing_to_redo()
    _Patch(writer, change, "redo").apply(steps_of(writer, change.number))
    _close(writer, change, "done", f"redo: {change.summary}")
    return change


def steps_back(reader: VaultReader, change: Change) -> list[Step]:
    """Return the steps that take a change back, in their order."""
    return [Step(step.entity, step.key, step.after, step.before) for step in reversed(steps_of(reader, change.number))]


def change_to_undo(reader: VaultReader, *, actor: str | None, number: int | None) -> Change:
    """Return the change that `undo` would revert; arguments and errors as there."""
    change = last_undoable(reader, actor=actor) if number is None else _undoable(reader, number)
    if change is None:
        raise nothing_to_undo(last_undoable(reader))
    return change


def nothing_to_undo(others: Change | None = None) -> NothingToUndoError:
    """Return the error of an undo that finds no change; `others`: the last change of somebody else."""
    if others is None:
        return NothingToUndoError("Nothing to undo", remedy="`memtui log` lists the changes.")
    return NothingToUndoError(
        "You have nothing to undo",
        where=f"the last change, {others.number}, was made by {others.actor}: {others.summary[:60]}",
        remedy=f"`memtui undo {others.number}` undoes it.",
    )


def nothing_to_redo() -> NothingToUndoError:
    """Return the error of a redo that finds no undone change."""
    return NothingToUndoError("Nothing to redo", remedy="A new change after an undo discards what could be redone.")


def seal(writer: VaultWriter) -> None:
    """Let no undo revert this change or an earlier one, e.g. the filling of a demo vault."""
    writer.undoable = False
    writer.connection.execute("UPDATE changes SET undoable = false")
    writer.mark_dirty()


def _undoable(reader: VaultReader, number: int) -> Change:
    change = change_at(reader, number)
    if change is None:
        raise NotFoundError("The journal has no such change", where=str(number), remedy="`memtui log` lists them.")
    if change.state != "done":
        raise NothingToUndoError(
            "This change is already undone", where=f"change {number}", remedy="`memtui redo` redoes it."
        )
    if not is_undoable(reader, number):
        raise RefusedError(
            "This change cannot be undone",
            where=f"change {number}: {change.summary[:60]}",
            remedy=_instead(reader, number),
        )
    return change


def _instead(reader: VaultReader, number: int) -> str:
    """Return what to do in place of undoing an undo, a redo, or what is no change of memories."""
    made = change_at(reader, number)
    if made is not None and made.action == SYNC:
        return "It came from a team: edit what it brought, and the edit travels back."
    other = reversed_by(reader, number)
    if other is None:
        return "The demo's own content and recorded uses stay."
    change = change_at(reader, other)
    verb = "undo" if change is not None and change.state == "done" else "redo"
    return f"It undid or redid change {other}: `memtui {verb}{f' {other}' if verb == 'undo' else ''}` reverses that."


def _close(writer: VaultWriter, change: Change, state: str, summary: str) -> None:
    writer.connection.execute("UPDATE changes SET state = ? WHERE number = ?", [state, change.number])
    writer.note(CHANGE, str(change.number), {"state": change.state}, {"state": state})
    writer.undoable = False
    writer.summary = summary


@dataclass(frozen=True, slots=True)
class _Patch:
    """The steps of one change, to be applied to the vault as it is now."""

    writer: VaultWriter
    change: Change
    verb: str  # `undo` or `redo`

    def apply(self, steps: list[Step]) -> None:
        """Bring every thing from its `before` to its `after`, and keep what else became of it."""
        for setting in _totals(step for step in steps if step.entity in _SETTINGS):
            self._apply_setting(setting)
        memories = _totals(step for step in steps if step.entity == "memory")
        kin = [step for step in steps if step.entity not in {"memory", CHANGE, *_SETTINGS}]
        self._check_ends(kin, {step.key for step in memories if step.after is not None})
        self._apply_kin(kin)
        self._apply_memories(memories)

    def _apply_setting(self, step: Step) -> None:
        now = step.before if step.entity in _UNCHECKED else last_noted(self.writer, step.entity, step.key)
        if _stated(now) not in (_stated(step.before), _stated(step.after)):
            raise self._conflict(step.key, _readable(step.after), _readable(now))
        if _stated(now) != _stated(step.after):
            _SETTINGS[step.entity](self.writer, step)

    def _check_ends(self, steps: list[Step], restored: set[str]) -> None:
        """Raise `ConflictError` where a link, verdict or signal would be added to a memory that is gone since.

        An end that was never there stays away: a file that is imported may hold the link alone. `restored`: the ids
        of memories that this change brings back.
        """
        ends = {end: step for step in steps if step.after is not None for end in _ends_of(step)}
        away = ends.keys() - restored
        away -= self.writer.get_many(away).keys()
        for identifier in sorted(self.writer.ids_in_journal(away) if away else ()):
            step = ends[identifier]
            raise self._conflict(identifier, _readable(step.after), "(not there)", also=step.key)

    def _apply_kin(self, steps: list[Step]) -> None:
        """Add or remove links, verdicts, signals and tombstones in order, but as many at a time as possible."""
        for is_removed, group in groupby(steps, key=lambda step: step.after is None):
            things = [thing_from_record({**step.known, "type": step.entity}) for step in group]
            if is_removed:
                self._drop_present(things)
                continue
            self.writer.add_links([thing for thing in things if isinstance(thing, Link)])
            self.writer.add_verdicts([thing for thing in things if isinstance(thing, Verdict)])
            self.writer.add_signals([thing for thing in things if isinstance(thing, Signal)])
            self.writer.add_tombstones([thing for thing in things if isinstance(thing, Tombstone)])

    def _drop_present(self, things: Iterable[Link | Verdict | Signal | Tombstone]) -> None:
        present = {(link.from_id, link.type, link.to_id) for link in self.writer.links()}
        self.writer.drop(
            thing
            for thing in things
            if not isinstance(thing, Link) or (thing.from_id, thing.type, thing.to_id) in present
        )

    def _apply_memories(self, steps: list[Step]) -> None:
        stored = self.writer.get_many(step.key for step in steps)
        wanted: list[Record] = []
        removed: list[str] = []
        for step in steps:
            now = memory_record(stored[step.key]) if step.key in stored else None
            record = self._merged(step, now)
            if record is not None:
                wanted.append(record)
            elif now is not None:
                removed.append(step.key)
        self._check_unused(removed)
        self.writer.remove(removed)
        self.writer.put_many(
            [memory_from_record(record, now=self.writer.now, new_id=record["id"]) for record in wanted]
        )

    def _merged(self, step: Step, now: Record | None) -> Record | None:
        """Return the memory as it is to be, None if it is to be removed."""
        if now in (step.before, step.after):
            return step.after
        if now is None or step.before is None or step.after is None:
            raise self._conflict(step.key, _readable(step.after), _readable(now))
        merged: Record = {}
        for name in dict.fromkeys([*step.after, *now]):
            value = self._field(name, step, now)
            if value is not None:
                merged[name] = value
        return merged

    def _field(self, name: str, step: Step, now: Record) -> Any:
        base, mine, theirs = ((side or {}).get(name) for side in (step.before, step.after, now))
        value, is_clash = merge_field(name, base=base, mine=mine, theirs=theirs)
        if is_clash and name in _STATED_BY_BOTH:
            raise self._conflict(step.key, _readable(step.after), _readable(now), field=name)
        return value

    def _check_unused(self, removed: list[str]) -> None:
        """Raise `ConflictError` where a memory that would be removed is linked."""
        for link in self.writer.links() if removed else ():
            for identifier in {link.from_id, link.to_id}.intersection(removed):
                text = f"{link.from_id} {link.type} {link.to_id}"
                raise self._conflict(identifier, "(removed)", f"(linked: {text})", also=text)

    def _conflict(self, key: str, mine: str, theirs: str, *, field: str = "", also: str = "") -> BuiltUponError:
        """Return the error for one thing, by its key in the journal; `also`: the key of what hangs on it."""
        later = self.writer.connection.execute(
            "SELECT max(c.number) FROM changes c JOIN revisions r ON r.change_number = c.number"
            " WHERE r.entity_key IN (?, ?) AND c.number > ? AND c.state = 'done' AND c.undoable",
            [key, also or key, self.change.number],
        ).fetchone()
        number = later[0] if later else None
        remedy = f"`memtui undo {number}` takes the later change back first." if number else "See `memtui log`."
        memory = self.writer.get_many([key]).get(key)
        named = f" ({one_line(memory.title)[:60]})" if memory is not None else ""
        error = BuiltUponError(
            f"Cannot {self.verb} change {self.change.number}: what it changed was changed again since",
            where=f"{key}{named}{f', {field}' if field else ''}",
            remedy=f"Nothing was written. {remedy}",
            mine=mine,
            theirs=theirs,
        )
        error.title, error.field, error.later = (memory.title if memory is not None else ""), field, number
        return error


def _totals(steps: Iterable[Step]) -> list[Step]:
    """Return one step for each thing that the steps touch, from its first state to its last."""
    totals: dict[tuple[str, str, object], Step] = {}
    for step in steps:
        # Files of the same path are passed over for each project by itself.
        place = (step.entity, step.key, step.known.get("project") if step.entity == PASSED_FILE else None)
        totals[place] = Step(step.entity, step.key, totals.get(place, step).before, step.after)
    return list(totals.values())


def _ends_of(step: Step) -> tuple[str, ...]:
    """Return the ids of the memories that a link, verdict or signal belongs to; a tombstone outlives its memory."""
    thing = thing_from_record({**step.known, "type": step.entity})
    if isinstance(thing, Link):
        return thing.from_id, thing.to_id
    return () if isinstance(thing, Tombstone) else (thing.memory_id,)


def _stated(record: Record | None) -> Record | None:
    """Return a setting without the mark that its project was made with it: only the first record of it has that."""
    return record and {name: value for name, value in record.items() if name != "made"}


def _readable(record: Record | None) -> str:
    if record is None:
        return "(not there)"
    parts = [str(record[name]) for name in ("title", "insight", "rationale", "snippet") if record.get(name)]
    if len(parts) > 1 and parts[1].removesuffix(".") == parts[0]:
        del parts[0]  # A title that is the text says it once
    return "\n\n".join(parts) or ", ".join(f"{key} {value}" for key, value in record.items())


# -- settings -----------------------------------------------------------------------------------------


def _apply_half_life(writer: VaultWriter, step: Step) -> None:
    writer.set_half_life(step.known["kind"], step.after["half_life_days"] if step.after else None)


def _apply_recipe(writer: VaultWriter, step: Step) -> None:
    set_recipe(writer, step.known["name"], step.after)


def _apply_identity(writer: VaultWriter, step: Step) -> None:
    set_identity(writer, step.known["identity"], step.after)
    if step.before is not None and step.before.get("made"):
        # The project came with the identity that is removed now.
        drop_unused(writer, step.before["project"])


def _apply_passed_file(writer: VaultWriter, step: Step) -> None:
    file = passed_file_from_record(step.known)
    if step.after is None:
        offer_again(writer, file)
    else:
        pass_files(writer, [file])


def _apply_publication(writer: VaultWriter, step: Step) -> None:
    set_publication(writer, step.key, publication_from_record(step.after) if step.after else None)


def _note_again(writer: VaultWriter, step: Step) -> None:
    writer.note(step.entity, step.key, step.before, step.after)


_SETTINGS: Mapping[str, Callable[[VaultWriter, Step], None]] = {
    HALF_LIFE: _apply_half_life,
    RECIPE: _apply_recipe,
    IDENTITY: _apply_identity,
    PASSED_FILE: _apply_passed_file,
    PUBLICATION: _apply_publication,
    BLOCK: _note_again,
    CUT: _note_again,
}

_UNCHECKED = frozenset({PASSED_FILE, BLOCK})
"""Settings of which the journal does not say what they are now; of a block its file does."""
