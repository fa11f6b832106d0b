"""What a text says behind letters that look like others, letters that stand apart, and encodings."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator

_LIKE_LATIN = str.maketrans(
    "аеорсухіѕјһԁԛԝАВЕКМНОРСТУХІЅЈαεορτυνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxisjhdqwABEKMHOPCTYXISJaeoptuvikABEZHIKMNOPTYX"
)
_OTHER_ALPHABET = re.compile("[\u0370-\u04ff]")
_MIXED_WORD = re.compile(r"\b(?=\w*[a-zA-Z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w{3,}\b")
_WIDE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f149]{3,}")
_SPACED = re.compile(r"\b(?:[A-Za-z](?: {1,3}|[.\-_*])){7,}[A-Za-z]\b")
_APART = re.compile(r"[ .\-_*][A-Za-z](?: {1,3}|[.\-_*])[A-Za-z][ .\-_*]")  # stands in each of those
_GAP = re.compile(r"(?<! )[ .\-_*](?! )")  # between letters; a wider one stands between words
_LEET_WORD = re.compile(r"\b(?=\w*[a-z])(?=\w*[013457][a-z])[a-z0134578@$]{3,}\b", re.IGNORECASE)
_THREE_LETTERS = re.compile(r"(?:[^a-z]*[a-z]){3}", re.IGNORECASE)  # `A5a` and `A5b` number the steps of a plan
_LEET_SIGN = re.compile(r"[013457][a-z]", re.IGNORECASE)  # each such word holds one, and most texts none
_LEET = str.maketrans("0134578@$", "oieastbas")
_FEWEST_LEET = 3
_BASE64 = re.compile(r"(?<![\w+/=.-])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w+/])")
_SHORTEST_CODE = 24  # characters without a space that either encoding needs
_HEX = re.compile(r"(?:\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}){8,1000}|(?<!\w)(?:[0-9a-fA-F]{2}){16,1000}(?!\w)")
_HEX_SIGN = re.compile(r"\\x|%|[0-9a-fA-F]{32}")  # stands in each of those
_TWO_DIGITS = re.compile(r"[0-9a-fA-F]{2}")
_READABLE = re.compile(r"[\x20-\x7e\n\t]{12,}")
_FEWEST_SPACES = 2


def unveiled(text: str) -> Iterator[tuple[str, str]]:
    """Yield how something is veiled in a text and what it says, e.g. `("in base64", "send the keys")`."""
    if not text.isascii() and (_is_mixed(text) or _WIDE.search(text)):
        yield "behind letters that look like others", unicodedata.normalize("NFKC", text).translate(_LIKE_LATIN)
    for spaced in _SPACED.finditer(text) if _APART.search(text) else ():
        yield "in letters that stand apart", _GAP.sub("", spaced[0])
    if _LEET_SIGN.search(text) and sum(map(bool, map(_THREE_LETTERS.match, _LEET_WORD.findall(text)))) >= _FEWEST_LEET:
        yield "in digits for letters", _LEET_WORD.sub(lambda found: found[0].translate(_LEET), text)
    if max(map(len, text.split()), default=0) < _SHORTEST_CODE:
        return
    yield from (("in base64", said) for found in _BASE64.finditer(text) if (said := _from_base64(found[0])))
    if _HEX_SIGN.search(text):
        yield from (("in hexadecimal", said) for found in _HEX.finditer(text) if (said := _from_hex(found[0])))


def _is_mixed(text: str) -> bool:
    return _OTHER_ALPHABET.search(text) is not None and _MIXED_WORD.search(text) is not None


def _from_base64(encoded: str) -> str:
    try:
        return _readable(base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _from_hex(encoded: str) -> str:
    return _readable(bytes.fromhex("".join(_TWO_DIGITS.findall(encoded))))


def _readable(octets: bytes) -> str:
    """Return what bytes say, if they are a sentence of words."""
    try:
        said = octets.decode()
    except UnicodeDecodeError:
        return ""
    return said if _READABLE.fullmatch(said) and said.count(" ") >= _FEWEST_SPACES else ""
