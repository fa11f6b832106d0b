"""A team on a real PostgreSQL: everybody agrees, and nobody does what they have no right to."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from machines import PROJECT, Seat, Squad, shared, squad
from postgres import Server
from support import NOON, start_python

from memtui.capture.source_conflicts import resolve_conflicts
from memtui.domain.identity import Actor
from memtui.domain.memory import Link, Verdict
from memtui.errors import MemtuiError, RefusedError
from memtui.sync import database
from memtui.sync.database import add_member, init_statements, init_team, list_members, remove_member
from memtui.sync.postgres_carrier import PostgresCarrier
from memtui.sync.service import Watch, orders_of, purge_ordered, sync, team_states
from memtui.sync.sharing import SyncRequest
from memtui.vault.purge import purge_memories
from memtui.vault.source_texts import SourceText, source_texts
from memtui.vault.teams import read_teams
from memtui.vault.undo import undo

pytestmark = pytest.mark.slow


@pytest.fixture
def team(server: Server, tmp_path: Path) -> Squad:
    return squad(server, tmp_path, ana="write", ben="write")


def _pair(team: Squad) -> tuple[Any, Seat, Seat]:
    one, two = team.seat("ana"), team.seat("ben")
    memory = one.add(tags=("billing",))
    one.sync(share=(PROJECT,))
    two.sync()
    return memory, one, two


def _items(**values: Any) -> str:
    item = {
        "entity": "memory",
        "key": "abcdefghijkl",
        "base": 0,
        "record": {"status": "active", "title": "Planted", "insight": "Planted."},
        "actor": "person",
        "action": "edit",
        "summary": "",
        "at": None,
    }
    return json.dumps([item | values])


PUSH = "SELECT team.push(1, 'x', 1, '{}', %s::jsonb)"


def test_edits_meet_and_conflicts_are_settled_as_over_git(team: Squad) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, rationale="An incident in May.")
    two.edit(memory.id, tags=("billing", "locks"))
    assert not one.sync().conflicts
    assert two.sync().merged == 1
    one.sync()
    assert shared(one) == shared(two)
    one.edit(memory.id, insight="Of the first.")
    two.edit(memory.id, insight="Of the second.")
    one.sync()
    assert two.sync().exit_code == 4
    resolve_conflicts(two.vault, [memory.id], "source", actor=Actor())
    two.sync()
    one.sync()
    assert one.get(memory.id).insight == "Of the second."
    assert shared(one) == shared(two)
    assert one.sync().is_news is two.sync().is_news is False


def test_links_and_verdicts_travel_and_say_who_gave_them(team: Squad) -> None:
    memory, one, two = _pair(team)
    other = one.add(title="Other")
    link = Link(from_id=other.id, type="relates", to_id=memory.id, created_at=NOON, weight=0.1)
    with one.vault.write(actor="person", action="review") as writer:
        writer.add_links([link])
        writer.add_verdicts([Verdict(memory_id=memory.id, verdict="still-true", at=NOON, actor="person")])
    one.sync()
    two.sync()
    with two.vault.read() as reader:
        assert reader.links() == [link]
        assert [verdict.actor for verdict in reader.verdicts()] == [f"person:ana_{team.database}"]
    assert two.sync().pushed == one.sync().pulled == 0


def test_a_deletion_travels_and_a_key_of_a_newer_client_survives_an_edit(team: Squad) -> None:
    memory, one, two = _pair(team)
    gone = two.add(title="Taken back")
    two.sync()
    one.sync()
    with two.vault.write(actor="person", action="undo") as writer:
        writer.remove([gone.id])
    two.sync()
    one.sync()
    assert gone.id not in one.all()
    team.ask('UPDATE team.heads SET record = record || \'{"mood": "calm"}\' WHERE key = %s', memory.id)
    two.edit(memory.id, importance=5)
    two.sync()
    ((record,),) = team.ask("SELECT record FROM team.heads WHERE key = %s", memory.id)
    assert (record["mood"], record["importance"]) == ("calm", 5)


# -- rights -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("may", "sees", "proposes", "writes", "purges"),
    [
        ("read", True, False, False, False),
        ("propose", True, True, False, False),
        ("write", True, True, True, False),
        ("admin", True, True, True, True),
        (None, False, False, False, False),
    ],
)
def test_the_server_itself_lets_a_role_do_what_its_right_says(
    server: Server, tmp_path: Path, may: str | None, sees: bool, proposes: bool, writes: bool, purges: bool
) -> None:
    import psycopg

    team = squad(server, tmp_path, ana="write")
    server.run(f'CREATE ROLE "eve_{team.database}" LOGIN')
    if may:
        team.add("eve", may)
    seat = team.seat("ana")
    memory = seat.add()
    seat.sync(share=(PROJECT,))
    assert bool(team.ask("SELECT 1 FROM team.heads", role="eve")) == sees
    assert bool(team.ask("SELECT 1 FROM team.log", role="eve")) == sees
    assert bool(team.ask("SELECT 1 FROM team.projects", role="eve")) == sees

    def may_push(**values: Any) -> bool:
        try:
            team.ask(PUSH, _items(**values), role="eve")
        except psycopg.errors.InsufficientPrivilege:
            return False
        return True

    assert may_push(record={"status": "candidate", "insight": "x"}) == proposes
    assert may_push(key="bbbbbbbbbbbb") == writes
    assert may_push(key=memory.id, base=1, record={"status": "candidate", "insight": "x"}) == writes
    assert may_push(entity="recipe", key="r", record={"type": "recipe"}) == writes
    ((seq,),) = team.ask("SELECT seq FROM team.heads WHERE key = %s", memory.id)
    assert may_push(key=memory.id, base=seq, record=None) == writes
    stone = {"type": "tombstone", "memory": memory.id, "content_hash": "0", "reason": "purged"}
    assert may_push(entity="tombstone", key=f"{memory.id} 0", record=stone) == purges
    for statement in (
        "INSERT INTO team.heads VALUES (1, 'memory', 'x', 99, NULL)",
        "UPDATE team.heads SET record = NULL",
        "DELETE FROM team.log",
        "UPDATE team.projects SET top = 0",
        "DELETE FROM team.secret_rules",
        "SELECT * FROM team.secret_rules",
        "INSERT INTO team.members VALUES (session_user, NULL, 'admin')",
        "UPDATE team.settings SET value = '9'",
        "CREATE TABLE team.mine (x int)",
        "SELECT team.erase(1, '{x}')",
        "SELECT team.is_proposal(1, '{}', '[]')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            team.ask(statement, role="eve")


def test_a_right_in_one_project_shows_nothing_of_another(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write")
    server.run(f'CREATE ROLE "eve_{team.database}" LOGIN')
    seat = team.seat("ana")
    seat.add()
    seat.add(project="secret", title="Secret")
    seat.sync(share=(PROJECT, "secret"))
    team.add("eve", "write", PROJECT)
    eve = team.seat("eve")
    eve.sync()
    assert {memory.project for memory in eve.all().values()} == {PROJECT}
    assert team.ask("SELECT DISTINCT record->>'title' FROM team.log", role="eve") == [
        ("Retries need an idempotency key",)
    ]
    eve.add(project="mine", title="A project that eve may not add")
    with pytest.raises(RefusedError, match="may not add a project"):
        eve.sync(share=("mine",))
    eve.sync()
    assert team.ask("SELECT count(*) FROM team.projects") == [(2,)]


@pytest.mark.parametrize("where", ["pg_temp", "own"])
def test_objects_of_an_attacker_in_front_of_the_search_path_change_nothing(team: Squad, where: str) -> None:
    import psycopg

    memory, _, _ = _pair(team)
    team.server.run(f'CREATE ROLE "eve_{team.database}" LOGIN')
    if where == "own":
        team.server.run(f'CREATE SCHEMA own AUTHORIZATION "eve_{team.database}"', database=team.database)
    with psycopg.connect(team.url("eve"), autocommit=True) as eve:
        eve.execute(f"SET search_path = {where}, team, pg_catalog".encode())
        eve.execute(f"CREATE TABLE {where}.members (role name, project int, may text)".encode())
        eve.execute("INSERT INTO members VALUES (session_user, NULL, 'admin')")
        for body in (
            "may(p int) RETURNS text LANGUAGE sql AS $$ SELECT 'admin' $$",
            "mine() RETURNS int[] LANGUAGE sql AS $$ SELECT '{1}'::int[] $$",
            "rank(may text) RETURNS int LANGUAGE sql AS $$ SELECT 4 $$",
            "array_position(a anyarray, b anyelement) RETURNS int LANGUAGE sql AS $$ SELECT 4 $$",
        ):
            eve.execute(f"CREATE FUNCTION {where}.{body}".encode())
        assert eve.execute("SELECT * FROM team.heads").fetchall() == []
        assert eve.execute("SELECT team.may(1)").fetchone() == (None,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            eve.execute(PUSH, [_items(key=memory.id, base=1)])
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            eve.execute(f'SET SESSION AUTHORIZATION "ana_{team.database}"'.encode())


def test_a_removed_member_sees_and_changes_nothing_and_keeps_the_own_vault(team: Squad) -> None:
    memory, one, two = _pair(team)
    remove_member(team.url("boss"), f"ben_{team.database}")
    one.edit(memory.id, title="After the removal")
    one.sync()
    two.edit(memory.id, title="Of a removed member")
    with pytest.raises(RefusedError, match="does not let you see"):
        two.sync()
    assert team.ask("SELECT 1 FROM team.heads", role="ben") == []
    assert two.get(memory.id).title == "Of a removed member"
    one.sync()
    assert one.get(memory.id).title == "After the removal"
    with pytest.raises(MemtuiError, match="no such member"):
        remove_member(team.url("boss"), f"ben_{team.database}")


def test_only_the_owner_changes_the_members(team: Squad) -> None:
    with pytest.raises(RefusedError):
        add_member(team.url("ana"), f"ana_{team.database}", "admin", None)
    with pytest.raises(RefusedError):
        remove_member(team.url("ana"), f"ben_{team.database}")
    assert add_member(team.url("boss"), f"new one's \\ role {team.database}", "read", None)
    members = {(one.role.split(f"_{team.database}")[0], one.may) for one in list_members(team.url("boss"))}
    assert {("boss", "admin"), ("ana", "write"), ("ben", "write")} < members
    assert (f"new one's \\ role {team.database}", "read") in members


def test_a_reader_gets_everything_and_what_it_writes_stays_at_home(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", eve="read")
    memory, one, _ = team_pair = (*_share(team), None)
    assert team_pair[1] is one
    eve = team.seat("eve")
    eve.sync()
    assert shared(eve) == shared(one)
    eve.edit(memory.id, title="Of a reader")
    report = eve.sync()
    assert (report.refused, report.exit_code) == ([(PROJECT, 1)], 6)
    team.add("eve", "write")
    assert eve.sync().pushed == 1


def _share(team: Squad) -> tuple[Any, Seat]:
    one = team.seat("ana")
    memory = one.add()
    one.sync(share=(PROJECT,))
    return memory, one


def test_what_a_proposer_adds_waits_in_the_inbox_of_the_others(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", bot="propose")
    memory, one = _share(team)
    bot = team.seat("bot")
    bot.sync()
    bot.edit(memory.id, importance=1)
    proposal = bot.add(title="A proposal", status="candidate", confirmed_at=None, confirmed_by=None)
    assert bot.sync().refused == [(PROJECT, 1)]
    one.sync()
    assert one.get(proposal.id).status == "candidate"
    assert one.get(memory.id).importance == 3
    one.edit(proposal.id, status="active", confirmed_at=NOON, confirmed_by="person")
    one.sync()
    bot.sync()
    assert bot.get(proposal.id).status == "active"


# -- secrets, purge ---------------------------------------------------------------------------------


def test_the_server_refuses_a_secret_that_a_client_let_through_and_takes_the_rest(
    team: Squad, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one, two = _pair(team)
    leaky = one.add(title="Leaky", insight="The key is AKIAIOSFODNN7EXAMPLQ.")
    tame = one.add(title="Tame")
    monkeypatch.setattr("memtui.sync.push.secrets_in", lambda *_: {})  # as a client of long ago
    report = one.sync()
    assert ([held.id for held in report.held], report.pushed, report.exit_code) == ([leaky.id], 1, 6)
    assert team.ask("SELECT count(*) FROM team.log WHERE record::text LIKE '%AKIA%'") == [(0,)]
    two.sync()
    assert tame.id in two.all()
    assert leaky.id not in two.all()
    one.edit(leaky.id, insight="The key is in the safe.")
    assert one.sync().exit_code == 0


def test_a_purge_empties_every_row_of_the_server_and_waits_at_the_others(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="admin", ben="write")
    one, two = team.seat("ana"), team.seat("ben")
    memory = one.add(insight="The customer is Ada Example.")
    one.sync(share=(PROJECT,))
    two.sync()
    two.edit(memory.id, rationale="Ada Example asked for it.")
    two.sync()
    purge_memories(one.vault, [memory.id])
    one.sync()
    assert team.ask("SELECT count(*) FROM team.log WHERE record::text LIKE '%Ada Example%'") == [(0,)]
    assert team.ask("SELECT record FROM team.heads WHERE entity = 'memory'") == [(None,)]
    assert two.sync().exit_code == 4
    assert [order.memory_id for order in orders_of(two.vault)] == [memory.id]
    purge_ordered(two.vault)
    assert two.sync().exit_code == 0
    assert one.sync().exit_code == 0
    assert shared(one) == shared(two) == {}


def test_who_is_no_admin_purges_the_own_vault_alone(team: Squad) -> None:
    memory, one, two = _pair(team)
    purge_memories(two.vault, [memory.id])
    report = two.sync()
    assert (report.pushed, report.exit_code) == (0, 6)
    assert two.sync().exit_code == 0
    assert memory.id not in two.all()
    one.sync()
    assert one.get(memory.id).insight == memory.insight


# -- what may go wrong ------------------------------------------------------------------------------


def test_a_server_that_was_put_back_gets_everything_again_without_a_conflict(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", ben="write")
    memory, one, two = _pair(team)
    copy = f"{team.database}_copy"
    server.run(f'CREATE DATABASE "{copy}" TEMPLATE "{team.database}"')
    one.edit(memory.id, rationale="Written after the copy was made.")
    new = one.add(title="Added after the copy was made")
    one.sync()
    two.sync()
    two.edit(memory.id, importance=5)
    server.run(f'DROP DATABASE "{team.database}" WITH (FORCE)')
    server.run(f'ALTER DATABASE "{copy}" RENAME TO "{team.database}"')
    for seat in (two, one, two):
        assert not seat.sync().conflicts
    found = one.get(memory.id)
    assert (found.rationale, found.importance) == ("Written after the copy was made.", 5)
    assert new.id in two.all()
    assert shared(one) == shared(two)


def test_a_lost_answer_and_a_push_sent_twice_lead_to_no_conflict(team: Squad, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, insight="Sent, but never answered.")
    push = PostgresCarrier.push

    def lost(carrier: PostgresCarrier, *arguments: Any) -> None:
        push(carrier, *arguments)
        raise MemtuiError("The line was cut")

    with monkeypatch.context() as cut:
        cut.setattr(PostgresCarrier, "push", lost)
        with pytest.raises(MemtuiError, match="cut"):
            one.sync()
    one.edit(memory.id, insight="Edited again before the next sync.")
    assert not one.sync().conflicts
    two.sync()
    assert two.get(memory.id).insight == "Edited again before the next sync."
    assert team.ask("SELECT count(*) FROM team.heads WHERE entity = 'memory'") == [(1,)]


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_client_killed_between_its_push_and_the_answer_loses_nothing(team: Squad) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, rationale="Pushed by a process that died.")
    died = start_python(
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from memtui.sync.postgres_carrier import PostgresCarrier\n"
        "from memtui.sync.service import sync\n"
        "from memtui.sync.sharing import SyncRequest\n"
        "from memtui.vault.vault import Vault\n"
        "push = PostgresCarrier.push\n"
        "def die(*arguments):\n"
        "    push(*arguments)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "PostgresCarrier.push = die\n"
        "sync(Vault(Path(sys.argv[1])), SyncRequest(folder=Path('.')))\n",
        one.vault.path,
    )
    died.communicate(timeout=60)
    assert died.returncode == -signal.SIGKILL
    report = one.sync()
    assert (report.conflicts, report.pushed) == ([], 0)
    two.sync()
    assert two.get(memory.id).rationale == "Pushed by a process that died."


def test_a_server_that_is_killed_and_started_again_has_lost_nothing(server: Server, team: Squad) -> None:
    memory, one, two = _pair(team)
    one.edit(memory.id, rationale="Sent before the kill.")
    one.sync()
    two.edit(memory.id, importance=5)
    server.control("-m", "immediate", "stop")
    try:
        with pytest.raises(MemtuiError, match="cannot be reached"):
            two.sync()
    finally:
        server.start()
    for seat in (two, one):
        assert not seat.sync().conflicts
    assert (one.get(memory.id).rationale, one.get(memory.id).importance) == ("Sent before the kill.", 5)
    assert shared(one) == shared(two)


def test_a_vault_synced_with_another_database_of_the_same_name_is_refused(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", ben="write")
    memory, one, _ = _pair(team)
    server.run(f'DROP DATABASE "{team.database}" WITH (FORCE)')
    server.run(f'CREATE DATABASE "{team.database}" OWNER "boss_{team.database}"')
    with pytest.raises(MemtuiError, match="no team yet"):
        one.sync()
    init_team(team.url("boss"))
    team.add("ana", "write")
    one.edit(memory.id, title="Not for strangers")
    with pytest.raises(MemtuiError, match="another team"):
        one.sync()
    assert team.ask("SELECT count(*) FROM team.log") == [(0,)]


def test_a_server_that_cannot_be_reached_or_is_silent_changes_nothing(
    team: Squad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, one, _ = _pair(team)
    one.edit(memory.id, title="Written offline")
    with one.vault.read() as reader:
        before = reader.change_counter()
    monkeypatch.setattr(database, "CONNECT_SECONDS", 2)
    silent = socket.create_server(("127.0.0.1", 0))  # takes connections and never says a word
    closed = socket.create_server(("127.0.0.1", 0))
    free = closed.getsockname()[1]
    closed.close()
    for port in (free, silent.getsockname()[1]):
        url = re.sub(r":\d+/", f":{port}/", one.url)
        with pytest.raises(MemtuiError, match="cannot be reached") as caught:
            sync(one.vault, SyncRequest(folder=tmp_path, database=url, share=(PROJECT,)))
        assert caught.value.exit_code == 1
    silent.close()
    with one.vault.read() as reader:
        assert reader.change_counter() == before
        assert len(read_teams(reader)) == 1
    assert one.sync().pushed == 1


def test_a_week_without_a_network_ends_with_one_sync_each(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever listens, as the app and `--watch` do, hears of what the others send after the own sync."""
    team = squad(server, tmp_path, **dict.fromkeys(("ana", "ben", "cleo", "dan", "eva"), "write"))
    seats = [team.seat(name) for name in ("ana", "ben", "cleo", "dan", "eva")]
    common = [seats[0].add(title=f"Common {number}", insight=f"Common {number}.") for number in range(8)]
    seats[0].sync(share=(PROJECT,))
    for seat in seats[1:]:
        seat.sync()
    server.control("-m", "fast", "stop")
    try:
        for day in range(7):
            for number, seat in enumerate(seats):
                _work_offline(seat, number, day, [memory.id for memory in common])
                seat.clock.step(days=1)
        before = [shared(seat) for seat in seats]
        for seat in seats:
            with pytest.raises(MemtuiError, match="cannot be reached") as caught:
                seat.sync()
            assert caught.value.exit_code == 1
        assert [shared(seat) for seat in seats] == before
    finally:
        server.start()
    monkeypatch.setattr("memtui.sync.service.SLICE_SECONDS", 0.1)
    stop = threading.Event()
    watches = [Watch(seat.vault, SyncRequest(folder=seat.path), poll_seconds=600.0, stop=stop) for seat in seats]
    threads = [threading.Thread(target=lambda watch=watch: list(watch.reports())) for watch in watches]
    for thread in threads:
        thread.start()
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and any(shared(seat) != shared(seats[0]) or _to_send(seat) for seat in seats):
            time.sleep(0.2)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    final = shared(seats[0])
    assert all(shared(seat) == final for seat in seats)
    assert len(final) == len(common) + len(seats) * 7
    # Five edits of one line each day: one stands, and the others wait where they were made.
    waiting = {text.stated.insight for seat in seats for text in _set_aside(seat)}
    assert {f"Day 6 of {number}." for number in range(5)} <= waiting | {str(final[common[0].id][1])}
    assert {f"tag{number}" for number in range(5)} <= set(seats[0].get(common[1].id).tags)
    assert final[common[2].id][4] == "retired"


def _work_offline(seat: Seat, number: int, day: int, common: Sequence[str]) -> None:
    """What a person does on a day: adds, edits what all edit and what nobody else does, retires, takes back."""
    seat.add(title=f"Day {day} of {number}", insight=f"What machine {number} found on day {day}.")
    seat.edit(common[0], insight=f"Day {day} of {number}.")
    seat.edit(common[1], tags=(*seat.get(common[1]).tags, f"tag{number}"))
    seat.edit(common[3 + number], rationale=f"Since day {day}.")
    if (number, day) == (2, 3):
        seat.edit(common[2], status="retired", status_reason="outdated")
    mistake = seat.add(title="A mistake")
    with seat.vault.write(actor="person", action="undo") as writer:
        undo(writer, actor="person")
    assert mistake.id not in seat.all()


def _to_send(seat: Seat) -> int:
    return sum(state.waiting for state in team_states(seat.vault))


def _set_aside(seat: Seat) -> list[SourceText]:
    with seat.vault.read() as reader:
        return list(source_texts(reader))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:hunter2@localhost/db",
        "postgresql://ana@localhost/db?password=hunter2",
        "host=x password=hunter2",
    ],
)
def test_a_url_with_a_password_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    seat = Seat(tmp_path, tmp_path, url=url)
    with pytest.raises(RefusedError) as caught:
        seat.sync()
    assert "hunter2" not in str(caught.value)
    assert not seat.vault.exists


def test_a_team_is_founded_once_and_by_hand_with_the_printed_statements(server: Server, tmp_path: Path) -> None:
    team = Squad(server, server.database("ana"), tmp_path)
    for statement in (init_statements(),):
        server.run(statement, database=team.database, role=f"boss_{team.database}")
    with pytest.raises(RefusedError, match="already has a schema `team`"):
        init_team(team.url("boss"))
    team.add("ana", "write")
    seat = team.seat("ana")
    seat.add()
    assert seat.sync(share=(PROJECT,)).pushed == 1


def test_news_arrives_at_a_watching_machine_at_once(team: Squad) -> None:
    memory, one, two = _pair(team)
    reports = Watch(two.vault, SyncRequest(folder=two.path), poll_seconds=20.0).reports()
    next(reports)
    one.edit(memory.id, title="News")
    writing = threading.Timer(0.3, one.sync)
    writing.start()
    news = next(reports)
    writing.join()
    reports.close()
    assert not isinstance(news, MemtuiError)
    assert two.get(memory.id).title == "News"
