"""The edit form without widgets: texts read into values, checked while typing, and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from memtui.curate.anchors import note_states
from memtui.curate.bulk_changes import Batch
from memtui.curate.fields import (
    LONGEST_TITLE,
    anchors_at,
    check_confidence,
    check_half_life,
    check_importance,
    check_inside,
    check_kind,
    check_tags,
    clean_tags,
    is_outside,
    paths_in,
    relative_name,
)
from memtui.curate.lifecycle import record_acceptance, record_verification, settle_replaced
from memtui.curate.memories import edited_memory
from memtui.domain.identity import Actor, require_person
from memtui.domain.kinds import RULE_KINDS, Kinds
from memtui.domain.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    GLOBAL_PROJECT,
    Anchor,
    Memory,
    is_record,
    planted_in,
    planted_reasons,
)
from memtui.domain.rules import clean_rules
from memtui.errors import MemtuiError, UsageError
from memtui.text.injection import ordering_line, planted_instructions
from memtui.text.planted import Planted
from memtui.text.sanitize import one_line, sanitise
from memtui.text.secrets import find_secrets
from memtui.text.words import counted, did_you_mean, nearest, parse_day, parse_duration
from memtui.tree import Tree
from memtui.vault.projects import check_name
from memtui.vault.vault import Vault

Decision = Literal["edit", "verify", "accept"]
"""`edit` only saves; `verify` also says "still true"; `accept` also takes a candidate into use."""

_SUMMARIES: Mapping[Decision, str] = {"edit": "edit", "verify": "edit and verify", "accept": "edit and accept"}


def save_edit(
    vault: Vault,
    identifier: str,
    values: Mapping[str, Any],  # new values by field of `memtui.curate.memories.EDITABLE`; may be empty with a decision
    *,
    actor: Actor,
    if_version: int,  # the version that the edit is based on; another one raises ConflictError
    folder: Path,  # its project gets an unassigned candidate that is accepted
    decision: Decision = "edit",
    tree: Tree | None = None,  # the working tree whose files "still true" records as they are
    is_vouched: bool = False,  # whether the person was told why it looks planted: accepted, it counts as verified then
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Memory:
    """Save fields of one memory and a decision on it; returns it as stored.

    Raises `UsageError, NotFoundError, RefusedError, SecretRefusedError, ConflictError`: as `edit_memory`.
    """
    if decision != "edit":
        require_person(actor, decision)
    if decision == "accept":
        note_states(vault, [identifier], folder, None)
    with vault.write(actor=actor.name, action=decision) as writer:
        memory = writer.get(writer.resolve(identifier))
        edited = edited_memory(
            writer, memory, values, actor=actor, allow_secret=allow_secret, secret_patterns=secret_patterns
        )
        if memory.version == if_version:
            # On a moved version the save below raises ConflictError, whatever else is wrong.
            batch = Batch(writer, actor)
            edited = _decided(batch, edited, decision, folder=folder, tree=tree, is_vouched=is_vouched)
            batch.store()
        writer.summary = f"{_SUMMARIES[decision] if values else decision} {edited.title}"
        saved = writer.put(edited, if_version=if_version)
        if decision == "accept":
            settle_replaced(writer, [saved], actor)
        return saved


def looks_planted(base: Memory | None, values: Mapping[str, Any]) -> Planted | None:
    """Return why a memory that is saved with these values looks planted, None if it does not; no base: a new one."""
    if base is None:
        texts = (values.get(name) or "" for name in ("title", "insight", "rationale", "snippet"))
        return next(iter(planted_in(*texts, *values.get("tags", ()))), None)
    return next(iter(planted_reasons(replace(base, **values))), None)


def _decided(
    batch: Batch, memory: Memory, decision: Decision, *, folder: Path, tree: Tree | None, is_vouched: bool
) -> Memory:
    wanted = {"edit": memory.status, "verify": "active", "accept": "candidate"}[decision]
    if memory.status != wanted:
        done = {"edit": "edited", "verify": "verified", "accept": "accepted"}[decision]
        raise UsageError(
            f"It is {memory.standing}, not {wanted}, so it cannot be {done}",
            where=memory.id,
            remedy="Read it again, then decide.",
        )
    if decision == "verify":
        return record_verification(batch, memory, tree)
    if decision != "accept":
        return memory
    taken = record_acceptance(batch, memory, folder=folder, project=None)
    return record_verification(batch, taken, None) if is_vouched else taken


Texts = Mapping[str, str]  # The contents of the fields, by field
CHECKED_CHARACTERS = 50_000  # Characters of a text that are checked while typing, 20 ms; a save checks all of it
LONGEST_LINE = 400  # Characters of a one-line field that are shown; stored titles have at most 200

YES, NO = "yes", "no"

Level = Literal["error", "secret", "hint"]


@dataclass(frozen=True, slots=True)
class Basis:
    """What a form starts from."""

    memory: Memory | None  # the memory to edit as it was read, None for a new one
    kinds: Kinds
    root: Path | None  # the working tree that its files are relative to, None where it is not known here
    project: str | None = None  # project of a new memory that names none; None stays unassigned
    projects: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A message beside a field."""

    field: str
    level: Level  # an `error` cannot be saved, a `secret` is refused unless the person insists, a `hint` is advice
    text: str


def texts_of(memory: Memory | None, values: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return a memory as the form's texts, with other values for some fields; an empty form without one."""
    chosen = values or {}

    def value(name: str, default: Any = "") -> Any:
        return chosen.get(name, getattr(memory, name) if memory is not None else default)

    def line(name: str) -> str:
        return one_line(str(value(name, None) or ""))[:LONGEST_LINE]

    return {
        **{name: line(name) for name in ("title", "kind", "project", "status_reason")},
        **{name: sanitise(str(value(name))).text for name in ("insight", "rationale", "snippet")},
        "tags": one_line(", ".join(value("tags", ()))),
        "rules": "\n".join(one_line(rule) for rule in value("rules", ())),
        "anchors": "\n".join(one_line(anchor.path) for anchor in value("anchors", ())),
        "importance": str(value("importance", DEFAULT_IMPORTANCE)),
        "confidence": f"{value('confidence', DEFAULT_CONFIDENCE):g}",
        "pinned": YES if value("pinned", False) else NO,
        "valid_from": _day(value("valid_from", None)),
        "valid_until": _day(value("valid_until", None)),
        "half_life_days": _days(value("half_life_days", None)),
    }


def _day(moment: datetime | None) -> str:
    if moment is None:
        return ""
    moment = moment.astimezone(UTC)
    is_day = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    return f"{moment:%Y-%m-%d}" if is_day else moment.isoformat().replace("+00:00", "Z")


def _days(days: float | None) -> str:
    return "" if days is None else f"{days:g}d"


def read_form(texts: Texts, basis: Basis) -> tuple[dict[str, Any], list[Finding]]:
    """Return the values that were changed, by field, and errors; reads the working tree.

    A field whose text was not edited is not among the values, so that showing a value never changes it.
    """
    shown = texts_of(basis.memory)
    values: dict[str, Any] = {}
    findings: list[Finding] = []
    for name, read in _readers(basis).items():
        typed = texts.get(name, shown[name])
        if typed == shown[name]:
            continue
        try:
            values[name] = read(typed)
        except MemtuiError as error:
            findings.append(Finding(name, "error", str(error)))
    if not texts.get("insight", shown["insight"]).strip():
        findings.append(Finding("insight", "error", "A memory needs a text."))
    return values, findings


def _readers(basis: Basis) -> dict[str, Callable[[str], Any]]:
    return {
        "title": lambda text: _title(text, is_new=basis.memory is None),
        **dict.fromkeys(("insight", "rationale", "snippet", "status_reason"), str),
        "kind": lambda text: _kind(basis.kinds, text),
        "tags": lambda text: check_tags(clean_tags([text]), in_use=basis.memory.tags if basis.memory else ()),
        "anchors": lambda text: _anchors_of(text, basis),
        "rules": lambda text: clean_rules(text.split("\n"), in_use=basis.memory.rules if basis.memory else ()),
        "project": lambda text: check_name(text.strip()) if text.strip() else None,
        "importance": lambda text: check_importance(_whole(text)),
        "confidence": lambda text: check_confidence(_share(text)),
        "pinned": _flag,
        "valid_from": _optional_day,
        "valid_until": _optional_day,
        "half_life_days": lambda text: check_half_life(parse_duration(text)) if text.strip() else None,
    }


def _title(text: str, *, is_new: bool) -> str:
    if not text.strip() and not is_new:
        raise UsageError("A memory needs a title", remedy="Enter a title.")
    return text


def _optional_day(text: str) -> datetime | None:
    return parse_day(text) if text.strip() else None


def _kind(kinds: Kinds, text: str) -> str:
    """Return a known kind; the form lists them, so an error names only the nearest."""
    try:
        return check_kind(kinds, text)
    except UsageError as error:
        hint = did_you_mean(text.strip(), kinds.names())
        raise UsageError(error.what, where=text[:40], remedy=hint) from error


def _whole(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError as error:
        raise UsageError(
            "Importance is a number from 1 to 5", where=text.strip()[:20], remedy="Enter a whole number in this range."
        ) from error


def _share(text: str) -> float:
    try:
        return float(text.strip())
    except ValueError as error:
        raise UsageError(
            "Confidence is a number from 0 to 1", where=text.strip()[:20], remedy="Enter a number such as 0.8."
        ) from error


def _flag(text: str) -> bool:
    known = {YES: True, "y": True, "true": True, NO: False, "n": False, "false": False, "": False}
    found = known.get(text.strip().lower())
    if found is None:
        raise UsageError("Enter yes or no", where=text.strip()[:20], remedy="Both may be shortened: y, n.")
    return found


def _anchors_of(text: str, basis: Basis) -> tuple[Anchor, ...]:
    """Return the anchors that a field names, one per line, relative to the working tree.

    Those that the memory has stay as they are, whether or not their files exist.

    Raises `UsageError`: a path leads outside of the tree, or there is no such file.
    """
    known = {one_line(anchor.path): anchor for anchor in basis.memory.anchors} if basis.memory else {}
    found: list[Anchor] = []
    for path in (path for line in text.split("\n") for path in paths_in(line, basis.root, known)):
        if path in known:
            found.append(known[path])
            continue
        if basis.root is None:
            check_inside(path, None)
            found.append(Anchor(relative_name(path, root=Path(), folder=Path()) if not is_outside(path) else path))
        else:
            found.extend(anchors_at(path, basis.root))
    return tuple(dict.fromkeys(found))


def check_form(texts: Texts, basis: Basis, patterns: Sequence[tuple[str, str]] = ()) -> list[Finding]:
    """Return all messages beside the fields, errors first; `patterns` are the user's own patterns of secrets.

    Raises `ConfigError`: one of these patterns cannot be compiled.
    """
    _, errors = read_form(texts, basis)
    return [*errors, *_secrets(texts, basis.memory, patterns), *_advice(texts, basis)]


def _secrets(texts: Texts, memory: Memory | None, patterns: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    stored = texts_of(memory) if memory is not None else {}
    for name in texts:
        if memory is not None and texts[name] == stored.get(name):
            continue
        text = texts[name][:CHECKED_CHARACTERS]
        for found in find_secrets(text, patterns):
            if found.severity == "secret":
                line = text.count("\n", 0, found.start) + 1
                place = f", line {line}" if "\n" in text else ""
                yield Finding(name, "secret", f"looks like a secret{place}: {found.rule}")
                break


def _advice(texts: Texts, basis: Basis) -> Iterator[Finding]:
    title = texts.get("title", "")
    if len(title) > LONGEST_TITLE:
        yield Finding("title", "hint", f"{len(title):,} characters; only the first {LONGEST_TITLE} are kept")
    for name in ("insight", "rationale"):
        yield from _wording(name, texts, basis.memory)
    yield from _project_advice(texts.get("project", "").strip(), basis)
    files = texts.get("anchors", "").strip()
    if basis.root is None and files and files != texts_of(basis.memory)["anchors"].strip():
        yield Finding("anchors", "hint", "the project's folder is not known here, so files are taken as typed")


def _wording(name: str, texts: Texts, memory: Memory | None) -> Iterator[Finding]:
    text = texts.get(name, "")[:CHECKED_CHARACTERS]
    is_in_use = memory is not None and memory.status != "candidate"
    then = "it is withheld from assistants until you verify it" if is_in_use else "saving asks you to confirm it"
    for reason in planted_instructions(text, is_record=memory is not None and is_record(memory))[:1]:
        yield Finding(name, "hint", f"looks planted: it {reason}; {then}")
    line = ordering_line(text)
    is_own = memory is None or texts.get(name) != texts_of(memory)[name]  # not of a file or somebody else
    if line is not None and is_own and texts.get("kind", "") not in RULE_KINDS:
        place = f"line {line} is " if "\n" in text else ""
        yield Finding(name, "hint", f"{place}phrased as an instruction; state the fact and the reason instead")
    odd = sanitise(text)
    if odd.removed:
        yield Finding(name, "hint", f"{counted(odd.removed, 'control character')} will be removed")
    if odd.invisible or odd.bidi:
        yield Finding(name, "hint", f"{counted(odd.invisible + odd.bidi, 'invisible character')}")


def mistyped_project(typed: str, basis: Basis) -> str | None:
    """Return the known project that a new name may be meant for, None for a known name or one like no other."""
    known = [name for name in (*basis.projects, GLOBAL_PROJECT, basis.project) if name]
    return None if not typed or typed in known else nearest(typed, known)


def _project_advice(typed: str, basis: Basis) -> Iterator[Finding]:
    if typed:
        if basis.projects and typed not in (*basis.projects, GLOBAL_PROJECT, basis.project):
            close = mistyped_project(typed, basis)
            yield Finding("project", "hint", f"a new project{f' – did you mean {close}?' if close else ''}")
        return
    is_waiting = basis.memory is None or basis.memory.status == "candidate"
    if is_waiting and basis.project:
        yield Finding("project", "hint", f"unassigned: it goes to {basis.project}, the project of this folder")
    else:
        yield Finding("project", "hint", "unassigned: not in any payload until it has a project")
