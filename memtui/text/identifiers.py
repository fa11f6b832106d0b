"""The terms of one word, identifier, file name or path: whole and split."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memtui.text.stemming import stem
from memtui.text.tables import read_words

LONGEST_TERM = 64
"""Characters of a term; longer ones are cut, so that a 1 MB line gives no 1 MB term."""

LONGEST_WHOLE = 256
"""Characters of a token that is still a term as a whole; longer ones only give their parts."""

MOST_SPLIT = 4096
"""Characters of an overlong token that are split into parts: more is data, not words."""

_MOST_PARTS = 12
_LONGEST_WORD = 40

KEPT_NAMES = frozenset(("c++", "c#", "f#", "j#", "g++", ".net"))
"""Names whose signs are part of them."""

EXTENSIONS = read_words(__file__, "extensions.txt")
"""File extensions that are no terms of their own."""

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

    Args:
        raw: letters and digits with inner `_`, `-`, `.`, `/`, `\` or apostrophes, as written.
        stop: words to leave out, in lower case.
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
