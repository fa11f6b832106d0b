"""What a user relies on when a payload was used: it is remembered, and can be asked about later."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pack_story import packed
from recall_story import NOON, PAYMENTS, SETTINGS, memory, story_vault

from memtui.config import ContextSettings, RecallSettings
from memtui.domain.record import memory_from_record
from memtui.errors import AmbiguousIdError, NotFoundError, NothingToUndoError, UsageError
from memtui.pack.build import Pack, build_pack, context, recipes_of
from memtui.pack.compile import Compiler
from memtui.pack.options import PackOptions, choices_record, choices_words, task_of
from memtui.pack.recipes import (
    compare,
    delete_recipe,
    get_pack,
    get_recipe,
    list_packs,
    list_recipes,
    payload_hash,
    previous_pack,
    record_pack,
    save_recipe,
)
from memtui.pack.targets.base import PayloadInfo, Style
from memtui.pack.targets.formats import target_named
from memtui.publish.memory_file import parse_memory
from memtui.recall.rank import recall
from memtui.recall.result import Recall, Task
from memtui.vault.filters import EVERYTHING
from memtui.vault.journal import log
from memtui.vault.undo import redo, undo
from memtui.vault.vault import Vault

TASK = Task("make refunds idempotent", ("payments/service.py",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return story_vault(tmp_path)


def _pack(vault: Vault, text: str = TASK.text) -> Pack:
    return context(
        vault,
        Task(text, TASK.files),
        PAYMENTS,
        PackOptions(),
        project="payments-api",
        target="chat",
        settings=SETTINGS,
        now=NOON,
    )


def test_a_copied_pack_is_found_again_by_its_id(vault: Vault) -> None:
    pack = _pack(vault)
    identifier = record_pack(vault, pack, TASK, actor="person", project="payments-api", signal="copied")
    stored = get_pack(vault, identifier[:5])
    assert len(identifier) == 12
    assert stored == list_packs(vault, 10)[0]
    assert (stored.id, stored.task, stored.files) == (identifier, TASK.text, TASK.files)
    assert (stored.project, stored.actor, stored.made_at) == ("payments-api", "person", NOON)
    assert (stored.tokens, stored.budget, stored.encoding) == (pack.tokens, "1,200 tokens", "o200k_base")
    assert stored.payload_hash == payload_hash(pack.payload)
    assert [one.memory_id for one in stored.members] == [one.memory.id for one in pack.included]


def test_each_memory_in_it_was_used_once(vault: Vault) -> None:
    pack = _pack(vault)
    identifier = record_pack(vault, pack, TASK, actor="claude-code", project=None, signal="injected")
    with vault.read() as reader:
        signals = reader.signals()
    assert [(one.memory_id, one.signal, one.actor, one.pack_id) for one in signals] == sorted(
        (one.memory.id, "injected", "claude-code", identifier) for one in pack.included
    )


def test_building_a_pack_is_no_use(vault: Vault) -> None:
    _pack(vault)
    with vault.read() as reader:
        assert reader.signals() == []


def test_undoing_takes_a_recorded_pack_back_and_nothing_else(vault: Vault) -> None:
    kept = record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    with vault.write(actor="person", action="undo") as writer:
        assert undo(writer).action == "copied"
    assert [pack.id for pack in list_packs(vault, 10)] == [kept]
    with vault.read() as reader:
        assert {signal.pack_id for signal in reader.signals()} == {kept}
    with vault.write(actor="person", action="redo") as writer:
        redo(writer)
    assert len(list_packs(vault, 10)) == 2


def test_what_a_program_records_by_itself_is_not_what_a_person_undoes(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [], [])
    with vault.write(actor="person", action="add") as writer:
        writer.undoable = False
        writer.put(memory("lockpaym", "Lock refunds by payment_id"))
    record_pack(vault, _pack(vault), TASK, actor="codex", project=None, signal="injected", undoable=False)
    with pytest.raises(NothingToUndoError), vault.write(actor="person", action="undo") as writer:
        undo(writer)
    assert len(list_packs(vault, 10)) == 1


def test_an_empty_payload_is_not_recorded(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [memory("replica2", "port 8788 for the replica")], [])
    with pytest.raises(NotFoundError):
        record_pack(vault, _pack(vault, "bake bread"), TASK, actor="person", project=None, signal="copied")


def test_packs_are_listed_newest_first_up_to_the_limit(vault: Vault) -> None:
    pack = _pack(vault)
    made = [record_pack(vault, pack, TASK, actor="person", project=None, signal="copied") for _ in range(3)]
    assert {one.id for one in list_packs(vault, 10)} == set(made)
    assert len(list_packs(vault, 2)) == 2


@pytest.mark.parametrize("prefix", ["", "zzzzzzzz", "%", "' OR 1=1"])
def test_an_unknown_pack_is_an_error(vault: Vault, prefix: str) -> None:
    record_pack(vault, _pack(vault), TASK, actor="person", project=None, signal="copied")
    with pytest.raises(NotFoundError):
        get_pack(vault, prefix)


def test_an_ambiguous_prefix_names_the_packs(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    identifiers = iter(["abcd2222", "abcd3333"])
    monkeypatch.setattr("memtui.pack.recipes.new_id", lambda: next(identifiers))
    pack = _pack(vault)
    for _ in range(2):
        record_pack(vault, pack, TASK, actor="person", project=None, signal="copied")
    with pytest.raises(AmbiguousIdError, match="abcd2222, abcd3333"):
        get_pack(vault, "abcd")
    assert get_pack(vault, "ABCD2222").id == "abcd2222"


def test_a_recipe_is_saved_replaced_found_and_deleted(vault: Vault) -> None:
    save_recipe(
        vault, "refunds", Task("lock refunds"), actor="person", project="payments-api", target="chat", budget="1k"
    )
    saved = save_recipe(vault, " refunds ", TASK, actor="person", project="payments-api", target="json", budget="2k")
    other = save_recipe(vault, "auth", Task(""), actor="person", project=None, target="chat", budget="500")
    assert list_recipes(vault) == [other, saved]
    assert get_recipe(vault, "refunds") == saved
    assert (saved.files, saved.target, saved.budget) == (TASK.files, "json", "2k")
    assert delete_recipe(vault, "refunds", actor="person") == saved
    assert list_recipes(vault) == [other]


def test_a_recipe_keeps_what_was_chosen_and_its_saving_and_deleting_are_undone(vault: Vault) -> None:
    task = Task("lock refunds", TASK.files, phase="debug")
    options = PackOptions(style="compiled", without=frozenset({"lockuser"}))
    usual: Any = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1k"}
    plain = save_recipe(vault, "refunds", TASK, **usual)
    chosen = save_recipe(vault, "refunds", task, **usual, options=options)
    assert PackOptions().chosen(get_recipe(vault, "refunds").options) == options
    delete_recipe(vault, "refunds", actor="person")
    with vault.read() as reader:
        assert [(change.action, change.summary) for change in log(reader, limit=3)] == [
            ("recipe delete", "delete recipe refunds"),
            ("recipe save", "save recipe refunds"),
            ("recipe save", "save recipe refunds"),
        ]
    for expected in ([chosen], [plain], []):
        with vault.write(actor="person", action="undo") as writer:
            undo(writer)
        assert list_recipes(vault) == expected
    for expected in ([plain], [chosen], []):
        with vault.write(actor="person", action="redo") as writer:
            redo(writer)
        assert list_recipes(vault) == expected


def test_saving_the_same_recipe_again_at_the_same_moment_is_no_change(vault: Vault) -> None:
    for _ in range(2):
        save_recipe(vault, "refunds", TASK, actor="person", project=None, target="chat", budget="1k")
    with vault.read() as reader:
        assert [change.action for change in log(reader, limit=9)].count("recipe save") == 1


def test_the_union_of_recipes_keeps_the_ticks_of_each(vault: Vault) -> None:
    usual: Any = {"actor": "person", "project": "payments-api", "target": "chat", "budget": "1k"}
    first = save_recipe(vault, "a", TASK, **usual, options=PackOptions(without=frozenset({"twicebug"})))
    second = save_recipe(
        vault, "b", Task("replica port"), **usual, options=PackOptions(with_ids=frozenset({"lockuser"}))
    )
    pack = packed(vault, Task(""), recipes=[first, second])
    ids = {one.memory.id for one in pack.included}
    assert "lockuser" in ids
    assert "twicebug" not in ids
    third = save_recipe(vault, "c", TASK, **usual)
    assert "twicebug" in {one.memory.id for one in packed(vault, Task(""), recipes=[first, second, third]).included}


def test_a_mistyped_recipe_names_the_nearest(vault: Vault) -> None:
    save_recipe(vault, "refunds", TASK, actor="person", project=None, target="chat", budget="1k")
    with pytest.raises(NotFoundError, match="Did you mean refunds"):
        get_recipe(vault, "refund")
    with pytest.raises(NotFoundError):
        delete_recipe(vault, "other", actor="person")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\x1b"])
def test_a_recipe_needs_a_name_that_people_can_use(vault: Vault, name: str) -> None:
    with pytest.raises(UsageError):
        save_recipe(vault, name, TASK, actor="person", project=None, target="chat", budget="1k")


def test_reading_an_absent_vault_creates_nothing(tmp_path: Path) -> None:
    absent = Vault(tmp_path / "none.duckdb")
    assert list_packs(absent, 5) == []
    assert list_recipes(absent) == []
    assert not absent.exists


def build(vault: Vault, task: Task = TASK, **more: Any) -> Pack:
    return packed(vault, task, **more)


def test_the_previous_pack_of_the_same_task_is_found_and_compared(vault: Vault) -> None:
    assert previous_pack(vault, TASK, "payments-api") is None
    before = build(vault)
    identifier = record_pack(vault, before, TASK, actor="person", project="payments-api", signal="copied")
    other = Task("lock exports", TASK.files)
    record_pack(vault, before, other, actor="person", project="payments-api", signal="copied")
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get("lockpaym"), insight="The refund lock lives 60 s."))
        writer.put(replace(writer.get("twicebug"), status="retired"))
        writer.put(memory("newrefun", "Refunds are idempotent by key"))
    found = previous_pack(vault, Task("make  refunds\nidempotent", TASK.files), "payments-api")
    assert found is not None
    assert found.id == identifier
    diff = compare(build(vault), found, vault)
    assert (diff.added, diff.removed, diff.changed) == (("newrefun",), ("twicebug",), ("lockpaym",))
    assert not diff.is_empty
    assert compare(before, found, vault).is_empty
    assert previous_pack(vault, TASK, "storefront") is None


def test_the_standing_payload_is_the_union_of_the_recipes(vault: Vault) -> None:
    for name, task in (("refunds", TASK), ("exports", Task("how do exports round"))):
        save_recipe(vault, name, task, actor="person", project="payments-api", target="chat", budget="1200")
    save_recipe(
        vault, "shop", Task("refund button"), actor="person", project="storefront", target="chat", budget="1200"
    )
    recipes = recipes_of(list_recipes(vault), "payments-api")
    assert [recipe.name for recipe in recipes] == ["exports", "refunds"]
    union = build(vault, recipes=recipes)
    wanted = {one.memory.id for task in (TASK, Task("how do exports round")) for one in build(vault, task).included}
    assert {one.memory.id for one in union.included} == wanted
    assert union.tokens <= 1200
    assert not wanted & {one.id for one in union.withheld}
    small = build(vault, recipes=recipes, budget="150")
    assert 0 < small.tokens <= 150


def test_without_recipes_the_standing_payload_is_what_serves_without_a_task(vault: Vault) -> None:
    assert build(vault, recipes=[]).payload == build(vault, Task("")).payload


ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
QUESTIONS = [json.loads(line) for line in (ROOT / "tests/bench/evidence/sample.jsonl").read_text("utf-8").splitlines()]
GOAL = 0.52
"""Share of tokens that the compiled style is to save."""

HITS = 10


@pytest.fixture(scope="module")
def vault_evidence(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """The sample vault without pins, which nothing asks for."""
    paths = sorted((ROOT / "sample_vault" / "memories").rglob("*.md"))
    records = [parse_memory(path.read_text("utf-8")).record for path in paths]
    made = Vault(tmp_path_factory.mktemp("sample") / "vault.duckdb", now=lambda: NOW)
    with made.write(actor="ana", action="fill") as writer:
        writer.put_many(
            replace(memory_from_record(record, now=NOW, new_id=record["id"]), pinned=False) for record in records
        )
    return made


def build_evidence(task: Task, found: Recall, style: Style) -> Pack:
    options = PackOptions(budget="1000000", encoding="o200k_base", max_memories=HITS, style=style)
    compiler = Compiler.for_task(task) if style == "compiled" else None
    # Compiled payloads are compared with full ones as they were before those left out files and dates.
    info = PayloadInfo("sample", style, edition=0 if compiler else 4)
    return build_pack(found, options, target=target_named("chat"), info=info, compiler=compiler)


def test_the_answers_are_still_there_in_less_than_48_percent_of_the_tokens(vault_evidence: Vault) -> None:
    full = compiled = 0
    answers, lost = [], []
    for question in QUESTIONS:
        task = Task(question["query"])
        found = recall(vault_evidence, task, EVERYTHING, settings=RecallSettings(), now=NOW, limit=HITS)
        whole, short = build_evidence(task, found, "full"), build_evidence(task, found, "compiled")
        assert {one.memory.id for one in whole.included} == {one.memory.id for one in short.included}
        full, compiled = full + whole.tokens, compiled + short.tokens
        there = [word for word in question["words"] if word in whole.payload]
        answers += there
        lost += [(question["query"], word) for word in there if word not in short.payload]
    assert len(answers) >= len(QUESTIONS)
    assert not lost
    assert compiled <= (1 - GOAL) * full, f"only {1 - compiled / full:.1%} fewer"


CHOSEN = PackOptions(
    style="compiled",
    without=frozenset({"lockuser", "twicebug"}),
    with_ids=frozenset({"cardlogs"}),
    unconfirmed=True,
    withhold_loaded=False,
    secrets="mask",
)
TASK_OPTIONS = Task("refund", ("a.py",), phase="debug", as_of=datetime(2026, 3, 1, tzinfo=UTC))


def test_what_was_chosen_comes_back_from_its_record() -> None:
    record = choices_record(CHOSEN, TASK_OPTIONS)
    assert PackOptions().chosen(record) == CHOSEN
    assert task_of(TASK_OPTIONS.text, TASK_OPTIONS.files, record) == TASK_OPTIONS
    assert choices_words(record) == (
        "compiled · debug · as of 2026-03-01 · 1 put in, 2 left out"
        " · with unconfirmed · with what is loaded · secrets: mask"
    )
    assert choices_words(choices_record(PackOptions(), Task(""))) == ""


def test_the_configuration_of_today_does_not_change_how_a_pack_was_made() -> None:
    plain = choices_record(PackOptions(), Task(""))
    other = PackOptions.of(
        ContextSettings(style="compiled", secrets="allow", withhold_loaded=False, budget="9", max_memories=3)
    )
    again = other.chosen(plain)
    assert (again.style, again.secrets, again.withhold_loaded) == ("full", "withhold", True)
    assert (again.budget, again.max_memories) == ("9", 3)
    assert other.chosen({}).style == "compiled"


ODD: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["compiled", "mask", "debug"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
NAMES = st.sampled_from(["style", "phase", "as_of", "with", "without", "unconfirmed", "with_loaded", "secrets", "x"])


@given(st.dictionaries(NAMES, ODD, max_size=9))
def test_a_record_of_another_memtui_is_read_as_far_as_it_makes_sense(record: dict[str, Any]) -> None:
    options, task = PackOptions().chosen(record), task_of("refund", ["a.py"], record)
    assert PackOptions().chosen(choices_record(options, task)) == options
    assert task_of("refund", ["a.py"], choices_record(options, task)) == task
    assert isinstance(choices_words(record), str)


@pytest.mark.parametrize("text", ["", "not json", "[1]", "null", '{"style": 1}'])
def test_options_that_cannot_be_read_are_passed_over(text: str) -> None:
    from memtui.vault.packs import _load

    assert PackOptions().chosen(_load(text)) == PackOptions()
