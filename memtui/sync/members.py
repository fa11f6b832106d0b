"""Who takes part in a team on PostgreSQL, and what they may do there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtui.errors import NotFoundError, RefusedError, UsageError
from memtui.sync.database import SCHEMA, connect, database_errors, schema_sql
from memtui.sync.places import without_password

RIGHTS = ("read", "propose", "write", "admin")

_LONGEST_ROLE = 63


@dataclass(frozen=True, slots=True)
class Member:
    """A role of the database that takes part."""

    role: str
    project: str | None  # None for every project
    may: str  # one of `RIGHTS`


def init_team(url: str) -> str:
    """Make a database a team's; returns the team's id.

    Raises:
        RefusedError: it is one already, or the role may not create a schema.
        MemtuiError: it cannot be reached; nothing was changed.
    """
    with connect(url) as db, database_errors(url), db.transaction():
        if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'team'").fetchone():
            raise RefusedError(
                "This database has a schema `team` already",
                where=without_password(url),
                remedy="Nothing was changed. `memtui team join URL` takes part in it.",
            )
        db.execute(schema_sql())
        row = db.execute("SELECT value FROM team.settings WHERE key = 'team'").fetchone()
        return str(row[0]) if row else ""


def init_statements() -> str:
    """Return what `init_team` runs, for an administrator who runs it by hand."""
    return f"-- memtui team, schema {SCHEMA}\nBEGIN;\n{schema_sql()}COMMIT;\n"


def add_statements(role: str, may: str, project: str | None, *, creates_role: bool = False) -> list[str]:
    """Return the statements that let a role take part; a right that it had there is replaced.

    Raises `UsageError`: the role or the right is none.
    """
    check_role(role)
    if may not in RIGHTS:
        raise UsageError("There is no such right", where=may, remedy=f"Choose from {', '.join(RIGHTS)}.")
    name, place = _literal(role), "NULL"
    if project is not None:
        place = f"(SELECT id FROM team.projects WHERE name = {_literal(project)})"  # noqa: S608 - quoted
    return [
        *([f"CREATE ROLE {_identifier(role)} LOGIN"] if creates_role else []),
        f"DELETE FROM team.members WHERE role = {name} AND project IS NOT DISTINCT FROM {place}",  # noqa: S608 - quoted
        f"INSERT INTO team.members (role, project, may) VALUES ({name}, {place}, {_literal(may)})",  # noqa: S608
    ]


def remove_statements(role: str) -> list[str]:
    """Return the statements after which a role sees and changes nothing any more. Raises `UsageError`: it is none."""
    check_role(role)
    return [f"DELETE FROM team.members WHERE role = {_literal(role)}"]  # noqa: S608 - quoted


def add_member(url: str, role: str, may: str, project: str | None) -> bool:
    """Let a role take part; returns whether it was created, without a password.

    Raises:
        NotFoundError: the team has no such project.
        RefusedError: one may not change the members, or not create a role; nothing was changed.
    """
    with connect(url) as db, database_errors(url), db.transaction():
        if project is not None and not db.execute("SELECT 1 FROM team.projects WHERE name = %s", [project]).fetchone():
            raise NotFoundError("The team has no such project", where=project, remedy="Sync it once, then add members.")
        is_there = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        row = db.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
        if not is_there and not (row and row[0]):
            raise RefusedError(
                "The database has no such role, and yours may not create one",
                where=role,
                remedy=f"Let the server's administrator run: CREATE ROLE {_identifier(role)} LOGIN; then try again.",
            )
        for statement in add_statements(role, may, project, creates_role=not is_there):
            db.execute(statement.encode())
        return not is_there


def remove_member(url: str, role: str) -> int:
    """Let a role no longer take part; returns how many rights it had. Its role in the database stays.

    Raises `NotFoundError`: it takes no part.
    """
    with connect(url) as db, database_errors(url):
        removed = 0
        for statement in remove_statements(role):
            removed += max(0, db.execute(statement.encode()).rowcount)
    if not removed:
        raise NotFoundError("The team has no such member", where=role, remedy="`memtui team status` lists them.")
    return removed


def list_members(url: str) -> list[Member]:
    """Return the members that one may see, by role."""
    with connect(url) as db, database_errors(url):
        found = db.execute(
            "SELECT m.role::text, p.name, m.may FROM team.members m LEFT JOIN team.projects p ON p.id = m.project"
            " ORDER BY 1, 2 NULLS FIRST"
        ).fetchall()
    return [Member(str(role), None if name is None else str(name), str(may)) for role, name, may in found]


def check_role(role: str) -> str:
    """Return the name of a role. Raises `UsageError`: no role can have it."""
    if not role or len(role.encode("utf-8", "replace")) > _LONGEST_ROLE or not role.isprintable():
        raise UsageError("This is no name of a database role", where=repr(role[:80]))
    return role


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if "\\" not in text else "E'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
