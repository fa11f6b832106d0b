"""Why a memory is not in a payload, in words, and what would bring it in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from memtui.domain.memory import Memory
from memtui.pack import already_loaded, by_hand
from memtui.pack.admitting import SECRET
from memtui.pack.detail import TOO_FAR
from memtui.pack.packing import Included, Pack
from memtui.recall import holding, withholding
from memtui.recall.explain import explanation_record
from memtui.recall.result import BELOW_FLOOR, Withheld
from memtui.recall.withholding import Reason
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

SHOWN_TITLE = 60
"""Characters shown of the title of another memory that a reason names."""

NOT_NEAR = Reason("nothing ties it to the task", BELOW_FLOOR)
"""Why a memory that nothing else speaks against is not even named among the withheld."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A memory and its place in a payload, or why it has none.

    Attributes:
        memory: as it is stored.
        reason: in words, with titles beside ids and by how much.
        remedies: what would bring it in, the least first, as options of `memtui context` or commands.
        included: as it went in, None where it did not.
    """

    memory: Memory
    reason: str
    remedies: tuple[str, ...] = ()
    included: Included | None = None


def explain_withheld(vault: Vault, pack: Pack) -> list[Explained]:
    """Return each named withheld memory of a pack with its reason and remedies, in the order of the pack."""
    known = _Known.of(vault, pack.withheld)
    return [_explained(one, pack, known) for one in pack.withheld if one.id in known.memories]


def explain_one(vault: Vault, pack: Pack, identifier: str, scope: Scope) -> Explained:
    """Return why one memory is in a payload or not, also where the pack does not name it.

    Args:
        vault: the vault.
        pack: the payload.
        identifier: its id, or the beginning.
        scope: the projects that the payload was made for.

    Raises:
        NotFoundError, AmbiguousIdError: the id is none, or the beginning of several.
    """
    with vault.read() as reader:
        memory = reader.get(reader.resolve(identifier))
    inside = next((one for one in pack.included if one.memory.id == memory.id), None)
    if inside is not None:
        return Explained(memory, inside.reason, included=inside)
    named = next((one for one in pack.withheld if one.id == memory.id), None)
    if named is None:
        barred = withholding.ineligible(memory, scope, vault.now(), None)
        named = (barred or NOT_NEAR).of(memory, 0.0)
    return _explained(named, pack, _Known.of(vault, [named]))


def explained_record(found: Explained) -> dict[str, Any]:
    """Return it for `--json`."""
    inside = found.included
    return {
        "id": found.memory.id,
        "title": found.memory.title,
        "included": inside is not None,
        "reason": found.reason,
        "remedies": list(found.remedies),
        "tokens": inside.tokens if inside else None,
        "explain": explanation_record(inside.hit) if inside else None,
    }


@dataclass(frozen=True, slots=True)
class _Known:
    """Withheld memories and those that stand against them, by id, and which one stands against which."""

    memories: Mapping[str, Memory]
    others: Mapping[str, str]

    @classmethod
    def of(cls, vault: Vault, withheld: Sequence[Withheld]) -> Self:
        """Read what the reasons name, and what replaced those whose reason does not say it."""
        others = {one.id: found["id"] for one in withheld if (found := _NAMES.match(one.reason))}
        bare = [one.id for one in withheld if one.reason in _REPLACED]
        with vault.read() as reader:
            for link in reader.links(bare) if bare else ():
                if link.type == "supersedes" and link.to_id in bare:
                    others[link.to_id] = link.from_id
            return cls(reader.get_many({*(one.id for one in withheld), *others.values()}), others)


def _explained(one: Withheld, pack: Pack, known: _Known) -> Explained:
    memory, other = known.memories[one.id], known.memories.get(known.others.get(one.id, ""))
    reason = one.reason
    if other is not None:
        if reason in _REPLACED:
            reason = f"{_REPLACED[reason]} {other.id}"
        reason = reason.replace(other.id, f"{other.id} “{other.title[:SHOWN_TITLE]}”", 1)
    if one.group == "retired" and memory.status_reason:
        reason += f": {memory.status_reason}"
    if one.group == withholding.OTHER_PROJECT:
        reason += f": {memory.project}"
    if one.detail:
        reason += f" ({one.detail})" if one.group == BELOW_FLOOR else f" {one.detail}"
    own = _OWN.get(one.group, _by_words)
    return Explained(memory, reason, (*own(memory, one, pack, other), f"--with {memory.id}"))


_REPLACED = {"superseded": "superseded by", "merged": "merged into"}
"""Reasons of what was replaced by a memory that the recall did not come across, and how they go on."""

_NAMES = re.compile(r"(?:superseded by|merged into|contradicts|duplicate of) (?P<id>\S+)")

Remedy = Callable[[Memory, Withheld, Pack, Memory | None], tuple[str, ...]]


def _always(*words: str) -> Remedy:
    return lambda *_: words


def _command(form: str) -> Remedy:
    return lambda memory, *_: (form.format(id=memory.id, project=memory.project),)


def _with_other(form: str) -> Remedy:
    return lambda memory, _one, _pack, other: (form.format(id=memory.id, other=other.id),) if other else ()


def _by_words(_memory: Memory, one: Withheld, pack: Pack, _other: Memory | None) -> tuple[str, ...]:
    """Return the remedies of a reason that is known by its words: the budget, a limit of the target, a number."""
    if one.reason.startswith("over budget"):
        over = int("".join(character for character in one.detail if character.isdigit()) or 0)
        size = f"{pack.budget.amount + over}" + ("" if pack.budget.unit == "tokens" else pack.budget.unit)
        return (f"--budget {size} or more",) if over else ("a larger --budget",)
    if one.reason.startswith("over the limit"):
        return ("another --target",)
    return ("a larger --max",) if one.reason.startswith("beyond the limit") else ()


def _near(memory: Memory, _one: Withheld, _pack: Pack, _other: Memory | None) -> tuple[str, ...]:
    files = [anchor.path for anchor in memory.anchors if not anchor.is_glob][:1]
    return ("a task in its words", *(f"--file {path}" for path in files))


_OWN: Mapping[str, Remedy] = {
    BELOW_FLOOR: _near,
    TOO_FAR.group: _always("--style full"),
    SECRET: _always("--secrets mask"),
    already_loaded.GROUP: _always("--with-loaded"),
    by_hand.LEFT_OUT.group: _command("without --without {id}"),
    holding.GROUP: _always("the phase or a file that it holds for: --phase, --file"),
    withholding.UNCONFIRMED: _command("memtui inbox accept {id}"),
    withholding.UNASSIGNED: _command("memtui edit {id} --move-to PROJECT"),
    withholding.OTHER_PROJECT: _command("--project {project}"),
    "retired": _command("memtui restore {id}"),
    "merged": _with_other("memtui unmerge {other}"),
    "duplicate": _with_other("--without {other}"),
    "contradicts another": _with_other("memtui settle {id} {other}"),
    "expired": _always("--as-of DATE"),
    "not valid yet": _always("--as-of DATE"),
}
"""What brings a memory in, by the group of its reason; putting it in by hand goes in any case."""
