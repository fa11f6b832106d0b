"""A merge before it is made: proposals by field, marks where texts differ, and a preview that keeps its word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from curating import PERSON, add, everything, get
from hypothesis import given
from hypothesis import strategies as st
from support import make_memory

from memtui.curate.history import undo
from memtui.curate.memories import edit_memory
from memtui.curate.merge import (
    fields_of,
    marked_texts,
    merge,
    named_projects,
    preview,
    unmerge,
    what_differs,
)
from memtui.curate.views import tokens_of
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, SecretRefusedError, UsageError
from memtui.vault.vault import Vault


def lock(insight: str, **values: Any) -> Memory:
    return make_memory(title="Lock refunds", insight=insight, **values)


def test_only_fields_that_differ_are_asked_for() -> None:
    one, other = lock("The key is payment_id."), lock("The key is payment_id.", rationale="Double charge in March.")
    assert [field.name for field in fields_of([one, other])] == ["rationale"]
    assert fields_of([one, one]) == []


def test_what_says_the_same_is_taken_once_and_what_says_more_is_kept() -> None:
    alike = lock("Lock key is payment_id, TTL 30 s"), lock("Lock key is payment_id, TTL 60 s")
    (field,) = fields_of(alike)
    assert field.proposed == (0,)
    (field,) = fields_of([*alike, lock("Webhooks come twice: answer 200 and look at the ledger before you act.")])
    assert field.proposed == (0, 2)
    assert field.text((0, 2)).count("\n\n") == 1
    (field,) = fields_of([replace(alike[0], rationale=""), replace(alike[0], rationale="Because.")])
    assert field.proposed == (1,), "an empty text is no text"
    (field,) = fields_of([alike[0], replace(alike[0], title="Another title altogether, about webhooks")])
    assert (field.proposed, field.can_join) == ((0,), False)


def test_words_that_differ_are_marked_in_each_text() -> None:
    first, second, third = marked_texts(["Lock key, TTL 30 s", "Lock key, TTL 60 s", "Use a mutex around every call"])
    assert [part for part, differs in first if differs] == ["30"]
    assert [part for part, differs in second if differs] == ["60"]
    assert third == (("Use a mutex around every call", False),), "too different to mark a word"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_marks_leave_every_text_as_it_is(texts: list[str]) -> None:
    assert ["".join(part for part, _ in marked) for marked in marked_texts(texts)] == texts


def test_what_tells_them_apart_is_said() -> None:
    assert what_differs([lock("Lock for 30 s"), lock("Lock for 60 s")]) == ("numbers differ: 30 s / 60 s",)


def test_projects_that_differ_are_named_and_global_gives_way() -> None:
    assert named_projects([lock("a", project="shop"), lock("b", project="global"), lock("c", project=None)]) == ["shop"]


def test_the_preview_is_what_the_merge_makes(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.", tags=(word,)).id for word in ("alpha", "beta")]
    memories = [get(vault, identifier) for identifier in ids]
    chosen = {"title": "Lock refunds", "insight": "Lock refunds by payment.", "kind": "constraint"}
    shown = preview(memories, chosen, vault.kinds)
    made = merge(vault, ids, actor=PERSON, chosen=chosen, versions={one.id: one.version for one in memories}).result
    assert replace(made, version=0, updated_at=shown.updated_at) == replace(shown, version=0)
    assert (made.title, made.kind, made.tags) == ("Lock refunds", "constraint", ("alpha", "beta"))
    assert 0 < tokens_of([made]) < tokens_of(memories)


def test_a_merge_by_chosen_texts_is_taken_apart_to_the_byte(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta", "gamma")]
    before = everything(vault)
    merge(vault, ids, actor=PERSON, chosen={"insight": "Written by hand."})
    assert get(vault, ids[0]).insight == "Written by hand."
    unmerge(vault, ids[0], actor=PERSON)
    assert everything(vault) == before
    undo(vault, actor=PERSON)
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_a_version_that_moved_since_it_was_looked_at_stops_the_merge(vault: Vault) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta")]
    versions = {identifier: get(vault, identifier).version for identifier in ids}
    edit_memory(vault, ids[1], {"tags": ("moved",)}, actor=PERSON)
    before = everything(vault)
    with pytest.raises(ConflictError, match="This memory was changed since you read it"):
        merge(vault, ids, actor=PERSON, versions=versions)
    assert everything(vault) == before


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ({"insight": " \n"}, "needs a text"),
        ({"title": "\x1b[31m"}, "needs a text"),
        ({"kind": "rumour"}, "kind"),
        ({"status": "retired"}, "cannot be chosen"),
    ],
)
def test_what_cannot_be_chosen_is_refused(vault: Vault, chosen: dict[str, str], error: str) -> None:
    ids = [add(vault, f"Lock refunds by payment, variant {word}.").id for word in ("alpha", "beta")]
    with pytest.raises(UsageError, match=error):
        merge(vault, ids, actor=PERSON, chosen=chosen)


def test_a_secret_written_by_hand_is_refused_and_one_that_was_there_is_not(vault: Vault) -> None:
    secret = "AKIA" + "QWERTYUIOPASDFGH"
    ids = [add(vault, "Lock refunds.").id, add(vault, f"The key is {secret}.", allow_secret=True).id]
    with pytest.raises(SecretRefusedError):
        merge(vault, ids, actor=PERSON, chosen={"insight": f"Lock with {secret} at hand."})
    assert secret in merge(vault, ids, actor=PERSON).result.insight
