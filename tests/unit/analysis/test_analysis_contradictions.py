"""Contradictions between memories: found with a reason, decided by a person."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, everything, get, new_vault
from hypothesis import given
from hypothesis import strategies as st
from support import NOON, make_memory

from memtui.analysis.claims import claims_of, difference_in_denials
from memtui.analysis.contradictions import Contradiction, contradiction_between, find_contradictions
from memtui.analysis.duplicates import find_duplicates
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, judge
from memtui.analysis.snapshot import NOT_CONTRADICTION, Alike, Snapshot
from memtui.analysis.text_features import wording_of
from memtui.analysis.titles import title_for
from memtui.curate.history import undo
from memtui.curate.links import link
from memtui.curate.resolutions import Validity, dismiss, keep_both, keep_one
from memtui.curate.snapshot_reader import read_snapshot
from memtui.domain.memory import Link, Memory, Source
from memtui.errors import ConflictError, RefusedError, UsageError
from memtui.progress import Cancelled
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "curation" / "conflict-pairs.jsonl").read_text("utf-8").splitlines()
]


def said(text: str, **values: object) -> Memory:
    return make_memory(title=title_for(text, ()), insight=text, **values)


def between(one: str, other: str, **values: object) -> list[Contradiction]:
    return find_contradictions(Snapshot([said(one, id="aaaaaaaa", **values), said(other, id="bbbbbbbb", **values)]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never add a default feature that enables steam.", "steam is the only non-default feature flag in this mill."),
        ("Boiler manifest: `version = { shared = true }`", "Boiler manifest: `auto-vent = false`"),
    ],
)
def test_what_agrees_or_sets_something_else_is_no_contradiction(one: str, other: str) -> None:
    assert between(one, other, project="mill") == []


@pytest.mark.parametrize(
    ("one", "other", "headings"),
    [
        (
            (
                "Mill: The gate `oldweir` is where all water comes in by the\nrace; `newweir` is open too, and "
                "`race.ts` sends it to the\ngate (the keeper refuses absolute marks in `_levels`, so\nthe mark of the "
                "weir can't live there — it has to be in the\nrace)."
            ),
            (
                "Mill > `_levels` (empty): **`_levels`** — empty. Weir (absolute-height) marks fail\nthe keeper's "
                "check (`error 12: Only relative marks are\nallowed`), so the new→old mark lives in `race.ts`. Add\n"
                "relative-only marks here if you need them."
            ),
            ("Mill > Gate", "Mill > _levels (empty)"),
        ),
        (
            (
                "Keys in the Barrel Store > List: The `barrel` is put in place, then `fetch-keys` and `turn key`, no "
                "`mill apply` needed."
            ),
            "Keys in the Barrel Store: Nothing secret lives in `mill.tfvars` anymore. The keys are read at the start.",
            ("Keys in the Barrel Store > List", "Keys in the Barrel Store"),
        ),
    ],
)
def test_parts_of_files_that_share_both_words_or_the_heading_of_what_is_gone_exclude_nothing(
    one: str, other: str, headings: tuple[str, str]
) -> None:
    sources = [(Source(format="claude-md", path="mill/CLAUDE.md", native_id=f"{path}#1"),) for path in headings]
    parts = [said(text, project="mill", sources=source) for text, source in zip((one, other), sources, strict=True)]
    near = Nearness(cosine=0.7)
    assert contradiction_between(parts[0], parts[1], near=near) is None
    typed = [replace(part, sources=()) for part in parts]
    assert contradiction_between(typed[0], typed[1], near=near) is not None


def test_parts_of_files_of_which_one_names_the_others_value_to_take_it_back_exclude_each_other() -> None:
    texts = "Indent crane scripts with tabs.", "Indent crane scripts with spaces; convert tabs on save."
    sources = [(Source(format="claude-md", path=f"{name}/CLAUDE.md", native_id="Style#1"),) for name in ("a", "b")]
    one, other = (said(text, project="mill", sources=source) for text, source in zip(texts, sources, strict=True))
    assert contradiction_between(one, other, near=Nearness(cosine=0.8)) is not None


def test_two_names_of_one_tool_exclude_nothing_and_rivals_do() -> None:
    assert between("Ledgers are kept in PostgreSQL.", "Ledgers are kept in Postgres.", project="mill") == []
    assert between("Ledgers are kept in PostgreSQL.", "Ledgers are kept in SQLite3.", project="mill")


def test_one_setting_with_two_values_stays_a_contradiction() -> None:
    assert between("Boiler manifest: `auto-vent = true`", "Boiler manifest: `auto-vent = false`", project="mill")


@pytest.mark.parametrize("half", ["develop", "report"])
def test_conflicts_are_told_from_what_only_looks_like_one(half: str) -> None:
    pairs = [pair for pair in PAIRS if pair["half"] == half]
    memories = [
        said(pair[side], id=f"{number:04}{side}", project=f"pair-{number}")
        for number, pair in enumerate(pairs)
        for side in ("one", "other")
    ]
    found = {int(conflict.ids[0][:4]) for conflict in find_contradictions(Snapshot(memories))}
    wanted = {number for number, pair in enumerate(pairs) if pair["label"] == "conflict"}
    right = len(found & wanted)
    assert 2 * right / (len(found) + len(wanted)) >= 0.8


def test_a_statement_that_one_of_many_memories_denies_is_found_and_lists_and_options_are_not() -> None:
    texts = (
        "Option A: keep the queue in Postgres. Cheap, but slow.",
        "Option B: keep the queue in Redis. Fast, but one more service.",
        "`make flash` writes the application only.",
        "`make flash-all` writes bootloader and application.",
        "In staging the log level is debug.",
        "In production the log level is warn.",
        "The settlement worker retries a transfer 3 times.",
        "The settlement worker retries a transfer 5 times.",
    )
    memories = [said(text, id=f"memory{number:02}") for number, text in enumerate(texts)]
    (found,) = find_contradictions(Snapshot(memories))
    assert found.ids == ("memory06", "memory07")
    assert found.words == ("3", "5")


@pytest.mark.parametrize("path", [None, "CLAUDE.md"])
def test_two_notes_may_contradict_each_other_in_other_words_and_two_lines_of_a_rules_file_only_in_plain_ones(
    path: str | None,
) -> None:
    sources = (Source(format="claude-md" if path else "memtui", path=path),)
    one = said("Tickets are printed at the pier by the crew.", id="one", sources=sources)
    other = said("Passengers print the tickets of the pier at home, the crew prints none.", id="other", sources=sources)
    rest = [said(f"Word{number}", id=f"rest{number}") for number in range(3)]
    found = find_contradictions(Snapshot([one, other, *rest]), alike=[Alike("one", "other", 0.8)])
    assert [contradiction.ids for contradiction in found] == ([] if path else [("one", "other")])


def test_what_replaced_the_other_is_proposed_as_the_winner() -> None:
    (found,) = between("Background jobs run on RabbitMQ.", "We moved background jobs from RabbitMQ to SQS in March.")
    assert found.winner == "bbbbbbbb"
    assert found.type == "replaced"
    (found,) = between("We run Postgres 16 in production.", "We run Postgres 14 in production.")
    assert found.winner == "aaaaaaaa"


def test_no_duplicate_is_said_to_deny_the_other() -> None:
    texts = (Path(__file__).parents[2] / "curation" / "duplicate-pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, texts) if pair["label"] == "duplicate"]
    found = [conflict for pair in pairs for conflict in between(pair["one"], pair["other"])]
    assert not [conflict.why for conflict in found if conflict.type in {"negation", "always-never"}]


def test_the_set_is_large_enough() -> None:
    assert len(PAIRS) >= 120
    assert {"version", "number", "value", "tool", "negation", "always-never"} <= {pair.get("type") for pair in PAIRS}


@pytest.mark.parametrize(
    ("one", "other", "type_", "words"),
    [
        ("Use tabs.", "Never use tabs.", "always-never", ("", "never")),
        ("Deploy target: staging", "Deploy target: production", "value", ("staging", "production")),
        ("We run Postgres 13 everywhere.", "We run Postgres 14 everywhere.", "version", ("13", "14")),
        ("The API listens on port 8080.", "The API is served on port 9090.", "number", ("8080", "9090")),
        ("Use npm to install packages.", "Packages are installed with pnpm.", "tool", ("npm", "pnpm")),
        ("Prefer composition over inheritance.", "Prefer inheritance over composition.", "value",
         ("composition", "inheritance")),
        ("Commit the lock file.", "Do not commit the lock file.", "negation", ("", "not")),
    ],
)  # fmt: skip
def test_the_type_and_the_clashing_words_are_told(one: str, other: str, type_: str, words: tuple[str, str]) -> None:
    (conflict,) = between(one, other)
    assert conflict.type == type_
    assert conflict.words == words
    assert one.rstrip(".") in conflict.why
    assert other.rstrip(".") in conflict.why


def test_another_subject_with_the_same_value_is_no_conflict() -> None:
    assert between("Deploy target: staging", "Test target: staging") == []


def test_conflicts_stay_within_a_project_or_within_global() -> None:
    tabs, spaces = "Use tabs for indentation.", "Indent with spaces."
    assert between(tabs, spaces, project="global")
    assert between(tabs, spaces, project=None) == []
    apart = [said(tabs, project="global"), said(spaces, project="shop"), said(spaces, project="bank")]
    assert find_contradictions(Snapshot(apart)) == []


def test_what_a_person_linked_is_settled_and_what_an_agent_linked_is_not() -> None:
    one, other = said("Use tabs."), said("Never use tabs.")
    for origin, settled in (("person", True), ("codex", False)):
        known = Link(from_id=one.id, type="relates", to_id=other.id, origin=origin, created_at=NOON)
        assert (find_contradictions(Snapshot([one, other], [known])) == []) is settled


def test_facts_of_different_times_do_not_clash() -> None:
    old = said("Deploy target: staging", valid_until=NOON)
    new = said("Deploy target: production", valid_from=NOON + timedelta(days=1))
    assert find_contradictions(Snapshot([old, new])) == []
    assert find_contradictions(Snapshot([replace(old, valid_until=None), new]))


def test_a_pass_can_be_stopped() -> None:
    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        find_contradictions(Snapshot([said("Use tabs."), said("Never use tabs.")]), progress=stop)


@given(st.text(max_size=300))
def test_any_text_makes_claims(text: str) -> None:
    claims = claims_of("", text)
    assert all(claim.terms and claim.text in " ".join(text.split()) for claim in claims)


def proposals(vault: Vault) -> list[Contradiction]:
    return find_contradictions(read_snapshot(vault, MemoryFilter()))


def postgres(folder: Path) -> tuple[Vault, Memory, Memory]:
    vault, _ = new_vault(folder)
    return vault, add(vault, "We run Postgres 13 in production."), add(vault, "We run Postgres 14 in production.")


def test_keeping_one_supersedes_the_other_as_one_change(tmp_path: Path) -> None:
    vault, old, new = postgres(tmp_path)
    before = everything(vault)
    (conflict,) = proposals(vault)
    assert conflict.ids == (old.id, new.id)
    assert keep_one(vault, conflict, new.id, actor=PERSON).status == "superseded"
    assert proposals(vault) == []
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    assert len(proposals(vault)) == 1


def test_keeping_both_says_where_each_holds_as_one_change(tmp_path: Path) -> None:
    vault, old, new = postgres(tmp_path)
    before = everything(vault)
    (conflict,) = proposals(vault)
    scopes = {old.id: Validity(words="the archive"), new.id: Validity(paths=["services/shop/**"])}
    first, second = keep_both(vault, conflict, scopes, actor=PERSON)
    assert first.rationale == "Holds for: the archive"
    assert [anchor.path for anchor in second.anchors] == ["services/shop/**"]
    assert proposals(vault) == []
    assert find_duplicates(read_snapshot(vault, MemoryFilter())) == []
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_not_a_conflict_is_remembered_until_a_text_changes(tmp_path: Path) -> None:
    vault, old, new = postgres(tmp_path)
    dismiss(vault, NOT_CONTRADICTION, [old.id, new.id], actor=PERSON)
    assert proposals(vault) == []
    assert find_duplicates(read_snapshot(vault, MemoryFilter())) == []
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(new.id), insight="We run Postgres 15 in production.", title="Postgres"))
    assert len(proposals(vault)) == 1


def test_nothing_is_settled_when_a_text_moved_or_the_choice_is_wrong(tmp_path: Path) -> None:
    vault, old, new = postgres(tmp_path)
    stranger = add(vault, "Tests run in CI.")
    (conflict,) = proposals(vault)
    with pytest.raises(UsageError):
        keep_one(vault, conflict, stranger.id, actor=PERSON)
    with pytest.raises(UsageError):
        keep_both(vault, conflict, {old.id: Validity()}, actor=PERSON)
    with pytest.raises(UsageError):
        keep_both(vault, conflict, {stranger.id: Validity(words="x")}, actor=PERSON)
    with pytest.raises(RefusedError):
        keep_one(vault, conflict, new.id, actor=AGENT)
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(new.id), insight="We run Postgres 16 in production."))
    before = everything(vault)
    with pytest.raises(ConflictError):
        keep_one(vault, conflict, new.id, actor=PERSON)
    assert everything(vault) == before
    assert get(vault, old.id).status == "active"


def test_a_clause_that_several_memories_repeat_is_settled_for_each(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    for more in ("The replica lags by a minute.", "Backups are taken at night by cron."):
        add(vault, f"We run Postgres 13 in production. {more}")
    new = add(vault, "We run Postgres 14 in production.")
    found = proposals(vault)
    assert len(found) == 2
    for conflict in found:
        keep_one(vault, conflict, new.id, actor=PERSON)
    assert proposals(vault) == []


def test_a_superseded_memory_is_in_no_conflict(tmp_path: Path) -> None:
    vault, old, new = postgres(tmp_path)
    link(vault, new.id, "supersedes", old.id, actor=PERSON)
    assert proposals(vault) == []


def test_a_statement_and_a_denial_that_share_little_but_their_heading_do_not_contradict() -> None:
    texts = [
        f"OpenHarbour Best Practices: {said}" for said in ("Use `tide tables` for tides.", "Don't use the any tide.")
    ]
    one, other = (Facts(wording_of("", text), text) for text in texts)
    found = judge(one, other, Nearness(0.8, 0.5, is_crowded=True))
    assert found is None or found.question != "contradiction"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Update the tide labels if they no longer show the depth.", False),
        ("When pushing, review the labels and change them once they are no longer right.", False),
        ("Charts whose labels are no longer legible are reprinted.", False),
        ("Write entries such as “labels are gone” in the log.", False),
        ("```\nenum Chart { A  // labels are gone }\n```", False),
        ("The labels are gone.", True),
        ("Note that labels are no longer printed.", True),
        ("When the pier is rebuilt, charts stay; labels are gone.", True),
    ],
)
def test_a_condition_a_relative_clause_and_an_example_take_nothing_back(text: str, *, gone: bool) -> None:
    assert ("label" in Facts(wording_of("", text), text).gone) is gone


def test_what_is_not_done_states_nothing_and_the_number_of_an_issue_counts_nothing() -> None:
    claims = claims_of("", "Depths are read from the chart, instead of directly sounding the tide.")
    assert all("sounding" not in claim.text for claim in claims)
    text = "Measure again after [tides #61] is closed, in 4 weeks."
    assert "61" not in Facts(wording_of("", text), text).numbers


def test_numbers_are_compared_in_one_order_in_every_run() -> None:
    text = "The lock keeps 90 boats, 9 tugs and 40 barges, and 9 minutes are enough for 300 of them, or 40 days."
    numbers = list(Facts(wording_of("", text), text).numbers)
    assert numbers == sorted(numbers)
    assert len(numbers) >= 4


def test_doing_one_thing_instead_of_another_is_not_denied_by_a_ban_on_the_other() -> None:
    said = wording_of("", "Read depths through the chart instead of directly sounding tides.")
    banned = wording_of("", "Never sound tides directly.")
    assert difference_in_denials(said, banned) != "one denies what the other says"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Print the berth table before committing a tide change.", "Print the berth table after tide changes."),
        ("Rebuild the chart index after a survey.", "Rebuild the chart index before publishing a survey."),
        ("Sound the depths before you open the lock.", "Sound the depths after a flood."),
    ],
)
def test_before_one_act_and_after_another_are_no_contradiction(one: str, other: str) -> None:
    assert between(one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sound the depths before every survey.", "Sound the depths after every survey."),
        ("Sound the depths before you open the lock.", "Sound the depths after opening the lock."),
        ("Wind the clock before running the ferry test.", "Wind the clock after the ferry test."),
    ],
)
def test_before_and_after_the_same_act_are_a_contradiction(one: str, other: str) -> None:
    assert [found.words for found in between(one, other)] == [("before", "after")]
