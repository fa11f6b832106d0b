"""What rows of one section are called in lists: their heading once, then a dot."""

from __future__ import annotations

from memtui.domain.memory import Source
from memtui.tui.widgets.headed_titles import Titled, said_once, title_at


def titled(title: str, *headings: str, file: str = "QUAY.md", slot: int = 1) -> Titled:
    source = Source(format="claude-md", path=file, native_id=f"{' > '.join(headings)}#{slot}")
    return Titled.of(title, [source])


def test_rows_of_one_section_name_its_heading_once_however_their_titles_begin() -> None:
    doc = ("QUAY.md", "Tides", "2. Mooring rules:")
    rows = [
        titled("Mooring: Two ropes at the bow", *doc),
        titled("Tides: Mooring rules: Three at the stern", *doc),
        titled("Slack ropes are wet", *doc),
        titled("Mooring rules: Chafe: leather", *doc),
    ]
    assert list(said_once(rows)) == [
        "Mooring: Two ropes at the bow",
        "· Three at the stern",
        "· Slack ropes are wet",
        "· Chafe: leather",
    ]


def test_the_first_of_several_names_the_heading_that_its_title_does_not_say() -> None:
    rows = [titled("Paint in May", "QUAY.md", "3. Hulls"), titled("Hulls: Scrape in June", "QUAY.md", "3. Hulls")]
    assert list(said_once(rows)) == ["Hulls: Paint in May", "· Scrape in June"]
    assert list(said_once(rows[:1])) == ["Paint in May"], "alone it is called by its title"
    said = [titled("Every hull is red", "QUAY.md", "Hulls"), titled("Scrape in June", "QUAY.md", "Hulls")]
    assert list(said_once(said)) == ["Every hull is red", "· Scrape in June"]
    whole = [titled("Paint in May", "Quay rules"), titled("Scrape in June", "Quay rules")]
    assert list(said_once(whole)) == ["Paint in May", "Scrape in June"], "the heading of a whole document says little"
    section = Titled.within("", "QUAY.md", "Quay rules")
    assert list(said_once([section, *whole])) == ["", "· Paint in May", "· Scrape in June"]
    long = " ".join(["Hulls"] * 12)
    assert (
        next(said_once([titled("Paint in May", "QUAY.md", long), titled("Scrape in June", "QUAY.md", long)]))
        == "Paint in May"
    )


def test_sections_below_one_heading_have_a_dot_for_it() -> None:
    rows = [
        titled("Crane: Lift slowly", "QUAY.md", "Crane"),
        titled("Crane: Hook: oil it", "QUAY.md", "Crane", "Hook"),
        titled("Hook: hang it up", "QUAY.md", "Crane", "Hook"),
        titled("Chains rust in rain", "QUAY.md", "Crane", "Chain"),
        titled("Lamps are lit at six", "QUAY.md", "Lamps"),
    ]
    assert list(said_once(rows)) == [
        "Crane: Lift slowly",
        "· Hook: oil it",
        "· hang it up",
        "· Chains rust in rain",
        "Lamps are lit at six",
    ]


def test_a_row_that_is_no_memory_or_of_another_file_ends_a_section() -> None:
    rows = [
        titled("Crane: Lift slowly", "Crane"),
        None,
        titled("Crane: Oil it", "Crane", slot=2),
        titled("Crane: Oil it", "Crane", file="DOCK.md"),
        Titled("Typed here"),
        Titled.of("Typed: twice", [Source(format="adr", path="docs/0001.md", native_id="0001")]),
        Titled("Typed: three times"),
    ]
    told = ["Crane: Lift slowly", "", "Crane: Oil it", "· Oil it", "Typed here", "Typed: twice", "· three times"]
    assert list(said_once(rows)) == told
    assert [title_at(rows.__getitem__, place, 0, len(rows)) for place in range(len(rows))] == told
    assert title_at(rows.__getitem__, 3, 3, len(rows)) == "Crane: Oil it", "the first row in sight says its heading"
