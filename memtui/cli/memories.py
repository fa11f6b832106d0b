"""Add and edit memories, and take them through their life."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from memtui.analysis.resemblance import Resemblance, resemblance_record
from memtui.cli import parsing
from memtui.cli.output import is_typed, read_input, say, write_json, write_line
from memtui.cli.parsing import Parser, number, whole_number
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate import lifecycle
from memtui.curate.bulk_changes import Outcome, require_changed
from memtui.curate.fields import (
    KIND_HALF_LIFE,
    ListChanges,
    anchors_for,
    check_half_life,
    check_kind,
    named_tags,
    relative_name,
    without_files,
)
from memtui.curate.lifecycle import change_many
from memtui.curate.memories import Added, NewMemory, add_memory, edit_memory, is_left_behind
from memtui.curate.views import get_view, view_record
from memtui.domain.kinds import RULE_KINDS
from memtui.domain.memory import Anchor, Memory
from memtui.domain.rules import clean_rules
from memtui.errors import MemtuiError, UsageError
from memtui.text.injection import ordering_line
from memtui.text.words import counted, parse_day, parse_duration
from memtui.wording import outcomes

KIND = "constraint"  # The kind whose words may become rules
if TYPE_CHECKING:
    from memtui.curate.packs import Effect


def _add_arguments(parser: Parser) -> None:
    parser.add_value("text", "TEXT", "what to remember, or - to read it from standard input", nargs="+")
    parser.add_value("--kind", "KIND", "constraint, decision, bug-pattern … (default: guessed)")
    parser.add_value("--title", "TEXT", "one line (default: derived from the text)", default="")
    parser.add_value("--why", "TEXT", "the reason for it, and when it applies", default="")
    parser.add_value("--snippet", "TEXT", "a code snippet", default="")
    parsing.add_files(parser, "a file or glob that it is about")
    parsing.add_repeatable(parser, "--tag", "TAG", "a tag")
    parser.add_flag("--pin", "pin it")
    parser.add_value("--importance", "N", "1 to 5 (default: 3)", type=whole_number, default=3)
    parser.add_value("--confidence", "X", "0 to 1 (default: 1)", type=number, default=1.0)
    parsing.add_repeatable(parser, "--supersedes", "ID", "a memory it replaces")
    parser.add_value("--valid-until", "DATE", "the first day on which it is no longer valid")
    parsing.add_allow_secret(parser)


def _add(arguments: argparse.Namespace, session: Session) -> None:
    """Add a memory and print its id."""
    from memtui.curate.links import resembling_each

    words = arguments.text
    new = NewMemory(
        text=read_input() if words == ["-"] else " ".join(words),
        title=arguments.title,
        kind=arguments.kind,
        why=arguments.why,
        snippet=arguments.snippet,
        files=arguments.file,
        tags=arguments.tag,
        project=session.project,
        pinned=arguments.pin,
        importance=arguments.importance,
        confidence=arguments.confidence,
        supersedes=arguments.supersedes,
        valid_until=parse_day(arguments.valid_until) if arguments.valid_until else None,
        allow_secret=arguments.allow_secret,
        is_typed=is_typed(),
    )
    session.say_new_project(session.project)
    session.back_up_daily()
    added = add_memory(
        session.vault, new, actor=session.actor, folder=session.folder, secret_patterns=session.secret_patterns
    )
    memory = added.memory
    found = resembling_each(session.vault, [memory]) if added.is_new else []
    session.put({"id": memory.id} | _resembles_record(found), [memory.id])
    say(_stored_words(added))
    for _, one in found:
        say(outcomes.resembles(memory, one))
    _suggest_rules(memory)
    if added.is_new:
        _say_matches_nothing(memory.anchors, session)
    if added.removed:
        say(f"Removed {counted(added.removed, 'control character')}")
    if held := outcomes.held(memory, f"`memtui verify {memory.id}`"):
        say(f"{held}.")
    elif added.is_new and new.is_typed and (warning := outcomes.typed_all_the_same(memory)):
        say(warning)
    if memory.kind not in RULE_KINDS and ordering_line(f"{memory.title}\n{memory.insight}") is not None:
        say("This is phrased as an instruction; state the fact and the reason instead (memtui edit).")


def _stored_words(added: Added) -> str:
    memory = added.memory
    if not added.is_new:
        return f"Already stored: {memory.id} ({memory.standing})"
    place = f"project {memory.project}" if memory.project else "unassigned: left out of payloads until it has a project"
    guess = " (guessed; --kind sets it)" if added.guessed_kind else ""
    waiting = "; waiting in the inbox" if memory.status == "candidate" else ""
    return f"{memory.kind}{guess}, {place}{waiting}: {memory.title}"


def _resembles_record(found: list[tuple[Memory, Resemblance]]) -> dict[str, object]:
    if not found:
        return {}
    return {"resembles": [resemblance_record(one) for _, one in found]}


_EDITED_TEXTS = {"title": "title", "why": "rationale", "snippet": "snippet"}
_SINGLE_OPTIONS = (
    *("title", "text", "why", "snippet", "confidence", "valid_until", "move_to", "rule", "no_rules", "if_version"),
)
"""Options of `edit` that apply to one memory."""


def _edit_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "an id or its first characters", nargs="?")
    parsing.add_where(parser, "edit tags, files, kind, half-life or importance of all memories that a query matches")
    parser.add_value("--title", "TEXT", "new title")
    parser.add_value("--text", "TEXT", "new text, or - to read it from standard input")
    parser.add_value("--why", "TEXT", "new rationale")
    parser.add_value("--snippet", "TEXT", "a new code snippet")
    parser.add_value("--kind", "KIND", "new kind")
    parsing.add_list_changes(parser, "a tag", "a file or glob")
    parsing.add_repeatable(parser, "--rule", "RULE", "add a rule for `memtui check`, e.g. \"protect 'GLOB'\"")
    parser.add_flag("--no-rules", "remove its rules")
    parser.add_value("--importance", "N", "1 to 5", type=whole_number)
    parser.add_value("--confidence", "X", "0 to 1", type=number)
    parser.add_value("--half-life", "DAYS", "`90d`, `12w`, or `kind` to follow its kind again")
    parser.add_value("--valid-until", "DATE", "the first day on which it is no longer valid, or `never`")
    parser.add_value("--move-to", "PROJECT", "move it to another project, or to global")
    parsing.add_if_version(parser)
    parsing.add_allow_secret(parser)


def _edit(arguments: argparse.Namespace, session: Session) -> None:
    """Edit a memory with options, or in $EDITOR when none is given. A file that cannot be read back is kept."""
    if arguments.where is not None or arguments.id is None:
        _edit_many(arguments, session)
        return
    memory = get_view(session.vault, arguments.id).memory
    values, lists = _values(arguments, session), list_changes(arguments, session)
    session.say_new_project(arguments.move_to)
    lists = replace(lists, add_rules=clean_rules(arguments.rule), remove_rules=arguments.no_rules)
    if lists.add_rules:
        _try_rules(lists.add_rules, session)
    _say_matches_nothing(lists.add_anchors, session)
    if values or lists:
        saved = _save(arguments, session, memory, values, arguments.if_version, lists)
    else:
        saved = _edit_in_editor(arguments, session, memory)
    if session.json:
        write_json(view_record(get_view(session.vault, saved.id, tree=session.view.tree), session.kinds))
    else:
        write_line(saved.id)
    say(f"Version {saved.version}: {saved.title}" if saved.version != memory.version else "Nothing was changed.")
    if is_left_behind(memory, saved):
        say(f'The title was kept but no longer fits the text: memtui edit {saved.id} --title "…"')
    if (saved.title, saved.insight) != (memory.title, memory.insight):
        from memtui.analysis.resemblance import changed_much
        from memtui.curate.links import resembling_each

        for each, found in resembling_each(session.vault, [saved] if changed_much(memory, saved) else []):
            say(outcomes.resembles(each, found))


def _try_rules(rules: Sequence[str], session: Session) -> None:
    """Say which of the last commits of this project new rules would have stopped."""
    if not session.view.stands_in:
        return
    from memtui.assist.check_suggest import try_rules
    from memtui.wording import checks

    for rule in rules:
        trial = try_rules((rule,), session.folder, session.view.root)
        if trial is not None and trial.commits:
            say(f"{rule}: {checks.trial(trial.commits, [(one.commit, one.subject) for one in trial.stopped])}")


def _suggest_rules(memory: Memory) -> None:
    """Say which rules a constraint's words suggest."""
    if memory.kind != KIND or memory.rules:
        return
    from memtui.assist.check_suggest import suggested_rules

    for rule in suggested_rules(memory)[:1]:
        say(
            f"A rule would let `memtui check` enforce it on commits: memtui edit {memory.id} --rule {shlex.quote(rule)}"
        )


def _save(
    arguments: argparse.Namespace,
    session: Session,
    memory: Memory,
    values: dict[str, Any],
    version: int | None,
    lists: ListChanges | None = None,
) -> Memory:
    session.back_up_daily()
    return edit_memory(
        session.vault,
        memory.id,
        values,
        actor=session.actor,
        lists=lists,
        if_version=version,
        allow_secret=arguments.allow_secret,
        is_typed=is_typed(),
        secret_patterns=session.secret_patterns,
    )


def _edit_in_editor(arguments: argparse.Namespace, session: Session, memory: Memory) -> Memory:
    """Save what was written in the editor; its file is removed only once that is safe."""
    from memtui.curate.external_editor import edit_in_editor

    version = memory.version if arguments.if_version is None else arguments.if_version
    edited = edit_in_editor(memory)
    for key in edited.left_alone:
        say(f"{key} was not changed; use commands such as pin, retire or verify")
    try:
        saved = _save(arguments, session, memory, edited.values, version) if edited.values else memory
    except MemtuiError:
        say(f"Your text is kept in {edited.path}")
        raise
    edited.path.unlink(missing_ok=True)
    return saved


def _values(arguments: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Return the fields that options give other values."""
    given = {"importance": arguments.importance, "confidence": arguments.confidence, "project": arguments.move_to}
    given |= {field: getattr(arguments, option) for option, field in _EDITED_TEXTS.items()}
    given["insight"] = read_input() if arguments.text == "-" else arguments.text
    given["kind"] = check_kind(session.kinds, arguments.kind) if arguments.kind is not None else None
    values = {field: value for field, value in given.items() if value is not None}
    if arguments.half_life is not None:
        values["half_life_days"] = _half_life(arguments.half_life)
    if arguments.valid_until is not None:
        values["valid_until"] = None if arguments.valid_until == "never" else parse_day(arguments.valid_until)
    return values


def list_changes(arguments: argparse.Namespace, session: Session) -> ListChanges:
    """Return what options add to the tags and files and remove from them."""
    root, folder = session.view.root, session.folder
    return ListChanges(
        add_tags=named_tags(arguments.add_tag),
        remove_tags=named_tags(arguments.remove_tag),
        add_anchors=anchors_for(arguments.add_file, root=root, folder=folder),
        remove_files={relative_name(path, root=root, folder=folder): path for path in arguments.remove_file},
    )


def _say_matches_nothing(anchors: Sequence[Anchor], session: Session) -> None:
    """Say which globs fit no file: they are kept, as the files may be about to come."""
    if told := outcomes.matches_nothing(without_files(anchors, session.view.root)):
        say(f"{told}.")


def _half_life(text: str) -> float | None:
    """Return days, None for the half-life of the kind."""
    return None if text == "kind" else check_half_life(parse_duration(text))


def _edit_many(arguments: argparse.Namespace, session: Session) -> None:
    """Change the tags, files, kind, half-life or importance of all that `--where` selects, as one change."""
    single = next((name for name in _SINGLE_OPTIONS if getattr(arguments, name)), None)
    half_life = _half_life(arguments.half_life) or KIND_HALF_LIFE if arguments.half_life else None
    if single is not None:
        option = f"--{single.replace('_', '-')}"
        raise UsageError("This option edits one memory at a time", where=option, remedy="Leave it out, or give an id.")
    versions, lists = session.selected(arguments), list_changes(arguments, session)
    _say_matches_nothing(lists.add_anchors, session)
    session.back_up_daily()
    outcome = change_many(
        session.vault,
        versions,
        actor=session.actor,
        add_tags=lists.add_tags,
        remove_tags=lists.remove_tags,
        add_anchors=lists.add_anchors,
        remove_files=lists.remove_files,
        kind=arguments.kind,
        half_life_days=half_life,
        importance=arguments.importance,
    )
    session.put_outcome(outcome, "Edited")


def _ids_and_version(parser: Parser) -> None:
    parsing.add_ids(parser)
    parsing.add_if_version(parser)


def _selection(parser: Parser) -> None:
    parsing.add_ids(parser, nargs="*")
    parsing.add_where(parser, "all memories of this project that a query matches")
    parsing.add_if_version(parser)


def _decide(arguments: argparse.Namespace, session: Session, verb: str, act: Callable[..., Outcome]) -> Outcome:
    """Run an act (vault, ids, actor, versions) on the memories that were named or selected; return what it came to.

    Raises:
        UsageError: `--if-version` is given for several memories.
        ConflictError: the memory has another version than `--if-version`.
    """
    session.back_up_daily()
    if arguments.if_version is not None:
        if len(arguments.id) != 1 or getattr(arguments, "where", None):
            raise UsageError(
                "--if-version takes one memory at a time", where=" ".join(arguments.id), remedy="Give one id."
            )
        versions = dict.fromkeys(session.resolve(arguments.id), arguments.if_version)
    else:
        versions = session.selected(arguments) if hasattr(arguments, "where") else {}
    outcome = act(session.vault, arguments.id or list(versions), actor=session.actor, versions=versions)
    if arguments.if_version is not None:
        require_changed(outcome, versions)
    session.put_outcome(outcome, verb)
    return outcome


def _verify(arguments: argparse.Namespace, session: Session) -> None:
    """Confirm that memories are still true: their freshness starts over."""
    _decide(arguments, session, "Verified", partial(lifecycle.verify, tree=session.view.tree))


def _pin(arguments: argparse.Namespace, session: Session) -> None:
    """Pin memories: they never go stale and come first in every payload of their project."""
    _decide(arguments, session, "Pinned", lifecycle.pin)


def _unpin(arguments: argparse.Namespace, session: Session) -> None:
    """Unpin memories."""
    _decide(arguments, session, "Unpinned", partial(lifecycle.pin, pinned=False))


MOST_NAMED = 8  # Memories that a hint names


def _retire_arguments(parser: Parser) -> None:
    _selection(parser)
    parsing.add_reason(parser)


def _retire(arguments: argparse.Namespace, session: Session) -> None:
    """Take memories out of use. They stay in the vault, and an import does not bring them back."""
    act = partial(
        lifecycle.retire,
        reason=arguments.why,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )
    outcome = _decide(arguments, session, "Retired", act)
    if session.json or not outcome.changed:
        return
    from memtui.curate.publishing import files_that_still_say
    from memtui.wording.publishing import still_said_words

    if files := files_that_still_say(session.vault, outcome.changed, session.folder):
        ids = " ".join(memory.id for memory in outcome.changed[:MOST_NAMED])
        say(f"{still_said_words(files)} `memtui withdraw {ids}` takes it out.")


def _restore_arguments(parser: Parser) -> None:
    parsing.add_ids(parser)
    parser.add_value("--to", "VERSION", "bring back the text of this version (see show --history)", type=whole_number)


def _restore(arguments: argparse.Namespace, session: Session) -> None:
    """Bring memories back into use, or bring back an earlier version of one memory's text."""
    session.back_up_daily()
    if arguments.to is None:
        session.put_outcome(lifecycle.restore(session.vault, arguments.id, actor=session.actor), "Restored")
        return
    from memtui.curate.history import go_back

    if len(arguments.id) != 1:
        raise UsageError("--to takes one memory at a time", where=" ".join(arguments.id), remedy="Give one id.")
    memory = go_back(session.vault, arguments.id[0], arguments.to, actor=session.actor)
    session.put({"changed": [memory.id], "unchanged": []}, [memory.id])
    if not session.json:
        say(f"Version {memory.version} now has the text of version {arguments.to}: {memory.title}")


def _snooze_arguments(parser: Parser) -> None:
    parsing.add_ids(parser)
    parser.add_value("--for", "TIME", "1w, 30d, 3 months (default: 1w)", dest="duration")
    parser.add_value("--until", "DATE", "the day on which it returns")
    parser.add_flag("--until-change", "it returns once one of its files has changed")
    parsing.add_if_version(parser)


def _snooze(arguments: argparse.Namespace, session: Session) -> None:
    """Keep memories out of review for a while, or until a file changes."""
    if arguments.until_change:
        from memtui.curate.anchors import snooze_until_change

        if arguments.until or arguments.duration:
            raise UsageError(
                "A snooze ends on a day or with a file change, not both",
                where="--until-change",
                remedy="Leave one of them out.",
            )
        act: Callable[..., Outcome] = partial(snooze_until_change, tree=session.view.tree)
    else:
        from memtui.clock import days_after

        duration = parse_duration(arguments.duration or "1w")
        until = parse_day(arguments.until) if arguments.until else days_after(session.vault.now(), duration)
        act = partial(lifecycle.snooze, until=until)
    _decide(arguments, session, "Snoozed", act)


def _feedback_arguments(parser: Parser) -> None:
    from memtui.curate.packs import VERDICTS

    parser.add_value("id", "PACK|ID", "a pack's id, or a memory's")
    parser.add_value("verdict", "VERDICT", ", ".join(VERDICTS), choices=VERDICTS, nargs="?")
    parser.add_value("--paid", "AMOUNT", "instead of a verdict: what was paid for it, e.g. `0.02 USDC`")
    parsing.add_repeatable(parser, "--only", "ID", "for a pack: only this memory")
    parsing.add_reason(parser)


def _feedback(arguments: argparse.Namespace, session: Session) -> None:
    """Record whether a pack, or one memory, helped. What helped rises in the ranking, what hurt falls.

    A payment, by x402 or metered, counts half as much as a person's word.
    """
    effects = _effects(arguments, session)
    session.put_rows(
        (
            {"id": e.memory_id, "before": round(e.before, 4), "after": round(e.after, 4), "due": e.is_due}
            for e in effects
        ),
        ([e.memory_id, f"{e.before:.2f} → {e.after:.2f}", e.title] for e in effects),
    )
    if session.json:
        return
    say(f"Usefulness updated ({arguments.verdict or f'paid {arguments.paid}'}). {UNDO_HINT}")
    if due := outcomes.due_after_feedback(effects):
        say(due)


def _effects(arguments: argparse.Namespace, session: Session) -> list[Effect]:
    if (arguments.verdict is None) == (arguments.paid is None):
        raise UsageError("Give a verdict, or --paid AMOUNT", remedy="See `memtui feedback --help`.")
    if arguments.paid is not None:
        from memtui.curate.value import pay

        return pay(session.vault, arguments.id, arguments.paid, actor=session.actor, only=arguments.only)
    from memtui.curate.packs import give_feedback

    return give_feedback(
        session.vault,
        arguments.id,
        arguments.verdict,
        actor=session.actor,
        reason=arguments.why,
        only=arguments.only,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )


COMMANDS: Commands = {
    "add": (_add_arguments, _add),
    "edit": (_edit_arguments, _edit),
    "verify": (_selection, _verify),
    "pin": (_ids_and_version, _pin),
    "unpin": (_ids_and_version, _unpin),
    "retire": (_retire_arguments, _retire),
    "restore": (_restore_arguments, _restore),
    "snooze": (_snooze_arguments, _snooze),
    "feedback": (_feedback_arguments, _feedback),
}
