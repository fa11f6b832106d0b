"""What of the chosen memories finds room in an assistant's files, and which of a person's ticks do not go in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import RefusedError
from memtui.pack.budget import Limit, Measure, counter_for
from memtui.pack.build import Included
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import Target
from memtui.text.sanitize import tame
from memtui.text.words import counted, parse_budget, some_of
from memtui.vault.vault import Vault

_MOST_NAMED = 8  # Ticked memories that are named where they do not go in
_TITLE_CELLS = 60


def measure_for(form: Target, options: PackOptions) -> Measure:
    """Return the measure of what is written for an assistant, with the margin of its own tokenizer."""
    counter = counter_for(options.encoding, fast=options.fast)
    return Measure(parse_budget(options.budget), counter, form.limits, form.margin)


def least(members: Iterable[Included]) -> Included:
    """Return what goes first where there is no room for all of them."""
    return min(members, key=lambda one: (one.hit.is_put_in, one.memory.pinned, one.score))


def over(limit: Limit, form: Target) -> Reason:
    """Return the reason of what exceeds a limit of the assistant."""
    return Reason(ReasonCode.OVER_LIMIT, number=limit.amount, unit=limit.unit, target=form.name)


@dataclass(frozen=True, slots=True)
class Unfit:
    """Ticked memories that would not go in: their titles, each with the reason."""

    found: Sequence[tuple[str, Reason]] = ()

    def refusal(self, ticked: int, budget: str) -> RefusedError:
        named = [f"“{tame(title, _TITLE_CELLS)}” ({reason.code.replace('-', ' ')})" for title, reason in self.found]
        verb = "does" if len(named) == 1 else "do"
        return RefusedError(
            f"{len(named):,} of {counted(ticked, 'ticked memory')} {verb} not fit",
            where=some_of(named, _MOST_NAMED),
            remedy=f"Untick them, or others to make room; the budget is {budget}. Nothing was changed.",
        )


def unfit(vault: Vault, ticked: Collection[str], written: Collection[str], why: Mapping[str, Reason]) -> Unfit:
    """Return what a person ticked, is in use and is not written; `why`: reasons by id, no room where there is none."""
    missing = sorted(set(ticked) - set(written))
    if not missing:
        return Unfit()
    with vault.read() as reader:
        memories = reader.get_many(missing)
    no_room = Reason(ReasonCode.OVER_BUDGET)
    active = [memories[one] for one in missing if one in memories and memories[one].status == "active"]
    return Unfit([(one.title or one.insight, why.get(one.id, no_room)) for one in active])
