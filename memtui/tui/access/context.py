"""The Context screen's work on the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, UsageError
from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.wording import tame
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.curate.projects import View
    from memtui.pack.packing import Pack
    from memtui.recall.task import Task

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for the lease; the next key or the next poll asks again."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person asks a payload for.

    Attributes:
        text: the task.
        files: as typed.
        budget: as typed.
        phase: None to guess it.
        without: ids left out by hand.
        with_ids: ids put in by hand.
    """

    text: str
    files: tuple[str, ...]
    target: str
    budget: str
    phase: str | None
    without: frozenset[str] = frozenset()
    with_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """The pack for an ask, with the task as it was understood.

    Attributes:
        place: what is in view, in words.
    """

    ask: Ask
    task: Task
    pack: Pack
    project: str | None
    place: str


class FilesError(UsageError):
    """A file in hand is none; told beside the line of files."""


class ContextAccess:
    """Payloads, the files that may be named, and what is done with a payload.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        patience = min(READ_PATIENCE_SECONDS, opening.vault.patience_seconds)
        self._reading = Vault(
            opening.vault.path, kinds=opening.vault.kinds, now=opening.vault.now, patience_seconds=patience
        )
        # Replaced as a whole, so that threads need no lock.
        self._known_view: tuple[tuple[int, int], View | None] = ((-1, -1), None)

    def answer(self, ask: Ask) -> Answer:
        """Return the pack for an ask: the very bytes that `memtui context` prints for it.

        Raises:
            FilesError: a file neither exists nor is known to any memory.
            UsageError: the budget, the target or the phase is none.
        """
        from memtui.curate.projects import check_named_files, narrow_to_files
        from memtui.pack.packing import context
        from memtui.pack.targets.registry import target_named
        from memtui.recall.phase import check_phase
        from memtui.recall.task import Task

        opening, view = self._opening, self._view()
        try:
            files = check_named_files(self._reading, view, ask.files, folder=opening.folder)
        except UsageError as error:
            raise FilesError(error.what, where=error.where, remedy=error.remedy) from error
        view = narrow_to_files(self._reading, view, files)
        task = Task(text=ask.text, files=tuple(files), phase=check_phase(ask.phase) if ask.phase else None)
        pack = context(
            self._reading,
            task,
            view.payload_scope,
            project=view.project,
            target=target_named(ask.target, opening.targets),
            budget=ask.budget,
            encoding=opening.context.encoding,
            max_memories=opening.context.max_memories,
            settings=opening.recall,
            now=self._vault.now(),
            tree=view.tree,
            without=ask.without,
            with_ids=ask.with_ids,
            withhold_loaded=opening.context.withhold_loaded,
            secret_patterns=opening.secret_patterns,
            meaning=opening.meaning,
        )
        place = view.project or ("all projects" if view.shows_all else "no project, global alone")
        return Answer(ask, task, pack, view.project, place)

    def known_files(self) -> list[str]:
        """Return the names that complete the line of files."""
        from memtui.curate.files import nameable_files
        from memtui.vault.filters import MemoryFilter

        view = self._view()
        with self._reading.read() as reader:
            anchors = [path for _, path in reader.anchored(MemoryFilter(scope=view.scope))]
        stands_here = view.stands_in or (not view.named and view.workspace.is_repository)
        return nameable_files(view.root if stands_here else None, anchors)

    def _view(self) -> View:
        """Return what is in view, as the command line finds it; asked anew once the vault's file changed."""
        from memtui.curate.projects import view_of

        stamp = self._stamp()
        known, view = self._known_view
        if view is None or known != stamp:
            with self._reading.read() as reader:
                view = view_of(reader, self._opening.folder, self._opening.project)
            self._known_view = stamp, view
        return view

    def _stamp(self) -> tuple[int, int]:
        try:
            state = self._vault.path.stat()
        except OSError:
            return 0, 0
        return state.st_size, state.st_mtime_ns

    def copy(self, answer: Answer, send_escape: Callable[[str], bool]) -> Done:
        """Copy a payload and record the pack; the words are those of the route that carried it."""
        from memtui.pack.clipboard import copy
        from memtui.pack.recording import record_pack

        result = copy(answer.pack.payload, send_escape=send_escape)
        if result.route == "none":
            return Done(result.message, changed=False)
        try:
            self._opening.before_change()
            identifier = record_pack(
                self._vault,
                answer.pack,
                answer.task,
                actor=self._opening.actor.name,
                project=answer.project,
                signal="copied",
            )
        except MemtuiError as error:
            return Done(f"{result.message}. It was not recorded as a pack: {error}", changed=False)
        return Done(f"{result.message}. Recorded as pack {identifier}")

    def write(self, answer: Answer, named: str, *, overwrite: bool) -> Path:
        """Write a payload to a file and return where.

        Raises:
            RefusedError: there is one already and it was not said that it may be replaced.
        """
        from memtui.publish.payload_file import write_payload

        return write_payload(answer.pack.payload, named, folder=self._opening.folder, overwrite=overwrite)


def written_words(answer: Answer, path: Path) -> str:
    """Return what was written where."""
    size = len(answer.pack.payload.encode("utf-8", "replace"))
    return f"Wrote {size:,} bytes to {tame(str(path))}"
