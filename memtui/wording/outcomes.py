"""Sentences about outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from memtui.curate.bulk_changes import Outcome, Skipped, SkipReason
from memtui.domain.memory import Change, Link, Memory, held_back, planted_reasons
from memtui.errors import BlockChangedError, BuiltUponError
from memtui.text.planted import Planted
from memtui.text.sanitize import one_line, tame
from memtui.text.words import clip_at_word, counted, shorten, some_of

if TYPE_CHECKING:
    from memtui.analysis.resemblance import Resemblance
    from memtui.curate.inbox_care import Stale
    from memtui.curate.links import Reflected
    from memtui.curate.merge import Merged
    from memtui.curate.packs import Effect
    from memtui.curate.resolutions import CopiesMerged
    from memtui.vault.purge import PurgeReport

VERDICT_WORDS = {"helped": "helped", "hurt": "hurt", "corrected": "corrected", "unused": "not used"}
"""Feedback on a pack as sentences say it."""

EFFECTS_SHOWN = 3  # Memories whose usefulness a sentence names; the rest are counted
REASONS_SHOWN = 3  # Reasons for skipping memories that a sentence names; the rest are counted

NOT_DUPLICATES = "These will not be suggested as duplicates again"
NOT_CONTRADICTING = "This pair will not be suggested as a contradiction again"
NO_COMMON_CONCLUSION = "These will not be suggested for a conclusion again"


TITLE_CELLS = 54  # Of a title behind a verb: one line of 80 cells that leaves a count beside it
SUMMARY_CELLS = 60  # Of the summary of a change behind a verb


def named(memories: Sequence[Memory], noun: str = "memory") -> str:
    """Return the title of a single memory, else how many they are."""
    return clip_at_word(tame(memories[0].title), TITLE_CELLS) if len(memories) == 1 else counted(len(memories), noun)


def done(verb: str, memories: Sequence[Memory], group: str = "") -> str:
    """Return `Retired: TITLE`, `Retired 3 memories` or `Rejected 3 memories of “Locks”`.

    The verb is a past participle, capitalised. `group`: what those have in common that were chosen as one.
    """
    if len(memories) == 1:
        return f"{verb}: {named(memories)}"
    of = f" of “{clip_at_word(tame(group), TITLE_CELLS)}”" if group else ""
    return f"{verb} {named(memories)}{of}"


def acted(verb: str, outcome: Outcome, *, missing: int = 0, group: str = "") -> str:
    """Return what was done, then what was skipped and why: `Retired 3 memories; 1 skipped: already retired`.

    `missing`: memories that were chosen but no longer exist. `group` as in `done`.
    """
    reasons = Counter(skip_reason(each) for each in outcome.skipped)
    if missing:
        reasons[SKIPPED[SkipReason.MISSING]] += missing
    if not outcome.changed:
        return f"Unchanged: {_reasons(reasons)}" if reasons.total() == 1 else skipped(reasons) or "Nothing to do"
    return "; ".join(filter(None, (done(verb, outcome.changed, group), skipped(reasons))))


def held(memory: Memory, way: str) -> str:
    """Return why no assistant is told of a memory in use, empty if it is; `way`: what a person does to verify it."""
    planted = held_back(memory) if memory.status == "active" else None
    return f"Looks planted: it {tame(str(planted))}. It is withheld from assistants until {way}" if planted else ""


def typed_all_the_same(memory: Memory) -> str:
    """Return a warning that what a person typed looks planted, empty if it does not."""
    planted = next(iter(planted_reasons(memory)), None)
    if planted is None:
        return ""
    return f"Looks planted: it {tame(str(planted))}. Assistants still receive it, because you typed it."


def planted_claim(planted: Planted) -> str:
    """Return what makes a text look planted, as a reading of it: a rule about tests may seem to switch them off."""
    said = tame(str(planted))
    return f"it {said}" if planted.only_resembles else f"it resembles text that {said}"


def planted_record(planted: Planted) -> dict[str, str | None]:
    """Return the `--json` form of why a text looks planted."""
    return {
        "reason": f"it {planted}",
        "reason_code": planted.sort.value,
        "like": planted.like and planted.like.value,
        "excerpt": planted.excerpt or None,
    }


def decided(outcome: Outcome) -> str:
    """Return what was accepted, rejected and skipped: `Accepted 30 memories; rejected 5 memories; 1 skipped: …`."""
    sides = [[each for each in outcome.changed if each.status == status] for status in ("active", "retired")]
    parts = [done(verb, side) for verb, side in zip(("Accepted", "Rejected"), sides, strict=True) if side]
    reasons = Counter(skip_reason(each) for each in outcome.skipped)
    return "; ".join(filter(None, (*parts, skipped(reasons)))) or "Nothing to do"


SKIPPED: Mapping[SkipReason, str] = {
    SkipReason.CHANGED: "changed since you read it",
    SkipReason.MISSING: "it no longer exists",
    SkipReason.SAME: "nothing to change",
    SkipReason.HAS_STATUS: "already {detail}",
    SkipReason.NOT_ACTIVE: "{detail}; only active memories can be verified",
    SkipReason.NOT_CANDIDATE: "{detail}, not a candidate",
    SkipReason.MERGED: "merged into another; `memtui unmerge` restores it",
    SkipReason.PINNED: "already pinned",
    SkipReason.NOT_PINNED: "not pinned",
    SkipReason.SNOOZED: "already snoozed until {detail}",
    SkipReason.HAS_KIND: "already a {detail}",
    SkipReason.HAS_PROJECT: "already in {detail}",
    SkipReason.NO_FILES: "not tied to any file",
    SkipReason.OTHER_FILES: "now tied to other files",
    SkipReason.UNKNOWN_FOLDER: "the folder of its project is not known on this machine",
    SkipReason.UNREADABLE_FILES: "none of its files can be read",
    SkipReason.SOURCES_AGREE: "its sources agree with it",
    SkipReason.PLANTED: "looks planted; accept it individually",
    SkipReason.PLANTED_UNVERIFIED: "looks planted; verify it individually",
    SkipReason.UNASSIGNED: "no project",
}
"""Why a memory was not changed, with the status, kind, project or day that the reason names."""


def skip_reason(skipped: Skipped) -> str:
    """Return why a memory was not changed: `already pinned`."""
    return SKIPPED[skipped.reason].format(detail=skipped.detail)


def skipped(reasons: Counter[str]) -> str:
    """Return `2 skipped: already pinned`, nothing if none was."""
    return f"{reasons.total():,} skipped: {_reasons(reasons)}" if reasons else ""


def _reasons(reasons: Counter[str]) -> str:
    """Return the most common reasons; how often each occurred is said where they differ."""
    named = reasons.most_common(REASONS_SHOWN)
    parts = [f"{tame(reason)}{f' ×{number:,}' if number > 1 < len(reasons) else ''}" for reason, number in named]
    rest = reasons.total() - sum(number for _, number in named)
    return ", ".join(parts) + (f", {rest:,} more" if rest else "")


def dismissed(sentence: str, number: int) -> str:
    """Return what was said of a proposal, or of how many where it was several."""
    return sentence if number == 1 else f"{counted(number, 'proposal')} will not be suggested again"


def undone(change: Change, *, elsewhere: bool = False) -> str:
    """Return what an undo took back; `elsewhere`: whether the change was made by others or in another process."""
    said = _reverted("Undone", change, elsewhere)
    return f"{said}; {some_of(change.gone, 3)} no longer had a memtui block" if change.gone else said


def redone(change: Change, *, elsewhere: bool = False) -> str:
    """Return what a redo did again; `elsewhere` as in `undone`."""
    return _reverted("Redone", change, elsewhere)


def _reverted(word: str, change: Change, elsewhere: bool) -> str:
    said = f"{word}: {clip_at_word(tame(change.summary), SUMMARY_CELLS)}"
    if not elsewhere:
        return said
    when, who = f"{change.at:%Y-%m-%d %H:%M} UTC", tame(change.actor, 60)
    return f"{said} (change {change.number}, made {when} by {who}, not in this session)"


def would_undo(change: Change, projects: Sequence[str], *, again: bool) -> str:
    """Return the question whether to undo, or make again, what was done in another session; it goes behind the key.

    `projects`: the only ones that it was done to, where none of them is shown.
    """
    verb = "redoes" if again else "undoes"
    said = clip_at_word(tame(change.summary), SUMMARY_CELLS)
    when = f"on {change.at:%Y-%m-%d %H:%M} UTC"
    if projects:
        where = some_of([tame(name, 40) for name in projects], 2)
        return f"again {verb} the change made in {where}, not shown here, {when}: {said}"
    return f"again {verb} the change made in another session, {when}: {said}"


FIELD_WORDS: Mapping[str, str] = {
    "rationale": "why",
    "status_reason": "reason",
    "anchors": "files",
    "confidence": "sure",
    "half_life_days": "half-life",
    "confirmed_at": "confirmed",
    "confirmed_by": "by",
    "verified_at": "verified",
    "verified_by": "by",
    "observed_at": "observed",
    "snoozed_until": "snoozed",
    "valid_from": "from",
    "valid_until": "until",
    "due_at": "due",
    "other_sources": "sources",
}
"""What fields are called in the app, where that is not their name."""


def built_upon(error: BuiltUponError, ways: str) -> str:
    """Return why a change cannot be taken back, in the words of the app; `ways`: how a person gets to undo one."""
    field = FIELD_WORDS.get(error.field, error.field)
    place = ", ".join(filter(None, (f"“{clip_at_word(tame(error.title), TITLE_CELLS)}”" if error.title else "", field)))
    first = f" {ways} on change {error.later} undoes that first." if error.later else ""
    return f"{error.what}{f': {place}' if place else ''}. Nothing was written.{first}"


def edited_block(error: BlockChangedError, publish: str, history: str) -> str:
    """Return what helps in the app where a block was edited by hand; `publish`, `history`: the keys of the screens."""
    return (
        f"{error.what}: {PurePath(error.where).name}. Nothing was written. {publish} opens Publish, where t sends"
        f" the edit to the inbox and x removes the block; {history} opens History, where U undoes another change."
    )


def verdicts_undone(number: int, stopped_by: str) -> str:
    """Return what undoing a review session came to; `stopped_by` is the change of somebody else it stopped at."""
    said = f"Undone: {counted(number, 'verdict')}" if number else "Nothing is left to undo in this session"
    return f"{said}; stopped at another change: {tame(stopped_by)}" if stopped_by else said


EVERYWHERE = "it applies to all files, as one of the originals did"


def merged(result: Merged) -> str:
    everywhere = f"; {EVERYWHERE}" if result.everywhere else ""
    return f"Merged {counted(len(result.originals) + 1, 'memory')} into “{tame(result.result.title)}”{everywhere}"


def unmerged(target: Memory, originals: Sequence[Memory]) -> str:
    """Return what came out of a merge that was taken apart."""
    return f"Unmerged “{tame(target.title)}”: {counted(len(originals), 'original')} restored"


def copies_merged(result: CopiesMerged) -> str:
    """Return what merging groups of exact copies came to."""
    said = f"Merged {counted(len(result.merged), 'group')} of copies"
    return "; ".join(filter(None, (said, skipped(Counter(str(error) for _, error in result.failed)))))


def reflected(made: Reflected) -> str:
    """Return what writing a conclusion came to."""
    sources = f"{counted(len(made.sources), 'source')} {'retired' if made.retired else 'kept'}"
    waiting = ", waiting in the inbox" if made.memory.status == "candidate" else ""
    said = "Concluded" if made.is_new else "Already stored, linked to its sources"
    return f"{said}: {tame(made.memory.title)} ({made.memory.kind}; {sources}{waiting})"


def linked(link: Link) -> str:
    return f"Linked: {link.from_id} {link.type} {link.to_id}"


def unlinked(link: Link) -> str:
    return f"Unlinked: {link.from_id} {link.type} {link.to_id}"


def superseded(kept: str, dropped: str) -> str:
    """Return which of two contradicting memories holds."""
    return f"Settled: {tame(kept)} supersedes {tame(dropped)}"


def names_old_path(number: int) -> str:
    """Return that the texts of so many memories still name the old path of a file that was followed."""
    return "its text still names the old path" if number == 1 else f"{number:,} texts still name an old path"


def both_kept(places: Sequence[tuple[str, str]]) -> str:
    """Return where each of two contradicting memories holds: (memory, where)."""
    return f"Settled: both are right, {'; '.join(f'{tame(memory)} for {tame(where)}' for memory, where in places)}"


def matches_nothing(globs: Sequence[str]) -> str:
    """Return that no file fits some globs; empty without any."""
    return f"No file matches {some_of([tame(glob, 60) for glob in globs], 3)}" if globs else ""


def file_names(paths: Sequence[str]) -> str:
    """Return the first of some files, by name."""
    return some_of([tame(PurePath(path).name, 40) for path in paths], 3)


def would_write(change: Change, *, again: bool) -> str:
    """Return the title of what an undo would write outside the vault; `again`: it makes the change again."""
    return f"{'Redo' if again else 'Undo'} change {change.number}: {tame(change.summary, 60)}"


def waiting_in_inbox(number: int) -> str:
    """Return how many memories wait until somebody accepts them, and how to see them."""
    return f"{counted(number, 'memory waits', 'memories wait')} in the inbox: `memtui inbox` lists them."


def feedback_given(verdict: str, effects: Sequence[Effect]) -> str:
    """Return how feedback changed the usefulness of memories, before → after, and which are due for it."""
    moves = [f"{one.before:.2f} → {one.after:.2f}" for one in effects]
    if len(moves) > 1 and len(set(moves)) == 1:
        listed = [f"{len(moves)} memories {moves[0]}"]
    else:
        named = zip(effects[:EFFECTS_SHOWN], moves, strict=False)
        listed = [f"“{tame(one.title, 40)}” {move}" for one, move in named]
        listed += [f"{len(moves) - EFFECTS_SHOWN} more"] if len(moves) > EFFECTS_SHOWN else []
    changed = f"{VERDICT_WORDS[verdict].capitalize()}: usefulness of {', '.join(listed)}"
    return "; ".join(filter(None, (changed, due_after_feedback(effects))))


def due_after_feedback(effects: Sequence[Effect]) -> str:
    """Return which memories hurt so often that they are due for review, nothing if none did."""
    due = [effect for effect in effects if effect.is_due]
    if not due:
        return ""
    if len(due) == 1:
        return f"“{tame(due[0].title, 60)}” hurt more than once and is due for review"
    return f"{counted(len(due), 'memory')} hurt more than once and are due for review"


def purged(report: PurgeReport) -> str:
    rewritten = f"{counted(len(report.backups), 'backup')} rewritten"
    return f"Erased {counted(report.memories, 'memory')} and {counted(report.revisions, 'revision')}; {rewritten}"


LONGEST_RESEMBLING = 80  # Characters of a title, and of a difference, in the line about what a memory resembles


def resembles(memory: Memory, found: Resemblance) -> str:
    """Return what a saved memory resembles, how, and the commands that link or merge the two."""
    ends = (found.id, memory.id) if found.is_winner else (memory.id, found.id)
    supersede, relate = (f"`memtui link {ends[0]} {how} {ends[1]}`" for how in ("supersedes", "relates"))
    merge = f"`memtui merge {found.id} {memory.id}`"
    ways = (merge, supersede)
    if found.sort in {"differs", "clashes"}:
        ways = (relate, supersede) if found.sort == "differs" else (supersede, relate)
    why = f"seems to say the same in other words: {found.why}" if found.sort == "reworded" else found.why
    return f"similar to {found.id} ({_cut(found.title)}; {_cut(why)}): {' or '.join(ways)}"


def proposed_to_replace(memory: Memory, old: Memory) -> str:
    """Return that both are in use, with the command that replaces one by the other."""
    way = f"`memtui link {memory.id} supersedes {old.id}`"
    return f"{memory.id} was proposed to replace {old.id} ({_cut(old.title)}): both are in use; {way} replaces it"


def _cut(text: str) -> str:
    """Return a text that fits the line; a quotation that is cut is closed."""
    kept = shorten(one_line(text), LONGEST_RESEMBLING - 1)
    return f"{kept}”" if kept.count("“") > kept.count("”") else kept


def stale_words(stale: Stale) -> str:
    """Return why a candidate is put away."""
    if stale.cause == "files":
        return f"missing: {tame(stale.detail, 60)}"
    if stale.cause == "source":
        return f"no longer in {tame(stale.detail, 60)}"
    return f"waiting for {stale.detail} days"


def folded_lines(folded: Mapping[str, int]) -> list[str]:
    """Return how many proposals are folded, a line for each of their sources."""
    lines = [
        f"{counted(number, 'less certain proposal')} from {tame(source, 80)} hidden"
        for source, number in folded.items()
    ]
    shown = lines[:_SOURCES_NAMED]
    if len(lines) > len(shown):
        shown.append(f"… and from {len(lines) - len(shown):,} more")
    return [*shown, "`memtui inbox list --whole` shows them."] if shown else []


_SOURCES_NAMED = 5


def no_field(typed: str, meant: str) -> str:
    """Return that a query has no such field: `Unknown field “knd”, try “kind”`. `meant`: the likely one, if any."""
    return f"Unknown field “{tame(typed, 16)}”{f', try “{meant}”' if meant else ''}"


FILE_TAKES = "file: takes a path, one of its folders, its end, or a pattern such as file:*cart*."
