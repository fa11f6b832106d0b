"""What a task and a memory are about, in several languages, by places and by the language of code."""

from __future__ import annotations

import pytest

from memtui.pack.topics import (
    HALF_SURE,
    SURE,
    Subject,
    asked_of,
    languages_of_files,
    languages_of_words,
    topics,
    topics_of_path,
)
from memtui.text.tokens import query_terms


def asked(text: str) -> dict[str, float]:
    return asked_of(query_terms(text), text)


@pytest.mark.parametrize(
    ("task", "topic"),
    [
        ("the till cannot be tapped on my phone", "phone"),
        ("den Kassenfehler beheben", "bug"),
        ("レジの画面にボタンを追加", "ui"),
        ("给收银台补单测", "test"),
        ("bump pyyaml", "deps"),
    ],
)
def test_a_task_says_in_its_own_words_what_it_is_about(task: str, topic: str) -> None:
    assert topic in asked(task)


def test_a_word_that_speaks_of_a_topic_in_tasks_alone_is_half_as_sure() -> None:
    said = asked("the database takes garbage")
    assert (said["db"], said["validation"]) == (SURE, HALF_SURE)
    assert "validation" not in Subject.of("Garbage goes out on Mondays", "Both bins.", "", ()).about


def test_a_memory_is_about_what_its_title_its_file_and_its_places_say() -> None:
    subject = Subject.of("Name each after its kiln", "One each.", "rules/testing.md", ("src/**/*.tsx",))
    assert "test" in subject.named
    assert subject.placed == {"ui"}
    assert {"test", "ui"} <= subject.about.keys()
    assert sum(subject.about.values()) == pytest.approx(1.0)


def test_a_file_of_rules_is_not_about_rules_by_its_name() -> None:
    assert not Subject.of("Dip twice", "Dip the glaze twice.", "CLAUDE.md", ()).about


def test_places_and_endings_say_what_is_worked_on() -> None:
    assert topics_of_path("shop/till.test.ts") == {"test"}
    assert topics_of_path("db/migrations/0003_till.sql") == {"db"}
    assert languages_of_files(["shop/till.py", "web/till.tsx"]) == {"python", "ts"}
    assert languages_of_words(query_terms("run cargo clippy")) == {"rust"}


def test_what_a_topic_brings_is_a_topic() -> None:
    assert {name for topic in topics().values() for name in topic.brings} <= topics().keys()
