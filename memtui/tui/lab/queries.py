"""What the Decay lab reads from the vault and writes to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtui.curate.decay import (
    Knobs,
    Members,
    PayloadChange,
    PayloadOptions,
    Payloads,
    Snapshot,
    apply,
    payload_changes,
    take_snapshot,
)
from memtui.domain.kinds import split_project
from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess


@dataclass(frozen=True, slots=True)
class LabRead:
    """The vault as the lab calculates with it.

    Attributes:
        project: the project in view.
        titles: of the active memories, by id.
        payloads: makes the payloads of the recipes.
    """

    snapshot: Snapshot
    project: str | None
    titles: Mapping[str, str]
    payloads: Payloads


@dataclass(frozen=True, slots=True)
class PayloadEffect:
    """What a trial would do to the payloads of the recipes.

    Attributes:
        current: the members of each payload without the trial.
    """

    current: Members
    changes: list[PayloadChange]


def read_lab(access: VaultAccess) -> LabRead:
    """Read everything that effects are calculated from."""
    opening = access.opening
    with access.read_vault.read() as reader:
        view = access.view_of(reader)
    snapshot = take_snapshot(access.read_vault, view.scope, threshold=opening.threshold)
    options = PayloadOptions(
        view=view,
        context=opening.context,
        recall=opening.recall,
        secret_patterns=opening.secret_patterns,
        targets=opening.targets,
        meaning=opening.meaning,
    )
    titles = {memory.id: tame(memory.title, 120) for memory in snapshot.memories}
    return LabRead(snapshot, view.project, titles, Payloads(access.read_vault, options))


def payload_effect(
    read: LabRead, knobs: Knobs, current: Members | None, is_wanted: Callable[[], bool]
) -> PayloadEffect | None:
    """Return what the payloads would become, None once the answer is no longer wanted.

    Args:
        current: the members without the trial, None to find them too.
    """

    def members(tried: Knobs) -> Members | None:
        return read.payloads.members(tried.kinds(read.snapshot.in_force), memory=tried.memory, is_wanted=is_wanted)

    before = current if current is not None else members(Knobs())
    # The review threshold has no part in a payload.
    after = before if knobs == Knobs(threshold=knobs.threshold) else members(knobs)
    return PayloadEffect(before, payload_changes(before, after)) if before is not None and after is not None else None


def apply_trial(access: VaultAccess, read: LabRead, knobs: Knobs) -> Done:
    """Apply half-lives as one change; one that equals its default is deleted from the vault instead of stored."""
    access.opening.before_change()
    in_force = read.snapshot.in_force
    half_lives: dict[str, float | None] = {}
    for name, days in knobs.half_lives.items():
        kind, project = split_project(name)
        default = in_force.without_stored() if project is None else in_force
        half_lives[name] = None if days == default.get(kind).half_life_days else days
    summary = apply(access.vault, half_lives, memory=knobs.memory, actor=access.opening.actor)
    return Done(f"Applied: {tame(summary)}; u undoes it")
