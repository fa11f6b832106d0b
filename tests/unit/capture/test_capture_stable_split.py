"""An edited source is cut where it was cut before: nothing doubled, nothing lost, what is unchanged stays so."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from curating import bring, bring_with_plan, everything, get, outcome, write_files
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.markdown import split_markdown
from memtui.capture.stable_split import Atom, Familiar, KnownUnit
from memtui.capture.units import PIECE_CHARS
from memtui.curate.lifecycle import retire
from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault

PERSON = Actor()

_WORDS = [
    group.split("|")
    for group in (
        "gateway|ledger|courier|webhook|timetable|invoice|scheduler|cache|replica|tenant|locale|badge",
        "rejects|rounds|queues|mirrors|archives|throttles|signs|renders|counts|rotates|batches|expires",
        "duplicate tokens|negative totals|nightly exports|stale prices|orphaned rows|late parcels|empty carts",
        "since the spring outage|because auditors asked|unless a flag is set|for every region|on weekdays alone",
    )
]


def sentence(number: int) -> str:
    """Return a sentence that no other number gives."""
    chance = random.Random(number)
    words = [chance.choice(group) for group in _WORDS]
    return f"The {words[0]} of line {number * 7919} {words[1]} {words[2]} {words[3]}."


def paragraph(*numbers: int) -> str:
    return " ".join(map(sentence, numbers))


def long_paragraph(first: int, characters: int) -> str:
    text, number = "", first
    while len(text) < characters:
        text, number = f"{text} {sentence(number)}".strip(), number + 1
    return text


def test_a_section_that_outgrows_one_memory_stays_one(vault: Vault, tmp_path: Path) -> None:
    first, second, third = (
        long_paragraph(10, 300),
        f"Also {long_paragraph(30, 300)}",
        f"Otherwise {long_paragraph(50, 200)}",
    )
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{first}\n\n{second}\n\n{third}\n"})
    [whole] = bring(vault, tmp_path / "shop").ids

    grown = f"{second} {long_paragraph(70, 700)}"
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{first}\n\n{grown}\n\n{third}\n"})
    plan, report = bring_with_plan(vault, tmp_path / "shop")

    assert outcome(report) == (0, 1, 0, 0)
    assert plan.missing == []
    assert get(vault, whole).insight == f"{first}\n\n{grown}\n\n{third}"


def test_a_section_of_several_memories_that_shrinks_stays_several(vault: Vault, tmp_path: Path) -> None:
    first, second = long_paragraph(10, 800), long_paragraph(30, 700)
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{first}\n\n{second}\n"})
    upper, lower = bring(vault, tmp_path / "shop").ids

    short = first[:200].rpartition(".")[0] + "."
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{short}\n\n{second}\n"})
    plan, report = bring_with_plan(vault, tmp_path / "shop")

    assert outcome(report) == (0, 1, 1, 0)
    assert plan.missing == []
    assert (get(vault, upper).insight, get(vault, lower).insight) == (short, second)


def test_an_edited_memory_still_tells_where_its_source_was_cut(vault: Vault, tmp_path: Path) -> None:
    first, second = long_paragraph(10, 800), long_paragraph(30, 700)
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{first}\n\n{second}\n"})
    upper, lower = bring(vault, tmp_path / "shop").ids
    edit_memory(vault, upper, {"insight": "Something else, said by a person."}, actor=PERSON)
    retire(vault, [lower], actor=PERSON, reason="wrong")

    short = first[:200].rpartition(".")[0] + "."
    write_files(tmp_path / "shop", {"CLAUDE.md": f"# Shop\n\n## Prices\n\n{short}\n\n{second}\n"})
    plan, report = bring_with_plan(vault, tmp_path / "shop")

    assert outcome(report) == (0, 0, 0, 1)
    assert [item.reason.split(" (")[0] for item in plan.items if item.action == "skip"] == ["you retired this"]


def test_a_list_that_was_parted_stays_parted_when_its_items_change(vault: Vault, tmp_path: Path) -> None:
    rules = [f"- Always check {sentence(number)[4:]}" for number in range(4)]
    write_files(tmp_path / "shop", {"CLAUDE.md": "# Shop\n\n## Notes\n\n" + "\n".join(rules) + "\n"})
    assert bring(vault, tmp_path / "shop").added == 4

    names = [f"- `module_{number}`" for number in range(9)]
    write_files(tmp_path / "shop", {"CLAUDE.md": "# Shop\n\n## Notes\n\n" + "\n".join(rules + names) + "\n"})
    plan, report = bring_with_plan(vault, tmp_path / "shop")

    assert (report.updated, report.unchanged) == (0, 4)
    assert plan.missing == []


def test_a_list_that_was_one_memory_stays_one_when_its_items_become_rules(vault: Vault, tmp_path: Path) -> None:
    names = [f"- `module_{number}` of the shop" for number in range(4)]
    head = "# Shop\n\n## Modules\n\nThe modules are:\n\n"
    write_files(tmp_path / "shop", {"CLAUDE.md": head + "\n".join(names) + "\n"})
    [whole] = bring(vault, tmp_path / "shop").ids

    longer = [f"- `module_{number}` of the shop" for number in range(4)] + [
        f"- Never touch {sentence(number)[4:]}" for number in range(60)
    ]
    write_files(tmp_path / "shop", {"CLAUDE.md": head + "\n".join(longer) + "\n"})
    plan, report = bring_with_plan(vault, tmp_path / "shop")

    assert plan.missing == []
    assert whole in {item.memory.id for item in plan.items if item.memory}
    assert not any("`module_0` of the shop" in item.draft.insight for item in plan.items if item.action == "add")
    assert report.conflicts == []


@pytest.mark.parametrize("name", [".cursor/rules/prices.mdc", ".claude/projects/x/memory/project_prices.md"])
def test_a_short_file_that_was_one_memory_stays_one_when_it_grows(vault: Vault, tmp_path: Path, name: str) -> None:
    head = "---\ndescription: How prices come about\nname: prices\ntype: project\n---\n"
    parts = [f"## Part {number}\n\n{long_paragraph(100 * number, 300)}" for number in range(1, 4)]
    one = name.endswith(".md")
    body = "\n\n".join(parts) if one else long_paragraph(100, 300) + "\n\n" + long_paragraph(200, 300)
    write_files(tmp_path / "shop", {name: f"{head}{body}\n"})
    [whole] = bring(vault, tmp_path / "shop" / name).ids

    grown = f"{body}\n\n{long_paragraph(900, 2_000)}\n"
    write_files(tmp_path / "shop", {name: head + grown})
    plan, report = bring_with_plan(vault, tmp_path / "shop" / name)

    assert plan.missing == []
    assert whole in {item.memory.id for item in plan.items if item.memory}
    assert not any(body[:60] in item.draft.insight for item in plan.items if item.action == "add")
    assert report.conflicts == []


def test_a_source_that_did_not_change_is_not_cut_anew(vault: Vault, tmp_path: Path) -> None:
    text = "# Shop\n\n## Prices\n\n" + "\n\n".join(long_paragraph(100 * number, 500) for number in range(5))
    write_files(tmp_path / "shop", {"CLAUDE.md": text})
    bring(vault, tmp_path / "shop")
    before = everything(vault)
    assert outcome(bring(vault, tmp_path / "shop"))[:2] == (0, 0)
    assert everything(vault) == before


# -- at random ------------------------------------------------------------------------------------

Paragraph = list[int]


@st.composite
def documents(draw: st.DrawFn) -> list[tuple[bool, list[Paragraph]]]:
    """Sections, each a list of rules or prose, each paragraph a list of sentences by number."""
    sections = []
    number = 1
    for _ in range(draw(st.integers(1, 3))):
        is_list = draw(st.booleans())
        parts = []
        for _ in range(draw(st.integers(1, 6))):
            size = 1 if is_list else draw(st.integers(1, 9))
            parts.append(list(range(number, number + size)))
            number += size
        sections.append((is_list, parts))
    return sections


def rendered(sections: list[tuple[bool, list[Paragraph]]]) -> str:
    parts = []
    for at, (is_list, paragraphs) in enumerate(sections):
        texts = [paragraph(*numbers) for numbers in paragraphs]
        body = "\n".join(f"- Never {text}" for text in texts) if is_list else "\n\n".join(texts)
        parts.append(f"## Topic {at}\n\n{body}")
    return "\n\n".join(parts) + "\n"


def edited(
    draw: Callable[..., Any], sections: list[tuple[bool, list[Paragraph]]]
) -> list[tuple[bool, list[Paragraph]]]:
    """Let sections grow and shrink: sentences added or dropped, paragraphs added; at most a few."""
    result = [(is_list, [list(numbers) for numbers in paragraphs]) for is_list, paragraphs in sections]
    fresh = 1_000
    for _ in range(draw(st.integers(1, 4))):
        is_list, paragraphs = draw(st.sampled_from(result))
        what = draw(st.sampled_from(["grow", "shrink", "add"]))
        at = draw(st.integers(0, len(paragraphs) - 1))
        if what == "grow" and not is_list:
            more = draw(st.integers(1, 6))
            paragraphs[at].extend(range(fresh, fresh + min(more, len(paragraphs[at]))))
        elif what == "shrink" and len(paragraphs[at]) > 3:
            paragraphs[at].pop()
        elif what == "add":
            paragraphs.insert(at, [fresh + 500])
        fresh += 1_000
    return result


def _grew(before: tuple[bool, list[Paragraph]], after: tuple[bool, list[Paragraph]]) -> bool:
    return len(after[1]) > len(before[1])


@given(st.data())
def test_sections_that_grow_and_shrink_keep_their_units(data: st.DataObject) -> None:
    before = data.draw(documents())
    after = edited(data.draw, before)
    old, text = split_markdown(rendered(before)).pieces, rendered(after)
    familiar = Familiar([KnownUnit(piece.native_id, piece.text) for piece in old], text)

    new = split_markdown(text, familiar=familiar).pieces

    texts = [piece.text for piece in new]
    # What is written between the paragraphs of one memory belongs to it, so that it changes.
    entered = {f"Topic {at}" for at, (is_list, _) in enumerate(before) if not is_list and _grew(before[at], after[at])}
    for piece in old:
        there = f"\n{piece.text}\n" in f"\n{text}\n" or f"- {piece.text}\n" in text
        if there and piece.heading_path[-1] not in entered:
            assert piece.text in texts, "what is unchanged stays unchanged"
    units = familiar.units_of([Atom(piece.text, " > ".join(piece.heading_path)) for piece in new])
    held = [unit for unit in units if unit is not None]
    assert len(held) == len(set(held)), "no unit is doubled"
    assert set(held) == set(range(len(old))), "nothing that is still there is lost"
    # A line that is too long for one memory is parted at its sentences.
    short = {number for number, line in enumerate(text.split("\n"), start=1) if len(line) <= PIECE_CHARS}
    covered = sorted(number for piece in new for number in range(piece.span[0], piece.span[1] + 1) if number in short)
    assert covered == sorted(set(covered)), "no line is in two pieces"


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("- Never one.\n- Never two.\n", "- Never one.\n- Never one.\n- Never two.\n", ["Never one.", "Never two."]),
        (
            "Rules\n\n1. Never use one.\n2. Always use two.\n",
            f"Rules\n\n{long_paragraph(5, 200)}\n\n1. Never use one.\n2. Always use two.\n",
            ["Never use one.", "Always use two."],
        ),
        ("- Never one.\n", "- Never one.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", ["Never one."]),
    ],
    ids=["an item twice", "a paragraph before a list", "a table after an item"],
)
def test_what_is_written_beside_items_leaves_them_alone(before: str, after: str, kept: list[str]) -> None:
    old = split_markdown(before).pieces
    familiar = Familiar([KnownUnit(piece.native_id, piece.text) for piece in old], after)
    assert [piece.text for piece in old] == kept
    texts = [piece.text for piece in split_markdown(after, familiar=familiar).pieces]
    assert set(kept) <= set(texts)
    assert all(text in kept or not any(word in text for word in kept) for text in texts)


def test_titles_that_tell_two_memories_apart_stay_when_one_of_them_changes(vault: Vault, tmp_path: Path) -> None:
    rule = "- Never lift at night.{}\n- Always lock the hook.\n"
    written = (
        f"# Quay\n\n## Cranes\n\n{rule.format(' Lamps blind the crew.')}\n## Boats\n\n{rule.format(' Ropes swell.')}"
    )
    write_files(tmp_path / "quay", {"CLAUDE.md": written})
    brought = bring(vault, tmp_path / "quay").ids
    assert {get(vault, one).title for one in brought} >= {
        "Cranes: Never lift at night",
        "Boats: Never lift at night",
    }

    write_files(tmp_path / "quay", {"CLAUDE.md": written.replace("Never lift at night. Ropes", "Lift by day. Ropes")})
    _, report = bring_with_plan(vault, tmp_path / "quay")

    assert outcome(report) == (0, 1, 2, 0)
    titles = {get(vault, one).insight: get(vault, one).title for one in brought}
    assert titles["Never lift at night. Lamps blind the crew."] == "Cranes: Never lift at night"


def test_a_memory_under_another_heading_is_titled_by_that(vault: Vault, tmp_path: Path) -> None:
    write_files(tmp_path / "quay", {"CLAUDE.md": "# Quay\n\n## Cranes\n\nIt stops by itself after ten minutes.\n"})
    [one] = bring(vault, tmp_path / "quay").ids
    assert get(vault, one).title == "Quay: Cranes: It stops by itself after ten minutes"

    write_files(tmp_path / "quay", {"CLAUDE.md": "# Quay\n\n## Lifts\n\nIt stops by itself after ten minutes.\n"})
    _, report = bring_with_plan(vault, tmp_path / "quay")
    assert outcome(report) == (0, 1, 0, 0)
    assert get(vault, one).title == "Quay: Lifts: It stops by itself after ten minutes"
