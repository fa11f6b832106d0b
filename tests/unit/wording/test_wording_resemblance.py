"""What a user reads when a new memory resembles another: how, and the command to run."""

from __future__ import annotations

import pytest
from support import make_memory

from memtui.analysis.resemblance import Resemblance, Sort
from memtui.wording.outcomes import LONGEST_RESEMBLING, resembles

NEW = make_memory(id="aaaaaaaa")


@pytest.mark.parametrize(
    ("sort", "command"),
    [
        ("same", "memtui merge bbbbbbbb aaaaaaaa"),
        ("differs", "memtui link aaaaaaaa relates bbbbbbbb"),
        ("clashes", "memtui link aaaaaaaa supersedes bbbbbbbb"),
    ],
)
def test_a_resemblance_is_one_line_with_its_command(sort: Sort, command: str) -> None:
    line = resembles(NEW, Resemblance("bbbbbbbb", "Lock refunds", sort, 0.9, "30 s against 60 s"))
    assert "\n" not in line
    assert "similar to bbbbbbbb (Lock refunds; " in line
    assert command in line


def test_a_quotation_that_is_cut_is_closed() -> None:
    new = make_memory(id="aaaaaaaa")
    why = "“Postgres 16 in every environment that we run” against “Postgres 14 in every environment that we run”"
    line = resembles(new, Resemblance("bbbbbbbb", "A title", "clashes", 0.9, why))
    assert line.count("“") == line.count("”") == 2
    assert "“Postgres 14 in every" in line
    assert "…”" in line
    assert len(line.split("; ", 1)[1].split("):", 1)[0]) <= LONGEST_RESEMBLING
