"""The parts of Browse that need no screen: marks, facet lines, what is remembered, titles, highlighting."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from wcwidth import wcwidth

from memtui.capture.waiting import Waiting
from memtui.domain.memory import STATUSES, Anchor, Memory, Signal
from memtui.recall.resident import ResidentMeaning
from memtui.tui.browse import queries
from memtui.tui.browse.facets import (
    FEW_VALUES,
    TITLES,
    BrowseState,
    chosen_words,
    facet_lines,
    read_state,
)
from memtui.tui.browse.memory_index import Titles
from memtui.tui.browse.queries import ListQueries
from memtui.tui.browse.view import waiting_words
from memtui.tui.state import Opening
from memtui.tui.styled_text import highlighted
from memtui.tui.values import SORTS, FacetCounts, Listing, Row, Wanted, steady_order
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.detail import MOST_RENDERED, rendered
from memtui.tui.widgets.marks import Marks
from memtui.tui.widgets.memory_list import PARTS, Columns, row_segments, short_project
from memtui.tui.widgets.pane_border import NARROWEST, WIDEST
from memtui.vault.vault import Vault

STYLES = {name: Style(color="red") for name in ("heading", "code", "path", "label", "dim")}
IDS = tuple(f"m{number}" for number in range(10))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = tuple(BrowseState().section())


# -- marks ----------------------------------------------------------------------------------------


def test_a_range_marks_what_lies_between_and_can_be_given_up() -> None:
    marks = Marks()
    marks.toggle("m9")
    marks.start(4)
    marks.stretch(2)
    assert marks.listed(IDS) == ["m2", "m3", "m4", "m9"]
    assert [marks.holds(index, identifier) for index, identifier in enumerate(IDS[:5])] == [
        False,
        False,
        True,
        True,
        True,
    ]
    marks.drop_range()
    assert marks.listed(IDS) == ["m9"]
    marks.start(0)
    marks.stretch(1)
    marks.keep_range(IDS)
    assert not marks.drawing
    assert marks.listed(IDS) == ["m0", "m1", "m9"]


def test_all_marks_what_is_listed_and_then_nothing_of_it() -> None:
    marks = Marks()
    marks.toggle("elsewhere")
    marks.mark_all(IDS)
    assert marks.listed(IDS) == list(IDS)
    assert len(marks) == len(IDS) + 1
    marks.mark_all(IDS[:3])
    assert marks.listed(IDS) == list(IDS[3:])
    marks.clear()
    assert len(marks) == 0


# -- facets ---------------------------------------------------------------------------------------


def test_long_facets_show_their_commonest_values_and_what_is_chosen() -> None:
    values = [(f"tag{number:02}", 50 - number) for number in range(30)]
    counts = FacetCounts({"tag": values, "kind": [("note", 3)]})
    lines = facet_lines(counts, {"tag": ("tag20", "gone")}, folded={"kind"}, long=())
    tags = [line for line in lines if line.facet == "tag"]
    assert tags[0].count == 31
    assert tags[0].chosen
    assert [line.value for line in tags if line.chosen and line.value is not None] == ["tag20", "gone"]
    assert tags[-1].text == f"… {31 - FEW_VALUES - 2} more"
    assert [line.text for line in lines if line.facet == "kind"] == ["▸ Kind"]
    everything = facet_lines(counts, {}, folded=(), long={"tag"})
    assert len([line for line in everything if line.facet == "tag" and line.value]) == 30
    assert {line.facet for line in everything} == set(TITLES)


def test_a_choice_is_said_in_words_without_control_characters() -> None:
    assert chosen_words({"project": ("",), "due": ("now",), "tag": ("a\x1b[31m\nb",)}).startswith(
        "unassigned · due now · a"
    )
    assert chosen_words({"due": ("snoozed",), "status": ("retired",)}) == "snoozed · retired, rejected"
    assert "\x1b" not in chosen_words({"tag": ("a\x1b[31m\nb",)})


# -- what is remembered ---------------------------------------------------------------------------


def test_what_is_remembered_comes_back() -> None:
    state = BrowseState(
        place="here",
        cursor="m1",
        query="lock",
        chosen={"kind": ("note",)},
        folded=frozenset({"tag"}),
        sort="use",
        due_sort="title",
        best=False,
        share=45,
        rendered=True,
    )
    values = json.loads(json.dumps(state.section()))
    assert read_state(values, "here") == state
    elsewhere = read_state(values, "elsewhere")
    assert (elsewhere.cursor, elsewhere.query, elsewhere.chosen) == (None, "", {}), (
        "a filter of another place hides nothing"
    )
    assert (elsewhere.share, elsewhere.sort) == (45, "use")


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), JSON, max_size=8))
def test_garbage_reads_as_a_first_start_or_as_something_that_can_be_shown(values: dict[str, Any]) -> None:
    state = read_state({**values, "place": "here"}, "here")
    assert state.share is None or NARROWEST <= state.share <= WIDEST
    assert set(state.chosen) <= set(TITLES)
    assert all(isinstance(value, str) for chosen in state.chosen.values() for value in chosen)
    assert read_state(json.loads(json.dumps(state.section())), "here") == state


# -- titles and order -----------------------------------------------------------------------------


@given(
    st.lists(st.text(alphabet="abA /日", max_size=6), max_size=12), st.text(alphabet="abA /日", min_size=1, max_size=4)
)
def test_titles_that_hold_a_part_are_found_as_looking_at_each_would(titles: list[str], part: str) -> None:
    assert Titles(titles).holding(part) == [place for place, title in enumerate(titles) if part in title]


@given(st.lists(st.integers(0, 12), unique=True), st.lists(st.integers(0, 12), unique=True))
def test_a_steady_order_keeps_what_is_shown_and_loses_nothing(shown: list[int], fresh: list[int]) -> None:
    found = steady_order([str(each) for each in shown], [str(each) for each in fresh])
    assert sorted(found) == sorted(str(each) for each in fresh)
    kept = [str(each) for each in shown if each in fresh]
    assert [each for each in found if each in kept] == kept


# -- highlighting and rendering -------------------------------------------------------------------


@given(st.text(max_size=300) | st.text(alphabet="`#*-/ a.\n[]@=1", max_size=300))
def test_highlighting_leaves_every_character_where_it_is(text: str) -> None:
    assert "".join(piece for piece, _ in highlighted(text)) == text


def test_headings_code_bullets_and_paths_are_told_apart() -> None:
    styles = dict(highlighted("# Head\n- use `lock()` in pay/lock.py:3\n```\nrm -rf a/b\n```\nplain"))
    assert styles["# Head\n"] == "heading"
    assert styles["-"] == "label"
    assert styles["`lock()`"] == "code"
    assert styles["pay/lock.py"] == "path"
    assert styles["rm -rf a/b\n"] == "code"
    assert styles["plain"] == "text"


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "a/" * 10_000, "`" * 20_000, "[" * 20_000, "> " * 9_000, "#" * 20_000, "1. " * 6_000]
)
def test_long_lines_of_one_sign_are_highlighted_and_rendered(text: str) -> None:
    assert "".join(piece for piece, _ in highlighted(text)) == text
    assert all(cell_len(line.plain) <= 40 for line in rendered(text, 40, STYLES)[:-1])


def test_rendered_markdown_shows_html_and_markup_as_text_and_links_as_addresses() -> None:
    text = (
        "# [@click=app.quit]x[/]\n\n- a `code` [site](http://example.org/a)\n\n"
        "<b onclick=x>bold</b> <!-- hidden -->\n\n```sh\nrm x\n```"
    )
    lines = rendered(text, 60, STYLES)
    plain = "\n".join(line.plain for line in lines)
    for part in ("[@click=app.quit]x[/]", "http://example.org/a", "<b onclick=x>bold</b>", "<!-- hidden -->", "rm x"):
        assert part in plain
    assert not any(
        span.style
        for line in lines
        for span in line.spans
        if getattr(span.style, "link", None) or getattr(span.style, "meta", None)
    )


@given(st.text(max_size=200) | st.text(alphabet="`#*-_[]()<>!|\n >1.", max_size=200))
def test_any_markdown_is_rendered_within_its_width(text: str) -> None:
    assert all(cell_len(line.plain) <= 30 for line in rendered(text.replace("\t", " "), 30, STYLES))


def test_what_is_too_long_to_render_says_so() -> None:
    assert "M shows plain text" in rendered("word " * MOST_RENDERED, 40, STYLES)[-1].plain


# -- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["love ❤️ it", "👩‍👩‍👧 🇨🇭 👍🏽 1️⃣", "日本語の題名 ❤️", "plain", "❤️" * 60])
def test_a_row_is_as_wide_in_terminals_that_add_up_code_points(title: str) -> None:
    """The border behind a row stands where it stands beside the others, whatever a terminal makes of an emoji."""
    row = Row("m1", title, "decision", "ferry", pinned=False, due=False, freshness=0.5, age_days=3)
    paint = {part: Style() for part in ("base", *PARTS)}
    for width in (40, 60, 120):
        columns = Columns.within(width, projects=True)
        segments = row_segments(row, columns, paint, edge="▌", marked=False, place=" docs/❤️/日本.md:3")
        text = "".join(segment.text for segment in segments)
        assert cell_len(text) == sum(max(0, wcwidth(letter)) for letter in text)


@pytest.mark.parametrize(
    ("new", "changed", "words"),
    [
        (0, 0, ""),
        (5, 0, "5 files to import here: J"),
        (0, 1, "1 file changed: J imports"),
        (12, 2, "2 files changed, 12 new: J imports"),
    ],
)
def test_what_changed_is_told_from_what_is_new(new: int, changed: int, words: str) -> None:
    assert waiting_words(Waiting(new, changed), "J") == words


def test_projects_that_begin_alike_are_told_apart_in_a_few_cells() -> None:
    names = {"harbour-app", "harbour-web", "quay", "lighthouse", ""}
    assert {name: short_project(name, 6, names) for name in names} == {
        "harbour-app": "har…pp",
        "harbour-web": "har…eb",
        "quay": "quay",
        "lighthouse": "lighth",
        "": "",
    }
    assert short_project("日本語の港", 6, names) == "日本語"


NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WORDS = (
    *("retry", "refund", "payment", "lock", "harbour", "storm", "Straße", "支付"),
    *("quay_printer", "lockTimeout", "UTC", "the", "of", "ferry"),
)
QUERIES = (
    *("r", "re", "retr", "retry", "retry pay", "refnud", "stromy", "payemnt lock"),
    *("支付", "ss", "m00000", "zzz", "of", "e"),
)


def made(number: int, chance: random.Random) -> Memory:
    at = NOW - timedelta(days=chance.randrange(700), seconds=number)
    return Memory(
        id=f"m{number:07d}",
        title=" ".join(chance.choices(WORDS, k=chance.randrange(5))),
        insight=" ".join(chance.choices(WORDS, k=6)),
        kind=chance.choice(["decision", "lesson", "note"]),
        project=chance.choice(["ferry", "barge", None]),
        status=chance.choice([*STATUSES, "active", "active", "active"]),
        tags=tuple(chance.sample(["storm", "harbours"], k=chance.randrange(3))),
        anchors=(Anchor("pay/lock.py"),) if chance.random() < 0.3 else (),
        pinned=chance.random() < 0.1,
        importance=chance.randrange(1, 6),
        created_at=at,
        updated_at=at,
        verified_at=NOW - timedelta(days=3) if chance.random() < 0.2 else None,
    )


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setattr(queries, "LARGE_VAULT", 1)
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    chance = random.Random(5)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(made(number, chance) for number in range(260))
        writer.add_signals(
            Signal(memory_id=f"m{number:07d}", signal="copied", at=NOW - timedelta(days=number), actor="person")
            for number in range(0, 60, 7)
        )
    return vault


def opened(vault: Vault, **values: Any) -> ListQueries:
    return ListQueries(VaultAccess(Opening(vault=vault, folder=vault.path.parent, **values)))


def prepared(vault: Vault, wanted: Wanted, **values: Any) -> tuple[ListQueries, Listing]:
    access = opened(vault, **values)
    found = access.load("", wanted)
    access.prepare(found.base)
    assert access.is_prepared(found.base)
    return access, found


def alike(quick: Listing, slow: Listing) -> None:
    assert quick.ids == slow.ids, quick.query
    assert (quick.hits, quick.more, quick.best) == (slow.hits, slow.more, slow.best), quick.query
    assert quick.only_closest == slow.only_closest, quick.query


@pytest.mark.parametrize(
    "chosen", [{}, {"kind": ("lesson",)}, {"status": ("retired", "candidate")}, {"project": ("ferry", "")}]
)
def test_every_filter_finds_what_the_vault_finds(vault: Vault, chosen: dict[str, Sequence[str]]) -> None:
    slow = opened(vault)
    for sort in SORTS:
        wanted = Wanted(sort=sort, chosen={facet: tuple(values) for facet, values in chosen.items()})
        access, found = prepared(vault, wanted)
        base = slow.load("", wanted).base
        assert base.ids == found.base.ids
        for query in QUERIES if sort == "newest" else QUERIES[2:6]:
            for best in (True, False):
                alike(access.filtered(found.base, query, best=best), slow.filtered(base, query, best=best))


@pytest.mark.parametrize("words", ["retry", "rettry"])
def test_words_beside_a_field_are_searched_and_ranked_as_words_alone(vault: Vault, words: str) -> None:
    access, found = prepared(vault, Wanted())
    slow, base = opened(vault), found.base
    alone = slow.filtered(base, words).hits
    rows = slow.rows(alone)
    kind = rows[alone[0]].kind
    expected = tuple(one for one in alone if rows[one].kind == kind)
    for listing in (slow.filtered(base, f"{words} kind:{kind}"), access.filtered(base, f"kind:{kind} {words}")):
        assert listing.ids[: len(expected)] == expected
        assert listing.best
    by_list = slow.filtered(base, f"{words} kind:{kind}", best=False).ids
    assert set(expected) <= set(by_list)
    assert list(by_list) == [one for one in base.ids if one in set(by_list)]


def test_a_score_is_explained_by_the_search_that_listed_it_whatever_ended_since(vault: Vault) -> None:
    access = opened(vault)
    base = access.load("", Wanted()).base
    identifier = access.filtered(base, "retry").hits[0]
    for later in ("lock", "queue", "retries"):
        access.filtered(base, later)
    detail = access.detail(identifier, "retry")
    assert detail is not None
    assert detail.explained is not None
    assert detail.explained.query == "retry"
    assert "words" in {row[0] for row in detail.explained.rows}


def test_rows_at_hand_say_what_the_vault_says_but_for_the_texts(vault: Vault) -> None:
    access, found = prepared(vault, Wanted(chosen={"status": STATUSES}))
    full = access.rows(found.base.ids)
    at_hand = access.rows_at_hand(found.base, found.base.ids)
    titled = {identifier for identifier, row in full.items() if row.memory and row.memory.title.strip()}
    assert set(at_hand) == titled
    assert at_hand == {identifier: replace(full[identifier], memory=None) for identifier in titled}
    assert access.rows_at_hand(replace(found.base), found.base.ids) == {}


def test_what_is_held_is_dropped_and_read_anew_when_the_vault_changed(vault: Vault) -> None:
    access, found = prepared(vault, Wanted())
    gone = access.filtered(found.base, "retry").ids[0]
    MemoryActs(access._access).retire([gone])
    fresh = access.load("", Wanted()).base
    assert not access.is_prepared(fresh)
    alike(access.filtered(fresh, "retry"), opened(vault).filtered(fresh, "retry"))
    access.prepare(fresh)
    assert access.is_prepared(fresh)
    after = access.filtered(fresh, "retry")
    assert gone not in after.ids
    alike(after, opened(vault).filtered(fresh, "retry"))
    # One that is read while the vault moves on is of no list that is shown.
    MemoryActs(access._access).undo()
    access.prepare(fresh)
    access.prepare(access.load("", Wanted()).base, wanted=lambda: False)
    assert not access.is_prepared(access.load("", Wanted()).base)


def test_the_postings_of_the_search_by_meaning_serve_the_filter_too(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "none")
    meaning.load()
    access, found = prepared(vault, Wanted(), meaning=meaning)
    assert access._words is not None
    with vault.read() as reader:
        assert access._words.postings is meaning.terms.state_at(reader)
    alike(access.filtered(found.base, "retry lock"), opened(vault).filtered(found.base, "retry lock"))
