"""A year of made-up sessions: seeded, in the sizes that real ones have, which are mostly the output of tools.

`python -m bench.transcripts HOME MEGABYTES` in `tests/` writes one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bench.corpus import sentences

START = datetime(2025, 11, 1, 8, tzinfo=UTC)
PROJECTS = 12
_SMALL_TALK = (
    "ok", "thanks, looks good", "go on", "can you run the tests again?", "what does this function do?", "commit it",
    "hm, why is that?", "undo the last change", "perfect", "try again, it failed on my machine",
)  # fmt: skip
_TASKS = (
    "can you look why {} fails in staging", "add {} to the export", "rename {} and its tests",
    "what is the difference between {} and the old one?", "please write a test for {}", "move {} into its own module",
    "the log says {} is slow",
)  # fmt: skip
_LEADS = ("no, ", "always: ", "from now on ", "remember: ", "don't do that here. ", "we decided: ", "", "")
_WORDS = (
    "class",
    "return",
    "import",
    "value",
    "index",
    "berth",
    "tide",
    "queue",
    "retry",
    "schema",
    "config",
    "assert",
)

Record = dict[str, Any]


def write_transcripts(home: Path, size: int, *, days: int = 365, seed: int = 7) -> int:
    """Write sessions of three assistants, about `size` bytes in all; returns how many sessions."""
    random, said, written, count = Random(seed), sentences(), 0, 0
    while written < size:
        at = START + timedelta(days=days * written / size)
        assistant = random.choices(("claude", "codex", "copilot"), (6, 3, 1))[0]
        session = _Session(random, said, count, at)
        file = home / session.place(assistant)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as stream:
            for record in getattr(session, assistant)():
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        written += file.stat().st_size
        count += 1
    return count


class _Session:
    def __init__(self, random: Random, said: list[str], number: int, at: datetime) -> None:
        self._random, self._said, self.number, self._at = random, said, number, at
        self._folder = f"/srv/project-{number % PROJECTS}"
        self._turns = random.randint(4, 24)
        self._records = 0

    def place(self, assistant: str) -> Path:
        name = f"{self.number:08d}-0000-4000-8000-000000000000"
        return {
            "claude": Path(".claude/projects") / self._folder.replace("/", "-") / f"{name}.jsonl",
            "codex": Path(".codex/sessions") / self._at.strftime("%Y/%m/%d") / f"rollout-{name}.jsonl",
            "copilot": Path(".copilot/session-state") / name / "events.jsonl",
        }[assistant]

    def claude(self) -> Iterator[Record]:
        for _ in range(self._turns):
            yield self._of_claude("user", self._typed(), origin={"kind": "human"})
            for _ in range(self._random.randint(2, 12)):
                call = f"toolu_{self.number}_{self._records}"
                name, given, output, failed = self._tool()
                yield self._of_claude("assistant", [{"type": "thinking", "thinking": self._prose(1_500)}])
                yield self._of_claude("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])
                block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed}
                yield self._of_claude("user", [block], toolUseResult={"stdout": output, "stderr": ""})
                if self._random.random() < 0.3:
                    yield {"type": "file-history-snapshot", "messageId": call, "snapshot": {"files": self._prose(800)}}
            yield self._of_claude("assistant", [{"type": "text", "text": self._prose(600)}])

    def codex(self) -> Iterator[Record]:
        meta = {"id": str(self.number), "cwd": self._folder, "cli_version": "0.171.0", "source": "cli"}
        yield self._of_codex("session_meta", meta)
        for _ in range(self._turns):
            text = self._typed()
            yield self._of_codex("response_item", _message("user", "input_text", text))
            yield self._of_codex("event_msg", _item("UserMessage", content=[{"type": "text", "text": text}]))
            for _ in range(self._random.randint(2, 12)):
                call = f"call_{self._records}"
                _, given, output, failed = self._tool()
                arguments = json.dumps({"cmd": given.get("command", "sed -n 1,80p a.py")})
                made = {"type": "function_call", "name": "exec_command", "call_id": call, "arguments": arguments}
                yield self._of_codex("response_item", made)
                ran = {"id": call, "aggregated_output": output, "exit_code": int(failed), "command": ["sh", "-c", "x"]}
                yield self._of_codex("event_msg", _item("CommandExecution", **ran))
                answer = f"Process exited with code {int(failed)}\nOutput:\n{output}"
                yield self._of_codex(
                    "response_item", {"type": "function_call_output", "call_id": call, "output": answer}
                )
                yield self._of_codex("response_item", {"type": "reasoning", "encrypted_content": self._prose(1_200)})
            said = self._prose(600)
            yield self._of_codex("event_msg", _item("AgentMessage", content=[{"type": "Text", "text": said}]))
            yield self._of_codex("response_item", _message("assistant", "output_text", said))

    def copilot(self) -> Iterator[Record]:
        yield self._of_copilot("session.start", sessionId=str(self.number), context={"cwd": self._folder})
        for _ in range(self._turns):
            text = self._typed()
            yield self._of_copilot("user.message", content=text, transformedContent=f"{text}\n{self._prose(400)}")
            for _ in range(self._random.randint(2, 12)):
                call = f"call_{self._records}"
                name, given, output, failed = self._tool()
                request = {"toolCallId": call, "name": name.lower(), "arguments": given}
                yield self._of_copilot("assistant.message", content="", toolRequests=[request])
                shell = {"exitCode": int(failed)}
                yield self._of_copilot(
                    "tool.execution_complete", toolCallId=call, shellExecution=shell, result={"content": output}
                )
            yield self._of_copilot("assistant.message", content=self._prose(600), toolRequests=[])

    def _of_claude(self, kind: str, content: object, **more: object) -> Record:
        self._records += 1
        record = {"uuid": f"{self.number}-{self._records}", "sessionId": str(self.number), "version": "2.1.331"}
        return {
            "type": kind, "message": {"role": kind, "content": content}, "cwd": self._folder,
            "timestamp": self._moment(), **record, **more,
        }  # fmt: skip

    def _of_codex(self, kind: str, payload: Record) -> Record:
        self._records += 1
        return {"timestamp": self._moment(), "ordinal": self._records, "type": kind, "payload": payload}

    def _of_copilot(self, kind: str, **data: object) -> Record:
        self._records += 1
        return {"type": kind, "data": data, "id": f"{self.number}-{self._records}", "timestamp": self._moment()}

    def _moment(self) -> str:
        self._at += timedelta(seconds=20)
        return self._at.isoformat()

    def _typed(self) -> str:
        """Return what a person types: a word, a task, or one time in eight what they would teach."""
        dice = self._random.random()
        if dice < 0.4:
            return self._random.choice(_SMALL_TALK)
        if dice < 0.88:
            name = "_".join(self._random.choices(_WORDS, k=2))
            return self._random.choice(_TASKS).format(name)
        return f"{self._random.choice(_LEADS)}{self._random.choice(self._said)} (case {self.number})"

    def _tool(self) -> tuple[str, Record, str, bool]:
        failed = self._random.random() < 0.15
        if self._random.random() < 0.5:
            command = self._random.choice(("pytest -q", "make lint", "git diff --stat", "npm test", "ls -la src"))
            return "Bash", {"command": command, "description": "Run"}, self._code(3_000), failed
        path = f"{self._folder}/src/file_{self._random.randint(1, 60)}.py"
        if self._random.random() < 0.3:
            given = {"file_path": path, "old_string": self._code(500), "new_string": self._code(600)}
            return "Edit", given, "The file has been updated.", False
        return "Read", {"file_path": path}, self._code(16_000), False

    def _prose(self, most: int) -> str:
        return " ".join(self._random.choices(self._said, k=max(1, self._random.randint(most // 4, most) // 90)))

    def _code(self, most: int) -> str:
        length = self._random.randint(most // 10, most)
        line = " ".join(self._random.choices(_WORDS, k=9))
        return "\n".join([f"{n:6d}  {line}" for n in range(length // (len(line) + 9) + 1)])


def _message(role: str, kind: str, text: str) -> Record:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _item(kind: str, **item: object) -> Record:
    return {"type": "item_completed", "item": {"type": kind, **item}}


if __name__ == "__main__":
    print(write_transcripts(Path(sys.argv[1]), int(sys.argv[2]) * 1_000_000), "sessions")
