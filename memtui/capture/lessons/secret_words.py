"""Secrets in what people type and run."""

from __future__ import annotations

import re

from memtui.text.secrets import find_secrets, redact

_SECRET_WORD = re.compile(
    r"\b(?:pass(?:word|wort|code|phrase)?|passwd|pwd|secret|token|(?:api[ -]?)?key|mot de passe|contraseña|senha)\b"
    r"|密码|口令|密钥|パスワード",
    re.IGNORECASE,
)
_MIXED = re.compile(r"(?<![\w/.-])(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[!@#$%^&*]|\S{10})[^\s/()=.]{7,}")


def holds_secret(text: str) -> bool:
    """Return whether words hold what looks like a secret, or name one next to a value that may be it."""
    if any(found.severity == "secret" for found in find_secrets(text)):
        return True
    return _SECRET_WORD.search(text) is not None and _MIXED.search(text) is not None


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return where in a text that holds a secret it may stand."""
    found = [(one.start, one.end) for one in find_secrets(text) if one.severity == "secret"]
    return [*found, *(one.span() for one in _MIXED.finditer(text))]


def masked(text: str) -> str:
    """Return a text without the values in it that look like secrets."""
    return redact(text, find_secrets(text))
