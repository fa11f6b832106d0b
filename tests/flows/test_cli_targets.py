"""`memtui context` for every assistant: exactly what was previewed, within its limits, and what became of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from flows.cli_driver import LOCK, Cli, memtui

from memtui.pack.targets.base import STYLES
from memtui.pack.targets.formats import target_named, target_names

TASK = ("make refunds idempotent", "--file", "payments/service.py", "--budget", "700")
SUPERSEDED = "bcdbkhpa"
BUDGETS = ("0", "1", "50", "10000000", "2k", "10000 chars", "32 KiB")


def included(record: dict[str, list[dict[str, str]]]) -> set[str]:
    return {row["id"] for row in record["included"]}


def reasons(record: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {row["id"]: row["reason"] for row in record["withheld"]}


@pytest.fixture
def clipboard(demo: Cli, tmp_path: Path) -> Path:
    """A clipboard tool that writes what it is given to the file that is returned."""
    tools, kept = tmp_path / "tools", tmp_path / "clipboard.txt"
    tools.mkdir()
    for name, line in (("wl-copy", f"cat > {kept}"), ("wl-paste", f"cat {kept}")):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    for name in ("DISPLAY", "SSH_CONNECTION", "SSH_CLIENT"):
        demo.patch.delenv(name, raising=False)
    demo.patch.setenv("WAYLAND_DISPLAY", "wayland-0")
    demo.patch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    return kept


def test_the_refund_task_gets_the_lock_and_what_belongs_to_it_under_700_tokens(demo: Cli) -> None:
    record = demo("context", *TASK, "--json").json
    assert 0 < record["tokens"] <= 700
    assert LOCK in included(record)
    assert {"s32z25oj", "fhgn65yj"} <= included(record), "the idempotency constraint and the decision on retries"
    assert SUPERSEDED not in included(record)
    assert reasons(record)[SUPERSEDED] == f"superseded by {LOCK}"
    compiled = demo("context", *TASK, "--style", "compiled", "--json").json
    far = {identifier for identifier, reason in reasons(compiled).items() if reason == "far from the task (compiled)"}
    assert included(record) - far < included(compiled)
    assert {"ioddebrc", "lzrwxxnl"} <= included(compiled), "the lesson and the bug pattern of the payment lock fit too"
    assert compiled["tokens"] <= 700
    assert compiled["style"] == "compiled"


def test_another_target_changes_the_payload_and_its_tokens(demo: Cli) -> None:
    records = {name: demo("context", *TASK, "--target", name, "--json").json for name in ("chat", "cursor", "codex")}
    assert len({record["payload"] for record in records.values()}) == 3
    assert len({record["tokens"] for record in records.values()}) == 3
    cursor = records["cursor"]
    assert cursor["margin"] == 0.3
    assert cursor["tokens"] < cursor["tokens_at_most"] <= 700
    assert all(LOCK in included(record) for record in records.values())


def test_what_is_previewed_printed_and_copied_is_the_same_for_every_target(demo: Cli, clipboard: Path) -> None:
    for number, name in enumerate(target_names()):
        words = ("context", *TASK, "--target", name, "--style", STYLES[number % len(STYLES)])
        preview = demo(*words, "--json").json["payload"]
        run = demo(*words, "--copy")
        assert run.out == preview, words
        assert clipboard.read_bytes() == preview.encode(), words
        assert "verified by reading back" in run.err


def test_every_target_and_style_is_in_help_and_completion(cli: Cli) -> None:
    help_text = cli("context", "--help").out
    completion = cli("completion", "bash").out
    for name in target_names():
        assert name in help_text
        assert name in completion
    assert "compiled" in help_text


@pytest.mark.parametrize("budget", BUDGETS)
def test_every_form_of_budget_holds_for_every_kind_of_target(demo: Cli, budget: str) -> None:
    for name in ("chat", "claude-code", "xml", "json", "windsurf"):
        run = demo("context", *TASK[:3], "--target", name, "--budget", budget, "--json", code=(0, 3))
        record = run.json
        assert record["size"] <= record["budget"]
        assert (run.code == 3) == (not record["payload"])
        for limit in target_named(name).limits:
            assert len(record["payload"]) <= limit.amount
        if not record["payload"]:
            assert "budget" in record["abstained"]["reason"]


@pytest.mark.parametrize("budget", ["-5", "lots", "2 KiB tokens", ""])
def test_what_is_no_budget_is_told(demo: Cli, budget: str) -> None:
    assert "2k" in demo("context", *TASK[:3], f"--budget={budget}", code=2).err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--target", "nope"), ("Unknown target: nope", "claude-code", "codex")),
        (("--target", "cursr"), ("Did you mean cursor?",)),
        (("--style", "short"), ("Unknown style: short", "compiled")),
        (("--secrets", "hide"), ("Unknown secrets: hide", "mask")),
        (("--file", "missing.py"), ("missing.py",)),
    ],
)
def test_what_is_unknown_is_told_with_what_there_is(demo: Cli, words: tuple[str, ...], told: tuple[str, ...]) -> None:
    run = demo("context", "x", *words, code=2)
    for part in told:
        assert part in run.err
    assert run.out == ""


def test_a_limit_of_ones_own_holds_and_a_wrong_one_is_told(demo: Cli) -> None:
    config = demo.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[targets.codex]\nlimit = "1 KiB"\n', encoding="utf-8")
    record = demo("context", *TASK, "--target", "codex", "--json").json
    assert 0 < len(record["payload"].encode()) <= 1024
    assert "over the limit of 1,024 bytes for codex" in reasons(record).values()
    config.write_text('[targets.codex]\nlimit = "some"\n', encoding="utf-8")
    assert "some" in demo("context", *TASK, "--target", "codex", code=2).err
    config.write_text("[targets.codex]\nlimt = 3\n", encoding="utf-8")
    assert "Did you mean limit?" in demo("context", *TASK, code=2).err
    config.write_text("[targets.codex]\nmargin = 7\n", encoding="utf-8")
    assert "from 0 to 1" in demo("context", *TASK, code=2).err


def test_what_the_assistant_reads_by_itself_is_withheld(cli: Cli) -> None:
    cli.repository("shop", "git@example.org:ada/shop.git")
    cli.write("AGENTS.md", "# Rules\n\n- Refund amounts are integer cents.\n")
    cli("import", "AGENTS.md", "--active")
    cli("add", "Refund locks live 30 s.")
    words = ("context", "refund amounts and refund locks", "--target", "codex")
    record = cli(*words, "--json").json
    assert "cents" not in record["payload"]
    assert "already loaded by codex from AGENTS.md" in reasons(record).values()
    assert "cents" in cli(*words, "--with-loaded").out
    assert "cents" in cli(*words[:2], "--target", "gemini").out
    config = cli.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("[context]\nwithhold_loaded = false\n", encoding="utf-8")
    assert "cents" in cli(*words).out


def test_a_secret_leaves_only_by_choice(cli: Cli) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    leak = cli("add", f"The release token is {token}.", "--project", "shop", "--allow-secret").id
    cli("add", "The release goes out on Tuesdays.", "--project", "shop")
    words = ("context", "the release token", "--project", "shop")
    record = cli(*words, "--json").json
    assert token not in json.dumps(record)
    assert reasons(record)[leak].startswith("secret (")
    assert "[secret: " in cli(*words, "--secrets", "mask").out
    assert token in cli(*words, "--secrets", "allow").out
    config = cli.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[context]\nsecrets = "mask"\nstyle = "compiled"\n', encoding="utf-8")
    record = cli(*words, "--json").json
    assert "[secret: " in record["payload"]
    assert record["style"] == "compiled"
    assert token not in json.dumps(cli(*words, "--secrets", "withhold", "--json").json)
    config.write_text('[context]\nsecrets = "hide"\n', encoding="utf-8")
    assert "context.secrets must be one of withhold, mask, allow" in cli(*words, code=2).err


def test_memories_are_put_in_and_left_out_by_hand_and_a_recipe_keeps_it(demo: Cli) -> None:
    usual = demo("context", *TASK, "--json").json
    assert SUPERSEDED not in included(usual)
    record = demo("context", *TASK, "--with", SUPERSEDED[:5], "--without", LOCK, "--json").json
    assert SUPERSEDED in included(record)
    assert reasons(record)[LOCK] == "left out by you"
    assert demo("context", *TASK, "--with", "zzzzzzzz", code=3).out == ""
    demo("recipe", "save", "weekly", *TASK, "--without", LOCK, "--style", "compiled", "--phase", "debug")
    assert "compiled · debug · 1 left out" in demo("recipe", "list").out
    run = demo("recipe", "run", "weekly", "--json").json
    assert (run["style"], reasons(run)[LOCK]) == ("compiled", "left out by you")
    demo("undo")
    assert demo("recipe", "list", "--json").json == []
    demo("redo")
    demo("purge", LOCK, "--yes")
    assert demo("recipe", "run", "weekly").out
    assert demo("recipe", "list", "--json").json[0]["options"].get("without") is None


def test_a_used_pack_is_shown_again_byte_by_byte_and_beside_today(demo: Cli) -> None:
    # Recording is a sign of use, so under a tight budget another memory may come in the second time.
    printed = demo("context", *TASK[:3], "--budget", "20k", "--style", "compiled", "--record").out
    pack = demo("pack", "list", "--json").json[0]
    assert pack["options"]["style"] == "compiled"
    assert "compiled" in demo("pack", "show", pack["id"]).out
    assert "the same memories" in demo("pack", "show", pack["id"], "--diff").err
    demo("edit", "fhgn65yj", "--text", "Never retry a refund.")
    demo("retire", LOCK)
    assert demo("pack", "show", pack["id"], "--payload").out == printed
    shown = demo("pack", "show", pack["id"], "--diff")
    assert any(line.startswith("-") and "Lock refunds by payment_id" in line for line in shown.out.splitlines())
    assert f"- {LOCK}" in shown.err
    record = demo("pack", "show", pack["id"], "--diff", "--json").json
    assert LOCK in record["removed"]
    assert "fhgn65yj" in record["changed"]
    assert record["lines"]
    demo("purge", LOCK, "--yes")
    lost = demo("pack", "show", pack["id"], "--payload", code=3)
    assert lost.out == ""
    assert "cannot be rebuilt" in lost.err
    assert demo("pack", "show", pack["id"], "--diff", "--json").json["lines"] is None


def test_a_pack_that_hurt_sinks_says_so_and_undo_brings_it_back(demo: Cli) -> None:
    demo.patch.setenv("MEMTUI_NOW", "2026-11-20T12:00:00Z")

    def scores() -> dict[str, float]:
        record = demo("context", *TASK[:3], "--budget", "20k", "--json").json
        return {row["id"]: row["score"] for row in record["included"] if row["id"] in members}

    run = demo("context", *TASK, "--max", 2, "--record", "--json")
    members = sorted(included(run.json))
    pack = demo("pack", "list", "--json").json[0]
    assert (len(members), pack["feedback"]) == (2, {})
    before = scores()
    assert sorted(before) == members
    effects = demo("feedback", pack["id"], "hurt", "--why", "stale TTL", "--json").json
    assert sorted(effect["id"] for effect in effects) == members
    assert all(effect["after"] < effect["before"] for effect in effects)
    after = scores()
    assert all(after[identifier] < before[identifier] for identifier in members)
    assert "hurt 1×" in demo("search", "make refunds idempotent", "--explain").out
    assert demo("pack", "show", pack["id"], "--json").json["feedback"] == {"hurt": 2}
    assert "hurt 2×" in demo("pack", "list").out
    demo("undo")
    assert scores() == before
    assert demo("pack", "list", "--json").json[0]["feedback"] == {}


def test_hurting_twice_makes_it_due(demo: Cli) -> None:
    demo("feedback", LOCK, "hurt")
    assert "due for review" in demo("feedback", LOCK, "hurt").err
    assert LOCK in [row["id"] for row in demo("review", "--list", "--json").json]


def test_undo_takes_back_the_recording_and_not_the_change_before(demo: Cli) -> None:
    demo("retire", "fhgn65yj")
    demo("context", *TASK, "--record")
    assert len(demo("pack", "list", "--json").json) == 1
    assert "pack" in demo("undo").err
    assert demo("pack", "list", "--json").json == []
    assert demo("show", "fhgn65yj", "--json").json["status"] == "retired"
    demo("undo")
    assert demo("show", "fhgn65yj", "--json").json["status"] == "active"


def test_a_pack_without_a_word_is_awaited_after_a_week(demo: Cli) -> None:
    demo.patch.setenv("MEMTUI_NOW", "2026-11-20T12:00:00Z")
    demo("context", *TASK, "--copy")
    assert demo("pack", "list", "--awaiting", "--json").json == []
    demo.patch.setenv("MEMTUI_NOW", "2026-11-28T12:00:00Z")
    assert len(demo("pack", "list", "--awaiting", "--json").json) == 1


def test_the_diff_tells_what_changed_since_last_time(demo: Cli) -> None:
    assert demo("context", *TASK, "--diff", "--json").json["diff"] is None
    demo("context", *TASK, "--record")
    assert "the same" in demo("context", *TASK, "--diff").err
    demo("retire", "fhgn65yj")
    diff = demo("context", *TASK, "--diff", "--json").json["diff"]
    assert "fhgn65yj" in diff["removed"]


def test_all_recipes_together_are_the_standing_payload(demo: Cli) -> None:
    demo("recipe", "save", "refunds", *TASK[:3], "--project", "payments-api")
    demo("recipe", "save", "deploys", "alter table migration", "--project", "payments-api", "--target", "cursor")
    union = demo("recipe", "run", "--project", "payments-api", "--budget", "4k", "--json").json
    for name in ("refunds", "deploys"):
        assert included(demo("recipe", "run", name, "--json").json) <= included(union)
    assert union["tokens"] <= 4_000
    short = demo("recipe", "run", "refunds", "--style", "compiled", "--target", "xml")
    assert short.out.startswith("<memories")


def test_why_a_memory_stays_out_and_what_brings_it_in(demo: Cli) -> None:
    demo.globals += ["--project", "payments-api"]
    demo.patch.setenv("MEMTUI_NOW", "2026-11-20T12:00:00Z")
    task = ("make refunds idempotent", "--budget", "400")

    def why(identifier: str, *words: str) -> tuple[str, list[str]]:
        found = demo("why", identifier, *task, *words, "--json").json
        assert not found["included"]
        assert found["remedies"][-1] == f"--with {identifier}"
        return found["reason"], found["remedies"][:-1]

    reason, remedies = why("bcdbkhpa")
    assert (reason, remedies) == (f"superseded by {LOCK} “Lock refunds by payment_id, never by user_id”", [])
    reason, remedies = why("v6im25oj")
    assert reason.startswith("retired: outdated: since version 2")
    assert remedies == ["memtui restore v6im25oj"]
    assert why("xppl3545") == ("not confirmed (inbox)", ["memtui inbox accept xppl3545"])
    assert why(LOCK, "--without", LOCK) == ("left out by you", [f"drop --without {LOCK}"])
    reason, remedies = why(LOCK, "--project", "storefront")
    assert (reason, remedies) == ("other project: payments-api", ["--project payments-api"])
    reason, remedies = why("t42alqj6")
    over = re.fullmatch(r"over budget by (\d+) tokens", reason)
    assert over
    assert remedies == [f"--budget {400 + int(over[1])} or more"]
    pack = demo("context", *task, "--json").json
    last = [one["id"] for one in pack["included"] if one["id"] not in demo("list", "--pinned").out]
    assert why(last[-1], "--max", str(len(pack["included"]) - 1))[1] == ["a larger --max"]
    withheld = {one["reason_code"]: one["id"] for one in pack["withheld"]}
    assert "below-floor" not in withheld
    assert why(withheld["too-far"])[1][0] == "a task that says more of what it is about"
    file = ("--file", "payments/service.py")
    tied = demo("context", *task, *file, "--json").json["withheld"]
    reason, remedies = why(next(one["id"] for one in tied if one["reason_code"] == "too-far"), *file)
    said = r"(?:unlikely to matter|behind 6 likelier memories) \(a chance of \d+% that it matters; "
    assert re.fullmatch(said + r"(?:for a further one )?\d+% is needed.*\)", reason)
    assert remedies[0] == "a task that says more of what it is about"
    explained = demo("context", *task, "--explain").err
    assert f"superseded by {LOCK} “Lock refunds by payment_id" in explained
    assert "memtui inbox accept xppl3545 · --with xppl3545" in explained


def test_why_explains_the_score_of_what_is_in(demo: Cli) -> None:
    found = demo("why", LOCK, *TASK, "--project", "payments-api", "--json").json
    assert (found["included"], found["remedies"]) == (True, [])
    assert found["explain"]["score"] > 0
    assert "In the payload with" in demo("why", LOCK[:4], *TASK, "--project", "payments-api").out
    demo("why", "nosuchid", *TASK, code=3)


def test_a_pack_of_the_standing_payload_is_compared_with_todays(demo: Cli) -> None:
    demo.globals += ["--project", "payments-api"]
    demo("recipe", "save", "refunds", *TASK[:3])
    demo("context", "--record")
    assert "No earlier pack" in demo("recipe", "run", "--diff").err, "the payload without a task is another one"
    demo("recipe", "run", "--budget", "4k", "--record")
    pack = demo("pack", "list", "--json").json[0]
    assert pack["options"]["standing"] == ["refunds"]
    assert "Task     the standing payload: refunds" in demo("pack", "show", pack["id"]).out
    again = demo("pack", "show", pack["id"], "--payload").out
    assert again == demo("recipe", "run", "--budget", "4k").out
    same = demo("pack", "show", pack["id"], "--diff")
    assert (same.out, "the same memories" in same.err) == ("", True)
    demo("recipe", "save", "deploys", "alter table migration")
    more = demo("pack", "show", pack["id"], "--diff", "--json").json
    union = included(demo("recipe", "run", "--budget", "4k", "--json").json)
    assert set(more["added"]) == union - set(pack["members"]) != set()
    assert "recipes: + deploys" in demo("pack", "show", pack["id"], "--diff").err


def test_outside_of_projects_the_standing_payload_is_that_of_the_one_project_with_recipes(cli: Cli) -> None:
    for project in ("shop", "bank"):
        cli("add", f"The {project} locks refunds", "--project", project)
    cli("recipe", "save", "refunds", "lock refunds", "--project", "shop")
    assert "The shop locks refunds" in cli("recipe", "run").out
    cli("recipe", "save", "accounts", "lock refunds", "--project", "bank")
    several = cli("recipe", "run", code=3)
    assert "--project bank|shop" in several.err


def test_a_hook_path_loads_no_tokenizer(demo: Cli) -> None:
    done = memtui(
        "--vault",
        demo.home / "demo",
        "context",
        *TASK,
        "--fast",
        "--target",
        "claude-code",
        python=("-X", "importtime"),
    )
    assert done.code == 0
    assert "rs_bpe" not in done.err
    assert "<background-facts>" in done.out


def test_in_tmux_the_buffer_holds_the_very_bytes(demo: Cli, tmp_path: Path) -> None:
    """Asks the tmux that is installed, with a server of its own."""
    from shutil import which

    if which("tmux") is None:
        pytest.skip("tmux is not installed")
    demo.patch.setenv("TMUX_TMPDIR", str(tmp_path))
    server = ["tmux", "-L", "memtui-test"]
    subprocess.run([*server, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"], check=True)
    try:
        shown = subprocess.run(
            [*server, "display-message", "-p", "#{socket_path},#{pid},0"], check=True, capture_output=True, text=True
        )
        demo.patch.setenv("TMUX", shown.stdout.strip())
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_CLIENT"):
            demo.patch.delenv(name, raising=False)
        run = demo("context", *TASK, "--copy")
        kept = subprocess.run([*server, "save-buffer", "-"], check=True, capture_output=True)
        assert kept.stdout == run.out.encode()
        assert "tmux" in run.err
    finally:
        subprocess.run([*server, "kill-server"], check=False)


def test_what_is_put_in_although_it_is_not_in_use_is_marked_and_warned_of(demo: Cli, clipboard: Path) -> None:
    demo.globals += ["--project", "payments-api"]
    words = (*TASK, "--budget", "4k", "--with", SUPERSEDED, "--with", "mpxiyivk", "--with", "ptxs2cfk")
    run = demo("context", *words, "--copy")
    assert f"Superseded by {LOCK}, accepted, from" in run.out
    assert "Retired, accepted, from" in run.out
    assert "Not confirmed by a person" in run.out
    assert clipboard.read_text("utf-8") == run.out
    assert f"{SUPERSEDED} “Lock refunds by user_id” is superseded by {LOCK}" in run.err
    assert "ptxs2cfk looks planted" in run.err
    assert "looks planted" not in demo("context", *TASK).err
