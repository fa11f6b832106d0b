"""Sentences about a payload and the reasons behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from memtui.curate.explain_payload import Explained
from memtui.curate.review_queue import PACE_REASONS
from memtui.domain.freshness import AUTOMATIC
from memtui.domain.reasons import FOREIGN, Reason, ReasonCode
from memtui.pack.budget import DETAIL_WORDS
from memtui.pack.build import Included, Pack
from memtui.pack.grounds import grounds_of
from memtui.recall.result import Hit, Part
from memtui.text.words import Budget, clip_at_word, counted, shorten
from memtui.wording.chances import chance_record, chance_words, needed_words, nothing_likely, too_unlikely
from memtui.wording.remedies import remedies

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction

SHOWN_WORDS = 6
SHOWN_NAMES = 3
SHOWN_TITLE = 60  # Words, names and characters of a title that a sentence shows; the others are a number or left out

_BARE: Mapping[ReasonCode, str] = {
    ReasonCode.OTHER_PROJECT: "other project",
    ReasonCode.UNASSIGNED: "unassigned",
    ReasonCode.UNCONFIRMED: "not confirmed (inbox)",
    ReasonCode.RETIRED: "retired or rejected",
    ReasonCode.SUPERSEDED: "superseded",
    ReasonCode.MERGED: "merged",
    ReasonCode.NOT_YET_VALID: "not valid yet",
    ReasonCode.EXPIRED: "expired",
    ReasonCode.OUTSIDE_VALID_TIME: "outside its valid time",
    ReasonCode.OUT_OF_SCOPE: "applies elsewhere",
    ReasonCode.CONTRADICTED: "contradicts another",
    ReasonCode.DUPLICATE: "duplicate",
    ReasonCode.BELOW_FLOOR: "has too little in common with the task",
    ReasonCode.UNRELATED: "has nothing in common with the task",
    ReasonCode.NOTHING_NEAR: "no memory comes close to the task",
    ReasonCode.BEYOND_LIMIT: "outranked by others",
    ReasonCode.TOO_FAR: "unlikely to matter",
    ReasonCode.NEEDS_ANOTHER: "refers to a memory that is not included",
    ReasonCode.OVER_BUDGET: "over budget",
    ReasonCode.SECRET: "secret",
    ReasonCode.PLANTED: "looks planted, not verified",
    ReasonCode.ALREADY_LOADED: "already loaded by the target",
    ReasonCode.LOADED_THERE: "loaded by the target in their folders",
    ReasonCode.LEFT_OUT: "left out by you",
    ReasonCode.PUT_IN: "added by you",
    ReasonCode.ALLOWED_UNCONFIRMED: "not confirmed, included on request",
    ReasonCode.PINNED: "pinned",
    ReasonCode.NAMED: "the query is its id or title",
    ReasonCode.BEGUN: "contains what you have typed",
    ReasonCode.WEAK: "weakly related in words and meaning",
    ReasonCode.USEFUL: "among the most useful in this project",
    ReasonCode.SAME_PROJECT: "in this project, not tied to these files",
    ReasonCode.NO_TASK: "its baseline score",
    ReasonCode.RECORDED: "included when it was used",
    ReasonCode.NO_ACTIVE_MEMORY: "no active memory is in scope",
    ReasonCode.NO_TELLING_WORD: "the task has no informative word",
    ReasonCode.ALL_SECRET: "everything relevant contains what looks like a secret",
    ReasonCode.ALL_PLANTED: "everything relevant looks planted and is not verified",
    ReasonCode.ALL_LOADED: "the target already reads everything relevant",
    ReasonCode.ALL_LEFT_OUT: "you left out everything relevant",
    ReasonCode.NOTHING_ALLOWED: "no memories are allowed",
    ReasonCode.NOTHING_RELEVANT: "nothing is relevant",
}
"""Sentences that need no field, also as names of groups."""

_NAMING: Mapping[ReasonCode, str] = {
    ReasonCode.OTHER_PROJECT: "other project: {names}",
    ReasonCode.SUPERSEDED: "superseded by {other}",
    ReasonCode.MERGED: "merged into {other}",
    ReasonCode.NOT_YET_VALID: "not valid before {date}",
    ReasonCode.EXPIRED: "expired on {date}",
    ReasonCode.RETIRED: "{note}",
    ReasonCode.CONTRADICTED: "contradicts {other} (scored higher)",
    ReasonCode.DUPLICATE: "duplicate of {other}",
    ReasonCode.SECRET: "secret ({names})",
    ReasonCode.PLANTED: "looks planted, not verified: it {note}",
    ReasonCode.ALREADY_LOADED: "already loaded by {target} from {path}",
    ReasonCode.LOADED_THERE: "loaded by {target} from {path} when it works there",
    ReasonCode.NEEDS_ANOTHER: "refers to {other}, which is not included",
    ReasonCode.MEANT: "{other} refers to it",
    ReasonCode.TOO_MANY: "beyond the limit of {number} memories",
    ReasonCode.VERIFIED: "verified {date}",
    ReasonCode.ACCEPTED: "accepted on {date}, from {note}",
    ReasonCode.NEVER_VERIFIED: "never verified, from {date}",
    ReasonCode.IMPORTANCE: "{number} of 5",
    ReasonCode.NO_ROOM: "nothing fits the budget of {note}",
}
"""Sentences where the fields are known."""


def sentence(reason: Reason) -> str:
    """Return a reason as a clause that begins in lower case; a reason without its fields names its group."""
    special = _SPECIAL.get(reason.code)
    words = special(reason) if special else None
    if words is not None:
        return words
    known = any((reason.other, reason.names, reason.date, reason.note, reason.target, reason.number))
    template = _NAMING.get(reason.code) if known else None
    if template is None:
        return _BARE.get(reason.code) or str(reason.code)
    return template.format(
        other=f"{reason.other} “{clip_at_word(reason.title, SHOWN_TITLE)}”" if reason.title else reason.other,
        names=", ".join(reason.names),
        date=f"{reason.date:%Y-%m-%d}" if reason.date else "",
        note=reason.note,
        target=reason.target,
        path=reason.path,
        number=reason.number,
    )


def with_titles(reason: Reason, titles: Mapping[str, str]) -> Reason:
    """Return a reason with the titles of other memories for their ids, where they are known."""
    because = tuple(with_titles(one, titles) for one in reason.because)
    other, *names = (
        f"“{clip_at_word(titles[one], SHOWN_TITLE)}”" if one in titles else one for one in (reason.other, *reason.names)
    )
    return replace(reason, because=because, other=other, names=tuple(names))


def names_of(hit: Hit) -> set[str]:
    """Return what the parts of a score name; the ids of other memories are among it."""
    reasons = [reason for part in hit.parts for reason in (part.reason, *part.reason.because)]
    return {name for reason in reasons for name in (reason.other, *reason.names) if name}


def explained(reason: Reason) -> str:
    """Return a reason with how much was missing, where that is known."""
    words = sentence(reason)
    if reason.over:
        return f"{words} by {reason.over:,} {reason.unit}"
    if reason.code is ReasonCode.TOO_FAR and reason.score is not None and reason.bar is not None:
        parts = [chance_words(reason.score), needed_words(reason, reason.bar)]
        parts += [f"it applies only to {reason.path}"] if reason.path else []
        parts += [f"it is {sentence(tie)}, which alone is not enough" for tie in reason.because]
        return f"{words} ({'; '.join(parts)})"
    if reason.code is not ReasonCode.BELOW_FLOOR:
        return words
    if reason.score is not None and reason.bar is not None:
        by_words = f"{reason.score:.0%} of the task by words; {reason.bar:.0%} needed"
        fused = f"{reason.score:.2f}; this task needs {reason.bar:.2f}"
        return f"{words} ({by_words if reason.unit == 'words' else fused})"
    return f"{words} ({sentence(reason.because[0])})" if reason.because else words


def hit_words(hit: Hit) -> str:
    """Return why a memory was recalled or put in."""
    return "; ".join(map(sentence, hit.reasons))


def part_words(part: Part) -> str:
    detail = _DETAILS.get(part.reason.code)
    return detail(part.reason) if detail else sentence(part.reason)


def pace_words(pace: float) -> str:
    """Return how long a memory waits for its review, against what its half-life says, and why; empty where just so."""
    if pace not in PACE_REASONS:
        return ""
    times = f"{pace:g} ×" if pace > 1.0 else str(Fraction(pace).limit_denominator(12))
    return f"{times} as long: {PACE_REASONS[pace]}"


def counts_words(counts: Mapping[Reason, int]) -> dict[str, int]:
    """Return counts of withheld memories by the name of their group, in the order of the names."""
    return dict(sorted((sentence(reason), number) for reason, number in counts.items()))


def _put_in(reason: Reason) -> str:
    words = _BARE[reason.code]
    return f"{words}; otherwise {sentence(reason.because[0])}" if reason.because else words


def _out_of_scope(reason: Reason) -> str | None:
    if not reason.names:
        return None
    names = ", ".join(reason.names[:SHOWN_NAMES] if reason.unit == "files" else reason.names)
    return f"applies only to {names}" if reason.unit == "files" else f"applies only in phase {names}"


def _over(reason: Reason) -> str:
    limit = f"over the limit of {reason.number:,} {reason.unit} for {reason.target}"
    words = limit if reason.code is ReasonCode.OVER_LIMIT else "over budget"
    return f"{words} ({sentence(reason.because[0])})" if reason.because else words


def _words(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - SHOWN_WORDS} more" if len(listed) > SHOWN_WORDS else ""
    return ", ".join(listed[:SHOWN_WORDS]) + more


def _file(reason: Reason) -> str:
    if reason.link == "moved":
        return f"tied to {reason.file}, moved from {reason.path}"
    if reason.because:
        imported = _reached(reason.because[0])
        return imported if reason.path == reason.file else f"tied to {reason.path}: {imported}"
    return f"tied to {reason.path}" if reason.path == reason.file else f"tied to {reason.path} for {reason.file}"


_TIES = {
    "imported": "imported by",
    "used": "used by",
    "same-package": "in the same package as",
    "of-package": "in a package imported by",
}


def _reached(reason: Reason) -> str:
    words = f"{reason.file} is {_TIES[reason.link]} {reason.other}"
    before = reason.because[0] if reason.because else None
    return words if before is None else f"{words}, itself {_TIES[before.link]} {before.other}"


_LINKS = {"relates": "related to", "derived-from": "derived from or a source of", "supersedes": "replaces"}


def _nothing(reason: Reason) -> str:
    words = {
        ReasonCode.NO_KNOWN_WORD: "no memory contains any word of the task",
        ReasonCode.NO_SHARED_WORD: "no active memory in scope shares a word with the task",
        ReasonCode.TOO_LITTLE_SHARED: "the nearest memories share too little with the task",
    }[reason.code]
    closest = "" if reason.score is None else f", and none is close in meaning (the closest {reason.score:.2f})"
    return words + closest


def _all_withheld(reason: Reason) -> str:
    return f"everything that matches the task is withheld: {', '.join(sorted(map(sentence, reason.because)))}"


_SPECIAL: Mapping[ReasonCode, Callable[[Reason], str | None]] = {
    ReasonCode.PUT_IN: _put_in,
    ReasonCode.OUT_OF_SCOPE: _out_of_scope,
    ReasonCode.OVER_BUDGET: _over,
    ReasonCode.OVER_LIMIT: _over,
    ReasonCode.WORDS: lambda reason: f"shares {_words(reason.names)}",
    ReasonCode.MEANING: lambda reason: f"close in meaning ({reason.score:.2f})",
    ReasonCode.FILE: _file,
    ReasonCode.LINK: lambda reason: f"{_LINKS[reason.link]} {reason.other}, which matches",
    ReasonCode.NO_KNOWN_WORD: _nothing,
    ReasonCode.NO_SHARED_WORD: _nothing,
    ReasonCode.TOO_LITTLE_SHARED: _nothing,
    ReasonCode.ALL_WITHHELD: _all_withheld,
    ReasonCode.NOTHING_RELEVANT: nothing_likely,
    ReasonCode.TOO_FAR: too_unlikely,
}
"""Sentences that depend on which fields are known; None for the name of the group."""


def _freshness(reason: Reason) -> str:
    since = reason.because[0]
    trust = "pinned, so it does not age" if since.code is ReasonCode.PINNED else sentence(since)
    return f"{reason.score:.2f} to the power {reason.bar:g}, {trust}"


def _meaning(reason: Reason) -> str:
    if reason.score is None:
        return "not embedded yet, so judged by its words"
    if reason.unit == FOREIGN:
        return f"in another language, so its words count as well; cosine {reason.score:.2f}"
    if not reason.number:
        return f"cosine {reason.score:.2f}"
    nearness = "closest" if reason.number == 1 else f"{_ordinal(reason.number)} closest"
    quoted = f": “{shorten(reason.note, 120)}”" if reason.note else ""
    return f"cosine {reason.score:.2f}, {nearness} of {reason.among:,}{quoted}"


def _ordinal(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _uses(reason: Reason) -> str:
    return signals_words(reason.names)


def signals_words(names: Iterable[str]) -> str:
    """Return how often which signals were given; what programs found stands apart from what a person did or said."""
    counts = Counter(names)
    said, found = (
        ", ".join(f"{name} {number}×" for name, number in sorted(counts.items()) if (name in AUTOMATIC) is automatic)
        for automatic in (False, True)
    )
    return "; ".join(filter(None, (said, f"found by programs: {found}" if found else ""))) or "not used yet"


def _kind(reason: Reason) -> str:
    kind, *phases = reason.names
    if not phases:
        return f"{kind}; the task names no phase"
    return f"{kind} in phase {phases[0]} ({'guessed from the task' if reason.number else 'as given'})"


def _files_gone(reason: Reason) -> str:
    return f"{', '.join(reason.names[:SHOWN_NAMES])} no longer exist{'s' if len(reason.names) == 1 else ''}"


def _other_phase(reason: Reason) -> str:
    return f"applies in phase {', '.join(reason.names)}; the task looks like {reason.note}"


_DETAILS: Mapping[ReasonCode, Callable[[Reason], str]] = {
    ReasonCode.WORDS: lambda reason: f"{_words(reason.names)}: {reason.score:.0%} of the task",
    ReasonCode.MEANING: _meaning,
    ReasonCode.KIN: lambda reason: f"close in meaning to {' and '.join(reason.names)}",
    ReasonCode.NO_TASK: lambda _: "no task: all are equally relevant",
    ReasonCode.FRESHNESS: _freshness,
    ReasonCode.USES: _uses,
    ReasonCode.KIND: _kind,
    ReasonCode.FILES_GONE: _files_gone,
    ReasonCode.OTHER_PHASE: lambda reason: (
        f"applies in phase {', '.join(reason.names)}; the task looks like {reason.note}"
    ),
}
"""Inputs of parts of a score whose wording in an explanation differs from that as a reason."""


SCORE_DIGITS = 6  # Digits of a score in JSON: freshness moves with the clock, beyond them within a second
SHOWN_PAIRS = 3  # Contradictions that a warning names; the others are a number


def pack_record(pack: Pack) -> dict[str, Any]:
    """Return a pack for `context --json`."""
    told = grounds_of(pack.features, [*(one.memory.id for one in pack.included), *(one.id for one in pack.withheld)])
    chances = {one: chance_record(pack.chances.get(one), pack.needed.get(one), found) for one, found in told.items()}
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
        "left": pack.left,
        "sure": pack.sure,
        "covered": pack.covered,
        "included": [
            {
                "id": one.memory.id,
                "tokens": one.tokens,
                "score": round(one.score, SCORE_DIGITS),
                "reason": hit_words(one.hit),
                "reason_code": str(one.hit.reasons[0].code),
                "detail": one.detail,
                **chances[one.memory.id],
            }
            | ({"status": one.status} if one.status else {})
            for one in pack.included
        ],
        "withheld": [
            {"id": one.id, "reason": sentence(one.reason), "reason_code": str(one.reason.code), **chances[one.id]}
            for one in pack.withheld
        ],
        "withheld_counts": counts_words(pack.withheld_counts),
        "other_projects": pack.other_projects,
    }
    if pack.without_vector:
        record["partial_vectors"] = pack.without_vector
    if pack.abstained is None:
        return record
    return record | {"abstained": {"reason": sentence(pack.abstained), "reason_code": str(pack.abstained.code)}}


def doubt_words(pack: Pack) -> str:
    """Say that what is in a payload may not be what the task needs; empty where nothing speaks for that."""
    if pack.covered == "hardly":
        return "The vault may not cover this task: only the closest memories are in the payload."
    return "No memory clearly answers the task; the closest are in the payload." if pack.sure == "unsure" else ""


def partial_in_brief(without_vector: int, *, is_loading: bool = False) -> str:
    """Say in the room of a head that an answer is still to change; empty where all could be compared by meaning.

    `is_loading`: whether the model itself is not there yet, so that nothing was compared by meaning.
    """
    if is_loading:
        return "compared by words only: the model is loading"
    return f"{without_vector:,} compared by words only: vectors are being made" if without_vector else ""


def copied_early(without_vector: int, *, is_loading: bool = False) -> str:
    """Say of a payload that was copied that a better one follows; empty where all could be compared by meaning."""
    if not without_vector and not is_loading:
        return ""
    compared = "It was" if is_loading else f"{counted(without_vector, 'memory was', 'memories were')}"
    return f"{compared} compared by words only so far: a better payload may follow in a moment"


def doubt_in_brief(pack: Pack) -> str:
    """Say what `doubt_words` does in the room of a head."""
    if not pack.payload or pack.abstained:
        return "pinned memories only" if pack.payload else ""
    hardly = "the vault hardly covers this task"
    return hardly if pack.covered == "hardly" else "no memory clearly answers it" if pack.sure == "unsure" else ""


def partial_words(without_vector: int) -> str:
    """Say that not all memories could be compared by meaning, and what to do."""
    return (
        f"note: {counted(without_vector, 'memory')} without a vector, found by words only; the answer may change when "
        "`memtui reindex` has made them"
    )


def explanation(hit: Hit, titles: Mapping[str, str] | None = None) -> list[tuple[str, str, str]]:
    """Return rows of (part, its input, its contribution): the terms, their sum, the factors, the score.

    `titles`: of the memories that are to be named by them rather than by their ids.
    """
    parts = [replace(part, reason=with_titles(part.reason, titles)) for part in hit.parts] if titles else hit.parts
    rows = [(part.name, part_words(part), f"+ {part.value:.3f}") for part in parts if part.role == "term"]
    rows.append(("relevance", "sum of the above", f"= {hit.relevance:.3f}"))
    rows += [(part.name, part_words(part), f"× {part.value:.3f}") for part in parts if part.role == "factor"]
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
    """Return why a memory is in a payload or not, and how much of it is."""
    return included_words(found.included) if found.included else explained(found.reason)


def included_words(one: Included) -> str:
    """Return why a memory is in a payload, and how much of it where that is not all."""
    return hit_words(one.hit) + (f" ({DETAIL_WORDS[one.detail]})" if one.detail in DETAIL_WORDS else "")


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
        **chance_record(found.chance, found.needed, found.grounds),
    }


def contradiction_words(found: Contradiction) -> str:
    """Return what excludes what, as Tidy says it, with both ids and the one that holds, if any is known to.

    `2.1 against 2.17.4: “…” / “…” [k3x9abcd / o6j6sc7w], o6j6sc7w is newer`
    """
    holds = f", {found.winner} is newer" if found.winner else ""
    return f"{found.why} [{' / '.join(found.ids)}]{holds}"


def contradictions_words(contradictions: Sequence[Contradiction]) -> str:
    """Return the contradictions of a payload and the command that settles them, in one line; empty for none."""
    if not contradictions:
        return ""
    number = len(contradictions)
    named = "; ".join(map(contradiction_words, contradictions[:SHOWN_PAIRS]))
    more = f"; and {number - SHOWN_PAIRS} more" if number > SHOWN_PAIRS else ""
    settled = "it" if number == 1 else "them"
    return f"{contradictions_count(contradictions)} in this payload: {named}{more}; memtui tidy settles {settled}"


def contradictions_count(contradictions: Sequence[Contradiction]) -> str:
    """Return how many contradictions there are: `2 possible contradictions`."""
    return f"{len(contradictions)} possible contradiction{'' if len(contradictions) == 1 else 's'}"
