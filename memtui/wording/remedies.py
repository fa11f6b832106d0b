"""What brings a withheld memory into a payload, as options of `memtui context` or commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtui.curate.explain_payload import Explained
from memtui.domain.memory import Memory
from memtui.domain.reasons import ReasonCode
from memtui.text.words import Budget

SHORT_RULE = 200  # Characters of a constraint without files up to which pinning it, for every payload, is proposed


def remedies(found: Explained, budget: Budget) -> tuple[str, ...]:
    """Return what would bring a withheld memory in, the least first, as options of `memtui context` or commands."""
    if found.included is not None:
        return ()
    own = _REMEDIES.get(found.reason.code)
    known = {"id": found.memory.id, "project": found.memory.project, "other": found.reason.other}
    if callable(own):
        first = own(found, budget)
    else:
        first = () if own is None or ("{other}" in own and not found.reason.title) else (own.format(**known),)
    return (*first, f"--with {found.memory.id}")


def _larger_budget(found: Explained, budget: Budget) -> tuple[str, ...]:
    if not found.reason.over:
        return ("a larger --budget",)
    unit = "" if budget.unit == "tokens" else budget.unit
    return (f"--budget {budget.amount + found.reason.over}{unit} or more",)


def _nearer_task(found: Explained, _: Budget) -> tuple[str, ...]:
    files = [anchor.path for anchor in found.memory.anchors if not anchor.is_glob][:1]
    return (
        "a task that says more of what it is about",
        *(f"--file {path}" for path in files),
        *_in_every_payload(found.memory),
    )


def _in_every_payload(memory: Memory) -> tuple[str, ...]:
    """Return the command for a short rule for all work: no task needs it more than another."""
    is_general = memory.kind == "constraint" and not memory.anchors and len(memory.insight) <= SHORT_RULE
    return (f"memtui pin {memory.id}",) if is_general else ()


_REMEDIES: Mapping[ReasonCode, str | Callable[[Explained, Budget], tuple[str, ...]]] = {
    ReasonCode.BELOW_FLOOR: _nearer_task,
    ReasonCode.UNRELATED: _nearer_task,
    ReasonCode.OVER_BUDGET: _larger_budget,
    ReasonCode.OVER_LIMIT: "another --target",
    ReasonCode.TOO_MANY: "a larger --max",
    ReasonCode.TOO_FAR: _nearer_task,
    ReasonCode.SECRET: "--secrets mask",
    ReasonCode.PLANTED: "memtui verify {id}",
    ReasonCode.ALREADY_LOADED: "--with-loaded",
    ReasonCode.LOADED_THERE: "--with-loaded",
    ReasonCode.LEFT_OUT: "drop --without {id}",
    ReasonCode.OUT_OF_SCOPE: "--phase or --file to match where it applies",
    ReasonCode.UNCONFIRMED: "memtui inbox accept {id}",
    ReasonCode.UNASSIGNED: "memtui edit {id} --move-to PROJECT",
    ReasonCode.OTHER_PROJECT: "--project {project}",
    ReasonCode.RETIRED: "memtui restore {id}",
    ReasonCode.MERGED: "memtui unmerge {other}",
    ReasonCode.DUPLICATE: "--without {other}",
    ReasonCode.NEEDS_ANOTHER: "--with {other}",
    ReasonCode.CONTRADICTED: "memtui settle {id} {other}",
    ReasonCode.EXPIRED: "--as-of DATE",
    ReasonCode.NOT_YET_VALID: "--as-of DATE",
}
"""What brings a memory in; putting it in by hand works in any case."""
