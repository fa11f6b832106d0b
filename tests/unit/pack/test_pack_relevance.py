"""What a user relies on when a payload has room to spare: it holds what the task needs, and nothing to fill it up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pack_story
import pytest
from recall_story import NOON, memory, story_vault

from memtui.domain.memory import Memory, Source, content_hash
from memtui.domain.reasons import UNFOUND, VAULT, Reason, ReasonCode
from memtui.pack import build
from memtui.pack.budget import Measure, counter_for
from memtui.pack.build import Pack, build_pack
from memtui.pack.compile import Compiler
from memtui.pack.grounds import Grounds, grounds
from memtui.pack.options import PackOptions
from memtui.pack.relevance import (
    ACT_CHANCE,
    AT_FILE_CHANCE,
    CLOSE,
    COVERED_CHANCE,
    DUE_CHANCE,
    FIRST,
    KEPT_BESIDE_FILES,
    LEAST_CHANCE,
    LEAST_CHANCE_ALONE,
    LEAST_CHANCE_OF_MORE,
    LEAST_CHANCE_OF_MORE_ALONE,
    LEAST_OF_BEST,
    LEAST_OF_BEST_ALONE,
    LEAST_OF_CLOSE,
    LEAST_OF_NEAREST,
    RELATED_SHARE,
    SURE_ANYWHERE,
    WELL_COVERED,
    Chance,
    judge,
    without_unrelated,
    worths,
)
from memtui.pack.relevance_features import OF_MEANING, features_of, model
from memtui.pack.repeats import without_repeats
from memtui.pack.select import select
from memtui.pack.targets.base import STYLES, PayloadInfo, Style
from memtui.pack.targets.formats import target_named
from memtui.pack.topics import asked_of
from memtui.recall.result import Covered, Hit, Part, Recall, Signs, Sureness, Task, Withheld
from memtui.text.tokens import query_terms
from memtui.text.words import parse_budget
from memtui.vault.packs import Recipe
from memtui.wording.reasons import explained, pack_record

WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")


def term(name: str, value: float) -> Part:
    return Part(name, value, Reason(ReasonCode.NO_TASK), "term")


def hit(one: Memory, signs: Signs | None = None, **terms: float) -> Hit:
    """Return a hit whose score is the sum of what its words, meaning and files add."""
    score = sum(terms.values()) or 1.0
    parts = tuple(term(name, value) for name, value in terms.items())
    return Hit(one, score, score, parts, (Reason(ReasonCode.WEAK),), signs)


NEAR = Signs(share=1.0, coverage=0.9, by_words=1.0, title_coverage=0.9, holds_for=3.0, has_place=True, tie=0.6)
FAR = Signs(share=0.1, rank=30, has_place=True)


def hits(*near: bool) -> tuple[Hit, ...]:
    memories = [
        memory(f"{word:a<8}"[:8], f"Refund rule {word}", f"Always test a refund of {word}.", kind="constraint")
        for word in WORDS
    ]
    return tuple(hit(one, NEAR if is_near else FAR) for one, is_near in zip(memories, near, strict=False))


def recall_of(*found: Hit) -> Recall:
    return Recall(found, (), (), {}, 0, None)


def packed(
    found: Recall | tuple[Hit, ...],
    task: str = "test the refund",
    *files: str,
    style: Style = "full",
    most: int = 20,
) -> Pack:
    what = Task(task, files or ("shop/refund_test.py",))
    options = PackOptions(budget="5000", encoding="o200k_base", max_memories=most, style=style)
    return build_pack(
        without_unrelated(found if isinstance(found, Recall) else recall_of(*found), what),
        options,
        target=target_named("chat"),
        info=PayloadInfo("shop", style),
        compiler=Compiler.for_task(what) if style == "compiled" else None,
        task=what,
    )


def ids(pack: Pack) -> list[str]:
    return [one.memory.id for one in pack.included]


@pytest.mark.parametrize("style", STYLES)
def test_what_hardly_matters_stays_out_although_the_budget_has_room_and_comes_in_by_hand(style: Style) -> None:
    ranked = hits(True, True, False)
    pack = packed(ranked, style=style)
    assert ids(pack) == [one.memory.id for one in ranked[:2]]
    assert [(one.id, one.reason.code) for one in pack.withheld] == [(ranked[2].memory.id, ReasonCode.TOO_FAR)]
    by_hand = packed(Recall(ranked[:2], (), (), {}, 0, None, put_in=ranked[2:]), style=style)
    assert ranked[2].memory.id in ids(by_hand)
    pinned = replace(ranked[2], memory=replace(ranked[2].memory, pinned=True))
    assert pinned.memory.id in ids(packed(Recall(ranked[:2], (pinned,), (), {}, 0, None), style=style))


def test_where_nothing_matters_the_payload_is_empty() -> None:
    assert packed(hits(False, False)).payload == ""


def test_without_a_task_there_is_nothing_to_judge_by() -> None:
    found = recall_of(*hits(True, False))
    assert without_unrelated(found, Task(files=("shop/refund_test.py",))) == found


def test_the_payload_says_how_much_of_the_budget_it_left() -> None:
    pack = packed(hits(True, False))
    assert pack.left == 5000 - pack.size
    assert pack.left > 4500
    assert pack_record(pack)["left"] == pack.left


def test_a_payload_says_whether_room_was_all_that_kept_memories_out() -> None:
    assert packed(hits(True, False)).has_all
    short = packed(hits(True, True), most=1)
    assert [one.reason.code for one in short.withheld] == [ReasonCode.TOO_MANY]
    assert not short.has_all


def test_the_reason_says_the_chance_and_what_is_needed() -> None:
    reason = packed(hits(True, False)).withheld[0].reason
    assert reason.bar == LEAST_CHANCE
    assert 0 < (reason.score or 0) < LEAST_CHANCE


def test_a_record_has_the_chance_of_each_memory_the_one_it_needs_and_where_it_comes_from() -> None:
    pack = packed(hits(True, False))
    record = pack_record(pack)
    for rows, is_in in ((record["included"], True), (record["withheld"], False)):
        for row in rows:
            assert row["chance"] == round(pack.chances[row["id"]], 4)
            assert (row["chance"] >= row["needed"]) == is_in
            assert set(row["grounds"]) == {"for", "against"}
    assert any(row["grounds"]["for"] for row in record["included"])


def judged_as(monkeypatch: pytest.MonkeyPatch, *chances: float, holds: frozenset[int] = frozenset()) -> Recall:
    """Return a recall of memories with these chances, of which some hold for the files in hand."""
    found = [
        hit(memory(f"rule{n:04}", f"Rule {n}"), Signs(share=0.5, holds_for=2.0 * (n in holds)))
        for n, _ in enumerate(chances)
    ]
    known = {one.memory.id: Chance(chance, chance) for one, chance in zip(found, chances, strict=True)}
    monkeypatch.setattr("memtui.pack.relevance.chances", lambda *_: known)
    return recall_of(*found)


@pytest.mark.parametrize(("files", "least"), [(("shop/till.py",), LEAST_OF_BEST), ((), LEAST_OF_BEST_ALONE)])
def test_of_a_task_that_no_memory_speaks_to_nothing_goes_in_but_by_hand_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...], least: float
) -> None:
    task, quiet = Task("mend the till", files), judged_as(monkeypatch, least - 0.03, least - 0.04)
    found = without_unrelated(quiet, task)
    assert (found.covered, found.hits) == ("not", ())
    assert {(one.reason.bar, one.reason.unit, one.reason.number) for one in found.withheld} == {(least, VAULT, 0)}
    assert found.abstained == Reason(ReasonCode.NOTHING_RELEVANT, score=least - 0.03, bar=least)
    assert found.sure == "nothing"
    by_hand = replace(quiet, hits=(), put_in=quiet.hits[:1])
    pack = packed(by_hand, task.text, *files)
    assert (ids(pack), pack.abstained) == (["rule0000"], None)
    loud = without_unrelated(judged_as(monkeypatch, least, least - 0.01), task)
    assert (loud.covered, len(loud.hits)) == ("hardly", 2 if least - 0.01 >= LEAST_CHANCE or not files else 1)
    assert loud.abstained is None


def test_the_nearest_to_a_question_goes_in_alone_and_unsure_where_a_small_vault_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task, quiet = Task("mend the till"), judged_as(monkeypatch, LEAST_OF_NEAREST, LEAST_OF_BEST_ALONE - 0.01, 0.1)
    near = [replace(one, signs=Signs(rank=place)) for place, one in enumerate(quiet.hits)]
    found = without_unrelated(replace(quiet, hits=tuple(near)), task)
    assert [hit.memory.id for hit in found.hits] == ["rule0000"]
    assert (found.sure, found.covered, found.abstained) == ("unsure", "hardly", None)
    assert {(one.reason.bar, one.reason.unit) for one in found.withheld} == {(LEAST_OF_BEST_ALONE, "")}
    known = judged_as(monkeypatch, LEAST_OF_CLOSE, 0.1)
    for cosine, served in ((CLOSE, 1), (CLOSE - 0.01, 0)):
        near = [replace(known.hits[0], signs=Signs(cosine=cosine)), replace(known.hits[1], signs=Signs(rank=1))]
        assert len(without_unrelated(replace(known, hits=tuple(near)), task).hits) == served
    assert not without_unrelated(known, Task("mend the till", ("till.py",))).hits


def test_a_payload_is_sure_where_neither_the_search_nor_the_chances_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task("mend the till")
    verdicts: list[tuple[Sureness, float, tuple[Sureness, Covered]]] = [
        ("sure", WELL_COVERED, ("sure", "well")),
        ("unsure", WELL_COVERED, ("unsure", "hardly")),
        ("sure", WELL_COVERED - 0.1, ("unsure", "hardly")),
        ("sure", 0.1, ("nothing", "not")),
    ]
    for sure, chance, verdict in verdicts:
        found = without_unrelated(replace(judged_as(monkeypatch, chance), sure=sure), task)
        assert (found.sure, found.covered) == verdict


def test_behind_the_likeliest_a_memory_needs_a_better_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    between = (LEAST_CHANCE + LEAST_CHANCE_OF_MORE) / 2
    task = Task("mend the till", ("till.py",))
    found = without_unrelated(judged_as(monkeypatch, *[0.5] * FIRST, between, LEAST_CHANCE_OF_MORE), task)
    assert len(found.hits) == FIRST + 1
    assert [(one.reason.bar, one.reason.number) for one in found.withheld] == [(LEAST_CHANCE_OF_MORE, FIRST)]
    unlikely = without_unrelated(judged_as(monkeypatch, *[0.5] * FIRST, LEAST_CHANCE - 0.01), task)
    assert [(one.reason.bar, one.reason.number) for one in unlikely.withheld] == [(LEAST_CHANCE, 0)]
    few = without_unrelated(judged_as(monkeypatch, 0.5, between), task)
    assert len(few.hits) == 2
    less = LEAST_CHANCE_OF_MORE_ALONE - 0.01
    question = without_unrelated(judged_as(monkeypatch, *[less] * (FIRST + 1)), Task("mend the till"))
    assert (question.covered, len(question.hits)) == ("hardly", FIRST)


def test_what_lies_below_the_floor_of_a_search_goes_in_where_it_is_likely_to_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is withheld no longer then, whether it was named or counted, and what is less likely stays as it was."""
    every = judged_as(monkeypatch, 0.3, 0.6, 0.5, 0.1)
    below = Reason(ReasonCode.BELOW_FLOOR)
    named = [Withheld.of(one.memory, below, one.relevance) for one in (every.hits[1], every.hits[3])]
    recalled = replace(
        every,
        hits=every.hits[:1],
        near=every.hits[1:],
        withheld=tuple(named),
        withheld_counts={below: 3},
        sure="nothing",
    )
    found = without_unrelated(recalled, Task("mend the till", ("till.py",)))
    assert {one.memory.id for one in found.hits} == {"rule0000", "rule0001", "rule0002"}
    assert [one.id for one in found.withheld] == ["rule0003"]
    assert found.withheld[0].reason == Reason(ReasonCode.TOO_FAR, score=0.1, bar=LEAST_CHANCE)
    assert (found.withheld_counts, found.sure, found.covered) == ({below: 2}, "unsure", "hardly")


def test_in_the_standing_payload_a_recipe_has_all_that_it_has_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came in from below the floor of a search is counted once among the likeliest."""
    between = (LEAST_CHANCE + LEAST_CHANCE_OF_MORE) / 2
    every = judged_as(monkeypatch, *[0.6] * (FIRST - 1), between)
    recalled, task = replace(every, hits=every.hits[1:], near=every.hits[:1]), Task("mend the till", ("till.py",))
    recipe = Recipe(
        name="till",
        project="payments-api",
        task=task.text,
        files=task.files,
        target="chat",
        budget="1200",
        created_at=NOON,
    )
    vault = story_vault(tmp_path, [], [])
    alone, standing = (
        pack_story.packed(vault, wanted, recipes=recipes, recall_by=lambda _task, _most: recalled)
        for wanted, recipes in ((task, None), (Task(), [recipe]))
    )
    assert {one.memory.id for one in standing.included} == {one.memory.id for one in alone.included}
    assert len(alone.included) == FIRST


@pytest.mark.parametrize(("task", "covered"), [("mend the till", "not"), ("レジを直して", "well")])
def test_below_the_floor_of_a_search_a_question_is_answered_only_where_the_search_reads_little_of_it(
    monkeypatch: pytest.MonkeyPatch, task: str, covered: str
) -> None:
    every = judged_as(monkeypatch, 0.6)
    found = without_unrelated(replace(every, hits=(), near=every.hits), Task(task))
    assert (found.covered, len(found.hits)) == (covered, int(covered == "well"))


def test_what_a_search_would_not_find_says_so_where_it_needs_more_than_one_that_is_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = judged_as(monkeypatch, 0.5, 0.15, 0.17)
    unfound = replace(every.hits[2], signs=Signs(share=0.5, is_below=True))
    below = Withheld.of(unfound.memory, Reason(ReasonCode.BELOW_FLOOR), 0.1)
    recalled = replace(every, hits=every.hits[:2], near=(unfound,), withheld=(below,))
    found = without_unrelated(recalled, Task("mend the till"))
    assert len(found.hits) == 2
    assert [one.reason for one in found.withheld] == [
        Reason(ReasonCode.TOO_FAR, score=0.17, bar=LEAST_CHANCE, unit=UNFOUND)
    ]
    with_file = without_unrelated(recalled, Task("mend the till", ("till.py",)))
    assert {one.reason.unit for one in with_file.withheld} == {""}


def test_nothing_is_said_of_how_well_a_task_without_words_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without_unrelated(judged_as(monkeypatch, 0.3), Task(files=("till.py",))).covered is None
    assert without_unrelated(judged_as(monkeypatch, 0.1), Task("mend the till", ("till.py",))).covered == "not"


def test_a_named_file_takes_nothing_out_that_matters_without_it_and_belongs_nowhere_else() -> None:
    """With the signs of the whole task alone: a file that a memory has no tie to says nothing against it."""
    near = Signs(share=0.9, coverage=0.5, by_words=1.0, title_coverage=0.3)
    found = recall_of(
        hit(memory("anywhere", "Dip the glaze slowly", "Dip the glaze slowly and twice.", kind="constraint"), near),
        hit(
            memory("elsewher", "Dip the glaze", "Dip the glaze slowly.", kind="constraint", files=("shop/**",)),
            replace(near, has_place=True),
        ),
    )
    files = ("oven/door.py",)
    alone, with_file = judge(found, Task("dip the glaze")), judge(found, Task("dip the glaze", files))
    kept = KEPT_BESIDE_FILES * alone["anywhere"]
    assert with_file["anywhere"] >= round(kept, 6) >= LEAST_CHANCE > with_file["elsewher"]
    with_its_own = replace(found, hits=(hit(memory("itsownnn", "Oil the oven door", files=files), NEAR), *found.hits))
    whole = without_unrelated(with_its_own, Task("dip the glaze", files))
    assert {one.memory.id for one in whole.hits} == {"itsownnn", "anywhere"}
    assert whole.withheld[0].reason.path == "shop/**"


def test_a_vault_speaks_to_work_in_files_by_what_it_says_with_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What might matter without the files breaks no silence, and shows the chance that it has there."""
    found = judged_as(monkeypatch, 0.9)
    known = {found.hits[0].memory.id: Chance(SURE_ANYWHERE - 0.05, LEAST_OF_BEST - 0.05)}
    monkeypatch.setattr("memtui.pack.relevance.chances", lambda *_: known)
    quiet = without_unrelated(found, Task("mend the till", ("till.py",)))
    assert (quiet.covered, quiet.hits, quiet.withheld[0].reason.score) == ("not", (), LEAST_OF_BEST - 0.05)


def test_what_very_likely_matters_by_the_words_of_a_task_stays_where_a_file_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = judged_as(monkeypatch, 0.9)
    known = {found.hits[0].memory.id: Chance(SURE_ANYWHERE, LEAST_OF_BEST - 0.2)}
    monkeypatch.setattr("memtui.pack.relevance.chances", lambda *_: known)

    told = without_unrelated(found, Task("mend the till", ("kiln.py",)))

    assert (told.covered, [hit.memory.id for hit in told.hits]) == ("well", [found.hits[0].memory.id])


def test_a_memory_whose_title_names_what_is_in_hand_belongs_to_it_whatever_files_it_is_tied_to() -> None:
    found = recall_of(
        hit(memory("kilnname", "Tell the kiln of every dip", files=("shop/**",)), replace(NEAR, holds_for=0.0, tie=0.0))
    )
    alone = judge(found, Task("dip the glaze"))["kilnname"]
    assert judge(found, Task("dip the glaze", ("kiln/kiln.py",)))["kilnname"] >= KEPT_BESIDE_FILES * alone


def test_a_memory_of_the_very_file_in_hand_goes_in_whatever_the_task_says() -> None:
    own, other = (
        hit(memory(name, "Bricks are laid dry"), replace(FAR, is_exact=name == "ownsfile"))
        for name in ("ownsfile", "otherone")
    )
    task = Task("make the knob rounder", ("kiln/fire.py",))
    judged = judge(recall_of(own, other), task)
    assert judged["ownsfile"] == AT_FILE_CHANCE > LEAST_CHANCE > judged["otherone"]


@pytest.mark.parametrize("file", ["kiln/fire.py", "kiln/flues/upper/damper.py"])
def test_a_rule_for_changes_in_a_folder_is_due_however_deep_the_file_lies(file: str) -> None:
    text = "Call the stoker before it is lit.\n\nDo so when you change:\n- `kiln/`\n- the chimney"
    due = hit(memory("stokerrr", "Call the stoker", text, files=("kiln/",)), FAR)
    mentions = hit(memory("mentions", "The bricks of kiln/ are red", files=("kiln/",)), FAR)
    task = Task("make the knob rounder", (file,))
    judged = judge(recall_of(due, mentions), task)
    assert judged["stokerrr"] == DUE_CHANCE > judged["mentions"]
    assert [one.memory.id for one in without_unrelated(recall_of(due, mentions), task).hits] == ["stokerrr"]
    assert judge(recall_of(due), Task("make the knob rounder", ("shop/till.py",)))["stokerrr"] < LEAST_CHANCE


def test_what_is_tied_to_a_file_in_hand_and_stays_out_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    tie = Reason(ReasonCode.FILE, path="kiln/", file="kiln/fire.py")
    found = judged_as(monkeypatch, 0.6, LEAST_CHANCE - 0.1)
    tied = replace(found.hits[1], reasons=(Reason(ReasonCode.WEAK), tie))
    reason = without_unrelated(replace(found, hits=(found.hits[0], tied)), Task("light it", ("kiln/fire.py",))).withheld
    assert reason[0].reason.because == (tie,)


def test_the_grounds_of_a_chance_are_what_sets_a_memory_apart() -> None:
    """Of what the judged memories have in common nothing is told."""
    near = hit(memory("glazeees", "Glaze needs two coats", kind="convention"), NEAR)
    far = hit(memory("chimneyy", "Glaze needs two coats", kind="convention"), replace(NEAR, holds_for=0.0, tie=0.0))
    found = without_unrelated(recall_of(near, far), Task("apply glaze", ("kiln/glaze.py",)))
    place = "the place it applies to"
    assert grounds(found.features, "glazeees") == Grounds((place,), ())
    assert grounds(found.features, "chimneyy") == Grounds((), (place,))
    assert grounds(found.features, "nobodyyy") == Grounds()


def test_what_a_task_names_by_its_place_is_not_lost_to_another_file_in_hand() -> None:
    """`**/ledger.yaml` says what it is about wherever it stands, `shop/**` only where it does."""
    near = replace(NEAR, coverage=0.6, title_coverage=0.5, holds_for=0.0, tie=0.0)
    found = recall_of(
        hit(memory("anywhere", "Sort rows by day", files=("**/ledger.yaml",)), near),
        hit(memory("elsewher", "Sort rows by hour", files=("shop/**",)), near),
        hit(memory("everyone", "Sort rows by week", files=("**/*.ts",)), near),
    )
    alone = judge(found, Task("add a row to the ledger"))
    for task in (Task("add a row to the ledger", ("web/row.py",)), Task("add a row", ("schemas/ledger.schema.json",))):
        judged = judge(found, task)
        assert judged["anywhere"] >= 0.5 * alone["anywhere"] > max(judged["elsewher"], judged["everyone"])


def test_a_task_that_is_a_pull_request_as_a_whole_brings_its_rules_whatever_file_is_in_hand() -> None:
    found = recall_of(hit(memory("whenapru", "Trigger rules: WHEN creating a PR", "Name the kiln in it."), FAR))
    files = ("kiln/fire.py",)
    assert judge(found, Task("Prepare the pull request for my fix of the damper", files))["whenapru"] == ACT_CHANCE
    assert judge(found, Task("Leave the lock file out of the labels of a PR", files))["whenapru"] < LEAST_CHANCE


def test_a_word_of_git_with_other_senses_is_about_git_only_beside_a_sure_one() -> None:
    def said(text: str) -> bool:
        return "git" in asked_of(query_terms(text), text)

    assert all(map(said, ("commit the branch", "open a pull request", "rebase before you push")))
    assert not any(map(said, ("show the branch in the prompt", "merge two glazes", "push a request to the oven")))


def test_a_long_memory_needs_more_than_scattered_words_of_the_task() -> None:
    scattered = Signs(share=0.2, coverage=1.0, by_words=0.5)
    long = "The chimney is swept in spring. " * 60 + "Raise the damper slowly while the glaze dries."
    found = recall_of(
        hit(memory("longlong", "Minutes of the chimney", long), scattered),
        hit(memory("shortone", "Raise the damper slowly", "While the glaze dries."), scattered),
    )
    judged = judge(found, Task("raise the damper while the glaze dries", ("kiln/fire.py",)))
    assert judged["shortone"] >= COVERED_CHANCE > LEAST_CHANCE > judged["longlong"]


def test_a_question_without_files_needs_less_to_be_answered() -> None:
    assert LEAST_CHANCE_ALONE < LEAST_CHANCE
    found = recall_of(hit(memory("priceeee", "Glaze price", "A bucket of glaze is 12 euros."), NEAR))
    assert without_unrelated(found, Task("what does a bucket of glaze cost")).hits == found.hits


def test_of_the_rules_of_a_folder_the_task_decides() -> None:
    """Two memories of one rule file: the folder ties both to the file, and one of them is about the task."""
    glaze = memory("glazeees", "Glaze needs two coats", files=("kiln/**",))
    shelf = memory("shelfffs", "Number the shelves", files=("kiln/**",))
    found = [hit(glaze, NEAR), hit(shelf, replace(NEAR, coverage=0.0, share=0.1, title_coverage=0.0, by_words=0.0))]
    values = worths(recall_of(*found), Task("apply glaze", ("kiln/glaze.py",)))
    assert values["glazeees"] > values["shelfffs"]


def test_a_rule_of_a_subfolder_needs_a_task_that_names_the_folder_or_a_file_there() -> None:
    places = ("kiln-calc/**", "shelf/", "kiln-calc/roles.md")
    rule = memory("nestedrl", "Never touch the glaze", "Never apply glaze to a `shelf/`.", files=places)
    signs = replace(NEAR, holds_for=0.0, tie=0.0, title_coverage=0.2)

    def found(path: str) -> Recall:
        source = Source(format="agents-md", path=path, imported_hash=content_hash(rule))
        return recall_of(hit(replace(rule, sources=(source,)), signs), hit(memory("plainone", "Apply glaze"), NEAR))

    nested, task = found("kiln-calc/AGENTS.md"), Task("apply glaze to the mug")
    assert judge(nested, task)["nestedrl"] < LEAST_CHANCE_ALONE < judge(found(".claude/rules/a.md"), task)["nestedrl"]
    for named in ("apply glaze in the kiln calculator", "apply glaze in kiln-calc"):
        assert judge(nested, Task(named))["nestedrl"] > LEAST_CHANCE_ALONE
    there = recall_of(replace(nested.hits[0], signs=NEAR))
    assert judge(there, replace(task, files=("kiln-calc/mug.py",)))["nestedrl"] > LEAST_CHANCE
    # What very likely matters does so wherever it lies.
    sure = recall_of(replace(nested.hits[0], signs=replace(signs, sentence=0.9, tokens=0.9, cosine=0.9)))
    assert judge(sure, task)["nestedrl"] >= SURE_ANYWHERE
    [left_out] = without_unrelated(nested, task).withheld
    assert "kiln-calc/**" in explained(left_out.reason)
    # A task names the rule itself by its title.
    called = recall_of(replace(nested.hits[0], signs=replace(signs, title_coverage=0.3)))
    assert judge(called, task)["nestedrl"] > LEAST_CHANCE_ALONE


def test_a_rule_for_all_code_goes_in_where_it_names_the_folder_in_hand() -> None:
    """As an exception, or in the list that it spans: however little the task says of it."""
    signs = Signs(share=0.1, rank=60, has_named=True, names=1.0, tie=0.5)
    task = Task("apply glaze to the mug", ("kiln/mug.py",))

    def chance(kind: str, signs: Signs) -> float:
        rule = memory("everyone", "Weigh in grams", "Never in pounds; `kiln/` still does.", kind=kind, files=("kiln/",))
        return judge(recall_of(hit(rule, signs)), task)["everyone"]

    assert chance("convention", signs) >= LEAST_CHANCE_OF_MORE
    assert max(chance("architecture", signs), chance("convention", replace(signs, names=0.3))) < LEAST_CHANCE
    assert chance("convention", replace(signs, has_place=True)) < LEAST_CHANCE, "it holds for another folder"


def test_a_task_leads_into_the_folder_whose_memory_says_it_best() -> None:
    """Nothing names `kiln/` in the task; one of its rules says the work, and so the others hold for it as well."""
    source = Source(format="agents-md", path="kiln/AGENTS.md")
    said = replace(NEAR, holds_for=0.0, tie=0.0, title_coverage=0.2, sentence=0.5)
    near = replace(said, sentence=0.2, coverage=0.4, share=0.5, by_words=0.4)
    first, other = (
        replace(memory(name, "Two coats dry slowly", "Wait a day.", files=("kiln/**",)), sources=(source,))
        for name in ("firstone", "otherone")
    )
    task = Task("apply glaze to the mug")
    there = judge(recall_of(hit(first, said), hit(other, near)), task)
    elsewhere = judge(recall_of(hit(memory("plainone", "Apply glaze"), said), hit(other, near)), task)
    assert there["otherone"] > 2 * elsewhere["otherone"]


def test_what_holds_for_other_folders_alone_counts_less_than_what_holds_for_the_file() -> None:
    there = hit(memory("elsewher", "Dip the glaze", files=("shop/**",)), replace(NEAR, holds_for=0.0, tie=0.0))
    here = hit(memory("rightere", "Dip the glaze", files=("kiln/**",)), NEAR)
    values = worths(recall_of(there, here), Task("apply glaze", ("kiln/glaze.py",)))
    assert values["elsewher"] < values["rightere"]


def test_a_rule_for_tests_matters_where_tests_are_written() -> None:
    rule = hit(memory("testrule", "Test with fixtures", "Always test with fixtures, never with mocks."), NEAR)
    asked = judge(recall_of(rule), Task("write tests for the glaze", ("kiln/glaze.py",)))
    other = judge(recall_of(rule), Task("write a readme page for the glaze", ("kiln/glaze.py",)))
    assert asked["testrule"] > other["testrule"]


def test_what_stands_in_the_file_in_hand_speaks_for_a_memory() -> None:
    one = hit(memory("damperrr", "Close the damper", "`close_damper` is slow at `peak_heat`."), NEAR)
    task = Task("light it", ("kiln/fire.py",))
    known = replace(recall_of(one), in_hand=frozenset(query_terms("close_damper peak_heat slow damper")))
    assert judge(known, task)["damperrr"] > judge(recall_of(one), task)["damperrr"]


def test_what_is_linked_to_a_memory_that_matters_has_a_share_of_its_chance() -> None:
    seed = hit(memory("seeddddd", "Test refunds", "Always test a refund."), NEAR)
    link = Part("neighbours", 0.2, Reason(ReasonCode.LINK, other="seeddddd", link="relates"), "term")
    linked = replace(hit(memory("linkeddd", "Ledger rows are frozen"), FAR), parts=(link,))
    judged = judge(recall_of(seed, linked), Task("test the refund", ("shop/refund_test.py",)))
    assert judged["linkeddd"] == pytest.approx(RELATED_SHARE * judged["seeddddd"])


def test_the_model_knows_every_sign_and_no_other() -> None:
    found = features_of([hits(True)[0]], Task("test the refund", ("a.py",)), frozenset())
    (features,) = found.values()
    signs = set(features)
    assert set(model(with_meaning=True).weights) == signs
    assert set(model(with_meaning=False).weights) == signs - OF_MEANING


def test_the_best_is_shortened_by_whole_sentences_before_smaller_filler_is_taken() -> None:
    steps = " ".join(f"Step {n} of the firing raises the kiln by {n} degrees." for n in range(30))
    best = hit(memory("firingss", "Firing", steps), words=1.0)
    others = [hit(memory(f"aside{n:03}", f"Shelf {n}", f"Shelf {n} holds bowls."), words=0.7) for n in range(12)]
    options = PackOptions(budget="160", encoding="o200k_base", max_memories=20)
    pack = build_pack(
        recall_of(best, *others), options, target=target_named("chat"), info=PayloadInfo("shop"), task=Task("firing")
    )
    told = next(one for one in pack.included if one.memory.id == "firingss")
    assert told.detail == "opening"
    assert told.memory.insight.split("\n\n")[0].endswith("degrees.")
    assert told.tokens > 50


def test_what_a_longer_memory_says_as_well_is_said_once() -> None:
    short = memory("shortone", "Wax", "Wax the foot ring of every stoneware bowl before glazing it in the booth.")
    rest = "; a dry sponge takes off what runs."
    whole = memory("wholeone", "Wax", short.insight.removesuffix(".") + rest)
    other = memory("otherone", "Wax", f"Never {whole.insight.lower()}")
    for order in ((short, whole), (whole, short)):
        pack = packed(tuple(hit(one, words=1.0 - n / 10) for n, one in enumerate(order)))
        assert ids(pack) == ["wholeone"]
        assert pack.withheld[0].reason == Reason(ReasonCode.DUPLICATE, other="wholeone")
    assert len(packed((hit(short, words=1.0), hit(other, words=0.9))).included) == 2
    pinned = replace(hit(short, words=1.0), memory=replace(short, pinned=True))
    assert "shortone" in ids(packed(Recall((hit(whole, words=0.9),), (pinned,), (), {}, 0, None)))


def test_of_a_rule_and_its_copy_for_other_files_the_rule_is_told() -> None:
    rule = memory("rulehere", "Wax", "Wax the foot ring of every stoneware bowl before glazing it.")
    copied = memory("elsewher", "Wax", f"Booth: {rule.insight.removesuffix('.')}; a dry sponge takes off what runs.")
    here, elsewhere = hit(rule, Signs(share=0.5), words=0.2), hit(copied, Signs(share=0.5, has_place=True), words=0.9)
    assert [one.memory.id for one in without_repeats([elsewhere, here])[0]] == ["rulehere"]
    assert [one.memory.id for one in without_repeats([here, elsewhere])[0]] == ["rulehere"]
    bound = replace(elsewhere, signs=Signs(share=0.5, has_place=True, holds_for=2.0))
    assert [one.memory.id for one in without_repeats([here, bound])[0]] == ["elsewher"]


def test_copies_of_a_rule_under_other_headings_and_sentences_of_a_longer_one_are_told_once() -> None:
    def from_file(identifier: str, path: str, text: str) -> Hit:
        source = Source(format="agents-md", path=path)
        return hit(memory(identifier, f"Title {identifier}", text, sources=(source,)), words=1.0)

    rule = "Shelves: After each firing, count the shelves before the kiln is shut"
    first = from_file("firstone", "AGENTS.md", f"Daily work > {rule}")
    copied = from_file("copiedon", "docs/guide.md", f"Closing > {rule}")
    assert len(packed((first, copied)).included) == 1
    apart = replace(copied, memory=replace(copied.memory, sources=first.memory.sources))
    assert len(packed((first, apart)).included) == 2  # Within one file headings tell them apart: iOS, Android

    part = from_file("partname", "AGENTS.md", "Kiln controls > Wiring of the controls: Use `kiln-door` controls")
    longer = from_file(
        "longname",
        "AGENTS.md",
        "Kiln controls > Wiring of the controls: Use `kiln-door-latch` with `open`/`shut` below",
    )
    assert len(packed((longer, part)).included) == 2  # The heading that both stand under says nothing of either

    short = from_file("shortone", "docs/guide.md", "Never open the damper at dawn — wait for the cone.")
    list_of_rules = "\n".join(f"- Shelf {n} holds bowls of clay number {n} from the north wall." for n in range(20))
    long = from_file(
        "longrule", "AGENTS.md", f"{list_of_rules}\n- Never open the damper of a kiln at dawn, wait for the cone."
    )
    assert ids(packed((replace(long, score=2.0, relevance=2.0), short))) == ["longrule"]
    allowed = from_file("longrule", "AGENTS.md", f"{list_of_rules}\n- Open the damper at dawn, wait for the cone.")
    assert len(packed((replace(allowed, score=2.0, relevance=2.0), short)).included) == 2


def test_what_is_worth_least_gives_way_when_the_finished_payload_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The score does not say it: what the task is about may come last by score."""
    matters = replace(hit(memory("mattersx", "Test refunds", "Always test a refund of a card."), NEAR), score=0.5)
    aside = hit(memory("asidexxx", "Shelf", "The shelf holds bowls and plates."), FAR)
    both = partial(select, recall_of(matters, aside), {"mattersx": 0.9, "asidexxx": 0.1})
    roomy = Measure(parse_budget("500"), counter_for("o200k_base"), (), 0.0)
    monkeypatch.setattr(build, "select", lambda *_, **more: both(**more | {"measure": roomy}))
    monkeypatch.setattr(build, "worths", lambda *_: {"mattersx": 0.9, "asidexxx": 0.1})
    options = PackOptions(budget="45", encoding="o200k_base")
    pack = build_pack(recall_of(matters, aside), options, target=target_named("chat"), info=PayloadInfo("shop"))
    assert ids(pack) == ["mattersx"]
