from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.capture.draft import ReadResult, SourceFile
from memtui.capture.readers.claude_memory import READER as CLAUDE_MEMORY
from memtui.capture.readers.registry import reader_named

CLAUDE_MD, CLAUDE_RULES = reader_named("claude-md"), reader_named("claude-rules")
FIXTURES = Path(__file__).parent / "fixtures"
MEMORY = "home/.claude/projects/-code-ferry/memory"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/code/ferry").mkdir(parents=True)
    return tmp_path / "home"


def file_at(home: Path, name: str, text: str = "") -> SourceFile:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if text or not path.exists():
        path.write_bytes(text.encode())
    project = home / "code/ferry"
    return SourceFile(path, project if path.is_relative_to(project) else home / "elsewhere", home)


def titles(result: ReadResult) -> list[str]:
    return [draft.title for draft in result.drafts]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("code/ferry/CLAUDE.md", True),
        ("code/ferry/.claude/CLAUDE.md", True),
        ("code/ferry/Claude.md", True),
        ("code/ferry/web/Claude.md", False),
        ("code/ferry/CLAUDE.local.md", True),
        (".claude/CLAUDE.md", True),
        ("code/ferry/CLAUDE.txt", False),
        ("code/ferry/NOTCLAUDE.md", False),
    ],
)
def test_claude_md_is_known_by_its_name(home: Path, name: str, known: bool) -> None:
    assert CLAUDE_MD.detect(file_at(home, name)) is known


def test_a_real_looking_claude_md_gives_sensible_memories(home: Path) -> None:
    file = file_at(home, "code/ferry/CLAUDE.md", (FIXTURES / "ferry_claude.md").read_text(encoding="utf-8"))
    file_at(home, "code/ferry/README.md", "x")
    file_at(home, "code/ferry/docs/git.md", "x")
    result = CLAUDE_MD.read(file)
    assert [(draft.kind, draft.title) for draft in result.drafts] == [
        ("architecture", "Ferry sells tickets for island ferries"),
        ("tooling", "Commands: install everything, tests"),
        ("tooling", "Running a single test: uv run pytest tests/unit/test_fares.py -k child runs one test"),
        (
            "architecture",
            "Architecture: The layers are: ferry/api/ (HTTP handlers), ferry/core/ (fares), ferry/store/ (SQL)",
        ),
        ("architecture", "Architecture: Requests go through ferry/api/middleware.py, which sets the tenant"),
        ("architecture", "Sync worker: The worker fetches the berth list, It compares each berth, Changes are written"),
        ("architecture", "Architecture: Directory layout: api/, core/, store/"),
        ("constraint", "Never store money as floats"),
        ("convention", "Always use the clock from ferry/core/clock.py"),
        ("constraint", "Refunds: a refund is a new ledger row, never an update of the old one"),
        (
            "constraint",
            "Do not call the payment gateway from a request handler",
        ),
        ("convention", "Prefer dataclass(frozen=True) for values that cross a layer"),
        ("convention", "Naming: Use snake_case for functions and modules, PascalCase for classes"),
        ("convention", "Naming: Name tests after what a traveller sees, not after the function"),
        ("convention", "Naming: Suffix background jobs with _job"),
        ("convention", "When adding a migration: write the down step, run it on a copy of production data, and 1 more"),
        ("architecture", "Tech Stack: Python 3.12, FastAPI, PostgreSQL 16, React 19"),
        ("decision", "Decisions: We chose PostgreSQL advisory locks instead of Redis locks for seat holds"),
        ("decision", "Decisions: Fares are computed on the server only"),
        ("bug-pattern", "Seats sold twice after a failover: two bookings with one seat number"),
        ("bug-pattern", "Timetable a day late: The harbour authority sends local times without an offset"),
        ("convention", "Before opening a pull request: make check passes, new routes are listed, no print left behind"),
        ("note", "Current status: We are currently moving the timetable to server components"),
        ("convention", "Imports: Contact @harbour-team or mail ops@ferry.example about @tenant_scoped"),
    ]
    assert [path.name for path in result.includes] == ["README.md", "git.md"]
    reasons = {gap.reason for gap in result.skipped}
    assert {"import not found: @docs/style.md", "written by memtui's export", "comment"} <= reasons
    [refunds] = [draft for draft in result.drafts if draft.title.startswith("Refunds")]
    assert "ledger.refund(booking, share=1)" in refunds.insight


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r\n", 30).encode(),
    ],
    ids=["LF", "CRLF", "BOM and CRLF", "mixed"],
)
def test_line_ends_and_bom_change_nothing(home: Path, encode: object) -> None:
    text = "---\npaths:\n  - src/**\n---\n" + (FIXTURES / "ferry_claude.md").read_text(encoding="utf-8")
    name = "code/ferry/.claude/rules/a.md"
    plain = CLAUDE_RULES.read(file_at(home, name, text))
    (home / name).write_bytes(encode(text))  # type: ignore[operator] # one of the functions above
    assert CLAUDE_RULES.read(file_at(home, name)) == plain
    assert plain.drafts[0].anchors[0] == "src/**"


def test_nested_files_are_anchored_to_their_folder(home: Path) -> None:
    for name in ("code/ferry/web/CLAUDE.md", "code/ferry/web/.claude/CLAUDE.md"):
        (draft,) = CLAUDE_MD.read(file_at(home, name, "Never a\n")).drafts
        assert (draft.anchors, draft.scope) == (("web/**",), "project")


def test_the_users_own_file_holds_for_every_project(home: Path) -> None:
    (draft,) = CLAUDE_MD.read(file_at(home, ".claude/CLAUDE.md", "Never edit `src/a.py`\n")).drafts
    assert (draft.anchors, draft.scope) == ((), "global")
    assert draft.source.path == (home / ".claude/CLAUDE.md").as_posix()


def test_a_file_that_names_another_is_read_there(home: Path) -> None:
    file_at(home, "code/ferry/AGENTS.md", "Never a\n")
    for text in ("AGENTS.md", "@AGENTS.md\n"):
        result = CLAUDE_MD.read(file_at(home, "code/ferry/CLAUDE.md", text))
        assert result.drafts == []
        assert result.includes == [home / "code/ferry/AGENTS.md"]
        assert len(result.skipped) == 1


def test_imports_from_elsewhere_are_reported(home: Path) -> None:
    file_at(home, "notes.md", "x")
    result = CLAUDE_MD.read(file_at(home, "code/ferry/CLAUDE.md", "@~/notes.md\n"))
    assert [gap.reason for gap in result.skipped] == ["outside the project: import it by name: @~/notes.md"]


def test_claude_rules_are_anchored_to_their_paths(home: Path) -> None:
    text = '---\npaths: ["src/**/*.{ts,tsx}", "lib/*"]\n---\n# API\n\n- No ids leak\n- Return problem+json always\n'
    file = file_at(home, "code/ferry/.claude/rules/api/errors.md", text)
    assert CLAUDE_RULES.detect(file)
    assert not CLAUDE_MD.detect(file)
    first, second = CLAUDE_RULES.read(file).drafts
    assert first.anchors == second.anchors == ("src/**/*.{ts,tsx}", "lib/*")
    assert first.source.span == (6, 6)
    nested = file_at(home, "code/ferry/web/.claude/rules/x.md", text)
    assert CLAUDE_RULES.read(nested).drafts[0].anchors == ("web/src/**/*.{ts,tsx}", "web/lib/*")
    own = CLAUDE_RULES.read(file_at(home, ".claude/rules/x.md", "Never a\n")).drafts[0]
    assert (own.scope, own.anchors) == ("global", ())


TOPIC = (
    "---\nname: no-mocks\ndescription: Use fakes, not mocks, in payment tests\ntype: feedback\n"
    "originSessionId: 3f0c\nmodified: 2026-05-01T10:00:00Z\n---\n"
    "Use the fake gateway in `tests/fakes/gateway.py`.\n\n**Why:** a mock passed while production failed.\n"
    "**How to apply:** in every test below tests/payments.\n"
)


def test_a_topic_file_is_one_memory(home: Path) -> None:
    file = file_at(home.parent, f"{MEMORY}/feedback_no_mocks.md", TOPIC)
    assert CLAUDE_MEMORY.detect(file)
    (draft,) = CLAUDE_MEMORY.read(file).drafts
    assert draft.title == "Use fakes, not mocks, in payment tests"
    assert draft.insight == "Use the fake gateway in `tests/fakes/gateway.py`."
    assert draft.rationale == (
        "a mock passed while production failed.\nHow to apply: in every test below tests/payments."
    )
    assert draft.kind == "constraint"
    assert draft.source.native_id == "no-mocks"
    assert draft.source.span == (8, 11)
    assert draft.observed_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert draft.scope == "project"


@pytest.mark.parametrize(
    ("text", "title", "kind"),
    [
        ("---\nname: 发布流程\ndescription:\ntype: reference\n---\nUse the board.\n", "发布流程", "tooling"),
        ("---\nname: short-answers\ntype: user\n---\nLikes short answers.\n", "short answers", "convention"),
        (
            f"---\nname: Launch date and what hangs on it\ndescription: {'very ' * 30}\ntype: project\n---\nIn May.\n",
            "Launch date and what hangs on it",
            "decision",
        ),
        (
            "---\nmetadata:\n  type: reference\nmodified: yesterday\n---\nThe board is at /d.\n",
            "The board is at /d",
            "tooling",
        ),
        (
            "# Ports in use\n\nThe web app has 3000.\n\n## More\n\nThe worker has none.\n",
            "Ports in use",
            "architecture",
        ),
    ],
)
def test_a_topic_file_gives_its_title_and_kind(home: Path, text: str, title: str, kind: str) -> None:
    (draft,) = CLAUDE_MEMORY.read(file_at(home.parent, f"{MEMORY}/topic.md", text)).drafts
    assert (draft.title, draft.kind) == (title, kind)


def test_a_long_topic_file_is_parted(home: Path) -> None:
    body = "".join(f"## Part {n}\n\n{'words ' * 120}\n\n" for n in range(6))
    text = f"---\nname: big\ntype: project\n---\n{body}"
    drafts = CLAUDE_MEMORY.read(file_at(home.parent, f"{MEMORY}/big.md", text)).drafts
    assert [draft.source.native_id for draft in drafts] == [f"big > Part {n}#1" for n in range(6)]


def test_index_lines_of_topic_files_are_skipped_and_others_kept(home: Path) -> None:
    file_at(home.parent, f"{MEMORY}/feedback_no_mocks.md", TOPIC)
    file_at(home.parent, f"{MEMORY}/sub/my topic.md", "x")
    text = (
        "# Memory index\n\n## Payments\n"
        "- [No mocks](feedback_no_mocks.md) — use fakes\n  with more words below\n"
        "- **[Topic](sub/my%20topic.md)**: hook\n- [Gone](gone.md) — the thing that went\n- Ports: web 3000\n"
    )
    result = CLAUDE_MEMORY.read(file_at(home.parent, f"{MEMORY}/MEMORY.md", text))
    assert titles(result) == ["Payments: Gone — the thing that went", "Payments: Ports: web 3000"]
    assert [(gap.span, gap.reason) for gap in result.skipped if "topic" in gap.reason] == [
        ((4, 5), "index of topic file feedback_no_mocks.md"),
        ((6, 6), "index of topic file sub/my topic.md"),
    ]


def test_memory_folders_are_known_by_path_or_by_index(home: Path) -> None:
    for name in (
        f"{MEMORY}/a.md",
        "home/.claude/agent-memory/tester/MEMORY.md",
        "home/code/ferry/.claude/agent-memory-local/t/x.md",
    ):
        assert CLAUDE_MEMORY.detect(file_at(home.parent, name, "x"))
    assert not CLAUDE_MEMORY.detect(file_at(home, "code/ferry/.claude/x.md", "x"))
    assert not CLAUDE_MEMORY.detect(file_at(home, "code/ferry/docs/MEMORY.md", "- plain notes\n"))
    file_at(home, "notes/topic.md", TOPIC)
    file_at(home, "notes/other.md", "no frontmatter\n")
    assert CLAUDE_MEMORY.detect(file_at(home, "notes/MEMORY.md", "- [T](topic.md) — hook\n"))
    assert CLAUDE_MEMORY.detect(file_at(home, "notes/topic.md"))
    assert not CLAUDE_MEMORY.detect(file_at(home, "notes/other.md"))
    assert not CLAUDE_MEMORY.detect(file_at(home, "notes/topic.txt", TOPIC))


def test_a_users_subagent_remembers_for_every_project(home: Path) -> None:
    (draft,) = CLAUDE_MEMORY.read(file_at(home, ".claude/agent-memory/tester/x.md", "Never a\n")).drafts
    assert draft.scope == "global"


def test_an_index_does_not_look_outside_its_folder_for_ever(home: Path) -> None:
    entry = "- [" + "a" * 100_000 + "](x.md)\n- [A](" + "b" * 100_000 + ".md)\n- [B](\x00.md)\n"
    result = CLAUDE_MEMORY.read(file_at(home.parent, f"{MEMORY}/MEMORY.md", entry))
    assert len(result.drafts) + len(result.skipped) == 3
    assert os.sep not in result.drafts[0].title
