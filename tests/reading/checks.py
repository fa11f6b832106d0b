"""Read the texts of this folder and compare what comes out with what a person would take from them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from bench.yard_faults import lines_lost, title_faults

from memtui.capture.draft import Draft
from memtui.capture.importer import ImportRequest, SourcesRead, read_sources

READING = Path(__file__).parent
LONGEST_TITLE = 100
LONGEST_TEXT = 1_200

Text = dict[str, Any]


def texts() -> list[Text]:
    """Return the texts of both halves."""
    return [
        text
        for half in ("dev", "locked")
        for text in tomllib.loads((READING / f"{half}.toml").read_text(encoding="utf-8"))["text"]
    ]


def imported(text: Text, folder: Path) -> SourcesRead:
    """Return what an import of a repository reads that holds the text and nothing else."""
    path = folder / "repository" / text["file"]
    path.parent.mkdir(parents=True)
    path.write_text(text["source"], encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(folder / "repository")], check=True)
    root = folder / "repository"
    return read_sources(ImportRequest(paths=[root], folder=root, home=folder / "home"))


def said(draft: Draft) -> str:
    return re.sub(r"\s+", " ", f"{draft.insight} {draft.rationale} {draft.snippet}")


def matching(expected: Text, read: SourcesRead) -> Draft:
    """Return the one memory that says all parts of what is expected."""
    found = [draft for draft, _ in read.drafts if all(part in said(draft) for part in expected["says"])]
    assert len(found) == 1, f"{len(found)} memories say {expected['says']}: {[said(draft) for draft, _ in read.drafts]}"
    return found[0]


def check_texts(text: Text, read: SourcesRead) -> None:
    matched = [matching(expected, read) for expected in text["memories"]]
    assert len({id(draft) for draft in matched}) == len(matched), "one memory holds what should be several"
    if not text.get("more"):
        assert len(read.drafts) == len(matched), [said(draft) for draft, _ in read.drafts]
    assert all(len(draft.insight) <= LONGEST_TEXT or "```" in draft.insight for draft, _ in read.drafts)


def check_titles(text: Text, read: SourcesRead) -> None:
    for expected in text["memories"]:
        title = matching(expected, read).title
        assert all(part.casefold() in title.casefold() for part in expected["title"]), title
        assert not any(part.casefold() in title.casefold() for part in expected.get("title_not", ())), title
    for draft, _ in read.drafts:
        faults = set(title_faults(draft.title))
        assert len(draft.title) <= LONGEST_TITLE, draft.title
        assert not faults, f"{draft.title}: {faults}"


def check_kinds(text: Text, read: SourcesRead) -> None:
    for expected in text["memories"]:
        draft = matching(expected, read)
        assert draft.kind in expected["kinds"], f"{draft.title}: {draft.kind}"


def check_report(text: Text, read: SourcesRead) -> None:
    lines = text["source"].split("\n")
    held = [(draft.source.span or (1, len(lines)), f"{draft.title} {said(draft)}") for draft, _ in read.drafts]
    told = [skipped.span for skipped in read.skipped if skipped.span is not None]
    if read.files:
        assert lines_lost(lines, held, told) == []
    for part in text.get("left_out", ()):
        (number,) = (number for number, line in enumerate(lines, 1) if part in line)
        assert any(first <= number <= last for first, last in told), f"{part} is not reported"
        assert not any(part in said(draft) for draft, _ in read.drafts), f"{part} is in a memory"


CHECKS = {"texts": check_texts, "titles": check_titles, "kinds": check_kinds, "report": check_report}


def failing() -> dict[str, list[str]]:
    """Return the names of the texts that fail today, by check."""
    return tomllib.loads((READING / "failing.toml").read_text(encoding="utf-8"))
