"""An assistant's event, read from the JSON that it sends. What is missing or unknown is empty.

What is no object, or names its session or folder by anything but a text, is refused: nobody knows what it means.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from memtui.errors import SourceError

LARGEST_BYTES = 32 << 20
"""Input above this is not parsed: Gemini sends whole requests with some events, and none of ours is so large."""

MOST_FILES = 20  # Files of one event that are looked at
LONGEST_PATH = 4_096


class Kind(StrEnum):
    """What an event is, whoever sends it."""

    START = "start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before-tool"
    AFTER_TOOL = "after-tool"
    SUBAGENT = "subagent"
    END = "end"
    OTHER = "other"


_KINDS: Mapping[Kind, str] = {
    Kind.START: "SessionStart session.created experimental.chat.system.transform TaskStart TaskResume agent_start",
    Kind.PROMPT: "UserPromptSubmit userPromptSubmitted BeforeAgent beforeSubmitPrompt chat.message pre_user_prompt",
    Kind.BEFORE_TOOL: "PreToolUse BeforeTool tool.execute.before beforeReadFile beforeShellExecution tool_call"
    " pre_run_command",
    Kind.AFTER_TOOL: "PostToolUse AfterTool tool.execute.after afterFileEdit tool_result",
    Kind.SUBAGENT: "SubagentStart",
    Kind.END: "SessionEnd Stop TaskComplete SessionShutdown session.idle agentStop agent_end post_cascade_response",
}


def _folded(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


_KIND_BY_NAME = {_folded(name): kind for kind, names in _KINDS.items() for name in names.split()}


def kind_of(name: str) -> Kind:
    """Return what an event of this name is, in any assistant's spelling."""
    return _KIND_BY_NAME.get(_folded(name), Kind.OTHER)


ToolUse = Literal["read", "edit", "shell"]

_TOOLS: Mapping[ToolUse, str] = {
    "read": "Read read_file read_files view read_many_files NotebookRead beforeReadFile",
    "edit": "Edit MultiEdit NotebookEdit Write apply_patch replace write_file create editor afterFileEdit edit_file"
    " str_replace_editor write_to_file replace_in_file",
    "shell": "Bash run_shell_command shell exec_command run_commands execute_command powershell beforeShellExecution"
    " run_terminal_cmd pre_run_command",
}
_USE_BY_TOOL = {_folded(name): use for use, names in _TOOLS.items() for name in names.split()}

_SESSION_KEYS = ("session_id", "sessionId", "sessionID", "conversation_id", "taskId", "trajectory_id")
_FOLDER_KEYS = ("cwd", "directory", "worktree")
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "files", "paths", "file_paths")
_NEW_KEYS = ("new_string", "newString", "new_str", "content", "file_text", "new_source")
_OLD_KEYS = ("old_string", "oldString", "old_str")
_COMMAND_KEYS = ("command", "cmd", "commands", "script")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_INJECTED = ("hook_context", "system-reminder", "session_context", "background-facts")  # Tags of what others added


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of one session."""

    name: str  # as the answer names it
    kind: Kind
    session: str = ""  # the assistant's own id; empty where it gave none
    folder: str = ""  # the working directory; empty where it gave none
    transcript: str = ""  # path of the transcript
    source: str = ""  # of a start: startup, resume, clear, compact …; of a prompt: who sent it
    prompt: str = ""  # what the person asked, without what other hooks added
    use: ToolUse | None = None  # what a tool does
    files: tuple[str, ...] = ()  # the files that a tool reads or edits, as the assistant wrote them
    written: str = ""  # the text that an edit writes into its file
    command: str = ""  # what a shell runs
    subagent: str | None = None  # the name of the subagent that acts, empty where it has none; None for the session
    # whose form the input has, where that is plain: `gemini`, `copilot`, `cursor`, `cline`, `opencode`
    shape: str = ""

    @property
    def is_edit(self) -> bool:
        """Whether a file was changed."""
        return self.kind is Kind.AFTER_TOOL and self.use == "edit"

    @property
    def is_command(self) -> bool:
        """Whether a shell is about to run something."""
        return self.kind is Kind.BEFORE_TOOL and self.use == "shell"


def read_event(name: str, data: bytes) -> Event:
    """Return the event of a command line's name and its input. Raises `SourceError`: the input is broken."""
    values = _parsed(data)
    shape = _shape(values)
    said = _text(values, "hook_event_name", "hookName", "agent_action_name")
    # The input knows best: hooks that were copied from one assistant to another keep the words of their command line.
    # Cline alone names a stage there, and the event in the name of its script.
    known = said and kind_of(said) is not Kind.OTHER and shape != "cline"
    name = said if known else name or said
    kind = kind_of(name)
    inner = _inner(values)
    tool = _text(inner, "tool_name", "toolName", "tool", "name") or (name if _folded(name) in _USE_BY_TOOL else "")
    use = _USE_BY_TOOL.get(_folded(tool))
    arguments = _arguments(inner)
    return Event(
        name=name,
        kind=kind,
        session=_text(values, *_SESSION_KEYS),
        folder=_folder(values),
        transcript=_text(values, "transcript_path", "transcriptPath"),
        source=_text(values, "source").lower(),
        prompt=_prompt(values) if kind is Kind.PROMPT else "",
        use=use,
        files=tuple(dict.fromkeys(_files(use, arguments, tool)))[:MOST_FILES] if use in {"read", "edit"} else (),
        written=_written(arguments) if use == "edit" else "",
        command="\n".join(_texts(arguments, _COMMAND_KEYS)) if use == "shell" else "",
        subagent=_subagent(values, kind),
        shape=shape,
    )


def _parsed(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST_BYTES:
        raise SourceError("The input is too large")
    try:
        values = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        raise SourceError("The input is not JSON") from None
    if not isinstance(values, dict):
        raise SourceError("The input is not an object")
    for key in (*_SESSION_KEYS, *_FOLDER_KEYS):
        if not isinstance(values.get(key), str | None):
            raise SourceError("A value of the input is not a string", where=key)
    return values


def _shape(values: Mapping[str, Any]) -> str:
    """Return whose form an input has, where nobody else's looks like it."""
    said = _text(values, "hook_event_name")
    if "clineVersion" in values:
        return "cline"
    if "cursor_version" in values or "conversation_id" in values:
        return "cursor"
    if said in {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "PreCompress"}:
        return "gemini"
    if "sessionID" in values:
        return "opencode"
    return "copilot" if "sessionId" in values and not said else ""


def _inner(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of an input that names the tool: Cline has one for each stage, Windsurf one for all."""
    for key in ("tool_call", "tool_result", "preToolUse", "postToolUse", "tool_info"):
        part = values.get(key)
        if isinstance(part, dict) and not _text(values, "tool_name"):
            return part
    return values


def _arguments(inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a tool was called with; Copilot sends it as text of JSON too, Cursor beside everything else."""
    for key in ("tool_input", "toolArgs", "args", "input", "parameters", "arguments"):
        value = inner.get(key)
        if isinstance(value, str) and len(value) <= LARGEST_BYTES:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = {"command": value}
        if isinstance(value, dict):
            return value
    return inner


def _files(use: ToolUse | None, arguments: Mapping[str, Any], tool: str) -> Iterator[str]:
    found = list(_texts(arguments, _PATH_KEYS))
    if use == "edit" and not found and _folded(tool) in {"applypatch", "edit", "write"}:
        for text in _texts(arguments, ("command", "input", "patch", "patchText")):
            found += [path.strip() for path in _PATCHED.findall(text)]
    yield from (path for path in found if path and len(path) <= LONGEST_PATH and "\0" not in path)


def _written(arguments: Mapping[str, Any]) -> str:
    """Return the lines that an edit adds: its new text without what was there, or those that a patch marks."""
    several = arguments.get("edits")
    edits = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else []
    lines: list[str] = []
    for edit in (arguments, *edits):
        before = set("\n".join(_texts(edit, _OLD_KEYS)).splitlines())
        lines += [line for line in "\n".join(_texts(edit, _NEW_KEYS)).splitlines() if line not in before]
    patch = "\n".join(_texts(arguments, ("command", "input", "patch", "patchText")))
    lines += [line[1:] for line in patch.splitlines() if line.startswith("+")]
    return "\n".join(lines)


def _prompt(values: Mapping[str, Any]) -> str:
    text = _text(values, "prompt", "initialPrompt", "user_prompt", "text", "message")
    inner = values.get("userPromptSubmit")
    if not text and isinstance(inner, dict):
        text = _text(inner, "prompt", "text")
    for tag in _INJECTED:
        *closed, rest = text.split(f"</{tag}>")
        text = " ".join([*(part.partition(f"<{tag}>")[0] for part in closed), rest])
    return text.strip()


def _folder(values: Mapping[str, Any]) -> str:
    folder = _text(values, *_FOLDER_KEYS)
    if not folder:
        roots = values.get("workspace_roots") or values.get("workspaceRoots")
        folder = next(_strings(roots), "")
    return folder if "\0" not in folder and os.path.isabs(folder) else ""  # noqa: PTH117 - a string that may be anything


def _subagent(values: Mapping[str, Any], kind: Kind) -> str | None:
    """Return the name of the subagent that acts; `agent_type` alone is the kind of the session's own agent."""
    is_inside = kind is Kind.SUBAGENT or any(_text(values, key) for key in ("agent_id", "parentID", "parent_id"))
    return _text(values, "agent_type", "agent_name", "agent") if is_inside else None


def _text(values: Mapping[str, Any], *keys: str) -> str:
    """Return the first of some values that is a text."""
    return next((value for key in keys if isinstance(value := values.get(key), str) and value), "")


def _texts(values: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        yield from _strings(values.get(key))


def _strings(value: object) -> Iterator[str]:
    """Yield a text, or the texts of a list, which may name files as objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value[:MOST_FILES]:
            if isinstance(one, dict):
                yield from _strings(next((one[key] for key in ("path", "file_path", "command") if key in one), None))
            elif isinstance(one, str):
                yield one
