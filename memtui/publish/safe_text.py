"""How texts have to stand in files of others: safe within a managed block, with links that lead on from there."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from memtui.domain.memory import Memory

_FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_INNER_FENCE = re.compile(r"(?P<before>\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+)+)(?P<fence>`{3,}|~{3,})")
_TAG = re.compile(r"</?[a-z]+-mem-context>", re.IGNORECASE)
_SHELL_MARKER = re.compile(r"^([ \t]*)#(?=[ \t]*-{3,}[ \t]*(?:BEGIN|END)\b)", re.IGNORECASE)
_CODE_INDENT = "    "


def for_block(payload: str) -> str:
    """Return a payload with its code indented instead of fenced, and what could break out of a block defused."""
    return "\n".join(map(_defused, _unfenced(payload.split("\n"))))


def _unfenced(lines: list[str]) -> list[str]:
    """Return lines of Markdown with the code of fences indented, an empty line before and after it."""
    found: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.fullmatch(line)
        if fence:
            if mark and mark["fence"].startswith(fence) and not mark["info"].strip():
                fence = ""
                found.append("")
            else:
                found.append(_CODE_INDENT + line if line.strip() else "")
        elif mark and (mark["fence"][0] == "~" or "`" not in mark["info"]):
            fence = mark["fence"]
            if found and found[-1].strip():
                found.append("")
        else:
            found.append(_INNER_FENCE.sub(lambda one: one["before"] + "'" * len(one["fence"]), line))
    return found


def _defused(line: str) -> str:
    line = line.replace("<!--", "\u2039!--").replace("-->", "--\u203a").replace("\0", "")
    line = _TAG.sub(lambda tag: "\u2039" + tag[0][1:], line)
    return _SHELL_MARKER.sub(r"\1\\#", line)


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
