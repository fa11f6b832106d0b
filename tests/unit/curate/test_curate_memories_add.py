"""Adding memories: idempotent, refused with secrets, in the right project, tied to real files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, PERSON, add, everything, get, new_vault, repository, write_files

from memtui.capture.import_plan import ImportOptions
from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.curate.lifecycle import accept, left_beside, retire, would_replace
from memtui.curate.links import link
from memtui.curate.memories import Added, NewMemory, add_memory
from memtui.domain.memory import MATCHED, Anchor, Memory, content_hash
from memtui.errors import EXIT_REFUSED, EXIT_USAGE, NotFoundError, SecretRefusedError, UsageError
from memtui.tree import file_hash
from memtui.vault import journal
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

SEED = "Seed the database before the tests.\nElse the fixtures fail."
TOKEN = "AKIA" + "QX7T3MZJ5WNDR2PL"


def add_to_shop(vault: Vault, text: str) -> Added:
    return add_memory(vault, NewMemory(text=text, project="shop"), actor=PERSON, folder=vault.path.parent)


def changes(vault: Vault) -> int:
    with vault.read() as reader:
        return len(journal.log(reader))


def all_memories(vault: Vault) -> list[Memory]:
    with vault.read() as reader:
        return reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())


def test_a_persons_memory_is_active_confirmed_and_dated(vault: Vault) -> None:
    memory = add(vault, SEED)
    assert (memory.status, memory.project, memory.version) == ("active", "shop", 1)
    assert (memory.confirmed_by, memory.confirmed_at) == ("person", memory.created_at)
    assert memory.verified_at is None
    assert memory.source is not None
    assert memory.source.format == "memtui"
    assert memory.title
    assert get(vault, memory.id) == memory


def test_an_agents_memory_waits_in_the_inbox(vault: Vault) -> None:
    memory = add(vault, SEED, actor=AGENT, pinned=True)
    assert (memory.status, memory.confirmed_at, memory.pinned) == ("candidate", None, False)
    assert memory.source is not None
    assert memory.source.agent == "codex"


@pytest.mark.parametrize("again", [SEED, SEED + "  \n\n", SEED.replace("\n", " \r\n"), "\n" + SEED + "\t"])
def test_the_same_text_is_there_already_however_its_blanks_fall(vault: Vault, again: str) -> None:
    first = add(vault, SEED)
    added = add_to_shop(vault, again)
    assert (added.memory.id, added.is_new) == (first.id, False)
    assert changes(vault) == 1


def test_the_same_text_in_another_project_is_another_memory(vault: Vault) -> None:
    assert add(vault, SEED).id != add(vault, SEED, project="till").id


def test_another_why_or_snippet_is_another_memory(vault: Vault) -> None:
    made = {add(vault, SEED).id, add(vault, SEED, why="CI failed").id, add(vault, SEED, snippet="make seed").id}
    assert len(made) == 3


def test_adding_a_retired_text_again_brings_it_back_to_a_person(vault: Vault) -> None:
    first = add(vault, SEED)
    retire(vault, [first.id], actor=PERSON, reason="wrong")
    again = add(vault, SEED)
    assert (again.id, again.status, again.status_reason) == (first.id, "active", "")
    with vault.read() as reader:
        assert reader.tombstones() == []


def test_an_agent_does_not_bring_back_what_a_person_retired(vault: Vault) -> None:
    first = add(vault, SEED)
    retire(vault, [first.id], actor=PERSON)
    again = add(vault, SEED, actor=AGENT)
    assert (again.id, again.status) == (first.id, "retired")


def test_a_person_who_repeats_a_candidate_accepts_it(vault: Vault) -> None:
    proposed = add(vault, SEED, actor=AGENT)
    again = add(vault, SEED)
    assert (again.id, again.status, again.confirmed_by) == (proposed.id, "active", "person")


def test_of_two_twins_the_one_in_use_is_there_already(vault: Vault) -> None:
    retired = add(vault, SEED)
    retire(vault, [retired.id], actor=PERSON)
    with vault.write(actor="person", action="test") as writer:
        writer.put(replace(retired, id="inuse234", status="active"))
    assert add(vault, SEED).id == "inuse234"
    assert get(vault, retired.id).status == "retired"


@pytest.mark.parametrize("field", ["text", "title", "why", "snippet"])
def test_a_secret_is_refused_in_every_text_and_never_echoed(vault: Vault, field: str) -> None:
    values: dict[str, Any] = {"text": SEED, field: f"The key is {TOKEN} for now"}
    with pytest.raises(SecretRefusedError) as refused:
        add(vault, values.pop("text"), **values)
    told = f"{refused.value} {refused.value.where} {refused.value.remedy}"
    assert not any(TOKEN[start : start + 5] in told for start in range(len(TOKEN) - 4))
    assert refused.value.exit_code == EXIT_REFUSED
    assert "--allow-secret" in told
    typed = {"text": "insight", "why": "rationale"}.get(field, field)
    assert str(refused.value.where).startswith(f"{typed}: "), "a title made of the text is not what was typed"
    assert all_memories(vault) == []


def test_a_persons_own_pattern_is_refused_too(vault: Vault) -> None:
    new = NewMemory(text="use hs-12345 here")
    with pytest.raises(SecretRefusedError, match="house"):
        add_memory(vault, new, actor=PERSON, folder=vault.path.parent, secret_patterns=[("house", r"hs-\d{5}")])


def test_a_secret_is_stored_when_the_person_says_it_is_none(vault: Vault) -> None:
    assert TOKEN in add(vault, f"Example key {TOKEN}", allow_secret=True).insight


def test_control_characters_go_and_are_counted(vault: Vault) -> None:
    added = add_to_shop(vault, "Never \x1b[31mred\x00 \x07text")
    assert added.memory.insight == "Never red text"
    assert added.removed == 3


@pytest.mark.parametrize("text", ["", "  \n\t", "\x00\x1b[0m", "\r\n"])
def test_no_text_is_an_error(vault: Vault, text: str) -> None:
    with pytest.raises(UsageError, match="No text") as refused:
        add(vault, text)
    assert refused.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize("title", ["   ", "\x1b[0m", "\n"])
def test_an_empty_title_is_made_from_the_text(vault: Vault, title: str) -> None:
    assert add(vault, SEED, title=title).title.startswith("Seed the database")


@pytest.mark.parametrize(
    "text", ["[/x] (brackets]", "日本語のメモ", "```\ncode\n```", "a" * 5000, "- \n- x", "🙂", "&nbsp;", "#", "---"]
)
def test_every_text_gets_a_title_of_one_line(vault: Vault, text: str) -> None:
    memory = add(vault, text)
    assert memory.title.strip()
    assert "\n" not in memory.title
    assert len(memory.title) <= 200
    assert memory.insight == text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "desicion"}, "Did you mean decision"),
        ({"importance": 6}, "1 to 5"),
        ({"importance": 0}, "1 to 5"),
        ({"confidence": 1.01}, "0 to 1"),
        ({"files": ["src/gone.py"]}, r"src/gone\.py"),
        ({"project": "a\nb"}, "printable"),
    ],
)
def test_a_wrong_option_is_an_error_and_nothing_is_stored(vault: Vault, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        add(vault, SEED, **options)
    assert all_memories(vault) == []


def test_options_are_cleaned_and_kept(vault: Vault) -> None:
    memory = add(
        vault, SEED, kind=" Decision ", tags=["#db", "tests, ci", "db"], title=" Seed\n first ", why="\nBecause\n"
    )
    assert (memory.kind, memory.tags, memory.title) == ("decision", ("db", "tests", "ci"), "Seed first")
    assert memory.rationale == "Because"


def test_outside_every_repository_a_memory_is_unassigned(vault: Vault, tmp_path: Path) -> None:
    repository(tmp_path / "shop", {}, remote="git@example.org:acme/shop.git")
    used_last = add(vault, SEED, project=None, folder=tmp_path / "shop")
    outside = tmp_path / "x"
    outside.mkdir()
    memory = add(vault, "Something else", project=None, folder=outside)
    assert used_last.project == "shop"
    assert memory.project is None


def test_a_repository_is_known_by_its_remote_wherever_it_lies(vault: Vault, tmp_path: Path) -> None:
    here = repository(tmp_path / "a" / "checkout", {"src/x.py": ""}, remote="git@example.org:acme/shop.git")
    there = repository(tmp_path / "b" / "copy", {}, remote="https://example.org/acme/shop")
    other = repository(tmp_path / "c" / "shop", {}, remote="git@example.org:rival/shop.git")
    names = [
        add(vault, f"{SEED} {number}", project=None, folder=folder).project
        for number, folder in enumerate((here, here / "src", there, other))
    ]
    assert names == ["shop", "shop", "shop", "rival-shop"]


def test_files_globs_and_symbols_become_anchors_from_the_root(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"src/pay.py": "x = 1\n", "app/[id]/page.tsx": "y\n"})
    pay = file_hash(root / "src/pay.py")
    from_root = add(vault, SEED, folder=root, files=["src/pay.py", "./src", "**/*.py", "src/pay.py::charge"])
    assert from_root.anchors == (
        Anchor("src/pay.py", pay),
        Anchor("src"),
        Anchor("**/*.py", MATCHED),
        Anchor("src/pay.py::charge", pay),
    )
    below = add(vault, "Below", folder=root / "src", files=["pay.py", "*.py", "src/*.py", str(root / "src/pay.py")])
    assert below.anchors == (Anchor("src/pay.py", pay), Anchor("src/*.py", MATCHED))


def test_a_file_in_brackets_is_a_file_and_no_glob(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"app/[id]/page.tsx": "y\n"})
    memory = add(vault, SEED, folder=root, files=["app/[id]/page.tsx"])
    assert memory.anchors == (Anchor("app/[id]/page.tsx", file_hash(root / "app/[id]/page.tsx")),)


def test_a_person_supersedes_at_once_and_what_an_agent_would_replace_stays_in_use(vault: Vault) -> None:
    old, older = add(vault, "Use Postgres 13"), add(vault, "Use Postgres 12")
    new = add(vault, "Use Postgres 14", supersedes=[old.id[:6]])
    assert get(vault, old.id).status == "superseded"
    assert new.id in get(vault, old.id).status_reason
    proposed = add(vault, "Use Postgres 16", actor=AGENT, supersedes=[older.id])
    assert get(vault, older.id).status == "active"
    with vault.read() as reader:
        assert would_replace(reader, [proposed]) == {proposed.id: [reader.get(older.id)]}
        assert left_beside(reader, [proposed]) == {}
    accept(vault, [proposed.id], actor=PERSON, folder=vault.path.parent)
    link(vault, proposed.id, "contradicts", new.id, actor=PERSON)
    with vault.read() as reader:
        taken = reader.get(proposed.id)
        assert left_beside(reader, [taken]) == {proposed.id: [reader.get(older.id)]}, "not what was found later"
        assert would_replace(reader, [taken]) == {}


def test_superseding_counts_also_when_the_new_text_was_there_already(vault: Vault) -> None:
    old = add(vault, "Use Postgres 13")
    new = add(vault, "Use Postgres 14")
    again = add(vault, "Use Postgres 14", supersedes=[old.id])
    assert again.id == new.id
    assert get(vault, old.id).status == "superseded"


def test_superseding_an_unknown_memory_stores_nothing(vault: Vault) -> None:
    add(vault, "Use Postgres 13")
    before = everything(vault)
    with pytest.raises(NotFoundError):
        add(vault, "Use Postgres 14", supersedes=["zzzzzzzz"])
    assert everything(vault) == before


def test_two_memories_never_supersede_each_other(vault: Vault) -> None:
    first, second, third = (add(vault, f"Use Postgres {version}") for version in (12, 13, 14))
    link(vault, second.id, "supersedes", first.id, actor=PERSON)
    link(vault, third.id, "supersedes", second.id, actor=PERSON)
    for winner in (first, second):
        with pytest.raises(UsageError, match="superseded"):
            link(vault, winner.id, "supersedes", third.id, actor=PERSON)
    assert get(vault, third.id).status == "active"


def test_200_similar_but_different_reports_are_all_kept(vault: Vault, tmp_path: Path) -> None:
    texts = [f"Checkout fails with error {number} when the cart holds {number % 7} items" for number in range(200)]
    for text in texts[:12]:
        assert add_to_shop(vault, text).is_new
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"insight": text, "project": "shop"}) + "\n" for text in texts), "utf-8")
    request = ImportRequest(paths=[rows], folder=tmp_path, home=tmp_path, options=ImportOptions(active=True))
    run_import(vault, read_sources(request), request, actor=PERSON)
    stored = all_memories(vault)
    assert sorted(memory.insight for memory in stored) == sorted(texts)
    assert {memory.status for memory in stored} == {"active"}


def test_50_texts_added_one_by_one_and_at_once_make_equal_vaults(tmp_path: Path) -> None:
    texts = [f"Never call service {number} without the timeout of {number} s." for number in range(25)]
    texts += [f"We decided to keep table {number} in Postgres because of the joins." for number in range(25)]
    singly, _ = new_vault(tmp_path / "one")
    at_once, _ = new_vault(tmp_path / "two")
    for text in texts:
        add(singly, text)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"insight": text}) + "\n" for text in texts), "utf-8")
    request = ImportRequest(
        paths=[rows], folder=tmp_path, home=tmp_path, project="shop", options=ImportOptions(active=True)
    )
    run_import(at_once, read_sources(request), request, actor=PERSON)

    def essence(vault: Vault) -> list[tuple[object, ...]]:
        return sorted(
            (content_hash(m), m.title, m.kind, m.status, m.project, m.confirmed_by, m.importance)
            for m in all_memories(vault)
        )

    assert essence(singly) == essence(at_once)
    assert len(essence(singly)) == 50


def test_files_outside_the_project_are_named_in_full(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {})
    write_files(tmp_path, {"notes.txt": "x"})
    memory = add(vault, SEED, folder=root, files=[f"{tmp_path / 'notes.txt'}::head"])
    assert memory.anchors[0].path == f"{(tmp_path / 'notes.txt').as_posix()}::head"
