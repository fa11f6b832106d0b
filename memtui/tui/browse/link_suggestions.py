"""Links suggested for the current memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual import on, work
from textual.message import Message
from textual.timer import Timer

from memtui.errors import MemtuiError
from memtui.tui.actions.action import Action
from memtui.tui.browse.reading import BrowseReading
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import describe
from memtui.tui.messages import DetailRead
from memtui.tui.text_layout import tame
from memtui.tui.values import Detail, Done, Proposed
from memtui.tui.vault_access import VaultAccess


class NeighbourhoodAccess:
    """The vault as it is looked at around one memory."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def proposed(self, identifier: str) -> tuple[Proposed, ...]:
        """Return the links that are proposed for a memory, the surest first."""
        from memtui.curate.links import proposals_about

        found = proposals_about(self._reading, identifier)
        titles = {
            memory.id: tame(memory.title) for memory in self._access.memories([p.other(identifier) for p in found])
        }
        return tuple(
            Proposed(proposal, titles[other]) for proposal in found if (other := proposal.other(identifier)) in titles
        )

    def accept(self, proposed: Proposed) -> Done:
        """Make a proposed link."""
        from memtui.curate.links import link

        self._opening.before_change()
        wanted = proposed.proposal
        made = link(self._vault, wanted.from_id, wanted.type, wanted.to_id, actor=self._opening.actor)
        return Done(f"Linked: {proposed.title}") if made else Done("They are linked already", changed=False)

    def dismiss(self, proposed: Proposed) -> Done:
        """Never propose a link again, until a text changes."""
        from memtui.analysis.snapshot import NOT_RELATED
        from memtui.curate.resolutions import dismiss

        self._opening.before_change()
        said = dismiss(self._vault, NOT_RELATED, proposed.proposal.ids, actor=self._opening.actor)
        return Done(f"Not proposed again: {proposed.title}", changed=bool(said))


LOOKING_SECONDS = 0.3
"""Pause on a memory before links are looked for: it takes 40 ms of the machine, and nobody reads them in passing."""

LOOKING_WHILE_TYPING_SECONDS = 1.5
"""The same while a filter is typed: at 100,000 memories it takes 300 ms, which the next key would wait for."""


@dataclass
class LinksProposed(Message):
    """It was looked at which links are proposed for a memory.

    Attributes:
        ticket: of the details that they belong to.
    """

    id: str
    proposed: tuple[Proposed, ...]
    ticket: int


class Neighbourhood(BrowseReading):
    """The details with their neighbourhood."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._trail: list[tuple[str, str]] = []
        """Links that were followed: from which memory to which."""
        self._looking: Timer | None = None
        self._around_ticket = 0
        """Number of the details whose neighbourhood is shown."""

    # -- links that are proposed ------------------------------------------------------------------

    @on(DetailRead)
    def _look_around_soon(self, message: DetailRead) -> None:
        if self._looking is not None:
            self._looking.stop()
        detail = message.detail
        if detail is not None and detail.view.memory.status == "active":
            identifier, ticket = message.id, message.ticket
            pause = LOOKING_WHILE_TYPING_SECONDS if self.focused is self._filter else LOOKING_SECONDS
            self._looking = self.set_timer(pause, lambda: self._look_around(identifier, ticket))
        else:
            self._around_ticket = message.ticket

    @work(thread=True, exclusive=True, group="neighbourhood", exit_on_error=False)
    def _look_around(self, identifier: str, ticket: int) -> None:
        if ticket != self._detail_ticket:
            return
        try:
            proposed = NeighbourhoodAccess(self.access).proposed(identifier)
        except MemtuiError:
            # The details stand without; the next look tells of the trouble.
            return
        self.post_message(LinksProposed(identifier, proposed, ticket))

    @on(LinksProposed)
    def _show_proposed(self, message: LinksProposed) -> None:
        message.stop()
        read = self._read
        if message.ticket != self._detail_ticket:
            return
        self._around_ticket = message.ticket
        if message.proposed and read is not None and read.view.memory.id == message.id:
            self._show_with(replace(read, proposals=message.proposed))

    def _show_with(self, read: Detail) -> None:
        self._read = read
        self._detail.show(describe(read), from_top=False)

    @property
    def _proposed(self) -> tuple[Proposed, ...]:
        """The links that are proposed for what is looked at, as far as they are on the screen."""
        read = self._read
        return tuple(read.proposals) if read is not None and read.view.memory.id == self._subject else ()

    def why_not(self, action: Action) -> str | None:
        """Return why a proposal cannot be decided on."""
        if action.id in {"link-accept", "link-dismiss"} and not self._proposed:
            return "No link is proposed for what is looked at."
        return super().why_not(action)

    def action_link_accept(self) -> None:
        """Make the first link that is proposed."""
        first = self._take_first()
        if first is not None:
            self.do(lambda: NeighbourhoodAccess(self.access).accept(first))

    def action_link_dismiss(self) -> None:
        """Never propose the first link again."""
        first = self._take_first()
        if first is not None:
            self.do(lambda: NeighbourhoodAccess(self.access).dismiss(first))

    def _take_first(self) -> Proposed | None:
        """Take the first proposal off the screen at once, so that the next key is for the next one."""
        if self._read is None or not self._proposed:
            return None
        first, *rest = self._proposed
        self._show_with(replace(self._read, proposals=tuple(rest)))
        return first

    # -- the way back -----------------------------------------------------------------------------

    def _follow_to(self, identifier: str) -> None:
        """Go to a memory by a link, and remember where from."""
        if self._subject is not None:
            self._trail.append((self._subject, identifier))
        self._bring(identifier)

    def _step_back(self) -> bool:
        """Go back by the link that led here; False where none did."""
        if not self._trail or self._trail[-1][1] != self._subject:
            self._trail.clear()
            return False
        self._bring(self._trail.pop()[0])
        return True

    def _bring(self, identifier: str) -> None:
        """Bring the cursor to a memory; one that the list does not hold is read beside it."""
        if self._list.go_to(identifier):
            was, self._visiting = self._visiting, None
            if was is not None:
                self._look()
            return
        self._visiting, self._visited_from = identifier, self._list.current
        self._look()
