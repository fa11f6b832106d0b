"""Links that are proposed for one memory, read and decided; called in thread workers alone."""

from __future__ import annotations

from memtui.tui.access import Done, VaultAccess
from memtui.tui.access.values import Proposed
from memtui.tui.wording import tame


class NeighbourhoodAccess(VaultAccess):
    """The vault as it is looked at around one memory."""

    def proposed(self, identifier: str) -> tuple[Proposed, ...]:
        """Return the links that are proposed for a memory, the surest first."""
        from memtui.curate.link_proposals import proposals_about

        found = proposals_about(self._reading, identifier)
        titles = {memory.id: tame(memory.title) for memory in self._memories([p.other(identifier) for p in found])}
        return tuple(
            Proposed(proposal, titles[other]) for proposal in found if (other := proposal.other(identifier)) in titles
        )

    def accept(self, proposed: Proposed) -> Done:
        """Make a proposed link."""
        from memtui.curate.link_proposals import accept_link

        self._opening.before_change()
        made = accept_link(self._vault, proposed.proposal, actor=self._opening.actor)
        return Done(f"Linked: {proposed.title}") if made else Done("They are linked already", changed=False)

    def dismiss(self, proposed: Proposed) -> Done:
        """Never propose a link again, until a text changes."""
        from memtui.curate.link_proposals import dismiss_link

        self._opening.before_change()
        said = dismiss_link(self._vault, *proposed.proposal.ids, actor=self._opening.actor)
        return Done(f"Not proposed again: {proposed.title}", changed=bool(said))
