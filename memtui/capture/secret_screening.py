"""Drafts with secrets: found in batches, reported without the value, stored without those lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memtui.analysis.title_headings import scoped
from memtui.analysis.titles import title_for
from memtui.capture.context import without_lead
from memtui.capture.draft import PLANTED, Draft, Skipped
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stable_split import KnownUnit
from memtui.domain.memory import DECISION_RECORDS, planted_in
from memtui.text.secrets import SecretFinding, find_secrets
from memtui.vault.text_search import Patterns, secrets_in

LEFT_OUT = "secret-line-left-out"  # Note of a draft from which a line was left out

_FENCE = re.compile(r"\s*(?:```|~~~)")
_MARKED = re.compile(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|\||#{1,6}\s|>)")
"""Begins a list item, a table row, a heading or a quotation."""

_SETTING = re.compile(r"\s*(?:export\s+)?[\w.-]+\s*[:=]\s*\S+\s*$")  # `NAME=value` alone on its line

_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")

_BLANK_LINES = re.compile(r"\n{3,}")


def without_secret_lines(draft: Draft, patterns: Patterns) -> tuple[Draft, list[Skipped]] | None:
    """Return a draft without its items, rows, sentences or settings that hold a secret, and those lines as skipped.

    None if nothing worth keeping would be left, or if a secret stands elsewhere too: then the whole draft is skipped.
    """
    skipped: list[Skipped] = []
    kept: dict[str, Any] = {}
    for field in ("insight", "rationale", "snippet"):
        text = getattr(draft, field)
        found = [one for one in find_secrets(text, patterns) if one.severity == "secret"]
        if found:
            kept[field], lines = _without(text, found, is_code=field == "snippet")
            skipped += [_skipped(draft, line if field == "insight" else 0, rules) for line, rules in lines]
    insight = kept.get("insight", draft.insight)
    if not kept or not _says_something(insight):
        return None
    path = KnownUnit(draft.source.native_id, "").headings
    above = scoped(path, draft.source.path or "")
    before, after = (title_for(without_lead(text, path), above) for text in (draft.insight, insight))
    title = after if before == draft.title else draft.title
    rest = replace(draft, title=title, notes=(*draft.notes, LEFT_OUT), **kept)
    if PLANTED in draft.notes and not _looks_planted(rest):
        rest = replace(rest, notes=tuple(note for note in rest.notes if note != PLANTED))
    return None if secrets_in(rest, patterns) else (rest, skipped)


def _looks_planted(draft: Draft) -> bool:
    named = (draft.source.path or "", draft.source.native_id or "")
    texts = (draft.title, draft.insight, draft.rationale, draft.snippet, *draft.tags, *named)
    return bool(planted_in(*texts, of_record=draft.source.format in DECISION_RECORDS))


def _without(text: str, found: Sequence[SecretFinding], *, is_code: bool) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without the pieces that findings touch, and the first line of each with its rules."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    gone: list[tuple[int, str]] = []
    kept = [True] * len(lines)
    for first, end in _pieces(lines, is_code=is_code):
        rules = [one.rule for one in found if one.start < starts[end] and one.end > starts[first]]
        if rules:
            gone.append((first, ", ".join(dict.fromkeys(rules))))
            kept[first:end] = [False] * (end - first)
    _drop_empty_fences(lines, kept)
    rest = "\n".join(line for line, stays in zip(lines, kept, strict=True) if stays)
    return _BLANK_LINES.sub("\n\n", rest).strip("\n"), gone


def _pieces(lines: Sequence[str], *, is_code: bool) -> Iterator[tuple[int, int]]:
    """Yield (first line, line after the last) of the pieces of a text that can be removed on their own."""
    first, in_fence = 0, is_code
    for number in range(1, len(lines)):
        before, line = lines[number - 1], lines[number]
        if not is_code and _FENCE.match(before):
            in_fence = not in_fence
        apart = in_fence or not line.strip() or not before.strip() or _FENCE.match(before) or _FENCE.match(line)
        apart = apart or _MARKED.match(line) or _SETTING.match(line) or _SETTING.match(before)
        if apart or before.rstrip().endswith(_ENDS):
            yield first, number
            first = number
    yield first, len(lines)


def _drop_empty_fences(lines: Sequence[str], kept: list[bool]) -> None:
    opened: int | None = None
    for number, line in enumerate(lines):
        if not _FENCE.match(line):
            continue
        if opened is None:
            opened = number
            continue
        if not any(kept[inner] and lines[inner].strip() for inner in range(opened + 1, number)):
            kept[opened] = kept[number] = False
        opened = None


def _says_something(text: str) -> bool:
    """Return whether more is left than headings, lead-ins and marks."""
    return any(
        any(character.isalpha() for character in line)
        and not line.rstrip().endswith(":")
        and not line.lstrip().startswith("#")
        and not _FENCE.match(line)
        for line in text.split("\n")
    )


def _skipped(draft: Draft, line: int, rules: str) -> Skipped:
    span = draft.source.span
    place = None if span is None else min(span[1], span[0] + max(0, line - _added_lines(draft)))
    return Skipped(
        draft.source.path or "",
        None if place is None else (place, place),
        f"looks like a secret ({rules}); the rest of “{_plain(draft)}” is kept; --allow-secret stores it",
        code=SkipCode.SECRET_LINE,
    )


def _added_lines(draft: Draft) -> int:
    """Return how many lines of a draft are headings put before its text."""
    bare = without_lead(draft.insight, KnownUnit(draft.source.native_id, "").headings)
    return draft.insight[: len(draft.insight) - len(bare)].count("\n")


def _plain(draft: Draft) -> str:
    """Return what identifies the lines beside a secret: the heading above them, never a value."""
    heading = (draft.source.native_id or "").rsplit("#", 1)[0].split(" > ")[-1]
    return heading if heading and not secrets_in(heading) else "its section"


BATCH = 100
"""Drafts scanned together: starting a rule costs more than going on, so scanning a hundred at once takes a third of the
time."""

_TEXTS = frozenset({"title", "insight", "rationale", "snippet"})


class SecretScreen:
    """Scans the drafts of one import, each batch once and only when one of its drafts is asked for.

    `patterns`: the user's own rules; an expression may match the beginning of a text, so with them each draft is
    scanned by itself.
    """

    def __init__(self, drafts: Sequence[Draft], patterns: Patterns) -> None:
        self._patterns = patterns
        self._batches = [drafts[at : at + BATCH] for at in range(0, len(drafts), BATCH)]
        self._batch_of = {id(draft): number for number, batch in enumerate(self._batches) for draft in batch}
        self._clean: dict[int, bool] = {}

    def reason(self, draft: Draft) -> str:
        """Return why a draft is skipped, with the rules and the place but never the value; empty if it is not."""
        if self._is_clean(draft):
            return ""
        found = secrets_in(_held(draft), self._patterns)
        if not found:
            return ""
        names = ", ".join(dict.fromkeys(rule for rules in found.values() for rule in rules))
        elsewhere = next((field for field in found if field not in _TEXTS), "")
        place = f" in {elsewhere}" if elsewhere else ""
        return f"looks like a secret ({names}){place}{_where(draft, self._patterns)}"

    def _is_clean(self, draft: Draft) -> bool:
        number = self._batch_of.get(id(draft))
        if number is None or self._patterns:
            return False
        if number not in self._clean:
            self._clean[number] = not secrets_in([_held(one) for one in self._batches[number]])
        return self._clean[number]


def _held(draft: Draft) -> object:
    """Return everything a draft holds, each text once: a record states more than its draft, except its place."""
    return draft if draft.record is None else (draft.record, draft.source)


def _where(draft: Draft, patterns: Sequence[tuple[str, str]]) -> str:
    """Return which lines are left out, and the line of the finding as far as the draft still tells it."""
    remedy = "; --allow-secret stores it"
    if draft.source.span is None:
        return remedy
    first, last = draft.source.span
    before = next((one.start for one in find_secrets(draft.insight, patterns) if one.severity == "secret"), None)
    if before is None or first == last:
        return remedy
    line = min(last, first + max(0, draft.insight[:before].count("\n") - _added_lines(draft)))
    return f" in or near line {line}; lines {first}-{last} are left out with it{remedy}"
