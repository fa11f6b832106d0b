"""A memory in review, the end of a session and the preview of moved files, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from pathlib import PurePath

from rich.cells import cell_len
from textual.content import Content

from memtui.curate.merge import marked_texts
from memtui.curate.review_queue import SourceNews
from memtui.curate.review_sessions import Receipt
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.memory_view import MARK_DUE, days_between, describe, still_said
from memtui.tui.review.queries import NEIGHBOURS_SHOWN, Opened, ReviewCard
from memtui.tui.styled_text import Block, Piece, StyleName, from_difference, marked_pieces
from memtui.vault.packs import StoredPack
from memtui.vault.source_texts import Texts
from memtui.wording.reviewing import later_text, standing_text

PANES = frozenset({"curve", "files", "similar"})  # Evidence that has a pane of its own where there is room
TAKING = Block((("Checking the files and collecting what is due …", "dim"),))  # Shown until the first memory is read
EVIDENCE = Block((("Reading the evidence …", "dim"),))  # Shown of a memory until its evidence is read
READING = Block((("Reading the next memory …", "dim"),))  # Shown while the next memory is read

NOT_YET_SHOWN = "not yet shown: the key was ignored"

_WIDE, _MIDDLING = 100, 90
_WIDE_BAR, _MIDDLING_BAR = 24, 12
_FRAME_CELLS = 8


# -- the first line ------------------------------------------------------------------------------------


def head_counts(
    opened: Opened | None, reviewed: AbstractSet[str], place: int, width: int, time_left: Callable[[int], str]
) -> list[Content]:
    """Return what the head counts: `12 of 40  ███▌────  28 left, about 6 min`, with the bar where there is room."""
    if opened is None or not opened.progress.total:
        return []
    progress = opened.progress
    bar_cells = _WIDE_BAR if width >= _WIDE else _MIDDLING_BAR if width >= _MIDDLING else 0
    done = sum(1 for identifier in opened.session.ids if identifier in reviewed)
    position = min(place + 1, progress.total) if done < progress.total else progress.total
    return [
        Content.assemble(
            f"{position} of {progress.total}  ",
            (_bar(done, progress.total, bar_cells), "$memtui-bar"),
            ("  " if bar_cells else ""),
            (time_left(progress.total - done), "$memtui-dim"),
        )
    ]


def resumed(opened: Opened, key: str) -> str:
    """Return what is left of a session of before, and which key asks about what came due since."""
    left = f"Resumed: {opened.progress.left} of {opened.progress.total} are left."
    return f"{left} {key} starts over with everything now due." if key else left


def _bar(done: int, total: int, cells: int) -> str:
    eighths = round(cells * 8 * done / total)
    return ("█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")).ljust(cells, "─")


# -- one memory ----------------------------------------------------------------------------------------


def why_title(card: ReviewCard, width: int) -> tuple[str, str]:
    """Return the title of the memory's pane, and the reasons if they do not fit into it."""
    reasons = tame(" · ".join(card.why), 300)
    title = f"Why now ─ {reasons}"
    if not reasons:
        return "Why now ─ it was due when the session started", ""
    return (title, "") if cell_len(title) <= width - _FRAME_CELLS else ("Why now", reasons)


def memory_blocks(card: ReviewCard, *, why: str, panes: AbstractSet[str]) -> list[Block]:
    """Return the memory in full.

    `why`: reasons that the title has no room for. `panes`: evidence that has a pane of its own; the rest follows the
    text.
    """
    blocks = [Block(((why, "warning"),))] if why else []
    body = describe(card.detail)
    blocks.append(Block(body[0].pieces, gap=bool(why)))
    for one in card.news:
        blocks += news_blocks(one)
    blocks += [Block(body[1].pieces, gap=bool(card.news)), *body[2:3]]
    source = card.detail.view.memory.source
    if card.detail.view.source_says_this and source is not None:
        place = f"{source.path}:{source.span[0]}" if source.span else str(source.path)
        said: list[Piece] = [
            (f"{MARK_DUE} its source {still_said(card.detail.view.memory)}  ", "warning"),
            (f"{tame(place, 80)}  ", "path"),
        ]
        blocks.append(Block((*said, ("o opens it", "dim"))))
    blocks += body[3:]
    if "curve" not in panes:
        blocks.append(Block(((card.curve.caption, "text"),), label="Fades", gap=True))
    if "files" not in panes and card.files:
        blocks += _headed("What changed in its files", file_blocks(card))
    if "files" not in panes and any(one.near for one in card.similar):
        blocks += _headed("Neighbours", similar_blocks(card))
    return blocks


_LONGEST_SIDE = 180  # Characters shown of what a source said, and says: both fit in a low terminal
_PARTS = (("insight", ""), ("rationale", "Why  "), ("snippet", ""))  # The texts of a memory that a source states
_TITLE = (("title", "Title  "),)  # Shown where nothing else differs: most titles are made from the text


def news_blocks(news: SourceNews) -> list[Block]:
    """Return what a source said when a person last looked, and what it says now, in brackets what differs."""
    paths = [PurePath(name).name if PurePath(name).is_absolute() else name for name in news.paths]
    word = "source" if len(paths) == 1 else "sources"
    head: list[Piece] = [(f"{MARK_DUE} its {word} changed  ", "warning"), (f"{tame(', '.join(paths), 80)}  ", "path")]
    settles = "its import was undone: J takes it over" if news.is_undone else "d in the Inbox resolves it"
    head.append((f"seen {news.at:%Y-%m-%d}" + ("" if news.is_taken else f" · {settles}"), "dim"))
    blocks = [Block(tuple(head))]
    if news.now is None:
        return [*blocks, Block((("what it says now was not kept", "dim"),), label="Now")]
    if news.before is None:
        kept: list[Piece] = [("its earlier text was not kept", "dim")]
        return [*blocks, Block(tuple(kept), label="Before"), *_side("Now", news.now, None)]
    if news.before == news.now:
        return [*blocks, Block((("it says what it said before", "dim"),), label="Now")]
    sides = [*_side("Before", news.before, news.now), *_side("Now", news.now, news.before)]
    return [*blocks, *(sides or [Block((("only white space differs", "dim"),), label="Now")])]


def _side(label: str, texts: Texts, others: Texts | None) -> Iterator[Block]:
    """Yield the texts of one side on one line, marked against the other's, without those that are the same on both."""
    for name, head in _PARTS if others is None or _differ(texts, others) else _TITLE:
        mine, theirs = (None if side is None else _on_one_line(side, name) for side in (texts, others))
        if not mine or mine == theirs:
            continue
        marked = marked_texts([mine, theirs])[0] if theirs else ((mine, False),)
        pieces = marked_pieces(from_difference(marked, _LONGEST_SIDE))
        yield Block(((head, "label"), *pieces) if head else pieces, label=label)
        label = " "


def _differ(texts: Texts, others: Texts) -> bool:
    return any(_on_one_line(texts, name) != _on_one_line(others, name) for name, _ in _PARTS)


def _on_one_line(texts: Texts, name: str) -> str:
    return " ".join(str(getattr(texts, name)).split())


def _headed(title: str, blocks: list[Block]) -> list[Block]:
    return [Block(((title, "label"),), gap=True), *blocks]


def changed_meanwhile(card: ReviewCard, *, refused: bool) -> str:
    """Return who changed a memory while it was shown, and whether a verdict was refused because of it."""
    changes = card.detail.changes
    by = f" by {tame(changes[0].actor, 20)}" if changes else ""
    return f"changed meanwhile{by}: " + ("your verdict was not saved, look again" if refused else "look again")


def file_blocks(card: ReviewCard) -> list[Block]:
    """Return what happened to a memory's files since it was last verified."""
    if not card.is_whole:
        return [EVIDENCE]
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
    if blocks:
        return blocks
    if card.news:
        return [Block((("Its source changed", "warning"), ("; it is not tied to any other file.", "dim")))]
    why = ": only its age makes it due" if card.is_by_age else ""
    return [Block(((f"It is not tied to any file{why}.", "dim"),))]


def similar_blocks(card: ReviewCard, *, gap: bool = False, with_texts: bool = False) -> list[Block]:
    """Return the memories that are linked or similar, by their titles, with their texts where there is room."""
    blocks: list[Block] = []
    for place, similar in enumerate([one for one in card.similar if one.near][:NEIGHBOURS_SHOWN]):
        tone: StyleName = "warning" if similar.how.startswith("≠") else "dim"
        is_apart = place > 0 if with_texts else gap and place == 0
        blocks.append(Block(((f"{similar.how}  ", tone), (similar.title, "text")), gap=is_apart))
        if with_texts and similar.text:
            blocks.append(Block(((similar.text, "dim"),)))
    nothing = Block((("Nothing is linked or similar to it.", "dim"),), gap=gap)
    return blocks or ([nothing] if card.is_whole else [])


_BAR = 24

_WHEN_DUE = (
    "A memory becomes due when it fades, when one of its files moves, disappears or has changed since you verified it, "
    "when it is linked as contradicting another, when two payloads with it were rated as hurtful, or when an import "
    "changes it. Files that were already missing when you accepted it, and contradictions that are only proposed, are "
    "in Tidy (T). It stays due until you decide here; use by an assistant does not change that."
)
NOTHING_DUE = "Nothing is due for review."
_NOTHING_DUE = (Block(((NOTHING_DUE, "title"),)), Block(((_WHEN_DUE, "dim"),), gap=True))
_PACED = (
    Block((("Done for now: you reviewed as many as you planned to.", "title"),)),
    Block((("[review] daily and weekly in the configuration set the number.", "dim"),), gap=True),
)
_KEYS = (
    ("review-copy", "copy this"),
    ("review-write", "write it to a file"),
    ("review-anew", "start over with what is due now"),
)
_ANSWERS = (("1", "helped"), ("2", "hurt"), ("3", "not used"), ("4", "skip"))


def end_blocks(opened: Opened, now: datetime, key_of: Callable[[str], str]) -> list[Block]:
    """Return what the screen shows once nothing is left; `key_of`: the key of an action by its id."""
    asked = pack_blocks(opened.packs, now)
    if opened.receipt is not None:
        return receipt_blocks(opened.receipt, asked, key_of)
    said = _PACED if opened.paced else _NOTHING_DUE
    if opened.holiday is not None:
        until = f"A holiday until {opened.holiday:%Y-%m-%d}: nothing becomes due ([review] holiday)."
        said = (said[0], Block(((until, "dim"),), gap=True))
    keys = (("review-anew", "review more"), ("back", "back")) if opened.paced else (("back", "back"),)
    return [*said, *asked, *_key_lines(keys, key_of)]


def receipt_blocks(receipt: Receipt, asked: Sequence[Block], key_of: Callable[[str], str]) -> list[Block]:
    """Return the receipt of a session, a question about a pack, and the keys."""
    settled = sum(receipt.counts.values())
    done = f"{settled:,} of {counted(receipt.total, 'memory', 'memories')} reviewed"
    blocks = [Block(((f"{done}   ", "title"), (f"started {receipt.started_at:%Y-%m-%d}", "dim")))]
    most = max(receipt.counts.values(), default=1)
    for place, (word, number) in enumerate(receipt.counts.items()):
        bar = "█" * max(1, round(_BAR * number / most))
        blocks.append(Block(((f"{number:>4}  {word:<12}", "text"), (bar, "bar")), gap=place == 0))
    saved = [standing] if (standing := standing_text(receipt)) else []
    if receipt.tokens_out:
        saved.append(f"{receipt.tokens_out:,} tokens of text are out of use and in no payload")
    for place, line in enumerate(saved):
        blocks.append(Block(((line, "text"),), label=" " if place else "Tokens", gap=place == 0))
    later = later_text(receipt)
    blocks += [Block(((later, "text"),), label="Later", gap=True)] if later else []
    for place, (_, title, days) in enumerate(receipt.half_lives):
        label = "Fades" if place == 0 else " "
        half_life = f"{days:g} d" if days else "its kind's"
        blocks.append(Block(((f"{half_life}  ", "dim"), (tame(title), "text")), label=label, gap=place == 0))
    blocks += [*_still_said(receipt), *asked]
    keys = (*_KEYS, ("review-source", "open one of these sources")) if receipt.still_said else _KEYS
    return [*blocks, *_key_lines(keys, key_of)]


def _still_said(receipt: Receipt) -> list[Block]:
    if not receipt.still_said:
        return []
    blocks = [Block((("These sources still contain what you changed or retired:", "warning"),), gap=True)]
    blocks += [Block(((f"{tame(path)}  ", "path"), (tame(title), "text"))) for _, title, path in receipt.still_said]
    return blocks


def pack_blocks(packs: Sequence[StoredPack], now: datetime) -> list[Block]:
    """Return the question about the first of these packs."""
    if not packs:
        return []
    pack = packs[0]
    days = int(days_between(pack.made_at, now))
    what = tame(pack.task, 80) or "the pack without a task"
    more = f" · {len(packs) - 1:,} more after it" if len(packs) > 1 else ""
    held = f"copied {counted(days, 'day', 'days')} ago for {tame(pack.target, 20)}"
    answers = [piece for key, word in _ANSWERS for piece in ((f"{key} ", "label"), (f"{word}   ", "text"))]
    return [
        Block((("Did it help?  ", "title"), (what, "text")), gap=True),
        Block(((f"{held} · {counted(len(pack.members), 'memory', 'memories')}{more}", "dim"),)),
        Block(tuple(answers)),  # type: ignore[arg-type] # the names are styles
    ]


def _key_lines(actions: Sequence[tuple[str, str]], key_of: Callable[[str], str]) -> list[Block]:
    keys = [(key, word) for identifier, word in actions if (key := key_of(identifier))]
    return [Block(((f"{key:<4}", "label"), (word, "dim")), gap=place == 0) for place, (key, word) in enumerate(keys)]
