"""The words that titles and tags are made of, to mend typing errors: postings hold hashes and tell no words."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reading import VaultReader

MOST_LETTERS_APART = 2
"""How much longer or shorter a meant word may be: as much as two errors make."""


def nearest_words(
    reader: VaultReader, wanted: MemoryFilter, words: Mapping[str, str], reach: Mapping[str, int]
) -> dict[str, str]:
    """Return, per mistyped word, the word of a title or tag within a filter that is nearest to it.

    Only words of the same first letter and about the same length are looked at, because mistyping rarely touches the
    first letter, and because a scan of 100,000 titles is what a search can wait for. Neighbouring letters that changed
    places count as one error. Of equally near words the more frequent wins.

    Args:
        reader: an open vault.
        wanted: whose titles and tags.
        words: the mistyped words in lower case, ASCII, and the stem of each.
        reach: most errors per word.
    """
    if not words:
        return {}
    rows = ", ".join("(?, ?, ?)" for _ in words)
    condition, parameters = where_sql(wanted, reader.kinds)
    given = [value for word, stem in words.items() for value in (word, stem, reach[word])]
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"WITH wrong(word, stem, reach) AS (VALUES {rows}),"  # noqa: S608 - placeholders alone
        " held AS (SELECT unnest(string_split_regex(lower(concat_ws(' ', m.title, array_to_string(m.tags, ' '))),"
        f" '[^a-z0-9]+')) AS name FROM memories m WHERE {condition}),"
        " known AS (SELECT name, count(*) AS times FROM held WHERE length(name) BETWEEN 3 AND 40"
        " AND name[1] IN (SELECT word[1] FROM wrong) GROUP BY name),"
        " near AS (SELECT w.word, k.name, k.times, w.reach,"
        " least(damerau_levenshtein(k.name, w.word), damerau_levenshtein(k.name, w.stem)) AS errors"
        " FROM wrong w JOIN known k ON k.name[1] = w.word[1]"
        f" AND abs(length(k.name) - length(w.word)) <= {MOST_LETTERS_APART})"
        " SELECT word, first(name ORDER BY errors, times DESC, name) FROM near WHERE errors <= reach GROUP BY word",
        [*given, *parameters],
    ).fetchall()
    return {str(word): str(name) for word, name in found}


def title_words(reader: VaultReader, wanted: MemoryFilter) -> dict[str, int]:
    """Return the words that `nearest_words` chooses from, with how often each occurs: 0.2 s at 100,000 memories."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT name, count(*) FROM (SELECT unnest(string_split_regex(lower(concat_ws(' ', m.title,"  # noqa: S608 - as above
        f" array_to_string(m.tags, ' '))), '[^a-z0-9]+')) AS name FROM memories m WHERE {condition})"
        " WHERE length(name) BETWEEN 3 AND 40 AND name[1] BETWEEN 'a' AND 'z' GROUP BY name",
        parameters,
    ).fetchall()
    return {str(name): int(times) for name, times in found}


def nearest_of(
    words: Mapping[str, str], reach: Mapping[str, int], known: Mapping[str, Mapping[str, int]]
) -> dict[str, str]:
    """Return what `nearest_words` returns, from words that are at hand.

    Args:
        words: the mistyped words in lower case, ASCII, and the stem of each.
        reach: most errors per word.
        known: by first letter, the words of `title_words` with how often each occurs.
    """
    from rapidfuzz.distance import DamerauLevenshtein

    distance = DamerauLevenshtein.distance
    nearest: dict[str, str] = {}
    for word, stem in words.items():
        most = reach[word]
        near = [
            (errors, -times, name)
            for name, times in known.get(word[0], {}).items()
            if abs(len(name) - len(word)) <= MOST_LETTERS_APART
            and (errors := min(distance(name, form, score_cutoff=most) for form in (word, stem))) <= most
        ]
        if near:
            nearest[word] = min(near)[2]
    return nearest
