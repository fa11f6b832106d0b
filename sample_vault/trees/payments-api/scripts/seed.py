"""Fill an empty database with the accounts that the tests rely on."""

from __future__ import annotations

import psycopg
from rich.console import Console

from payments.settings import settings

ACCOUNTS = ("customer", "merchant", "fees", "suspense")
console = Console(markup=False)


def main() -> None:
    """Insert every account once; running it again changes nothing."""
    with psycopg.connect(settings().database_url) as connection:
        for name in ACCOUNTS:
            connection.execute("INSERT INTO accounts (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
    console.print(f"seeded {len(ACCOUNTS)} accounts")


if __name__ == "__main__":
    main()
