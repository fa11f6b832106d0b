"""What is purged is gone from every byte of every file; everything else stays and goes on working."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import NOON, FrozenClock, make_memory

from memtui.curate.external_editor import write_text_file
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source, Tombstone, Verdict, content_hash
from memtui.errors import NotFoundError, NothingToUndoError, UsageError, VaultMissingError
from memtui.vault import backups, journal, repair
from memtui.vault import purge as purge_module
from memtui.vault.connection import fold_log
from memtui.vault.doctor import diagnose
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import log_path
from memtui.vault.projects import add_identities
from memtui.vault.purge import PurgeReport, purge_memories, purge_text
from memtui.vault.reader import SourceState
from memtui.vault.search.vectors import NewVector, store
from memtui.vault.text_search import MARK
from memtui.vault.undo import redo, undo
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

pytestmark = pytest.mark.usefixtures("probed_in_place")

SECRET = "tok_" + secrets.token_hex(40)
"""Random, long, and so of no use to a compressor: its bytes stand in the file as they are."""


def _put(vault: Vault, *memories: Memory, action: str = "add", summary: str = "") -> list[Memory]:
    with vault.write(actor="person", action=action, summary=summary) as writer:
        return writer.put_many(memories)


def _holders(vault: Vault, text: str) -> set[str]:
    """Return the files of the vault's folder in which the bytes stand."""
    needle = text.encode()
    return {path.name for path in vault.path.parent.rglob("*") if path.is_file() and needle in path.read_bytes()}


@pytest.fixture
def leaky(vault: Vault, clock: FrozenClock) -> Vault:
    """A vault with the secret in every place that takes text, in its log, its file and a backup."""
    memory = make_memory(
        id="leakyone",
        title=f"The key is {SECRET[:30]}…",
        insight=f'use "{SECRET}" here\nand \\{SECRET}\\ there',
        rationale=SECRET,
        snippet=f"export KEY='{SECRET}'",
        status_reason=SECRET,
        project=f"shop {SECRET}",
        tags=("safe", SECRET),
        anchors=(Anchor(f"src/{SECRET}.py", "h1"),),
        sources=(Source(format="claude-md", path=f"{SECRET}.md", native_id=f"A > {SECRET}#1", imported_hash="h2"),),
        confirmed_by=SECRET,
    )
    (stored,) = _put(vault, memory, make_memory(id="innocent", insight="nothing to hide"), summary=f"add {SECRET}")[:1]
    fold_log(vault.path)
    repair.back_up(vault)
    clock.step(days=1)
    _put(vault, replace(stored, importance=5), action="edit")
    with vault.write(actor=SECRET, action="use", reason=f"because {SECRET}") as writer:
        writer.add_verdicts([Verdict(memory_id="leakyone", verdict="still-true", at=NOON, actor="ada", reason=SECRET)])
        writer.add_signals([Signal(memory_id="leakyone", signal="hurt", at=NOON, actor="ada", reason=SECRET)])
        writer.add_tombstones([Tombstone(content_hash="h3", project=SECRET, memory_id="x", at=NOON, actor="ada")])
        writer.add_links([Link(from_id="leakyone", type="relates", to_id="innocent", created_at=NOON)])
        add_identities(writer, f"shop {SECRET}", [f"path:/srv/{SECRET}"])
        writer.put_source_states([SourceState("leakyone", f"{SECRET}.md", SECRET, "h4")])
        writer.set_meta("note", SECRET)
        _insert_usage(writer, "leakyone")
    return vault


def _insert_usage(writer: VaultWriter, member: str) -> None:
    pack = {
        "id": "pack2345",
        "made_at": NOON,
        "actor": "ada",
        "project": "shop",
        "task": f"fix {SECRET}",
        "files": [f"{SECRET}.py"],
        "target": "chat",
        "budget": "2000",
        "encoding": "o200k_base",
        "tokens": 5,
        "payload_hash": "h5",
        "members": [
            {"memory_id": member, "version": 1, "tokens": 3, "score": 0.5},
            {"memory_id": "innocent", "version": 1, "tokens": 2, "score": 0.25},
        ],
        "options": None,
    }
    recipe = {name: pack[name] for name in ("project", "task", "files", "target", "budget", "options")}
    writer.insert_unjournaled("packs", [pack])
    writer.insert_unjournaled("recipes", [{**recipe, "name": SECRET, "created_at": NOON}])


def _column(vault: Vault, query: str) -> list[object]:
    with vault.connect(read_only=True) as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


def test_the_secret_is_in_the_bytes_before_or_these_tests_could_not_fail(leaky: Vault) -> None:
    (copy,) = backups.list_backups(leaky.path)
    assert _holders(leaky, SECRET) == {"vault.duckdb", "vault.duckdb.wal", copy.name}


def test_a_purged_text_is_in_no_byte_of_no_file(leaky: Vault) -> None:
    (copy,) = backups.list_backups(leaky.path)
    report = purge_text(leaky, SECRET)
    assert _holders(leaky, SECRET) == set()
    assert _holders(leaky, SECRET[:30]) == set()
    assert (report.memories, report.backups, report.leftovers) == (1, (copy,), ())
    assert report.revisions == 5
    assert diagnose(leaky).healthy
    assert diagnose(Vault(copy, now=leaky.now)).check("opens").ok


def test_a_purged_text_leaves_a_mark_and_the_rest_as_it_was(leaky: Vault) -> None:
    with leaky.read() as reader:
        before = reader.get_many(["leakyone", "innocent"])
        counter = reader.change_counter()
    purge_text(leaky, SECRET)
    with leaky.read() as reader:
        after = reader.get_many(["leakyone", "innocent"])
        assert reader.change_counter() > counter
        assert reader.verdicts()[0].reason == MARK
        assert reader.signals()[0].reason == MARK
        assert reader.tombstones()[0].project == MARK
        assert reader.meta("note") == MARK
        assert reader.source_states()[0].path == f"{MARK}.md"
    assert after["innocent"] == before["innocent"]
    memory = after["leakyone"]
    assert memory.insight == f'use "{MARK}" here\nand \\{MARK}\\ there'
    assert memory.title == f"The key is {MARK}…"
    assert (memory.tags, memory.anchors) == (("safe", MARK), (Anchor(f"src/{MARK}.py", "h1"),))
    assert memory.sources[0].native_id == f"A > {MARK}#1"
    assert (memory.project, memory.version) == (f"shop {MARK}", 3)
    assert _column(leaky, "SELECT content_hash FROM memories WHERE id = 'leakyone'") == [content_hash(memory)]
    assert _column(leaky, "SELECT task FROM packs UNION ALL SELECT name FROM recipes") == [f"fix {MARK}", MARK]
    assert _column(leaky, "SELECT identity FROM project_identities") == [f"path:/srv/{MARK}"]


def test_the_journal_goes_on_after_a_purge_of_a_text(leaky: Vault) -> None:
    purge_text(leaky, SECRET)
    for _ in range(3):
        with leaky.write(actor="person", action="undo") as writer:
            undo(writer)
    with leaky.read() as reader:
        assert reader.count(MemoryFilter(statuses=None)) == 0
        assert all(SECRET not in (change.summary + change.reason + change.actor) for change in journal.log(reader))
        assert journal.log(reader)[3].action == "purge"
    for _ in range(2):
        with leaky.write(actor="person", action="redo") as writer:
            redo(writer)
    with leaky.read() as reader:
        assert reader.get("leakyone").importance == 5
        assert MARK in reader.get("leakyone").insight
    assert _holders(leaky, SECRET) == set()


def test_the_words_of_a_purged_text_find_nothing_any_more(vault: Vault) -> None:
    _put(vault, make_memory(id="leakyone", insight="the hunter2xyz password of staging"))
    purge_text(vault, "hunter2xyz")
    with vault.read() as reader:
        assert not reader.search("hunter2xyz", MemoryFilter(), limit=5)
        assert reader.search("staging", MemoryFilter(), limit=5)


@pytest.mark.parametrize(
    "text",
    [
        'a "quoted" \\ back',
        "two\nlines\tand a tab",
        "日本語の秘密の鍵",
        "\x01\x02\x1f control",
        '"',
        "x'); --",
        "%_[a]",
    ],
)
def test_any_text_is_found_also_as_json_writes_it(vault: Vault, text: str) -> None:
    insight = f"before {text} after"
    _put(vault, make_memory(id="leakyone", insight=insight, tags=(text,), anchors=(Anchor(text),)))
    report = purge_text(vault, text)
    assert (report.memories, report.revisions) == (1, 1)
    with vault.read() as reader:
        memory = reader.get("leakyone")
        (step,) = journal.history(reader, "leakyone")
    assert memory.insight == insight.replace(text, MARK)
    assert memory.tags == (MARK,)
    assert step.after is not None
    assert step.after["insight"] == memory.insight
    assert step.after["tags"] == [MARK]


def test_words_of_the_machine_stay(vault: Vault) -> None:
    _put(vault, make_memory(id="lessonxx", kind="lesson", insight="a lesson of the person", project="global"))
    for word in ("lesson", "person", "global", "active"):
        purge_text(vault, word)
    with vault.read() as reader:
        memory = reader.get("lessonxx")
        (first, *_) = reversed(journal.log(reader))
    assert (memory.kind, memory.project, memory.status) == ("lesson", "global", "active")
    assert memory.insight == f"a {MARK} of the {MARK}"
    assert first.actor == "person"


def test_a_text_that_stands_nowhere_writes_nothing(leaky: Vault) -> None:
    fold_log(leaky.path)
    files = [leaky.path, *backups.list_backups(leaky.path)]
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    report = purge_text(leaky, "nowhere at all")
    assert report == PurgeReport(0, 0, found=False)
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == before


def test_a_text_in_other_capitals_alone_is_told_and_writes_nothing(vault: Vault) -> None:
    _put(vault, make_memory(id="leakyone", insight="Ask Acmecorp."))
    report = purge_text(vault, "acmecorp")
    assert (report.found, dict(report.variants)) == (False, {"Acmecorp": 2})


def test_a_text_that_only_a_backup_still_holds_is_found(vault: Vault) -> None:
    _put(vault, make_memory(id="leakyone", insight=SECRET))
    copy = repair.back_up(vault)
    held = copy.read_bytes()
    purge_text(vault, SECRET)
    copy.write_bytes(held)
    report = purge_text(vault, SECRET)
    assert (report.found, report.memories, report.backups) == (True, 0, (copy,))
    assert _holders(vault, SECRET) == set()
    assert not purge_text(vault, SECRET).found


@pytest.mark.parametrize("given", ["\n", "\r\n", " ", "\n\n\t"])
def test_a_key_of_several_lines_goes_however_its_lines_are_folded(vault: Vault, given: str) -> None:
    """P51: titles, summaries and environment files fold the line breaks of a PEM key."""
    parts = ["-----BEGIN PRIVATE KEY-----", *(secrets.token_hex(32) for _ in range(3)), "-----END PRIVATE KEY-----"]
    title = f"Key {' '.join(parts)}"[:72] + "…"
    options = json.dumps({"style": "full", "standing": ["\n".join(parts)]})
    memory = make_memory(
        id="leakyone", title=title, insight="\r\n".join(parts), rationale="as in .env: " + "\\n".join(parts)
    )
    _put(vault, memory, summary=f"add {title}")
    with vault.write(actor="ada", action="use", summary=f"use {' '.join(parts)}", reason="\n  ".join(parts)) as writer:
        recipe = dict.fromkeys(("project", "target", "budget"), "x") | {"name": "\n".join(parts), "options": options}
        writer.note("recipe", " ".join(parts), None, recipe)
        writer.insert_unjournaled(
            "recipes", [recipe | {"task": "\t".join(parts), "files": ["\u2028".join(parts)], "created_at": NOON}]
        )
    repair.back_up(vault)
    assert all(_holders(vault, part) for part in parts)
    report = purge_text(vault, given.join(parts) + "\n")
    assert (report.memories, report.leftovers) == (1, ())
    for part in [*parts[1:-1], parts[1][:8]]:
        assert _holders(vault, part) == set()
    with vault.read() as reader:
        memory = reader.get("leakyone")
    assert (memory.title, memory.insight, memory.rationale) == (f"Key {MARK}…", MARK, f"as in .env: {MARK}")
    assert json.loads(str(_column(vault, "SELECT options FROM recipes")[0]))["standing"] == [MARK]


def test_white_space_at_the_ends_of_a_text_is_no_part_of_another_word(vault: Vault) -> None:
    _put(vault, make_memory(id="leakyone", insight="swordfish swordfishes\nmy swordfish"))
    purge_text(vault, " swordfish\n")
    with vault.read() as reader:
        assert reader.get("leakyone").insight == f"{MARK}swordfishes\nmy{MARK}"


@pytest.mark.parametrize("text", ["", "  \n", "half \ud800"])
def test_a_text_that_cannot_be_meant_is_refused(leaky: Vault, text: str) -> None:
    with pytest.raises(UsageError):
        purge_text(leaky, text)


def test_without_a_vault_there_is_nothing_to_purge(vault: Vault) -> None:
    with pytest.raises(VaultMissingError):
        purge_text(vault, "anything")
    with pytest.raises(VaultMissingError):
        purge_memories(vault, ["anything"])


# -- by id ------------------------------------------------------------------------------------------


@pytest.fixture
def doomed(vault: Vault, clock: FrozenClock) -> Vault:
    """A vault with a memory to be purged, its history and its kin."""
    one = make_memory(
        id="doomedme",
        title="Marker title of the doomed one",
        insight=SECRET,
        sources=(Source(format="claude-md", imported_hash="imported"),),
    )
    two = make_memory(id="innocent", insight="nothing to hide")
    (first, _) = _put(vault, one, two, summary="add Marker title of the doomed one")
    repair.back_up(vault)
    clock.step(days=1)
    _put(vault, replace(first, insight=f"{SECRET} again"), action="edit", summary="edit Marker t…")
    with vault.write(actor="person", action="use", summary="link two", reason=f"{SECRET}") as writer:
        writer.add_links([Link(from_id="innocent", type="relates", to_id="doomedme", created_at=NOON)])
        writer.add_verdicts([Verdict(memory_id="doomedme", verdict="outdated", at=NOON, actor="ada", reason=SECRET)])
        writer.put_source_states([SourceState("doomedme", "a.md", "A#1", "seenhash")])
        _insert_usage(writer, "doomedme")
    # Tasks and recipes are texts of their own.
    purge_text(vault, f"fix {SECRET}")
    purge_text(vault, f"{SECRET}.py")
    with vault.write(actor="person", action="delete") as writer:
        writer.delete_unjournaled("recipes", "name", [SECRET])
    return vault


def test_a_purged_memory_is_in_no_byte_of_no_file(doomed: Vault) -> None:
    assert _holders(doomed, SECRET)
    (copy,) = backups.list_backups(doomed.path)
    report = purge_memories(doomed, ["doomedme"])
    assert (report.memories, report.backups, report.leftovers) == (1, (copy,), ())
    assert report.revisions == 4
    assert _holders(doomed, SECRET) == set()
    assert _holders(doomed, "Marker title of the doomed one") == set()


def test_of_a_purged_memory_hashes_alone_are_left(doomed: Vault) -> None:
    with doomed.read() as reader:
        now_hash = content_hash(reader.get("doomedme"))
        then_hash = content_hash(make_memory(title="Marker title of the doomed one", insight=SECRET))
    purge_memories(doomed, ["doomedme"])
    with doomed.read() as reader:
        assert not reader.get_many(["doomedme"])
        assert reader.get("innocent").title
        assert (reader.links(), reader.verdicts(), reader.signals(), reader.source_states()) == ([], [], [], [])
        stones = reader.tombstones()
        assert {stone.content_hash for stone in stones} == {now_hash, then_hash, "imported", "seenhash"}
        assert {(stone.memory_id, stone.project, stone.cause) for stone in stones} == {("doomedme", "shop", "purged")}
        with pytest.raises(NotFoundError):
            journal.history(reader, "doomedme")
        assert len(journal.history(reader, "innocent")) == 1
    assert _column(doomed, "SELECT [m.memory_id FOR m IN members] FROM packs") == [["innocent"]]
    assert _column(doomed, "SELECT count(*) FROM postings WHERE memory_key NOT IN (SELECT key FROM memories)") == [0]
    assert diagnose(doomed).healthy


def test_summaries_that_quote_the_title_are_redacted_and_others_stay(doomed: Vault) -> None:
    purge_memories(doomed, ["doomedme"])
    with doomed.read() as reader:
        told = {change.number: change.summary for change in journal.log(reader)}
    assert told[1] == f"add {MARK}"
    assert told[2] == f"edit {MARK}"
    assert told[3] == "link two"
    assert told[max(told)] == "purge 1 memories"


def test_undo_after_a_purge_neither_brings_it_back_nor_fails(doomed: Vault) -> None:
    purge_memories(doomed, ["doomedme"])
    with doomed.write(actor="person", action="undo") as writer:
        # What is left of the journal that can be undone: the change that also made the other memory.
        assert undo(writer).number == 1
    with doomed.read() as reader:
        assert reader.count(MemoryFilter(statuses=None)) == 0
    with doomed.write(actor="person", action="redo") as writer:
        redo(writer)
    with doomed.read() as reader:
        assert reader.select_ids(MemoryFilter(statuses=None), sort="created", now=NOON) == ["innocent"]
    with doomed.write(actor="person", action="undo") as writer:
        undo(writer)
    with pytest.raises(NothingToUndoError), doomed.write(actor="person", action="undo") as writer:
        undo(writer)


def test_a_memory_that_an_undo_took_out_can_be_purged_from_the_journal(vault: Vault) -> None:
    _put(vault, make_memory(id="doomedme", insight=SECRET))
    with vault.write(actor="person", action="undo") as writer:
        undo(writer)
    assert _holders(vault, SECRET)
    report = purge_memories(vault, ["doomedme"])
    assert (report.memories, report.revisions) == (0, 2)
    assert _holders(vault, SECRET) == set()
    with pytest.raises(NothingToUndoError), vault.write(actor="person", action="redo") as writer:
        redo(writer)


def test_the_words_of_a_memory_go_under_ids_that_are_gone_too(vault: Vault, clock: FrozenClock) -> None:
    _put(vault, make_memory(id="first", insight=SECRET), make_memory(id="innocent", insight="nothing to hide"))
    fold_log(vault.path)
    repair.back_up(vault)
    with vault.write(actor="person", action="undo") as writer:
        undo(writer)
    _put(vault, make_memory(id="again", insight=SECRET), make_memory(id="other", insight=f"{SECRET}?"))
    clock.step(days=1)
    purge_memories(vault, ["again"])
    assert _column(vault, "SELECT DISTINCT entity_key FROM revisions WHERE entity = 'memory' ORDER BY 1") == [
        "innocent",
        "other",
    ]
    purge_memories(vault, ["other"])
    assert _holders(vault, SECRET) == set()


def test_a_memory_that_is_gone_keeps_its_history_if_it_was_another(vault: Vault) -> None:
    elsewhere = make_memory(id="elsewhere", insight=SECRET, project="other shop")
    (more,) = _put(vault, make_memory(id="more", insight=SECRET))
    _put(vault, replace(more, insight="words of its own"), action="edit")
    _put(vault, elsewhere)
    for _ in range(3):
        with vault.write(actor="person", action="undo") as writer:
            undo(writer)
    _put(vault, make_memory(id="doomedme", insight=SECRET))
    purge_memories(vault, ["doomedme"])
    assert _column(vault, "SELECT DISTINCT entity_key FROM revisions WHERE entity = 'memory' ORDER BY 1") == [
        "elsewhere",
        "more",
    ]


def test_an_unknown_id_erases_nothing(doomed: Vault) -> None:
    before = doomed.path.read_bytes()
    with pytest.raises(NotFoundError, match="nobodyxx"):
        purge_memories(doomed, ["doomedme", "nobodyxx"])
    with pytest.raises(NotFoundError):
        purge_memories(doomed, [])
    assert doomed.path.read_bytes() == before


# -- what is out of reach, and crashes --------------------------------------------------------------


def test_what_may_still_hold_it_is_named_and_not_deleted(leaky: Vault, clock: FrozenClock) -> None:
    clock.step(days=1)
    broken = repair.back_up(leaky)
    broken.write_bytes(b"rubbish " + SECRET.encode())
    log_path(broken).unlink(missing_ok=True)
    damaged = leaky.path.parent / "damaged" / "vault-old.duckdb"
    damaged.parent.mkdir()
    damaged.write_bytes(SECRET.encode())
    own = broken.parent / "my-copy.duckdb"
    own.write_bytes(b"")
    report = purge_text(leaky, SECRET)
    assert set(report.leftovers) == {broken, damaged, own}
    assert _holders(leaky, SECRET) == {broken.name, damaged.name}


def test_bytes_that_stand_somewhere_after_all_are_told(vault: Vault) -> None:
    _put(vault, make_memory(id=SECRET, insight="ids stay"))
    assert purge_text(vault, SECRET).leftovers == (vault.path,)


def test_what_crashes_left_over_is_removed_too(leaky: Vault) -> None:
    folder = leaky.path.parent
    stale = [folder / f"vault.duckdb{suffix}" for suffix in (".new", ".partial", ".purged", ".purged.wal")]
    backup = folder / "backups" / "vault-20250101T120000000000-daily.duckdb"
    stale += [backup.with_name(backup.name + suffix) for suffix in (".partial", ".purged", ".purged.wal", ".wal")]
    (folder / ".snapshot-killed").mkdir()
    stale += [folder / ".snapshot-killed" / name for name in ("vault.duckdb", "vault.duckdb.wal")]
    for path in stale:
        path.write_bytes(SECRET.encode())
    others = [path.with_name(path.name.replace("vault-", "vault-2-")) for path in stale if path.parent == backup.parent]
    for path in others:
        path.write_bytes(b"of another vault")
    purge_text(leaky, SECRET)
    assert _holders(leaky, SECRET) == set()
    assert all(path.exists() for path in others)


def test_what_the_app_and_payloads_keep_outside_the_vault_goes_too(
    leaky: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    kept = [tmp_path / "state" / name for name in ("payload.txt", "memtui-payload-a.txt", "app.json")]
    edited = tmp_path / "temporary" / "memtui-innocent-a.md"
    kept += [tmp_path / "temporary" / "memtui-payload-b.txt", edited]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"task": SECRET}), encoding="utf-8")
    assert purge_memories(leaky, ["innocent"]).leftovers == (edited,)
    assert [path.name for path in kept if path.exists()] == ["app.json", edited.name]
    for path in kept[:2]:
        path.write_text("another payload", encoding="utf-8")
    assert purge_text(leaky, SECRET).leftovers == (edited,)
    assert [path.name for path in kept if path.exists()] == ["payload.txt", "memtui-payload-a.txt", edited.name]


@pytest.mark.parametrize(
    "text", ["%% 1f3a  innocent\nkind: note\n", "> Warm the kiln\n> slowly overnight.\n", "Warm the kiln at noon.\n"]
)
def test_a_text_of_many_memories_that_a_failed_editor_left_is_named_if_it_tells_of_the_purged_one(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for insight in ("Warm the kiln at noon.", "Warm the kiln\n> slowly overnight."):
        with vault.write(actor="person", action="edit") as writer:
            writer.put(make_memory(id="innocent", insight=insight))
    sheet = write_text_file(f"Another memory.\n\n{text}", "inbox").path
    write_text_file("Another memory.", "session")
    assert purge_memories(vault, ["innocent"]).leftovers == (sheet,)


def test_a_file_of_memtui_that_cannot_be_removed_is_told(
    leaky: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    kept = tmp_path / "state" / "payload.txt"
    kept.parent.mkdir()
    kept.write_text(SECRET, encoding="utf-8")
    unlink = Path.unlink

    def denied(path: Path, *, missing_ok: bool = False) -> None:
        if path == kept:
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", denied)
    assert purge_memories(leaky, ["innocent"]).leftovers == (kept,)
    assert purge_text(leaky, SECRET).leftovers == (kept,)


def test_paths_that_name_entries_of_the_journal_go_and_their_ends_stay(vault: Vault) -> None:
    keys = {
        "passed-file": f"docs/{SECRET}.md",
        "publication": f"/d/{SECRET}/A.md#codex",
        "cut": f"/{SECRET}.md@innocent",
    }
    with vault.write(actor="person", action="add") as writer:
        for entity, key in keys.items():
            writer.note(entity, key, None, {"path": key})
    assert purge_text(vault, SECRET).leftovers == ()
    assert _holders(vault, SECRET) == set()
    left = _column(vault, "SELECT entity_key FROM revisions ORDER BY position")
    assert left == [f"docs/{MARK}.md", f"/d/{MARK}/A.md#codex", f"/{MARK}.md@innocent"]


def test_vectors_of_texts_that_were_edited_or_taken_back_are_not_kept(vault: Vault) -> None:
    for memory in (make_memory(id="edited", insight=SECRET), make_memory(id="undone", insight=f"{SECRET} too")):
        _put(vault, memory, make_memory(id="innocent"))
        with vault.read() as reader:
            keyed = reader.keyed([memory.id, "innocent"]).values()
        made = [NewVector(key, content_hash(one), np.ones(3, np.float32), b"t") for key, one in keyed]
        store(vault, "model", made)
    with vault.write(actor="person", action="undo") as writer:
        undo(writer)
    _put(vault, make_memory(id="edited", insight="harmless"))
    purge_text(vault, SECRET)
    assert _column(vault, "SELECT m.id FROM vectors v LEFT JOIN memories m ON m.key = v.memory_key") == ["innocent"]


def test_a_purge_that_fails_halfway_leaves_the_old_vault_whole(leaky: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memtui.vault.rewrite.swap_in", full_disk)
    with pytest.raises(OSError, match="No space"):
        purge_text(leaky, SECRET)
    with leaky.read() as reader:
        assert SECRET in reader.get("leakyone").insight
    monkeypatch.undo()
    purge_text(leaky, SECRET)
    assert _holders(leaky, SECRET) == set()


def test_a_long_file_is_scanned_across_its_chunks(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * ((1 << 20) - 5) + SECRET.encode() + b"y" * 100)
    assert purge_module._holds(path, SECRET)
    assert not purge_module._holds(path, "z" + SECRET)


def test_other_capitals_are_kept_and_told(vault: Vault) -> None:
    _put(vault, make_memory(id="leakyone", insight="Ask Acme Corp, or acme corp. ACME CORP pays; acme corps do not."))
    with vault.write(actor="ada", action="use") as writer:
        recipe = dict.fromkeys(("name", "project", "target", "budget"), "x")
        about = {"task": "Write to ACME CORP", "files": [], "created_at": NOON, "options": None}
        writer.insert_unjournaled("recipes", [recipe | about])
    report = purge_text(vault, "Acme Corp")
    # The journal says what the memory does.
    assert dict(report.variants) == {"acme corp": 4, "ACME CORP": 3}
    with vault.read() as reader:
        assert reader.get("leakyone").insight == f"Ask {MARK}, or acme corp. ACME CORP pays; acme corps do not."
    assert dict(purge_text(vault, "acme corp").variants) == {"ACME CORP": 3}
    assert purge_text(vault, "ACME CORP").variants == {}


def test_the_options_of_a_pack_tell_nothing_of_what_is_purged(doomed: Vault) -> None:
    awkward = 'src/"a\\b".py'
    states = {"doomedme": {f"src/{SECRET}.py": "fresh"}, "innocent": {awkward: "gone"}}
    options = {"style": "full", "standing": [], "with": ["doomedme", "innocent"], "file_states": states}
    with doomed.write(actor="ada", action="use") as writer:
        texts = dict.fromkeys(("actor", "project", "task", "target", "budget", "encoding", "payload_hash"), "x")
        numbers = {"id": "pack7777", "made_at": NOON, "tokens": 1, "files": [], "members": []}
        writer.insert_unjournaled("packs", [texts | numbers | {"options": json.dumps(options, ensure_ascii=False)}])
    purge_memories(doomed, ["doomedme"])
    assert _holders(doomed, SECRET) == set()
    purge_text(doomed, awkward)
    (left,) = _column(doomed, "SELECT options FROM packs WHERE id = 'pack7777'")
    kept = {"style": "full", "standing": [], "with": ["innocent"], "file_states": {"innocent": {MARK: "gone"}}}
    assert json.loads(str(left)) == kept
