"""Find secrets in a text by the shape and entropy of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memtui.errors import ConfigError
from memtui.text.secret_assignments import find_assignments
from memtui.text.secret_rules import (
    EXAMPLE_RULE,
    Hit,
    ascii_shadow,
    find_formats,
    find_in_word,
    is_bearer,
    is_hex_key,
    is_identifier,
    is_mixed,
    is_placeholder,
    is_public,
    is_published,
    looks_random,
    word_set,
)
from memtui.text.secret_services import is_given_to_service

Severity = Literal["secret", "example"]

_LONGEST_TOKEN = 400
_WINDOW = 48

# The sign before a token is matched, not looked behind at: that is three times faster.
_LONG_TOKEN = re.compile(r"[^A-Za-z0-9_+/\-]([A-Za-z0-9_+/\-]{20,}(?=(={0,2})))")
_PREFIXED = re.compile(
    r"(?P<prefix>[a-z][a-z0-9]{0,9})[-_](?P<inner>(?:[A-Za-z][A-Za-z0-9]{1,7}[-_]){0,2})(?P<rest>[^-_].*)"
)
_CHECKSUM_LENGTHS = (40, 64)  # a commit, a SHA-256
_NEAR_WORD = re.compile(
    r"(?<![a-z])(?:api[-_ ]?keys?|(?:auth)?tokens?|keys?|secrets?|passwords?|passwd|passphrase|pwd|credentials?"
    r"|bearer|auth)(?![a-z])",
    re.IGNORECASE,
)
_HASH_BEFORE = re.compile(
    r"(?:sha-?\d{1,3}|md5|h1|integrity|commit|revision|checksum|digest|hash|etag|fingerprint|public|pubkey|ssh-\w+"
    r"|base64,|(?:csrf|xsrf|authenticity|public|page|next)[-_ ]?token|sec-websocket-key|(?<![a-z])[a-z_]{0,20}id)"
    r"\W{0,4}(?:\w{0,12}\W{1,8})?$",
    re.IGNORECASE,
)

_IDS = ("alibaba-key", "aws-access-key", "razorpay-key", "twilio-key")  # rules that find the public half of a key, too
_PAIRED = re.compile(
    r"[\"'`]?(?:[ ]?[,:/|]|[ ])\s{0,4}[\"'`]?([A-Za-z0-9+/_-]{24,64}={0,2})(?![A-Za-z0-9])",
)
_CRYPT = re.compile(r"\$[0-9a-z][\w-]{0,14}\$[\w./$=,+-]{0,40}$")  # a password hash, up to a full stop in it


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """One value that looks like a secret."""

    rule: str  # which rule found it, e.g. `github-token`, or the name of a user's own pattern
    start: int  # where the value begins in the text
    end: int
    severity: Severity = "secret"  # `secret`, or `example` for the keys of AWS's documentation, which open nothing


def find_secrets(text: str, extra_patterns: Sequence[tuple[str, str]] = ()) -> list[SecretFinding]:
    """Return the secrets in a text in order, overlapping ones as one finding.

    `text`: any text; a megabyte takes a fraction of a second. `extra_patterns`: the user's own rules as (name, regular
    expression); the first group, if any, is the value.

    Raises `ConfigError`: an expression cannot be compiled.
    """
    plain = ascii_shadow(text)
    found = (*find_formats(plain), *_find_words(plain), *find_assignments(text))
    hits = [
        *_find_own(text, extra_patterns),
        *(hit for hit in found if not is_published(plain[hit[1] : hit[2]])),
    ]
    return [
        SecretFinding(rule, start, end, "example" if rule == EXAMPLE_RULE else "secret")
        for rule, start, end in _merge(hits)
    ]


def redact(text: str, findings: Iterable[SecretFinding]) -> str:
    """Return the text with the value of each finding replaced by `[secret: RULE]`."""
    parts: list[str] = []
    at = 0
    for finding in sorted(findings, key=lambda found: (found.start, -found.end)):
        if finding.start >= at:
            parts += (text[at : finding.start], f"[secret: {finding.rule}]")
        at = max(at, finding.end)
    parts.append(text[at:])
    return "".join(parts)


def _merge(hits: list[Hit]) -> list[Hit]:
    """Return hits by position without overlaps; the earliest rule names what overlaps."""
    merged: list[Hit] = []
    ranked = sorted(enumerate(hits), key=lambda item: (item[1][1], item[0]))
    rank_of_last = 0
    for rank, (rule, start, end) in ranked:
        if merged and start < merged[-1][2]:
            last_rule, last_start, last_end = merged[-1]
            if rank < rank_of_last:
                last_rule, rank_of_last = rule, rank
            merged[-1] = (last_rule, last_start, max(last_end, end))
        else:
            merged.append((rule, start, end))
            rank_of_last = rank
    return merged


def _find_own(text: str, patterns: Sequence[tuple[str, str]]) -> Iterator[Hit]:
    for name, expression in patterns:
        pattern = _compile_own(name, expression)
        for match in pattern.finditer(text):
            group = 1 if pattern.groups and match.group(1) else 0
            if match.end(group) > match.start(group):
                yield (name, match.start(group), match.end(group))


@lru_cache(maxsize=64)
def _compile_own(name: str, expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ConfigError(
            f"the secret pattern is not a regular expression ({error})",
            where=name,
            remedy="Correct the expression in the config, e.g. 'corp-[A-Za-z0-9]{24}'.",
        ) from error


def _find_words(text: str) -> Iterator[Hit]:
    """Yield long words of a known shape, and random ones with a key-like prefix or near a word such as key or token."""
    for match in _LONG_TOKEN.finditer(" " + text):
        token = match.group(1)
        start, end = match.start(), match.end() - 1
        hits = list(find_in_word(text, start, end))
        yield from hits
        yield from _paired(text, hits)
        if hits or len(token) > _LONGEST_TOKEN or not is_mixed(token):
            continue
        rule = _token_rule(token)
        if rule and _is_key_in_context(text, start, rule):
            yield (rule, start, end + len(match[2]))
        elif is_given_to_service(text, start, end, random=bool(rule)):
            yield ("service-key", start, end + len(match[2]))


def _paired(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the secret that follows the public id which it belongs to: `Client("AC…", "…")`."""
    for rule, _, end in hits:
        found = _PAIRED.match(text, end) if rule in _IDS else None
        if found and is_bearer(found[1]):
            yield ("paired-secret", *found.span(1))


def _is_key_in_context(text: str, start: int, rule: str) -> bool:
    """Return whether what precedes a token does not make it a hash and, unless its prefix says so, makes it a key."""
    before = text[max(0, start - _WINDOW) : start]
    if before.endswith("$") or _CRYPT.search(before):
        return False
    before = before[before.rfind("\n") + 1 :]
    return not _HASH_BEFORE.search(before) and (rule == "prefixed-key" or _is_near_word(before))


def _token_rule(token: str) -> str | None:
    """Return `prefixed-key` for m0-, hsk-, brv_ and the like before random characters, else `random-token`."""
    found = None if token.isalnum() else _PREFIXED.fullmatch(token)
    if found and found["prefix"] in word_set("id_prefixes"):
        return None
    if found and "/" not in token and _is_key(found["rest"], alone=not found["inner"]) and not is_placeholder(token):
        return "prefixed-key"
    if is_placeholder(token) or is_public(token) or is_identifier(max(re.split("[-_]", token), key=len)):
        return None
    return "random-token" if looks_random(token) else None


def _is_key(rest: str, *, alone: bool) -> bool:
    """Return whether what follows a prefix is a key; hexadecimal digits count only where they stand `alone`."""
    if alone and len(rest) not in _CHECKSUM_LENGTHS and is_hex_key(rest):
        return True
    return rest.isalnum() and looks_random(rest)


def _is_near_word(before: str) -> bool:
    """Return whether a word for a secret precedes a token on its line, and the token is no part of a URL."""
    if before.endswith("/") or "://" in before.rsplit(" ", 1)[-1]:
        return False
    return _NEAR_WORD.search(before) is not None
