"""What a user relies on about what may reach a payload: no secret, and nothing unconfirmed unless asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pack_story import packed
from recall_story import memory, story_vault

from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.pack.build import Pack
from memtui.recall.result import Task
from memtui.vault.vault import Vault

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LEAKY = memory("leakyone", "Deploy with the release token", f"The release token is {TOKEN} for deploys.")
SAFE = memory("safesafe", "Deploy on Tuesdays", "Deploy the release on Tuesdays.")
WAITING = memory("waitings", "Deploy from main", "Deploy the release from main.", status="candidate")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return story_vault(tmp_path, [LEAKY, SAFE, WAITING], [])


def build(vault: Vault, **more: Any) -> Pack:
    return packed(vault, Task("deploy the release token"), **more)


def ids(pack: Pack) -> set[str]:
    return {one.memory.id for one in pack.included}


def test_a_memory_with_a_secret_stays_out_and_says_which_rule_found_it(vault: Vault) -> None:
    pack = build(vault)
    assert TOKEN not in pack.payload
    assert ids(pack) == {"safesafe"}
    reasons = {one.id: one.reason for one in pack.withheld}
    assert reasons["leakyone"].code is ReasonCode.SECRET
    assert reasons["leakyone"].names
    assert TOKEN not in str(reasons)


def test_a_person_may_have_it_masked_or_sent(vault: Vault) -> None:
    masked = build(vault, secrets="mask")
    assert ids(masked) == {"safesafe", "leakyone"}
    assert TOKEN not in masked.payload
    assert "[secret: " in masked.payload
    assert TOKEN in build(vault, secrets="allow").payload


def test_putting_it_in_by_hand_does_not_send_a_secret(vault: Vault) -> None:
    assert TOKEN not in build(vault, with_ids=["leakyone"]).payload


def test_ones_own_patterns_count(vault: Vault) -> None:
    pack = build(vault, secret_patterns=[("weekday", "Tuesdays")])
    assert "safesafe" not in ids(pack)
    assert pack.abstained == Reason(ReasonCode.ALL_SECRET)


def test_an_unknown_choice_is_refused(vault: Vault) -> None:
    with pytest.raises(UsageError, match="withhold, mask, allow"):
        build(vault, secrets="hide")


def test_what_waits_in_the_inbox_comes_only_if_asked_and_is_marked(vault: Vault) -> None:
    assert {one.id: one.reason for one in build(vault).withheld}["waitings"] == Reason(ReasonCode.UNCONFIRMED)
    pack = build(vault, unconfirmed=True)
    assert "waitings" in ids(pack)
    assert "Not confirmed by a person" in pack.payload
    assert "waitings" not in {one.id for one in pack.withheld}
