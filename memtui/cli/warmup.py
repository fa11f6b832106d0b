"""Load in threads what a command will need, while its modules are imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.cli.registry import BY_NAME

if TYPE_CHECKING:
    from memtui.config import Config


def begin(argv: Sequence[str]) -> None:
    """Start loading what a command line will need; what turns out to be unused ends with the process.

    Args:
        argv: the words of the command line, not checked yet: mistakes in them are not reported here.
    """
    loaded = sys.modules.get("memtui.embedding.engine")
    if loaded is not None:
        # Another command ran in this process before; its model may be another.
        loaded.drop_begun()
    command = next((BY_NAME[word] for word in argv if word in BY_NAME), None)
    reads = command is not None and command.group in {"Memories", "Recall", "Curate", "History"}
    if command is None or not reads or not {"-h", "--help"}.isdisjoint(argv):
        return
    from memtui.vault.connection import warm_up

    warm_up()
    if command.name not in {"search", "context"} or "--fast" in argv or not _may_have_words(argv, command.name):
        return
    if _vault_exists(argv):
        from memtui.embedding.engine import begin_opening

        begin_opening(lambda: _config().embedding.model)
        if command.name == "context":
            _begin_counting()


def _may_have_words(argv: Sequence[str], command: str) -> bool:
    """Return whether a word after the command can be a task: it is neither an option nor the value of one."""
    after = list(argv)[list(argv).index(command) + 1 :]
    return any(
        not word.startswith("-") and (not last.startswith("--") or "=" in last)
        for last, word in zip(["", *after], after, strict=False)
    )


def _vault_exists(argv: Sequence[str]) -> bool:
    """Return whether there is a vault: without one there is nothing to compare with."""
    from pathlib import Path

    from memtui import locations
    from memtui.vault.lease import vault_file

    words = list(argv)
    named = next((word.removeprefix("--vault=") for word in words if word.startswith("--vault=")), "")
    if "--vault" in words[:-1]:
        named = words[words.index("--vault") + 1]
    try:
        return vault_file(Path(named).expanduser() if named else locations.default_vault()).is_file()
    except (OSError, ValueError, RuntimeError):
        return False  # an impossible name is reported when the vault is opened


def _config() -> Config:
    from memtui import locations
    from memtui.config import load_config

    return load_config(locations.config_file())


def _begin_counting() -> None:
    """Load the token counter of payloads in a thread."""
    from contextlib import suppress
    from threading import Thread

    def load() -> None:
        from memtui.errors import MemtuiError
        from memtui.text.token_count import get_counter

        with suppress(MemtuiError):  # reported when tokens are counted
            get_counter(_config().context.encoding)

    Thread(target=load, name="tokens", daemon=True).start()
