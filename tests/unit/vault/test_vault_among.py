"""Conditions on lists, and rows one by one: what holds for many holds for few."""

from __future__ import annotations

import pytest

from memtui.domain.memory import Anchor, Memory, Source
from memtui.vault.rows import ONE_BY_ONE
from memtui.vault.sql_in import FEW, among
from memtui.vault.vault import Vault

LENGTHS = (0, 1, 2, FEW, FEW + 1, 3 * FEW)


@pytest.mark.parametrize("length", LENGTHS)
def test_few_and_many_values_choose_the_same(vault: Vault, length: int) -> None:
    values = [f"m{number}'; --" for number in range(length)]
    with vault.read() as reader:
        condition, parameters = among("name", values)
        found = reader._connection.execute(
            f"SELECT count(*) FROM (SELECT 'm' || range || '''; --' AS name FROM range(200)) WHERE {condition}",  # noqa: S608 - our own names
            parameters,
        ).fetchone()
    assert found == (length,)


@pytest.mark.parametrize("length", LENGTHS)
def test_few_and_many_numbers_choose_the_same(vault: Vault, length: int) -> None:
    with vault.read() as reader:
        condition, parameters = among("range", range(length), "BIGINT")
        found = reader._connection.execute(f"SELECT count(*) FROM range(500) WHERE {condition}", parameters).fetchone()  # noqa: S608 - our own names
    assert found == (length,)


def test_a_row_alone_is_stored_as_one_of_many(vault: Vault) -> None:
    now = vault.now()

    def memory(name: str) -> Memory:
        return Memory(
            id=name,
            title="Zeile \ud800 \u0000 ' \" 二重",
            insight="x" * 1000,
            kind="lesson",
            project="p",
            created_at=now,
            updated_at=now,
            tags=("a", "b'"),
            anchors=(Anchor("a/b.py"), Anchor("ü.py", "hash")),
            sources=(Source(format="x", path="p", span=(1, 2)),),
        )

    names = [f"many{number:04}" for number in range(ONE_BY_ONE + 1)]
    with vault.write(actor="test", action="add one") as writer:
        writer.put(memory("alone000"))
    with vault.write(actor="test", action="add many") as writer:
        writer.put_many([memory(name) for name in names])
    with vault.read() as reader:
        alone, *others = reader.get_many(["alone000", *names]).values()
        columns = "tags, anchors, sources, title, created_at, valid_until, importance, half_life_days, pinned"
        stored = reader._connection.execute(f"SELECT DISTINCT {columns} FROM memories").fetchall()  # noqa: S608 - our own names
    assert len(others) == len(names)
    assert len(stored) == 1
    assert alone.tags == ("a", "b'")
