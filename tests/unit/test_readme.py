"""The README speaks of what there is: every command, option and setting."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from memtui import config
from memtui.capture.readers.registry import READERS
from memtui.cli.reference import written_into

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_references_are_those_of_the_code() -> None:
    assert "<!-- reference:begin -->" in README
    assert "<!-- keys:begin -->" in README
    assert written_into(README) == README, "run `python -m memtui.cli.reference`"


def test_every_setting_is_in_the_table_with_its_default() -> None:
    for section in config.SECTIONS:
        for field in fields(getattr(config.Config(), section)):
            default = f'"{field.default}"' if isinstance(field.default, str) else str(field.default).lower()
            assert f"| `{section}.{field.name}` | `{default}` |" in README, f"{section}.{field.name}"


def test_every_source_format_is_named() -> None:
    for reader in READERS:
        assert f"`{reader.format}`" in README, reader.format


def test_it_opens_with_a_picture_and_two_commands() -> None:
    assert README.startswith("![")
    picture = re.match(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert picture
    assert (Path(__file__).parents[2] / picture[1]).is_file()
    assert README.count("](.readme/") >= 2
    assert len(re.findall(r"^```sh$", README, re.MULTILINE)) == 2


def test_the_views_of_sql_stand_with_their_columns() -> None:
    from memtui.vault.sqlquery import STABLE_VIEWS

    for view, columns in STABLE_VIEWS.items():
        assert f"| `{view}` | {', '.join(columns)} |" in README
