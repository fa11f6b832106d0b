"""Who acts, and which repository a project is."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from memtui.domain.memory import Memory
from memtui.errors import RefusedError, UsageError

PERSON = "person"  # The default name of the person at the keyboard

_PERSON_PREFIX = "person:"
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or an agent."""

    name: str = PERSON  # stored in the journal and in `confirmed_by`
    is_person: bool = True  # False for an agent

    @property
    def origin(self) -> str:
        """What links store as their origin: `person`, or the name of the agent."""
        return PERSON if self.is_person else self.name


def parse_actor(name: str | None) -> Actor:
    """Return the actor of `--actor`, else of `MEMTUI_ACTOR`, else the person at the keyboard.

    A given name is an agent's, unless it is `person` or begins with `person:`.

    Raises `UsageError`: the name is empty, long, or not printable.
    """
    chosen = name if name is not None else os.environ.get("MEMTUI_ACTOR") or None
    if chosen is None:
        return Actor()
    cleaned = chosen.strip()
    if not cleaned or len(cleaned) > _LONGEST_NAME or not cleaned.isprintable():
        raise UsageError(
            "An actor's name is 1 to 60 printable characters",
            where=repr(chosen[:80]),
            remedy="Name the agent, e.g. --actor claude-code, or leave it out.",
        )
    if cleaned == PERSON:
        return Actor()
    if cleaned.startswith(_PERSON_PREFIX):
        return Actor(cleaned.removeprefix(_PERSON_PREFIX).strip() or PERSON)
    return Actor(cleaned, is_person=False)


def require_person(actor: Actor, act: str) -> None:
    """Let only a person go on; `act` is the verb phrase of the message. Raises `RefusedError`: an agent asks."""
    if not actor.is_person:
        raise RefusedError(
            f"Only a person can {act}", where=f"actor {actor.name}", remedy="An agent proposes; a person decides."
        )


def check_may_alter(actor: Actor, memory: Memory) -> None:
    """Let a person alter anything, an agent only what no person accepted, verified or pinned.

    What an agent writes over an accepted memory would reach payloads unread.

    Raises `RefusedError`: an agent would alter what a person vouched for.
    """
    if actor.is_person or not (memory.pinned or memory.verified_at or memory.confirmed_at):
        return
    state = "pinned" if memory.pinned else "verified" if memory.verified_at else "accepted"
    raise RefusedError(
        f"An agent may not alter what a person {state}",
        where=f"{memory.id} ({memory.title[:60]})",
        remedy="Propose a new memory instead: `memtui add … --supersedes ID`.",
    )


_SCP_LIKE = re.compile(r"^(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?P<path>(?!//).+)$")
_USER = re.compile(r"^([a-z][a-z0-9+.-]*://)[^/]*@", re.IGNORECASE)
"""What stands before the host of a URL: as git reads it up to the last `@`, since a password may hold one."""

_URL = re.compile(r"^[a-z][a-z0-9+.-]*://(?P<host>\[[^\]/]*\]|[^:/]+)(?::\d+)?/(?P<path>.+)$", re.IGNORECASE)

_HOSTED = re.compile(r"^[\w-]+(?:\.[\w-]+)+/[^/]")
_LOCAL = re.compile(r"^(?:/|~[^/]*/|\.{1,2}/|file://|[a-zA-Z]:[\\/]|\\\\).*[^/\s]", re.IGNORECASE)

_PATH = "path:"
_SEEN = "folder:"


_SSH_HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
"""Hosts that serve SSH, some of them on port 443, for a host of another name."""

_ALIAS = re.compile(r"^(?P<host>[\w.-]+\.(?!xn--)[a-z]{2,})-[\w.-]+$")
"""A host of `~/.ssh/config` for one of several accounts: `github.com-work`. No top-level domain has a hyphen."""

_VISUAL_STUDIO = re.compile(r"^(?:vs-ssh|(?P<organisation>[\w-]+))\.visualstudio\.com$")


def normalise_remote(url: str) -> str:
    """Return `host/owner/name` for a git remote, whatever protocol, user, alias, port or `.git` it is written with.

    A local path or an unknown form is returned as it is, without a trailing slash or `.git`.
    """
    host, path = _host_and_path(url)
    if not host:
        return path
    alias = _ALIAS.match(host)
    host = alias["host"] if alias else host.removeprefix("www.")
    return _on_azure(_SSH_HOSTS.get(host, host), path)


def _host_and_path(url: str) -> tuple[str, str]:
    """Return the host as written, empty for a local path or an unknown form, and the path on it."""
    cleaned = _USER.sub(r"\1", url.strip())
    found = _URL.match(cleaned) or _SCP_LIKE.match(cleaned)
    if found and not re.match(r"^[a-zA-Z]:[\\/]", cleaned):
        return found["host"].lower(), found["path"].strip("/").removesuffix(".git")
    return "", cleaned.rstrip("/").removesuffix(".git")


def _on_azure(host: str, path: str) -> str:
    """Return host and path of a remote, in one form for the several that Azure DevOps gives a repository."""
    older = _VISUAL_STUDIO.match(host)
    if host != "dev.azure.com" and older is None:
        return f"{host}/{path}"
    parts = [part for part in path.split("/") if part not in {"_git", "v3", "DefaultCollection"}]
    if older and older["organisation"]:
        parts.insert(0, older["organisation"])
    if len(parts) == _AZURE_PARTS - 1:  # the repository that bears its project's name
        parts.append(parts[-1])
    return "/".join(("dev.azure.com", *parts))


_AZURE_PARTS = 3


def is_remote(url: str) -> bool:
    """Return whether a text looks like a git remote: a URL, `user@host:path`, `host.org/path`, or a local path."""
    cleaned = url.strip()
    if not cleaned.isprintable() or not normalise_remote(cleaned):
        return False
    if _LOCAL.match(cleaned):
        return True
    return not re.search(r"\s", cleaned) and bool(
        _URL.match(_USER.sub(r"\1", cleaned)) or _SCP_LIKE.match(cleaned) or _HOSTED.match(cleaned)
    )


def remote_identity(url: str) -> str:
    return f"remote:{normalise_remote(url)}"


def written_identity(url: str) -> str:
    """Return the identity that a remote had while host aliases and the forms of Azure were told apart."""
    return f"remote:{'/'.join(filter(None, _host_and_path(url)))}"


def commit_identity(sha: str) -> str:
    """Return the identity of a repository by its root commit."""
    return f"commit:{sha}"


def path_identity(path: str) -> str:
    """Return the identity of a folder outside a repository, by its absolute path; undecodable bytes are escaped."""
    return _PATH + _escaped(path)


def seen_at(path: str) -> str:
    """Return the entry that says in which folder of this machine a repository was seen; it identifies no project."""
    return _SEEN + _escaped(path)


def _escaped(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def seen_folder(entry: str) -> Path | None:
    """Return the folder of an entry that says where a repository was seen, None for an identity."""
    return Path(entry.removeprefix(_SEEN)) if entry.startswith(_SEEN) else None


def linked_folder(identity: str) -> Path | None:
    """Return the folder of a path identity, None for an identity of another kind."""
    return Path(identity.removeprefix(_PATH)) if identity.startswith(_PATH) else None


def suggest_name(candidate: str, taken: Container[str]) -> str:
    """Return a free project name from a remote or folder: its last part, prefixed with the part before it if taken."""
    parts = [re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in re.split(r"[/\\]", candidate)]
    parts = [part for part in parts if part] or ["project"]
    name = parts[-1]
    if name not in taken and name != "global":
        return name
    longer = "-".join(parts[-2:])
    if len(parts) > 1 and longer not in taken:
        return longer
    number = 2
    while f"{longer}-{number}" in taken:
        number += 1
    return f"{longer}-{number}"
