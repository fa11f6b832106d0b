"""Parse source text to import statements by the language of the file."""

from __future__ import annotations

import posixpath
from functools import cache
from itertools import islice
from typing import Literal

from memtui.recall.imports.statements import Language, Statement

Tongue = Literal["python", "javascript", "go", "rust", "java"]

BY_SUFFIX: dict[str, Tongue] = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}

MOST_STATEMENTS = 2_000
"""Statements of one file that are kept; more stand in generated lists."""


def language_of(path: str) -> Language | None:
    """Return the language of a file by its name, None if its imports cannot be read."""
    tongue = BY_SUFFIX.get(posixpath.splitext(path)[1].lower())
    return _language(tongue) if tongue is not None else None


def parse(source: bytes, language: Language) -> tuple[Statement, ...]:
    """Return the statements of a file that name other files; bytes that are no UTF-8 are replaced."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return tuple(dict.fromkeys(islice(language.read(text), MOST_STATEMENTS)))


@cache
def _language(tongue: Tongue) -> Language:
    """Return a language; only those that are met are loaded, as compiling the patterns of all takes 30 ms."""
    if tongue == "python":
        from memtui.recall.imports.python import PYTHON as LANGUAGE
    elif tongue == "javascript":
        from memtui.recall.imports.javascript import JAVASCRIPT as LANGUAGE
    elif tongue == "go":
        from memtui.recall.imports.golang import GO as LANGUAGE
    elif tongue == "rust":
        from memtui.recall.imports.rust import RUST as LANGUAGE
    else:
        from memtui.recall.imports.java import JAVA as LANGUAGE
    return LANGUAGE
