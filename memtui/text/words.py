"""Words and lines for people: plurals, "did you mean", sizes, spans of time, and cutting to a width."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Literal

from memtui.errors import UsageError

CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A letter of Chinese, Japanese or Korean, which puts no spaces between words."""


def percent(share: float) -> str:
    """Return a share as a percentage, rounded down, so that none looks as if it reached what it just misses."""
    return f"{math.floor(round(share * 100, 6))}%"


def plain_letters(word: str) -> str:
    """Return a word without the accents of its letters, as DuckDB's `strip_accents` does."""
    if word.isascii():
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def counted(number: int, noun: str, many: str = "") -> str:
    """Return `1 memory`, `2 memories`, `1,143 memories`; `many` where the plural is irregular."""
    if number != 1:
        noun = many or (f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s")
    return f"{number:,} {noun}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name most like a mistyped one, whatever their case, or None if no name is close."""
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), names, n=1)
    return names[close[0]] if close else None


def begun(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that a word is, else the only one that begins with it, whatever their case."""
    names, wanted = {name.lower(): name for name in known}, word.lower()
    found = [wanted] if wanted in names else [name for name in names if wanted and name.startswith(wanted)]
    return names[found[0]] if len(found) == 1 else None


def did_you_mean(word: str, known: Iterable[str], *, otherwise: str = "", then: str = "") -> str:
    """Return `Did you mean X?` for the nearest known name, as (a part of) a remedy; for a part of a few names, all.

    `otherwise`: what stands in its place if no name is close. `then`: what follows in either case.
    """
    names = list(known)
    meant = _with_part(word, names) or list(filter(None, [nearest(word, names)]))
    return " ".join(part for part in (f"Did you mean {' or '.join(meant)}?" if meant else otherwise, then) if part)


_MOST_MEANT = 3  # Names that a part may stand for


def _with_part(word: str, known: Iterable[str]) -> list[str]:
    """Return the names that hold a word between hyphens, as `--add-file` does `--file`; none if they are many."""
    part = word.lower().strip("-")
    found = [name for name in known if part and part in name.lower().strip("-").split("-") and name.lower() != word]
    return found if len(found) <= _MOST_MEANT else []


def unknown(noun: str, typed: str, known: Iterable[str], *, where: str = "") -> UsageError:
    """Return the error about a name that is not known, with the nearest one and all there are.

    `where`: what is named as the place of the error, if not the typed name.
    """
    names = list(known)
    remedy = did_you_mean(typed, names, then=f"Choose from {', '.join(names)}.")
    return UsageError(f"Unknown {noun}", where=where or typed[:60], remedy=remedy)


Unit = Literal["tokens", "chars", "bytes"]

LARGEST_BUDGET = 1_000_000_000  # Larger budgets are more likely typing errors

LARGEST_DURATION_DAYS = 1_000_000.0

_BUDGET_EXAMPLES = "Write it like 1200, 2k, `10000 chars` or `32 KiB`; a number alone is tokens."
_DURATION_EXAMPLES = "Write it like 36h, 90d, 2w, `6 months` or 1y; a number alone is days."
_DAY_EXAMPLES = "Write it like 2026-01-31 or 2026-01-31T09:30:00Z."

_NUMBER = r"(?P<number>[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]{1,15}(?:\.[0-9]{1,6})?)"
_BUDGET = re.compile(
    _NUMBER + r"\s*(?P<factor>[kmg]?)(?P<binary>i?)\s*(?P<unit>tokens?|toks?|t|characters?|chars?|c|bytes?|b|)",
    re.IGNORECASE,
)
_UNITS: dict[str, Unit] = {"": "tokens", "t": "tokens", "c": "chars", "b": "bytes"}
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}

_DURATION = re.compile(
    _NUMBER + r"\s*(?P<unit>h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?|ks?)?|mo(?:nths?|s)?|y(?:ears?|rs?)?|)", re.IGNORECASE
)
_DAYS = {"h": 1 / 24, "": 1.0, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest size of a payload, in tokens, characters or bytes."""

    amount: int
    unit: Unit

    def __str__(self) -> str:
        """Return it as people write it, e.g. `1,200 tokens`."""
        return f"{self.amount:,} {self.unit}"


def parse_budget(text: str) -> Budget:
    """Return a budget from `1200`, `2k`, `10000 chars` or `32 KiB`; k is 1000, Ki is 1024, 0 is allowed.

    Raises `UsageError`: it is not a size; the message shows how to write one.
    """
    found = _BUDGET.fullmatch(text.strip())
    unit = _UNITS[found["unit"][:1].lower()] if found else "tokens"
    if not found or (found["binary"] and not (found["factor"] and unit == "bytes")):
        raise UsageError(_complaint(text, "not a budget"), where=text[:60], remedy=_BUDGET_EXAMPLES)
    base = 1024 if found["binary"] else 1000
    amount = int(_number(found) * base ** _POWERS[found["factor"].lower()])
    if amount > LARGEST_BUDGET:
        raise UsageError(f"a budget above {LARGEST_BUDGET:,}", where=text[:60], remedy=_BUDGET_EXAMPLES)
    return Budget(amount, unit)


def parse_duration(text: str) -> float:
    """Return days from `36h`, `90d`, `2w`, `6 months` or `1y`; a month counts 30 days, a year 365.

    Raises `UsageError`: it is not a duration; the message shows how to write one.
    """
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise UsageError(_complaint(text, "not a duration"), where=text[:60], remedy=_DURATION_EXAMPLES)
    days = float(_number(found)) * _DAYS[found["unit"][:1].lower()]
    if days > LARGEST_DURATION_DAYS:
        raise UsageError(
            f"a duration of more than {LARGEST_DURATION_DAYS:,.0f} days", where=text[:60], remedy=_DURATION_EXAMPLES
        )
    return days


def parse_day(text: str) -> datetime:
    """Return the UTC time of a day (its start) or of an ISO 8601 time; without a zone it is UTC.

    Raises `UsageError`: it is neither; the message shows how to write one.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError("not a date", where=text[:60], remedy=_DAY_EXAMPLES) from error


def _number(found: re.Match[str]) -> Decimal:
    return Decimal(found["number"].replace(",", "").replace("_", ""))


def _complaint(text: str, otherwise: str) -> str:
    return "a negative amount" if re.match(r"\s*[-\u2212]\s*[0-9]", text) else otherwise


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # Replaces a control character, which must not reach the terminal

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANK = frozenset("\t\n\r\x0b\x0c\x85")
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_FIRST_FLAG_LETTER = 0x1F1E6
# Variation selectors, joiners and skin tones between emoji, the letters of flags, and the tags behind a black flag.
_UNSTEADY = re.compile(
    f"[\ufe0e\ufe0f\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])|(?<=[{_EMOJI}\ufe0f])[\U0001f3fb-\U0001f3ff]"
)
# Code points looked at per cell: more than any emoji has, and the cost of a 1 MB title stays that of a short one.
_LONGEST_GRAPHEME = 32


def cell_width(text: str) -> int:
    """Return how many cells a line takes; a control character takes one, for its replacement."""
    if text.isascii() or (text.endswith("…") and text[:-1].isascii()):
        return len(text)  # an English title, cut or not, loads no tables
    from wcwidth import width

    return width(_printable(text))


def steady(text: str) -> str:
    """Return a text with its emoji in forms that every terminal gives the same width.

    Terminals disagree on emoji made of several code points: tmux 3.3 gives a heart with a variation selector one cell
    where others give two, which shifts the rest of the line. So emoji lose selectors and skin tones, joined emoji are
    separated, and a flag becomes its two letters.
    """
    if text.isascii() or not _UNSTEADY.search(text):
        return text
    return _UNSTEADY.sub(_steadied, text)


def _steadied(match: re.Match[str]) -> str:
    place = ord(match.group()) - _FIRST_FLAG_LETTER
    return chr(ord("A") + place) if 0 <= place < 26 else ""  # noqa: PLR2004 - letters


def clip(text: str, cells: int) -> str:
    """Return a line cut to at most that many cells, ending in … if something was cut off.

    Control characters become U+FFFD, white space becomes blanks.
    """
    if cells <= 0:
        return ""
    head = _printable(text[: cells * _LONGEST_GRAPHEME])
    if len(head) == len(text) and cell_width(head) <= cells:
        return head
    return (head[: cells - 1] if head.isascii() else _fitting(head, cells - 1)) + "…"


_WORD_CELLS = 14  # A cut goes back to the end of the word before it by no more than this


def clip_at_word(text: str, cells: int) -> str:
    """Return a line as `clip` does, cut after a whole word where that loses little."""
    shown = clip(text, cells)
    if not shown.endswith("…") or shown == text or text[len(shown) - 1 : len(shown)].isspace():
        return shown
    head, space, rest = shown[:-1].rpartition(" ")
    return f"{head.rstrip(' ,;:–—-(')}…" if space and head and len(rest) <= min(_WORD_CELLS, cells // 2) else shown


def clip_start(text: str, cells: int) -> str:
    """Return a line cut to at most that many cells, beginning with … if it was cut: of a path the end says most."""
    if cells <= 0:
        return ""
    tail = _printable(text[-cells * _LONGEST_GRAPHEME :])
    if len(tail) == len(text) and cell_width(tail) <= cells:
        return tail
    return next((f"…{tail[start:]}" for start in range(len(tail)) if cell_width(tail[start:]) < cells), "…")


_NUMBERED = re.compile(
    r"(?:[^\W\d_]{1,8}[-_ ]?)?\d+(?![^\W_])"
)  # What a file is called by: `ADR-0012` of `ADR-0012-bounded.md`
_LINE = re.compile(r":\d+(?:[-–]\d+)?$")


def clip_path(path: str, cells: int) -> str:
    """Return a path cut at its beginning as `clip_start` does, with its line number kept.

    A file that is known by a number keeps that instead of its end: `ADR-0012-bou…:1`.
    """
    line = _LINE.search(path)
    shown, place = path[: line.start()] if line else path, line[0] if line else ""
    room = cells - cell_width(place)
    if cell_width(path) <= cells or not shown or room < _LEAST_PATH:
        return clip_start(path, cells)
    name = shown.rstrip("/").rpartition("/")[2]
    number = _NUMBERED.match(name)
    kept = clip_start(shown, room)
    if number and number[0] not in kept and cell_width(number[0]) < room:
        kept = clip(name, room)
    return kept + place


_LEAST_PATH = 2  # Cells for a letter and …


def shorten(text: str, most: int) -> str:
    """Return a text of at most so many characters, ending in … if something was cut off."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def some_of(names: Collection[str], most: int, separator: str = ", ") -> str:
    """Return the first names of many, followed by … if some are left out."""
    return separator.join(islice(names, most)) + (" …" if len(names) > most else "")


def pad(text: str, cells: int) -> str:
    """Return a line cut or filled with blanks to exactly that many cells."""
    clipped = clip(text, cells)
    return clipped + " " * (cells - cell_width(clipped))


def _fitting(text: str, cells: int) -> str:
    from wcwidth import iter_graphemes, width

    end = used = 0
    for grapheme in iter_graphemes(text):
        used += width(grapheme)
        if used > cells:
            break
        end += len(grapheme)
    return text[:end]


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return _CONTROL.sub(lambda match: " " if match.group() in _BLANK else REPLACEMENT, text)


def bar(share: float, cells: int) -> str:
    """Return a bar of halves of a cell, padded to its cells; a share above 0 is visible.

    It is a line rather than a block: blocks in rows one below the other would make a wall.
    """
    halves = round(max(0.0, min(1.0, share)) * cells * 2)
    full, rest = divmod(max(1, halves) if share > 0 else 0, 2)
    return ("━" * full + "╸" * rest).ljust(cells)
