"""Managed blocks: what is ours is written and taken out, and every other byte stays."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.errors import RefusedError, UsageError
from memtui.publish import managed_blocks

TEXT = "## Ferry desk\n\n- Berths are numbered from the harbour mouth.\n"
OTHER = "## Ferry desk\n\n- Tide tables come from `tides.csv`.\n- Berth 4 is closed in winter.\n"

_LINE = st.sampled_from(
    [
        "# Harbour",
        "Berths are numbered.",
        "",
        "  ",
        "trailing  ",
        "```py",
        "```",
        "~~~~",
        "- item\n  ```\n  code\n  ```",
        "<!-- BEGIN:next -->",
        "<!-- END:next -->",
        "<!-- BEGIN BEADS INTEGRATION v:1 -->",
        "<!-- END BEADS INTEGRATION -->",
        "<!-- OPENWIKI:START -->",
        "<!-- OPENWIKI:END -->",
        "<claude-mem-context>",
        "</claude-mem-context>",
        "<!-- memtui:begin v1 id=codex sha=0123456789abcdef -->",
        "<!-- memtui:end id=codex -->",
        "<!-- memtui:begin v1 id=other sha=0123456789abcdef -->",
        "<!-- memtui:end id=other -->",
        "see `<!-- memtui:end id=codex -->` in a sentence",
        "lone\rreturn",
        "日本語 é 😀",
        "---",
    ]
)
_END = st.sampled_from(["\n", "\r\n", "\r", ""])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(st.tuples(_LINE, _END), max_size=12))
    mark = draw(st.sampled_from([b"", codecs.BOM_UTF8]))
    return mark + "".join(line + end for line, end in lines).encode()


def published(data: bytes | None, text: str = TEXT) -> bytes | None:
    """Return the file with the block, None where it is refused."""
    try:
        return managed_blocks.write(data, "codex", text)
    except RefusedError:
        return None


def found(data: bytes) -> tuple[managed_blocks.Block | None, str]:
    """Return the block, or where the file is refused."""
    try:
        return managed_blocks.find(data, "codex"), ""
    except RefusedError as error:
        return None, error.where


@given(files())
@example(b"")
@example(b"no final newline")
@example(b"a\r")
@example(b"x\r\ny\r")
@example(codecs.BOM_UTF8)
@example(b"a\n\n")
def test_what_was_there_before_is_there_after_the_block_is_taken_out(data: bytes) -> None:
    written = published(data)
    if written is None or b"memtui:begin v1 id=codex" in data:
        return
    assert written.startswith(data)
    assert managed_blocks.check(written, "codex", TEXT) == "current"
    assert published(written) == written, "twice is once"
    assert managed_blocks.remove(written, "codex") == data


@given(files(), files(), st.sampled_from(["", "\nAnd a line by hand.", "\n```\ncode by hand\n```"]))
def test_publish_edit_publish_and_remove_never_touch_a_byte_outside(before: bytes, after: bytes, edit: str) -> None:
    if b"memtui" in before + after:
        return
    written = published(before)
    if written is None:
        return
    by_hand = written.replace(b"harbour mouth.", f"harbour mouth.{edit}".encode()) + after
    again = published(by_hand, OTHER)
    if again is None:
        return
    assert again.startswith(before)
    assert again.endswith(after)
    assert managed_blocks.check(again, "codex", OTHER) == "current"
    assert managed_blocks.remove(again, "codex") == before + after


@given(files())
def test_markers_that_are_no_ordered_pair_outside_of_code_are_refused_with_their_lines(data: bytes) -> None:
    block, where = found(data)
    if where:
        assert "line" in where
        return
    count = data.count(b"memtui:begin v1 id=codex") + data.count(b"memtui:end id=codex")
    assert count == (0 if block is None else 2)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("<!-- memtui:begin v1 id=codex -->\nx\n", "no other half"),
        ("x\n<!-- memtui:end id=codex -->\n", "no other half"),
        ("<!-- memtui:end id=codex -->\n<!-- memtui:begin v1 id=codex -->\n", "above"),
        ("<!-- memtui:begin v1 id=codex -->\n" * 2 + "<!-- memtui:end id=codex -->\n", "3 markers"),
        ("x <!-- memtui:begin v1 id=codex -->\n<!-- memtui:end id=codex -->\n", "line of its own"),
        ("```\n<!-- memtui:begin v1 id=codex -->\n<!-- memtui:end id=codex -->\n```\n", "code fence"),
        (
            "<!-- BEGIN:n -->\n<!-- memtui:begin v1 id=codex -->\n<!-- memtui:end id=codex -->\n<!-- END:n -->\n",
            "another block",
        ),
        ("text\n```\nnever closed\n", "never closed"),
        ("text\n<!-- BEGIN:n -->\nno end\n", "no end"),
        ("<!-- memtui:begin v1 id=other -->\nno end\n", "no end"),
    ],
)
def test_a_file_in_which_the_place_is_not_certain_is_refused(data: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said) as refused:
        managed_blocks.write(data.encode(), "codex", TEXT)
    assert "line" in refused.value.where


def test_a_file_that_memtui_made_goes_with_its_block_and_one_that_was_empty_stays() -> None:
    made = managed_blocks.write(None, "codex", TEXT)
    assert managed_blocks.remove(made, "codex") is None
    assert managed_blocks.remove(made + b"\nmine\n", "codex") == b"\nmine\n"
    assert managed_blocks.remove(managed_blocks.write(b"", "codex", TEXT), "codex") == b""


def test_an_edit_by_hand_is_told_from_a_block_that_is_out_of_date_without_a_vault() -> None:
    written = managed_blocks.write(b"# Desk\r\n\r\ntext\r\n", "codex", TEXT)
    assert managed_blocks.check(written, "codex") == "current"
    assert managed_blocks.check(written, "codex", OTHER) == "stale"
    edited = written.replace(b"Berths", b"Moorings")
    assert managed_blocks.check(edited, "codex") == managed_blocks.check(edited, "codex", OTHER) == "edited"
    assert managed_blocks.check(b"# Desk\n", "codex", TEXT) == managed_blocks.check(None, "codex") == "missing"


def test_another_line_end_is_no_edit() -> None:
    written = managed_blocks.write(b"# Desk\n", "codex", TEXT)
    assert managed_blocks.check(written.replace(b"\n", b"\r\n"), "codex") == "current"
    assert b"\r" not in written
    assert managed_blocks.write(b"a\r\nb\r\n", "codex", TEXT).count(b"\n") == managed_blocks.write(
        b"a\r\nb\r\n", "codex", TEXT
    ).count(b"\r\n")


def test_the_settings_of_a_rule_file_are_part_of_what_is_memtuis() -> None:
    head = "---\nalwaysApply: true\n---\n\n"
    made = managed_blocks.write(None, "cursor", TEXT, head=head)
    assert made.decode().startswith(head)
    assert managed_blocks.check(made, "cursor", TEXT, head=head) == "current"
    assert managed_blocks.check(made.replace(b"true", b"false"), "cursor") == "edited"
    scoped = managed_blocks.write(made + b"mine\n", "cursor", OTHER, head="---\nglobs: a/**\n---\n\n")
    assert scoped.decode().startswith("---\nglobs: a/**\n---\n\n<!-- memtui:begin")
    assert managed_blocks.remove(scoped, "cursor") == b"mine\n"
    assert managed_blocks.remove(made, "cursor") is None
    with pytest.raises(RefusedError, match="not memtui's"):
        managed_blocks.write(b"mine\n", "cursor", TEXT, head=head)


@pytest.mark.parametrize(
    "line", ["a --> b", "```py", "~~~", "<!-- BEGIN:x -->", "</claude-mem-context>", "a\0b", "<!-- X:END -->"]
)
def test_a_text_that_could_break_out_of_its_block_is_not_written(line: str) -> None:
    with pytest.raises(UsageError, match="managed block"):
        managed_blocks.write(b"", "codex", f"fine\n{line}\n")


@pytest.mark.parametrize("data", [b"caf\xe9\n", "a".encode("utf-16"), b"a\0b\n"])
def test_a_file_that_is_not_utf_8_text_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError):
        managed_blocks.write(data, "codex", TEXT)


def test_several_blocks_of_memtui_live_side_by_side() -> None:
    both = managed_blocks.write(managed_blocks.write(b"# Desk\n", "codex", TEXT), "install", OTHER)
    assert [block.id for block in managed_blocks.blocks_in(both)] == ["codex", "install"]
    assert managed_blocks.remove(managed_blocks.remove(both, "codex") or b"", "install") == b"# Desk\n"


@pytest.mark.parametrize("before", [None, b"", b"# Harbour", b"# Harbour\r\n\r\nmine\r\n", b"\xef\xbb\xbfmine\n"])
def test_a_piece_put_back_gives_the_file_back_to_the_byte(before: bytes | None) -> None:
    written = managed_blocks.write(before, "codex", TEXT)
    edited = written.replace(b"harbour", b"pier")
    assert managed_blocks.with_piece(written, "codex", managed_blocks.piece(edited, "codex")) == edited
    assert managed_blocks.with_piece(written, "codex", managed_blocks.piece(before, "codex")) == before
    assert managed_blocks.with_piece(before, "codex", managed_blocks.piece(edited, "codex")) == edited


def test_a_piece_is_not_put_back_into_a_code_fence_that_stands_open() -> None:
    with pytest.raises(RefusedError, match="inside a code fence"):
        managed_blocks.with_piece(
            b"```\ncode\n", "codex", managed_blocks.piece(managed_blocks.write(b"mine\n", "codex", TEXT), "codex")
        )
