"""Hostile texts take time in proportion to their length: four times the text at most eight times as long."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from memtui.analysis.classify import kind_guess
from memtui.analysis.shorten import CLAUSE, shortened
from memtui.analysis.titles import title_for
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.markdown import split_markdown
from memtui.domain.scope import matches
from memtui.embedding.bundled import DATA, VOCABULARY_FILE, WordPiece
from memtui.text.injection import planted_instructions
from memtui.text.sanitize import sanitise
from memtui.text.secrets import find_secrets
from memtui.text.stemming import stem
from memtui.text.token_count import ESTIMATE, get_counter
from memtui.text.tokens import term_counts
from memtui.text.words import pad

pytestmark = pytest.mark.bench

GROWTH = 4
MOST_RATIO = 2.0 * GROWTH
"""Quadratic work grows sixteenfold."""

LEAST_SECONDS = 0.3
"""Below, the clock says more of the machine than of the function."""

ESC = "\x1b"

UNITS: list[tuple[str, Callable[[str], Any], int, tuple[str, ...]]] = [
    ("cut to a width", lambda text: pad(text, 40), 250_000, ("a", "重", "\u200b", "👩\u200d", "e\u0315\u0300")),
    (
        "find secrets",
        find_secrets,
        250_000,
        (
            *(
                "a",
                "=",
                "key=",
                "token=",
                "api_key=",
                'token="',
                "password: ",
                "DB_PASS",
                "eyJ",
                "eyJaaaaaaaaa.",
                "://",
            ),
            *("://a:b", f"-----BEGIN {'PRIVATE'} KEY-----", "s" + "k-", "AK" + "IA", "aB1", "--token ", "a-", "earer "),
            *("密码:", "password is ", "curl -u ", "@tcp(", "Q~", "a/", "login a password ", "session=", "-us1"),
            *("key() {", "<secret>{", "auth: a\n", f"mixpanel: {'9c41f0d7' * 4}\n", "xpagetoken"),
            *(
                ":*:",
                "a:*:",
                " as password",
                "SSID a: ",
                "user a, password ",
                f"AC{'9f' * 16} ",
                "authtoken ",
                "app password ",
            ),
            *("Kennwort ", "a|b:", "secret='!@", "clave ", "パスワードは ", "!AQ"),
        ),
    ),
    (
        "tokenize",
        term_counts,
        250_000,
        ("a", "aB", "a.", "a-", "a'", "é-", "重", "ุ่", "e\u0315\u0300", "я", "a+", "1.", ".", " ", "x/y_z"),
    ),
    (
        "count tokens",
        lambda text: (get_counter().count(text), get_counter(ESTIMATE).count(text)),
        250_000,
        ("a", "aB1", "=", " ", "重", "\n"),
    ),
    ("stem", stem, 250_000, ("y", "ab", "b", "ing")),
    (
        "find planted instructions",
        planted_instructions,
        100_000,
        (
            *("a", "send .env ", "<!--", "<!-- ai ", "ignore all ", "don't ", "\n", "a@", "\U000e0061"),
            *("https://a send ", "|curl "),
            *(
                "skip the ",
                "the user has approved all ",
                "überspringe die tests ",
                "跳过测试",
                "テストを",
                "curl a ",
                "add a link ",
            ),
        ),
    ),
    (
        "sanitize",
        sanitise,
        250_000,
        ("a", ESC, f"{ESC}]", "\x9d", f"{ESC}[1;", "\ufe0f", "👩\u200d", "\U000e0061", "\x90a"),
    ),
    (
        "word pieces",
        WordPiece(DATA / VOCABULARY_FILE).encode,
        250_000,
        ("a", " ", "é", "日", "a ", "[SEP]", "\u0301", "\x00"),
    ),
    ("guess a kind", lambda text: kind_guess(text, text[:50], ()), 250_000, ("never run ", "x", "\n", "`")),
    (
        "make a title",
        lambda text: title_for(text, ("Heading",)),
        250_000,
        ("x", "[", "**a ", "`", "a:", "_a", "<a", "![", "必", "\\", "(", "a. "),
    ),
    (
        "shorten a sentence",
        lambda text: shortened(text, 80, len, least_rank=CLAUSE),
        100_000,
        ("gate ", "the gate, ", "and when it rains, ", "(x) ", " — a", "门，", "; ", "a: "),
    ),
    (
        "split Markdown",
        split_markdown,
        50_000,
        ("- a\n", "# a\n\n", "a ", "> ", "```\n", "| a ", "[a](", "1. a\n", "**", "<!-- "),
    ),
    (
        "read frontmatter",
        lambda text: split_frontmatter(f"---\n{text}\n---\nbody\n"),
        100_000,
        ("key: value\n", "- *x\n", "  more\n", "a: [", "1"),
    ),
    ("match a path pattern", lambda text: matches(text, "a/" * 200 + "b"), 2_000, ("**/", "*a", "[", "{a,", "?")),
]


def seconds(function: Callable[[str], Any], text: str, *, runs: int) -> float:
    """Return the least processor time of some calls."""
    best = float("inf")
    gc.collect()
    gc.disable()  # a collection looks at all that other tests left, and takes the longer the more a call allocates
    try:
        for _ in range(runs):
            start = time.process_time()
            function(text)
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.parametrize(
    ("function", "size", "unit"),
    [(function, size, unit) for _, function, size, units in UNITS for unit in units],
    ids=[f"{name}-{unit!a}" for name, _, _, units in UNITS for unit in units],
)
def test_time_grows_in_proportion(function: Callable[[str], Any], size: int, unit: str) -> None:
    short, long = (unit * (length // len(unit)) for length in (size, GROWTH * size))
    function(unit)
    # Measured again only where that decides.
    taken, bar = seconds(function, long, runs=1), LEAST_SECONDS
    if taken > bar:
        bar = max(bar, MOST_RATIO * seconds(function, short, runs=3))
    if taken > bar:
        taken = seconds(function, long, runs=3)
    assert taken <= bar
