"""Token counts: exact for a named encoding, on the safe side otherwise."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UsageError
from memtui.text.token_count import ESTIMATE, EXACT_ENCODINGS, get_counter

# Counts on which three independent tokenizers agree.
KNOWN = {
    "": (0, 0),
    "Never commit secrets to the repository.\n": (7, 7),
    "def parse(line: str) -> list[str]:\n    return line.split()\n": (15, 15),
    '{"id": "a1", "tokens": [1, 22, 333]}': (19, 19),
    "如果需要重新运行测试，请先清空缓存。": (11, 14),
    "✅ done 👩‍👩‍👧 ⚠️": (13, 19),
    "a <|endoftext|> b <|im_start|>": (15, 13),
}
SAMPLES = (
    "Always run the linter before you push; CI takes nine minutes and fails on warnings.",
    "    for (const id of paymentIds) { await queue.push({ id, retries: 3 }); }\n" * 3,
    '{"kind": "decision", "title": "Use DuckDB", "tags": ["storage", "sql"], "importance": 4}',
    "# Rules\n\n- Use `uv run pytest -q`\n- Port 8788 is the replica\n\n## Why\n\nFlaky tests cost us two days.\n",
    "如果需要重新运行测试，请先清空缓存，然后执行下面的命令。",
    "設定ファイルを変更する前に必ずテストを実行してください。",
    "Перед изменением конфигурации запустите тесты.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
)


@pytest.mark.parametrize("text", KNOWN)
def test_the_exact_count_of_each_encoding(text: str) -> None:
    assert tuple(get_counter(encoding).count(text) for encoding in ("o200k_base", "cl100k_base")) == KNOWN[text]


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    assert get_counter().count("a\ud800b") == get_counter().count("a\ufffdb")


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("encoding", EXACT_ENCODINGS)
def test_the_estimate_is_on_the_safe_side(text: str, encoding: str) -> None:
    assert get_counter(ESTIMATE).count(text) >= get_counter(encoding).count(text)


@pytest.mark.parametrize("text", SAMPLES[:4])
def test_the_estimate_wastes_less_than_half_of_a_budget(text: str) -> None:
    assert get_counter(ESTIMATE).count(text) <= 1.6 * get_counter().count(text)


def test_a_counter_says_what_it_is() -> None:
    assert (get_counter().encoding, get_counter().exact) == ("o200k_base", True)
    assert (get_counter(ESTIMATE).encoding, get_counter(ESTIMATE).exact) == (ESTIMATE, False)
    assert get_counter("cl100k_base") is get_counter("cl100k_base")


def test_an_unknown_encoding_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="o200k_base, cl100k_base, estimate"):
        get_counter("claude")


def test_without_the_package_the_estimate_steps_in(monkeypatch: pytest.MonkeyPatch) -> None:
    get_counter.cache_clear()
    monkeypatch.setitem(sys.modules, "rs_bpe.bpe", None)
    assert not get_counter("o200k_base").exact
    get_counter.cache_clear()


@given(st.text(max_size=200))
def test_any_text_can_be_counted(text: str) -> None:
    assert (get_counter().count(text) > 0) == bool(text)
    assert get_counter(ESTIMATE).count(text) >= 0
