"""Change many memories at once: which they are, and one action for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message

from memtui.curate import lifecycle
from memtui.curate.bulk_changes import Outcome
from memtui.curate.fields import KIND_HALF_LIFE, files_from, tags_from, without_files
from memtui.curate.lifecycle import change_many
from memtui.curate.query import parse_query
from memtui.errors import UsageError
from memtui.text.sanitize import tame
from memtui.text.words import counted, parse_duration
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ACTIONS, BULK, Action, Keymap
from memtui.tui.list_detail import LIST, ListDetail
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.values import Done, Signature
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import AskLine, Question, TitleLine
from memtui.tui.widgets.memory_list import MemoryList
from memtui.vault.filters import MemoryFilter
from memtui.wording.outcomes import acted, matches_nothing, skip_reason

WINDOW = 1_500  # Memories read under one lease: about 100 ms
MOST_TOLD = 200  # Memories that were left alone and are named; the rest are counted


@dataclass(frozen=True, slots=True)
class Chosen:
    """Memories that an act is to be for."""

    versions: Mapping[str, int]  # as they were when they were chosen, in the order of the list
    kinds: Mapping[str, int]  # how many of each kind
    statuses: Mapping[str, int]  # how many of each status
    pinned: int  # how many are pinned
    signature: Signature  # what the file system said of the vault before they were read


@dataclass(slots=True)
class LeftAlone:
    """What an act did not change."""

    told: list[tuple[str, str]] = field(default_factory=list)  # (title, reason) of the first of them
    number: int = 0  # of all of them


class BulkAccess:
    """The vault as the screen for many memories sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    left: LeftAlone = LeftAlone()  # what the last act left alone

    def by_query(self, query: str) -> Chosen:
        """Return what a query chooses in view, in use unless it says otherwise, the newest first.

        Raises `QueryError`: with the place, and how to write it.
        """
        now, opening = self._vault.now(), self._opening
        asked = parse_query(query, opening.vault.kinds, now)
        with self._reading.read() as reader:
            base = MemoryFilter(scope=self._access.view_of(reader).scope, threshold=opening.threshold)
            ids = reader.select_ids(asked.narrow(base), sort="created", now=now)
        return self.by_ids(ids)

    def by_ids(self, identifiers: Sequence[str]) -> Chosen:
        """Return memories as they are now; those that are gone are left out."""
        signature = self._access.signature()
        versions: dict[str, int] = {}
        kinds: Counter[str] = Counter()
        statuses: Counter[str] = Counter()
        pinned = 0
        for start in range(0, len(identifiers), WINDOW):
            window = identifiers[start : start + WINDOW]
            with self._reading.read() as reader:
                found = reader.get_many(window)
            there = [found[identifier] for identifier in window if identifier in found]
            versions.update((memory.id, memory.version) for memory in there)
            kinds.update(memory.kind for memory in there)
            statuses.update(memory.status for memory in there)
            pinned += sum(memory.pinned for memory in there)
        return Chosen(versions, dict(kinds.most_common()), dict(statuses.most_common()), pinned, signature)

    # -- acts, each one change --------------------------------------------------------------------

    def retag(self, versions: Mapping[str, int], typed: str) -> Done:
        """Add tags and take tags away: `redis -old` adds the one and takes the other."""
        added, gone = tags_from(typed)
        return self._many("Retagged", change_many, versions, add_tags=added, remove_tags=gone)

    def retie(self, versions: Mapping[str, int], typed: str) -> Done:
        """Tie them to files and untie them: `quay/**, -docs/**` adds the one and removes the other.

        Raises `UsageError`: a path is not in the project, or would be relative to several.
        """
        projects = {memory.project for memory in self._access.memories(list(versions))} - {None}
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            tree = self._access.tree_of(reader, projects.pop()) if len(projects) == 1 else None
        root = tree.root if tree is not None else view.root
        added, gone = files_from(typed, root)
        if added and projects:
            raise UsageError("They are of several projects, whose files lie apart", remedy="Choose those of one.")
        done = self._many("Changed the files of", change_many, versions, add_anchors=added, remove_files=gone)
        return replace(
            done, message=". ".join(filter(None, (done.message, matches_nothing(without_files(added, root)))))
        )

    def rekind(self, versions: Mapping[str, int], kind: str) -> Done:
        return self._many(f"Made {tame(kind)}", change_many, versions, kind=kind)

    def set_half_life(self, versions: Mapping[str, int], typed: str) -> Done:
        """Give them a half-life of their own, or with nothing typed that of their kind."""
        days = parse_duration(typed) if typed.strip() else KIND_HALF_LIFE
        return self._many("Set the half-life of", change_many, versions, half_life_days=days)

    def verify_all(self, versions: Mapping[str, int]) -> Done:
        """Say "still true"; their files are taken as they are where the project's tree is at hand."""
        with self._reading.read() as reader:
            tree = self._access.view_of(reader).tree
        return self._many("Verified", lifecycle.verify, list(versions), versions=versions, tree=tree)

    def retire_all(self, versions: Mapping[str, int]) -> Done:
        done = self._many("Retired", lifecycle.retire, list(versions), versions=versions)
        return self._access.offer_withdrawal(done, list(versions))

    def _many(self, word: str, service: Callable[..., Outcome], chosen: object, **options: Any) -> Done:
        """Change memories, and note what was left alone with its title."""
        self._opening.before_change()
        outcome = service(self._vault, chosen, actor=self._opening.actor, **options)
        skipped = outcome.skipped
        named = [each.id for each in skipped[:MOST_TOLD]]
        titles = {memory.id: tame(memory.title, 200) for memory in self._access.memories(named)} if named else {}
        told = [(titles.get(each.id, each.id), tame(skip_reason(each))) for each in skipped[:MOST_TOLD]]
        self.left = LeftAlone(told, len(skipped))
        return Done(acted(word, outcome), changed=bool(outcome.changed))


QUERY, TAGS, FILES, HALF_LIFE = "query", "tags", "files", "half-life"
_QUESTIONS = {
    QUERY: Question("/", verb="chooses", longest=200),
    TAGS: Question("Tags", verb="changes all · redis -old adds redis, removes old", longest=500),
    FILES: Question("Files", verb="changes all · quay/**, -docs/** adds quay/**, removes docs/**", longest=1_000),
    HALF_LIFE: Question("Half-life", verb="changes all · 30d, 6 months; empty: the kind's half-life", longest=40),
}
_ACTS = frozenset({"bulk-tags", "bulk-files", "bulk-kind", "bulk-half-life", "bulk-verify", "bulk-retire"})


class BulkScreen(ListDetail):
    """What is chosen on the left, on the right what can be done and what the last act left alone.

    `identifiers`: what is chosen at first. `query`: by which the list it comes from was filtered.
    """

    AREA = BULK
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(BULK)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "bulk-tags": ("_line.open", TAGS, ""),
        "bulk-files": ("_line.open", FILES, ""),
        "bulk-half-life": ("_line.open", HALF_LIFE, ""),
        "bulk-verify": ("_verify",),
        "bulk-retire": ("_retire",),
        "bulk-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#bulk-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, identifiers: Sequence[str], *, query: str = "") -> None:
        self._list = MemoryList(id="bulk-list")
        self._plan = DetailPane(id="bulk-plan")
        super().__init__(opening, self._list, self._plan)
        self.changed = False  # Whether anything was changed
        self._bulk = BulkAccess(self.access)
        self._title = TitleLine("Change many", id="bulk-title")
        self._line = AskLine(_QUESTIONS, id="bulk-ask")
        self._ids: tuple[str, ...] = tuple(identifiers)
        self._typed = query
        self._chosen: Chosen | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="bulk-panes"):
            yield self._list
            yield self._plan
        yield self._line
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first picture."""
        self._list.set_title("1 Chosen", "")
        self._plan.set_title("2 What to do")
        self.begin_looking()

    # -- what is chosen ---------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read again what is chosen: the same memories, whatever a query would choose by now."""
        ids = self._ids
        self.loader.read(lambda: self._bulk.by_ids(ids), self._show, group=LIST)

    def _choose(self, query: str) -> None:
        """Choose others by a query."""

        def show(chosen: Chosen) -> None:
            self._typed = query
            self._close_line()
            self._show(chosen)

        self.loader.read(lambda: self._bulk.by_query(query), show, group=LIST)

    def _show(self, chosen: Chosen) -> None:
        self.trouble_is_over()
        self._chosen = chosen
        self.looked_at = chosen.signature
        self._ids = tuple(chosen.versions)
        notice = ("Nothing is selected.", "/ selects by another query.")
        self._list.show(self._ids, follow=self._list.current, fresh=True, notice=notice)
        number = counted(len(self._ids), "memory", "memories")
        self._list.set_title("1 Chosen", f"{len(self._ids):,}")
        self._title.note = f"{number}" + (f" by {tame(self._typed, 60)}" if self._typed else "")
        self.draw_again()

    @on(MemoryList.RowsWanted)
    def _fill_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self.loader.read(lambda: self.access.rows(message.ids), self._list.put_rows, group="rows")

    @on(MemoryList.Highlighted)
    @on(MemoryList.Marked)
    @on(MemoryList.Chosen)
    def _pass(self, message: Message) -> None:
        message.stop()

    def draw_again(self) -> None:
        """Write what can be done with what is chosen, and what the last act left alone."""
        if self._chosen is not None:
            keymap: Keymap = getattr(self.app, "keymap", None) or Keymap()
            acts = [(keymap.shown(action), action.title) for action in ACTIONS if action.id in _ACTS]
            self._plan.show(_plan(self._chosen, self._bulk, acts), from_top=True)

    # -- acts -------------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id in _ACTS and not self._ids:
            return "Nothing is selected; / selects by a query."
        if action.id in _ACTS and self.acting:
            return "A change is being made."
        return super().why_not(action)

    def _all(self, run: Callable[[Mapping[str, int]], Done]) -> None:
        """Make one change of all that are chosen, with the versions that they were chosen with."""
        if self._chosen is None:
            return
        versions = self._chosen.versions

        def act() -> Done:
            done = run(versions)
            self.changed = self.changed or done.changed
            return done

        self.do(act)

    def action_bulk_query(self) -> None:
        self._line.open(QUERY, self._typed)

    @on(AskLine.Given)
    def _take(self, message: AskLine.Given) -> None:
        message.stop()
        if message.name == QUERY:
            self._choose(message.text)
            return
        self._close_line()
        acts = {TAGS: self._bulk.retag, FILES: self._bulk.retie, HALF_LIFE: self._bulk.set_half_life}
        run = acts[message.name]
        self._all(lambda versions: run(versions, message.text))

    def action_bulk_kind(self) -> None:
        def take(kind: str | None) -> None:
            if kind is not None:
                self._all(lambda versions: self._bulk.rekind(versions, kind))

        kinds = [(tame(kind), "") for kind in self.opening.vault.kinds.names()]
        self.app.push_screen(ChoiceScreen("Kind of all of them", kinds, ""), take)

    def _verify(self) -> None:
        self._all(self._bulk.verify_all)

    def _retire(self) -> None:
        self._all(self._bulk.retire_all)

    def leave_line(self) -> bool:
        """Close the line; False where it is closed."""
        if not self._line.is_open:
            return False
        self._close_line()
        return True

    def _close_line(self) -> None:
        self._line.close()
        self.enter_first()


def _plan(chosen: Chosen, bulk: BulkAccess, acts: Sequence[tuple[str, str]]) -> list[Block]:
    """Return what is chosen in words, what can be done with a key each, and what was left alone."""
    blocks = [Block(((counted(len(chosen.versions), "memory", "memories"), "title"),))]
    kinds = ", ".join(f"{number:,} {tame(kind)}" for kind, number in chosen.kinds.items())
    statuses = ", ".join(f"{number:,} {status}" for status, number in chosen.statuses.items())
    rows = [("Kinds", kinds), ("Status", statuses), ("Pinned", f"{chosen.pinned:,}" if chosen.pinned else "")]
    blocks += [Block(((text, "text"),), label=label) for label, text in rows if text]
    if bulk.left.number:
        word = counted(bulk.left.number, "memory", "memories")
        blocks.append(Block(((f"The last action skipped {word}", "warning"),), gap=True))
        blocks += [Block(((title, "text"), (f"  {reason}", "dim"))) for title, reason in bulk.left.told]
        if bulk.left.number > len(bulk.left.told):
            blocks.append(Block(((f"… {bulk.left.number - len(bulk.left.told):,} more", "dim"),)))
    blocks += [Block(((title, "text"),), label=key, gap=not place) for place, (key, title) in enumerate(acts)]
    words = (
        "Each action changes all of them at once and is undone at once. Memories that someone else changed meanwhile "
        "are skipped and listed."
    )
    return [*blocks, Block(((words, "dim"),), gap=True)]
