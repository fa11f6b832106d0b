"""Match drafts with the memories they were before, also where a source was moved, renamed or deleted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from memtui.capture.context import possible_leads, with_lead, without_lead
from memtui.capture.draft import Draft
from memtui.capture.stable_split import KnownUnit
from memtui.domain.memory import Memory, Source, content_hash, hash_parts
from memtui.text.sanitize import without_surrogates
from memtui.tree import is_outside
from memtui.vault.reader import VaultReader
from memtui.vault.source_texts import bases_of


def is_gone(path: str | None, root: Path) -> bool:
    """Return whether a source inside a project's folder is missing; False for one outside."""
    if not path or is_outside(path):
        return False
    try:
        return not is_there(root, path)
    except (OSError, ValueError):
        return False


def is_there(root: Path, path: str) -> bool:
    """Return whether a file exists under the path that the vault holds, with `?` for bytes that no text can hold.

    Raises `OSError, ValueError`: nobody can tell.
    """
    if "?" not in path or (root / path).exists():
        return (root / path).exists()
    folders = [root]
    for part in PurePosixPath(path).parts:
        folders = [entry for folder in folders if folder.is_dir() for entry in _named(folder, part)]
    return any(found.exists() for found in folders)


def _named(folder: Path, name: str) -> Iterable[Path]:
    return (
        [entry for entry in folder.iterdir() if without_surrogates(entry.name) == name]
        if "?" in name
        else [folder / name]
    )


def gone_sources(memory: Memory, root: Path) -> set[str]:
    """Return the paths of a memory's sources that no longer exist."""
    return {source.path for source in memory.sources if source.path and is_gone(source.path, root)}


SIMILAR_RATIO = 75.0
"""A piece this similar to a memory of the same file (rapidfuzz ratio, 0–100) is its new text, wherever it stands."""

SAME_PLACE_RATIO = 50.0
"""The same for a piece in the same place; 99 of 100 pairs of unrelated sentences are less similar."""

_SURE = 1_000.0
_PLACE_BONUS = 10.0
_COMPARED_CHARACTERS = 600
_MOST_PAIRS = 200_000  # Beyond this, pieces are compared only with memories from a similar position in the file
_MOST_REWORDED = 2_000  # Deleted memories of one file that a piece is compared with

_NARROWEST = 20
_FACT = re.compile(r"\d+(?:[.,]\d+)*|\b(?:not|never|no|none|without|avoid|don't|doesn't|cannot|can't)\b")
_SET_VALUE = re.compile(r"[:：=]\s*[*_`\"']*([^\s*_`\"'][^\s`\"']*?)[*_`\"'.。]*\s*$")  # one word behind a label
_SLOT = re.compile(r"#\d+$")

Place = tuple[str | None, str | None]
"""Path and heading of a piece, or path and native id where the source gives it one."""


def match_edits(
    drafts: Sequence[Draft],  # pieces whose text no memory has
    memories: Sequence[Memory],  # memories of the same files whose text no piece has
    *,
    all_drafts: Iterable[Draft],  # every piece of the import, to know which headings have several
    all_memories: Iterable[Memory],  # every memory of the project, for the same
    # what the sources of memories said before a person edited them here, by id
    bases: Mapping[str, str] = MappingProxyType({}),
) -> dict[int, Memory]:
    """Return, by the position of the draft, the memory whose new text it is."""
    crowded = _crowded(draft.source for draft in all_drafts)
    crowded |= _crowded(source for memory in all_memories for source in memory.sources)
    pairs = sorted(_pairs(drafts, memories, crowded, bases), key=lambda pair: (-pair[0], pair[1], pair[2]))
    found: dict[int, Memory] = {}
    taken: set[int] = set()
    for _, number, position in pairs:
        if number not in found and position not in taken:
            found[number] = memories[position]
            taken.add(position)
    return found


def match_reworded(
    drafts: Mapping[str, Draft], memories: Sequence[Memory], paths: Collection[str | None]
) -> dict[str, Memory]:
    """Return, by content, the deleted memory of the same file that a draft rewords, of those from some files.

    Only similarity counts, never the place: a new text below an old heading is new. Several drafts may reword one
    memory. Where a number, a negation or the value of a setting differs it is another fact: whoever deleted
    "Postgres 13" or "Branch: dev" wants to hear of "Postgres 14" or "Branch: main".
    """
    from rapidfuzz import fuzz

    found: dict[str, Memory] = {}
    best: dict[str, float] = {}
    by_path: dict[str | None, list[Memory]] = {}
    for memory in memories:
        places = {source.path for source in memory.sources}
        if memory.status == "retired" and not places.isdisjoint(paths):
            for path in places:
                by_path.setdefault(path, []).append(memory)
    for content, draft in drafts.items():
        for memory in by_path.get(draft.source.path, ())[:_MOST_REWORDED]:
            if _facts(draft.insight) != _facts(memory.insight):
                continue
            ratio = fuzz.ratio(
                draft.insight[:_COMPARED_CHARACTERS],
                memory.insight[:_COMPARED_CHARACTERS],
                score_cutoff=SIMILAR_RATIO,
            )
            if ratio > best.get(content, 0.0):
                best[content], found[content] = ratio, memory
    return found


def _facts(text: str) -> frozenset[str]:
    """Return what makes two similar sentences differ: numbers, negations and the value that a setting has."""
    read = text[:_COMPARED_CHARACTERS].lower()
    value = _SET_VALUE.search(read)
    return frozenset([*_FACT.findall(read), *([f"= {value[1]}"] if value else [])])


def _crowded(sources: Iterable[Source]) -> set[Place]:
    counts = Counter(dict.fromkeys((source.path, source.native_id) for source in sources))
    headings = Counter(_heading(path, native_id) for path, native_id in counts)
    return {heading for heading, number in headings.items() if number > 1}


def _heading(path: str | None, native_id: str | None) -> Place:
    return (path, _SLOT.sub("", native_id) if native_id else native_id)


def _pairs(
    drafts: Sequence[Draft], memories: Sequence[Memory], crowded: set[Place], bases: Mapping[str, str]
) -> Iterator[tuple[float, int, int]]:
    """Yield the certainty with which each draft is the new text of a memory."""
    by_path: dict[str | None, list[tuple[int, Source]]] = {}
    for position, memory in enumerate(memories):
        for source in memory.sources:
            by_path.setdefault(source.path, []).append((position, source))
    numbers: dict[str | None, list[int]] = {}
    for number, draft in enumerate(drafts):
        numbers.setdefault(draft.source.path, []).append(number)
    for path, group in numbers.items():
        known = sorted(by_path.get(path, ()), key=lambda entry: entry[1].span or (0, 0))
        reach = max(_NARROWEST, _MOST_PAIRS // len(group) // 2)
        for rank, number in enumerate(group):
            middle = rank * len(known) // len(group)
            for position, source in known[max(0, middle - reach) : middle + reach + 1]:
                memory = memories[position]
                certainty = _certainty(drafts[number], memory.insight, source, crowded)
                if memory.id in bases:
                    certainty = max(certainty, _certainty(drafts[number], bases[memory.id], source, crowded))
                if certainty:
                    yield certainty, number, position


def _certainty(draft: Draft, text: str, source: Source, crowded: set[Place]) -> float:
    from rapidfuzz import fuzz

    same_place = source.native_id is not None and source.native_id == draft.source.native_id
    if same_place and _heading(source.path, source.native_id) not in crowded:
        return _SURE
    ratio = fuzz.ratio(
        draft.insight[:_COMPARED_CHARACTERS],
        text[:_COMPARED_CHARACTERS],
        score_cutoff=SAME_PLACE_RATIO if same_place else SIMILAR_RATIO,
    )
    return ratio + _PLACE_BONUS if ratio and same_place else ratio


LEAST_SHARED = 0.3  # Share of what a missing file stated, by text or place, that its new name must state too


_Mark = tuple[str, str]


def renamed(drafts: Sequence[Draft], known: Sequence[Memory], is_gone: Callable[[str, str], bool]) -> Mapping[str, str]:
    """Return the new path of each missing source.

    `known`: every memory of that project. `is_gone`: called with (old path, path of a file of this import), returns
    whether the old file is missing.
    """
    states = _states_of(drafts)
    old = _stated_by(known)
    fresh = [path for path in states if path not in old]
    if not fresh:
        return {}
    pairs = []
    for before in (path for path in old if path not in states and is_gone(path, fresh[0])):
        for after in fresh:
            shared = sum(1 for marks in old[before] if marks & states[after]) / len(old[before])
            if shared >= LEAST_SHARED:
                pairs.append((-shared, PurePosixPath(before).name != PurePosixPath(after).name, before, after))
    found: dict[str, str] = {}
    for _, _, before, after in sorted(pairs):
        if before not in found and after not in found.values():
            found[before] = after
    return found


def _states_of(drafts: Sequence[Draft]) -> dict[str, set[_Mark]]:
    """Return what each file of this import states, by text and by place."""
    states: dict[str, set[_Mark]] = {}
    for draft in drafts:
        if draft.source.path:
            states.setdefault(draft.source.path, set()).update(_marks(draft.content, draft.source.native_id))
    return states


def _stated_by(known: Sequence[Memory]) -> dict[str, list[set[_Mark]]]:
    """Return what each earlier source stated, one entry per memory."""
    old: dict[str, list[set[_Mark]]] = {}
    for memory in known:
        for source in memory.sources:
            if source.path:
                marks = _marks(source.imported_hash or "", source.native_id)
                old.setdefault(source.path, []).append(marks)
    return old


def _marks(content: str, native_id: str | None) -> set[_Mark]:
    marks = {("text", content)} if content else set()
    return marks | {("place", native_id)} if native_id else marks


def relocated(
    memories: Sequence[Memory],  # those of one project
    drafts: Sequence[Draft],  # what its files state now
    paths: Collection[str | None],  # the files of the import; one that no longer states a memory has lost it
    # called with (old path, path of a file of this import), returns whether the old file is missing
    is_gone: Callable[[str, str], bool],
) -> list[Memory]:
    """Return memories whose source moved their text to another file, with that place; others are the same objects."""
    stated = {(source.path, draft.content) for draft in drafts for source in (draft.source, *draft.loaded_by)}
    by_text = _by_text(memories, drafts)

    def new_place(memory: Memory, source: Source) -> Source:
        if (source.path, source.imported_hash) in stated:
            return source
        draft = by_text.get(source.imported_hash or "") or by_text.get(_body(memory))
        if draft is None or any(other.path == draft.source.path for other in memory.sources):
            return source
        lost = source.path in paths or is_gone(source.path or "", draft.source.path or "")
        return replace(draft.source, imported_hash=source.imported_hash) if lost else source

    return [_with_sources(memory, new_place) for memory in memories]


def _by_text(memories: Sequence[Memory], drafts: Sequence[Draft]) -> dict[str, Draft]:
    """Return drafts by their content, and new ones without their title, which may name the heading above."""
    known = {source.imported_hash for memory in memories for source in memory.sources}
    found = {_body(draft): draft for draft in reversed(drafts) if draft.content not in known}
    return found | {draft.content: draft for draft in reversed(drafts)}


def _body(text: Memory | Draft) -> str:
    return hash_parts("", text.insight, text.rationale, text.snippet)


def _with_sources(memory: Memory, place_of: Callable[[Memory, Source], Source]) -> Memory:
    sources = tuple(place_of(memory, source) if source.path else source for source in memory.sources)
    return memory if sources == memory.sources else replace(memory, sources=sources)


def moved(memories: Sequence[Memory], paths: Mapping[str, str]) -> list[Memory]:
    """Return memories with their sources' new paths; the others are the same objects."""
    if not paths:
        return list(memories)
    return [
        replace(memory, sources=tuple(_moved_source(source, paths) for source in memory.sources))
        if any(source.path in paths for source in memory.sources)
        else memory
        for memory in memories
    ]


def _moved_source(source: Source, paths: Mapping[str, str]) -> Source:
    new = paths.get(source.path or "")
    return source if new is None else replace(source, path=new)


def more_sources(draft: Draft, copies: Sequence[Draft]) -> tuple[Source, ...]:
    """Return the places other than its own that state a draft's text, or by which an assistant reads it."""
    found = [*(copy.source for copy in copies), *chain.from_iterable(one.loaded_by for one in (draft, *copies))]
    by_place = {(source.format, source.path): source for source in reversed(found)}
    by_place.pop((draft.source.format, draft.source.path), None)
    return tuple(reversed(by_place.values()))


def fold_copies(drafts: Sequence[Draft]) -> tuple[dict[str, Draft], dict[str, list[Draft]]]:
    """Return the first draft of each content, and its copies."""
    firsts: dict[str, Draft] = {}
    copies: dict[str, list[Draft]] = {}
    for draft in drafts:
        content = draft.content
        if content in firsts:
            copies.setdefault(content, []).append(draft)
        else:
            firsts[content] = draft
    return firsts, copies


def with_joint_anchors(firsts: Mapping[str, Draft], copies: Mapping[str, Sequence[Draft]]) -> dict[str, Draft]:
    """Return the drafts, each with the anchors of all its copies; only the common ones if a copy holds everywhere."""
    return {content: _joined(draft, copies.get(content, ())) for content, draft in firsts.items()}


def _joined(draft: Draft, copies: Sequence[Draft]) -> Draft:
    everyone = [copy.anchors for copy in (draft, *copies)]
    common = set(draft.anchors).intersection(*everyone)
    scoped = all(set(anchors) - common for anchors in everyone)
    anchors = tuple(dict.fromkeys(path for path in chain(*everyone) if scoped or path in common))
    return draft if anchors == draft.anchors else replace(draft, anchors=anchors)


def followed(
    memory: Memory, content: str, stated: Sequence[Source], is_lost: Callable[[str | None], bool]
) -> tuple[Source, ...]:
    """Return a memory's sources, those with a text in the lines and files that state it now.

    `stated`: where that is. `is_lost`: whether a file was read, or is missing, so that it no longer states the text.
    """
    now = {source.path: source for source in stated}
    known = {source.path for source in memory.sources}
    sources = [
        replace(source, span=now[source.path].span)
        if source.path in now and source.imported_hash == content
        else source
        for source in memory.sources
        if source.path in now or source.imported_hash != content or not is_lost(source.path)
    ]
    if any(source.imported_hash == content for source in sources):
        sources += [replace(source, imported_hash=content) for path, source in now.items() if path not in known]
        return tuple(sources)
    return memory.sources


class Known:
    """The memories of one project, with those of each content, whether stated by a source or stored."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = memories
        self.by_content: dict[str, Memory] = {}
        for memory in memories:
            for content in {content_hash(memory), *(source.imported_hash for source in memory.sources)}:
                if content and (content not in self.by_content or self.by_content[content].status == "retired"):
                    self.by_content[content] = memory

    def unstated(self, contents: Collection[str], paths: Collection[str | None]) -> dict[str, set[str | None]]:
        """Return, by memory, the texts of its sources among these files that no file states any longer.

        A memory that others were merged into has several. What was merged lives on in that one, which has its sources.
        """
        found = {}
        for memory in self.memories:
            taken = {source.imported_hash for source in memory.sources}
            lost = {source.imported_hash for source in memory.sources if source.path in paths} - set(contents)
            content = content_hash(memory)
            if lost and memory.status not in {"retired", "merged"} and (content in taken or content not in contents):
                found[memory.id] = lost
        return found

    def edited(self, drafts: Sequence[Draft], stated: Collection[str]) -> set[str | None]:
        """Return the sources that say something new, and no longer what one of their memories says.

        `stated`: the memories that a draft still states.
        """
        edited = {draft.source.path for draft in drafts if draft.content not in self.by_content}
        return edited & {source.path for one in self.memories if one.id not in stated for source in one.sources}

    def missing(
        self, lost: Mapping[str, set[str | None]], found: Collection[str], paths: Collection[str | None]
    ) -> list[Memory]:
        """Return the memories in use that none of these files states, in any words, and no file beside them."""
        return [
            memory
            for memory in self.memories
            if memory.status in {"active", "candidate"}
            and memory.id in lost
            and memory.id not in found
            and all(source.path is None or source.path in paths for source in memory.sources)
            and lost[memory.id].issuperset(source.imported_hash for source in memory.sources if source.path in paths)
        ]


def led_as_before(drafts: Sequence[Draft], memories: Sequence[Memory]) -> list[Draft]:
    """Return drafts below the headings that they were taken with, though a file in this place would take others."""
    taken = {source.imported_hash for memory in memories for source in memory.sources} - {None}
    if not taken:
        return list(drafts)
    return [
        draft if draft.content in taken else next((one for one in _led(draft) if one.content in taken), draft)
        for draft in drafts
    ]


def _led(draft: Draft) -> Iterator[Draft]:
    """Yield a draft without headings before its text, and with each of those that may stand there."""
    headings = KnownUnit(draft.source.native_id, "").headings
    bare = without_lead(draft.insight, headings)
    for lead in dict.fromkeys(("", *possible_leads(headings))):
        yield replace(draft, insight=with_lead(bare, lead))


def titled_as_before(reader: VaultReader, drafts: Sequence[Draft], known: Known) -> list[Draft]:
    """Return drafts under the titles of the last import if their text and headings are the same.

    So neither an edit elsewhere in the file nor another way to title changes a memory.
    """
    titles: dict[tuple[str, ...], str] = {}
    for path in filter(None, {draft.source.path for draft in drafts if draft.content not in known.by_content}):
        places = {
            memory.id: source.native_id for memory in known.memories for source in memory.sources if source.path == path
        }
        of_it = [memory for memory in known.memories if memory.id in places]
        for identifier, texts in bases_of(reader, of_it, path).items():
            heading = KnownUnit(places[identifier], "").heading
            titles[path, heading, texts.insight, texts.rationale, texts.snippet] = texts.title
    return [
        draft
        if draft.title_stated or draft.content in known.by_content
        else replace(draft, title=titles.get(_place_and_text(draft), draft.title))
        for draft in drafts
    ]


def _place_and_text(draft: Draft) -> tuple[str, ...]:
    heading = KnownUnit(draft.source.native_id, "").heading
    return draft.source.path or "", heading, draft.insight, draft.rationale, draft.snippet
