"""What a user relies on when the rule files of Gemini, Windsurf, Cline and others are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.capture.draft import Draft, Reader, ReadResult, SourceFile
from memtui.capture.readers.registry import READERS, formats, reader_for, reader_named
from memtui.errors import UsageError

AGENTS_MD, CLINE, CONVENTIONS, COPILOT = map(reader_named, ("agents-md", "cline", "conventions", "copilot"))
CURSOR, GEMINI, MEMORY_BANK = map(reader_named, ("cursor-rules", "gemini", "cline-memory-bank"))
WINDSURF = reader_named("windsurf")
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
        (AGENTS_MD, "svc/AGENTS.md", True),
        (AGENTS_MD, "agents.md", True),
        (AGENTS_MD, "docs/agents.md", False),
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
        (
            "convention",
            "Before making changes, read CONTRIBUTING.md and part of docs/units.md that concerns module you touch",
        ),
        ("convention", "Understand requested behaviour, look at nearest existing implementation and review tests…"),
        ("convention", "Preserve units, scales and the sign of tide offsets across every public function"),
        ("constraint", "Do not silently reinterpret missing readings as zero"),
        ("convention", "Keep changes focused, and document what is not obvious"),
        ("tooling", "Setup commands: cargo fetch, cargo test --workspace, cargo clippy -- -D warnings"),
        ("convention", "Code style: Errors: return Result with a typed error, never unwrap outside of tests"),
        ("convention", "Code style: Allocation: avoid allocating in the sampling loop; buffers are passed in"),
        ("convention", "Code style: Unsafe: not allowed without a comment that proves the invariant"),
        ("architecture", "Model Architecture: Tide model, Surge model, Blend"),
        (
            "architecture",
            "Data flow: Readings arrive over MQTT, are deduplicated by ingest/dedupe.rs on station and time",
        ),
        ("architecture", "Data flow: Stations report in local datum"),
        (
            "architecture",
            "Data flow: The HTTP layer serves forecasts from an in-memory snapshot that is swapped atomically",
        ),
        (
            "architecture",
            "Data flow: Alarms are raised by separate process that reads published forecasts and raw gauge",
        ),
        (
            "architecture",
            "Data flow: Back-filling is done by replaying MQTT dumps through the same ingest path with --replay",
        ),
        ("convention", "提交规范: 提交信息必须使用英文，并引用任务编号"),
        ("constraint", "提交规范: 不要在同一个提交里混合重构和功能"),
        ("convention", "提交规范: 先理解全局: 修改之前先阅读相关模块的测试和文档"),
        (
            "convention",
            "提交规范: Alarms wake people up; if a change can raise an alarm, say so in the pull request title",
        ),
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
        *(f"Code Style and Structure#{n}" for n in range(1, 5)),
        "Naming Conventions#1",
        "Naming Conventions#2",
        *(f"Key Conventions#{n}" for n in range(1, 4)),
        "#1",
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
        ("svc/GEMINI.md", "gemini"),
        ("docs/gemini.md", None),
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
        ("docs/memory-bank.md", None),
        ("docs/memory-bank/overview.md", None),
        ("docs/CONVENTIONS.md", None),
        ("web/best_practices.md", None),
    ],
)
def test_every_file_goes_to_its_own_reader(tmp_path: Path, name: str, format_name: str | None) -> None:
    found = reader_for(_file(tmp_path, name))
    assert (found.format if found else None) == format_name


def test_a_claude_rule_with_the_globs_of_cursor_keeps_them(tmp_path: Path) -> None:
    text = '---\ndescription: Cranes\nglobs: ["quay/**", "*.crane"]\n---\n\nNever lift a boat by night.\n'
    file = _file(tmp_path, ".claude/rules/cranes.md", text)
    reader = reader_for(file)
    assert reader
    assert [one.anchors for one in reader.read(file).drafts] == [("quay/**", "*.crane")]


@pytest.mark.parametrize("fence", ["```", "````"])
def test_a_rule_file_in_a_fence_is_read_as_without_it(tmp_path: Path, fence: str) -> None:
    rule = '---\napplyTo: "quay/**"\n---\n\n# Cranes\n\n- Never lift a boat by night.\n\n```sh\ncrane --stop\n```\n'
    name = ".github/instructions/cranes.instructions.md"
    wrapped = _read(COPILOT, tmp_path, name, f"{fence}instructions\n{rule}{fence}\n")
    plain = _read(COPILOT, tmp_path, name, f"\n{rule}")
    assert [(one.insight, one.anchors, one.source.span) for one in wrapped.drafts] == [
        (one.insight, one.anchors, one.source.span) for one in plain.drafts
    ]
    assert wrapped.drafts[0].anchors == ("quay/**",)


def test_a_fence_with_text_around_it_stays_code(tmp_path: Path) -> None:
    text = "```markdown\n# Title\n```\n\nWrite every page like this, never without its title.\n"
    read_from = _read(COPILOT, tmp_path, ".github/copilot-instructions.md", text).drafts
    assert any("```" in one.insight for one in read_from)


def test_formats_are_found_by_name_and_alias(tmp_path: Path) -> None:
    assert len({reader.format for reader in READERS}) == len(READERS)
    for reader in READERS:
        assert reader_named(reader.format) is reader
    assert reader_named("MemTUI").format == "jsonl"
    assert reader_named("portable").format == "vault"
    assert formats()[0] == "auto"
    with pytest.raises(UsageError, match=r"clade-md.*Choose from auto, vault, jsonl"):
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


def test_titles_begin_with_neither_their_project_nor_the_list_of_an_assistants_memories(tmp_path: Path) -> None:
    kept = "# Mine\n\nSmall commits are easier to read.\n\n## Gemini Added Memories\n"
    kept += "- User prefers tabs\n- Never push to main.\n"
    drafts = _read(GEMINI, tmp_path / "Ferry", "GEMINI.md", kept).drafts
    assert [draft.title for draft in drafts][1:] == ["User prefers tabs", "Never push to main"]
    assert [draft.insight for draft in drafts][1:] == ["User prefers tabs", "Never push to main."]
    said = "# Ferry\n\nMoves boats between the quays of the inner harbour.\n"
    assert _one(GEMINI, tmp_path / "ferry", "GEMINI.md", said).title.startswith("Ferry: Moves boats"), "its subject"
    rules = "# Ferry\n\n- Never log card numbers.\n\n## Money\n\n- Never round before the last step.\n"
    drafts = _read(GEMINI, tmp_path / "ferry", "GEMINI.md", rules).drafts
    assert not [draft.title for draft in drafts if draft.title.startswith("Ferry")]
    drafts = _read(GEMINI, tmp_path / "harbour", "GEMINI.md", rules).drafts
    assert [draft.title for draft in drafts if draft.title.startswith("Ferry: ")], "another name says something"


def test_a_link_checked_out_as_text_is_an_include(tmp_path: Path) -> None:
    _file(tmp_path, "AGENTS.md")
    result = _read(GEMINI, tmp_path, "GEMINI.md", "AGENTS.md")
    assert (result.drafts, result.includes) == ([], [tmp_path / "AGENTS.md"])


@pytest.mark.parametrize(
    ("frontmatter", "anchors"),
    [
        ("trigger: glob\nglobs: **/*.ts,**/*.tsx\ndescription: TypeScript", ("**/*.ts", "**/*.tsx")),
        ("trigger: glob\nglobs: *", ()),
        ("trigger: always_on\nglobs: src/**", ()),
        ("trigger: model_decision\ndescription: When to edit by hand", ()),
        ("trigger: manual", ()),
    ],
)
def test_windsurf_globs_anchor_what_they_trigger(tmp_path: Path, frontmatter: str, anchors: tuple[str, ...]) -> None:
    draft = _one(WINDSURF, tmp_path, ".windsurf/rules/a.md", f"---\n{frontmatter}\n---\n{RULE}")
    assert draft.anchors == anchors
    assert draft.title.endswith("Never edit the generated files by hand")  # of one sentence, whatever the settings say


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
    text = "# X\n\nPlain records between the importer and the planner.\n"
    assert _one(MEMORY_BANK, tmp_path, f"memory-bank/{name}.md", text).kind == kind


@pytest.mark.parametrize(
    ("name", "agent", "anchors"),
    [
        ("CONVENTIONS.md", None, ()),
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


@pytest.mark.parametrize(
    ("name", "settings", "format_name", "agent", "anchors"),
    [
        (
            ".kiro/steering/tech.md",
            "inclusion: fileMatch\nfileMatchPattern: ['src/**/*.ts']",
            "kiro",
            "kiro",
            ("src/**/*.ts",),
        ),
        (".kiro/steering/tech.md", "inclusion: always\nfileMatchPattern: 'a/*'", "kiro", "kiro", ()),
        ("web/.kiro/steering/tech.md", "", "kiro", "kiro", ("web/**",)),
        (".roo/rules/deep/a.txt", "", "roo", "roo", ()),
        (".roo/rules-code/a.md", "", "roo", "roo", ()),
        (".roorules-architect", "", "roo", "roo", ()),
        (".clinerules-code", "", "roo", "roo", ()),
        ("AGENTS.local.md", "", "roo", "roo", ()),
        (".kilocode/rules/a.md", "", "kilo", "kilo", ()),
        (".kilo/rules/a.md", "", "kilo", "kilo", ()),
        (
            ".continue/rules/a.md",
            "name: Tides\nglobs: ['*.py', 'web/**']\nalwaysApply: false",
            "continue",
            "continue",
            ("*.py", "web/**"),
        ),
        (".continue/rules/a.md", "globs: '*.py'\nalwaysApply: true", "continue", "continue", ()),
        (".augment/rules/a.md", "type: always_apply", "augment", "augment", ()),
        (".augment-guidelines", "", "augment", "augment", ()),
        (".trae/rules/project_rules.md", "globs: '*.vue'", "trae", "trae", ("*.vue",)),
        (
            ".agents/rules/a.md",
            "trigger: glob\nglobs: a/*.py,b/*.py",
            "antigravity",
            "antigravity",
            ("a/*.py", "b/*.py"),
        ),
        (".agent/rules/a.md", "trigger: always_on\nglobs: a/*.py", "antigravity", "antigravity", ()),
        ("QWEN.md", "", "qwen", "qwen", ()),
        (".qwen/rules/a.md", "paths: [src/**]", "qwen", "qwen", ("src/**",)),
        ("svc/.goosehints", "", "goose", "goose", ("svc/**",)),
        (".serena/memories/topic/style.md", "", "serena", "serena", ()),
        (".openhands/microagents/repo.md", "name: repo", "openhands", "openhands", ()),
        (".zencoder/rules/a.md", "globs: '*.go'", "zencoder", "zencoder", ("*.go",)),
        (".sourcegraph/a.rule.md", "", "sourcegraph", "cody", ()),
        ("WARP.md", "", "agent-rules", "warp", ()),
        ("svc/CRUSH.md", "", "agent-rules", "crush", ("svc/**",)),
        (".voidrules", "", "agent-rules", "void", ()),
        ("best_practices.md", "", "agent-rules", "qodo", ()),
        (".idx/airules.md", "", "agent-rules", "firebase-studio", ()),
        (".gemini/styleguide.md", "", "agent-rules", "gemini-code-assist", ()),
        (".factory/rules/a.md", "", "agent-rules", "factory", ()),
        (".qoder/rules/a.md", "", "agent-rules", "qoder", ()),
        (".cursor/BUGBOT.md", "", "cursor-rules", "cursor", ()),
        (".cursor/rules/tides/RULE.md", "globs: '*.ts'", "cursor-rules", "cursor", ("*.ts",)),
        ("docs/cpp.instructions.md", "applyTo: '**/*.cpp'", "copilot", "copilot", ("**/*.cpp",)),
        (".clinerules-code/a.md", "", "cline", "cline", ()),
    ],
)
def test_each_assistants_rules_are_read_where_it_keeps_them_and_hold_where_it_says(
    tmp_path: Path, name: str, settings: str, format_name: str, agent: str, anchors: tuple[str, ...]
) -> None:
    file = _file(tmp_path, name, f"---\n{settings}\n---\n\nNever nest loops.\n" if settings else "Never nest loops.\n")
    reader = reader_for(file)
    assert reader is not None
    [draft] = reader.read(file).drafts
    assert (reader.format, draft.source.agent, draft.anchors) == (format_name, agent, anchors)
    assert draft.insight == "Never nest loops."


@pytest.mark.parametrize("name", ["QWEN.md", ".kiro/steering/a.md", ".roo/rules/a.md", ".config/goose/.goosehints"])
def test_rules_of_the_home_folder_hold_everywhere(tmp_path: Path, name: str) -> None:
    folder = ".qwen/" if name == "QWEN.md" else ""
    file = _file(tmp_path, f"home/{folder}{name}", "Never nest loops.\n")
    reader = reader_for(file)
    assert reader is not None
    [draft] = reader.read(file).drafts
    assert (draft.scope, draft.anchors) == ("global", ())


def test_a_rule_that_is_only_a_description_is_a_memory(tmp_path: Path) -> None:
    settings = "---\ndescription: {}\nglobs: quay/**\n---\n"
    rule = read(
        CURSOR, tmp_path, ".cursor/rules/a.mdc", settings.format("Never moor a ferry without the harbour pilot")
    )
    assert [(draft.insight, draft.anchors, draft.source.span) for draft in rule.drafts] == [
        ("Never moor a ferry without the harbour pilot", ("quay/**",), (1, 4))
    ]
    assert rule.skipped == []
    assert read(CURSOR, tmp_path, ".cursor/rules/b.mdc", settings.format("Rules for the quay")).drafts == []


def test_facts_set_off_at_the_top_of_a_file_are_memories(tmp_path: Path) -> None:
    text = "---\nNote: the mast light is called bruno\nWarning: never climb to bruno alone\n---\n\n- Log every tide.\n"
    drafts = read(AGENTS_MD, tmp_path, "AGENTS.md", text).drafts
    assert "never climb to bruno alone" in " ".join(draft.insight for draft in drafts)


def _among_documents(tmp_path: Path, text: str, *others: str) -> list[tuple[str, tuple[str, ...]]]:
    for other in ("hull/plan.py", "hull/keel.py", "rig/mast.py", "docs/style.md", "docs/terms.md", *others):
        path = tmp_path / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    drafts = read(AGENTS_MD, tmp_path, "docs/AGENTS.md", text).drafts
    return [(draft.title, tuple(anchor for anchor in draft.anchors if anchor.endswith("**"))) for draft in drafts]


OF_THE_CODE = "# AGENTS.md\n\n- The tide decides what `hull/plan.py` loads\n- Keep hull/keel.py and rig/mast.py apart\n"


def test_rules_among_the_documents_that_speak_of_the_code_hold_for_all_of_it(tmp_path: Path) -> None:
    assert _among_documents(tmp_path, OF_THE_CODE) == [
        ("The tide decides what hull/plan.py loads", ()),
        ("Keep hull/keel.py and rig/mast.py apart", ()),
    ]


def test_code_that_such_rules_name_from_their_own_folder_is_none_of_the_documents(tmp_path: Path) -> None:
    text = "# AGENTS.md\n\n- The tide decides what `../hull/plan.py` loads\n- Part ../hull/keel.py and ../rig/mast.py\n"
    assert {scope for _, scope in _among_documents(tmp_path, text)} == {()}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (f"{OF_THE_CODE}- docs/style.md, docs/terms.md and docs/berths.md tell what to write\n", "docs/berths.md"),
        ("# AGENTS.md\n\n- Write as `docs/style.md` and `docs/terms.md` say, not as rig/mast.py does\n", "README.md"),
        (OF_THE_CODE, "AGENTS.md"),  # the code has a file of its own
    ],
    ids=["as much of the documents", "of the documents", "beside one at the root"],
)
def test_other_rules_among_the_documents_are_about_them(tmp_path: Path, text: str, other: str) -> None:
    assert {scope for _, scope in _among_documents(tmp_path, text, other)} == {("docs/**",)}


def test_a_list_of_rules_is_no_single_one_because_its_file_has_a_description(tmp_path: Path) -> None:
    settings = "---\ndescription: Rules for the quay\nglobs: quay/**\n---\n\n# Quay\n\n"
    rules = [
        "Never moor two ferries at one bollard.",
        "Retry a failed mooring three times.",
        "Log the tide, not the crew.",
    ]
    listed = read(CURSOR, tmp_path, ".cursor/rules/a.mdc", settings + "".join(f"- {rule}\n" for rule in rules))
    assert [draft.insight.removeprefix("Quay: ") for draft in listed.drafts] == rules
    told = read(CURSOR, tmp_path, ".cursor/rules/b.mdc", settings + "\n\n".join(rules) + "\n")
    assert [draft.title for draft in told.drafts] == ["Rules for the quay"]
