"""The memory that Browse looks at: read in full, followed by links, with the links that are suggested for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.browse.queries import ListQueries
from memtui.tui.memory_view import describe, neighbours
from memtui.tui.values import Detail, Done, Proposed
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.memory_list import MemoryList

if TYPE_CHECKING:
    from memtui.tui.list_detail import MemtuiScreen

RESTING_SECONDS = 0.05  # Pause of the cursor before a memory is read in full, while it moves on and on
MOVING_SECONDS = 0.2  # A move so long after the one before is a single one: its memory is read at once

LOOKING_SECONDS = 0.3
"""Pause on a memory before links are looked for: it takes 40 ms of the machine, and nobody reads them in passing."""

LOOKING_WHILE_TYPING_SECONDS = 1.5
"""The same while a filter is typed: at 100,000 memories it takes 300 ms, which the next key would wait for."""


class Details:
    """Shows the memory under the cursor, or one that a link led to.

    Attributes:
        read: what is shown, as it was read last.
        shown_id: id of the memory that is shown in full.
        visiting: a memory that is read by a link though the list does not hold it.
        explaining: whether every part of its score is shown.
    """

    def __init__(
        self,
        screen: MemtuiScreen,  # the screen that holds it
        pane: DetailPane,  # where the memory is shown
        memories: MemoryList,  # the list whose cursor it follows
        queries: ListQueries,  # what the list asks the vault
        query: Callable[[], str],  # returns the filter, for the explanation of a score
    ) -> None:
        self._screen = screen
        self._loader = screen.loader
        self._pane = pane
        self._list = memories
        self._queries = queries
        self._query = query
        self._links = LinkQueries(screen.access)
        self.read: Detail | None = None
        self.shown_id: str | None = None
        self.visiting: str | None = None
        self.explaining = False
        self._sketched_id: str | None = None
        """The memory that is shown as far as its row knows it, while the rest is read."""
        self._visited_from: str | None = None
        self._trail: list[tuple[str, str]] = []  # Links that were followed: from which memory to which
        self._moved_at = 0.0
        self._around = 0  # Number of the details whose suggested links are shown

    @property
    def subject(self) -> str | None:
        """The memory that is looked at: the one read by a link, else the one under the cursor."""
        return self.visiting or self._list.current

    @property
    def is_complete(self) -> bool:
        """Whether the memory that is looked at is shown in full, with its suggested links."""
        return self.shown_id == self.subject and self._around == self._loader.newest["detail"]

    # -- reading ----------------------------------------------------------------------------------

    def rest_on(self, identifier: str | None) -> None:
        """Follow the cursor: show what its row knows at once, the rest once it rests."""
        self._loader.stop_pause("detail")
        if identifier != self._visited_from:
            self.visiting = None
        if identifier is None:
            self.shown_id, self.read = None, None
            self._pane.show((), from_top=True)
        elif self.shown_id is None:
            self.look()
        else:
            self._sketch(identifier)
            now = monotonic()
            moving, self._moved_at = now - self._moved_at < MOVING_SECONDS, now
            self._loader.after(RESTING_SECONDS if moving else 0.001, self.look, group="detail")

    def _sketch(self, identifier: str) -> None:
        row = self._list.row(identifier)
        if row is None or row.memory is None or self.explaining:
            return
        self._pane.show(describe(self._screen.access.sketch(row.memory)), from_top=identifier != self.shown_id)
        self._sketched_id = identifier

    def look(self) -> None:
        """Read the memory that is looked at in full."""
        identifier = self.subject
        if identifier is not None:
            explain = self._query() if self.explaining else None
            self._loader.read(
                lambda: self._queries.detail(identifier, explain), partial(self._show, identifier), group="detail"
            )

    def _show(self, identifier: str, detail: Detail | None) -> None:
        self._look_around_soon(identifier, detail)
        if identifier != self.subject:
            return
        self.read = detail
        blocks = describe(detail) if detail is not None else []
        self._pane.show(blocks, from_top=identifier not in {self.shown_id, self._sketched_id})
        self._sketched_id = None
        self._pane.set_title("3 Detail · by a link, esc goes back" if self.visiting else "3 Detail")
        self.shown_id = identifier

    # -- links that are suggested -----------------------------------------------------------------

    @property
    def suggested(self) -> tuple[Proposed, ...]:
        """The links that are suggested for what is looked at, as far as they are on the screen."""
        read = self.read
        return tuple(read.proposals) if read is not None and read.view.memory.id == self.subject else ()

    def _look_around_soon(self, identifier: str, detail: Detail | None) -> None:
        number = self._loader.newest["detail"]
        self._loader.stop("neighbourhood")
        if detail is None or detail.view.memory.status != "active":
            self._around = number
            return

        def ignore(_: MemtuiError) -> None:
            """Leave it: the details stand without, and the next read shows the trouble."""

        def look() -> None:
            self._loader.read(
                lambda: self._links.suggested(identifier),
                partial(self._show_suggested, identifier, number),
                group="neighbourhood",
                on_error=ignore,
            )

        typing = self._screen.focused is not None and self._screen.focused.id == "filter"
        self._loader.after(LOOKING_WHILE_TYPING_SECONDS if typing else LOOKING_SECONDS, look, group="neighbourhood")

    def _show_suggested(self, identifier: str, number: int, suggested: tuple[Proposed, ...]) -> None:
        if number != self._loader.newest["detail"]:
            return
        self._around = number
        if suggested and self.read is not None and self.read.view.memory.id == identifier:
            self._show_with(replace(self.read, proposals=suggested))

    def _show_with(self, read: Detail) -> None:
        self.read = read
        self._pane.show(describe(read), from_top=False)

    def accept_link(self) -> None:
        """Make the first link that is suggested."""
        first = self._take_first()
        if first is not None:
            self._screen.do(lambda: self._links.accept(first))

    def dismiss_link(self) -> None:
        """Never suggest the first link again."""
        first = self._take_first()
        if first is not None:
            self._screen.do(lambda: self._links.dismiss(first))

    def _take_first(self) -> Proposed | None:
        """Take the first suggestion off the screen at once, so that the next key is for the next one."""
        if self.read is None or not self.suggested:
            return None
        first, *rest = self.suggested
        self._show_with(replace(self.read, proposals=tuple(rest)))
        return first

    # -- following links --------------------------------------------------------------------------

    def linked(self) -> list[tuple[str, str]]:
        """Return (id, what it is) of the memories that the one in the details is linked to, in their order."""
        if self.read is None or self.read.view.memory.id != self.subject:
            return []
        return [(near.id, f"{near.arrow} {near.type}  {near.title}") for near in neighbours(self.read)]

    def follow(self) -> None:
        """Go to the linked memory; of several, ask which."""
        linked = self.linked()
        if len(linked) == 1:
            self._follow_to(linked[0][0])
            return
        from memtui.tui.screens.dialogs import ChoiceScreen

        choices = [(str(number), words) for number, (_, words) in enumerate(linked, 1)]

        def follow(number: str | None) -> None:
            if number is not None:
                self._follow_to(linked[int(number) - 1][0])

        self._screen.app.push_screen(ChoiceScreen("Follow which link?", choices, "1"), follow)

    def _follow_to(self, identifier: str) -> None:
        if self.subject is not None:
            self._trail.append((self.subject, identifier))
        self._bring(identifier)

    def go_back(self) -> bool:
        """Go back by the link that led here; False where none did."""
        if self._trail and self._trail[-1][1] == self.subject:
            self._bring(self._trail.pop()[0])
            return True
        self._trail.clear()
        if self.visiting is None:
            return False
        self.visiting = None
        self.look()
        return True

    def _bring(self, identifier: str) -> None:
        """Bring the cursor to a memory; one that the list does not hold is read beside it."""
        if self._list.go_to(identifier):
            was, self.visiting = self.visiting, None
            if was is not None:
                self.look()
            return
        self.visiting, self._visited_from = identifier, self._list.current
        self.look()


class LinkQueries:
    """What is suggested to be linked; called from thread workers."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._opening = access.vault, access.opening

    def suggested(self, identifier: str) -> tuple[Proposed, ...]:
        """Return the links that are suggested for a memory, the surest first."""
        from memtui.curate.links import proposals_about

        found = proposals_about(self._access.read_vault, identifier)
        others = self._access.memories([one.other(identifier) for one in found])
        titles = {memory.id: tame(memory.title) for memory in others}
        return tuple(Proposed(one, titles[other]) for one in found if (other := one.other(identifier)) in titles)

    def accept(self, proposed: Proposed) -> Done:
        from memtui.curate.links import link

        self._opening.before_change()
        wanted = proposed.proposal
        made = link(self._vault, wanted.from_id, wanted.type, wanted.to_id, actor=self._opening.actor)
        return Done(f"Linked: {proposed.title}") if made else Done("They are already linked", changed=False)

    def dismiss(self, proposed: Proposed) -> Done:
        """Never suggest a link again, until a text changes."""
        from memtui.analysis.snapshot import NOT_RELATED
        from memtui.curate.resolutions import dismiss

        self._opening.before_change()
        said = dismiss(self._vault, NOT_RELATED, proposed.proposal.ids, actor=self._opening.actor)
        return Done(f"Not suggested again: {proposed.title}", changed=bool(said))
