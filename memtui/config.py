"""The configuration: typed values from a TOML file, every key known, every error with file, line and nearest key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memtui.errors import ConfigError
from memtui.text.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Section `[context]`: defaults of `memtui context`."""

    budget: str = "1200"
    """Size of a payload: `1200`, `2k`, `10000 chars`, `32 KiB`."""
    target: str = "chat"
    """The assistant or form that payloads are written for."""
    encoding: str = "o200k_base"
    """Token encoding that budgets are counted in: o200k_base, cl100k_base or estimate."""
    max_memories: int = 40
    """Most memories in one payload."""
    withhold_loaded: bool = True
    """Leave out what the target reads by itself from CLAUDE.md, AGENTS.md and the like."""
    style: str = "full"
    """Style of a payload: full, or compiled to what is nearest to the task in far fewer tokens."""
    secrets: str = "withhold"
    """Memories that hold what looks like a secret: withhold, mask or allow."""


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """Section `[review]`: when a memory becomes due, and how many at a time."""

    threshold: float = 0.5
    """Freshness (0.06 to 1) below which a memory is due for review."""
    daily: int = 0
    """Memories that a review session takes a day at most; 0 for all that are due."""
    weekly: int = 0
    """Memories that review sessions take a week at most, from Monday; 0 for all that are due."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Section `[recall]`: how memories are ranked."""

    freshness_weight: float = 0.5
    """Power of freshness in the score: 0 ignores age, 1 counts it in full."""
    limit: int = 20
    """Hits that `memtui search` shows."""
    floor: float = 0.05
    """Freshness (0 to 0.3) that no memory falls below, however old."""
    hurt_weight: float = 4.0
    """Helps (0 to 20) that one hurt outweighs in the usefulness of a memory."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Section `[embedding]`: what finds memories by meaning."""

    model: str = "bundled"
    """bundled, none (words alone), or sentence-transformers:NAME-or-path."""


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """Section `[vault]`: how the file is shared."""

    patience_seconds: float = 10.0
    """How long a command waits for another process to let the vault go."""
    daily_backup: bool = True
    """Copy the vault before the first change of a day."""


@dataclass(frozen=True, slots=True)
class AppSettings:
    """Section `[app]`: the terminal app."""

    theme: str = ""
    """A theme to always start with; empty for the one chosen last in the app."""
    mouse: bool = True
    """Whether the app takes the mouse; without, the terminal's own selection works."""


@dataclass(frozen=True, slots=True)
class SecretSettings:
    """Section `[secrets]`: what must not be stored."""

    patterns: tuple[tuple[str, str], ...] = ()
    """Your own patterns: name = "regular expression"."""


@dataclass(frozen=True, slots=True)
class KindSettings:
    """Section `[kinds.NAME]`: a kind of your own, or another half-life for a built-in one."""

    half_life_days: float
    """Days until trust in an unverified memory of this kind has halved."""
    tier: str = "semantic"
    """semantic, procedural, episodic or working."""


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """Section `[targets.NAME]`: other limits than the built-in ones."""

    limit: str | None = None
    """What the target takes at most: `10000 chars`, `32 KiB`, `200 lines and 25000 bytes`, or none."""
    margin: float | None = None
    """Share by which the assistant's own tokenizer may exceed the count, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be configured."""

    context: ContextSettings = ContextSettings()
    review: ReviewSettings = ReviewSettings()
    recall: RecallSettings = RecallSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    vault: VaultSettings = VaultSettings()
    app: AppSettings = AppSettings()
    keys: tuple[tuple[str, str], ...] = ()
    secrets: SecretSettings = SecretSettings()
    kinds: tuple[tuple[str, KindSettings], ...] = ()
    targets: tuple[tuple[str, TargetSettings], ...] = ()
    path: Path | None = None


SECTIONS: Mapping[str, type[Any]] = {
    "context": ContextSettings,
    "review": ReviewSettings,
    "recall": RecallSettings,
    "embedding": EmbeddingSettings,
    "vault": VaultSettings,
    "app": AppSettings,
}
_RANGES: Mapping[str, tuple[float, float]] = {
    "review.threshold": (0.06, 1.0),
    "review.daily": (0, 100_000),
    "review.weekly": (0, 100_000),
    "recall.freshness_weight": (0.0, 2.0),
    "recall.limit": (1, 10_000),
    "recall.floor": (0.0, 0.3),
    "recall.hurt_weight": (0.0, 20.0),
    "context.max_memories": (1, 10_000),
    "vault.patience_seconds": (0.0, 600.0),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "context.style": ("full", "compiled"),
    "context.secrets": ("withhold", "mask", "allow"),
}
_TIERS = ("semantic", "procedural", "episodic", "working")


def load_config(path: Path) -> Config:
    """Return the configuration of a file; a missing file gives the defaults.

    Raises:
        ConfigError: names file, line, key and the nearest known key.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The configuration cannot be read ({error})", where=str(path)) from error
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The configuration is no valid TOML ({error})", where=str(path)) from error
    return _Reader(path, text).config(values)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def config(self, values: dict[str, Any]) -> Config:
        known = [*SECTIONS, "keys", "secrets", "kinds", "targets"]
        for name in values:
            if name not in known:
                raise self._unknown(name, name, known)
        sections = {name: self._section(name, values.get(name, {}), kind) for name, kind in SECTIONS.items()}
        model = sections["embedding"].model
        if model not in {"bundled", "none"} and not re.fullmatch(r"sentence-transformers:\S.*", model):
            rule = 'must be "bundled", "none" or "sentence-transformers:NAME-or-path"'
            raise self._wrong("embedding.model", rule, model)
        return Config(
            **sections,
            keys=self._keys(values.get("keys", {})),
            secrets=self._secrets(values.get("secrets", {})),
            kinds=self._kinds(values.get("kinds", {})),
            targets=self._targets(values.get("targets", {})),
            path=self._path,
        )

    def _section(self, name: str, values: Any, kind: type[Any]) -> Any:
        if not isinstance(values, dict):
            raise self._wrong(name, "must be a table", values)
        known = {field.name: field for field in fields(kind)}
        chosen: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                raise self._unknown(f"{name}.{key}", key, list(known))
            chosen[key] = self._value(f"{name}.{key}", value, known[key].type)
        return kind(**chosen)

    def _value(self, key: str, value: Any, annotation: Any) -> Any:
        if annotation == "bool":
            if not isinstance(value, bool):
                raise self._wrong(key, "must be true or false", value)
            return value
        if annotation == "str":
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if not isinstance(value, str):
                raise self._wrong(key, "must be text", value)
            if value not in _CHOICES.get(key, (value,)):
                raise self._wrong(key, f"must be one of {', '.join(_CHOICES[key])}", value)
            return value
        low, high = _RANGES.get(key, (float("-inf"), float("inf")))
        whole = annotation == "int"
        fits = isinstance(value, int) if whole else isinstance(value, int | float)
        if not fits or isinstance(value, bool) or not low <= value <= high:
            raise self._wrong(key, f"must be a {'whole ' if whole else ''}number from {low:g} to {high:g}", value)
        return value

    def _keys(self, values: Any) -> tuple[tuple[str, str], ...]:
        """Check the form alone: which acts there are is the app's to know, and to report."""
        if not isinstance(values, dict):
            raise self._wrong("keys", 'must be a table of act = "key"', values)
        for act, key in values.items():
            if not isinstance(key, str) or not key.strip():
                raise self._wrong(f"keys.{act}", 'must name keys, like "P" or "ctrl+t, T"', key)
        return tuple(values.items())

    def _secrets(self, values: Any) -> SecretSettings:
        patterns = values.get("patterns", {}) if isinstance(values, dict) else None
        if not isinstance(values, dict) or not isinstance(patterns, dict):
            raise self._wrong("secrets.patterns", 'must be a table of name = "regular expression"', values)
        for key in values:
            if key != "patterns":
                raise self._unknown(f"secrets.{key}", key, ["patterns"])
        for name, pattern in patterns.items():
            try:
                re.compile(pattern)
            except (re.error, TypeError) as error:
                raise self._wrong(f"secrets.patterns.{name}", f"is no regular expression ({error})", pattern) from error
        return SecretSettings(tuple(patterns.items()))

    def _kinds(self, values: Any) -> tuple[tuple[str, KindSettings], ...]:
        if not isinstance(values, dict):
            raise self._wrong("kinds", "must be tables like [kinds.runbook]", values)
        result = []
        for name, settings in values.items():
            key = f"kinds.{name}"
            if not isinstance(settings, dict) or "half_life_days" not in settings:
                raise self._wrong(key, "needs half_life_days", settings)
            for option in settings:
                if option not in {"half_life_days", "tier"}:
                    raise self._unknown(f"{key}.{option}", option, ["half_life_days", "tier"])
            days, tier = settings["half_life_days"], settings.get("tier", "semantic")
            if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= 100_000:  # noqa: PLR2004 - 270 years
                raise self._wrong(f"{key}.half_life_days", "must be a number of days above 0", days)
            if tier not in _TIERS:
                raise self._wrong(f"{key}.tier", f"must be one of {', '.join(_TIERS)}", tier)
            result.append((name, KindSettings(float(days), tier)))
        return tuple(result)

    def _targets(self, values: Any) -> tuple[tuple[str, TargetSettings], ...]:
        """Check the form alone: which targets there are, and what a limit is, is the pack's to know."""
        if not isinstance(values, dict) or not all(isinstance(value, dict) for value in values.values()):
            raise self._wrong("targets", "must be tables like [targets.codex]", values)
        result = []
        for name, settings in values.items():
            key = f"targets.{name}"
            for option in settings:
                if option not in {"limit", "margin"}:
                    raise self._unknown(f"{key}.{option}", option, ["limit", "margin"])
            limit, margin = settings.get("limit"), settings.get("margin")
            if limit is not None and not isinstance(limit, str):
                raise self._wrong(f"{key}.limit", 'must be text like "32 KiB"', limit)
            if margin is not None and (
                isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin <= 1
            ):
                raise self._wrong(f"{key}.margin", "must be a number from 0 to 1", margin)
            result.append((name.lower(), TargetSettings(limit, None if margin is None else float(margin))))
        return tuple(result)

    def _line(self, key: str) -> str:
        last = re.escape(key.rsplit(".", 1)[-1])
        pattern = re.compile(rf"^\s*(?:\[[^\]]*\b{last}\b\"?\s*\]|\"?{last}\"?\s*=)")
        number = next((index for index, line in enumerate(self._lines, 1) if pattern.match(line)), None)
        return f"{self._path}, line {number}" if number else str(self._path)

    def _unknown(self, key: str, last: str, known: list[str]) -> ConfigError:
        hint = did_you_mean(last, known, otherwise=f"Known here: {', '.join(known)}.")
        return ConfigError(f"Unknown key {key}", where=self._line(key), remedy=hint)

    def _wrong(self, key: str, what: str, value: Any) -> ConfigError:
        return ConfigError(f"{key} {what}, not {str(value)[:60]!r}", where=self._line(key))


def default_text() -> str:
    """Return a configuration file that holds every key with its default, commented out."""
    import inspect

    lines = ["# The configuration of memtui. Every key is here with its default; take away a # to change one.", ""]
    for name, kind in SECTIONS.items():
        lines += [f"# {(kind.__doc__ or '').split(': ', 1)[-1]}", f"[{name}]"]
        source = inspect.getsource(kind)
        for field in fields(kind):
            text = re.search(rf"{field.name}:.*\n\s+\"\"\"(.*?)\"\"\"", source)
            default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default).lower()
            lines += [f"# {text[1] if text else field.name}", f"#{field.name} = {default}"]
        lines.append("")
    lines += [
        "# Other keys for the app's acts, by the ids that `memtui config keys` lists.",
        "#[keys]",
        '#pin = "P"',
        "",
        "# What must not be stored, beside the built-in patterns.",
        "#[secrets.patterns]",
        '#house-token = "hs_[A-Za-z0-9]{24}"',
        "",
        "# Kinds of your own, or other half-lives for the built-in ones; they beat what was applied to a vault.",
        "#[kinds.runbook]",
        "#half_life_days = 120",
        '#tier = "procedural"',
        "",
        "# Other limits of a target, and how far its own tokenizer may exceed the count.",
        "#[targets.codex]",
        '#limit = "64 KiB"',
        "#margin = 0.1",
        "",
    ]
    return "\n".join(lines)
