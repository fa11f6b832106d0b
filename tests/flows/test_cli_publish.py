"""`memtui export` into files of assistants: shown before, written as a whole, taken back to the byte."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from flows.cli_driver import Cli

RULE = "Berths are numbered from the harbour mouth, because the pilots count that way."
FILE_RULE = "Tide tables come from tides.csv; never edit the generated ones by hand."
NAMES = ("claude-md", "codex", "gemini", "copilot", "cursor", "windsurf", "cline", "kiro")


@pytest.fixture
def desk(cli: Cli) -> Cli:
    """A repository with two memories, one of them about a file."""
    cli.repository("desk")
    cli.patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    cli.write("tides.csv", "1,2\n")
    cli("add", RULE, "--kind", "decision")
    cli("add", FILE_RULE, "--kind", "constraint", "--file", "tides.csv", "--snippet", "```\nmake tides --> out\n```")
    return cli


def here() -> dict[str, bytes]:
    """Every file of the folder one is in, git's apart."""
    root = Path.cwd()
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


@pytest.mark.parametrize("name", NAMES)
def test_what_a_dry_run_shows_is_written_checked_and_taken_out_to_the_byte(desk: Cli, name: str) -> None:
    for file in ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md"):
        desk.write(file, b"\xef\xbb\xbf# Desk\r\n\r\nmine  \r\nno final newline")
    before = here()
    shown = desk("export", "--target", name, "--dry-run", "--json").json
    assert here() == before
    done = desk("export", "--target", name, "--json").json
    assert [file["diff"] for file in done["files"]] == [file["diff"] for file in shown["files"]]
    written = here()
    text = b"".join(written[file["path"]] for file in done["files"]).decode("utf-8-sig")
    assert "harbour mouth" in text
    assert "make tides" in text
    assert all(written[path].startswith(data) for path, data in before.items())
    desk("export", "--check")
    assert not any(file["changed"] for file in desk("export", "--target", name, "--json").json["files"])
    desk("export", "--target", name, "--remove")
    assert here() == before


def test_of_what_the_file_says_already_the_added_reason_alone_is_published(desk: Cli) -> None:
    desk.write("AGENTS.md", "# Desk\n\n- Buoys are red to port:\n\n  ```\n  make buoys\n  ```\n")
    (known,) = desk("import", "AGENTS.md", "--active").lines
    desk("edit", known, "--why", "Sailors look to port first.")
    desk("export", "--target", "codex")
    block = Path("AGENTS.md").read_text().partition("<!-- memtui:begin")[2]
    assert "Buoys are red to port" in block
    assert "Why: Sailors look to port first." in block
    assert "make buoys" not in block, "the file says it above"
    desk("export", "--check")
    assert "up to date" in desk("export", "--target", "codex").err
    desk("export", "--target", "claude-md")
    assert "make buoys" in Path("CLAUDE.md").read_text(), "Claude Code does not read AGENTS.md"


def test_a_publication_can_be_undone_and_made_again(desk: Cli) -> None:
    before = here()
    desk("export", "--target", "cursor")
    written = here()
    assert {".cursor/rules/memtui.mdc", ".cursor/rules/memtui-files.mdc"} <= written.keys()
    desk("undo")
    assert here() == before
    desk("redo")
    assert here() == written


def test_undo_leaves_a_block_alone_that_somebody_edited(desk: Cli) -> None:
    desk("export", "--target", "codex")
    edited = Path("AGENTS.md").read_bytes().replace(b"pilots", b"captains")
    Path("AGENTS.md").write_bytes(edited)
    told = desk("undo", code=4).err
    assert "changed since" in told
    assert Path("AGENTS.md").read_bytes() == edited
    desk("export", "--check", code=7)
    advised = re.findall(r"`memtui (export [^`]*)`", told)
    assert advised == ["export --target codex --take", "export --target codex --remove --force"]
    desk(*advised[0].split())
    assert "captains" in desk("list", "--status", "candidate", "--json").json[0]["insight"]
    Path("AGENTS.md").write_bytes(edited)
    desk(*advised[1].split())
    assert not Path("AGENTS.md").exists() or b"captains" not in Path("AGENTS.md").read_bytes()
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == edited, "the edit comes back"


def test_a_block_edited_by_hand_is_kept_and_shown_and_its_edit_goes_into_the_inbox(desk: Cli) -> None:
    desk("export", "--target", "codex")
    file = Path("AGENTS.md")
    edited = file.read_bytes().replace(b"pilots", b"captains")
    file.write_bytes(edited)
    run = desk("export", "--target", "codex", code=4)
    assert "by hand" in run.out
    assert "captains" in run.out
    assert file.read_bytes() == edited
    desk("export", "--target", "codex", "--take")
    (candidate,) = desk("list", "--status", "candidate", "--json").json
    assert "captains" in candidate["insight"]
    assert b"pilots" in file.read_bytes()
    file.write_bytes(edited)
    desk("export", "--target", "codex", "--force")
    assert b"captains" not in file.read_bytes()


def test_one_edited_bullet_comes_back_as_a_correction_of_its_memory_and_a_new_one_by_itself(desk: Cli) -> None:
    desk("export", "--target", "codex")
    file = Path("AGENTS.md")
    identifier = next(row["id"] for row in desk.all_rows() if row["insight"] == RULE)
    line = next(line for line in file.read_text(encoding="utf-8").splitlines() if "pilots" in line)
    mark, new = line.replace("pilots", "captains"), "- Berth 9 is closed in winter."
    assert mark != line
    file.write_bytes(file.read_bytes().replace(line.encode(), f"{mark}\n{new}".encode()))
    desk("export", "--target", "codex", "--take")
    edited, added = sorted(
        desk("list", "--status", "candidate", "--json").json, key=lambda row: "Berth 9" in row["insight"]
    )
    assert edited["insight"] == RULE.replace("pilots", "captains")
    assert added["insight"] == "Berth 9 is closed in winter."
    assert {"type": "supersedes", "id": identifier} in desk("show", edited["id"], "--json").json["links"]
    desk("inbox", "accept", edited["id"])
    assert desk("show", identifier, "--json").json["status"] == "superseded"


def test_an_undo_says_that_the_block_is_gone_already(desk: Cli) -> None:
    desk("export", "--target", "codex")
    Path("AGENTS.md").unlink()
    assert "AGENTS.md no longer had a memtui block" in desk("undo").err


def test_only_what_reads_as_a_rule_is_published_among_the_rules(desk: Cli) -> None:
    desk("add", "The tide gauge reports every six minutes.", "--kind", "constraint")
    desk("add", "Never report the tide in feet.", "--kind", "constraint")
    desk("export", "--target", "codex")
    text = Path("AGENTS.md").read_text(encoding="utf-8")
    rules = text[text.index("### Constraints") :].split("###")[1]
    assert "in feet" in rules
    assert "six minutes" not in rules
    assert "six minutes" in text


def test_a_changed_memory_makes_the_block_stale(desk: Cli) -> None:
    desk("export", "--target", "claude-md")
    assert desk("export", "--check", "--json").json == [
        {"target": "claude-md", "path": "CLAUDE.md", "state": "current"}
    ]
    identifier = next(row["id"] for row in desk.all_rows() if row["insight"] == RULE)
    desk("retire", identifier)
    (row,) = desk("export", "--check", "--json", code=7).json
    assert row["state"] == "stale"
    desk("export", "--target", "claude-md")
    desk("export", "--check")
    assert "harbour" not in Path("CLAUDE.md").read_text(encoding="utf-8")


def test_without_a_vault_a_block_is_held_against_its_own_hash(desk: Cli) -> None:
    desk("export", "--target", "codex")
    desk.globals = ["--vault", str(desk.home / "none.duckdb")]
    assert desk("export", "--check", "--json").json[0]["state"] == "current"
    Path("AGENTS.md").write_bytes(Path("AGENTS.md").read_bytes().replace(b"mouth", b"gate"))
    assert desk("export", "--check", "--json", code=7).json[0]["state"] == "edited"
    assert not (desk.home / "none.duckdb").exists()
    Path("AGENTS.md").unlink()
    desk("export", "--check", code=3)


def test_what_comes_in_again_through_import_is_recognised_as_memtuis(desk: Cli) -> None:
    for name in NAMES:
        desk("export", "--target", name)
    report = desk("import", "--json", code=0).json
    assert (report["added"], report["updated"], report["conflicts"]) == (0, 0, 0)


def test_a_recipe_or_a_query_chooses_what_is_published(desk: Cli) -> None:
    desk("export", "--target", "codex", "--where", "kind:decision")
    assert "harbour" in Path("AGENTS.md").read_text(encoding="utf-8")
    assert "tides" not in Path("AGENTS.md").read_text(encoding="utf-8")
    desk("export", "--check")
    desk("recipe", "save", "tides", "tide tables")
    desk("export", "--target", "codex", "--recipe", "tides")
    assert "tides" in Path("AGENTS.md").read_text(encoding="utf-8")
    desk("export", "--check")


def test_a_claude_md_that_only_imports_agents_md_is_not_given_a_second_copy(desk: Cli) -> None:
    desk.write("AGENTS.md", "# Desk\n")
    desk.write("CLAUDE.md", "@AGENTS.md\n")
    run = desk("export", "--target", "claude-md")
    assert "only imports" in run.err
    assert Path("CLAUDE.md").read_text(encoding="utf-8") == "@AGENTS.md\n"
    desk("export", "--target", "codex")
    assert Path("AGENTS.md").read_text(encoding="utf-8").count("memtui:begin") == 1
    Path("CLAUDE.md").unlink()
    Path("CLAUDE.md").symlink_to("AGENTS.md")
    assert "is a link" in desk("export", "--target", "claude-md").err
    assert Path("AGENTS.md").read_text(encoding="utf-8").count("memtui:begin") == 1


def test_nothing_is_written_through_a_link_that_leaves_the_repository(desk: Cli) -> None:
    outside = desk.home / "outside.md"
    outside.write_text("mine\n", encoding="utf-8")
    Path("GEMINI.md").symlink_to(outside)
    assert "outside" in desk("export", "--target", "gemini", code=6).err
    assert outside.read_text(encoding="utf-8") == "mine\n"


def test_one_file_that_is_refused_keeps_all_files_of_the_target_unwritten(desk: Cli) -> None:
    desk.write(".cursor/rules/memtui-files.mdc", "mine\n")
    before = here()
    desk("export", "--target", "cursor", code=6)
    assert here() == before


def test_purging_a_memory_takes_its_published_text_out_of_the_vault(desk: Cli) -> None:
    desk("export", "--target", "codex")
    identifier = next(row["id"] for row in desk.all_rows() if row["insight"] == RULE)
    run = desk("purge", identifier, "--yes")
    assert "AGENTS.md" in run.err
    folder = Path(os.environ["XDG_DATA_HOME"])
    assert not any(b"harbour mouth" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    desk("export", "--target", "codex")
    assert b"harbour" not in Path("AGENTS.md").read_bytes()


def test_purging_a_memory_takes_the_edit_by_hand_out_of_the_vault_that_undo_would_bring_back(desk: Cli) -> None:
    desk("export", "--target", "codex")
    Path("AGENTS.md").write_bytes(Path("AGENTS.md").read_bytes().replace(b"harbour mouth", b"harbour gate"))
    desk("export", "--target", "codex", "--force")
    journaled = desk("sql", "SELECT count(*) AS n FROM revisions WHERE before LIKE '%harbour gate%'", "--json")
    assert journaled.json[0]["n"] == 1
    identifier = next(row["id"] for row in desk.all_rows() if row["insight"] == RULE)
    desk("purge", identifier, "--yes")
    journaled = desk("sql", "SELECT count(*) AS n FROM revisions WHERE before LIKE '%harbour gate%'", "--json")
    assert journaled.json[0]["n"] == 0


def test_another_file_can_be_named_in_the_repository_or_elsewhere(desk: Cli) -> None:
    for out in (Path("docs/RULES.md"), desk.home / "elsewhere.md"):
        desk("export", "--target", "codex", "--out", out)
        assert "harbour mouth" in out.read_text(encoding="utf-8")
        desk("export", "--target", "codex", "--out", out, "--check")
        desk("export", "--target", "codex", "--out", out, "--remove")
        assert not out.exists()


def test_claude_codes_memory_file_of_the_repository_gets_a_block(desk: Cli) -> None:
    desk("export", "--target", "claude-memory")
    (file,) = (desk.home / ".claude").rglob("MEMORY.md")
    assert "harbour mouth" in file.read_text(encoding="utf-8")
    desk("export", "--target", "claude-memory", "--check")
    desk("undo")
    assert not file.exists()


KILLED = """
import os, signal, sys
from memtui.publish import edits
write = edits._write
count = [0]
def dying(path, data):
    write(path, data)
    count[0] += 1
    if count[0] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
edits._write = dying
from memtui.cli.main import main
main(sys.argv[1:])
"""


def test_a_kill_between_two_files_leaves_all_of_them_as_they_were(desk: Cli) -> None:
    before = here()
    done = subprocess.run([sys.executable, "-c", KILLED, "export", "--target", "cursor"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert len(here()) == len(before) + 1
    assert desk("export", "--check", code=3).code == 3
    assert here() == before
    desk("export", "--target", "cursor")
    desk("export", "--check")


def test_an_undo_mends_what_a_kill_left_half_done_before_it_writes(desk: Cli) -> None:
    desk.write("AGENTS.md", "# Desk\n")
    before = here()
    desk("export", "--target", "codex")
    done = subprocess.run([sys.executable, "-c", KILLED, "export", "--target", "cursor"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    desk("undo")
    assert here() == before


def test_a_file_behind_a_link_goes_and_the_link_stays(desk: Cli) -> None:
    Path("rules.md").symlink_to("kept.md")
    desk("export", "--target", "codex", "--out", "rules.md")
    assert Path("kept.md").is_file()
    desk("export", "--target", "codex", "--out", "rules.md", "--remove")
    assert Path("rules.md").is_symlink()
    assert not Path("kept.md").exists()


def test_undo_of_a_second_publication_of_the_same_block_takes_back_that_file_and_nothing_else(desk: Cli) -> None:
    desk.write("AGENTS.md", "# Desk\n")
    desk("export", "--target", "codex")
    written = Path("AGENTS.md").read_bytes()
    desk("add", "Fenders are checked on Mondays.", "--project", "other")
    Path("AGENTS.md").write_bytes(b"# Desk\r\nanew")
    desk("export", "--target", "codex")
    again = Path("AGENTS.md").read_bytes()
    assert "publish AGENTS.md" in desk("undo").err
    assert Path("AGENTS.md").read_bytes() == b"# Desk\r\nanew"
    assert "Fenders" in desk("list", "--all-projects").out
    desk("redo")
    assert Path("AGENTS.md").read_bytes() == again
    desk("undo")
    Path("AGENTS.md").write_bytes(written)
    assert "Fenders" in desk("undo").err
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == b"# Desk\n"


@pytest.mark.parametrize("option", ["--take", "--force", "--remove"])
def test_undo_brings_an_edit_by_hand_back_that_a_publication_wrote_over(desk: Cli, option: str) -> None:
    desk.write("AGENTS.md", "# Desk\n")
    desk("export", "--target", "codex")
    edited = Path("AGENTS.md").read_bytes().replace(b"pilots", b"captains")
    Path("AGENTS.md").write_bytes(edited)
    desk("export", "--target", "codex", option, *(["--force"] if option == "--remove" else []))
    published = Path("AGENTS.md").read_bytes()
    assert b"captains" not in published
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == edited
    assert "edited by hand" in desk("export", "--check", code=7).err
    assert ("captains" in desk("list", "--status", "candidate").out) == (option == "--take")
    desk("redo")
    assert Path("AGENTS.md").read_bytes() == published
    Path("AGENTS.md").write_bytes(published.replace(b"pilots", b"skippers") + b"more\n")
    if option != "--remove":
        assert "changed since" in desk("undo", code=4).err


def test_undo_brings_a_block_back_that_somebody_else_published(desk: Cli) -> None:
    desk("export", "--target", "codex")
    published = Path("AGENTS.md").read_bytes()
    desk.globals = ["--vault", str(desk.home / "mine.duckdb")]
    desk("add", "Fenders are checked on Mondays.")
    desk("export", "--target", "codex", "--remove")
    assert not Path("AGENTS.md").exists()
    desk("undo")
    assert Path("AGENTS.md").read_bytes() == published


def test_a_check_without_a_vault_passes_over_a_file_without_a_block_and_says_one_line(desk: Cli) -> None:
    desk.write("AGENTS.md", b"na\xefve\n")
    desk("export", "--check", code=3)
    desk.globals = ["--vault", str(desk.home / "none.duckdb")]
    assert desk("export", "--check", code=3).err.strip() == "No memtui block was found here."


def test_a_check_says_why_nothing_could_be_written_as_the_export_does(desk: Cli) -> None:
    desk("export", "--target", "codex")
    Path("AGENTS.md").write_bytes(Path("AGENTS.md").read_bytes() * 2)
    refused = desk("export", "--target", "codex", code=6).err
    assert "4 markers" in refused
    assert desk("export", "--check", code=7).err == f"AGENTS.md: {refused}"
    desk.globals = ["--vault", str(desk.home / "none.duckdb")]
    assert desk("export", "--check", code=7).err == f"AGENTS.md: {refused}"


def test_a_kill_between_two_files_that_are_published_again_leaves_both_as_they_were(desk: Cli) -> None:
    before = here()
    desk("export", "--target", "cursor")
    for path in here().keys() - before.keys():
        Path(path).unlink()
    done = subprocess.run([sys.executable, "-c", KILLED, "export", "--target", "cursor"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert len(here()) == len(before) + 1
    desk("export", "--check", code=7)
    assert here() == before


def test_a_link_of_a_nested_rule_file_leads_where_it_led_and_the_folder_is_named(desk: Cli) -> None:
    desk.write("dock/tides.md", "# Tides\n")
    desk.write("dock/AGENTS.md", "# Dock\n\n- **Always read** [the tides](./tides.md#low) before you moor a boat.\n")
    desk("import", "dock/AGENTS.md", "--active")
    desk("export", "--target", "codex")
    assert "[the tides](dock/tides.md#low)" in Path("AGENTS.md").read_text(encoding="utf-8")
    assert "In dock/: " in Path("AGENTS.md").read_text(encoding="utf-8")


def test_what_is_left_out_is_told_with_the_reason(desk: Cli) -> None:
    config = desk.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[context]\nbudget = "55"\n', encoding="utf-8")
    assert "1 memory left out: 1 over the budget of 55 tokens" in desk("export", "--target", "codex", "--dry-run").err
    assert desk("export", "--target", "codex", "--json").json["left_out_by"] == {"over budget": 1}


def _budget(desk: Cli, budget: str) -> None:
    config = desk.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[context]\nbudget = "{budget}"\nstyle = "compiled"\n', encoding="utf-8")


def test_what_a_person_ticks_goes_in_or_is_refused_by_name(desk: Cli) -> None:
    ids = sorted(one["id"] for one in desk("list", "--json").json)
    picked = ("export", "--target", "codex", "--where", f"id:{','.join(ids)}")
    _budget(desk, "55")
    before = here()
    refused = desk(*picked, code=6)
    assert "1 of 2 ticked memories does not fit" in refused.err
    assert "(over budget)" in refused.err
    assert "the budget is 55 tokens" in refused.err
    assert here() == before
    shown = desk(*picked, "--dry-run", "--json", code=6).json
    assert all(file["state"] == "refused" and not file["changed"] for file in shown["files"])
    _budget(desk, "1200")
    done = desk(*picked, "--json").json
    assert done["memories"] == len(ids)
    assert 0 < done["tokens"] <= 1200


def test_a_published_memory_is_whole_or_left_out_and_points_to_no_vault(desk: Cli) -> None:
    long = "\n\n".join(f"Buoy {number} is painted by the crew of boat {number * 7}." for number in range(60))
    desk("add", "--title", "Every buoy has a crew", long, "--kind", "architecture")
    for style_budget, is_in in (("600", False), ("4000", True)):
        _budget(desk, style_budget)
        shown = desk("export", "--target", "claude-md", "--json").json
        text = Path("CLAUDE.md").read_text(encoding="utf-8")
        assert "memtui show" not in text
        assert ("Buoy 59 is" in text) is is_in
        assert ("Buoy 1 is" in text) is is_in
        assert "harbour mouth" in text
        assert shown["left_out"] == int(not is_in)


def test_what_forbids_goes_in_before_what_is_short(desk: Cli) -> None:
    ban = "Never tow a barge through the inner lock while the tide gauge shows less than two metres at the outer gate."
    desk("add", ban, "--kind", "constraint")
    for word in ("bowline", "hitch", "splice", "clove", "sheet", "reef"):
        desk("add", f"Use a {word} knot.", "--kind", "convention")
    _budget(desk, "130")
    shown = desk("export", "--target", "codex", "--json").json
    text = Path("AGENTS.md").read_text(encoding="utf-8")
    assert shown["left_out"] > 0
    assert ban in text
    assert "never edit the generated ones" in text


def test_a_rule_for_paths_that_the_assistant_reads_itself_is_not_published_again(cli: Cli) -> None:
    cli.repository("desk")
    cli.patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    rule = "Berths in quay files are numbered from the harbour mouth"
    cli.write(".claude/rules/quay.md", f'---\npaths: ["quay/**"]\n---\n# Quay\n\n- {rule}.\n')
    cli("import", ".claude/rules/quay.md", "--active")
    cli("add", "Tide tables are printed on Mondays.")
    shown = cli("export", "--target", "claude-md", "--dry-run")
    assert "Tide tables" in shown.out
    assert rule not in shown.out
    assert "already loaded" in shown.err
    assert rule in cli("export", "--target", "codex", "--dry-run").out, "who does not read the folder is given it"


def test_what_a_target_reads_by_itself_makes_room_for_memories_that_are_less_useful(cli: Cli) -> None:
    cli.repository("desk")
    cli("add", "Tide tables are printed on Mondays.", "--kind", "note")
    rules = "\n".join(f"- Never moor a boat at berth {number}: pile {number * 7} is rotten." for number in range(130))
    cli.write("AGENTS.md", f"# Quay\n\n{rules}\n")
    cli("import", "AGENTS.md", "--active")
    shown = cli("export", "--target", "codex", "--dry-run")
    assert "Tide tables" in shown.out
    assert "outranked" not in shown.err


def test_undo_takes_away_the_folders_that_a_publication_made(desk: Cli) -> None:
    desk("export", "--target", "cursor")
    assert Path(".cursor/rules/memtui.mdc").is_file()
    desk("undo")
    assert not Path(".cursor").exists()
    desk.write(".cursor/rules/own.mdc", "mine\n")
    desk("export", "--target", "cursor")
    desk("undo")
    assert [path.name for path in Path(".cursor/rules").iterdir()] == ["own.mdc"], "a folder in use stays"


def test_a_correction_names_the_line_that_still_says_it_as_before(cli: Cli) -> None:
    root = cli.repository("quay")
    (root / "AGENTS.md").write_text(
        "# Quay\n\n- Always moor the ferry with two lines.\n- Never anchor in the fairway.\n", encoding="utf-8"
    )
    cli("import", ".", "--active")
    identifier = next(row["id"] for row in cli.all_rows() if "two lines" in row["insight"])
    cli("pin", identifier)
    assert "still says" not in cli("export", "--target", "codex", "--dry-run", code=(0, 3)).err
    cli("edit", identifier, "--text", "Always moor the ferry with four lines.")
    told = "AGENTS.md:3 still says what was changed here, and is read as well: change it there, too"
    assert told in cli("export", "--target", "codex", "--dry-run").err
    (file,) = cli("export", "--target", "codex", "--json").json["files"]
    assert file["notes"] == [told]
    assert told not in cli("export", "--target", "claude-md", "--dry-run", code=(0, 3)).err, (
        "it does not read AGENTS.md"
    )
