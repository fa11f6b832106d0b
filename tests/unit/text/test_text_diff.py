"""What a user relies on when two texts are compared: every change is shown, and nothing else stands out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.text.diff import LONGEST_COMPARED, DiffLine, diff_texts, differing_words

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=8), max_size=6)


def _shown(lines: list[DiffLine]) -> list[str]:
    return [line.sign + line.text for line in lines]


def test_equal_texts_differ_in_nothing() -> None:
    assert diff_texts("a\nb", "a\nb") == []
    assert diff_texts("", "") == []


def test_the_words_that_differ_are_marked() -> None:
    out, new = diff_texts("Lock key is user_id, TTL 30 s", "Lock key is payment_id, TTL 30 s")
    assert [text for text, differs in out.pieces if differs] == ["user_id"]
    assert [text for text, differs in new.pieces if differs] == ["payment_id"]
    assert (out.sign, new.sign) == ("-", "+")


def test_texts_that_share_hardly_a_word_are_not_speckled() -> None:
    assert [line.pieces for line in diff_texts("one two three", "quite another text here")] == [
        (("one two three", False),),
        (("quite another text here", False),),
    ]


def test_a_path_an_option_and_a_fence_differ_as_a_whole() -> None:
    before = "Follow `quay/ropes/SKILL.md` with moor --line-two and 2.5 m of rope."
    after = "Follow `ropes` with moor --line-one and 3.5 m of rope."
    assert [[part for part, differs in pieces if differs] for pieces in differing_words(before, after)] == [
        ["`quay/ropes/SKILL.md`", "--line-two", "2.5"],
        ["--line-one", "3.5"],
    ]
    fenced = differing_words("Run ```sh\nmoor all``` at noon", "Run moor all at noon")[0]
    assert [part.strip() for part, differs in fenced if differs] == ["```sh", "```"]


def test_only_the_surroundings_of_a_change_are_shown() -> None:
    before = "\n".join(str(number) for number in range(40))
    assert _shown(diff_texts(before, before.replace("20", "twenty"))) == [
        "…18 equal lines",
        " 18",
        " 19",
        "-20",
        "+twenty",
        " 21",
        " 22",
        "…17 equal lines",
    ]


def test_what_is_new_or_gone_stands_whole() -> None:
    assert _shown(diff_texts("", "a\nb")) == ["+a", "+b"]
    assert _shown(diff_texts("a\nb", "")) == ["-a", "-b"]


def test_a_huge_text_is_compared_by_its_beginning_and_says_so() -> None:
    lines = diff_texts("x " * 500_000, "y " * 500_000)
    assert lines[-1] == DiffLine("…", ((f"{1_000_000 - LONGEST_COMPARED:,} more characters are not compared", False),))


@given(LINES, LINES)
def test_taking_the_signs_gives_back_both_texts(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    lines = diff_texts(before, after)
    if before == after or any(line.sign == "…" for line in lines):
        return
    assert "\n".join(line.text for line in lines if line.sign in " -") == before
    assert "\n".join(line.text for line in lines if line.sign in " +") == after
