"""Every failure a user can cause: what went wrong, where, what to do, and the exit code.

The exit codes are a contract with scripts: 0 done, 1 error, 2 wrong usage, 3 nothing found,
4 conflict, 5 vault busy, 6 refused, 7 findings.
"""

from __future__ import annotations

EXIT_DONE = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_NOTHING = 3
EXIT_CONFLICT = 4
EXIT_BUSY = 5
EXIT_REFUSED = 6
EXIT_FINDINGS = 7


class MemtuiError(Exception):
    """A failure that a user can cause or fix.

    Args:
        what: what went wrong, one clause, without a full stop.
        where: the file, key, id or option concerned.
        remedy: what to do about it, one sentence.
    """

    exit_code = EXIT_ERROR

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        """Return the whole message: what, where, remedy."""
        head = f"{self.what}: {self.where}" if self.where else self.what
        end = " " if head.endswith(("?", ".", "!")) else ". "
        return f"{head}{end}{self.remedy}" if self.remedy else head


class UsageError(MemtuiError):
    """The command line, or an option of it, is wrong."""

    exit_code = EXIT_USAGE


class QueryError(UsageError):
    """A query for memories is wrong. `position`: where in the query the fault begins, counted from 0."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "", position: int = 0) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.position = position


class ConfigError(MemtuiError):
    """The configuration is invalid."""

    exit_code = EXIT_USAGE


class NotFoundError(MemtuiError):
    """Something named does not exist."""

    exit_code = EXIT_NOTHING


class AmbiguousIdError(UsageError):
    """An id prefix matches several memories."""


class ConflictError(MemtuiError):
    """A version conflict: somebody changed a memory between reading and saving."""

    exit_code = EXIT_CONFLICT

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        remedy: str = "",
        mine: str = "",  # the text that was to be saved
        theirs: str = "",  # the text that is stored now
        base_version: int = 0,  # the version the save was based on
        current_version: int = 0,  # the version that is stored now
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.mine = mine
        self.theirs = theirs
        self.base_version = base_version
        self.current_version = current_version

    @property
    def sides(self) -> tuple[str, str]:
        """What the two texts are."""
        return f"yours (from version {self.base_version})", f"stored (version {self.current_version})"


class BlockChangedError(ConflictError):
    """A block that memtui wrote into a file was edited by hand, and cannot be put back; `where` is the file."""


class BuiltUponError(ConflictError):
    """A change cannot be taken back, or made again, as a later one altered the same.

    Attributes:
        title: of the memory that both altered; empty if it is something else.
        field: the name of the field that both altered; empty if it is the whole.
        later: number of the later change; None if the journal does not show it.
    """

    title: str = ""
    field: str = ""
    later: int | None = None

    @property
    def sides(self) -> tuple[str, str]:
        return "as it would be", "as it is now"


class VaultBusyError(MemtuiError):
    """A lock conflict: another process holds the vault and did not release it in time."""

    exit_code = EXIT_BUSY


class VaultNotWritableError(MemtuiError):
    """The vault cannot be written now: its disk is full or read-only. It can be read."""


class VaultDamagedError(MemtuiError):
    """The vault file cannot be read."""


class VaultTooNewError(MemtuiError):
    """The vault was written by a newer memtui."""


class VaultMissingError(NotFoundError):
    """There is no vault at the given path."""


class RefusedError(MemtuiError):
    """memtui declines to do this: a secret, a limit, or an unsafe path."""

    exit_code = EXIT_REFUSED


class SecretRefusedError(RefusedError):
    """The text holds what looks like a secret."""


class UnsafePathError(RefusedError):
    """A path leads outside where memtui may read or write."""


class ModelMissingError(MemtuiError):
    """The embedding model, or its runtime, is missing or damaged."""


class OutputClosedError(MemtuiError):
    """Standard output is closed."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing could be written",
            where="standard output is closed",
            remedy="`> FILE` keeps the output, `> /dev/null` discards it. Changes already made are kept.",
        )


class OutputFailedError(MemtuiError):
    """Standard output could not be written, as on a full disk."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The output could not be written",
            where=f"standard output: {reason}",
            remedy="Free some space and try again. Changes already made are kept.",
        )


class SourceError(MemtuiError):
    """A source file cannot be read in its format."""


class NothingToUndoError(MemtuiError):
    """The journal holds nothing to undo or redo."""

    exit_code = EXIT_NOTHING


def missing_file(path: object, error: type[MemtuiError] = UsageError) -> MemtuiError:
    """Return the error about a file or folder that does not exist. `error`: its class, which decides the exit code."""
    return error("No such file or folder", where=str(path), remedy="Check the path; `.` is the current folder.")
