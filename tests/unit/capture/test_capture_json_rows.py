"""JSON of every shape is read as rows, and what cannot be read is named by its lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.json_rows import rows_of

NAMES = {"insight", "type"}
ROWS = [{"insight": "Berths are numbered from the sea"}, {"insight": "Log {every} // move", "tags": ["a", "b"]}]
ONE, TWO = (json.dumps(row) for row in ROWS)


def _read(text: str) -> list[object]:
    return [row.value for row in rows_of(text, NAMES)]


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{TWO}\n",
        f"{ONE}{TWO}",
        f"{ONE} {TWO}\n",
        f"{ONE},\n{TWO},\n",
        f"[\n{ONE},\n{TWO}\n]\n",
        f"[{ONE},{TWO}]",
        json.dumps(ROWS, indent=2),
        json.dumps(ROWS, indent="\t").replace("]", ",]").replace('"\n\t}', '",\n\t}'),
        json.dumps({"version": 1, "source": {"name": "x"}, "memories": ROWS}, indent=2),
        json.dumps({"data": {"memories": ROWS}}),
        json.dumps({"one": ROWS[0], "two": ROWS[1]}, indent=1),
        "\n".join(json.dumps(row, indent=2) for row in ROWS),
        f"// our rules\n[ /* first */ {ONE}, # second\n# third\n{TWO} ]",
        f"# exported\n{ONE}\n// half\n{TWO}\n",
    ],
)
def test_every_shape_holds_the_same_rows(text: str) -> None:
    assert _read(text) == ROWS


def test_rows_know_their_lines() -> None:
    rows = list(rows_of(json.dumps(ROWS, indent=2), NAMES))
    assert [row.span for row in rows] == [(2, 4), (5, 11)]


@pytest.mark.parametrize(
    ("text", "spans", "problem"),
    [
        (f'{ONE}\n{{"insight": "half\n{TWO}\n', [(2, 2)], "Unterminated string"),
        (f"{ONE}\n17\n{TWO}", [(2, 2)], "not a JSON object"),
        (
            f'[\n {{\n  "insight": "half"\n  "kind": "note"\n }},\n {ONE},\n {TWO}\n]',
            [(2, 5)],
            "Expecting ',' delimiter",
        ),
        (f'[\n {{\n  "insight": "never closed",\n {ONE},\n {TWO}\n]', [(2, 3)], "never closed"),
        (f"[\n {ONE},\n nonsense\n {TWO}\n]", [(3, 3)], "invalid JSON"),
    ],
)
def test_one_bad_row_costs_one_row(text: str, spans: list[tuple[int, int]], problem: str) -> None:
    rows = list(rows_of(text, NAMES))
    assert [row.value for row in rows if row.value is not None] == ROWS
    bad = [row for row in rows if row.value is None]
    assert [row.span for row in bad] == spans
    assert problem in bad[0].problem


def test_a_line_end_within_a_text_is_forgiven() -> None:
    assert _read('[{"insight": "two\nlines"}]') == [{"insight": "two\nlines"}]


@given(st.text(alphabet='{}[]",: \n\\/*#a1', max_size=80))
def test_no_text_stops_the_reader(text: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= row.span[0] <= row.span[1] <= lines for row in rows_of(text, NAMES))


VALUES = st.text(max_size=9) | st.integers() | st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3)))


@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=4), st.sampled_from([None, 0, 3]))
def test_an_array_of_any_rows_comes_back_as_it_was(others: list[dict[str, object]], indent: int | None) -> None:
    rows = [{**other, "insight": "x"} for other in others]
    assert _read(json.dumps(rows, indent=indent)) == rows


@pytest.mark.parametrize(
    "text",
    ["{" * 50_000, "{\n" * 20_000, '["' * 50_000, "[" * 100_000 + '{"insight": "x"}'],
    ids=["objects", "lines", "texts", "lists"],
)
def test_hostile_nesting_is_read_quickly(text: str) -> None:
    assert len(list(rows_of(text, NAMES))) <= 51
