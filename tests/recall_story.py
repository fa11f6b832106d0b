"""A small vault that tells a story: refunds of payments-api, for the tests of recall and pack."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.config import RecallSettings
from memtui.domain.memory import Anchor, Link, Memory
from memtui.recall.rank import recall
from memtui.recall.result import Recall, Task
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

NOON = datetime(2026, 1, 12, 12, tzinfo=UTC)
PAYMENTS = Scope.of_project("payments-api")
SETTINGS = RecallSettings()


def days_ago(days: float) -> datetime:
    return NOON - timedelta(days=days)


def memory(identifier: str, title: str, insight: str = "", **more: Any) -> Memory:
    """Return a memory of payments-api, thirty days old unless said otherwise."""
    files = tuple(Anchor(path) for path in more.pop("files", ()))
    values: dict[str, Any] = {
        "project": "payments-api",
        "created_at": days_ago(30),
        "updated_at": days_ago(30),
        "anchors": files,
        **more,
    }
    return Memory(id=identifier, title=title, insight=insight or title, **values)


def link(source: str, kind: Any, target: str) -> Link:
    return Link(from_id=source, type=kind, to_id=target, created_at=days_ago(5))


STORY = (
    memory(
        "lockpaym",
        "Lock refunds by payment_id",
        "The lock key of a refund is the payment, because a customer with several cards may pay twice at once.",
        kind="constraint",
        rationale="A double charge in March.",
        files=("payments/service.py", "payments/lock.py"),
        verified_at=days_ago(12),
        verified_by="person",
    ),
    memory("lockuser", "Lock refunds by user_id", kind="decision", status="superseded"),
    memory(
        "twicebug",
        "Two concurrent calls double the booking",
        "The ledger wrote both rows before either saw the other.",
        kind="bug-pattern",
        files=("payments/ledger.py::book",),
    ),
    memory("replica2", "port 8788 for the replica", kind="tooling"),
    memory("postgre2", "Postgres 14 in every environment", kind="tooling"),
    memory("intcents", "Money is integer cents", kind="convention", files=("payments/*.py",)),
    memory("retryyes", "Retry webhooks three times with backoff", kind="decision", importance=4),
    memory("retrynot", "Never retry webhooks", kind="decision"),
    memory("freezes2", "Deployments are frozen in December", valid_until=days_ago(11)),
    memory("inboxed2", "Refund mails go out in batches", status="candidate"),
    memory("retired2", "Refunds need an approval", status="retired"),
    memory("cardlogs", "Never log card numbers", kind="constraint", pinned=True, created_at=days_ago(1100)),
    memory("imperati", "Commit messages are imperative", project="global", kind="convention"),
    memory("guestref", "The refund button is hidden for guests", project="storefront"),
    memory("nowhere2", "The refund limit is 500 euros", project=None),
    memory("legacyre", "Legacy exports round down", "Legacy exports round down.", files=("legacy/export.py",)),
    memory("newexpor", "Exports round half to even", "Exports round half to even.", created_at=days_ago(400)),
)

LINKS = (
    link("lockpaym", "supersedes", "lockuser"),
    link("twicebug", "relates", "lockpaym"),
    link("retryyes", "contradicts", "retrynot"),
)


def story_vault(folder: Path, memories: Iterable[Memory] = STORY, links: Iterable[Link] = LINKS) -> Vault:
    """Return a vault that holds these memories."""
    vault = Vault(folder / "vault.duckdb", now=lambda: NOON)
    with vault.write(actor="person", action="story") as writer:
        writer.put_many(memories)
        writer.add_links(links)
    return vault


def set_state(vault: Vault, identifier: str, path: str, state: str) -> None:
    """Store what a check of an anchor found."""
    with vault.write(actor="person", action="check") as writer:
        writer.insert_unjournaled(
            "anchor_states", [{"memory_id": identifier, "path": path, "state": state, "checked_at": NOON}]
        )


def recalled(vault: Vault, text: str = "", *files: str, scope: Scope = PAYMENTS, **more: Any) -> Recall:
    """Recall for a task at the frozen noon."""
    limit = more.pop("limit", 60)
    return recall(vault, Task(text, files, **more), scope, settings=SETTINGS, now=NOON, limit=limit)


def ids(found: Iterable[Any]) -> list[str]:
    """Return the ids of hits, or of anything that has an id."""
    return [hit.memory.id if hasattr(hit, "memory") else hit.id for hit in found]
