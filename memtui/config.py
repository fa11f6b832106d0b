"""The configuration: typed settings in a TOML file; every error names the file, the line and the nearest key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from memtui.errors import ConfigError
from memtui.text.words import did_you_mean


def _setting(default: Any, description: str, rule: str, fits: Callable[[Any], bool], **more: Any) -> Any:
    """Return a field of a section that says what it is for and what it may hold."""
    return field(default=default, metadata={"help": description, "rule": rule, "fits": fits, **more})


def _flag(default: bool, description: str) -> Any:
    return _setting(default, description, "must be true or false", lambda value: isinstance(value, bool))


def _text(
    default: str | None, description: str, *, choices: tuple[str, ...] = (), pattern: str = "", rule: str = ""
) -> Any:
    def fits(value: Any) -> bool:
        return isinstance(value, str) and (not choices or value in choices) and bool(re.match(pattern, value))

    return _setting(
        default, description, rule or (f"must be one of {', '.join(choices)}" if choices else "must be text"), fits
    )


def _number(default: Any, description: str, low: float, high: float, *, whole: bool = False, rule: str = "") -> Any:
    def fits(value: Any) -> bool:
        of_type = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        return of_type and low <= value <= high

    kind = "whole number" if whole else "number"
    return _setting(default, description, rule or f"must be a {kind} from {low:g} to {high:g}", fits)


def holiday_of(text: str) -> tuple[datetime, datetime] | None:
    """Return beginning and end of a range of days `2026-12-21/2027-01-06` in UTC; None where it is none."""
    try:
        first, last = (datetime.combine(date.fromisoformat(day), time(), UTC) for day in text.split("/"))
    except ValueError:
        return None
    return (first, last + timedelta(days=1)) if first <= last else None


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Section `[context]`: defaults of `memtui context`."""

    budget: str = _text("1200", "Size of a payload: `1200`, `2k`, `10000 chars`, `32 KiB`.")
    target: str = _text("chat", "The assistant or form that payloads are written for.")
    encoding: str = _text(
        "o200k_base", "Token encoding that budgets are counted in: o200k_base, cl100k_base or estimate."
    )
    max_memories: int = _number(40, "Maximum number of memories in a payload.", 1, 10_000, whole=True)
    withhold_loaded: bool = _flag(
        default=True, description="Leave out what the target loads itself, from CLAUDE.md, AGENTS.md and similar files."
    )
    style: str = _text(
        "full",
        "Style of a payload: full, or compiled: the parts closest to the task in far fewer tokens.",
        choices=("full", "compiled"),
    )
    secrets: str = _text(
        "withhold",
        "Memories that contain what looks like a secret: withhold, mask or allow.",
        choices=("withhold", "mask", "allow"),
    )


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """Section `[review]`: when a memory becomes due, and how many at a time."""

    threshold: float = _number(
        0.5, "Freshness (0.06 to 1) at which a memory is due, counted from when you accepted or verified it.", 0.06, 1.0
    )
    daily: int = _number(0, "Maximum number of reviews a day; 0 for all that are due.", 0, 100_000, whole=True)
    holiday: str = _setting(
        "",
        "First and last day on which nothing becomes due: 2026-12-21/2027-01-06; empty for none.",
        "must be two days like 2026-12-21/2027-01-06",
        lambda value: value == "" or (isinstance(value, str) and holiday_of(value) is not None),
    )
    weekly: int = _number(
        0,
        "Maximum number of reviews a week, from Monday; 0 for all that are due.",
        0,
        100_000,
        whole=True,
    )


@dataclass(frozen=True, slots=True)
class InboxSettings:
    """Section `[inbox]`: how much waits for a decision, and how long."""

    most: int = _number(
        10, "Proposals per session or agent that the inbox shows, most certain first; 0 for all.", 0, 10_000, whole=True
    )
    days: int = _number(
        60,
        "Days before a candidate expires (it can be restored); 0 for never.",
        0,
        10_000,
        whole=True,
    )


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Section `[recall]`: how memories are ranked."""

    freshness_weight: float = _number(
        0.5, "Power of freshness in the score: 0 ignores age, 1 counts it in full.", 0.0, 2.0
    )
    limit: int = _number(20, "Hits that `memtui search` shows.", 1, 10_000, whole=True)
    floor: float = _number(0.05, "Freshness (0 to 0.3) that no memory falls below, however old.", 0.0, 0.3)
    hurt_weight: float = _number(
        4.0, "Weight (0 to 20) of one hurt against one help in the usefulness of a memory.", 0.0, 20.0
    )


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Section `[embedding]`: what finds memories by meaning."""

    model: str = _text(
        "bundled",
        "bundled, none (words only), or sentence-transformers:NAME-or-path.",
        pattern=r"(?:bundled|none|sentence-transformers:\S.*)\Z",
        rule='must be "bundled", "none" or "sentence-transformers:NAME-or-path"',
    )


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """Section `[vault]`: how the file is shared."""

    patience_seconds: float = _number(
        10.0, "How long a command waits for another process to release the vault.", 0.0, 600.0
    )
    daily_backup: bool = _flag(default=True, description="Copy the vault before the first change of a day.")


@dataclass(frozen=True, slots=True)
class AppSettings:
    """Section `[app]`: the terminal app."""

    theme: str = _text("", "Theme to start with; empty for the one last chosen in the app.")
    mouse: bool = _flag(
        default=True, description="Whether the app uses the mouse; if not, the terminal's own selection works."
    )
    burst: int = _number(
        8,
        "Characters at once that are read as pasted text and run no commands; 0 reads all as keys, words as well.",
        0,
        1_000,
        whole=True,
    )


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Section `[hooks]`: what assistants are served without asking."""

    prompts: str = _text(
        "first",
        "Which prompts of a session memories are added to: first, every or none.",
        choices=("first", "every", "none"),
    )
    prompt_memories: int = _number(5, "Maximum number of memories added to a prompt.", 1, 100, whole=True)
    prompt_budget: str = _text("600", "Maximum size of what is added to a prompt.")
    file_memories: int = _number(5, "Maximum number of memories per file event.", 1, 100, whole=True)
    file_budget: str = _text("500", "Maximum size of what is added for a file event.")
    stop_commands: bool = _flag(
        default=False,
        description="Whether a command that a constraint's rules forbid is blocked rather than only reported.",
    )


@dataclass(frozen=True, slots=True)
class ValueSettings:
    """Section `[value]`: the assumptions of `memtui stats --value`."""

    rediscovery_tokens: int = _number(
        8000,
        "Tokens that an assistant is assumed to spend on rediscovering what a memory says.",
        0,
        1e9,
        whole=True,
    )


@dataclass(frozen=True, slots=True)
class SecretSettings:
    """Section `[secrets]`: what must not be stored."""

    patterns: tuple[tuple[str, str], ...] = ()  # Your own patterns: name = "regular expression"


@dataclass(frozen=True, slots=True)
class KindSettings:
    """Section `[kinds.NAME]`: a kind of your own, or another half-life for a built-in one."""

    half_life_days: float = _number(
        MISSING,
        "Days until trust in an unverified memory of this kind has halved.",
        1e-9,
        100_000,
        rule="must be a number of days above 0",
    )
    tier: str = _text(
        "semantic",
        "semantic, procedural, episodic or working.",
        choices=("semantic", "procedural", "episodic", "working"),
    )


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """Section `[targets.NAME]`: other limits than the built-in ones."""

    limit: str | None = _text(
        None,
        "What the target takes at most: `10000 chars`, `32 KiB`, `200 lines and 25000 bytes`, or none.",
        rule='must be text like "32 KiB"',
    )
    margin: float | None = _number(
        None, "Share by which the assistant's own tokenizer may exceed the count, 0 to 1.", 0, 1
    )


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be configured."""

    context: ContextSettings = ContextSettings()
    review: ReviewSettings = ReviewSettings()
    inbox: InboxSettings = InboxSettings()
    recall: RecallSettings = RecallSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    vault: VaultSettings = VaultSettings()
    app: AppSettings = AppSettings()
    hooks: HookSettings = HookSettings()
    value: ValueSettings = ValueSettings()
    keys: tuple[tuple[str, str], ...] = ()
    secrets: SecretSettings = SecretSettings()
    kinds: tuple[tuple[str, KindSettings], ...] = ()
    targets: tuple[tuple[str, TargetSettings], ...] = ()
    path: Path | None = None


SECTIONS: Mapping[str, type[Any]] = {
    "context": ContextSettings,
    "review": ReviewSettings,
    "inbox": InboxSettings,
    "recall": RecallSettings,
    "embedding": EmbeddingSettings,
    "vault": VaultSettings,
    "app": AppSettings,
    "hooks": HookSettings,
    "value": ValueSettings,
}


def load_config(path: Path) -> Config:
    """Return the configuration of a file; a missing file gives the defaults.

    Raises `ConfigError`: names file, line, key and the nearest known key.
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
        raise ConfigError(f"Invalid TOML in the configuration ({error})", where=str(path)) from error
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
        return Config(
            **sections,
            keys=self._keys(values.get("keys", {})),
            secrets=self._secrets(values.get("secrets", {})),
            kinds=self._tables("kinds", values.get("kinds", {}), KindSettings, "must be tables like [kinds.runbook]"),
            # Only the form is checked here; `memtui.pack` knows the targets and the syntax of a limit.
            targets=tuple(
                (name.lower(), settings)
                for name, settings in self._tables(
                    "targets", values.get("targets", {}), TargetSettings, "must be tables like [targets.codex]"
                )
            ),
            path=self._path,
        )

    def _tables(self, name: str, values: Any, kind: Callable[..., Any], rule: str) -> tuple[tuple[str, Any], ...]:
        """Return the settings of tables whose names are free, such as `[kinds.runbook]`."""
        if not isinstance(values, dict):
            raise self._wrong(name, rule, values)
        return tuple((key, self._section(f"{name}.{key}", table, kind)) for key, table in values.items())

    def _section(self, name: str, values: Any, kind: Any) -> Any:
        if not isinstance(values, dict):
            raise self._wrong(name, "must be a table", values)
        known = {setting.name: setting for setting in fields(kind)}
        chosen = {}
        for key, value in values.items():
            if key not in known:
                raise self._unknown(f"{name}.{key}", key, list(known))
            chosen[key] = self._value(f"{name}.{key}", value, known[key])
        missing = [key for key, setting in known.items() if setting.default is MISSING and key not in values]
        if missing:
            raise self._wrong(name, f"needs {missing[0]}", values)
        return kind(**chosen)

    def _value(self, key: str, value: Any, setting: Field[Any]) -> Any:
        if setting.type == "str" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)  # a budget may be written as a number
        if not setting.metadata["fits"](value):
            raise self._wrong(key, setting.metadata["rule"], value)
        return float(value) if str(setting.type).startswith("float") else value

    def _keys(self, values: Any) -> tuple[tuple[str, str], ...]:
        """Check the form alone: the app knows which actions exist, and reports unknown ones."""
        if not isinstance(values, dict):
            raise self._wrong("keys", 'must be a table of action = "key"', values)
        for action, key in values.items():
            if not isinstance(key, str) or not key.strip():
                raise self._wrong(f"keys.{action}", 'must name keys, like "P" or "ctrl+t, T"', key)
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
                rule = f"is not a regular expression ({error})"
                raise self._wrong(f"secrets.patterns.{name}", rule, pattern) from error
        return SecretSettings(tuple(patterns.items()))

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
    lines = ["# The configuration of memtui. Every key is here with its default; take away a # to change one.", ""]
    for name, kind in SECTIONS.items():
        lines += [f"# {(kind.__doc__ or '').split(': ', 1)[-1]}", f"[{name}]"]
        for setting in fields(kind):
            default = f'"{setting.default}"' if isinstance(setting.default, str) else str(setting.default).lower()
            lines += [f"# {setting.metadata['help']}", f"#{setting.name} = {default}"]
        lines.append("")
    lines += [
        "# Other keys for the app's actions, by the ids that `memtui config keys` lists.",
        "#[keys]",
        '#pin = "P"',
        "",
        "# What must not be stored, in addition to the built-in patterns.",
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
