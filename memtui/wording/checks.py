"""What a check of changes or of files found, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memtui.domain.memory import Anchor, Signal
from memtui.text.sanitize import one_line
from memtui.text.words import counted
from memtui.tree import is_outside

HOW_TO_ALLOW = "in the line or the commit message allows it"


def place(file: str, line: int | None) -> str:
    """Return where something is, as editors and terminals make a link of it."""
    return file if line is None else f"{file}:{line}"


def anchor_state(anchor: Anchor, state: str | None) -> str:
    """Return how the file of a memory stands; of one that cannot be checked, why.

    What a source names may lie anywhere: Tidy and Health count only what is known to have been here.
    """
    if state != "unverifiable":
        return state or "unchecked"
    if is_outside(anchor.path):
        return "outside the project"
    if anchor.is_glob:
        return "no file matches, and none is known to have"
    return "no such file here, and none is known to have been"


def finding_lines(
    *, severity: str, file: str, line: int | None, memory: str, rule: str, why: str, text: str, allow: str
) -> Iterator[str]:
    """Yield the lines about one finding."""
    yield f"{severity:<8} {place(file, line)}  {why}"
    said = f"{memory}: {rule}" if rule else f"{memory}: a reminder, as its files change"
    yield f"         {said}" + (f"  ({text})" if text else "")
    if allow:
        yield f"         `{allow}` {HOW_TO_ALLOW}"


def message(*, memory: str, rule: str, why: str, text: str, allow: str) -> str:
    """Return one finding as a sentence, for annotations."""
    parts = [f"{why.rstrip('.')}.", f"Rule of {memory}: {rule}." if rule else f"A reminder of {memory}."]
    parts += [f"Found: {text}"] if text else []
    parts += [f"`{allow}` {HOW_TO_ALLOW}."] if allow else []
    return " ".join(parts)


def summary(numbers: Mapping[str, int], files: int) -> str:
    """Return the line that ends a check: how many findings there are of each severity, and how many exceptions."""
    found = [counted(number, name) for name, number in numbers.items() if number]
    return f"{', '.join(found) or 'nothing found'} in {counted(files, 'changed file')}"


def nothing_changed(*, since: str | None, files: Sequence[str]) -> str:
    """Return that a check had no change to look at. `since`, `files`: what was to be checked, else the next commit."""
    if since is not None:
        return f"nothing was checked: nothing changed {'in' if '..' in since else 'since'} {one_line(since)[:80]}"
    if files:
        return "nothing was checked: these files match the last commit"
    return "nothing was checked: nothing is staged; `git add` stages files, `memtui check FILE` checks an unstaged one"


MOST_COMMITS = 5  # Commits that a trial names


def trial(commits: int, stopped: Sequence[tuple[str, str]]) -> str:
    """Return which of the last commits rules would have stopped; `stopped`: their ids and subjects."""
    last = f"of the last {counted(commits, 'commit')}"
    if not stopped:
        return f"would have stopped none {last}"
    named = [f"{commit[:9]} {subject[:60]}" for commit, subject in stopped[:MOST_COMMITS]]
    named += [f"and {len(stopped) - MOST_COMMITS} more"] if len(stopped) > MOST_COMMITS else []
    which = "this one" if len(stopped) == 1 else f"these {len(stopped)}"
    return f"would have stopped {which} {last}: {'; '.join(named)}"


ALLOWED = "allowed"  # The signal of an exception that somebody made


def at_commit(signal: Signal) -> str:
    """Return what became of a commit that broke a rule: stopped, or allowed with a reason."""
    return f"{signal.at:%Y-%m-%d} {signal.signal} {signal.reason}".rstrip()


def suggested(rule: str) -> str:
    """Return that a constraint's words suggest a rule."""
    return f"its wording suggests {rule}"


def planted(memory: str) -> str:
    """Return what is told in place of words that look planted."""
    return f"It looks planted and nobody has verified it: `memtui show {memory}`"


def unchecked(memory: str, rule: str, reason: str) -> str:
    """Return why a rule was not checked."""
    return f"not checked: {rule} of {memory} ({reason})"


def command_refused(memory: str, rule: str, why: str) -> str:
    """Return why an assistant must not run a command, for the assistant."""
    return f"{why.rstrip('.')}. The constraint {memory} forbids this command ({rule}). Ask the person if it is needed."
