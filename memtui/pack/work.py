"""What sort of work a task is, by its words and files: whether code is written, mended or only asked about."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

Sort = Literal["code", "docs", "plain", "look"]
"""A file is code, text for people, plain data such as configuration and pictures, or says how something looks."""

_ENDINGS: dict[Sort, str] = {
    "docs": ".md .mdx .rst .txt .adoc",
    "plain": ".yml .yaml .json .jsonc .toml .xml .svg .png .jpg .gif .ico .lock .webmanifest .cfg .ini .conf .props"
    " .resx .xlf .po .csv .properties .env",
    "look": ".html .css .scss .sass .less .sh .ps1 .bat",
}
_SORTS: dict[str, Sort] = {ending: sort for sort, endings in _ENDINGS.items() for ending in endings.split()}
_TEXTS = frozenset({"license", "readme", "changelog", "notice", "authors", "contributing"})

_ASKS = re.compile(
    r"\b(?:why|explain|what|how does|tell me|find out|don't change|do not change|just tell)\b", re.IGNORECASE
)
_RUNS = re.compile(r"^\W*(?:run|restart|start|stop|deploy|commit|buy)\b", re.IGNORECASE)
_MENDS = re.compile(
    r"\b(?:fix|crash\w*|fails?|failing|wrong|broken|bug|catch|lost|leak\w*|hangs?|times? out|empty|corrupt|missing)\b",
    re.IGNORECASE,
)
_OF_WHAT_IS_NEW = re.compile(
    r"\b(?:(?:new|all|every|each|any)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:code|features?|functions?|functionality|changes?|paths?|modules?|endpoints?|behaviou?rs?|components?|services?)"
    r"|bug ?-?fix(?:es)?)\b",
    re.IGNORECASE,
)
BEGINNING = 220  # Characters of a memory in which it says what it holds for


@dataclass(frozen=True, slots=True)
class Work:
    """What a task is about to do.

    Attributes:
        is_plain: whether all files in hand are plain data.
        is_docs: whether all of them are texts for people.
        writes: whether there is code in hand, and the task wants more than an answer or a command.
        asks: whether it wants an answer.
        mends: whether something fails.
    """

    is_plain: bool = False
    is_docs: bool = False
    writes: bool = False
    asks: bool = False
    mends: bool = False

    @classmethod
    def of(cls, text: str, files: Collection[str]) -> Work:
        sorts = {sort_of(file) for file in files}
        asks = bool(_ASKS.search(text))
        return cls(
            is_plain=sorts == {"plain"},
            is_docs=sorts == {"docs"},
            writes="code" in sorts and not asks and not _RUNS.search(text),
            asks=asks,
            mends=bool(_MENDS.search(text)),
        )


@lru_cache(maxsize=1_000)
def sort_of(file: str) -> Sort:
    """Return the sort of a file by its name."""
    path = PurePosixPath(file)
    if path.name.startswith(".") or not path.suffix:
        return "docs" if path.name.lower() in _TEXTS else "plain"
    return _SORTS.get(path.suffix.lower(), "code")


def holds_for_what_is_new(title: str, insight: str) -> bool:
    """Return whether a memory begins by speaking of all code, or of what is made anew."""
    return bool(_OF_WHAT_IS_NEW.search(f"{title}\n{insight[:BEGINNING]}"[: len(title) + BEGINNING]))
