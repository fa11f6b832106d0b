"""Plan an import: every draft compared with the vault, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

from memtui.capture.context import without_lead
from memtui.capture.draft import PLANTED, Draft, Skipped, with_fit_tags
from memtui.capture.import_plan import ImportOptions, ImportPlan, Planned, PlanReason
from memtui.capture.matching import (
    Known,
    fold_copies,
    followed,
    led_as_before,
    match_edits,
    match_reworded,
    more_sources,
    moved,
    relocated,
    renamed,
    titled_as_before,
    with_joint_anchors,
)
from memtui.capture.readers.own_formats import news_of
from memtui.capture.secret_screening import SecretScreen, without_secret_lines
from memtui.capture.stable_split import Atom, Familiar, KnownUnit
from memtui.domain.memory import Anchor, Memory, Tombstone, content_hash
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.source_texts import bases_of, imported_anchors, imported_texts

Recut = Callable[[Sequence[KnownUnit]], tuple[list[Draft], list[Skipped], list[Skipped]] | None]
"""Reads a source again, split as the memories that came of it: drafts, the lines skipped before, and now."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Planner:
    """Compares drafts of one or several projects with the vault."""

    def __init__(
        self,
        reader: VaultReader,
        options: ImportOptions,
        *,
        recuts: Mapping[str, Recut] | None = None,
        is_gone: Callable[[str, str], bool] = lambda _old, _new: False,
        empty: Iterable[tuple[str, str | None]] = (),
    ) -> None:
        self._reader = reader
        self._options = options
        self._is_gone = is_gone
        self._empty = list(empty)
        self._recuts = recuts or {}
        self._unskipped: list[Skipped] = []
        self._newly_skipped: list[Skipped] = []
        self._screen = SecretScreen((), options.secret_patterns)
        self._stones: dict[tuple[str, str | None], Tombstone] = {
            (stone.content_hash, stone.project): stone for stone in reader.tombstones()
        }

    def plan(self, drafts: Sequence[tuple[Draft, str | None]]) -> ImportPlan:
        """Return the plan for drafts, each with its project."""
        plan = ImportPlan()
        drafts = [(with_fit_tags(draft), project) for draft, project in drafts]
        self._screen = SecretScreen([draft for draft, _ in drafts], self._options.secret_patterns)
        own = [(draft, project) for draft, project in drafts if draft.record is not None]
        foreign = [(draft, project) for draft, project in drafts if draft.record is None]
        plan.items.extend(self._plan_records(own))
        by_project: dict[str | None, list[Draft]] = {project: [] for _, project in self._empty if project}
        for draft, project in foreign:
            by_project.setdefault(project, []).append(draft)
        for project, group in by_project.items():
            self._plan_project(plan, group, project)
        return plan

    def skipped_of(self, skipped: Sequence[Skipped]) -> list[Skipped]:
        """Return the lines that became no draft, after sources were split as before."""
        gone = Counter(self._unskipped)
        kept = []
        for lines in skipped:
            if gone[lines]:
                gone[lines] -= 1
            else:
                kept.append(lines)
        return [*kept, *self._newly_skipped]

    # -- memtui's own formats -----------------------------------------------------------------------

    def _plan_records(self, drafts: Sequence[tuple[Draft, str | None]]) -> Iterable[Planned]:
        stored = self._reader.get_many(draft.record_id for draft, _ in drafts if draft.record_id)
        # A row without an id is recognised by its original text, whatever became of its memory.
        nameless = [draft for draft, _ in drafts if not draft.record_id]
        unnamed = list({draft.content: 1 for draft in nameless} | {draft.trimmed_content: 1 for draft in nameless})
        twins = self._reader.ids_by_content(unnamed)
        for content, owners in self._reader.ids_by_source_content(unnamed).items():
            twins.setdefault(content, []).extend(owners)
        seen: dict[str, str] = {}
        for draft, project in drafts:
            item = self._plan_record(draft, project, stored, twins, seen)
            if item.action != "skip":
                seen.setdefault(_key(draft, project), draft.content)
            yield item

    def _plan_record(
        self,
        draft: Draft,
        project: str | None,
        stored: dict[str, Memory],
        twins: dict[str, list[tuple[str, str | None]]],
        seen: dict[str, str],
    ) -> Planned:
        identifier = draft.record_id
        before = seen.get(_key(draft, project))
        if before == draft.content and draft.found:
            return Planned("skip", draft, project, why=PlanReason.FOUND_TWICE.why())
        if before == draft.content or (before is not None and not identifier):
            return Planned("unchanged", draft, project, stored.get(identifier), PlanReason.REPEATED.why())
        if identifier in stored:
            return self._same_id(draft, project, stored[identifier])
        if before is not None:
            return self._secret(draft) or Planned("clash", draft, project, why=PlanReason.TWO_TEXTS.why())
        owners = [] if identifier else [*twins.get(draft.content, []), *twins.get(draft.trimmed_content, [])]
        twin = next((owner for owner in owners if owner[1] == project), None)
        return self._known(draft, project, self._reader.get(twin[0])) if twin else self._fresh(draft, project)

    def _same_id(self, draft: Draft, project: str | None, memory: Memory) -> Planned:
        """Decide on a record whose id is that of a memory in the vault."""
        news = news_of(draft, project, memory)
        if not news:
            return Planned("unchanged", draft, project, memory)
        if any(one.path == draft.source.path and one.imported_hash == draft.content for one in memory.sources):
            return Planned("unchanged", draft, project, memory, PlanReason.DECIDED.why())
        # What was only found, in someone else's repository for one, replaces nothing: a person decides on each.
        if self._options.replace and not draft.found:
            return self._secret(draft) or Planned("replace", draft, project, memory, PlanReason.REPLACES.why())
        is_same_text = draft.content == content_hash(memory)
        why = PlanReason.OTHER_FIELDS.why(", ".join(news)) if is_same_text else PlanReason.OTHER_TEXT.why()
        return self._secret(draft) or Planned("clash", draft, project, memory, why)

    # -- other sources ------------------------------------------------------------------------------

    def _plan_project(self, plan: ImportPlan, drafts: Sequence[Draft], project: str | None) -> None:
        """Add to a plan what happens to the drafts of one project and to the memories they concern."""
        scope = Scope((project,)) if project else Scope((), with_unassigned=True)
        stored = self._reader.select(MemoryFilter(scope=scope, statuses=None), sort="created", now=_EPOCH)
        drafts = led_as_before(drafts, stored)
        paths = {source.path for draft in drafts for source in (draft.source, *draft.loaded_by)}
        paths |= {path for path, owner in self._empty if owner == project}
        there = moved(stored, renamed(drafts, stored, self._is_gone))
        known = Known(relocated(there, drafts, paths, self._is_gone))
        drafts = titled_as_before(self._reader, self._without_secret_lines(drafts, known), known)
        drafts, heirs = self._as_cut_before(drafts, known)
        firsts, copies = fold_copies(drafts)
        firsts = with_joint_anchors(firsts, copies)
        lost = known.unstated(firsts, paths)
        edited = {content: memory for content, memory in heirs.items() if memory.id in lost}
        edited |= self._edited(firsts, edited, lost, drafts, known)
        items = self._items(firsts, copies, known, project, edited=edited, lost=lost, paths=paths)
        traced = self._followed(items, paths)
        items = [
            replace(item, memory=traced.get(item.memory.id, item.memory)) if item.memory else item for item in items
        ]
        rescoped = self._rescoped(items)
        in_new_place = [memory for memory, old in zip(known.memories, stored, strict=True) if memory is not old]
        plan.moved += [
            replace(traced.pop(memory.id, memory), anchors=rescoped.pop(memory.id, memory.anchors))
            for memory in in_new_place
        ]
        plan.followed += traced.values()
        plan.items += [_about_other_files(item, rescoped) for item in items]
        missing = known.missing(lost, {memory.id for memory in edited.values()}, paths)
        plan.missing += missing
        plan.newly_missing += self._stated_by_last_import(missing)

    def _stated_by_last_import(self, memories: Sequence[Memory]) -> list[Memory]:
        states = self._reader.source_states([memory.id for memory in memories])
        stated = {state.memory_id for state in states if state.seen_hash}
        return [memory for memory in memories if memory.id in stated]

    def _items(
        self,
        firsts: Mapping[str, Draft],
        copies: Mapping[str, Sequence[Draft]],
        known: Known,
        project: str | None,
        *,
        edited: Mapping[str, Memory],
        lost: Mapping[str, set[str | None]],
        paths: set[str | None],
    ) -> list[Planned]:
        """Return what happens to each text, given the memories that it is the new text of, by content."""
        left = {
            content: draft
            for content, draft in firsts.items()
            if content not in known.by_content and content not in edited
        }
        deleted = match_reworded(left, known.memories, paths)
        elsewhere = self._moved_away(left, project)
        items = []
        for content, draft in firsts.items():
            if content in known.by_content:
                item = self._known(draft, project, known.by_content[content])
            elif content in edited:
                item = self._moved_on(draft, project, edited[content], lost[edited[content].id])
            else:
                item = self._new(draft, project, elsewhere.get(content), deleted.get(content))
            of_it = copies.get(content, ())
            items.append(replace(item, more_sources=more_sources(draft, of_it), copies=len(of_it)))
        return items

    def _followed(self, items: Sequence[Planned], paths: set[str | None]) -> dict[str, Memory]:
        """Return, by id, memories that are stated in other lines or files than before, with those."""
        found: dict[str, Memory] = {}
        for item in items:
            if item.action != "unchanged" or item.memory is None or item.memory.status not in {"active", "candidate"}:
                continue
            here = item.draft.source.path or ""
            memory = found.get(item.memory.id, item.memory)
            sources = followed(
                memory,
                item.draft.content,
                (item.draft.source, *item.more_sources),
                lambda path, here=here: path in paths or self._is_gone(path or "", here),  # type: ignore[misc]
            )
            if sources != memory.sources:
                found[memory.id] = replace(memory, sources=sources)
        return found

    def _rescoped(self, items: Sequence[Planned]) -> dict[str, tuple[Anchor, ...]]:
        """Return the anchors, by id, of memories whose source now names other patterns of files."""
        differing = {
            item.memory.id: item.memory.anchors
            for item in items
            if item.memory is not None and _differs_in_globs(item, item.memory)
        }
        imported = imported_anchors(self._reader, differing) if differing else {}
        found = {}
        for item in items:
            identifier = item.memory.id if item.memory is not None else ""
            was, now = _globs(imported.get(identifier, ())), _globs(item.draft.anchors)
            if identifier in imported and was != now:  # else what differs, a person changed here
                kept = [anchor for anchor in differing[identifier] if anchor.path not in was - now]
                new = [Anchor(path) for path in item.draft.anchors if path in now and Anchor(path) not in kept]
                found[identifier] = (*new, *kept)
        return found

    def _new(self, draft: Draft, project: str | None, elsewhere: Memory | None, deleted: Memory | None) -> Planned:
        """Decide on a text that no memory of the project has; it may be in another project, or be deleted."""
        if elsewhere is not None:
            why = PlanReason.ELSEWHERE.why(elsewhere.project or "no project")
            return Planned("unchanged", draft, project, elsewhere, why)
        if deleted is not None and not self._options.include_deleted:
            why = PlanReason.DELETED_REWORDED.why(deleted.standing, deleted.id)
            return Planned("skip", draft, project, deleted, why)
        return self._fresh(draft, project)

    def _edited(
        self,
        firsts: Mapping[str, Draft],
        heirs: Mapping[str, Memory],
        lost: Mapping[str, set[str | None]],
        drafts: Sequence[Draft],
        known: Known,
    ) -> dict[str, Memory]:
        """Return, by content, the memory that a draft is the new text of, other than those already found."""
        taken = {memory.id for memory in heirs.values()}
        unknown = [content for content in firsts if content not in known.by_content and content not in heirs]
        matched = match_edits(
            [firsts[content] for content in unknown],
            [memory for memory in known.memories if memory.id in lost.keys() - taken],
            all_drafts=drafts,
            all_memories=known.memories,
            bases=self._bases(known, lost) if unknown else {},
        )
        return {unknown[number]: memory for number, memory in matched.items()}

    def _without_secret_lines(self, drafts: Sequence[Draft], known: Known) -> list[Draft]:
        """Return drafts without the lines that hold a secret, where the rest stands without them."""
        if self._options.allow_secret:
            return list(drafts)
        kept: list[Draft] = []
        for draft in drafts:
            rest = None
            if draft.content not in known.by_content and self._screen.reason(draft):
                rest = without_secret_lines(draft, self._options.secret_patterns)
            kept.append(draft if rest is None else rest[0])
            self._newly_skipped += [one for one in rest[1] if one not in self._newly_skipped] if rest else []
        return kept

    def _bases(self, known: Known, lost: Mapping[str, set[str | None]]) -> dict[str, str]:
        """Return, by id, what the sources of memories said whose text is another one here: edited, or merged."""
        hashes = {memory.id: content_hash(memory) for memory in known.memories if memory.id in lost}
        edited = {identifier: texts for identifier, texts in lost.items() if hashes[identifier] not in texts}
        return {identifier: texts.insight for identifier, texts in imported_texts(self._reader, edited).items()}

    def _as_cut_before(self, drafts: Sequence[Draft], known: Known) -> tuple[Sequence[Draft], dict[str, Memory]]:
        """Return drafts in which each edited source is split as at its last import.

        Also return, by content, the memory that a draft has most of its words from.
        """
        stated = {known.by_content[draft.content].id for draft in drafts if draft.content in known.by_content}
        again: dict[str, list[Draft]] = {}
        heirs: dict[str, Memory] = {}
        for path in sorted(filter(None, known.edited(drafts, stated) & self._recuts.keys())):
            of_it = [memory for memory in known.memories if any(source.path == path for source in memory.sources)]
            units = self._units(of_it, path)
            cut = self._recut(path, units, known)
            if cut is None:
                continue
            again[path] = cut = led_as_before(cut, of_it)
            for draft, number in zip(cut, _stated_units(cut, units), strict=True):
                if number is not None and of_it[number].id not in stated and draft.content not in known.by_content:
                    heirs.setdefault(draft.content, of_it[number])
                    stated.add(of_it[number].id)
        kept = [draft for draft in drafts if draft.source.path not in again]
        return [*kept, *chain.from_iterable(again.values())], heirs

    def _recut(self, path: str, units: Sequence[KnownUnit], known: Known) -> list[Draft] | None:
        """Return the drafts of a source that is split as before, None if that cannot be done."""
        recut = self._recuts[path](units)
        if recut is None:
            return None
        cut, gone, fresh = recut
        self._unskipped.extend(gone)
        drafts = self._without_secret_lines([with_fit_tags(draft) for draft in cut], known)
        self._newly_skipped.extend(fresh)
        return titled_as_before(self._reader, drafts, known)

    def _units(self, memories: Sequence[Memory], path: str) -> list[KnownUnit]:
        """Return what memories took from a source at its last import, before any edits here."""
        texts = bases_of(self._reader, memories, path)
        return [
            KnownUnit(
                next((source.native_id for source in memory.sources if source.path == path), None),
                "\n".join(part for part in (text.insight, text.rationale, text.snippet) if part),
            )
            for memory, text in ((memory, texts[memory.id]) for memory in memories)
        ]

    def _moved_away(self, drafts: Mapping[str, Draft], project: str | None) -> dict[str, Memory]:
        """Return, by content, the memories of these drafts that a person moved to another project."""
        owners = self._reader.ids_by_source_content(drafts) if drafts else {}
        candidates = {identifier for group in owners.values() for identifier, now_in in group if now_in != project}
        moved = self._reader.moved_out_of(project, candidates) if candidates else set()
        memories = self._reader.get_many(sorted(moved))
        return {
            content: memories[identifier]
            for content, group in owners.items()
            for identifier, _ in group
            if identifier in memories
        }

    def _known(self, draft: Draft, project: str | None, memory: Memory) -> Planned:
        if memory.status != "retired":
            return Planned("unchanged", draft, project, memory)
        if self._options.include_deleted:
            return Planned("restore", draft, project, memory, PlanReason.RESTORED.why(memory.standing))
        return Planned("skip", draft, project, memory, PlanReason.DELETED.why(memory.standing, memory.id))

    def _moved_on(self, draft: Draft, project: str | None, memory: Memory, lost: set[str | None]) -> Planned:
        """Decide on a memory whose source has a new text. `lost`: what its sources no longer state."""
        secret = self._secret(draft)
        if secret is not None:
            return secret
        content = content_hash(memory)
        here = [source for source in memory.sources if source.path == draft.source.path]
        gone = [source.imported_hash for source in here if source.imported_hash in lost]
        replaces = next(iter(gone), None) if content not in gone else content
        item = Planned("update", draft, project, memory, PlanReason.EDITED.why(), replaces=replaces)
        if content not in gone:
            reason = PlanReason.MERGED_EDITED if len(gone) < len(here) else PlanReason.BOTH_EDITED
            return replace(item, action="conflict", why=reason.why())
        if PLANTED in draft.notes and memory.status == "active":
            return replace(item, action="conflict", why=PlanReason.PLANTED.why())
        return item

    def _secret(self, draft: Draft) -> Planned | None:
        """Return that a draft is skipped if it holds what looks like a secret, unless that is allowed."""
        reason = "" if self._options.allow_secret else self._screen.reason(draft)
        if not reason:
            return None
        return Planned("skip", draft, None, why=PlanReason.SECRET.why(reason), holds_secret=True)

    def _fresh(self, draft: Draft, project: str | None) -> Planned:
        stone = self._stones.get((draft.content, project))
        if stone is not None and not self._options.include_deleted and (stone.is_erased or not draft.record_id):
            return Planned("skip", draft, project, why=PlanReason.DELETED.why(stone.deed, stone.memory_id))
        return self._secret(draft) or Planned("add", draft, project)


def _about_other_files(item: Planned, rescoped: Mapping[str, tuple[Anchor, ...]]) -> Planned:
    anchors = rescoped.get(item.memory.id) if item.memory is not None else None
    if anchors is None:
        return item
    return replace(item, action="update", why=PlanReason.OTHER_FILES.why(), anchors=anchors)


def _differs_in_globs(item: Planned, memory: Memory) -> bool:
    """Return whether all sources of an unchanged memory name other patterns of files than it is anchored to."""
    if item.action != "unchanged" or memory.status not in {"active", "candidate"}:
        return False
    offered = {one.path for one in (item.draft.source, *item.more_sources)}
    if not offered.issuperset(one.path for one in memory.sources):
        return False
    return _globs(item.draft.anchors) != _globs(anchor.path for anchor in memory.anchors)


def _globs(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if Anchor(path).is_glob)


def _key(draft: Draft, project: str | None) -> str:
    """Return what a record is known by within an import."""
    return draft.record_id or f"{project} {draft.trimmed_content}"


def _stated_units(drafts: Sequence[Draft], units: Sequence[KnownUnit]) -> list[int | None]:
    places = [KnownUnit(draft.source.native_id, "") for draft in drafts]
    insights = [without_lead(draft.insight, place.headings) for draft, place in zip(drafts, places, strict=True)]
    texts = [f"{insight}\n{draft.rationale}\n{draft.snippet}" for insight, draft in zip(insights, drafts, strict=True)]
    headings = [place.heading for place in places]
    return Familiar(units, "\n".join(texts)).stated_units(list(map(Atom, texts, headings)))
