"""The folders that a drawn or indented tree of files begins with, and the types that a list in brief names."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = r"([\w@.-][\w@.*/-]{0,60})"
_BRANCH = re.compile(rf"(\s*(?:[│|]\s+)*)(?:[├└]|[|`+](?=-))[─-]*\s*{_NAME}")
_INDENTED = re.compile(rf"([ \t]*){_NAME}(?:\s{{2,}}\S.*|\s+(?:#|//|[—–-]|←|=|:).*|\s*)$")
_COMMON_ROOT = re.compile(r"(?:src|app|lib|packages|\.+)/")
_ROOT = re.compile(r"\s*([\w@.-][\w@./-]{0,60}/)(?:\s|$)")
_LISTS_SHARE = 0.7
_TYPE = re.compile(r"([A-Z]\w{1,40})(?:<[^<>]{1,40}>)?\s*(\{(?!\{)|=\s[\"'])")
_TYPES_END = re.compile(r"\s|[})\]]+[;,]?$|#|//|/\*|--")


def folders_of(lines: Sequence[str]) -> list[str]:
    """Return the outermost folders of a tree, those below its root where it has one; empty for anything else."""
    lines = [line.rstrip() for line in lines if line.strip()]
    if drawn := [entry for line in lines if (entry := _BRANCH.match(line))]:
        roots = _roots(lines)
        return roots if len(roots) > 1 else _outermost(drawn)
    found = [entry for line in lines if (entry := _INDENTED.match(line))]
    if len(found) <= 1 or len(found) < _LISTS_SHARE * len(lines) or not _are_folders(found):
        return []
    at_margin = [entry for entry in found if len(entry[1]) == len(found[0][1])]
    return _outermost(found[1:] if len(at_margin) == 1 else found)


def _roots(lines: Sequence[str]) -> list[str]:
    """Return the folders at the margin."""
    return [root[1] for line in lines if not line[0].isspace() and (root := _ROOT.match(line))]


def types_of(lines: Sequence[str]) -> list[str]:
    """Return the types that every line at the margin lists, as in `Berth { id, depth }`; else nothing."""
    listed = [_TYPE.match(line) for line in lines if line.strip() and not _TYPES_END.match(line)]
    has_fields = any(found and found[2] == "{" for found in listed)
    return list(dict.fromkeys(found[1] for found in listed if found)) if has_fields and all(listed) else []


def begins_tree(lines: Sequence[str]) -> bool:
    """Return whether lines begin with a folder, as a tree does in whatever language it is marked."""
    return bool(lines) and bool(_ROOT.match(lines[0]))


def root_of(lines: Sequence[str]) -> str:
    """Return the folder that a tree is drawn below, empty where it names none, or one that every project has."""
    root = _ROOT.match(lines[0]) if len(lines) > 1 and _BRANCH.match(lines[1]) else None
    return root[1] if root and not _COMMON_ROOT.fullmatch(root[1]) else ""


def _are_folders(found: Sequence[re.Match[str]]) -> bool:
    return found[0][2].endswith("/") and any(entry[1] != found[0][1] for entry in found)


def _outermost(found: Sequence[re.Match[str]]) -> list[str]:
    """Return the entries with the least indentation, folders alone if there are several."""
    least = min(len(entry[1]) for entry in found)
    names = [entry[2] for entry in found if len(entry[1]) == least]
    folders = [name for name in names if name.endswith("/")]
    return folders if len(folders) > 1 else names
