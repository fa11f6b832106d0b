"""Whether a memory says something that one can act on."""

from __future__ import annotations

import re

from memtui.analysis.text_features import Wording, stems_of, wording_of

_WELL_MEANT = re.compile(
    r"\b(?:be (?:very |extra )?(?:careful|cautious|mindful|consistent|mindful)|take care|keep in mind|pay attention"
    r"|make sure (?:it|that it|everything|things|all) (?:works?|is (?:fine|ok|okay|good|correct))|best practices?"
    r"|clean code|good code|quality code|high quality|properly|appropriately|as (?:needed|appropriate|necessary)"
    r"|where (?:appropriate|necessary)|think twice|double[- ]check|common sense|do it (?:right|well)|the right way"
    r"|handle (?:all )?(?:errors?|edge cases)|watch out|don't forget|do not forget|remember to|try (?:harder|your best)"
    r"|write (?:good|clean|better|readable|maintainable) \w+|follow (?:the )?(?:conventions?|guidelines|standards))\b"
)
_EMPTY = frozenset(
    stems_of(
        "careful cautious mindful consistent care mind attention sure work works best practice clean good code quality "
        "high proper properly appropriate needed necessary twice double check common sense right well way handle error "
        "errors edge case cases watch forget remember try hard write better readable maintainable follow convention "
        "guideline standard general project user task change thing stuff fine ok okay correct important always think "
        "do make keep fix bug issue thorough nice great simple possible"
    )
)

MOST_EMPTY = 2
"""Words that carry meaning beside the well-meant ones, up to which nothing is said."""


def is_vague(title: str, insight: str) -> bool:
    """Return whether a memory holds no fact: no name of code, no number, and little beside well-meant words."""
    wording = wording_of(title, insight)
    if _is_concrete(wording):
        return False
    telling = wording.terms - _EMPTY
    if _WELL_MEANT.search(wording.normal):
        return len(telling) <= MOST_EMPTY
    return not telling


def _is_concrete(wording: Wording) -> bool:
    # A script without spaces is cut in pairs; its words cannot be counted so.
    return bool(wording.numbers or wording.identifiers) or not wording.normal.isascii()
