"""One contradiction: both memories side by side, resolved by one key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from memtui.analysis.contradictions import Contradiction
from memtui.domain.memory import Memory
from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CLASH, CLASH_TEXT, GO, Action
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.memory_view import ago, days_between
from memtui.tui.state import Opening
from memtui.tui.styled_text import LONGEST_SHOWN, Block, Piece, StyleName
from memtui.tui.tidy.queries import Pair, TidyAccess
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import AskLine, Question, TitleLine

_WHERE = "paths, phases or words, separated by commas; empty leaves the memory as it is"
_QUESTIONS = {
    name: Question(f"{letter} is right for", verb=verb, longest=500)
    for name, letter, verb in (("first", "A", "continues with B"), ("second", "B", "resolves it"))
}


class ContradictionText(DetailPane):
    """One of the two texts; `b` keeps both memories here, and opens the inbox everywhere else."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CLASH_TEXT)


class ContradictionScreen(MemtuiScreen):
    """Resolve one contradiction by one key; each way is one undoable change."""

    AREA = CLASH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CLASH)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {"clash-first": ("_keep", 0), "clash-second": ("_keep", 1)}
    AUTO_FOCUS = "#clash-0"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, contradiction: Contradiction, pair: Pair) -> None:
        super().__init__(opening)
        self.resolved = False  # Whether it was resolved
        self._contradiction = contradiction
        self._pair = pair
        self._tidying = TidyAccess(self.access)
        self._title = TitleLine("Contradiction", warns=True, id="clash-head")
        self._why = Static(tame(contradiction.why, 300), id="clash-why", markup=False)
        self._panes = [ContradictionText(id=f"clash-{place}") for place in (0, 1)]
        self._line = AskLine(_QUESTIONS, id="clash-ask")
        self._where = Static(_WHERE, id="clash-where", markup=False)
        self._first = ""

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._why
        with Horizontal(id="clash-sides"):
            yield from (pane.add_class("pane") for pane in self._panes)
        yield self._where
        yield self._line
        yield self.hints

    def on_mount(self) -> None:
        self._title.place = self._contradiction.type
        self.call_after_refresh(self._show_both)

    def _show_both(self) -> None:
        now = self.opening.vault.now()
        for place, (pane, memory) in enumerate(zip(self._panes, self._pair, strict=True)):
            when = memory.verified_at or memory.observed_at or memory.created_at
            word = "verified" if memory.verified_at else "from"
            newer = " · newer" if memory.id == self._contradiction.winner else ""
            pane.set_title(f"{'AB'[place]}  {word} {ago(days_between(when, now))}{newer}")
            pane.show(self._blocks(memory, place), from_top=True)

    def _blocks(self, memory: Memory, place: int) -> list[Block]:
        words = self._contradiction.words[place]
        text, title = unwrapped(reveal(memory.insight[:LONGEST_SHOWN])), tame(memory.title, 500)
        in_text = _marked(text, words, "text")
        blocks = [
            Block((None if in_text else _marked(title, words, "title")) or ((title, "title"),)),
            Block(((f"{tame(memory.kind)} · {tame(memory.project or 'unassigned')}", "dim"),)),
            Block(in_text or ((text, "text"),), gap=True),
        ]
        if memory.rationale:
            blocks.append(
                Block(((unwrapped(reveal(memory.rationale[:LONGEST_SHOWN])), "text"),), label="Why", gap=True)
            )
        blocks += [
            Block(((tame(anchor.path), "path"),), label=" " if at else "Files", gap=not at)
            for at, anchor in enumerate(memory.anchors[:3])
        ]
        return blocks

    # -- resolving ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "Resolve the contradiction first; esc leaves it."
        if self.acting and action.owner == CLASH:
            return "The contradiction is being resolved."
        return super().why_not(action)

    def _keep(self, place: int) -> None:
        self._resolve(lambda: self._tidying.keep(self._contradiction, self._pair[place]))

    def action_clash_none(self) -> None:
        """Say that it is not a contradiction."""
        self._resolve(lambda: self.memories.dismiss("contradictions", self._contradiction.ids))

    def action_clash_both(self) -> None:
        """Ask where each holds; at least one answer is needed."""
        if not self.acting:
            self._ask("first")

    def _ask(self, name: str) -> None:
        self._where.add_class("-open")
        self._line.open(name)

    @on(AskLine.Given)
    def _take_where(self, message: AskLine.Given) -> None:
        message.stop()
        if message.name == "first":
            self._first = message.text
            self._ask("second")
            return
        said = (self._first, message.text)
        if not any(where.strip() for where in said):
            self.say("Say where at least one of them applies: a path, a phase, or words.", severity="warning")
            self._ask("first")
            return
        self._close_line()
        self._resolve(lambda: self._tidying.keep_both(self._contradiction, self._pair, said))

    def _close_line(self) -> None:
        self._where.remove_class("-open")
        self._line.close()
        self._panes[0].focus()

    def action_back(self) -> None:
        """Close the line, else leave."""
        if self._line.is_open:
            self._close_line()
        else:
            super().action_back()

    def _resolve(self, change: Callable[[], Done]) -> None:
        def run() -> Done:
            done = change()
            self.resolved = True
            return done

        self.do(run)

    def acts_ended(self, focus: str | None) -> None:
        """Close once resolved."""
        del focus
        if self.resolved and self.is_current:
            self.dismiss(None)


def _marked(shown: str, words: str, style: StyleName) -> tuple[Piece, ...] | None:
    """Return a text with these words in brackets, None where it does not have them."""
    # Wherever a line ends now.
    sought = r"\s+".join(map(re.escape, reveal(words).split()))
    found = re.search(rf"(?<!\w){sought}(?!\w)", shown, re.IGNORECASE) if sought else None
    if found is None:
        return None
    before, after = shown[: found.start()], shown[found.end() :]
    pieces: tuple[Piece, ...] = ((before, style), (f"[{found.group()}]", "warning"), (after, style))
    return tuple(piece for piece in pieces if piece[0])
