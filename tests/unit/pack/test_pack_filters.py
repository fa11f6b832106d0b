"""What a user relies on when memories repeat each other: twins are told from look-alikes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import link, memory, story_vault

from memtui.domain.memory import Memory, Source, content_hash
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.build import Pack
from memtui.pack.filters import LEFT_OUT, PUT_IN, without_loaded, without_secrets
from memtui.pack.repeats import gist, overlap, say_the_same
from memtui.pack.targets.base import STYLES, join
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.result import Hit, Part, Recall, Task
from memtui.vault.vault import Vault

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _same(one: str, other: str) -> bool:
    return say_the_same(gist(memory("a", one)), gist(memory("b", other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lock refunds by payment id", "Lock the refunds by `payment id`."),
        ("- Retry webhooks three times", "retry webhooks three times"),
        ("退款必须加锁", "退款必须加锁。"),
    ],
)
def test_texts_that_differ_in_marks_alone_say_the_same(one: str, other: str) -> None:
    assert _same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The replica listens on port 8788", "The replica listens on port 8789"),
        ("Use Postgres 14.2 in every environment", "Use Postgres 15.2 in every environment"),
        ("Retry webhooks on failure in production", "Never retry webhooks on failure in production"),
        ("You can retry webhooks", "You can’t retry webhooks"),
        ("Lock refunds by payment id", "Money is integer cents"),
        (
            "Close every modal dialog of the booking page with the `ui-modal` element, focus first",
            "Close every modal dialog of the booking page with the `ui-modal-frame` element, focus first",
        ),
        ("", ""),
    ],
)
def test_numbers_names_and_negations_make_a_difference(one: str, other: str) -> None:
    assert not _same(one, other)


def test_overlap_is_what_the_smaller_one_would_repeat() -> None:
    long = gist(memory("a", "Lock refunds by payment id because customers pay twice at once"))
    short = gist(memory("b", "Lock refunds"))
    assert overlap(long, short) == overlap(short, long) == 1.0
    assert overlap(gist(memory("c", "Tulip bed")), long) == 0.0


def stated(path: str | None, form: str, *, edited: bool = False, files: tuple[str, ...] = ()) -> Memory:
    one = memory("aaaaaaaa", "Amounts are cents", files=files)
    source = Source(format=form, path=path, imported_hash=content_hash(one))
    return replace(one, insight="Edited since.") if edited else replace(one, sources=(source,))


def withheld(one: Memory, target: str, *files: str) -> list[Reason]:
    found = Recall((Hit(one, 1.0, 1.0, (), ()),), (), (), {}, 0, None)
    result = without_loaded(found, target_named(target), files)
    assert len(result.hits) + len(result.withheld) == 1
    return [reason.reason for reason in result.withheld]


@pytest.mark.parametrize(
    ("form", "path", "targets"),
    [
        ("claude-md", "CLAUDE.md", {"claude-code", "claude-md", "claude-memory"}),
        ("claude-md", "/home/ada/.claude/CLAUDE.md", {"claude-code", "claude-md", "claude-memory"}),
        (
            "claude-memory",
            "/home/ada/.claude/projects/p/memory/MEMORY.md",
            {"claude-code", "claude-md", "claude-memory"},
        ),
        ("claude-memory", "/home/ada/.claude/projects/p/memory/locks.md", set()),
        ("agents-md", "AGENTS.md", {"codex", "cursor", "copilot", "windsurf", "cline", "kiro"}),
        ("agents-md", "agents.md", set()),  # another file to them, where the file system knows two cases
        ("cursor-rules", ".cursor/rules/money.mdc", {"cursor"}),
        ("copilot", ".github/copilot-instructions.md", {"copilot"}),
        ("gemini", "GEMINI.md", {"gemini"}),
        ("lessons", "docs/LESSONS.md", set()),
        ("skill", ".claude/skills/tides/SKILL.md", {"claude-code", "claude-md", "claude-memory", "copilot", "cursor"}),
        (
            "skill",
            "/home/ada/.claude/skills/tides/SKILL.md",
            {"claude-code", "claude-md", "claude-memory", "copilot", "cursor"},
        ),
        ("skill", ".agents/skills/tides/SKILL.md", {"codex", "gemini", "copilot", "cursor"}),
        ("skill", ".github/skills/tides/SKILL.md", {"copilot"}),
        ("skill", "dock/.gemini/skills/tides/SKILL.md", set()),  # no file in hand lies there
        ("skill", "skills/tides/SKILL.md", set()),
    ],
)
def test_each_assistant_knows_its_own_files(form: str, path: str, targets: set[str]) -> None:
    one = stated(path, form)
    assert {name for name in target_names() if withheld(one, name)} == targets


def test_the_reason_names_the_file() -> None:
    assert withheld(stated("AGENTS.md", "agents-md"), "codex") == [
        Reason(ReasonCode.ALREADY_LOADED, target="codex", path="AGENTS.md")
    ]


def test_what_was_edited_here_since_says_something_else_than_the_file() -> None:
    one = stated("CLAUDE.md", "claude-md")
    assert withheld(replace(one, insight="Edited since."), "claude-code") == []


def test_a_file_of_a_folder_below_counts_with_a_file_in_hand_there() -> None:
    one = stated("packages/pay/CLAUDE.md", "claude-md")
    assert withheld(one, "claude-code") == []
    assert withheld(one, "claude-code", "packages/shop/x.py") == []
    assert withheld(one, "claude-code", "packages/pay/src/x.py")


def test_what_is_to_stand_in_a_file_leaves_out_what_is_read_where_it_holds() -> None:
    """Claude Code reads the file of a folder when it works there; Codex reads those above it alone."""

    def left_out(form: str, path: str, target: str, *scope: str) -> list[Reason]:
        found = Recall((Hit(stated(path, form, files=scope), 1.0, 1.0, (), ()),), (), (), {}, 0, None)
        return [one.reason for one in without_loaded(found, target_named(target), (), standing=True).withheld]

    path = "packages/pay/CLAUDE.md"
    assert left_out("claude-md", path, "claude-md", "packages/pay/**") == [
        Reason(ReasonCode.LOADED_THERE, target="claude-md", path=path),
    ]
    assert left_out("claude-md", "docs/CLAUDE.md", "claude-md") == [], "a rule for all is needed elsewhere too"
    assert [one.code for one in left_out("claude-md", "CLAUDE.md", "claude-md")] == [ReasonCode.ALREADY_LOADED]
    assert left_out("agents-md", "packages/pay/AGENTS.md", "cursor", "packages/pay/**")
    assert left_out("agents-md", "packages/pay/AGENTS.md", "codex", "packages/pay/**") == []


def test_a_rule_for_paths_counts_where_a_file_fits() -> None:
    one = stated(".claude/rules/ts.md", "claude-rules", files=("src/**/*.ts",))
    assert withheld(one, "claude-code") == []
    assert withheld(one, "claude-code", "src/a/b.ts")
    assert withheld(one, "claude-code", "src/a/b.py") == []


def test_all_of_it_loaded_already_is_a_reason_to_say_nothing() -> None:
    found = Recall((Hit(stated("AGENTS.md", "agents-md"), 1.0, 1.0, (), ()),), (), (), {}, 0, None)
    assert without_loaded(found, target_named("codex"), ()).abstained == Reason(ReasonCode.ALL_LOADED)
    assert without_loaded(found, target_named("chat"), ()) is found


def test_what_is_left_is_no_abstention() -> None:
    other = Hit(memory("bbbbbbbb", "Refunds lock"), 0.5, 0.5, (), ())
    hits = (Hit(stated("AGENTS.md", "agents-md"), 1.0, 1.0, (), ()), other)
    result = without_loaded(Recall(hits, (), (), {}, 0, None), target_named("codex"), ())
    assert (result.hits, result.abstained) == ((other,), None)


TASK = "make refunds idempotent"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("by-hand"))


def _context(vault: Vault, text: str = TASK, **more: Any) -> Pack:
    return packed(vault, Task(text), **more)


def _ids(pack: Pack) -> list[str]:
    return [one.memory.id for one in pack.included]


def test_no_ticks_change_no_byte(vault: Vault) -> None:
    assert _context(vault, without=(), with_ids=()) == _context(vault)


@pytest.mark.parametrize("target", ["chat", "json"])
def test_the_pieces_are_the_payload(vault: Vault, target: str) -> None:
    pack = _context(vault, target=target)
    assert pack.payload
    assert join(pack.pieces) == pack.payload
    assert {piece.memory_id for piece in pack.pieces} - {None} == set(_ids(pack))


def test_what_is_left_out_is_gone_and_told(vault: Vault) -> None:
    whole = _context(vault)
    first = whole.included[0].memory
    pack = _context(vault, without={first.id})
    assert first.id not in _ids(pack)
    assert first.title not in pack.payload
    assert [hit.memory.id for hit in pack.left_out] == [first.id]
    assert {one.id: one.reason for one in pack.withheld}[first.id] == LEFT_OUT
    assert set(_ids(whole)) - {first.id} <= set(_ids(pack))


def test_leaving_out_everything_is_an_empty_payload_with_the_reason(vault: Vault) -> None:
    whole = _context(vault)
    pack = _context(vault, without=set(_ids(whole)) | {one.id for one in whole.withheld})
    assert pack.payload == ""
    assert pack.abstained == Reason(ReasonCode.ALL_LEFT_OUT)


def test_what_is_withheld_can_be_put_in_and_says_what_stood_against_it(vault: Vault) -> None:
    whole = _context(vault)
    for one in whole.withheld:
        pack = _context(vault, with_ids={one.id})
        put_in = next(included for included in pack.included if included.memory.id == one.id)
        assert put_in.hit.reasons == (replace(PUT_IN, because=(one.reason,)),)
        assert one.id not in {other.id for other in pack.withheld}
        assert pack.payload == _context(vault, with_ids=[one.id, one.id]).payload
    assert whole.withheld


def test_what_was_put_in_comes_before_pins_and_scores_but_not_before_the_budget(vault: Vault) -> None:
    whole = _context(vault)
    tight = str(whole.tokens - 1)
    dropped = set(_ids(whole)) - set(_ids(_context(vault, budget=tight)))
    assert dropped
    last = min(dropped)
    assert last in _ids(_context(vault, budget=tight, with_ids={last}))
    none = _context(vault, budget="1", with_ids={last})
    assert none.payload == ""
    over = next(one.reason for one in none.withheld if one.id == last)
    assert (over.code, over.because) == (ReasonCode.OVER_BUDGET, (PUT_IN,))


def test_unknown_ids_and_ids_on_both_sides_do_no_harm(vault: Vault) -> None:
    first = _ids(_context(vault))[0]
    pack = _context(vault, without={first, "nowhere1"}, with_ids={first, "nowhere2"})
    assert first not in _ids(pack)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("target", target_names())
def test_every_target_says_of_what_was_put_in_that_it_is_not_in_use(vault: Vault, target: str, style: str) -> None:
    told = {
        "lockuser": "superseded by lockpaym",
        "inboxed2": "not confirmed by a person",
        "retired2": "retired",
        "freezes2": "expired on 2026-01-01",
    }
    pack = _context(vault, "bake bread", with_ids=set(told), target=target, style=style)
    assert {one.memory.id: one.status for one in pack.included if one.status} == told
    texts = {piece.memory_id: piece.text.lower() for piece in pack.pieces}
    for identifier, words in told.items():
        assert words in texts[identifier]
    assert not any(word in texts["cardlogs"] for word in ("retired", "superseded", "confirmed by"))


def test_what_replaced_a_memory_is_named_only_while_it_is_in_use_itself(tmp_path: Path) -> None:
    memories = [memory("oldrule2", "Old rule"), memory("newrule2", "New rule", status="retired")]
    vault = story_vault(tmp_path, memories, [link("newrule2", "supersedes", "oldrule2")])
    pack = _context(vault, "bake bread", with_ids={"oldrule2"})
    assert [one.status for one in pack.included] == [""]
    assert "superseded" not in pack.payload.lower()


def test_an_explanation_quotes_no_sentence_of_a_memory_whose_secret_is_masked() -> None:
    line = f"The key is {TOKEN}."
    meaning = Part("meaning", 0.4, Reason(ReasonCode.MEANING, score=0.6, note=line), "term")
    hit = Hit(memory("bbbbbbbb", f"Rotate it weekly. {line}"), 1.0, 1.0, (meaning,), (meaning.reason,))
    (masked,) = without_secrets(Recall((hit,), (), (), {}, 0, None), "mask", ()).hits
    assert TOKEN not in repr(masked)
