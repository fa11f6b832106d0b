"""The text of a memory that its vector stands for."""

from __future__ import annotations

_SNIPPET_CHARACTERS = 400
"""A snippet says most in its first lines, and what comes after must not push the rationale out of the model's 256
tokens, which stands before it."""

_PART_CHARACTERS = 8_000
"""More of one part than any model reads."""


def embedded_text(title: str, insight: str, rationale: str, snippet: str) -> str:
    """Return the text to embed. It depends on nothing else, so a vector is stale when the content hash moved.

    Whoever changes it adds a migration that empties the table of vectors.
    """
    parts = [title, insight, rationale, snippet[:_SNIPPET_CHARACTERS]]
    return "\n".join(part[:_PART_CHARACTERS] for part in parts if part)
