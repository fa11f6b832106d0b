"""Rules for secrets: issuers' prefixes, key blocks, and names that secrets are assigned to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

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


@cache
def word_set(name: str) -> frozenset[str]:
    """Return a set of words of the table: `common`, `key_owners` or `id_prefixes`."""
    return frozenset(read_table(__file__, "secret_rules.toml")["words"][name].split())


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for a secret rather than being one: xxxx, ****, <your-key>, changeme."""
    return bool(_FILLER_ONLY.fullmatch(value) or _FILLER_RUN.search(value) or _PLACEHOLDER_WORD.search(value))


def is_reference(value: str) -> bool:
    """Return whether a value says where a secret is: ${VAR}, process.env.X, settings.KEY, a path or a URL."""
    return bool(_REFERENCE.match(value) or _CODE.fullmatch(value))


def is_common(value: str) -> bool:
    """Return whether a value is a word that documentation and type declarations use in place of a secret."""
    return value.lower() in word_set("common") or bool(_COMMON.fullmatch(value))


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


def _no_placeholder(value: str) -> bool:
    return not is_placeholder(value)


def _no_words(value: str) -> bool:
    """Return whether a loosely shaped token is a secret: sk-fading-circle-loader is a style sheet's."""
    longest = max(re.split("[-_.]", value), key=len)
    return not is_placeholder(value) and is_mixed(value) and (len(longest) >= 16 or looks_random(value))  # noqa: PLR2004 - no word has 16 letters and digits


def _is_password(value: str) -> bool:
    return len(value) > 3 and not (is_placeholder(value) or is_reference(value) or is_common(value))  # noqa: PLR2004 - a1b2


_ACCEPTS: dict[str, Callable[[str], bool]] = {
    "no-placeholder": _no_placeholder,
    "no-words": _no_words,
    "password": _is_password,
    "random": looks_random,
}


@dataclass(frozen=True)
class _Format:
    """One shape of a secret; `secret_rules.toml` explains the fields."""

    rule: str
    hints: tuple[str, ...]
    text: str
    before: str
    accept: Callable[[str], bool]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled for the first text that holds a hint."""
        return re.compile(self.text)


@cache
def _formats() -> tuple[_Format, ...]:
    return tuple(
        _Format(
            row["rule"],
            tuple(row["hints"]),
            row["pattern"],
            row.get("before", "word"),
            _ACCEPTS[row.get("accept", "no-placeholder")],
        )
        for row in read_table(__file__, "secret_rules.toml")["format"]
    )


_KEY_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES = re.compile(r"(?:(?:\s|\\[nr]|[\"',])*[A-Za-z0-9+/=]{16,})+")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{12}")
_LONGEST_KEY = 16_384
_AWS_EXAMPLE = re.compile(r"[A-Za-z0-9+/]{30,36}EXAMPLEKEY(?![A-Za-z0-9])")


def find_formats(text: str) -> Iterator[Hit]:
    """Yield every secret of a known shape, and the keys of AWS's documentation as `aws-documentation-key`."""
    for shape in _formats():
        for hint in shape.hints:
            yield from _find_format(text, shape, hint)
    yield from _find_key_blocks(text)
    if "EXAMPLEKEY" in text:
        yield from ((EXAMPLE_RULE, *match.span()) for match in _AWS_EXAMPLE.finditer(text))


def _find_format(text: str, shape: _Format, hint: str) -> Iterator[Hit]:
    at = text.find(hint)
    while at >= 0:
        match = None if _is_inside(text, at, shape.before) else shape.pattern.match(text, at)
        resume = at + len(hint)
        if match:
            group = match.re.groups
            secret = match.group(group)
            if shape.rule == "aws-access-key" and secret.endswith("EXAMPLE"):
                yield (EXAMPLE_RULE, *match.span())
            elif shape.accept(secret):
                yield (shape.rule, *match.span(group))
            resume = match.end()
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


_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "pass")
_SECRETS = ("secret", "token", "credential", "credentials", "key")
_SPELLINGS = tuple(
    spelling for word in (*_PASSWORDS, *_SECRETS) for spelling in (word, word.upper(), word.capitalize())
)
_SHORT_WORDS = frozenset(("pwd", "pass"))


@cache
def _key_owners() -> tuple[str, ...]:
    """Return the words, with a separator, that make a name ending in "key" the name of a secret."""
    return tuple(word + sign for word in word_set("key_owners") for sign in ("", "-", "_", ".", " "))


_LONGEST_NAME = 64
_NAME_BACKWARDS = re.compile(r"[\w.\-]*")
_LONGEST_JUDGED = 200  # characters of a value, as in the two patterns below
_LONGEST_OWNER = 12
_AFTER = re.compile(
    r"(?i:[-_]?(?:key|base|value|prod|production|dev|staging|live|old|new|primary|secondary|b64|base64|\d{1,3})){0,3}"
    r"(?![A-Za-z0-9])[\"'`*\])]{0,4}"
    r"(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w.\[\]| ]{0,40}?)?"  # a type annotation
    r"[ \t]{0,6}(?P<sign>:=|=>|=(?!=)|:(?!:)|>)[*]{0,2}[ \t]{0,6}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{1,200})(?P=quote)|(?P<bare>[^\s\"'`,;<>]{1,200}))"
)
_FLAG_AFTER = re.compile(
    r"[ \t]{1,3}(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{1,200})(?P=quote)|(?P<bare>[^\s\"'`,;<>-][^\s\"'`,;<>]{1,200}))"
)
_REST = re.compile(r"[^\s\"'`,;<>]*")
_HYPHENATED_WORDS = re.compile(r"[A-Za-z]+\d{0,4}(?:[-_./][A-Za-z0-9]{1,12})+")
_BRACKETS = re.compile(r"[(){}\[\]]")
_BEFORE_ENV = re.compile(r"(?:^|\n)[ \t]*(?:[-*>$#][ \t]+)?`{0,3}(?:(?:export|set|setx|ENV|ARG|-e|--env)[ \t]+)?$")

_SHORTEST_ENV_PASSWORD, _SHORTEST_PASSWORD = 6, 8
_SHORTEST_ENV_SECRET, _SHORTEST_SECRET = 12, 16
_SHORTEST_HEX_SECRET = 32
_LEAST_CHANGE_COUNT, _LEAST_CHANGE_SHARE = 3, 0.25


def find_assignments(text: str) -> Iterator[Hit]:
    """Yield the values that are assigned to names of secrets and look like one.

    In the form of an environment file (`DB_PASSWORD=hunter2xyz`) the value is checked less strictly than in prose,
    where a word without digits does not count.
    """
    for spelling in _SPELLINGS:
        at = text.find(spelling)
        while at >= 0:
            end = at + len(spelling)
            hit = _assignment(text, at, end)
            if hit:
                yield hit
                end = hit[2]
            at = text.find(spelling, end)


def _assignment(text: str, at: int, end: int) -> Hit | None:
    """Return the value assigned to the name whose last word stands at `at` to `end`."""
    word = text[at:end].lower()
    if not _ends_secret_name(text, at, word):
        return None
    start = _name_start(text, at)
    found, env = _value_after(text, start, at, end)
    if not found:
        return None
    group = "bare" if found["bare"] else "quoted"
    value = found[group]
    if group == "bare":
        value = value.split("&", 1)[0] if text[start - 1 : start] in ("?", "&") else value
        value = value.rstrip(".,)]}\\|")
    kind = "password" if word in _PASSWORDS else "secret"
    plausible = _is_assigned_password if kind == "password" else _is_assigned_secret
    if not plausible(value, env=env, quoted=group == "quoted"):
        return None
    stop = found.start(group) + len(value)
    if len(found[group]) >= _LONGEST_JUDGED:
        rest = _REST.match(text, stop)
        stop = rest.end() if rest else stop
    return (f"assigned-{kind}", found.start(group), stop)


def _value_after(text: str, start: int, at: int, end: int) -> tuple[re.Match[str] | None, bool]:
    """Return what follows a name and gives it a value, and whether it is as in an environment or a command line."""
    found = _AFTER.match(text, end)
    if found and not (found["sign"] == ">" and text[start - 1 : start] != "<"):
        return found, found["sign"] == "=" and _is_environment(text, start, at, found.start("sign"))
    return _FLAG_AFTER.match(text, end) if text.startswith("--", start) else None, True


def _ends_secret_name(text: str, at: int, word: str) -> bool:
    """Return whether a word may end the name of a secret: api_key and DB_PASS may, monkey and bypass may not."""
    if word == "key":
        return text[max(0, at - _LONGEST_OWNER) : at].lower().endswith(_key_owners())
    if word in _SHORT_WORDS and at:
        before = text[at - 1]
        return not before.isalpha() or (before.islower() and text[at].isupper())
    return True


def _name_start(text: str, at: int) -> int:
    name = _NAME_BACKWARDS.match(text[max(0, at - _LONGEST_NAME) : at][::-1])
    return at - name.end() if name else at


def _is_environment(text: str, start: int, at: int, sign: int) -> bool:
    """Return whether `NAME=` is in capitals or begins a line."""
    if text[sign - 1].isspace():
        return False
    if text[at].isupper() and text[start:at].upper() == text[start:at]:
        return True
    line = text.rfind("\n", max(0, start - 40), start)
    return bool(_BEFORE_ENV.match(text, line if line >= 0 else max(0, start - 40), start))


def _is_assigned_password(value: str, *, env: bool, quoted: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_PASSWORD if env else _SHORTEST_PASSWORD):
        return False
    if not env and (not is_mixed(value) or _HYPHENATED_WORDS.fullmatch(value)):
        return False
    return not _is_no_value(value, quoted=quoted)


def _is_assigned_secret(value: str, *, env: bool, quoted: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_SECRET if env else _SHORTEST_SECRET) or "=" in value.rstrip("="):
        return False
    if is_identifier(value) and len(value) >= _SHORTEST_HEX_SECRET:
        plausible = "-" not in value
    elif len(value) >= SHORTEST_RANDOM:
        plausible = looks_random(value) or value.endswith("=") or _is_mixed_case(value)
    else:
        plausible = is_mixed(value) and change_count(value) >= _LEAST_CHANGE_COUNT
    return plausible and not _HYPHENATED_WORDS.fullmatch(value) and not _is_no_value(value, quoted=quoted)


def _is_mixed_case(value: str) -> bool:
    """Return whether letters change case as often as random ones do."""
    return not value.islower() and change_count(value) >= len(value) * _LEAST_CHANGE_SHARE


def _is_no_value(value: str, *, quoted: bool) -> bool:
    """Return whether a value is a placeholder, a reference, code or prose."""
    if is_placeholder(value) or is_reference(value) or is_common(value):
        return True
    return any(map(str.isspace, value)) if quoted else bool(_BRACKETS.search(value))
