"""What a payload says beside a memory: where alone it holds, before it, and the files that it is tied to, behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from memtui.domain.memory import Anchor
from memtui.domain.scope import matches, plain_path
from memtui.pack.targets.base import PackItem, PayloadInfo, clean_line
from memtui.recall.anchors import strength
from memtui.text.braces import names_path

MOST_FILES = 2  # Files, and places, that are named beside a memory
_TOLD_STATES = ("changed", "moved", "gone")
_BELOW = "/**"
_LABEL_END = re.compile(r"/?(?: > |: | [\u2014\u2013] )(?=\S)")


def place_before(item: PackItem, info: PayloadInfo) -> str:
    """Return where alone a memory holds, as the beginning of a line: `In crates/quay/`, `For **/*.sql`.

    Empty where it holds anywhere, and where all files in hand lie there.
    """
    places = places_told(item, info)
    if not places:
        return ""
    known = [f"{place.removesuffix(_BELOW)}/" if _is_folder(place) else place for place in map(clean_line, places)]
    shown = known[:MOST_FILES] if len(known) > MOST_FILES + 1 else known
    others = [f"{len(known) - len(shown)} others"] if len(shown) < len(known) else []
    *before, last = [*shown, *others]
    return f"{'In' if all(map(_is_folder, places)) else 'For'} {', '.join(before)}{' and ' if before else ''}{last}"


def places_told(item: PackItem, info: PayloadInfo) -> Sequence[str]:
    """Return the patterns of files for which alone a memory holds, where one of the files in hand fits none of them.

    Where all fit, what names files by their paths from there still says it. None where a memory is tied to something
    else as well that neither lies there nor is named in its text, or that is in hand.
    """
    if not info.has_sections:
        return ()
    anchors = item.memory.anchors
    places = [one.path for one in anchors if one.is_glob and item.states.get(one.path) not in _TOLD_STATES]
    others = [one.path for one in anchors if one.path not in places]
    text = _text_of(item)
    if _holds_anywhere(places, others, text, info) or _is_known_here(places, others, text, info):
        return ()
    return [place for place in places if place not in text]


def _holds_anywhere(places: Sequence[str], others: Sequence[str], text: str, info: PayloadInfo) -> bool:
    """Return whether a memory is tied to all files, or to something else that is elsewhere or in hand."""
    return (
        any(not plain_path(place).strip("*/") for place in places)
        or any(_fits(others, file) for file in info.files)
        or any(_is_elsewhere(path, places, text) for path in others)
    )


def _is_known_here(places: Sequence[str], others: Sequence[str], text: str, info: PayloadInfo) -> bool:
    """Return whether all files in hand lie where a memory holds, and it names no file by its path from there on."""
    is_here = bool(info.files) and all(_fits(places, file) for file in info.files)
    return is_here and not (info.says_places_once and _names_from(places, others, text))


def _names_from(places: Sequence[str], paths: Sequence[str], text: str) -> bool:
    """Return whether a text names any of some paths only from a folder on, so that it has to be known."""
    folders = [place.removesuffix("**") for place in places if _is_folder(place)]
    return any(
        path.startswith(folder) and path not in text and "/" in (rest := path.removeprefix(folder)) and rest in text
        for path in map(plain_path, paths)
        for folder in folders
    )


def without_places(items: Sequence[PackItem], info: PayloadInfo) -> Sequence[PackItem]:
    """Return memories whose titles and texts do not begin with the folder that is said before them.

    `crates/quay > Rules: Moor twice` and `quay: Moor twice` stand behind `In crates/quay/:`.
    """
    return [_without_place(item, info) for item in items] if info.says_places_once else items


def _without_place(item: PackItem, info: PayloadInfo) -> PackItem:
    folders = [place.removesuffix(_BELOW) for place in places_told(item, info) if _is_folder(place)]
    if len(folders) != 1:
        return item
    memory, parts = item.memory, folders[0].split("/")
    labels = ["/".join(parts[start:]) for start in range(len(parts))]
    title, insight = (_behind_label(text, labels) for text in (memory.title, memory.insight))
    return item if not title or not insight else replace(item, memory=replace(memory, title=title, insight=insight))


def _behind_label(text: str, labels: Sequence[str]) -> str:
    """Return a text behind the longest of some labels that it begins with, as it is without one."""
    for label in labels:
        found = _LABEL_END.match(text, len(label)) if text.startswith(label) else None
        if found:
            return text[found.end() :]
    return text


def _is_elsewhere(path: str, places: Sequence[str], text: str) -> bool:
    """Return whether a memory is tied to a path that neither lies in its places nor is named in its text."""
    return not (Anchor(path).is_glob or _lies_in(places, path) or names_path(text, plain_path(path)))


def _is_folder(place: str) -> bool:
    return place.endswith(_BELOW) and not any(mark in place.removesuffix(_BELOW) for mark in "*?[{")


def _lies_in(places: Sequence[str], path: str) -> bool:
    plain = plain_path(path)
    return any(matches(place, plain) or place == f"{plain}{_BELOW}" for place in places)


def _fits(places: Sequence[str], file: str) -> bool:
    """Return whether a file, or what lies in a folder, fits one of several patterns."""
    return any(matches(place, file.rstrip("/")) or strength(place, file) for place in places)


def files_beside(item: PackItem, info: PayloadInfo) -> str:
    """Return the same without what an assistant knows, see `paths_beside`."""
    return ", ".join(_file(path, item) for path in paths_beside(item, info))


def paths_beside(item: PackItem, info: PayloadInfo) -> Sequence[str]:
    """Return the paths that an assistant does not know, those that are not as they were first.

    It knows what the text names, and what stands before it, and where one of them holds a file in hand it is in the
    right place.
    """
    paths = [anchor.path for anchor in item.memory.anchors]
    if info.is_early:
        return paths
    text, told = _text_of(item), places_told(item, info)
    is_here = any(strength(path, file) for path in paths for file in info.files)
    lost = [path for path in paths if item.states.get(path) in _TOLD_STATES and not path.endswith("/")]
    known = {*lost, *told}
    known |= {place.removesuffix("**") for place in told} if info.says_places_once else set()
    other = [path for path in paths if path not in known and not is_here and not _is_named(path, text)]
    return [*lost, *other][:MOST_FILES]


def _text_of(item: PackItem) -> str:
    memory = item.memory
    return f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"


def _is_named(path: str, text: str) -> bool:
    """Return whether a text names a path; the stars of a pattern stand in each text with something in bold."""
    return (path if "*" in path else PurePosixPath(path).name) in text


def _file(path: str, item: PackItem) -> str:
    state = item.states.get(path, "")
    shown = clean_line(path)
    return f"{shown} ({state})" if state in _TOLD_STATES else shown


def shared(items: Sequence[PackItem], info: PayloadInfo) -> list[tuple[str, list[PackItem]]]:
    """Return (places or files, items) where several memories have the same; first, under nothing, the rest.

    Where one holds counts before the files that it is tied to.
    """
    groups: dict[str, list[PackItem]] = {}
    for item in items:
        groups.setdefault(_shared_by(item, info), []).append(item)
    several = {key for key, group in groups.items() if key and len(group) > 1}
    alone = [item for item in items if _shared_by(item, info) not in several]
    return [*([("", alone)] if alone else []), *((key, groups[key]) for key in groups if key in several)]


def _shared_by(item: PackItem, info: PayloadInfo) -> str:
    return place_before(item, info) or files_beside(item, info)
