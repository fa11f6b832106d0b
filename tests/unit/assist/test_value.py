from __future__ import annotations

import json

import pytest
from support import NOON, FrozenClock, make_memory

from memtui.assist.sessions import Session
from memtui.assist.spool import Spool
from memtui.cli.main import main
from memtui.config import ValueSettings
from memtui.curate.packs import give_feedback
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.value import OFTEN, pay, read_amount, value
from memtui.domain.freshness import AUTOMATIC, SIGNALS, usefulness
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Signal
from memtui.errors import UsageError
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.purge import purge_text
from memtui.vault.vault import Vault
from memtui.wording.health import value_rows

ME = Actor()
ASSUMED = ValueSettings(rediscovery_tokens=5_000)


def stored(vault: Vault, **overrides: str) -> Memory:
    with vault.write(actor="person", action="add") as writer:
        return writer.put(make_memory(**overrides))


def served(vault: Vault, memory: Memory, clock: FrozenClock, times: int = 1, *, lesson: bool = False) -> None:
    """Let so many sessions be served a memory, and meet its file if it is a lesson."""
    for number in range(times):
        session = Session(vault.path, f"{memory.id}-{number}", "codex")
        session.claim([memory], event="start", at=clock.step(minutes=1), tokens=300, project="shop")
        if lesson:
            session.claim([], event="after-tool", at=clock.step(minutes=1), project="shop", lessons=[memory])
    Spool(vault.path).fold_into(vault)


def test_the_figures_count_sessions_tokens_and_repeats_once(vault: Vault, clock: FrozenClock) -> None:
    memory = stored(vault)
    served(vault, memory, clock, 3, lesson=True)
    Session(vault.path, "idle", "gemini").claim([], event="start", at=clock.step(minutes=1), project="shop")
    session = Session(vault.path, f"{memory.id}-0", "codex")
    session.claim([], event="after-tool", at=clock.step(minutes=1), project="shop", lessons=[memory])
    Spool(vault.path).fold_into(vault)
    found = value(vault, Scope.of_project("shop"), ASSUMED)
    assert (found.sessions, found.served, found.without) == (4, 3, 1)
    assert (found.tokens, found.memories, found.per_session) == (900, 3, 300)
    assert (found.repeats, found.saved) == (3, 15_000)
    assert found.by_assistant == {"codex": 3, "gemini": 1}
    assert found.automatic == {"injected": 3}
    assert found.said == {}


def test_other_projects_do_not_count(vault: Vault, clock: FrozenClock) -> None:
    served(vault, stored(vault), clock)
    assert value(vault, Scope.of_project("other"), ASSUMED).sessions == 0
    assert value(vault, EVERYTHING, ASSUMED).sessions == 1


def test_a_lesson_that_was_never_served_spared_nothing(vault: Vault, clock: FrozenClock) -> None:
    memory = stored(vault)
    session = Session(vault.path, "s", "codex")
    session.claim([], event="after-tool", at=clock(), project="shop", lessons=[memory])
    Spool(vault.path).fold_into(vault)
    assert value(vault, EVERYTHING, ASSUMED).repeats == 0


def test_what_a_program_finds_weighs_less_than_the_word_of_a_person() -> None:
    def worth(name: str) -> float:
        return usefulness([Signal(memory_id="m", signal=name, at=NOON, actor="codex")], NOON)

    good = {name for name in AUTOMATIC if SIGNALS[name].helped or SIGNALS[name].use}
    assert all(1.0 < worth(name) < worth("helped") for name in good)
    assert worth("hurt") < worth("contradicted") < 1.0


def test_a_payment_is_a_signal_and_a_sum(vault: Vault) -> None:
    memory = stored(vault)
    (effect,) = pay(vault, memory.id, "0.02 USDC", actor=ME)
    assert effect.after > effect.before
    pay(vault, memory.id[:6], "$ 1,5", actor=ME)
    pay(vault, memory.id, "0.03 USDC", actor=ME)
    found = value(vault, EVERYTHING, ASSUMED)
    assert found.paid == {"$": "1.5", "USDC": "0.05"}
    assert found.automatic == {"paid": 3}


@pytest.mark.parametrize("text", ["", "free", "-1", "0", "1e9", "1.2.3", "USD 1 EUR", "1" * 40])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Not an amount"):
        read_amount(text)


def test_what_is_served_often_and_never_used_is_offered_for_retiring(vault: Vault, clock: FrozenClock) -> None:
    idle, used, rare = stored(vault), stored(vault, title="Used"), stored(vault, title="Rare")
    for memory, times in ((idle, OFTEN), (used, OFTEN), (rare, OFTEN - 1)):
        served(vault, memory, clock, times)
    give_feedback(vault, used.id, "helped", actor=ME)
    assert [one.id for one in value(vault, EVERYTHING, ASSUMED).idle] == [idle.id]
    assert idle.id in tidy(vault, TidyOptions(scope=EVERYTHING)).unused


def test_a_purge_reaches_the_names_of_projects_here_too(vault: Vault, clock: FrozenClock) -> None:
    served(vault, stored(vault), clock)
    purge_text(vault, "shop")
    with vault.read() as reader:
        assert reader.connection.execute("SELECT DISTINCT project FROM servings").fetchall() == [("[purged]",)]


def test_every_figure_has_room_on_the_health_screen(vault: Vault, clock: FrozenClock) -> None:
    memory = stored(vault)
    served(vault, memory, clock, OFTEN)
    pay(vault, memory.id, "1 EUR", actor=ME)
    idle = stored(vault, title="Idle")
    served(vault, idle, clock, OFTEN)
    rows = value_rows(value(vault, EVERYTHING, ASSUMED))
    assert all(len(row.label) <= 14 for row in rows)
    assert [row.note for row in rows if row.is_memory] == ["Idle"]
    assert any("5,000" in row.note for row in rows)


def test_the_command_line_shows_it_and_takes_payments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--value"]) == 0
    assert "no assistant has been served yet" in capsys.readouterr().out
    main(["add", "Berths are numbered from the sea"])
    identifier = capsys.readouterr().out.strip()
    assert main(["feedback", identifier, "--paid", "0.02 USDC"]) == 0
    assert "paid 0.02 USDC" in capsys.readouterr().err
    assert main(["feedback", identifier]) == 2
    assert main(["feedback", identifier, "helped", "--paid", "1"]) == 2
    capsys.readouterr()
    main(["feedback", identifier, "helped"])
    main(["stats", "--value", "--json"])
    record = json.loads(capsys.readouterr().out.split("\n", 1)[1] or "{}")
    assert record["paid"] == {"USDC": "0.02"}
    assert record["rediscovery_tokens"] == ValueSettings().rediscovery_tokens
    main(["show", identifier])
    assert "helped 1×; found by programs: paid 1×" in capsys.readouterr().out
