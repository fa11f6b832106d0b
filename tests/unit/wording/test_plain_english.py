"""User-facing text is idiomatic technical English: phrases that nobody writes in a manual are not in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "memtui"

FORBIDDEN = (
    r"\b[Tt]his is no (?!longer)",
    r"\bis no (?!longer|such)\w",
    r"\b[Tt]here is no (?!longer)",
    r"(?<![-\w])anew\b",
    r"\bin hand\b",
    r"\b(?:is|are|were|was) told(?: of)?\b",
    r"\bholds? for\b",
    r"\bput away\b",
    r"(?<![-\w])beside\b",
    r"\bloads? by itself\b|\breads? by (?:itself|themselves)\b",
    r"\bstands? in (?:a|its|the) ",
    r"\b(?:let|lets|letting) go\b",
    r"\bsomething else than\b",
    r"\bby now\b",
    r"\bnone of it\b|\bnothing of (?:it|memtui)\b",
    r"\bwhat is (?:gone|none)\b|\bis none:",
    r"\bas it is there\b|\bstands? meanwhile\b",
    r"\bwould rather have\b|\bjudges? by (?:a|its) vector\b|\b(?:was|were|is|are) asked about\b",
)
"""Patterns of a private dialect, and of words translated one by one."""

_LINES = re.compile("|".join(f"(?:{pattern})" for pattern in FORBIDDEN))


def _strings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of the strings of words that are not docstrings, the parts of an f-string together."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
            yield f"{path.name}:{node.lineno}", "".join(map(str, parts))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in skipped
        ):
            yield f"{path.name}:{node.lineno}", node.value


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("#"):
            yield f"{path.name}:{number}", line


def user_facing(area: str) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of an area of what people read."""
    if area == "docs":
        for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
            yield from _lines(page)
    elif area == "actions":
        for name in ("actions.txt", "about.toml"):
            yield from _lines(PACKAGE / "tui" / "actions" / name)
    elif area == "config":
        yield from _strings(PACKAGE / "config.py")
    else:
        for path in sorted((PACKAGE / area).rglob("*.py")):
            yield from _strings(path)


@pytest.mark.parametrize("area", ["actions", "wording", "cli", "config", "tui", "docs"])
def test_what_people_read_is_idiomatic_english(area: str) -> None:
    found = [f"{place}: {match[0]}" for place, text in user_facing(area) if (match := _LINES.search(text))]
    assert found == [], "say it as a technical writer would"


@pytest.mark.parametrize(
    "said",
    ["This is no JSON", "The file is no YAML", "starts anew", "it holds for all files", "the line in hand", "put away"],
)
def test_the_phrases_are_found(said: str) -> None:
    assert _LINES.search(said)


def _without_remedy(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = {keyword.arg for keyword in node.keywords}
            if node.func.id in {"UsageError", "NotFoundError"} and not given & {"remedy", None}:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_every_error_of_usage_says_what_to_do() -> None:
    found = [place for path in sorted(PACKAGE.rglob("*.py")) for place in _without_remedy(path)]
    assert found == [], "give it a remedy, or make it with `missing_file` or `unknown`"
