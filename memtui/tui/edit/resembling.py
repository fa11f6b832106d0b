"""Asks about a memory that was just saved or accepted and resembles one in use; both texts are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.domain.memory import LinkType, Memory
from memtui.errors import MemtuiError
from memtui.text.inline import unwrapped
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import RESEMBLING, Action, Keymap
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screen_part import ScreenPart
from memtui.tui.styled_text import Block, clipped, from_difference, marked_pieces
from memtui.tui.textual_patches.display import ASKED, stand_clear
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.detail import DetailPane

if TYPE_CHECKING:
    from memtui.analysis.resemblance import Resemblance
    from memtui.recall.semantic import Meaning


@dataclass(frozen=True, slots=True)
class Beside:
    """A memory that was just saved, and the one in use that it resembles."""

    memory: Memory
    other: Memory
    found: Resemblance

    @property
    def finding(self) -> str:
        """What Tidy would list the two under."""
        return "contradictions" if self.found.sort == "clashes" else "duplicates"

    @property
    def ends(self) -> tuple[Memory, Memory]:
        """The memory that replaces the other, and that: the new one the old, unless the latter is what holds."""
        return (self.other, self.memory) if self.found.is_winner else (self.memory, self.other)


class ResemblingAccess:
    """The vault as it is looked at beside a save."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._opening = access.vault, access.opening

    def beside(self, identifiers: Sequence[str], before: Memory | None = None) -> list[Beside]:
        """Return what memories repeat, clash with or would replace; `before`: the one of them before an edit."""
        from memtui.curate.links import to_settle

        memories = self._access.memories(identifiers)
        found = to_settle(self._vault, memories, before=before, meaning=self._meaning_at_hand)
        return [Beside(*one) for one in found]

    @property
    def _meaning_at_hand(self) -> Meaning | None:
        meaning = self._opening.meaning
        return meaning if meaning is not None and meaning.is_ready else None

    def near(self, identifier: str, before: Memory | None = None) -> str:
        """Return words on the memory that a saved one resembles most, too little to ask about; empty for none."""
        from memtui.analysis.resemblance import changed_much
        from memtui.curate.links import resembling

        for memory in self._access.memories([identifier]):
            if before is None or changed_much(before, memory):
                for one in resembling(self._vault, memory, meaning=self._meaning_at_hand):
                    return f"It resembles “{tame(one.title, 80)}”, which is in use: {tame(one.why, 120)}"
        return ""

    def number_for_tidy(self, identifiers: Sequence[str]) -> int:
        """Return how many of memories Tidy lists, which sees more than two at once; 0 where no two are alike."""
        from memtui.curate.tidy import listed_as_alike

        if all(one.found.sort == "replaces" for one in self.beside(identifiers)):
            return 0
        reading = self._access.read_vault
        with reading.read() as reader:
            view, model = self._access.view_of(reader), self._access.stored_model(reader)
        return len(listed_as_alike(reading, view.listing_scope, model).intersection(identifiers))

    def still_open(self, asked: Sequence[Beside]) -> list[Beside]:
        """Return the pairs of which both are in use and say what they said."""
        ids = {one.id for each in asked for one in (each.memory, each.other)}
        now = {one.id: one for one in self._access.memories(sorted(ids)) if one.status == "active"}
        return [each for each in asked if all(_says(now.get(one.id), one) for one in (each.memory, each.other))]

    def tie(self, beside: Beside, link_type: LinkType) -> Done:
        """Link the new memory with what it resembles; `supersedes` takes the one that is replaced out of use."""
        from memtui.curate.links import link

        self._opening.before_change()
        first, second = beside.ends
        made = link(self._vault, first.id, link_type, second.id, actor=self._opening.actor)
        if made is None:
            return Done("They are already linked like this", changed=False)
        word, named = ("Superseded", second) if link_type == "supersedes" else ("Linked with", beside.other)
        return Done(f"{word}: {tame(named.title, 80)}", focus=first.id)

    def keep(self, beside: Beside) -> Done:
        """Never suggest the pair again, as Tidy's own dismissal does."""
        ids = (beside.memory.id, beside.other.id)
        return replace(MemoryActs(self._access).dismiss(beside.finding, ids), focus=beside.memory.id)


def _says(now: Memory | None, then: Memory) -> bool:
    return now is not None and (now.title, now.insight) == (then.title, then.insight)


WORDS = {
    "resembling-link": ("link", "link"),
    "resembling-supersede": ("new replaces old", "replace"),
    "resembling-keep": ("keep both", "keep"),
    "resembling-both": ("compare, merge", "open"),
}
"""What the keys do, in words and in short."""

OLD_REPLACES = ("old replaces new", "keep old")  # What `resembling-supersede` does where the old one is what holds

_SUPERSEDE = "resembling-supersede"
LATER = ("later", "later")  # What esc does: Tidy suggests the pair again

SAID = {
    "same": "says the same as",
    "reworded": "seems to say the same as",
    "clashes": "clashes with",
    "differs": "resembles",
    "replaces": "was proposed to replace",
}

_NEW, _OLD = "new", "in use"
_COMPARED = 400  # Characters of a text that are held against its title
_KEPT_ROWS = 12  # Rows that stay for the screen itself
_FEWEST_ROWS, _MOST_ROWS = 6, 16  # Rows of the two texts
_MARGIN_CELLS = 14  # Of a row of text, for its label and what wrapping leaves


def side_blocks(beside: Beside, most: int) -> list[Block]:
    """Return both memories, the new one first, in brackets the words in which they differ.

    `most`: characters shown of a text.
    """
    from memtui.curate.merge import marked_texts

    both = (beside.memory, beside.other)
    titles, insights = (marked_texts([unwrapped(getattr(one, name)) for one in both]) for name in ("title", "insight"))
    blocks: list[Block] = []
    for label, memory, title, insight in zip((_NEW, _OLD), both, titles, insights, strict=True):
        has_title = _bare(memory.insight).startswith(_bare(memory.title))
        if not has_title:
            blocks.append(Block(marked_pieces(title, "title"), label=label))
        text = marked_pieces(from_difference(insight, most), "title" if has_title else "text")
        blocks.append(Block(text, label=label if has_title else " "))
    return blocks


def _bare(text: str) -> str:
    """Return the letters and digits of a text: titles are made from texts without their marks."""
    return "".join(sign for sign in text[:_COMPARED].lower() if sign.isalnum())


class ResemblanceQuestion(Vertical):
    """Shows both texts over the keys of the screen that act on them; esc leaves the question to Tidy."""

    DEFAULT_CSS = """
    ResemblanceQuestion {
        height: auto;
    }
    ResemblanceQuestion Static {
        height: 1;
        background: $memtui-cursor;
    }
    ResemblanceQuestion DetailPane {
        height: 4;
        padding: 0 1;
    }
    """

    def __init__(self, keymap: Keymap | None = None) -> None:
        super().__init__(id="resemblance", classes=ASKED)
        self._keymap = keymap or Keymap()
        self._head, self._keys = (Static("", markup=False, classes="resemblance-line") for _ in range(2))
        self._texts = DetailPane(id="resemblance-texts")
        self._texts.can_focus = False
        self._asked: tuple[Beside, int] | None = None
        self._shown: tuple[Beside, int] | None = None  # What is shown, and how much of a text at most

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._texts
        yield self._keys

    def ask(self, beside: Beside, more: int) -> None:
        """Show two memories; `more`: how many others wait behind them."""
        self._asked = beside, more
        self._draw()

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        """Write the lines around the texts, and give these what they need of the room there is."""
        if self._asked is None or not self._texts.is_mounted:
            return
        (beside, more), width = self._asked, self.size.width
        rows = min(_MOST_ROWS, max(_FEWEST_ROWS, self.screen.size.height - _KEPT_ROWS))
        most = max(1, width - _MARGIN_CELLS) * (rows // 2 - 1)
        if self._shown != (beside, most):
            self._shown = beside, most
            self._texts.show(side_blocks(beside, most), from_top=True)
        said, found = SAID[beside.found.sort], beside.found
        why = "" if found.sort in {"same", "replaces"} else f": {tame(found.why, 200)}"
        others = f"{more:,} more after this" if more else ""
        head = Content.assemble(
            " ", ("≈ ", "$memtui-due"), (f"the new one {said} one in use", "bold"), (why, "$memtui-dim")
        )
        room = max(0, width - len(others) - 2)
        shown = clipped(head, room)
        end = (others, "$memtui-due")
        self._head.update(Content.assemble(shown, " " * (room - shown.cell_length + 1), end, " "))
        ways = [self._named_keys(short, gap) for short, gap in ((0, "   "), (1, "  "), (1, " "))]
        keys = next((way for way in ways if way.cell_length <= width), ways[-1])
        self._keys.update(clipped(keys, width))
        self._texts.styles.height = max(1, min(len(self._texts.plain_lines), rows))

    def _named_keys(self, short: int, gap: str) -> Content:
        """Return the keys, always in the same order. `short`: 1 for short words, else 0."""
        turned = self._asked is not None and self._asked[0].found.is_winner
        named = [
            (self._keymap.first(action), OLD_REPLACES if turned and action.id == _SUPERSEDE else WORDS[action.id])
            for action in registry.of_owners(RESEMBLING)
            if self._keymap.keys(action)
        ]
        parts = [
            Content.assemble((key, "bold $primary"), (f" {words[short]}", "$memtui-dim"))
            for key, words in (*named, ("esc", LATER))
        ]
        return Content.assemble(gap[1:2], Content(gap).join(parts))


class SimilarOnSave(ScreenPart[MemtuiScreen]):
    """Asks after a save what is to become of the new memory and the one that it resembles, for screens beneath forms.

    A question stays until it is answered, or one of the two is no longer what it was.

    Attributes:
        waiting: the pairs that are asked about, the first of them on the screen.
    """

    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "resembling-link": ("resemblance.tie", "relates"),
        "resembling-supersede": ("resemblance.tie", "supersedes"),
        "resembling-keep": ("resemblance.keep",),
        "resembling-both": ("resemblance.open_both",),
    }
    """What answers the keys of the question on a screen that holds it as `resemblance`."""

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__(screen)
        self.waiting: list[Beside] = []
        self._tied: Beside | None = None  # The pair whose answer is being saved
        self._queries = ResemblingAccess(screen.access)

    def look(
        self, identifiers: Sequence[str], before: Memory | None = None, said: str = "", *, is_typed: bool = False
    ) -> None:
        """Look for what memories repeat that were saved as new statements, or accepted; safe to call from a thread.

        Of several at once it is only said how many do so.

        Args:
            before: the one memory as it was before an edit.
            said: what was told of the save, which is told again beside the number.
            is_typed: whether a person wrote the one text: what it only resembles is named, and not asked about.
        """

        def ignore(_: MemtuiError) -> None:
            """Leave it: the save stands."""

        def find() -> tuple[list[Beside], str, int]:
            if len(identifiers) > 1:
                return [], "", self._queries.number_for_tidy(identifiers)
            found = self._queries.beside(identifiers, before)
            return found, self._queries.near(identifiers[0], before) if is_typed and not found else "", 0

        def add(read: tuple[list[Beside], str, int]) -> None:
            found, near, number = read
            if near:
                self.screen.say(near)
            if len(identifiers) > 1:
                self._tell(number, said)
                return
            self.show([*(one for one in self.waiting if one.memory.id not in identifiers), *found])
            # What was undone meanwhile is not asked about.
            self.changed()

        def read() -> None:
            # Not exclusive: what was accepted before is asked about, too.
            self.screen.loader.read(find, add, group="beside", on_error=ignore, exclusive=False)

        self.screen.call_later(read)

    def _tell(self, number: int, said: str) -> None:
        """Say how many of several memories may repeat a memory in use, in place of what was said of them before."""
        if number:
            key = self.screen.key_of("go-tidy")
            repeats = f"{number:,} may repeat a memory in use{f': {key} goes to Tidy' if key else ''}"
            self.screen.say(". ".join(filter(None, (said, repeats))))

    def show(self, waiting: list[Beside]) -> None:
        """Show the first of what is asked, or nothing."""
        self.waiting = waiting
        question = self.screen.query_one_optional(ResemblanceQuestion)
        if not waiting:
            if question is not None:
                question.display = False
            return
        if question is None:
            question = ResemblanceQuestion(getattr(self.screen.app, "keymap", None))
            self.screen.mount(question, before=self.screen.hints)
        question.display = True
        question.ask(waiting[0], len(waiting) - 1)
        # A toast that came before it would cover what it asks about.
        stand_clear(self.screen)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Ask again where the answer could not be saved."""
        del error
        if self._tied is not None:
            self.show([self._tied, *self.waiting])
        return False

    def changed(self) -> None:
        """Drop the questions that a change has settled."""
        self._tied = None
        if self.waiting:
            asked = list(self.waiting)
            self.screen.loader.read(
                lambda: self._queries.still_open(asked),
                lambda left: self.show([one for one in self.waiting if one in left or one not in asked]),
                group="beside-open",
                on_error=lambda _: None,
            )

    # -- keys -------------------------------------------------------------------------------------

    def is_off(self, identifier: str) -> bool:
        """Return whether a key is the question's own while there is none."""
        return identifier.startswith(f"{RESEMBLING}-") and not self.waiting

    def offered(self) -> list[Action]:
        return registry.of_owners(RESEMBLING) if self.waiting else []

    def takes(self, identifier: str) -> bool:
        """Take esc for no answer; the next question follows."""
        if identifier != "back" or not self.waiting:
            return False
        self.show(self.waiting[1:])
        return True

    def why_not(self, action: Action) -> str | None:
        """Leave esc to the question, which names it."""
        return "Answer the question first." if action.id == "back" and self.waiting else None

    def tie(self, link_type: LinkType) -> None:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        self._answer(lambda beside: self._queries.tie(beside, link_type))

    def keep(self) -> None:
        """Let both stay as they are, for good."""
        self._answer(self._queries.keep)

    def _answer(self, act: Callable[[Beside], Done]) -> None:
        if self.waiting:
            beside, *rest = self.waiting
            self._tied = beside
            self.show(rest)
            self.screen.do(lambda: act(beside), focus=True)

    def open_both(self) -> None:
        """Open both side by side, to be merged or only looked at."""
        if not self.waiting:
            return
        from memtui.tui.merge.screen import MergeScreen

        beside = self.waiting[0]
        merging = MergeScreen(self.screen.opening, (beside.other.id, beside.memory.id), beside.finding)

        def closed(_: None) -> None:
            # Looked at without a decision, the question stands as it stood.
            if merging.settled:
                self.show([one for one in self.waiting if one is not beside])
                self.screen.acts_ended(beside.other.id)

        self.screen.app.push_screen(merging, closed)
