"""Keeping memories well-formed inside Markdown: fences closed, lines indented, titles bold where they can be."""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_BLOCK_START = re.compile(r"#{1,6}(?:\s|$)|[-+*>](?:\s|$)|\d{1,9}[.)](?:\s|$)|`{3}|~{3}|[-=_]{3,}\s*$")
_MARKUP = re.compile(r"<(?=!--|\s*/?\s*background-facts\b)", re.IGNORECASE)
_ELLIPSES = ("…", "...")
_SIGNS = {ord("`"): None, ord("*"): None}
_ENDS = " .…!?;:。！？"
_MARKS_WITHIN = 200
"""Characters of a body beyond twice its title that may be marks and spaces before the title is said."""


def defused(text: str) -> str:
    """Return a text that opens no comment, which would hide what follows, and speaks no tag of our own."""
    return _MARKUP.sub("\u2039", text)


def close_fences(text: str) -> str:
    """Return a text whose code fence is closed at its end, if it was left open."""
    opened = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if not found:
            continue
        fence, info = found["fence"], found["info"]
        if not opened:
            if fence[0] == "~" or "`" not in info:
                opened = fence
        elif fence[0] == opened[0] and len(fence) >= len(opened) and not info.strip():
            opened = ""
    return f"{text}\n{opened}" if opened else text


def fenced(code: str) -> str:
    """Return code in a fence that is longer than any inside; code that is fenced already stays as it is."""
    if _FENCE.match(code):
        return close_fences(code)
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def indented(text: str, prefix: str) -> str:
    """Return a text with every line but blank ones indented."""
    return "\n".join(prefix + line if line.strip() else "" for line in text.split("\n"))


def bold(title: str) -> str:
    """Return a title in bold, or as it is where its own signs would break that."""
    if not title:
        return ""
    if "*" not in title and title.count("`") % 2 == 0 and not title.endswith("\\"):
        return f"**{title}**"
    return "\\" + title if _BLOCK_START.match(title) else title


def says_title(title: str, body: str) -> bool:
    """Return whether a body begins with its title, so that the title need not be repeated.

    Marks of code and emphasis, case and what ends a sentence make no difference.
    """
    stem, whole = _bare(title), _bare(body[: 2 * len(title) + _MARKS_WITHIN])
    if not stem or not whole.startswith(stem):
        return False
    # A title that was cut may end within a word.
    is_cut = title.rstrip().endswith(_ELLIPSES)
    return is_cut or not (whole[len(stem) :][:1].isalnum() and stem[-1].isalnum())


def same_words(one: str, other: str) -> bool:
    """Return whether two lines differ in nothing but marks of code and emphasis, case and what ends a sentence."""
    return _bare(one) == _bare(other) != "" or one.strip() == other.strip()


def with_code(one: str, other: str) -> str:
    """Return the one of two such lines that marks more of its words as code; the first where both mark as much."""
    return other if other.count("`") > one.count("`") else one


def _bare(text: str) -> str:
    """Return a text as one line without marks of code and emphasis, case and what ends a sentence."""
    return " ".join(text.translate(_SIGNS).split()).casefold().rstrip(_ENDS)
