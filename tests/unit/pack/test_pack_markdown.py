"""What a user relies on when memories hold Markdown: the payload around them stays well-formed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memtui.pack.targets.markdown import bold, close_fences, fenced, indented, says_title


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("plain", "plain"),
        ("```py\nx = 1", "```py\nx = 1\n```"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("~~~\n```\nx", "~~~\n```\nx\n~~~"),
        ("````\n```\nx\n```", "````\n```\nx\n```\n````"),
        ("```\na\n``` not a close", "```\na\n``` not a close\n```"),
        ("```inline``` text", "```inline``` text"),
        ("    ```\nindented code", "    ```\nindented code"),
    ],
)
def test_a_fence_that_was_left_open_is_closed(text: str, closed: str) -> None:
    assert close_fences(text) == closed


@given(st.lists(st.sampled_from(["```", "````", "~~~", "```py", "text", "", "  ```", "``` x"]), max_size=8))
def test_after_closing_nothing_that_follows_is_code(lines: list[str]) -> None:
    tokens = MarkdownIt().parse(close_fences("\n".join(lines)) + "\n\nAFTER")
    assert any(token.type == "inline" and token.content == "AFTER" for token in tokens)


def test_code_gets_a_fence_longer_than_any_inside_and_fenced_code_stays() -> None:
    assert fenced("x = 1") == "```\nx = 1\n```"
    assert fenced("a\n```\nb").startswith("````\n")
    assert fenced("```py\nx\n```") == "```py\nx\n```"


def test_indentation_leaves_no_trailing_blanks() -> None:
    assert indented("a\n\n  b", "  ") == "  a\n\n    b"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Lock refunds", "**Lock refunds**"),
        ("Use `payment_id`", "**Use `payment_id`**"),
        ("Use **kwargs", "Use **kwargs"),
        ("an odd ` tick", "an odd ` tick"),
        ("* a list", "\\* a list"),
        ("```", "\\```"),
        ("", ""),
    ],
)
def test_a_title_is_bold_unless_its_own_signs_forbid(title: str, shown: str) -> None:
    assert bold(title) == shown


def test_a_title_cut_from_its_text_is_known_as_such() -> None:
    assert says_title("Chose SQLite over …", "Chose SQLite over FAISS because …")
    assert says_title("Never log cards", "Never log cards.")
    assert not says_title("Lock refunds", "The lock key is the payment")
    assert not says_title("", "anything")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Never call pay() twice in src/a.py", "Never call `pay()` twice in `src/a.py`"),
        ("Never call `pay()` twice", "**Never** call pay() twice: it charges twice."),
        ("Use uv, not pip", "use uv, not pip!"),
        ("Chose the store ov…", "Chose the store over the cache"),
    ],
)
def test_marks_case_and_an_end_make_no_other_title(title: str, body: str) -> None:
    assert says_title(title, body)


def test_the_beginning_of_a_longer_word_is_no_title() -> None:
    assert not says_title("Use red", "Use redis for locks")
    assert not says_title("`", "`x`")
