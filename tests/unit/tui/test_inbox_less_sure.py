"""Proposals beyond the surest of their source stand in a group of their own, below the others."""

from __future__ import annotations

from memtui.curate.inbox import Offer
from memtui.tui.inbox.candidates import arrange, file_key, less_sure_key

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
