"""What the Health screen asks the vault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.tui.access import Signature, VaultAccess

if TYPE_CHECKING:
    from memtui.curate.health_report import HealthSection


@dataclass(frozen=True, slots=True)
class HealthRead:
    """The shape of the vault.

    Attributes:
        active: memories in use.
        signature: what the file system said of the vault before it was looked at.
    """

    sections: tuple[HealthSection, ...]
    active: int
    project: str | None
    signature: Signature


class HealthAccess(VaultAccess):
    """The vault as the Health screen sees it."""

    def look(self) -> HealthRead:
        """Return the shape that the vault is in; takes seconds for a large one."""
        from memtui.curate.health import HealthOptions, health
        from memtui.curate.health_report import sections

        opening, signature = self._opening, self.signature()
        with self._reading.read() as reader:
            view = self._view_of(reader)
        found = health(
            self._reading,
            HealthOptions(
                view=view,
                threshold=opening.threshold,
                context=opening.context,
                recall=opening.recall,
                secret_patterns=opening.secret_patterns,
                targets=opening.targets,
            ),
        )
        return HealthRead(tuple(sections(found)), found.counts["active"], view.project, signature)
