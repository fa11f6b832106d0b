"""Pastes: literal whatever stands in them, in one piece however they are read, with the count of what was taken out."""

from __future__ import annotations

import ast
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import child_environment
from textual import events

from memtui.text.sanitize import sanitise
from memtui.tui.textual_patches.input import LiteralPastes, Stripped

START, END = "\x1b[200~", "\x1b[201~"
COLOURED = "before [/x] \x1b[31mred\x1b[0m after 漢字"


def read(parts: Iterable[str]) -> list[tuple[str, object]]:
    """What a parser makes of what is read piece by piece."""
    parser = LiteralPastes()
    found: list[tuple[str, object]] = []
    for part in parts:
        for event in parser.feed(part):
            if isinstance(event, events.Paste):
                found.append(("paste", event.text))
            elif isinstance(event, Stripped):
                found.append(("stripped", event.number))
            elif isinstance(event, events.Key):
                found.append(("key", event.key))
    return found


def test_a_paste_with_escapes_is_one_text_between_the_keys_around_it_however_it_is_cut() -> None:
    data = f"a{START}{COLOURED}{END}b"
    expected = [("key", "a"), ("paste", "before [/x] red after 漢字"), ("stripped", 2), ("key", "b")]
    assert read([data]) == expected
    assert read(data) == expected, "a sign at a time"
    for place in range(1, len(data)):
        assert read([data[:place], data[place:]]) == expected, place


@pytest.mark.parametrize(
    ("pasted", "text", "number"),
    [
        ("", "", 0),
        (f"x{START}y{START}z", "xyz", 2),
        ("one\r\ntwo\tthree\rfour", "one\ntwo\tthree\nfour", 0),
        ("\x1b", "", 1),
        ("\x1b[20", "", 1),
        ("\x00\x07\x1b\x1b[2J" + "\x1b[201", "", 5),
        ("\x1b[<0;1;1M\x1b[A\x03q", "q", 3),
    ],
)
def test_whatever_stands_in_a_paste_is_no_key(pasted: str, text: str, number: int) -> None:
    stripped = [("stripped", number)] if number else []
    assert read([START + pasted + END]) == [("paste", text), *stripped]
    assert read(START + pasted + END) == [("paste", text), *stripped]


@given(st.text(st.sampled_from("a漢\x1b[]20~1;m\x07\r\n\t\x00"), max_size=60), st.integers(1, 9))
def test_any_text_comes_out_as_it_is_sanitised(pasted: str, size: int) -> None:
    if END in pasted + END[:-1]:
        return
    data = START + pasted + END + "b"
    found = read(data[place : place + size] for place in range(0, len(data), size))
    clean = sanitise(pasted)
    stripped = [("stripped", clean.removed)] if clean.removed else []
    assert found == [("paste", clean.text), *stripped, ("key", "b")]


def test_a_megabyte_is_one_paste() -> None:
    pasted = "x\x1b[31m" * 200_000
    data = START + pasted + END
    assert read(data[place : place + 4_096] for place in range(0, len(data), 4_096)) == [
        ("paste", "x" * 200_000),
        ("stripped", 200_000),
    ]


def test_keys_and_sequences_outside_of_pastes_are_read_as_ever() -> None:
    assert read(["\x1b[A", "\x1b[", "B", "q"]) == [("key", "up"), ("key", "down"), ("key", "q")]


APP = """
import sys
from pathlib import Path
from textual import events
from textual.app import App
from memtui.tui.textual_patches.input import Stripped, driver_taking_pastes

class Taking(App):
    def get_driver_class(self):
        return driver_taking_pastes(super().get_driver_class())
    def on_ready(self):
        Path(sys.argv[1]).write_text("ready", "utf-8")
    taken = {}
    def on_paste(self, event):
        self.take("paste", event.text)
    def on_stripped(self, event):
        self.take("stripped", event.number)
    def on_key(self, event):
        self.exit(return_code=3)
    def take(self, name, value):
        self.taken[name] = value
        if len(self.taken) == 2:
            Path(sys.argv[1]).write_text(repr(self.taken), "utf-8")
            self.exit()

app = Taking()
app.run()
sys.exit(app.return_code)
"""


def test_a_paste_reaches_the_app_in_a_real_terminal(tmp_path: Path) -> None:
    told = tmp_path / "told"
    ours, its = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", APP, str(told)],
            stdin=its,
            stdout=its,
            stderr=its,
            env={**child_environment(), "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(its)
        drawing = threading.Thread(target=_drain, args=(ours,), daemon=True)
        drawing.start()
        deadline = time.monotonic() + 60
        while not told.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert told.exists(), "the app never came up"
        os.write(ours, f"{START}{COLOURED}{END}".encode())
        assert process.wait(60) == 0
    finally:
        process.kill()
        os.close(ours)
    assert ast.literal_eval(told.read_text("utf-8")) == {"paste": "before [/x] red after 漢字", "stripped": 2}


def _drain(terminal: int) -> None:
    """Read what is drawn, so that drawing never waits."""
    try:
        while os.read(terminal, 65_536):
            pass
    except OSError:
        return  # the terminal is closed
