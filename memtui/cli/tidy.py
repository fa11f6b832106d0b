"""`memtui tidy` and `mend`: what needs attention, and the mends that it offers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from memtui.analysis.flaws import Flaw, Mend
from memtui.cli import parsing
from memtui.cli.output import progress, say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate.projects import unchecked_words
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import FINDINGS, FLAWED, WORDS, TidyReport, flaw_record, lesson_record, report_record
from memtui.errors import EXIT_DONE, EXIT_FINDINGS, NotFoundError
from memtui.text.sanitize import reveal
from memtui.text.words import counted
from memtui.vault.filters import EVERYTHING
from memtui.wording import tidying
from memtui.wording.reasons import partial_words

FINDINGS_SHOWN = 5  # Findings of one kind that are listed for people; `--json` has all

ADVICE = {
    "duplicates": "`memtui merge ID ID…` makes them one, `memtui settle ID ID --no-duplicates` keeps them apart",
    "contradictions": "`memtui settle ID ID --keep ID` keeps one, --scope ID=WHERE keeps both, --none dismisses it",
    "anchors": "`memtui review --re-anchor` follows files to where they are now, --maybe also to where they may be, "
    "`memtui edit ID --add-file PATH --remove-file OLD` replaces one, --remove-file alone removes it, "
    "`memtui settle ID… --gone PATH` accepts that it is missing; fix the scope of a rule file in the file itself",
    "stale": "`memtui verify ID` if still true, else edit or retire it; `memtui review` goes through all of them",
    "oversized": "`memtui mend ID` splits it where possible, `memtui edit ID` to shorten it",
    "vague": "`memtui edit ID` to say what to do and where; `memtui mend ID` retires it",
    "fragments": "`memtui mend ID` joins it with its neighbour or adds its heading",
    "secrets": "`memtui edit ID` and rotate the secret; `memtui purge ID` erases it for good",
    "unconfirmed": "`memtui inbox accept ID` or `memtui inbox reject ID`",
    "unused": "`memtui verify ID` keeps it, `memtui retire ID` takes it out of use",
}


def _tidy_arguments(parser: Parser) -> None:
    parser.add_flag("--dry-run", "list the findings; this is the default, nothing changes")
    parser.add_flag("--all", f"list every finding instead of the first {FINDINGS_SHOWN} of each kind")
    parser.add_flag("--learned", "list what memtui learned from your dismissals, and what it hides")
    parser.add_value("--unlearn", "NAME", "propose similar findings again; those dismissed stay dismissed")
    parsing.add_all_projects(parser)


def _tidy(arguments: argparse.Namespace, session: Session) -> int:
    """Report what needs attention; nothing is changed.

    Findings are duplicates, contradictions, dead anchors, what is due for review, and oversized, vague, fragmentary,
    secret-bearing, unconfirmed and never used memories. Exits 0 when clean and 7 with findings, which suits cron.
    What is like enough dismissed proposals is not shown: --learned lists why, --unlearn takes that back.
    """
    report = tidy_report(session, all_projects=arguments.all_projects)
    if arguments.unlearn is not None:
        return _unlearn(arguments.unlearn, report, session)
    if arguments.learned:
        return _print_lessons(report, session)
    if report.unchecked:
        say(unchecked_words(report.unchecked))
    if report.without_vector:
        say(partial_words(report.without_vector))
    if session.json:
        write_json(report_record(report))
    else:
        _print_findings(report, None if arguments.all else FINDINGS_SHOWN)
    return EXIT_FINDINGS if report.total else EXIT_DONE


def tidy_report(session: Session, *, all_projects: bool = False) -> TidyReport:
    """Return what a pass over the memories in view finds."""
    options = TidyOptions(
        scope=EVERYTHING if all_projects else session.view.listing_scope,
        threshold=session.config.review.threshold,
        tree=session.view.tree,
        model=session.stored_model,
        secret_patterns=session.secret_patterns,
        encoding=session.config.context.encoding,
    )
    return tidy(session.vault, options, stage=progress)


def _print_findings(report: TidyReport, most: int | None) -> None:
    """Print the findings of each kind, at most so many, and what to do about them."""
    for finding in FINDINGS:
        if number := len(getattr(report, finding)):
            mass = tidying.mass_words(report, finding)
            write_line(f"{WORDS.get(finding, finding)} ({number:,}, {mass}): {ADVICE[finding]}")
            _print_first(_finding_rows(report, finding), number, most)
    if report.ripe:
        write_line(f'ripe ({len(report.ripe):,}): `memtui reflect ID ID… --text "…"` writes one conclusion from them')
        _print_first((f"{' '.join(group.ids)}  {group.why}" for group in report.ripe), len(report.ripe), most)
    if report.records:
        write_line(f"{tidying.records_words(report)}.")
    if report.hidden:
        say(tidying.not_shown(report.lessons))
    counts = report.counts()
    where = f"{counted(counts['memories'], 'memory')}, {counts['tokens']:,} tokens"
    if not report.total:
        say(f"Nothing to tidy in {where}.")
        return
    after = counts["memories_after"]
    merging = f"; merging the easy duplicates leaves {after:,}" if after < counts["memories"] else ""
    say(f"{counted(report.total, 'finding')} in {where}{merging}. Nothing was changed.")


def _print_first(rows: Iterable[str], number: int, most: int | None) -> None:
    for row in islice(rows, most):
        write_line(f"  {reveal(row)}")
    if most is not None and number > most:
        write_line(f"  and {number - most:,} more; --all lists them")
    write_line("")


def _finding_rows(report: TidyReport, finding: str) -> Iterator[str]:
    if finding == "duplicates":
        for group in report.duplicates:
            pile = "easy" if group.pile == "easy" else "please check"
            alike = " · ".join(filter(None, (f"{pile}, similarity {group.score:.2f}", group.why, *group.warnings)))
            yield f"{' '.join(group.ids)}  {alike} · {' / '.join(report.titles[name] for name in group.ids)}"
    elif finding == "contradictions":
        for pair in report.contradictions:
            newer = f" · {pair.winner} is newer: `memtui settle {' '.join(pair.ids)} --keep {pair.winner}`"
            yield f"{' '.join(pair.ids)}  {pair.type} · {pair.why}{newer if pair.winner else ''}"
    elif finding == "anchors":
        for anchor in report.anchors:
            yield f"{anchor.id}  {anchor.state} · {tidying.anchor_words(anchor)}"
    elif finding in FLAWED:
        for identifier in getattr(report, finding):
            yield f"{identifier}  {tidying.flaw_words(report.flaws[identifier])} · {report.titles[identifier]}"
    else:
        for identifier in getattr(report, finding):
            reason = report.planted.get(identifier) if finding == "unconfirmed" else None
            held = f"{tidying.planted_words(reason)} · " if reason else ""
            yield f"{identifier}  {held}{report.titles[identifier]}"


def _print_lessons(report: TidyReport, session: Session) -> int:
    lessons = report.lessons
    session.put_rows(
        (lesson_record(lesson, number) for lesson, number in lessons),
        ([lesson.name, tidying.lesson_words(lesson, number)] for lesson, number in lessons),
    )
    if not session.json:
        say(
            "`memtui tidy --unlearn NAME` shows them again." if lessons else "Nothing learned from your dismissals yet."
        )
    return EXIT_DONE


def _unlearn(name: str, report: TidyReport, session: Session) -> int:
    from memtui.curate.resolutions import unlearn

    lesson = report.lesson(name)
    session.back_up_daily()
    number = unlearn(session.vault, lesson, actor=session.actor)
    session.put({"name": lesson.name, "dismissals": number}, [lesson.name])
    say(f"{tidying.unlearned(lesson)}. {UNDO_HINT}")
    return EXIT_DONE


def _mend_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "the memories; without any, list the suggested fixes", nargs="*")
    ways = [way.value for way in Mend if way is not Mend.EDIT]
    parser.add_value("--how", "WAY", f"{', '.join(ways)} (default: the suggested one)", choices=ways)
    parser.add_flag("--dry-run", "only print what would be done")
    parsing.add_all_projects(parser)


def _mend(arguments: argparse.Namespace, session: Session) -> None:
    """Mend what `tidy` lists as oversized, vague or a fragment.

    A fragment is joined with its neighbour in the source, or takes in the heading that it stood under. What says
    nothing is retired, and what says too much is split. All of it is one undoable change; what only an edit can shorten
    stays as it is.
    """
    report = tidy_report(session, all_projects=arguments.all_projects)
    wanted = session.resolve(arguments.id) or list(report.flaws)
    flaws = [_flaw(report, identifier) for identifier in wanted]
    if arguments.dry_run or not arguments.id:
        _print_offers(flaws, report, session)
        return
    from memtui.curate.mends import mend_all

    session.back_up_daily()
    result = mend_all(session.vault, flaws, actor=session.actor, how=Mend(arguments.how) if arguments.how else None)
    done = result.done
    if result.failed and not done:
        raise result.failed[0][1]
    for _, error in result.failed:
        say(f"Unchanged: {error}")
    session.put_rows(
        ({"id": one.memory.id, "mend": one.mend, "others": [other.id for other in one.others]} for one in done),
        ([one.memory.id, tidying.mended(one)] for one in done),
    )
    if not session.json:
        say(f"Mended {counted(len(done), 'memory')}. {UNDO_HINT}")


def _print_offers(flaws: Sequence[Flaw], report: TidyReport, session: Session) -> None:
    session.put_rows(
        (flaw_record(flaw) for flaw in flaws),
        ([one.id, tidying.mend_words(one), tidying.flaw_words(one), report.titles[one.id]] for one in flaws),
    )
    if not session.json:
        say(_offered(flaws))


def _offered(flaws: Sequence[Flaw]) -> str:
    if not flaws:
        return "Nothing to mend."
    by_hand = sum(flaw.mend is Mend.EDIT for flaw in flaws)
    also = f", and {by_hand:,} that can be shortened only by editing" if by_hand else ""
    return f"{counted(len(flaws) - by_hand, 'fix', 'fixes')} suggested{also}. Nothing was changed."


def _flaw(report: TidyReport, identifier: str) -> Flaw:
    flaw = report.flaws.get(identifier)
    if flaw is None:
        raise NotFoundError(
            "No fix is suggested for it", where=identifier, remedy="`memtui mend` lists the suggested fixes."
        )
    return flaw


COMMANDS: Commands = {"tidy": (_tidy_arguments, _tidy), "mend": (_mend_arguments, _mend)}
