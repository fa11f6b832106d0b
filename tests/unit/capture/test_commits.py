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
from memtui.wording.capture import SIGNALS

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
    assert list(paragraphs(text)) == ["Why:", "first item. It has more.", "second", "This. Then e.g. that."]
    assert sentences("It hangs (closes #3). Use `x`. Then e.g. Y.") == ["It hangs", "Use `x`.", "Then e.g. Y."]


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
    with pytest.raises(UsageError, match="no commits"):
        read_commits(tmp_path)
