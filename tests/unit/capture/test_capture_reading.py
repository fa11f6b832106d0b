"""The texts of `tests/reading` are read as a person would: how they are cut, titles, kinds, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from reading.checks import CHECKS, Text, failing, imported, texts

from memtui.capture.importer import SourcesRead

TEXTS = {text["name"]: text for text in texts()}
FAILING = failing()


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], SourcesRead]:
    """Return what reads a text by its name; each is read once for all checks."""
    return cache(lambda name: imported(TEXTS[name], tmp_path_factory.mktemp(name)))


def case(check: str, text: Text) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=text["trouble"])] if text["name"] in FAILING[check] else []
    return pytest.param(check, text["name"], id=f"{check}-{text['half']}-{text['name']}", marks=marks)


@pytest.mark.parametrize(("check", "name"), [case(check, text) for check in CHECKS for text in TEXTS.values()])
def test_a_text_is_read_as_a_person_would(check: str, name: str, reading: Callable[[str], SourcesRead]) -> None:
    CHECKS[check](TEXTS[name], reading(name))


def test_every_text_has_its_own_name_and_every_name_that_fails_is_one() -> None:
    assert len(TEXTS) == len(texts()) >= 60
    assert set(FAILING) == set(CHECKS)
    assert {name for names in FAILING.values() for name in names} <= set(TEXTS)
