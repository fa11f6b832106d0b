from __future__ import annotations

from pathlib import Path

import pytest

from memtui.capture.draft import Reader, ReadResult, SourceFile
from memtui.capture.readers.rule_files import AGENTS_MD, COPILOT, CURSOR

FIXTURES = Path(__file__).parent / "fixtures"


def file_at(root: Path, name: str, text: str = "x") -> SourceFile:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return SourceFile(path, root, root / "home")


def read(reader: Reader, root: Path, name: str, text: str) -> ReadResult:
    file = file_at(root, name, text)
    assert reader.detect(file)
    return reader.read(file)


@pytest.mark.parametrize(
    ("reader", "name", "known"),
    [
        (AGENTS_MD, "AGENTS.md", True),
        (AGENTS_MD, "svc/agents.md", True),
        (AGENTS_MD, "AGENTS.override.md", True),
        (AGENTS_MD, "AGENT.md", True),
        (AGENTS_MD, "AGENTS.txt", False),
        (CURSOR, ".cursorrules", True),
        (CURSOR, ".cursor/rules/a/b.mdc", True),
        (CURSOR, "svc/.cursor/rules/b.mdc", True),
        (CURSOR, ".cursor/rules/b.md", False),
        (CURSOR, "docs/b.mdc", False),
        (COPILOT, ".github/copilot-instructions.md", True),
        (COPILOT, ".github/instructions/py/a.instructions.md", True),
        (COPILOT, ".github/instructions/readme.md", False),
        (COPILOT, "docs/copilot-instructions.md", False),
    ],
)
def test_files_are_known_by_their_path(tmp_path: Path, reader: Reader, name: str, known: bool) -> None:
    assert reader.detect(file_at(tmp_path, name)) is known


def test_a_real_looking_agents_md_gives_sensible_memories(tmp_path: Path) -> None:
    text = (FIXTURES / "harbour_agents.md").read_text(encoding="utf-8")
    result = read(AGENTS_MD, tmp_path, "AGENTS.md", text)
    assert [(draft.kind, draft.title) for draft in result.drafts] == [
        ("convention", "Before making changes, read CONTRIBUTING.md and the part of…"),
        ("convention", "Understand the requested behaviour, look at the nearest existing…"),
        ("convention", "Preserve units, scales and the sign of tide offsets across every public…"),
        ("constraint", "Do not silently reinterpret missing readings as zero"),
        ("convention", "Keep changes focused, and document what is not obvious"),
        ("tooling", "Setup commands: Install, Test, Lint"),
        ("constraint", "Errors: return Result with a typed error, never unwrap outside of tests"),
        ("convention", "Allocation: avoid allocating in the sampling loop; buffers are passed in"),
        ("constraint", "Unsafe: not allowed without a comment that proves the invariant"),
        ("architecture", "Model Architecture: Tide model, Surge model, Blend"),
        ("architecture", "Readings arrive over MQTT, are deduplicated by ingest/dedupe.rs on…"),
        ("architecture", "Back-filling is done by replaying MQTT dumps through the same ingest…"),
        ("constraint", "提交信息必须使用英文，并引用任务编号"),
        ("constraint", "不要在同一个提交里混合重构和功能"),
        ("convention", "先理解全局: 修改之前先阅读相关模块的测试和文档"),
        ("convention", "Alarms wake people up"),
    ]
    assert result.skipped[0].reason == "frontmatter: read as settings"
    assert result.skipped[0].span == (1, 4)


def test_nested_agents_files_are_anchored_to_their_folder(tmp_path: Path) -> None:
    (draft,) = read(AGENTS_MD, tmp_path, "svc/api/AGENTS.md", "Never a\n").drafts
    assert draft.anchors == ("svc/api/**",)
    (own,) = read(AGENTS_MD, tmp_path, "home/.codex/AGENTS.md", "Never a\n").drafts
    assert (own.scope, own.source.agent) == ("global", "codex")


def test_an_agents_file_that_names_another_is_read_there(tmp_path: Path) -> None:
    file_at(tmp_path, "CLAUDE.md", "Never a\n")
    result = read(AGENTS_MD, tmp_path, "AGENTS.md", "CLAUDE.md")
    assert (result.drafts, result.includes) == ([], [tmp_path / "CLAUDE.md"])


def test_a_short_cursor_rule_is_one_memory_titled_by_its_description(tmp_path: Path) -> None:
    text = (FIXTURES / "fares.mdc").read_text(encoding="utf-8")
    (draft,) = read(CURSOR, tmp_path, ".cursor/rules/fares.mdc", text).drafts
    assert draft.title == "Fares: server only"
    assert draft.insight.startswith("- Compute fares on the server only\n- Send the fare id")
    assert draft.anchors == ("*.fare.ts", "web/src/**/*.{ts,tsx}", "web/src/money.ts")
    assert draft.source.agent == "cursor"


@pytest.mark.parametrize(
    ("settings", "anchors"),
    [
        ("globs: **/*.ts,**/*.tsx\nalwaysApply: false", ("**/*.ts", "**/*.tsx")),
        ('globs: ["a/*.ts", "b/*.ts"]', ("a/*.ts", "b/*.ts")),
        ("globs:\n  - a/*.ts\n  - b/*.ts", ("a/*.ts", "b/*.ts")),
        ("globs: a/*.ts\nalwaysApply: true", ()),
        ('globs: a/*.ts\nalwaysApply: "true"', ("a/*.ts",)),
        ("globs: *", ()),
        ("globs:\ndescription:\nalwaysApply:", ()),
        ("description: Fix: the thing", ()),
    ],
)
def test_cursor_globs_become_anchors_unless_the_rule_always_applies(
    tmp_path: Path, settings: str, anchors: tuple[str, ...]
) -> None:
    (draft,) = read(CURSOR, tmp_path, ".cursor/rules/a.mdc", f"---\n{settings}\n---\n\nNever a\n").drafts
    assert draft.anchors == anchors


def test_nested_cursor_rules_speak_for_their_folder(tmp_path: Path) -> None:
    rule = "---\nglobs: *.ts,src/**\n---\nNever a\n"
    assert read(CURSOR, tmp_path, "web/.cursor/rules/a.mdc", rule).drafts[0].anchors == ("web/**/*.ts", "web/src/**")
    always = "---\nglobs: *.ts\nalwaysApply: true\n---\nNever a\n"
    assert read(CURSOR, tmp_path, "web/.cursor/rules/b.mdc", always).drafts[0].anchors == ("web/**",)


def test_the_older_cursorrules_are_parted_by_their_plain_headings(tmp_path: Path) -> None:
    text = (FIXTURES / "legacy.cursorrules").read_text(encoding="utf-8")
    drafts = read(CURSOR, tmp_path, ".cursorrules", text).drafts
    assert [draft.source.native_id for draft in drafts] == [
        "#1",
        *(f"Code Style and Structure#{n}" for n in range(1, 5)),
        "Naming Conventions#1",
        "Naming Conventions#2",
        *(f"Key Conventions#{n}" for n in range(1, 4)),
        "#2",
    ]
    assert {draft.kind for draft in drafts[1:]} == {"convention"}


@pytest.mark.parametrize(
    ("settings", "anchors"),
    [
        ('applyTo: "**/*.py,src/{a,b}/**"', ("**/*.py", "src/{a,b}/**")),
        ('applyTo: "**"', ()),
        ("applyTo: **/*.py", ("**/*.py",)),
        ("applyTo:\n  - a.py\n  - b.py", ("a.py", "b.py")),
        ("excludeAgent: code-review", ()),
    ],
)
def test_copilot_instructions_are_anchored_to_what_they_apply_to(
    tmp_path: Path, settings: str, anchors: tuple[str, ...]
) -> None:
    text = f"---\n{settings}\ndescription: Python rules\n---\n\n- Never a\n- Always b\n"
    (draft,) = read(COPILOT, tmp_path, ".github/instructions/py.instructions.md", text).drafts
    assert (draft.title, draft.anchors) == ("Python rules", anchors)


def test_copilots_repository_file_is_parted_like_any_other(tmp_path: Path) -> None:
    drafts = read(COPILOT, tmp_path, ".github/copilot-instructions.md", "# A\n\n- Never a\n- Always b\n").drafts
    assert [draft.insight for draft in drafts] == ["Never a", "Always b"]


@pytest.mark.parametrize("reader", [AGENTS_MD, CURSOR, COPILOT])
def test_no_bytes_break_a_reader(tmp_path: Path, reader: Reader) -> None:
    for number, content in enumerate(
        (b"", b"\xff\xfe\x00", b"---\n---", b"---\na: [\n---\n\x00", b"\r\r\r", bytes(range(256)))
    ):
        path = tmp_path / f"{number}.md"
        path.write_bytes(content)
        result = reader.read(SourceFile(path, tmp_path, tmp_path / "home"))
        assert result.drafts or result.skipped
