"""A purged text that also stands with other capitals: told, never erased unasked, as it may be another word."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from memtui.vault import rows
from memtui.vault.erasing import MACHINE_KEYS
from memtui.vault.text_patterns import text_pattern
from memtui.vault.vault import Vault

MOST_VARIANTS = 20
"""Ways of writing that are named; a word of everyday has four at most."""


def case_variants(vault: Vault, text: str) -> Mapping[str, int]:
    """Return how else, in upper and lower case, the vault writes a text, with the number of places, most first.

    Looks through memories, journal, packs, recipes and projects, not through backups.
    """
    # As JSON writes it, in which journal and options are kept.
    forms = {text, json.dumps(text, ensure_ascii=False)[1:-1]}
    wanted = re.compile(text_pattern(text), re.IGNORECASE)
    found: Counter[str] = Counter()
    for value in _texts(vault, text.strip().split()[0]):
        found.update(match[0] for match in wanted.finditer(value) if match[0] not in forms)
    return dict(found.most_common(MOST_VARIANTS))


def _texts(vault: Vault, word: str) -> Iterator[str]:
    """Yield the cells that hold a word in any case, lists and structures as JSON."""
    with vault.connect(read_only=True) as connection:
        for table, columns in rows.COLUMNS.items():
            for name, kind in columns.items():
                if name in MACHINE_KEYS or (isinstance(kind, str) and kind != "VARCHAR"):
                    continue
                cell = name if kind == "VARCHAR" else f"CAST(to_json({name}) AS VARCHAR)"
                found = connection.execute(
                    f"SELECT {cell} FROM {table} WHERE contains(lower({cell}), lower(?))",  # noqa: S608 - names are ours
                    [word],
                )
                yield from (value for (value,) in found.fetchall())
