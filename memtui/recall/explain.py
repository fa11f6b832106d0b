"""The explanation of a score, as a table for people and as a record for programs."""

from __future__ import annotations

from typing import Any

from memtui.recall.result import Hit


def explanation(hit: Hit) -> list[tuple[str, str, str]]:
    """Return rows of (part, its input, its contribution): the terms, their sum, the factors, the score."""
    rows = [(part.name, part.detail, f"+ {part.value:.3f}") for part in hit.parts if part.role == "term"]
    rows.append(("relevance", "sum of the above", f"= {hit.relevance:.3f}"))
    rows += [(part.name, part.detail, f"× {part.value:.3f}") for part in hit.parts if part.role == "factor"]
    rows.append(("score", "relevance times the factors", f"= {hit.score:.3f}"))
    return rows


def explanation_record(hit: Hit) -> dict[str, Any]:
    """Return the explanation for `--json`: score, relevance, reason and every part."""
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "reason": hit.reason,
        "parts": [
            {"name": part.name, "role": part.role, "value": round(part.value, 9), "detail": part.detail}
            for part in hit.parts
        ],
    }
