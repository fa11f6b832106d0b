"""What a command will need, loaded in threads while its modules are imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from memtui.cli.registry import BY_NAME

_READING = frozenset({"Memories", "Recall", "Curate", "History"})
"""Groups of commands that open the vault as it is."""

_RECALLING = frozenset({"search", "context"})
"""Commands that compare a task with memories by meaning."""


def begin(argv: Sequence[str]) -> None:
    """Begin what a command line will need; what turns out to be for nothing ends with the process.

    Args:
        argv: the words of the command line, not checked yet: what they get wrong is not told here.
    """
    loaded = sys.modules.get("memtui.embedding.engine")
    if loaded is not None:
        # Another command ran in this process before; its model may not be that of now.
        loaded.drop_begun()
    command = next((BY_NAME[word] for word in argv if word in BY_NAME), None)
    if command is None or command.group not in _READING or not {"-h", "--help"}.isdisjoint(argv):
        return
    from memtui.vault.connection import warm_up

    warm_up()
    if command.name not in _RECALLING or "--fast" in argv or not _may_have_words(argv, command.name):
        return
    if _vault_exists(argv):
        from memtui.embedding.engine import begin_opening

        begin_opening(_configured_model)
        if command.name == "context":
            _begin_counting()


def _may_have_words(argv: Sequence[str], command: str) -> bool:
    """Return whether a word after the command can be a task: it is no option, and not the value of one."""
    after = list(argv)[list(argv).index(command) + 1 :]
    before = ["", *after]
    return any(
        not word.startswith("-") and (not last.startswith("--") or "=" in last)
        for last, word in zip(before, after, strict=False)
    )


def _vault_exists(argv: Sequence[str]) -> bool:
    """Return whether there is a vault: without one there is nothing to compare with."""
    from pathlib import Path

    from memtui import locations
    from memtui.vault.vault import vault_file

    words = list(argv)
    named = next((word.removeprefix("--vault=") for word in words if word.startswith("--vault=")), "")
    if "--vault" in words[:-1]:
        named = words[words.index("--vault") + 1]
    try:
        return vault_file(Path(named).expanduser() if named else locations.default_vault()).is_file()
    except (OSError, ValueError, RuntimeError):
        # A name that no file can have is told by whoever opens it.
        return False


def _configured_model() -> str:
    from memtui import locations
    from memtui.config import load_config

    return load_config(locations.config_file()).embedding.model


def _begin_counting() -> None:
    """Load the token counter of payloads in a thread."""
    from threading import Thread

    def load() -> None:
        from memtui import locations
        from memtui.config import load_config
        from memtui.errors import MemtuiError
        from memtui.text.token_count import get_counter

        try:
            get_counter(load_config(locations.config_file()).context.encoding)
        except MemtuiError:
            # Whoever counts is told what is wrong.
            return

    Thread(target=load, name="tokens", daemon=True).start()
