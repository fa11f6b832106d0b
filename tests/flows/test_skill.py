"""The skill does through the command line what the server does: every command in it, run as it stands there."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
from flows.cli_driver import LOCK, Cli

from memtui.assist.install.command import skill_text
from memtui.capture.frontmatter import split_frontmatter

SAMPLES = {"TASK": "lock the refund", "ERROR, IDENTIFIER OR WORDS": "ERR_LOCK_TIMEOUT", "ID": LOCK}


def commands(text: str) -> list[list[str]]:
    """Return the commands of the table, with the placeholders filled in."""
    found = [shlex.split(command) for command in re.findall(r"`(memtui [^`]*)`", text) if "inbox" not in command]
    values = {**SAMPLES, "PATH": "payments/service.py", "REASON": "Finance asked for it."}
    facts = iter(("The ledger report reads the replica at night.", "The lock of a refund lives for 40 s."))
    return [[next(facts) if word == "FACT" else values.get(word, word) for word in words[1:]] for words in found]


def test_every_command_of_the_skill_does_what_it_says(demo: Cli) -> None:
    folder = demo.cd(demo.home / "demo" / "payments-api")
    demo("project", "link", "payments-api", folder)
    subprocess.run(["git", "init", "-q", "."], check=True, cwd=folder)
    ran = commands(skill_text("codex"))
    assert [words[0] for words in ran] == [
        *2 * ["context"],
        "search",
        "show",
        "check",
        "add",
        "add",
        "feedback",
        "feedback",
    ]
    for words in ran:
        assert demo(*words, code=(0, 7) if words[0] == "check" else 0).out or words[0] in {"check", "feedback"}
    added = [row for row in demo("list", "--status", "candidate", "--json").json if row["source"]["agent"] == "codex"]
    assert len(added) == 2
    assert all(one["status"] == "candidate" for one in added)
    assert demo("show", LOCK, "--json").json["status"] == "active"


def test_the_skill_names_the_moments_in_what_an_assistant_always_has() -> None:
    settings = split_frontmatter(skill_text("claude-code"))
    assert settings.text("name") == "memtui"
    assert len(settings.text("description")) <= 1024
    assert "before you edit a file you have not touched in this session" in settings.text("description")


def test_another_command_stands_everywhere() -> None:
    text = skill_text("gemini", "/opt/memtui/bin/memtui")
    assert "`memtui " not in text
    assert "ACTOR" not in text


def test_an_import_makes_no_memory_of_the_skill(cli: Cli) -> None:
    cli.repository("shed")
    cli.write(".claude/skills/memtui/SKILL.md", skill_text("claude-code"))
    cli("import", ".claude/skills/memtui/SKILL.md", code=(0, 3))
    assert cli("list", "--status", "any", "--json").json == []


@pytest.mark.parametrize("command", ["context", "search"])
def test_an_agent_is_served_nothing_where_memories_are_off(demo: Cli, command: str) -> None:
    folder = demo.cd(demo.home / "demo" / "payments-api")
    demo("project", "link", "payments-api", folder)
    demo.write(".memtui.toml", 'memory = "off"\n')
    assert demo(command, "lock the refund", "--actor", "codex", code=6).out == ""
    assert demo(command, "lock the refund").out
