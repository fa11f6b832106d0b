"""The keys of the line beside a save are free on every screen that it may stand on."""

from __future__ import annotations

import pytest

from memtui.tui.actions import registry
from memtui.tui.actions.table import BROWSE, DUE, EVERYWHERE, INBOX, RESEMBLING, REVIEW, TIDY


@pytest.mark.parametrize("screen", [BROWSE, DUE, INBOX, REVIEW, TIDY, EVERYWHERE])
def test_the_lines_keys_are_free(screen: str) -> None:
    mine = {key for action in registry.of_owners(RESEMBLING) for key in action.keys}
    assert mine.isdisjoint(key for action in registry.of_owners(screen) for key in action.keys)
