"""One normal form for texts that say the same."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from memtui.text.memo import Memo
from memtui.text.tables import read_table

_CONTRACTIONS = (
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
)
# A dash, star or number that opens a line, quotes and headings; then the signs of emphasis and code.
_LINE_MARK = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+|>[ \t]?|#{1,6}[ \t]+|\[[ xX]\][ \t]+)+", re.MULTILINE
)
_MARKS = str.maketrans("", "", '`*"“”„«»')
_UNDERSCORES = re.compile(r"(?<![\w])_+(?=\w)|(?<=\w)_+(?![\w])")
_MAY_BE_THOUSANDS = re.compile(r"[,_'\u2009\u202f]\d{3}")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[,_'\u2009\u202f]\d{3})+(?![\d,])")
_WORD = re.compile(r"[a-z]{3,}")

_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=2
    )
}
"""`one` is left out: it is a pronoun more often than a number."""

_OUR = re.compile(
    r"(behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum|sav|vap|vig|endeav|arm)our(s|ed|ing|able|ite|ites|al|hood|less)?"
)
_LL = re.compile(r"(cancel|label|model|travel|channel|level|signal|tunnel|total|marshal|initial)l(ed|ing|er|ers)")
_ISE = re.compile(r"([a-z]{3,})is(e|es|ed|er|ers|ing|able|ation|ations)")
_YSE = re.compile(r"(anal|paral|catal)ys(e|es|ed|er|ers|ing)")


@cache
def _respelt() -> tuple[dict[str, str], frozenset[str]]:
    """Return words with the form they are compared in, and the beginnings of words that keep `-ise`."""
    table = read_table(__file__, "spelling.toml")
    known = {**_NUMBER_WORDS, **table["shorthand"], **table["british"]}
    return known, frozenset(table["ise"]["always"].split())


@lru_cache(maxsize=65_536)
def american(word: str) -> str:
    """Return a lower-case word in American spelling, developers' abbreviations expanded."""
    known, always_ise = _respelt()
    if word in known:
        return known[word]
    if found := _OUR.fullmatch(word):
        return f"{found[1]}or{found[2] or ''}"
    if found := _LL.fullmatch(word):
        return found[1] + found[2]
    if found := _YSE.fullmatch(word):
        return f"{found[1]}yz{found[2]}"
    found = _ISE.fullmatch(word)
    if found and found[1] not in always_ise:
        return f"{found[1]}iz{found[2]}"
    return word


_ANY_WORD = re.compile(r"(?<![\w./-])[a-z][a-z0-9]+(?![\w/]|-\w|\.\w)|(?<=-)[a-z]+(?![\w/])")
_LETTERS = re.compile("[a-z]{2,}")
_LOOSE = re.compile(r"[`*\"“”„«»_#>\-+•\]]")
_LATER_NUMBER = re.compile(r"\n[ \t]*\d")


def plain_form(text: str) -> str:
    """Return a text in lower case without markup and contractions; lines and spelling stay.

    Takes about 15 microseconds for a paragraph, so that a whole vault can be processed.
    """
    plain = (
        text if text.isascii() else unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\u2018", "'")
    )
    plain = plain.lower()
    if _LOOSE.search(plain) or plain.lstrip(" \t")[:1].isdigit() or _LATER_NUMBER.search(plain):
        plain = _LINE_MARK.sub("", plain)
        # Underscores before the other marks: whether they are markup depends on their neighbours.
        plain = (_UNDERSCORES.sub("", plain) if "_" in plain else plain).translate(_MARKS)
    if "'" in plain or "cannot" in plain:
        for pattern, words in _CONTRACTIONS:
            plain = pattern.sub(words, plain)
    if ("," in plain or "_" in plain) and _MAY_BE_THOUSANDS.search(plain):
        plain = _THOUSANDS.sub(lambda found: re.sub(r"\D", "", found[0]), plain)
    return plain.replace("e-mail", "email")


def normal_form(text: str) -> str:
    """Return a text as it is compared: its plain form in one spelling, on one line, without a final full stop.

    Code names, paths and numbers stay; only words of prose are respelt.
    """
    return respelt(plain_form(text))


def respelt(plain: str) -> str:
    # Few texts hold a word to respell, and looking for one is far cheaper than replacing every word by itself.
    known = any(map(_changes.__getitem__, _LETTERS.findall(plain)))
    spelt = _ANY_WORD.sub(lambda found: american(found[0]), plain) if known else plain
    return " ".join(spelt.split()).rstrip(".;:, ")


_changes: Memo[str, bool] = Memo(lambda word: american(word) != word, most=65_536)


_SNIPPET_CHARACTERS = 400
"""A snippet says most in its first lines, and the rest must not push the rationale out of the model's 256 tokens."""

_PART_CHARACTERS = 8_000  # More of one part than any model reads


def embedded_text(title: str, insight: str, rationale: str, snippet: str) -> str:
    """Return the text to embed. It depends on nothing else, so a vector is stale when the content hash has changed.

    Whoever changes it adds a migration that empties the table of vectors.
    """
    parts = [title, insight, rationale, snippet[:_SNIPPET_CHARACTERS]]
    return "\n".join(part[:_PART_CHARACTERS] for part in parts if part)
