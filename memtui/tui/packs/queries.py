"""The Packs screen's reads and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.errors import UsageError
from memtui.pack.options import choices_words
from memtui.tui.context import rows
from memtui.tui.context.choices import of_kept
from memtui.tui.context.queries import Answer, Ask, PayloadAccess, Since
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import Block, StyleName
from memtui.tui.text_layout import counted, days_between, short_age, tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.curate.packs import Effect, UsedMember, UsedPack, Verdict
    from memtui.pack.build import Pack
    from memtui.vault.packs import StoredPack

WORDS = {"helped": "helped", "hurt": "hurt", "corrected": "corrected", "unused": "not used"}
"""Verdicts as people say them."""

MARKS = {"helped": "+", "hurt": "−", "corrected": "~", "unused": "·"}

EFFECTS_SHOWN = 3
"""Memories whose change of usefulness a toast tells; the rest are counted."""

DIFF_LINES = 400
"""Lines of a difference that the card shows."""

_TITLE = 40


@dataclass(frozen=True, slots=True)
class PackRow:
    """A pack in a line.

    Attributes:
        age: how long ago it was used.
        said: what was said of it, in words; empty where nothing was.
        mark: glyph of what was said, `?` where feedback is awaited.
    """

    id: str
    task: str
    target: str
    age: str
    tokens: int
    memories: int
    said: str
    mark: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A memory of a pack in a line.

    Attributes:
        title: tamed; its id where it is gone.
        state: what became of it since: empty, `v2 → v4`, `retired`, `gone`.
        said: the last word said of it in this pack.
        mark: glyph of that word.
    """

    id: str
    title: str
    kind: str
    version: int
    state: str
    tokens: int
    said: str
    mark: str
    is_there: bool


def pack_row(used: UsedPack, now: datetime) -> PackRow:
    """Return a pack as a line."""
    pack = used.pack
    return PackRow(
        id=pack.id,
        task=task_words(pack.task, pack.files),
        target=tame(pack.target, 30),
        age=short_age(days_between(pack.made_at, now)),
        tokens=pack.tokens,
        memories=len(pack.members),
        said="waits" if used.awaits else said_words(used.said, len(pack.members)),
        mark="?" if used.awaits else _mark(used.said),
    )


def task_words(task: str, files: Sequence[str]) -> str:
    """Return a task in one line: its text, else its files, else that it was the standing payload."""
    return tame(task) or tame(", ".join(files)) or "standing payload"


def said_words(said: Mapping[str, int], memories: int) -> str:
    """Return what was said of a pack: `helped`, `hurt 1 of 5`, `helped 4, hurt 1`."""
    if len(said) == 1:
        verdict, number = next(iter(said.items()))
        return WORDS[verdict] if number >= memories else f"{WORDS[verdict]} {number} of {memories}"
    return ", ".join(f"{WORDS[verdict]} {number}" for verdict, number in said.items())


def _mark(said: Mapping[str, int]) -> str:
    return MARKS[max(said, key=lambda verdict: said[verdict])] if said else " "


def member_row(used: UsedMember) -> MemberRow:
    """Return a memory of a pack as a line."""
    memory, member = used.memory, used.member
    last = used.said[-1][0] if used.said else ""
    return MemberRow(
        id=member.memory_id,
        title=(tame(memory.title) or tame(memory.insight)) if memory else tame(member.memory_id, _TITLE),
        kind=tame(memory.kind, 30) if memory else "",
        version=member.version,
        state=_state(used),
        tokens=member.tokens,
        said=WORDS[last] if last else "",
        mark=MARKS[last] if last else " ",
        is_there=memory is not None,
    )


def _state(used: UsedMember) -> str:
    if used.memory is None:
        return "gone"
    if used.memory.status != "active":
        return used.memory.status
    return f"v{used.member.version} → v{used.memory.version}" if used.has_changed else f"v{used.member.version}"


def head_lines(used: UsedPack, members: Sequence[UsedMember]) -> list[str]:
    """Return what stands over the memories of a pack: its size and budget, when and by whom, what became of them."""
    pack = used.pack
    changed, gone = sum(one.has_changed for one in members), sum(one.memory is None for one in members)
    became = [f"{changed} changed since"] if changed else []
    became += [f"{gone} gone"] if gone else []
    size = f"{pack.tokens:,} tokens of {_budget(pack.budget)} ({tame(pack.encoding, 20)}) for {tame(pack.target, 30)}"
    return [
        " · ".join(filter(None, (size, tame(choices_words(pack.options), 60)))),
        f"{pack.made_at:%Y-%m-%d %H:%M} UTC · {tame(pack.actor, 30)} · {tame(pack.project or 'every project', 30)}",
        " · ".join([counted(len(members), "memory", "memories"), *became]),
    ]


def _budget(budget: str) -> str:
    """Return a stored budget; it names its unit itself unless it is tokens."""
    return tame(budget, 30).removesuffix(" tokens")


def told(used: UsedPack, verdicts: Sequence[Verdict]) -> list[Block]:
    """Return all that is known of a pack."""
    pack = used.pack
    blocks = [
        Block(((task_words(pack.task, ()) if pack.task.strip() else "standing payload", "title"),)),
        *(Block(((line, "dim"),)) for line in head_lines(used, ())[:2]),
        Block(((f"pack {pack.id} · payload {pack.payload_hash}", "dim"),)),
        *(Block(((tame(path), "path"),), label="File") for path in pack.files),
    ]
    if not verdicts:
        blocks.append(Block((("Nothing was said of it yet.", "dim"),), gap=True))
    for place, one in enumerate(verdicts):
        words = f"{WORDS[one.verdict]}, {counted(one.memories, 'memory', 'memories')}"
        when = f"  {one.at:%Y-%m-%d %H:%M} · {tame(one.actor, 30)}"
        blocks.append(Block(((words, "good" if one.verdict == "helped" else "warning"), (when, "dim")), gap=place == 0))
        if one.reason:
            blocks.append(Block(((tame(one.reason, 1_000), "text"),)))
    return blocks


def since_blocks(used: UsedPack, found: PackSince) -> list[Block]:
    """Return what became of a payload: memories first, then the text, line by line."""
    pack = used.pack
    blocks = [
        *rows.since_blocks(found.since),
        Block(((f"{pack.tokens:,} tokens then, {found.tokens:,} today", "dim"),), gap=True),
    ]
    if found.lines is None:
        return [*blocks, Block((("The text of then cannot be had any more.", "dim"),))]
    styles: Mapping[str, StyleName] = {"+": "good", "-": "warning", "@": "label"}
    shown = found.lines[:DIFF_LINES]
    blocks += [
        Block(((tame(line) or " ", styles.get(line[:1], "text")),), gap=place == 0) for place, line in enumerate(shown)
    ]
    if len(found.lines) > len(shown):
        more = len(found.lines) - len(shown)
        blocks.append(Block(((f"… {more:,} lines more: memtui pack show {pack.id} --diff", "dim"),)))
    return blocks


def effect_words(verdict: str, effects: Sequence[Effect]) -> str:
    """Return what feedback did to the usefulness of memories: before → after."""
    shown = [f"“{tame(one.title, _TITLE)}” {one.before:.2f} → {one.after:.2f}" for one in effects[:EFFECTS_SHOWN]]
    if len(effects) > EFFECTS_SHOWN:
        shown.append(f"{len(effects) - EFFECTS_SHOWN} more")
    due = [f"“{tame(one.title, _TITLE)}”" for one in effects if one.is_due]
    parts = [f"{WORDS[verdict].capitalize()}: usefulness of {', '.join(shown)}"]
    if due:
        named = due[0] if len(due) == 1 else f"{len(due)} memories"
        parts.append(f"{named} hurt more than once and {'is' if len(due) == 1 else 'are'} due for review")
    return "; ".join([*parts, "u undoes it"])


LOST = "Its bytes cannot be had any more: a memory was purged or had been shortened, or a file changed since"


@dataclass(frozen=True, slots=True)
class PackSince:
    """What became of a payload.

    Attributes:
        since: the memories that came, went and were changed.
        tokens: of the payload that its task gives today.
        lines: how the text differs; None where the old text cannot be had any more.
    """

    since: Since
    tokens: int
    lines: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class PackRead:
    """A pack with its memories as they are now, and what was said of it."""

    used: UsedPack
    members: Sequence[UsedMember]
    verdicts: Sequence[Verdict]


class PacksAccess:
    """The packs that were used, and feedback on them.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        self._reading = opening.vault_to_read()

    def packs(self) -> list[UsedPack]:
        """Return the packs, those that await feedback first, then the newest first."""
        from memtui.curate.packs import used_packs

        return used_packs(self._reading)

    def read(self, used: UsedPack) -> PackRead:
        """Return a pack in full."""
        from memtui.curate.packs import used_members, verdicts_on

        return PackRead(used, used_members(self._reading, used.pack), verdicts_on(self._reading, used.pack))

    def give(self, pack_id: str, verdict: str, *, only: Sequence[str] = (), reason: str = "") -> Done:
        """Say of a pack, or of some of its memories, what it was worth; the words tell what that moved."""
        from memtui.curate.packs import give_feedback

        self._opening.before_change()
        effects = give_feedback(
            self._vault,
            pack_id,
            verdict,
            actor=self._opening.actor,
            reason=reason,
            only=only,
            secret_patterns=self._opening.secret_patterns,
        )
        return Done(effect_words(verdict, effects))

    def leave(self, pack: StoredPack) -> Done:
        """Take a pack off those that await feedback."""
        from memtui.curate.packs import mark_asked

        self._opening.before_change()
        mark_asked(self._vault, pack, actor=self._opening.actor)
        return Done("Left unanswered: it is not asked about again, and feedback is still taken")

    def copy_again(self, pack: StoredPack, send_escape: Callable[[str], bool]) -> Done:
        """Copy a pack's very payload again, built from the versions of memories that it held."""
        from memtui.pack.options import task_of

        was = self._as_it_was(pack)
        if was is None:
            return Done(f"{LOST}: o opens its task", changed=False)
        ask = ask_of(pack)
        task = task_of(pack.task, pack.files, pack.options)
        payloads = PayloadAccess(VaultAccess(self._opening))
        return payloads.copy(Answer(ask, task, was, pack.project, pack.project or ""), send_escape)

    def since(self, pack: StoredPack) -> PackSince:
        """Return what a pack's task gives today beside what it gave then."""
        from memtui.curate.packs import text_changes
        from memtui.pack.recipes import compare

        was = self._as_it_was(pack)
        opening = replace(self._opening, project=self._opening.project or pack.project)
        today = PayloadAccess(VaultAccess(opening)).answer(ask_of(pack)).pack
        diff = compare(today, pack)
        with self._reading.read() as reader:
            found = reader.get_many([*diff.added, *diff.removed, *diff.changed])
        lines = None if was is None else tuple(text_changes(was.payload, today.payload))
        return PackSince(Since(diff, {one.id: tame(one.title) for one in found.values()}), today.tokens, lines)

    def _as_it_was(self, pack: StoredPack) -> Pack | None:
        """Return the pack with the very bytes that were used, None where they cannot be had any more."""
        from memtui.curate.packs import as_it_was
        from memtui.curate.projects import view_of
        from memtui.pack.options import PackOptions
        from memtui.pack.targets.registry import target_named

        opening = self._opening
        with self._reading.read() as reader:
            view = view_of(reader, opening.folder, opening.project or pack.project)
        try:
            form = target_named(pack.target, opening.targets)
        except UsageError:
            return None  # a target of another memtui
        usual = PackOptions.of(opening.context, opening.secret_patterns)
        return as_it_was(self._reading, pack, form, usual, view.tree)


def ask_of(pack: StoredPack) -> Ask:
    """Return what a pack was asked for with."""
    from memtui.pack.options import standing_of

    lines, choices = of_kept(pack)
    return Ask(
        pack.task,
        pack.files,
        pack.target,
        pack.budget,
        lines["phase"] or None,
        without=choices.without,
        with_ids=choices.with_ids,
        style="compiled" if lines["style"] == "compiled" else "full",
        unconfirmed=choices.unconfirmed,
        with_loaded=choices.with_loaded,
        secrets=choices.secrets,
        standing=standing_of(pack.options),
    )
