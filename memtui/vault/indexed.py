"""What a memory is found by, and its postings, which may be made where the memory is, before it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

from memtui.domain.memory import Memory
from memtui.vault.rows import Statement, insertions

TOGETHER = 1_000  # Memories whose postings are written by one statement
_MOST_FREQUENT = 65_535


class Indexed(NamedTuple):
    """The postings of a text."""

    digest: bytes  # of the text
    length: int  # how many terms it has, each as often as it occurs
    terms: str  # the numbers of its terms as `t`, and how often each occurs as `f`: keys and lists of a JSON object


def indexed_text(memory: Memory) -> str:
    """Return the text that a memory is found by: its own texts, tags, anchors and heading paths."""
    parts = [memory.title, memory.insight, memory.rationale, memory.snippet, *memory.tags]
    parts.extend(anchor.path for anchor in memory.anchors)
    parts.extend(source.native_id for source in memory.sources if source.native_id)
    return "\n".join(parts)


def postings_of(text: str, known: Indexed | None = None) -> Indexed:
    """Return the postings of a text: those that are known if they are of the same text, else new ones."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if known is not None and known.digest == digest:
        return known
    # Imported here: commands that only read and list do without the tokenizer.
    from memtui.text.tokens import term_counts, term_id

    counts = term_counts(text)
    frequencies = [min(count, _MOST_FREQUENT) for count in counts.values()]
    return Indexed(digest, sum(counts.values()), f'"t": {[*map(term_id, counts)]}, "f": {frequencies}')


def posting_insertions(
    memories: Iterable[tuple[int, Memory]], known: Mapping[str, Indexed] | None = None
) -> Iterator[Statement]:
    """Yield what writes the postings of memories, at most `TOGETHER` of them, whose old ones are already deleted.

    `known`: postings that were made before, by the id of the memory.
    """
    postings: list[str] = []
    lengths: list[dict[str, int]] = []
    for key, memory in memories:
        indexed = postings_of(indexed_text(memory), (known or {}).get(memory.id))
        lengths.append({"memory_key": key, "length": indexed.length})
        postings.append(f'{{"k": {key}, {indexed.terms}}}')
    yield (
        "INSERT INTO postings SELECT unnest(r.t), r.k, unnest(r.f) FROM (SELECT unnest(from_json(?, ?)) AS r)",
        [f"[{', '.join(postings)}]", '[{"k": "BIGINT", "t": ["BIGINT"], "f": ["USMALLINT"]}]'],
    )
    yield from insertions("documents", lengths)
