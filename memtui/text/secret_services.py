"""Tell a value that is given to the name of a service, which nothing else calls a key: `cloudsmith: …`."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from memtui.text.secret_rules import LEAST_DISTINCT, is_hex_key, is_identifier, is_placeholder, is_public
from memtui.text.tables import read_table

Shape = Literal["hex32", "hex", "uuid", "mixed"]

_SHORTEST_HEX = 32
_HEX_LENGTHS = (_SHORTEST_HEX, 40, 64)
_UUID_LENGTH = 36
_WINDOW = 64  # characters before a value in which its name stands, on the same line
_WIDE_WINDOW = 120  # and in which an API may be named that a mere "key" belongs to
_SHORTEST_WORD = 5  # letters of a part of a value that is a word
_MOST_PARTS = 4  # of the name of a service: api2cart has three

# Read backwards from the value, so that it takes time in proportion to what is read
_EMAN = re.compile(
    r"(?:[\"'`*({]{0,3}[ \t]{0,3}(?P<sign>>?=:?|[:|(])[ \t]{0,3}[\"'`*\])]{0,3}|(?P<quote>[\"'`])?[ \t]{1,3})"
    r"(?P<eman>[\w. -]{2,48}[A-Za-z])"
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_QUOTED = re.compile(r"[ \t]{0,12}[A-Za-z][\w-]{3,24} ['\"]")  # one word, then the value in quotation marks
_IS = re.compile(r" (?:is|was)$")
_BARE_KEY = re.compile(r"(?i:(?<![a-z])(?:api[-_ ]?)?key)(?: is)?$")
_NAMED_KEYS = frozenset(
    (
        *("accesskey", "apikey", "credential", "credentials", "key", "keys", "pat", "privatekey", "secret"),
        *("secretkey", "token", "tokens"),
    )
)
"""Words that call a value a key without a sign before it."""

_KEY_WORDS = _NAMED_KEYS | {"api", "auth"}
_ACCOUNT_AFTER = re.compile(r"[\"'`]?\s{0,2}[/|]\s{0,2}[\w.+-]{0,40}(?:@|email)")  # “name: key / person@host”
_AUTH_ABOVE = re.compile(r"(?:^|\n)[ \t\"']{0,40}auth[\w-]{0,20}[\"']?[ ]?[:=][ ]?[\"'\w]")  # auth_type: X-API-Key
_NO_KEY = re.compile(
    r"commit|sha-?\d|digest|checksum|integrity|revision|etag|hash|md5|fingerprint|example|sample|version|challenge|nonce"
    r"|(?<![a-z])(?:rev|ids?|ref)(?![a-z])",
    re.IGNORECASE,
)
_LIST_HEAD = re.compile(r"checksum|digest|integrity|hash|sha-?\d", re.IGNORECASE)
_SIBLING = re.compile(r"[:= \"'`][0-9a-fA-F]{32,64}[\"'`]?,?[ \t]{0,8}$")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table(__file__, "secret_services.toml")["services"][name].split())


@cache
def _names(shape: Shape, *, is_named: bool = False) -> frozenset[str]:
    """Return the names of the services whose keys have a shape; `is_named`: whether the value is called a key, too."""
    if is_named:
        return (_words("names") - _words("ids")) | _words("hex") | _words("uuid")
    match shape:
        case "mixed":
            return _words("names")
        case "hex32":
            return (_words("names") - _words("ids")) | _words("hex")
        case "hex" | "uuid":
            return _words(shape)


def is_given_to_service(text: str, start: int, end: int, *, random: bool) -> bool:
    """Return whether the word at `start` to `end` has the shape of a key and is given to the name of its issuer.

    `random`: whether the word is a mixture of letters and digits that no rule takes for an id.
    """
    line = _line_start(text, start)
    found = _EMAN.match(text[line:start][::-1])
    if not found or _NO_KEY.search(text, line, start):
        return False
    shape = _shape(text[start:end], random=random)
    if not shape:
        return False
    name, sign = found["eman"][::-1], found["sign"]
    parts, said = _without_key_words(name)
    if shape == "mixed":
        return _is_issuer(parts, shape) or _is_strangers_key(text, start, end, parts, signed=bool(sign))
    is_named = not said.isdisjoint(_NAMED_KEYS)
    if not (sign or found["quote"] or _IS.search(name)):
        return is_named and _is_issuer(parts, shape, is_named=True)
    if said.isdisjoint(_KEY_WORDS) and _is_in_list(text, line, end):
        return False
    if not parts:
        return bool(_BARE_KEY.search(name)) and _is_near_service(text[max(0, start - _WIDE_WINDOW) : start], shape)
    return _is_issuer(parts, shape, is_named=is_named) or _is_strangers_key(text, start, end, parts, signed=True)


def _line_start(text: str, at: int) -> int:
    """Return where the line of a place begins, or what is read of it."""
    first = max(0, at - _WINDOW)
    return text.rfind("\n", first, at) + 1 or first


def _without_key_words(name: str) -> tuple[list[str], frozenset[str]]:
    """Return the parts of a name up to words such as "api key", and those words."""
    parts = [part.lower() for part in _PART.findall(name)]
    said: set[str] = set()
    while parts and (parts[-1] in _words("between") or (said & _NAMED_KEYS and parts[-1] in _words("qualifiers"))):
        said.add(parts.pop())
    return parts, frozenset(said)


def _is_issuer(parts: list[str], shape: Shape, *, is_named: bool = False) -> bool:
    """Return whether the last parts of a name, put together, name a service whose keys have a shape, see `_names`."""
    names = _names(shape, is_named=is_named)
    return any("".join(parts[-count:]) in names for count in range(1, min(_MOST_PARTS, len(parts)) + 1))


def _is_near_service(before: str, shape: Shape) -> bool:
    """Return whether what precedes a mere "key" speaks of an API or names a service."""
    parts = [part.lower() for part in _PART.findall(before)]
    return "API" in before or any(_is_issuer(parts[:count], shape) for count in range(1, len(parts) + 1))


def _is_strangers_key(text: str, start: int, end: int, parts: list[str], *, signed: bool) -> bool:
    """Return whether what stands around a value makes it the key of a service that is not known by its name.

    The name is one word. With a sign, the value stands beside the address of an account, or below a line that tells how
    to log in; without one, the word begins the line and the value follows in quotation marks.
    """
    if len(parts) != 1:
        return False
    line = _line_start(text, start)
    if not signed:
        return bool(_QUOTED.fullmatch(text, line, start)) and parts[0] not in _words("verbs")
    above = max(0, line - _WIDE_WINDOW)
    return bool(_ACCOUNT_AFTER.match(text, end) or _AUTH_ABOVE.search(text, above, line))


def _is_in_list(text: str, line: int, end: int) -> bool:
    """Return whether the line before or after an entry ends in hexadecimal digits, too, as in a list of checksums."""
    before = text[max(0, line - _WINDOW) : max(0, line - 1)].rpartition("\n")[2]
    stop = text.find("\n", end, end + _WINDOW) + 1
    after = text[stop : stop + 2 * _WINDOW].partition("\n")[0] if stop else ""
    return bool(_LIST_HEAD.search(before) or _SIBLING.search(before) or _SIBLING.search(after))


def _shape(value: str, *, random: bool) -> Shape | None:
    if random:
        return None if _is_worded(value) else "mixed"
    if is_public(value) or is_placeholder(value):
        return None
    digits = max(re.split("[-_.]", value), key=len)
    if len(digits) in _HEX_LENGTHS and is_hex_key(digits):
        return "hex32" if len(digits) == _SHORTEST_HEX else "hex"
    is_uuid = len(value) == _UUID_LENGTH and is_identifier(value) and len(set(value)) >= LEAST_DISTINCT
    return "uuid" if is_uuid else None


def _is_worded(value: str) -> bool:
    """Return whether a part of a value is a word, as in names of models, or a hash: owner/repository/commit."""
    parts = [part for part in re.split("[-_/]", value) if len(part) >= _SHORTEST_WORD]
    return any(part.isalpha() and (part.islower() or part.istitle()) for part in parts) or (
        "/" in value and any(map(is_identifier, parts))
    )
