"""What sentences about teams call places, rights and conflicts."""

from __future__ import annotations

import pytest

from memtui.vault.teams import Team
from memtui.wording import syncing


@pytest.mark.parametrize(
    ("place", "branch", "words"),
    [
        ("postgresql://ana@db.example.org:5433/memories?sslmode=verify-full", "", "memories on db.example.org:5433"),
        ("postgresql:///memories", "", "memories on this machine"),
        ("postgresql://ana@db.example.org", "", "postgresql://ana@db.example.org"),
        ("service=memories", "", "service=memories"),
        ("git@git.example.org:ana/memories.git", "memory", "ana/memories (memory)"),
        ("https://git.example.org/acme/shop.git/", "memory", "acme/shop (memory)"),
        ("/srv/git/shop.git", "notes", "git/shop (notes)"),
    ],
)
def test_a_place_is_named_in_brief(place: str, branch: str, words: str) -> None:
    carrier = "git" if branch else "postgres"
    assert syncing.place_words(Team(id="t", carrier=carrier, place=place, branch=branch)) == words


def test_rights_are_told_in_words() -> None:
    assert syncing.right_words("write", None) == "may write in every project"
    assert syncing.right_words("admin", "shop") == "is an admin of shop"


def test_conflicts_say_whom_they_are_with() -> None:
    assert syncing.conflicts_with(1, 1) == "1 conflict with the team"
    assert syncing.conflicts_with(3, 1) == "3 source conflicts"


def test_deletions_say_how_they_are_taken_back() -> None:
    assert "`memtui undo 5` or `memtui undo 7`" in syncing.deleted(4, [5, 7]).replace(", ", " or ")
    assert "12 of 20 links and verdicts of project shop" in syncing.many_deleted("shop", 12, 20, is_of_memories=False)
