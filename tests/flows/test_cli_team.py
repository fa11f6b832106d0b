"""Three people, three roles, two projects, one PostgreSQL: from the first statement to leaving."""

from __future__ import annotations

import pytest
from flows.cli_driver import Cli
from postgres import Server

pytestmark = pytest.mark.slow


class Office:
    """A database that a company has, and who works with it from where."""

    def __init__(self, cli: Cli, server: Server) -> None:
        self.cli = cli
        self.server = server
        self.database = server.database("ana", "ben", "cleo")

    def role(self, name: str) -> str:
        return f"{name}_{self.database}"

    def url(self, name: str) -> str:
        return self.server.url(self.database, self.role(name))

    def at(self, name: str) -> Cli:
        """Go to somebody's machine."""
        self.cli.globals = ["--vault", str(self.cli.home / name / "vault.duckdb")]
        return self.cli


@pytest.fixture
def office(cli: Cli, server: Server) -> Office:
    return Office(cli, server)


def test_a_team_is_founded_joined_used_and_left(office: Office) -> None:
    boss = office.at("boss")
    refund = boss("add", "Lock refunds by payment id", "--project", "shop").id
    boss("add", "Quay times are in UTC", "--project", "ferry")
    founded = boss("team", "init", office.url("boss"))
    assert "is set up for a team" in founded.err
    boss("sync", "--share", "shop", "--share", "ferry")
    for words in (("ana", "write"), ("ben", "write", "shop"), ("cleo", "read")):
        only = ("--only", words[2]) if len(words) > 2 else ()
        boss("team", "add", office.role(words[0]), "--may", words[1], *only)

    ana = office.at("ana")
    assert "2 changes received" in ana("team", "join", office.url("ana")).err
    ben = office.at("ben")
    assert ben("team", "join", office.url("ben"), "--json").json["pulled"] == 1
    ben("edit", refund, "--text", "Lock refunds by order id.")
    assert "1 change sent" in ben("sync").err
    ana = office.at("ana")
    ana("edit", refund, "--text", "Lock refunds by payment and order.")
    clash = ana("sync", "--json", code=4).json
    assert [one["id"] for one in clash["conflicts"]] == [refund]
    ana("inbox", "take", refund)
    ana("sync")
    ana("undo")
    ana("sync", code=4)  # the conflict is open again
    ana("inbox", "keep", refund)
    ana("sync")
    ben = office.at("ben")
    ben("sync")
    assert ben("show", refund, "--json").json["insight"] == "Lock refunds by order id."

    cleo = office.at("cleo")
    cleo("team", "join", office.url("cleo"))
    cleo("edit", refund, "--add-tag", "mine")
    told = cleo("sync", code=6)
    assert "you lack the right" in told.err
    assert cleo("sync", "--json", code=6).json["refused"] == [{"project": "shop", "changes": 1}]

    _purge_and_leave(office, refund)


def _purge_and_leave(office: Office, refund: str) -> None:
    boss = office.at("boss")
    boss("sync")
    boss("purge", refund, "--yes")
    boss("sync")
    ben = office.at("ben")
    assert refund in ben("sync", code=4).err
    ben("sync", "--purge", "--yes")
    ben("sync")
    ben("show", refund, code=3)

    boss = office.at("boss")
    members = boss("team", "status", "--members", "--json").json[0]["members"]
    assert {"role": office.role("ben"), "project": "shop", "may": "write"} in members
    assert office.role("cleo") in boss("team", "status", "--members").out
    boss("team", "remove", office.role("ben"))
    ben = office.at("ben")
    assert "does not let you see" in ben("sync", code=6).err
    ben("team", "leave")
    assert ben("team", "status", "--json").json == []


def test_an_administrator_may_run_the_statements_by_hand(office: Office) -> None:
    cli = office.at("boss")
    made = cli("team", "init", "--print-sql").out
    office.server.run(made, database=office.database, role=office.role("boss"))
    added = cli("team", "add", office.role("ana"), "--may", "write", "--print-sql").out
    office.server.run(added, database=office.database, role=office.role("boss"))
    ana = office.at("ana")
    memory = ana("add", "Lock refunds by payment id", "--project", "shop").id
    ana("team", "join", office.url("ana"), "--share", "shop")
    assert office.server.run("SELECT key FROM team.heads", database=office.database) == [(memory,)]


def test_wrong_words_and_places_say_what_to_do(office: Office) -> None:
    cli = office.at("ana")
    cli("team", code=2)
    cli("team", "init", code=2)
    for nonsense in ("http://x", "https://u@h/d?a=b", "db.example.org", "host=x nonsense=y"):
        assert "Not a PostgreSQL URL" in cli("team", "init", nonsense, code=2).err
    assert "has no team yet" in cli("team", "join", office.url("ana"), code=1).err
    refused = cli("team", "join", "postgresql://ana:hunter2@localhost/x", code=6)
    assert "hunter2" not in refused.err
    cli("team", "join", "postgresql://ana@127.0.0.1:1/x", code=1)
    lacking = office.server.database()
    office.server.run(f'ALTER ROLE "boss_{lacking}" NOCREATEROLE')
    cli("team", "init", office.server.url(lacking, f"boss_{lacking}"))
    assert 'CREATE ROLE "new one" LOGIN' in cli("team", "add", "new one", "--may", "read", code=6).err
    cli("team", "leave")
    assert "no such team" in cli("team", "add", "x", "--may", "read", code=3).err
    assert "Choose from" in cli("team", "add", "x", "--may", "rule", "--print-sql", code=2).err
    assert "Only a person" in cli("--actor", "codex", "team", "join", office.url("ana"), code=6).err
