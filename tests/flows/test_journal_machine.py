"""Whatever a person does, in whatever order: undoing all of it ends where it began, redoing it where it stood.

`MEMTUI_THOROUGH=1` runs many more and longer walks.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, new_vault
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memtui.capture.import_plan import ImportOptions
from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.curate.history import go_back, log, redo, undo
from memtui.curate.lifecycle import accept, pin, reject, restore, retire, snooze, verify
from memtui.curate.links import link, unlink
from memtui.curate.memories import edit_memory
from memtui.curate.merge import merge, unmerge
from memtui.curate.packs import VERDICTS, give_feedback
from memtui.domain.memory import LINK_TYPES
from memtui.domain.record import memory_record
from memtui.errors import MemtuiError, NothingToUndoError
from memtui.publish.files import Snapshot, jsonl_text
from memtui.publish.portable import take_snapshot
from memtui.vault.filters import EVERYTHING

TEXTS = ("Take the payment lock.", "Take the payment lock for 30 s.", "Seed first.", "使用 make 🙂", "[/x] \x1b[31m```")
ITEMS = (
    "Always take the payment lock before charging a card.",
    "Always take the payment lock before charging or refunding a card.",
    "Never log card numbers, not even masked ones.",
    "Invoices are numbered per country.",
)
pytestmark = pytest.mark.long

THOROUGH = bool(os.environ.get("MEMTUI_THOROUGH"))

picks = st.integers(0, 99)
texts = st.sampled_from(TEXTS)


class Journal(RuleBasedStateMachine):
    """A person at work on one vault, with a model of the journal: what the export was after every change."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="journal-"))
        self.vault, self.clock = new_vault(self.folder)
        self.past: list[str] = []
        self.future: list[str] = []
        self.now = ""
        self.snapshot = Snapshot()
        self.versions: dict[str, tuple[int, str]] = {}
        self.changes = 0

    def teardown(self) -> None:
        try:
            self.undo_all_and_redo_all()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    # -- the model --------------------------------------------------------------------------------

    def look(self) -> str:
        self.snapshot = take_snapshot(self.vault, EVERYTHING)
        return jsonl_text(self.snapshot)

    def act(self, step: Callable[[], object]) -> None:
        """Do something; a refusal must leave the vault as it was, a change one more entry to undo."""
        refused = False
        try:
            step()
        except MemtuiError:
            refused = True
        found = self.look()
        if found == self.now:
            # Nor did the journal get an entry that would undo nothing.
            assert [change.number for change in log(self.vault, limit=1)] == [self.changes] * bool(self.changes)
            return
        assert not refused
        self.changes += 1
        self.past.append(self.now)
        self.future.clear()
        self.now = found

    def pick(self, number: int, *, status: str | None = None) -> str:
        """Return some memory, with the status if there is one; an unknown id in an empty vault."""
        ids = sorted(memory.id for memory in self.snapshot.memories)
        fitting = sorted(memory.id for memory in self.snapshot.memories if memory.status == status) or ids
        return fitting[number % len(fitting)] if fitting else "zzzzzzzz"

    # -- what a person does -----------------------------------------------------------------------

    @initialize(filled=st.booleans())
    def start(self, filled: bool) -> None:
        if filled:
            for text in TEXTS[:3]:
                self.act(lambda text=text: add(self.vault, text, tags=["start"]))  # type: ignore[misc]

    @rule(text=texts, by_agent=st.booleans(), why=texts)
    def add(self, text: str, by_agent: bool, why: str) -> None:
        # What a person has undone can still be redone after an agent's change: that is held in test_vault_undo.py.
        actor = AGENT if by_agent and not self.future else PERSON
        self.act(lambda: add(self.vault, text, why=why, actor=actor))

    @rule(number=picks, text=texts, field=st.sampled_from(["title", "insight", "snippet"]))
    def edit(self, number: int, text: str, field: str) -> None:
        self.act(lambda: edit_memory(self.vault, self.pick(number), {field: text}, actor=PERSON))

    @rule(numbers=st.lists(picks, min_size=1, max_size=3))
    def retire(self, numbers: list[int]) -> None:
        self.act(lambda: retire(self.vault, [self.pick(number) for number in numbers], actor=PERSON, reason="old"))

    @rule(number=picks, status=st.sampled_from(["retired", "superseded"]))
    def restore(self, number: int, status: str) -> None:
        self.act(lambda: restore(self.vault, [self.pick(number, status=status)], actor=PERSON))

    @rule(number=picks, accepted=st.booleans())
    def decide(self, number: int, accepted: bool) -> None:
        ids = [self.pick(number, status="candidate")]
        if accepted:
            self.act(lambda: accept(self.vault, ids, actor=PERSON, folder=self.folder))
        else:
            self.act(lambda: reject(self.vault, ids, actor=PERSON))

    @rule(number=picks, pinned=st.booleans())
    def pin(self, number: int, pinned: bool) -> None:
        self.act(lambda: pin(self.vault, [self.pick(number)], actor=PERSON, pinned=pinned))

    @rule(number=picks, days=st.floats(0, 100))
    def verify(self, number: int, days: float) -> None:
        self.clock.pass_days(days)
        self.act(lambda: verify(self.vault, [self.pick(number)], actor=PERSON))

    @rule(number=picks)
    def snooze(self, number: int) -> None:
        until = self.clock.moment + timedelta(days=9)
        self.act(lambda: snooze(self.vault, [self.pick(number)], until=until, actor=PERSON))

    @rule(one=picks, other=picks, name=st.sampled_from(LINK_TYPES))
    def link(self, one: int, other: int, name: str) -> None:
        self.act(lambda: link(self.vault, self.pick(one), name, self.pick(other), actor=PERSON))

    @rule(number=picks)
    def unlink(self, number: int) -> None:
        links = self.snapshot.links
        if links:
            found = links[number % len(links)]
            self.act(lambda: unlink(self.vault, found.from_id, found.type, found.to_id, actor=PERSON))

    @rule(numbers=st.lists(picks, min_size=2, max_size=3, unique=True))
    def merge(self, numbers: list[int]) -> None:
        self.act(lambda: merge(self.vault, [self.pick(n, status="active") for n in numbers], actor=PERSON))

    @rule(number=picks)
    def unmerge(self, number: int) -> None:
        self.act(lambda: unmerge(self.vault, self.pick(number, status="merged"), actor=PERSON))

    @rule(number=picks, verdict=st.sampled_from(VERDICTS))
    def feedback(self, number: int, verdict: str) -> None:
        self.act(lambda: give_feedback(self.vault, self.pick(number), verdict, actor=PERSON))

    @rule(number=picks, back=st.integers(1, 4))
    def go_back(self, number: int, back: int) -> None:
        self.act(lambda: go_back(self.vault, self.pick(number), back, actor=PERSON))

    @rule(items=st.lists(st.sampled_from(ITEMS), max_size=3, unique=True), active=st.booleans(), deleted=st.booleans())
    def import_rules(self, items: list[str], active: bool, deleted: bool) -> None:
        source = self.folder / "CLAUDE.md"
        source.write_text("# Rules\n\n" + "".join(f"- {item}\n" for item in items), "utf-8")
        options = ImportOptions(active=active, include_deleted=deleted)
        request = ImportRequest(paths=[source], folder=self.folder, home=self.folder, project="shop", options=options)
        self.act(lambda: run_import(self.vault, read_sources(request), request, actor=PERSON))
        changes = self.changes
        self.act(lambda: run_import(self.vault, read_sources(request), request, actor=PERSON))
        assert self.changes == changes, "importing twice changed something"

    @rule()
    def undo(self) -> None:
        self.step_back()

    @rule()
    def redo(self) -> None:
        self.step_forward()

    def step_back(self, *, look: bool = True) -> bool:
        """Undo one change; what is left is what stood before it."""
        try:
            undo(self.vault, actor=PERSON, anybody=True)
        except NothingToUndoError:
            assert self.past == []
            return False
        self.future.append(self.now)
        self.now = self.past.pop()
        self.changes += 1
        assert not look or self.look() == self.now
        return True

    def step_forward(self, *, look: bool = True) -> bool:
        """Redo one change; what is there is what stood after it."""
        try:
            redo(self.vault, actor=PERSON)
        except NothingToUndoError:
            assert self.future == []
            return False
        self.past.append(self.now)
        self.now = self.future.pop()
        self.changes += 1
        assert not look or self.look() == self.now
        return True

    # -- what always holds ------------------------------------------------------------------------

    @invariant()
    def versions_only_grow(self) -> None:
        for memory in self.snapshot.memories:
            version, record = self.versions.get(memory.id, (0, ""))
            stored = str(memory_record(memory))
            assert memory.version >= version
            assert memory.version > version or stored == record
            self.versions[memory.id] = (memory.version, stored)

    @invariant()
    def no_memory_is_lost(self) -> None:
        ends = {end for found in self.snapshot.links for end in (found.from_id, found.to_id)}
        about = {verdict.memory_id for verdict in self.snapshot.verdicts}
        about |= {signal.memory_id for signal in self.snapshot.signals}
        about |= {stone.memory_id for stone in self.snapshot.tombstones}
        assert ends | about <= {memory.id for memory in self.snapshot.memories}

    def undo_all_and_redo_all(self) -> None:
        stood, steps = self.now, 0
        while self.step_back(look=False):
            steps += 1
        assert self.look() == self.now == ""
        for _ in range(steps):
            assert self.step_forward(look=False)
        assert self.look() == self.now == stood
        self.versions_only_grow()


Journal.TestCase.settings = settings(
    max_examples=400 if THOROUGH else 12,
    stateful_step_count=50 if THOROUGH else 20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestJournal = Journal.TestCase
