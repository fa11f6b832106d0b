"""Links between memories."""

from __future__ import annotations

import pytest
from curating import AGENT, PERSON, add, everything, get

from memtui.curate.history import undo
from memtui.curate.lifecycle import accept, pin
from memtui.curate.links import link, unlink
from memtui.domain.memory import LINK_TYPES, Memory
from memtui.errors import NotFoundError, RefusedError, UsageError
from memtui.vault import journal
from memtui.vault.vault import Vault


@pytest.fixture
def pair(vault: Vault) -> tuple[Memory, Memory]:
    return add(vault, "Use Postgres 14"), add(vault, "Use Postgres 13")


def test_every_type_of_link_is_made_once(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    new, old = pair
    for name in LINK_TYPES:
        assert link(vault, new.id[:6], name, old.id[:6], actor=PERSON) is not None
        assert link(vault, new.id, name, old.id, actor=PERSON) is None
    with vault.read() as reader:
        assert sorted(found.type for found in reader.links([old.id])) == sorted(LINK_TYPES)
        assert len(journal.log(reader)) == 2 + len(LINK_TYPES)


def test_a_link_names_who_made_it(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    made = link(vault, pair[0].id, "relates", pair[1].id, actor=AGENT)
    assert made is not None
    assert made.origin == "codex"


def test_superseding_takes_the_other_out_of_use_and_back(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    new, old = pair
    before = everything(vault)
    link(vault, new.id, "supersedes", old.id, actor=PERSON)
    assert get(vault, old.id).status == "superseded"
    unlink(vault, new.id, "supersedes", old.id, actor=PERSON)
    assert get(vault, old.id).status == "active"
    assert everything(vault) == before


def test_what_two_supersede_stays_superseded_until_both_let_go(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    new, old = pair
    other = add(vault, "Use MySQL")
    for winner in (new, other):
        link(vault, winner.id, "supersedes", old.id, actor=PERSON)
    unlink(vault, new.id, "supersedes", old.id, actor=PERSON)
    assert get(vault, old.id).status == "superseded"
    unlink(vault, other.id, "supersedes", old.id, actor=PERSON)
    assert get(vault, old.id).status == "active"


def test_a_candidate_supersedes_once_it_is_accepted(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    proposed = add(vault, "Use Postgres 16", actor=AGENT)
    link(vault, proposed.id, "supersedes", pair[0].id, actor=PERSON)
    assert get(vault, pair[0].id).status == "active"
    accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent)
    assert get(vault, pair[0].id).status == "superseded"


def test_an_agent_does_not_supersede_what_a_person_accepted(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    with pytest.raises(RefusedError):
        link(vault, pair[0].id, "supersedes", pair[1].id, actor=AGENT)
    assert get(vault, pair[1].id).status == "active"


def test_an_agent_does_not_supersede_what_a_person_pinned(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    pin(vault, [pair[1].id], actor=PERSON)
    with pytest.raises(RefusedError):
        link(vault, pair[0].id, "supersedes", pair[1].id, actor=AGENT)
    with vault.read() as reader:
        assert reader.links() == []


def test_an_agent_takes_away_only_its_own_links(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    link(vault, pair[0].id, "contradicts", pair[1].id, actor=PERSON)
    link(vault, pair[0].id, "relates", pair[1].id, actor=AGENT)
    with pytest.raises(RefusedError, match="itself"):
        unlink(vault, pair[0].id, "contradicts", pair[1].id, actor=AGENT)
    assert unlink(vault, pair[0].id, "relates", pair[1].id, actor=AGENT).type == "relates"
    with vault.read() as reader:
        assert [found.type for found in reader.links()] == ["contradicts"]


@pytest.mark.parametrize("name", LINK_TYPES)
def test_a_memory_is_not_linked_to_itself(vault: Vault, pair: tuple[Memory, Memory], name: str) -> None:
    with pytest.raises(UsageError, match="itself"):
        link(vault, pair[0].id, name, pair[0].id, actor=PERSON)


def test_wrong_words_and_ids_are_errors(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    with pytest.raises(UsageError, match="supersedes, contradicts"):
        link(vault, pair[0].id, "replaces", pair[1].id, actor=PERSON)
    with pytest.raises(NotFoundError):
        link(vault, pair[0].id, "relates", "zzzzzzzz", actor=PERSON)
    with pytest.raises(NotFoundError, match="no such link"):
        unlink(vault, pair[0].id, "relates", pair[1].id, actor=PERSON)


def test_a_link_has_a_direction(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    link(vault, pair[0].id, "derived-from", pair[1].id, actor=PERSON)
    with pytest.raises(NotFoundError):
        unlink(vault, pair[1].id, "derived-from", pair[0].id, actor=PERSON)


def test_linking_and_unlinking_can_be_undone(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    start = everything(vault)
    link(vault, pair[0].id, "supersedes", pair[1].id, actor=PERSON)
    linked = everything(vault)
    unlink(vault, pair[0].id, "supersedes", pair[1].id, actor=PERSON)
    undo(vault, actor=PERSON)
    assert everything(vault) == linked
    undo(vault, actor=PERSON)
    assert everything(vault) == start
