"""Words without which a pattern cannot match, and the patterns that are told by them."""

from __future__ import annotations

import re

import pytest

from memtui.analysis.grammar import LATIN, grammar_of
from memtui.text import caseless
from memtui.text.caseless import Seldom
from memtui.text.needed_words import needed_in


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:crane|winch(?:es)?)\b", ("crane", "winch")),
        (r"(?:the )?quay(?:side)?", ("quay",)),
        (r"\w+n['’]t", ("n't", "n’t")),
        (r",?\s(?:with|by)\s(?:rope|chain){2}", ("chainchain", "chainrope", "ropechain", "roperope")),
        (r"(?:rope|chain){1,9}s", ("chain", "rope")),
        (r"buoys? [a-z]+ at|anchors", ("anchors", "buoy ", "buoys ")),
        (r"(?=lift)\d+ boats(?! ashore)", (" boats",)),
        (r"lift|\d+", ()),  # the second way needs no word
        (r"(?:lift)?\d*", ()),
        (r"[lmn]", ()),  # one sign says too little
        (r"(?i:lift) it", (" it",)),  # what is matched in either case is none of the words
        (r"(?i)lift", ()),
        (r"(?!)", ()),
    ],
)
def test_a_pattern_needs_one_of_its_words(pattern: str, words: tuple[str, ...]) -> None:
    assert needed_in(pattern) == words


@pytest.mark.parametrize("pattern", [r"(?<![\w-])(?:never|unless|\w+n['’]t)(?![\w-])", r"lift (?:it|them)|\bquays?\b"])
def test_what_is_told_by_its_words_is_found_as_before(monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setattr(caseless, "_MANY", 0)
    one, other = Seldom(pattern), re.compile(pattern, re.IGNORECASE)
    for text in ("NEVER lift it", "Isn’t it TIED? Lift THEM.", "unlesſ İt iS", "a knever", "Both QUAYS", "ropes", ""):
        found, wanted = one.search(text), other.search(text)
        assert (found and found.span()) == (wanted and wanted.span())
        assert [match.span() for match in one.finditer(text)] == [match.span() for match in other.finditer(text)]
        assert one.sub("#", text) == other.sub("#", text)


def test_what_lacks_the_words_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caseless, "_MANY", 0)
    pattern = Seldom("crane|winch")
    assert pattern.search("Lift the boats with the WINCH")
    monkeypatch.setattr(pattern, "_lower", None)
    assert pattern.search("Lift the boats") is None
    with pytest.raises(AttributeError):
        pattern.search("Lift the boats with the winch")


@pytest.mark.parametrize("language", LATIN)
def test_the_limits_of_a_clause_are_told_by_their_words(language: str) -> None:
    grammar = grammar_of(language)
    assert all(each._needed for each in (grammar.exception, grammar.negation, grammar.condition))
