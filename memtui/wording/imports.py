"""Sentences about what came in and what was left out, by an import or from sessions of assistants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.capture.left_out import LeftOut
from memtui.capture.merge_conflicts import Unresolved
from memtui.capture.skip_codes import STRUCTURE, FrontmatterProblem, SkipCode, SkipReason
from memtui.text.sanitize import tame
from memtui.text.words import counted, some_of

if TYPE_CHECKING:
    from memtui.capture.apply import ImportReport
    from memtui.capture.draft import Skipped
    from memtui.capture.import_plan import ImportPlan
    from memtui.capture.importer import SourcesRead
    from memtui.capture.proposals.plan import Offered, ProposalPlan
    from memtui.capture.proposals.run import CaptureReport
    from memtui.capture.stores.importing import StoresRead
    from memtui.vault.proposals import Acceptance


NOTES = {
    "anchor-left-out": "an anchor that cannot name a file was left out",
    "control-characters": "control characters were removed",
    "historical-at-source": "its file says that what it mentions is history",
    "invisible-unicode": "it contained invisible characters",
    "long-tag-cut": "a long tag was cut",
    "new-id": "its id cannot be used here, so it was given a new one",
    "odd-bytes": "bytes that are not text were replaced",
    "planted-instruction": "it looks like an instruction planted for an assistant",
    "same-text": "another memory of this import has the same text",
    "secret-line-left-out": "a line that looks like a secret was left out",
    "superseded-at-source": "its source says that it is superseded",
}
"""What the notes of a draft tell people; `KEY-left-out` stands for a value that fits no memory."""

PLACES_SHOWN = 3
NAMES_SHOWN = 5
FOLDERS_DEEP = 3


def note_words(note: str) -> str:
    """Return a note of a draft for people."""
    key = note.removesuffix("-left-out")
    return NOTES.get(note) or (note if key == note else f"its {key} is not valid and was left out")


def files_left_out(skipped: Iterable[Skipped]) -> dict[str, list[str]]:
    """Return the files and folders that were not read, by the reason, the most frequent first."""
    return _by_reason((one.reason, one.path) for one in skipped if one.span is None)


def told_rows(stores: StoresRead | None) -> list[str]:
    """Return a sentence for each reason for which rows of stores became no memory."""
    if stores is None:
        return []
    return [f"{number:,} left out: {tame(reason, 80)}" for reason, number in stores.left_out.most_common()]


def told_links(plan: ImportPlan) -> list[str]:
    """Return a sentence on the links of stores that have lost an end, if there are any."""
    return [f"{counted(plan.lost_links, 'link')} to what is not imported left out"] if plan.lost_links else []


def lines_left_out(skipped: Iterable[Skipped]) -> Counter[str]:
    """Return how many lines became no memory, by the reason."""
    lines: Counter[str] = Counter()
    for one in skipped:
        if one.span is not None:
            lines[str(one.reason)] += one.span[1] - one.span[0] + 1
    return lines


def told_files(skipped: Sequence[Skipped]) -> list[str]:
    """Return a sentence for each reason for which files were not read, and one for folders that were not searched."""
    files = files_left_out(skipped)
    unsearched = files.pop(LeftOut.UNSEARCHED, [])
    said = [
        f"{counted(len(paths), 'file')} left out: {reason} ({_some(_folders(paths))})"
        for reason, paths in files.items()
    ]
    if unsearched:
        names = Counter(path.rpartition("/")[2] for path in unsearched)
        named = some_of([tame(name, 40) for name, _ in names.most_common()], NAMES_SHOWN)
        said.append(f"{counted(len(unsearched), 'folder')} not searched ({named}); `memtui import FOLDER` reads one")
    return said


def how_to_read_unloaded(skipped: Iterable[Skipped]) -> str:
    """Return how to import texts that no assistant loads by itself; empty without any."""
    if all(one.reason != LeftOut.UNLOADED for one in skipped):
        return ""
    return "`memtui import FILE`, or a folder of only such files, reads what no assistant loads automatically."


def told_lines(skipped: Sequence[Skipped]) -> list[str]:
    """Return a sentence for each reason for which lines with a text of their own became no memory."""
    conflicts = [
        f"skipped {one.path}:{_lines(one.span)}: {one.reason}"
        for one in skipped
        if _is_conflict(one) and one.span is not None
    ]
    skipped = [one for one in skipped if not _is_conflict(one) and _has_text(one.reason_code)]
    lines = lines_left_out(skipped)
    places = _by_reason((one.reason, f"{one.path}:{one.span[0]}") for one in skipped if one.span is not None)
    said = [
        f"{counted(lines[reason], 'line')} left out{_in_places(at)}: {reason} ({_some(at)})"
        for reason, at in places.items()
    ]
    return [*conflicts, *said]


def lost_imports(skipped: Iterable[Skipped], stated: Collection[str | None]) -> list[str]:
    """Return a sentence for each import of a missing file in a file that states no memory itself.

    `stated`: the files that state one.
    """
    lost = (one for one in skipped if one.reason_code == SkipCode.MISSING.value and one.path not in stated)
    return [f"{tame(one.path, 80)}:{one.span[0]}: {tame(str(one.reason), 200)}" for one in lost if one.span]


def _in_places(places: Sequence[str]) -> str:
    """Return in how many places lines stand, where they are not named one by one."""
    return f" in {len(places):,} places" if len(places) > 1 else ""


def told_besides(skipped: Sequence[Skipped]) -> list[str]:
    """Return what was read as settings, with the places where that is in doubt, and the lines without a text."""
    return list(_told_of_settings([one for one in skipped if not _is_conflict(one) and one.span is not None]))


def _told_of_settings(skipped: Sequence[Skipped]) -> Iterator[str]:
    for problem, name in _DOUBTFUL.items():
        if at := [f"{one.path}:{_lines(one.span)}" for one in skipped if one.span and one.reason_code == problem]:
            yield f"{name}, read as settings: {_some(at)}"
    settings: Counter[str] = Counter()
    structure = 0
    for one in skipped:
        number = one.span[1] - one.span[0] + 1 if one.span is not None else 0
        if one.reason_code in _SETTINGS:
            settings[one.settings or _SETTINGS[one.reason_code]] += number
        elif one.reason_code in _STRUCTURE:
            structure += number
    if settings:
        told = [tame(name, 60) for name, _ in settings.most_common()]
        yield f"{counted(settings.total(), 'line')} ({some_of(told, PLACES_SHOWN)}) read as settings"
    if structure:
        yield f"{counted(structure, 'line')} of headings, comments and separators"


_STRUCTURE = frozenset(reason.code for reason in STRUCTURE)
_SETTINGS = {
    SkipReason.FRONTMATTER.code: "frontmatter",
    SkipCode.SETTINGS.value: "settings",  # of which the lines name one
}
"""What lines say of their record, not by it."""

_DOUBTFUL = {
    FrontmatterProblem.FRONTMATTER_UNCLOSED.code: "frontmatter that is never closed",
    FrontmatterProblem.FRONTMATTER_UNOPENED.code: "frontmatter without its first ---",
}
"""The same of lines that may be something else."""


def _has_text(code: str) -> bool:
    return not any(code in codes for codes in (_STRUCTURE, _SETTINGS, _DOUBTFUL))


def _is_conflict(lines: Skipped) -> bool:
    return lines.is_conflict or isinstance(lines.reason, Unresolved)


def _lines(span: tuple[int, int]) -> str:
    first, last = span
    return str(first) if first == last else f"{first}-{last}"


NAMED_DROPPED = 3  # Memories that sources no longer state which a report names; the rest are counted


def dropped(titles: Sequence[str]) -> str:
    """Return which memories their sources no longer state, the first by name; empty without any."""
    if not titles:
        return ""
    named = some_of([f"“{tame(title, 60)}”" for title in titles], NAMED_DROPPED)
    return f"{counted(len(titles), 'memory is', 'memories are')} no longer in the source; kept: {named}"


def sources_read(read: SourcesRead) -> list[dict[str, object]]:
    """Return the files that were read, each with its format and how many memories came of it."""
    return [
        {"path": file.file.name, "format": file.reader.format, "memories": len(file.result.drafts)}
        for file in read.files
    ]


def told_sources(read: SourcesRead) -> list[str]:
    """Return a sentence for each format that was read."""
    files = Counter(file.reader.label for file in read.files)
    drafts: Counter[str] = Counter()
    for file in read.files:
        drafts[file.reader.label] += len(file.result.drafts)
    said = [
        f"{label}: {counted(number, 'file')}, {counted(drafts[label], 'memory')}" for label, number in files.items()
    ]
    odd = [file for file in read.files if file.encoding != "utf-8"]
    return [*said, *(f"{file.file.name}: not UTF-8, read as {file.encoding}" for file in odd)]


def _by_reason(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for reason, place in pairs:
        groups.setdefault(str(reason), []).append(place)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _folders(paths: Sequence[str]) -> list[str]:
    """Return a few paths as they are, of many their folders, at most three deep, the most frequent first."""
    if len(paths) <= PLACES_SHOWN:
        return list(paths)
    folders = Counter("/".join([*path.split("/")[:-1][:FOLDERS_DEEP], ""]) or path for path in paths)
    return [folder for folder, _ in folders.most_common()]


def _some(places: Sequence[str]) -> str:
    return some_of([tame(place, 80) for place in dict.fromkeys(places)], PLACES_SHOWN, ", ")


def imported(report: ImportReport) -> str:
    """Return what an import came to; counts of nothing are left out, and so is what has no text of its own."""
    parts = [
        (report.added, "added"),
        (report.updated, "updated"),
        (report.moved, "moved with their source"),
        (report.unchanged - report.moved, "unchanged"),
        (len(report.conflicts), "in conflict"),
        (passed_over(row["reason_code"] for row in report.skipped), "passed over"),
    ]
    counts = ", ".join(f"{number:,} {word}" for number, word in parts if number)
    return f"Imported: {counts}" if report.added or report.updated else f"Nothing new{f': {counts}' if counts else ''}"


def in_use_anew(report: ImportReport) -> str:
    """Return how many memories in use now say what their source says; empty where none does."""
    number = report.updated_in_use
    have = counted(number, "memory in use was", "memories in use were")
    return f"{have} updated from the source" if number else ""


def new_in_inbox(report: ImportReport) -> str:
    """Return what waits in the inbox after an import; empty where nothing came in there."""
    if not report.added:
        return ""
    old = report.superseded
    if old == report.added:
        return f"All of it is marked as superseded in its source ({FINDS_SUPERSEDED})"
    others = passed_over(row["reason_code"] for row in report.skipped)
    is_all = not (report.updated or report.unchanged or report.conflicts or others)
    waits = "They wait in the inbox" if is_all else "New memories wait in the inbox"
    if not old:
        return waits
    waiting = report.added - old
    number = f"the other {waiting:,} {'waits' if waiting == 1 else 'wait'} in the inbox"
    return f"{superseded_at_source(old)} ({FINDS_SUPERSEDED}); {number}"


def superseded_at_source(number: int) -> str:
    """Return how many new memories are not in use, as their source says so."""
    return f"{number:,} marked as superseded in {'its source' if number == 1 else 'their sources'}"


FINDS_SUPERSEDED = "Browse: status:superseded"


def passed_over(codes: Iterable[str]) -> int:
    """Return how many parts of its sources an import passed over that have a text of their own, given why each was."""
    return sum(_has_text(code) and code != LeftOut.UNSEARCHED.code for code in codes)


SIGNALS = {
    "rejected-tool": "refused with a reason",
    "remember": "asked to remember",
    "correction": "correction",
    "repeated-correction": "corrected again",
    "standing-rule": "standing rule",
    "decision": "decision",
    "fail-then-pass": "failed, then passed",
    "root-cause": "root cause",
    "discovery": "discovery",
    "commit-trailer": "stated in a commit",
    "commit-revert": "reverted, with the reason",
    "commit-breaking": "breaking change",
    "commit-rule": "rule in a commit",
    "commit-fix": "cause of a fix",
    "commit-decision": "choice in a commit",
    "commit-note": "said in a commit",
}
"""What each signal is called."""

POOR_RATE = 0.3
"""The share of accepted proposals below which a signal is told."""

FEW_DECISIONS = 5
"""Decisions on a signal from which its rate says something."""


def read_line(report: CaptureReport) -> str:
    """Return what was read."""
    if not report.read and not report.skipped:
        return "Nothing new: every session was read before." if report.unchanged else "No sessions were found."
    line = f"Read {counted(report.read, 'file')}: {counted(report.sessions, 'session')} with something new"
    return f"{line}{', then stopped; the next run continues' if report.is_cancelled else ''}."


def commits_line(commits: int, reverted: int) -> str:
    """Return how many commits were read, and how many memories were marked because their commit was reverted."""
    line = f"Read {counted(commits, 'commit')}."
    return f"{line} {counted(reverted, 'memory')} from reverted commits marked." if reverted else line


def found_line(plan: ProposalPlan, *, dry_run: bool) -> str:
    """Return what was found."""
    if not plan.new:
        return "No new lessons."
    waits = "would go into the inbox" if dry_run else "in the inbox"
    return f"{counted(len(plan.new), 'proposal')} {waits}."


def left_out_lines(report: CaptureReport) -> list[str]:
    """Return what was left out and could not be read, a line each."""
    lines = plan_lines(report.plan)
    if report.put_away:
        away = counted(report.put_away, "candidate")
        lines.append(f"{away} expired: waited too long, or their files are missing (`memtui inbox expired`).")
    if report.unknown_records:
        lines.append(f"{counted(report.unknown_records.total(), 'record')} of unknown types skipped.")
    if report.bad_lines:
        lines.append(f"{counted(report.bad_lines, 'line')} could not be read.")
    return lines


def plan_lines(plan: ProposalPlan) -> list[str]:
    """Return what was found and not proposed, a line each."""
    told = (
        (len(plan.again), "repeated: noted with the earlier proposal"),
        (plan.dismissed, "not proposed: you rejected it before"),
        (plan.known, "not proposed: already in a memory or a rules file"),
        (plan.secret, "not proposed: it contains a secret"),
        (plan.planted, "not proposed: it looks planted, like an instruction to ignore rules"),
    )
    lines = [f"{counted(number, 'lesson')} {what}." for number, what in told if number]
    if plan.switched_off:
        lines.append(f"{counted(plan.switched_off, 'session')} skipped: memories are switched off there.")
    return lines


def signal_name(signal: str) -> str:
    """Return what a signal is called."""
    return SIGNALS.get(signal, signal)


def is_poor(one: Acceptance) -> bool:
    """Return whether a signal is mostly wrong, by enough decisions to say so."""
    return one.rate is not None and one.accepted + one.rejected >= FEW_DECISIONS and one.rate < POOR_RATE


def rate_words(one: Acceptance) -> str:
    """Return how often a signal was right, and whether it is mostly wrong; it has been decided on."""
    words = f"{one.accepted} of {one.accepted + one.rejected} accepted ({one.rate or 0:.0%})"
    return f"{words}, mostly wrong here" if is_poor(one) else words


def what_for(offered: Offered, plan: ProposalPlan) -> str:
    """Return what shows a lesson, and which memory it corrects."""
    name, corrects = signal_name(offered.stored.signal), plan.corrected_by(offered)
    return f"{name}, corrects {corrects}" if corrects else name


def acceptance_lines(found: Sequence[Acceptance]) -> list[str]:
    """Return how often each signal was right, a line each; those that nobody decided on are left out."""
    return [f"{signal_name(one.signal)}: {rate_words(one)}" for one in found if one.rate is not None]
