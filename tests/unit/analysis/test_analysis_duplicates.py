"""Duplicates: found with what differs, merged in groups, dismissed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from curating import AGENT, PERSON, add, everything, get, new_vault
from hypothesis import given
from hypothesis import strategies as st
from support import make_memory

from memtui.analysis.claims import Denial, difference_in_denials
from memtui.analysis.duplicates import DuplicateGroup, find_duplicates, likeness
from memtui.analysis.pair_differences import Difference, DifferenceSort, text_differences
from memtui.analysis.pair_facts import Facts, manners
from memtui.analysis.pair_features import Nearness, features
from memtui.analysis.snapshot import NOT_DUPLICATE, Alike, Snapshot, candidate_pairs
from memtui.analysis.text_features import Wording, wording_of
from memtui.analysis.titles import title_for
from memtui.curate.history import undo
from memtui.curate.lifecycle import retire
from memtui.curate.resolutions import dismiss, merge_copies
from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot
from memtui.curate.tidy import TidyCache, TidyOptions, tidy
from memtui.domain.memory import Anchor, Link, Memory, Source
from memtui.errors import ConflictError, RefusedError, UsageError
from memtui.progress import Cancelled
from memtui.text.normal_form import american, normal_form
from memtui.vault.filters import MemoryFilter
from memtui.vault.search.vectors import NewVector, missing, store
from memtui.vault.vault import Vault

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "curation" / "duplicate-pairs.jsonl").read_text("utf-8").splitlines()
]


def said(text: str, **values: object) -> Memory:
    return make_memory(title=title_for(text, ()), insight=text, **values)


def groups_of(*memories: Memory, **options: object) -> list[DuplicateGroup]:
    return find_duplicates(Snapshot(list(memories)), **options)  # type: ignore[arg-type] # passed through


@pytest.mark.words
def test_what_only_one_of_two_texts_has_is_said_in_words() -> None:
    one = Wording("Sound the depths before mooring at src/quay.py.")
    differences = [found.text for found in text_differences(one, Wording("Sound the depths at the quay."))]
    assert "names only in one: src/quay.py" in differences
    numbered = text_differences(Wording("Sound the depths by `src/0002_quay.py`."), Wording("Sound the depths."))
    assert [found.label for found in numbered] == ["names differ"], "its number is told with it"
    assert "order or direction only in one: before" in differences


@pytest.mark.parametrize("half", ["develop", "report"])
def test_duplicates_are_found_and_near_misses_are_never_easy(half: str) -> None:
    pairs = [pair for pair in PAIRS if pair["half"] == half]
    memories = [
        said(pair[side], id=f"{number:04}{side}", project=f"pair-{number}")
        for number, pair in enumerate(pairs)
        for side in ("one", "other")
    ]
    found = {int(group.ids[0][:4]): group for group in find_duplicates(Snapshot(memories))}
    wanted = {number for number, pair in enumerate(pairs) if pair["label"] == "duplicate"}
    easy = {number for number, group in found.items() if group.pile == "easy"}
    assert len(wanted & set(found)) >= 0.85 * len(wanted)
    assert easy
    assert len(easy & wanted) >= 0.95 * len(easy)
    assert not [pairs[number] for number in easy if pairs[number]["label"] == "near-miss"]
    assert not [pairs[number] for number in found if pairs[number]["label"] == "different"]
    assert all(found[number].warnings or found[number].pile == "look" for number in set(found) - wanted)


BUOY = "Haul every buoy by its lower ring; the upper ring tears out of old concrete."
CHEST = (
    "Work on the tender goes in pairs.\n\n- Grease the winch on Mondays.\n- Haul each buoy by its lower ring, as the "
    "upper ring tears out of old concrete.\n- Log the depth after each haul.\n"
) + "\n".join(f"- Mark number {number} lies off the {name} pier." for number, name in enumerate(("east", "west") * 30))


def filed(identifier: str, insight: str, heading: str = "Yard", path: str = "AGENTS.md") -> Memory:
    source = Source(format="agents-md", path=path, native_id=f"{heading}#0")
    return make_memory(
        id=identifier, title=f"{heading}: {insight[:40]}", insight=insight, project="port", sources=(source,)
    )


@pytest.mark.parametrize(
    ("inner", "outer", "found"),
    [
        (BUOY, CHEST, True),
        (f"Work > Tenders: {BUOY}", CHEST, True),
        (
            "All public berths need a red signal light.",
            "All public berths (quay, jetty, dolphin) need a red signal light.",
            True,
        ),
        ("Log the depth after each haul.", "Never log the depth after each haul, it is on the chart.", False),
        ("Haul every buoy 3 hours after high water.", "Haul every buoy 4 hours after high water.", False),
        (
            "Quick map for `docks/crane/`, rules in the root.",
            "Quick map for `docks/crane-rail/`, rules in the root.",
            False,
        ),
        ("Check crane-a and its brake before each lift.", "Check crane-b and its brake before each lift.", False),
        ("Ring the bell.", "Ring the bell. Then cast off and log the time of departure.", False),
        ("Slack in the chain: see docs/moor.md for it.", "Rust on the keel: see docs/moor.md for it.", False),
    ],
)
def test_what_stands_in_a_longer_memory_is_proposed_with_it_to_keep(inner: str, outer: str, *, found: bool) -> None:
    heading = inner.partition(": ")[0] if inner.startswith("Work >") else "Yard"
    rest = [filed(f"rest{number}", f"Pier {name} is swept at dawn.") for number, name in enumerate("abc")]
    groups = groups_of(filed("inner", inner, heading), filed("outer", outer, path="tender.md"), *rest)
    held = [group for group in groups if set(group.ids) == {"inner", "outer"}]
    assert bool(held) == found
    assert not held or (held[0].ids[0], held[0].pile) == ("outer", "look")


def test_all_that_stand_in_one_memory_are_one_group_and_word_for_word_the_same_is_easy() -> None:
    log, grease = (
        "Log the depth and weather after each haul of the tender.",
        "Grease the winch on Mondays before the first tide.",
    )
    (group,) = groups_of(
        filed("log", log), filed("grease", grease, "Winch"), filed("both", f"{log}\n{grease}", path="a.md")
    )
    assert (group.ids[0], set(group.ids)) == ("both", {"both", "log", "grease"})
    (group,) = groups_of(filed("one", f"**{BUOY}**", "Buoys"), filed("other", BUOY, path="b.md"), filed("rest", log))
    assert (group.pile, group.copies, group.warnings) == ("easy", False, ())


def test_items_of_two_parallel_headings_are_told_apart_by_them() -> None:
    text = "May load timber, salt and grain at the inner quay."
    crews = [filed(name, text, f"Ships > {name}") for name in ("Heron", "Gannet")]
    assert not [group for group in groups_of(*crews, filed("rest", BUOY)) if group.why.startswith("what the one")]
    below = filed("Heron", text, "Heron > Cargo"), filed("Gannet", f"{text} Ask the mate.", "Gannet > Cargo")
    assert not [group for group in groups_of(*below, filed("rest", BUOY)) if group.why.startswith("what the one")]
    named = filed("inner", text, "dock-crane"), filed("outer", f"{text} Ask the mate.", "dock-rail", "b.md")
    assert not [group for group in groups_of(*named, filed("rest", BUOY)) if group.why.startswith("what the one")]


@pytest.mark.parametrize(
    ("here", "there", "found"),
    [
        ("docs/quay-guide.md", "docs/lock-guide.md", False),  # Each is about what its name tells
        ("skills/quay/SKILL.md", "skills/lock/SKILL.md", False),
        (".claude/skills/quay/SKILL.md", ".agents/skills/quay/SKILL.md", True),
        ("docs/guide.md", "docs/rules.md", True),
        ("CLAUDE.md", "AGENTS.md", True),
    ],
)
def test_what_files_of_one_row_say_alike_is_of_different_things(here: str, there: str, *, found: bool) -> None:
    one = (
        "Each crane of the yard is tested with 2 tonnes before it lifts cargo, and the mate signs the sheet of the day."
    )
    other = f"{one.removesuffix('.')} in ink."
    rest = [filed(f"rest{number}", f"Pier {name} is swept at dawn.") for number, name in enumerate("abc")]
    groups = groups_of(filed("one", one, path=here), filed("other", other, path=there), *rest)
    assert any(set(group.ids) == {"one", "other"} for group in groups) == found


def test_the_set_is_large_enough() -> None:
    assert len(PAIRS) >= 200
    assert {pair["label"] for pair in PAIRS} == {"duplicate", "near-miss", "different"}


@pytest.mark.parametrize(
    ("one", "other", "warning"),
    [
        ("The API listens on port 8080.", "The API listens on port 8081.", "numbers differ: 8080 / 8081"),
        ("Requires Python 3.11 or newer.", "Requires Python 3.12 or newer.", "versions differ: 3.11 / 3.12"),
        ("Commit the lock file.", "Do not commit the lock file.", "one denies what the other says"),
        ("Use useMemo for long lists.", "Use useCallback for long lists.", "names differ: usememo / usecallback"),
        ("Null checks in packages/core.", "Null checks in packages/ui.", "paths differ: packages/core / packages/ui"),
        (
            "The staging database is reset every night.",
            "The production database is reset every night.",
            "environments differ: staging / production",
        ),
        ("We will drop the old API.", "We dropped the old API.", "one is a plan, the other is done"),
        ("The linter waits for the tests.", "The tests wait for the linter.", "the same words in another order"),
        (
            "Compress before the upload.",
            "Compress after the upload.",
            "order or direction differs: before / after",
        ),
    ],
)
@pytest.mark.words
def test_what_differs_is_told(one: str, other: str, warning: str) -> None:
    texts = [wording_of(memory.title, memory.insight) for memory in (said(one), said(other))]
    assert warning in [difference.text for difference in text_differences(*texts)]
    assert not [
        group for group in groups_of(said(one, id="aaaaaaaa"), said(other, id="bbbbbbbb")) if group.pile == "easy"
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Buoys come from https://buoys.example.org/v3/index.json alone.", "Buoys come from the buoy store alone."),
        ("Buoys come from `https://buoys.example.org/v3/list`.", "Buoys come from buoys.example.org/v3/list."),
        ("Buoys come from `https://www.buoys.example.org/list/`.", "Buoys come from `http://buoys.example.org/list`."),
        ("Tie up at a quay, e.g., the inner one and/or the outer.", "Tie up at a quay, the inner one or the outer."),
        ("Always tie up first.", "Tie up first, which will then hold the boat until the tide turns."),
        ("**Ropes First**: Always tie up at the quay.", "**Tie up first at the quay.** The rope will hold by itself."),
        ("Boats must be tied up.", "Tie up each boat; it will drift otherwise."),
    ],
)
def test_no_name_number_or_plan_is_told_that_is_none(one: str, other: str) -> None:
    texts = [wording_of(memory.title, memory.insight) for memory in (said(one), said(other))]
    told = [difference.text for difference in text_differences(*texts)]
    assert not [each for each in told if each.startswith(("versions", "numbers")) or "plan" in each or "e.g" in each]
    assert not [each for each in told if each.startswith(("names differ", "paths differ")) or "and/or" in each]


@pytest.mark.words
def test_two_addresses_are_told_apart_by_what_differs_in_them() -> None:
    texts = [wording_of("", f"Buoys come from https://buoys.example.org/{part}.") for part in ("v2/list", "v3/list")]
    told = [difference.text for difference in text_differences(*texts)]
    assert told == ["paths differ: buoys.example.org/v2/list / buoys.example.org/v3/list"]


def test_only_what_denies_the_other_is_said_to() -> None:
    denying = {
        number
        for number, pair in enumerate(PAIRS)
        if Difference(DifferenceSort.DENIES) in text_differences(Wording(pair["one"]), Wording(pair["other"]))
    }
    assert len([number for number in denying if PAIRS[number]["label"] == "near-miss"]) >= 25
    assert not [PAIRS[number] for number in denying if PAIRS[number]["label"] != "near-miss"]


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("Never use a float for a price.", "Prices are in cents, never floats. No float, please.", None),
        ("Keep every price as an integer in cents.", "Prices are integers in cents, never floats.", Denial.EXCLUDES),
        (
            "The lock key is payment_id, for 30 s.",
            "The lock key is payment_id, never user_id, for 30 s.",
            Denial.EXCLUDES,
        ),
        ("Without a key, customers are charged twice.", "Retries need a key, or customers are charged twice.", None),
        ("Friday deploys are forbidden.", "Friday deploys are fine.", Denial.DENIES),
        ("The worker needs the GPU.", "The worker runs without the GPU.", Denial.DENIES),
    ],
)
def test_a_denial_is_held_against_what_the_other_says(one: str, other: str, told: Denial | None) -> None:
    one_way, other_way = (difference_in_denials(Wording(a), Wording(b)) for a, b in ((one, other), (other, one)))
    assert one_way is other_way is told


def test_case_markup_and_spelling_make_no_difference() -> None:
    (group,) = groups_of(
        said("- Normalise the colour in `theme.css`, don't cache it."),
        said("normalize the color in theme.css, do not cache it"),
        said("Normalize the **color** in theme.css; do not cache it."),
    )
    assert group.copies
    assert group.pile == "easy"
    assert group.score == 1.0
    assert len(group.ids) == 3


def test_a_copy_is_proposed_with_its_original_alone_and_the_original_with_what_is_alike() -> None:
    kept = said("Build the tide tables with `make tides` before each release.", id="kept")
    copy = said("Build the tide tables with make tides before each release", id="copy")
    reworded = said("Before a release, the tide tables are built with `make tides`.", id="reworded")
    near = [Alike(one.id, reworded.id, 0.95) for one in (kept, copy)]
    groups = groups_of(kept, copy, reworded, alike=near)
    assert [(set(group.ids), group.copies) for group in groups] == [
        ({"kept", "copy"}, True),
        ({groups[0].ids[0], "reworded"}, False),
    ]


def test_groups_hold_only_what_is_mutually_alike() -> None:
    words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu")
    chain = [said(" ".join(words[at : at + 8]), id=f"chain{at}") for at in range(0, 5, 2)]
    alike = {frozenset((one.id, other.id)) for group in groups_of(*chain) for one in chain for other in chain
             if {one.id, other.id} <= set(group.ids)}  # fmt: skip
    assert frozenset(("chain0", "chain4")) not in alike
    assert likeness(Wording(chain[0].insight), Wording(chain[2].insight)) < 0.62


def test_projects_stay_apart_but_share_what_is_global() -> None:
    text = "Integration tests need Docker running."
    assert groups_of(said(text, project="shop"), said(text, project="bank")) == []
    (group,) = groups_of(said(text, project="shop"), said(text, project="global"))
    assert group.pile == "look"
    assert not group.copies


def test_global_memories_are_compared_also_beside_the_unassigned_alone() -> None:
    copies = [said("Use UTC in logs, always.", project="global"), said("In logs always use UTC.", project="global")]
    assert len(groups_of(*copies)) == 1
    assert len(groups_of(*copies, said("Something else entirely.", project=None))) == 1


def test_stored_vectors_are_compared_within_a_project(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    shop = [add(vault, text).id for text in ("Commit before calling out.", "No transaction spans a request.")]
    add(vault, "Commit first, then call.", project="till")
    with vault.read() as reader:
        waiting = missing(reader, "tiny", limit=10)
    rows = [NewVector(text.key, text.content_hash, np.array([1.0, 0.0], dtype=np.float32)) for text in waiting]
    store(vault, "tiny", rows)
    gathered = read_snapshot(vault, MemoryFilter())
    (found,) = pairs_by_meaning(vault, gathered, "tiny")
    assert {*found[:2]} == set(shop)
    assert found[2] == pytest.approx(1.0)
    assert pairs_by_meaning(vault, gathered, None) == pairs_by_meaning(vault, gathered, "another") == []


def test_what_a_link_tells_apart_is_not_proposed() -> None:
    one, other = said("Use tabs here."), said("Use tabs here.")
    link = Link(from_id=one.id, type="supersedes", to_id=other.id, created_at=one.created_at)
    assert find_duplicates(Snapshot([one, other], [link])) == []


@pytest.mark.words
def test_different_files_and_times_keep_a_pair_out_of_the_easy_pile() -> None:
    one = said("The lock expires too early.", anchors=(Anchor("src/a.py"),))
    other = said("The lock expires too early.", anchors=(Anchor("src/b.py"),))
    (group,) = groups_of(one, other)
    assert group.pile == "look"
    assert group.warnings == ("tied to different files",)


@pytest.mark.words
def test_vectors_add_what_words_alone_do_not_tell() -> None:
    one = said("Every retry of a refund carries the idempotency key of the first attempt.", id="one")
    other = said("A refund that is retried sends the same idempotency key again.", id="other")
    rest = [said(f"Word{number}", id=f"rest{number}") for number in range(3)]
    assert groups_of(one, other, *rest) == []
    (group,) = groups_of(one, other, *rest, alike=[Alike("one", "other", 0.9)])
    assert group.pile == "look"
    assert group.why.startswith("90% alike in meaning")
    assert groups_of(one, other, *rest, alike=[Alike("one", "other", 0.3)]) == []


def in_a_crowd(
    one: str, other: str, source: Source | None = None, other_source: Source | None = None, cosine: float = 0.75
) -> list[DuplicateGroup]:
    mine, theirs = ((each,) if each else () for each in (source, other_source or source))
    memories = [said(one, id="one", sources=mine), said(other, id="other", sources=theirs)]
    rest = [said(f"Word{number}", id=f"rest{number}") for number in range(3)]
    return groups_of(*memories, *rest, alike=[Alike("one", "other", cosine)])


def test_two_notes_in_other_words_are_proposed_among_many_and_two_lines_of_a_rules_file_are_not() -> None:
    one = "Nobody opens a valve of `lock-gate` while the sluice motor is still running; wait for `idle`."
    other = "Sluice motor first: lock-gate's valves stay shut until the motor reports `idle`."
    assert [set(group.ids) for group in in_a_crowd(one, other)] == [{"one", "other"}]
    assert in_a_crowd(one, other, Source(format="memtui"))
    assert in_a_crowd(one, other, Source(format="claude-md", path="CLAUDE.md")) == []


def test_what_files_say_again_in_other_words_is_proposed_where_it_stands_in_another_file() -> None:
    one = "Coverage of the `sluice` tests is tracked with Gauge, uploaded to Weir."
    other = "Coverage reports are uploaded to Weir"
    here, there = (Source(format="claude-md", path=path) for path in ("CLAUDE.md", "AGENTS.md"))
    assert in_a_crowd(one, other, here, there, cosine=0.83) != []
    assert in_a_crowd(one, other, here, here, cosine=0.83) == []
    assert in_a_crowd(one, other, here, there, cosine=0.5) == []
    subject = (
        "Gauge keeps what the `sluice` tests cover",
        "Old pumps of `sluice` are slow in cold springs, so the foreman tests them by hand at night",
    )
    assert in_a_crowd(*subject, here, here, cosine=0.9) == []


def test_a_long_note_that_only_shares_its_subject_is_not_proposed() -> None:
    one = "Nobody opens a valve of `lock-gate` while the sluice motor is still running; wait for `idle`."
    other = "Sluice motor first: lock-gate's valves stay shut until the motor reports `idle`."
    story = " ".join(f"On day {number} the crew of pier {number} told us another part of it." for number in range(8))
    assert in_a_crowd(one, f"{other} {story}") == []


def test_what_files_are_judged_by_knows_nothing_of_what_only_notes_are() -> None:
    one, other = (Facts(wording_of("", text), text) for text in ("It fails because of rust.", "Rust is the cause."))
    of_files, of_notes = (
        features(one, other, Nearness(0.7, is_crowded=True, is_noted=noted)) for noted in (False, True)
    )
    assert of_notes["cause_both"] == 1.0
    assert of_notes.keys() - of_files.keys() == {f"{name}_{side}" for name in manners() for side in ("both", "once")}


def test_a_pass_can_be_stopped() -> None:
    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        groups_of(said("Use UTC."), said("use UTC"), progress=stop)


def proposals(vault: Vault) -> list[DuplicateGroup]:
    return find_duplicates(read_snapshot(vault, MemoryFilter()))


def test_copies_are_merged_in_bulk_and_one_undo_takes_all_of_it_back(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    for text in ("Use UTC for timestamps.", "use `UTC` for timestamps", "- Use UTC for timestamps"):
        add(vault, text, tags=(text[:5].strip(),))
    for text in ("Run `make lint` first.", "run make lint first"):
        add(vault, text)
    before = everything(vault)
    accepted = merge_copies(vault, proposals(vault), actor=PERSON)
    assert accepted.failed == []
    assert proposals(vault) == []
    assert {merged.result.insight for merged in accepted.merged} == {
        "Use UTC for timestamps.",
        "Run `make lint` first.",
    }
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_a_group_of_many_copies_is_merged_as_a_whole(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    texts = [
        "Use UTC for timestamps.",
        "use UTC for timestamps",
        "**Use** UTC for timestamps",
        "`Use` UTC for timestamps",
    ]
    for marks in ("", "- ", "* "):
        for text in texts:
            add(vault, marks + text)
    (group,) = proposals(vault)
    assert len(group.ids) == 12
    before = everything(vault)
    (merged,) = merge_copies(vault, [group], actor=PERSON).merged
    assert len(merged.originals) == 11
    assert proposals(vault) == []
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_a_text_that_moved_meanwhile_is_skipped_and_told(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    kept = add(vault, "Run the linter first.")
    moved = add(vault, "run the linter first")
    groups = proposals(vault)
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(moved.id), insight="Run the tests first."))
    accepted = merge_copies(vault, groups, actor=PERSON)
    assert accepted.merged == []
    ((ids, error),) = accepted.failed
    assert (ids, type(error)) == ((kept.id, moved.id), ConflictError)
    assert get(vault, moved.id).status == "active"


def test_not_a_duplicate_is_remembered_until_a_text_changes(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    one = add(vault, "Prices are stored as integer cents in the orders table.")
    other = add(vault, "The orders table stores prices as integer cents.")
    assert len(proposals(vault)) == 1
    dismiss(vault, NOT_DUPLICATE, [one.id, other.id], actor=PERSON)
    assert proposals(vault) == []
    assert dismiss(vault, NOT_DUPLICATE, [other.id, one.id], actor=PERSON) == []
    undo(vault, actor=PERSON)
    assert len(proposals(vault)) == 1
    dismiss(vault, NOT_DUPLICATE, [one.id, other.id], actor=PERSON)
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(one.id), insight="Prices are stored as integer cents in the table of orders."))
    assert len(proposals(vault)) == 1


def test_only_a_person_dismisses_and_two_memories_are_needed(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    one, other = add(vault, "Use tabs."), add(vault, "use tabs")
    with pytest.raises(RefusedError):
        dismiss(vault, NOT_DUPLICATE, [one.id, other.id], actor=AGENT)
    with pytest.raises(UsageError):
        dismiss(vault, NOT_DUPLICATE, [one.id, one.id], actor=PERSON)


def test_a_pass_with_what_the_last_one_knew_finds_the_same_whatever_changed(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    for project in ("mill", "pier"):
        for number in range(16):
            add(vault, f"The {project} has a door with the number {number} that opens to the yard.", project=project)
    add(vault, "Prices are stored as integer cents in the orders table.", project="mill")
    gone = add(vault, "The orders table stores prices as integer cents.", project="mill")
    cache = TidyCache()
    assert any(gone.id in group.ids for group in tidy(vault, TidyOptions(), cache=cache).duplicates)
    for change in (lambda: retire(vault, [gone.id], actor=PERSON), lambda: undo(vault, actor=PERSON)):
        change()
        again, anew = tidy(vault, TidyOptions(), cache=cache), tidy(vault, TidyOptions())
        assert again.duplicates == anew.duplicates
        assert again.contradictions == anew.contradictions
        assert again.ripe == anew.ripe


@given(st.text(max_size=200))
def test_the_normal_form_is_one_line_without_marks(text: str) -> None:
    once = normal_form(text)
    assert "\n" not in once
    assert "`" not in once
    assert normal_form(f"\n\n{text}\n") == once


@pytest.mark.parametrize(
    ("british", "us"),
    [("normalised", "normalized"), ("behaviours", "behaviors"), ("cancelled", "canceled"), ("analyse", "analyze"),
     ("exercise", "exercise"), ("promise", "promise"), ("supervised", "supervised"), ("licence", "license"),
     ("config", "configuration"), ("three", "3"), ("centre", "center"), ("wise", "wise")],
)  # fmt: skip
def test_words_get_one_spelling(british: str, us: str) -> None:
    assert american(british) == us


@given(st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=3, max_size=6), max_size=25))
def test_candidates_hold_every_pair_of_equal_texts(texts: list[frozenset[str]]) -> None:
    pairs = set(candidate_pairs(texts, share=0.5))
    assert all(one < other for one, other in pairs)
    equal = {(one, other) for other in range(len(texts)) for one in range(other) if texts[one] == texts[other]}
    assert equal <= pairs


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Use **redis/broker** for jobs", {"redis/broker"}),
        ("*pay/lock.py*: renew it", {"pay/lock.py"}),
        ("~~old/path~~ and ~/src/x", {"old/path", "~/src/x"}),
        ("_foo_bar_ beside __init__", {"foo_bar", "__init__"}),
        ("src/**/*.ts, pay/** and src/foo*", {"src/**/*.ts", "pay/**", "src/foo*"}),
    ],
)
def test_emphasis_around_a_name_is_no_part_of_it_and_a_glob_stays(text: str, names: set[str]) -> None:
    assert wording_of("", text).identifiers == names
