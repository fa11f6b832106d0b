from __future__ import annotations

import json
from typing import Any

import pytest

from memtui.assist.mcp.tools import INSTRUCTIONS, PROFILES, TOOLS, Tool, checked, tools_for
from memtui.errors import UsageError
from memtui.text.token_count import get_counter


def tool(name: str) -> Tool:
    return next(one for one in TOOLS if one.name == name)


def as_listed(one: Tool) -> dict[str, Any]:
    hints = {
        "readOnlyHint": one.read_only,
        "destructiveHint": one.destructive,
        "idempotentHint": one.idempotent,
        "openWorldHint": False,
    }
    return {
        "name": one.name,
        "description": one.description,
        "inputSchema": one.input_schema,
        "outputSchema": one.output_schema,
        "annotations": hints,
    }


def test_the_tools_of_an_agent_cost_a_session_at_most_a_thousand_tokens() -> None:
    listed = json.dumps({"tools": [as_listed(one) for one in tools_for("agent")]}, separators=(",", ":"))
    assert get_counter().count(listed) <= 1_000


def test_what_a_client_shows_its_model_is_short_and_names_the_moment_to_call() -> None:
    assert len(INSTRUCTIONS) <= 400
    for one in TOOLS:
        assert len(one.description) < 300
        assert "Call it" in one.description


def test_each_profile_has_the_tools_of_the_one_before_and_its_own() -> None:
    names = {profile: [one.name.removeprefix("memory_") for one in tools_for(profile)] for profile in PROFILES}
    assert names == {
        "reader": ["context", "search", "get", "check"],
        "agent": ["context", "search", "get", "check", "propose", "feedback"],
        "curator": ["context", "search", "get", "check", "propose", "feedback", "inbox", "decide"],
    }


def test_only_what_changes_something_says_that_it_does() -> None:
    assert {one.name for one in TOOLS if not one.read_only} == {
        "memory_propose",
        "memory_feedback",
        "memory_decide",
    }
    assert {one.name for one in TOOLS if one.destructive} == {"memory_decide"}


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("memory_context", {"task": "t", "files": "a.py"}, {"task": "t", "files": ["a.py"]}),
        ("memory_context", {"task": "t", "files": '["a.py", "b.py"]'}, {"task": "t", "files": ["a.py", "b.py"]}),
        ("memory_context", {"task": "t", "budget": "600"}, {"task": "t", "budget": 600}),
        ("memory_context", {"task": "t", "budget": 600.0, "files": None}, {"task": "t", "budget": 600}),
        ("memory_context", {"task": "t", "files": "[id].tsx"}, {"task": "t", "files": ["[id].tsx"]}),
        ("memory_get", {"ids": "abc"}, {"ids": ["abc"]}),
    ],
)
def test_what_a_model_means_beyond_doubt_is_taken(name: str, given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert checked(tool(name), given) == taken


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("memory_context", {}, "needs an argument: task"),
        ("memory_context", {"task": ""}, "needs an argument: task"),
        ("memory_context", {"task": 7}, "task is a text: 7"),
        ("memory_context", {"task": "x" * 1_000_000}, "1,000,000 characters"),
        ("memory_context", {"task": "t", "budget": True}, "budget is a whole number: bool"),
        ("memory_context", {"task": "t", "budget": 10**400}, "budget is from 100 to 8000: a huge number"),
        ("memory_context", {"task": "t", "budget": 1.5}, "budget is a whole number: float"),
        ("memory_context", {"task": "t", "files": {"a": 1}}, "files is a list of texts: dict"),
        ("memory_context", {"task": "t", "files": [["a"]]}, "files is a text: list"),
        ("memory_context", {"task": "t", "files": ["a"] * 21}, "files: 21. At most 20 at once"),
        ("memory_context", {"task": "t", "file": ["a"]}, "no such argument: file. Did you mean files?"),
        ("memory_context", {"task": "t", "\x1b[31m" + "y" * 999_999: 1}, "no such argument"),
        ("memory_feedback", {"id": "abc", "verdict": "great"}, "one of helped, hurt, outdated, corrected: great"),
        ("memory_check", {"staged": "yes"}, "staged is true or false: yes"),
        ("memory_decide", {"id": "a", "action": "accept", "reason": "r", "if_version": 0}, "if_version is at least 1"),
    ],
)
def test_a_call_that_cannot_be_meant_is_told_what_to_send(name: str, given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        checked(tool(name), given)
    assert told in str(raised.value)
    assert len(str(raised.value)) < 600
    assert "\x1b" not in str(raised.value)
