"""What belongs together stays in one memory: references back, numbered steps, problems with their solutions."""

from __future__ import annotations

import pytest

from memtui.capture.markdown import split_markdown

LOOM, DYE = "Thread the heddles from the left edge of the frame.", "Rinse each hank twice in soft water."


@pytest.mark.parametrize(
    "text",
    [
        f"All three stop by themselves after an hour.\n- Loom: {LOOM}\n- Vat: {DYE}",
        f"• **For scarves**: Use the fine reed.\n  - ALWAYS {LOOM.lower()}\n  - NEVER {DYE.lower()}",
        f"{LOOM}\n\nOne without the other tears the warp.",
        f"{LOOM}\n\nThe third one is the one that tears.",
        f"{LOOM}\n\nThe above order holds for linen too.",
        f"{LOOM}\n\nThe wrong form would pass the reed even if the warp tears.",
        f"{LOOM}\n\nTwo habits make this class worse than others.",
        f"{LOOM}\n\nNearly one of the seven tears before noon.",
        "Threads that cross are marked:\n\n```yaml\ncross: yes\n```\n\non the **row of the crossing** or above.",
        f"{LOOM}\n\nSkipping this is how cloth ends up torn by noon.",
        f"{LOOM}\n\nDie obige Reihenfolge gilt auch für Leinen.",
        f"{LOOM}\n\n上記の順序は麻にも使う。",
        f"{LOOM}\n\n上述顺序也用于亚麻。",
        "**Problem:** The warp tears at the third heddle of the frame.\n\n**Solution:** Loosen the brake a little.",
        "**Problema:** La urdimbre se rompe en el tercer lizo del marco.\n\n**Solución:**\n```sh\nloosen\n```",
        "**Problème:** La chaîne casse à la troisième lisse du cadre.\n\n**Solution:**\n```sh\nloosen\n```",
        "**問題：** 三番目の綜絖で経糸が切れることがある。\n\n**解決：**\n```sh\nloosen\n```",
        "- Problem: the warp tears at the third heddle.\n- Solution: always loosen the brake by a quarter turn.",
        f"| Phase | Action |\n|---|---|\n| Warp | {LOOM} |\n| Dye | {DYE} |",
        f"| Was | Wie |\n|---|---|\n| 1. Kette | {LOOM} |\n| 2. Farbe | {DYE} |",
        "| Option | Text | Default |\n|---|---|---|\n| reed | Only for fine yarn | 3 |\n| vat | Never fill | 4 |",
    ],
)
def test_what_needs_its_neighbour_stays_with_it(text: str) -> None:
    assert [piece.text for piece in split_markdown(f"# Mill\n\n{text}\n").pieces] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "MUST read IMMEDIATELY and follow all instructions from the `MILL.md` file in the root.",
        "Read and follow the instructions in docs/mill.md.",
        "Relevant information about the mill is in .mill/notes. If you have access\nto it, you can read them there.",
        "You can find patterns in the `.mill/patterns` directory.",
        "> Compatible with: VS Code, Cursor, Windsurf and others.",
        "Compatível com: Cursor, Windsurf, Claude e outros.",
        "旨在减少织布错误的行为准则。",
        "This guide outlines the best practices of the mill. Adherence ensures even cloth and calm weavers.",
        "> Agent quick-map for `looms/reed/`. Full design: `README.md`. Mill-wide rules: root `AGENTS.md`.",
        "The mill's agent guidance lives in **[AGENTS.md](AGENTS.md)** — read it first (commands, habits).",
        "All instructions of the mill are in `AGENTS.md`.",
        "Guide for AI agents (Cursor, …) at the mill. Humans: see [`a.md`](a.md). Keep this file **short**.",
        "**Applies to:** the files of the reed (always sent together with `yarn.instructions.md`)",
        "Looms are the definitive tool. This guide outlines best practices. Adhere to these principles for even cloth.",
        "Weaving requires a calm approach. This document outlines how. To do so, follow these rules.",
        "## Scope and Audience\n\nWeavers of striped cloth and their helpers.",
        "Gilt für: Dateien unter `webstuhl/`",
        "This file provides guidance to agents at the mill. It is the source of truth; `CLAUDE.md` imports it.",
    ],
)
def test_what_only_points_or_greets_is_reported_and_no_memory(text: str) -> None:
    split = split_markdown(f"# Mill\n\n{text}\n")
    assert split.pieces == []
    assert split.skipped[-1].span[1] == len(text.split("\n")) + 2


@pytest.mark.parametrize(
    "text",
    [
        "A loom is the definitive tool for cloth. Its brake is worn after a year.",
        "Adhere to these rules when the frame is under tension.",
        "Applies to: the test files. Never weave in them.",
        "**Scope**: Test the way of a thread through several parts of the loom (reed, heddle).",
        "Humans: keep the weaving plan current.",
    ],
)
def test_a_rule_that_begins_like_an_introduction_is_kept(text: str) -> None:
    assert [piece.text for piece in split_markdown(f"# Mill\n\n{text}\n").pieces] == [text]


def test_a_lettered_item_below_code_is_none_of_the_one_above() -> None:
    items = [f"**{letter}. Reed:** Never {LOOM.lower()}\n\n```yaml\nreed: fine\n```" for letter in "ab"]
    assert [piece.text for piece in split_markdown("# Mill\n\n" + "\n\n".join(items)).pieces] == items


def test_the_answers_to_a_question_stay_with_it() -> None:
    text = (
        "Use a sibling reed instead of the built-in one:\n\n```sh\nreed\n```\n\n**Why two reeds?**\n"
        "- Shorter reeds fit better into the small frames\n- Counts reflect the cloth, not the frame\n"
        "- Old looms remain in the hall as usual"
    )
    assert [piece.text for piece in split_markdown(f"# Mill\n\n## Reed convention\n\n{text}\n").pieces] == [text]


def test_code_between_tags_stays_with_the_words_above_it() -> None:
    code = '<code-snippet name="A warp" lang="php">\nwarp($frame);\n\nreturn $frame;\n</code-snippet>'
    rule = f"- Thread by `warp()` and never by hand:\n\n{code}"
    broken = "Rinse by `dye()`, e.g.:\n<code-snippet>\ndye($hank);\n  </code-snippet>"
    item = broken.replace("\n", "\n  ")
    text = f"# Mill\n\n## Warps\n\n{rule}\n\n## Dyes\n\n- {item}\n\n## Looms\n\n{LOOM}\n\n{code}\n"
    assert [piece.text for piece in split_markdown(text).pieces] == [rule, broken, f"{LOOM}\n\n{code}"]


def test_an_order_to_read_before_some_work_is_a_rule() -> None:
    rule = "Always read docs/mill.md before changing the pattern of a cloth."
    assert [piece.text for piece in split_markdown(rule).pieces] == [rule]
