"""What a task calls for by name: rules of what it is as a whole, of a place that it names, of a file in hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from memtui.domain.memory import Memory
from memtui.domain.scope import plain_path
from memtui.pack.topics import words_of_path
from memtui.recall.anchors import folders_of, strength

_MAKES = r"^\W*(?:prepare|create|open|draft|write|make|submit|raise|send|file|cut|publish|tag|update)\s+(?:[\w'-]+\s+)"
ACTS = tuple(
    (re.compile(act, re.IGNORECASE), re.compile(title, re.IGNORECASE))
    for act, title in (
        (_MAKES + r"{0,6}?(?:pull request|merge request|pr)\b", r"\b(?:pull requests?|merge requests?|prs?)\b"),
        (rf"^\W*commit\b|{_MAKES}{{0,3}}?commits?\b", r"\bcommit"),
        (_MAKES + r"{0,3}?(?:changelog|release notes)\b", r"\bchangelog|\brelease notes"),
        (rf"^\W*release\s+\w|{_MAKES}{{0,3}}?releases?\b", r"\breleas"),
    )
)
"""What a task may be as a whole, whatever file is in hand, and what the title of a rule of it names."""


_DUE = re.compile(
    r"\b(?:when(?:ever)?|if|after|before|for (?:any|every|all)|on (?:any|every))\b[^.;\n]{0,60}?"
    r"\b(?:chang|edit|touch|modif|alter)\w*[^.;]{0,160}$",
    re.IGNORECASE,
)
"""What says that a rule holds when something is changed; the place follows."""

BEFORE = 300  # Characters before the name of a place in which a rule says that it holds for changes there


def titles_called_for(task: str) -> list[re.Pattern[str]]:
    """Return what the title of a memory names that is about what a task is as a whole."""
    return [title for act, title in ACTS if act.search(task)]


def is_due(memory: Memory, files: Sequence[str]) -> bool:
    """Return whether a memory says itself that it holds when a place is changed that has a file in hand.

    However deep the file lies below it: "Run the contract tests when you change: `src/ports/`".
    """
    return bool(files) and any(_DUE.search(before) for before in _before_places(memory, files))


def _before_places(memory: Memory, files: Sequence[str]) -> Iterator[str]:
    """Yield what stands before each place that a memory names and that has one of some files."""
    text = f"{memory.title}\n{memory.insight}"
    for anchor in memory.anchors:
        plain = plain_path(anchor.path)
        if plain and plain in text and any(strength(anchor.path, file) for file in files):
            for found in re.finditer(re.escape(plain), text):
                yield text[max(0, found.start() - BEFORE) : found.start()]


def is_asked_for(memory: Memory, named: frozenset[str]) -> bool:
    """Return whether a task names what a memory holds for, wherever it stands: `services.yaml` of `**/services.yaml`.

    `named`: the words of the task and of the names of its files.
    """
    return any(
        words and words <= named
        for anchor in memory.anchors
        if anchor.is_glob
        for words in _names_of_places(anchor.path)
    )


LEAST_STEM = 4  # Characters of a name from which a longer word stands for it: `language` for `lang/`


def is_of_folder_unnamed(memory: Memory, words: frozenset[str]) -> bool:
    """Return whether a memory comes from the rule files of a folder alone, and a task does not name that folder.

    A folder is named by all words of one of the parts of its path. `words`: those of the task.
    """
    folders = folders_of(memory)
    if not folders or not all((one.path or "").startswith(tuple(f"{at}/" for at in folders)) for one in memory.sources):
        return False
    parts = [words_of_path(part) for folder in folders for part in folder.split("/")]
    return bool(memory.sources) and not any(part and all(_is_said(one, words) for one in part) for part in parts)


def _is_said(name: str, words: frozenset[str]) -> bool:
    return name in words or (len(name) >= LEAST_STEM and any(word.startswith(name) for word in words))


@lru_cache(maxsize=1_000)
def _names_of_places(glob: str) -> tuple[frozenset[str], ...]:
    """Return the words of each name that a pattern gives to what may stand anywhere: of each part behind `**`."""
    _, _, anywhere = glob.partition("**/")
    *folders, file = anywhere.split("/")
    return tuple(words_of_path(part) for part in (*folders, PurePosixPath(file).stem))
