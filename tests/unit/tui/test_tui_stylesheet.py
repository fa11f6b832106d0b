"""The style sheet that is kept: no text is parsed twice under one theme, and another theme has its own colours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from textual.css.parse import parse

from memtui.tui.textual_patches.display import KeptStylesheet

TEXT = "#kept-once { color: $ferry; }"


def test_a_text_is_parsed_once_for_each_theme_whoever_has_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counting(scope: str, text: str, *arguments: Any, **values: Any) -> Iterable[Any]:
        parsed.append(text)
        return parse(scope, text, *arguments, **values)

    monkeypatch.setattr("textual.css.stylesheet.parse", counting)
    colours = []
    for colour in ("#ff0000", "#0000ff", "#ff0000"):
        sheet = KeptStylesheet(variables={"ferry": colour})
        sheet.add_source(TEXT, read_from=("here", ""))
        colours.append(sheet.rules[0].styles.color.hex.lower())
    assert colours == ["#ff0000", "#0000ff", "#ff0000"]
    assert parsed == [TEXT, TEXT]

    sheet.set_variables({"ferry": "#0000ff"})
    sheet.reparse()
    assert sheet.rules[0].styles.color.hex.lower() == "#0000ff"
    assert parsed == [TEXT, TEXT]
