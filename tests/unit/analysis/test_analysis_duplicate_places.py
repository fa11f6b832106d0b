"""Duplicates of which one holds for more files than the other."""

from __future__ import annotations

import pytest
from support import make_memory

from memtui.analysis.duplicates import DuplicateGroup, find_duplicates
from memtui.analysis.pair_differences import differences
from memtui.analysis.snapshot import Snapshot, TextCache
from memtui.domain.memory import Anchor, Memory, Source
from memtui.domain.scope import holds_within

OIL = "Oil the winch of the tender before each spring tide."
DUTIES = f"{OIL}\n- Coil the mooring ropes by their length.\n- Count the lanterns and log the broken ones.\n" * 2


def ruled(identifier: str, text: str, *paths: str, tags: tuple[str, ...] = ()) -> Memory:
    source = Source(format="cursor-rules", path=f"{identifier}.md", native_id=f"Rules of {identifier}#1")
    anchors = tuple(Anchor(path=path) for path in paths)
    return make_memory(
        id=identifier, title=text[:40], insight=text, sources=(source,), project="harbour", anchors=anchors, tags=tags
    )


def groups_of(*memories: Memory) -> list[DuplicateGroup]:
    return find_duplicates(Snapshot(list(memories)))


@pytest.mark.parametrize(
    ("inner", "outer", "proposed"),
    [
        ((), (), True),
        ((), ("yard/**",), False),
        (("yard/**",), (), True),
        (("yard/crane/*",), ("yard/**",), True),
        (("quay/**",), ("yard/**",), False),
    ],
)
def test_a_list_for_some_files_is_not_proposed_with_a_rule_for_others(
    inner: tuple[str, ...], outer: tuple[str, ...], *, proposed: bool
) -> None:
    assert bool(groups_of(ruled("short", OIL, *inner), ruled("long", DUTIES, *outer))) == proposed


def test_two_that_say_much_the_same_are_proposed_with_the_files_that_only_one_holds_for() -> None:
    (group,) = groups_of(ruled("short", OIL), ruled("long", f"{OIL} Wipe it dry.", "yard/**"))
    assert group.warnings == ("one holds for all files, the other only for some: yard/**",)
    (group,) = groups_of(ruled("one", OIL), ruled("other", OIL, "yard/**"))
    assert group.warnings == (), "the same text for all files loses nothing"


def test_a_file_that_a_text_names_is_not_what_it_holds_for() -> None:
    named = ruled("named", f"{OIL} See `yard/winch.md`.", "yard/winch.md")
    found = differences(named, ruled("all", OIL), TextCache())
    assert "scope" not in {each.sort for each in found}
    assert holds_within(ruled("all", OIL), named)


def test_a_phase_is_left_by_what_holds_in_all() -> None:
    build, both = ruled("one", OIL, tags=("only:build",)), ruled("other", OIL, tags=("only:build", "only:debug"))
    assert holds_within(build, both)
    assert not holds_within(ruled("any", OIL), build)
    assert not holds_within(both, build)


def test_the_items_that_a_title_counts_are_no_numbers_of_the_text() -> None:
    one = make_memory(title="Tenders: oil the winch, coil the ropes, and 4 more", insight=DUTIES)
    other = make_memory(title="Tenders: oil the winch and 12 more", insight=f"{DUTIES}- Sweep the deck.")
    assert not [each for each in differences(one, other, TextCache()) if each.sort == "numbers"]
