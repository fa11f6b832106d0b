"""Import statements of a source file, before they are resolved in the working tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtui.recall.imports.sources import SourceTree

LINE_COMMENT = r"//[^\n]*+"
BLOCK_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
DOUBLE_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"?'
SINGLE_QUOTED = r"'(?:[^'\\\n]++|\\.)*+'?"
"""Strings that end with their line even where the quote is missing."""

COMMENT = f"(?:{LINE_COMMENT}|{BLOCK_COMMENT})"
GAP = rf"(?:\s++|{COMMENT})*+"
"""White space and comments."""


IMPORTED, USED, SAME_PACKAGE = "imported", "used", "same-package"
"""How one file is tied to another."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One import, declaration or use.

    Attributes:
        kind: what it is, in the words of its language's module.
        path: the module, specifier or name as written, without quotes and white space.
        names: names taken from it.
    """

    kind: str
    path: str
    names: tuple[str, ...] = ()


MOST_WORDS = 20_000
"""Words of one file that are looked up in its tree; more stand in generated files."""


@dataclass(frozen=True, slots=True)
class Language:
    """How files of one language are read and how their statements are resolved.

    Attributes:
        name: as people say it.
        read: from the source text to statements.
        resolve: from a tree, a file of it, its statements and whether the file is in hand, to pairs of a file and
            how it is tied to the first.
    """

    name: str
    read: Callable[[str], Iterator[Statement]]
    resolve: Callable[[SourceTree, str, Sequence[Statement], bool], Iterable[tuple[str, str]]]
