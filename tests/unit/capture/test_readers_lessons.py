"""What a user relies on when lessons and post-mortems are imported."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.capture.draft import Draft, ReadResult, SourceFile
from memtui.capture.readers.lessons import LessonsReader, MarkdownReader
from memtui.capture.stable_split import KnownUnit

LESSONS = """\
# Lessons learned

What went wrong, and what we do since. Keep it short.

## How to use

```
### [DATE] Title
```

## 2026-02-11 \u2014 Bump the cache version with every schema change

**Context:** The release of 4.2 changed the `price` field.
**Lesson:** A deploy that changes a cached shape bumps `CACHE_SCHEMA` in `shop/cache.py`.
**Tags:** cache, deploys

## Database

### 1. Lock timeout on migrations (2025-11-03)

- **Symptom**: `ALTER TABLE` hung for 20 minutes
- **Root cause**: a long query held the lock
- **Fix**: `lock_timeout = '2s'`

### Never run VACUUM FULL in office hours

It takes an exclusive lock.

Why: checkout stopped for 40 minutes.

## Testing

- Always freeze the clock in tests of invoices, time zones broke them twice.
- 2025-12-01: Never share database fixtures between workers of the suite.

## Tools we tried

| Date | Tool | Verdict |
|---|---|---|
| 2025-03-01 | Poetry | slow |
| 2025-04-01 | uv | kept |
<!-- add new ones above -->
"""

POST_MORTEM = """\
# Post-mortem: Redis pool exhaustion

**Date:** 2026-03-04
**Severity:** SEV2

## Summary

Checkout failed for 40 minutes.

## Impact

312 orders failed.

## Timeline

| Time | Event |
|---|---|
| 10:02 | alert |

## Root Cause

`shop/redis.py` built a client per request.

## Resolution

One client per process.

## Lessons Learned

- Always create clients when the worker starts, never in a request.
- Never alert on errors alone, watch the pool wait time too.

## Action Items

- [ ] Add a lint rule (Bo)
"""


def _file(root: Path, name: str, text: str) -> SourceFile:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return SourceFile(path, root, root / "home")


def _read(root: Path, text: str, name: str = "LESSONS.md") -> ReadResult:
    file = _file(root, name, text)
    assert LessonsReader().detect(file)
    return LessonsReader().read(file)


def _day(draft: Draft) -> str:
    return draft.observed_at.date().isoformat() if draft.observed_at else ""


def test_each_lesson_is_one_memory(tmp_path: Path) -> None:
    result = _read(tmp_path, LESSONS)
    assert [(draft.insight.split("\n")[0][:32], _day(draft)) for draft in result.drafts] == [
        ("A deploy that changes a cached s", "2026-02-11"),
        ("Symptom: `ALTER TABLE` hung for ", "2025-11-03"),
        ("It takes an exclusive lock.", ""),
        ("Always freeze the clock in tests", ""),
        ("2025-12-01: Never share database", "2025-12-01"),
        ("| Date | Tool | Verdict |", ""),
    ]
    assert [draft.title for draft in result.drafts[:3]] == [
        "Bump the cache version with every schema change",
        "Lock timeout on migrations",
        "Never run VACUUM FULL in office hours",
    ]
    assert "Tools we tried" in result.drafts[-1].title
    assert [draft.kind for draft in result.drafts[:2]] == ["lesson", "bug-pattern"]
    cache, lock, vacuum, *_, table = result.drafts
    assert cache.insight == "A deploy that changes a cached shape bumps `CACHE_SCHEMA` in `shop/cache.py`."
    assert cache.rationale == "The release of 4.2 changed the `price` field."
    assert cache.tags == ("cache", "deploys")
    assert cache.anchors == ("shop/cache.py",)
    assert lock.insight == (
        "Symptom: `ALTER TABLE` hung for 20 minutes\n\n"
        "Root cause: a long query held the lock\n\nFix: `lock_timeout = '2s'`"
    )
    assert lock.source.native_id == "Lessons learned > Database > 1. Lock timeout on migrations (2025-11-03)#1"
    assert lock.source.span == (19, 23)
    assert (vacuum.insight, vacuum.rationale) == ("It takes an exclusive lock.", "checkout stopped for 40 minutes.")
    assert table.insight.count("\n") == 3
    reasons = {skipped.reason for skipped in result.skipped}
    assert {"says what the file is for", "how the file is to be used, no lesson", "comment"} <= reasons


def test_a_post_mortem_keeps_what_happened_why_and_the_fix_together(tmp_path: Path) -> None:
    result = _read(tmp_path, POST_MORTEM, "docs/postmortems/2026-03-04-redis.md")
    main, timeline, *lessons, actions = result.drafts
    assert (main.title, main.kind, _day(main)) == ("Redis pool exhaustion", "bug-pattern", "2026-03-04")
    assert main.insight == (
        "Summary: Checkout failed for 40 minutes.\n\n"
        "Root Cause: `shop/redis.py` built a client per request.\n\n"
        "Resolution: One client per process."
    )
    assert main.rationale == "312 orders failed."
    assert (timeline.title, timeline.kind) == ("Redis pool exhaustion: Timeline", "note")
    assert [lesson.insight[:12] for lesson in lessons] == ["Always creat", "Never alert "]
    assert (actions.title, actions.kind) == ("Redis pool exhaustion: Action Items", "note")
    assert {_day(draft) for draft in result.drafts} == {"2026-03-04"}
    assert "beside the lesson itself (Severity)" in {skipped.reason for skipped in result.skipped}


def test_a_file_of_many_incidents_gives_one_memory_each(tmp_path: Path) -> None:
    text = (
        "# Incident history\n\n## INC-2025-0089 \u2014 November 15, 2025\n\n**Duration:** 4 hours\n"
        "**Root Cause:** The autoscaler went from 6 to 12 pods; the limit was 100.\n\n**Resolution:** Scaled back.\n\n"
        "## INC-2025-0090 \u2014 3 Dec 2025\n\n**Root Cause:** The DNS cache of the sidecar never expired.\n"
    )
    first, second = _read(tmp_path, text, "incidents/history.md").drafts
    assert (first.title, _day(first)) == (
        "Incident history: The autoscaler went from 6 to 12 pods; the limit was 100",
        "2025-11-15",
    )
    assert (second.insight, _day(second)) == ("The DNS cache of the sidecar never expired.", "2025-12-03")
    assert {first.kind, second.kind} == {"bug-pattern"}


def test_a_list_below_a_label_belongs_to_it(tmp_path: Path) -> None:
    text = (
        "# Lessons\n\n## Schema first\n\n**Lesson**: Design it first.\n\n**Why It Matters**:\n- fewer changes\n\n"
        "**Our Experience**:\n- **Before**: rework\n- **After**: calm\n\n**Action**: Take three days.\n"
    )
    [draft] = _read(tmp_path, text).drafts
    assert draft.insight == "Lesson: Design it first.\n\nAction: Take three days."
    assert (
        draft.rationale
        == "Why It Matters:\n\n- fewer changes\n\nOur Experience:\n\n- **Before**: rework\n- **After**: calm"
    )


def test_parts_may_be_headings_and_the_title_may_be_in_the_frontmatter(tmp_path: Path) -> None:
    text = "---\ntitle: Clean up effects\ndate: 2025-06-01\n---\n## Symptom\nA warning.\n\n## Fix\nReturn a function.\n"
    [draft] = _read(tmp_path, text, "lessons/effects.md").drafts
    assert (draft.title, draft.kind, _day(draft)) == ("Clean up effects", "bug-pattern", "2025-06-01")
    assert draft.insight == "Symptom: A warning.\n\nFix: Return a function."


@pytest.mark.parametrize(
    ("heading", "title", "day"),
    [
        ("2026-02-11 \u2014 Use one pool", "Use one pool", "2026-02-11"),
        ("[2026-02-11] Use one pool", "Use one pool", "2026-02-11"),
        ("Use one pool (Feb 11, 2026)", "Use one pool", "2026-02-11"),
        ("11.02.2026: Use one pool", "Use one pool", "2026-02-11"),
        ("Lesson 3: Use one pool", "Use one pool", ""),
        ("12) Use one pool", "Use one pool", ""),
        ("**Use one pool**", "Use one pool", ""),
        ("2026-02-11", "It saved us twice", "2026-02-11"),
        ("Use hooks [React]", "Use hooks [React]", ""),
        ("03/04/2026 Use one pool", "03/04/2026 Use one pool", ""),
    ],
)
def test_headings_give_title_and_date(tmp_path: Path, heading: str, title: str, day: str) -> None:
    [draft] = _read(tmp_path, f"# Lessons\n\n## {heading}\n\nIt saved us twice.\n").drafts
    assert (draft.title, _day(draft)) == (title, day)


@pytest.mark.parametrize(
    "heading", ["[DATE] Title", "YYYY-MM-DD - Title", "[Category]: [Brief Title]", "Entry Format", "Template"]
)
def test_forms_and_instructions_for_the_file_are_no_lessons(tmp_path: Path, heading: str) -> None:
    result = _read(tmp_path, f"# Lessons\n\n## {heading}\n\n**Context:** what were we doing?\n")
    assert result.drafts == []
    assert "how the file is to be used, no lesson" in {skipped.reason for skipped in result.skipped}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("LESSONS.md", True),
        ("docs/lessons-learned.md", True),
        ("docs/CRITICAL_LESSONS_LEARNED.md", True),
        ("lessons/cache.md", True),
        ("ops/post-mortems/2025.md", True),
        ("postmortem-redis.md", True),
        ("incidents/a.md", True),
        ("RETRO-2026-01.md", True),
        ("post-mortems/001-redis.md", True),
        ("docs/retrofit.md", False),
        ("docs/retro-games.md", False),
        ("docs/lesson-3.md", False),
        ("lessons/03-loops.md", False),
        ("src/content/lessons/loops.md", False),
        ("blog/lessons-learned.md", False),
        ("incidents/README.md", False),
        ("docs/incidental.md", False),
        ("lessons/x.txt", False),
    ],
)
def test_lessons_are_known_by_name_and_folder(tmp_path: Path, name: str, known: bool) -> None:
    assert LessonsReader().detect(_file(tmp_path, name, "x")) is known


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("docs/failed-approaches.md", True),
        ("docs/shop-abandoned_ideas.md", True),
        ("what-did-not-work.md", True),
        ("docs/what_didnt_work.md", True),
        ("things-we-tried.md", True),
        ("docs/dead-ends.md", True),
        ("docs/mistakes.md", True),
        (".claude/skills/shop/references/common-mistakes.md", False),
        ("docs/approaches.md", False),
        ("docs/failed-payments.md", False),
        ("docs/what-works.md", False),
    ],
)
def test_files_of_what_was_given_up_are_lessons(tmp_path: Path, name: str, known: bool) -> None:
    file = SourceFile(tmp_path / name, tmp_path, tmp_path / "home")
    assert LessonsReader().detect(file) is known


def test_what_was_given_up_is_titled_so(tmp_path: Path) -> None:
    text = (
        "# Failed approaches\n\n## Tape on tills (same-day revert, 2026-04-25)\n\n**What:** Tills wrote to tape.\n\n"
        "**Why abandoned:** Reels tore.\n\n## Drums stall when it is cold\n\nThey need oil.\n"
    )
    path = tmp_path / "docs" / "failed-approaches.md"
    path.parent.mkdir()
    path.write_text(text)
    drafts = LessonsReader().read(SourceFile(path, tmp_path, tmp_path / "home")).drafts
    assert [draft.title for draft in drafts] == [
        "Failed: Tape on tills (same-day revert)",
        "Drums stall when it is cold",
    ]


def test_retrospectives_are_parted_by_meaning(tmp_path: Path) -> None:
    text = (
        "# Retro\n\n## What went wrong\n\n- We merged without review twice.\n\n"
        "## Actions\n\n- Never merge on a Friday without a second look.\n"
    )
    drafts = _read(tmp_path, text, "RETRO-2026-01.md").drafts
    assert [draft.insight.lstrip("- ")[:8] for draft in drafts] == ["We merge", "Never me"]


def test_of_a_report_of_work_only_what_was_learned_is_read(tmp_path: Path) -> None:
    text = (
        "# Season 3 Retrospective\n\n## Boats of the season\n\nWe painted nine boats in two weeks.\n\n"
        "## Words of the crew\n\nThe crew was asked.\n\n### Planning of boats\n\n- The plan had 12 boats.\n\n"
        "### Lessons learned\n\n#### Weather\n\n- Never paint below five degrees: the paint does not dry.\n"
    )
    result = _read(tmp_path, text, "seasons/SEASON_3_RETROSPECTIVE.md")
    # The heading is a topic and says nothing of what was learned.
    (title,) = (draft.title for draft in result.drafts)
    assert title == "Words of the crew: Never paint below five degrees: the paint does not dry"
    assert "Never paint below five degrees" in result.drafts[0].insight
    assert "reports what was done, no lesson" in {skipped.reason for skipped in result.skipped}


def test_the_generic_reader_claims_nothing_and_keeps_every_word(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        "notes.md",
        "# Notes\n\nThe build takes nine minutes on CI.\n\n## 2026-01-02\n\n- Use the mirror for packages.\n",
    )
    assert not MarkdownReader().detect(file)
    first, second = MarkdownReader().read(file).drafts
    assert (first.insight, first.source.format) == ("The build takes nine minutes on CI.", "markdown")
    assert (second.title, second.observed_at) == ("Use the mirror for packages", datetime(2026, 1, 2, tzinfo=UTC))


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    assert [skipped.reason for skipped in _read(tmp_path, "\n").skipped] == ["empty"]


PIECES = st.sampled_from(
    [
        *("# Lessons @", "## Topic @", "### 2026-01-03 - Lesson @", "## Root cause", "#### Problem", "#### Solution"),
        *("plain words @ stand here", "- item @ says something useful here", "**Context:** ctx @", "**Fix:** fix @"),
        *(
            "- **Symptom**: sym @",
            "| a |\n|---|\n| @ |",
            "```\ncode @\n# no heading\n```",
            "<!-- @ -->",
            "---",
            "> quote @",
        ),
        *("## Timeline", "## Action Items", "## Lessons Learned", "Why: because @", "**Tags:** @", "## Status", "", ""),
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=14), st.sampled_from(["LESSONS.md", "postmortems/x.md"]))
def test_no_line_of_a_lesson_is_lost(tmp_path_factory: pytest.TempPathFactory, pieces: list[str], name: str) -> None:
    text = "\n".join(piece.replace("@", f"w{number}w") for number, piece in enumerate(pieces))
    file = _file(tmp_path_factory.mktemp("lessons"), name, text)
    for reader in (LessonsReader(), MarkdownReader()):
        _assert_nothing_lost(file, reader.read(file))


def _assert_nothing_lost(file: SourceFile, result: ReadResult) -> None:
    told = {line for skipped in result.skipped if skipped.span for line in range(skipped.span[0], skipped.span[1] + 1)}
    spans = [draft.source.span for draft in result.drafts if draft.source.span]
    covered = {line for first, last in spans for line in range(first, last + 1)}
    said = " ".join(f"{d.title} {d.insight} {d.rationale} {d.tags} {d.source.native_id}" for d in result.drafts)
    for number, line in enumerate(file.text.split("\n"), 1):
        if line.strip():
            assert number in told | covered, line
            assert number in told or all(word in said for word in re.findall(r"w\d+w", line)), line
    assert len({draft.source.native_id for draft in result.drafts}) == len(result.drafts)


BOLD = """\
# Lessons of the pier

## What this file is and how to use it

One paragraph for each lesson.

## Section 1 — Cranes

Of both cranes.

**`lift --fast` drops the load on the old winch** *(2026-03-01)*
Use the slow gear until the winch is replaced.

**The bell does not ring while the door is open**
The circuit is shared.

```sh
ring
```

---

## Section 2 — Ropes

**Das Problem:**
Ropes tore.

**Die Ursache:**
Salt.

**Was wir gelernt haben:**
- Wash the ropes.
"""


def test_lessons_below_bold_lines_are_lessons_of_their_own_and_labels_are_not(tmp_path: Path) -> None:
    file = _file(tmp_path, "LESSONS.md", BOLD)
    result = LessonsReader().read(file)

    assert [(draft.title, draft.source.span) for draft in result.drafts] == [
        ("Of both cranes", (9, 9)),
        ("lift --fast drops the load on the old winch", (11, 12)),
        ("The bell does not ring while the door is open", (14, 21)),
        ("Section 2 — Ropes", (23, 32)),
    ]
    fast, bell, ropes = result.drafts[1:]
    assert fast.observed_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert bell.insight.endswith("```sh\nring\n```")
    assert (ropes.kind, "Wash the ropes" in ropes.insight) == ("bug-pattern", True)
    _assert_nothing_lost(file, result)


def test_lessons_that_are_a_page_of_a_website_are_none(tmp_path: Path) -> None:
    path = tmp_path / "docs" / "lessons.md"
    path.parent.mkdir()
    path.write_text(
        "---\ntitle: Lessons\nlayout: default\n---\n\n# Lessons\n\n## At the quay\n\nI learned to tie knots.\n"
    )
    result = LessonsReader().read(SourceFile(path, tmp_path, tmp_path / "home"))
    assert not result.drafts
    assert [one.reason for one in result.skipped] == ["a page of a website"]


def test_bold_lines_stay_in_a_lesson_that_was_imported_whole(tmp_path: Path) -> None:
    section = "**Ropes tear in winter**\nWarm them.\n\n**Hooks rust in spring**\nOil them."
    file = _file(tmp_path, "LESSONS.md", f"# Pier\n\n## Things\n\n{section}\n")

    whole = replace(file, known=(KnownUnit("Pier > Things#1", section),))
    parted = replace(file, known=tuple(KnownUnit(None, draft.insight) for draft in LessonsReader().read(file).drafts))

    assert [draft.title for draft in LessonsReader().read(whole).drafts] == ["Things"]
    assert len(LessonsReader().read(file).drafts) == len(LessonsReader().read(parted).drafts) == 2


def test_a_wrapped_line_is_no_label_of_a_part(tmp_path: Path) -> None:
    text = (
        "# Release lessons\n\n## L12 Lessons\n\nThe lift went well. The round also gave some useful\nlessons:\n\n"
        "| Note | Lesson |\n| --- | --- |\n| A1 | Weigh the boat twice. |\n\n## Ropes rot\n\nDry them.\n"
    )
    path = tmp_path / "lessons-learned.md"
    path.write_text(text, encoding="utf-8")

    first, _ = LessonsReader().read(SourceFile(path=path, root=tmp_path, home=tmp_path)).drafts
    assert "| A1 | Weigh the boat twice. |" in first.insight
    assert first.title != "L12 Lessons"
