"""What a carrier does: bring what others changed, take what was changed here, and what became of it.

The merge is the same for all. A carrier's place is a git remote with a branch, or a database, as a person names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from memtui.domain.record import Record
from memtui.errors import EXIT_CONFLICT, EXIT_DONE, EXIT_REFUSED, MemtuiError, RefusedError, UsageError
from memtui.text.secrets import find_secrets
from memtui.vault.teams import PurgeOrder, Share, Thing


@dataclass(frozen=True, slots=True)
class Incoming:
    """One thing as the team has it now."""

    thing: Thing
    record: Record | None  # as in `memtui.sync.wire`; None where it was deleted
    seq: int = 0  # its position in the carrier's order, 0 where the carrier has none
    author: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Things that are taken over in one change of the vault."""

    things: Sequence[Incoming]
    cursor: str  # how far the carrier is read with it
    unread: Sequence[str] = ()  # places whose content makes no memory
    planted: frozenset[str] | None = None  # ids of memories that look planted; None if that was not looked for yet


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One thing as it is to be: what it was based on, and who changed it last."""

    thing: Thing
    base: int  # the `seq` that was known
    record: Record | None
    actor: str
    action: str
    summary: str
    at: datetime | None  # when it was changed, None if that is not known


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a carrier answers to a push that it took."""

    cursor: str | None = None  # how far it is read by that; None leaves the cursor where it is
    seqs: dict[Thing, int] = field(default_factory=dict)
    secrets: frozenset[Thing] = frozenset()  # things that the place took for secrets and did not store


@dataclass(frozen=True, slots=True)
class TeamProject:
    """A project as the team knows it."""

    name: str  # empty for unassigned memories
    identities: tuple[str, ...] = ()  # `remote:…` and `commit:…`
    may: str = "write"  # what one may do there: read, propose, write or admin


@dataclass(frozen=True, slots=True)
class Came:
    """What somebody sent lately."""

    author: str
    what: str
    at: datetime


class Carrier(Protocol):
    """A place where a team keeps what it shares."""

    team: str  # the id that the place gives itself; empty while it has none
    person: str  # the name that one has there

    def connect(self) -> None:
        """Reach the place and look at its state. Raises `MemtuiError`: it cannot be reached, or is another team's."""

    def projects(self) -> list[TeamProject]:
        """Return the projects that the place has."""

    def register(self, project: TeamProject) -> None:
        """Make a project known there, with the next push at the latest."""

    def sees(self, share: Share) -> bool:
        """Return whether one may see a project that was shared once."""

    def is_anew(self, share: Share) -> bool:
        """Return whether the place was put back to a state before a share's cursor."""

    def pages(self, share: Share) -> Iterator[Page]:
        """Yield what was changed there since a share's cursor."""

    def unreadable(self, share: Share, items: Sequence[Outgoing]) -> set[Thing]:
        """Return those things of which something was written there that could not be read: it may not be replaced."""

    def allows(self, share: Share, item: Outgoing) -> bool:
        """Return whether one's rights there let a thing be sent; the place itself decides in the end."""

    def may_purge(self, share: Share) -> bool:
        """Return whether what is purged here is to be purged by everybody."""

    def push(self, share: Share, items: Sequence[Outgoing]) -> Accepted | None:
        """Store things there, all or none; None if somebody else was faster, so that it has to be read again first."""

    def recent(self, limit: int) -> list[Came]:
        """Return what was sent last, the newest first, own things included."""

    def listen(self) -> bool:
        """Begin to hear of news; False where nothing tells of it, or so many listen that one is to look instead."""

    def wait(self, seconds: float) -> bool:
        """Wait for news, so long at most; returns whether there is some."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class TeamConflict:
    """A memory of which both sides changed the same fields."""

    id: str
    title: str
    project: str | None
    fields: tuple[str, ...]
    is_purge: bool = False  # the team ordered it to be purged, and it was edited here


@dataclass(frozen=True, slots=True)
class Held:
    """A thing that was not pushed, because it holds what looks like a secret."""

    id: str  # the memory that it is about; of a recipe, its key
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wipe:
    """Deletions that are so many that a person must accept them; nothing of the project was exchanged."""

    project: str | None
    deleted: int  # memories that are here and were deleted there
    shared: int  # memories that both sides had
    is_of_memories: bool  # else of their links, verdicts and tombstones


@dataclass(slots=True)
class SyncReport:
    """What a sync did, and what waits."""

    pushed: int = 0  # things that were sent
    pulled: int = 0  # things that were received
    merged: int = 0  # memories made of what both sides had changed
    deleted: int = 0  # memories that were removed here because the team deleted them
    removals: list[int] = field(default_factory=list)  # the changes of the journal that did so
    twins: int = 0  # memories that were the same as one of the team's under another id
    rounds: int = 0
    conflicts: list[TeamConflict] = field(default_factory=list)  # wait in the inbox
    overruled: list[TeamConflict] = field(default_factory=list)  # fields whose value of the team stands
    held: list[Held] = field(default_factory=list)
    planted: list[str] = field(default_factory=list)  # ids of memories that arrived as candidates
    skipped: list[str] = field(default_factory=list)  # what could not be read there
    behind: list[str] = field(default_factory=list)  # ids of memories whose changes wait until a file is repaired
    hidden: list[str] = field(default_factory=list)  # shared projects that one may not see there any more
    not_shared: list[str] = field(default_factory=list)  # projects of the team that are here, too, but not shared
    orders: list[PurgeOrder] = field(default_factory=list)  # purges that wait to be run
    wipes: list[Wipe] = field(default_factory=list)  # wait to be accepted
    # projects in which one may not write, with the number of things that stay here for that
    refused: list[tuple[str, int]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """4 where something waits to be settled, else 6 where something was held back."""
        if self.conflicts or self.orders or self.wipes or self.behind:
            return EXIT_CONFLICT
        return EXIT_REFUSED if self.held or self.refused or self.hidden else EXIT_DONE

    @property
    def is_news(self) -> bool:
        """Whether anything was exchanged or waits."""
        return bool(self.pushed or self.pulled or self.merged or self.exit_code)

    def add(self, other: SyncReport) -> None:
        """Add what the sync with another team did."""
        for name in ("pushed", "pulled", "merged", "deleted", "twins"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.rounds = max(self.rounds, other.rounds)
        lists = (
            "conflicts",
            "overruled",
            "held",
            "planted",
            "skipped",
            "behind",
            "not_shared",
            "orders",
            "wipes",
            "refused",
            "removals",
            "hidden",
        )
        for name in lists:
            getattr(self, name).extend(getattr(other, name))


_REFUSED = "The address holds a password or a token, which memtui does not store"
_PASSWORD = re.compile(r"(?:^|[?&\s])password\s*=", re.IGNORECASE)
_DATABASE = re.compile(r"postgres(?:ql)?://|[a-z_]+\s*=")


def check_remote(remote: str) -> None:
    """Raises `UsageError`: it can be no remote. `RefusedError`: it holds a password."""
    if not remote.strip() or not remote.isprintable() or remote.startswith("-"):
        raise UsageError(
            "Not a git remote",
            where=repr(remote[:80]),
            remedy="Give a URL, a path, or the name of a remote of this repository.",
        )
    refuse_password(remote)


def refuse_password(place: str) -> None:
    """Refuse a place that holds a password or a token: it would be stored.

    Raises `RefusedError`, without echoing it.
    """
    try:
        has_password = urlsplit(place).password is not None
    except ValueError:
        has_password = False
    if has_password or _has_secret(place):
        raise RefusedError(
            _REFUSED,
            where=without_password(place),
            remedy="Leave it out: git has credential helpers and SSH keys, PostgreSQL has a service or password file.",
        )


def without_password(place: str) -> str:
    """Return a place to be shown: without the password of a URL, and `…` for all else that looks like a secret."""
    return _without_secrets(_without_credentials(place))


def _without_credentials(place: str) -> str:
    """Return a URL without its password, and without its user where that looks like a token."""
    try:
        parts = urlsplit(place)
    except ValueError:
        return place
    is_token = _has_secret(f"{parts.scheme}://{parts.username or ''}@host.org/")
    if parts.password is None and not is_token:
        return place
    host = parts.netloc.rpartition("@")[2]
    user = "" if is_token else parts.username
    return parts._replace(netloc=f"{user}@{host}" if user else host).geturl()


def _without_secrets(place: str) -> str:
    for found in reversed(find_secrets(place)):
        place = f"{place[: found.start]}…{place[found.end :]}"
    # What one mark leaves may be the rest of a secret, which is no less one.
    return "…" if _has_secret(place) else place.replace("…@", "")


def _has_secret(place: str) -> bool:
    return any(found.severity == "secret" for found in find_secrets(place))


def remote_of(folder: Path, remote: str) -> str:
    """Return the URL of a remote: that of the repository around a folder with this name, else the text itself.

    A relative path becomes absolute, since the working directory will be another.
    """
    from memtui.git import run_git

    if remote.isidentifier() or remote.replace("-", "_").replace(".", "_").isidentifier():
        found = run_git(folder, "remote", "get-url", "--", remote)
        if found and found.strip():
            remote = found.strip()
    path = folder / Path(remote).expanduser()
    return str(path.resolve()) if path.is_dir() else remote


def check_branch(branch: str) -> str:
    """Return a valid branch name. Raises `UsageError`: git would not take it."""
    from memtui.git import call_git, missing_git

    answer = call_git(None, "check-ref-format", "--branch", branch)
    if answer.fault == "missing":
        raise missing_git("Install it, or use a database.")
    if answer.fault == "late":
        raise MemtuiError("git does not answer", where="git", remedy="Try again.")
    if answer.code == -1:
        raise MemtuiError("git cannot be started", where=answer.error.decode("utf-8", "replace")[:200])
    if branch.startswith("-") or not answer.is_whole:
        raise UsageError("git takes no branch of this name", where=repr(branch[:80]), remedy="Choose another name.")
    return branch


def check_url(url: str) -> None:
    """Raises `RefusedError`: the URL, or the connection string, holds a password. `UsageError`: it is neither."""
    refuse_password(url)
    if _PASSWORD.search(url):
        raise RefusedError(
            _REFUSED,
            where="password=…",
            remedy="Leave it out: a service file or a password file (~/.pgpass) keeps it.",
        )
    if not _DATABASE.match(url) or not url.isprintable():
        raise UsageError(
            "Not a PostgreSQL URL",
            where=repr(url[:80]),
            remedy="Say postgresql://ROLE@HOST/DATABASE, or service=NAME for an entry of libpq's service file.",
        )
