"""Writes the generated parts of docs/ from the code: `python tests/scripts/reference.py`.

A generated part stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`; NAME is a key of `PARTS`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from memtui.assist.install.assistants import Assistant
from memtui.assist.install.assistants import assistants as known_assistants
from memtui.assist.install.command import Program
from memtui.assist.install.plan import server_pastes
from memtui.assist.mcp.tools import TOOLS
from memtui.cli.parsing import Parser, command_parser
from memtui.cli.registry import COMMANDS
from memtui.config import default_text
from memtui.curate.query import FIELDS, FLAGS
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.wiring import Scope
from memtui.pack.targets.formats import target_named, target_names
from memtui.tui.actions.registry import ACTIONS, SCREENS, Keymap, about, all_words
from memtui.vault.sql_query import STABLE_VIEWS
from memtui.wording.publishing import SCOPE_WORDS, USE_WORDS

DOCS = Path(__file__).parents[2] / "docs"
_GLOBAL = {"vault", "project", "actor", "json", "help"}


def commands() -> str:
    """A section per group, a subsection per command, a line per option."""
    lines: list[str] = []
    for group, members in groupby(COMMANDS, key=attrgetter("group")):
        lines += [f"## {group}", ""]
        for command in members:
            parser = command_parser(command)
            lines += [f"### `memtui {command.name}{_positionals(parser)}`", "", _sentence(command.help), ""]
            rows = [*_options(parser), *_actions(parser)]
            lines += [*rows, ""] if rows else []
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _positionals(parser: argparse.ArgumentParser) -> str:
    words = []
    for action in parser._actions:
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):
            name = str(action.metavar or action.dest)
            words.append({"+": f"{name}…", "*": f"[{name}…]", "?": f"[{name}]"}.get(str(action.nargs), name))
    return "".join(f" {word}" for word in words)


def _options(parser: argparse.ArgumentParser, indent: str = "") -> Iterator[str]:
    for action in parser._actions:
        names = [name for name in action.option_strings if name.startswith("--")]
        if names and action.dest not in _GLOBAL:
            value = f" {action.metavar}" if action.metavar and action.nargs != 0 else ""
            yield f"{indent}- `{names[0]}{value}`: {action.help}"


def _actions(parser: Parser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in action._choices_actions}
            for name, child in action.choices.items():
                yield f"- `{parser.prog} {name}{_positionals(child)}`: {helps.get(name, '')}"
                yield from _options(child, "  ")


def keys() -> str:
    """A table per screen or pane, with the id by which `[keys]` remaps an action."""
    keymap = Keymap()
    lines: list[str] = []
    for owner, actions in groupby(sorted(ACTIONS, key=attrgetter("owner")), key=attrgetter("owner")):
        rows = (
            (" ".join(f"`{key}`" for key in keymap.shown(action).split()) or "palette", action.title, f"`{action.id}`")
            for action in actions
        )
        purpose = about(owner).purpose
        lines += [f"## {owner}", "", *([purpose, ""] if purpose else []), _table(("key", "action", "id"), rows)]
    return "\n".join(lines)


def words() -> str:
    """What words and marks mean, those of all screens first."""
    lines = [_table(("on every screen", "meaning"), ((f"`{word}`", meaning) for word, meaning in all_words().items()))]
    for area in SCREENS:
        own = [(f"`{word}`", meaning) for word, meaning in about(area).words if all_words().get(word) != meaning]
        lines += [_table((f"in {area}", "meaning"), own)]
    return "\n".join(lines)


def settings() -> str:
    """Every key of the file that `memtui config init` writes."""
    rows: list[tuple[str, ...]] = []
    section, comment = "", ""
    for line in default_text().splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = heading[1]
        elif line.startswith("#["):
            break
        elif value := re.fullmatch(r"#(\w+) = (.*)", line):
            rows.append((f"`{section}.{value[1]}`", f"`{value[2]}`", comment))
        comment = line.removeprefix("# ").removesuffix(".")
    return _table(("key", "default", "meaning"), rows)


def queries() -> str:
    """Every field and flag of the query language."""
    rows = [*FIELDS.items(), *FLAGS.items()]
    return _table(("part", "meaning"), ((f"`{name}`", meaning) for name, meaning in rows))


def kinds() -> str:
    """The built-in kinds with tier and half-life."""
    rows = ((f"`{kind.name}`", kind.tier, f"{kind.half_life_days:g} days") for kind in DEFAULT_KINDS.values())
    return _table(("kind", "tier", "half-life"), rows)


def targets() -> str:
    """Every target with its limit, the safety margin of its token count, and the formats that it loads by itself."""
    rows = []
    for target in map(target_named, target_names()):
        loads = ", ".join(f"`{name}`" for name in sorted(target.loads))
        rows.append((f"`{target.name}`", target.label, target.limit or "", f"{target.margin:.0%}", loads))
    return _table(("target", "written for", "limit", "margin", "loads automatically"), rows)


def views() -> str:
    """Every view of `memtui sql` with its columns."""
    return _table(("view", "columns"), ((f"`{view}`", ", ".join(columns)) for view, columns in STABLE_VIEWS.items()))


def assistants() -> str:
    """A section per assistant: what it loads automatically, what is installed where, what is left to do, removal."""
    lines: list[str] = []
    for assistant in known_assistants().values():
        lines += [f"## {assistant.title}", "", "Loaded automatically:", ""]
        lines += [*(f"- {words}" for words in assistant.loads), "", f"Limit: {assistant.limit}.", ""]
        lines += list(_installed(assistant)) if assistant.is_written else list(_pasted(assistant))
    return "\n".join(lines)


def _installed(assistant: Assistant) -> Iterator[str]:
    hooks, server = assistant.hooks, assistant.server
    if hooks is None:
        return
    yield f"`memtui install {assistant.name}` writes:"
    yield ""
    places = [("MCP server", f"`{'.'.join(server.at)}`", server.place), ("hooks", "", hooks.place)]
    if hooks.shape == "plugin":
        places[1] = ("hooks", "a plugin of its own", hooks.place)
    if assistant.skill is not None:
        places.append(("skill (`--skill`, instead of the server)", "", assistant.skill))
    rows = ((what, at, _paths(assistant, place.user), _paths(assistant, place.project)) for what, at, place in places)
    yield _table(("what", "where in the file", "`--user` (default)", "`--project`"), rows)
    events = (
        (f"`{one.name}`", f"`{one.matcher}`".replace("|", "\\|") if one.matcher else "", USE_WORDS[one.use])
        for one in hooks.events
    )
    yield _table(("event", "of", "what memtui does"), events)
    yield from ("Then:", "", *(f"- {step}" for step in assistant.steps), "")
    yield f"`memtui uninstall {assistant.name}` removes it. By hand: delete the entries that run `memtui`."
    yield ""


def _pasted(assistant: Assistant) -> Iterator[str]:
    yield f"`memtui install {assistant.name}` prints these lines, with the path of your memtui, to paste:"
    for scope, place in ((Scope.USER, assistant.server.place.user), (Scope.PROJECT, assistant.server.place.project)):
        if place:
            yield f"- {SCOPE_WORDS[scope]}: {_paths(assistant, place)}"
    paste = next(server_pastes(assistant, Program(("/path/to/memtui",)), Scope.USER))
    yield from (
        "",
        "```",
        paste.lines.rstrip(),
        "```",
        "",
        *assistant.steps,
        "",
        "To remove it, delete these lines.",
        "",
    )


def _paths(assistant: Assistant, names: tuple[str, ...]) -> str:
    """Return file names as people write them, an existing one of several first."""
    shown = [name.replace("@", f"~/{assistant.folder}") for name in names]
    return " or ".join(f"`{name}`" if "/" in name or " " not in name else name for name in shown)


def tools() -> str:
    """Every tool of the MCP server, with its profile and what it takes."""
    lines: list[str] = []
    for tool in TOOLS:
        takes = (
            f"`{name}`{'' if name in tool.required else '?'} ({_schema(schema)})"
            for name, schema in tool.arguments.items()
        )
        hints = ", ".join(
            [
                "read-only" if tool.read_only else "destructive" if tool.destructive else "adds",
                *(["idempotent"] if tool.idempotent else []),
            ]
        )
        lines += [f"### `{tool.name}`", "", tool.description, ""]
        lines += [f"- From profile `{tool.profile}`; {hints}.", f"- Takes {', '.join(takes)}."]
        lines += [f"- Answers {', '.join(f'`{name}`' for name in tool.results)}.", ""]
    return "\n".join(lines)


def _schema(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "items" in schema:
        return f"list of at most {schema['maxItems']}"
    if "maxLength" in schema:
        return f"text, at most {schema['maxLength']:,} characters"
    if "maximum" in schema:
        return f"{schema['minimum']:,} to {schema['maximum']:,}"
    return str(schema["type"])


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heading, ("---",) * len(heading), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "keys": keys,
    "words": words,
    "settings": settings,
    "queries": queries,
    "kinds": kinds,
    "targets": targets,
    "views": views,
    "assistants": assistants,
    "tools": tools,
}


def regenerated(text: str) -> str:
    """Return a page with its generated parts as the code has them now."""
    for name, make in PARTS.items():
        start, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, found, rest = text.partition(start)
        if found:
            text = f"{before}{start}{make().rstrip()}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    for page in DOCS.glob("*.md"):
        page.write_text(regenerated(page.read_text(encoding="utf-8")), encoding="utf-8")
