"""What screens show as text and as small drawings."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from curating import PERSON, add
from hypothesis import example, given
from hypothesis import strategies as st
from rich.style import Style
from support import FrozenClock, make_memory
from textual.app import App, ComposeResult

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.flaws import Flaw, FlawReason, Mend
from memtui.curate import lifecycle, review_sessions
from memtui.curate.anchors import CheckedAnchor
from memtui.curate.decay import Affected, Effect, Knobs, Payloads, take_snapshot
from memtui.curate.merge import MergeField
from memtui.curate.review_queue import SourceNews
from memtui.curate.review_sessions import Progress
from memtui.curate.tidy_report import TidyReport
from memtui.curate.workload import Week
from memtui.domain.memory import Memory, Source
from memtui.text.sanitize import reveal
from memtui.text.words import cell_width, clip, steady
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, EVERYWHERE, INBOX, RESEMBLING, REVIEW, TIDY
from memtui.tui.health.view import CareRow, care_lines, health_blocks
from memtui.tui.importing.planned import row_blocks as planned_blocks
from memtui.tui.importing.view import PlanRow
from memtui.tui.lab.screen import effect_lines
from memtui.tui.lab.trial import FLOOR, HURT_WEIGHT, MEMORY, THRESHOLD, LabRead, Trial, step
from memtui.tui.memory_view import source_line, vouched
from memtui.tui.merge.view import ONLY_SPACE, MergePreview, count_words, result_blocks, united_words
from memtui.tui.packs.view import task_words, verdict_words
from memtui.tui.review.verdicts import STEPS, TimeLeft, clipped_title
from memtui.tui.review.view import file_blocks, news_blocks
from memtui.tui.styled_text import Block, wrap
from memtui.tui.tidy.view import TidyRow, come_after, row_blocks, row_cells, rows_of, text_blocks
from memtui.tui.values import Row
from memtui.tui.widgets.detail import Curve, axis_rows, curve_rows, dotted_rows
from memtui.tui.widgets.lists import Cell, draw_cells
from memtui.tui.widgets.memory_list import MemoryList
from memtui.tui.widgets.row_list import RowList, TextRow
from memtui.vault.filters import EVERYTHING
from memtui.vault.source_texts import Texts
from memtui.vault.vault import Vault
from memtui.wording.health import HealthRow, HealthSection, spark
from memtui.wording.tidying import mend_words

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, ""),
        ({"helped": 5}, "helped"),
        ({"unused": 2}, "not used 2 of 5"),
        ({"helped": 4, "hurt": 1}, "helped 4, hurt 1"),
    ],
)
def test_what_was_said_of_five_memories(said: dict[str, int], words: str) -> None:
    assert verdict_words(said, 5) == words


def test_what_a_source_said_and_says_fits_in_a_low_terminal_however_long_it_is() -> None:
    steps = "\n".join(f"- Lock berth {number} before the tide turns." for number in range(30))
    long = f"{steps}\n\n- Ring twice.\n\n{steps}\n\n- Log the draught.\n"
    now = long.replace("twice", "once").replace("draught", "keel")
    news = SourceNews(("CLAUDE.md",), NOW, Texts("Berths", long), Texts("Berths", now), is_taken=True)
    _, before, after = ("".join(text for text, _ in block.pieces) for block in news_blocks(news))
    assert before != after
    assert [len(wrap(side, 60)) <= 4 for side in (before, after)] == [True, True]
    assert ("[twice]" in before, "[draught]" in before) == (True, True)
    assert ("[once]" in after, "[keel]" in after) == (True, True)
    for other, said in ((Texts("Berths", f"{long}\n"), "only white space differs"), (Texts("Piers", long), "Piers")):
        blocks = news_blocks(replace(news, now=other))
        assert said in blocks[-1].pieces[-1][0]


def test_where_an_import_was_undone_the_card_says_so_and_what_the_source_says() -> None:
    undone = SourceNews(
        ("CLAUDE.md",), NOW, Texts("Berths", "two"), Texts("Berths", "one"), is_taken=False, is_undone=True
    )
    told = ["".join(text for text, _ in block.pieces) for block in news_blocks(undone)]
    assert "its import was undone: J takes it over" in told[0]
    assert ("two" in told[1], "one" in told[2]) == (True, True)
    assert "what it says now was not kept" in news_blocks(replace(undone, now=None))[-1].pieces[0][0]


def test_its_age_alone_makes_a_memory_due_only_where_nothing_else_does() -> None:
    news = SourceNews(("CLAUDE.md",), NOW, Texts("Berths", "two"), Texts("Berths", "one"), is_taken=True)
    for told, by_age, words in (
        ((), True, "It is not tied to any file: only its age makes it due."),
        ((), False, "It is not tied to any file."),
        ((news,), False, "Its source changed; it is not tied to any other file."),
    ):
        card = SimpleNamespace(is_whole=True, files=(), moves={}, news=told, is_by_age=by_age)
        (block,) = file_blocks(cast("Any", card))
        assert "".join(piece[0] for piece in block.pieces) == words


def test_a_task_is_named_by_its_text_else_its_files() -> None:
    assert task_words("pay [/x]\x1b", ("a.py",)) == "pay [/x]‹U+001B›"
    assert task_words("", ("a.py", "b.py")) == "a.py, b.py"
    assert task_words(" ", ()) == "standing payload"


@pytest.mark.parametrize(
    ("values", "rows", "drawn"),
    [
        ((1.0, 0.5, 0.0), 2, ["█  ", "██ "]),
        ((1.0, 0.75, 0.25), 2, ["█▄ ", "██▄"]),
        ((0.0625,), 2, [" ", "▁"]),
        ((7.0, -3.0), 1, ["█ "]),
        ((), 2, ["", ""]),
    ],
)
def test_each_value_is_a_column_of_eighths(values: tuple[float, ...], rows: int, drawn: list[str]) -> None:
    assert curve_rows(values, rows) == drawn


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 12))
def test_a_larger_value_never_stands_lower(values: list[float], rows: int) -> None:
    drawn = curve_rows(sorted(values, reverse=True), rows)
    heights = [sum(" ▁▂▃▄▅▆▇█".index(line[column]) for line in drawn) for column in range(len(values))]
    assert heights == sorted(heights, reverse=True)
    assert all(len(line) == len(values) for line in drawn)


def test_a_second_curve_has_no_gaps_and_words_never_touch() -> None:
    rows = dotted_rows([1.0, 0.5, 0.0], 6)
    assert [sorted(row) for row in rows] == [[0], [1], [1], [1], [2], [2]]
    axis, words = axis_rows(
        Curve((), None, 0.5, "", ticks=(0.0, 1.0), labels=((0.0, "0"), (0.5, "30 d"), (0.55, "33 d"))), 20
    )
    assert axis == "┴" + "─" * 18 + "┴"
    assert words.split() == ["0", "30", "d"]


@pytest.fixture
def read(vault: Vault) -> LabRead:
    return LabRead(take_snapshot(vault, EVERYTHING, threshold=0.5), "ferry", {}, cast("Payloads", None))


def tried(trial: Trial) -> dict[str, float]:
    return dict(trial.knobs.half_lives)


def test_steps_are_those_of_the_ladder_in_both_directions() -> None:
    assert [step(90.0, 1), step(90.0, -1), step(41.3, -1)] == [120.0, 75.0, 30.0]
    assert [step(1.0, -1), step(0.5, -1), step(9_999.0, 1)] == [1.0, 0.5, 9_999.0]


def test_a_half_life_is_tried_until_it_is_the_one_in_force_again(read: LabRead) -> None:
    trial = Trial(subject="tooling").stepped(read, -1)
    assert (tried(trial), trial.days(read), trial.changed) == ({"tooling": 75.0}, 75.0, 1)
    assert tried(trial.stepped(read, 1)) == {}
    assert tried(trial.with_days(read, None)) == {}
    assert tried(trial.with_default(read)) == {}
    assert tried(trial.for_other_scope(read).stepped(read, -1)) == {"tooling": 75.0, "tooling@ferry": 60.0}
    assert not Trial().can_be_applied
    assert trial.can_be_applied


def test_what_somebody_applied_meanwhile_is_no_longer_tried(vault: Vault, read: LabRead) -> None:
    from memtui.curate.decay import apply
    from memtui.domain.identity import Actor

    trial = Trial(subject="tooling").with_days(read, 30.0)
    assert tried(trial.on(read)) == {"tooling": 30.0}
    apply(vault, {"tooling": 30.0}, actor=Actor())
    later = LabRead(take_snapshot(vault, EVERYTHING), None, {}, cast("Payloads", None))
    assert tried(trial.on(later)) == {}
    assert Trial(subject="gone").on(later).subject == later.snapshot.kinds[0].name


def test_settings_stop_at_what_the_configuration_takes_and_only_it_can_keep_them(read: LabRead) -> None:
    trial = Trial(subject="tooling")
    for _ in range(50):
        trial = trial.with_setting(read, THRESHOLD, 1).with_setting(read, FLOOR, 1).with_setting(read, HURT_WEIGHT, -1)
    assert trial.for_configuration() == ["[review] threshold = 1", "[recall] floor = 0.3", "[recall] hurt_weight = 0"]
    assert "Only the configuration" in (trial.why_not_apply(read) or "")
    assert trial.settings_words(read, all_of=False) == "threshold 0.50 → 1 · floor 0.05 → 0.3 · hurt × 4 → 0"
    back = Trial().with_setting(read, FLOOR, 1).with_setting(read, FLOOR, -1)
    assert back.knobs == Knobs()
    assert back.settings_words(read, all_of=False) == "threshold 0.50"
    assert back.why_not_apply(read) == "No half-life has been changed: ← and → change it."


def test_the_one_memory_is_first_and_has_a_half_life_of_its_own(vault: Vault) -> None:
    from curating import add

    identifier = add(vault, "Run make", kind="tooling").id
    read = LabRead(take_snapshot(vault, EVERYTHING), None, {}, cast("Payloads", None))
    trial = Trial(identifier).on(read)
    assert trial.subject == MEMORY
    assert trial.moved(read, 1).subject == "tooling"
    assert trial.moved(read, -1).subject == MEMORY
    one = trial.stepped(read, -1)
    assert (one.knobs.memory, one.days(read)) == ((identifier, 75.0), 75.0)
    assert one.without_memory().knobs == one.with_default(read).knobs == Knobs()
    assert MEMORY not in Trial("gone").subjects(read)


def minutes(words: str) -> int:
    return 0 if "under a minute" in words else int(words.split("about ")[1].split(maxsplit=1)[0])


def test_verdicts_now_quick_now_slow_do_not_make_it_leap(vault: Vault, clock: FrozenClock) -> None:
    ids = [add(vault, f"Run make target {number}", kind="tooling").id for number in range(24)]
    clock.step(days=400)
    session = review_sessions.begin(vault, EVERYTHING, project="shop", actor=PERSON, threshold=0.5)
    assert len(session.ids) == len(ids)
    time_left, told = TimeLeft(), []
    for number, identifier in enumerate(session.ids[:16]):
        clock.step(seconds=40 if number % 2 else 5)
        lifecycle.verify(vault, [identifier], actor=PERSON)
        progress = review_sessions.progress(vault, session)
        time_left.take(progress)
        told.append(minutes(time_left.words(progress.left)))
    turns = [later > earlier for earlier, later in pairwise(told) if later != earlier]
    assert sum(one != other for one, other in pairwise(turns)) <= 1, told
    places = [STEPS.index(one) for one in told]
    assert max(abs(later - earlier) for earlier, later in pairwise(places)) <= 2, told
    assert told[-1] < told[5]


@pytest.mark.parametrize(
    ("left", "each", "words"),
    [
        (0, 0.15, "all done"),
        (3, 0.15, "3 left, under a minute"),
        (15, 0.15, "15 left, about 2 min"),
        (1_200, 1.0, "1,200 left, about 300 min"),
    ],
)
def test_it_is_told_in_steps(left: int, each: float, words: str) -> None:
    time_left = TimeLeft()
    time_left.take(Progress(left, {}, left * each))
    assert time_left.words(left) == words


@pytest.mark.parametrize("screen", [BROWSE, INBOX, REVIEW, TIDY, EVERYWHERE])
def test_the_lines_keys_are_free(screen: str) -> None:
    mine = {key for action in registry.of_owners(RESEMBLING) for key in action.keys}
    assert mine.isdisjoint(key for action in registry.of_owners(screen) for key in action.keys)


def _seen(text: str) -> str:
    return "".join(text.split())


def test_lines_break_at_words_and_follow_the_indent_of_a_list() -> None:
    assert wrap("- Lock refunds by payment_id", 16) == ["- Lock refunds", "  by payment_id"]
    assert wrap("~ relates to this  Tides", 16) == ["~ relates to", "  this  Tides"]
    assert wrap("  TTL 30 s for all", 10) == ["  TTL 30 s", "  for all"]
    assert wrap("short", 10) == ["short"]
    assert wrap("verified 21 d ago", 14) == ["verified", "21 d ago"], "a number stays with its unit"
    assert wrap("done in 2 docks", 9) == ["done in 2", "docks"]
    assert wrap("", 10) == [""]


def test_what_has_no_blanks_breaks_between_characters() -> None:
    assert wrap("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap("日本語の題名", 5) == ["日本", "語の", "題名"]


@example("🇦", 8)
@given(st.text(max_size=80), st.integers(8, 40))
def test_nothing_is_lost_and_nothing_is_wider(text: str, cells: int) -> None:
    line = text.replace("\n", " ")
    lines = wrap(line, cells)
    assert all(cell_width(one) <= cells for one in lines)
    assert _seen("".join(lines)) == _seen(steady(reveal(line)))


def _drawn(blocks: list[Block]) -> list[str]:
    return ["".join(text for text, _ in block.pieces) for block in blocks]


def test_two_findings_that_read_the_same_are_told_apart_and_two_titles_share_the_line() -> None:
    ids = ("m0000001", "m0000002", "m0000003", "m0000004")
    titles = dict(
        zip(ids, ("Use Postgres 13 everywhere", "Use Postgres 14 everywhere", "Be careful", "Be careful"), strict=True)
    )
    report = TidyReport(
        contradictions=(Contradiction(ids[:2], "number", "13 against 14", ("13", "14"), ("", ""), ("", "")),),
        unused=ids[2:],
        tokens=dict.fromkeys(ids, 9),
        titles=titles,
    )
    lines = rows_of(report)
    against, *unused = (line for line in lines if isinstance(line, TidyRow))
    assert [row.note for row in unused] == list(ids[2:])
    for width in (40, 60, 90):
        (mark, words, note), room = row_cells(against, width), width - 18
        shown = words.text[: room + 1]
        assert (mark.text, note.text) == ("", "number")
        assert "13" in shown.split("≠")[0]
        assert "14" in shown.split("≠")[1]
    assert len(rows_of(report, airy=True)) == len(lines) + 1


def test_a_dead_path_of_several_memories_is_one_row_that_lists_them() -> None:
    titles = {"m0000001": "Oil the winch", "m0000002": "Tar the rope"}
    shared = CheckedAnchor("m0000001", "crane/old.py", "gone", others=("m0000002",))
    scope = replace(shared, path="dock/**", file=".cursor/rules/dock.mdc", patterns=("dock/**", "pier/*.py"))
    report = TidyReport(anchors=(scope, shared), titles=titles, tokens=dict.fromkeys(titles, 9))
    first, second = (line for line in rows_of(report) if isinstance(line, TidyRow))
    assert (first.memory, second.memory) == (None, None), "nothing of one memory is done to several"
    assert first.text == "2 memories of .cursor/rules/dock.mdc apply to files that do not exist: dock/**, pier/*.py"
    (wider,) = rows_of(replace(report, anchors=(replace(scope, patterns=("dock/*",), meant="dock/**"),)))[-1:]
    assert isinstance(wider, TidyRow)
    assert wider.text == "2 memories of .cursor/rules/dock.mdc apply to no or hardly any file: dock/* · maybe dock/**"
    assert second.about == ("crane/old.py · 2 memories", *titles.values())
    assert "fix the rule file" in first.what_to_do(all_at_once=False)
    assert "removes it from Files" in second.what_to_do(all_at_once=False)


def test_the_texts_of_a_finding_show_what_differs_in_brackets() -> None:
    ids = ("m0000001", "m0000002")
    found = Contradiction(ids, "number", "30 s against 60 s", ("30 s", "60 s"), ("", ""), ("", ""))
    row = TidyRow("contradictions", "one", "number", found, ids, "other", about=("30 s against 60 s",))
    memories = [
        Memory(id=one, title="Lock key", insight=text, kind="decision", created_at=NOW, updated_at=NOW)
        for one, text in zip(ids, ("Hold the lock for 30 s.", "Hold the lock for 60 s."), strict=True)
    ]
    first, second = text_blocks(row, memories, NOW)
    assert _drawn(first)[-1] == "Hold the lock for [30 s]."
    assert _drawn(second)[-1] == "Hold the lock for [60 s]."
    unsaid = replace(row, subject=replace(found, words=("thirty", "sixty")))
    assert _drawn(text_blocks(unsaid, memories, NOW)[0])[-1] == "Hold the lock for [30] s."
    apart = [
        replace(memories[0], insight="A lease of 30 s."),
        replace(memories[1], insight="Nobody waits; TTL 60 s, no more!"),
    ]
    assert [_drawn(texts)[-1] for texts in text_blocks(row, apart, NOW)] == [
        "A lease of [30 s].",
        "Nobody waits; TTL [60 s], no more!",
    ]
    titled = [replace(one, title=f"Locks: {one.insight[:-1]}") for one in memories]
    assert ["".join(_drawn(texts)[::2]) for texts in text_blocks(row, titled, NOW)] == [
        "Locks: Hold the lock for [30 s]",
        "Locks: Hold the lock for [60 s]",
    ], "what the title says already is not said again"
    long = [replace(one, insight=f"{'Moor.' * 200}\n{one.insight}\n{'Sail.' * 200}") for one in memories]
    for blocks in text_blocks(row, long, NOW, most=170):
        _, text = _drawn(blocks)
        assert len(text) < 200, "cut to what differs"
        assert "the lock for [" in text
    stacked = row_blocks(row, text_blocks(row, memories, NOW))
    assert [block.label for block in stacked if block.label.strip()] == ["A", "B"]
    assert _drawn(row_blocks(row, None))[0] == "reading …"


def test_a_trial_is_drawn_as_bars_before_and_after(read: LabRead) -> None:
    week, read = Week(NOW, 3, 3, 0), replace(read, payloads=cast("Payloads", SimpleNamespace(recipes=())))
    found = Effect(10, 20, entering=(Affected("m1", "A title", "note", 0.6, 0.4),))
    lines = [
        line.plain
        for line in effect_lines(
            read,
            found,
            [],
            coming=[week, replace(week, reviewed=6)],
            as_is=[week, week],
            configuration=[],
            width=60,
            height=20,
        )
    ]
    now, tried = lines[0], lines[1]
    assert now.count("━") * 2 == tried.count("━") > 10
    assert "10 due" in now
    assert "20 due   +1 −0" in tried
    assert "▄▄" in lines[2]
    assert "▄█" in lines[3]
    same = effect_lines(read, Effect(5, 5), [], coming=[week], as_is=[week], configuration=[], width=60, height=20)
    assert ["now" in line.plain for line in same[:2]] == [True, True]
    assert not any("tried" in line.plain for line in same)


def test_a_column_takes_the_room_of_its_widest_text_and_an_empty_one_takes_none() -> None:
    verdicts = {"Reef the sail early": "helped", "Coil the rope": "hurt", "No knots": ""}
    paint = {"base": Style(), "dim": Style()}

    def drawn(said: dict[str, str], width: int) -> list[str]:
        rows: RowList[str] = RowList(
            lambda row, _: [Cell(row, "base"), Cell(said[row], "dim", 12, before=2, snug=True)]
        )
        rows._lines = tuple(said)
        return ["".join(segment.text for segment in rows.segments(place, width, paint)) for place in range(len(said))]

    assert drawn(verdicts, 24) == ["Reef the sail e…  helped", "Coil the rope     hurt  ", "No knots                "]
    assert drawn(dict.fromkeys(verdicts, ""), 24)[0] == "Reef the sail early     "


def test_rows_that_begin_alike_are_cut_at_the_beginning_where_the_end_would_hide_what_differs() -> None:
    def drawn(width: int, *titles: str) -> list[str]:
        rows: RowList[str] = RowList(lambda row, _: [Cell(row, "base")])
        rows._lines = titles
        paint = {"base": Style()}
        return ["".join(part.text for part in rows.segments(place, width, paint)) for place in range(len(titles))]

    ropes, hulls = "quay — the old harbour: Ropes are wet", "quay — the old harbour: Hulls are red"
    assert drawn(20, ropes, hulls, "Lamps") == ["…Ropes are wet      ", "…Hulls are red      ", "Lamps               "]
    assert drawn(40, ropes, hulls)[0].startswith("quay")
    assert drawn(20, ropes, ropes, "Lamps")[0] == "quay — the old harb…"
    assert drawn(12, "Wax the hull twice", "Wax the hull once") == ["…twice      ", "…once       "]


async def test_from_a_row_that_is_gone_the_cursor_comes_to_the_next_that_stays() -> None:
    rows: RowList[str] = RowList(lambda row, _: [Cell(row, "base")])

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield rows

    async with Listing().run_test():
        rows.show((TextRow("Knots"), "bowline", "hitch", TextRow("Sails"), "jib", "main"))
        rows.go_to(lambda row: row == "hitch")
        rows.show((TextRow("Sails"), "jib", "main"), follow=lambda row: row == "hitch")
        assert rows.current == "jib", "what went above it does not count"
        rows.go_to(lambda row: row == "main")
        rows.show((TextRow("Sails"), "jib"), follow=lambda row: row == "main")
        assert rows.current == "jib", "nothing comes after it"


async def test_a_filter_leaves_the_rows_that_hold_every_word_under_their_headings() -> None:
    more = {"jib": "foresail", "main": "größte"}
    rows: RowList[str] = RowList(lambda row, _: [Cell(row, "base")], words=lambda row: more.get(row, ""))

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield rows

    def listed(typed: str) -> list[str]:
        rows.filter(typed)
        return [f"{line.text} {line.count}".strip() if isinstance(line, TextRow) else line for line in rows._lines]

    async with Listing().run_test(size=(60, 10)) as pilot:
        lines = (
            TextRow("Knots", count="2"),
            "bowline",
            "hitch",
            TextRow(""),
            TextRow("Sails", count="2"),
            "jib",
            "main",
        )
        rows.show(lines)
        assert listed("B") == ["Knots 1", "bowline", "", "Sails 1", "jib"]
        assert listed("FORE jib") == ["Sails 1", "jib"], "in any order, and nothing stands over the first heading"
        assert rows.current == "jib"
        assert listed("groß") == ["Sails 1", "main"]
        assert listed("grosste") == ["Sails 1", "main"], "accents make no difference"
        assert listed("sails") == ["Sails 2", "jib", "main"], "a heading finds what stands under it"
        assert rows.current == "main", "the cursor stays on its row"
        rows.show((*lines, "mizzen"))
        assert rows.rows == ["jib", "main", "mizzen"], "what is read later is filtered as well"
        assert listed("halyard") == []
        await pilot.pause()
        assert rows._notice == ("Nothing here matches “halyard”.", "esc clears the filter.")
        assert len(listed("")) == len(lines) + 1


async def test_what_stands_behind_the_last_row_is_reached_by_the_keys_that_move() -> None:
    rows: RowList[str] = RowList(lambda row, _: [Cell(row, "base")])

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield rows

    async with Listing().run_test(size=(40, 6)) as pilot:
        rows.show((TextRow("Knots"), "bowline", "hitch", *(TextRow(f"passed over {at}") for at in range(12))))
        for key, top in (("j", 0), ("j", 1), ("j", 2), ("pagedown", 8), ("j", 9), ("k", 8), ("pageup", 2), ("G", 9)):
            await pilot.press(key)
            await pilot.pause()
            assert (rows.current, rows.scroll_offset.y) == ("hitch", top), key
        await pilot.press("pageup", "pageup", "k")
        await pilot.pause()
        assert (rows.current, rows.scroll_offset.y) == ("bowline", 0)


async def test_rows_with_the_same_title_say_where_they_came_from_and_others_do_not() -> None:
    rows = MemoryList()
    made = {
        f"m{at}": make_memory(id=f"m{at}", title=title, sources=(Source(format="claude-md", path=f"rules/{at}.md"),))
        for at, title in enumerate(("Checklist", "Checklist", "Sails"))
    }
    found = {
        one.id: Row(one.id, one.title, "note", "", pinned=False, due=False, freshness=1, age_days=0, memory=one)
        for one in made.values()
    }

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield rows

    async with Listing().run_test(size=(80, 20)) as pilot:
        rows.show(list(made), follow=None, fresh=True)
        rows.put_rows(found)
        await pilot.pause()
        drawn = ["".join(part.text for part in rows.render_line(at)) for at in range(3)]
    assert ["rules/" in line for line in drawn] == [True, True, False]
    assert "rules/1.md" in drawn[1]


async def test_a_list_that_was_short_until_now_is_scrolled_to_its_cursor() -> None:
    rows = MemoryList()

    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield rows

    async with Listing().run_test(size=(60, 20)) as pilot:
        rows.show((), follow=None, fresh=True)
        await pilot.pause()
        rows.show([f"knot{number}" for number in range(200)], follow="knot150", fresh=True)
        for _ in range(3):
            await pilot.pause()
        assert rows.scroll_offset.y <= rows.cursor < rows.scroll_offset.y + rows.page


def test_a_path_is_cut_where_it_says_least() -> None:
    row = [Cell("packages/harbour/AGENTS.md", "base", is_path=True), Cell("1 file", "dim", 6, before=1)]
    drawn = draw_cells(row, 25, {"base": Style(), "dim": Style()})
    assert "".join(segment.text for segment in drawn) == "…harbour/AGENTS.md 1 file"


def test_health_is_drawn_as_columns_where_there_is_room_for_them() -> None:
    rows = (HealthRow("0.9–1.0", "4", share=1.0), HealthRow("mean", "0.65"))
    section = HealthSection("Freshness", rows, is_contents=True, columns=(1, 0, 0, 0, 0, 2, 0, 0, 0, 4))
    wide = _drawn(health_blocks([section], 60))
    assert "0.9–1.0" not in " ".join(wide)
    assert wide[1].rstrip().endswith("████")
    assert wide[-2].split() == [".0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9"]
    assert wide[-3].split() == ["1", "·", "·", "·", "·", "2", "·", "·", "·", "4"]
    assert "0.9–1.0" in " ".join(_drawn(health_blocks([section], 30)))
    many = replace(section, columns=(123, 0, 0, 0, 0, 2, 0, 0, 0, 4))
    assert "0.9–1.0" in " ".join(_drawn(health_blocks([many], 36))), "a number without room is not cut"
    assert spark([0, 1, 50, 100], 100) == " ▁▄█"
    remark = HealthSection("By month", (HealthRow("", "", "since 2025-12, at most 3 a month"),), is_contents=True)
    assert _drawn(health_blocks([remark], 40))[1:] == ["    since 2025-12, at most 3 a month"], "no empty line"


def test_a_title_in_a_choice_is_cut_after_a_whole_word_and_says_so() -> None:
    title = "Sound the depths of every berth before the ferry of the morning tide moors there"
    cut = clipped_title(title, "92% alike")
    assert cut.endswith("…")
    assert title.startswith(f"{cut[:-1]} ")
    assert len(cut) + len("92% alike") <= 46
    assert clipped_title("Sound the depths", "92% alike") == "Sound the depths"


def test_what_a_person_confirmed_is_never_called_never_verified() -> None:
    at, now = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC)
    memory = Memory(id="m0000001", title="Quay", insight="Quay", kind="note", created_at=at, updated_at=at)
    assert vouched(memory, now) == "never verified"
    assert vouched(replace(memory, confirmed_at=at), now) == "accepted 3 d ago"
    assert vouched(replace(memory, confirmed_at=at, verified_at=now), now) == "verified today"


def test_a_source_keeps_the_folders_that_tell_files_of_one_name_apart() -> None:
    near, far = (
        Source(path="crane/AGENTS.md", format="agents", span=(38, 40)),
        Source(path="AGENTS.md", format="agents"),
    )
    assert source_line([near, far, far]) == "crane/AGENTS.md:38 +2"
    assert source_line([far]) == "AGENTS.md"
    deep = source_line([replace(near, path=f"{'harbour/' * 20}AGENTS.md")])
    assert deep.startswith("…")
    assert deep.endswith("harbour/AGENTS.md:38")
    assert cell_width(deep) <= 50


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Working at the northern quay, moor ships at noon", "Working at the northern quay, moor boats at noon"),
        ("Working at the northern quay, moor ships", "Working at the northern quay, moor ships at noon, in fog"),
        (
            "係留索を点検する手順はこの港では毎朝必ず行うこと、北",
            "係留索を点検する手順はこの港では毎朝必ず行うこと、南",
        ),
    ],
)
def test_two_titles_with_one_beginning_are_cut_so_that_they_differ(first: str, second: str, width: int) -> None:
    row = TidyRow("contradictions", first, "", None, ("a", "b"), second)
    left, right = clip(row_cells(row, width)[1].text, width - 17).split(" ≠ ")
    for one, other in ((left, right), (right, left)):
        assert one != other
        assert not one.endswith("…") or not other.startswith(one.removesuffix("…"))


def test_an_anchor_that_is_gone_names_the_memory_that_it_belongs_to() -> None:
    gone = [CheckedAnchor(name, "crane/old.py", "gone") for name in ("aaaa", "bbbb")]
    report = TidyReport(
        anchors=tuple(gone),
        tokens={"aaaa": 9, "bbbb": 9},
        titles={"aaaa": "Grease the crane", "bbbb": "Lock the crane"},
    )
    rows = [row for row in rows_of(report) if isinstance(row, TidyRow)]
    assert [(row.text, row.note) for row in rows] == [
        ("crane/old.py · Grease the crane", "gone"),
        ("crane/old.py · Lock the crane", "gone"),
    ]


def test_two_titles_with_one_beginning_keep_as_much_of_it_as_there_is_room_for() -> None:
    start = "Sailings hold a lock of thirty seconds that is kept in the"
    row = TidyRow("duplicates", f"{start} broker", "easy", None, other=f"{start} broker alone")
    shown = next(cell for cell in row_cells(row, 90) if "≈" in cell.text).text
    assert shown.count("that is kept in the broker") == 2
    assert shown.endswith("alone")


def test_what_comes_up_once_its_nearest_pair_was_dismissed_is_told() -> None:
    one, two, other = (DuplicateGroup(ids, 0.8, "look", (), copies=False, why="") for ids in (*_PAIRS,))
    before = TidyReport(duplicates=(one, other))
    assert (
        come_after(before, TidyReport(duplicates=(two, other)), one.ids)
        == "1 other proposal about one of these appeared"
    )
    assert come_after(before, TidyReport(duplicates=(other,)), one.ids) == ""
    assert come_after(before, TidyReport(duplicates=(two, other)), ()) == ""


_PAIRS = (("a", "b"), ("b", "c"), ("d", "e"))


def test_texts_that_look_the_same_are_not_told_as_a_choice() -> None:
    for texts, words in ((("Moor\nat 4.", "Moor at 4. "), ONLY_SPACE), (("Moor at 4.", "Moor at 5."), "2 texts")):
        assert count_words(MergeField("insight", texts, (0,), can_join=True)) == words


def test_what_a_merge_makes_is_told_as_it_will_be() -> None:
    twice = (Source(format="claude-md", path="QUAY.md", span=(3, 3)), Source(format="claude-md", path="MOLE.md"))
    made = make_memory(
        title="Moor at noon",
        insight="Moor at noon.",
        sources=(twice[0], replace(twice[0], native_id="b"), twice[1]),
        created_at=datetime(2026, 6, 1, tzinfo=UTC),
        observed_at=datetime(2025, 3, 4, tzinfo=UTC),
    )
    preview = MergePreview(made, 10, 20, everywhere=True)
    first, *rest = result_blocks(preview, ["order differs"])
    shown = {block.label: "".join(text for text, _ in block.pieces) for block in rest}
    assert (shown["Sources"], shown["Dates"]) == ("QUAY.md:3, MOLE.md", "from 2025-03-04")
    assert first.pieces == (("! order differs", "warning"),)
    first, *_, last = result_blocks(preview, ["order differs", "a number", "a name", "a day"])
    assert first.pieces == (("! order differs; a number; 2 more below", "warning"),)
    assert last.pieces == (("! a name; a day", "warning"),)
    assert united_words(preview) == "tags, sources and links are combined", "Files says what becomes of the files"
    assert united_words(replace(preview, everywhere=False)) == "tags, files, sources and links are combined"


@pytest.mark.parametrize(("action", "labels"), [("update", ("Before", "Now")), ("conflict", ("Here", "There"))])
def test_a_memory_whose_source_says_something_else_is_shown_with_both_texts(
    action: str, labels: tuple[str, str]
) -> None:
    source = Source(format="claude-md", path="QUAY.md")
    draft = SimpleNamespace(insight="Moor with four lines.", rationale="", snippet="", anchors=(), source=source)
    planned = SimpleNamespace(
        action=action,
        draft=draft,
        project="quay",
        holds_secret=False,
        memory=make_memory(insight="Moor with two lines."),
    )
    row = PlanRow("~", "convention", "Moor", "QUAY.md", "", cast("Any", planned))
    shown = {block.label: "".join(text for text, _ in block.pieces) for block in planned_blocks(row)}
    assert (shown[labels[0]], shown[labels[1]]) == ("Moor with [two] lines.", "Moor with [four] lines.")


def test_what_is_joined_with_several_says_how_many() -> None:
    flaw = Flaw("a", FlawReason.BACK, "", Mend.JOIN, "c", ("b",))
    assert mend_words(flaw) == "join it with c and 1 before it"
    assert mend_words(replace(flaw, more=())) == "join it with c"


def test_a_figure_leads_to_what_it_counts_and_a_memory_to_itself() -> None:
    doubts = (HealthRow("due", "…"), HealthRow("duplicates", "0"), HealthRow("dead anchors", "2", "a note", asks=True))
    useful = HealthSection("Most useful", (HealthRow("m0000001", "1.40", "Berth 4 is closed", is_memory=True),))
    lines = care_lines([HealthSection("In doubt", doubts), useful], 28)
    assert [line.opens for line in lines if isinstance(line, CareRow)] == ["go-review", "go-tidy", "m0000001"]
    texts = [line.text for line in lines if isinstance(line, TextRow)]
    assert texts == ["In doubt", f"  {'duplicates':<14}     0", "    a note", "", "Most useful"]
