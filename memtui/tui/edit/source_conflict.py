"""A source conflict: a memory that was edited both in its source and in the vault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from memtui.capture.source_conflicts import resolve_by_hand
from memtui.errors import ConflictError, MemtuiError, NotFoundError
from memtui.tui.edit.queries import Wish
from memtui.tui.edit.version_conflict import Choice, ConflictScreen
from memtui.tui.launch_options import Opening
from memtui.tui.text_layout import tame
from memtui.tui.values import Done

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import SourceConflict
    from memtui.domain.memory import Memory

_TEXTS = ("title", "insight", "rationale", "snippet")


class SourceConflictScreen(ConflictScreen):
    """Choose for each field between the text of the source and that of the vault.

    Args:
        left: how many source conflicts are left, this one included.
        moved: whether the source file is no longer where it was.
    """

    NAME = "Source conflict"

    SIDES: ClassVar[Mapping[str, str]] = {
        "base": "Base: the last import",
        "theirs": "Theirs: the source now",
        "mine": "Mine: in the vault",
    }
    WHO: ClassVar[Mapping[str, str]] = {
        "theirs": "source changed",
        "mine": "vault changed",
        "both": "both changed it",
    }

    def __init__(self, opening: Opening, conflict: SourceConflict, left: int, *, moved: bool = False) -> None:
        self._conflict = conflict
        self._moved = moved
        self._left = left
        memory = conflict.memory
        base, source = conflict.as_memory(conflict.base), conflict.as_memory(conflict.text.stated)
        asked = [name for name in _TEXTS if name != "title" or not conflict.title_follows_text]
        super().__init__(opening, base, source, Wish({name: getattr(memory, name) for name in asked}))

    def about(self) -> str:
        """Return where the source is, and how many source conflicts are left."""
        text = self._conflict.text
        name = text.path.replace("\\", "/").rsplit("/", 1)[-1]
        place = f"{name}:{text.span[0]}" if text.span else name
        more = f" · {self._left:,} left" if self._left > 1 else ""
        now = " (moved away)" if self._moved else ""
        return f"   {tame(place, 40)}{now}{more}"

    def taken(self, chosen: Mapping[str, Choice]) -> dict[str, Any]:
        """Return the chosen values that differ from what the memory says."""
        values: dict[str, Any] = {}
        for each in self._differences:
            if chosen[each.field] == "theirs":
                values[each.field] = each.theirs
            elif chosen[each.field] == "both" and each.combined is not None:
                values[each.field] = each.combined[0]
        return values

    def store(self, values: Mapping[str, Any]) -> tuple[Memory, Done]:
        """Save the result, and that the source was seen; called in a thread."""
        memory = self._conflict.memory
        stored = resolve_by_hand(
            self.opening.vault,
            memory.id,
            {name: value for name, value in values.items() if value != getattr(memory, name)},
            actor=self.opening.actor,
            if_version=memory.version,
            seen_hash=self._conflict.text.seen_hash,
            secret_patterns=self.opening.secret_patterns,
            before=self.opening.before_change,
        )
        word = "Kept" if stored.insight == memory.insight else "Resolved"
        return stored, Done(f"{word}: {tame(stored.title, 60)}; u undoes it")

    def answers_failure(self, error: MemtuiError) -> bool:
        """Close where the memory changed; it is read again."""
        if isinstance(error, ConflictError | NotFoundError):
            self.say("The memory changed meanwhile; nothing was saved. d shows it again.", severity="warning")
            self.dismiss(None)
            return True
        return super().answers_failure(error)
