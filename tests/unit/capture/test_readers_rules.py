"""What a user relies on when the rule files of Gemini, Windsurf, Cline and others are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.capture.draft import Draft, Reader, ReadResult, SourceFile
from memtui.capture.readers.registry import READERS, formats, reader_for, reader_named
from memtui.capture.readers.rule_files import (
    CLINE,
    CONVENTIONS,
    GEMINI,
    MEMORY_BANK,
    WINDSURF,
)
from memtui.errors import UsageError

RULE = "# Rules\n\n- Never edit the generated files by hand.\n"


def _file(root: Path, name: str, text: str = RULE) -> SourceFile:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return SourceFile(path, root, root / "home")


def _read(reader: Reader, root: Path, name: str, text: str = RULE) -> ReadResult:
    file = _file(root, name, text)
    assert reader.detect(file)
    return reader.read(file)


def _one(reader: Reader, root: Path, name: str, text: str = RULE) -> Draft:
    [draft] = _read(reader, root, name, text).drafts
    return draft


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("GEMINI.md", "gemini"),
        ("svc/gemini.md", "gemini"),
        (".windsurfrules", "windsurf"),
        (".windsurf/rules/a.md", "windsurf"),
        ("svc/.devin/rules/deep/a.md", "windsurf"),
        ("home/.codeium/windsurf/memories/global_rules.md", "windsurf"),
        (".clinerules", "cline"),
        (".cline/rules/a.txt", "cline"),
        ("memory-bank/activeContext.md", "cline-memory-bank"),
        ("CONVENTIONS.md", "conventions"),
        (".rules", "conventions"),
        (".junie/guidelines.md", "conventions"),
        (".amazonq/rules/memory-bank/tech.md", "cline-memory-bank"),
        (".amazonq/rules/tech.md", "conventions"),
        (".aiassistant/rules/a.md", "conventions"),
        ("CLAUDE.md", "claude-md"),
        (".claude/rules/a.md", "claude-rules"),
        (".claude/rules/CLAUDE.md", "claude-rules"),
        (".cursor/rules/a.mdc", "cursor-rules"),
        (".github/copilot-instructions.md", "copilot"),
        ("AGENTS.md", "agents-md"),
        (".junie/AGENTS.md", "agents-md"),
        ("docs/adr/0001-a.md", "adr"),
        ("LESSONS.md", "lessons"),
        ("README.md", None),
        ("src/rules.md", None),
        (".clinerules/hooks/a.md", None),
        ("docs/memory-bank.md", None),
    ],
)
def test_every_file_goes_to_its_own_reader(tmp_path: Path, name: str, format_name: str | None) -> None:
    found = reader_for(_file(tmp_path, name))
    assert (found.format if found else None) == format_name


def test_formats_are_found_by_name_and_alias(tmp_path: Path) -> None:
    assert len({reader.format for reader in READERS}) == len(READERS)
    for reader in READERS:
        assert reader_named(reader.format) is reader
    assert reader_named("MemTUI").format == "jsonl"
    assert reader_named("portable").format == "vault"
    assert formats()[0] == "auto"
    with pytest.raises(UsageError, match=r"clade-md.*Known: auto, vault, jsonl"):
        reader_named("clade-md")
    assert reader_for(_file(tmp_path, "x.bin", "\0")) is None


def test_gemini_rules_name_their_imports_and_their_folder(tmp_path: Path) -> None:
    _file(tmp_path, "svc/style.md")
    result = _read(GEMINI, tmp_path, "svc/GEMINI.md", f"{RULE}\n@./style.md\n\n@./gone.md\n")
    [draft] = result.drafts
    assert (draft.anchors, draft.source.agent, draft.scope) == (("svc/**",), "gemini", "project")
    assert result.includes == [tmp_path / "svc/style.md"]
    assert "import not found: @./gone.md" in {skipped.reason for skipped in result.skipped}


def test_gemini_memories_of_the_home_hold_everywhere(tmp_path: Path) -> None:
    draft = _one(
        GEMINI,
        tmp_path,
        "home/.gemini/GEMINI.md",
        "## Gemini Added Memories\n- Always answer in British English.\n",
    )
    assert draft.scope == "global"


def test_a_link_checked_out_as_text_is_an_include(tmp_path: Path) -> None:
    _file(tmp_path, "AGENTS.md")
    result = _read(GEMINI, tmp_path, "GEMINI.md", "AGENTS.md")
    assert (result.drafts, result.includes) == ([], [tmp_path / "AGENTS.md"])


@pytest.mark.parametrize(
    ("frontmatter", "anchors", "title"),
    [
        ("trigger: glob\nglobs: **/*.ts,**/*.tsx\ndescription: TypeScript", ("**/*.ts", "**/*.tsx"), "TypeScript"),
        ("trigger: glob\nglobs: *", (), None),
        ("trigger: always_on\nglobs: src/**", (), None),
        ("trigger: model_decision\ndescription: When to edit by hand", (), "When to edit by hand"),
        ("trigger: manual", (), None),
    ],
)
def test_windsurf_globs_anchor_what_they_trigger(
    tmp_path: Path, frontmatter: str, anchors: tuple[str, ...], title: str | None
) -> None:
    draft = _one(WINDSURF, tmp_path, ".windsurf/rules/a.md", f"---\n{frontmatter}\n---\n{RULE}")
    assert draft.anchors == anchors
    assert draft.title == (title or "Never edit the generated files by hand")


def test_windsurf_rules_of_a_sub_folder_hold_there_and_global_ones_everywhere(tmp_path: Path) -> None:
    assert _one(WINDSURF, tmp_path, "svc/.devin/rules/a.md").anchors == ("svc/**",)
    draft = _one(WINDSURF, tmp_path, "home/.codeium/windsurf/memories/global_rules.md")
    assert (draft.scope, draft.anchors) == ("global", ())


def test_cline_paths_are_anchors(tmp_path: Path) -> None:
    text = f"---\npaths:\n  - src/**\n  - tests/**\n---\n{RULE}"
    draft = _one(CLINE, tmp_path, ".clinerules/a.md", text)
    assert (draft.anchors, draft.kind) == (("src/**", "tests/**"), "constraint")
    assert _one(CLINE, tmp_path, "svc/.clinerules").anchors == ("svc/**",)
    assert _one(CLINE, tmp_path, "home/Documents/Cline/Rules/a.md").scope == "global"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("activeContext", "note"), ("progress", "note"), ("systemPatterns", "architecture"), ("techContext", "tooling")],
)
def test_the_files_of_a_memory_bank_say_what_kind_they_hold(tmp_path: Path, name: str, kind: str) -> None:
    text = "# X\n\nThe importer talks to the planner through plain records.\n"
    assert _one(MEMORY_BANK, tmp_path, f"memory-bank/{name}.md", text).kind == kind


@pytest.mark.parametrize(
    ("name", "agent", "anchors"),
    [
        ("CONVENTIONS.md", None, ()),
        ("svc/CONVENTIONS.md", None, ("svc/**",)),
        (".rules", "zed", ()),
        (".junie/guidelines.md", "junie", ()),
        ("svc/.junie/guidelines/style.md", "junie", ("svc/**",)),
        (".amazonq/rules/tech.md", "amazon-q", ()),
    ],
)
def test_conventions_tell_whose_they_are_and_where_they_hold(
    tmp_path: Path, name: str, agent: str | None, anchors: tuple[str, ...]
) -> None:
    draft = _one(CONVENTIONS, tmp_path, name)
    assert (draft.source.agent, draft.anchors) == (agent, anchors)
