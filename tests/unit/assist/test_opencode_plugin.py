"""The plugin of OpenCode asks memtui at the events of a session, and nothing that goes wrong reaches OpenCode."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memtui.assist.install.assistants import assistants
from memtui.assist.install.command import Program
from memtui.assist.install.plan import Wishes, config_files
from memtui.domain.wiring import Scope

pytestmark = pytest.mark.skipif(
    os.name != "posix" or shutil.which("node") is None, reason="needs a shell and Node.js, which stands for OpenCode"
)

_DRIVER = """
const { Memtui } = await import(process.argv[1])
const hooks = await Memtui({ directory: process.argv[2] })
const session = { sessionID: "s1" }
const system = async (lines) => {
  const output = { system: lines }
  await hooks["experimental.chat.system.transform"](session, output)
  return output.system
}
const found = { title: await system(["You are a title generator. Be brief."]) }
found.first = await system(["base"])
found.again = await system(["base"])
const message = { message: { id: "m1" }, parts: [{ type: "text", text: "mend the lock" }] }
await hooks["chat.message"](session, message)
found.parts = message.parts.map((part) => part.text)
const tool = { output: "ok" }
await hooks["tool.execute.after"]({ ...session, tool: "read", args: { filePath: "a.py" } }, tool)
found.tool = tool.output
try {
  await hooks["tool.execute.before"]({ ...session, tool: "bash" }, { args: { command: "rm" } })
} catch (error) {
  found.denied = error.message
}
await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s1" } } } })
const child = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "child" }, child)
found.child = child.system
await hooks.event({ event: { type: "session.idle", properties: session } })
console.log(JSON.stringify(found))
"""


def _run(folder: Path, body: str, *, commands: bool = False) -> dict[str, Any]:
    """Run the plugin with a program that is a shell script; `$2` is the event."""
    script = folder / "memtui"
    script.write_text(f'#!/bin/sh\nsaid=$(cat)\necho "$2 $said" >> "{folder}/seen"\n{body}\n')
    script.chmod(0o755)
    configs = config_files(
        assistants()["opencode"], Scope.USER, folder, Program((str(script),)), Wishes(commands=commands)
    )
    plugin = folder / "memtui.mjs"
    plugin.write_text(next(config.whole for config in configs if config.whole))
    words = ["node", "--input-type=module", "-e", _DRIVER, str(plugin), str(folder)]
    done = subprocess.run(words, capture_output=True, timeout=30, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_what_memtui_says_reaches_the_model_once_and_in_the_same_bytes(tmp_path: Path) -> None:
    found = _run(tmp_path, """echo "{\\"additionalContext\\": \\"facts at $2\\"}" """)
    assert found["title"] == ["You are a title generator. Be brief."]
    assert found["first"] == found["again"] == ["base", "facts at experimental.chat.system.transform"]
    assert found["parts"] == ["mend the lock", "facts at chat.message"]
    assert found["tool"] == "ok\n\nfacts at tool.execute.after"
    assert found["child"] == []
    assert "denied" not in found
    seen = (tmp_path / "seen").read_text()
    assert '"prompt":"mend the lock"' in seen
    assert '"tool_input":{"filePath":"a.py"}' in seen
    assert sum(line.startswith("experimental.chat.system.transform") for line in seen.splitlines()) == 1
    assert "session.idle {" in seen
    assert "tool.execute.before" not in seen


def test_a_command_is_denied_with_the_reason_where_that_is_wanted(tmp_path: Path) -> None:
    body = """echo '{"permissionDecision": "deny", "permissionDecisionReason": "never here"}'"""
    assert _run(tmp_path, body, commands=True)["denied"] == "never here"


@pytest.mark.parametrize("body", ["exit 3", "echo Welcome", "echo '[]'", "echo null", "kill -9 $$"])
def test_nothing_that_goes_wrong_reaches_opencode(tmp_path: Path, body: str) -> None:
    found = _run(tmp_path, body, commands=True)
    assert (found["first"], found["parts"], found["tool"]) == (["base"], ["mend the lock"], "ok")
    assert "denied" not in found
