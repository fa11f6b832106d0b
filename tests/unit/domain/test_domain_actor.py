"""Who acts: a person by default, an agent by name, and what an agent may not touch."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.domain.identity import Actor, check_may_alter, parse_actor
from memtui.domain.memory import Memory
from memtui.errors import EXIT_REFUSED, RefusedError, UsageError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAIN = Memory(id="abcd2345", title="Seed first", insight="i", created_at=NOW, updated_at=NOW, confirmed_by="person")


@pytest.fixture(autouse=True)
def _no_actor_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTUI_ACTOR", raising=False)


def test_the_one_at_the_keyboard_is_a_person() -> None:
    assert parse_actor(None) == Actor("person", is_person=True)
    assert parse_actor("person") == Actor("person", is_person=True)


def test_a_given_name_is_an_agents() -> None:
    assert parse_actor(" claude-code ") == Actor("claude-code", is_person=False)


def test_a_person_may_give_a_name() -> None:
    assert parse_actor("person:ada") == Actor("ada", is_person=True)
    assert parse_actor("person: ") == Actor("person", is_person=True)


def test_the_environment_names_the_actor_unless_the_option_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_ACTOR", "codex")
    assert parse_actor(None) == Actor("codex", is_person=False)
    assert parse_actor("person").is_person
    monkeypatch.setenv("MEMTUI_ACTOR", "")
    assert parse_actor(None).is_person


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\nb", "a\x1b[31mb", "\u202eabc"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        parse_actor(name)


def test_a_person_may_alter_anything() -> None:
    verified = Memory(id="a", title="t", insight="i", created_at=NOW, updated_at=NOW, pinned=True, verified_at=NOW)
    check_may_alter(Actor(), verified)


def test_an_agent_may_alter_what_nobody_vouched_for() -> None:
    check_may_alter(Actor("codex", is_person=False), PLAIN)


@pytest.mark.parametrize("vouched", [{"pinned": True}, {"verified_at": NOW}])
def test_an_agent_may_not_alter_what_a_person_vouched_for(vouched: dict[str, object]) -> None:
    memory = Memory(id="abcd2345", title="Seed", insight="i", created_at=NOW, updated_at=NOW, **vouched)  # type: ignore[arg-type]
    with pytest.raises(RefusedError) as refused:
        check_may_alter(Actor("codex", is_person=False), memory)
    assert refused.value.exit_code == EXIT_REFUSED
    assert "abcd2345" in str(refused.value)
    assert "--supersedes" in refused.value.remedy
