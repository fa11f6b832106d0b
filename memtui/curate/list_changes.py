"""Tags and files as additions and removals, worked out on the memory that is stored when the change is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.domain.memory import Anchor, Memory
from memtui.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanges:
    """What is added to a memory's tags and files and taken from them.

    A whole list would be one of the moment it was read at, and take back what another added meanwhile.

    Attributes:
        add_tags: cleaned tags.
        remove_tags: cleaned tags.
        add_anchors: anchors; one of a path that is tied already takes the place of the old.
        remove_files: paths as memories name them, each with how the person typed it.
    """

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_anchors: tuple[Anchor, ...] = ()
    remove_files: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is to change."""
        return bool(self.add_tags or self.remove_tags or self.add_anchors or self.remove_files)

    def values(self, memory: Memory) -> dict[str, Any]:
        """Return the new values of the memory's lists that change, by field.

        Raises:
            UsageError: a tag or file to take away is not there.
        """
        values: dict[str, Any] = {}
        if self.add_tags or self.remove_tags:
            values["tags"] = self._tags(memory)
        if self.add_anchors or self.remove_files:
            values["anchors"] = self._anchors(memory)
        return values

    def _tags(self, memory: Memory) -> list[str]:
        absent = [tag for tag in self.remove_tags if tag not in memory.tags]
        if absent:
            raise UsageError("It has no such tag", where=", ".join(absent), remedy=f"Tags: {', '.join(memory.tags)}.")
        return [tag for tag in (*memory.tags, *self.add_tags) if tag not in self.remove_tags]

    def _anchors(self, memory: Memory) -> tuple[Anchor, ...]:
        known = {anchor.path for anchor in memory.anchors}
        absent = [typed for name, typed in self.remove_files.items() if name not in known]
        if absent:
            files = ", ".join(sorted(known)) or "none"
            raise UsageError("It is not tied to this file", where=", ".join(absent), remedy=f"Files: {files}.")
        again = {anchor.path for anchor in self.add_anchors}
        kept = (anchor for anchor in memory.anchors if anchor.path not in {*self.remove_files, *again})
        return (*kept, *self.add_anchors)
