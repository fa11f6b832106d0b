"""A text that says nothing without its headings is kept below them, every other as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import bring, outcome, rewrite, write_files

from memtui.capture.context import context_lead, lead_of, with_lead, without_lead
from memtui.capture.markdown import split_markdown
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault


@pytest.mark.parametrize(
    ("path", "text", "lead"),
    [
        (("Loom", "Weft importer"), "Supports striped and twill patterns.", "Weft importer"),
        (("Loom", "Weft importer"), "Custom patterns", "Weft importer"),
        (("Loom", "Aims"), "Spare the weaver a second threading.", "Loom > Aims"),
        (("Loom", "Yarn", "Thickness"), "`fine` - for scarves", "Yarn > Thickness"),
        (("Loom", "Yarn", "Dye lots", "Notes"), "Never mix two.", "Yarn > Dye lots"),
        (("Webstuhl", "Ziele"), "Den Schussfaden schonen.", "Webstuhl > Ziele"),
        (("Métier", "Objectifs"), "Ménager la trame.", "Métier > Objectifs"),
        (("Telar", "Objetivos"), "Cuidar la trama.", "Telar > Objetivos"),
        (("Tear", "Opções"), "`fino` - para lenços", "Tear > Opções"),
        (("织机", "目标"), "保护纬线", "织机 > 目标"),
        (("織機", "特徴"), "横糸を守る", "織機 > 特徴"),
        (("Loom", "Shuttle repair"), "- oil\n- felt", "Shuttle repair"),
        (("Loom", "Shuttle repair"), "```sh\noil --all\n```", "Shuttle repair"),
        (("Loom", "Selvedge"), "This keeps the edge from fraying.", "Selvedge"),
        (("Loom", "Selvedge"), "A package for straight edges in every width.", "Selvedge"),
        (
            ("looms/ Guidelines",),
            "Put facts about a single frame here, and nothing else.",
            "looms/ Guidelines",
        ),
        (("AGENTS.md", "_weft (kept) and _warp (gone)"), "Custom patterns", "_weft (kept) and _warp (gone)"),
        (
            ("AGENTS.md", "Why two looms instead of one wide loom"),
            "Two reasons. The wide one stands in the way of the two looms' weavers.",
            "Why two looms instead of one wide loom",
        ),
        (("AGENTS.md", "Remarks tell why"), "At most two lines, telling why rather than how.", "Remarks tell why"),
        (
            ("AGENTS.md", "Never dye wool or hemp"),
            "The loom sets its lamp to red for those yarns. Wash them.",
            "Never dye wool or hemp",
        ),
        (("AGENTS.md", "_parts/loom-view.tsx"), "Custom patterns", "_parts/loom-view.tsx"),
        (("AGENTS.md", "Yarn"), "This package never counts the threads of a finished cloth.", "Yarn"),
        # stands by itself
        (("AGENTS.md",), "This package never counts the threads of a finished cloth.", ""),
        (("Loom", "Selvedge"), "Never trim the cloth while it hangs in the frame.", ""),
        (("Loom", "Selvedge"), "The frame releases its own brake after ten minutes.", ""),
        (("Loom", "Selvedge"), "Trim each selvedge by hand.", ""),
        (("AGENTS.md", "Rules"), "Custom patterns", ""),
        ((), "Custom patterns", ""),
    ],
)
def test_a_text_gets_the_headings_that_it_lacks(path: tuple[str, ...], text: str, lead: str) -> None:
    assert context_lead(text, path, f"{path[-1]}: {text}" if path else text) == lead


@pytest.mark.parametrize(
    ("path", "text", "title", "lead"),
    [
        # neither the text nor the title has room for the heading that says what they are about
        (
            ("Loom", "Selvedge"),
            "Never trim the cloth while it hangs in the frame.",
            "Never trim the cloth",
            "Loom > Selvedge",
        ),
        (
            ("Loom", "Selvedge"),
            "Write what was found, and why, above each of the rows.",
            "Write what was found",
            "Loom > Selvedge",
        ),
        (
            ("AGENTS.md", "Selvedge"),
            "Never trim the cloth while it hangs in the frame.",
            "Never trim the cloth",
            "Selvedge",
        ),
        (
            ("Loom", "Mending of old cloth"),
            "Write down each of the rows.",
            "Write down each of the rows",
            "Mending of old cloth",
        ),
        # one of them names it
        (("Loom", "Selvedge"), "Never trim the cloth while it hangs.", "Selvedge: Never trim the cloth", ""),
        (("Loom", "Selvedge"), "Never trim the cloth. Keep two threads of selvedges.", "Never trim the cloth", ""),
        # no heading says anything
        (("AGENTS.md", "Rules"), "Never trim the cloth while it hangs in the frame.", "Never trim the cloth", ""),
    ],
)
def test_a_heading_that_neither_title_nor_text_names_goes_before_the_text(
    path: tuple[str, ...], text: str, title: str, lead: str
) -> None:
    assert context_lead(text, path, title) == lead
    assert without_lead(with_lead(text, lead), path) == text


@pytest.mark.parametrize("text", ["Custom patterns", "- oil\n- felt", "```sh\noil\n```", "保护纬线"])
@pytest.mark.parametrize("path", [("Loom", "Weft importer"), ("织机", "纬线导入"), ("Loom", "Yarn", "Options")])
def test_what_was_put_before_a_text_is_taken_off_again(path: tuple[str, ...], text: str) -> None:
    led = with_lead(text, lead_of(path))
    assert led != text
    assert without_lead(led, path) == text
    assert without_lead(led, ("name of the file", *path)) == text


@pytest.mark.parametrize(
    ("path", "text", "lead"),
    [
        (("loom-reed — Agent orientation", "Key files"), "- `src/reed.rs` - the reed", "loom-reed > Key files"),
        (("loom-reed — Agent orientation", "Conventions"), "Not a warp, not the frame's own brake.", "loom-reed"),
        (("AGENTS.md — looms/reed", "Rules"), "Never count a thread twice.", "looms/reed"),
        (("General yarn conventions", "Rules"), "Never mix two lots.", "General yarn"),
        (("Loom Conventions", "Yarn"), "Mend tears the same day:\n\n```sh\nmend\n```", "Loom > Yarn"),
        # it is named already, or the title names nothing
        (("loom-reed — Agent orientation", "Conventions"), "Never trim what `loom-reed` holds.", ""),
        (("AGENTS.md", "Rules"), "Never count a thread twice.", ""),
        (("Coding Guidelines", "Rules"), "Never count a thread twice.", ""),
        (
            ("loom-reed — Agent orientation", "Conventions"),
            "The reed counts every thread that passes it, and stops the frame as soon as one is missing.",
            "loom-reed",
        ),
    ],
)
def test_a_text_about_a_part_of_the_project_names_it(path: tuple[str, ...], text: str, lead: str) -> None:
    assert context_lead(text, path, text, document=path[0]) == lead
    assert without_lead(with_lead(text, lead), path) == text


def test_a_nested_file_is_about_its_folder(vault: Vault, tmp_path: Path) -> None:
    root = tmp_path / "mill"
    rule = "# loom-reed\n\n## Rules\n\n- Never count a thread twice.\n"
    write_files(root, {"looms/reed/AGENTS.md": rule, "AGENTS.md": rule.replace("thread", "bobbin")})
    bring(vault, root)
    assert sorted(stored(vault)) == ["Never count a bobbin twice.", "loom-reed: Never count a thread twice."]
    assert outcome(bring(vault, root)) == (0, 0, 2, 0)


def stored(vault: Vault) -> list[str]:
    with vault.read() as reader:
        memories = reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())
    return [memory.insight for memory in memories]


BARE = "Supports striped patterns, and no others, since the spring release."
MILL = f"# Mill\n\n## Weft importer\n\n{BARE}\n"


def test_headings_in_a_text_change_nothing_when_it_is_imported_again(vault: Vault, tmp_path: Path) -> None:
    root = tmp_path / "mill"
    write_files(root, {"AGENTS.md": MILL})
    bring(vault, root)
    assert stored(vault) == [f"Weft importer: {BARE}"]
    assert outcome(bring(vault, root)) == (0, 0, 1, 0)
    rewrite(root, "spring release", "autumn release", "AGENTS.md")
    assert outcome(bring(vault, root)) == (0, 1, 0, 0)
    assert outcome(bring(vault, root)) == (0, 0, 1, 0)


def test_a_text_that_was_taken_without_its_headings_stays_so(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "mill"
    write_files(root, {"AGENTS.md": MILL})
    with monkeypatch.context() as before:
        before.setattr("memtui.capture.draft.context_lead", lambda *_, **__: "")
        bring(vault, root)
    assert stored(vault) == [BARE]
    assert outcome(bring(vault, root)) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    "definition",
    ["A frame which keeps the warp tight.", "Ein Rahmen, der die Kette spannt.", "Un cadre qui tend la chaîne."],
)
def test_a_definition_names_the_term_that_is_its_heading(definition: str) -> None:
    assert context_lead(definition, ("Loom", "Terms", "Warp beam"), "").endswith("Warp beam")


def test_when_a_file_was_written_is_no_memory() -> None:
    dates = "_created_at: 2026-01-06_\n_updated_at: 2026-03-18_"
    assert split_markdown(f"# Loom\n\n## Later\n\n{dates}\n").pieces == []


def test_a_statement_that_begins_with_code_needs_no_heading() -> None:
    text = "`__warp__`, `weft` and `out` are generated and must not be reviewed."
    assert context_lead(text, ("AGENTS.md", "Notes"), "") == ""


def test_a_sentence_that_its_heading_begins_goes_on_after_it() -> None:
    path = ("Harbour", "Ropes", "Loose ropes on deck")
    text = "are forbidden. If a ship needs one, ask the pilot."
    led = with_lead(text, context_lead(text, path, ""))
    assert led == f"Loose ropes on deck {text}"
    assert without_lead(led, path) == text


def test_a_heading_that_is_a_tag_stays_before_what_describes_it() -> None:
    path = ("Loom notes", "Tags", "Required tags", "<weft>")
    text = "Brief words on the yarn. One line of it."
    led = with_lead(text, context_lead(text, path, ""))
    assert "<weft>: Brief words" in led
    assert without_lead(led, path) == text
