"""Which records a decision record says that it replaces, and by which it was replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from memtui.capture.blocks import Section
from memtui.capture.draft import Named, Succession
from memtui.text.tables import read_table

_LONGEST = 1_000  # Characters of a statement that are looked at
_LEAD = r"[ \t>*+|-]*(?:\d+[.)][ \t]+)?[*_]*"
_AFTER = re.compile(r"[\s:：|*_`\-–—]*")
_LINK = re.compile(r"\[(?P<label>[^\[\]]{1,300})\]\((?P<target>[^()\s]{1,400})\)")
_WIKI = re.compile(r"\[\[(?P<name>[^\[\]|#]{1,200})(?:[|#][^\[\]]*)?\]\]")
_FILE = re.compile(r"[\w./-]*\w\.(?:md|markdown)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\[?(?:(?:adr|madr|ad|dr|dec|dl|decision|record)s?[-_ #]*|#)(?P<number>\d{1,6})\b\]?(?![./]\d)", re.IGNORECASE
)
_BARE = re.compile(r"(?P<number>\d{1,6})\b(?![.,:/-]\d| ?%)")
_STEM = re.compile(r"\d{1,6}(?:-[a-z0-9]+)+", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s*_`\"'”“]*(?:[,;、，；&+/]|\b(?:and|und|et|y|e)\b|和|と)[\s*_`\"'“”]*", re.IGNORECASE)
_BESIDE = re.compile(r"[\s*_`\"'”“]*\((?P<said>[^()]{0,200})\)")
_END = re.compile(r"[\s*_`|\"'”“)]*(?:[.。;；][*_]*(?:\s.*)?)?$", re.DOTALL)
_TITLE = re.compile(r"[\"“„«'‘「]?(?P<title>[^\"“”„«»「」|`()\[\]]{4,150}?)[\"”“»'’」.]?[\s*_|]*$")


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    table = read_table(__file__, "adr.toml")["succession"]
    by, of, partly, subject = (table[name].replace("\n", "") for name in ("by", "of", "partly", "subject"))
    found = {
        "line": f"{_LEAD}(?:{subject})?(?:(?P<by>{by})|(?P<of>{of}))",
        "within": f"(?P<before>[^.;\n]{{0,30}}?)(?<!\\w)(?:(?P<by>{by})|(?P<of>{of}))",
        "heading": f"[\\W\\d_]*(?:(?P<by>{by})|(?P<of>{of}))[\\s:：]*$",
        "around": table["around"],
        "partly": partly,
    }
    return {name: re.compile(words, re.IGNORECASE) for name, words in found.items()}


@dataclass(slots=True)
class _Stated:
    replaces: dict[Named, None]
    replaced_by: dict[Named, None]

    def take(self, found: re.Match[str], value: str, before: str = "") -> None:
        """Add the records that the words behind a verb name."""
        partly = bool(_patterns()["partly"].search(f"{before} {found['by'] or found['of']}"))
        into = self.replaced_by if found["by"] else self.replaces
        titled = value.lstrip("*_ \t")[:1] in {":", "：", "|"}
        into.update(dict.fromkeys(named_in(value, partly=partly, titled=titled)))


def succession_of(tree: Section, settings: Mapping[str, Any], status: str) -> Succession | None:
    """Return what a record says of those before and after it; None if it says nothing.

    Args:
        tree: the record's sections.
        settings: its frontmatter.
        status: its status, in its own words.
    """
    stated = _Stated({}, {})
    for line in (*_settings(settings), *_lines(tree)):
        if found := _patterns()["line"].match(line[:_LONGEST]):
            stated.take(found, line[found.end() : _LONGEST])
    for found in _patterns()["within"].finditer(status[:_LONGEST]):
        stated.take(found, status[found.end() : _LONGEST], found["before"])
    if around := _patterns()["around"].search(status[:_LONGEST]):
        stated.replaced_by.update(dict.fromkeys(named_in(around["named"])))
    for section in tree.walk():
        if section.level and (found := _patterns()["heading"].match(section.heading)):
            for line in section.text.splitlines():
                stated.take(found, f": {line.strip().lstrip('-*+>| ')}")
    if not (stated.replaces or stated.replaced_by):
        return None
    return Succession(tuple(stated.replaces), tuple(stated.replaced_by))


def named_in(value: str, *, partly: bool = False, titled: bool = False) -> Iterator[Named]:
    """Yield the records that a text begins with naming, such as `ADR-3 (tills), [4](0004-x.md)`.

    Args:
        value: the words behind `Supersedes:`.
        partly: whether only a part of them is said to be replaced.
        titled: whether the words may be the title of one.
    """
    rest = value[_AFTER.match(value).end() :]  # type: ignore[union-attr]
    found: list[Named] = []
    while read := _first(rest):
        named, end = read
        rest = rest[end:]
        beside = _BESIDE.match(rest)
        if beside is not None:
            rest = rest[beside.end() :]
            partly = partly or bool(_patterns()["partly"].search(beside["said"]))
        found.append(named)
        separator = _SEPARATOR.match(rest)
        if separator is None or _first(rest[separator.end() :]) is None:
            break
        rest = rest[separator.end() :]
    qualified = not _END.match(rest)
    if titled and not found and (whole := _TITLE.match(rest)):
        found, qualified = [Named(title=whole["title"].strip())], False
    yield from (
        Named(one.number, one.path, one.title, partly=partly or (qualified and one == found[-1])) for one in found
    )


def _first(text: str) -> tuple[Named, int] | None:
    """Return the record that a text begins with and where its name ends."""
    start = len(text) - len(text.lstrip(" \t*_`\"'“"))
    bare = text[start:]
    if (link := _LINK.match(bare)) is not None:
        target = unquote(link["target"].partition("#")[0])
        number = _NUMBER.match(link["label"]) or _BARE.match(link["label"])
        if "://" in target or not (target or number):
            return None
        return Named(number["number"] if number else "", target), start + link.end()
    if (wiki := _WIKI.match(bare)) is not None:
        return Named(path=wiki["name"].strip()), start + wiki.end()
    if (file := _FILE.match(bare)) is not None:
        return Named(path=file[0]), start + file.end()
    if (stem := _STEM.match(bare)) is not None and not stem[0].replace("-", "").isdigit():
        return Named(path=stem[0]), start + stem.end()
    if (number := _NUMBER.match(bare) or _BARE.match(bare)) is not None:
        return Named(number["number"]), start + number.end()
    return None


def _settings(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the settings of frontmatter as lines, `superseded_by` in words."""
    for key, value in settings.items():
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]+", " ", str(key))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str | int) and not isinstance(one, bool):
                yield f"{spaced[:1].upper()}{spaced[1:]}: {one}"


def _lines(tree: Section) -> Iterator[str]:
    """Yield the lines of a record that begin a statement: none of code, nor one that goes on in lower case."""
    for section in tree.walk():
        for block in section.blocks:
            if block.kind in {"fence", "code", "html"}:
                continue
            yield from _begun(section.source[block.lines.first : block.lines.last + 1])


def _begun(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        bare = line.lstrip(" \t>*+-|_")
        if bare[:1].islower() and ":" not in bare[:40] and line.lstrip()[:1] not in {"-", "*", "+", "|"}:
            continue
        yield line


def stem_of(path: str) -> str:
    """Return the name of a file without its folder and ending, in lower case."""
    name = PurePosixPath(path).name
    return re.sub(r"\.(?:md|markdown)$", "", name, flags=re.IGNORECASE).casefold()
