"""A bare copy of one branch of a git remote, in the cache folder: read, committed to and pushed without a work tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui import locations
from memtui.errors import MemtuiError
from memtui.git import Answer, call_git, missing_git
from memtui.sync.carrier import without_password
from memtui.text.sanitize import one_line

NETWORK_SECONDS = 120.0  # Longest time for one call of git that talks to the remote
LOCAL_SECONDS = 120.0
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_REMOTE_REF = "refs/memtui/remote"
_OWN_REF = "refs/memtui/own"
_SHOWN = 200
LARGEST_FILE = 4 << 20  # Bytes of a file that is read; what is larger is no memory
_FASTER = ("[rejected]", "cannot lock ref", "stale info", "fetch first", "reference already exists")
"""What git says where somebody else moved the branch meanwhile."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit."""

    path: str
    blob: str  # the name of its content


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that differs between two commits; no blob where it does not exist."""

    path: str
    before: str | None
    after: str | None
    is_gone: bool = False  # whether nothing stands there any more; a link does, but is not read


@dataclass(slots=True)
class GitRepo:
    """One branch of one remote."""

    remote: str
    branch: str
    owner: str  # the id of the vault's team: every vault has a copy of its own
    tip: str | None = None  # the commit that the branch was at when it was last fetched; None while it has none
    _listed: tuple[str, list[Entry]] | None = None  # the files of a commit

    @property
    def folder(self) -> Path:
        return locations.team_copy(self.owner)

    def fetch(self) -> None:
        """Read the branch as it is now.

        Raises `MemtuiError`: git is missing, or the remote cannot be reached; nothing was changed.
        """
        if not (self.folder / "HEAD").exists():
            self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._run(["init", "--quiet", "--bare", str(self.folder)], inside=False)
        listed = self._run(["ls-remote", "--heads", "--", self.remote, f"refs/heads/{self.branch}"], network=True)
        self.tip = listed.split("\t")[0].strip() or None
        if self.tip is None or self._code(["cat-file", "-e", f"{self.tip}^{{commit}}"]) == 0:
            return
        self._run(
            ["fetch", "--quiet", "--no-tags", "--", self.remote, f"+refs/heads/{self.branch}:{_REMOTE_REF}"],
            network=True,
        )
        self.tip = self._run(["rev-parse", "--verify", "--quiet", f"{_REMOTE_REF}^{{commit}}"]).strip()

    def has_ancestor(self, commit: str) -> bool:
        """Return whether the branch still contains a commit."""
        if self.tip is None:
            return False
        return self._code(["merge-base", "--is-ancestor", commit, self.tip]) == 0

    def entries(self, folder: str = "") -> list[Entry]:
        """Return the regular files of the branch, below a folder if one is given."""
        if self.tip is None:
            return []
        if self._listed is None or self._listed[0] != self.tip:
            self._listed = (self.tip, self._list(self.tip))
        return [entry for entry in self._listed[1] if entry.path.startswith(folder)]

    def _list(self, commit: str) -> list[Entry]:
        found = []
        for line in filter(None, self._run(["ls-tree", "-r", "-z", "--full-tree", commit]).split("\0")):
            head, _, path = line.partition("\t")
            mode, kind, blob = head.split(" ")
            if kind == "blob" and _is_file(mode, path):
                found.append(Entry(path, blob))
        return found

    def differences(self, before: str | None) -> list[Difference]:
        """Return the files that differ between a commit, None for an empty one, and the branch."""
        if self.tip is None or before == self.tip:
            return []
        listed = self._run(["diff-tree", "-r", "-z", "--no-renames", before or EMPTY_TREE, self.tip])
        parts = listed.split("\0")
        found = []
        for head, path in zip(parts[::2], parts[1::2], strict=False):
            old_mode, new_mode, old, new, _ = head.removeprefix(":").split(" ")
            found.append(
                Difference(
                    path,
                    old if _is_file(old_mode, path) else None,
                    new if _is_file(new_mode, path) else None,
                    is_gone=new_mode.startswith("000"),
                )
            )
        return found

    def blobs(self, names: Iterable[str], largest: int = LARGEST_FILE) -> dict[str, bytes]:
        """Return contents by their names, without those that are missing or larger than so many bytes."""
        wanted = self._sized(dict.fromkeys(names), largest)
        if not wanted:
            return {}
        output = self._bytes(["cat-file", "--batch"], given="".join(f"{name}\n" for name in wanted).encode())
        found: dict[str, bytes] = {}
        at = 0
        for name in wanted:
            end = output.index(b"\n", at)
            size = int(output[at:end].split(b" ")[2])
            found[name] = output[end + 1 : end + 1 + size]
            at = end + size + 2
        return found

    def _sized(self, names: Iterable[str], largest: int) -> list[str]:
        """Return the names of contents that are there and not larger than so many bytes."""
        given = "".join(f"{name}\n" for name in names).encode()
        if not given:
            return []
        listed = self._bytes(["cat-file", "--batch-check=%(objectname) %(objectsize)"], given=given).decode()
        pairs = (line.split(" ") for line in listed.splitlines())
        return [name for name, size in pairs if size.isdigit() and int(size) <= largest]

    def file(self, path: str, largest: int = LARGEST_FILE) -> bytes | None:
        """Return the content of one file of the branch, None if there is none. Raises as `content`."""
        entry = next((one for one in self.entries(path) if one.path == path), None)
        return None if entry is None else self.content(path, entry.blob, largest)

    def content(self, path: str, blob: str, largest: int) -> bytes:
        """Return the content of a file. Raises `MemtuiError`: it is larger than so many bytes."""
        found = self.blobs([blob], largest).get(blob)
        if found is None:
            raise MemtuiError(
                f"A file of the branch has more than {largest >> 20} MB",
                where=f"{without_password(self.remote)}, {path}",
                remedy="Nothing was changed. Repair it there, and sync again.",
            )
        return found

    def refuse_odd(self, *paths: str) -> None:
        """Raises `MemtuiError`: something else than a file, such as a link, stands at one of these paths."""
        if self.tip is None:
            return
        for line in filter(None, self._run(["ls-tree", "-z", self.tip, "--", *paths]).split("\0")):
            if not line.startswith("100"):
                raise MemtuiError(
                    "The branch contains something other than a file here",
                    where=f"{without_password(self.remote)}, {line.partition(chr(9))[2]}",
                    remedy="Nothing was changed. Put the file back there, and sync again.",
                )

    def added_at(self, path: str) -> datetime:
        """Return when a file of the branch was added: the same on every machine."""
        listed = self._run(["log", "--diff-filter=A", "--format=%ct", "--no-renames", str(self.tip), "--", path])
        return datetime.fromtimestamp(int((listed.split() or ["0"])[0]), UTC)

    def recent(self, limit: int) -> list[tuple[str, str, int]]:
        """Return (author, subject, seconds since 1970) of the newest commits."""
        if self.tip is None:
            return []
        listed = self._run(["log", f"-{limit}", "--no-merges", "--format=%an%x01%s%x01%ct%x02", self.tip])
        lines = [line.strip("\n").split("\x01") for line in listed.split("\x02") if line.strip()]
        return [(author, subject, int(at)) for author, subject, at in lines]

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Return a new commit on top of the branch, in which these files are changed, or removed where None.

        Raises `MemtuiError`: git refuses.
        """
        author = self._identity()
        lines = [f"commit {_OWN_REF}\nmark :1\n".encode(), b"committer ", author, b"\n", _data(message.encode())]
        if self.tip is not None:
            lines.append(f"from {self.tip}\n".encode())
        for path, data in sorted(files.items(), key=lambda one: (one[1] is not None, one[0])):
            if data is None:
                lines.append(b"D " + _quoted(path) + b"\n")
            else:
                lines += [b"M 100644 inline " + _quoted(path) + b"\n", _data(data)]
        reset = f"reset {_OWN_REF}\n{f'from {self.tip}' if self.tip else ''}\n"
        given = reset.encode() + b"".join(lines) + b"get-mark :1\ndone\n"
        return self._bytes(["fast-import", "--quiet", "--force", "--done"], given=given).decode("ascii").strip()

    def push(self, commit: str) -> bool:
        """Bring the branch to a commit; False if somebody else was faster.

        Raises `MemtuiError`: the remote cannot be reached, or refuses for another reason.
        """
        # A branch that does not exist must still not exist, and one that moved must not be overwritten.
        lease = f"--force-with-lease=refs/heads/{self.branch}:{self.tip or ''}"
        done = self._call(
            ["push", "--quiet", "--porcelain", lease, "--", self.remote, f"{commit}:refs/heads/{self.branch}"],
            network=True,
        )
        if done.code == 0:
            self.tip = commit
            return True
        said = (done.output + done.error).decode("utf-8", "replace")
        if any(sign in said for sign in _FASTER):
            return False
        raise self._failed("The remote refuses the push", said)

    # -- git itself -------------------------------------------------------------------------------

    def _identity(self) -> bytes:
        done = self._call(["var", "GIT_COMMITTER_IDENT"])
        if done.code == 0:
            return done.output.strip()
        import time

        return f"memtui <memtui@localhost> {int(time.time())} +0000".encode()

    def _run(self, arguments: Sequence[str], *, network: bool = False, inside: bool = True) -> str:
        done = self._call(arguments, network=network, inside=inside)
        if done.code != 0:
            what = "The git remote cannot be reached" if network else "git failed"
            raise self._failed(what, done.error.decode("utf-8", "replace"))
        return done.output.decode("utf-8", "surrogateescape")

    def _bytes(self, arguments: Sequence[str], *, given: bytes) -> bytes:
        done = self._call(arguments, given=given)
        if done.code != 0:
            raise self._failed("git failed", done.error.decode("utf-8", "replace"))
        return done.output

    def _code(self, arguments: Sequence[str]) -> int | None:
        return self._call(arguments).code

    def _call(
        self, arguments: Sequence[str], *, network: bool = False, inside: bool = True, given: bytes = b""
    ) -> Answer:
        within = ("--git-dir", str(self.folder)) if inside else ()
        answer = call_git(
            None,
            *(*within, *arguments),
            given=given,
            seconds=NETWORK_SECONDS if network else LOCAL_SECONDS,
            network=network,
        )
        if answer.fault == "missing":
            raise missing_git("Install it, or use a database.")
        if answer.fault:
            raise MemtuiError("git did not answer in time", where=without_password(self.remote))
        return answer

    def _failed(self, what: str, said: str) -> MemtuiError:
        reason = one_line(said.strip())[-_SHOWN:]
        return MemtuiError(
            what,
            where=f"{without_password(self.remote)}{f' ({reason})' if reason else ''}",
            remedy="Nothing was changed. Try again when it can be reached.",
        )


def _is_file(mode: str, path: str) -> bool:
    """Return whether a regular file stands at a path, which no checkout would refuse."""
    return mode.startswith("100") and not {"", ".", ".."}.intersection(path.split("/"))


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _quoted(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    escaped = b"".join(
        bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte  # noqa: PLR2004 - printable ASCII
        for byte in raw
    )
    return b'"' + escaped + b'"'
