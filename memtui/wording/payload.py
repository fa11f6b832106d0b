"""Payloads, their explanation and their warnings, as sentences and as records for `--json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memtui.curate.explain_payload import Explained, PayloadContradiction
from memtui.domain.reasons import ReasonCode
from memtui.pack.build import Pack
from memtui.recall.result import Hit
from memtui.text.quantities import Budget
from memtui.wording.reasons import counts_words, explained, hit_words, part_words, sentence

SCORE_DIGITS = 6
"""Digits of a score in JSON: freshness moves with the clock, beyond them within a second."""

SHOWN_PAIRS = 3
"""Contradictions that a warning names; the others are a number."""

SHOWN_TITLE = 50
"""Characters of a title in a warning."""


def pack_record(pack: Pack) -> dict[str, Any]:
    """Return a pack for `context --json`."""
    record: dict[str, Any] = {
        "payload": pack.payload,
        "target": pack.target,
        "encoding": pack.encoding,
        "exact": pack.exact,
        "style": pack.style,
        "tokens": pack.tokens,
        "margin": pack.margin,
        "tokens_at_most": pack.tokens_at_most,
        "budget": pack.budget.amount,
        "budget_unit": pack.budget.unit,
        "size": pack.size,
        "included": [
            {
                "id": one.memory.id,
                "tokens": one.tokens,
                "score": round(one.score, SCORE_DIGITS),
                "reason": hit_words(one.hit),
                "reason_code": str(one.hit.reasons[0].code),
                "detail": one.detail,
            }
            | ({"status": one.status} if one.status else {})
            for one in pack.included
        ],
        "withheld": [
            {"id": one.id, "reason": sentence(one.reason), "reason_code": str(one.reason.code)} for one in pack.withheld
        ],
        "withheld_counts": counts_words(pack.withheld_counts),
        "other_projects": pack.other_projects,
    }
    if pack.abstained is None:
        return record
    return record | {"abstained": {"reason": sentence(pack.abstained), "reason_code": str(pack.abstained.code)}}


def explanation(hit: Hit) -> list[tuple[str, str, str]]:
    """Return rows of (part, its input, its contribution): the terms, their sum, the factors, the score."""
    rows = [(part.name, part_words(part), f"+ {part.value:.3f}") for part in hit.parts if part.role == "term"]
    rows.append(("relevance", "sum of the above", f"= {hit.relevance:.3f}"))
    rows += [(part.name, part_words(part), f"× {part.value:.3f}") for part in hit.parts if part.role == "factor"]
    rows.append(("score", "relevance times the factors", f"= {hit.score:.3f}"))
    return rows


def explanation_record(hit: Hit) -> dict[str, Any]:
    """Return the explanation for `--json`: score, relevance, reason and every part."""
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "reason": hit_words(hit),
        "parts": [
            {"name": part.name, "role": part.role, "value": round(part.value, 9), "detail": part_words(part)}
            for part in hit.parts
        ],
    }


def explained_words(found: Explained) -> str:
    """Return why a memory is in a payload or not."""
    return hit_words(found.included.hit) if found.included else explained(found.reason)


def explained_record(found: Explained, budget: Budget) -> dict[str, Any]:
    """Return why a memory is in a payload or not, for `why --json`."""
    inside = found.included
    return {
        "id": found.memory.id,
        "title": found.memory.title,
        "included": inside is not None,
        "reason": explained_words(found),
        "reason_code": str(found.reason.code),
        "remedies": list(remedies(found, budget)),
        "tokens": inside.tokens if inside else None,
        "explain": explanation_record(inside.hit) if inside else None,
    }


def remedies(found: Explained, budget: Budget) -> tuple[str, ...]:
    """Return what would bring a withheld memory in, the least first, as options of `memtui context` or commands."""
    if found.included is not None:
        return ()
    own = _REMEDIES.get(found.reason.code)
    known = {"id": found.memory.id, "project": found.memory.project, "other": found.reason.other}
    if callable(own):
        first = own(found, budget)
    else:
        first = () if own is None or ("{other}" in own and not found.reason.title) else (own.format(**known),)
    return (*first, f"--with {found.memory.id}")


def _larger_budget(found: Explained, budget: Budget) -> tuple[str, ...]:
    if not found.reason.over:
        return ("a larger --budget",)
    unit = "" if budget.unit == "tokens" else budget.unit
    return (f"--budget {budget.amount + found.reason.over}{unit} or more",)


def _nearer_task(found: Explained, _: Budget) -> tuple[str, ...]:
    files = [anchor.path for anchor in found.memory.anchors if not anchor.is_glob][:1]
    return ("a task that uses its words", *(f"--file {path}" for path in files))


_REMEDIES: Mapping[ReasonCode, str | Callable[[Explained, Budget], tuple[str, ...]]] = {
    ReasonCode.BELOW_FLOOR: _nearer_task,
    ReasonCode.UNRELATED: _nearer_task,
    ReasonCode.OVER_BUDGET: _larger_budget,
    ReasonCode.OVER_LIMIT: "another --target",
    ReasonCode.TOO_MANY: "a larger --max",
    ReasonCode.TOO_FAR: "--style full",
    ReasonCode.SECRET: "--secrets mask",
    ReasonCode.ALREADY_LOADED: "--with-loaded",
    ReasonCode.LEFT_OUT: "drop --without {id}",
    ReasonCode.OUT_OF_SCOPE: "--phase or --file to match where it applies",
    ReasonCode.UNCONFIRMED: "memtui inbox accept {id}",
    ReasonCode.UNASSIGNED: "memtui edit {id} --move-to PROJECT",
    ReasonCode.OTHER_PROJECT: "--project {project}",
    ReasonCode.RETIRED: "memtui restore {id}",
    ReasonCode.MERGED: "memtui unmerge {other}",
    ReasonCode.DUPLICATE: "--without {other}",
    ReasonCode.CONTRADICTED: "memtui settle {id} {other}",
    ReasonCode.EXPIRED: "--as-of DATE",
    ReasonCode.NOT_YET_VALID: "--as-of DATE",
}
"""What brings a memory in; putting it in by hand works in any case."""


def contradiction_words(found: PayloadContradiction) -> str:
    """Return both memories with what contradicts: `Lock refunds [k3x9abcd] 30 s against Lock key [o6j6sc7w] 60 s`."""
    sides = zip(found.titles, found.contradiction.ids, found.contradiction.words, strict=True)
    return " against ".join(f"{title[:SHOWN_TITLE]} [{one}] {word}".rstrip() for title, one, word in sides)


def contradictions_words(contradictions: Sequence[PayloadContradiction]) -> str:
    """Return the contradictions of a payload and the command that settles them, in one line; empty for none."""
    if not contradictions:
        return ""
    number = len(contradictions)
    named = "; ".join(map(contradiction_words, contradictions[:SHOWN_PAIRS]))
    more = f"; and {number - SHOWN_PAIRS} more" if number > SHOWN_PAIRS else ""
    settled = "it" if number == 1 else "them"
    return f"{contradictions_count(contradictions)} in this payload: {named}{more}; memtui tidy settles {settled}"


def contradictions_count(contradictions: Sequence[PayloadContradiction]) -> str:
    """Return how many contradictions there are: `2 possible contradictions`."""
    return f"{len(contradictions)} possible contradiction{'' if len(contradictions) == 1 else 's'}"
