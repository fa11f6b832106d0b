"""What a user relies on when an assistant takes only so much: nothing is cut, and what stays out is named."""

from __future__ import annotations

import pytest
from recall_story import memory

from memtui.config import TargetSettings
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.pack.budget import Limit, Measure, counter_for, parse_limits
from memtui.pack.build import Pack, build_pack
from memtui.pack.compile import Compiler
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import STYLES, PayloadInfo, Style, Target
from memtui.pack.targets.formats import target_named
from memtui.recall.result import Hit, Recall, Task
from memtui.text.words import parse_budget


def build(target: Target, insights: list[str], budget: str = "10m", style: Style = "full") -> Pack:
    memories = [memory(f"id{number:04}", f"Rule {number}", text) for number, text in enumerate(insights)]
    hits = tuple(Hit(one, 1 - n / 10_000, 1.0, (), ()) for n, one in enumerate(memories))
    return build_pack(
        Recall(hits, (), (), {}, 0, None),
        PackOptions(budget=budget, encoding="o200k_base", max_memories=10_000, style=style),
        target=target,
        info=PayloadInfo("p", style),
        compiler=Compiler.for_task(Task("made up")) if style == "compiled" else None,
    )


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_limits_are_written_as_people_write_them() -> None:
    assert parse_limits("10,000 chars") == (Limit(10_000, "chars"),)
    assert parse_limits("200 lines and 25000 bytes") == (Limit(200, "lines"), Limit(25_000, "bytes"))
    assert parse_limits("none") == parse_limits("") == ()
    for wrong in ("lots", "200 lines, 3 bytes", "-4 lines"):
        with pytest.raises(UsageError, match="no limit"):
            parse_limits(wrong)


def test_what_is_over_a_limit_is_named_with_the_limit() -> None:
    pack = build(target_named("windsurf"), [f"{'word ' * 100}{n}." for n in range(40)])
    assert utf16(pack.payload) <= 12_000
    assert 10 < len(pack.included) < 40
    limit = Reason(ReasonCode.OVER_LIMIT, number=12_000, unit="chars", target="windsurf")
    assert {one.reason.group for one in pack.withheld} == {limit}
    assert {one.id for one in pack.withheld} | {one.memory.id for one in pack.included} == {
        f"id{n:04}" for n in range(40)
    }


def test_both_of_two_limits_hold() -> None:
    many_lines = build(target_named("claude-memory"), ["a\nb\nc\nd" for _ in range(100)])
    assert many_lines.payload.count("\n") <= 200
    many_bytes = build(target_named("claude-memory"), ["退款" * 60 + f"{n}。" for n in range(150)])
    assert len(many_bytes.payload.encode()) <= 25_000
    assert many_bytes.payload.count("\n") <= 200


@pytest.mark.parametrize("style", STYLES)
def test_a_chain_of_32_kib_of_japanese_is_never_cut_inside_a_character(style: Style) -> None:
    pack = build(target_named("codex"), [f"払い戻しは{n}回だけ。" * 8 for n in range(400)], style=style)
    assert len(pack.payload.encode()) <= 32_768
    assert "\ufffd" not in pack.payload
    assert pack.withheld or style == "compiled"


def test_a_limit_is_a_setting() -> None:
    settings = (("codex", TargetSettings(limit="1 KiB")), ("windsurf", TargetSettings(limit="none")))
    assert len(build(target_named("codex", settings), ["text " * 30] * 20).payload.encode()) <= 1_024
    texts = [f"{'word ' * 100}{n}." for n in range(40)]
    assert len(build(target_named("windsurf", settings), texts).included) == 40
    assert target_named("chat", settings) == target_named("chat")


def test_an_unknown_tokenizer_gets_a_margin_and_the_budget_holds_with_it() -> None:
    texts = [f"Rule {n} of the ledger says what to do with topic{n}." for n in range(100)]
    plain, guarded = build(target_named("chat"), texts, "1000"), build(target_named("claude-code"), texts, "1000")
    assert (plain.margin, plain.tokens_at_most) == (0.0, plain.tokens)
    assert guarded.margin == 0.3
    assert guarded.tokens * 1.3 <= guarded.tokens_at_most <= 1_000
    assert guarded.tokens < plain.tokens
    own = target_named("claude-code", (("claude-code", TargetSettings(margin=0.0)),))
    assert build(own, texts, "1000").tokens > guarded.tokens


def test_other_vocabularies_may_take_more_for_what_is_not_ascii() -> None:
    def at_most(text: str, *, fast: bool = False) -> int:
        return Measure(parse_budget("1k"), counter_for("o200k_base", fast=fast), (), 0.3).tokens_at_most(text)

    count = counter_for("o200k_base").count
    chinese = "退款必须加锁。" * 20
    assert at_most(chinese) >= len(chinese)
    assert at_most("Lock refunds by payment.") >= 1.28 * count("Lock refunds by payment.")
    assert at_most("Lock refunds by payment.", fast=True) >= count("Lock refunds by payment.")
