"""The terms that BM25 counts: words and identifiers, whole and split, and their hashes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from hashlib import blake2b
from itertools import chain

from memtui.text.memo import Memo
from memtui.text.stemming import stem
from memtui.text.tables import read_words

LONGEST_TERM = 64  # Characters of a term; longer ones are cut, so that a 1 MB line gives no 1 MB term
LONGEST_WHOLE = 256  # Characters of a token that is still a term as a whole; longer ones only give their parts
MOST_SPLIT = 4096  # Characters of an overlong token that are split into parts: more is data, not words

_MOST_PARTS = 12
_LONGEST_WORD = 40

KEPT_NAMES = frozenset(("c++", "c#", "f#", "j#", "g++", ".net"))
"""Names whose signs are part of them."""

EXTENSIONS = read_words(__file__, "extensions.txt")  # File extensions that are no terms of their own

_CONTRACTED = frozenset(("s", "re", "ve", "ll", "d", "m"))
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)(?![a-zA-Z0-9])")
_DATE_LIKE = re.compile(r"\d+(?:-\d+)+")
_CAMEL = re.compile(
    r"[A-Z]{2,}s(?![a-z])"  # IDs, URLs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP in HTTPServer
    r"|[A-Z]?[a-z]+\d*"
    r"|[A-Z]+\d*"
    r"|\d+"
)
_LETTERS_DIGITS = re.compile(r"([a-z]{3,})(\d+)|(\d{2,})([a-z]+)")


def name_terms(raw: str, stop: Collection[str]) -> tuple[str, ...]:
    r"""Return the terms of one raw token, the whole before its parts, without repetitions.

    `paymentId`, `payment_id` and `payment-id` share the whole `paymentid`, and give `payment` and `id` too. Paths and
    dotted names stay whole with their signs. Words are stemmed; words of `stop` give nothing, except inside a whole.

    `raw`: letters and digits with inner `_`, `-`, `.`, `/`, `\` or apostrophes, as written. `stop`: words to leave out,
    in lower case.
    """
    if not raw:
        return ()
    if not raw.isascii():
        return tuple(dict.fromkeys(_foreign(raw, stop)))
    lower = raw.lower()
    if lower in KEPT_NAMES:
        return (lower, lower[1:]) if lower[0] == "." else (lower,)
    raw = raw.rstrip("+#")
    if raw.isalnum():
        return tuple(dict.fromkeys(_word(raw, stop)))
    return tuple(dict.fromkeys(_compound(raw, stop)))


def _foreign(raw: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms of a token with letters beyond ASCII."""
    plain = raw.replace("\u2019", "'")
    if plain.isascii():
        yield from name_terms(plain, stop)
        return
    parts = [part for part in re.split(r"[-_./\\']+", plain.casefold()) if part]
    if len(parts) > 1 and len(raw) <= LONGEST_WHOLE:
        yield _cut("".join(parts))
    for part in parts:
        yield _cut(stem(part)) if _is_english(part) else _cut(part)


def _word(word: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms of ASCII letters and digits without any sign between."""
    lower = word.lower()
    if not lower or lower in stop:
        return
    yield _plain(word, lower)
    if len(word) > LONGEST_WHOLE or word.islower() or word.isupper() or word[1:].islower():
        yield from _letters_and_digits(lower)
        return
    pieces = _CAMEL.findall(word)
    if 1 < len(pieces) <= _MOST_PARTS:
        for piece in pieces:
            part = piece.lower()
            if len(part) > 1 and part not in stop:
                yield _plain(piece, part)
                yield from _letters_and_digits(part)


def _letters_and_digits(lower: str) -> Iterator[str]:
    """Yield `server` for server2, `port` and `8788` for port8788, `500` for 500ms, nothing for k8s or s3."""
    found = _LETTERS_DIGITS.fullmatch(lower) if lower[-1:].isdigit() or lower[:1].isdigit() else None
    if not found:
        return
    letters, digits, count, unit = found.groups()
    if letters:
        yield _plain(letters, letters)
        if len(digits) > 2:  # noqa: PLR2004 - a port or a status; one or two digits are a version
            yield _cut(digits)
    else:
        yield _cut(count)
        if len(unit) > 2:  # noqa: PLR2004 - days, hours; not ms or kb
            yield _plain(unit, unit)


def _compound(raw: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms of an ASCII token with signs inside or a dot before it."""
    if len(raw) > LONGEST_WHOLE:
        for part in re.split(r"[-_./\\']+", raw[:MOST_SPLIT]):
            yield from _word(part, stop)
        return
    if "'" in raw:
        yield from _apostrophes(raw, stop)
        return
    lower = raw.lower()
    if lower in stop:
        return
    if raw[0] == ".":
        raw = raw[1:]
        if lower[1:] in EXTENSIONS:
            yield lower
            return
    segments = re.split(r"[/\\]", raw)
    if len(segments) > 1:
        yield _cut("/".join(segments).lower())
        segments = [segment for segment in segments if len(segment) > 1]
    for segment in segments:
        yield from _dotted(segment, stop)


def _apostrophes(raw: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms around apostrophes: none for don't, `project` for project's, both sides of f'name."""
    for part in _without_contraction(raw):
        yield from name_terms(part, stop)


def _without_contraction(raw: str) -> list[str]:
    parts = [part for part in raw.split("'") if part]
    if len(parts) > 1:
        last = parts[-1].lower()
        if last in _CONTRACTED:
            return parts[:-1]
        if last == "t" and parts[-2][-1] in "nN":
            return parts[:-2]
    return parts


def _dotted(segment: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms of a file name, a version or a dotted name; a file's extension is no term."""
    version = _VERSION.match(segment)
    if version:
        number = version.group(1)
        yield _cut(number)
        if number.count(".") == 2:  # noqa: PLR2004 - 3.11.4 is also a 3.11
            yield _cut(number[: number.rindex(".")])
        segment = segment[version.end() :].strip(".-")
    names = [name for name in segment.split(".") if name]
    if len(names) > 1:
        yield _cut(segment.lower())
        while len(names) > 1 and names[-1].lower() in EXTENSIONS:
            names.pop()
        names = [name for name in names if len(name) > 1]
    for name in names:
        yield from _name(name, stop)


def _name(name: str, stop: Collection[str]) -> Iterator[str]:
    """Yield the terms of a snake_case, kebab-case or camelCase name."""
    parts = [part for part in re.split("[-_]+", name) if part]
    if len(parts) == 1:
        if name.startswith("__") and name.endswith("__"):
            yield _cut(name.lower())
        yield from _word(parts[0], stop)
        return
    if _DATE_LIKE.fullmatch(name):
        yield _cut(name)
    elif parts:
        whole = "".join(parts)
        yield _plain(whole, whole.lower())
    for part in parts:
        if len(part) > 1:
            yield from _word(part, stop)


def _plain(written: str, lower: str) -> str:
    """Return the stem of a word; what holds digits stays as it is, an acronym loses its plural s."""
    if written[-1:] == "s" and written[:-1].isupper():
        return _cut(lower[:-1])
    return _cut(stem(lower)) if _is_english(lower) else _cut(lower)


def _is_english(lower: str) -> bool:
    return lower.isascii() and lower.isalpha() and len(lower) <= _LONGEST_WORD


def _cut(term: str) -> str:
    return term if len(term) <= LONGEST_TERM else term[:LONGEST_TERM]


STOP_WORDS = read_words(__file__, "stop_words.txt")
"""Stop words in lower case; the tokeniser handles those with an apostrophe."""


_CACHED_TOKENS = 100_000
_CACHED_IDS = 200_000
_LONGEST_CACHED = 64
_MANY_TOKENS = 1_000  # From which a text repeats so many that each is looked up once

# Scripts written without spaces (Han, kana, Hangul, Bopomofo; Thai, Lao, Burmese, Khmer): bigrams.
_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SPACELESS = (
    _HAN
    + "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff\uff66-\uff9f"
    + "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
    + "\u0e01-\u0e3a\u0e40-\u0eff\u1000-\u109f\u1780-\u17d3\u17d7-\u17ff"
)
_LATIN = (
    "0-9A-Za-z_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u036f\u1e00-\u1eff"
    "\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a"
)
# Everything else that is neither a sign nor a space nor private: Greek, Cyrillic, Arabic, Devanagari …
_NO_OTHER = (
    "\x00-\u02ff\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u0600-\u060f\u061b-\u061f"
    "\u066a-\u066d\u06d4\u0964\u0965\u1e00-\u1eff\u1680\u2000-\u2bff\u2e00-\u303f\u3200-\u33ff\u4dc0-\u4dff"
    "\ud800-\uf8ff\ufe00-\ufe6f\ufeff-\uffff\U0001f000-\U0001faff\U000e0000-\U0010ffff"
)
_ASCII_TOKEN = re.compile(r"\.?[0-9A-Za-z_]+(?:[-./\\'][0-9A-Za-z_]+)*(?:\+\+|\#)?")
_CONNECTORS = re.compile("[-_./\\\\'\u2019]+")
# Invisible inside words: soft hyphen, zero-width space, word joiner, BOM.
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff")


# Compiling these takes 20 ms, which a text in plain English need not wait for.
@cache
def _any_token() -> re.Pattern[str]:
    return re.compile(
        rf"\.?[{_LATIN}]+(?:[-./\\'\u2019][{_LATIN}]+)*(?:\+\+|\#)?"
        rf"|[{_SPACELESS}]+"
        rf"|[^{_NO_OTHER}{_SPACELESS}]+"
    )


@cache
def _spaceless_character() -> re.Pattern[str]:
    return re.compile(f"[{_SPACELESS}]")


@cache
def _han_character() -> re.Pattern[str]:
    return re.compile(f"[{_HAN}]")


# English is often ASCII but for these, and then need not wait for the patterns above.
@cache
def _separators() -> dict[int, str]:
    dashes, quotes_and_dots, arrows_and_symbols = range(0x2010, 0x2019), range(0x201A, 0x2060), range(0x2190, 0x2C00)
    return dict.fromkeys(
        chain(map(ord, "\u00a0\u00a7\u00ab\u00b0\u00b7\u00bb\u00d7"), dashes, quotes_and_dots, arrows_and_symbols), " "
    )


def _expanded(raw: str) -> tuple[str, ...]:
    return _expand(raw, STOP_WORDS, single_han=True)


def _number(term: str) -> int:
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


_terms_of: Memo[str, tuple[str, ...]] = Memo(
    _expanded, most=_CACHED_TOKENS, keeps=lambda raw: len(raw) <= _LONGEST_CACHED
)
_ids: Memo[str, int] = Memo(_number, most=_CACHED_IDS)


def index_terms(text: str) -> list[str]:
    """Return the terms under which a text is found, repeated as often as they occur.

    A text of stop words only keeps them. Runs of Han and other scripts without spaces give bigrams; every Han character
    is a term too, so that a query of one character finds it without a scan.
    """
    raws = _raw_tokens(text)
    terms = list(chain.from_iterable(map(_terms_of.__getitem__, raws)))
    return terms or _every_word(raws)


def term_counts(text: str) -> dict[str, int]:
    """Return each term of `index_terms` with its count; faster than counting the list for a long text."""
    raws = _raw_tokens(text)
    if len(raws) < _MANY_TOKENS:
        return Counter(chain.from_iterable(map(_terms_of.__getitem__, raws))) or Counter(_every_word(raws))
    counts: dict[str, int] = {}
    raw_counts = Counter(raws)
    for raw, count in raw_counts.items():
        for term in _terms_of[raw]:
            counts[term] = counts.get(term, 0) + count
    return counts or dict(Counter(_every_word(list(raw_counts.elements()))))


def query_terms(text: str) -> list[str]:
    """Return the terms to look up for a query, in order, without repetitions; a query of stop words only keeps them."""
    raws = _raw_tokens(text)
    terms = chain.from_iterable(_bigrams(raw) if _is_spaceless(raw) else _terms_of[raw] for raw in raws)
    return list(dict.fromkeys(terms)) or list(dict.fromkeys(_every_word(raws)))


def term_id(term: str) -> int:
    """Return the number that stands for a term in the vault: a signed 64-bit integer, the same everywhere."""
    return _ids[term]


def _raw_tokens(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    for sign in _INVISIBLE:
        if sign in text:
            text = text.replace(sign, "")
    plain = text.translate(_separators())
    return _ASCII_TOKEN.findall(plain) if plain.isascii() else _any_token().findall(text)


def _every_word(raws: list[str]) -> list[str]:
    """Return the terms of tokens with the stop words among them."""
    return [term for raw in raws for term in _expand(raw, frozenset(), single_han=False)]


def _expand(raw: str, stop: Collection[str], *, single_han: bool) -> tuple[str, ...]:
    if raw.isascii():
        return name_terms(raw, stop)
    if _is_spaceless(raw):
        pairs = _bigrams(raw)
        return (*pairs, *_han_character().findall(raw)) if single_han and len(raw) > 1 else pairs
    if len(raw) > LONGEST_WHOLE:
        parts = [part[:LONGEST_WHOLE] for part in _CONNECTORS.split(raw[:MOST_SPLIT])]
        return tuple(chain.from_iterable(_expand(part, stop, single_han=single_han) for part in parts))
    plain = unicodedata.normalize("NFKC", raw)
    if plain == raw:
        return name_terms(raw, stop)
    # Full-width and mathematical letters become ASCII, which may be cut again.
    return tuple(
        chain.from_iterable(
            _bigrams(part) if _is_spaceless(part) else name_terms(part, stop) for part in _any_token().findall(plain)
        )
    )


def is_pair(term: str) -> bool:
    """Return whether a term is a pair of characters of a script without spaces, which overlaps with others."""
    return len(term) == 2 and not term.isascii() and _is_spaceless(term)  # noqa: PLR2004 - a pair


def _is_spaceless(raw: str) -> bool:
    return raw[0] >= "\u0e00" and _spaceless_character().match(raw) is not None


def _bigrams(run: str) -> tuple[str, ...]:
    """Return the overlapping pairs of a run, or the run itself if it is one character."""
    # In slices, because ordering a long run of combining marks takes quadratic time.
    slices = [run[at : at + LONGEST_WHOLE] for at in range(0, len(run), LONGEST_WHOLE)]
    plain = "".join([unicodedata.normalize("NFKC", part) for part in slices])
    if len(plain) == 1:
        return (plain,)
    return tuple([plain[at : at + 2] for at in range(len(plain) - 1)])
