"""Commits: what their messages say of why is proposed, what they say of what was done is not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from checking import Repo

from memtui.capture.commits.lesson import lesson_of, lessons_of
from memtui.capture.commits.read import Commit, read_commits, reverted_by, split_trailers
from memtui.capture.commits.sentences import paragraphs, sentences
from memtui.capture.lessons.proposal import LONGEST_QUOTE, LessonSignal
from memtui.errors import UsageError
from memtui.wording.imports import SIGNALS

AT = datetime(2026, 3, 1, tzinfo=UTC)

CAUSE = "Tides are cached by harbour alone, so that two gauges of one must share a key and `read_tide` fails."


def commit(subject: str, body: str = "", **values: object) -> Commit:
    text, trailers = split_trailers(body)
    fields: dict[str, object] = {
        "id": "a" * 40,
        "author": "Ada",
        "email": "ada@example.org",
        "at": AT,
        "subject": subject,
        "body": text,
        "trailers": tuple(trailers),
        "files": ("src/tide.py",),
    }
    return Commit(**{**fields, **values})  # type: ignore[arg-type] # by name, as a test wants them


@pytest.mark.parametrize(
    ("subject", "body", "sort", "kind"),
    [
        ("Fix wrong tides", f"{CAUSE}\n\nFixes #12", "fix", "bug-pattern"),
        ("Add a cache", "Decision: keep tides in memory, a file would outlive the process", "trailer", "decision"),
        ("Tidy up", "Lesson: the gauge needs ten seconds after a reset", "trailer", "lesson"),
        ("Tidy up", "Constraint: never call the gauge from two threads", "trailer", "constraint"),
        (
            'Revert "Read gauges in parallel"',
            "This reverts commit 1234567.\n\nThe gauges share one bus, which means parallel reads corrupt `frame_id`.",
            "revert",
            "lesson",
        ),
        (
            "feat!: tides in metres",
            "BREAKING CHANGE: `tide()` returns metres; callers that multiplied by 0.3048 must stop doing so.",
            "breaking",
            "decision",
        ),
        (
            "Guard the bus",
            "Never open `gauge_bus` twice on Linux, because the driver does not lock it and frames get lost.",
            "fix",
            "bug-pattern",
        ),
        (
            "Use a queue",
            "We chose a queue instead of a lock because `read_tide()` runs in signal handlers, which must not block.",
            "decision",
            "decision",
        ),
    ],
)
def test_what_says_why_is_proposed(subject: str, body: str, sort: str, kind: str) -> None:
    found = lesson_of(commit(subject, body))
    assert found is not None
    assert (found.sort, found.kind) == (sort, kind)
    assert found.files == ("src/tide.py",)
    assert found.quote == found.insight
    assert "Fixes #" not in found.quote
    assert "reverts commit" not in found.quote


@pytest.mark.parametrize(
    ("subject", "body", "values"),
    [
        ("Add the tide table", "Adds a table of tides and a test for it. Also renames `tide` to `Tide`.", {}),
        ("Bump tides to 2.1", CAUSE, {}),
        ("fix typo", CAUSE, {}),
        ("docs: explain tides", CAUSE, {}),
        ("Format with black", CAUSE, {}),
        ("Fix tides", CAUSE, {"author": "dependabot[bot]"}),
        ("Fix tides", CAUSE, {"files": ("README.md", "docs/tides.rst")}),
        ("Merge branch 'main' into work", "", {"is_merge": True}),
        # Upkeep of releases, and the quiet of a tool
        ("Fix tides", "This must be backported as far as 2.6 because it impacts both gauges and their frames.", {}),
        (
            "Fix tides",
            "Must be backported up to 3.1, since `tide_name` is global there and Linux never frees it.",
            {},
        ),
        ("Silence a warning", "Linux never sets `tide_size` before a read, so gcc must not be believed here.", {}),
        # What is cut
        ("Fix tides", "The bus must be closed because on Linux the driver fails with an error like\n\n    EBUSY", {}),
        # Causes of faults that are gone
        (
            "Fix wrong tides",
            "The cache was keyed by harbour alone, which led to `read_tide` returning the wrong gauge.",
            {},
        ),
        (
            "Fix a crash",
            "When the gauge is closed twice, `close_gauge()` frees the buffer again, which causes a crash.",
            {},
        ),
        ("Fix tides", "Co-authored-by: Bo <bo@example.org>\nSigned-off-by: Ada <ada@example.org>", {}),
        ("Fix tides", "I noticed that this crashed because of the cache, I think. Thanks to Bo for the report!", {}),
        ("Fix tides", "```\nError: it failed because the bus must not be read twice, never do so\n```", {}),
        ("Fix tides", "", {}),
        ('Revert "Read gauges in parallel"', "This reverts commit 1234567890abcdef1234567890abcdef12345678.", {}),
    ],
)
def test_what_says_only_what_was_done_is_not(subject: str, body: str, values: dict[str, object]) -> None:
    assert lesson_of(commit(subject, body, **values)) is None


def test_what_two_commits_say_of_two_versions_is_proposed_once() -> None:
    said = "On Linux {} the header of the gauge and its parser must be updated together, because `gauge_req` grows."
    commits = [
        commit(f"Update headers to {version}", said.format(version), id=version[0] * 40) for version in ("6.18", "7.02")
    ]
    assert [one.commit.subject for one in lessons_of(commits)] == ["Update headers to 6.18"]


def test_a_note_speaks_for_its_commit() -> None:
    notes = "This turned out to be wrong on Linux: the bus must be closed before a fork, otherwise reads hang."
    found = lesson_of(commit("Add the bus", notes=notes))
    assert found is not None
    assert (found.sort, found.insight) == ("note", notes)


def test_a_merge_speaks_for_what_no_commit_of_it_says() -> None:
    one = commit("Fix wrong tides", CAUSE, id="1" * 40)
    same = commit("Merge pull request #7 from ada/tides", f"Fix wrong tides\n\n{CAUSE}", id="2" * 40, is_merge=True)
    assert [lesson.commit.id for lesson in lessons_of([same, one])] == ["1" * 40]
    assert [lesson.title for lesson in lessons_of([same])] == ["Fix wrong tides"]


def test_a_wide_commit_is_tied_to_no_file() -> None:
    found = lesson_of(commit("Fix wrong tides", CAUSE, files=tuple(f"src/{number}.py" for number in range(9))))
    assert found is not None
    assert found.files == ()


def test_a_hostile_message_is_read_in_time_and_cut() -> None:
    body = "Never " + "because the bus must not fail, " * 5_000 + "\x1b[31m[/x]"
    found = lesson_of(commit("Fix the bus", body))
    assert found is None or len(found.quote) <= LONGEST_QUOTE


def test_prose_is_told_from_lists_logs_and_references() -> None:
    text = "Why:\n\n- first item. It has more.\n- second\n\n    code = 1\n\n$ make\n\nSee #12\n\nThis. Then e.g. that."
    assert list(paragraphs(text)) == ["first item. It has more.", "second:", "This. Then e.g. that."]
    assert sentences("It hangs (closes #3). Use `x`. Then e.g. Y.") == ["It hangs", "Use `x`.", "Then e.g. Y."]


def test_labels_of_sections_are_left_out_and_what_came_of_a_change_with_them() -> None:
    text = "Motivation:\n\nThe bus hangs.\n\nModifications: close it\nafter use\n\nResult:\n\nNo more hangs."
    assert list(paragraphs(text)) == ["The bus hangs.", "close it after use"]


def test_an_item_goes_on_where_its_lines_are_indented_and_breaks_off_before_code() -> None:
    text = "  - the bus is\n    read twice.\n\nIt may cause an error like\n```\nEBUSY\n```\nand go on"
    assert list(paragraphs(text)) == ["the bus is read twice.", "It may cause an error like:", "and go on"]


def test_the_mark_of_a_footnote_goes_where_it_stands_for_no_word() -> None:
    assert sentences("The delay is based on [1] which says so. It lasts [2].") == [
        "The delay is based on [1] which says so.",
        "It lasts.",
    ]


@pytest.mark.parametrize(
    ("subject", "body", "title"),
    [
        (
            "gauge: hardcode 24",
            "Not every driver provides GAUGE_TIMEOUT, so just write 24 instead.",
            "Not every driver provides GAUGE_TIMEOUT",
        ),
        (
            "Read the tide table again",
            "Python provides no way to reset the parser of a header. Since it comes twice, this makes it impossible.",
            "Python provides no way to reset the parser of a header",
        ),
        (
            "Catch `OSError`",
            "Since `tides.TideError` does not cover such a case, as it is no tide, we need to catch that too.",
            "Catch `OSError`",
        ),
        (
            "Compare paths of gauges in lower case",
            "Windows file systems do not tell upper from lower case, so neither do we.",
            "Windows file systems do not tell upper from lower case",
        ),
        (
            "Close the frame",
            "We need to close the frame before the bus as otherwise the driver may keep its lock for ever.",
            "We need to close the frame before the bus",
        ),
    ],
)
def test_what_the_world_does_not_do_is_proposed_under_its_own_words(subject: str, body: str, title: str) -> None:
    found = lesson_of(commit(subject, body))
    assert found is not None
    assert (found.title, found.insight) == (title, body)


def test_a_sentence_that_points_back_is_proposed_with_the_one_before() -> None:
    before = "Linux hands a gauge to one process alone."
    after = "This means that a fork must not read `gauge_bus`, because the driver does not lock it."
    found = lesson_of(commit("Guard the bus", f"{before}\n\n{after}"))
    assert found is not None
    assert found.insight == f"{before} {after}"
    assert lesson_of(commit("Guard the bus", f"See #12 for the trace.\n\n{after}")) is None


def test_trailers_stand_at_the_end_and_words_with_a_colon_are_text() -> None:
    body = "Problem: the bus hangs\nSolution: close it\n\nDecision: close\n  it twice\nFixes #4\nReviewed-by: Bo"
    text, trailers = split_trailers(body)
    assert text == "Problem: the bus hangs\nSolution: close it"
    assert trailers == [("decision", "close it twice"), ("fixes", "#4"), ("reviewed-by", "Bo")]


def test_every_signal_of_a_commit_has_a_name() -> None:
    assert {signal.value for signal in LessonSignal} <= SIGNALS.keys()


def test_commits_are_read_with_files_notes_and_what_they_take_back(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "lagoon")
    first = repo.commit("one\n\nbody \x02 with control\n\nLesson: a b c", **{"a b.py": "1\n", "ü.py": "1\n"})
    repo.git("notes", "add", "-m", "a note", first)
    repo.git("revert", "--no-edit", first)
    (back, one) = read_commits(repo.folder)
    assert set(one.files) == {"a b.py", "ü.py"}
    assert (one.notes, one.trailers) == ("a note", (("lesson", "a b c"),))
    assert reverted_by([back, one]) == {first: back}
    again = commit("Revert again", id="f" * 40, reverts=(back.id[:12],))
    assert reverted_by([again, back, one]) == {}
    assert read_commits(repo.folder, since=datetime(2030, 1, 1, tzinfo=UTC)) == []
    with pytest.raises(UsageError, match="No commits"):
        read_commits(tmp_path)


def test_of_a_long_message_only_what_binds_is_taken() -> None:
    limit = "Linux does not lock the bus of a gauge, so two readers share one frame."
    rule = "The frame must be copied before the next read because the driver reuses its buffer."
    story = "The reader walks the frames and hands each to the table. " * 40
    assert lesson_of(commit("Guard the bus", limit)) is not None
    assert lesson_of(commit("Guard the bus", f"{story}\n\n{limit}")) is None
    found = lesson_of(commit("Guard the bus", f"{story}\n\n{limit}\n\n{rule}"))
    assert found is not None
    assert found.insight == rule


def test_what_a_standard_requires_is_proposed() -> None:
    said = "RFC 9999 requires a gauge to close the bus after a malformed frame."
    found = lesson_of(commit("Close the bus after a malformed frame", said))
    assert found is not None
    assert found.insight == said


def test_line_ends_that_a_program_wrote_out_are_line_ends(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "lagoon")
    repo.commit(r"one" + "\n\n" + r"The bus hangs.\n\nLesson: close it twice", a_dot_py="1\n")
    (one,) = read_commits(repo.folder)
    assert (one.body, one.trailers) == ("The bus hangs.", (("lesson", "close it twice"),))
