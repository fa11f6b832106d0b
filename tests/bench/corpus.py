"""Made-up memories in bulk: sentences of the sample vault, mixed by a seeded generator."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parents[2] / "sample_vault" / "memories"
KINDS = ("constraint", "decision", "bug-pattern", "architecture", "convention", "tooling", "lesson", "note")
START = datetime(2025, 9, 1, tzinfo=UTC)


def sentences() -> list[str]:
    found: list[str] = []
    for path in sorted(SAMPLE.rglob("*.md")):
        body = path.read_text(encoding="utf-8").split("---\n", 2)[2]
        found += [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", body) if len(part) > 20]
    return found


def records(count: int, *, seed: int = 7, projects: int = 4) -> Iterator[dict[str, Any]]:
    """Yield `count` records of about 50 words, each with a word of its own, over a few projects and 14 months."""
    chance = random.Random(seed)
    pool = sentences()
    words = sorted({word for sentence in pool for word in re.findall(r"[a-z]{4,}", sentence)})
    for number in range(count):
        picked = chance.choices(pool, k=3)
        subject = " ".join(chance.choices(words, k=4))
        yield {
            "project": f"project-{number % projects}",
            "kind": KINDS[number % len(KINDS)],
            "title": f"{subject} {number}",
            "insight": f"{' '.join(picked)} ({subject}, case{number})",
            "anchors": [f"src/module{number % 500}/file{number % 37}.py"] if number % 3 == 0 else [],
            "tags": [words[number % 200]],
            "created_at": (START + timedelta(minutes=number * 30 % 600_000)).isoformat(),
        }


def write_jsonl(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for record in records(count):
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def queries(count: int, *, seed: int = 11) -> list[str]:
    chance = random.Random(seed)
    pool = sentences()
    return [" ".join(chance.choice(pool).split()[:8]) for _ in range(count)]
