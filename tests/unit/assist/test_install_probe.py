"""`doctor` calls what is installed by its own command line, and says what came of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.assist.install import probe as probing
from memtui.assist.install.assistants import assistants
from memtui.assist.install.command import Program
from memtui.assist.install.plan import Wishes, carry_out, plan_install
from memtui.assist.install.probe import Probed, probe
from memtui.assist.install.status import state_of
from memtui.domain.wiring import Answer, Part, Scope, Wiring

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")

_SERVER = """while read -r line; do case "$line" in
*'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{}}';;
*tools/list*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"memory_get"}]}}';;
esac; done"""
_HOOK = "cat > /dev/null; echo '{\"hookSpecificOutput\": {}}'"


def _probed(folder: Path, *, hook: str = _HOOK, server: str = _SERVER) -> dict[Part, Probed]:
    """Install a program that is a script into Gemini CLI, and call it."""
    script = folder / "memtui"
    script.write_text(f'#!/bin/sh\nif [ "$1" = hook ]; then\n{hook}\nelse\n{server}\nfi\n')
    script.chmod(0o755)
    assistant, program = assistants()["gemini"], Program((str(script),))
    carry_out(plan_install(assistant, Scope.USER, folder, program, Wishes()), "2026-11-29T00:00:00Z")
    return {one.part.part: one for one in probe([state_of(assistant, None, program)], folder)}


def test_what_works_is_said_with_the_tools_of_the_server(tmp_path: Path) -> None:
    found = _probed(tmp_path)
    assert {part: one.answer for part, one in found.items()} == dict.fromkeys(found, Answer.WORKS)
    assert found[Part.SERVER].tools == 1


def test_a_call_gets_the_event_and_leaves_nothing_in_the_state_folder(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    _probed(tmp_path, hook=f'cat > {seen}; echo "$MEMTUI_STATE" "$@" >> {seen}')
    said, _, rest = seen.read_text().partition("}")
    assert '"hook_event_name": "SessionStart"' in said
    state, *words = rest.split()
    assert words == ["hook", "SessionStart", "--assistant", "gemini"]
    assert not Path(state).exists()


def test_a_greeting_before_the_answer_is_found(tmp_path: Path) -> None:
    found = _probed(tmp_path, hook=f"echo Welcome; {_HOOK}", server=f"echo Welcome; {_SERVER}")
    assert {(one.answer, one.detail) for one in found.values()} == {(Answer.GARBLED, "Welcome")}


def test_what_ends_with_an_error_is_quoted(tmp_path: Path) -> None:
    found = _probed(tmp_path, hook="echo 'no vault' >&2; exit 3", server="exit 1")
    assert {one.answer for one in found.values()} == {Answer.FAILED}
    assert found[Part.HOOKS].detail == "no vault"


def test_what_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "SERVER_SECONDS", 0.2)
    found = _probed(tmp_path, hook="exec sleep 5", server="exec sleep 5")
    assert {one.answer for one in found.values()} == {Answer.SILENT}


def test_a_program_that_is_gone_is_not_called(tmp_path: Path) -> None:
    _probed(tmp_path)
    (tmp_path / "memtui").unlink()
    state = state_of(assistants()["gemini"], None, Program(("/opt/memtui",)))
    assert {(one.answer, one.part.wiring) for one in probe([state], tmp_path)} == {(None, Wiring.BROKEN)}
