"""What a user relies on while choosing what goes into a payload: each choice can be undone and redone, in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pack_story import packed
from recall_story import NOON, PAYMENTS, SETTINGS, memory, story_vault

from memtui.curate import explain_payload
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions
from memtui.recall import rank
from memtui.recall.result import Task
from memtui.tui.context import view
from memtui.tui.context.ask import Ask, Choices, Moment, Step, Steps, is_another_task, lines_of
from memtui.tui.context.queries import RECALL_KEPT_SECONDS, Payloads
from memtui.tui.context.task_lines import completed, names_in, offers, typed_at
from memtui.tui.state import Opening
from memtui.tui.vault_access import VaultAccess
from memtui.vault.filters import MemoryFilter
from memtui.vault.packs import Recipe
from memtui.vault.vault import Vault
from memtui.wording.chances import limits_words


def test_a_tick_puts_in_what_is_withheld_leaves_out_the_rest_and_a_second_one_takes_it_back() -> None:
    choices = Choices(unconfirmed=True).ticked("in", is_withheld=False).ticked("out", is_withheld=True)
    assert (choices.without, choices.with_ids) == (frozenset({"in"}), frozenset({"out"}))
    assert choices.has_tick("out")
    assert choices.ticked("in", is_withheld=False).ticked("out", is_withheld=False) == Choices(unconfirmed=True)
    assert choices.without_ticks() == Choices(unconfirmed=True)
    assert not choices.without_ticks().has_ticks


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("mend the winch of the ferry and oil it", False),
        ("mend the winch", False),
        ("paint the bollards of the quay", True),  # shares `the` and `of` alone
        ("oil the doors of the ferry house in a quiet week", True),  # one word of five
        ("", False),
    ],
)
def test_words_that_say_nothing_make_no_task_the_same(text: str, *, is_other: bool) -> None:
    assert is_another_task(text, "mend the winch of the ferry") is is_other


def test_a_task_without_spaces_goes_on_with_more_signs() -> None:
    assert not is_another_task("修理渡轮的绞车并上油", "修理渡轮的绞车")
    assert is_another_task("粉刷码头的系船柱", "修理渡轮的绞车")


def test_after_a_memory_was_put_in_the_next_one_that_is_not_in_follows() -> None:
    rows = [view.RankedRow(str(place), "", "in" if place < 2 else "withheld", 0.1, "") for place in range(4)]
    shown = view.RankedList(view.ranked_cells)
    shown._lines = (*rows[:2], view._OTHERS, *rows[2:])
    assert [shown.beside(row) for row in rows] == ["0", "1", "3", "2"]
    shown._lines = tuple(rows[:3])
    assert shown.beside(rows[2]) == "2"


def test_choices_are_the_same_after_a_restart_whatever_else_the_file_holds() -> None:
    choices = Choices(frozenset({"a", "b"}), frozenset({"c"}), unconfirmed=True, with_loaded=True, secrets="mask")
    assert Choices.restored(choices.remembered() | {"task": "x"}) == choices
    assert Choices().remembered() == {}
    assert Choices.restored({"without": 7, "unconfirmed": True, "secrets": None}) == Choices()


def test_steps_are_undone_last_first_and_a_new_one_ends_what_can_be_redone() -> None:
    steps, first, second = Steps(), Step("one", Moment(Choices()), Moment(Choices())), Step("two", change=7)
    assert steps.undo() is None
    steps.add(first)
    steps.add(second)
    assert [steps.undo(), steps.undo(), steps.undo()] == [second, first, None]
    assert steps.redo() == first
    steps.add(second)
    assert steps.redo() is None
    assert [steps.undo(), steps.undo()] == [second, first]


def test_a_recipe_brings_its_lines_and_choices_and_odd_options_are_ignored() -> None:
    options = {
        "style": "compiled",
        "phase": "debug",
        "without": ["a", 1],
        "with": "b",
        "unconfirmed": True,
        "secrets": 0,
    }
    recipe = Recipe(
        name="weekly",
        project=None,
        task="refunds",
        files=("a.py", "b.py"),
        target="chat",
        budget="900",
        created_at=datetime(2026, 6, 1, tzinfo=UTC),
        options=options,
    )
    ask = Ask.of(recipe)
    assert (ask.phase, ask.style, ask.standing) == ("debug", "compiled", None)
    assert ask.choices == Choices(without=frozenset({"a"}), unconfirmed=True)
    lines = {"task": "refunds", "files": "a.py, b.py", "budget": "900", "target": "chat"}
    assert lines_of(recipe) == lines | {"style": "compiled", "phase": "debug"}


TASK = "make refunds idempotent"
USUAL = Ask(TASK, (), "chat", "1200", None)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(story_vault(tmp_path).path, now=lambda: NOON)


@pytest.fixture
def recalls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were recalled."""
    asked: list[str] = []
    real = rank.recall

    def counting(vault: Vault, task: Task, *rest: Any, **more: Any) -> Any:
        asked.append(task.text)
        return real(vault, task, *rest, **more)

    monkeypatch.setattr("memtui.tui.context.queries.recall", counting)
    return asked


def test_the_ranking_is_kept_while_only_what_follows_it_changes(
    vault: Vault, tmp_path: Path, recalls: list[str]
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    changes: list[dict[str, Any]] = [{}, {"budget": "90"}, {"target": "cursor"}, {"style": "compiled"}]
    for change in changes:
        assert access.answer(replace(USUAL, **change)).pack == packed(vault, Task(TASK), **change), change
    choices: list[dict[str, Any]] = [
        {"without": frozenset({"lockpaym"})},
        {"with_ids": frozenset({"lockuser"})},
        {"unconfirmed": True},
        {"secrets": "mask"},
    ]
    for change in choices:
        shown = access.answer(replace(USUAL, choices=Choices(**change))).pack
        assert shown == packed(vault, Task(TASK), **change), change
    shown = access.answer(replace(USUAL, choices=Choices(with_loaded=True))).pack
    assert shown == packed(vault, Task(TASK), withhold_loaded=False)
    assert recalls == [TASK]


@pytest.mark.parametrize("change", [{"text": "lock exports"}, {"phase": "debug"}, {"files": ("payments/lock.py",)}])
def test_another_task_is_recalled_anew(
    vault: Vault, tmp_path: Path, recalls: list[str], change: dict[str, Any]
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    access.answer(USUAL)
    access.answer(replace(USUAL, **change))
    assert len(recalls) == 2


def test_what_others_write_and_what_time_does_is_seen(
    vault: Vault, tmp_path: Path, recalls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    assert "freshone" not in {one.memory.id for one in access.answer(USUAL).pack.included}
    with vault.write(actor="ana", action="add") as writer:
        writer.put(memory("freshone", "Refunds are idempotent by their payment"))
    assert "freshone" in {one.memory.id for one in access.answer(USUAL).pack.included}
    assert len(recalls) == 2
    clock = access._recall_kept._known[1] if access._recall_kept._known else 0.0
    monkeypatch.setattr("memtui.tui.context.queries.time.monotonic", lambda: clock + RECALL_KEPT_SECONDS + 1)
    access.answer(USUAL)
    assert len(recalls) == 3


def test_a_pack_of_the_standing_payload_is_compared_with_the_union_of_today(vault: Vault, tmp_path: Path) -> None:
    from memtui.pack.recipes import get_pack, record_pack, save_recipe
    from memtui.tui.packs.view import since_pack

    opening = Opening(vault=vault, folder=tmp_path, project="payments-api")
    access = VaultAccess(opening)
    payloads = Payloads(access)
    kept: dict[str, Any] = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1200"}
    save_recipe(vault, "refunds", Task(TASK), **kept)
    ask = replace(USUAL, text="", standing=("refunds",))
    was = payloads.answer(ask)
    identifier = record_pack(
        vault,
        was.pack,
        was.task,
        actor="person",
        project="payments-api",
        signal="copied",
        options=payloads.options(ask),
    )
    found = since_pack(access, get_pack(vault, identifier))
    assert (found.since.diff.is_empty, found.lines) == (True, ())
    save_recipe(vault, "exports", Task("how do exports round"), **kept)
    found = since_pack(access, get_pack(vault, identifier))
    union = payloads.answer(ask).pack
    assert set(found.since.diff.added) == {one.memory.id for one in union.included} - {
        one.memory.id for one in was.pack.included
    }
    assert found.since.diff.added


def test_what_contradicts_each_other_in_a_payload_is_shown_and_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = [memory(f"ttl{ttl}xxx", f"The payment lock has a TTL of {ttl} s") for ttl in (30, 60)]
    vault = Vault(story_vault(tmp_path, memories, []).path, now=lambda: NOON)
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    looks: list[int] = []
    real = explain_payload.contradictions_in

    def counting(*words: Any) -> Any:
        looks.append(1)
        return real(*words)

    monkeypatch.setattr("memtui.tui.context.queries.contradictions_in", counting)
    for budget in ("1200", "1300"):
        answer = access.answer(replace(USUAL, text="the payment lock", budget=budget))
        assert view.title_note(answer, vault.now(), "person").startswith("1 possible contradiction")
        unsure = replace(answer, pack=replace(answer.pack, covered="hardly"))
        assert [str(one) for one in view.doubts(unsure)] == ["the vault hardly covers this task"]
        assert view.doubts(replace(answer, pack=replace(unsure.pack, payload=""))) == (), "an empty one says why itself"
        partial = replace(answer, pack=replace(unsure.pack, without_vector=3))
        assert str(view.doubts(partial)[0]) == "3 compared by words only: vectors are being made"
        early = replace(partial, is_before_model=True)
        assert str(view.doubts(early)[0]) == "compared by words only: the model is loading"
        pins = replace(answer, pack=replace(answer.pack, abstained=Reason(ReasonCode.TOO_FAR)))
        assert [str(one) for one in view.doubts(pins)] == ["pinned memories only"]
        assert view.rest_lines(answer)[0] == (
            "contradiction? 30 s against 60 s: “The payment lock has a TTL of 30 s”"
            " / “The payment lock has a TTL of 60 s” [ttl30xxx / ttl60xxx]"
        )
    assert len(looks) == 1
    alone = access.answer(replace(USUAL, text="the payment lock", choices=Choices(without=frozenset({"ttl60xxx"}))))
    assert (alone.contradictions, len(looks)) == ((), 2)


def test_every_memory_in_use_is_in_the_payload_or_counted_among_the_others(vault: Vault, tmp_path: Path) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    with vault.read() as reader:
        in_use = reader.count(MemoryFilter(scope=PAYMENTS))
    for text in (TASK, "webhook", "xylophone", ""):
        answer = access.answer(replace(USUAL, text=text))
        assert answer.pack.told_in_use + answer.untied == in_use, text
        rest = [line for line in view.rest_lines(answer) if line.endswith("more: has nothing in common with the task")]
        assert bool(rest) == bool(answer.untied), text
    assert access.answer(replace(USUAL, text="webhook")).untied


FILES = ("payments/service.py", "payments/lock.py", "docs/adr/0007-redis-lock.md", "service/main.py", "README.md")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("serv", ["service/main.py", "payments/service.py"]),
        ("LOCK", ["payments/lock.py", "docs/adr/0007-redis-lock.md"]),
        ("pmlk", ["payments/lock.py"]),
        ("payments/", ["payments/lock.py", "payments/service.py"]),
        ("nothing like it", []),
    ],
)
def test_names_are_offered_the_likeliest_first(typed: str, expected: list[str]) -> None:
    assert offers(FILES, typed) == expected


def test_a_name_that_is_in_the_line_is_not_offered_again() -> None:
    assert offers(FILES, "lock", without=["payments/lock.py"]) == ["docs/adr/0007-redis-lock.md"]
    assert len(offers([f"f{number}.py" for number in range(100)], "f", most=3)) == 3


def test_only_the_name_at_the_cursor_is_replaced() -> None:
    line = "README.md, serv, last.py"
    assert typed_at(line, 15) == "serv"
    assert completed(line, 15, "payments/service.py") == ("README.md, payments/service.py, last.py", 32)
    assert completed("se", 2, "service/main.py") == ("service/main.py, ", 17)
    assert names_in(" a b.py ,, c.py,a b.py, ") == ["a b.py", "c.py"]


@given(st.text(max_size=40), st.integers(0, 40), st.sampled_from(FILES))
def test_completing_puts_the_name_in_whatever_was_typed(line: str, cursor: int, name: str) -> None:
    cursor = min(cursor, len(line))
    after, place = completed(line, cursor, name)
    assert name in names_in(after)
    assert after[:place].endswith(f"{name}, ")


@pytest.fixture(scope="module")
def vault_view(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("rows"))


def _pack(vault_view: Vault, text: str = "make refunds idempotent", **more: Any) -> Pack:
    target = more.pop("target", "chat")
    return context(
        vault_view,
        Task(text),
        PAYMENTS,
        PackOptions(**more),
        project="payments-api",
        target=target,
        settings=SETTINGS,
        now=NOON,
    )


@pytest.mark.parametrize("target", ["chat", "cursor", "json"])
def test_the_sections_add_up_to_the_payload_and_the_rest_to_the_budget(vault_view: Vault, target: str) -> None:
    pack = _pack(vault_view, target=target)
    sections = view.sections(pack)
    assert sum(section.tokens for section in sections) == pack.tokens
    assert view.tokens_left(pack) == pack.budget.amount - pack.tokens_at_most
    assert f"{pack.tokens:,}" in view.payload_title(pack)
    assert view.tokens_left(_pack(vault_view, target=target, budget="9000 chars")) is None


def test_pins_stand_first_then_what_likely_matters_and_what_was_left_out_keeps_its_place(vault_view: Vault) -> None:
    pack = _pack(vault_view)
    whole = view.ranked_rows(pack)
    shown = [str(view.ranked_cells(row, 80)[5].text) for row in whole]
    assert shown == [f"{int(pack.chances[row.id] * 100 + 1e-6)}%" for row in whole]
    heights = [(not row.pinned, -pack.chances[row.id]) for row in whole]
    assert heights == sorted(heights)
    second = whole[1]
    assert [row.id for row in view.ranked_rows(_pack(vault_view, without={second.id}))][1] == second.id
    without_chance = replace(pack, chances={key: value for key, value in pack.chances.items() if key != second.id})
    unjudged = next(row for row in view.ranked_rows(without_chance) if row.id == second.id)
    assert str(view.ranked_cells(unjudged, 80)[5].text) == "–", "a score is no number in a column of chances"
    rows = view.ranked_rows(_pack(vault_view, without={second.id}))
    left_out = next(row for row in rows if row.id == second.id)
    assert (left_out.state, left_out.is_in, left_out.kind) == ("left out", False, second.kind)
    assert second.id not in {row.id for row in view.withheld_rows(_pack(vault_view, without={second.id}))}


def test_what_came_or_went_with_a_tick_is_named_and_what_was_ticked_is_not(vault_view: Vault) -> None:
    before = _pack(vault_view)
    first, second, *_ = (one.memory for one in before.included)
    after = _pack(vault_view, without={first.id, second.id})
    assert f"no longer in: “{second.title}”" in view.others_moved(before, after, first.id)
    assert f"also in: “{second.title}”" in view.others_moved(after, before, first.id)
    assert first.title not in view.others_moved(before, after, first.id)
    assert view.others_moved(before, before, first.id) == ""


def test_what_is_withheld_for_a_reason_of_its_own_stands_before_what_many_share() -> None:
    shared = ["far", "own", "far", "loaded", "far", "loaded"]
    rows = [view.RankedRow(str(place), "", "withheld", 0.1, reason) for place, reason in enumerate(shared)]
    shown = [one.id if isinstance(one, view.RankedRow) else one.text for one in view._by_reason(rows)]
    assert shown == ["1", "3", "5", "  far", "0", "2", "4"]


def test_a_reason_names_the_other_memory_by_its_title(vault_view: Vault) -> None:
    pack = _pack(vault_view)
    titles = {one.memory.id: one.memory.title for one in pack.included} | {one.id: one.title for one in pack.withheld}
    named = [one for one in pack.withheld if one.reason.other in titles]
    rows = {row.id: row.reason for row in view.withheld_rows(pack)}
    assert named
    assert all("“" in rows[one.id] for one in named)


def test_an_empty_payload_says_why_and_what_to_do(vault_view: Vault) -> None:
    assert view.empty_notice(_pack(vault_view, budget="0"), has_task=True)[1] == "B changes the budget."
    nothing = view.empty_notice(_pack(vault_view, "zebra xylophone"), has_task=True)
    assert nothing[0].startswith("Nothing to say: ")
    elsewhere = replace(_pack(vault_view, "zebra xylophone"), other_projects=3)
    waits = view.empty_notice(elsewhere, has_task=True, waiting=44)
    assert waits[-1] == "44 memories wait in the inbox, left out of payloads until accepted: esc, then b goes there."
    standing = " ".join(view.empty_notice(elsewhere, has_task=False))
    assert "3 memories are in other projects, only in the payloads of those: esc, then @" in standing
    assert "Add memories from" not in standing
    told = "3 memories of other projects share words with it: esc, then @ switches the project."
    assert told in view.empty_notice(elsewhere, has_task=True)
    assert "standing payload" in nothing[1]


def test_what_is_only_counted_is_listed_by_title_and_can_be_put_in(vault: Vault, tmp_path: Path) -> None:
    access = Payloads(VaultAccess(Opening(vault=vault, folder=tmp_path, project="payments-api")))
    answer = access.answer(USUAL)
    named = {one.id for one in (*view.ranked_rows(answer.pack), *view.withheld_rows(answer.pack))}
    with vault.read() as reader:
        in_use = reader.select_ids(
            MemoryFilter(scope=access._view().payload_scope, statuses=("active",)), sort="created", now=NOON
        )
    rows = view.unnamed_rows(answer)
    assert {one.id for one in rows} == set(in_use) - named
    assert rows
    shown = [one for one in view.ranked_lines(answer) if isinstance(one, view.RankedRow)]
    assert shown[-len(rows) :] == rows
    put_in = access.answer(replace(USUAL, choices=Choices(with_ids=frozenset({rows[0].id}))))
    assert rows[0].id in {one.memory.id for one in put_in.pack.included}
    far = replace(answer.pack.withheld[0], reason=Reason(ReasonCode.TOO_FAR, score=0.17, bar=0.2))
    answer = replace(answer, pack=replace(answer.pack, withheld=(far,)))
    row = next(one for one in view.withheld_rows(answer.pack) if one.id == far.id)
    told = view.why_blocks(row, answer)[2].pieces[0][0]
    assert limits_words(has_files=bool(answer.task.files)) in told
