"""Every word and mark on a screen is plain, or explained by `?` on it: read from the pictures of all screens."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from memtui.domain.kinds import CONFIDENCE_SIGNS
from memtui.text.tables import read_words
from memtui.tui.actions import registry
from memtui.tui.actions.registry import SCREENS, about
from memtui.tui.context.view import _MARKS as CONTEXT_MARKS
from memtui.tui.history.view import STATE_MARKS
from memtui.tui.importing.view import _GROUPS as IMPORT_GROUPS
from memtui.tui.inbox.candidates import ODD
from memtui.tui.memory_view import MARK_DUE, MARK_PINNED
from memtui.tui.packs.view import _MARKS as PACK_MARKS
from memtui.tui.screens.palette import actions_of
from memtui.tui.widgets.headed_titles import SAME_HEADING
from memtui.tui.widgets.lists import CURSOR_MARK
from memtui.tui.widgets.memory_list import MARKED, STATUS_MARKS

TESTS = Path(__file__).parents[2]
SAMPLE = TESTS.parent / "sample_vault"

PICTURES = {
    "browse": r"test_the_list|test_a_neighbourhood_and_a_resemblance",
    "context": r"test_a_task_with_its_payload",
    "inbox": r"test_the_inbox",
    "review": r"test_one_memory_with_its_evidence",
    "tidy": r"test_curation\[tidy",
    "clash": r"test_curation\[contradiction",
    "merge": r"test_curation\[merge",
    "bulk": r"test_curation\[many",
    "reflect": r"test_reflect",
    "edit": r"test_the_form",
    "conflict": r"test_a_conflict",
    "history": r"test_a_change_and_what_it_did",
    "packs": r"test_packs",
    "lab": r"test_the_lab_and_health\[lab",
    "health": r"test_the_lab_and_health\[health",
    "import": r"test_the_first_run",
    "capture": r"test_the_proposals|test_nothing_proposed_yet|test_reading_under_way",
    "assistants": r"test_the_assistants",
    "publish": r"test_what_would_be_published",
    "choosing": r"test_what_goes_in_is_chosen",
    "team": r"test_a_team",
}
"""Names of the pictures of each screen, as a pattern."""

MARKS = {
    "browse": [MARK_PINNED, MARK_DUE, MARKED, CURSOR_MARK, *STATUS_MARKS.values(), "·"],
    "context": [MARK_PINNED, CURSOR_MARK, *CONTEXT_MARKS.values()],
    "inbox": [ODD, MARKED, "·", *CONFIDENCE_SIGNS.values()],
    "packs": ["?", *PACK_MARKS.values()],
    "history": [*STATE_MARKS.values()],
    "import": [mark for _, _, mark in IMPORT_GROUPS],
    "publish": [MARK_PINNED, "!"],
    "choosing": [MARK_PINNED, "✓", "·"],
    "assistants": [MARK_PINNED, "!"],
    "team": [MARK_PINNED, "!"],
    "bulk": [MARK_PINNED, MARK_DUE, MARKED, *STATUS_MARKS.values(), "·"],
}
"""Signs that stand in a column of their own."""

PLAIN_SIGNS = frozenset("“”…–→←↑↓↔·○◂▸▾│─━╸╭╮╰╯┤└┴╌▌▎█▉▊▋▍▏▁▂▃▄▅▆▇，️🏷−×")
"""Frames, arrows, scrollbars, bars and what memories of the sample hold."""

_WORD = re.compile(r"(?<![\w/.`_-])[A-Za-z][a-z]+(?:[-'][a-z]+)*(?![\w/._-])")


def pictures(area: str) -> list[Path]:
    found = re.compile(PICTURES[area])
    return [path for path in (TESTS / "snapshots").rglob("*.svg") if found.match(path.name)]


@cache
def shown(area: str) -> str:
    """Return the texts of a screen: its pictures, the keys in its footer and what it can do; cut words left out."""
    drawn = (re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8")) for path in pictures(area))
    lines = [html.unescape(text).replace("\xa0", " ") for texts in drawn for text in texts]
    for action in actions_of(area):
        lines += [action.title, action.label]
    return "\n".join(re.sub(r"\S*…\S*", " ", line) for line in lines)


@cache
def of_memories() -> frozenset[str]:
    """Words of the sample vault's memories, which stand on screens too."""
    texts = (path.read_text(encoding="utf-8").lower() for path in SAMPLE.rglob("*") if path.is_file())
    return frozenset(word for text in texts for word in re.findall(r"[a-z][a-z'-]+", text))


def explained(area: str) -> frozenset[str]:
    """Words that the help of a screen explains, with their simple endings."""
    keys = " ".join(word for word, _ in about(area).words).lower()
    known = set(re.findall(r"[a-z][a-z0-9'_-]+", keys))
    return frozenset(known | {word + end for word in known for end in ("s", "d", "es", "ed", "ly")})


def unknown_words(area: str) -> Iterator[str]:
    plain = read_words(__file__, "plain_words.txt") | of_memories() | explained(area)
    for word in sorted({found.lower() for found in _WORD.findall(shown(area))}):
        if word not in plain and not all(part in plain for part in word.split("-")):
            yield word


def jargon() -> frozenset[str]:
    """Words that are explained somewhere, and so have to be explained wherever they stand."""
    keys = (word for area in SCREENS for word, _ in about(area).words)
    alone = frozenset(word for word in keys if re.fullmatch(r"[a-z][a-z-]+", word))
    return alone - of_memories() - read_words(__file__, "plain_words.txt")


@pytest.mark.parametrize("area", SCREENS)
def test_every_word_of_a_screen_is_plain_or_explained_by_its_help(area: str) -> None:
    assert pictures(area), "a screen without a picture cannot be looked at"
    told = "explain it in memtui/tui/actions/about.toml, or add it to plain_words.txt where nobody would ask"
    assert list(unknown_words(area)) == [], told


@pytest.mark.parametrize("area", SCREENS)
def test_a_word_that_one_screen_explains_is_explained_wherever_it_stands(area: str) -> None:
    words = {found.lower() for found in _WORD.findall(shown(area))}
    assert sorted((words & jargon()) - explained(area)) == []


@pytest.mark.parametrize("area", SCREENS)
def test_every_mark_of_a_screen_is_explained_by_its_help(area: str) -> None:
    known = "".join(word for word, _ in about(area).words)
    drawn = {sign for sign in shown(area) if ord(sign) > 127 and not sign.isalnum()} - PLAIN_SIGNS
    assert sorted(sign for sign in drawn if sign not in known) == []
    assert sorted(sign for sign in MARKS.get(area, ()) if sign.strip() and sign not in known) == []


@pytest.mark.parametrize("area", SCREENS)
def test_help_begins_with_a_sentence_and_at_most_ten_keys_of_the_screen(area: str) -> None:
    told = about(area)
    assert re.fullmatch(r"[A-Z].{20,120}\.", told.purpose)
    assert 5 <= len(told.keys) <= 10
    actions = [registry.by_id(key) for key in told.keys]
    assert {action.owner for action in actions} <= {
        area,
        "everywhere",
        "listing",
        "form-line",
        "merge-fields",
        "clash-text",
    }


def test_the_words_that_nobody_explained_are_explained_now() -> None:
    assert {"floor", "kin", "frame", "standing"} <= {word for word, _ in about("context").words}
    assert {"semantic", "procedural", "episodic", "working"} <= {word for word, _ in about("browse").words}
    assert {"due", "candidate", "unassigned", "planted"} <= {word for word, _ in about("inbox").words}
    assert not [action for action in registry.ACTIONS if action.area == "look"], "a heading that says nothing"


@pytest.mark.parametrize("area", ["browse", "bulk", "import", "inbox", "choosing"])
def test_the_dot_before_a_title_is_explained_where_titles_have_it(area: str) -> None:
    meanings = [meaning for word, meaning in about(area).words if word.startswith(SAME_HEADING.strip())]
    assert any("repeated from the title above" in meaning for meaning in meanings)
