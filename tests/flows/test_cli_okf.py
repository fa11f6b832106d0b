"""Bundles of the Open Knowledge Format: written, read again unchanged, and those of others read with all their keys."""

from __future__ import annotations

import time
from pathlib import Path

import yaml
from flows.cli_driver import Cli


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def comparable(text: str) -> list[str]:
    """The lines of an export that a bundle holds too: memories, links and verdicts."""
    kinds = ('{"type": "memory"', '{"type": "link"', '{"type": "verdict"')
    return sorted(line for line in text.splitlines() if line.startswith(kinds))


def test_what_memtui_wrote_and_reads_again_is_unchanged(demo: Cli) -> None:
    folder = demo.home / "bundle"
    demo("export", "--target", "okf", "--out", folder)
    before, whole = files(folder), demo.exported()
    report = demo("import", folder, "--json").json
    assert (report["added"], report["updated"], report["conflicts"]) == (0, 0, 0)
    assert demo.exported() == whole
    assert demo("export", "--target", "okf", "--out", folder, "--json").json["written"] == []
    demo.globals = ["--vault", str(demo.home / "other.duckdb")]
    demo("import", folder)
    assert comparable(demo.exported()) == comparable(whole)
    again = demo.home / "again"
    demo("export", "--target", "okf", "--out", again)
    after = files(again)
    assert {path: after[path] for path in before if path != "log.md"} == {
        path: data for path, data in before.items() if path != "log.md"
    }


def test_a_bundle_is_readable_without_memtui(demo: Cli) -> None:
    folder = demo.home / "bundle"
    demo("export", "--target", "okf", "--out", folder)
    assert 'okf_version: "0.2"' in (folder / "index.md").read_text(encoding="utf-8")
    concepts = [path for path in folder.glob("*/*.md") if path.name != "index.md"]
    assert len(concepts) >= 100
    for path in concepts:
        head = path.read_text(encoding="utf-8").split("---\n")[1]
        keys = yaml.safe_load(head)
        assert keys["type"]
        assert keys["title"]
        assert keys["status"] in {"draft", "stable", "deprecated"}
        assert keys["generated"]["by"]
        assert path.name in (path.parent / "index.md").read_text(encoding="utf-8")


def test_a_text_that_looks_like_the_formats_own_parts_comes_back_as_it_was(cli: Cli) -> None:
    texts = [
        "Above.\n\n# Why\n\nThis heading is part of the text.",
        "---\nnot: frontmatter\n---\n\nText.",
        "  indented at the start\n\nand the end  ",
        "A `fence`:\n\n```\n# Examples\n```",
        "日本語 é 😀 \u202e [/x] & *star: {a}",
    ]
    for text in texts:
        cli(
            "add",
            "--title",
            f"- {text[:20]!r}: #1",
            text,
            "--snippet",
            "```\ncode\n```\n\ntail",
            "--why",
            "# Links\n\nx",
        )
    before = cli.exported()
    cli("export", "--target", "okf", "--out", "bundle")
    cli.globals = ["--vault", str(cli.home / "other.duckdb")]
    cli("import", "bundle")
    assert comparable(cli.exported()) == comparable(before)


FOREIGN = """---
type: Playbook
title: Close a berth
description: How a berth is closed.
tags: [harbour, berths]
owner: "the desk"
nested: {since: 2024-03-01, list: [1, two]}
sources:
  - {id: desk, resource: docs/berths.md}
status: stable
verified: {by: "human:ada", at: 2026-01-02}
---

Hang out the red ball first, because the pilots look for it before the radio.

# Why

The radio is often busy.
"""


def test_a_bundle_of_somebody_else_is_read_and_its_unknown_keys_are_written_back(cli: Cli) -> None:
    cli.write("theirs/index.md", '---\nokf_version: "0.2"\n---\n\n# Desk\n')
    cli.write("theirs/desk/close.md", FOREIGN)
    cli.write(
        "theirs/desk/old.md", "---\ntype: decision\nstatus: deprecated\ntitle: Blue paper\n---\n\nTickets are blue.\n"
    )
    cli.write("theirs/desk/broken.md", "---\ntitle: [unclosed\n---\n\nText.\n")
    report = cli("import", "theirs", "--project", "ferry", "--json").json
    assert report["added"] == 2
    assert any("not YAML" in row["reason"] for row in report["skipped"])
    (waiting,) = cli("list", "--status", "candidate", "--json").json
    assert waiting["title"] == "Close a berth"
    assert waiting["rationale"] == "The radio is often busy."
    assert set(waiting["tags"]) == {"harbour", "berths", "playbook"}
    assert [anchor["path"] for anchor in waiting["anchors"]] == ["docs/berths.md"]
    assert waiting["confirmed_by"] is None, "what others verified, nobody here did"
    (retired,) = cli("list", "--status", "retired", "--json").json
    assert retired["kind"] == "decision"
    assert cli("import", "theirs", "--project", "ferry", "--json").json["added"] == 0
    cli("export", "--target", "okf", "--out", "ours")
    (path,) = (path for path in Path("ours").glob("*/*.md") if "close" in path.name)
    keys = yaml.safe_load(path.read_text(encoding="utf-8").split("---\n")[1])
    assert keys["owner"] == "the desk"
    assert keys["nested"] == {"since": "2024-03-01", "list": [1, "two"]}


def test_a_bundle_is_not_written_over_something_else(cli: Cli) -> None:
    cli("add", "Something to write.")
    cli.write("busy/README.md", "mine\n")
    cli("export", "--target", "okf", "--out", "busy", code=6)
    assert [path.name for path in Path("busy").iterdir()] == ["README.md"]
    cli("export", "--target", "okf", code=2)


def test_a_page_that_somebody_else_wrote_is_not_written_over(cli: Cli) -> None:
    cli("add", "Something to write.", "--project", "desk")
    head = '---\nokf_version: "0.2"\n---\n\n'
    entry = "- [Berths](berths.md): where they lie\n"
    pages = {"index.md": f"{head}# Memories\n\nOf the harbour.\n", "log.md": "# 2024-01-02\n\n- opened\n"}
    pages |= {"desk/index.md": f"# desk\n\n{entry}"}
    for path, text in pages.items():
        cli.write(f"{path}.d/index.md", head)
        cli.write(f"{path}.d/desk/berths.md", "---\ntype: note\n---\n\nTheirs.\n")
        cli.write(f"{path}.d/{path}", text)
        before = files(Path(f"{path}.d"))
        told = cli("export", "--target", "okf", "--out", f"{path}.d", code=6).err
        assert path in told
        assert files(Path(f"{path}.d")) == before
        # Without the index of its root the folder would be no bundle any more.
        is_root = path == "index.md"
        assert ("move this page away" in told) is not is_root
        assert ("nothing but `okf_version`" in told) is is_root
        Path(f"{path}.d/{path}").unlink()
        if is_root:
            cli.write(f"{path}.d/{path}", head)
        cli("export", "--target", "okf", "--out", f"{path}.d")


def test_a_long_line_of_a_page_is_looked_at_in_short_time(cli: Cli) -> None:
    cli("add", "Something to write.")
    cli("export", "--target", "okf", "--out", "bundle")
    with Path("bundle/index.md").open("a", encoding="utf-8") as page:
        page.write("- [" + "](a" * 60_000 + "\n")
    began = time.process_time()
    cli("export", "--target", "okf", "--out", "bundle")
    assert time.process_time() - began < 4


def test_files_of_renamed_memories_go_and_those_of_others_stay(cli: Cli) -> None:
    identifier = cli("add", "Berths are numbered.", "--title", "Berths").id
    cli("export", "--target", "okf", "--out", "bundle")
    cli.write("bundle/mine/notes.md", "---\ntype: note\n---\n\nMine.\n")
    cli("edit", identifier, "--title", "Numbers of berths")
    cli("export", "--target", "okf", "--out", "bundle")
    names = [path.name for path in Path("bundle").glob("*/*.md") if path.name != "index.md"]
    assert sorted(names) == sorted(["notes.md", f"numbers-of-berths.{identifier}.md"])
