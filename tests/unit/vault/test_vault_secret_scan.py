"""Secrets are looked for in every field that may hold text, and let in and out nowhere unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from curating import PERSON, add, bring, get, new_vault, write_files
from support import make_memory

from memtui.capture.draft import Draft
from memtui.config import RecallSettings
from memtui.curate.lifecycle import reject, retire
from memtui.curate.memories import NewMemory, add_memory, edit_memory
from memtui.curate.packs import give_feedback
from memtui.curate.projects import alias_remote, link_folder
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source, Tombstone, Verdict
from memtui.domain.record import memory_record
from memtui.errors import SecretRefusedError
from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions
from memtui.pack.recipes import get_pack, record_pack, save_recipe
from memtui.publish.portable import holding_secrets, refuse_secrets, take_snapshot
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING
from memtui.vault.packs import Recipe, StoredPack
from memtui.vault.rows import COLUMNS
from memtui.vault.text_search import secrets_in, text_fields, texts_in
from memtui.vault.vault import Vault

KEY = "AKIA" + "QX7T3MZJ5WNDR2PL"

MACHINE_FIELDS: dict[type, set[str]] = {
    Memory: {"id", "status", "cause"},
    Source: {"format", "imported_hash"},
    Anchor: {"content_hash"},
    Link: {"from_id", "type", "to_id", "origin"},
    Verdict: {"memory_id", "verdict"},
    Signal: {"memory_id", "signal", "pack_id"},
    Tombstone: {"content_hash", "memory_id", "cause"},
    StoredPack: {"id", "target", "budget", "encoding", "payload_hash"},
    Recipe: {"target", "budget"},
    Draft: {"indexed", "succession"},  # terms of its text, and names of records: matched, and thrown away
}
"""Fields that hold words of the program, so that nothing is looked for in them; whoever adds one says so here."""

_NO_TEXT = {
    *("int", "float", "bool", "datetime", "datetime | None", "float | None", "int | None"),
    "tuple[int, int] | None",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "data")[0]


@pytest.mark.parametrize("kind", MACHINE_FIELDS, ids=lambda kind: kind.__name__)
def test_every_field_of_text_is_searched(kind: type) -> None:
    holding = {field.name for field in fields(kind) if str(field.type) not in _NO_TEXT}
    searched = set(text_fields(kind))
    assert holding - searched - {"scope"} == MACHINE_FIELDS[kind]


def test_every_column_of_text_is_searched_or_a_machine_word() -> None:
    row: dict[str, Any] = {}
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            if kind == "VARCHAR" or not isinstance(kind, str):
                row[name] = f"{table}.{name}"
    found = {field for field, _ in texts_in(row)}
    assert {"insight", "tags", "anchors", "task", "reason", "path", "name", "summary", "base", "stated"} <= found


@pytest.mark.parametrize("field", text_fields(Memory))
def test_a_secret_in_any_field_of_a_memory_is_found(field: str) -> None:
    held: dict[str, Any] = {
        "anchors": (Anchor(f"src/{KEY}.py"),),
        "tags": ("locks", KEY),
        "sources": (Source(format="claude-md", path=f"docs/{KEY}.md"),),
    }
    memory = make_memory(**{field: held.get(field, f"see {KEY}")})
    assert list(secrets_in(memory)) == [field]
    assert secrets_in(memory, unless_in=memory) == {}
    assert secrets_in(make_memory()) == {}


WAYS_IN: dict[str, Callable[[Vault, str], object]] = {
    "add a tag": lambda vault, _: new(vault, tags=[f"key-{KEY}"]),
    "add a file": lambda vault, _: new(vault, files=[f"{KEY}.py"]),
    "add to a project": lambda vault, _: new(vault, project=KEY),
    "link a project": lambda vault, _: link_folder(vault, KEY, vault.path.parent),
    "alias a project": lambda vault, _: alias_remote(vault, KEY, "git@example.org:acme/shop.git"),
    "edit tags": lambda vault, known: edit_memory(vault, known, {"tags": [KEY]}, actor=PERSON),
    "edit anchors": lambda vault, known: edit_memory(vault, known, {"anchors": (Anchor(KEY),)}, actor=PERSON),
    "edit the reason": lambda vault, known: edit_memory(vault, known, {"status_reason": KEY}, actor=PERSON),
    "feedback": lambda vault, known: give_feedback(vault, known, "hurt", actor=PERSON, reason=f"it said {KEY}"),
    "retire": lambda vault, known: retire(vault, [known], actor=PERSON, reason=f"it holds {KEY}"),
    "reject": lambda vault, known: reject(vault, [known], actor=PERSON, reason=f"it holds {KEY}"),
    "recipe": lambda vault, _: recipe(vault, Task(text=f"rotate {KEY}")),
    "recipe files": lambda vault, _: recipe(vault, Task(text="rotate", files=(f"{KEY}.env",))),
}


def new(vault: Vault, **options: Any) -> object:
    options.setdefault("project", "shop")
    return add_memory(vault, NewMemory(text="Rotate keys.", **options), actor=PERSON, folder=vault.path.parent)


def recipe(vault: Vault, task: Task) -> object:
    return save_recipe(vault, "rotate", task, actor="person", project="shop", target="chat", budget="1k")


@pytest.mark.parametrize("way", WAYS_IN)
def test_no_way_in_takes_a_secret_unasked(vault: Vault, way: str) -> None:
    known = add(vault, "Lock by payment_id.").id
    (vault.path.parent / f"{KEY}.py").write_text("", "utf-8")
    with pytest.raises(SecretRefusedError) as refused:
        WAYS_IN[way](vault, known)
    assert KEY not in str(refused.value)
    assert KEY.lower() not in str(refused.value).lower()
    assert all(KEY.encode() not in path.read_bytes() for path in vault.path.parent.glob("vault.duckdb*"))


def test_a_reason_is_stored_where_the_person_insists(vault: Vault) -> None:
    known = add(vault, "Lock by payment_id.").id
    give_feedback(vault, known, "hurt", actor=PERSON, reason=KEY, allow_secret=True)
    retire(vault, [known], actor=PERSON, reason=KEY, allow_secret=True)
    assert get(vault, known).status_reason == KEY


def test_an_import_leaves_out_what_holds_a_secret_beside_its_texts(vault: Vault, tmp_path: Path) -> None:
    rows = [
        {"insight": "Tagged.", "tags": [KEY], "id": "tagged"},
        {"insight": "Tied.", "anchors": [{"path": KEY}], "id": "tied"},
        {"insight": "Retired.", "status": "retired", "status_reason": KEY, "id": "retired"},
        {"insight": "Sourced.", "source": {"format": "claude-md", "path": f"{KEY}.md"}, "id": "sourced"},
        {"insight": "Clean.", "id": "clean"},
        {"type": "signal", "memory": "clean", "signal": "hurt", "at": "2026-01-01", "reason": KEY},
        {"type": "verdict", "memory": "clean", "verdict": "outdated", "at": "2026-01-01", "reason": KEY},
    ]
    lines = tmp_path / "theirs.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    report = bring(vault, lines)
    assert report.ids == ["clean"]
    assert len(report.bad_records) == 2
    assert KEY not in json.dumps([report.skipped, report.bad_records])
    assert len(bring(vault, lines, allow_secret=True).ids) == 4


def test_the_path_of_a_skipped_source_is_told_without_its_value(vault: Vault, tmp_path: Path) -> None:
    write_files(tmp_path / "shop", {f"notes-{KEY}.md": "# Rules\n\n- Always lock by payment_id.\n"})
    report = bring(vault, tmp_path / "shop" / f"notes-{KEY}.md")
    assert report.added == 0
    assert KEY not in json.dumps(report.skipped)


def test_an_export_goes_out_with_a_secret_only_where_the_person_insists(vault: Vault) -> None:
    known = add(vault, "Lock by payment_id.", tags=[KEY], allow_secret=True)
    snapshot = take_snapshot(vault, EVERYTHING)
    assert holding_secrets(snapshot) == {known.id: ["tags"]}
    with pytest.raises(SecretRefusedError) as refused:
        refuse_secrets(snapshot)
    assert known.id in str(refused.value)
    assert KEY not in str(refused.value)
    refuse_secrets(replace(snapshot, memories=[]))


def payload_of(vault: Vault, text: str, secrets: str) -> Pack:
    return context(
        vault,
        Task(text=text),
        EVERYTHING,
        PackOptions(secrets=secrets),
        project="shop",
        target="chat",
        settings=RecallSettings(),
        now=vault.now(),
    )


def test_a_payload_shows_no_path_that_looks_like_a_secret(vault: Vault) -> None:
    write_files(vault.path.parent, {f"{KEY}.env": ""})
    add(vault, "Lock refunds by payment_id.", files=[f"{KEY}.env"], pinned=True, allow_secret=True)
    assert payload_of(vault, "refunds", "withhold").included == ()
    masked = payload_of(vault, "refunds", "mask").payload
    assert "payment_id" in masked
    assert KEY not in masked
    assert KEY in payload_of(vault, "refunds", "allow").payload


def test_the_task_of_a_recorded_pack_is_kept_without_the_value(vault: Vault) -> None:
    add(vault, "Lock refunds by payment_id.", pinned=True)
    task = Task(text=f"rotate {KEY} of the refunds")
    pack = payload_of(vault, task.text, "withhold")
    identifier = record_pack(vault, pack, task, actor="person", project="shop", signal="copied")
    stored = get_pack(vault, identifier).task
    assert KEY not in stored
    assert stored.startswith("rotate [secret: ")


_MADE = "9f3ac0de51b2874e6d0c1f2a7b8e4d35"


@pytest.mark.parametrize(
    "native",
    [f"{word}-{_MADE}" for word in ("obs", "ses", "rel", "mem", "quay")]
    + [f"lsn_{_MADE}", f"quay/{_MADE}", _MADE, f"{_MADE}{_MADE}", "quay-9f3ac0de-51b2-474e-8d0c-1f2a7b8e4d35"],
)
def test_an_id_that_a_tool_made_is_no_key(native: str) -> None:
    memory = make_memory(sources=(Source(format="engram", path="/home/sam/engram.db", native_id=native),))
    assert secrets_in(memory) == secrets_in(memory_record(memory)) == {}
    assert secrets_in([memory, replace(memory, id="b")]) == {}


def test_a_key_in_the_place_of_an_id_or_beside_it_is_found() -> None:
    ids = (f"s{'k'}-{_MADE}", f"Deploys > hsk-{_MADE}", f"quay-{_MADE}")
    first, second, third = (make_memory(sources=(Source(format="engram", native_id=one),)) for one in ids)
    assert list(secrets_in(first)) == list(secrets_in(second)) == ["sources"]
    assert list(secrets_in(replace(third, rationale=f"The key is hsk-{_MADE}."))) == ["rationale"]
