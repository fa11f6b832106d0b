"""What a user relies on when the assistant reads a file by itself: its memories are not said a second time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from recall_story import memory

from memtui.domain.memory import Memory, Source, content_hash
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.filters import without_loaded
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.result import Hit, Recall


def stated(path: str | None, form: str, *, edited: bool = False, files: tuple[str, ...] = ()) -> Memory:
    one = memory("aaaaaaaa", "Amounts are cents", files=files)
    source = Source(format=form, path=path, imported_hash=content_hash(one))
    return replace(one, insight="Edited since.") if edited else replace(one, sources=(source,))


def withheld(one: Memory, target: str, *files: str) -> list[Reason]:
    found = Recall((Hit(one, 1.0, 1.0, (), ()),), (), (), {}, 0, None)
    result = without_loaded(found, target_named(target), files)
    assert len(result.hits) + len(result.withheld) == 1
    return [reason.reason for reason in result.withheld]


@pytest.mark.parametrize(
    ("form", "path", "targets"),
    [
        ("claude-md", "CLAUDE.md", {"claude-code", "claude-md", "claude-memory"}),
        ("claude-md", "/home/ada/.claude/CLAUDE.md", {"claude-code", "claude-md", "claude-memory"}),
        (
            "claude-memory",
            "/home/ada/.claude/projects/p/memory/MEMORY.md",
            {"claude-code", "claude-md", "claude-memory"},
        ),
        ("claude-memory", "/home/ada/.claude/projects/p/memory/locks.md", set()),
        ("agents-md", "AGENTS.md", {"codex", "cursor", "copilot", "windsurf", "cline"}),
        ("cursor-rules", ".cursor/rules/money.mdc", {"cursor"}),
        ("copilot", ".github/copilot-instructions.md", {"copilot"}),
        ("gemini", "GEMINI.md", {"gemini"}),
        ("lessons", "docs/LESSONS.md", set()),
    ],
)
def test_each_assistant_knows_its_own_files(form: str, path: str, targets: set[str]) -> None:
    one = stated(path, form)
    assert {name for name in target_names() if withheld(one, name)} == targets


def test_the_reason_names_the_file() -> None:
    assert withheld(stated("AGENTS.md", "agents-md"), "codex") == [
        Reason(ReasonCode.ALREADY_LOADED, target="codex", path="AGENTS.md")
    ]


def test_what_was_edited_here_since_says_something_else_than_the_file() -> None:
    one = stated("CLAUDE.md", "claude-md")
    assert withheld(replace(one, insight="Edited since."), "claude-code") == []


def test_a_file_of_a_folder_below_counts_with_a_file_in_hand_there() -> None:
    one = stated("packages/pay/CLAUDE.md", "claude-md")
    assert withheld(one, "claude-code") == []
    assert withheld(one, "claude-code", "packages/shop/x.py") == []
    assert withheld(one, "claude-code", "packages/pay/src/x.py")


def test_a_rule_for_paths_counts_where_a_file_fits() -> None:
    one = stated(".claude/rules/ts.md", "claude-rules", files=("src/**/*.ts",))
    assert withheld(one, "claude-code") == []
    assert withheld(one, "claude-code", "src/a/b.ts")
    assert withheld(one, "claude-code", "src/a/b.py") == []


def test_all_of_it_loaded_already_is_a_reason_to_say_nothing() -> None:
    found = Recall((Hit(stated("AGENTS.md", "agents-md"), 1.0, 1.0, (), ()),), (), (), {}, 0, None)
    assert without_loaded(found, target_named("codex"), ()).abstained == Reason(ReasonCode.ALL_LOADED)
    assert without_loaded(found, target_named("chat"), ()) is found


def test_what_is_left_is_no_abstention() -> None:
    other = Hit(memory("bbbbbbbb", "Refunds lock"), 0.5, 0.5, (), ())
    hits = (Hit(stated("AGENTS.md", "agents-md"), 1.0, 1.0, (), ()), other)
    result = without_loaded(Recall(hits, (), (), {}, 0, None), target_named("codex"), ())
    assert (result.hits, result.abstained) == ((other,), None)
