"""How the inbox arranges what waits: by file and section, and proposals that are less sure below the others."""

from __future__ import annotations

from dataclasses import replace

from memtui.curate.inbox import Offer
from memtui.tui.inbox.grouping import arrange, file_key, less_sure_key, section_key

SESSION = "/t/a.jsonl"


def offers() -> list[Offer]:
    return [
        Offer(
            f"id{number}", 1, "bay", "lesson", f"Lesson {number}", "", SESSION, "s-1", 10 - number, "claude-code", score
        )
        for number, score in enumerate((0.5, 0.9, 0.6, 0.8))
    ]


def test_the_surest_come_first_and_the_rest_folds() -> None:
    found = offers()
    group = less_sure_key(found[0])
    open_lines = arrange(found, less_sure={"id0", "id2"}).lines
    assert open_lines == (file_key(found[0]), "id1", "id3", group, "id2", "id0")
    folded = arrange(found, less_sure={"id0", "id2"}, folded=[group])
    assert folded.lines == (file_key(found[0]), "id1", "id3", group)
    assert folded.shown == ("id1", "id3", "id2", "id0")
    assert folded.groups[group].members == ("id2", "id0")
    assert folded.group_of["id0"] == group


def test_without_any_the_order_is_that_of_the_lines_and_by_kind_nothing_folds() -> None:
    found = offers()
    assert arrange(found).shown == ("id3", "id2", "id1", "id0")
    assert less_sure_key(found[0]) not in arrange(found, by_kind=True, less_sure={"id0"}).lines


def test_what_goes_on_below_a_subsection_stands_with_the_rest_of_its_section() -> None:
    headings = (
        "Mill > Race",
        "Mill > Race",
        "Mill > Race > Floods",
        "Mill > Race > Floods",
        "Mill > Race",
        "Mill > Wheel",
    )
    found = [
        replace(one, id=f"id{at}", path="mill.md", line=at + 1, heading=heading)
        for at, (one, heading) in enumerate(zip([offers()[0]] * len(headings), headings, strict=True))
    ]
    race, floods = (section_key(found[at]) for at in (0, 2))
    lines = arrange(found).lines[1:]
    assert lines == (race, "id0", "id1", "id4", floods, "id2", "id3", "id5")


def test_a_folded_file_of_one_shows_its_memory_and_one_of_two_its_path() -> None:
    one, *two = (replace(each, path=path) for each, path in zip(offers(), ("a.md", "b.md", "b.md"), strict=False))
    files = [file_key(one), file_key(two[0])]
    assert arrange([one, *two]).lines == (files[0], one.id, files[1], two[1].id, two[0].id)
    folded = arrange([one, *two], folded=files)
    assert folded.lines == (one.id, files[1])
    assert folded.alone == {one.id}
    assert folded.groups[files[0]].members == (one.id,)


def test_a_session_is_called_by_its_name_and_a_file_of_rules_by_its_path() -> None:
    first, *_ = offers()
    long = replace(first, path="/t/rollout-2026-05-01-9f3c11d07b2a.jsonl")
    rules = replace(first, path="/t/rules.jsonl", score=1.0)
    labels = [arrange([one]).groups[file_key(one)].label for one in (first, long, rules)]
    assert labels == ["session a, claude-code", "session …11d07b2a, claude-code", "/t/rules.jsonl"]
