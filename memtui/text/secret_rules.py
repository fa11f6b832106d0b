"""Rules for secrets: issuers' prefixes, key blocks, and names that secrets are assigned to."""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from memtui.text.tables import read_table

SHORTEST_RANDOM = 20  # Letters and digits below which no token counts as random by itself

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
    r"example|change[-_ ]?(?:me|this|it)\b|place[-_ ]?holder|your(?:[-_ ]|token|key|pass|secret|api)|redacted|dummy"
    r"|(?:insert|replace|fake|sample|mock)[-_ ]|(?:[-_]|token|key|string)(?:here|goes)\b|not[-_ ]?(?:a[-_ ]?)?real"
    r"|^<|>$|[-_:=/]<|<[A-Za-z_][\w.-]{1,40}>|\.\*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\\?\$|%\(|%[A-Z_]+%|[{\[(]|process\.env|import\.meta|os\.(?:environ|getenv)|env[.(:\[]|ENV\[|secrets?\."
    r"|vault:|op://|ref\+|arn:|file:|https?://|(?:/|~/|\.{1,2}/)[\w.-]+(?:/|$)|[A-Za-z]:\\"
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_BASE64 = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9+/]{30,}={0,2}")
_COMMON = re.compile(
    r"""
    (?:my|the|a|some|new|old|test|dev|local|prod|default|super|top)?[-_]?
    (?:pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api)?[-_]?key|credentials?|value|string|text|varchar|bytes
    |test(?:ing|s|er)?|user(?:name)?|guest|root|admin|letmein|foo(?:bar)?|ba[rz]|postgres|mysql|redis|rabbitmq)
    [-_]?\d{0,3}!?
    |(?-i:[a-z][a-z0-9]{0,15}_?(?:password|secret|token)|[A-Z][A-Z0-9]{0,25}_?(?:PASSWORD|SECRET|TOKEN))
    """,
    re.IGNORECASE | re.VERBOSE,
)


def ascii_shadow(text: str) -> str:
    """Return a text of the same length with ? for every non-ASCII character: three times faster to search."""
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


@cache
def word_set(name: str) -> frozenset[str]:
    """Return a set of words of `secret_words.toml`, e.g. `common`, `key_owners` or `id_prefixes`."""
    return frozenset(read_table(__file__, "secret_words.toml")[name].split())


@cache
def _examples(field: str) -> frozenset[str]:
    rows = read_table(__file__, "secret_examples.toml")["example"]
    return frozenset(value for row in rows for value in row.get(field, ()))


def is_published(value: str) -> bool:
    """Return whether a value is a constant of a specification, a documentation or an emulator, which opens nothing."""
    if value.rstrip("=") in _examples("values"):
        return True
    return value.startswith("eyJ") and any(part in value for part in _examples("fragments"))


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret rather than being one: xxxx, ****, <your-key>, changeme."""
    return bool(_FILLER_ONLY.fullmatch(value) or _FILLER_RUN.search(value) or _PLACEHOLDER_WORD.search(value))


def is_reference(value: str) -> bool:
    """Return whether a value says where a secret is: ${VAR}, process.env.X, settings.KEY, a path or a URL."""
    if _REFERENCE.match(value):  # a path, unless it is base64 that begins with a slash
        return not (_BASE64.fullmatch(value) and looks_random(value))
    return bool(_CODE.fullmatch(value)) and not any(looks_random(part) or is_hex_key(part) for part in value.split("."))


def is_common(value: str) -> bool:
    """Return whether a value is a word that documentation and type declarations use in place of a secret."""
    lower = value.lower()
    foreign = map(ascii_shadow, word_set("foreign_names"))
    return lower in word_set("common") or lower in foreign or bool(_COMMON.fullmatch(value))


def is_public(value: str) -> bool:
    """Return whether a value is a key that its issuer means to be public, by its prefix."""
    return value.startswith(tuple(word_set("public_prefixes")))


def is_identifier(value: str) -> bool:
    """Return whether a value is a UUID, a ULID or a run of hexadecimal digits, such as a commit or checksum."""
    return bool(_HEX.fullmatch(value) or _UUID.fullmatch(value) or _ULID.fullmatch(value))


def is_mixed(value: str) -> bool:
    """Return whether a value holds both letters and digits."""
    return bool(_DIGIT.search(value) and _LETTER.search(value))


def looks_random(token: str) -> bool:
    """Return whether a token is as long and irregular as generated ones; hashes and ids are not."""
    if not is_mixed(token):
        return False
    core = _SEPARATORS.sub("", token)
    if len(core) < SHORTEST_RANDOM or is_identifier(token) or _HEX.fullmatch(core):
        return False
    least = _LEAST_CHANGES_WITHOUT_CASE if core.islower() or core.isupper() else _LEAST_CHANGES
    return change_count(token) >= least * len(core) and entropy(core) >= _LEAST_ENTROPY_BITS


def is_hex_key(value: str) -> bool:
    """Return whether a value is a run of hexadecimal digits as long and irregular as a key."""
    return (
        len(value) >= SHORTEST_RANDOM
        and bool(_HEX.fullmatch(value))
        and is_mixed(value)
        and entropy(value) >= _LEAST_HEX_ENTROPY_BITS
    )


def change_count(text: str) -> int:
    """Return how often a text changes between lower case, upper case and digits; an initial capital does not count."""
    return len(_CHANGE.findall(text))


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits per character; 0.0 for an empty text."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


EXAMPLE_RULE = "aws-documentation-key"

Hit = tuple[str, int, int]  # Rule, start and end of a value


def _no_placeholder(value: str, _user: str = "") -> bool:
    if is_placeholder(value) or len(set(value)) < LEAST_DISTINCT or _WORDED.fullmatch(value):
        return False
    longest = max(_SEPARATORS.split(value), key=len)
    return not longest.isalpha() or longest.isupper() or not _reads_like_words(longest)


def _reads_like_words(letters: str) -> bool:
    vowels = sum(letters.lower().count(vowel) for vowel in "aeiou")
    capitals = sum(map(str.isupper, letters))
    few_changes = change_count(letters) < _LEAST_CHANGES * len(letters) and capitals < _MOST_CAPITALS * len(letters)
    return few_changes and vowels >= _LEAST_VOWELS * len(letters)


def _is_password(value: str, user: str = "") -> bool:
    """Return whether a value is a password; one that repeats the name of its user is a default of documentation."""
    known = is_placeholder(value) or is_reference(value) or is_common(value)
    return len(value) > 3 and value != user and not known  # noqa: PLR2004 - a1b2


def _is_bearer(value: str, _user: str = "") -> bool:
    return is_bearer(value)


def is_bearer(value: str) -> bool:
    """Return whether a value is a token of random characters or hexadecimal digits."""
    return not is_placeholder(value) and (looks_random(value) or is_hex_key(value))


def _is_authorization(value: str, _user: str = "") -> bool:
    """Return whether a value that authorizes is a token: one may be a UUID, but for the one of documentation."""
    is_uuid = _UUID.fullmatch(value) and len(set(value)) > LEAST_DISTINCT and not value.startswith(_EXAMPLE_UUIDS)
    return bool(is_uuid) or _is_bearer(value)


def _is_odd_password(value: str, user: str = "") -> bool:
    """Return whether a value is a password that no one takes for a word or path."""
    return _is_password(value, user) and is_mixed(value) and change_count(value) >= _LEAST_ODD


def _is_mixed_password(value: str, user: str = "") -> bool:
    """Return whether a value is a password where hardly anything else may stand."""
    return _is_password(value, user) and is_mixed(value) and change_count(value) > 1


def _is_url_password(value: str, user: str = "") -> bool:
    """Return whether a value is the password of a URL, or the token that stands for its user."""
    return _is_bearer(value) if value == user else _is_password(value)


def _is_basic(value: str, _user: str = "") -> bool:
    """Return whether a value is a user and a password in base64."""
    try:
        user, colon, password = b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return looks_random(value)
    return bool(colon) and user.isprintable() and _is_password(password, user)


def _is_cipher(value: str, _user: str = "") -> bool:
    """Return whether a value of Jenkins is a key, or one that is encrypted: a UUID counts too."""
    return not is_placeholder(value) and len(set(value)) >= LEAST_DISTINCT and is_mixed(value)


def _is_cookie(value: str, _user: str = "") -> bool:
    """Return whether a list of cookies holds one that no one could guess."""
    values = (pair.partition("=")[2].strip() for pair in value.split(";"))
    return any(len(each) >= SHORTEST_RANDOM and _is_bearer(each) for each in values)


_ACCEPTS: dict[str, Callable[[str, str], bool]] = {
    "no-placeholder": _no_placeholder,
    "password": _is_password,
    "odd-password": _is_odd_password,
    "mixed-password": _is_mixed_password,
    "bearer": _is_bearer,
    "authorization": _is_authorization,
    "url-password": _is_url_password,
    "basic": _is_basic,
    "cipher": _is_cipher,
    "cookie": _is_cookie,
}


@dataclass(frozen=True)
class _Format:
    """One shape of a secret; `secret_rules.toml` explains the fields."""

    rule: str
    text: str
    hints: tuple[str, ...] = ()
    before: str = "word"
    back: int = 0
    within: str = ""
    accept: Callable[[str, str], bool] = _no_placeholder

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled for the first text that holds a hint."""
        return re.compile(self.text)

    def hit(self, match: re.Match[str]) -> Hit | None:
        """Return the secret in a match: its last group, with the group before it as the user."""
        group = match.re.groups
        if group > 1 and not match[group]:  # https://TOKEN@host
            group = 1
        if self.rule == "aws-access-key" and match[0].endswith("EXAMPLE"):
            return (EXAMPLE_RULE, *match.span())
        if not self.accept(match[group], match[1] if match.re.groups > 1 else ""):
            return None
        return (self.rule, *match.span(group))


@cache
def _all_formats() -> tuple[_Format, ...]:
    return tuple(
        _Format(
            row["rule"],
            row["pattern"],
            tuple(row["hints"]),
            row.get("before", "word"),
            row.get("back", 0),
            row.get("within", ""),
            _ACCEPTS[row.get("accept", "no-placeholder")],
        )
        for row in read_table(__file__, "secret_rules.toml")["format"]
    )


@cache
def _formats() -> tuple[_Format, ...]:
    return tuple(shape for shape in _all_formats() if not shape.within)


@cache
def _word_formats() -> tuple[_Format, ...]:
    return tuple(shape for shape in _all_formats() if shape.within)


@cache
def _word_hints() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(hint) for shape in _word_formats() for hint in shape.hints))


def _characters(head: str) -> str:
    """Return the characters that a literal or a class such as [a-f0-9] stands for."""
    one = re.compile(head)
    return "".join(filter(one.fullmatch, map(chr, range(0x2D, 0x7B))))


@cache
def _token_formats() -> Mapping[str, tuple[_Format, ...]]:
    """Return the formats of the table's tokens by the two characters that they begin with."""
    found: dict[str, tuple[_Format, ...]] = {}
    for rule, patterns in read_table(__file__, "secret_rules.toml")["tokens"].items():
        for pattern in patterns:
            shape = _Format(rule, f"{pattern}(?![A-Za-z0-9])")
            heads = _HEAD.match(pattern)
            for first, second in product(*map(_characters, heads.groups())) if heads else ():
                found[first + second] = (*found.get(first + second, ()), shape)
    return found


def find_in_word(text: str, start: int, end: int) -> Iterator[Hit]:
    """Yield the secrets of a known shape that begin or lie in a long word, or begin before the full stop before it."""
    if _word_hints().search(text, start, end):
        for shape in _word_formats():
            yield from filter(None, map(shape.hit, shape.pattern.finditer(text, start, end)))
    if start and text[start - 1] in ".~":
        before = _DOTTED.search(text, max(0, start - _LONGEST_DOTTED), start)
        start = before.start() if before else start
    while start >= 0:
        for shape in _token_formats().get(text[start : start + 2], ()):
            match = shape.pattern.match(text, start)
            hit = shape.hit(match) if match else None
            if hit:
                yield hit
                break
        start = text.find("/", start, end) + 1 or -1


_KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = re.compile(r"(?:(?:\s|\\[nr]|[\"',])*[A-Za-z0-9+/=]{16,})+")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{12}")
_LONGEST_KEY = 16_384
_LONGEST_AFTER = 200  # characters from a hint on in which a pattern is searched that begins before it
_LEAST_VOWELS = 0.25  # per letter of English words; random letters have 0.19
_MOST_CAPITALS = 0.35  # per letter of words in camel case; random letters have 0.5
_LEAST_ODD = 3  # changes of case and digits in a password that stands where other words might
_EXAMPLE_UUIDS = ("123e4567-e89b", "550e8400-e29b", "12345678-1234")
LEAST_DISTINCT = 8  # characters of a key that are not equal: a row of zeros is none
_DOTTED = re.compile(r"(?<![\w-])[\w-]+(?:[.~][\w-]+)*[.~]$")
_LONGEST_DOTTED = 80  # characters of a key before the full stop before its longest part
_HEAD = re.compile(r"(\[[\w-]+\]|[\w-])(\[[\w-]+\]|[\w/-])")
_WORD = r"(?:[A-Za-z]?[a-z]{1,12}\d{0,3}|[A-Z]{1,12}|\d{1,6})"
_WORDED = re.compile(rf"{_WORD}(?:[-_.]{_WORD}){{0,30}}")
_AWS_EXAMPLE = re.compile(r"[A-Za-z0-9+/]{30,36}EXAMPLEKEY(?![A-Za-z0-9])")


def find_formats(text: str) -> Iterator[Hit]:
    """Yield the secrets of a known shape that are more than one word, and the keys of AWS's documentation."""
    for shape in _formats():
        for hint in shape.hints:
            yield from _find_format(text, shape, hint)
    yield from _find_key_blocks(text)
    if "EXAMPLEKEY" in text:
        yield from ((EXAMPLE_RULE, *match.span()) for match in _AWS_EXAMPLE.finditer(text))


def _find_format(text: str, shape: _Format, hint: str) -> Iterator[Hit]:
    at = text.find(hint)
    while at >= 0:
        match = None
        if shape.back:
            match = shape.pattern.search(text, max(0, at - shape.back), at + _LONGEST_AFTER)
        elif not _is_inside(text, at, shape.before):
            match = shape.pattern.match(text, at)
        resume = at + len(hint)
        if match:
            hit = shape.hit(match)
            if hit:
                yield hit
            resume = max(resume, match.end())
        at = text.find(hint, resume)


def _is_inside(text: str, at: int, before: str) -> bool:
    """Return whether what begins here is the rest of a longer word."""
    if before == "none" or at == 0:
        return False
    return text[at - 1].isalnum() or (before == "word" and text[at - 1] in "_-")


def _find_key_blocks(text: str) -> Iterator[Hit]:
    if "PRIVATE KEY" not in text:
        return
    for match in _KEY_BLOCK.finditer(text):
        stop = text.find("-----END", match.end(), match.end() + _LONGEST_KEY)
        if stop < 0:
            lines = _KEY_LINES.match(text, match.end(), match.end() + _LONGEST_KEY)
            end = stop = lines.end() if lines else match.end()
        else:
            tail = text.find("-----", stop + 8, stop + 80)
            end = tail + 5 if tail >= 0 else stop
        body = text[match.end() : stop]
        if _KEY_BODY.search(body) and not is_placeholder(body[:200].strip()):
            yield ("private-key", match.start(), end)
