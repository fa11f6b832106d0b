"""Links between memories. Reflecting: several notes become the sources of one conclusion."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from curating import AGENT, PERSON, add, everything, get, new_vault
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.curate.history import redo, undo
from memtui.curate.lifecycle import accept, pin, restore, retire
from memtui.curate.links import Conclusion, link, propose, reflect, unlink
from memtui.curate.memories import edit_memory
from memtui.domain.memory import LINK_TYPES, Anchor, Memory
from memtui.errors import ConflictError, NotFoundError, RefusedError, SecretRefusedError, UsageError
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


def test_the_journal_names_linked_memories_by_their_titles(vault: Vault, pair: tuple[Memory, Memory]) -> None:
    one, other = pair
    link(vault, one.id, "relates", other.id, actor=PERSON)
    unlink(vault, one.id, "relates", other.id, actor=PERSON)
    with vault.read() as reader:
        told = [change.summary for change in journal.log(reader, limit=2)]
    named = f"“{one.title}” relates “{other.title}”"
    assert told == [f"unlink {named}", f"link {named}"]


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
    with pytest.raises(NotFoundError, match="No such link"):
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


TEXT = "Whoever takes the refund lock must be able to let go of it late."


@pytest.fixture
def notes(vault: Vault) -> list[Memory]:
    return [
        add(vault, "The lock was lost at noon", kind="note", tags=("lock", "redis")),
        add(vault, "The lock was held for an hour", kind="lesson", tags=("redis", "refunds")),
        add(vault, "A refund waited for the lock", kind="note", project="global"),
    ]


def ids(memories: list[Memory]) -> list[str]:
    return [memory.id for memory in memories]


def derived(vault: Vault, identifier: str) -> set[str]:
    with vault.read() as reader:
        links = reader.links([identifier])
    return {link.to_id for link in links if link.type == "derived-from" and link.from_id == identifier}


def test_a_conclusion_keeps_its_sources_and_takes_over_what_they_share(vault: Vault, notes: list[Memory]) -> None:
    made = reflect(vault, [note.id[:6] for note in notes], Conclusion(text=TEXT, title="Let go late"), actor=PERSON)
    memory = made.memory
    assert (memory.title, memory.insight, memory.kind, memory.status) == ("Let go late", TEXT, "lesson", "active")
    assert memory.project == "shop", "the strictest of its sources"
    assert memory.tags == ("lock", "redis", "refunds")
    assert derived(vault, memory.id) == set(ids(notes))
    assert [get(vault, note.id).status for note in notes] == ["active"] * 3
    with vault.read() as reader:
        change = journal.log(reader)[0]
    assert (change.action, change.number) == ("reflect", 4), "one change for all"
    assert change.summary == "reflect 3 memories into Let go late"


def test_what_is_proposed_can_be_changed(vault: Vault, notes: list[Memory]) -> None:
    said = Conclusion(text=TEXT, kind="constraint", tags=("own",), anchors=(Anchor("pay/*.py"),), project="docks")
    memory = reflect(vault, ids(notes), said, actor=PERSON).memory
    assert (memory.kind, memory.tags, memory.anchors, memory.project) == (
        "constraint",
        ("own",),
        (Anchor("pay/*.py"),),
        "docks",
    )


def test_a_place_where_one_source_alone_holds_is_not_that_of_the_conclusion(vault: Vault, notes: list[Memory]) -> None:
    one, other, *_ = notes
    edit_memory(vault, one.id, {"tags": ("only:pay/**", "only:release", "x")}, actor=PERSON)
    edit_memory(vault, other.id, {"tags": ("only:release",)}, actor=PERSON)
    assert propose([get(vault, one.id), get(vault, other.id)]).tags == ("only:release", "x")


def test_the_outline_is_a_help_and_no_conclusion(vault: Vault, notes: list[Memory]) -> None:
    outline = propose(notes).outline
    assert outline.splitlines()[0] == "- The lock was lost at noon"
    before = everything(vault)
    for text in (outline, "\n" + outline.splitlines()[1] + "\n", "  \n"):
        with pytest.raises(UsageError):
            reflect(vault, ids(notes), Conclusion(text=text), actor=PERSON)
    assert everything(vault) == before
    assert reflect(vault, ids(notes), Conclusion(text=outline + TEXT), actor=PERSON).is_new


def test_sources_can_be_retired_with_it_and_are_no_evidence_against_their_kind(
    vault: Vault, notes: list[Memory]
) -> None:
    pin(vault, [notes[0].id], actor=PERSON)
    made = reflect(vault, ids(notes), Conclusion(text=TEXT), actor=PERSON, retire=True)
    assert {(source.status, source.status_reason, source.pinned) for source in made.sources} == {
        ("retired", f"reflected in {made.memory.id}", False)
    }
    with vault.read() as reader:
        assert {stone.memory_id for stone in reader.tombstones()} == set(ids(notes))
        assert reader.verdicts() == []
    restore(vault, [notes[1].id], actor=PERSON)
    assert get(vault, notes[1].id).status == "active"
    assert notes[1].id in derived(vault, made.memory.id)


def test_a_conclusion_that_is_there_already_gets_the_sources(vault: Vault, notes: list[Memory]) -> None:
    known = add(vault, TEXT, title="Known")
    made = reflect(vault, ids(notes), Conclusion(text=TEXT, title="Known"), actor=PERSON)
    assert (made.memory.id, made.is_new) == (known.id, False)
    assert derived(vault, known.id) == set(ids(notes))
    with pytest.raises(UsageError, match="the same as one of its sources"):
        reflect(vault, [known.id, notes[0].id], Conclusion(text=TEXT, title="Known"), actor=PERSON)


def test_what_cannot_be_reflected_changes_nothing(vault: Vault, notes: list[Memory]) -> None:
    gone = add(vault, "The lock is in memcached")
    retire(vault, [gone.id], actor=PERSON)
    elsewhere = add(vault, "Another lock", project="docks")
    moved = {notes[0].id: notes[0].version}
    edit_memory(vault, notes[0].id, {"rationale": "since March"}, actor=PERSON)
    before = everything(vault)
    secret = "token AKIA" + "QYLPMN5HHHF" + "PZAM2"
    cases: list[tuple[list[str], str, dict[str, Any], type[Exception]]] = [
        ([notes[0].id], TEXT, {}, UsageError),
        ([notes[0].id, notes[0].id], TEXT, {}, UsageError),
        ([notes[0].id, "nosuchid"], TEXT, {}, NotFoundError),
        ([notes[0].id, gone.id], TEXT, {}, RefusedError),
        ([notes[0].id, elsewhere.id], TEXT, {}, UsageError),
        (ids(notes), secret, {}, SecretRefusedError),
        (ids(notes), TEXT, {"versions": moved}, ConflictError),
        (ids(notes), TEXT, {"actor": AGENT, "retire": True}, RefusedError),
    ]
    for sources, text, options, error in cases:
        with pytest.raises(error):
            reflect(vault, sources, Conclusion(text=text), **{"actor": PERSON, **options})
    assert everything(vault) == before


def test_an_agent_proposes_a_conclusion(vault: Vault, notes: list[Memory]) -> None:
    made = reflect(vault, ids(notes), Conclusion(text=TEXT), actor=AGENT)
    assert (made.memory.status, made.memory.source and made.memory.source.agent) == ("candidate", "codex")
    assert derived(vault, made.memory.id) == set(ids(notes))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(lambda text: text.strip())


@settings(max_examples=15)
@given(
    texts=st.lists(TEXTS, min_size=2, max_size=5, unique_by=lambda text: text.strip()),
    conclusion=TEXTS,
    retired=st.booleans(),
    again=st.integers(0, 3),
)
def test_undo_and_redo_of_a_reflection_are_exact(texts: list[str], conclusion: str, retired: bool, again: int) -> None:
    with TemporaryDirectory() as folder:
        vault, _ = new_vault(Path(folder))
        sources: list[Memory] = []
        for text in texts:
            with pytest.MonkeyPatch.context():
                try:
                    sources.append(add(vault, text, tags=(text,)))
                except UsageError:
                    continue  # nothing visible is left of it
        wanted = list(dict.fromkeys(ids(sources)))
        before = everything(vault)
        try:
            reflect(vault, wanted, Conclusion(text=conclusion), actor=PERSON, retire=retired)
        except UsageError:
            assert everything(vault) == before
            return
        after = everything(vault)
        assert after != before
        for _ in range(again):
            undo(vault, actor=PERSON)
            assert everything(vault) == before
            redo(vault, actor=PERSON)
            assert everything(vault) == after
