"""Links of a memory as they are to stand in a file of another folder than the one that the memory was read from."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from memtui.domain.memory import Memory

_LINK = re.compile(
    r"(?<!`)(?P<ticks>`++).{1,4000}?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<label>\[[^\[\]\n]{0,300})?\]\((?P<target>[^()\s<>]{1,400})(?=[\s)])",
    re.DOTALL,
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/#?\\]", re.IGNORECASE)


def rebased(text: str, memory: Memory, root: Path, folder: Path) -> str:
    """Return a text of a memory with its relative links written for a file in a folder.

    A link is left as it is in code, and where it leads to nothing in the repository from any source of the memory.
    """
    if "](" not in text:
        return text
    homes = [
        (root / source.path).parent for source in memory.sources if source.path and not Path(source.path).is_absolute()
    ]

    def written(link: re.Match[str]) -> str:
        target = link["target"] or ""
        path, end = _parted(target)
        found = _found(path, homes, root) if path and not _ELSEWHERE.match(path) else None
        if found is None:
            return link[0]
        anew = os.path.relpath(found, folder) + ("/" if path.endswith("/") else "")
        label = link["label"] or ""
        if label.strip("[`") == path:
            label = label.replace(path, anew)
        return f"{label}]({anew}{end}"

    return _LINK.sub(written, text)


def _parted(target: str) -> tuple[str, str]:
    """Return the path of a link, and its query and fragment."""
    path = re.split(r"[#?]", target, maxsplit=1)[0]
    return path, target[len(path) :]


def _found(path: str, homes: Sequence[Path], root: Path) -> Path | None:
    """Return the file of the repository that a path leads to from the first folder where it does."""
    for home in homes:
        file = Path(os.path.normpath(home / path))
        if file.is_relative_to(root) and file.exists():
            return file
    return None
