"""How memtui is wired into an assistant, in words that every layer shares."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """Whose configuration is changed."""

    USER = "user"
    PROJECT = "project"


class Use(StrEnum):
    """What a hook is for."""

    START = "start"
    PROMPT = "prompt"
    COMMAND = "command"
    FILE = "file"
    END = "end"


class Part(StrEnum):
    """What memtui installs."""

    SERVER = "server"
    HOOKS = "hooks"
    SKILL = "skill"


class Wiring(StrEnum):
    """The state of a part; the values are part of `--json`."""

    ABSENT = "absent"
    INSTALLED = "installed"
    PARTIAL = "partial"  # some of the events are missing
    MOVED = "moved"  # it runs another memtui than this one
    BROKEN = "broken"  # what it runs does not exist
    OFF = "off"  # the assistant's settings switch it off
    UNTRUSTED = "untrusted"  # it waits until the user accepts it in the assistant
    UNREADABLE = "unreadable"  # the file cannot be parsed


class Answer(StrEnum):
    """What calling an installed part came to; the values are part of `--json`."""

    WORKS = "works"
    SLOW = "slow"  # it works, but the assistant would not have waited so long
    GARBLED = "garbled"  # something else than its answer stands on stdout
    FAILED = "failed"  # it ended with an error, or cannot be started
    SILENT = "silent"  # no answer in time
