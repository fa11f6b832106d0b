"""Speaks to `memtui mcp` line by line, without the SDK, so that times and bytes are the server's own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

MODULE = ("-m", "memtui", "mcp")


class Wire:
    """One server as a child process. `process` ends when the context does; `kill` it for a crash."""

    def __init__(
        self, folder: Path, *words: str, python: Sequence[str] = MODULE, environment: Mapping[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *python, *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None and self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            if self.process.stdout is not None:
                self.process.stdout.close()

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request without waiting; returns its number."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        return self._number

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server closed its output"
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of a request."""
        number = self.send(method, params)
        message = self.receive()
        assert message["id"] == number, message
        result: dict[str, Any] = message["result"]
        return result

    def start(self, name: str = "wire") -> dict[str, Any]:
        """Shake hands."""
        client = {"name": name, "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        result = self.ask("initialize", hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a tool."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    def write(self, line: bytes) -> None:
        """Send a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def _write(self, message: Mapping[str, Any]) -> None:
        self.write(json.dumps(message).encode())
