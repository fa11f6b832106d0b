"""What a tool answers, as text for clients that show no structured results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memtui.errors import ConflictError, MemtuiError, SecretRefusedError
from memtui.pack.targets.markdown import fenced
from memtui.text.sanitize import reveal, without_surrogates

LONGEST_ERROR = 600


def text_of(tool: str, answer: Mapping[str, Any]) -> str:
    """Return an answer as text: the payload as it is, anything else as JSON in a fence that its texts cannot close."""
    if tool != "memory_context":
        return fenced(json.dumps(answer, ensure_ascii=False, indent=1))
    repeated = answer["already_served"]
    parts = [answer["payload"] or ("Nothing new." if repeated else "Nothing relevant is stored.")]
    if answer.get("note"):
        parts = [f"Nothing is served: {answer['note']}."]
    if answer["sure"] == "unsure":
        parts.append("Nothing answers the task for sure; these are the closest.")
    if repeated:
        parts.append(f"You have these already (memory_get shows them again): {', '.join(repeated)}")
    return "\n\n".join(parts)


def error_text(error: BaseException) -> str:
    """Return what a model can mend: what is wrong, where, and what to do."""
    if isinstance(error, ConflictError):
        text = f"{error} It has version {error.current_version} now." if error.current_version else str(error)
    elif isinstance(error, SecretRefusedError):
        # Its own remedy is an option of the command line.
        text = str(SecretRefusedError(error.what, where=error.where, remedy="Nothing was stored. Say it without that."))
    elif isinstance(error, MemtuiError):
        text = str(error)
    else:
        text = f"memtui failed: {type(error).__name__}. Nothing was changed. Go on without it."
    text = reveal(without_surrogates(text))
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}…"
