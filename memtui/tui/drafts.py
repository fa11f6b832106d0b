"""What was typed into a form and is not saved: kept by memory while the app runs, so that leaving loses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import App

from memtui.curate.form import Basis

if TYPE_CHECKING:
    from memtui.curate.saving import Decision

NEW = ""
"""Key of the draft of a new memory."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A form that was left.

    Attributes:
        basis: what it started from; a save is still based on that version.
        texts: what stood in its fields.
    """

    basis: Basis
    texts: dict[str, str]
    decision: Decision


def drafts_of(app: App[object]) -> dict[str, Draft]:
    """Return the drafts that an app keeps."""
    found: dict[str, Draft] = getattr(app, "drafts", {})
    return found
