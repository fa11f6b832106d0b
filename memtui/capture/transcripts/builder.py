"""Builds a session record by record: results find their calls, copies of a record are dropped, texts are cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.session import (
    WHOLE,
    CallKind,
    CallResult,
    Place,
    Position,
    Resume,
    Role,
    Session,
    ToolCall,
    Turn,
)

LONGEST_TYPED = 20_000
LONGEST_SAID = 6_000
LONGEST_COMMAND = 2_000
LONGEST_WRITTEN = 4_000
OUTPUT_HEAD, OUTPUT_TAIL = 600, 1_400
"""Characters kept of an output: errors stand at its ends."""

_KINDS = {
    CallKind.COMMAND: {
        "bash", "shell", "local_shell", "exec_command", "run_shell_command", "run_commands", "execute_command",
        "run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2", "powershell", "terminal",
        "container.exec",
    },
    CallKind.EDIT: {
        "edit", "multiedit", "write", "notebookedit", "apply_patch", "replace", "write_file", "create", "editor",
        "edit_file", "edit_file_v2", "write_to_file", "replace_in_file", "insert_content", "apply_diff", "patch",
        "search_replace", "str_replace", "str_replace_editor", "multi_edit", "create_file", "delete_file",
        "search_and_replace",
    },
    CallKind.READ: {
        "read", "read_file", "read_files", "read_many_files", "view", "glob", "grep", "ls", "list", "list_dir",
        "list_directory", "list_files", "search_files", "codebase_search", "read_file_v2",
    },
}  # fmt: skip
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "target_file", "relativeWorkspacePath", "targetFile")
_WRITTEN_KEYS = ("new_string", "newString", "content", "new_str", "file_text", "new_text", "code_edit", "diff")
_SECONDS_END = 1e11
"""A larger number is a time in milliseconds."""
_COMMAND_KEYS = ("command", "cmd", "commands", "script")


@dataclass(slots=True)
class Result:
    """How a call ended, kept until its session is built."""

    result: CallResult
    output: str = ""
    exit_code: int | None = None
    reason: str = ""
    place: Place | None = None


@dataclass(slots=True)
class SessionBuilder:
    """Collects what a reader finds in one session."""

    assistant: str
    file: Path
    id: str = ""
    folder: Path | None = None
    version: str = ""
    subagent: bool = False
    unknown_records: Counter[str] = field(default_factory=Counter)
    bad_lines: list[int] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    starts: list[Position] = field(default_factory=list)
    """Where the record of each turn starts, in files that grow."""
    results: dict[str, Result] = field(default_factory=dict)
    _records: set[str] = field(default_factory=set)

    @classmethod
    def resumed(cls, assistant: str, file: Path, resume: Resume) -> SessionBuilder:
        """Return a builder that knows what an earlier run knew."""
        return cls(assistant, file, id=resume.id, folder=resume.folder, version=resume.version)

    def place(self, line: int | None = None, row: str = "") -> Place:
        """Return a place in the file."""
        return Place(self.file, line, row)

    def in_folder(self, folder: object) -> None:
        """Take a working directory that a record names; the first one holds."""
        if self.folder is None and isinstance(folder, str) and folder.strip() and "\0" not in folder:
            self.folder = Path(folder)

    def is_copy(self, record: str) -> bool:
        """Return whether a record was seen before: compaction, resuming and forking copy records."""
        if not record:
            return False
        if record in self._records:
            return True
        self._records.add(record)
        return False

    def say(
        self,
        role: Role,
        text: str,
        place: Place,
        *,
        record: str = "",
        at: datetime | None = None,
        calls: Iterable[ToolCall] = (),
        start: Position | None = None,
    ) -> None:
        """Add a turn, unless it says and does nothing or copies what a person typed at the same moment."""
        made = tuple(calls)
        text = text.strip()
        if not text and not made:
            return
        if role is Role.PERSON and at is not None and self.is_copy(f"{at.timestamp()} {text}"):
            return
        longest = LONGEST_TYPED if role is Role.PERSON else LONGEST_SAID
        self.turns.append(Turn(role, text[:longest], place, record, at, made))
        self.starts.append(start or Position())

    def end_call(self, call_id: str, result: Result) -> None:
        """Note how a call ended; a refusal with a reason is not lost to a later, poorer record."""
        held = self.results.get(call_id)
        if held is None or not held.reason:
            self.results[call_id] = result

    def build(self, resume: Resume = WHOLE, *, end: Position | None = None) -> Session:
        """Return the session, with the number of turns that an earlier run has read."""
        turns = [self._settled(turn) if turn.calls else turn for turn in self.turns]
        typed = [at for at, turn in enumerate(turns) if turn.role is Role.PERSON]
        return Session(
            assistant=self.assistant,
            id=self.id or self.file.stem,
            file=self.file,
            turns=turns,
            folder=self.folder,
            version=self.version,
            subagent=self.subagent,
            unknown_records=self.unknown_records,
            bad_lines=self.bad_lines,
            seen=self._seen(resume),
            end=end,
            context=None if end is None else self.starts[typed[-2]] if len(typed) > 1 else resume.start,
        )

    def _seen(self, resume: Resume) -> int:
        if resume.seen_to:
            return sum(1 for start in self.starts if start.offset < resume.seen_to)
        until = resume.seen_until
        if until is None:
            return 0
        return sum(1 for turn in self.turns if turn.at is not None and turn.at <= until)

    def _settled(self, turn: Turn) -> Turn:
        return replace(turn, calls=tuple(self._ended(call) for call in turn.calls))

    def _ended(self, call: ToolCall) -> ToolCall:
        ended = self.results.get(call.id)
        if ended is None:
            return call
        return replace(
            call,
            result=ended.result,
            output=cut_output(ended.output),
            exit_code=ended.exit_code,
            reason=ended.reason.strip()[:LONGEST_TYPED],
            reason_place=ended.place if ended.reason.strip() else None,
        )


def tool_call(call_id: str, name: str, given: object, place: Place) -> ToolCall:
    """Return a call by its name and arguments, in any of the spellings that assistants use."""
    arguments = given if isinstance(given, dict) else {}
    kind = _KIND_OF.get(name.rsplit("__", 1)[-1].casefold(), CallKind.OTHER)
    command = next((command_text(arguments[key]) for key in _COMMAND_KEYS if arguments.get(key)), "")
    written = next((arguments[key] for key in _WRITTEN_KEYS if isinstance(arguments.get(key), str)), "")
    edits = arguments.get("edits")
    if not written and isinstance(edits, list):
        written = "\n".join(filter(None, (text_at(edit, *_WRITTEN_KEYS) for edit in edits)))
    if kind is CallKind.COMMAND and not command and isinstance(given, str):
        command = given
    return ToolCall(
        id=call_id,
        name=name,
        kind=kind,
        place=place,
        command=command[:LONGEST_COMMAND] if kind is CallKind.COMMAND else "",
        paths=_paths(arguments),
        written=written[:LONGEST_WRITTEN] if kind is CallKind.EDIT else "",
    )


def command_text(given: object) -> str:
    """Return a command line; a list of arguments is joined, less the shell that runs it."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        return ""
    words = [part for part in given if isinstance(part, str)]
    match words:
        case [_, "-lc" | "-c", line, *_]:
            return line
    return (" && " if any(" " in word for word in words) else " ").join(words)


def text_at(record: object, *keys: str) -> str:
    """Return the first text under one of these keys; empty without one."""
    if not isinstance(record, dict):
        return ""
    return next((record[key] for key in keys if isinstance(record.get(key), str)), "")


def dict_at(record: object, *keys: str) -> dict[str, Any]:
    """Return the object at the end of a path of keys; empty where there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record if isinstance(record, dict) else {}


def list_at(record: object, key: str) -> list[Any]:
    """Return the list under a key; empty where there is none."""
    found = record.get(key) if isinstance(record, dict) else None
    return found if isinstance(found, list) else []


def blocks_text(content: object, *, kinds: Iterable[str] = ("text", "input_text", "output_text", "Text")) -> str:
    """Return the text of a message: a text, or a list of blocks of which those of these kinds have one."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    wanted = set(kinds)
    parts = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif (
            isinstance(block, dict)
            and text_at({"type": "text", **block}, "type") in wanted
            and isinstance(block.get("text"), str)
        ):
            parts.append(block["text"])
    return "\n".join(parts)


def cut_output(text: str) -> str:
    """Return both ends of an output."""
    if len(text) <= OUTPUT_HEAD + OUTPUT_TAIL:
        return text
    return f"{text[:OUTPUT_HEAD]}\n…\n{text[-OUTPUT_TAIL:]}"


def moment(stated: object) -> datetime | None:
    """Return a time that is written as ISO 8601, in seconds or in milliseconds; None for anything else."""
    try:
        if isinstance(stated, str) and stated[:1].isdigit():
            at = datetime.fromisoformat(stated)
            return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        if isinstance(stated, int | float) and not isinstance(stated, bool):
            return datetime.fromtimestamp(stated / 1000 if stated > _SECONDS_END else stated, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _paths(arguments: dict[str, Any]) -> tuple[str, ...]:
    found = [arguments[key] for key in _PATH_KEYS if isinstance(arguments.get(key), str)]
    for key in ("paths", "files"):
        for item in list_at(arguments, key):
            name = item if isinstance(item, str) else text_at(item, "path", *_PATH_KEYS)
            found.extend([name] if name else [])
    return tuple(dict.fromkeys(found))[:50]
