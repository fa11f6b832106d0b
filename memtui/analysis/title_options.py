"""Other titles that a text could have: what it states further on, its headings, and what its list names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from memtui.analysis.grammar import grammar_of
from memtui.analysis.title_blocks import Block
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_lists import heads_in, with_what_they_are
from memtui.analysis.title_words import sentences, undecorated
from memtui.analysis.title_writer import TitleWriter
from memtui.text.inline import one_line, unmarked, visible
from memtui.text.words import cell_width

_READ_BLOCKS, _SENTENCES_OF_EACH, _MOST_SENTENCES = 6, 3, 6
_JOINED = 3  # Statements at the beginning, of which two may make one title
_WITH_DOCUMENT = 3  # Headings from which the outermost one says something beside the last two
_ENDING = " .…:：。"


def options(title: str, found: Sequence[Block], headings: Sequence[str], language: str) -> Iterator[str]:
    """Yield titles that the blocks of a text could have beside its own, none of them empty, cut off or the same.

    Args:
        headings: those above the text, outermost first.
    """
    seen = {"", title.casefold()}
    for option in _all(title, found, TitleWriter.below(headings, language), language, headings):
        bare = option.strip()
        if bare.casefold() not in seen and cell_width(bare) <= MAX_TITLE_CELLS:
            seen.add(bare.casefold())
            yield bare


def _all(
    title: str, found: Sequence[Block], writer: TitleWriter, language: str, headings: Sequence[str]
) -> Iterator[str]:
    path = [one_line(visible(writer.held.put_back(name))) for name in writer.headings.path]
    statements: list[str] = []
    for words in islice(_first_sentences(found, writer), _MOST_SENTENCES):
        if stated := writer.stated(words):
            statements.append(stated)
            yield from _below_headings(words, stated, writer)
    yield from _by_headings(title, path)
    yield from _by_list(found, TitleWriter.below(headings, language), language)
    yield from _by_two(statements, path)


def _first_sentences(found: Sequence[Block], writer: TitleWriter) -> Iterator[str]:
    for block in found[:_READ_BLOCKS]:
        if block.kind == "heading":
            writer.headings.enter(block.text)
        elif block.kind in {"paragraph", "item"}:
            plain = unmarked(undecorated(writer.held.take_out(block.text))[0])
            yield from islice(sentences(plain), _SENTENCES_OF_EACH)


def _below_headings(words: str, stated: str, writer: TitleWriter) -> Iterator[str]:
    """Yield what a sentence states, alone and below what it may be about."""
    yield stated
    yield writer.headings.before(stated)
    for above in dict.fromkeys(filter(None, (writer.headings.subject(), writer.headings.last))):
        yield writer.done(words, above)


def _by_headings(title: str, path: Sequence[str]) -> Iterator[str]:
    """Yield the last heading with what is above it, and the title below each of the headings."""
    if not path:
        return
    yield path[-1]
    yield ": ".join(path[-2:])
    if len(path) >= _WITH_DOCUMENT:
        yield f"{path[0]}: {path[-1]}"
    for above in dict.fromkeys((path[0], *path[-2:])):
        if not title.casefold().startswith(above.casefold()):
            yield f"{above}: {title}"


def _by_list(found: Sequence[Block], writer: TitleWriter, language: str) -> Iterator[str]:
    """Yield what a list names, below its heading and below the words that lead to it."""
    first = next((at for at, block in enumerate(found) if block.kind == "item"), len(found))
    if sum(block.kind == "item" for block in found[first:]) <= 1:
        return
    heads = with_what_they_are(found[first:], heads_in(found[first:], writer.held), writer.held, MAX_TITLE_CELLS // 2)
    lead = found[first - 1] if first and found[first - 1].kind == "paragraph" else None
    plain = unmarked(writer.held.take_out(undecorated(lead.text)[0])).strip().rstrip(_ENDING) if lead else ""
    if plain:
        yield writer.listed(plain, heads)
    grammar = grammar_of(language)
    is_whole = plain.endswith(" both") or grammar.condition.match(plain) or grammar.preposition.match(plain)
    if not is_whole:  # which holds for all of the list
        yield writer.listed(writer.headings.whole(), heads)


def _by_two(statements: Sequence[str], path: Sequence[str]) -> Iterator[str]:
    """Yield two statements that follow each other as one title, where both are short."""
    for one, other in pairwise(statements[:_JOINED]):
        subject, colon, _ = one.partition(": ")
        both = f"{one.rstrip(_ENDING)}; {_uncapitalised(other.removeprefix(subject + colon) if colon else other)}"
        if cell_width(both) <= MAX_TITLE_CELLS:
            yield both
            if path and not one.startswith(path[-1]):
                yield f"{path[-1]}: {both}"


def _uncapitalised(words: str) -> str:
    """Return a sentence without its capital, unless it begins with a name."""
    first = words.partition(" ")[0]
    return words[0].lower() + words[1:] if first.isalpha() and first.istitle() else words
