"""Secrets that are known by the name they are given to: DB_PASSWORD=, "apiKey": and --token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.text.secret_formats import Hit
from memtui.text.secret_values import (
    SHORTEST_RANDOM,
    change_count,
    is_common,
    is_identifier,
    is_mixed,
    is_placeholder,
    is_reference,
    looks_random,
)

_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "pass")
_SECRETS = ("secret", "token", "credential", "credentials", "key")
_SPELLINGS = tuple(
    spelling for word in (*_PASSWORDS, *_SECRETS) for spelling in (word, word.upper(), word.capitalize())
)
_SHORT_WORDS = frozenset(("pwd", "pass"))

# What a name ending in key must also say to name a secret: a cache key is none.
_KEY_OWNERS = tuple(
    word + sign
    for word in (
        *(
            "api",
            "app",
            "access",
            "account",
            "auth",
            "client",
            "consumer",
            "encrypt",
            "encryption",
            "master",
            "private",
        ),
        *("secret", "service", "session", "shared", "sign", "signing", "ssh", "storage", "webhook", "jwt", "hmac"),
        *("license", "deploy", "bot", "admin"),
    )
    for sign in ("", "-", "_", ".", " ")
)
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
_LEAST_CHANGES, _LEAST_CHANGE_SHARE = 3, 0.25


def find_assignments(text: str) -> Iterator[Hit]:
    """Yield the values that are given to names of secrets and look like one.

    In the form of an environment file (`DB_PASSWORD=hunter2xyz`) less is asked of the value than in prose,
    where a word without digits is none.
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
    """Return the value given to the name whose last word stands at `at` to `end`."""
    word = text[at:end].lower()
    if not _ends_secret_name(text, at, word):
        return None
    found = _AFTER.match(text, end)
    start = _name_start(text, at)
    if found and found["sign"] == ">" and text[start - 1 : start] != "<":
        found = None
    if not found:
        found = _FLAG_AFTER.match(text, end) if text.startswith("--", start) else None
        env = True
    else:
        env = found["sign"] == "=" and _is_environment(text, start, at, found.start("sign"))
    if not found:
        return None
    group = "bare" if found["bare"] else "quoted"
    value = found[group]
    if group == "bare":
        value = value.split("&", 1)[0] if text[start - 1 : start] in ("?", "&") else value
        value = value.rstrip(".,)]}\\|")
    kind = "password" if word in _PASSWORDS else "secret"
    plausible = _is_password if kind == "password" else _is_secret
    if not plausible(value, env=env, quoted=group == "quoted"):
        return None
    stop = found.start(group) + len(value)
    if len(found[group]) >= _LONGEST_JUDGED:
        rest = _REST.match(text, stop)
        stop = rest.end() if rest else stop
    return (f"assigned-{kind}", found.start(group), stop)


def _ends_secret_name(text: str, at: int, word: str) -> bool:
    """Return whether a word may end the name of a secret: api_key and DB_PASS may, monkey and bypass may not."""
    if word == "key":
        return text[max(0, at - _LONGEST_OWNER) : at].lower().endswith(_KEY_OWNERS)
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


def _is_password(value: str, *, env: bool, quoted: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_PASSWORD if env else _SHORTEST_PASSWORD):
        return False
    if not env and (not is_mixed(value) or _HYPHENATED_WORDS.fullmatch(value)):
        return False
    return not _is_no_value(value, quoted=quoted)


def _is_secret(value: str, *, env: bool, quoted: bool) -> bool:
    if len(value) < (_SHORTEST_ENV_SECRET if env else _SHORTEST_SECRET) or "=" in value.rstrip("="):
        return False
    if is_identifier(value) and len(value) >= _SHORTEST_HEX_SECRET:
        plausible = "-" not in value
    elif len(value) >= SHORTEST_RANDOM:
        plausible = looks_random(value) or value.endswith("=") or _is_mixed_case(value)
    else:
        plausible = is_mixed(value) and change_count(value) >= _LEAST_CHANGES
    return plausible and not _HYPHENATED_WORDS.fullmatch(value) and not _is_no_value(value, quoted=quoted)


def _is_mixed_case(value: str) -> bool:
    """Return whether letters alone change case as often as random ones do."""
    return not value.islower() and change_count(value) >= len(value) * _LEAST_CHANGE_SHARE


def _is_no_value(value: str, *, quoted: bool) -> bool:
    """Return whether a value is a placeholder, a reference, code or prose."""
    if is_placeholder(value) or is_reference(value) or is_common(value):
        return True
    return any(map(str.isspace, value)) if quoted else bool(_BRACKETS.search(value))
