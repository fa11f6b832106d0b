"""JSON as people write it: comments and commas too many are taken out, in time linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

TEXT, COMMENT, BRACKET = "text", "comment", "bracket"
"""What a token is (`lastgroup`). A text without its last quote goes on to the end."""

_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_LINE = r"//[^\n]*+"
_HASHED_LINE = r"(?://|#)[^\n]*+"
_BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?P<end>\*/)?"


def _patterns(line: str) -> tuple[re.Pattern[str], ...]:
    """Return the pattern of tokens, and the one for what follows a block comment without an end."""
    return tuple(
        re.compile(rf"(?P<{TEXT}>{_STRING})|(?P<{COMMENT}>{comment})|(?P<{BRACKET}>[{{}}\[\]])", re.DOTALL)
        for comment in (f"{line}|{_BLOCK}", line)
    )


_PATTERNS = {False: _patterns(_LINE), True: _patterns(_HASHED_LINE)}
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)


def tokens(text: str, start: int = 0, end: int | None = None, *, hashes: bool = False) -> Iterator[re.Match[str]]:
    """Yield texts, comments and brackets. `hashes`: whether `#` begins a comment, too.

    A `/*` that nothing ends is no comment, as in `src/*.ts`.
    """
    until = len(text) if end is None else end
    for pattern in _PATTERNS[hashes]:
        for found in pattern.finditer(text, start, until):
            if found[0].startswith("/*") and found["end"] is None:
                start = found.start() + len("/*")
                break  # no later one has an end either; looking for it again and again would take quadratic time
            yield found
        else:
            return


def without_comments(text: str, *, hashes: bool = False) -> str:
    """Return a text without its comments; lines keep their numbers."""
    parts, position = [], 0
    for found in tokens(text, hashes=hashes):
        if found.lastgroup == COMMENT:
            parts += [text[position : found.start()], "\n" * found[0].count("\n")]
            position = found.end()
    return "".join([*parts, text[position:]])


def plain_json(text: str, *, hashes: bool = False) -> str:
    """Return a text without comments, and without commas before a closing bracket."""
    return _LAST_COMMA.sub(lambda found: found[1] or "", without_comments(text, hashes=hashes))
