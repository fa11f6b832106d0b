"""What is typed and not saved: kept beside the vault while one types, offered again after an end nobody asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, runtime_checkable

from textual.app import App

from memtui.errors import MemtuiError
from memtui.text.words import counted
from memtui.vault.lease import drafts_file, drafts_files

_LARGEST_BYTES = 64 << 20

Drafts = dict[str, dict[str, str]]
"""Texts by field, by the memory whose form they are of, empty for a new one; of other screens see `ELSEWHERE`."""

LOOK_SECONDS = 0.5  # How often what is typed is looked at
ELSEWHERE = ":"  # Starts the name of what is no form of a memory


@runtime_checkable
class Unsaved(Protocol):
    """A screen or a part of one into which more than a filter is typed."""

    def unsaved(self) -> Mapping[str, Mapping[str, str]]:
        """Return what is typed and not saved, as `Drafts`."""


def typed_before(app: object, key: str) -> dict[str, str]:
    """Return what was typed under a name before the app was ended, once; empty where that is nothing."""
    keeper = getattr(app, "draft_keeper", None)
    return keeper.elsewhere.pop(key, {}) if isinstance(keeper, DraftKeeper) else {}


class DraftKeeper:
    """Writes what is typed beside the vault, and offers it again.

    `forms`: the forms that were left unsaved, by memory: texts by field, or what has them as `changed`; what was typed
    before is added.

    Attributes:
        elsewhere: what was typed outside of forms before an end that nobody asked for, until it is asked for.
    """

    def __init__(self, app: App[Any], vault: Path, forms: dict[str, object]) -> None:
        self._app = app
        self._vault = vault
        self._forms = forms
        self.elsewhere: Drafts = {}
        self._lock = Lock()
        self._kept: Drafts = {}
        self._has_ended = False

    def begin(self) -> str:
        """Take what was typed before, and keep what is typed from now on; returns what to tell, empty for nothing."""
        before = take_drafts(self._vault)
        self.elsewhere = {key: fields for key, fields in before.items() if key.startswith(ELSEWHERE)}
        self._forms.update({key: fields for key, fields in before.items() if key not in self.elsewhere})
        self._app.set_interval(LOOK_SECONDS, self._look)
        if not before:
            return ""
        if self.elsewhere:
            return f"memtui was ended with {counted(len(before), 'unsaved text')}: it is back where you typed it."
        forms = counted(len(before), "unsaved form")
        return f"memtui was ended with {forms}: a, or e on the memory, brings back what you typed."

    @property
    def unsaved(self) -> Drafts:
        """What is typed and not saved, on all screens that are open, and what is still to be offered."""
        forms = {key: getattr(form, "changed", form) for key, form in self._forms.items()}
        found = {key: fields for key, fields in forms.items() if isinstance(fields, dict)} | self.elsewhere
        for screen in self._app.screen_stack:
            for one in (screen, *screen.query("*")):
                if isinstance(one, Unsaved):
                    for key, fields in one.unsaved().items():
                        found[key] = found.get(key, {}) | dict(fields)
        return found

    def _look(self) -> None:
        """Write what is typed and not saved, where that is something else than before."""
        drafts = self.unsaved
        if drafts != self._kept:
            self._app.run_worker(partial(self._keep, drafts), thread=True, group="drafts", exit_on_error=False)

    def _keep(self, drafts: Drafts) -> None:
        with self._lock:
            if not self._has_ended and keep_drafts(self._vault, drafts):
                self._kept = drafts

    def end(self, *, is_wanted: bool) -> None:
        """Write what is typed a last time; where a person ends the app, leave nothing."""
        with self._lock:
            keep_drafts(self._vault, {} if is_wanted else self.unsaved)
            self._has_ended = True


def keep_drafts(vault: Path, drafts: Mapping[str, Mapping[str, str]]) -> bool:
    """Write drafts beside the vault, readable for their owner alone; returns whether they are kept.

    A disk that takes nothing more is no reason to stay: whoever ends the app does not wait.
    """
    with suppress(MemtuiError, OSError, ValueError):
        from memtui.publish.files import write_atomically

        file = drafts_file(vault)
        if not drafts:
            file.unlink(missing_ok=True)
            return True
        text = json.dumps({key: dict(fields) for key, fields in drafts.items()}, ensure_ascii=False)
        write_atomically(file, text.encode(errors="surrogatepass"), mode=0o600)
        return True
    return False


def take_drafts(vault: Path) -> Drafts:
    """Return the drafts of apps that were ended, and make them this one's.

    What cannot be read as drafts stays where it is, and so does what is typed in another app that is open.
    """
    taken: Drafts = {}
    files = [file for file in drafts_files(vault) if not _is_open_elsewhere(file)]
    read = {file: found for file in files if (found := _read(file))}
    for found in read.values():
        taken.update(found)
    if taken and keep_drafts(vault, taken):
        for file in read.keys() - {drafts_file(vault)}:
            with suppress(OSError):
                file.unlink()
    return taken


def _read(file: Path) -> Drafts:
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return {}
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: fields for key, fields in found.items() if _are_texts(fields)} if isinstance(found, dict) else {}


def _are_texts(fields: object) -> bool:
    return isinstance(fields, dict) and all(isinstance(text, str) for text in fields.values())


def _is_open_elsewhere(file: Path) -> bool:
    """Return whether another process that is running keeps its drafts in a file; not known on Windows."""
    owner = file.suffix.removeprefix(".")
    if not owner.isdecimal() or int(owner) == os.getpid() or sys.platform == "win32":
        return False
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    try:
        return b"memtui" in Path(f"/proc/{owner}/cmdline").read_bytes()
    except OSError:
        return True  # a system without it: the number may be another's by now, and then it waits
