"""Whether a value looks like a real secret: random, and no placeholder, hash, reference or plain word."""

from __future__ import annotations

import math
import re
from collections import Counter

SHORTEST_RANDOM = 20
"""Letters and digits below which no token counts as random by itself."""

_LEAST_ENTROPY_BITS = 3.2  # per character; 20 random base36 characters have about 3.9
_LEAST_HEX_ENTROPY_BITS = 2.8
_LEAST_CHANGES = 0.22  # per character; random tokens have 0.3 to 0.5, camelCase words about 0.15
_LEAST_CHANGES_WITHOUT_CASE = 0.15

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DIGIT = re.compile("[0-9]")
_LETTER = re.compile("[A-Za-z]")
_SEPARATORS = re.compile(r"[-_/+=.]+")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]")

_FILLER_ONLY = re.compile(r"[xX*.#0?_\-\u2022\u2026]+")
_FILLER_RUN = re.compile(r"[xX]{6}|\*{3}|\.{3}|\u2026")
_PLACEHOLDER_WORD = re.compile(
    r"example|change[-_ ]?me|place[-_ ]?holder|your[-_ ]|redacted|dummy|insert[-_ ]|replace[-_ ]"
    r"|[-_](?:here|goes)\b|not[-_ ]?real|[<>]",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\$|%\(|%[A-Z_]+%|[{\[(]|process\.env|import\.meta|os\.(?:environ|getenv)|env[.(:\[]|ENV\[|secrets?\."
    r"|vault:|op://|ref\+|arn:|file:|https?://|(?:/|~/|\.{1,2}/)[\w.-]+(?:/|$)|[A-Za-z]:\\"
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_COMMON = re.compile(
    r"""
    (?:my|the|a|some|new|old|test|dev|local|prod|default|super|top)?[-_]?
    (?:pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api)?[-_]?key|credentials?|value|string|text|varchar|bytes
    |test(?:ing|s|er)?|user(?:name)?|guest|root|admin|letmein|foo(?:bar)?|ba[rz]|postgres|mysql|redis|rabbitmq)
    [-_]?\d{0,3}!?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMMON_LIST = """
required optional default none null undefined nil true false enabled disabled hidden masked unset empty
abc123 development localhost staging production bearer basic digest oauth oauth2 openid jwt hmac argon2
argon2i argon2id bcrypt scrypt pbkdf2 sha1 sha256 sha512 md5 base64 base64url utf8 hs256 rs256 es256
aes128 aes256 ed25519 rsa2048 rsa4096 unknown missing invalid expired valid wrong correct anything
something nothing string number boolean object interactive prompt generated random rotate rotated
encrypted plaintext plain inherit manual automatic
"""
_COMMON_WORDS = frozenset(_COMMON_LIST.split())


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret instead of being one: xxxx, ****, <your-key>, changeme."""
    return bool(_FILLER_ONLY.fullmatch(value) or _FILLER_RUN.search(value) or _PLACEHOLDER_WORD.search(value))


def is_reference(value: str) -> bool:
    """Return whether a value says where a secret is: ${VAR}, process.env.X, settings.KEY, a path or a URL."""
    return bool(_REFERENCE.match(value) or _CODE.fullmatch(value))


def is_common(value: str) -> bool:
    """Return whether a value is a word that documentation and type declarations put in a secret's place."""
    return value.lower() in _COMMON_WORDS or bool(_COMMON.fullmatch(value))


def is_identifier(value: str) -> bool:
    """Return whether a value is a UUID, a ULID or a run of hexadecimal digits, such as a commit or a checksum."""
    return bool(_HEX.fullmatch(value) or _UUID.fullmatch(value) or _ULID.fullmatch(value))


def is_mixed(value: str) -> bool:
    """Return whether a value holds both letters and digits."""
    return bool(_DIGIT.search(value) and _LETTER.search(value))


def looks_random(token: str) -> bool:
    """Return whether a token is long and as irregular as generated ones are; hashes and ids are not."""
    if not is_mixed(token):
        return False
    core = _SEPARATORS.sub("", token)
    if len(core) < SHORTEST_RANDOM or is_identifier(token) or _HEX.fullmatch(core):
        return False
    least = _LEAST_CHANGES_WITHOUT_CASE if core.islower() or core.isupper() else _LEAST_CHANGES
    return change_count(token) >= least * len(core) and entropy(core) >= _LEAST_ENTROPY_BITS


def is_hex_key(value: str) -> bool:
    """Return whether a value is a run of hexadecimal digits as long and irregular as keys are."""
    return (
        len(value) >= SHORTEST_RANDOM
        and bool(_HEX.fullmatch(value))
        and is_mixed(value)
        and entropy(value) >= _LEAST_HEX_ENTROPY_BITS
    )


def change_count(text: str) -> int:
    """Return how often a text changes between small letters, capitals and digits; a capitalised word counts not."""
    return len(_CHANGE.findall(text))


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits per character; 0.0 for an empty text."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())
