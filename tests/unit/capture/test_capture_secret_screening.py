"""A secret in a file takes out its own line and leaves its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import bring_with_plan, new_vault, outcome
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.draft import Draft
from memtui.capture.secret_screening import LEFT_OUT, without_secret_lines
from memtui.domain.memory import Memory, Source
from memtui.vault.filters import MemoryFilter
from memtui.vault.text_search import secrets_in
from memtui.vault.vault import Vault

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq9\n" * 3 + "-----END RSA PRIVATE KEY-----"


def draft(text: str, title: str = "Shop: Setup") -> Draft:
    source = Source(format="claude-md", path="CLAUDE.md", span=(10, 10 + text.count("\n")), native_id="Shop > Setup")
    return Draft(title=title, insight=text, kind="tooling", source=source)


@pytest.mark.parametrize(
    ("text", "rest", "lines"),
    [
        (f"1. Install it\n2. Log in with {TOKEN}\n3. Run it", "1. Install it\n3. Run it", [11]),
        (f"- One rule\n- A token\n  is {TOKEN}\n  here\n- Another", "- One rule\n- Another", [11]),
        (f"- One rule\n  - {TOKEN}\n  - nested\n- Another", "- One rule\n  - nested\n- Another", [11]),
        (f"| a | b |\n|---|---|\n| x | {TOKEN} |\n| y | z |", "| a | b |\n|---|---|\n| y | z |", [12]),
        (
            f"Deploys are on Tuesday.\nAPI_TOKEN={TOKEN}\nRoll back then",
            "Deploys are on Tuesday.\nRoll back then",
            [11],
        ),
        (f"Words that wrap\nround {TOKEN} and\non. Keep this?\n\nYes, keep it.", "Yes, keep it.", [10]),
        (f"Run it:\n```sh\nexport T={TOKEN}\nmake db\n```", "Run it:\n```sh\nmake db\n```", [12]),
        (f"Keep the vault shut.\n\n```sh\nexport T={TOKEN}\n```", "Keep the vault shut.", [13]),
        (f"Keep the vault shut.\n\n{KEY}\n\nAsk Ada.", "Keep the vault shut.\n\nAsk Ada.", [12]),
    ],
)
def test_only_what_holds_the_secret_goes(text: str, rest: str, lines: list[int]) -> None:
    found = without_secret_lines(draft(text), ())
    assert found is not None
    kept, skipped = found
    assert kept.insight == rest
    assert [one.span for one in skipped] == [(line, line) for line in lines]
    assert all("looks like a secret (" in one.reason and "--allow-secret" in one.reason for one in skipped)
    assert kept.notes == (LEFT_OUT,)


@pytest.mark.parametrize(
    "whole",
    [
        draft(f"The token is {TOKEN}"),
        draft(f"Some words about it:\n\n- {TOKEN}"),
        draft("- One rule\n- Another", title=f"Log in with {TOKEN}"),
        draft(f"- One rule\n- {TOKEN}", title=f"Log in with {TOKEN}"),
    ],
)
def test_what_is_nothing_without_its_secret_stays_out(whole: Draft) -> None:
    assert without_secret_lines(whole, ()) is None


def test_a_persons_own_pattern_counts_too() -> None:
    found = without_secret_lines(draft("- One rule\n- Ask corp-1234567\n- Another"), [("corp", r"corp-\d+")])
    assert found is not None
    assert found[0].insight == "- One rule\n- Another"


@given(st.lists(st.sampled_from(["- a rule", "", "Words.", "```", f"x {TOKEN}", "a: b", "| c |", f"K={TOKEN}", KEY])))
def test_no_secret_is_ever_kept_and_no_line_made_up(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = without_secret_lines(draft(text), ())
    if found is not None:
        assert not secrets_in(found[0])
        assert set(found[0].insight.split("\n")) <= {*text.split("\n"), ""}


def stored(vault: Vault) -> list[Memory]:
    with vault.read() as reader:
        return reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())


def test_the_neighbours_of_a_secret_are_imported_and_known_again(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "vault")
    file = tmp_path / "shop" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_text(f"# Shop\n\n## Setup\n\n1. Install it\n2. Log in with {TOKEN}\n3. Run `make db`\n", "utf-8")
    plan, report = bring_with_plan(vault, file)
    (memory,) = stored(vault)
    assert memory.insight == "Setup:\n\n1. Install it\n3. Run `make db`"
    assert report.flagged == [(memory.id, (LEFT_OUT,))]
    (row,) = [row for row in report.skipped if "secret" in row["reason"]]
    assert (Path(row["path"]).name, row["line"]) == ("CLAUDE.md", 6)
    assert TOKEN not in str(plan)
    assert outcome(bring_with_plan(vault, file)[1]) == (0, 0, 1, 0)
    file.write_text(file.read_text("utf-8").replace("make db", "make database"), "utf-8")
    assert outcome(bring_with_plan(vault, file)[1]) == (0, 1, 0, 0), "an edit beside the secret is an edit"
    assert [one.insight for one in stored(vault)] == ["Setup:\n\n1. Install it\n3. Run `make database`"]
    allowed = bring_with_plan(vault, file, allow_secret=True)[1]
    assert outcome(allowed) == (0, 1, 0, 0)
    assert TOKEN in stored(vault)[0].insight
