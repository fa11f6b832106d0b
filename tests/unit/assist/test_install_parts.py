"""Installing adds memtui's entries and nothing else; uninstalling gives back the very bytes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.assist.install.assistants import Assistant, assistant_named, assistants
from memtui.assist.install.command import Program
from memtui.assist.install.parts import ConfigFile, without_ours
from memtui.assist.install.plan import Wishes, config_files
from memtui.assist.installed import Installed
from memtui.assist.splice import TextFile
from memtui.domain.wiring import Scope

PROGRAM = Program(("/opt/tools/memtui",))
MOVED = Program(("/usr/bin/python3", "-m", "memtui"), vault="/data/vault.duckdb")
WRITTEN = [assistant for assistant in assistants().values() if assistant.is_written]
JSON_FILES = [
    (assistant, place) for assistant in WRITTEN for place in ("server", "hooks") if assistant.server.format == "json"
]

_KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=8)
_LEAVES = st.none() | st.booleans() | st.integers(-9, 10**15) | st.sampled_from([0.5, 1e-9]) | _KEYS
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8
)
_FOREIGN_HANDLER = {"type": "command", "command": "other-tool hook SessionStart", "timeout": 5}
_FOREIGN = {
    "mcpServers": st.fixed_dictionaries({}, optional={"other": st.just({"command": "npx", "args": ["-y", "thing"]})}),
    "mcp": st.fixed_dictionaries({}, optional={"other": st.just({"type": "remote", "url": "https://tool.example"})}),
    "hooks": st.fixed_dictionaries(
        {},
        optional={
            "SessionStart": st.lists(st.just({"hooks": [_FOREIGN_HANDLER]}), max_size=2),
            "PostToolUse": st.lists(st.just({"matcher": "Edit", "hooks": [_FOREIGN_HANDLER]}), max_size=1),
            "sessionStart": st.lists(st.just(_FOREIGN_HANDLER), max_size=2),
            "Stop": st.just([{"hooks": [_FOREIGN_HANDLER]}]),
        },
    ),
    "version": st.just(1),
}


@st.composite
def _settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of somebody: memtui's places may be there, with entries of others, or empty."""
    values = draw(st.dictionaries(_KEYS, _VALUES, max_size=3))
    return {**values, **draw(st.fixed_dictionaries({}, optional=_FOREIGN))}


def _written(draw: st.DrawFn, value: Any, indent: str, dialect: Any, depth: int = 0) -> str:
    """Write a value as people do: with comments, commas and blanks wherever the program accepts them."""
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    pad, comment = indent * (depth + 1), st.sampled_from(["", "", " // a, note }", " /* one, { more */"])
    is_object = isinstance(value, dict)
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    lines = []
    for key, item in inner:
        head = f"{json.dumps(key)}: " if is_object else ""
        lines.append(pad + head + _written(draw, item, indent, dialect, depth + 1))
    text = "{\n" if is_object else "[\n"
    for at, line in enumerate(lines):
        is_last = at == len(lines) - 1
        comma = "," if not is_last or (dialect.trailing_commas and draw(st.booleans())) else ""
        note = draw(comment) if dialect.comments else ""
        text += (
            f"{line}{comma}{note}" if draw(st.booleans()) or not note.startswith(" /*") else f"{line}{note}{comma}"
        ) + "\n"
    if dialect.comments and draw(st.booleans()):
        text += f'{pad}// "last": "words"\n'
    return text + indent * depth + ("}" if is_object else "]")


def _file(assistant: Assistant, place: str) -> ConfigFile:
    files = config_files(assistant, Scope.USER, Path("/"), PROGRAM, Wishes())
    return next(file for file in files if (file.server if place == "server" else file.hooks) and file.whole is None)


@st.composite
def _config(draw: st.DrawFn) -> tuple[ConfigFile, bytes, bool]:
    """A file of an assistant, its bytes, and whether it is written as people do (else on one line)."""
    assistant = draw(st.sampled_from([one for one in WRITTEN if one.server.format == "json"]))
    place = (
        "server"
        if assistant.hooks and assistant.hooks.shape == "plugin"
        else draw(st.sampled_from(["server", "hooks"]))
    )
    config = _file(assistant, place)
    values = draw(_settings())
    dialect = config.server.dialect if config.server else config.hooks.dialect if config.hooks else None
    if is_wide := draw(st.booleans()):
        text = _written(draw, values, draw(st.sampled_from(["  ", "    ", "\t", ""])), dialect)
    else:
        text = json.dumps(values, separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    data = text.replace("\n", "\r\n").encode() if draw(st.booleans()) else text.encode()
    return config, (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + data, is_wide


@given(_config())
def test_entries_come_and_go_and_all_else_keeps_its_bytes(drawn: tuple[ConfigFile, bytes, bool]) -> None:
    config, data, _ = drawn
    before = TextFile(config.path, data)
    after = TextFile(config.path, config.put(before, PROGRAM))
    assert config.put(after, PROGRAM) == after.data  # twice is once
    assert without_ours(config.values(after)) == {**_base(config), **without_ours(config.values(before))}
    assert set(config.handlers(after)) == {event.name for event in config.events}
    assert _is_in(_signs(before), _signs(after))
    back = config.strip(after, None)
    if back is None:
        assert without_ours(config.values(before)) in ({}, _base(config)), "only a file that is memtui's own goes"
        return
    gone = TextFile(config.path, back)
    assert without_ours(config.values(gone)) == without_ours(config.values(after))
    is_odd = any(config.empty_containers(data)) or not config.values(before)
    if not is_odd and _base(config).keys() <= config.values(before).keys():
        assert back == data, "without the record, too, the bytes are those of before"


def _base(config: ConfigFile) -> dict[str, Any]:
    return dict(config.hooks.base) if config.hooks else {}


def _signs(file: TextFile) -> str:
    return re.sub(r"\s", "", file.text)


def _is_in(part: str, whole: str) -> bool:
    """Return whether all characters of a text stand in another one, in their order."""
    rest = iter(whole)
    return all(sign in rest for sign in part)


@given(_config())
def test_a_moved_program_is_brought_up_to_date_in_its_place(drawn: tuple[ConfigFile, bytes, bool]) -> None:
    config, data, _ = drawn
    old = TextFile(config.path, config.put(TextFile(config.path, data), MOVED))
    new = TextFile(config.path, config.put(old, PROGRAM))
    assert {key: [place for place, _ in found] for key, found in config.handlers(old).items()} == {
        key: [place for place, _ in found] for key, found in config.handlers(new).items()
    }
    assert "python3" not in str(config.handlers(new)) + str(config.server_entry(new))
    assert without_ours(config.values(new)) == without_ours(config.values(old))


_TOML_LINES = st.lists(
    st.sampled_from(
        [
            'model = "o9"  # "the [one]',
            "# [mcp_servers.memtui] in a comment",
            '[mcp_servers.other]\ncommand = "npx" # why\nargs = [\n  "-y",\n  "thing",\n]',
            '[mcp_servers.other.env]\nKEY = "[mcp_servers.x]"',
            '[projects."/w/tide pool"]\ntrust_level = "trusted"',
            '[[profiles]]\nname = "a"',
            "",
        ]
    ),
    unique=True,
    max_size=6,
).filter(lambda lines: not any(line.startswith("model") for line in lines[1:]))


@given(_TOML_LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_table_of_toml_comes_and_goes(lines: list[str], newline: str, ends: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    config = _codex()
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    data = text.replace("\n", newline).encode()
    after = TextFile(config.path, config.put(TextFile(config.path, data), PROGRAM))
    assert (after.data or b"").startswith(data)
    assert config.put(after, PROGRAM) == after.data
    assert config.server_entry(after).items() >= {"command": "/opt/tools/memtui", "args": ["mcp"]}.items()
    moved = TextFile(config.path, config.put(after, MOVED))
    assert config.server_entry(moved)["args"] == ["-m", "memtui", "mcp", "--vault", "/data/vault.duckdb"]
    back = config.strip(moved, None) or b""
    assert back == data or (not ends and back.rstrip() == data.rstrip())


def test_a_comment_that_somebody_wrote_into_a_file_that_memtui_made_stays() -> None:
    for assistant in (one for one in WRITTEN if one.server.dialect.comments):
        config = _file(assistant, "server")
        made = config.put(TextFile(config.path, None), PROGRAM)
        record = Installed(str(config.path), assistant.name, without=None, after="")
        assert config.strip(TextFile(config.path, made), record) is None
        for commented in (made.rstrip()[:-1] + b"// ask Kim first\n}\n", b"// ask Kim first\n" + made):
            assert b"ask Kim first" in (config.strip(TextFile(config.path, commented), record) or b"")


def _codex() -> ConfigFile:
    files = config_files(assistants()["codex"], Scope.USER, Path("/"), PROGRAM, Wishes())
    return next(file for file in files if file.server)


@pytest.mark.parametrize("assistant", WRITTEN, ids=lambda one: one.name)
def test_every_event_passes_the_assistant_and_a_time_limit_of_two_seconds(assistant: Assistant) -> None:
    assert assistant.hooks is not None
    for config in config_files(assistant, Scope.USER, Path("/"), PROGRAM, Wishes(commands=True)):
        text = (config.put(TextFile(config.path, None), PROGRAM)).decode()
        if not config.hooks:
            continue
        assert all(event.name in text for event in assistant.hooks.events)
        assert re.search(f'--assistant(?:"?,? *\n? *"?| ){assistant.name}', text)
        assert re.findall(r'(?:timeout|timeoutSec)": (\d+)', text) or "LIMIT_MS = 2000" in text
        assert set(re.findall(r'(?:timeout|timeoutSec)": (\d+)', text)) <= {"2", "2000"}


def test_the_files_that_an_assistant_reads_are_named_where_its_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    claude = assistant_named("claude-code")
    assert claude.loads_here == claude.loads
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert f"`{tmp_path}/moved/CLAUDE.md`" in claude.loads_here[0]
    assert claude.loads_here[1:] == claude.loads[1:]
