"""What a user relies on about which files of a repository become memories, and which are left out and why."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from curating import git, repository, write_files

from memtui.capture.collect import SourcesFound, find, read
from memtui.capture.importer import ImportRequest, find_sources, plan_import, read_sources, run_import
from memtui.capture.left_out import HEAD, Exclusions, IgnoreLine, LeftOut, ignore_lines
from memtui.capture.places import find_places, sources_of
from memtui.domain.identity import Actor
from memtui.errors import SourceError, UnsafePathError
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault
from memtui.wording.imports import how_to_read_unloaded

RULE = "# Rules\n\n- Never edit the generated files by hand.\n"
SKILL = "---\nname: tide-charts\ndescription: Draw tide charts. Use when asked to.\n---\n\n# Steps\n\n1. Draw.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def found(folder: Path, home: Path, *patterns: str) -> SourcesFound:
    return sources_of(folder, home, exclusions=Exclusions(patterns))


def names(sources: SourcesFound) -> list[str]:
    return [source.file.name for source in sources.sources]


def left_out(sources: SourcesFound) -> dict[str, str]:
    return {one.path: one.reason for one in sources.skipped}


def test_instructions_count_in_code_folders_and_pages_about_agents_do_not(tmp_path: Path, home: Path) -> None:
    files = ["AGENTS.md", "web/AGENTS.md", "web/CLAUDE.md", "docs/AGENTS.md", "lib/GEMINI.md", "claude.local.md"]
    write_files(tmp_path / "shop", dict.fromkeys([*files, "docs/agents.md", "docs/gemini.md", "site/Claude.md"], RULE))
    sources = found(tmp_path / "shop", home)
    assert sorted(names(sources)) == sorted(files)
    assert left_out(sources) == dict.fromkeys(["docs/agents.md", "docs/gemini.md", "site/Claude.md"], LeftOut.MISPLACED)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tests/fixtures/app/AGENTS.md", LeftOut.FIXTURE),
        ("src/__fixtures__/.cursor/rules/a.mdc", LeftOut.FIXTURE),
        ("pkg/testdata/CLAUDE.md", LeftOut.FIXTURE),
        ("tests/e2e/data/repo/CLAUDE.md", LeftOut.FIXTURE),
        ("evals/tasks/one/AGENTS.md", LeftOut.FIXTURE),
        ("templates/next/AGENTS.md", LeftOut.TEMPLATE),
        ("create-app/_template/.claude/rules/a.md", LeftOut.TEMPLATE),
        ("gen/{{cookiecutter.slug}}/CLAUDE.md", LeftOut.TEMPLATE),
        ("docs/_static/CLAUDE.md", LeftOut.TEMPLATE),
        ("examples/till-starter/CLAUDE.md", LeftOut.TEMPLATE),
        ("docs/adr/drafts/0001-a.md", LeftOut.ARCHIVED),
        ("examples/CLAUDE.md", LeftOut.EXAMPLE),
        ("tests/init/CLAUDE.md", LeftOut.EXAMPLE),
        ("examples/docs/adr/0001-a.md", LeftOut.EXAMPLE),
        (".claude/commands/release.md", LeftOut.STARTED),
        (".claude/agents/reviewer.md", LeftOut.STARTED),
        (".github/prompts/plan.prompt.md", LeftOut.STARTED),
        (".clinerules/workflows/release.md", LeftOut.STARTED),
        (".clinerules/hooks/README.md", LeftOut.UNLOADED),
        (".claude/commands/git/tie.md", LeftOut.STARTED),
        (".github/agents/harbour/tie.agent.md", LeftOut.STARTED),
        (".github/agents/knowledge/ropes.md", LeftOut.UNLOADED),
        (".claude/review-guide.md", LeftOut.UNLOADED),
        (".cursor/rules/plain.md", LeftOut.UNLOADED),
        ("web/best_practices.md", LeftOut.MISPLACED),
        ("docs/CONVENTIONS.md", LeftOut.MISPLACED),
        ("skills/offered/SKILL.md", LeftOut.OFFERED),
    ],
)
def test_what_no_assistant_loads_is_left_out_with_the_reason(
    tmp_path: Path, home: Path, name: str, reason: LeftOut
) -> None:
    write_files(tmp_path / "shop", {name: RULE, "CLAUDE.md": RULE})
    sources = found(tmp_path / "shop", home)
    assert names(sources) == ["CLAUDE.md"]
    assert left_out(sources) == {name: reason}


def test_texts_that_no_assistant_loads_are_offered_and_read_where_their_folder_is_named(
    tmp_path: Path, home: Path
) -> None:
    shop, ropes = tmp_path / "shop", ".github/agents/knowledge/ropes.md"
    beside = {".claude/README.md": RULE, ".cursor/rules/plain.md": RULE, ".cursor/rules/deck.mdc": RULE}
    write_files(shop, {ropes: RULE, ".github/agents/tie.agent.md": RULE, "CLAUDE.md": RULE, **beside})
    git(shop, "init", "-q")
    places, sources = find_places(shop, home)
    assert [source.file.name for source in sources.unloaded] == [".cursor/rules/plain.md", ropes]
    offered = {place.name: len(place.sources) for place in places if not place.is_loaded}
    assert offered == {".cursor/rules/plain.md": 1, ".github/agents/knowledge": 1}
    named = found(shop / ".github/agents", home)
    assert names(named) == [ropes]
    assert left_out(named) == {".github/agents/tie.agent.md": LeftOut.STARTED}
    assert how_to_read_unloaded(sources.skipped)
    assert not how_to_read_unloaded(named.skipped)
    write_files(shop, {".memtuiignore": "/.github/agents/knowledge\n"})
    assert [source.file.name for source in found(shop, home).unloaded] == [".cursor/rules/plain.md"]


def test_an_agent_in_a_folder_below_is_known_by_its_head_and_a_page_for_people_is_none(
    tmp_path: Path, home: Path
) -> None:
    agent = f"---\nname: tie\ndescription: Ties boats.\n---\n{RULE}"
    texts = {".github/agents/harbour/tie.md": agent, ".github/workflows/README.md": RULE, "CLAUDE.md": RULE}
    write_files(tmp_path / "shop", texts)
    assert left_out(found(tmp_path / "shop", home)) == {".github/agents/harbour/tie.md": LeftOut.STARTED}


@pytest.mark.parametrize(
    "name",
    [
        "tests/AGENTS.md",
        "data/AGENTS.md",
        ".github/workflows/AGENTS.md",
        "tools/specs/CLAUDE.md",
    ],
)
def test_folders_that_only_resemble_those_of_data_are_read(tmp_path: Path, home: Path, name: str) -> None:
    write_files(tmp_path / "shop", {name: RULE})
    assert names(found(tmp_path / "shop", home)) == [name]


@pytest.mark.parametrize(
    "beside",
    ["agent-skills/skills/count/SKILL.md", "till-helper/.claude-plugin/plugin.json till-helper/skills/a/SKILL.md"],
)
def test_rules_beside_skills_that_are_given_to_others_are_left_out(tmp_path: Path, home: Path, beside: str) -> None:
    folder = beside.partition("/")[0]
    files = [f"{folder}/AGENTS.md", "AGENTS.md", *beside.split()]
    write_files(tmp_path / "shop", dict.fromkeys(files, RULE))
    sources = found(tmp_path / "shop", home)
    assert names(sources) == ["AGENTS.md"]
    assert left_out(sources)[f"{folder}/AGENTS.md"] == LeftOut.TEMPLATE


def test_rules_of_a_package_that_ships_skills_are_read(tmp_path: Path, home: Path) -> None:
    write_files(tmp_path / "shop", {"packages/till/AGENTS.md": RULE, "packages/till/skills/count/SKILL.md": RULE})
    assert names(found(tmp_path / "shop", home)) == ["packages/till/AGENTS.md"]


def test_a_demonstration_with_nothing_but_a_script_is_an_example_of_a_rule_file(tmp_path: Path, home: Path) -> None:
    write_files(tmp_path / "shop", {"examples/rules/AGENTS.md": RULE, "examples/rules/try.sh": "x", "AGENTS.md": RULE})
    assert names(found(tmp_path / "shop", home)) == ["AGENTS.md"]


@pytest.mark.parametrize("folder", ["examples/till", "tests/unit"])
def test_an_example_or_test_with_code_has_instructions_of_its_own(tmp_path: Path, home: Path, folder: str) -> None:
    write_files(tmp_path / "shop", {f"{folder}/CLAUDE.md": RULE, f"{folder}/main.py": "x", "demo/AGENTS.md": RULE})
    assert names(found(tmp_path / "shop", home)) == [f"{folder}/CLAUDE.md"]


@pytest.mark.parametrize(("folder", "is_read"), [("tests/tide-runs", True), ("examples/tide-runs", False)])
def test_rules_among_tests_that_name_their_folder_hold_beside_scripts_alone(
    tmp_path: Path, home: Path, folder: str, is_read: bool
) -> None:
    files = {f"{folder}/AGENTS.md": f"- Run every tide with `bash {folder}/run.sh`.\n", f"{folder}/run.sh": "x"}
    write_files(tmp_path / "shop", files | {"tests/of-rules/AGENTS.md": RULE})
    assert names(found(tmp_path / "shop", home)) == ([f"{folder}/AGENTS.md"] if is_read else [])


def test_a_folder_that_is_named_is_read_whatever_lies_around_it(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "shop", {"templates/next/AGENTS.md": RULE})
    assert names(found(root / "templates/next", home)) == ["templates/next/AGENTS.md"]


def test_the_ignore_file_holds_wherever_the_search_starts_but_not_for_a_file_by_its_name(
    tmp_path: Path, home: Path
) -> None:
    files = {"AGENTS.md": RULE, "wages/AGENTS.md": RULE, "wages/old/AGENTS.md": RULE, ".memtuiignore": "wages/\n"}
    root = repository(tmp_path / "shop", files)
    for start in (root / "wages", root / "wages/old", root):
        sources = found(start, home)
        assert names(sources) == (["AGENTS.md"] if start == root else [])
        assert set(left_out(sources).values()) == {LeftOut.IGNORED}
    assert names(found(root / "wages/AGENTS.md", home)) == ["wages/AGENTS.md"]
    assert names(find(root / "wages", root=root, home=home, format="markdown")) == []


def test_the_ignore_file_of_a_project_holds_for_its_submodules(tmp_path: Path, home: Path) -> None:
    parser = repository(tmp_path / "parser", {"AGENTS.md": RULE, "notes/AGENTS.md": RULE})
    root = repository(tmp_path / "pump", {"CLAUDE.md": RULE, ".memtuiignore": "libs/parser/notes/\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(parser), "libs/parser")
    sources = found(root, home)
    assert names(sources) == ["CLAUDE.md", "AGENTS.md"]
    assert left_out(sources) == {"libs/parser/notes/AGENTS.md": LeftOut.IGNORED}


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_an_ignore_file_that_cannot_be_read_stops_the_import(tmp_path: Path, home: Path, kind: str) -> None:
    write_files(tmp_path / "shop", {"CLAUDE.md": RULE})
    ignore = tmp_path / "shop/.memtuiignore"
    {"pipe": os.mkfifo, "folder": os.mkdir}[kind](ignore)
    with pytest.raises(SourceError, match="cannot be read"):
        found(tmp_path / "shop", home)


def test_rule_files_that_are_no_files_are_named_and_never_opened(tmp_path: Path, home: Path) -> None:
    write_files(tmp_path / "shop", {"AGENTS.md": "Read @pipe.md first.\n", ".cursor/rules/a.mdc": RULE})
    for name in (".cursor/rules/b.mdc", "opencode.json", "CLAUDE.md", "pipe.md", "notes.md"):
        os.mkfifo(tmp_path / "shop" / name)
    for name in (".cursorrules", "readme.md"):
        (tmp_path / "shop" / name).symlink_to("nowhere")
    sources = found(tmp_path / "shop", home)
    assert names(sources) == [".cursor/rules/a.mdc", "AGENTS.md"]
    assert left_out(sources) == {
        ".cursor/rules/b.mdc": LeftOut.IRREGULAR,
        "CLAUDE.md": LeftOut.IRREGULAR,
        ".cursorrules": LeftOut.DANGLING,
    }
    assert read(sources).files


def test_rule_files_of_unknown_tools_are_named(tmp_path: Path, home: Path) -> None:
    unknown = [".skiff/rules/a.md", ".skiff/instructions.md", ".oar/steering/deep/b.md", "firebender.json"]
    others = [".skiff/notes/a.md", ".github/instructions/a.md", "docs/rules/a.md", ".skiff/rules/a.py"]
    misnamed = [".goosehints.local", "web/.copilot-instructions.md"]
    write_files(tmp_path / "shop", dict.fromkeys([*unknown, *others, *misnamed], RULE))
    sources = found(tmp_path / "shop", home)
    assert names(sources) == []
    expected = dict.fromkeys(unknown, LeftOut.UNKNOWN_TOOL) | dict.fromkeys(misnamed, LeftOut.MISPLACED)
    assert left_out(sources) == expected


def test_folders_that_builds_write_to_are_searched_only_where_git_tracks_files(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "shop", {"build/AGENTS.md": RULE})
    write_files(root, {"dist/AGENTS.md": RULE, "web/node_modules/x/AGENTS.md": RULE, "third_party/y/CLAUDE.md": RULE})
    (root / ".venv").mkdir()
    sources = found(root, home)
    assert names(sources) == ["build/AGENTS.md"]
    unsearched = ["dist", "third_party", "web/node_modules"]
    assert left_out(sources) == dict.fromkeys(unsearched, LeftOut.UNSEARCHED), "caches and hidden folders aside"


def test_linked_worktrees_and_other_repositories_are_not_walked(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "ledger", {"CLAUDE.md": RULE})
    git(root, "worktree", "add", "--quiet", str(root / ".claude/worktrees/retry"), "-b", "retry")
    repository(root / "vendored", {"AGENTS.md": RULE})
    sources = found(root, home)
    assert names(sources) == ["CLAUDE.md"]
    assert left_out(sources) == {".claude/worktrees/retry": LeftOut.WORKTREE, "vendored": LeftOut.CLONE}
    assert names(found(root / ".claude/worktrees/retry", home)) == ["CLAUDE.md"], "it can be named"
    both = found(tmp_path, home)
    assert [source.file.path for source in both.sources] == [root / "CLAUDE.md"], "a folder of repositories"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path, home: Path, vault: Vault) -> None:
    rule = "---\npaths: src/**/*.c\n---\n\nEvery function returns a status code.\n"
    parser = repository(tmp_path / "parser", {".claude/rules/lexer.md": rule, "src/lex.c": "x"})
    root = repository(tmp_path / "pump", {"CLAUDE.md": RULE})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(parser), "libs/parser")
    request = ImportRequest(paths=[root], folder=root, home=home)
    run_import(vault, read_sources(request), request, actor=Actor())
    with vault.read() as reader:
        ids = reader.select_ids(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now())
        rows = reader.get_many(ids).values()
    assert sorted((row.project, row.sources[0].path, [anchor.path for anchor in row.anchors]) for row in rows) == [
        ("parser", ".claude/rules/lexer.md", ["src/**/*.c"]),
        ("pump", "CLAUDE.md", []),
    ]
    inside = ImportRequest(paths=[], folder=root / "libs/parser", home=home)
    assert [item.action for item in plan_import(vault, read_sources(inside), inside).items] == ["unchanged"]


def test_the_ignore_file_and_patterns_leave_out_more_and_git_does_not(tmp_path: Path, home: Path) -> None:
    files = ["CLAUDE.md", "CLAUDE.local.md", "web/AGENTS.md", "api/AGENTS.md", ".cursor/rules/a.mdc"]
    root = repository(tmp_path / "shop", dict.fromkeys(files, RULE))
    write_files(
        root,
        {".gitignore": "CLAUDE.local.md\n", ".memtuiignore": "# ours\n*.mdc\n**/AGENTS.md\n!api/\n!api/AGENTS.md\n"},
    )
    sources = found(root, home, "CLAUDE.md")
    assert names(sources) == ["CLAUDE.local.md", "api/AGENTS.md"]
    assert left_out(sources) == {
        "CLAUDE.md": LeftOut.EXCLUDED,
        "web/AGENTS.md": LeftOut.IGNORED,
        ".cursor/rules/a.mdc": LeftOut.IGNORED,
    }


def test_what_is_left_out_is_not_read_through_a_link_and_a_link_alone_can_be_left_out(
    tmp_path: Path, home: Path
) -> None:
    write_files(tmp_path / "shop", {"AGENTS.md": RULE, ".memtuiignore": "AGENTS.md\n"})
    (tmp_path / "shop/CLAUDE.md").symlink_to("AGENTS.md")
    assert names(found(tmp_path / "shop", home)) == []
    write_files(tmp_path / "shop", {".memtuiignore": "CLAUDE.md\n"})
    assert names(found(tmp_path / "shop", home)) == ["AGENTS.md"]


def test_what_is_left_out_is_not_read_through_an_import_either(tmp_path: Path, home: Path) -> None:
    files = {"CLAUDE.md": "@docs/a.md\n@docs/b.md\n@docs/c.md\n", ".memtuiignore": "b.md\n"}
    write_files(tmp_path / "shop", {**files, **dict.fromkeys(["docs/a.md", "docs/b.md", "docs/c.md"], RULE)})
    collected = read(found(tmp_path / "shop", home, "docs/c.md"))
    assert [file.file.name for file in collected.files] == ["CLAUDE.md", "docs/a.md"]
    assert {one.path: one.reason for one in collected.skipped} == {
        "docs/b.md": LeftOut.IGNORED,
        "docs/c.md": LeftOut.EXCLUDED,
    }


def test_the_home_folder_is_searched_only_where_it_is_named(home: Path) -> None:
    write_files(home, {"letters/AGENTS.md": RULE, ".claude/CLAUDE.md": RULE})
    assert [place.name for place in find_places(home, home)[0]] == ["~/.claude/CLAUDE.md"]
    assert find_sources(ImportRequest(paths=[], folder=home, home=home)).sources == []
    assert "letters/AGENTS.md" in names(found(home, home))


def test_a_source_is_left_out_for_good_by_its_very_name_and_read_again_without_that_line(
    tmp_path: Path, home: Path
) -> None:
    root = tmp_path / "shop"
    write_files(root, {"a[1]/AGENTS.md": RULE, "a1/AGENTS.md": RULE, ".memtuiignore": "x"})
    line = IgnoreLine(root, "a[1]/AGENTS.md")
    line.write()
    line.write()
    assert names(found(root, home)) == ["a1/AGENTS.md"]
    assert (root / ".memtuiignore").read_text(encoding="utf-8") == "x\n/a\\[1]/AGENTS.md\n"
    assert ignore_lines(root) == [line]
    line.take_out()
    line.take_out()
    assert names(found(root, home)) == ["a1/AGENTS.md", "a[1]/AGENTS.md"]
    assert (root / ".memtuiignore").read_text(encoding="utf-8") == "x\n"


@pytest.mark.parametrize("before", [b"", b"# ours\r\n/old.md\r\n", b"\xff\n"])
def test_an_ignore_file_that_was_there_is_as_it_was_once_the_line_is_out_again(tmp_path: Path, before: bytes) -> None:
    write_files(tmp_path, {"api/AGENTS.md": RULE})
    (tmp_path / ".memtuiignore").write_bytes(before)
    line = IgnoreLine(tmp_path, "api/AGENTS.md")
    line.write()
    assert (tmp_path / ".memtuiignore").read_bytes() == before + b"/api/AGENTS.md" + (
        b"\r\n" if b"\r" in before else b"\n"
    )
    line.take_out()
    assert (tmp_path / ".memtuiignore").read_bytes() == before


def test_an_ignore_file_made_for_a_line_goes_with_its_last_line(tmp_path: Path) -> None:
    write_files(tmp_path, {"api/AGENTS.md": RULE, "web/AGENTS.md": RULE})
    lines = [IgnoreLine(tmp_path, f"{name}/AGENTS.md") for name in ("api", "web")]
    for line in lines:
        line.write()
    assert (tmp_path / ".memtuiignore").read_text(encoding="utf-8").splitlines()[0] == HEAD
    lines[0].take_out()
    assert ignore_lines(tmp_path) == lines[1:]
    lines[1].take_out()
    assert not (tmp_path / ".memtuiignore").exists()


def test_an_ignore_file_outside_the_repository_is_never_written(tmp_path: Path) -> None:
    write_files(tmp_path, {"shop/AGENTS.md": RULE, "other": "x\n"})
    (tmp_path / "shop/.memtuiignore").symlink_to(tmp_path / "other")
    with pytest.raises(UnsafePathError):
        IgnoreLine(tmp_path / "shop", "AGENTS.md").write()
    assert (tmp_path / "other").read_text(encoding="utf-8") == "x\n"


def test_a_broken_pattern_of_the_ignore_file_is_told(tmp_path: Path, home: Path) -> None:
    write_files(tmp_path / "shop", {"CLAUDE.md": RULE, ".memtuiignore": "!\n"})
    with pytest.raises(SourceError, match=r"memtuiignore"):
        found(tmp_path / "shop", home)


def test_a_skill_is_one_memory_and_its_inner_files_are_none(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "shop"
    inner = ["AGENTS.md", "references/adr/0001-a.md", "rules/a.md"]
    write_files(root, {".agents/skills/tide-charts/SKILL.md": SKILL})
    write_files(root, {f".agents/skills/tide-charts/{name}": RULE for name in inner})
    (root / ".claude").mkdir()
    (root / ".claude/skills").symlink_to("../.agents/skills", target_is_directory=True)
    sources = found(root, home)
    assert left_out(sources) == {f".agents/skills/tide-charts/{name}": LeftOut.SKILL_PART for name in inner}
    [file] = read(sources).files
    [draft] = file.result.drafts
    assert (draft.title, draft.kind) == ("Skill tide-charts: Draw tide charts", "tooling")
    assert draft.insight == "Skill `tide-charts`: Draw tide charts. Use when asked to."
    assert [one.span for one in file.result.skipped] == [(1, 4), (5, 8)]


@pytest.mark.parametrize(
    ("description", "title"),
    [
        ('Use when charts are drawn. Triggers on "tide", "moon".', "Skill tide-charts: use when charts are drawn"),
        (
            'This skill should be used when the user asks to "draw the tides", "chart the moon".',
            'Skill tide-charts: use when asked to "draw the tides", "chart the moon"',
        ),
        (
            "Use when deciding where a boat may lie. Triggers on tides. Complements knots; this looks at ropes.",
            "Skill tide-charts: use when deciding where a boat may lie",
        ),
        (
            "Use when the user mentions tides. Draws charts of them, e.g. of the moon.",
            "Skill tide-charts: Draws charts of them, e.g. of the moon",
        ),
        ("Triggers a look at all charts. Activated by the tide.", "Skill tide-charts: Triggers a look at all charts"),
        ("Run the gauges, then draw once:", "Skill tide-charts: Run the gauges, then draw once"),
    ],
)
def test_a_skill_is_titled_by_its_purpose_not_by_the_words_that_start_it(
    tmp_path: Path, home: Path, description: str, title: str
) -> None:
    skill = f"---\nname: tide-charts\ndescription: '{description}'\n---\n\nSteps.\n"
    write_files(tmp_path / "shop", {".claude/skills/tide-charts/SKILL.md": skill})
    [file] = read(found(tmp_path / "shop", home)).files
    assert [draft.title for draft in file.result.drafts] == [title]
    assert not file.result.drafts[0].insight.endswith(":")


def test_skills_that_a_plugin_offers_and_rules_in_an_archive_are_left_out(tmp_path: Path, home: Path) -> None:
    write_files(
        tmp_path / "shop",
        {
            "skills/charts/SKILL.md": "# Charts\n\nDraws tide charts.\n\n- a\n",
            ".claude-plugin/plugin.json": "{}",
            "docs/archive/AGENTS.md": RULE,
            "src/AGENTS.md": RULE,
        },
    )
    sources = found(tmp_path / "shop", home)
    [file] = read(sources).files
    assert file.file.name == "src/AGENTS.md"
    assert left_out(sources) == {
        "skills/charts/SKILL.md": LeftOut.OFFERED,
        "docs/archive/AGENTS.md": LeftOut.ARCHIVED,
    }


def test_a_skill_whose_description_repeats_its_name_says_nothing(tmp_path: Path, home: Path) -> None:
    skill = "---\nname: berth-review\ndescription: Execute berth-review\n---\n\n# Review\n"
    write_files(tmp_path / "shop", {".claude/skills/berth-review/SKILL.md": skill})
    [file] = read(found(tmp_path / "shop", home)).files
    assert not file.result.drafts
    assert [one.reason for one in file.result.skipped] == ["a skill without a description"]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (".aider.conf.yml", "model: x\nread: [house.md, notes/style.md, gone.md]\n"),
        ("opencode.json", '{\n // ours\n "instructions": ["house.md", "notes/*.md", "https://example.org/a.md",],\n}'),
        (".gemini/settings.json", '{"context": {"fileName": ["house.md", "notes/style.md", "../outside.md"]}}'),
    ],
)
def test_files_that_a_configuration_names_are_read(tmp_path: Path, home: Path, config: str, text: str) -> None:
    write_files(tmp_path, {"outside.md": RULE})
    write_files(tmp_path / "shop", {config: text, "house.md": RULE, "notes/style.md": RULE, "other.md": RULE})
    assert [file.file.name for file in read(found(tmp_path / "shop", home)).files] == [
        config,
        "house.md",
        "notes/style.md",
    ]


def loaders(folder: Path, home: Path) -> Mapping[str, set[tuple[str, str | None]]]:
    files = read(found(folder, home)).files
    return {file.file.name: {(source.format, source.path) for source in file.loaded_by} for file in files}


def test_links_and_import_chains_are_read_once_and_note_who_loads_them(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "shop"
    write_files(
        root,
        {
            ".agents/AGENTS.md": f"{RULE}\nSee @../docs/money.md\n",
            "docs/money.md": "# Money\n\n- Round at the last step only.\n",
            "GEMINI.md": "@docs/money.md\n",
        },
    )
    (root / "AGENTS.md").symlink_to(".agents/AGENTS.md")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert loaders(root, home) == {
        ".agents/AGENTS.md": {("agents-md", "AGENTS.md"), ("claude-md", "CLAUDE.md")},
        "GEMINI.md": set(),
        "docs/money.md": {("gemini", "GEMINI.md"), ("agents-md", "AGENTS.md"), ("claude-md", "CLAUDE.md")},
    }


def test_what_an_assistant_loads_by_an_import_follows_the_edits_of_the_file(
    tmp_path: Path, home: Path, vault: Vault
) -> None:
    root = repository(
        tmp_path / "shop", {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "- Round money at the last step only.\n"}
    )
    request = ImportRequest(paths=[root], folder=root, home=home)
    run_import(vault, read_sources(request), request, actor=Actor())
    write_files(root, {"AGENTS.md": "- Round money at the very last step only.\n"})
    run_import(vault, read_sources(request), request, actor=Actor())
    with vault.read() as reader:
        ids = reader.select_ids(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now())
        [row] = reader.get_many(ids).values()
    assert {(source.format, source.path, source.span) for source in row.sources} == {
        ("agents-md", "AGENTS.md", (1, 1)),
        ("claude-md", "CLAUDE.md", None),
    }, "no line of the file that imports it says this"
    assert len({source.imported_hash for source in row.sources}) == 1


def test_a_text_is_missed_only_where_no_other_file_may_state_it(tmp_path: Path, home: Path, vault: Vault) -> None:
    files = {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "- Round money at the last step only.\n"}
    root = repository(tmp_path / "shop", files)
    request = ImportRequest(paths=[], folder=root, home=home)
    run_import(vault, read_sources(request), request, actor=Actor())
    without = ImportRequest(paths=[], folder=root, home=home, exclude=["AGENTS.md"])
    assert plan_import(vault, read_sources(without), without).missing == []
    write_files(root, {"AGENTS.md": "# Nothing\n"})
    assert len(plan_import(vault, read_sources(request), request).missing) == 1


def test_a_linked_worktree_sees_the_auto_memory_of_its_main_checkout(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "ledger", {"CLAUDE.md": RULE})
    git(root, "worktree", "add", "--quiet", str(tmp_path / "retry"), "-b", "retry")
    slug = re.sub(r"[^A-Za-z0-9]", "-", root.resolve().as_posix())
    write_files(home, {f".claude/projects/{slug}/memory/MEMORY.md": "# Memory\n\n- Sail times are in UTC.\n"})
    for checkout in (root, tmp_path / "retry"):
        request = ImportRequest(paths=[], folder=checkout, home=home)
        result = read_sources(request)
        assert [file.reader.format for file in result.files] == ["claude-md", "claude-memory"]
        assert {folder for _, folder in result.drafts} == {checkout, checkout.resolve()}


def monorepo(folder: Path) -> Path:
    """Make a repository with something of everything."""
    rules = {
        **dict.fromkeys(
            ["AGENTS.md", "CLAUDE.local.md", "web/AGENTS.md", "api/CLAUDE.md", ".kiro/steering/tech.md"], RULE
        ),
        **dict.fromkeys(
            [".roo/rules/a.md", ".goosehints", "QWEN.md", ".serena/memories/style.md", "memory-bank/a.md"], RULE
        ),
        **dict.fromkeys(["tests/fixtures/CLAUDE.md", "templates/x/AGENTS.md", "docs/agents.md", "web/docs/x.md"], RULE),
        **dict.fromkeys([".claude/commands/go.md", "node_modules/x/AGENTS.md", "legacy/AGENTS.md"], RULE),
        "CLAUDE.md": "@AGENTS.md\n@docs/house.md\n",
        "docs/house.md": RULE,
        ".memtuiignore": "legacy/\n",
        ".cursor/rules/a.mdc": "---\nglobs: *.ts\n---\nNever nest.\n",
        ".claude/skills/charts/SKILL.md": SKILL,
        "docs/adr/0001-lock.md": "# 1. Lock\n\n## Decision\n\nLock it.\n",
        "LESSONS.md": "# Lessons\n\n## Queues\n\nNever trust the order of a queue.\n",
        "export.jsonl": json.dumps({"insight": "Round money at the last step only."}) + "\n",
    }
    return repository(folder, rules)


def test_the_app_and_the_command_line_find_the_same_files(tmp_path: Path, home: Path) -> None:
    root = monorepo(tmp_path / "shop")
    by_command = [find_sources(ImportRequest(paths=paths, folder=root / "web", home=home)) for paths in ([], [root])]
    places, _ = find_places(root / "web", home)
    in_app = [source.file.path for place in places for source in place.sources]
    for sources in by_command:
        assert sorted(in_app) == sorted(source.file.path for source in sources.sources)
    assert len(in_app) == 16
    request = ImportRequest(paths=[], folder=root, home=home)
    assert [file.file.path for file in read_sources(request, by_command[0]).files] == [
        file.file.path for file in read_sources(request).files
    ]


def test_a_named_folder_that_holds_only_pages_says_how_to_read_them(tmp_path: Path, home: Path) -> None:
    shop = tmp_path / "shop"
    pages = ["docs/tides.md", "docs/deep/moon.md"]
    write_files(shop, dict.fromkeys(["AGENTS.md", "api/AGENTS.md", "api/README.md", *pages, "docs/LICENSE"], RULE))
    git(shop, "init", "-q")
    assert left_out(found(shop / "docs", home)) == dict.fromkeys(pages, LeftOut.PAGE)
    assert left_out(found(shop / "docs", home, "deep/")) == {pages[0]: LeftOut.PAGE, pages[1]: LeftOut.EXCLUDED}
    assert not left_out(found(shop, home)), "of a whole project nobody expects every page"
    assert not left_out(found(shop / "api", home)), "what was named gave something"
    assert names(found(shop / "docs/tides.md", home)) == ["docs/tides.md"]
