"""What a task is about, and what sort of work: whether code is written, mended or only asked about."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from memtui.recall.result import Task
from memtui.text.tokens import query_terms

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


_FILES_OF_TASK = 5  # Files whose names tell what the task is about
_READ_OF_TASK = 2_000  # Characters of a task that are looked at: what is to be done stands at the start

_DOING = frozenset(query_terms("make use get need want do"))
"""Words of nearly every task: that a memory holds them too is no evidence."""


def words_of(task: Task, *, with_folders: bool = False) -> frozenset[str]:
    """Return the words of a task and of the names of its files, stemmed.

    `with_folders`: whether the names of the folders that they lie in belong to them.
    """
    paths = [PurePosixPath(file) for file in task.files[:_FILES_OF_TASK]]
    names = [path.stem for path in paths] + [path.parent.name for path in paths if with_folders]
    return frozenset(query_terms(" ".join((task.text[:_READ_OF_TASK], *names)))) - _DOING
