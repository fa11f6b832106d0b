"""What files, or what is staged, break of the constraints: `memtui check` for an assistant."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memtui.assist.check import lines_wanted, run_check
from memtui.assist.check_changes import Change, Changes
from memtui.assist.check_constraints import Constraint, Constraints, stored_constraints
from memtui.assist.check_formats import json_record, keep_signals
from memtui.assist.check_git import GitError, Repository
from memtui.assist.mcp.place import Place, off_words
from memtui.assist.mcp.seeing import NOTE, Answer, Seeing
from memtui.curate.projects import View
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.vault.text_search import secrets_in

MOST_FINDINGS = 25

_WITHHELD = "Not checked here, as it seems to contain a secret: {}. `memtui check` does."


def check(seeing: Seeing, arguments: Mapping[str, Any]) -> Answer:
    """Return what is broken and what reminds, errors first; of named files also before they change."""
    place = seeing.place
    view, off = place.look()
    if off is not None:
        return {"findings": [], "note": off_words(off)}
    named = seeing.files(view, arguments.get("files", ()))
    found = stored_constraints(place.vault, place.folder, place.project)
    safe = replace(found, all=tuple(one for one in found.all if not _is_hidden(one, place)))
    is_staged = arguments.get("staged", not named)
    changes, repository = _changes(safe, view, named, is_staged=is_staged)
    report = run_check(safe, changes, repository=repository)
    if is_staged and not named:
        keep_signals(place.vault.path, report, actor=seeing.session.assistant)
    record = json_record(report)
    findings = [one | {"why": tame(one["why"])} for one in record["findings"][:MOST_FINDINGS]]
    more = len(record["findings"]) - len(findings)
    hidden = len(found.all) - len(safe.all)
    note = f"{NOTE} {_WITHHELD.format(counted(hidden, 'constraint'))}" if hidden else NOTE
    return {"findings": findings, "allowed": record["allowed"][:MOST_FINDINGS], "more": more, "note": note}


def _is_hidden(constraint: Constraint, place: Place) -> bool:
    texts = [constraint.title, constraint.why, *(text for text, _ in constraint.rules)]
    return place.config.context.secrets != "allow" and bool(secrets_in(texts, place.patterns))


def _changes(
    constraints: Constraints, view: View, named: Sequence[str], *, is_staged: bool
) -> tuple[Changes, Repository | None]:
    """Return what is checked: named files as they differ from the last commit, and those yet to be changed."""
    try:
        repository = Repository(view.root, constraints.root)
    except GitError:
        return Changes([Change(name, "M") for name in named]), None
    wanted = lines_wanted(constraints)
    found = repository.staged(wanted) if is_staged else Changes([])
    if named:
        below = Path(os.path.relpath(view.root, repository.top))
        changed = repository.files([(below / name).as_posix() for name in named], wanted).files
        known = {path for change in (*found.files, *changed) for path in change.paths}
        staged = {one.path for one in found.files}
        found.files += [one for one in changed if one.path not in staged]
        found.files += [Change(name, "M") for name in named if name not in known]
    return found, repository
