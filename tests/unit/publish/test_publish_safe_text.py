"""A payload in a block: whatever memories say, nothing breaks out of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.publish import managed_blocks
from memtui.publish.destinations import for_block

_LINES = st.lists(
    st.sampled_from(
        [
            "- text",
            "  ```py",
            "```",
            "~~~ md",
            "- ```js",
            "> ~~~",
            "1. ```",
            "<!-- memtui:end id=codex -->",
            "<!-- BEGIN:next -->",
            "</claude-mem-context>",
            "# --- BEGIN BEADS INTEGRATION v1",
            "a --> b",
            "    ```",
            "\0",
            "[/x]",
            "",
            "日本語",
        ]
    ),
    max_size=12,
)


@given(_LINES)
@example(["<!--", "-->"])
def test_whatever_memories_say_nothing_breaks_out_of_the_block(lines: list[str]) -> None:
    text = managed_blocks.checked(for_block("\n".join(lines)))
    written = managed_blocks.write(b"# Mine\n", "codex", text)
    assert managed_blocks.check(written, "codex", text) == "current"
    assert managed_blocks.remove(written, "codex") == b"# Mine\n"


def test_code_is_indented_instead_of_fenced_and_stays_in_its_item() -> None:
    payload = "- **Make**\n  ```sh\n  make all\n\n  make check\n  ```\n- Next\n"
    assert for_block(payload).split("\n") == [
        "- **Make**",
        "",
        "      make all",
        "",
        "      make check",
        "",
        "- Next",
        "",
    ]


@pytest.mark.parametrize("part", [" ", "- ", "> ", "1. "])
def test_a_long_line_is_made_safe_in_short_time(part: str) -> None:
    began = time.process_time()
    line = f"Tie{part * 60_000}it"
    assert for_block(line) == line
    assert for_block("Tie it - - ```sh") == "Tie it - - '''sh"
    assert time.process_time() - began < 2
