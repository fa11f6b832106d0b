"""What TypeScript and JavaScript files import."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from memtui.recall.imports.aliases import Aliases
from memtui.recall.imports.lexing import COMMENT, DOUBLE_QUOTED, GAP, SINGLE_QUOTED
from memtui.recall.imports.sources import SourceTree, normal
from memtui.recall.imports.statements import IMPORTED, Language, Statement

_TOKEN = re.compile(
    rf"{COMMENT}|{DOUBLE_QUOTED}|{SINGLE_QUOTED}"
    rf"|(?<![\w$.])(?:import|require(?:\.resolve)?)\s*+\({GAP}"
    rf"(?P<tick>[\"'`])(?P<called>[^\"'`\n$\\]*+)(?P=tick){GAP}[,)]"
    rf"|(?<![\w$.])(?:import|export)\b"
    rf"(?P<clause>(?:(?!(?:import|export|require)\b)[\w$]++|[\s{{}},*]++|{COMMENT})*+)"
    rf"(?:(?P<quote>[\"'])(?P<source>[^\"'\n\\]*+)(?P=quote))?"
    r"|(?P<mark>[`{}/])",
    re.DOTALL,
)
"""A clause is what stands between the word and the specifier: names, braces, commas and no other mark."""

_FROM = re.compile(r"(?:^|\bfrom)\s*$")
_COMMENT = re.compile(COMMENT, re.DOTALL)
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\.|\$(?!\{))*+(?P<end>`|\$\{)?", re.DOTALL)
_REGEX = re.compile(r"/(?![*/>])(?:[^/\\\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\])++/\w*+")
_BEFORE_REGEX = re.compile(
    r"(?:^|[=(,:\[!&|?{;+\-*%~^]|=>|\b(?:return|typeof|case|in|of|delete|void|throw|do|else|yield|await))\s*$"
)

LONGEST_REGEX = 400
"""Characters; without a bound, a line of nothing but their beginnings would take time with the square of its length."""

LOOK_BACK = 40
"""Characters before a slash that decide whether it divides or begins a regular expression."""

SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
"""What may be left out of a specifier, in the order in which compilers and bundlers try."""

_WRITTEN_AS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""TypeScript files are imported by the name of what is compiled from them."""

_LOADER = re.compile(r"[?#].*$")
"""What bundlers read after the path, as in `./icon.svg?raw`."""


def _read(text: str) -> Iterator[Statement]:
    braces: list[int] = []
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        path = token["called"] or _source(token)
        if path:
            yield Statement("import", path)
        elif token["mark"]:
            position = _after(text, token, braces)


def _source(token: re.Match[str]) -> str | None:
    """Return the specifier of an import or a re-export, None if the string is another."""
    if token["source"] is None or not _FROM.search(_COMMENT.sub(" ", token["clause"])):
        return None
    return token["source"]


def _after(text: str, token: re.Match[str], braces: list[int]) -> int:
    """Return where code goes on after a mark.

    Args:
        text: the source.
        token: the mark.
        braces: open braces in the expression of each template that is open, the innermost last.
    """
    end = token.end()
    mark = token["mark"]
    if mark == "/":
        start = token.start()
        begins = _BEFORE_REGEX.search(text[max(0, start - LOOK_BACK) : start])
        found = _REGEX.match(text, start, start + LONGEST_REGEX) if begins else None
        return found.end() if found else end
    if mark == "{" and braces:
        braces[-1] += 1
    elif mark == "}" and braces and braces[-1]:
        braces[-1] -= 1
    elif mark == "`" or (mark == "}" and braces):
        if mark == "}":
            braces.pop()
        part = _TEMPLATE.match(text, end)
        if part is not None and part["end"] == "${":
            braces.append(0)
        return part.end() if part is not None else end
    return end


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool) -> Iterable[tuple[str, str]]:
    folder = posixpath.dirname(file)
    aliases: Aliases | None = None
    for statement in statements:
        if statement.path.startswith(("./", "../")) or statement.path in {".", ".."}:
            bases: Iterable[str] = (posixpath.join(folder, statement.path),)
        else:
            aliases = aliases or Aliases(tree, folder)
            bases = aliases.candidates(statement.path)
        found = next((path for base in bases if (path := find_module(tree, base))), None)
        if found is not None:
            yield found, IMPORTED


def find_module(tree: SourceTree, specifier: str) -> str | None:
    """Return the file that a specifier, taken as a path from the root, stands for."""
    for written in dict.fromkeys((specifier, _LOADER.sub("", specifier))):
        path = normal(written)
        if path is not None and (found := tree.first_file(_candidates(path))):
            return found
    return None


def _candidates(path: str) -> Iterator[str]:
    yield path
    stem, suffix = posixpath.splitext(path)
    yield from (stem + other for other in _WRITTEN_AS.get(suffix, ()))
    if path:
        yield from (path + other for other in SUFFIXES)
    yield from (posixpath.join(path, f"index{other}") for other in SUFFIXES)


JAVASCRIPT = Language("TypeScript or JavaScript", _read, _resolve)
