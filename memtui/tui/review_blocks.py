"""A memory in review as blocks of plain text: why now, what it says, and the evidence."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from rich.cells import cell_len
from textual.content import Content

from memtui.tui.access.review import NEIGHBOURS_SHOWN, Opened, ReviewCard
from memtui.tui.describing import Block, describe
from memtui.tui.highlighting import Piece, StyleName
from memtui.tui.time_left import TimeLeft
from memtui.tui.wording import MARK_DUE, tame

PANES = frozenset({"curve", "files", "similar"})
"""Evidence that has a pane of its own where there is room."""

TAKING = Block((("Looking at the files and taking the queue …", "dim"),))
"""Shown until the first memory is there."""

READING = Block((("Reading the next memory …", "dim"),))
"""Shown where the next memory is not there yet."""

_WIDE, _MIDDLING = 100, 60
_WIDE_BAR, _MIDDLING_BAR = 24, 12
_FRAME_CELLS = 8


# -- the first line ------------------------------------------------------------------------------------


def head_line(opened: Opened | None, settled: AbstractSet[str], place: int, width: int, time_left: TimeLeft) -> Content:
    """Return `Review  12 of 40  ███▌────  28 left, about 6 min   project   u undo   esc pause`, as far as it fits."""
    name = Content.styled(" Review", "bold $primary")
    if opened is None or not opened.progress.total:
        return name
    progress = opened.progress
    bar_cells = _WIDE_BAR if width >= _WIDE else _MIDDLING_BAR if width >= _MIDDLING else 0
    done = sum(1 for identifier in opened.session.ids if identifier in settled)
    position = min(place + 1, progress.total) if done < progress.total else progress.total
    left = Content.assemble(
        name,
        f"  {position} of {progress.total}  ",
        (_bar(done, progress.total, bar_cells), "$memtui-bar"),
        ("  " if bar_cells else ""),
        (time_left.words(progress.total - done), "$memtui-dim"),
    )
    keys = (("u", "undo"), ("esc", "leave" if done == progress.total else "pause"))
    right = Content("   ").join(
        [Content.assemble((key, "bold $primary"), " ", (word, "$memtui-dim")) for key, word in keys]
    )
    project = Content.styled(tame(opened.session.project or "all projects", 30), "$memtui-dim")
    for parts in ([project, right], [right], []):
        end = Content("   ").join(parts)
        room = width - left.cell_length - end.cell_length - 1
        if room > 1 or not parts:
            return Content.assemble(left, " " * max(0, room), end)
    return left


def _bar(done: int, total: int, cells: int) -> str:
    eighths = round(cells * 8 * done / total)
    return ("█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")).ljust(cells, "─")


# -- one memory ----------------------------------------------------------------------------------------


def why_title(card: ReviewCard, width: int) -> tuple[str, str]:
    """Return the title of the memory's pane, and the reasons if they do not fit into it."""
    reasons = tame(" · ".join(card.why), 300)
    title = f"Why now ─ {reasons}"
    if not reasons:
        return "Why now ─ it was due when the queue was taken", ""
    return (title, "") if cell_len(title) <= width - _FRAME_CELLS else ("Why now", reasons)


def memory_blocks(card: ReviewCard, *, why: str, panes: AbstractSet[str]) -> list[Block]:
    """Return the memory in full.

    Args:
        card: the memory and its evidence.
        why: reasons to say first, where the title has no room for them.
        panes: evidence that has a pane of its own; the rest follows the text.
    """
    blocks = [Block(((why, "warning"),))] if why else []
    body = describe(card.detail)
    blocks += [Block(body[0].pieces, gap=bool(why)), *body[1:3]]
    source = card.detail.view.memory.source
    if card.detail.view.source_says_this and source is not None:
        place = f"{source.path}:{source.span[0]}" if source.span else str(source.path)
        said: list[Piece] = [(f"{MARK_DUE} source still says this  ", "warning"), (f"{tame(place, 80)}  ", "path")]
        blocks.append(Block((*said, ("o opens it", "dim"))))
    blocks += body[3:]
    if "curve" not in panes:
        blocks.append(Block(((card.curve.caption, "text"),), label="Fades", gap=True))
    if "files" not in panes and card.files:
        blocks += _headed("What changed in its files", file_blocks(card))
    if "files" not in panes and any(one.near for one in card.similar):
        blocks += _headed("Neighbours", similar_blocks(card))
    return blocks


def _headed(title: str, blocks: list[Block]) -> list[Block]:
    return [Block(((title, "label"),), gap=True), *blocks]


def changed_meanwhile(card: ReviewCard, *, refused: bool) -> str:
    """Return who changed a memory while it was looked at, and whether a verdict was not taken because of it."""
    changes = card.detail.changes
    by = f" by {tame(changes[0].actor, 20)}" if changes else ""
    return f"changed meanwhile{by}: " + ("your verdict was not taken, look again" if refused else "look again")


def file_blocks(card: ReviewCard) -> list[Block]:
    """Return what happened to a memory's files since it was last verified."""
    blocks: list[Block] = []
    for change in card.files:
        state = change.state or "unchecked"
        style: StyleName = "warning" if state in {"changed", "moved", "gone"} else "dim"
        pieces: list[Piece] = [(f"{tame(change.path)}  ", "path"), (state, style)]
        if change.added or change.removed:
            pieces.append((f"  +{change.added} −{change.removed}", "label"))
        blocks.append(Block(tuple(pieces)))
        if change.path in card.moves:
            to: list[Piece] = [("→ ", "dim"), (f"{tame(card.moves[change.path])}  ", "path"), ("f re-anchors", "dim")]
            blocks.append(Block(tuple(to)))
        for line in change.lines:
            sign: StyleName = "good" if line.startswith("+") else "dim"
            blocks.append(Block(((f"{line[:1]} {tame(line[1:].strip())}", sign),)))
    return blocks or [Block((("It is tied to no file.", "dim"),))]


def similar_blocks(card: ReviewCard, *, gap: bool = False) -> list[Block]:
    """Return linked and similar memories."""
    blocks = [
        Block(
            ((f"{similar.how}  ", "warning" if similar.how.startswith("≠") else "dim"), (similar.title, "text")),
            gap=gap and place == 0,
        )
        for place, similar in enumerate([one for one in card.similar if one.near][:NEIGHBOURS_SHOWN])
    ]
    return blocks or [Block((("Nothing is linked to it, and nothing is like it.", "dim"),), gap=gap)]
