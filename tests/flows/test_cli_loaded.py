"""`memtui loaded`: what an assistant reads by itself in a folder, in its order, and what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flows.cli_driver import Cli

RULE = "Berths are numbered from the harbour mouth, because the pilots count that way."


@pytest.fixture
def desk(cli: Cli) -> Cli:
    cli.repository("desk")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        cli.patch.delenv(name, raising=False)
    return cli


def files(cli: Cli, assistant: str, *words: object) -> dict[str, dict[str, Any]]:
    found = cli("loaded", "--assistant", assistant, *words, "--json").json
    assert found["assistant"] == assistant
    assert found["total_tokens"] == sum(file["tokens"] for file in found["files"])
    return {file["path"]: file for file in found["files"]}


def test_claude_code_reads_from_the_outermost_folder_inwards_with_imports_and_rules(desk: Cli) -> None:
    (desk.home / ".claude").mkdir()
    (desk.home / ".claude" / "CLAUDE.md").write_text("Mine.\n", encoding="utf-8")
    desk.write("CLAUDE.md", "# Desk\n\nSee @docs/tides.md and `@docs/no.md`.\n")
    desk.write("docs/tides.md", "Tides.\n")
    desk.write("docs/no.md", "No.\n")
    desk.write("AGENTS.md", "not for Claude Code\n")
    desk.write("api/CLAUDE.md", "The API.\n")
    desk.write(".claude/rules/always.md", "Always.\n")
    desk.write(".claude/rules/some.md", "---\npaths: ['src/**']\n---\nSome.\n")
    found = files(desk, "claude-code", "api")
    assert list(found) == [
        "~/.claude/CLAUDE.md",
        "CLAUDE.md",
        "docs/tides.md",
        "api/CLAUDE.md",
        ".claude/rules/always.md",
        ".claude/rules/some.md",
    ]
    assert found[".claude/rules/some.md"]["when"] == "with files"
    assert found[".claude/rules/some.md"]["tokens"] == 0
    below = files(desk, "claude-code")["api/CLAUDE.md"]
    assert (below["when"], below["tokens"]) == ("with files", 0)


def test_what_lies_in_the_folder_of_an_assistant_is_no_nested_file_and_is_listed_once(desk: Cli) -> None:
    for place in (".claude/CLAUDE.md", ".claude/skills/tides/CLAUDE.md", "api/.claude/skills/quay/CLAUDE.md"):
        desk.write(place, "Berths are free at noon.\n")
    for place in (".github/CLAUDE.md", "api/CLAUDE.md"):
        desk.write(place, "The API.\n")
    rows = desk("loaded", "--assistant", "claude-code", "--json").json["files"]
    assert [(row["path"], row["when"]) for row in rows] == [
        (".github/CLAUDE.md", "with files"),
        ("api/CLAUDE.md", "with files"),
        (".claude/CLAUDE.md", "always"),
    ]


def test_of_a_skill_the_description_is_read_and_its_steps_cost_nothing(desk: Cli) -> None:
    def write(place: str, setting: str = "") -> None:
        head = f"---\nname: tides\ndescription: Reads tide tables before a boat is moored.\n{setting}---\n"
        desk.write(place, head + "Step by step, one after the other.\n" * 50)

    write(".claude/skills/tides/SKILL.md")
    write(".claude/skills/hidden/SKILL.md", "disable-model-invocation: true\n")
    write(".agents/skills/tides/SKILL.md")
    hidden, shown = files(desk, "claude-code").values()
    assert (hidden["path"], hidden["when"], hidden["tokens"]) == (".claude/skills/hidden/SKILL.md", "on request", 0)
    assert (shown["path"], shown["when"]) == (".claude/skills/tides/SKILL.md", "by description")
    assert 5 < shown["tokens"] < 30
    assert list(files(desk, "codex")) == [".agents/skills/tides/SKILL.md"]
    # So nothing of it is served again to who has it.
    desk("import", ".claude/skills", "--active")
    task = ("context", "moor a boat by the tide tables", "--json")
    assert desk(*task, "--target", "claude-code", code=3).json["withheld"][0]["reason_code"] == "already-loaded"
    assert desk(*task, "--target", "windsurf").json["included"]


def test_comments_cost_nothing_where_the_assistant_takes_them_out(desk: Cli) -> None:
    for name in ("CLAUDE.md", "AGENTS.md"):
        desk.write(name, "<!-- a note for people that is rather long -->\nTides.\n")
    assert files(desk, "claude-code")["CLAUDE.md"]["tokens"] < files(desk, "codex")["AGENTS.md"]["tokens"]


def test_codex_spends_its_limit_from_the_root_and_cuts_the_deepest_file_between_characters(desk: Cli) -> None:
    desk.write("AGENTS.md", "a" * 30_000)
    desk.write("api/AGENTS.md", "潮" * 2_000)
    desk.write("api/AGENTS.override.md", "")
    found = files(desk, "codex", "api")
    assert found["AGENTS.md"]["cut"] == 0
    kept = (32_768 - 30_000) // 3 * 3
    assert found["api/AGENTS.md"]["cut"] == 6_000 - kept


def test_a_memory_file_is_cut_at_its_lines_and_its_bytes(desk: Cli) -> None:
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(Path.cwd()))
    folder = desk.home / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- one line\n" * 250, encoding="utf-8")
    found = files(desk, "claude-code")
    assert [file["cut"] for path, file in found.items() if path.endswith("MEMORY.md")] == [50 * len("- one line\n")]


def test_a_file_that_is_read_under_two_names_is_said_to_be_read_twice(desk: Cli) -> None:
    desk.write("AGENTS.md", "Tides.\n")
    Path("CLAUDE.md").symlink_to("AGENTS.md")
    found = files(desk, "copilot")
    assert [file["twice"] for file in found.values()] == [False, True]


def test_two_files_with_the_same_block_are_paid_twice_and_publishing_says_so(desk: Cli) -> None:
    desk("add", RULE)
    assert "twice" not in desk("export", "--target", "codex").err
    run = desk("export", "--target", "claude-md")
    assert "Copilot CLI also reads the same memories in CLAUDE.md" in run.err
    assert files(desk, "copilot")["CLAUDE.md"]["twice"]
    assert not files(desk, "codex")["AGENTS.md"]["twice"]


def test_what_was_retired_or_changed_and_still_stands_in_a_file_is_stale(desk: Cli) -> None:
    desk.write("AGENTS.md", "# Desk\n\n- Tide tables are written by hand, because the pilots want it so.\n")
    desk("import", "AGENTS.md", "--active")
    desk("add", RULE)
    desk("export", "--target", "codex")
    assert files(desk, "codex")["AGENTS.md"]["stale"] == []
    imported, added = sorted(desk.all_rows(), key=lambda row: row["insight"] == RULE)
    desk("retire", imported["id"])
    desk("edit", added["id"], "--text", "Berths are numbered from the lighthouse.")
    stale = files(desk, "codex")["AGENTS.md"]["stale"]
    assert {(one["id"], one["reason_code"]) for one in stale} == {(imported["id"], "retired"), (added["id"], "edited")}
    assert "still says what was retired" in desk("loaded", "--assistant", "codex").out
    desk.repository("quay")
    desk.write("AGENTS.md", "# Quay\n\n- Tide tables are written by hand, because the pilots want it so.\n")
    assert files(desk, "codex")["AGENTS.md"]["stale"] == []  # What another repository's file of this name said


def test_what_is_published_is_not_served_again_to_the_same_assistant(desk: Cli) -> None:
    identifier = desk("add", RULE).id
    context = ("context", "berths at the harbour", "--json")
    assert desk(*context, "--target", "claude-code").json["included"]
    desk("export", "--target", "claude-md")
    withheld = desk(*context, "--target", "claude-code", code=3).json["withheld"]
    assert [(one["id"], one["reason_code"]) for one in withheld] == [(identifier, "already-loaded")]
    assert desk(*context, "--target", "gemini").json["included"]
    desk("export", "--check")
    desk("edit", identifier, "--text", "Berths at the harbour are numbered from the lighthouse.")
    assert desk(*context, "--target", "claude-code").json["included"]


def test_a_folder_without_such_files_is_said_to_have_none(desk: Cli) -> None:
    assert desk("loaded", "--assistant", "gemini", "--json", code=3).json["files"] == []
    assert "Did you mean gemini" in desk("loaded", "--assistant", "gemni", code=2).err
    desk("loaded", "no/such", code=2)


def test_a_correction_names_the_skill_that_still_says_it_as_before(cli: Cli) -> None:
    root = cli.repository("quay")
    skill = root / ".claude" / "skills" / "moor" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: moor\ndescription: Moors the ferry with two lines.\n---\n\nPull.\n", encoding="utf-8")
    cli("import", ".", "--active")
    identifier = next(row["id"] for row in cli.all_rows() if "two lines" in row["insight"])
    cli("pin", identifier)
    cli("edit", identifier, "--text", "Moors the ferry with four lines.")
    told = "still says what was changed here, and is read as well"
    assert told in cli("export", "--target", "claude-md", "--dry-run").err
    assert told not in cli("export", "--target", "gemini", "--dry-run").err, "it does not read the skills of another"
