"""What publishing to an assistant would change: chosen memories -> texts of files -> what becomes of each file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from memtui.analysis.classify import states_rule
from memtui.config import RecallSettings, TargetSettings
from memtui.domain.memory import content_hash
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import MemtuiError, RefusedError
from memtui.pack.build import Included, Pack, context, recipes_of
from memtui.pack.options import PackOptions
from memtui.pack.recipes import get_recipe, list_recipes
from memtui.pack.targets.base import PackItem, PayloadInfo, Target
from memtui.pack.targets.formats import target_named
from memtui.publish import managed_blocks
from memtui.publish.destinations import (
    Place,
    base_of,
    for_block,
    head_for,
    place_named,
    places,
    rebased,
    split_by_files,
)
from memtui.publish.edits import read_file
from memtui.publish.fit import Unfit, least, measure_for, over, unfit
from memtui.publish.instead import NO_NOTES, Notes, read_instead
from memtui.publish.managed_blocks import Block, State
from memtui.recall.rank import BEYOND_LIMIT, recall
from memtui.recall.result import Recall, Task
from memtui.recall.retrieve import MOST_STANDING
from memtui.recall.semantic import Meaning
from memtui.text.words import Budget
from memtui.vault.filters import Scope
from memtui.vault.publications import Publication, publications
from memtui.vault.vault import Vault

MOST_READ_ON = 1_000  # Memories read for a target that reads so many by itself that there is room for further ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """For whom and from what is published."""

    vault: Vault
    project: str | None
    scope: Scope
    root: Path  # the repository's folder
    options: PackOptions
    settings: RecallSettings
    targets: Sequence[tuple[str, TargetSettings]] = ()
    meaning: Meaning | None = None
    recall_by: Callable[[Task, int], Recall] | None = None  # instead of recall on the vault
    recall_on: Callable[[Task, int], Recall] | None = None  # the same, but reads as many as are asked for

    def recalling_once(self) -> Publisher:
        """Return a publisher that recalls each task once, however many places it plans for."""
        now = self.vault.now()

        def by(standing_limit: int) -> Callable[[Task, int], Recall]:
            @cache
            def recall_by(task: Task, limit: int) -> Recall:
                return recall(
                    self.vault,
                    task,
                    self.scope,
                    settings=self.settings,
                    now=now,
                    limit=limit,
                    meaning=self.meaning,
                    standing_limit=standing_limit,
                )

            return recall_by

        return replace(self, recall_by=by(MOST_STANDING), recall_on=by(MOST_READ_ON))


@dataclass(frozen=True, slots=True)
class Selection:
    """What is published: the standing payload, unless a recipe or a query chooses."""

    recipe: str | None = None
    query: str | None = None
    ids: frozenset[str] | None = None  # what the query chose

    @property
    def is_picked(self) -> bool:
        """Whether a person chose the memories one by one: a query of their ids."""
        return self.query is not None and _PICKED.fullmatch(self.query) is not None


_PICKED = re.compile(r"id:\w+(?:,\w+)*")


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What is to become of one file."""

    target: str
    path: Path
    base: Path  # the folder it must lie in
    state: State | str
    before: bytes | None  # None: there is no file
    after: bytes | None  # None: no file is to be left
    text: str = ""  # what is to stand in the block; empty where it is taken out
    head: str = ""
    written: str = ""  # what was written last, as far as the vault knows
    on_disk: str = ""  # what stands there now
    publication: Publication | None = None  # as it is to be recorded, None where the block is taken out
    notes: Notes = NO_NOTES
    problem: MemtuiError | None = None  # why nothing can be written

    @property
    def standing(self) -> str:
        """What its block is, `refused` where nothing can be said of it."""
        return "refused" if self.problem is not None and self.state != "edited" else self.state

    @property
    def is_change(self) -> bool:
        return self.problem is None and self.before != self.after


@dataclass(frozen=True, slots=True)
class Plan:
    """What publishing to a target would do."""

    place: Place
    files: tuple[FilePlan, ...]
    tokens: int = 0  # of what is written, with the margin of the assistant's own tokenizer
    memories: int = 0
    withheld: Mapping[Reason, int] = field(default_factory=dict)  # how many memories were left out, by reason
    selection: Selection = field(default_factory=Selection)
    budget: Budget | None = None  # of the memories, where they were chosen for this plan

    @property
    def left_out(self) -> int:
        return sum(self.withheld.values())

    @property
    def state(self) -> str:
        """The worst state of its files: refused, edited, stale, missing, current."""
        states = [file.standing for file in self.files]
        worst = ("refused", "edited", "stale", "missing", "current")
        return next((state for state in worst if state in states), "missing")


# -- texts --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a place's files by path relative to its base."""

    files: Mapping[str, _File]
    tokens: int
    withheld: Mapping[Reason, int]
    budget: Budget
    unfit: Unfit = field(default_factory=Unfit)


_File = tuple[str, str, tuple[Included, ...]]
"""Head, text, memories."""


def _texts(
    publisher: Publisher, place: Place, selection: Selection, *, base: Path, out: Path | None, is_single: bool
) -> _Texts:
    form = target_named(place.target, publisher.targets)
    pack, included, withheld = _chosen(publisher, form, selection)
    measure, why = measure_for(form, publisher.options), {one.id: one.reason for one in pack.withheld}
    info = PayloadInfo.published(publisher.project, explained=pack.explained)
    each = partial(_files, publisher, form, place, info=info, is_single=is_single)
    each = partial(each, folder_of=partial(_folder_of, publisher, place, base, out))
    chosen = list(included)
    while True:
        dropped: dict[str, Reason] = {}
        files = dict(each(included, dropped))
        if not included or sum(measure.size(text) for _, text, _ in files.values()) <= pack.budget.amount:
            break
        included.remove(least(included))
    written = {one.memory.id for _, _, kept in files.values() for one in kept}
    why |= {one.memory.id: Reason(ReasonCode.OVER_BUDGET) for one in chosen if one.memory.id not in written} | dropped
    withheld.update(why[one.memory.id].group for one in chosen if one.memory.id not in written)
    tokens = sum(measure.tokens_at_most(text) for _, text, _ in files.values())
    ticked = selection.ids or () if selection.is_picked else ()
    return _Texts(files, tokens, withheld, pack.budget, unfit(publisher.vault, ticked, written, why))


def _folder_of(publisher: Publisher, place: Place, base: Path, out: Path | None, path: str) -> Path:
    """Return the folder that links in a file are relative to."""
    return publisher.root if place.base else (out or _file_of(place, base, path)).parent


def _files(
    publisher: Publisher,
    form: Target,
    place: Place,
    included: Sequence[Included],
    dropped: dict[str, Reason],  # gets why memories find no room in a file
    *,
    info: PayloadInfo,
    folder_of: Callable[[str], Path],
    is_single: bool,
) -> Iterator[tuple[str, _File]]:
    always, scoped = split_by_files([one.memory for one in included])
    if not place.scoped or is_single:
        always, scoped = [one.memory.id for one in included], {}
    groups = ((place.path, always, ()), (place.scoped, list(scoped), [g for globs in scoped.values() for g in globs]))
    for path, ids, globs in groups:
        members = [one for one in included if one.memory.id in set(ids)]
        head = "" if is_single else head_for(place, globs)
        text, kept = _rendered(publisher, form, members, head, folder_of(path), info, dropped)
        if kept:
            yield path, (head, text, kept)


def _chosen(publisher: Publisher, form: Target, selection: Selection) -> tuple[Pack, list[Included], Counter[Reason]]:
    """Return a payload, its memories in an order that no day changes, and what was left out."""
    recipes = None
    options = replace(publisher.options, publishing=True, style="full")
    if selection.ids is not None:
        options = replace(options, with_ids=selection.ids, max_memories=max(len(selection.ids), 1))
    elif selection.recipe is not None:
        recipes = [get_recipe(publisher.vault, selection.recipe)]
    else:
        recipes = recipes_of(list_recipes(publisher.vault), publisher.project)
        options = replace(options, standing=tuple(recipe.name for recipe in recipes))
    build = partial(
        context,
        publisher.vault,
        Task(),
        publisher.scope,
        options,
        project=publisher.project,
        target=form,
        settings=publisher.settings,
        now=publisher.vault.now(),
        meaning=publisher.meaning,
        recipes=recipes,
    )
    pack = build(recall_by=publisher.recall_by)
    if not recipes and selection.ids is None and pack.has_all and BEYOND_LIMIT in pack.withheld_counts:
        # What the target reads by itself made room for more than was read.
        once = publisher if publisher.recall_on else publisher.recalling_once()
        pack = build(recall_by=once.recall_on)
    included = [one for one in pack.included if selection.ids is None or one.memory.id in selection.ids]
    included = [one for one in included if one.memory.status == "active"]
    included.sort(key=lambda one: (not one.memory.pinned, one.memory.created_at, one.memory.id))
    return pack, included, _left_out(pack, included, selection)


def _left_out(pack: Pack, included: Sequence[Included], selection: Selection) -> Counter[Reason]:
    """Return why memories were left out of a payload, and how many for each reason."""
    if selection.ids is None:
        withheld = Counter(one.reason.group for one in pack.withheld)
        withheld.update(pack.withheld_counts)
        return withheld
    # What nobody chose is not left out. Of what was chosen the nearest are named; the rest found no room either.
    withheld = Counter(one.reason.group for one in pack.withheld if one.id in selection.ids)
    if (rest := len(selection.ids) - len(included) - withheld.total()) > 0:
        withheld[Reason(ReasonCode.OVER_BUDGET)] += rest
    return withheld


def _rendered(
    publisher: Publisher,
    form: Target,
    members: Sequence[Included],
    head: str,
    folder: Path,
    info: PayloadInfo,
    dropped: dict[str, Reason],
) -> tuple[str, tuple[Included, ...]]:
    """Return the text of a block with as many memories as the assistant's limit lets in, the best kept."""
    kept = list(members)
    items = {one.memory.id: _item(one, publisher, folder) for one in members}
    while kept:
        text = managed_blocks.checked(for_block(form.render([items[one.memory.id] for one in kept], info)))
        whole = managed_blocks.write(None, form.name, text, head=head).decode()
        sizes = {"chars": len(whole), "bytes": len(whole.encode()), "lines": whole.count("\n")}
        exceeded = next((limit for limit in form.limits if sizes.get(limit.unit, 0) > limit.amount), None)
        if exceeded is None:
            return text, tuple(kept)
        worst = least(kept)
        kept.remove(worst)
        dropped[worst.memory.id] = over(exceeded, form)
    return "", ()


def _item(one: Included, publisher: Publisher, folder: Path) -> PackItem:
    """Return a memory as it is published in a folder: its links lead where they led.

    It stands among the rules only where it reads as one, else among the facts.
    """
    memory, told = one.memory, f"{one.memory.title}\n{one.memory.insight}"
    is_fact = memory.kind == "constraint" and not memory.rules and not states_rule(told)
    kind = "architecture" if is_fact else memory.kind
    insight, rationale = memory.insight, memory.rationale
    if memory.project == publisher.project:
        insight, rationale = (rebased(text, memory, publisher.root, folder) for text in (insight, rationale))
    return PackItem(replace(memory, kind=kind, insight=insight, rationale=rationale), detail=one.detail)


# -- plans --------------------------------------------------------------------------------------------


def plan_publication(
    publisher: Publisher,
    target: str,
    selection: Selection | None = None,
    *,
    out: Path | None = None,
    force: bool = False,
) -> Plan:
    """Return what publishing to a target would change; nothing is written.

    Args:
        target: the name of a place, or an alias.
        selection: what is published.
        out: the file to write into, instead of the assistant's own.
        force: whether a block that was edited by hand is replaced.

    Raises:
        UsageError: nothing can be published to this target.
        NotFoundError: there is no such recipe.
    """
    place, selection = place_named(target), selection or Selection()
    place, notes = (place, NO_NOTES) if out else read_instead(place, publisher.root)
    base = _base_of(place, publisher.root, out)
    is_single = out is not None or bool(place.instead and (base / place.instead).is_file())
    texts = _texts(publisher, place, selection, base=base, out=out, is_single=is_single)
    known = _known(publisher.vault, place, base)
    wanted = {out or _file_of(place, base, path): content for path, content in texts.files.items()}
    gone = [path for path in known if Path(path) not in wanted and out is None]
    plans = [
        _plan_file(publisher, place, base, file, content, known.get(str(file)), selection, notes=notes, force=force)
        for file, content in wanted.items()
    ]
    plans += [_plan_removal(place, base, Path(path), known[path], force=force) for path in gone]
    if texts.unfit.found:
        plans = plans or [FilePlan(place.target, _file_of(place, base, place.path), base, "missing", None, None)]
        plans = _refused(plans, texts.unfit.refusal(len(selection.ids or ()), str(texts.budget)))
    memories = sum(len(content[2]) for content in wanted.values())
    return Plan(place, tuple(plans), texts.tokens, memories, texts.withheld, selection, texts.budget)


def _refused(plans: Sequence[FilePlan], refusal: MemtuiError) -> list[FilePlan]:
    """Return plans that write nothing, with the reason."""
    return [replace(plan, after=plan.before, problem=plan.problem or refusal) for plan in plans]


def plan_removal(publisher: Publisher, target: str, *, out: Path | None = None, force: bool = False) -> Plan:
    """Return what taking a target's blocks out of its files would change."""
    place = place_named(target) if out else read_instead(place_named(target), publisher.root)[0]
    base = _base_of(place, publisher.root, out)
    known = _known(publisher.vault, place, base)
    paths = {Path(path) for path in known}
    if out is not None:
        paths = {out}
    else:
        paths |= {_file_of(place, base, path) for path in (place.path, place.scoped) if path}
    plans = [_plan_removal(place, base, path, known.get(str(path)), force=force) for path in sorted(paths)]
    return Plan(place, tuple(plan for plan in plans if plan.state != "missing" or str(plan.path) in known))


def _base_of(place: Place, root: Path, out: Path | None) -> Path:
    """Return the folder that what is written must lie in: a file that a person named elsewhere, in its own."""
    base = base_of(place, root)
    return base if out is None or out.is_relative_to(base) else out.parent


def standing_publications(vault: Vault, root: Path) -> dict[str, list[Publication]]:
    """Return what is published in a repository, by target."""
    found: dict[str, list[Publication]] = {}
    if not vault.exists:
        return found
    with vault.read() as reader:
        listed = publications(reader)
    for place in places():
        base = base_of(place, root)
        inside = [one for one in listed if one.block == place.target and Path(one.path).is_relative_to(base)]
        if inside:
            found[place.target] = inside
    return found


def _known(vault: Vault, place: Place, base: Path) -> dict[str, Publication]:
    if not vault.exists:
        return {}
    with vault.read() as reader:
        listed = publications(reader)
    return {one.path: one for one in listed if one.block == place.target and Path(one.path).is_relative_to(base)}


def _file_of(place: Place, base: Path, path: str) -> Path:
    """Return the file that is written for a path of a place."""
    return base / place.instead if place.instead and (base / place.instead).is_file() else base / path


def _plan_file(
    publisher: Publisher,
    place: Place,
    base: Path,
    path: Path,
    content: tuple[str, str, tuple[Included, ...]],
    known: Publication | None,
    selection: Selection,
    *,
    notes: Notes,
    force: bool,
) -> FilePlan:
    head, text, included = content
    publication = Publication(
        path=str(path),
        block=place.target,
        project=publisher.project,
        text=text,
        head=head,
        memory_ids=tuple(one.memory.id for one in included),
        hashes=tuple(content_hash(one.hit.memory) for one in included),
        recipe=selection.recipe,
        query=selection.query,
        at=publisher.vault.now(),
        actor="",
    )
    plan = FilePlan(place.target, path, base, "missing", None, None, text, head, publication=publication, notes=notes)
    return _with_file(plan, known, force=force)


def _plan_removal(place: Place, base: Path, path: Path, known: Publication | None, *, force: bool) -> FilePlan:
    return _with_file(FilePlan(place.target, path, base, "missing", None, None), known, force=force)


def _with_file(plan: FilePlan, known: Publication | None, *, force: bool) -> FilePlan:
    """Return a plan with what stands in its file, and what is to stand there."""
    try:
        before = read_file(plan.path, plan.base)
        block = None if before is None else managed_blocks.find(before, plan.target)
        state = _state(plan, before, block)
        refusal = None if force or state != "edited" else _edited(plan.path, block)
        after = before if refusal is not None else _after(plan, before)
    except MemtuiError as error:
        return replace(plan, state="refused", problem=error)
    return replace(
        plan,
        state=state,
        before=before,
        after=after,
        written=known.head + known.text if known else "",
        on_disk=block.head + block.text if block else "",
        problem=refusal,
    )


def _state(plan: FilePlan, before: bytes | None, block: Block | None) -> State:
    if plan.text:
        return managed_blocks.check(before, plan.target, plan.text, head=plan.head)
    # What is to be taken out is out of date, unless it is gone already.
    return "missing" if block is None else "edited" if block.is_edited else "stale"


def _edited(path: Path, block: Block | None) -> RefusedError:
    line = f":{block.lines[0]}" if block else ""
    return RefusedError(
        "The block was edited by hand since memtui wrote it",
        where=f"{path}{line}",
        remedy="`--take` takes the edit into the inbox, `--force` writes over it; nothing was changed.",
    )


def _after(plan: FilePlan, before: bytes | None) -> bytes | None:
    if plan.text:
        return managed_blocks.write(before, plan.target, plan.text, head=plan.head)
    return None if before is None else managed_blocks.remove(before, plan.target)
