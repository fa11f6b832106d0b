"""Where each assistant's published memories go, the settings of its rule files, and how texts have to stand there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtui.domain.memory import Memory
from memtui.errors import UsageError
from memtui.text.tables import read_table
from memtui.text.words import did_you_mean
from memtui.tree import is_outside
from memtui.workspace import find_workspace

_PLAIN_GLOB = re.compile(r"[^\s,{}\"'\\\[\]#&!|>%@`<]+")
"""A pattern that every assistant reads alike: one per comma, no spaces, no braces, no quotes."""

_LONGEST_SLUG = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where an assistant reads what is published for it."""

    target: str  # the payload's target, and the block's id
    label: str
    path: str  # the file, relative to the repository
    aliases: tuple[str, ...] = ()
    head: str = ""  # settings at the top of a rule file of memtui's own
    own: bool = False  # whether the file is memtui's own although it has no settings
    scoped: str = ""  # the rule file for memories that are about certain files; empty: they stand with the others
    scoped_head: str = ""  # its settings, with `{paths}`
    globs: str = ""  # how they name the paths: `comma`, `list` or `quoted`
    instead: str = ""  # where this is a regular file, the block goes into it, and nothing is scoped
    base: str = ""  # `claude-memory`: the path is relative to Claude Code's memory folder for this repository

    @property
    def is_rule(self) -> bool:
        """Whether the file is memtui's own."""
        return bool(self.head) or self.own


@cache
def places() -> tuple[Place, ...]:
    """Return the places of the table, in its order."""
    return tuple(Place(**_settings(row)) for row in read_table(__file__, "places.toml")["places"])


def _settings(row: Mapping[str, Any]) -> dict[str, Any]:
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    texts = {key: value.lstrip("\n") for key, value in row.items() if isinstance(value, str)}
    return {**row, **lists, **texts}


def place_names() -> tuple[str, ...]:
    """Return every name of a place, aliases too."""
    return tuple(name for place in places() for name in (place.target, *place.aliases))


def place_named(name: str) -> Place:
    """Return the place of a target or an alias. Raises `UsageError`: there is none."""
    wanted = name.strip().lower()
    found = next((place for place in places() if wanted in (place.target, *place.aliases)), None)
    if found is None:
        hint = did_you_mean(wanted, place_names(), then=f"Known: {', '.join(place_names())}.")
        raise UsageError("Nothing can be published to this target", where=name[:60], remedy=hint)
    return found


def claude_folder() -> Path:
    """Return Claude Code's folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(chosen).expanduser() if chosen else Path.home() / ".claude"


def base_of(place: Place, root: Path) -> Path:
    """Return the folder that a place's files must lie in."""
    if place.base != "claude-memory":
        return root
    # All checkouts of a repository share the memory of the main one.
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(find_workspace(root).main_root))
    if len(slug) > _LONGEST_SLUG:
        slug = slug[:_LONGEST_SLUG] + sha256(slug.encode()).hexdigest()[:8]
    return claude_folder() / "projects" / slug / "memory"


def folder_published_in(path: Path, target: str) -> Path:
    """Return the folder that the path of a place's file is relative to; its own for a file that a person named."""
    place = next((one for one in places() if one.target == target), None)
    for relative in () if place is None else (place.path, place.scoped):
        parts = Path(relative).parts
        if parts and path.parts[-len(parts) :] == parts:
            return path.parents[len(parts) - 1]
    return path.parent


def globs_of(memory: Memory) -> tuple[str, ...]:
    """Return the patterns of the files that a memory is about; none where one of them cannot be written as such."""
    found = []
    for anchor in memory.anchors:
        plain = anchor.path.split("::", 1)[0].removeprefix("./")
        if is_outside(plain) or not _PLAIN_GLOB.fullmatch(plain):
            return ()
        found.append(f"{plain}**" if plain.endswith("/") else plain)
    return tuple(dict.fromkeys(found))


def split_by_files(memories: Iterable[Memory]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the ids of memories that always hold, and the patterns of those that are about certain files."""
    always: list[str] = []
    scoped: dict[str, tuple[str, ...]] = {}
    for memory in memories:
        globs = () if memory.pinned else globs_of(memory)
        if globs:
            scoped[memory.id] = globs
        else:
            always.append(memory.id)
    return always, scoped


def head_for(place: Place, globs: Sequence[str]) -> str:
    """Return the settings of a rule file for these patterns; those of the file that always holds without any."""
    if not globs:
        return f"{place.head}\n" if place.head else ""
    ordered = sorted(dict.fromkeys(globs))
    written = {
        "comma": ",".join(ordered),
        "quoted": f'"{",".join(ordered)}"',
        "list": "\n".join(f'  - "{glob}"' for glob in ordered),
    }[place.globs]
    return place.scoped_head.replace("{paths}", written) + "\n"


_FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_INNER_FENCE = re.compile(r"(?P<before>(?:[-*+>]|\d[.)])\s+)(?P<fence>`{3,}|~{3,})")
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
