"""Check the arguments of a call: a model sends anything, and must read from the answer what to send instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memtui.assist.mcp.tools import Tool
from memtui.errors import UsageError
from memtui.text.sanitize import tame
from memtui.text.words import did_you_mean

_SHOWN = 60


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as the tool takes them; null counts as not given.

    Models send a list as one string, or as JSON in a string, and numbers as text: what is meant beyond doubt is taken.

    Raises `UsageError`: one is unknown, missing, too large, or of a wrong type.
    """
    for name in given:
        if name not in tool.arguments:
            remedy = did_you_mean(tame(name, _SHOWN), tool.arguments, then=f"It takes: {', '.join(tool.arguments)}.")
            raise UsageError(f"{tool.name} takes no such argument", where=tame(name, _SHOWN), remedy=remedy)
    found = {
        name: _value(name, schema, given[name]) for name, schema in tool.arguments.items() if _is_given(given, name)
    }
    for name in tool.required:
        if name not in found or found[name] in ("", []):
            raise UsageError(f"{tool.name} needs an argument", where=name, remedy=f"Give {name}.")
    return found


def _is_given(given: Mapping[str, Any], name: str) -> bool:
    return given.get(name) is not None


def _value(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    match schema["type"]:
        case "string":
            return _text(name, schema, value)
        case "integer":
            return _number(name, schema, value)
        case "boolean":
            if isinstance(value, bool):
                return value
            raise _wrong(name, "true or false", value)
        case _:
            return _list(name, schema, value)


def _text(name: str, schema: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "a text", value)
    if len(value) > schema.get("maxLength", len(value)):
        raise UsageError(
            "This text is too long",
            where=f"{name}: {len(value):,} characters",
            remedy=f"At most {schema['maxLength']:,}.",
        )
    if value not in schema.get("enum", (value,)):
        raise _wrong(name, f"one of {', '.join(schema['enum'])}", value)
    return value


def _number(name: str, schema: Mapping[str, Any], value: Any) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < _SHOWN:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, "a whole number", value)
    low, high = schema.get("minimum", value), schema.get("maximum", value)
    if not low <= value <= high:
        raise _wrong(name, f"from {low} to {high}" if "maximum" in schema else f"at least {low}", value)
    return value


def _list(name: str, schema: Mapping[str, Any], value: Any) -> list[str]:
    if isinstance(value, str):
        value = _parsed(value)
    if not isinstance(value, list):
        raise _wrong(name, "a list of texts", value)
    if len(value) > schema["maxItems"]:
        raise UsageError(
            "These are too many", where=f"{name}: {len(value):,}", remedy=f"At most {schema['maxItems']} at once."
        )
    return [_text(name, schema["items"], one) for one in value]


def _parsed(text: str) -> object:
    """Return a list that came as text: as JSON, else the text as its only member."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return [text]
    return [text] if text.strip() else []


def _wrong(name: str, wanted: str, value: object) -> UsageError:
    shown = tame(value, _SHOWN) if isinstance(value, str) else type(value).__name__
    if isinstance(value, int) and not isinstance(value, bool):
        shown = str(value)[:_SHOWN] if abs(value) < 10**_SHOWN else "a huge number"
    return UsageError(f"{name} is {wanted}", where=shown or "empty")
