"""How a person names where a team keeps what it shares: a git remote with a branch, or a database."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from memtui.errors import RefusedError, UsageError

_PASSWORD = re.compile(r"(?:^|[?&\s])password\s*=", re.IGNORECASE)
_DATABASE = re.compile(r"postgres(?:ql)?://|[a-z_]+\s*=")


def check_remote(remote: str) -> None:
    """Raises `UsageError`: it can be no remote. `RefusedError`: it holds a password."""
    if not remote.strip() or not remote.isprintable() or remote.startswith("-"):
        raise UsageError("This is no git remote", where=repr(remote[:80]))
    refuse_password(remote)


def refuse_password(place: str) -> None:
    """Refuse a URL with a password: it would be stored. Raises `RefusedError`, without echoing it."""
    try:
        has_password = urlsplit(place).password is not None
    except ValueError:
        has_password = False
    if has_password:
        raise RefusedError(
            "The URL holds a password, which memtui does not store",
            where=without_password(place),
            remedy="Leave it out: git has credential helpers and SSH keys, PostgreSQL has a service or password file.",
        )


def without_password(place: str) -> str:
    """Return a URL without its password."""
    try:
        parts = urlsplit(place)
    except ValueError:
        return place
    if parts.password is None:
        return place
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{parts.username or ''}@{host}").geturl()


def remote_of(folder: Path, remote: str) -> str:
    """Return the URL of a remote: that of the repository around a folder with this name, else the text itself.

    A relative path becomes absolute, since the working directory will be another.
    """
    from memtui.workspace import run_git

    if remote.isidentifier() or remote.replace("-", "_").replace(".", "_").isidentifier():
        found = run_git(folder, "remote", "get-url", "--", remote)
        if found and found.strip():
            remote = found.strip()
    path = folder / Path(remote).expanduser()
    return str(path.resolve()) if path.is_dir() else remote


def check_branch(branch: str) -> str:
    """Return a valid branch name. Raises `UsageError`: git would not take it."""
    done = subprocess.run(["git", "check-ref-format", "--branch", branch], capture_output=True, check=False)
    if branch.startswith("-") or done.returncode != 0:
        raise UsageError("git takes no branch of this name", where=repr(branch[:80]))
    return branch


def check_url(url: str) -> None:
    """Raises `RefusedError`: the URL, or the connection string, holds a password. `UsageError`: it is neither."""
    refuse_password(url)
    if _PASSWORD.search(url):
        raise RefusedError(
            "The URL holds a password, which memtui does not store",
            where="password=…",
            remedy="Leave it out: a service file or a password file (~/.pgpass) keeps it.",
        )
    if not _DATABASE.match(url) or not url.isprintable():
        raise UsageError(
            "This names no PostgreSQL database",
            where=repr(url[:80]),
            remedy="Say postgresql://ROLE@HOST/DATABASE, or service=NAME for an entry of libpq's service file.",
        )
