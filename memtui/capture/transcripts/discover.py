"""Where assistants keep their sessions on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memtui.capture.transcripts import aider, claude_code, cline, codex, copilot, cursor, gemini, opencode
from memtui.capture.transcripts.session import WHOLE, Resume, Session

Read = Callable[[Path, Resume], list[Session]]

ASSISTANTS = (
    "claude-code", "codex", "gemini-cli", "opencode", "cursor", "copilot-cli", "cline", "roo", "kilo", "aider",
)  # fmt: skip
"""Every assistant whose sessions can be read, in the order in which they are looked for."""

ALIASES = {"claude": "claude-code", "gemini": "gemini-cli", "copilot": "copilot-cli"}

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_TASK_FOLDERS = {"cline": "saoudrizwan.claude-dev", "roo": "rooveterinaryinc.roo-cline", "kilo": "kilocode.kilo-code"}
_DEEPEST_HISTORY = 3
_MOST_FOLDERS = 5_000
_MOST_BESIDE = 200  # Folders beside one of a project that are looked into
_NOT_ENTERED = frozenset({"node_modules", "venv", "target", "dist", "build", "vendor", "Library", "snap", "AppData"})


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file that holds sessions."""

    assistant: str
    file: Path
    size: int
    changed_ns: int
    """When it was last written, in nanoseconds."""
    identity: str
    """Device and number of the file, with its name: numbers are used again once a file is deleted."""
    read: Read


def transcripts(
    home: Path,
    *,
    assistants: Iterable[str] = ASSISTANTS,
    roots: Iterable[Path] = (),
    noted: Iterable[tuple[str, Path]] = (),
) -> list[Transcript]:
    """Return what there is to read, the newest first: a run that is stopped has read what matters most.

    Args:
        home: the user's home folder.
        assistants: those to look for.
        roots: folders of known projects, for assistants that write beside the code.
        noted: further files with the names of their assistants, as hooks noted them at the end of sessions.
    """
    found: dict[str, Transcript] = {}
    wanted = tuple(assistants)
    for name, file in noted:
        assistant = ALIASES.get(name, name)
        transcript = _stated(assistant, file, _PLACES[assistant][0]) if assistant in wanted else None
        if transcript is not None:
            found[transcript.identity] = transcript
    for assistant in wanted:
        read, files = _PLACES[assistant]
        for file in files(home, list(roots)) if assistant == aider.ASSISTANT else files(home, []):
            transcript = _stated(assistant, file, read)
            if transcript is not None:
                found.setdefault(transcript.identity, transcript)
    return sorted(found.values(), key=lambda transcript: -transcript.changed_ns)


def histories_in(folders: Iterable[Path], home: Path) -> list[Transcript]:
    """Return the histories that Aider keeps in folders of projects, and in the folders beside those in the home."""
    near = dict.fromkeys(folders)
    for parent in dict.fromkeys(folder.parent for folder in near):
        if parent.is_relative_to(home):
            near |= dict.fromkeys(_folders_in(parent)[:_MOST_BESIDE])
    found = (_stated(aider.ASSISTANT, folder / aider.FILE_NAME, aider.read) for folder in near)
    return [transcript for transcript in found if transcript is not None]


def sessions_of(assistant: str, file: Path) -> list[Session]:
    """Return all that a file of an assistant holds."""
    return _PLACES[ALIASES.get(assistant, assistant)][0](file, WHOLE)


def _stated(assistant: str, file: Path, read: Read) -> Transcript | None:
    try:
        status = file.stat()
        log = file.with_name(f"{file.name}-wal")
        beside = log.stat() if file.suffix in {".db", ".vscdb"} and log.exists() else None
    except OSError:
        return None
    if not status.st_size or not file.is_file():
        return None
    size = status.st_size + (beside.st_size if beside else 0)
    changed = max(status.st_mtime_ns, beside.st_mtime_ns if beside else 0)
    identity = f"{status.st_dev}:{status.st_ino}:{file.parent.name}/{file.name}"
    return Transcript(assistant, file, size, changed, identity, read)


def _folder(variable: str, default: Path) -> Path:
    """Return the folder that a variable of the environment moves."""
    moved = os.environ.get(variable, "").strip()
    return Path(moved).expanduser() if moved else default


def _claude(home: Path, _roots: list[Path]) -> Iterator[Path]:
    folders = [_folder("CLAUDE_CONFIG_DIR", home / ".claude"), home / ".config" / "claude"]
    for folder in dict.fromkeys(folders):
        yield from (folder / "projects").glob("*/*.jsonl")
        yield from (folder / "projects").glob("*/*/subagents/*.jsonl")


def _codex(home: Path, _roots: list[Path]) -> Iterator[Path]:
    folder = _folder("CODEX_HOME", home / ".codex")
    yield from (folder / "sessions").rglob("rollout-*.jsonl")
    yield from (folder / "archived_sessions").rglob("rollout-*.jsonl")


def _gemini(home: Path, _roots: list[Path]) -> Iterator[Path]:
    for pattern in ("*/chats/session-*.jsonl", "*/chats/session-*.json", "*/chats/*/*.jsonl"):
        yield from (home / ".gemini" / "tmp").glob(pattern)


def _opencode(home: Path, _roots: list[Path]) -> Iterator[Path]:
    folder = _folder("XDG_DATA_HOME", home / ".local" / "share") / "opencode"
    database = folder / "opencode.db"
    if database.is_file():
        yield database  # it took the older files over
    else:
        yield from (folder / "storage" / "session").glob("*/*.json")


def _cursor(home: Path, _roots: list[Path]) -> Iterator[Path]:
    for user in _editor_folders(home, ("Cursor",)):
        yield user / "globalStorage" / "state.vscdb"
    for pattern in ("*/agent-transcripts/**/*.jsonl", "*/agent-transcripts/**/*.txt"):
        yield from (home / ".cursor" / "projects").glob(pattern)


def _copilot(home: Path, _roots: list[Path]) -> Iterator[Path]:
    folder = _folder("COPILOT_HOME", home / ".copilot")
    yield from (folder / "session-state").glob("*/events.jsonl")


def _cline(home: Path, _roots: list[Path]) -> Iterator[Path]:
    yield from (home / ".cline" / "data" / "sessions").glob("*/*.messages.json")
    yield from _tasks("cline")(home, [])


def _tasks(assistant: str) -> Callable[[Path, list[Path]], Iterator[Path]]:
    def files(home: Path, _roots: list[Path]) -> Iterator[Path]:
        for user in _editor_folders(home, _EDITORS):
            tasks = user / "globalStorage" / _TASK_FOLDERS[assistant] / "tasks"
            yield from tasks.glob("*/api_conversation_history.json")

    return files


def _editor_folders(home: Path, editors: Iterable[str]) -> Iterator[Path]:
    bases = [_folder("XDG_CONFIG_HOME", home / ".config"), home / "Library" / "Application Support"]
    if sys.platform == "win32" and (roaming := os.environ.get("APPDATA")):
        bases.append(Path(roaming))
    for base in dict.fromkeys(bases):
        for editor in editors:
            yield base / editor / "User"
    if "Code" in editors:
        yield home / ".vscode-server" / "data" / "User"


def _aider(home: Path, roots: list[Path]) -> Iterator[Path]:
    """Yield the histories in known projects, and in the folders near the top of the home folder."""
    for root in roots:
        yield root / aider.FILE_NAME
    level, looked = [home], 0
    for _ in range(_DEEPEST_HISTORY + 1):
        below: list[Path] = []
        for folder in level:
            looked += 1
            if looked > _MOST_FOLDERS:
                return
            yield folder / aider.FILE_NAME
            below.extend(_folders_in(folder))
        level = below


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if not entry.name.startswith(".")
                and entry.name not in _NOT_ENTERED
                and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


_PLACES: dict[str, tuple[Read, Callable[[Path, list[Path]], Iterator[Path]]]] = {
    "claude-code": (claude_code.read, _claude),
    "codex": (codex.read, _codex),
    "gemini-cli": (gemini.read, _gemini),
    "opencode": (opencode.read, _opencode),
    "cursor": (cursor.read, _cursor),
    "copilot-cli": (copilot.read, _copilot),
    "cline": (cline.read, _cline),
    "roo": (cline.read, _tasks("roo")),
    "kilo": (cline.read, _tasks("kilo")),
    "aider": (aider.read, _aider),
}
