"""Others who may write there write what no memtui would: nothing of it harms a vault, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from machines import BRANCH, PROJECT, Machine, Seat, Squad, commit_all, file_of, git, joined, shared, squad, work_tree
from postgres import Server
from support import NOON

from memtui.domain.memory import Link, Verdict
from memtui.errors import MemtuiError, RefusedError
from memtui.sync import database, postgres_carrier
from memtui.sync.database import remove_member
from memtui.sync.service import orders_of, purge_ordered
from memtui.vault.projects import list_projects
from memtui.vault.purge import purge_memories
from memtui.vault.undo import undo

pytestmark = pytest.mark.slow

# -- a branch ---------------------------------------------------------------------------------------


def _object(tree: Path, kind: str, content: bytes) -> str:
    """Write an object that git's own commands would refuse; returns its name."""
    done = subprocess.run(
        ["git", "hash-object", "-w", "--literally", "--stdin", "-t", kind],
        cwd=tree,
        input=content,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def _tree(tree: Path, *entries: tuple[str, bytes, str]) -> str:
    """Write a tree of (mode, name, object); returns its name."""
    return _object(tree, "tree", b"".join(b"%s %s\0" % (m.encode(), n) + bytes.fromhex(o) for m, n, o in entries))


def _push_tree(tree: Path, root: str) -> None:
    commit = git("commit-tree", root, "-p", "HEAD", "-m", "crafted", folder=tree).strip()
    git("push", "-q", "origin", f"{commit}:refs/heads/{BRANCH}", folder=tree)


def _file(identifier: str, title: str) -> bytes:
    return f"---\nid: {identifier}\ncreated_at: 2026-01-01\nstatus: active\n---\n\n# {title}\n\n{title}.\n".encode()


def test_names_that_no_checkout_would_take_are_left_alone_and_the_rest_is_exchanged(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    tree = work_tree(one.remote, tmp_path / "tree")
    good = _object(tree, "blob", _file("goodgoodgood", "Good"))
    up = _object(tree, "blob", _file("upupupupupup", "Up"))
    latin = _object(tree, "blob", _file("latinlatinla", "Latin"))
    twin = _object(tree, "blob", _file("twintwintwin", "Twin"))
    link = _object(tree, "blob", b"/etc/passwd")
    parent = _tree(tree, ("100644", b"up.upupupupupup.md", up))
    kept = git("rev-parse", f"HEAD:memories/{PROJECT}", folder=tree).strip()
    old = [
        (line.split()[0], line.split("\t")[1].encode(), line.split()[2])
        for line in git("ls-tree", kept, folder=tree).splitlines()
    ]
    folder = _tree(
        tree,
        ("40000", b"..", parent),
        *old,
        ("120000", b"etc.linklinklink.md", link),
        ("100644", b"caf\xe9.latinlatinla.md", latin),
        ("100644", b"TWIN.twintwintwin.md", twin),
        ("100644", b"good.goodgoodgood.md", good),
        ("100644", b"twin.twintwintwin.md", twin),
    )
    rest = [
        (line.split()[0].removeprefix("0"), line.split("\t")[1].encode(), line.split()[2])
        for line in git("ls-tree", "HEAD", folder=tree).splitlines()
        if not line.endswith("\tmemories")
    ]
    _push_tree(tree, _tree(tree, ("40000", b"memories", _tree(tree, ("40000", PROJECT.encode(), folder))), *rest))
    report = two.sync()
    found = two.all()
    assert {"goodgoodgood", "latinlatinla", "twintwintwin", memory.id} < set(found)
    assert not {"upupupupupup", "linklinklink"} & set(found)
    assert any("link" in place for place in report.skipped)
    assert any(".." in place for place in report.skipped)
    two.edit(memory.id, title="Edited beside them")
    two.edit("latinlatinla", title="Renamed")
    assert two.sync().pushed == 2
    one.sync()
    assert one.get(memory.id).title == "Edited beside them"
    assert shared(one) == shared(two)


def test_a_file_too_large_to_be_a_memory_is_named_and_never_replaced(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    tree = work_tree(one.remote, tmp_path / "tree")
    place = file_of(tree, memory)
    place.write_text(place.read_text() + "x" * (5 << 20))
    commit_all(tree)
    two.edit(memory.id, title="Mine meanwhile")
    report = two.sync()
    assert (report.behind, report.exit_code) == ([memory.id], 4)
    assert two.get(memory.id).title == "Mine meanwhile"
    assert file_of(tree, memory).stat().st_size > 5 << 20
    git("revert", "--no-edit", "HEAD", folder=tree)
    git("push", "-q", "origin", BRANCH, folder=tree)
    assert two.sync().pushed == 1


@pytest.mark.parametrize("name", ["records.jsonl", "memtui-team.json"])
def test_a_link_in_place_of_a_file_that_all_need_stops_the_sync_and_takes_nothing_away(
    tmp_path: Path, name: str
) -> None:
    memory, (one, two) = joined(tmp_path)
    other = one.add(title="Other")
    with one.vault.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id=other.id, type="relates", to_id=memory.id, created_at=NOON)])
    one.sync()
    two.sync()
    tree = work_tree(one.remote, tmp_path / "tree")
    (tree / name).unlink()
    (tree / name).symlink_to("/etc/passwd")
    commit_all(tree)
    with pytest.raises(MemtuiError, match="something other than a file"):
        two.sync()
    with two.vault.read() as reader:
        assert len(reader.links()) == 1
    git("revert", "--no-edit", "HEAD", folder=tree)
    git("push", "-q", "origin", BRANCH, folder=tree)
    assert two.sync().exit_code == 0


def test_a_file_of_links_removed_by_hand_takes_no_links_until_a_person_accepts_it(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    with one.vault.write(actor="person", action="review") as writer:
        writer.add_verdicts(
            Verdict(memory_id=memory.id, verdict="still-true", at=NOON + timedelta(days=day), actor="person")
            for day in range(12)
        )
    one.sync()
    two.sync()
    tree = work_tree(one.remote, tmp_path / "tree")
    (tree / "records.jsonl").unlink()
    commit_all(tree)
    report = two.sync()
    assert [(wipe.deleted, wipe.shared, wipe.is_of_memories) for wipe in report.wipes] == [(12, 12, False)]
    assert report.exit_code == 4
    with two.vault.read() as reader:
        assert len(reader.verdicts()) == 12
    git("revert", "--no-edit", "HEAD", folder=tree)
    git("push", "-q", "origin", BRANCH, folder=tree)
    assert two.sync().exit_code == 0
    (tree / "records.jsonl").unlink()
    commit_all(tree)
    assert two.sync(accepts_deletions=True).exit_code == 0
    with two.vault.read() as reader:
        assert reader.verdicts() == []


def test_a_team_file_names_no_folder_of_this_machine_and_no_project_that_cannot_be(tmp_path: Path) -> None:
    _, (one, two) = joined(tmp_path)
    tree = work_tree(one.remote, tmp_path / "tree")
    state = json.loads((tree / "memtui-team.json").read_text())
    state["projects"]["trap"] = ["path:/home", "remote:example.org/trap"]
    state["projects"] |= {"\x1b[2Jred": [], "x" * 300: [], "two\nlines": []}
    (tree / "memtui-team.json").write_text(json.dumps(state))
    commit_all(tree)
    two.sync()
    with two.vault.read() as reader:
        projects = {project.name: project.identities for project in list_projects(reader)}
    assert tuple(projects["trap"]) == ("remote:example.org/trap",)
    assert all(name.isprintable() and len(name) <= 100 for name in projects)


def test_a_line_separator_within_a_record_does_not_cut_it_in_two(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    tree = work_tree(one.remote, tmp_path / "tree")
    foreign = json.dumps({"type": "other-tool", "text": "a\u2028b\x85c"}, ensure_ascii=False)
    (tree / "records.jsonl").write_text(foreign + "\n")
    commit_all(tree)
    other = two.add(title="Other")
    with two.vault.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id=other.id, type="relates", to_id=memory.id, created_at=NOON)])
    two.sync()
    git("pull", "-q", folder=tree)
    assert foreign in (tree / "records.jsonl").read_text().split("\n")


# -- what a purge erased ----------------------------------------------------------------------------


def _purged(tmp_path: Path) -> tuple[str, str, Machine, Machine, Path]:
    """Return a memory that two machines purged, the commit before, and both machines."""
    memory, (one, two) = joined(tmp_path)
    one.add(title="Stays")
    one.sync()
    two.sync()
    tree = work_tree(one.remote, tmp_path / "tree")
    before = git("rev-parse", "HEAD", folder=tree).strip()
    purge_memories(one.vault, [memory.id])
    one.sync()
    two.sync()
    purge_ordered(two.vault)
    two.sync()
    return memory.id, before, one, two, tree


@pytest.mark.parametrize("how", ["force-push", "revert"])
def test_a_purge_wins_over_a_branch_that_has_the_memory_again(tmp_path: Path, how: str) -> None:
    purged, before, one, two, tree = _purged(tmp_path)
    if how == "force-push":
        git("push", "-q", "-f", "origin", f"{before}:refs/heads/{BRANCH}", folder=tree)
    else:
        git("pull", "-q", folder=tree)
        git("revert", "--no-edit", f"{before}..HEAD", folder=tree)
        git("push", "-q", "origin", BRANCH, folder=tree)
    (tmp_path / "early").mkdir()
    early = Machine(tmp_path / "early", one.remote)
    early.sync()
    assert purged in early.all()
    one.sync()
    (tmp_path / "late").mkdir()
    late = Machine(tmp_path / "late", one.remote)
    late.sync()
    assert purged not in late.all()
    assert len(late.all()) == 1
    assert early.sync().exit_code == 4
    assert [order.memory_id for order in orders_of(early.vault)] == [purged]
    purge_ordered(early.vault)
    for machine in (early, two, one):
        assert machine.sync().exit_code == 0
    assert shared(one) == shared(two) == shared(early) == shared(late)
    assert one.sync().is_news is False


def test_a_vault_that_purged_a_memory_alone_orders_nothing_when_it_joins_a_team_that_has_it(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    (tmp_path / "third").mkdir()
    third = Machine(tmp_path / "third", one.remote)
    third.put(memory)
    purge_memories(third.vault, [memory.id])
    third.sync()
    assert memory.id not in third.all()
    assert two.sync().exit_code == 0
    assert memory.id in two.all()


def test_a_purge_is_ordered_of_the_projects_own_memories_alone(tmp_path: Path) -> None:
    _, (one, two) = joined(tmp_path)
    private = two.add(project="diary", title="Private")
    tree = work_tree(one.remote, tmp_path / "tree")
    stone = {"type": "tombstone", "memory": private.id, "content_hash": "0", "reason": "purged", "project": PROJECT}
    stone |= {"at": "2026-01-01T00:00:00Z", "actor": "person:eve"}
    (tree / "records.jsonl").write_text(json.dumps(stone) + "\n")
    commit_all(tree)
    assert two.sync().orders == []
    assert two.get(private.id).title == "Private"


def test_what_the_team_deleted_is_brought_back_for_everybody_by_an_undo_of_that_change(tmp_path: Path) -> None:
    memory, (one, two) = joined(tmp_path)
    other = one.add(title="Other")
    with one.vault.write(actor="person", action="link") as writer:
        writer.add_links([Link(from_id=other.id, type="relates", to_id=memory.id, created_at=NOON)])
    one.sync()
    tree = work_tree(one.remote, tmp_path / "tree")
    file_of(tree, memory).unlink()
    new = one.add(title="Added in the same sync")
    one.sync()
    git("pull", "-q", "--rebase", folder=tree) if not git("status", "-s", folder=tree) else None
    git("add", "-A", folder=tree)
    git("commit", "-q", "-m", "gone", folder=tree)
    git("pull", "-q", "--rebase", folder=tree)
    git("push", "-q", "origin", BRANCH, folder=tree)
    two.sync()
    report = one.sync()
    assert memory.id not in one.all()
    assert memory.id not in two.all()
    assert new.id in two.all()
    (change,) = report.removals
    with one.vault.write(actor="person", action="undo") as writer:
        undo(writer, actor="person", number=change)
    one.sync()
    two.sync()
    assert shared(one) == shared(two)
    assert memory.id in two.all()
    with two.vault.read() as reader:
        assert [(link.from_id, link.to_id) for link in reader.links()] == [(other.id, memory.id)]


# -- a database -------------------------------------------------------------------------------------


@pytest.fixture
def team(server: Server, tmp_path: Path) -> Squad:
    return squad(server, tmp_path, ana="write", ben="write", bot="propose")


def _pair(team: Squad) -> tuple[Any, Seat, Seat]:
    one, two = team.seat("ana"), team.seat("ben")
    memory = one.add()
    one.sync(share=(PROJECT,))
    two.sync()
    return memory, one, two


def _push(team: Squad, role: str, *items: dict[str, Any], project: int = 1) -> None:
    """Send things by hand, as no memtui would."""
    plain = {"entity": "memory", "base": 0, "actor": "person", "action": "edit", "summary": "", "at": None}
    team.ask(
        "SELECT team.push(%s, 'x', 1, '{}', %s::jsonb)",
        project,
        json.dumps([plain | item for item in items]),
        role=role,
    )


def _plant(team: Squad, entity: str, key: str, record: dict[str, Any]) -> None:
    """Put a thing into the tables themselves, as a server of an older memtui would have let through."""
    ((top,),) = team.ask("UPDATE team.projects SET top = top + 1 WHERE id = 1 RETURNING top")
    team.ask("INSERT INTO team.heads VALUES (1, %s, %s, %s, %s::jsonb)", entity, key, top, json.dumps(record))
    team.ask(
        "INSERT INTO team.log VALUES (1, %s, %s, %s, 0, %s::jsonb, 'x', 'eve', 'x', now(), now(), 'edit', '')",
        *(top, entity, key, json.dumps(record)),
    )


def test_who_only_proposes_cannot_link_other_memories_by_hand(team: Squad) -> None:
    import psycopg

    memory, one, two = _pair(team)
    other = one.add(title="Other")
    one.sync()
    two.sync()
    idea = {"key": "ideaideaidea", "record": {"status": "candidate", "insight": "An idea."}}
    record = {"type": "link", "from": other.id, "link": "supersedes", "to": memory.id}
    record |= {"created_at": "2026-01-01T00:00:00Z", "weight": 1.0, "origin": "person"}
    forged = {"entity": "link", "key": f"ideaideaidea relates {memory.id}", "record": record}
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        _push(team, "bot", idea, forged)
    assert team.ask("SELECT count(*) FROM team.log WHERE author = %s", f"bot_{team.database}") == [(0,)]
    # A server that an older memtui founded lets it through: the vaults do not.
    _plant(team, "link", f"ideaideaidea relates {memory.id}", record)
    assert two.sync().skipped == [f"link ideaideaidea relates {memory.id}"]
    with two.vault.read() as reader:
        assert reader.links() == []


def test_a_right_in_one_project_takes_no_memory_out_of_another(server: Server, tmp_path: Path) -> None:
    import psycopg

    team = squad(server, tmp_path, ana="write")
    server.run(f'CREATE ROLE "eve_{team.database}" LOGIN')
    seat = team.seat("ana")
    seat.add()
    secret = seat.add(project="vaulted", title="Vaulted")
    seat.sync(share=(PROJECT, "vaulted"))
    team.add("eve", "write", PROJECT)
    ((shop,),) = team.ask("SELECT id FROM team.projects WHERE name = %s", PROJECT)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="project that you may not change"):
        _push(team, "eve", {"key": secret.id, "record": {"status": "active", "insight": "Stolen."}}, project=shop)
    seat.sync()
    assert seat.get(secret.id).project == "vaulted"
    # Who may write to both moves it.
    seat.edit(secret.id, project=PROJECT)
    seat.sync()
    seat.sync()
    assert team.ask("SELECT project, record IS NULL FROM team.heads WHERE key = %s ORDER BY 2", secret.id) == [
        (shop, False),
        (3 - shop, True),
    ]


def test_what_a_member_writes_by_hand_arrives_without_controls_and_odd_ids_do_not(team: Squad) -> None:
    _, _, two = _pair(team)
    text = "\x1b]0;owned\x07Red\x1b[31m\u202e and \u0007bell"
    _push(
        team,
        "ana",
        {"key": "controlcontr", "record": {"status": "active", "title": text, "insight": text}},
        {"key": "two\nlines", "record": {"status": "active", "insight": "x"}},
        {"key": "x" * 400, "record": {"status": "active", "insight": "x"}},
        {"key": "wrongwrongwr", "record": {"status": "active", "insight": 5, "tags": {"a": 1}}},
        {"key": "goodgoodgood", "record": {"status": "active", "insight": "Good."}},
    )
    report = two.sync()
    assert len(report.skipped) == 3
    assert "\x1b" not in two.get("controlcontr").insight
    assert {"controlcontr", "goodgoodgood"} < set(two.all())
    assert all(identifier.isprintable() and len(identifier) <= 200 for identifier in two.all())
    assert two.sync().is_news is False


def test_a_record_too_large_to_be_a_memory_is_named_and_an_edit_of_it_waits(team: Squad) -> None:
    memory, one, two = _pair(team)
    ((seq,),) = team.ask("SELECT seq FROM team.heads WHERE key = %s", memory.id)
    _push(team, "ana", {"key": memory.id, "base": seq, "record": {"status": "active", "insight": "x" * (5 << 20)}})
    report = two.sync()
    assert (report.skipped, report.exit_code) == ([f"memory {memory.id}"], 0)
    two.edit(memory.id, title="Mine meanwhile")
    added = two.add(title="Not held up by it")
    report = two.sync()
    assert (report.behind, report.exit_code, report.pushed) == ([memory.id], 4, 1)
    one.sync()
    assert added.id in one.all()
    _push(team, "ana", {"key": memory.id, "base": seq + 1, "record": {"status": "active", "insight": "Mended."}})
    assert two.sync().exit_code in {0, 4}
    assert two.get(memory.id).insight == "Mended."
    assert two.get(memory.id).title == "Mine meanwhile"


def test_large_records_arrive_in_small_pages_and_are_sent_in_small_batches(
    team: Squad, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one, two = _pair(team)
    monkeypatch.setattr(postgres_carrier, "PAGE_BYTES", 300_000)
    monkeypatch.setattr("memtui.sync.engine.BATCH_CHARACTERS", 300_000)
    sizes = []
    push = postgres_carrier.PostgresCarrier.push

    def counted(carrier: Any, share: Any, items: Any) -> Any:
        sizes.append(len(items))
        return push(carrier, share, items)

    monkeypatch.setattr(postgres_carrier.PostgresCarrier, "push", counted)
    for number in range(7):
        one.add(title=f"Long {number}", insight=f"{number} " + "long line\n" * 10_000)
    one.sync()
    assert sizes == [2, 2, 2, 1]
    two.sync()
    assert shared(one) == shared(two)


def test_a_text_about_a_null_arrives_as_it_was_written(team: Squad) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, insight=r"PostgreSQL refuses \u0000 in jsonb, and \\u0000 is a backslash.")
    one.sync()
    two.sync()
    assert two.get(memory.id).insight == r"PostgreSQL refuses \u0000 in jsonb, and \\u0000 is a backslash."
    assert two.sync().is_news is False


@pytest.mark.skipif(os.name != "posix", reason="stops a process")
def test_a_server_that_hangs_in_the_middle_is_given_up(team: Squad, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, title="Written while it hangs")
    monkeypatch.setattr(database, "ANSWER_SECONDS", 1.0)
    stopped: list[int] = []
    push = postgres_carrier.PostgresCarrier.push

    def hangs(carrier: postgres_carrier.PostgresCarrier, *arguments: Any) -> Any:
        if not stopped:
            stopped.append(carrier.db.info.backend_pid)
            os.kill(stopped[0], signal.SIGSTOP)
        return push(carrier, *arguments)

    monkeypatch.setattr(postgres_carrier.PostgresCarrier, "push", hangs)
    try:
        with pytest.raises(MemtuiError, match="cannot be reached"):
            one.sync()
    finally:
        os.kill(stopped[0], signal.SIGCONT)
    assert not one.sync().conflicts
    two.sync()
    assert two.get(memory.id).title == "Written while it hangs"


def test_where_many_listen_already_one_looks_now_and_then(team: Squad, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.sync.service import Watch
    from memtui.sync.sharing import SyncRequest

    memory, one, two = _pair(team)
    monkeypatch.setattr(postgres_carrier, "MOST_CONNECTIONS", 0)
    reports = Watch(two.vault, SyncRequest(folder=two.path), poll_seconds=0.2).reports()
    next(reports)
    assert team.ask("SELECT count(*) FROM pg_stat_activity WHERE usename = %s", f"ben_{team.database}") == [(0,)]
    one.edit(memory.id, title="News")
    one.sync()
    next(reports)
    reports.close()
    assert two.get(memory.id).title == "News"


def test_a_client_that_is_too_old_is_refused_by_the_server_itself(team: Squad, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    memory, one, _ = _pair(team)
    one.edit(memory.id, title="Of an old client")
    team.ask("UPDATE team.settings SET value = '2' WHERE key = 'oldest_client'")
    with pytest.raises(MemtuiError, match="newer memtui"):
        one.sync()
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        _push(team, "ana", {"key": "oldoldoldold", "record": {"insight": "x"}})
    monkeypatch.setattr(postgres_carrier, "CLIENT", 2)
    assert one.sync().pushed == 1


def test_a_vault_put_back_to_an_older_copy_gets_back_what_it_had_sent(team: Squad) -> None:
    memory, one, two = _pair(team)
    older = {path.name: path.read_bytes() for path in one.path.glob("vault.duckdb*")}
    one.edit(memory.id, rationale="Written after the copy.")
    lost = one.add(title="Added after the copy")
    one.sync()
    two.edit(memory.id, importance=5)
    two.sync()
    for path in one.path.glob("vault.duckdb*"):
        path.unlink()
    for name, data in older.items():
        (one.path / name).write_bytes(data)
    restored = Seat(one.path, one.remote, url=one.url)
    restored.edit(memory.id, tags=("mine",))
    for seat in (restored, two, restored):
        assert not seat.sync().conflicts
    found = two.get(memory.id)
    assert (found.rationale, found.importance, found.tags) == ("Written after the copy.", 5, ("mine",))
    assert lost.id in restored.all()
    assert shared(restored) == shared(two)


def test_two_copies_of_one_vault_work_on_as_two_machines(team: Squad) -> None:
    memory, one, two = _pair(team)
    shutil.copytree(one.path, team.folder / "copy")
    copy = Seat(team.folder / "copy", one.remote, url=one.url)
    one.edit(memory.id, rationale="Of the first.")
    copy.edit(memory.id, importance=5)
    made = copy.add(title="Made in the copy")
    for seat in (one, copy, one, two):
        assert not seat.sync().conflicts
    assert shared(one) == shared(copy) == shared(two)
    assert made.id in two.all()
    assert (two.get(memory.id).rationale, two.get(memory.id).importance) == ("Of the first.", 5)


def test_a_purge_wins_over_a_server_that_has_the_memory_again(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="admin", ben="write")
    memory, one, two = _pair(team)
    copy = f"{team.database}_copy"
    server.run(f'CREATE DATABASE "{copy}" TEMPLATE "{team.database}"')
    purge_memories(one.vault, [memory.id])
    one.sync()
    two.sync()
    purge_ordered(two.vault)
    two.sync()
    server.run(f'DROP DATABASE "{team.database}" WITH (FORCE)')
    server.run(f'ALTER DATABASE "{copy}" RENAME TO "{team.database}"')
    two.sync()  # no admin: what came back there does not come back here
    assert memory.id not in two.all()
    one.sync()
    assert team.ask("SELECT count(*) FROM team.log WHERE record::text LIKE %s", f"%{memory.insight}%") == [(0,)]
    assert team.ask("SELECT record FROM team.heads WHERE entity = 'memory'") == [(None,)]
    assert two.sync().exit_code == one.sync().exit_code == 0


def test_a_reader_who_became_none_and_a_stranger_are_told_so(team: Squad) -> None:
    team.server.run(f'CREATE ROLE "eve_{team.database}" LOGIN')
    _pair(team)
    eve = team.seat("eve")
    eve.add()
    with pytest.raises(RefusedError):
        eve.sync(share=(PROJECT,))
    assert eve.sync().pulled == 0


# -- what was merged and not sent -------------------------------------------------------------------


def test_what_a_reader_merged_and_may_not_send_leads_to_no_false_conflict_later(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", eve="read")
    one, eve = team.seat("ana"), team.seat("eve")
    memory = one.add()
    one.sync(share=(PROJECT,))
    eve.sync()
    eve.edit(memory.id, tags=("mine",))
    for text in ("Second text.", "Third text.", "Fourth text."):
        one.edit(memory.id, insight=text)
        one.sync()
        assert eve.sync().conflicts == []
        assert (eve.get(memory.id).insight, eve.get(memory.id).tags) == (text, ("mine",))


def test_who_is_overtaken_between_merging_and_sending_merges_again_without_a_conflict(
    team: Squad, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, one, two = _pair(team)
    push = postgres_carrier.PostgresCarrier.push
    overtaken: list[str] = []

    def slow(carrier: postgres_carrier.PostgresCarrier, *arguments: Any) -> Any:
        if carrier.url == two.url and len(overtaken) < 3:
            overtaken.append("once more")
            one.edit(memory.id, insight=f"Text {len(overtaken)}.")
            one.sync()
        return push(carrier, *arguments)

    one.edit(memory.id, insight="Text 0.")
    one.sync()
    two.edit(memory.id, rationale="Of the slow one.")
    monkeypatch.setattr(postgres_carrier.PostgresCarrier, "push", slow)
    report = two.sync()
    assert (report.conflicts, report.overruled) == ([], [])
    one.sync()
    assert (one.get(memory.id).insight, one.get(memory.id).rationale) == ("Text 3.", "Of the slow one.")
    assert shared(one) == shared(two)


def test_a_right_that_ended_in_one_project_leaves_the_others_exchanged(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", eve="write")
    one, eve = team.seat("ana"), team.seat("eve")
    memory, other = one.add(), one.add(project="another", title="Of another project")
    one.sync(share=(PROJECT, "another"))
    eve.sync()
    remove_member(team.url("boss"), f"eve_{team.database}")
    team.add("eve", "write", PROJECT)
    one.edit(memory.id, title="Still shared")
    one.edit(other.id, title="No longer for eve")
    one.sync()
    report = eve.sync()
    assert (report.hidden, report.exit_code) == (["another"], 6)
    assert eve.get(memory.id).title == "Still shared"
    assert eve.get(other.id).title == "Of another project"
    remove_member(team.url("boss"), f"eve_{team.database}")
    with pytest.raises(RefusedError, match="does not let you see"):
        eve.sync()
