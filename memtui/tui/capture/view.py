"""The Capture screen's reads, rows and texts, and the capture that goes on in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App
from textual.worker import get_current_worker

from memtui.errors import MemtuiError
from memtui.progress import Cancelled, ProgressCallback
from memtui.text.sanitize import in_lines, reveal, tame
from memtui.text.words import counted
from memtui.tui.inbox.candidates import ODD
from memtui.tui.inbox.view import CandidateRead, candidate_blocks
from memtui.tui.memory_view import ago, days_between
from memtui.tui.styled_text import Block
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.memory_list import KIND_CELLS, short_kind
from memtui.tui.widgets.row_list import TextRow
from memtui.wording import imports as wording

if TYPE_CHECKING:
    from memtui.capture.proposals.run import CaptureRequest
    from memtui.vault.proposals import Acceptance, ProposalOutcome, StoredProposal


FIRST_SHOWN = 5
"""Proposals of a session that are shown before it is unfolded."""

_SIGNAL_CELLS = 20
_MOST_REPLACED_CELLS = 26
_TEXT = 2_000
_TURNS_AROUND = 20  # Shown before and after the place of a proposal

SessionKey = tuple[str, str]
"""The assistant and the id of a session."""


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal in the list."""

    told: ProposalOutcome
    replaces: str = ""  # the title of what is in use and it would replace

    @property
    def id(self) -> str:
        return self.told.proposal.memory_id


@dataclass(frozen=True, slots=True)
class MoreRow:
    """Stands for the proposals of a session that are folded."""

    session: SessionKey
    number: int

    @property
    def id(self) -> str:
        return f"more {self.session}"


@dataclass(frozen=True, slots=True)
class CaptureRead:
    """What waits, and how often each signal was right."""

    waiting: tuple[ProposalOutcome, ...] = ()
    acceptance: Mapping[str, Acceptance] | None = None
    replaces: Mapping[str, str] = field(default_factory=dict)
    """Titles of what is in use and proposals would replace, by the id of the proposal."""


@dataclass(frozen=True, slots=True)
class Unread:
    """What no capture has read yet."""

    files: int
    size: int
    there: int  # files of sessions on this machine, those that were read among them

    @property
    def words(self) -> str:
        if not self.there:
            return "no sessions found"
        if not self.files:
            return "every session is read"
        return f"{counted(self.files, 'file')} to read, {max(1, self.size // 1_000_000):,} MB"


class CaptureAccess:
    """Reads proposals and starts captures."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access

    def read(self) -> CaptureRead:
        """Return what waits: of the named project, else of all, those of the project in view first."""
        from memtui.curate.lifecycle import would_replace
        from memtui.vault.proposals import acceptance, proposal_outcomes

        named = self._access.opening.project
        with self._access.read_vault.read() as reader:
            told = proposal_outcomes(reader, projects=None if named is None else [named])
            here = self._access.view_of(reader).project
            rates = {one.signal: one for one in acceptance(reader)}
            waiting = [one for one in told if one.status == "candidate"]
            memories = reader.get_many(one.proposal.memory_id for one in waiting)
            replaced = {key: tame(old[0].title) for key, old in would_replace(reader, memories.values()).items()}
        return CaptureRead(tuple(sorted(waiting, key=lambda one: one.project != here)), rates, replaced)

    def unread(self) -> Unread:
        """Return how much there is that no capture has read."""
        from memtui.assist.spool import with_noted
        from memtui.capture.proposals.run import found_and_to_read

        vault = self._access.vault
        there, pending = found_and_to_read(vault, with_noted(vault, self._request()))
        return Unread(len(pending), sum(one.size for one in pending), len(there))

    def run(self, progress: ProgressCallback) -> Done:
        """Read what is new and propose what it teaches."""
        from memtui.assist.spool import capture_noted

        opening = self._access.opening
        opening.before_change()
        report = capture_noted(self._access.vault, self._request(), actor=opening.actor, progress=progress)
        lines = [wording.read_line(report), wording.found_line(report.plan, dry_run=False)]
        lines += wording.left_out_lines(report)
        lines += [f"{Path(one.path).name} skipped: {one.reason}" for one in report.skipped]
        return Done(" ".join(lines), changed=bool(report.plan.new))

    def _request(self) -> CaptureRequest:
        from memtui.capture.proposals.run import CaptureRequest

        opening = self._access.opening
        return CaptureRequest(
            home=Path.home(),
            folder=opening.folder,
            project=opening.project,
            secret_patterns=opening.secret_patterns,
            keep_days=opening.inbox.days,
        )


def session_lines(
    read: CaptureRead, unfolded: frozenset[SessionKey], *, unfold_all: bool = False
) -> list[ProposalRow | MoreRow | TextRow]:
    """Return the proposals by session, the best of each first, the rest folded."""
    sessions: dict[SessionKey, list[ProposalOutcome]] = {}
    for told in read.waiting:
        sessions.setdefault((told.proposal.assistant, told.proposal.session), []).append(told)
    lines = partial(_lines_of, replaces=read.replaces)
    return [
        line for key, found in sessions.items() for line in lines(key, found, is_open=unfold_all or key in unfolded)
    ]


def _lines_of(
    key: SessionKey, found: Sequence[ProposalOutcome], replaces: Mapping[str, str], *, is_open: bool
) -> Iterator[ProposalRow | MoreRow | TextRow]:
    best = sorted(found, key=lambda one: -one.proposal.score)
    first = best[0]
    task = tame(first.proposal.task, 200) or "a session without a task"
    yield TextRow(f"{tame(first.project or 'unassigned', 40)} · {task}", note=tame(key[0], 18))
    for told in best if is_open else best[:FIRST_SHOWN]:
        yield ProposalRow(told, replaces.get(told.proposal.memory_id, ""))
    if not is_open and len(best) > FIRST_SHOWN:
        yield MoreRow(key, len(best) - FIRST_SHOWN)


def exchange(stored: StoredProposal) -> tuple[str, int]:
    """Return what was said around a proposal's place in its transcript, and the line of the text that stands for it."""
    from memtui.capture.transcripts.discover import sessions_of

    wanted, lines, at = stored.line or 1, list[str](), 1
    sessions = sessions_of(stored.assistant, Path(stored.file))
    turns = [turn for session in sessions for turn in session.turns if turn.place.line is not None]
    here = max((place for place, turn in enumerate(turns) if (turn.place.line or 0) <= wanted), default=0)
    first = max(0, here - _TURNS_AROUND)
    for place, turn in enumerate(turns[first : here + _TURNS_AROUND + 1], first):
        at = len(lines) + 1 if place == here else at
        calls = (f"[{call.name}] {call.command or ', '.join(call.paths)}\n{call.reason}" for call in turn.calls)
        said = "\n".join((f"{turn.role}, line {turn.place.line}:", turn.text, *calls))
        lines += [*(reveal(line) for line in in_lines(said).splitlines()), ""]
    return "\n".join(lines), at


def session_of(told: ProposalOutcome) -> SessionKey:
    """Return the session that a proposal is from."""
    return (told.proposal.assistant, told.proposal.session)


def proposal_cells(row: ProposalRow | MoreRow, width: int) -> list[Cell]:
    """Return a proposal, or what stands for the folded ones, in that many cells."""
    del width
    if isinstance(row, MoreRow):
        return [Cell(f"  … {row.number} more · enter shows them", "dim")]
    told, replaces = row.told, f"would replace “{row.replaces}”" if row.replaces else ""
    return [
        Cell(ODD, "warning", 1) if replaces else Cell("", "base", 1),
        Cell(short_kind(tame(told.kind)), "kind", KIND_CELLS, since=60, after=1),
        Cell(tame(told.title) or tame(told.insight), "base", after=1),
        Cell(replaces, "warning", min(_MOST_REPLACED_CELLS, len(replaces)), since=60, after=int(bool(replaces))),
        Cell(wording.signal_name(told.proposal.signal), "dim", _SIGNAL_CELLS, since=100, after=1),
        Cell(f"{told.proposal.score:.0%}", "dim", 4, since=44, right=True),
    ]


def proposal_words(row: ProposalRow | MoreRow) -> str:
    """Return what a proposal is found by besides what its row shows: its text, and the words it rests on."""
    return "" if isinstance(row, MoreRow) else f"{row.told.insight}\n{row.told.kind}\n{row.told.proposal.quote}"


def proposal_blocks(row: ProposalRow, read: CandidateRead, days: float | None, rate: Acceptance | None) -> list[Block]:
    """Return a proposal in full: the memory it would become, then the words it rests on, said so many days ago."""
    from memtui.capture.proposals.plan import evidence_records

    stored = row.told.proposal
    blocks = [block for block in candidate_blocks(read, None) if block.label != "Source"]
    when = "" if days is None else f", {ago(days)}"
    is_poor = rate is not None and wording.is_poor(rate)
    said = [
        Block(((f"“{tame(stored.quote, _TEXT)}”", "text"),), label="You said", gap=True),
        Block(((f"{tame(stored.assistant)}{when}", "text"), (f"\n{_place(stored)}", "path")), label="Where"),
        Block(((_signal_words(stored, rate), "warning" if is_poor else "text"),), label="Signal"),
    ]
    for at, one in enumerate(evidence_records(stored)):
        quote = tame(str(one.get("quote", "")), 300)
        said.append(Block(((quote, "dim"),), label="" if at else "Also"))
    place = next((at for at, block in enumerate(blocks) if block.label), len(blocks))
    return [*blocks[:place], *said, *blocks[place:]]


def more_blocks(row: MoreRow, waiting: Sequence[ProposalOutcome]) -> list[Block]:
    """Return what is folded, by title."""
    held = [one for one in waiting if session_of(one) == row.session]
    titles = [tame(one.title, 200) for one in sorted(held, key=lambda one: -one.proposal.score)[FIRST_SHOWN:]]
    return [
        Block(((f"{counted(row.number, 'proposal')} folded", "title"),)),
        Block((("\n".join(titles), "text"),), gap=True),
    ]


def _place(stored: StoredProposal) -> str:
    """Return the transcript and the line in it, or the row of a database; the home folder is `~`."""
    path, home = Path(stored.file), Path.home()
    name = f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else stored.file
    end = f":{stored.line}" if stored.line else f" · {stored.place}" if stored.place else ""
    return tame(f"{name}{end}", 400)


def _signal_words(stored: StoredProposal, rate: Acceptance | None) -> str:
    words = f"{wording.signal_name(stored.signal)} · {stored.score:.0%} sure"
    return f"{words} · {wording.rate_words(rate)}" if rate is not None and rate.rate is not None else words


def said_days(stored: StoredProposal, now: datetime) -> float | None:
    """Return how many days ago it was said; None where the transcript has no times."""
    return days_between(stored.said_at, now) if stored.said_at is not None else None


def notice(unread: Unread | None, rates: Mapping[str, Acceptance]) -> tuple[str, ...]:
    """Return what an empty list says: how proposals get here, and how good they were."""
    if unread is None:
        told = "Looking for sessions of your assistants …"
    elif unread.files:
        told = f"{counted(unread.files, 'file')} of your assistants' sessions have something new. R reads them."
    elif not unread.there:
        told = "No sessions of an assistant were found; `memtui capture --help` names the assistants."
    else:
        told = "Every session was read. New ones are offered here once you have worked on."
    lines = wording.acceptance_lines(list(rates.values()))
    return (
        "No proposals wait.",
        told,
        "",
        "What you corrected, refused, decided or asked to remember becomes a proposal.",
        "Nothing else from a transcript is kept.",
        *(("", "How often you accepted them, by signal:", *lines) if lines else ()),
    )


_MEGABYTE = 1_000_000
_LONGEST_TOAST = 600


class CaptureRun:
    """One capture under way; the app holds it, so that it outlives the screen it was started from."""

    def __init__(self, work: Callable[[ProgressCallback], Done]) -> None:
        self._work = work
        self._done = self._total = 0
        self._is_stopped = False
        self.is_running = True

    def start(self, app: App[object], ended: Callable[[], object]) -> None:
        """Work in a thread of the app; `ended` is called on the app's own thread."""

        def work() -> None:
            try:
                done = self._work(self._report)
                message, severity = done.message, "information" if done.changed else "warning"
            except MemtuiError as error:
                message, severity = str(error), "error"
            self.is_running = False
            if not get_current_worker().is_cancelled:
                app.call_later(self._tell, app, message, severity, ended)

        app.run_worker(work, thread=True, group="capture", exit_on_error=False)

    def stop(self) -> None:
        """Stop soon; what was found by then is kept."""
        self._is_stopped = True

    @property
    def words(self) -> str:
        """How far it is, and how it is stopped."""
        if self._is_stopped:
            return "stopping …"
        if not self._total:
            return "looking for sessions …"
        done, total = (-(-size // _MEGABYTE) for size in (self._done, self._total))
        return f"reading {done:,} of {total:,} MB · esc stops"

    def _report(self, done: int, total: int) -> None:
        if self._is_stopped or get_current_worker().is_cancelled:
            raise Cancelled
        self._done, self._total = done, total

    def _tell(self, app: App[object], message: str, severity: str, ended: Callable[[], object]) -> None:
        kind = "error" if severity == "error" else "warning" if severity == "warning" else "information"
        app.notify(tame(message, _LONGEST_TOAST), severity=kind, markup=False)  # type: ignore[arg-type]
        ended()
