"""Everything a person chooses for a payload beyond its task and target, as one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Self, cast

from memtui.config import ContextSettings
from memtui.domain.record import RecordError, format_time, parse_time
from memtui.pack.targets.base import STYLES, Style
from memtui.recall.eligibility import PHASES
from memtui.recall.result import Task

_USUAL = ContextSettings()

SecretChoice = Literal["withhold", "mask", "allow"]
SECRET_CHOICES: tuple[SecretChoice, ...] = ("withhold", "mask", "allow")
"""What a person may choose for memories that hold what looks like a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions:
    """How a payload is made."""

    budget: str = _USUAL.budget  # as people write it: `1200`, `10000 chars`, `32 KiB`
    encoding: str = _USUAL.encoding  # what tokens are counted in
    max_memories: int = _USUAL.max_memories  # most memories in the payload
    style: Style = "full"  # full, or compiled to what is nearest to the task in fewer tokens
    without: frozenset[str] = frozenset()  # ids that a person left out
    with_ids: frozenset[str] = frozenset()  # ids that a person put in; they are taken before pins, within the budget
    unconfirmed: bool = False  # whether what waits in the inbox may go in
    withhold_loaded: bool = _USUAL.withhold_loaded  # whether what the target reads by itself stays out
    # what happens to memories that hold what looks like a secret: `withhold`, `mask` or `allow`
    secrets: str = "withhold"
    secret_patterns: Sequence[tuple[str, str]] = ()  # a person's own patterns of secrets
    fast: bool = False  # estimate tokens on the safe side instead of loading a tokenizer
    publishing: bool = False  # whether it is made for a file of the target's own
    # names of the recipes whose union is the payload, in place of a task; None for a task
    standing: tuple[str, ...] | None = None

    @classmethod
    def of(cls, settings: ContextSettings, secret_patterns: Sequence[tuple[str, str]] = ()) -> Self:
        return cls(
            budget=settings.budget,
            encoding=settings.encoding,
            max_memories=settings.max_memories,
            style=cast("Style", settings.style),
            withhold_loaded=settings.withhold_loaded,
            secrets=settings.secrets,
            secret_patterns=secret_patterns,
        )

    def chosen(self, record: Mapping[str, Any]) -> Self:
        """Return the options with what a pack or a recipe was kept with, see `choices_record`; odd values are ignored.

        What the configuration says of limits and encoding stays: they are of today.
        """
        style, secrets = record.get("style"), record.get("secrets")
        loaded = record.get("with_loaded")
        return replace(
            self,
            style=cast("Style", style) if style in STYLES else self.style,
            secrets=secrets if secrets in SECRET_CHOICES else self.secrets,
            without=frozenset(_texts(record.get("without"))),
            with_ids=frozenset(_texts(record.get("with"))),
            unconfirmed=record.get("unconfirmed") is True,
            withhold_loaded=not loaded if isinstance(loaded, bool) else self.withhold_loaded,
            standing=standing_of(record),
        )


def choices_record(options: PackOptions, task: Task) -> dict[str, Any]:
    """Return what was chosen for a payload, as a pack or a recipe keeps it.

    What the configuration could say is always in it: it may say otherwise when the payload is made again.
    """
    choices: dict[str, Any] = {
        "style": options.style,
        "phase": task.phase,
        "as_of": format_time(task.as_of) if task.as_of else None,
        "with": sorted(options.with_ids) or None,
        "without": sorted(options.without) or None,
        "unconfirmed": options.unconfirmed or None,
        "with_loaded": not options.withhold_loaded,
        "secrets": options.secrets,
        "standing": None if options.standing is None else list(options.standing),
    }
    return {name: value for name, value in choices.items() if value is not None}


def standing_of(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the names of the recipes whose union a pack was; None where it was made for a task."""
    names = record.get("standing")
    return tuple(_texts(names)) if isinstance(names, list) else None


def task_of(text: str, files: Iterable[str], record: Mapping[str, Any]) -> Task:
    """Return the task of a pack or a recipe with the phase and the day that it was kept with."""
    phase = record.get("phase")
    return Task(
        text=text, files=tuple(files), phase=phase if phase in PHASES else None, as_of=_moment(record.get("as_of"))
    )


def choices_words(record: Mapping[str, Any]) -> str:
    """Return what was chosen in a few words: `compiled · debug · 1 put in, 2 left out`; empty where nothing was."""
    put_in, left_out = len(_texts(record.get("with"))), len(_texts(record.get("without")))
    ticks = [f"{put_in} put in"] if put_in else []
    ticks += [f"{left_out} left out"] if left_out else []
    moment = _moment(record.get("as_of"))
    parts = [
        "compiled" if record.get("style") == "compiled" else "",
        str(record.get("phase")) if record.get("phase") in PHASES else "",
        f"as of {moment:%Y-%m-%d}" if moment else "",
        ", ".join(ticks),
        "with unconfirmed" if record.get("unconfirmed") is True else "",
        "with what is loaded" if record.get("with_loaded") is True else "",
        f"secrets: {record['secrets']}" if record.get("secrets") in ("mask", "allow") else "",
    ]
    return " · ".join(part for part in parts if part)


def _texts(value: object) -> list[str]:
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def _moment(value: object) -> datetime | None:
    try:
        return parse_time(value) if isinstance(value, str) else None
    except RecordError:
        return None
