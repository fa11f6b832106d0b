"""The Publish screen's reads and writes, rows and texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.capture.hand_edits import take_edit
from memtui.capture.loaded import paid_twice
from memtui.capture.loads import assistant_names
from memtui.curate.packs import text_changes
from memtui.curate.publishing import (
    Choosable,
    PlaceState,
    choosable,
    file_changes,
    is_picked,
    place_states,
    selection_of,
)
from memtui.pack.options import PackOptions
from memtui.publish.apply import Cut, cut, plan_cuts, publish
from memtui.publish.edits import finish_unfinished
from memtui.publish.plan import (
    FilePlan,
    Plan,
    Publisher,
    Selection,
    plan_publication,
    plan_removal,
    standing_publications,
)
from memtui.text.sanitize import tame
from memtui.text.words import counted, some_of
from memtui.tui.screens.dialogs import line_blocks
from memtui.tui.styled_text import Block
from memtui.tui.values import Done, Signature
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.row_list import TextRow
from memtui.vault.publications import Publication
from memtui.wording.publishing import (
    STATES,
    file_words,
    left_out_words,
    note_words,
    plan_words,
    shown_path,
    size_words,
    twice_words,
)


@dataclass(frozen=True, slots=True)
class Removal:
    """A file that was only read and still states what was retired; its lines go only where a person chose that."""

    cut: Cut
    is_chosen: bool = False


Row = PlaceState | Removal
"""A place, or a file that still states what was retired."""


@dataclass(frozen=True, slots=True)
class PublishRead:
    """Every place of this repository, and who pays twice."""

    rows: tuple[PlaceState, ...]
    cuts: tuple[Cut, ...]  # files that still say what was retired
    twice: Mapping[str, tuple[str, ...]]
    root: Path
    project: str | None
    signature: Signature


class Publications:
    """What the screen reads and changes."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self.chosen: dict[str, Selection] = {}  # What was chosen here and is not published yet, by target
        # What was chosen and is published, by target, with what was published before: an undo brings both back
        self._written: dict[str, tuple[Selection, tuple[Publication, ...]]] = {}

    def read(self) -> PublishRead:
        """Return what publishing anew would change, place by place."""
        access, signature = self._access, self._access.signature()
        publisher = self._publisher()
        self._choose_again(publisher)
        rows = place_states(publisher, access.opening.threshold, self.chosen)
        if self._choose_again(publisher):  # an undo came between
            rows = place_states(publisher, access.opening.threshold, self.chosen)
        twice = paid_twice(access.opening.folder, Path.home(), assistant_names())
        cuts = plan_cuts(access.read_vault, publisher.root, scope=publisher.scope)
        return PublishRead(tuple(rows), tuple(cuts), twice, publisher.root, publisher.project, signature)

    def _choose_again(self, publisher: Publisher) -> bool:
        """Choose what was chosen before a publication that was undone; returns whether there is any."""
        written = list(self._written.items())
        known = standing_publications(publisher.vault, publisher.root) if written else {}
        undone = [(block, selection) for block, (selection, before) in written if tuple(known.get(block, ())) == before]
        for block, selection in undone:
            self.chosen.setdefault(block, selection)
            self._written.pop(block, None)
        return bool(undone)

    def _publisher(self) -> Publisher:
        access, opening = self._access, self._access.opening
        with access.read_vault.read() as reader:
            view = access.view_of(reader)
        return Publisher(
            vault=access.vault,
            project=view.project,
            scope=view.payload_scope,
            root=view.root,
            options=PackOptions.of(opening.context, opening.secret_patterns),
            settings=opening.recall,
            targets=opening.targets,
            meaning=opening.meaning,
        )

    def write(self, row: PlaceState, *, force: bool = False) -> Done:
        """Publish to a place, with what it was published with."""
        publisher = self._publisher()
        selection = row.plan.selection if row.plan is not None else None
        if row.block not in self.chosen:
            selection = selection_of(publisher, row.recorded, self._access.opening.threshold)
        done = self._apply(plan_publication(publisher, row.place.target, selection, force=force), "publish")
        picked = self.chosen.pop(row.block, None)  # it is recorded now
        if picked is not None:
            self._written[row.block] = picked, row.recorded
        return done

    def choosable(self, row: PlaceState) -> list[Choosable]:
        """Return what may go in to a place."""
        return choosable(self._publisher(), row, self._access.opening.threshold)

    def withdraw(self, row: Cut) -> Done:
        """Take what was retired out of a file."""
        opening = self._access.opening
        opening.before_change()
        cut(self._access.vault, [row], actor=opening.actor.name)
        return Done(f"{counted(len(row.pieces), 'retired memory')} removed from {row.path.name}; u undoes it")

    def take_out(self, row: PlaceState, *, force: bool = False) -> Done:
        """Take a place's blocks out of its files; `force`: with what was written into them by hand."""
        done = self._apply(plan_removal(self._publisher(), row.place.target, force=force), "unpublish")
        self.chosen.pop(row.block, None)
        self._written.pop(row.block, None)
        return done

    def block_words(self, row: PlaceState) -> str:
        """Return what stands in a place's files now: `28 memories in AGENTS.md`."""
        number = len({identifier for one in row.recorded for identifier in one.memory_ids})
        names = some_of([Path(one.path).name for one in row.recorded], 2)
        return f"{counted(number, 'memory')} in {tame(names, 80)}"

    def take_edit(self, row: PlaceState) -> Done:
        """Take what was written into a place's blocks by hand into the inbox, and publish over it."""
        opening = self._access.opening
        taken = 0
        opening.before_change()
        for file in row.plan.files if row.plan is not None else ():
            if file.state == "edited":
                found = take_edit(
                    self._access.vault,
                    file.path,
                    file.target,
                    file.written,
                    file.on_disk,
                    project=self._publisher().project,
                    actor=opening.actor,
                    secret_patterns=opening.secret_patterns,
                )
                taken += len(found)
        done = self.write(row, force=True)
        return Done(f"{counted(taken, 'memory')} into the inbox. {done.message}")

    def _apply(self, plan: Plan, action: str) -> Done:
        opening = self._access.opening
        opening.before_change()
        finish_unfinished(self._access.vault)
        changed = publish(self._access.vault, [plan], actor=opening.actor.name, action=action)
        if not changed:
            return Done(f"Nothing to change for {plan.place.label}", changed=False)
        root = self._publisher().root
        names = ", ".join(shown_path(file.path, root) for file in changed)
        return Done(f"{'Published to' if action == 'publish' else 'Removed from'} {names}; u undoes it")


# -- the list -----------------------------------------------------------------------------------------


def publish_lines(read: PublishRead, chosen: Collection[Path]) -> list[Row | TextRow]:
    """Return the rows under headings: all places, and files that still say what was retired.

    A place keeps its row whatever is done with it, so that the cursor does not wander.
    `chosen`: the files whose lines a person wants removed.
    """
    lines: list[Row | TextRow] = []
    parts: tuple[tuple[str, Sequence[Row]], ...] = (
        ("Assistants", read.rows),
        ("Your files still state what was retired", [Removal(one, one.path in chosen) for one in read.cuts]),
    )
    if not read.cuts:
        return list(read.rows)
    for heading, part in parts:
        lines += [TextRow(heading, count=str(len(part))), *part] if part else []
    return lines


def key_of(row: Row) -> str:
    """Return what identifies a row."""
    return str(row.cut.path) if isinstance(row, Removal) else row.place.target


def publish_cells(row: Row, width: int) -> list[Cell]:
    """Return a place: how it stands, and the assistant; or a file and how many of its memories were retired."""
    if isinstance(row, Removal):
        number = f"{len(row.cut.pieces)} retired"
        name = row.cut.path.relative_to(row.cut.base).as_posix()
        mark, tone = ("✓", "good") if row.is_chosen else ("·", "dim")
        return [Cell(mark, tone, 2), Cell(tame(name), "base"), Cell(number, "dim", 17, since=34, before=1)]
    mark, tone, words = _standing(row)
    return [
        Cell(mark, tone, 2),
        Cell(row.place.label, "base"),
        Cell(_files(row), "dim", min(34, width // 2), since=54, before=1, snug=True, is_path=True),
        Cell(words, tone, 17, since=34, before=1, snug=True),
    ]


def _files(row: PlaceState) -> str:
    """Return the first file that is written for a place, and how many there are besides."""
    paths = [file.path.relative_to(file.base).as_posix() for file in row.plan.files if file.text] if row.plan else []
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    return f"{paths[0]}{more}" if paths else row.place.path


def _standing(row: PlaceState) -> tuple[str, str, str]:
    state = "refused" if row.plan is None else row.plan.state
    if state in {"edited", "refused"}:
        return "!", "warning", STATES[state]
    if not row.is_published:
        return " ", "dim", ""
    return ("●", "good", STATES[state]) if state == "current" else ("!", "warning", STATES[state])


# -- one place ----------------------------------------------------------------------------------------


def row_blocks(row: Row, read: PublishRead) -> list[Block]:
    """Return everything about a row."""
    return _cut_blocks(row) if isinstance(row, Removal) else _place_blocks(row, read)


_CHOSEN = "p removes these lines from the file, and u undoes that; space keeps them"
_KEPT = "memtui only read this file, so the lines stay; space chooses them for removal"


def _cut_blocks(row: Removal) -> list[Block]:
    """Return the lines that would go from a file, and the memories that they say."""
    cut = row.cut
    blocks = [Block(((tame(cut.path.relative_to(cut.base).as_posix(), 300), "title"),))]
    blocks.append(Block(((_CHOSEN if row.is_chosen else _KEPT, "dim"),)))
    blocks += [
        Block(((f"line {piece.lines[0]}  ", "dim"), (tame(piece.memory.title, 200), "text"))) for piece in cut.pieces
    ]
    return [*blocks, Block((("", "text"),)), *line_blocks(text_changes(_text(cut.before), _text(cut.after)))]


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


_USUAL = (
    "chosen automatically: pinned memories first, then constraints, prohibitions first, then what says most for its"
    " length; space changes the selection"
)
_PICKED = "selected by you; space changes it"


def _place_blocks(row: PlaceState, read: PublishRead) -> list[Block]:
    """Return everything about a place: what it costs, what would change, and why it cannot."""
    blocks = [Block(((row.place.label, "title"),))]
    if row.plan is None:
        return [*blocks, Block(((tame(str(row.problem), 500), "warning"),), gap=True)]
    plan = row.plan
    counts = size_words(plan)
    blocks.append(Block(((f"{plan_words(plan)} · {counts}", "dim"),)))
    if left_out := left_out_words(plan):
        blocks.append(Block(((left_out, "dim"),)))
    chosen = plan.selection.recipe or plan.selection.query
    if chosen and not is_picked(plan.selection.query):
        blocks.append(Block((("chosen by ", "label"), (tame(chosen, 200), "text"))))
    elif plan.files:
        blocks.append(Block(((_PICKED if chosen else _USUAL, "dim"),)))
    here = {shown_path(file.path, read.root) for file in plan.files}
    for label, paths in read.twice.items():
        if not here.isdisjoint(paths):
            blocks.append(Block(((twice_words(label, paths), "warning"),)))
    if not plan.files:
        blocks.append(Block((("The payload is empty, so there is nothing to publish.", "text"),), gap=True))
    for file in plan.files:
        blocks += _file_blocks(file, read.root)
    return blocks


def _file_blocks(file: FilePlan, root: Path) -> Iterator[Block]:
    path = shown_path(file.path, root)
    fate = "new" if file.before is None else "changed" if file.is_change else STATES[file.state]
    yield Block(((tame(path, 300), "path"), (f"  {'' if file.problem else fate}", "dim")), gap=True)
    for note, about in file.notes:
        yield Block(((tame(note_words(note, about, path), 300), "warning"),))
    if file.state == "edited":
        yield Block(
            (("edited by hand: t sends the edit to the inbox, f overwrites it, x removes the block", "warning"),)
        )
        yield from _changes("by hand, since it was published", file.written, file.on_disk)
        yield from _changes("by memtui, since it was published", file.written, file.head + file.text)
    elif file.problem is not None:
        yield Block(((tame(file_words(file, root), 500), "warning"),))
    elif file.is_change:
        yield from line_blocks(file_changes(file))
    else:
        yield from line_blocks(file.on_disk.splitlines())


def _changes(what: str, before: str, after: str) -> Iterator[Block]:
    if before != after:
        yield Block(((what, "label"),), gap=True)
        yield from line_blocks(text_changes(before, after))
