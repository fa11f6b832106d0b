"""What counts as the same content, and ids."""

from __future__ import annotations

import re
import secrets
import unicodedata
from hashlib import blake2b

from memtui.domain.memory import Memory

ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
"""Base32 of RFC 4648 in lower case: no 0, 1, 8 or 9 to confuse with letters."""

ID_LENGTH = 8

_LOOSE = re.compile(r"\r|\s\n|\s\Z|\A\n")
"""What normalising would change in an ASCII text; most texts hold nothing of it."""


def new_id() -> str:
    """Return eight random base32 characters (40 bits)."""
    bits = secrets.randbits(5 * ID_LENGTH)
    return "".join(ID_ALPHABET[bits >> shift & 31] for shift in range(0, 5 * ID_LENGTH, 5))


def normalise(text: str) -> str:
    """Return text in NFC, with LF line ends and without trailing white space or outer blank lines."""
    if text.isascii() and not _LOOSE.search(text):
        return text
    unified = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in unified.split("\n")).strip("\n")


def hash_parts(title: str, insight: str, rationale: str = "", snippet: str = "") -> str:
    """Return the content hash (32 hex characters, BLAKE2b-128) of a memory's four texts.

    Texts that differ only in line ends, trailing white space or Unicode composition hash alike.
    """
    digest = blake2b(digest_size=16)
    for part in (title, insight, rationale, snippet):
        digest.update(normalise(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\x00")
    return digest.hexdigest()


def content_hash(memory: Memory) -> str:
    """Return the content hash of a memory."""
    return hash_parts(memory.title, memory.insight, memory.rationale, memory.snippet)
