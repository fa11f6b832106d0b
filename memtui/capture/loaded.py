"""What an assistant has before the first word is typed: the files it reads by itself, what they cost, what is wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from memtui.capture.loads import Assistant, Reading, When, assistant_named, readings, start_of, text_of
from memtui.curate.projects import view_of
from memtui.curate.views import by_memory, source_says_this, stated_otherwise
from memtui.domain.memory import Link, Memory, content_hash
from memtui.errors import MemtuiError
from memtui.publish import managed_blocks
from memtui.text.token_count import ESTIMATE, TokenCounter, get_counter
from memtui.vault.publications import Publication, publications
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.source_texts import Texts
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

_COMMENT_LINES = re.compile(r"^[ \t]*<!--.*?-->[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^- .{12,}$", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})
_OPENING = 60  # Characters of a memory that tell whether a file still says it


class Fault(StrEnum):
    """What is wrong with what a file says; `wording` has the sentence."""

    RETIRED = "retired"
    SUPERSEDED = "superseded"
    MERGED = "merged"
    EDITED = "edited"  # the vault says something else by now
    CONTRADICTED = "contradicted"  # a memory in use contradicts it
    BY_HAND = "by-hand"  # a block of memtui was edited by hand


@dataclass(frozen=True, slots=True)
class Stale:
    """Something that a file says and that does not hold any more."""

    fault: Fault
    id: str = ""
    title: str = ""
    other: str = ""  # the memory that contradicts it


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file as an assistant reads it."""

    path: Path
    shown: str  # relative to the repository, or with `~`
    bytes: int
    tokens: int  # of what is read of it at the start of a session
    when: When
    cut: int = 0  # bytes beyond a limit, which are not read
    twice: bool = False  # whether all of it, or a block of memtui in it, was read before
    imported_by: str = ""
    stale: tuple[Stale, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Everything that an assistant reads by itself in a folder."""

    assistant: Assistant
    files: tuple[LoadedFile, ...]
    exact: bool  # whether tokens are counted as this assistant does

    @property
    def total_tokens(self) -> int:
        """What a session costs before the first word."""
        return sum(file.tokens for file in self.files)


def loaded(assistant: Assistant, folder: Path, home: Path, *, counter: TokenCounter, vault: Vault | None) -> Loaded:
    """Return what an assistant reads by itself in a folder; `vault`: what it is held against, if there is one."""
    found = readings(assistant, folder, home)
    root = find_workspace(folder).root
    wrong = _faults(vault, [one.path for one in found], root) if vault is not None and vault.exists else {}
    room = assistant.chain
    files: list[LoadedFile] = []
    seen: set[str] = set()
    items: set[str] = set()
    for reading in found:
        text = start_of(reading)
        size = _size(reading.path)
        kept, room = _kept(reading, text, size, assistant, room)
        real = os.path.realpath(reading.path)
        ours = _block_items(reading.path)
        is_read, has_start = reading.when == "always", reading.when in {"always", "by description"}
        files.append(
            LoadedFile(
                path=reading.path,
                shown=shown(reading.path, root, home),
                bytes=size,
                tokens=counter.count(kept) if has_start else 0,
                when=reading.when,
                cut=max(0, size - len(text[: len(kept)].encode())) if len(kept) < len(text) else 0,
                twice=is_read and (real in seen or not items.isdisjoint(ours)),
                imported_by=shown(reading.imported_by, root, home) if reading.imported_by else "",
                stale=wrong.get(real, ()),
            )
        )
        if is_read:
            seen.add(real)
            items |= ours
    return Loaded(assistant, tuple(_without_comments(assistant, file, counter) for file in files), counter.exact)


def _without_comments(assistant: Assistant, file: LoadedFile, counter: TokenCounter) -> LoadedFile:
    """Return a file without the tokens of comments that the assistant takes out."""
    if not assistant.drops_comments or not file.tokens or file.cut or file.when != "always":
        return file
    text = text_of(file.path)
    if "<!--" not in text or _FENCED.search(text):
        return file
    return replace(file, tokens=counter.count(_COMMENT_LINES.sub("", text)))


def _kept(reading: Reading, text: str, size: int, assistant: Assistant, room: int | None) -> tuple[str, int | None]:
    """Return what is read of a text, and what is left of the limit of the chain."""
    if assistant.file is not None and size > assistant.file:
        return "", room
    kept = text
    for unit, most in reading.rule.limits.items():
        if unit == "lines":
            kept = "".join(kept.splitlines(keepends=True)[:most])
        elif unit == "chars":
            kept = kept[:most]
        else:
            kept = _first_bytes(kept, most)
    if reading.rule.in_chain and room is not None:
        kept = _first_bytes(kept, room)
        room -= len(kept.encode())
    return kept, room


def _first_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode("utf-8", "ignore") if len(text) * 4 > most else text


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def shown(path: Path, root: Path, home: Path) -> str:
    """Return a path for people: relative to the repository, or with `~`."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else path.as_posix()


def _block_items(path: Path) -> frozenset[str]:
    """Return the items of memtui's blocks in a file."""
    try:
        found = managed_blocks.blocks_in(path.read_bytes())
    except (OSError, MemtuiError):
        return frozenset()
    return frozenset(item for block in found for item in _ITEM.findall(block.text))


# -- what does not hold any more ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """What the vault knows of some files."""

    states: Sequence[SourceState]
    blocks: Sequence[Publication]
    memories: Mapping[str, Memory]
    against: Mapping[str, str]  # from a memory to one in use that contradicts it
    stated: Mapping[str, Texts]  # by id, what sources still say of memories that were edited here


def _faults(vault: Vault, paths: Sequence[Path], root: Path) -> dict[str, tuple[Stale, ...]]:
    """Return what is wrong in each file, by its real path."""
    named = {name: path for path in paths for name in _names(path, root)}
    known = _known(vault, named)
    found: dict[str, list[Stale]] = {}
    for state in known.states:
        memory, path = known.memories.get(state.memory_id), named[state.path]
        fault = None if memory is None else _fault_of_source(memory, state, path, known)
        if fault is not None:
            found.setdefault(os.path.realpath(path), []).append(fault)
    for block in known.blocks:
        found.setdefault(os.path.realpath(block.path), []).extend(_faults_of_block(block, known))
    return {path: tuple(dict.fromkeys(faults)) for path, faults in found.items()}


def _known(vault: Vault, named: Mapping[str, Path]) -> _Known:
    real = {os.path.realpath(path) for path in named.values()}
    with vault.read() as reader:
        states = reader.source_states_at(named)
        listed = [one for one in publications(reader) if os.path.realpath(one.path) in real]
        ids = {state.memory_id for state in states} | {name for one in listed for name in one.memory_ids}
        memories = reader.get_many(ids)
        states = _of_own_projects(reader, states, named, memories)
        links = [link for link in reader.links(memories) if link.type == "contradicts"] if memories else []
        others = reader.get_many({end for link in links for end in (link.from_id, link.to_id)})
        stated = stated_otherwise(reader, memories.values(), by_memory(states))
    active = {identifier for identifier, memory in others.items() if memory.status == "active"}
    return _Known(states, listed, memories, _contradictions(links, active), stated)


def _of_own_projects(
    reader: VaultReader, states: Sequence[SourceState], named: Mapping[str, Path], memories: Mapping[str, Memory]
) -> list[SourceState]:
    """Return the states that belong to the files: a name within a repository may stand in many repositories."""
    within = [state for state in states if state.path != named[state.path].as_posix()]
    projects = {folder: view_of(reader, folder, None).project for folder in {named[one.path].parent for one in within}}
    foreign = {
        state
        for state in within
        if state.memory_id in memories and memories[state.memory_id].project != projects[named[state.path].parent]
    }
    return [state for state in states if state not in foreign]


def _contradictions(links: Sequence[Link], active: Collection[str]) -> dict[str, str]:
    """Return, from each end of links, the other one where it is in use."""
    pairs = [(link.from_id, link.to_id) for link in links]
    pairs += [(other, one) for one, other in pairs]
    return {one: other for one, other in pairs if other in active}


def _names(path: Path, root: Path) -> Iterable[str]:
    """Return the names by which memories may know a file."""
    yield path.as_posix()
    if path.is_relative_to(root):
        yield path.relative_to(root).as_posix()


def _fault_of_source(memory: Memory, state: SourceState, path: Path, known: _Known) -> Stale | None:
    if not state.seen_hash:
        return None
    if source_says_this(memory, [state], known.stated.get(memory.id)):
        if memory.status not in _OUT_OF_USE:
            return Stale(Fault.EDITED, memory.id, memory.title)
        if still_says(path, memory):
            return Stale(Fault(memory.status), memory.id, memory.title)
        return None
    return _contradicted(memory, known.against)


def _contradicted(memory: Memory, against: Mapping[str, str]) -> Stale | None:
    other = against.get(memory.id)
    if memory.status != "active" or other is None:
        return None
    return Stale(Fault.CONTRADICTED, memory.id, memory.title, other)


def still_says(path: Path, memory: Memory) -> bool:
    """Return whether a file says what a memory says, as far as its beginning tells."""
    opening = "".join(memory.insight.split())[:_OPENING]
    return bool(opening) and opening in "".join(text_of(path).split())


def _faults_of_block(publication: Publication, known: _Known) -> Sequence[Stale]:
    try:
        block = managed_blocks.find(Path(publication.path).read_bytes(), publication.block)
    except (OSError, MemtuiError):
        return ()
    if block is None:
        return ()
    found = [Stale(Fault.BY_HAND)] if block.is_edited else []
    for identifier, content in zip(publication.memory_ids, publication.hashes, strict=False):
        memory = known.memories.get(identifier)
        fault = None if memory is None else _fault_in_block(memory, content, known.against)
        found += [fault] if fault is not None else []
    return found


def _fault_in_block(memory: Memory, content: str, against: Mapping[str, str]) -> Stale | None:
    if memory.status in _OUT_OF_USE:
        return Stale(Fault(memory.status), memory.id, memory.title)
    if content_hash(memory) != content:
        return Stale(Fault.EDITED, memory.id, memory.title)
    return _contradicted(memory, against)


def paid_twice(folder: Path, home: Path, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return, by label, the files in which assistants read the same block of memtui a second time."""
    found = {}
    for name in names:
        have = loaded(assistant_named(name), folder, home, counter=get_counter(ESTIMATE), vault=None)
        again = tuple(file.shown for file in have.files if file.twice and _block_items(file.path))
        if again:
            found[have.assistant.label] = again
    return found
