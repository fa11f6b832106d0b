"""What a sentence only tells of: what is blocked or refused, and what is named as doing harm. It orders none of it.

`Blocked commands: git commit --no-verify`, `the wrapper rejects --no-verify` and `[skip ci] kills the release` are
descriptions. `If the hook blocks your commit, use --no-verify` is none: what stands under a condition is not looked at.
"""

from __future__ import annotations

import re

_BEFORE, _AFTER = 100, 60  # characters of a sentence around a wording that are read
_LONGEST = 400  # characters of a sentence that names what is refused

_REFUSED = (
    r"(?:(?<!\w)(?:blocked|refused|rejected|denied|banned|forbidden|prohibited|disallowed|intercepted|not\s+(?:allowed|permitted)"
    r"|blockiert\w*|gesperrt\w*|verweigert\w*|abgelehnt\w*|untersagt\w*|verboten\w*|unzulässig\w*"
    r"|bloqu(?:é|ead|iad)\w*|refusé\w*|rejetée?s?|interdite?s?|rechazad\w*|prohibid\w*|denegad\w*|recusad\w*|rejeitad\w*"
    r"|proibid\w*|negad[oa]s?|bloccat\w*|rifiutat\w*|vietat\w*|proibit\w*|(?:за)?блокир\w*|запрещ\w*|отклон\w*)"
    r"|拦截|攔截|屏蔽|拒绝|拒絕|阻止|封锁|封鎖|禁止|ブロック|拒否|차단|거부|금지)"
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|once|after|until|unless|wenn|falls|sobald|solange|si|quand|lorsque|cuando|quando|caso|se|если|когда)\b"
    r"|如果|若|当|當|时|時|とき|場合|たら|면|때",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"{_REFUSED}|\b(?:blocks|refuses|rejects|denies|bans|disallows|intercepts)\b"
    r"|\b(?:blockiert|sperrt|verweigert|bloque|refuse|rejette|bloquea|rechaza|bloqueia|recusa|blocca|rifiuta)\b",
    re.IGNORECASE,
)

_LABEL = re.compile(
    rf"{_REFUSED}[^\s:：;,.。]{{0,6}}(?:[ \t*_`]+[^\s:：;,.。]+){{0,3}}?[ \t*_`]*[:：—–]"
    r"(?:(?!\b(?:use|run|try|go|add|pass|set|instead|then|so|but|none|nothing|please|always|just|do|you|we)\b)[^;；\n。])*$",
    re.IGNORECASE,
)
"""A name of what is refused, of which a wording is the first or another: `Blocked git commands: a, b, `."""

_REFUSES = re.compile(
    r"\b(?:blocks|refuses|rejects|denies|forbids|bans|disallows|intercepts|prohibits|catches"
    r"|blockiert|sperrt|verweigert|verbietet|bloque|refuse|rejette|interdit|bloquea|rechaza|prohíbe|bloqueia|recusa|proíbe"
    r"|blocca|rifiuta|vieta|блокирует|запрещает|отклоняет)\s+"
    r"(?:(?:any|all|every|each|the|a|an|use|uses|of|calls?|to|commits?|pushes|with|using|that|both|git|commit|push"
    r"|jede\w*|alle|de[nmr]|die|das|mit|tout|toute|tous|les?|la|avec|todos?|todas?|el|los|las|con|com|os?|as?|ogni|il"
    r"|любой|все|с)\b[\s`\"'(\[/,]*|[`\"'(\[])*$",
    re.IGNORECASE,
)
"""What somebody refuses, up to a wording: `The wrapper blocks any git commit with `."""

_IS_REFUSED = re.compile(
    rf"[^.;:,!?。；，\n]{{0,24}}?(?:(?<!\w)(?:(?:is|are|gets?|was|were|will\s+be|ist|sind|wird|werden|est|sont|está|estão|é|são"
    rf"|es|son|è|sono|viene|sera|será)\s+(?:[\w-]+\s+){{0,3}}?{_REFUSED})"
    r"|(?:被|会被|會被|は|が|를|을|는|은)\s*(?:系统|系統|钩子|ラッパーに|フックに)?"
    r"(?:拦截|攔截|屏蔽|拒绝|拒絕|阻止|封锁|禁止|ブロック|拒否|차단|거부|금지))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:^|[.:;>\n])[\s*+>-]*[`\"'“«「]?\[?$")
_DOES_HARM = re.compile(
    r"[\])`\"'”»」]{1,3}\s+(?:(?:\w+\s+)?(?:kills|breaks|blocks|stops|prevents|cancels|defeats|swallows|loses|fails)\b"
    r"|(?:verhindert|blockiert|stoppt|bricht|empêche|bloque|casse|arrête|impide|bloquea|rompe|impede|bloqueia|quebra|blocca"
    r"|ломает|блокирует|останавливает)\b|会阻止|会中断|會阻止|は止め|を止め)",
    re.IGNORECASE,
)
"""What a name in signs, with which a sentence begins, is said to do."""


def is_only_told_of(sentence: str, start: int, end: int) -> bool:
    """Return whether a wording that stands there is told of as refused, or named as doing harm, under no condition."""
    before = sentence[max(0, start - _BEFORE) : start]
    if _CONDITION.search(before):
        return False
    after = sentence[end : end + _AFTER]
    if _LABEL.search(before) or _REFUSES.search(before) or _IS_REFUSED.match(after):
        return True
    return _NAMED.search(before) is not None and _DOES_HARM.match(after) is not None


def names_refused(sentence: str) -> bool:
    """Return whether a sentence does nothing but name what is refused: `Blocked commands: a, b`."""
    return len(sentence) <= _LONGEST and _LABEL.search(sentence) is not None and not _CONDITION.search(sentence)


def leads_to_refused(lead: str) -> bool:
    """Return whether a line introduces a list of what is refused: `Blocked commands:`."""
    return _LEAD.search(lead) is not None and not _CONDITION.search(lead)
