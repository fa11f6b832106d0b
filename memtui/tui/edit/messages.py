"""What workers report to the edit form and the screens that open it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.domain.memory import Memory

if TYPE_CHECKING:
    from memtui.curate.external_editor import MemoryFile
    from memtui.curate.form import Basis
    from memtui.tui.edit.queries import Wish


@dataclass
class FileWanted(Message):
    """A memory was read that is to be opened in the editor."""

    basis: Basis


@dataclass
class FileSaved(Message):
    """What was written in the editor is stored."""

    file: MemoryFile


@dataclass
class FileConflicted(Message):
    """Somebody changed the memory while it was in the editor.

    Attributes:
        last: who changed it last, and by what.
    """

    file: MemoryFile
    theirs: Memory
    wish: Wish
    last: str
