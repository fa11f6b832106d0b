"""Wording that orders instead of telling: an assistant reads memories as background facts."""

from __future__ import annotations

import re

_ORDER = re.compile(
    r"^[ \t]*(?:[-*+>#]+[ \t]*|\d+[.)][ \t]*)?[*_`]*"
    r"((?:you )?(?:always|never|must(?: not| never)?|do not|don['’]t)\b|(?:important|remember|attention)\s*[:!])",
    re.IGNORECASE | re.MULTILINE,
)
_SHOUT = re.compile(r"\b(?:ALWAYS|NEVER|MUST)\b")


def ordering_line(text: str) -> int | None:
    """Return the number (from 1) of the first line that orders, e.g. begins with ALWAYS or NEVER; None for none."""
    starts = [found.start() for found in (_ORDER.search(text), _SHOUT.search(text)) if found]
    return text.count("\n", 0, min(starts)) + 1 if starts else None
