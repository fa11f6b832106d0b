"""The risk of a memory that is due: how urgently a person should look at it again."""

from __future__ import annotations

MOST_USES = 10
"""Uses beyond these make it no more urgent: what ten payloads carried is surely relied on."""

USES_TO_DOUBLE = 5.0
"""Uses that double the risk."""

USES = frozenset({"copied", "injected", "referenced", "helped"})
"""Signals that count as a use."""

LEAST_LOSS = 0.1
"""Trust that counts as lost of a memory that is fresh but due for another reason, so that the reason can weigh."""


def review_risk(
    *,
    trust: float,
    uses: int = 0,
    changed_anchors: int = 0,
    contradictions: int = 0,
    hurts: int = 0,
    imports: int = 0,
) -> float:
    """Return lost trust × use × changed anchors × contradictions × hurt × imports; larger is more urgent.

    Every factor but the first is 1 where there is nothing to tell. Five uses double the risk; one changed
    anchor, one contradiction, one hurt or one import does.

    Args:
        trust: freshness, 0–1.
        uses: how often it was injected, copied, referenced or helped.
        changed_anchors: anchors that changed, moved or went since it was verified.
        contradictions: memories in use that contradict it.
        hurts: how often it hurt since it was verified.
        imports: sources and candidates that imports since then brought on its subject.
    """
    lost = max(LEAST_LOSS, 1.0 - trust)
    used = 1.0 + min(uses, MOST_USES) / USES_TO_DOUBLE
    return lost * used * (1.0 + changed_anchors) * (1.0 + contradictions) * (1.0 + hurts) * (1.0 + imports)
