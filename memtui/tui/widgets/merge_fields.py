"""The fields in which memories to be merged differ, with whose text each takes."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from memtui.tui.actions import registry
from memtui.tui.actions.merge import FIELDS
from memtui.tui.widgets.choice_list import ChoiceList


class MergeFields(ChoiceList):
    """A list of fields; it answers `b` itself, which everywhere else leads to the inbox."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FIELDS)

    class BothWanted(Message):
        """Every text of the current field is wanted."""

    def action_merge_both(self) -> None:
        """Keep every text."""
        self.post_message(self.BothWanted())
