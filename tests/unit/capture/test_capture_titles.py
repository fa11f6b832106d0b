from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from memtui.analysis.titles import MAX_TITLE_CELLS, cut_title, heading_title, plain_text, title_for


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Never edit `gen/`**: it is overwritten.", "Never edit gen/"),
        ("Never store money as floats. Use cents.", "Never store money as floats"),
        ("**Naming**: use snake_case, e.g. `foo_bar`. More.", "Naming: use snake_case, e.g. foo_bar"),
        ("__Refunds__: a new row", "Refunds: a new row"),
        ("Use [the guide](https://x.example/a_(b)) and *care*", "Use the guide and care"),
        ("- [ ] `make check` passes, then push.", "make check passes, then push"),
        ("1. First of all, fetch", "First of all, fetch"),
        ("> Quoted wisdom about locks", "Quoted wisdom about locks"),
        ("Call `a.b. c` first. Then d.", "Call a.b. c first"),
        ("`datetime.now()` is wrong here! Use the clock", "datetime.now() is wrong here!"),
        ("Files in **/*.ts and **/*.tsx are typed", "Files in **/*.ts and **/*.tsx are typed"),
        ("Keep __init__.py and snake_case_names as they are", "Keep __init__.py and snake_case_names as they are"),
        ("2026-01-05: Found that v1.2 crashes at start", "Found that v1.2 crashes at start"),
        ("**Ferry** sells tickets for islands.", "Ferry sells tickets for islands"),
        ("提交信息必须使用英文。不要混合。", "提交信息必须使用英文"),
        ("**先理解全局**：先阅读测试", "先理解全局: 先阅读测试"),
        ("Escaped \\*stars\\* stay visible", "Escaped *stars* stay visible"),
        ("Two spaces  and\na second line", "Two spaces and a second line"),
        ("Override it with `x` !important in CSS", "Override it with x !important in CSS"),
        ("Ask /pay?id=5 first. Then go", "Ask /pay?id=5 first"),
        ("Never leave <!-- open", "Never leave <!-- open"),
        ("必ず閉じる！次へ", "必ず閉じる！"),
    ],
)
def test_a_title_is_the_rules_own_first_words(text: str, title: str) -> None:
    assert title_for(text, ()) == title


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("```bash\nnpm run build\nnpm test\n```", ("Guide", "Commands"), "Commands: npm run build, npm test"),
        ("```\nsrc/\n├── api/\n```", ("Directory layout",), "Directory layout"),
        ("```python\nx = 1\n```", ("Parsing dates",), "Parsing dates"),
        ("| command | when |\n|--|--|\n| a | b |", ("Tasks",), "Tasks: command, when"),
        ("- Python 3.12\n- FastAPI", ("Tech stack",), "Tech stack: Python 3.12, FastAPI"),
        ("- Install: `cargo fetch`\n- Test: `cargo test`", ("Setup",), "Setup: Install, Test"),
        ("The layers are:\n\n- `api/`: HTTP\n- **core**: rules", ("Design",), "The layers are: api/, core"),
        ("When adding a migration:\n- write the down step", (), "When adding a migration: write the down step"),
        ("See below", ("Payments", "Refunds"), "Payments: Refunds"),
        ("Note:", ("Deployment windows",), "Deployment windows"),
        ("**Symptom**: sold twice\n**Fix**: lock", ("Seats after failover",), "Seats after failover: sold twice"),
        ("**Scope**: all\n**Owner**: us", ("Test strategy",), "Test strategy: Scope, Owner"),
        ("Ferry sells tickets. It has:\n- seats\n- fares", ("Overview",), "Ferry sells tickets"),
    ],
)
def test_the_heading_helps_where_the_text_does_not_speak(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_for(text, path) == title


def test_a_parent_is_added_to_a_heading_of_one_word_only() -> None:
    assert heading_title(("Payments", "Refunds")) == "Payments: Refunds"
    assert heading_title(("CLAUDE.md", "Commands")) == "Commands"
    assert heading_title(("A", "How refunds work")) == "How refunds work"
    assert heading_title(()) == ""


def test_long_titles_are_cut_at_a_clause_or_a_word() -> None:
    clause = "Do not call the payment gateway from a request handler; enqueue a job instead of that"
    assert title_for(clause, ()) == "Do not call the payment gateway from a request handler…"
    words = "Understand the requested behaviour and look at the nearest existing implementation"
    assert title_for(words, ()) == "Understand the requested behaviour and look at the nearest existing…"


def test_wide_letters_count_twice_and_emoji_stay_whole() -> None:
    assert wcswidth(title_for("必须先理解全局" * 20, ())) <= MAX_TITLE_CELLS
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    cut = title_for(family * 60, ())
    assert cut.removesuffix("…").count(family) * 5 == len(cut.removesuffix("…"))
    assert not unicodedata.combining(cut_title("e\u0301" * 100)[-1])


@pytest.mark.parametrize("text", ["", " \n", "\x00\x1b", "```", "---", "\u200b", "# ", "- ", "|", "**"])
def test_a_title_is_never_empty(text: str) -> None:
    assert title_for(text, ()).strip()
    assert title_for(text, ("",)).strip()


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=3))
def test_a_title_is_one_short_line_without_control_characters(text: str, path: list[str]) -> None:
    for title in (title_for(text, path), title_for(f"- **{text}**: x", path)):
        assert title
        assert title == title.strip()
        assert not any(unicodedata.category(letter) == "Cc" for letter in title)
        assert wcswidth(title) <= MAX_TITLE_CELLS


def test_plain_text_keeps_what_code_spans_hold() -> None:
    assert plain_text("Run `a **b** _c_` and ``x`y``") == "Run a **b** _c_ and x`y"
