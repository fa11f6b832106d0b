"""What a user relies on in the file of one memory: nothing is lost on the way there and back."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memtui.domain.causes import CAUSES
from memtui.domain.memory import Anchor, Memory, Source
from memtui.domain.record import memory_from_record, memory_record, names_a_path
from memtui.publish.memory_file import parse_memory, render_memory

NOON = datetime(2026, 1, 12, 9, 30, tzinfo=UTC)

EXAMPLE = """\
---
id: k3m9x2pq
project: payments-api
kind: constraint
status: active
anchors:
  - payments/service.py
  - {"path": "payments/retry.py", "content_hash": "9f3c"}
tags:
  - payments
importance: 5
confidence: 1.0
pinned: true
created_at: 2026-01-12T09:30:00Z
source: {"format": "claude-md", "path": "CLAUDE.md", "span": [41, 58]}
---

# Never retry a captured payment

A second capture charges the card twice.

- check `captured_at` first

## Why

The gateway is not idempotent [INC-1042].

## Snippet

````
```python
if payment.captured_at: return
```
````
"""


def _example() -> Memory:
    return Memory(
        id="k3m9x2pq",
        project="payments-api",
        kind="constraint",
        title="Never retry a captured payment",
        insight="A second capture charges the card twice.\n\n- check `captured_at` first",
        rationale="The gateway is not idempotent [INC-1042].",
        snippet="```python\nif payment.captured_at: return\n```",
        anchors=(Anchor("payments/service.py"), Anchor("payments/retry.py", "9f3c")),
        tags=("payments",),
        importance=5,
        pinned=True,
        created_at=NOON,
        updated_at=NOON,
        sources=(Source(format="claude-md", path="CLAUDE.md", span=(41, 58)),),
    )


def test_the_file_looks_like_the_documented_one() -> None:
    assert render_memory(_example()) == EXAMPLE


PIECES = st.sampled_from(
    [
        *(
            "---",
            "## Why",
            "##  why ",
            "## Snippet",
            "# Title",
            "```",
            "````",
            "~~~",
            "\n",
            "\n\n",
            " ",
            "\t",
        ),
        *(
            '"',
            "'",
            "[/x]",
            "{",
            "}",
            ": ",
            " #",
            "- ",
            "* ",
            "&a",
            "!b",
            "%c",
            "@d",
            "`",
            "\\",
            "\\n",
            "|",
            ">",
        ),
        *(
            "日本語",
            "👩‍👩‍👧",
            "é",
            "\u2028",
            "\u2029",
            "\x85",
            "\x00",
            "\x1b[31m",
            "\r",
            "\r\n",
            "\ufeff",
            "\u202e",
            "\u3000",
        ),
        *("null", "true", "1.0", "2026-01-12", "a", "word", "<<<<<<< HEAD", ">>>>>>> b", "key: value"),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=12).map("".join),
    st.text(st.characters(codec="utf-8"), max_size=40),
)
NAMES = TEXTS.map(str.strip).filter(bool)
TIMES = st.datetimes(datetime(1000, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants naive bounds
SOURCES = st.builds(
    Source,
    format=NAMES,
    path=st.none() | NAMES,
    span=st.none() | st.tuples(st.integers(1, 9), st.integers(10, 99)),
    native_id=st.none() | NAMES,
    agent=st.none() | NAMES,
    imported_hash=st.none() | st.just("0e12"),
)
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A memory has thirty fields, which take their time to draw on a busy machine."""

RULES = (
    r"forbid 'print\(|, \{' in 'src/**'",
    """forbid "it's: [a]" in '*.md'""",
    "with 'a' change 'b, c'",
    "protect '#x'",
)

MEMORIES = st.builds(
    Memory,
    id=NAMES,
    title=TEXTS.map(str.strip),
    insight=TEXTS.filter(lambda text: text.strip()),
    kind=NAMES,
    project=st.none() | NAMES,
    status=st.sampled_from(["active", "retired", "candidate"]),
    cause=st.sampled_from(CAUSES),
    status_reason=TEXTS | st.sampled_from(CAUSES),
    rationale=TEXTS,
    snippet=TEXTS,
    anchors=st.lists(st.builds(Anchor, NAMES.filter(names_a_path), st.none() | NAMES), max_size=3).map(tuple),
    tags=st.lists(NAMES, max_size=3, unique=True).map(tuple),
    rules=st.lists(st.sampled_from(RULES), max_size=3, unique=True).map(tuple),
    importance=st.integers(1, 5),
    confidence=st.floats(0, 1),
    pinned=st.booleans(),
    created_at=TIMES,
    updated_at=st.just(NOON),
    observed_at=st.none() | TIMES,
    confirmed_at=st.none() | TIMES,
    confirmed_by=st.none() | NAMES,
    half_life_days=st.none() | st.floats(0.01, 1e6),
    sources=st.lists(SOURCES, max_size=3).map(tuple),
).map(lambda memory: memory if memory.status == "retired" else replace(memory, cause=""))


@patient
@given(MEMORIES)
@example(Memory(id="bench:decision-1", title="", insight="x", created_at=NOON.replace(microsecond=1), updated_at=NOON))
@example(Memory(id="1e5", title="null", insight=" lead\ntrail  ", project="null", created_at=NOON, updated_at=NOON))
@example(
    Memory(
        id="a",
        title="a  b",
        insight="---\nid: b\n---",
        rationale="\n",
        snippet="\n```\n## Why\n",
        created_at=NOON,
        updated_at=NOON,
    )
)
def test_whatever_a_memory_holds_comes_back_exactly(memory: Memory) -> None:
    text = render_memory(memory)
    parsed = parse_memory(text)
    assert (parsed.problem, parsed.ignored) == ("", [])
    assert list(parsed.record.items()) == list(memory_record(memory).items())
    again = memory_from_record(parsed.record, now=NOON, new_id="new")
    assert again == memory
    assert render_memory(again) == text
    # What git and editors see: no line breaks but LF, nothing hidden, one newline at the end.
    assert text.encode().decode() == text
    assert len(text.split("\n")) == len(text.splitlines()) + 1
    assert not set(text) & set("\x00\x1b\r\u202e\ufeff")


@patient
@given(MEMORIES)
@example(Memory(id="a", title="t", insight="x", confidence=1e-05, created_at=NOON, updated_at=NOON))
def test_the_frontmatter_is_yaml_for_everybody_else_too(memory: Memory) -> None:
    text = render_memory(memory)
    loaded = yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))
    record = memory_record(memory)
    for key, value in loaded.items():
        if key.endswith(("_at", "_from", "_until")):
            assert value.astimezone(UTC) == datetime.fromisoformat(record[key])
        elif not _has_astral_escape(record[key]):
            plain = [{"path": a} if isinstance(a, str) else a for a in value] if key == "anchors" else value
            assert plain == record[key]


def _has_astral_escape(value: object) -> bool:
    """Characters beyond the BMP that are escaped are pairs in JSON, which YAML readers do not join."""
    text = json.dumps(value, ensure_ascii=False)
    return any(ord(char) > 0xFFFF and not char.isprintable() for char in text)


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    memory = Memory(id="a", title="t", insight="half \ud83d emoji", created_at=NOON, updated_at=NOON)
    text = render_memory(memory)
    text.encode()
    assert parse_memory(text).record["insight"] == "half \ud83d emoji"


def test_times_are_utc_whatever_the_offset() -> None:
    east = timezone(timedelta(hours=9))
    memory = Memory(id="a", title="t", insight="x", created_at=NOON.astimezone(east), updated_at=NOON)
    assert "created_at: 2026-01-12T09:30:00Z\n" in render_memory(memory)


HAND_MADE = """\
---
# my own notes
id: hand-1
project: 'shop'
kind: decision
title: Fix: the [x] thing
tags: [a, "b c", 'd']
anchors: src/a.py, src/**/*.ts
importance: 4
confidence: .5
pinned: yes   # for now
created_at: 2026-01-12
created_by: somebody
valid_until:
status_reason: >
  folded
  text
source:
  format: adr
  span: [3, 9]
nonsense here
---
Body without a heading.

## Details

More.

## WHY

Because.

## Snippet

no fence
"""


def test_what_hands_write_is_understood() -> None:
    parsed = parse_memory(HAND_MADE)
    assert parsed.problem == ""
    assert [HAND_MADE.split("\n")[number - 1] for number in parsed.ignored] == ["nonsense here"]
    assert parsed.record == {
        "id": "hand-1",
        "project": "shop",
        "kind": "decision",
        "status_reason": "folded text",
        "title": "Fix: the [x] thing",
        "insight": "Body without a heading.\n\n## Details\n\nMore.",
        "rationale": "Because.",
        "snippet": "no fence",
        "anchors": [{"path": "src/a.py"}, {"path": "src/**/*.ts"}],
        "tags": ["a", "b c", "d"],
        "importance": 4,
        "confidence": 0.5,
        "pinned": True,
        "created_at": "2026-01-12",
        "source": {"format": "adr", "span": [3, 9]},
    }
    memory_from_record(parsed.record, now=NOON, new_id="x")


@pytest.mark.parametrize(
    ("frontmatter", "key", "value"),
    [
        ("id: 007", "id", "007"),
        ("title: * starred", "title", "* starred"),
        ("title: [a] and {b}", "title", "[a] and {b}"),
        ("title: [a]", "title", "[a]"),
        ('title: "half', "title", '"half'),
        ("title: 'it''s'", "title", "it's"),
        (
            "anchors:\n- **/*.ts\n- 'b'\n# note\n-  c d ",
            "anchors",
            [{"path": p} for p in ("**/*.ts", "b", "c d")],
        ),
        ("anchors:\n  - {path: a.py, content_hash: ff}", "anchors", [{"path": "a.py", "content_hash": "ff"}]),
        ("tags:\n  - 1\n  - true", "tags", ["1", "true"]),
        ("insight: |\n  one\n\n  two", "insight", "one\n\ntwo"),
        ("project: ~", "project", None),
    ],
)
def test_forms_of_yaml_that_hands_use(frontmatter: str, key: str, value: object) -> None:
    assert parse_memory(f"---\n{frontmatter}\n---\n").record[key] == value


def test_a_section_added_beside_the_frontmatter_is_not_lost() -> None:
    parsed = parse_memory('---\nid: a\nrationale: "old\\n"\n---\n\n# T\n\nx\n\n## Why\n\nnew\n\n## Why\n\nmore\n')
    assert parsed.record["rationale"] == "old\n\n\nnew\n\nmore"


def test_text_after_the_fence_of_a_snippet_is_kept() -> None:
    assert parse_memory("x\n\n## Snippet\n\n```py\na\n```\n\nand b\n").record["snippet"] == "```py\na\n```\n\nand b"
    assert parse_memory("x\n\n## Snippet\n\n```\na\n\n").record["snippet"] == "a"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nid: a\n", "the frontmatter has no closing ---"),
    ],
)
def test_files_that_say_nothing_reliable_are_refused_with_the_reason(text: str, problem: str) -> None:
    assert parse_memory(text).problem == problem


@settings(deadline=None)
@given(st.text() | TEXTS, st.booleans())
def test_no_text_breaks_the_parser(text: str, fenced: bool) -> None:
    parse_memory(f"---\n{text}\n---\n{text}" if fenced else text)
