"""The end of a review as blocks of plain text: the receipt, a pack to say a word about, or that nothing is due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.curate.receipt import Receipt, standing_text
from memtui.tui.access.review import Opened
from memtui.tui.describing import Block
from memtui.tui.wording import counted, days_between, tame

if TYPE_CHECKING:
    from memtui.vault.usage import StoredPack

_BAR = 24

_WHEN_DUE = (
    "A memory comes due when it fades, a file of it changes, another contradicts it, it hurt twice, or an import "
    "touches it. Using it never clears that; you do."
)
_NOTHING_DUE = (Block((("Nothing is due for review.", "title"),)), Block(((_WHEN_DUE, "dim"),), gap=True))
_PACED = (
    Block((("That is it for now: you reviewed as many as you set out to.", "title"),)),
    Block((("[review] daily and weekly in the configuration say how many.", "dim"),), gap=True),
)
_KEYS = (("Y", "copy this"), ("w", "write it to a file"), ("a", "take a new queue"))
_ANSWERS = (("1", "helped"), ("2", "hurt"), ("3", "not used"), ("4", "say nothing"))


def end_blocks(opened: Opened, now: datetime) -> list[Block]:
    """Return what stands on the screen once nothing is left to look at."""
    asked = pack_blocks(opened.packs, now)
    if opened.receipt is not None:
        return receipt_blocks(opened.receipt, asked)
    said = _PACED if opened.paced else _NOTHING_DUE
    keys = (
        (("a", "take more all the same"), ("esc", "back to the list"))
        if opened.paced
        else (("esc", "back to the list"),)
    )
    return [*said, *asked, *_key_lines(keys)]


def receipt_blocks(receipt: Receipt, asked: Sequence[Block] = ()) -> list[Block]:
    """Return the receipt of a session, with what to do next.

    Args:
        receipt: what the session came to.
        asked: a question after a pack, between the figures and the details.
    """
    settled = sum(receipt.counts.values())
    done = f"{settled:,} of {counted(receipt.total, 'memory', 'memories')} reviewed"
    blocks = [Block(((f"{done}   ", "title"), (f"begun {receipt.started_at:%Y-%m-%d}", "dim")))]
    most = max(receipt.counts.values(), default=1)
    for place, (word, number) in enumerate(receipt.counts.items()):
        bar = "█" * max(1, round(_BAR * number / most))
        blocks.append(Block(((f"{number:>4}  {word:<12}", "text"), (bar, "bar")), gap=place == 0))
    saved = [standing_text(*receipt.standing)] if receipt.standing else []
    if receipt.tokens_out:
        saved.append(f"{receipt.tokens_out:,} tokens of text are out of use and reach no payload")
    for place, line in enumerate(saved):
        blocks.append(Block(((line, "text"),), label=" " if place else "Tokens", gap=place == 0))
    for place, (_, title, days) in enumerate(receipt.half_lives):
        label = "Fades" if place == 0 else " "
        half_life = f"{days:g} d" if days else "its kind's"
        blocks.append(Block(((f"{half_life}  ", "dim"), (tame(title), "text")), label=label, gap=place == 0))
    blocks += [*_still_said(receipt), *asked]
    keys = (*_KEYS, ("o", "open a source that still says it")) if receipt.still_said else _KEYS
    return [*blocks, *_key_lines(keys)]


def _still_said(receipt: Receipt) -> list[Block]:
    if not receipt.still_said:
        return []
    blocks = [Block((("These sources still say what was changed or taken out of use:", "warning"),), gap=True)]
    blocks += [Block(((f"{tame(path)}  ", "path"), (tame(title), "text"))) for _, title, path in receipt.still_said]
    return blocks


def pack_blocks(packs: Sequence[StoredPack], now: datetime) -> list[Block]:
    """Return the question after the first of these packs."""
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


def _key_lines(keys: Sequence[tuple[str, str]]) -> list[Block]:
    return [Block(((f"{key:<4}", "label"), (word, "dim")), gap=place == 0) for place, (key, word) in enumerate(keys)]
