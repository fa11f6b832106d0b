"""What a user reads as the reason of a memory: the same sentences in the app and on the command line."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pack_story import packed
from recall_story import LINKS, NOON, STORY, memory, story_vault
from support import make_memory

from memtui.analysis.contradictions import Contradiction
from memtui.curate.explain_payload import Explained
from memtui.domain.reasons import FOREIGN, UNFOUND, VAULT, Reason, ReasonCode
from memtui.pack.grounds import WORDS_AND_MEANING, Grounds
from memtui.pack.relevance import ALONE, WITH_FILES
from memtui.recall.result import Hit, Part, Task
from memtui.text.token_count import get_counter
from memtui.text.words import Budget
from memtui.wording.chances import apart_from_score, chance_lines, grounds_words, limits_words
from memtui.wording.reasons import (
    contradictions_words,
    counts_words,
    explained,
    explained_record,
    explanation,
    explanation_record,
    hit_words,
    names_of,
    pack_record,
    part_words,
    sentence,
    with_titles,
)
from memtui.wording.remedies import remedies

DAY = datetime(2026, 4, 22, tzinfo=UTC)
PINNED, PUT_IN = Reason(ReasonCode.PINNED), Reason(ReasonCode.PUT_IN)
IMPORTED = Reason(ReasonCode.FILE, file="b.py", other="a.py", link="imported")
TWICE = Reason(ReasonCode.FILE, file="d.py", other="b.py", link="imported", because=(IMPORTED,))
PACKAGE = Reason(ReasonCode.FILE, file="b.go", other="x.go", link="same-package")
PHASES = ("release",)


@pytest.mark.parametrize("code", ReasonCode)
def test_every_reason_is_a_sentence_with_and_without_what_it_speaks_of(code: ReasonCode) -> None:
    full = Reason(
        code, other="k3x9abcd", names=("a", "b"), path="a.py", file="a.py", target="codex", score=0.5, bar=0.6,
        number=2, among=9, unit="files", date=DAY, link="relates", because=(PINNED,) if code != ReasonCode.FILE else (),
    )  # fmt: skip
    needs_fields = {ReasonCode.WORDS, ReasonCode.MEANING, ReasonCode.LINK, ReasonCode.FRESHNESS, ReasonCode.KIND}
    for reason in (full,) if code in needs_fields else (full, Reason(code)):
        part = Part("part", 1.0, reason)
        assert sentence(reason) != str(code) or " " not in sentence(reason)
        assert "{" not in sentence(reason) + part_words(part) + explained(reason)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason(ReasonCode.SUPERSEDED, other="k3x9abcd"), "superseded by k3x9abcd"),
        (Reason(ReasonCode.SUPERSEDED), "superseded"),
        (Reason(ReasonCode.MERGED, other="k3x9abcd", title="Lock"), "merged into k3x9abcd “Lock”"),
        (Reason(ReasonCode.NOT_YET_VALID, date=DAY), "not valid before 2026-04-22"),
        (Reason(ReasonCode.OUT_OF_SCOPE, unit="files", names=("a", "b", "c", "d")), "applies only to a, b, c"),
        (Reason(ReasonCode.OUT_OF_SCOPE, unit="phases", names=PHASES), "applies only in phase release"),
        (Reason(ReasonCode.OUT_OF_SCOPE), "applies elsewhere"),
        (Reason(ReasonCode.OVER_BUDGET, over=20, unit="tokens", because=(PINNED,)), "over budget (pinned)"),
        (
            Reason(ReasonCode.OVER_LIMIT, number=12_000, unit="chars", target="windsurf"),
            "over the limit of 12,000 chars for windsurf",
        ),
        (Reason(ReasonCode.ALREADY_LOADED, target="codex", path="AGENTS.md"), "already loaded by codex from AGENTS.md"),
        (Reason(ReasonCode.WORDS, names=tuple("abcdefgh")), "shares a, b, c, d, e, f and 2 more"),
        (Reason(ReasonCode.FILE, path="a.py", file="a.py"), "tied to a.py"),
        (Reason(ReasonCode.FILE, path="a.py", file="src/a.py"), "tied to a.py for src/a.py"),
        (Reason(ReasonCode.FILE, path="old.py", file="a.py", link="moved"), "tied to a.py, moved from old.py"),
        (
            Reason(ReasonCode.FILE, path="d.py", file="d.py", because=(TWICE,)),
            "d.py is imported by b.py, itself imported by a.py",
        ),
        (
            Reason(ReasonCode.FILE, path="*.py", file="b.py", because=(IMPORTED,)),
            "tied to *.py: b.py is imported by a.py",
        ),
        (Reason(ReasonCode.FILE, path="b.go", file="b.go", because=(PACKAGE,)), "b.go is in the same package as x.go"),
        (
            Reason(ReasonCode.NO_SHARED_WORD, score=0.31),
            "no active memory in scope shares a word with the task, and none is close in meaning (the closest 0.31)",
        ),
        (
            Reason(ReasonCode.ALL_WITHHELD, because=(Reason(ReasonCode.RETIRED), Reason(ReasonCode.EXPIRED))),
            "everything that matches the task is withheld: expired, retired or rejected",
        ),
    ],
)
def test_a_reason_says_what_stands_against_or_for_a_memory(reason: Reason, words: str) -> None:
    assert sentence(reason) == words


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason(ReasonCode.MEANING, score=0.62, number=1, among=1200), "cosine 0.62, closest of 1,200"),
        (Reason(ReasonCode.MEANING, score=0.62, number=2, among=1200), "cosine 0.62, 2nd closest of 1,200"),
        (Reason(ReasonCode.MEANING, score=0.62, number=11, among=1200), "cosine 0.62, 11th closest of 1,200"),
        (
            Reason(ReasonCode.MEANING, score=0.62, number=1, among=12, note="Glaze at noon."),
            "cosine 0.62, closest of 12: “Glaze at noon.”",
        ),
        (Reason(ReasonCode.MEANING, score=0.2), "cosine 0.20"),
        (Reason(ReasonCode.MEANING), "not embedded yet, so judged by its words"),
        (
            Reason(ReasonCode.MEANING, score=-0.03, unit=FOREIGN),
            "in another language, so its words count as well; cosine -0.03",
        ),
        (Reason(ReasonCode.KIN, names=("aaaaaaaa", "bbbbbbbb")), "close in meaning to aaaaaaaa and bbbbbbbb"),
        (Reason(ReasonCode.WORDS, names=("refunds",), score=0.4), "refunds: 40% of the task"),
        (Reason(ReasonCode.USES, names=("helped", "copied", "helped")), "copied 1×, helped 2×"),
        (Reason(ReasonCode.USES), "not used yet"),
        (Reason(ReasonCode.KIND, names=("lesson", "debug"), number=1), "lesson in phase debug (guessed from the task)"),
        (Reason(ReasonCode.KIND, names=("lesson", "debug")), "lesson in phase debug (as given)"),
        (Reason(ReasonCode.FILES_GONE, names=("a.py",)), "a.py no longer exists"),
        (Reason(ReasonCode.IMPORTANCE, number=4), "4 of 5"),
        (
            Reason(ReasonCode.FRESHNESS, score=0.5, bar=1.0, because=(Reason(ReasonCode.VERIFIED, date=DAY),)),
            "0.50 to the power 1, verified 2026-04-22",
        ),
        (
            Reason(ReasonCode.OTHER_PHASE, names=PHASES, note="debug"),
            "applies in phase release; the task looks like debug",
        ),
    ],
)
def test_a_part_of_a_score_says_what_it_was_calculated_from(reason: Reason, words: str) -> None:
    assert part_words(Part("part", 1.0, reason)) == words


def test_an_explanation_names_every_memory_that_it_speaks_of_by_its_title() -> None:
    kin = Reason(ReasonCode.KIN, names=("k3x9abcd", "m4y8bcde"))
    hit = Hit(make_memory(), 1.0, 1.0, (Part("kin", 1.0, kin, "term"),), ())
    titles = {name: f"Quay {name[0]}" for name in names_of(hit)}
    assert any("close in meaning to “Quay k” and “Quay m”" in detail for _, detail, _ in explanation(hit, titles))


def test_other_memories_are_named_by_their_titles_where_these_are_known() -> None:
    titles = {"k3x9abcd": "Lock refunds", "o6j6sc7w": "Lock the key"}
    kin = with_titles(Reason(ReasonCode.KIN, names=("k3x9abcd", "unknown1")), titles)
    link = with_titles(Reason(ReasonCode.LINK, other="o6j6sc7w", link="relates"), titles)
    gone = with_titles(Reason(ReasonCode.SUPERSEDED, other="unknown1"), titles)
    long = "Lock the key of the boathouse before the second bell has been rung by the mate"
    cut = with_titles(Reason(ReasonCode.LINK, other="o6j6sc7w", link="relates"), {"o6j6sc7w": long})
    shown = "Lock the key of the boathouse before the second bell has…"
    assert part_words(Part("part", 1.0, cut)) == f"related to “{shown}”, which matches"
    words = [part_words(Part("part", 1.0, reason)) for reason in (kin, link, gone)]
    assert words == [
        "close in meaning to “Lock refunds” and unknown1",
        "related to “Lock the key”, which matches",
        "superseded by unknown1",
    ]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason(ReasonCode.OVER_BUDGET, over=1234, unit="tokens"), "over budget by 1,234 tokens"),
        (
            Reason(ReasonCode.BELOW_FLOOR, score=0.12, bar=0.3, unit="words"),
            "has too little in common with the task (12% of the task by words; 30% needed)",
        ),
        (
            Reason(ReasonCode.BELOW_FLOOR, score=0.12, bar=0.3),
            "has too little in common with the task (0.12; this task needs 0.30)",
        ),
        (
            Reason(ReasonCode.BELOW_FLOOR, because=(Reason(ReasonCode.NOTHING_NEAR),)),
            "has too little in common with the task (no memory comes close to the task)",
        ),
        (Reason(ReasonCode.BELOW_FLOOR), "has too little in common with the task"),
        (Reason(ReasonCode.RETIRED, note="retired: the exporter is gone"), "retired: the exporter is gone"),
        (
            Reason(ReasonCode.TOO_FAR, score=0.179, bar=0.18),
            "unlikely to matter (a chance of 17% that it matters; 18% is needed)",
        ),
        (
            Reason(ReasonCode.TOO_FAR, path="x/**", score=0.08, bar=0.18),
            "unlikely to matter (a chance of 8% that it matters; 18% is needed; it applies only to x/**)",
        ),
        (
            Reason(ReasonCode.TOO_FAR, score=0.3, bar=0.45, number=10),
            "behind 10 likelier memories (a chance of 30% that it matters; for a further one 45% is needed)",
        ),
        (
            Reason(ReasonCode.TOO_FAR, score=0.17, bar=0.2, unit=UNFOUND),
            "unlikely to matter (a chance of 17% that it matters; 20% is needed, as a search would not find it)",
        ),
        (
            Reason(ReasonCode.TOO_FAR, score=0.17, bar=0.2, unit=VAULT),
            "no memory is likely enough (a chance of 17% that it matters; 20% is needed before any goes in)",
        ),
    ],
)
def test_an_explanation_says_by_how_much(reason: Reason, words: str) -> None:
    assert explained(reason) == words


def test_a_score_is_explained_by_its_terms_their_sum_its_factors_and_their_product() -> None:
    terms = [Part("words", 0.5, Reason(ReasonCode.WORDS, names=("refunds",), score=0.4), "term")]
    hit = Hit(
        memory("a", "A"), 0.625, 0.5, (*terms, Part("importance", 1.25, Reason(ReasonCode.IMPORTANCE, number=5))), ()
    )
    assert explanation(hit) == [
        ("words", "refunds: 40% of the task", "+ 0.500"),
        ("relevance", "sum of the above", "= 0.500"),
        ("importance", "5 of 5", "× 1.250"),
        ("score", "relevance times the factors", "= 0.625"),
    ]
    assert [part["name"] for part in explanation_record(hit)["parts"]] == ["words", "importance"]


def test_contradictions_of_a_payload_are_named_with_what_settles_them() -> None:
    ids, why = ("aaaaaaaa", "bbbbbbbb"), "2.1 against 2.17.4: “Remix 2.1” / “Remix 2.17.4”"
    found = Contradiction(ids, "version", why, ("2.1", "2.17.4"), ("", ""), ("", ""))
    assert contradictions_words((found,)) == (
        f"1 possible contradiction in this payload: {why} [aaaaaaaa / bbbbbbbb]; memtui tidy settles it"
    )
    assert "[aaaaaaaa / bbbbbbbb], bbbbbbbb is newer; memtui" in contradictions_words((replace(found, winner=ids[1]),))
    assert contradictions_words(()) == ""


def test_counts_are_named_by_group_in_the_order_of_the_names() -> None:
    counts = {Reason(ReasonCode.UNASSIGNED): 1, Reason(ReasonCode.EXPIRED, date=DAY).group: 2}
    assert list(counts_words(counts).items()) == [("expired", 2), ("unassigned", 1)]


def test_what_was_put_in_says_what_stood_against_it() -> None:
    reason = Reason(ReasonCode.PUT_IN, because=(Reason(ReasonCode.RETIRED),))
    assert hit_words(Hit(memory("a", "A"), 1.0, 1.0, (), (reason,))) == "added by you; otherwise retired or rejected"
    both = (PUT_IN, Reason(ReasonCode.WORDS, names=("refunds",)))
    assert hit_words(Hit(memory("a", "A"), 1.0, 1.0, (), both)) == "added by you; shares refunds"


def test_a_short_rule_for_all_work_can_be_pinned_where_no_task_needs_it() -> None:
    def told(kind: str, text: str, *files: str) -> str:
        one = Explained(memory("aaaaaaaa", "A", text, kind=kind, files=files), Reason(ReasonCode.TOO_FAR))
        return " ".join(remedies(one, Budget(1000, "tokens")))

    assert "memtui pin aaaaaaaa" in told("constraint", "Ask before you paint.")
    for other in (("note", "Ask."), ("constraint", "Ask. " * 80), ("constraint", "Ask.", "hull.py")):
        assert "pin" not in told(*other)


@pytest.mark.parametrize(
    ("reason", "first"),
    [
        (Reason(ReasonCode.OVER_BUDGET, over=1234, unit="tokens"), "--budget 2234 or more"),
        (Reason(ReasonCode.OVER_BUDGET), "a larger --budget"),
        (Reason(ReasonCode.DUPLICATE, other="k3x9abcd", title="Lock"), "--without k3x9abcd"),
        (Reason(ReasonCode.BELOW_FLOOR), "a task that says more of what it is about"),
        (Reason(ReasonCode.UNCONFIRMED), "memtui inbox accept aaaaaaaa"),
        (Reason(ReasonCode.SUPERSEDED, other="k3x9abcd", title="Lock"), "--with aaaaaaaa"),
    ],
)
def test_a_remedy_is_a_command_that_can_be_typed(reason: Reason, first: str) -> None:
    found = Explained(memory("aaaaaaaa", "A"), reason)
    assert remedies(found, Budget(1000, "tokens"))[0] == first
    record = explained_record(found, Budget(1000, "tokens"))
    assert (record["included"], record["reason_code"]) == (False, str(reason.code))


def test_the_record_of_a_pack_is_the_contract_of_the_command_line(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, STORY, LINKS)
    record = pack_record(packed(vault, Task("make refunds idempotent"), now=NOON))
    assert list(record)[:1] == ["payload"]
    assert {"payload", "target", "encoding", "tokens", "budget", "included", "withheld"} <= record.keys()
    assert (record["budget"], record["encoding"]) == (1200, "o200k_base")
    assert record["tokens"] == get_counter("o200k_base").count(record["payload"])
    told = {"id", "reason", "reason_code", "chance", "needed", "grounds"}
    assert set(record["included"][0]) == told | {"tokens", "score", "detail"}
    assert set(record["withheld"][0]) == told
    assert "abstained" not in record
    nothing = pack_record(packed(vault, Task("bake sourdough bread"), now=NOON, without={"cardlogs"}))
    assert nothing["abstained"]["reason_code"] in {"no-known-word", "all-left-out"}


def test_what_is_tied_to_a_file_in_hand_and_stays_out_says_so() -> None:
    tie = Reason(ReasonCode.FILE, path="kiln/", file="kiln/fire.py")
    reason = Reason(ReasonCode.TOO_FAR, score=0.2, bar=0.3, because=(tie,))
    assert explained(reason).endswith("; it is tied to kiln/ for kiln/fire.py, which alone is not enough)")


def test_what_speaks_for_and_against_a_chance_is_told_on_one_line() -> None:
    assert grounds_words(Grounds(("the place it applies to",), ())) == "for it: the place it applies to"
    assert (
        grounds_words(Grounds(("its words",), ("the kind of work",)))
        == "for it: its words; against it: the kind of work"
    )
    assert not grounds_words(Grounds())
    beside = grounds_words(Grounds((), (WORDS_AND_MEANING,)))
    assert beside == "against it: others are closer in words and meaning"


def test_the_limits_of_a_chance_are_those_that_decide() -> None:
    for has_files, steps, words in ((True, WITH_FILES, "with files"), (False, ALONE, "without files")):
        told = limits_words(has_files=has_files)
        assert words in told
        assert re.findall(r"\d+%", told) == [f"{step:.0%}" for step in (steps.first, steps.more, steps.of_best)]


def test_a_chance_beside_a_score_of_nothing_says_that_it_comes_from_elsewhere(tmp_path: Path) -> None:
    told = Grounds(("the place it applies to",), ())
    assert not apart_from_score(told, 0.2)
    assert apart_from_score(told, 0.0).startswith("its score of 0.000 measures search alone")
    assert "no single one of these is decisive" in apart_from_score(Grounds(), 0.0)
    assert "no single one" not in apart_from_score(told, 0.0)
    inside = packed(story_vault(tmp_path, STORY, LINKS), Task("make refunds idempotent"), now=NOON).included[0]
    nothing = replace(inside, hit=replace(inside.hit, score=0.0))
    found = Explained(inside.memory, PINNED, nothing, 0.48, 0.12, told)
    assert list(chance_lines(found))[1:] == [grounds_words(told), apart_from_score(told, 0.0)]
    record = explained_record(found, Budget(1000, "tokens"))
    assert (record["chance"], record["needed"]) == (0.48, 0.12)
    assert record["grounds"] == {"for": ["the place it applies to"], "against": []}
    assert apart_from_score(told, 0.0) not in chance_lines(replace(found, included=inside))
    assert apart_from_score(told, 0.0) not in chance_lines(replace(found, chance=None))
