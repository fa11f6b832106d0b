"""What the Decay lab asks the vault and tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.domain.kinds import split_project
from memtui.tui.access import Done, Signature, VaultAccess
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.curate.decay import Effect, Knobs, Snapshot
    from memtui.curate.decay_payloads import Members, PayloadChange, Payloads


@dataclass(frozen=True, slots=True)
class LabRead:
    """The vault as the lab reckons with it.

    Attributes:
        signature: what the file system said of the vault before it was read.
        project: the project in view.
        titles: of the memories in use, as the screen shows them, by id.
        payloads: makes the recipes' payloads.
    """

    snapshot: Snapshot
    signature: Signature
    project: str | None
    titles: Mapping[str, str]
    payloads: Payloads


class LabAccess(VaultAccess):
    """The vault as the Decay lab sees it."""

    def read(self) -> LabRead:
        """Read everything that effects are reckoned on."""
        from memtui.curate.decay import take_snapshot
        from memtui.curate.decay_payloads import PayloadOptions, Payloads

        opening, signature = self._opening, self.signature()
        with self._reading.read() as reader:
            view = self._view_of(reader)
        snapshot = take_snapshot(self._reading, view.scope, threshold=opening.threshold)
        options = PayloadOptions(
            view=view,
            context=opening.context,
            recall=opening.recall,
            secret_patterns=opening.secret_patterns,
            targets=opening.targets,
            meaning=opening.meaning,
        )
        titles = {memory.id: tame(memory.title, 120) for memory in snapshot.memories}
        return LabRead(snapshot, signature, view.project, titles, Payloads(self._reading, options))

    def effect(self, read: LabRead, knobs: Knobs) -> Effect:
        """Return what the review queue would become; the vault is not touched."""
        from memtui.curate.decay import effect

        return effect(read.snapshot, knobs)

    def members(self, read: LabRead, knobs: Knobs, is_wanted: Callable[[], bool]) -> Members | None:
        """Return who would be in the payloads of the recipes, None once nobody wants to know any more."""
        kinds = knobs.kinds(read.snapshot.in_force)
        return read.payloads.members(kinds, memory=knobs.memory, is_wanted=is_wanted)

    def changes(self, before: Members, after: Members) -> list[PayloadChange]:
        """Return the recipes whose payload would change."""
        from memtui.curate.decay_payloads import payload_changes

        return payload_changes(before, after)

    def apply(self, read: LabRead, knobs: Knobs) -> Done:
        """Apply half-lives as one change; one that would hold anyhow is taken out of the vault."""
        from memtui.curate.decay import apply

        self._opening.before_change()
        in_force = read.snapshot.in_force
        half_lives: dict[str, float | None] = {}
        for name, days in knobs.half_lives.items():
            kind, project = split_project(name)
            usual = in_force.without_stored() if project is None else in_force
            half_lives[name] = None if days == usual.get(kind).half_life_days else days
        said = apply(self._vault, half_lives, memory=knobs.memory, actor=self._opening.actor)
        return Done(f"Applied: {tame(said)}; u undoes it")
