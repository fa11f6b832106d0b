"""The blocks of a memory's text, as far as a title needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from memtui.text.inline import visible

LABEL_LINE = re.compile(r"(?:\*\*|__)([^*_]{1,60})(?:[:：](?:\*\*|__)|(?:\*\*|__)\s*[:：])")
"""A line that begins with a label, as in `**Scope**: …`."""

_PLAIN_LABEL = re.compile(r"[A-Z][\w-]*(?: [\w-]+){0,3}: +(?=\S)")
"""A line that begins with a label that is not bold; it goes on with no sentence."""

REAL_SHELLS = frozenset({"sh", "bash", "zsh", "fish", "shell", "console", "powershell", "ps1"})
SHELLS = REAL_SHELLS | {"", "text"}
"""The languages of fences whose lines are commands, or are taken for some where nothing else is known of them."""

_PROSE = frozenset({"markdown", "md", "mdx"})  # Code whose `#` opens a heading of the example
_LIST_MARK = r"(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)"
_ITEM = re.compile(rf"([ \t]*){_LIST_MARK}(?:\[[ xX]\][ \t]+)?(?=\S)")
_POINT = re.compile(r"^\s*(?:[-*+•□☐☑✅✓✔]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")  # before a point listed within code
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_CODE_TAG = re.compile(r"[ \t]*<(code|(?:\w+[-_])*snippet)((?:\s[^<>]*)?)>[ \t]*$", re.IGNORECASE)
_NAME = re.compile(r"\s(?:name|title)=[\"']([^\"'<>]{1,80})[\"']")
_LANGUAGE = re.compile(r"\slang(?:uage)?=[\"']([\w+-]{1,20})[\"']")
_TABLE_LINE = re.compile(r"[ \t]*\|")
_DELIMITER_ROW = re.compile(r"[ \t|:-]+$")
_CELL = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_QUOTE = re.compile(r"(?:[ \t]*>[ \t]?)+")
_CODE_LINE = "#/{}[]<>();@*│├└"
_ELEMENT = re.compile(r"(?:\\?`){3}|<(\w+)>[^<]*</\1>$")
_LISTED_PATH = re.compile(r"\s*[\w.@-]+(?:/[\w./*@-]*|\.\w+)\s+(?:-{1,2}|[—–])\s")  # a file with what it is for
_SCRIPT_LINE = re.compile(
    r"echo\s|(?:if|elif|while|until|for|case)\s.*(?:;|\bin\b|\])|(?:then|else|fi|do|done|esac)$|\w+=\$\S*$"
)
_SETTING = re.compile(
    r"(?:(?:export|set)\s+|\$env:)?([A-Z][A-Z0-9_]+)(?:=[^\s$\"']*|\s*=\s*(?:\"[^\"]*\"|'[^']*'))(?:\s+#.*)?$"
)
"""A line of `.env`, or one that sets a variable in a shell."""
_CALLED = re.compile(r"\w+=\$\((.+?)\)?$")  # `LOG=$(crane log)`: the command within
COMMENT_LINE = re.compile(r"\s*(?:#|//|--|/\*+|<!--|;+)\s*(?P<words>\S.*?)\s*(?:\*/|-->)?$")


Kind = Literal["heading", "paragraph", "item", "code", "table"]


@dataclass(slots=True)
class Block:
    """A block of Markdown; the text of an item or quote is without its marker."""

    kind: Kind
    lines: list[str] = field(default_factory=list)
    mark: str = ""
    is_within: bool = False  # whether a paragraph is indented, as one within an item is

    @property
    def text(self) -> str:
        """The lines as one."""
        return " ".join(self.lines)

    @property
    def rows(self) -> list[list[str]]:
        """The cells of a table's rows below its head."""
        has_head = len(self.lines) > 1 and _DELIMITER_ROW.match(self.lines[1])
        rows = self.lines[2 if has_head else 0 :]
        return [_CELL.split(row.strip().strip("|")) for row in rows if not _DELIMITER_ROW.match(row)]

    @property
    def commands(self) -> list[str]:
        """The commands of a shell's code, or of other code the words of the comment that it begins with."""
        if self.mark in SHELLS:
            lines = self.lines if self.mark in REAL_SHELLS else map(_without_point, self.lines)
            return [command for line in lines if (command := _command(line))]
        if self.mark in _PROSE:
            return []
        comment = COMMENT_LINE.match(self.lines[0]) if self.lines else None
        return [comment["words"]] if comment and " " in comment["words"] and not comment["words"].endswith("?") else []


@dataclass(slots=True)
class Statement:
    """What a paragraph or item states, its code held."""

    words: str
    lead: str = ""  # the bold words that it begins with
    avoid: bool = False  # whether it shows what is to be avoided
    part: bool = False  # whether its lead names a part of something, as in `**Symptom**: …`


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text; items below an item are items too, marked with their indentation."""
    found: list[Block] = []
    is_open, fence = False, ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if (mark and mark[1].startswith(fence)) or line.strip() == fence:
                is_open, fence = False, ""
            else:
                found[-1].lines.append(line)
            continue
        if (tag := _CODE_TAG.match(line)) and f"</{tag[1]}>" in text:
            found += _begun_by_tag(tag[2])
            is_open, fence = True, f"</{tag[1]}>"
            continue
        quote = _QUOTE.match(line)
        bare = line[quote.end() if quote else 0 :]
        new = Block("code", mark=mark[2].lower()) if mark else _begun(found[-1] if is_open else None, bare)
        if new:
            found.append(new)
            is_open, fence = True, mark[1] if mark else ""
        elif not bare.strip() or _RULER.match(bare):
            is_open = False
        else:
            found[-1].lines.append(bare.strip())
    return found


def _begun_by_tag(attributes: str) -> Iterator[Block]:
    """Yield the heading that a tag around code names, and the code that follows."""
    name, language = _NAME.search(attributes), _LANGUAGE.search(attributes)
    if name:
        yield Block("heading", [name[1]])
    yield Block("code", mark=language[1].lower() if language else "xml")


def _begun(block: Block | None, line: str) -> Block | None:
    """Return the block that a line begins; None if it continues the one above or is blank."""
    bare = line.strip()
    if not bare or _RULER.match(line):
        return None
    if heading := _HEADING.match(bare):
        return Block("heading", [heading[1]])
    if item := _ITEM.match(line):
        return Block("item", [line[item.end() :].strip()], item[1])
    if _TABLE_LINE.match(line):
        return None if block is not None and block.kind == "table" else Block("table", [bare])
    is_next_label = block is not None and block.kind == "paragraph" and _begins_label(bare, block.lines)
    if block is None or block.kind in {"heading", "table"} or LABEL_LINE.match(bare) or is_next_label:
        is_within = line[:1].isspace()
        return Block("code", [bare], "xml") if _ELEMENT.match(bare) else Block("paragraph", [bare], is_within=is_within)
    return None


def _begins_label(line: str, above: list[str]) -> bool:
    """Return whether a line is a label with its value below another, or below one that ends with code or brackets."""
    return _PLAIN_LABEL.match(line) is not None and bool(_PLAIN_LABEL.match(above[0]) or above[-1].endswith((")", "`")))


def _without_point(line: str) -> str:
    point = _POINT.match(line)
    return line[point.end() :].rstrip(" :") if point else line


def _command(line: str) -> str:
    bare = visible(line)
    if called := _CALLED.match(bare):
        bare = called[1]
    if _LISTED_PATH.match(line) or _SCRIPT_LINE.match(bare):
        return ""
    if setting := _SETTING.match(bare):
        return setting[1]
    if not bare or bare[0] in _CODE_LINE or bare.endswith("/"):
        return ""
    return bare.removeprefix("$ ").split(" #")[0].split(" //")[0].strip()
