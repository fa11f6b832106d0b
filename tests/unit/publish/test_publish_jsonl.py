"""What a user relies on in memtui's own JSONL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.domain.memory import Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import memory_from_record, memory_record
from memtui.publish.files import Snapshot, dump_line, jsonl_text

NOON = datetime(2026, 1, 12, 12, tzinfo=UTC)


def _memory(number: int, project: str | None = "payments", **more: object) -> Memory:
    return Memory(
        id=f"m{number}",
        title=f"Title {number}",
        insight=f"Insight {number}",
        project=project,
        created_at=NOON + timedelta(minutes=number % 3),
        updated_at=NOON,
        **more,  # type: ignore[arg-type] # keyword arguments of the dataclass
    )


def test_memories_come_first_in_order_of_project_time_and_id_then_their_kin() -> None:
    memories = [_memory(number, project) for number in range(7) for project in ("b", None, "a")]
    memories = [
        Memory(
            id=f"{index:02}",
            title=m.title,
            insight=m.insight,
            project=m.project,
            created_at=m.created_at,
            updated_at=NOON,
        )
        for index, m in enumerate(memories)
    ]
    link = Link(from_id="01", type="relates", to_id="02", created_at=NOON)
    verdict = Verdict(memory_id="01", verdict="still-true", at=NOON, actor="ana")
    signal = Signal(memory_id="01", signal="helped", at=NOON, actor="ana")
    other = Signal(memory_id="00", signal="helped", at=NOON, actor="ana")
    tombstone = Tombstone(content_hash="ab", project=None, memory_id="zz", at=NOON, actor="ana")
    lines = jsonl_text(Snapshot(memories, [link], [verdict], [signal, other], [tombstone])).splitlines()
    loaded = [json.loads(line) for line in lines]
    assert [row["type"] for row in loaded[21:]] == ["link", "verdict", "signal", "signal", "tombstone"]
    assert [row["memory"] for row in loaded[23:25]] == ["00", "01"]
    places = [(row["project"] or "", row["created_at"], row["id"]) for row in loaded[:21]]
    assert places == sorted(places)
    shuffled = list(memories)
    Random(7).shuffle(shuffled)
    assert jsonl_text(Snapshot(shuffled, [link], [verdict], [other, signal], [tombstone])).splitlines() == lines


def test_a_line_reads_like_the_json_of_the_memory() -> None:
    line = jsonl_text(Snapshot([_memory(1, tags=("größe", "日本語"))])).removesuffix("\n")
    assert line.startswith('{"type": "memory", "id": "m1", "project": "payments", "kind": "lesson", ')
    assert '"tags": ["größe", "日本語"]' in line


def test_separators_surrogates_and_invisible_characters_are_escaped() -> None:
    text = "a\u2028b\u2029c\x85d\ud83de\u202ef\ufeffg\U000e0041h\ti\x1b"
    line = dump_line({"insight": text})
    assert json.loads(line) == {"insight": text}
    assert line.isascii()
    line.encode()


@settings(deadline=None)
@given(st.text())
def test_every_text_stays_on_one_line_and_comes_back(insight: str) -> None:
    memory = _memory(1)
    record = memory_record(memory) | {"insight": insight + "."}
    line = jsonl_text(Snapshot([memory_from_record(record, now=NOON, new_id="x")])).removesuffix("\n")
    assert len(line.splitlines()) == 1
    assert json.loads(line.encode()) == {"type": "memory", **record}
