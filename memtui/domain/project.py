"""Project identity: which remotes mean the same repository, and what a project is called."""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path

_SCP_LIKE = re.compile(r"^(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?P<path>(?!//).+)$")
_URL = re.compile(r"^[a-z+]+://(?:[^@/]*@)?(?P<host>[^:/]+)(?::\d+)?/(?P<path>.+)$", re.IGNORECASE)

_HOSTED = re.compile(r"^[\w-]+(?:\.[\w-]+)+/[^/]")
_LOCAL = re.compile(r"^(?:/|~[^/]*/|\.{1,2}/|file://|[a-zA-Z]:[\\/]|\\\\).*[^/\s]", re.IGNORECASE)

_PATH = "path:"


def normalise_remote(url: str) -> str:
    """Return `host/owner/name` for a git remote, whatever protocol, user, port or `.git` it is written with.

    A local path or an unknown form is returned as it is, without a trailing slash or `.git`.
    """
    cleaned = url.strip()
    found = _URL.match(cleaned) or _SCP_LIKE.match(cleaned)
    if found and not re.match(r"^[a-zA-Z]:[\\/]", cleaned):
        path = found["path"].strip("/")
        return f"{found['host'].lower()}/{_without_git(path)}"
    return _without_git(cleaned.rstrip("/"))


def is_remote(url: str) -> bool:
    """Return whether a text looks like a git remote: a URL, `user@host:path`, `host.org/path`, or a local path."""
    cleaned = url.strip()
    if not cleaned.isprintable() or not normalise_remote(cleaned):
        return False
    if _LOCAL.match(cleaned):
        return True
    return not re.search(r"\s", cleaned) and bool(
        _URL.match(cleaned) or _SCP_LIKE.match(cleaned) or _HOSTED.match(cleaned)
    )


def _without_git(path: str) -> str:
    return path.removesuffix(".git")


def remote_identity(url: str) -> str:
    """Return the identity of a remote."""
    return f"remote:{normalise_remote(url)}"


def commit_identity(sha: str) -> str:
    """Return the identity of a repository by its root commit."""
    return f"commit:{sha}"


def path_identity(path: str) -> str:
    """Return the identity of a folder outside a repository, by its absolute path; undecodable bytes are escaped."""
    return _PATH + path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


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
