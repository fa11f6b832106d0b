"""What the form of a text says of its kind: code, trees, tick boxes, lists of paths; and its lines and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memtui.analysis.imperative import first_word
from memtui.analysis.sentence_acts import is_command, pattern

READ_CHARS = 4_000  # Of a text that are read

_FENCED = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]+|\d{1,3}[.)、][ \t]+|#{1,6}[ \t]+|\|[ \t]*)?(?:\[[ xX]\][ \t]+)?")
_COLUMNS = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t:-]*$")
_STEPS = re.compile(r"\b(?:steps?|how(?: to)?|schritte?|étapes?|pasos|passos)\b|步骤|手順", re.IGNORECASE)


def prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without its fenced code."""
    fence = ""
    for line in text.split("\n"):
        mark = _FENCED.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield line


def blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, list items and table rows, each as one line, without fenced code."""
    block: list[str] = []
    for line in prose_lines(text):
        mark = _MARK.match(line)
        marked = mark[0] if mark else ""
        bare = line[len(marked) :].strip()
        if _COLUMNS.match(line) and any(map(_STEPS.search, block)):
            block, bare = [], ""  # the rows are what is to be done
        if marked.strip() or not bare:
            yield " ".join(block)
            block = []
        block.append(bare)
    yield " ".join(block)


_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$", re.MULTILINE)
_PATH_ITEM = re.compile(
    r"(?:\*\*)?`(?!(?:feat|feature|fix|bugfix|hotfix)/)(?:[\w.@*-]*/[\w./@*\[\]-]*)`(?:\*\*)?(?=\s*(?:$|[,:：—–(-]))"
)
_DEEP_PATH = re.compile(r"`[^`\s]*(?:[^/`\s]/[^/`\s]|/`)")
_LEAST_PATHS = 3
_SHELL_FENCE = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:(?:ba|z|fi)?sh|shell|console|powershell|ps1|cmd)(?:[ \t][^\n`]*)?$", re.MULTILINE
)
_PLAIN_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:te?xt|plain)?[ \t]*\n[ \t]*(?!`|~)(\S[^\n]*)$", re.MULTILINE)
_TREE = re.compile(r"[├└]─|^[ \t]*[|`]--[ \t]|^[ \t]*[\w.-]+/[ \t]*(?:#|$)", re.MULTILINE)
_DIAGRAM = re.compile(r"^`{3,}(?:te?xt|plain)?[ \t]*\n(?:(?!```)[^\n]*\n)*?[^\n]*(?:[→↓▼⟶⇒]|--?>|[┌└]──)", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*1[.)][ \t]", re.MULTILINE)
_SETTINGS = re.compile(r"^[ \t]*(?:export )?[A-Z][A-Z0-9_]{2,}=", re.MULTILINE)
_CODE_RULES = re.compile(
    r"\bMUST\b|^[ \t]*(?:NEVER|ALWAYS|DO NOT|DON['’]T|FORBIDDEN|NIEMALS|IMMER|JAMAIS|NUNCA|SIEMPRE|SEMPRE)\b"
    r"|^[ \t]*(?:禁止|必须|必ず)",
    re.MULTILINE,
)
_RUNS = frozenset({"run", "execute", "launch", "start"})
_ENDPOINT = re.compile(r"`(?:GET|POST|PUT|PATCH|DELETE|HEAD) +/[^`\s]*")
_SEVERAL_ENDPOINTS = 3
_VARIABLE_ROW = re.compile(
    r"^[ \t]*(?:[-*+•|]|\d{1,3}[.)])[ \t]*(?:\*\*)?`[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=[^`]*)?`", re.MULTILINE
)
_SEVERAL_VARIABLES = 2
_MEMBER = re.compile(r"(?:\*\*)?`(?!-)([^`]+)`(?:\*\*)?(?:\s*\([^()]*\))?\s*(?:$|[:：—–→]|-\s)")
_LABEL = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d{1,2}[.)]|#{1,6})[ \t]+)?(?:\*\*|__)?([^\W_](?:[^\n:：*_]{0,28}[^\W_])?)"
    r"(?:\*\*|__)?[ \t]*(?:[:：]|$)",
    re.MULTILINE,
)
_NO_MEMBER = re.compile(r".*/|[A-Z][A-Z0-9_]*(?:=|$)")
_SEVERAL_MEMBERS = 2
_SKILL = re.compile(r"(?:\*\*)?`/[a-z][a-z0-9:-]+(?: [^`]*)?`(?:\*\*)?\s*(?:$|[:—–]|-\s)")
_SEVERAL_SKILLS = 2
_SEVERAL_AMOUNTS = 3
_HEADER = re.compile(r"^([ \t]*\|[^\n]*)\n[ \t]*\|(?:[ \t]*:?-{2,}:?[ \t]*\|)+", re.MULTILINE)
_MEASURED = re.compile(r"\b(?:measured|latency|throughput|speedup|ops/s|p(?:50|9[059]))\b", re.IGNORECASE)
_AMOUNT = re.compile(r"\d ?(?:[mµun]?s|[kmg]i?b|%|x|ops/s)\b|\d%", re.IGNORECASE)
_CODE_FILE = re.compile(
    r"[\s*_`-]*(?![A-Z]\w*\.js\b)[\w./-]*\w\.(?:pyi?|tsx?|[mc]?jsx?|rs|go|java|kts?|rb|c|cc|cpp|h|hpp|cs|swift|php|vue"
    r"|svelte|exs?|scala)[`*]*(?:\s*[:：]|\s+[—–-]{1,2})\s"
)
"""A file of code before what it holds; `Next.js:` is no file."""
_TICKED_BOX = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\[[xX]\][ \t]")
_OPEN_BOX = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\[ \][ \t]")
_CHECKLIST = re.compile(
    r"\b(?:check ?list|before|after|when(?:ever)?|every|each|criteria|definition of done|validation|plan)\b"
    r"|检查|檢查|チェック",
    re.IGNORECASE,
)


def lists_paths(text: str) -> bool:
    """Return whether a text is a list of paths and what lies there: a slash command has no second slash."""
    items = _ITEM.findall(text)
    listed = len(items) >= _LEAST_PATHS and all(map(_PATH_ITEM.match, items))
    return listed and any(map(_DEEP_PATH.search, items))


def form_features(text: str, context: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield what the form of a text shows, each with its share; `context` is its title and the headings above it."""
    names = (*_of_code(text), *_of_boxes(text, context), *_of_lists(text), *_of_labels(text))
    yield from ((name, 1.0) for name in names)


def _of_code(text: str) -> Iterator[str]:
    only_code = not any(block.strip() for block in blocks(text))
    if _TREE.search(text) or (only_code and _DIAGRAM.search(text) and not _NUMBERED.search(text)):
        yield "tree"
    elif _SHELL_FENCE.search(text) or any(is_command(f"{found[1]} ;") for found in _PLAIN_FENCE.finditer(text)):
        yield "shell_alone" if only_code else "shell"
        if first_word(text) in _RUNS:
            yield "runs"
    elif only_code:
        yield _kind_of_code(text)


def _of_boxes(text: str, context: Iterable[str]) -> Iterator[str]:
    if any(map(_TICKED_BOX.match, prose_lines(text))):
        yield "ticked"
    elif any(map(_OPEN_BOX.match, prose_lines(text))):
        yield "checklist" if any(map(_CHECKLIST.search, context)) else "open_box"


def _of_lists(text: str) -> Iterator[str]:
    if len(set(_ENDPOINT.findall(text))) >= _SEVERAL_ENDPOINTS:
        yield "endpoints"
    elif _ENDPOINT.match(text.lstrip("-*+ ")):
        yield "endpoint"
    if len(set(_VARIABLE_ROW.findall(text))) >= _SEVERAL_VARIABLES:
        yield "variables"
    listed = _ITEM.findall(text)
    items = [_MEMBER.match(item) for item in listed]
    if len(items) >= _SEVERAL_MEMBERS and all(found and _names_member(found[1]) for found in items):
        yield "members"
    if len(listed) >= _SEVERAL_SKILLS and all(map(_SKILL.match, listed)):
        yield "skills"
    if any(map(_MEASURED.search, _HEADER.findall(text))) and len(_AMOUNT.findall(text)) >= _SEVERAL_AMOUNTS:
        yield "measured"
    if _CODE_FILE.match(text):
        yield "of_file"


def _of_labels(text: str) -> Iterator[str]:
    labels = [label.lower() for label in _LABEL.findall(text)]
    if any(map(pattern("fault_label").match, labels)) and any(map(pattern("cure_label").match, labels)):
        yield "fault_told"


def _names_member(code: str) -> bool:
    """Return whether code at the start of an item names a function, type or field, not a command, path or variable."""
    return not is_command(code) and not _NO_MEMBER.match(code)


def _kind_of_code(text: str) -> str:
    if _SETTINGS.search(text):
        return "settings"
    return "code_rules" if _CODE_RULES.search(text) else "code_alone"
