"""A payload as it may stand in a managed block: it ends no comment, opens no fence, and holds no marker."""

from __future__ import annotations

import re

_FENCE = re.compile(r" *(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_INNER_FENCE = re.compile(r"(?P<before>\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+)+)(?P<fence>`{3,}|~{3,})")
_TAG = re.compile(r"</?[a-z]+-mem-context>", re.IGNORECASE)
_SHELL_MARKER = re.compile(r"^([ \t]*)#(?=[ \t]*-{3,}[ \t]*(?:BEGIN|END)\b)", re.IGNORECASE)
_CODE_INDENT = "    "


def for_block(payload: str) -> str:
    """Return a payload with its code indented instead of fenced, and what could break out of a block defused."""
    return "\n".join(map(_defused, _unfenced(payload.split("\n"))))


def _unfenced(lines: list[str]) -> list[str]:
    """Return lines of Markdown with the code of fences indented, an empty line before and after it."""
    found: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.fullmatch(line)
        if fence:
            if mark and mark["fence"].startswith(fence) and not mark["info"].strip():
                fence = ""
                found.append("")
            else:
                found.append(_CODE_INDENT + line if line.strip() else "")
        elif mark and (mark["fence"][0] == "~" or "`" not in mark["info"]):
            fence = mark["fence"]
            if found and found[-1].strip():
                found.append("")
        else:
            found.append(_INNER_FENCE.sub(lambda one: one["before"] + "'" * len(one["fence"]), line))
    return found


def _defused(line: str) -> str:
    line = line.replace("<!--", "\u2039!--").replace("-->", "--\u203a").replace("\0", "")
    line = _TAG.sub(lambda tag: "\u2039" + tag[0][1:], line)
    return _SHELL_MARKER.sub(r"\1\\#", line)
