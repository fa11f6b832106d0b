"""Noting an evaluation question in a file of a person's."""

from __future__ import annotations

from pathlib import Path

from memtui.errors import SourceError, UsageError
from memtui.publish.files import write_atomically
from memtui.recall.questions import Question, with_question


def add_question(question: Question, named: str, *, folder: Path) -> Path:
    """Append a question to a file, which is made where there is none, and return where.

    Args:
        question: what was asked, and what should come.
        named: a path as typed, `~` included.
        folder: what a relative path is relative to.

    Raises:
        UsageError: there is nothing to note, or no file can have that name.
        SourceError: the file holds something else, or cannot be read; it is left as it is.
        MemtuiError: the system refuses; nothing was written.
    """
    if not question.query.strip() and not question.files:
        raise UsageError("A question needs a task or files", where="the question", remedy="Type the task first.")
    if not named.strip() or not named.isprintable():
        raise UsageError("A file's name is needed", where=repr(named[:80]))
    try:
        path = folder / Path(named.strip()).expanduser()
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise SourceError(f"The file cannot be read ({error})", where=named[:80]) from error
    except ValueError as error:
        raise UsageError("No file can have this name", where=repr(named[:80])) from error
    write_atomically(path, with_question(before, question, path.name).encode("utf-8", "replace"))
    return path
