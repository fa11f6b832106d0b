"""Does what is installed work? The hook and the server are called by their installed command lines, as assistants do.

What the calls leave behind goes to a folder that vanishes: no memory counts as served because of them.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from memtui.assist.install.command import PATIENCE_SECONDS
from memtui.assist.install.status import AssistantState, PartState
from memtui.domain.wiring import Answer, Part, Wiring

SERVER_SECONDS = 10.0  # Codex waits about so long for a server to start
_ENDING_SECONDS = 0.5  # How long a process takes at most to end once its output is closed
_PROTOCOL = "2025-06-18"


@dataclass(frozen=True, slots=True)
class Probed:
    """What a call of an installed part came to."""

    state: AssistantState
    part: PartState
    answer: Answer | None  # None where it was not called: it is switched off or broken
    seconds: float = 0.0
    detail: str = ""  # what stands on stdout or stderr, where something is wrong
    tools: int = 0  # of a server


def probe(states: Sequence[AssistantState], folder: Path) -> Iterator[Probed]:
    """Call everything that is installed. `folder`: the working directory of the session that is pretended."""
    with tempfile.TemporaryDirectory(prefix="memtui-") as scratch:
        call = cache(_called)  # most assistants have the same server
        for state in states:
            for part in state.parts:
                if not part.is_there or not part.argv or part.wiring in {Wiring.BROKEN, Wiring.OFF}:
                    if part.wiring is not Wiring.ABSENT:
                        yield Probed(state, part, None)
                    continue
                yield Probed(state, part, *call(part.part, part.argv, folder, Path(scratch)))


Outcome = tuple[Answer, float, str, int]


def _called(part: Part, argv: tuple[str, ...], folder: Path, scratch: Path) -> Outcome:
    environment = {**os.environ, "MEMTUI_STATE": str(scratch / "state")}
    try:
        if part is Part.SERVER:
            return _server(argv, folder, environment)
        return _hook(argv, folder, environment)
    except OSError as error:
        return Answer.FAILED, 0.0, error.strerror or str(error), 0


def _hook(argv: Sequence[str], folder: Path, environment: dict[str, str]) -> Outcome:
    """Call a hook at the start of a session."""
    event = argv[argv.index("hook") + 1]
    said = {"hook_event_name": event, "session_id": "memtui-doctor", "cwd": str(folder), "source": "startup"}
    start = time.monotonic()
    try:
        done = subprocess.run(
            argv, input=json.dumps(said).encode(), capture_output=True, cwd=folder, env=environment,
            timeout=SERVER_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Answer.SILENT, SERVER_SECONDS, "", 0
    seconds = time.monotonic() - start
    if done.returncode:
        return Answer.FAILED, seconds, _last_line(done.stderr), 0
    if done.stdout.strip() and not isinstance(_parsed(done.stdout), dict):
        return Answer.GARBLED, seconds, _first_line(done.stdout), 0
    return (Answer.SLOW if seconds > PATIENCE_SECONDS else Answer.WORKS), seconds, "", 0


def _server(argv: Sequence[str], folder: Path, environment: dict[str, str]) -> Outcome:
    """Start a server, greet it, and ask for its tools."""
    hello = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "memtui-doctor", "version": "1"}}
    start = time.monotonic()
    with _running(argv, folder, environment) as (process, lines):
        _say(process, {"id": 1, "method": "initialize", "params": hello})
        first, noise = _answer(lines, 1, start)
        seconds = time.monotonic() - start
        if first is None:
            return (Answer.FAILED if _has_ended(process) else Answer.SILENT), seconds, noise, 0
        _say(process, {"method": "notifications/initialized"})
        _say(process, {"id": 2, "method": "tools/list"})
        second, _ = _answer(lines, 2, start)
    tools = second.get("result", {}).get("tools") if second else None
    if noise:
        return Answer.GARBLED, seconds, noise, 0
    return (Answer.WORKS if tools else Answer.FAILED), seconds, "", len(tools or ())


@contextmanager
def _running(
    argv: Sequence[str], folder: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], queue.Queue[bytes]]]:
    """Run a server and collect its lines; it is ended with the block."""
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=environment
    )
    lines: queue.Queue[bytes] = queue.Queue()
    if process.stdout is None:
        raise OSError("no standard output")
    reader = threading.Thread(target=_collect, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        yield process, lines
    finally:
        process.kill()
        process.wait()
        reader.join()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a server is gone; its output may close a moment before."""
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _collect(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(b"")


def _say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    if process.stdin is not None:
        with suppress(OSError):  # it has ended; there will be no answer
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()


def _answer(lines: queue.Queue[bytes], identifier: int, start: float) -> tuple[dict[str, Any] | None, str]:
    """Return the answer to a request, None where none comes in time, and the first line that is no message."""
    noise = ""
    while (left := SERVER_SECONDS - (time.monotonic() - start)) > 0:
        try:
            line = lines.get(timeout=left)
        except queue.Empty:
            break
        if not line:
            break
        message = _parsed(line)
        if isinstance(message, dict) and message.get("id") == identifier:
            return message, noise
        if not isinstance(message, dict):
            noise = noise or _first_line(line)
    return None, noise


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _first_line(data: bytes) -> str:
    return next(iter(data.decode("utf-8", "replace").strip().splitlines()), "")[:200]


def _last_line(data: bytes) -> str:
    return next(reversed(data.decode("utf-8", "replace").strip().splitlines()), "")[:200]
