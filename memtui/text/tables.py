"""Tables of words and patterns, kept as TOML or plain text beside the modules that read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_table(module_file: str, name: str) -> dict[str, Any]:
    """Return a TOML file that lies beside a module, parsed once.

    `module_file`: `__file__` of the module. `name`: the name of the file, e.g. `injection.toml`.
    """
    import tomllib

    return tomllib.loads(Path(module_file).with_name(name).read_text(encoding="utf-8"))


def compile_lines(text: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """Return the pattern that a table holds over several lines, joined without their line ends."""
    return re.compile(text.replace("\n", ""), flags)


def fill(pattern: str, parts: Mapping[str, str]) -> str:
    """Return a pattern of a table with the parts that it names in braces."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return pattern


def read_lines(module_file: str, name: str) -> list[str]:
    """Return the lines of a text file beside a module, without comments and empty ones: quicker to read than TOML."""
    lines = Path(module_file).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_words(module_file: str, name: str) -> frozenset[str]:
    """Return the words of a text file beside a module, without its comment lines."""
    return frozenset(word for line in read_lines(module_file, name) for word in line.split())
