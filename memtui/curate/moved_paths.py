"""The path of a file that moved, in the texts of the memories that are tied to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.domain.memory import Memory
from memtui.domain.scope import plain_path


@dataclass(frozen=True, slots=True)
class Moves:
    """Where files went.

    Attributes:
        paths: per memory id, old path to new path.
        named: the memories whose texts name an old path.
        maybe: the old and the new path of files of which only the name tells where they are.
    """

    paths: Mapping[str, Mapping[str, str]]
    named: Sequence[Memory] = ()
    maybe: Collection[tuple[str, str]] = frozenset()


def with_new_paths(memory: Memory, paths: Mapping[str, str]) -> Memory:
    """Return a memory whose texts name the new paths of files instead of the old ones; itself where they name none.

    `paths`: old path to new path. A path is replaced where it stands whole, from the root of the project or from the
    folder of the memory's source; one without a folder only in backticks, and only if it has an extension: `run` and
    `docs` are words, too.
    """
    folder = (memory.source.path or "").rpartition("/")[0] if memory.source else ""
    said = dict(_spellings(paths, folder))
    return replace(
        memory,
        title=_renamed(memory.title, said),
        insight=_renamed(memory.insight, said),
        rationale=_renamed(memory.rationale, said),
        snippet=_renamed(memory.snippet, said),
    )


def that_name_old_paths(memories: Iterable[Memory], moves: Mapping[str, Mapping[str, str]]) -> list[Memory]:
    """Return the memories whose texts name an old path. `moves`: per memory id, old path to new path."""
    return [memory for memory in memories if with_new_paths(memory, moves.get(memory.id, {})) != memory]


def _spellings(paths: Mapping[str, str], folder: str) -> Iterator[tuple[str, str]]:
    """Yield old and new spellings of paths; from a folder only what lies below folders of it, not a mere file name."""
    for old, new in paths.items():
        before, after = plain_path(old), plain_path(new)
        if not before or not after:
            continue
        yield before, after
        beside, beside_new = before.removeprefix(f"{folder}/"), after.removeprefix(f"{folder}/")
        if folder and "/" in beside and beside != before and beside_new != after:
            yield beside, beside_new


def _renamed(text: str, said: Mapping[str, str]) -> str:
    """Return a text with each whole path replaced at once, so that no new one is taken for another old one."""
    named = sorted((old for old in said if old in text and _is_path(old)), key=len, reverse=True)
    if not named:
        return text
    one_of = "|".join(re.escape(old) if "/" in old else rf"(?<=`){re.escape(old)}(?=`)" for old in named)
    whole = re.compile(rf"(?<![\w./-])(?:{one_of})(?![\w/-]|\.\w)")
    return whole.sub(lambda found: said[found[0]], text)


def _is_path(name: str) -> bool:
    """Return whether what a text says is a path whatever stands around it, or may be one in backticks."""
    return "/" in name or "." in name.strip(".")
