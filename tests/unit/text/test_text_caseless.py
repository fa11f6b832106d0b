"""A pattern that is sought in lower case finds what it finds without regard to letter case, at the same places."""

from __future__ import annotations

import re

import pytest

from memtui.text.caseless import Caseless

PATTERNS = [
    r"(?<![\w-])(?:never|unless|dès que|\w+n['’]t)(?![\w-])",
    r"\b(?:is|straße|zum Beispiel)\b",
    "[a-zà-ÿ]+s\\b",
]
TEXTS = [
    "NEVER lift it, unless it ISN’T tied",
    "Dès que c'est fini, DÈS QUE c'est prêt",
    "Die Straße IS zum beispiel ZUM BEISPIEL eng",
    "NeVeR \ue000 unlesſ İt iS Kurz, ÉTÉS",
    "从不 NEVER 除非 UNLESS",
    "",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", TEXTS)
def test_what_is_found_is_what_is_found_without_regard_to_case(pattern: str, text: str) -> None:
    one, other = Caseless(pattern), re.compile(pattern, re.IGNORECASE)
    assert [found.span() for found in one.finditer(text)] == [found.span() for found in other.finditer(text)]
    for ask in ("search", "match", "fullmatch"):
        found, wanted = getattr(one, ask)(text), getattr(other, ask)(text)
        assert (found and found.span()) == (wanted and wanted.span())
