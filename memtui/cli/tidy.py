"""`memtui tidy`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from memtui.cli.output import plural, say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.projects import unchecked_words
from memtui.curate.tidy import FINDINGS, WORDS, TidyOptions, TidyReport, report_record, tidy
from memtui.errors import EXIT_DONE, EXIT_FINDINGS
from memtui.progress import ProgressCallback

DESCRIPTIONS = {
    "tidy": "Look through the vault for what should be put right: duplicates, contradictions, dead anchors, what is "
    "due for review, oversized, vague, secret-bearing, unconfirmed and never used memories. It changes nothing, exits "
    "0 when clean and 7 with findings, and is fit for cron."
}

SHOWN = 5
"""Findings of one kind that are listed for people; `--json` has all."""

ADVICE = {
    "duplicates": "`memtui merge ID ID…` makes one of them, `memtui settle ID ID --no-duplicates` leaves them",
    "contradictions": "`memtui settle ID ID --keep ID` keeps one, --scope ID=WHERE both; --none says that it is none",
    "anchors": "`memtui review --re-anchor` ties them to where their files went, "
    "`memtui edit ID --add-file PATH --remove-file OLD` one of them to any",
    "stale": "`memtui verify ID` if still true, else edit or retire it; `memtui review` goes through them",
    "oversized": "`memtui edit ID` to shorten it, or split it in two",
    "vague": "`memtui edit ID` to say what to do and where, or `memtui retire ID`",
    "secrets": "`memtui edit ID` and rotate the secret; `memtui purge ID` erases it for good",
    "unconfirmed": "`memtui inbox accept ID` or `memtui inbox reject ID`",
    "unused": "`memtui verify ID` keeps it, `memtui retire ID` takes it out of use",
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--dry-run", action="store_true", help="list the findings: the default, nothing changes")
    parser.add_argument("--all-projects", action="store_true", help="every project, and the unassigned")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print what a pass finds."""
    report = tidy(session.vault, _options(arguments, session), stage=_stage)
    if report.unchecked:
        say(unchecked_words(report.unchecked))
    if session.json:
        write_json(report_record(report))
    else:
        for line in _lines(report):
            write_line(line)
        _tell(report)
    return EXIT_DONE if not report.total else EXIT_FINDINGS


def _options(arguments: argparse.Namespace, session: Session) -> TidyOptions:
    from memtui.vault.filters import EVERYTHING

    return TidyOptions(
        scope=EVERYTHING if arguments.all_projects else session.view.listing_scope,
        threshold=session.config.review.threshold,
        tree=session.view.tree,
        model=_model(session),
        secret_patterns=session.config.secrets.patterns,
        encoding=session.config.context.encoding,
    )


def _model(session: Session) -> str | None:
    """Return the name of the model whose stored vectors may be compared; no model is loaded for it."""
    from memtui.embedding.engine import model_state

    state = model_state(session.config.embedding.model)
    return state.name if state.usable else None


def _stage(name: str) -> ProgressCallback | None:
    """Return a callback that shows progress on a terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\r" if done < total else "\r\x1b[K"
        print(f"{name}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def _lines(report: TidyReport) -> Iterator[str]:
    """Yield the findings for people: the first few of each kind, and what to do about them."""
    from memtui.text.sanitize import reveal

    for finding in FINDINGS:
        rows = list(_rows(report, finding))
        if not rows:
            continue
        number = len(getattr(report, finding))
        yield f"{WORDS.get(finding, finding)} ({number:,}, {report.token_mass(finding):,} tokens): {ADVICE[finding]}"
        for row in rows[:SHOWN]:
            yield f"  {reveal(row)}"
        if number > SHOWN:
            yield f"  and {number - SHOWN:,} more"
        yield ""
    if report.ripe:
        yield f'ripe ({len(report.ripe):,}): `memtui reflect ID ID… --text "…"` writes one conclusion from them'
        for group in report.ripe[:SHOWN]:
            yield reveal(f"  {' '.join(group.ids)}  {group.why}")
        if len(report.ripe) > SHOWN:
            yield f"  and {len(report.ripe) - SHOWN:,} more"
        yield ""


def _rows(report: TidyReport, finding: str) -> Iterator[str]:
    if finding == "duplicates":
        for group in report.duplicates:
            differs = f" · {'; '.join(group.warnings)}" if group.warnings else ""
            yield f"{' '.join(group.ids)}  {group.pile}, {group.score:.2f}{differs} · {report.titles[group.ids[0]]}"
    elif finding == "contradictions":
        for contradiction in report.contradictions:
            yield f"{' '.join(contradiction.ids)}  {contradiction.type} · {contradiction.why}"
    elif finding == "anchors":
        for anchor in report.anchors:
            now = f" · maybe {anchor.suggestion}" if anchor.suggestion and anchor.state == "gone" else ""
            now = f" · now {anchor.suggestion}" if anchor.suggestion and anchor.state == "moved" else now
            yield f"{anchor.id}  {anchor.state} · {anchor.path}{now}"
    else:
        for identifier in getattr(report, finding):
            yield f"{identifier}  {report.titles[identifier]}"


def _tell(report: TidyReport) -> None:
    counts = report.counts()
    looked = f"{plural(counts['memories'], 'memory')}, {counts['tokens']:,} tokens"
    if not report.total:
        say(f"Nothing to tidy in {looked}.")
        return
    after = counts["memories_after"]
    merged = f"; merging the easy duplicates leaves {after:,}" if after < counts["memories"] else ""
    say(f"{plural(report.total, 'finding')} in {looked}{merged}. Nothing was changed.")
