"""The Packs screen's reads, and its rows and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.curate import packs
from memtui.curate.packs import (
    UsedMember,
    UsedPack,
    Verdict,
    as_it_was,
    mark_asked,
    text_changes,
    used_members,
    verdicts_on,
)
from memtui.curate.projects import view_of
from memtui.errors import UsageError
from memtui.pack.build import Pack
from memtui.pack.options import PackOptions, choices_words, task_of
from memtui.pack.recipes import compare
from memtui.pack.targets.formats import target_named
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.context import view as context_view
from memtui.tui.context.ask import Ask
from memtui.tui.context.queries import Answer, Payloads, Since
from memtui.tui.memory_view import days_between, short_age
from memtui.tui.styled_text import LONGEST_SHOWN, Block, StyleName, highlighted
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.memory_list import KIND_CELLS, short_kind
from memtui.tui.widgets.row_list import TextRow
from memtui.vault.packs import StoredPack
from memtui.wording import outcomes
from memtui.wording.outcomes import VERDICT_WORDS


@dataclass(frozen=True, slots=True)
class PackRead:
    """A pack with its memories as they are now, and the feedback on it."""

    used: UsedPack
    members: Sequence[UsedMember]
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class PackSince:
    """What became of a payload."""

    since: Since  # the memories that were added, removed and changed
    tokens: int  # of the payload that its task gives today
    lines: Sequence[str] | None  # how the text differs; None where the old text is no longer available


def read_pack(access: VaultAccess, used: UsedPack) -> PackRead:
    vault = access.read_vault
    return PackRead(used, used_members(vault, used.pack), verdicts_on(vault, used.pack))


def give_feedback(
    access: VaultAccess, pack_id: str, verdict: str, *, only: Sequence[str] = (), reason: str = ""
) -> Done:
    """Give feedback on a pack, or on some of its memories; the message says how their usefulness changed."""
    opening = access.opening
    opening.before_change()
    effects = packs.give_feedback(
        access.vault,
        pack_id,
        verdict,
        actor=opening.actor,
        reason=reason,
        only=only,
        secret_patterns=opening.secret_patterns,
    )
    return Done(f"{outcomes.feedback_given(verdict, effects)}; u undoes it")


def stop_asking(access: VaultAccess, pack: StoredPack) -> Done:
    """Take a pack off those that wait for feedback."""
    access.opening.before_change()
    mark_asked(access.vault, pack, actor=access.opening.actor)
    return Done("This pack no longer waits for feedback; you can still give it")


def copy_again(access: VaultAccess, pack: StoredPack, send_escape: Callable[[str], bool]) -> Done:
    """Copy a pack's exact payload again, built from the versions of memories that it held."""
    earlier = _as_it_was(access, pack)
    if earlier is None:
        return Done(f"{_NO_TEXT.removesuffix('.')}; o opens its task", changed=False)
    task = task_of(pack.task, pack.files, pack.options)
    return Payloads(access).copy(Answer(Ask.of(pack), task, earlier, pack.project, pack.project or ""), send_escape)


def sent_text(access: VaultAccess, pack: StoredPack) -> str | None:
    """Return the exact text of a pack, None where it is no longer available."""
    earlier = _as_it_was(access, pack)
    return None if earlier is None else earlier.payload


def since_pack(access: VaultAccess, pack: StoredPack) -> PackSince:
    """Return what a pack's task gives today compared with what it gave then."""
    earlier = _as_it_was(access, pack)
    in_project = VaultAccess(replace(access.opening, project=access.opening.project or pack.project))
    payloads = Payloads(in_project)
    today = payloads.answer(Ask.of(pack)).pack
    lines = None if earlier is None else tuple(text_changes(earlier.payload, today.payload))
    return PackSince(payloads.since(compare(today, pack, access.read_vault)), today.tokens, lines)


def _as_it_was(access: VaultAccess, pack: StoredPack) -> Pack | None:
    """Return the pack with the exact bytes that were used, None where they are no longer available."""
    opening = access.opening
    with access.read_vault.read() as reader:
        view = view_of(reader, opening.folder, opening.project or pack.project)
    try:
        form = target_named(pack.target, opening.targets)
    except UsageError:
        return None  # a target of another version of memtui
    defaults = PackOptions.of(opening.context, opening.secret_patterns)
    return as_it_was(access.read_vault, pack, form, defaults, view.tree)


_MARKS = {"helped": "+", "hurt": "−", "corrected": "~", "unused": "·"}
_DIFF_LINES = 400
_ROOMY, _SPACIOUS = 50, 84


# -- packs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PackRow:
    """A pack in a line."""

    id: str
    task: str
    target: str
    age: str  # how long ago it was used
    tokens: int
    memories: int
    verdict: str  # the feedback on it; empty where there is none
    mark: str  # glyph of the feedback, `?` where it is awaited


def pack_row(used: UsedPack, now: datetime) -> PackRow:
    pack = used.pack
    mark = _MARKS[max(used.said, key=lambda verdict: used.said[verdict])] if used.said else " "
    return PackRow(
        id=pack.id,
        task=task_words(pack.task, pack.files),
        target=tame(pack.target, 30),
        age=short_age(days_between(pack.made_at, now)),
        tokens=pack.tokens,
        memories=len(pack.members),
        verdict="waits" if used.awaits else verdict_words(used.said, len(pack.members)),
        mark="?" if used.awaits else mark,
    )


def task_words(task: str, files: Sequence[str]) -> str:
    """Return a task in one line: its text, else its files, else that it was the standing payload."""
    return tame(task) or tame(", ".join(files)) or "standing payload"


def verdict_words(said: Mapping[str, int], memories: int) -> str:
    """Return the feedback on a pack: `helped`, `hurt 1 of 5`, `helped 4, hurt 1`."""
    if len(said) == 1:
        verdict, number = next(iter(said.items()))
        return VERDICT_WORDS[verdict] if number >= memories else f"{VERDICT_WORDS[verdict]} {number} of {memories}"
    return ", ".join(f"{VERDICT_WORDS[verdict]} {number}" for verdict, number in said.items())


def _tone(mark: str) -> str:
    return "warning" if mark in "?−~" else "good" if mark == "+" else "dim"


def pack_cells(row: PackRow, width: int) -> list[Cell]:
    """Return a pack: its feedback, when it was used, the task, for which target, how large."""
    tone = _tone(row.mark)
    return [
        Cell(row.mark, tone, 2),
        Cell(row.age, "dim", 5, right=True, after=1),
        Cell(row.task, "base"),
        Cell(row.target, "kind", 12, since=60, before=2, snug=True),
        Cell(f"{row.tokens:,} tok", "base", 10, since=40, right=True, before=1, snug=True),
        Cell(f"{row.memories} mem", "dim", 7, since=_SPACIOUS, right=True, before=1, snug=True),
        Cell(row.verdict, tone, 13 if width >= _ROOMY else 11, before=1, snug=True),
    ]


# -- the memories of a pack ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A memory of a pack in a line."""

    id: str
    title: str  # its id where the memory is gone
    kind: str
    state: str  # its version, and what became of it since: `v2`, `v2 → v4`, `retired`, `gone`
    is_same: bool  # whether it is still as it was in the pack
    tokens: int
    verdict: str  # the last feedback on it in this pack
    mark: str  # glyph of the feedback
    exists: bool


def member_row(used: UsedMember) -> MemberRow:
    """Return a memory of a pack as a line."""
    memory, member = used.memory, used.member
    last = used.said[-1][0] if used.said else ""
    state = _state(used)
    return MemberRow(
        id=member.memory_id,
        title=(tame(memory.title) or tame(memory.insight)) if memory else tame(member.memory_id, 40),
        kind=tame(memory.kind, 30) if memory else "",
        state=state,
        is_same=state == f"v{member.version}",
        tokens=member.tokens,
        verdict=VERDICT_WORDS.get(last, ""),
        mark=_MARKS.get(last, " "),
        exists=memory is not None,
    )


def _state(used: UsedMember) -> str:
    if used.memory is None:
        return "gone"
    if used.memory.status != "active":
        return used.memory.standing
    return f"v{used.member.version} → v{used.memory.version}" if used.has_changed else f"v{used.member.version}"


def head_lines(used: UsedPack, members: Sequence[UsedMember]) -> list[str]:
    """Return what is above the memories of a pack: its size and budget, when and by whom, what became of them."""
    pack = used.pack
    changed, gone = sum(one.has_changed for one in members), sum(one.memory is None for one in members)
    became = [f"{changed} changed since"] if changed else []
    became += [f"{gone} gone"] if gone else []
    budget = tame(pack.budget, 30).removesuffix(" tokens")
    size = f"{pack.tokens:,} tokens of {budget} ({tame(pack.encoding, 20)}) for {tame(pack.target, 30)}"
    return [
        " · ".join(filter(None, (size, tame(choices_words(pack.options), 60)))),
        f"{pack.made_at:%Y-%m-%d %H:%M} UTC · {tame(pack.actor, 30)} · {tame(pack.project or 'every project', 30)}",
        " · ".join([counted(len(members), "memory"), *became]),
    ]


def member_lines(read: PackRead) -> list[MemberRow | TextRow]:
    """Return the memories of a pack below some lines about it."""
    head = head_lines(read.used, read.members)
    texts = [TextRow(line, "dim" if place else "base") for place, line in enumerate(head)]
    return [*texts, TextRow(""), *map(member_row, read.members)]


def member_cells(row: MemberRow, width: int) -> list[Cell]:
    """Return a memory: its feedback, kind, title, what became of it, how large."""
    del width
    tone = _tone(row.mark)
    return [
        Cell(row.mark, tone, 2),
        Cell(short_kind(row.kind), "kind", KIND_CELLS, since=62, after=1),
        Cell(row.title, "base" if row.exists else "dim"),
        Cell(row.state, "dim" if row.is_same else "warning", 10, before=1, snug=True),
        Cell(f"{row.tokens:,} tok", "dim", 10, since=40, right=True, before=1, snug=True),
        Cell(row.verdict, tone, 9, since=48, before=1, snug=True),
    ]


# -- the text of a pack --------------------------------------------------------------------------------

NOT_READ: tuple[Block, ...] = (Block((("reading …", "dim"),)),)
_NO_TEXT = "The exact text is no longer available: a memory was purged or shortened, or a file changed since."


def sent_blocks(text: str | None) -> list[Block]:
    """Return what was sent, line by line; None where it is no longer available."""
    if text is None:
        return [Block(((_NO_TEXT, "dim"),))]
    return [Block(highlighted(reveal(line)) or (("", "text"),)) for line in text[:LONGEST_SHOWN].splitlines()]


# -- cards --------------------------------------------------------------------------------------------


def pack_blocks(read: PackRead) -> list[Block]:
    """Return everything about a pack: task, files, and the feedback with its reasons."""
    pack = read.used.pack
    blocks = [
        Block(((task_words(pack.task, ()), "title"),)),
        *(Block(((line, "dim"),)) for line in head_lines(read.used, ())[:2]),
        Block(((f"pack {pack.id} · payload {pack.payload_hash}", "dim"),)),
        *(Block(((tame(path), "path"),), label="File") for path in pack.files),
    ]
    if not read.verdicts:
        blocks.append(Block((("No feedback yet.", "dim"),), gap=True))
    for place, one in enumerate(read.verdicts):
        words = f"{VERDICT_WORDS[one.verdict]}, {counted(one.memories, 'memory')}"
        when = f"  {one.at:%Y-%m-%d %H:%M} · {tame(one.actor, 30)}"
        blocks.append(Block(((words, "good" if one.verdict == "helped" else "warning"), (when, "dim")), gap=place == 0))
        if one.reason:
            blocks.append(Block(((tame(one.reason, 1_000), "text"),)))
    return blocks


def since_blocks(used: UsedPack, found: PackSince) -> list[Block]:
    """Return what became of a payload: memories first, then the text, line by line."""
    tokens = f"{used.pack.tokens:,} tokens then, {found.tokens:,} today"
    return [*context_view.since_blocks(found.since), Block(((tokens, "dim"),), gap=True), *_diff(used.pack.id, found)]


def _diff(pack_id: str, found: PackSince) -> Iterator[Block]:
    if found.lines is None:
        yield Block((("The text of the earlier payload is no longer available.", "dim"),))
        return
    styles: Mapping[str, StyleName] = {"+": "good", "-": "warning", "@": "label"}
    for place, line in enumerate(found.lines[:_DIFF_LINES]):
        yield Block(((tame(line) or " ", styles.get(line[:1], "text")),), gap=place == 0)
    more = len(found.lines) - _DIFF_LINES
    if more > 0:
        yield Block(((f"… {more:,} more lines: memtui pack show {pack_id} --diff", "dim"),))
