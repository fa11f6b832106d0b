"""What a user relies on when a memory is too big: it is cut at a boundary, with a mark, or not taken."""

from __future__ import annotations

from recall_story import memory

from memtui.domain.memory import Memory
from memtui.pack.sentences import mark, shortened


def _short(one: Memory, most: int) -> Memory | None:
    def fits(tried: Memory) -> bool:
        return len(tried.insight) + len(tried.rationale) + len(tried.snippet) <= most

    return shortened(one, fits=fits, longest=most)


PARAGRAPHS = "\n\n".join(f"Paragraph {number} says something of its own." for number in range(9))


def test_whole_paragraphs_are_kept_with_a_mark() -> None:
    one = memory("bigbigbi", "Big", PARAGRAPHS, rationale="Why not.")
    short = _short(one, 160)
    assert short is not None
    assert short.insight == (
        "Paragraph 0 says something of its own.\n\nParagraph 1 says something of its own.\n\n"
        "[shortened: memtui show bigbigbi]"
    )
    assert short.rationale == "Why not."
    assert (short.id, short.version, short.title) == (one.id, one.version, one.title)


def test_the_snippet_goes_first() -> None:
    one = memory("bigbigbi", "Big", "Short text.", rationale="Why.", snippet="x = 1\n" * 200)
    short = _short(one, 100)
    assert short is not None
    assert short.insight == f"Short text.\n\n{mark(one)}"
    assert (short.rationale, short.snippet) == ("Why.", "")


def test_a_giant_rationale_goes_before_the_first_paragraph() -> None:
    short = _short(memory("bigbigbi", "Big", PARAGRAPHS, rationale="because " * 100), 120)
    assert short is not None
    assert short.insight.startswith("Paragraph 0 says something of its own.")
    assert short.rationale == ""


def test_one_long_paragraph_is_cut_between_sentences_or_lines() -> None:
    sentences = " ".join(f"Sentence {number} is here." for number in range(50))
    short = _short(memory("bigbigbi", "Big", sentences), 100)
    assert short is not None
    assert (
        short.insight
        == "Sentence 0 is here. Sentence 1 is here. Sentence 2 is here.\n\n[shortened: memtui show bigbigbi]"
    )
    lines = _short(memory("bigbigbi", "Big", "\n".join(f"- line {number}" for number in range(50))), 70)
    assert lines is not None
    assert lines.insight.startswith("- line 0\n- line 1\n")


def test_chinese_sentences_are_boundaries_too() -> None:
    short = _short(memory("bigbigbi", "Big", "退款必须加锁。" * 60), 80)
    assert short is not None
    assert short.insight.startswith("退款必须加锁。")


def test_a_line_without_any_boundary_is_not_cut() -> None:
    assert _short(memory("bigbigbi", "Big", "x" * 1_000_000), 500) is None


def test_what_cannot_fit_at_all_is_none() -> None:
    assert _short(memory("bigbigbi", "Big", PARAGRAPHS), 10) is None


def test_a_megabyte_is_shortened_without_reading_all_of_it() -> None:
    tried: list[int] = []

    def fits(one: Memory) -> bool:
        tried.append(len(one.insight))
        return len(one.insight) <= 400

    short = shortened(memory("bigbigbi", "Big", PARAGRAPHS * 3_000), fits=fits, longest=2_000)
    assert short is not None
    assert len(short.insight) > 300
    assert max(tried) < 2_100
