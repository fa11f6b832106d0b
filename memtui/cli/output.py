"""Output: data on stdout, messages on stderr, both UTF-8; and what packs differ in."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memtui.errors import OutputClosedError, OutputFailedError, UsageError
from memtui.text.sanitize import reveal
from memtui.text.words import cell_width, clip, counted, pad

if TYPE_CHECKING:
    from memtui.pack.recipes import PackDiff
    from memtui.progress import ProgressCallback
    from memtui.recall.result import Hit


_HELD: list[object] = []  # Keeps the number of a closed descriptor taken as long as the process runs


class ClosedOutput(io.TextIOBase):
    """Stands for a closed standard output: writing data to it is an error."""

    def writable(self) -> bool:
        """Return True: a text can be handed over, if not written."""
        return True

    def write(self, text: str) -> int:
        """Accept only the empty text. Raises `OutputClosedError`: there is something to write."""
        if text:
            raise OutputClosedError
        return 0


def use_utf8() -> None:
    """Make the standard streams speak UTF-8 whatever the locale says, and stdout carry the very bytes written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # A closed descriptor is not an error. Its number stays taken, or the next file that is opened, the vault
            # itself, would become the standard stream.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open as long as the process
            if name == "stdout":
                _HELD.append(sys.stdout)
                sys.stdout = ClosedOutput()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n" if stream is sys.stdout else None)


def has_terminal() -> bool:
    """Return whether there is a terminal that can show the app: one that moves its cursor."""
    dumb = os.environ.get("TERM", "") in {"dumb", "unknown"}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb


NARROWEST_LAST_COLUMN = 12
_SHELLS_OF_ASSISTANTS = ("CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CURSOR_AGENT", "GEMINI_CLI")
"""Variables that assistants set for the commands they run, a few of them at a terminal of their own."""


def is_typed() -> bool:
    """Return whether a person is at the keyboard: there is a terminal to type at, and no assistant runs the command."""
    return sys.stdin.isatty() and not any(map(os.environ.get, _SHELLS_OF_ASSISTANTS))


WIDEST_COLUMN = 60  # A longer cell is shown whole, but does not widen the column


def read_input() -> str:
    """Return all of standard input as text with LF line ends. Raises `UsageError`: its encoding cannot be told."""
    from memtui.text.sanitize import decode

    decoded = decode(sys.stdin.buffer.read())
    if decoded.replaced:
        raise UsageError(
            f"The input is not UTF-8: {counted(decoded.replaced, 'byte')} cannot be read",
            where="standard input",
            remedy="Convert it first, e.g. with `iconv -f ENCODING -t UTF-8`.",
        )
    if decoded.encoding != "utf-8":
        say(f"The input is not UTF-8, read as {decoded.encoding}")
    return decoded.text


def say(message: str) -> None:
    """Print a message for people on stderr, hidden characters written out."""
    print(reveal(message), file=sys.stderr)


@contextmanager
def _output_errors() -> Iterator[None]:
    """Turn a failure of stdout into memtui's own; a reader that left stays a BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailedError(error.strerror or str(error)) from error


def write(text: str) -> None:
    """Write data to stdout as it is, without a newline.

    Raises:
        OutputFailedError: stdout takes no more.
        OutputClosedError: stdout is closed.
        BrokenPipeError: the reader has gone.
    """
    with _output_errors():
        sys.stdout.write(text)


def flush() -> None:
    """Flush stdout; raises as `write` does."""
    with _output_errors():
        sys.stdout.flush()


def write_line(text: str) -> None:
    """Write one line of data to stdout."""
    write(text + "\n")


def write_json(value: Any) -> None:
    """Write JSON to stdout, CJK as it is."""
    write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_table(rows: Iterable[Sequence[str]], *, headings: Sequence[str] = ()) -> None:
    """Write columns to stdout, hidden characters written out; on a terminal the last one is clipped to its width."""
    shown = [[reveal(cell) for cell in row] for row in ([headings, *rows] if headings else rows)]
    if not shown:
        return
    widths = [min(WIDEST_COLUMN, max(cell_width(row[at]) for row in shown)) for at in range(len(shown[0]) - 1)]
    room = _room(sum(widths) + 2 * len(widths))
    for row in shown:
        cells = [cell if cell_width(cell) > width else pad(cell, width) for cell, width in zip(row, widths)]  # noqa: B905 - the last cell has no width
        last = clip(row[-1], room) if room else row[-1]
        write_line("  ".join([*cells, last]).rstrip())


def _room(used: int) -> int:
    """Return the cells left for the last column on a terminal, 0 for no limit."""
    if not sys.stdout.isatty():
        return 0
    from shutil import get_terminal_size

    return max(NARROWEST_LAST_COLUMN, get_terminal_size().columns - used)


def write_explanation(hit: Hit) -> None:
    """Write the reason for every point of a score, indented."""
    from memtui.wording.reasons import explanation

    write_table([["   ", name, value, detail] for name, detail, value in explanation(hit)])


def progress(what: str) -> ProgressCallback | None:
    """Return a callback that shows progress on a terminal and clears it at the end; None elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\r" if done < total else "\r\x1b[K"
        print(f"{what}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def diff_record(diff: PackDiff) -> dict[str, object]:
    """Return what has changed since an earlier pack, for `--json`."""
    return {
        "previous": diff.previous.id,
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": list(diff.changed),
    }


def say_diff(diff: PackDiff | None, titles: Mapping[str, str]) -> None:
    """Say on stderr which memories were added, removed or changed since an earlier pack, if there is one."""
    if diff is None:
        say("No earlier pack for this task.")
        return
    same = " the same memories" if diff.is_empty else ""
    say(f"Compared with pack {diff.previous.id} of {diff.previous.made_at:%Y-%m-%d}:{same}")
    for mark, identifiers in (("+", diff.added), ("-", diff.removed), ("~", diff.changed)):
        for identifier in identifiers:
            say(f"  {mark} {identifier}  {titles.get(identifier, '')}".rstrip())
