"""Links between memories, made and undone by a person or proposed by an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memtui.curate.editing import supersede
from memtui.curate.verdicts import expiry_of
from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.memory import LINK_TYPES, Link, LinkType
from memtui.errors import ConflictError, NotFoundError, RefusedError, UsageError
from memtui.vault.vault import Vault
from memtui.vault.writing import VaultWriter


def check_link_type(name: str) -> LinkType:
    """Return a link type.

    Raises:
        UsageError: there is no such type.
    """
    if name not in LINK_TYPES:
        raise UsageError("Unknown link type", where=name, remedy=f"Types: {', '.join(LINK_TYPES)}.")
    return name


def link(
    vault: Vault,
    from_prefix: str,
    type_name: str,
    to_prefix: str,
    *,
    actor: Actor,
    versions: Mapping[str, int] | None = None,
) -> Link | None:
    """Link two memories; `supersedes` also takes the second out of use. None if the link was there already.

    Raises:
        ConflictError: one of them has another version than in `versions`; nothing was written.
    """
    link_type = check_link_type(type_name)
    with vault.write(actor=actor.name, action="link") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        if first == second:
            raise UsageError("A memory cannot be linked to itself", where=first)
        _check_versions(writer, versions or {})
        writer.summary = f"link {first} {link_type} {second}"
        made = Link(
            from_id=first,
            type=link_type,
            to_id=second,
            origin="person" if actor.is_person else actor.name,
            created_at=writer.now,
        )
        if link_type == "supersedes":
            check_may_alter(actor, writer.get(second))
            known = [
                old for old in writer.links([first]) if (old.from_id, old.type, old.to_id) == (first, link_type, second)
            ]
            supersede(writer, first, second, actor)
            return None if known else made
        return made if writer.add_links([made]) else None


def _check_versions(writer: VaultWriter, versions: Mapping[str, int]) -> None:
    for identifier, memory in writer.get_many(versions).items():
        if memory.version != versions[identifier]:
            raise ConflictError(
                f"Somebody changed this memory since its version {versions[identifier]}",
                where=identifier,
                remedy="Look at it again, then decide.",
                base_version=versions[identifier],
                current_version=memory.version,
            )


def unlink(vault: Vault, from_prefix: str, type_name: str, to_prefix: str, *, actor: Actor) -> Link:
    """Take a link away; a memory that nothing supersedes any more is active again.

    Raises:
        NotFoundError: there is no such link.
        RefusedError: an agent would take away another's link.
    """
    link_type = check_link_type(type_name)
    with vault.write(actor=actor.name, action="unlink") as writer:
        first, second = writer.resolve(from_prefix), writer.resolve(to_prefix)
        found = [
            old for old in writer.links([first]) if (old.from_id, old.type, old.to_id) == (first, link_type, second)
        ]
        if not found:
            raise NotFoundError(
                "There is no such link",
                where=f"{first} {link_type} {second}",
                remedy=f"`memtui show {first}` lists its links.",
            )
        if not actor.is_person and found[0].origin != actor.name:
            raise RefusedError(
                "An agent may take away only links that it made itself",
                where=f"{first} {link_type} {second}, made by {found[0].origin}",
                remedy="Leave it to a person.",
            )
        writer.summary = f"unlink {first} {link_type} {second}"
        writer.drop(found)
        old_memory = writer.get(second)
        if link_type == "supersedes" and old_memory.status == "superseded":
            check_may_alter(actor, old_memory)
            others = [old for old in writer.links([second]) if old.type == "supersedes" and old.to_id == second]
            if not others:
                writer.drop(expiry_of(writer, second))
                writer.put(replace(old_memory, status="active", status_reason=""))
        return found[0]
