"""Drafts that hold what looks like a secret: found in batches, told without the value."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.capture.draft import Draft
from memtui.text.secrets import find_secrets
from memtui.vault.secrecy import Patterns, secrets_in

BATCH = 100
"""Drafts that are looked through at once: a rule costs more to begin than to go on, so that one look at a hundred
drafts takes a third of a hundred looks."""

_TEXTS = frozenset({"title", "insight", "rationale", "snippet"})


class SecretScreen:
    """Looks through the drafts of one import, each batch once and only if a draft of it is asked for.

    Args:
        drafts: all of them.
        patterns: the user's own rules; an expression may mean the beginning of a text, so with them each draft is
            looked through by itself.
    """

    def __init__(self, drafts: Sequence[Draft], patterns: Patterns) -> None:
        self._patterns = patterns
        self._batches = [drafts[at : at + BATCH] for at in range(0, len(drafts), BATCH)]
        self._batch_of = {id(draft): number for number, batch in enumerate(self._batches) for draft in batch}
        self._clean: dict[int, bool] = {}

    def reason(self, draft: Draft) -> str:
        """Return why a draft is left out, with the rules and the place but never the value; empty if it is not."""
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
    """Return all that a draft holds, each text once: a record states more than its draft, but not its place."""
    return draft if draft.record is None else (draft.record, draft.source)


def _where(draft: Draft, patterns: Sequence[tuple[str, str]]) -> str:
    """Return which lines are left out, and in which the finding stands as far as the draft still tells."""
    remedy = "; --allow-secret stores it"
    if draft.source.span is None:
        return remedy
    first, last = draft.source.span
    before = next((one.start for one in find_secrets(draft.insight, patterns) if one.severity == "secret"), None)
    if before is None or first == last:
        return remedy
    line = min(last, first + draft.insight[:before].count("\n"))
    return f" in or near line {line}; lines {first}-{last} are left out with it{remedy}"
