"""Idempotency keys: the second call with a key gets the first one's answer."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import psycopg

from payments.money import Money


def derive_key(action: str, payment_id: str, amount: Money) -> str:
    """Return the same key for the same intention, whoever asks and whenever."""
    text = f"{action}:{payment_id}:{amount.amount_minor}:{amount.currency}"
    return sha256(text.encode()).hexdigest()


class IdempotencyKeys:
    """Keys and answers in Postgres, kept for 30 days."""

    def __init__(self, connection: psycopg.Connection[tuple[str]]) -> None:
        self._connection = connection

    def once(self, key: str, work: Callable[[], str]) -> str:
        """Return the stored answer, or do the work and store its answer."""
        row = self._connection.execute(
            "SELECT answer FROM idempotency_keys WHERE key = %s", (key,)
        ).fetchone()
        if row is not None:
            return row[0]
        answer = work()
        self._connection.execute("INSERT INTO idempotency_keys (key, answer) VALUES (%s, %s)", (key, answer))
        self._connection.commit()
        return answer
