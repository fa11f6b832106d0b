"""The README speaks of what there is: every command, option and setting."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from memtui import config
from memtui.capture.readers.registry import READERS
from memtui.cli.reference import reference

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_command_reference_is_that_of_the_code() -> None:
    found = re.search(r"<!-- reference:begin -->\n(.*)<!-- reference:end -->", README, re.DOTALL)
    assert found
    assert found[1].strip() == reference().strip(), "run `python -m memtui.cli.reference` and paste it into the README"


def test_every_setting_is_in_the_table_with_its_default() -> None:
    for section in ("context", "review", "recall", "vault"):
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
    assert len(re.findall(r"^```sh$", README, re.MULTILINE)) == 2
