"""Where a store lies, and what its place says of its project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A store of one tool."""

    tool: str
    path: Path  # its file or folder, absolute
    home: Path  # the user's home folder
    repository: Path | None = None  # the folder that a store inside a repository belongs to
    owner: str = ""  # what tells that repository from another one whose folder is called alike; empty if none is

    @property
    def project(self) -> str | None:
        """The name of the repository around it; None for stores of the whole machine."""
        return self.repository.name if self.repository is not None else None
