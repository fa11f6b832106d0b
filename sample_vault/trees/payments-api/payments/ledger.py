"""The double-entry ledger: rows are added, never changed."""

from __future__ import annotations

import psycopg

from payments.money import Money


class Ledger:
    """Books every movement as two rows that add up to zero."""

    def __init__(self, connection: psycopg.Connection[tuple[int]]) -> None:
        self._connection = connection

    def book(self, payment_id: str, debit: str, credit: str, amount: Money, reference: str) -> None:
        """Add both rows in one transaction; the trigger refuses a lone one."""
        rows = [
            (payment_id, debit, -amount.amount_minor, amount.currency, reference),
            (payment_id, credit, amount.amount_minor, amount.currency, reference),
        ]
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO ledger (payment_id, account, amount_minor, currency, reference)"
                " VALUES (%s, %s, %s, %s, %s)",
                rows,
            )

    def balance(self, account: str) -> int:
        """Return the sum of an account in minor units."""
        row = self._connection.execute(
            "SELECT coalesce(sum(amount_minor), 0) FROM ledger WHERE account = %s", (account,)
        ).fetchone()
        return row[0] if row else 0
