"""memtui's command in the files of hook managers: spliced into the text, held to what it must parse to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memtui.errors import RefusedError

_ENTRY: dict[str, Any] = {
    "repo": "local",
    "hooks": [
        {
            "id": "memtui-check",
            "name": "memtui check",
            "entry": "memtui check --staged",
            "language": "system",
            "pass_filenames": False,
            "always_run": True,
            "stages": ["pre-commit"],
        }
    ],
}
_ENTRY_LINES = """\
- repo: local
  hooks:
    - id: memtui-check
      name: memtui check
      entry: memtui check --staged
      language: system
      pass_filenames: false
      always_run: true
      stages: [pre-commit]
"""
_COMMAND = {"run": "memtui check --staged"}

_REPOS = re.compile(r"(?m)^repos:[ ]*(?:#[^\n]*)?\n")
_ITEM = re.compile(r"(?m)^(?P<indent> *)- ")
_SECTION = re.compile(r"(?m)^pre-commit:[ ]*(?:#[^\n]*)?\n")
_COMMANDS = re.compile(r"(?m)^(?P<indent> +)commands:[ ]*(?:#[^\n]*)?\n")
_MEMBER = re.compile(r"(?m)^(?P<indent> +)[^\s#]")


def with_pre_commit(path: Path, text: str, begin: str, end: str) -> str:
    """Return `.pre-commit-config.yaml` with memtui's hook as its last repository.

    `begin`, `end`: the comments around what is added.

    Raises `RefusedError`: the file cannot be parsed, or is laid out in another way.
    """
    settings = _parsed(path, text)
    found = _REPOS.search(text)
    if found is None:
        lines = f"repos:\n{_indented(_ENTRY_LINES, '  ')}"
        new = f"{_ended(text)}{_marked(lines, begin, end, '')}"
    else:
        item = _ITEM.search(text, found.end())
        indent = item["indent"] if item else "  "
        at = _block_end(text, found.end(), len(indent), is_list=True)
        new = f"{_ended(text[:at])}{_marked(_indented(_ENTRY_LINES, indent), begin, end, indent)}{text[at:]}"
    return _checked(path, new, {**settings, "repos": [*(settings.get("repos") or []), _ENTRY]})


def with_lefthook(path: Path, text: str, begin: str, end: str) -> str:
    """Return `lefthook.yml` with memtui's command among those before a commit; as above."""
    settings = _parsed(path, text)
    section = settings.get("pre-commit") or {}
    commands = (section.get("commands") or {}) if isinstance(section, dict) else {}
    wanted = {**settings, "pre-commit": {**dict(section), "commands": {**commands, "memtui": _COMMAND}}}
    found = _SECTION.search(text)
    if found is None:
        lines = "pre-commit:\n  commands:\n    memtui:\n      run: memtui check --staged\n"
        return _checked(path, f"{_ended(text)}{_marked(lines, begin, end, '')}", wanted)
    stop = _block_end(text, found.end(), 1)
    place = _COMMANDS.search(text, found.end(), stop)
    member = _MEMBER.search(text, found.end() if place is None else place.end(), stop)
    outer = "" if place is None else place["indent"]
    indent = member["indent"] if member and len(member["indent"]) > len(outer) else f"{outer}  "
    step = indent.removeprefix(outer) or "  "
    lines = f"memtui:\n{step}run: memtui check --staged\n"
    if place is None:
        lines = f"commands:\n{_indented(lines, step)}"
    at = found.end() if place is None else place.end()
    return _checked(
        path, f"{_ended(text[:at])}{_marked(_indented(lines, indent), begin, end, indent)}{text[at:]}", wanted
    )


def _parsed(path: Path, text: str) -> dict[str, Any]:
    import yaml

    try:
        settings = yaml.safe_load(text) or {}
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise RefusedError(f"The file cannot be parsed (line {line})", where=str(path)) from error
    if not isinstance(settings, dict):
        raise _unknown(path)
    return settings


def _checked(path: Path, text: str, wanted: dict[str, Any]) -> str:
    """Return the new text. Raises `RefusedError`: it does not parse to what was meant."""
    try:
        if _parsed(path, text) == wanted:
            return text
    except RefusedError:
        pass
    raise _unknown(path)


def _unknown(path: Path) -> RefusedError:
    return RefusedError("memtui cannot edit a file of this layout", where=str(path))


def _block_end(text: str, start: int, depth: int, *, is_list: bool = False) -> int:
    """Return where a block ends: after its last line that is indented as deep as its items, or deeper."""
    at = end = start
    for line in text[start:].splitlines(keepends=True):
        at += len(line)
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if indent < depth or (is_list and indent == depth and not line.lstrip().startswith("- ")):
            break
        end = at
    return end


def _indented(text: str, indent: str) -> str:
    return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _marked(lines: str, begin: str, end: str, indent: str) -> str:
    return f"{indent}{begin}\n{lines}{indent}{end}\n"
