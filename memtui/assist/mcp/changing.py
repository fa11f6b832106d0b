"""What an assistant may change: proposals and feedback of its own, and decisions that a person confirmed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.assist.mcp.place import Place, own_scope
from memtui.assist.mcp.seeing import NOTE, Answer, Seeing, masked_row
from memtui.assist.sessions import State
from memtui.curate import lifecycle
from memtui.curate.bulk_changes import Outcome, require_changed, require_versions
from memtui.curate.links import link
from memtui.curate.memories import Added, NewMemory, add_memory
from memtui.curate.packs import give_feedback
from memtui.curate.projects import View
from memtui.curate.review_queue import review_queue
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, held_back
from memtui.errors import NotFoundError, RefusedError, UsageError
from memtui.text.sanitize import reveal, tame
from memtui.vault.reader import VaultReader
from memtui.wording.outcomes import skip_reason

USUAL_WAITING = 20
_LEAST_LINE = 25  # Characters from which a line that was served is taken for a copy
_LONGEST_SHOWN = 600  # Characters of a memory in the question to a person

_REPORT = re.compile(
    r"^\W*(?:(?:in this (?:session|task|pr|change)|today|just now)\b.{0,20}\b(?:i|we)\b"
    r"|(?:i|we)(?:'ve| have|) (?:successfully |now |just |also )*(?:implemented|added|fixed|updated|refactored|created"
    r"|completed|finished|removed|changed|wrote|migrated)\b"
    r"|(?:task|session|work) summary\b|summary of (?:the )?(?:changes|work|session|task)\b"
    r"|(?:successfully|all tests|the task (?:is|was)) (?:implemented|completed|pass|added|fixed|done|complete)\b"
    r"|(?:next steps|todo)\b\s*:)",
    re.IGNORECASE,
)
"""How reports on a task begin. They tell what was done once, not what holds."""


@dataclass(slots=True)
class Changing:
    """Writes for one client, under its own name."""

    place: Place
    seeing: Seeing
    agent: Actor

    def propose(self, arguments: Mapping[str, Any]) -> Answer:
        """Put a proposal into the inbox; the same text again is the same proposal."""
        view = self.place.open()
        insight = arguments["insight"].strip()
        _refuse_report(insight)
        self._refuse_echo(insight, self.seeing.session.state())
        replaces = arguments.get("replaces", "").strip()
        if replaces:
            with self.place.vault.read() as reader:
                replaces = self._in_view(reader, view, replaces).id
        new = NewMemory(
            text=insight,
            title=arguments.get("title", ""),
            kind=arguments.get("kind") or None,
            why=arguments.get("why", ""),
            files=self.seeing.files(view, arguments.get("files", ())),
            project=view.project if view.named else None,
            supersedes=(replaces,) if replaces else (),
        )
        self.place.before_change()
        added = add_memory(
            self.place.vault, new, actor=self.agent, folder=view.root, secret_patterns=self.place.patterns
        )
        return {"id": added.memory.id, "status": added.memory.status, "new": added.is_new, "note": _became(added)}

    def _refuse_echo(self, insight: str, state: State) -> None:
        """Refuse what the session was served itself: it would be learned back from its own payload."""
        lines = [line.strip(" \t-*#>") for line in insight.splitlines()]
        long = [line for line in lines if len(line) >= _LEAST_LINE]
        if state.knows_text(insight) or (long and all(state.knows_text(line) for line in long)):
            raise RefusedError(
                "memtui gave you this in this session",
                where=tame(insight, 60),
                remedy="It is already stored. Use memory_feedback to say that it helped, or propose what is new.",
            )

    def feedback(self, arguments: Mapping[str, Any]) -> Answer:
        """Record what became of a memory."""
        view = self.place.open()
        with self.place.vault.read() as reader:
            memory = self._in_view(reader, view, arguments["id"])
        verdict, reason = arguments["verdict"], arguments.get("reason", "")
        if verdict == "outdated":  # two of them make a memory due: a person looks at it
            verdict, reason = "hurt", f"outdated: {reason}" if reason else "outdated"
        self.place.before_change()
        give_feedback(
            self.place.vault,
            memory.id,
            verdict,
            actor=self.agent,
            reason=reason,
            secret_patterns=self.place.patterns,
        )
        return {"id": memory.id, "recorded": arguments["verdict"]}

    def _in_view(self, reader: VaultReader, view: View, given: str, *statuses: str) -> Memory:
        """Return a memory of the project in view. Raises `NotFoundError`: it is another's, or has another status."""
        wanted = statuses or ("active",)
        if given.strip().isalnum():
            memory = reader.get(reader.resolve(given.strip()))
            if memory.status in wanted and memory.project is not None and own_scope(view).holds(memory.project):
                return memory
            if memory.status == "candidate" and memory.project is None and "candidate" in wanted:
                return memory
        raise NotFoundError(
            f"No memory of this project has this id and is {' or '.join(wanted)}",
            where=tame(given, 40),
            remedy="memory_search finds ids.",
        )

    # -- what a curator may ask for ---------------------------------------------------------------

    def inbox(self, arguments: Mapping[str, Any]) -> Answer:
        """Return what waits for a decision of a person."""
        view = self.place.open()
        limit, vault = arguments.get("limit", USUAL_WAITING), self.place.vault
        if arguments.get("due"):
            due = review_queue(vault, own_scope(view), limit=limit)
            rows = [masked_row(one.memory, self.place.patterns) | {"why": one.why} for one in due]
            memories = [one.memory for one in due]
            waiting = len(rows)
        else:
            wanted = lifecycle.waiting(own_scope(view), with_unassigned=False)
            with vault.read() as reader:
                memories = reader.select(wanted, sort="created", now=vault.now(), limit=limit)
                odd = lifecycle.oddities(reader, memories, self.place.patterns)
                waiting = reader.count(wanted)
            rows = [
                masked_row(one, self.place.patterns)
                | {"by": tame(_proposer(one), 60), "look": list(odd[one.id].words) if one.id in odd else []}
                for one in memories
            ]
        found = [row | {"version": memory.version} for row, memory in zip(rows, memories, strict=True)]
        return {"memories": found, "waiting": waiting, "note": NOTE}

    def question(self, arguments: Mapping[str, Any]) -> str:
        """Return what a person is asked before a decision is carried out.

        Raises:
            NotFoundError: there is no such memory in view.
            ConflictError: it has another version than the client read.
            UsageError: the action does not fit it.
        """
        memory, other = self._decided(arguments)
        text = f"{memory.insight}\n{memory.rationale}".strip()
        shown = reveal(text[:_LONGEST_SHOWN]) + ("…" if len(text) > _LONGEST_SHOWN else "")
        by = f" by “{tame(other.title, 120)}” ({other.id})" if other else ""
        why = f"\nReason given: {tame(arguments['reason'], 300)}"
        asks = f"{tame(self.agent.name)} asks to {arguments['action']} this {memory.kind} of {memory.project}{by}."
        return f"{asks}\n\n{tame(memory.title, 200)} ({memory.id})\n{shown}\n{why}"

    def _decided(self, arguments: Mapping[str, Any]) -> tuple[Memory, Memory | None]:
        view, action, by = self.place.open(), arguments["action"], arguments.get("by", "").strip()
        if (action == "supersede") != bool(by):
            needs = "supersede needs the id that replaces it" if not by else f"{action} takes no other memory"
            raise UsageError(needs, where="by", remedy="Correct by and call again.")
        statuses = {"accept": ("candidate",), "reject": ("candidate",), "retire": ("active", "candidate")}
        with self.place.vault.read() as reader:
            memory = self._in_view(reader, view, arguments["id"], *statuses.get(action, ("active",)))
            other = self._in_view(reader, view, by) if by else None
        require_versions([memory], {memory.id: arguments["if_version"]})
        return memory, other

    def decide(self, arguments: Mapping[str, Any]) -> Answer:
        """Carry out what a person confirmed, as that person's change with the agent's name in its reason."""
        memory, other = self._decided(arguments)
        view, vault, person = self.place.open(), self.place.vault, Actor()
        reason, versions = f"{arguments['reason'].strip()} (by {self.agent.name})", {memory.id: memory.version}
        self.place.before_change()
        if other is not None:
            link(vault, other.id, "supersedes", memory.id, actor=person, reason=reason, versions=versions)
        else:
            require_done(self._outcome(arguments["action"], memory, view, person, reason, versions), versions)
        with vault.read() as reader:
            now = reader.get(memory.id)
            replaced = lifecycle.left_beside(reader, [now]).get(now.id, ()) if arguments["action"] == "accept" else ()
        kept = [f"Both it and {old.id}, which it was proposed to replace, are in use." for old in replaced]
        note = " ".join((*kept, "memtui undo reverts it."))
        return {"id": now.id, "status": now.status, "version": now.version, "note": note}

    def _outcome(
        self, action: str, memory: Memory, view: View, person: Actor, reason: str, versions: Mapping[str, int]
    ) -> Outcome:
        vault, patterns = self.place.vault, self.place.patterns
        if action in {"accept", "verify"}:
            _refuse_planted(memory)
        match action:
            case "accept":
                return lifecycle.accept(
                    *(vault, [memory.id]),
                    actor=person,
                    folder=view.root,
                    project=view.project,
                    reason=reason,
                    versions=versions,
                )
            case "reject":
                return lifecycle.reject(
                    vault, [memory.id], actor=person, reason=reason, versions=versions, secret_patterns=patterns
                )
            case "verify":
                return lifecycle.verify(
                    vault, [memory.id], actor=person, tree=view.tree, reason=reason, versions=versions
                )
            case _:
                return lifecycle.retire(
                    vault, [memory.id], actor=person, reason=reason, versions=versions, secret_patterns=patterns
                )


def require_done(outcome: Outcome, versions: Mapping[str, int]) -> None:
    """Raise what kept a decision from being carried out: `ConflictError` if the memory changed, else `UsageError`."""
    require_changed(outcome, versions)
    for skipped in outcome.skipped:
        raise UsageError(
            f"Nothing was changed: {skip_reason(skipped)}",
            where=skipped.id,
            remedy="Read the memory again, then decide.",
        )


def _refuse_planted(memory: Memory) -> None:
    if planted := held_back(memory):
        act = "verify" if memory.status == "active" else "inbox accept"
        raise RefusedError(
            "This text may steer an assistant, so a person must read it in memtui first",
            where=f"{memory.id}: {planted}",
            remedy=f"memtui show {memory.id}, then memtui {act} {memory.id}.",
        )


def _refuse_report(insight: str) -> None:
    if _REPORT.match(insight):
        raise RefusedError(
            "This reports on a task; a memory states a lasting fact",
            where=tame(insight, 60),
            remedy="Propose the one fact that the next task needs, with the reason in `why`, or nothing.",
        )


def _became(added: Added) -> str:
    if added.is_new:
        return "It waits in the inbox until a person accepts it."
    match added.memory.status:
        case "candidate":
            return "It waits in the inbox already."
        case "active":
            return "It is known already."
        case _:
            return "A person turned it down before; do not propose it again."


def _proposer(memory: Memory) -> str:
    source = memory.source
    return (source.agent or source.path or source.format) if source else ""
