"""The query language of lists and bulk changes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from curating import AGENT, PERSON, START, Clock, add, get
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.curate.bulk_changes import Skipped, SkipReason
from memtui.curate.fields import tags_from
from memtui.curate.history import undo
from memtui.curate.lifecycle import change_many, pin, retire, snooze, verify
from memtui.curate.memories import edit_memory
from memtui.curate.packs import give_feedback
from memtui.curate.query import FIELDS, FLAGS, Query, chosen_by, help_lines, is_query, misnamed_field, parse_query
from memtui.domain.kinds import Kinds
from memtui.domain.memory import MATCHED, Anchor
from memtui.errors import QueryError, RefusedError, UsageError
from memtui.vault.filters import Condition, MemoryFilter, Scope
from memtui.vault.vault import Vault


def parsed(text: str) -> Query:
    return parse_query(text, Kinds(), START)


def chosen(vault: Vault, text: str, base: MemoryFilter | None = None) -> set[str]:
    query = parse_query(text, vault.kinds, vault.now())
    return set(chosen_by(vault, query, base or MemoryFilter()))


def names(vault: Vault, clock: Clock) -> dict[str, str]:
    """Fill a vault; returns the ids by a name for each memory."""
    root = vault.path.parent
    (root / "payments").mkdir()
    (root / "payments/service.py").write_text("x")
    (root / "old.py").write_text("x")
    made = {
        "old": add(vault, "Run make lint.", kind="tooling", tags=["Redis"], files=["old.py"], folder=root).id,
        "elsewhere": add(
            vault, "Tills close at six.", kind="note", project="till", files=["shop/api/**/*.{ts,tsx}"]
        ).id,
    }
    clock.pass_days(200)
    made |= {
        "new": add(
            vault, "Lock refunds by payment_id.", kind="decision", files=["payments/service.py"], folder=root
        ).id,
        "pinned": add(vault, "Use UTC: always.", kind="convention", tags=["time", "redis"], importance=5).id,
        "candidate": add(vault, "Agents propose.", kind="note", actor=AGENT).id,
        "retired": add(vault, "Use local time.", kind="convention").id,
    }
    pin(vault, [made["pinned"]], actor=PERSON)
    retire(vault, [made["retired"]], actor=PERSON)
    give_feedback(vault, made["new"], "helped", actor=PERSON)
    return made


CASES = {
    "": {"old", "elsewhere", "new", "pinned"},
    "kind:tooling": {"old"},
    "kind:tooling,note": {"old", "elsewhere"},
    "kind:Tool,no": {"old", "elsewhere"},
    "kind:tooling kind:note": {"old", "elsewhere"},
    "-kind:tooling": {"elsewhere", "new", "pinned"},
    "age>180d": {"old", "elsewhere"},
    "age<1d": {"new", "pinned"},
    "-pinned": {"old", "elsewhere", "new"},
    "pinned": {"pinned"},
    "tag:redis": {"old", "pinned"},
    "tag:redis tag:time": {"pinned"},
    "-tag:redis": {"elsewhere", "new"},
    "project:till": {"elsewhere"},
    "status:any project:shop": {"old", "new", "pinned", "candidate", "retired"},
    "status:retired": {"retired"},
    "status:ret": {"retired"},
    "-status:active": {"candidate", "retired"},
    '"use utc:"': {"pinned"},
    "LINT": {"old"},
    "-lint -utc": {"elsewhere", "new"},
    "file:payments/": {"new"},
    "file:service.py": {"new"},
    "file:*.py": {"old", "new"},
    "file:api": {"elsewhere"},
    "file:shop/api/deep/cart.ts": {"elsewhere"},
    "file:shop/api/cart.tsx": {"elsewhere"},
    "file:shop/api/cart.py": set(),
    "file:shop/api": {"elsewhere"},
    "file:pay": set(),
    "fresh<0.5": {"old", "elsewhere"},
    "used=0": {"old", "elsewhere", "pinned"},
    "used>0": {"new"},
    "importance>=4": {"pinned"},
    "confidence>0.5 importance:3": {"old", "elsewhere", "new"},
    "due": {"old", "elsewhere"},
    "-due": {"new", "pinned"},
    "is:pinned": {"pinned"},
    "-is:pinned is:DUE": {"old", "elsewhere"},
    "is:retired": {"retired"},
    "is:ret": {"retired"},
    "is:pin": {"pinned"},
    "-is:active": {"candidate", "retired"},
    "status:candidate -confirmed": {"candidate"},
    "snoozed": set(),
    "source:memtui kind:decision": {"new"},
    "kind:tooling age>180d -pinned tag:redis": {"old"},
}


def test_every_term_chooses_what_it_says(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    by_id = {identifier: name for name, identifier in made.items()}
    got = {text: {by_id[identifier] for identifier in chosen(vault, text)} for text in CASES}
    assert got == CASES
    assert chosen(vault, f"id:{made['old'][:6]}") == {made["old"]}


def test_a_query_stays_within_the_view_unless_it_names_a_project(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    base = MemoryFilter(scope=Scope.of_project("shop"))
    assert made["elsewhere"] not in chosen(vault, "age>180d", base)
    assert chosen(vault, "project:till", base) == {made["elsewhere"]}


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("kind:toolign", 0, "Did you mean tooling?"),
        ("kind:con", 0, "It may be constraint or convention."),
        ("lint status:gone", 5, "Known: candidate"),
        ("knid:note", 0, "Did you mean kind?"),
        ('lint "open', 5, 'Write "exact words".'),
        ("age>soon", 0, "age>180d"),
        ("age=3d", 0, "age>180d"),
        ("fresh<2", 0, "from 0 to 1"),
        ("used>many", 0, "used=0"),
        ("kind>note", 0, "kind:tooling"),
        ("tag:", 0, "tag:redis"),
        ("importance>", 0, "importance>=4"),
        ("lint is:pined", 5, "Did you mean pinned?"),
        ("is:pinned,due", 0, "Did you mean pinned?"),
        ("is:", 0, "is:pinned"),
    ],
)
def test_an_error_tells_the_place_and_how_to_write_it(text: str, position: int, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        parsed(text)
    assert caught.value.position == position
    assert f"at character {position + 1}" in str(caught.value)
    assert hint in str(caught.value)


_words = st.text(alphabet="abcxyz日é", min_size=1, max_size=8).filter(lambda word: word not in FLAGS)


@given(st.lists(st.tuples(st.booleans(), _words), max_size=6))
def test_words_stand_for_themselves(words: list[tuple[bool, str]]) -> None:
    text = " ".join(f"{'-' * no}{word}" for no, word in words)
    assert [(c.negated, c.values) for c in parsed(text).conditions] == [(no, (word,)) for no, word in words]
    quoted = " ".join(f'{"-" * no}"{word}"' for no, word in words)
    assert parsed(quoted).conditions == parsed(text).conditions


@given(st.text(max_size=60))
@example('-"')
@example("a:b:c")
@example("--")
@example("age>9999999999999d")
def test_any_text_is_a_query_or_a_clear_error(text: str) -> None:
    try:
        query = parsed(text)
    except QueryError as error:
        wrong: QueryError | None = error
    else:
        wrong = None
        assert all(isinstance(condition, Condition) for condition in query.conditions)
    assert wrong is None or (0 <= wrong.position < len(text) and wrong.remedy)


def test_addresses_are_words() -> None:
    assert parsed("https://example.org").conditions == (Condition("words", "is", ("https://example.org",)),)


def test_every_field_is_explained() -> None:
    assert {name for name, _ in help_lines()} >= {*FIELDS, *FLAGS}


def test_acts_leave_alone_what_moved_meanwhile_and_are_one_change(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    query = parse_query("age>180d", vault.kinds, vault.now())
    versions = chosen_by(vault, query, MemoryFilter())
    edit_memory(vault, made["elsewhere"], {"tags": ["kept"]}, actor=PERSON)
    for act in (retire, verify):
        outcome = act(vault, list(versions), actor=PERSON, versions=versions)
        assert [memory.id for memory in outcome.changed] == [made["old"]]
        assert outcome.skipped == (Skipped(made["elsewhere"], SkipReason.CHANGED),)
        undo(vault, actor=PERSON)
        versions[made["old"]] = get(vault, made["old"]).version
    outcome = change_many(
        vault, versions, actor=PERSON, kind="convention", add_tags=["x"], remove_tags=["redis"], half_life_days=30.0
    )
    assert outcome.skipped == (Skipped(made["elsewhere"], SkipReason.CHANGED),)
    (changed,) = outcome.changed
    assert (changed.kind, changed.tags, changed.half_life_days) == ("convention", ("x",), 30.0)
    undo(vault, actor=PERSON)
    assert get(vault, made["old"]).tags == ("Redis",)


def test_bulk_changes_are_checked(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    versions = {made["old"]: get(vault, made["old"]).version}
    with pytest.raises(UsageError):
        change_many(vault, versions, actor=PERSON, kind="nonsense")
    with pytest.raises(UsageError):
        change_many(vault, versions, actor=PERSON)
    with pytest.raises(RefusedError):
        change_many(vault, versions, actor=AGENT, add_tags=["x"])
    assert change_many(vault, versions, actor=PERSON, add_tags=["redis", "Redis"]).changed[0].tags == ("Redis", "redis")


def test_files_are_tied_and_untied_in_many_memories_at_once(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    ids = (made["old"], made["elsewhere"])
    edit_memory(vault, ids[0], {"anchors": (Anchor("docs/**"), Anchor("pay/lock.py"))}, actor=PERSON)
    before = {one: get(vault, one) for one in ids}
    versions = {one: memory.version for one, memory in before.items()}
    add = (Anchor("pay/lock.py", MATCHED), Anchor("pay/*.py", MATCHED))
    outcome = change_many(vault, versions, actor=PERSON, add_anchors=add, remove_files=("docs/**",))
    assert [memory.anchors for memory in outcome.changed] == [
        (Anchor("pay/lock.py"), add[1]),
        (*before[ids[1]].anchors, *add),
    ]
    versions = {one: get(vault, one).version for one in ids}
    again = change_many(vault, versions, actor=PERSON, remove_files=("docs/**",))
    assert again.skipped == tuple(Skipped(one, SkipReason.SAME) for one in ids)
    undo(vault, actor=PERSON)
    assert {one: get(vault, one).anchors for one in ids} == {one: memory.anchors for one, memory in before.items()}


def test_a_snoozed_memory_is_found(vault: Vault, clock: Clock) -> None:
    made = names(vault, clock)
    snooze(vault, [made["old"]], until=vault.now() + timedelta(days=3), actor=PERSON)
    assert chosen(vault, "snoozed") == {made["old"]}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("kind:tooling", True), ("refund -pinned", True), ("age>180d", True), ("-tag:redis x", True),
        ("KIND:note", True), ("is:pinned", True),
        ("redis lock", False), ("due", False), ("--no-verify", False), ("-x flag", False), ("http://a.example", False),
        ("foo:bar", False), ("unkind:x", False), ("", False),
    ],
)  # fmt: skip
def test_words_are_told_from_a_query(text: str, *, asks: bool) -> None:
    assert is_query(text) is asks


@pytest.mark.parametrize(
    ("typed", "added", "gone"),
    [("redis, #cache -old", ["redis", "#cache"], ["old"]), ("--x", [], ["-x"]), (" - # ", [], []), ("", [], [])],
)
def test_tags_to_add_and_to_take_away_are_read_as_typed(typed: str, added: list[str], gone: list[str]) -> None:
    assert tags_from(typed) == (added, gone)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("knd:tooling", ("knd", "kind")),
        ("path:quay", ("path", "file")),
        ("pier author:ada", ("author", "")),
        ("author:ada knd:note", ("knd", "kind")),
        ("Error:timeout", None),
        ("locks -projct:ferry", ("projct", "project")),
        ("https://files.example/a", None),
        ("std::file", None),
        ("note: keep", None),
        ("harbour:3000", None),
    ],
)
def test_a_name_that_stands_like_a_field_and_is_near_one_is_told_from_other_words_with_a_sign(
    text: str, meant: tuple[str, str] | None
) -> None:
    assert misnamed_field(text) == meant
