"""The receipt of a review session in words."""

from __future__ import annotations

from memtui.curate.review_sessions import Receipt
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.text.sanitize import one_line, reveal
from memtui.text.words import counted


def receipt_text(found: Receipt) -> str:
    """Return a receipt as plain text, to be saved or copied."""
    lines = [f"Review of {found.started_at:%Y-%m-%d}: {sum(found.counts.values())} of {found.total} memories"]
    lines += [f"  {number:>4}  {word}" for word, number in found.counts.items()]
    if found.total > sum(found.counts.values()):
        lines.append(f"  {found.total - sum(found.counts.values()):>4}  still to review")
    if found.tokens_out:
        lines += ["", f"{found.tokens_out:,} tokens of text are out of use and no longer in any payload"]
    if standing := standing_text(found):
        lines += ["", standing]
    if later := later_text(found):
        lines += ["", later]
    if found.half_lives:
        lines += ["", "Half-lives changed"]
        lines += [
            f"  {f'{days:g} d' if days else 'its kind'}  {_shown(title)}  ({identifier})"
            for identifier, title, days in found.half_lives
        ]
    if found.still_said:
        lines += ["", "Sources that still say what was changed or taken out of use"]
        lines += [f"  {_shown(path)}  {_shown(title)}  ({identifier})" for identifier, title, path in found.still_said]
    return "\n".join(lines) + "\n"


def later_text(found: Receipt) -> str:
    """Return what is to be reviewed after a session, in words; empty without any."""
    said = [f"{counted(found.due, 'other is', 'others are')} due now"] if found.due else []
    if found.put_off:
        first = found.put_off[0]
        until = "a file changes" if first == UNTIL_CHANGE else f"{first:%Y-%m-%d}"
        said.append(f"{len(found.put_off):,} put off{', the first' if len(found.put_off) > 1 else ''} until {until}")
    return " · ".join(said)


def standing_text(found: Receipt) -> str:
    """Return how the standing payload changed, in words; empty where it was not counted."""
    if found.standing is None:
        return ""
    before, now = found.standing
    if before == now:
        return f"The standing payload is as large as before: {now:,} tokens"
    difference = abs(before - now)
    word = "saved" if now < before else "more"
    noun = "token" if difference == 1 else "tokens"
    # What takes the place of a memory that left may be longer than that.
    why = ", as others moved up" if now > before and found.tokens_out else ""
    return f"{difference:,} {noun} {word} in the standing payload{why}: {before:,} → {now:,}"


def _shown(text: str) -> str:
    return reveal(one_line(text))
