"""The title of what a commit teaches: the lesson itself where its sentence is short, or has a clause that says it."""

from __future__ import annotations

import re

from memtui.capture.commits.cues import cue, points_back, without_code

SHORTEST_TITLE, LONGEST_TITLE = 25, 90  # Characters

_OPENING = re.compile(
    r"^(?:note(?: also)? that|also|however|nevertheless|unfortunately|indeed|caveat|the problem is that"
    r"|as per (?:the )?[\w ]+ recommendation|at least)[,:]?\s+",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"^(?:since|because|as|given that)\s+(?P<clause>[^,]+),\s", re.IGNORECASE)
_CUT = re.compile(
    r",? (?:so|hence|thus|therefore|because|otherwise|since|as otherwise) |, (?:and so|as|which|but|meaning|leaving) "
    r"|; |: | [-–—] |, and (?=\w+ (?:can|must|will|is|are)\b)|\. "
)
_LEADING = re.compile(
    r"^(?:if|when|while|since|because|as|for|to|in order|although|though|unlike|without|with|due to|any|our|there is|no"
    r"|in (?:practice|general)|(?:we|you)\b(?!.{30})|(?:un)?fortunately)\b",
    re.IGNORECASE,
)


def title_in(sentence: str, insight: str) -> str:
    """Return a title that says what a sentence teaches; empty where none of its clauses stands for itself."""
    plain = _OPENING.sub("", sentence).rstrip(". ")
    given = _GIVEN.match(plain)
    clauses = [plain] if plain != insight.rstrip(". ") else []
    clauses += [given["clause"]] if given else [plain[: found.start()] for found in _CUT.finditer(plain)]
    return next((capital(clause.strip()) for clause in clauses if _stands_alone(clause.strip())), "")


def _stands_alone(clause: str) -> bool:
    """Return whether a clause is a sentence of a title's length that says what is so, must be or cannot be."""
    if not SHORTEST_TITLE <= len(clause) <= LONGEST_TITLE or points_back(clause) or _is_open(clause):
        return False
    plain = without_code(clause)
    if any(cue(name).search(plain) for name in ("past", "unended", "pointing")) or _LEADING.match(clause):
        return False
    return all(any(cue(name).search(plain) for name in names) for names in (("present", "denied"), ("limit", "order")))


def _is_open(clause: str) -> bool:
    """Return whether a clause has a bracket or a quotation that goes on after it."""
    return any(clause.count(left) != clause.count(right) for left, right in ("()", "[]", "{}")) or any(
        clause.count(mark) % 2 for mark in '`"'
    )


def capital(text: str) -> str:
    """Return a text that begins with a capital, where it does not begin with a name of the code."""
    return text if re.match(r"\w*[_.(]", text) else text[:1].upper() + text[1:]
