"""README and docs/ describe what there is: every command, option, key, setting, format, target and view."""

from __future__ import annotations

import argparse
import importlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from types import FunctionType

import pytest
from scripts.reference import PARTS, regenerated

from memtui import config
from memtui.capture.readers.registry import READERS
from memtui.cli.parsing import full_parser
from memtui.cli.registry import COMMANDS
from memtui.pack.targets.formats import target_names
from memtui.tui.actions.registry import ACTIONS
from memtui.vault.sql_query import STABLE_VIEWS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("name", PAGES)
def test_the_generated_parts_are_those_of_the_code(name: str) -> None:
    assert regenerated(PAGES[name]) == PAGES[name], "run `python tests/scripts/reference.py`"


def test_every_generated_part_is_in_one_page() -> None:
    text = "".join(PAGES.values())
    assert {name: text.count(f"<!-- {name}:begin -->") for name in PARTS} == dict.fromkeys(PARTS, 1)


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    children = [
        child
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for child in action.choices.values()
    ]
    return [parser, *(found for child in children for found in _parsers(child))]


def test_every_command_and_option_is_described() -> None:
    page = PAGES["commands.md"]
    for command in COMMANDS:
        assert f"\n### `memtui {command.name}" in page, command.name
    options = {
        name for parser in _parsers(full_parser()) for action in parser._actions for name in action.option_strings
    }
    for option in options - {"-h", "--help"}:
        assert re.search(rf"`{option}\b", page), option


def test_every_action_of_the_app_is_listed_by_its_id() -> None:
    for action in ACTIONS:
        assert f"| `{action.id}` |" in PAGES["keys.md"], action.id


def test_every_setting_is_in_the_table_with_its_default() -> None:
    for section in config.SECTIONS:
        for field in fields(getattr(config.Config(), section)):
            default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default).lower()
            assert f"| `{section}.{field.name}` | `{default}` |" in PAGES["configuration.md"], f"{section}.{field.name}"


def test_every_source_format_and_target_is_named() -> None:
    for name in (*(reader.format for reader in READERS), *target_names()):
        assert f"`{name}`" in PAGES["formats.md"], name


def test_the_views_of_sql_are_listed_with_their_columns() -> None:
    for view, columns in STABLE_VIEWS.items():
        assert f"| `{view}` | {', '.join(columns)} |" in PAGES["sql.md"]


def test_the_readme_opens_with_a_picture_and_two_commands_and_stays_short() -> None:
    assert README.startswith("![")
    assert len(re.findall(r"^```sh$", README, re.MULTILINE)) == 2
    assert len(README.splitlines()) <= 250


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(f"docs/{name}" for name in PAGES)])
def test_every_link_within_the_repository_leads_somewhere(page: str) -> None:
    path = ROOT / page
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", path.read_text(encoding="utf-8")):
        linked = path.parent / target if target else path
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, f"{target}#{anchor}"


ARCHITECTURE = PAGES["architecture.md"]
_FILE = re.compile(r"[\w./-]+\.(?:py|toml|txt|tcss|sql|md)|[\w-]+(?:/[\w-]+)*/")
_PLACES = (ROOT / "memtui", ROOT / "tests", ROOT)


def _spans(line: str) -> list[str]:
    return re.findall(r"`([^`]+)`", line)


def _named_files(line: str) -> dict[str, Path | None]:
    """Return the files and folders that a line names; a bare name lies beside another one, or in its package."""
    names = [span for span in _spans(line) if _FILE.fullmatch(span) and "NNNN" not in span]
    beside = [ROOT / "memtui" / name for name in names if name.endswith("/")]
    found: dict[str, Path | None] = {}
    for name in names:
        within = [child for folder in beside for child in (folder, *folder.glob("*/"))]
        near = _PLACES if "/" in name.rstrip("/") else (*_PLACES, *within)
        found[name] = next((folder / name for folder in near if (folder / name).exists()), None)
        if (path := found[name]) is not None:
            beside.append(path.parent)
    return found


def test_every_file_that_the_architecture_names_is_there() -> None:
    lines = ARCHITECTURE.splitlines()
    missing = [name for line in lines for name, path in _named_files(line).items() if path is None]
    assert missing == []


def _rows_of_changes() -> Iterator[tuple[str, str, str]]:
    """Yield (what, where, test) of the tables of what to change where."""
    for line in ARCHITECTURE.partition("## Where to add or change")[2].splitlines():
        if line.startswith("| ") and not line.startswith("| what |"):
            what, where, test = line.strip("| ").split(" | ")
            yield what, where, test


_ROWS = list(_rows_of_changes())


@pytest.mark.parametrize(
    ("what", "where", "test"), [pytest.param(*row, id=f"{number} {row[0]}") for number, row in enumerate(_ROWS)]
)
def test_a_change_is_made_in_names_that_are_there_and_has_a_test(what: str, where: str, test: str) -> None:
    paths = [path for path in _named_files(where).values() if path is not None]
    files = [file for path in paths for file in (path.glob("*.py") if path.is_dir() else [path])]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    names = {part for span in _spans(where) if not _FILE.fullmatch(span) for part in re.findall(r"[A-Za-z_]\w+", span)}
    given = {"NNNN_name", "sql", "docs", "kinds", "memtui", "vault", "migrations"}
    assert {name for name in names - given if not re.search(rf"\b{name}\b", texts)} == set(), what
    assert all(name.startswith(("unit/", "flows/")) for name in _spans(test)), what
    assert _spans(test), what


def test_the_drawing_of_the_layers_is_the_import_contract() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    drawing = ARCHITECTURE.split("```")[1].strip("\n").splitlines()
    # Each line: where it belongs, its packages, what they are, with wide gaps between these.
    drawn = [re.findall(r"\w+(?=/|\.py)|\|", re.split(r" {3,}", line[12:])[0]) for line in drawing]
    assert drawn == [re.findall(r"(?<=memtui\.)\w+|\|", layer) for layer in layers]


def _names(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in re.findall(r"`(memtui(?:\.[A-Za-z_]\w*)+)`", text)}


def _is_there(name: str) -> bool:
    """Return whether a dotted name is a module, or something that one defines."""
    parts = name.split(".")
    for at in range(len(parts), 1, -1):
        module = ".".join(parts[:at])
        try:
            found: object = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        for part in parts[at:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        is_elsewhere = isinstance(found, type | FunctionType) and found.__module__ != module
        return at == len(parts) or not is_elsewhere
    return False


def test_every_name_of_the_code_that_a_text_points_to_is_there() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "memtui").rglob("*.py"))
    assert sorted(name for name in _names((*sources, README, *PAGES.values())) if not _is_there(name)) == []
    assert not _is_there("memtui.pack.budget.Detial")
    assert not _is_there("memtui.pack.relevance.is_asked_for"), "it is only imported there"
