"""A question is appended to a person's file, and nothing else in it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.errors import SourceError, UsageError
from memtui.publish.files import add_question
from memtui.recall.evaluation import Question, read_questions

ASKED = Question("refund fails", ("m0000001",), ("pay/lock.py",))


def test_a_question_is_appended(tmp_path: Path) -> None:
    path = add_question(ASKED, "mine.jsonl", folder=tmp_path)
    before = path.read_text(encoding="utf-8")
    add_question(Question("sail", ()), str(path), folder=Path("/nowhere"))
    assert path.read_text(encoding="utf-8").startswith(before)
    assert [one.query for one in read_questions(path.read_text(encoding="utf-8"), "mine")] == ["refund fails", "sail"]


@pytest.mark.parametrize("content", [b"mine\n", b"\xff\xfe\x00"])
def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine").write_bytes(content)
    with pytest.raises(SourceError):
        add_question(ASKED, "mine", folder=tmp_path)
    assert (tmp_path / "mine").read_bytes() == content


@pytest.mark.parametrize("named", ["", "  ", "a\nb", "nul\0"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, named: str) -> None:
    with pytest.raises(UsageError):
        add_question(ASKED, named, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_asked_is_nothing_to_note(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        add_question(Question(" ", ("m0000001",)), "mine", folder=tmp_path)
