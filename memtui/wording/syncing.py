"""Sentences about a sync with a team: what was exchanged, and what waits for a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memtui.text.sanitize import tame
from memtui.text.words import counted, some_of

if TYPE_CHECKING:
    from memtui.vault.teams import PurgeOrder, Share, Team

SHOWN = 5

WAITING = "`memtui inbox conflicts` shows both texts; `inbox keep ID` or `inbox take ID` resolves one."


def exchanged(pushed: int, pulled: int, merged: int) -> str:
    """Return the sentence that every sync ends with."""
    if not (pushed or pulled or merged):
        return "Nothing new on either side."
    parts = [f"{counted(pushed, 'change')} sent", f"{counted(pulled, 'change')} received"]
    parts += [f"{counted(merged, 'memory')} merged"] if merged else []
    return f"{', '.join(parts)}."


def in_conflict(clashes: Sequence[tuple[str, str]]) -> str:
    """Return the sentence about (id, title) of memories whose text both sides changed."""
    named = [f"{identifier} ({tame(title, 60)})" for identifier, title in clashes]
    return f"{counted(len(named), 'conflict')}: {some_of(named, SHOWN)}. The team's text is used meanwhile. {WAITING}"


def conflicts_with(number: int, with_team: int) -> str:
    """Return how many texts differ from their other side. `with_team`: how many of them differ from a team's."""
    if with_team < number:
        return counted(number, "source conflict")
    return f"{counted(number, 'conflict')} with the team"


def right_words(may: str, project: str | None) -> str:
    """Return what a member may do, and where: follows the member's name."""
    place = tame(project, 60) if project else "every project"
    return f"is an admin of {place}" if may == "admin" else f"may {may} in {place}"


def place_words(team: Team) -> str:
    """Return a team's place in brief, for a column."""
    parts = urlsplit(team.place) if "://" in team.place else None
    if team.branch:
        name = "/".join(re.split(r"[/:]", team.place.rstrip("/").removesuffix(".git"))[-2:])
        return f"{name} ({team.branch})"
    if parts is None or not parts.path.strip("/"):
        return team.place
    return f"{parts.path.strip('/')} on {parts.netloc.rpartition('@')[2] or 'this machine'}"


def purge_in_conflict(clashes: Sequence[tuple[str, str]]) -> str:
    """Return the sentence about (id, title) of memories that were ordered to be purged and were edited here."""
    named = [f"{identifier} ({tame(title, 60)})" for identifier, title in clashes]
    what = f"Permanently erased by the team, but edited here since: {some_of(named, SHOWN)}. Nothing was erased yet."
    return f"{what} `memtui inbox take ID` erases it here, too; `inbox keep ID` keeps it and shares it again."


def overruled(clashes: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the sentence about (id, fields) whose value of the team stands."""
    named = [f"{identifier} ({', '.join(fields)})" for identifier, fields in clashes]
    return f"Changed on both sides; the team's value was kept: {some_of(named, SHOWN)}."


def held_back(held: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return the sentence about (id, fields) that look like secrets and were not sent."""
    named = [f"{identifier} ({', '.join(fields)})" for identifier, fields in held]
    remedy = "Remove it with `memtui edit` or `memtui purge`."
    return f"Not sent, because it looks like a secret: {some_of(named, SHOWN)}. {remedy}"


def planted(identifiers: Sequence[str]) -> str:
    what = f"{counted(len(identifiers), 'memory')} went to the inbox"
    return f"{what}, as the text looks planted to steer an assistant: {some_of(identifiers, SHOWN)}."


def deleted(number: int, changes: Sequence[int]) -> str:
    """Return the sentence about memories that the team deleted, and the changes that removed them here."""
    undo = some_of([f"`memtui undo {change}`" for change in changes], SHOWN)
    what = f"{counted(number, 'memory')} that the team deleted were removed from this vault, too."
    return f"{what} If that was a mistake, {undo} restores them for everybody."


def many_deleted(project: str | None, number: int, shared: int, *, is_of_memories: bool) -> str:
    """Return the sentence about deletions that are so many that nothing was taken."""
    place = f"project {tame(project, 60)}" if project else "no project"
    of = counted(shared, "memory") if is_of_memories else f"{shared:,} links and verdicts"
    what = f"The team deleted {number:,} of {of} of {place}: nothing in it was exchanged."
    return f"{what} `memtui sync --accept-deletions` accepts this; if it was a mistake, revert it there and sync again."


def unread(names: Sequence[str]) -> str:
    return f"Could not be read there and was left unchanged: {some_of(list(names), SHOWN)}."


def refused(project: str, number: int) -> str:
    what = f"{counted(number, 'change')} of {tame(project, 60) or 'no project'}"
    remedy = "The owner of the database can grant it with `memtui team add`."
    return f"Not sent, because you lack the right to: {what}. {remedy}"


def hidden(projects: Sequence[str]) -> str:
    what = some_of([tame(project, 60) or "no project" for project in projects], SHOWN)
    return (
        f"Shared before, but no longer visible to you there: {what}. The owner of the database can restore the right."
    )


def member_added(role: str, may: str, project: str | None, *, is_new: bool) -> str:
    """Return the sentence about a role that takes part now. `is_new`: whether the role was created."""
    password = (
        f' The role is new and has no password: `\\password "{tame(role, 60)}"` in psql sets one.' if is_new else ""
    )
    return f"{tame(role, 60)} {right_words(may, project)}.{password}"


def not_shared(projects: Sequence[str]) -> str:
    return f"Also here, but not shared with this team: {some_of(list(projects), SHOWN)}. `--share NAME` shares one."


def ordered(orders: Sequence[PurgeOrder]) -> Iterator[str]:
    """Yield the lines about purges that the team ordered."""
    for order in orders[:SHOWN]:
        yield f"  {order.memory_id}  ordered by {tame(order.author, 40)} on {order.made_at:%Y-%m-%d}"
    yield f"The team erased {counted(len(orders), 'memory')} for good. `memtui sync --purge` erases them here, too."


def state_lines(team: Team, shares: Sequence[Share], waiting: int, conflicts: int, orders: int) -> Iterator[str]:
    """Yield what is shared with a team, since when nothing was exchanged, and what waits."""
    projects = [share.project or "unassigned" for share in shares]
    seen = f"last sync {team.synced_at:%Y-%m-%d %H:%M}" if team.synced_at else "never synced"
    yield f"{tame(team.name, 100)}"
    yield f"  shares {some_of(projects, SHOWN) or 'nothing'} as {tame(team.person, 40)}; {seen}"
    parts = [
        f"{counted(waiting, 'change')} to send" if waiting else "",
        f"{counted(conflicts, 'conflict')} (`memtui inbox conflicts`)" if conflicts else "",
        f"{counted(orders, 'purge')} ordered (`memtui sync --purge`)" if orders else "",
    ]
    yield f"  {', '.join(filter(None, parts)) or 'nothing pending'}"
