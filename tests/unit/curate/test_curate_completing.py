"""What a field completes to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memtui.curate.fields import completions, vault_tags
from memtui.domain.memory import Memory
from memtui.vault.vault import Vault

AT = datetime(2026, 6, 1, tzinfo=UTC)
CHOICES = ("pay/lock.py", "pay/api.py", "tests/test_pay.py", "Locking")


def test_what_begins_with_the_text_comes_before_what_holds_it() -> None:
    assert completions("lock", CHOICES) == ["Locking", "pay/lock.py"]
    assert completions("pay/", CHOICES, most=1) == ["pay/lock.py"]
    assert completions("", CHOICES) == []
    assert completions("Locking", CHOICES) == [], "what is a choice already needs none"


@given(st.text(max_size=5), st.lists(st.text(max_size=8), max_size=20), st.integers(1, 9))
def test_completions_are_choices_that_hold_the_text(typed: str, choices: list[str], most: int) -> None:
    found = completions(typed, tuple(choices), most)
    assert len(found) <= most
    assert all(each in choices and typed.casefold() in each.casefold() for each in found)


def test_tags_come_most_used_first(vault: Vault) -> None:
    memory = Memory(id="a", title="t", insight="i", created_at=AT, updated_at=AT, tags=("lock", "redis"))
    with vault.write(actor="person", action="add", summary="add") as writer:
        writer.put_many([memory, replace(memory, id="b", tags=("redis",))])
    assert vault_tags(vault) == ("redis", "lock")
