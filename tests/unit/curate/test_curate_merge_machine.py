"""Any merges, edits, unmerges and undos: what is taken apart is to the byte what it was before it was merged.

`MEMTUI_THOROUGH=1` runs many more and longer walks.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from curating import PERSON, get, new_vault
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from memtui.curate.history import history, redo, undo
from memtui.curate.memories import edit_memory
from memtui.curate.merge import merge, unmerge
from memtui.domain.memory import MOST_MERGED, Anchor, Memory
from memtui.domain.record import memory_record
from memtui.errors import MemtuiError

THOROUGH = bool(os.environ.get("MEMTUI_THOROUGH"))
COUNT = 5
TEXTS = ("Take the payment lock.", "Take the payment lock for 30 s.", "使用 make 🙂", "[/x] ```")
DERIVED = ("version", "updated_at")
"""What the portable form does not hold."""


def portable(memory: Memory) -> dict[str, object]:
    return {name: value for name, value in memory_record(memory).items() if name not in DERIVED}


class Merging(RuleBasedStateMachine):
    """A person who merges, edits, takes apart and undoes, with a note of what went into each merge."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="merging-"))
        self.vault, _ = new_vault(self.folder)
        self.merges: dict[str, list[dict[str, dict[str, object]]]] = {}
        """By the memory that took the others up: what each was before, one entry for each merge that stands."""

    @initialize(texts=st.lists(st.sampled_from(TEXTS), min_size=COUNT, max_size=COUNT), pinned=st.booleans())
    def fill(self, texts: list[str], *, pinned: bool) -> None:
        with self.vault.write(actor="person", action="import") as writer:
            writer.put_many(
                Memory(
                    id=f"m{number:07d}",
                    title=f"Memory {number}",
                    insight=text,
                    project="shop",
                    tags=(f"tag-{number}",),
                    anchors=(Anchor(f"src/{number % 2}.py"),),
                    pinned=pinned and number == 1,
                    created_at=writer.now,
                    updated_at=writer.now,
                )
                for number, text in enumerate(texts)
            )

    def active(self) -> list[str]:
        memories = (get(self.vault, f"m{number:07d}") for number in range(COUNT))
        return [memory.id for memory in memories if memory.status == "active"]

    @precondition(lambda self: len(self.active()) > 1)
    @rule(picks=st.lists(st.integers(0, COUNT - 1), min_size=2, max_size=MOST_MERGED, unique=True))
    def merge(self, picks: list[int]) -> None:
        active = self.active()
        members = list(dict.fromkeys(active[pick % len(active)] for pick in picks))
        if len(members) > 1:
            before = {member: portable(get(self.vault, member)) for member in members}
            merge(self.vault, members, actor=PERSON)
            self.merges.setdefault(members[0], []).append(before)

    @rule(pick=st.integers(0, COUNT - 1), text=st.sampled_from(TEXTS), tag=st.sampled_from(("a", "b")))
    def edit(self, pick: int, text: str, tag: str) -> None:
        active = self.active()
        try:
            edit_memory(self.vault, active[pick % len(active)], {"insight": text, "tags": (tag,)}, actor=PERSON)
        except MemtuiError:
            return

    @precondition(lambda self: any(self.merges.values()))
    @rule(pick=st.integers(0, COUNT - 1), text=st.sampled_from(TEXTS), undone=st.booleans())
    def unmerge(self, pick: int, text: str, *, undone: bool) -> None:
        standing = [target for target in self.merges if self.merges[target] and target in self.active()]
        target = standing[pick % len(standing)]
        edit_memory(self.vault, target, {"insight": f"{text} Since the merge."}, actor=PERSON)
        merged = {name: portable(get(self.vault, name)) for name in self.merges[target][-1]}
        unmerge(self.vault, target, actor=PERSON)
        apart = self.merges[target][-1]
        assert {name: portable(get(self.vault, name)) for name in apart} == apart
        said = [(step.after or {}).get("insight") for step in history(self.vault, target)]
        assert f"{text} Since the merge." in said, "a later edit is kept as a revision"
        if undone:
            undo(self.vault, actor=PERSON)
            assert {name: portable(get(self.vault, name)) for name in apart} == merged
            redo(self.vault, actor=PERSON)
            assert {name: portable(get(self.vault, name)) for name in apart} == apart
        self.merges[target].pop()

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


TestMerging = Merging.TestCase
TestMerging.settings = settings(
    max_examples=300 if THOROUGH else 4,
    stateful_step_count=14 if THOROUGH else 6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
