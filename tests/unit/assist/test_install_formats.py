"""Whatever a configuration file holds, it is edited exactly or refused; nothing else happens."""

from __future__ import annotations

import inspect
import json
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui import locations
from memtui.assist.install import toml_table
from memtui.assist.install.assistants import assistants
from memtui.assist.install.command import Program, powershell_line, runs_memtui, shell_line
from memtui.assist.install.json_editor import Editor
from memtui.assist.install.jsonc import Dialect, parse
from memtui.errors import MemtuiError

LENIENT = Dialect(comments=True, trailing_commas=True)
_NOISE = st.text(st.sampled_from('{}[]:,"\\/*\n\r\t eE+-.019atruefalsn{}[]\u2028\ufeffé'), max_size=40)


@given(_NOISE)
def test_what_is_parsed_as_json_is_what_python_parses(text: str) -> None:
    try:
        found = parse(text).value
    except MemtuiError:
        return
    assert found == (json.loads(text) if text.strip() else {})


@given(_NOISE)
def test_what_json_accepts_is_not_refused(text: str) -> None:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        if len({key for key, _ in items}) < len(items):
            raise ValueError("a key stands twice")
        return dict(items)

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return
    assert parse(text).value == value


@given(_NOISE, st.sampled_from([("mcpServers", "memtui"), ("mcp", "memtui")]))
def test_a_lenient_file_is_edited_exactly_or_refused(text: str, path: tuple[str, ...]) -> None:
    try:
        editor = Editor(text, LENIENT)
        before = editor.value
        editor.put(path, {"command": "x"})
    except MemtuiError:
        return
    assert editor.get(path) == {"command": "x"}
    editor.remove(path)
    assert editor.value == before or before.get(path[0]) == {}


@given(st.text(st.sampled_from('[]=."#\n\r\t {}ax1,\\'), max_size=40))
def test_a_toml_file_is_edited_exactly_or_refused(text: str) -> None:
    path = ("mcp_servers", "memtui")
    try:
        edited = toml_table.put(text, path, {"command": "x"})
        back = toml_table.remove(edited, path)
    except MemtuiError:
        return
    assert edited.startswith(text)
    assert tomllib.loads(back) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{ // note\n "m": 1\n}', ("m",), "{ // note\n}"),
        ('{"a": 1, // note\n "m": 1, "x": 2}', ("m",), '{"a": 1, // note\n  "x": 2}'),
        ('{\n  "a": 1, // n\n  "m": 1 // ours\n}', ("m",), '{\n  "a": 1 // n // ours\n}'),
        ('{"l": [ // kept\n 1]}', ("l", 0), '{"l": [ // kept\n ]}'),
        ('{"m": 1,}', ("m",), "{}"),
        ('{"a": 1 /* z */, "m": 1 /* y */}', ("m",), '{"a": 1 /* z */ /* y */}'),
    ],
)
def test_comments_stay_where_an_entry_goes(text: str, path: tuple[str | int, ...], left: str) -> None:
    editor = Editor(text, LENIENT)
    editor.remove(path)
    assert editor.text == left


def test_an_error_names_line_and_column() -> None:
    with pytest.raises(MemtuiError, match="line 2, column 9"):
        parse('{\n  "a": 1,}')


@pytest.mark.parametrize(
    ("entry", "is_ours"),
    [
        ("/opt/memtui hook SessionStart --assistant codex", True),
        ("'/opt/my tools/memtui' hook SessionStart", True),
        ("& 'C:/Users/Jo Doe/memtui.exe' 'hook' 'Stop'", True),
        ({"command": "C:\\Users\\Jo\\memtui.EXE", "args": ["hook", "Stop"]}, True),
        ({"bash": "/usr/bin/python3 -m memtui hook x"}, True),
        (["/opt/memtui", "hook"], True),
        ("/opt/memtui mcp", False),
        ("other-memtui hook", False),
        ("echo memtui hook", False),
        ("memtui 'unclosed", False),
        ({"command": ["a"], "args": 3}, False),
        (7, False),
    ],
)
def test_an_entry_is_recognised_by_what_it_runs(entry: object, is_ours: bool) -> None:
    assert runs_memtui(entry, "hook") is is_ours


def test_a_path_with_blanks_and_quotes_reaches_the_shell_whole() -> None:
    program = Program(("/home/o'neil/my tools/memtui",))
    assert runs_memtui(shell_line(program.argv("hook", "Stop")), "hook")
    assert powershell_line(program.argv("hook")) == "& '/home/o''neil/my tools/memtui' 'hook'"


def test_a_run_from_a_cache_is_told_apart() -> None:
    assert Program(("/home/ada/.cache/uv/archive-v0/x1/bin/memtui",)).is_ephemeral
    assert not Program(("/home/ada/.local/share/uv/tools/memtui/bin/memtui",)).is_ephemeral


def test_every_assistant_says_what_is_left_to_do_and_what_it_loads() -> None:
    assert len(assistants()) == 14
    for assistant in assistants().values():
        assert assistant.steps, assistant.name
        assert assistant.loads, assistant.name
        assert assistant.server.place.user, assistant.name


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_head_inside_a_long_text_is_no_table(quotes: str) -> None:
    path = ("mcp_servers", "memtui")
    text = f"note = {quotes}\nold:\n[mcp_servers.memtui]\ncommand = 1\n[x]\n{quotes} # [a]\n[c]\nd = '[b]'\n"
    edited = toml_table.put(text, path, {"command": "x"})
    assert toml_table.put(edited, path, {"command": "x"}) == edited
    assert toml_table.put(edited, path, {"command": "y"}) == edited.replace('command = "x"', 'command = "y"')
    assert toml_table.remove(edited, path) == text


def test_a_table_of_an_older_memtui_gets_the_keys_that_are_new() -> None:
    old = "[mcp_servers.memtui] # ours\ncommand = 'x'\n\n[b]\nc = 1\n"
    new = toml_table.put(old, ("mcp_servers", "memtui"), {"command": "x", "names": ["A"]})
    assert new == old.replace("ours\n", 'ours\nnames = ["A"]\n')


def test_codex_hands_on_the_variables_by_which_memtui_finds_its_files() -> None:
    read = set(re.findall(r'environ\.get\("(\w+)"', inspect.getsource(locations)))
    xdg = {f"XDG_{name}_HOME" for name in ("CONFIG", "DATA", "STATE")}
    assert len(read) == 3
    assert read | xdg | {"MEMTUI_INCOGNITO"} == set(assistants()["codex"].server.entry["env_vars"])
