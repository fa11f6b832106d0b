"""Why a memory is not in a payload, and warnings about what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from memtui.analysis.cache import PassCache
from memtui.analysis.contradictions import Contradiction, find_contradictions, linked_contradictions, settled_pairs
from memtui.analysis.snapshot import PAIR_VERDICTS, Gathered, pair_of
from memtui.domain.memory import Memory
from memtui.pack import filters, overrides
from memtui.pack.build import Included, Pack
from memtui.pack.compile import TOO_FAR
from memtui.pack.filters import SECRET
from memtui.pack.overrides import PUT_IN
from memtui.recall import eligibility
from memtui.recall.eligibility import Reason
from memtui.recall.result import BELOW_FLOOR, Withheld, explanation_record
from memtui.text.injection import ordering_line
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
        barred = eligibility.ineligible(memory, scope, vault.now(), None)
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
    if one.group == eligibility.OTHER_PROJECT:
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
    filters.GROUP: _always("--with-loaded"),
    overrides.LEFT_OUT.group: _command("without --without {id}"),
    eligibility.GROUP: _always("the phase or a file that it holds for: --phase, --file"),
    eligibility.UNCONFIRMED: _command("memtui inbox accept {id}"),
    eligibility.UNASSIGNED: _command("memtui edit {id} --move-to PROJECT"),
    eligibility.OTHER_PROJECT: _command("--project {project}"),
    "retired": _command("memtui restore {id}"),
    "merged": _with_other("memtui unmerge {other}"),
    "duplicate": _with_other("--without {other}"),
    "contradicts another": _with_other("memtui settle {id} {other}"),
    "expired": _always("--as-of DATE"),
    "not valid yet": _always("--as-of DATE"),
}
"""What brings a memory in, by the group of its reason; putting it in by hand goes in any case."""


MOST_COMPARED = 60
"""Memories of a payload that are compared with each other: no usual payload holds more, and they take 10 ms."""

CONTRADICTING_SHOWN_TITLE = 50
"""Characters of a title in a warning."""

SHOWN_PAIRS = 3
"""Contradictions that a warning names; the others are a number."""


_READ = PassCache()
"""Readings of texts: while a task is typed the same memories are compared again and again, 6 ms instead of 9 for 37."""

MOST_KEPT = 5_000
"""Texts whose readings are kept."""


@dataclass(frozen=True, slots=True)
class PayloadContradiction:
    """Two memories of one payload that contradict each other, as `memtui tidy` would propose them.

    Attributes:
        contradiction: what clashes, the older memory first.
    """

    contradiction: Contradiction
    titles: tuple[str, str]

    @property
    def words(self) -> str:
        """Both memories with what clashes: `Lock refunds [k3x9abcd] 30 s against Lock key [o6j6sc7w] 60 s`."""
        sides = zip(self.titles, self.contradiction.ids, self.contradiction.words, strict=True)
        return " against ".join(
            f"{title[:CONTRADICTING_SHOWN_TITLE]} [{one}] {word}".rstrip() for title, one, word in sides
        )

    @property
    def record(self) -> dict[str, Any]:
        """It for `context --json`."""
        return {"ids": list(self.contradiction.ids), "type": self.contradiction.type, "why": self.contradiction.why}


def contradictions_in(vault: Vault, pack: Pack) -> tuple[PayloadContradiction, ...]:
    """Return the contradictions among the memories of a payload that no person settled; the vault stays as it is.

    Args:
        vault: asked for links and verdicts, and only where something clashes or was put in by hand.
    """
    # Of what is in the payload although it was replaced, the payload says so itself.
    included = [one for one in pack.included if not one.status][:MOST_COMPARED]
    memories = sorted((one.hit.memory for one in included), key=lambda memory: (memory.created_at, memory.id))
    if len(_READ.clauses) > MOST_KEPT:
        _READ.turn()
        _READ.end()
    # Texts alone decide most payloads, without a look at the vault: that takes 20 ms.
    clashing = find_contradictions(Gathered(memories), cache=_READ)
    put_in = {one.hit.memory.id for one in included if one.reason.startswith(PUT_IN)}
    ids = sorted({*put_in, *(identifier for contradiction in clashing for identifier in contradiction.ids)})
    if not ids:
        return ()
    with vault.read() as reader:
        links = reader.links(ids)
        verdicts = [one for one in reader.verdicts(ids) if one.verdict in PAIR_VERDICTS]
    gathered = Gathered(memories, links, verdicts)
    settled = settled_pairs(gathered)
    titles = {memory.id: memory.title for memory in memories}
    found = {one.ids: one for one in clashing if pair_of(*one.ids) not in settled}
    found |= {one.ids: one for one in linked_contradictions(gathered, cache=_READ)}
    return tuple(
        PayloadContradiction(contradiction, (titles[ids[0]], titles[ids[1]]))
        for ids, contradiction in sorted(found.items())
    )


def contradictions_words(clashes: tuple[PayloadContradiction, ...]) -> str:
    """Return contradictions of a payload in one line with what settles them; empty where there are none."""
    if not clashes:
        return ""
    number = len(clashes)
    named = "; ".join(one.words for one in clashes[:SHOWN_PAIRS])
    more = f"; and {number - SHOWN_PAIRS} more" if number > SHOWN_PAIRS else ""
    settled = "it" if number == 1 else "them"
    return f"{contradictions_count(clashes)} in this payload: {named}{more}; memtui tidy settles {settled}"


def contradictions_count(clashes: tuple[PayloadContradiction, ...]) -> str:
    """Return how many contradictions there are, in words: `2 possible contradictions`."""
    return f"{len(clashes)} possible contradiction{'' if len(clashes) == 1 else 's'}"


def steering_in(pack: Pack) -> Mapping[str, str]:
    """Return why memories of a payload could steer an assistant, by id: of those that nobody lets in by themselves.

    These are what a person put in by hand and what waits in the inbox; an order is told of where the memory is not
    in use, since whoever confirmed one has read it.
    """
    found = {}
    for one in pack.included:
        if one.status or one.reason.startswith(PUT_IN):
            words = _steering(one.hit.memory)
            if words:
                found[one.memory.id] = words
    return found


def _steering(memory: Memory) -> str:
    from memtui.curate.lifecycle import planted_reasons

    planted = planted_reasons(memory)
    if planted:
        return f"looks planted: {planted[0]}"
    text = f"{memory.title}\n{memory.insight}"
    orders = memory.status != "active" and ordering_line(text) is not None
    return "holds orders to an assistant" if orders else ""
