"""The scorecard of `yard.py` names what a made-up repository was given to be found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import yard
from bench.yard_faults import fragment_faults, is_expected, is_loaded, lines_lost, title_faults

AGENTS = """\
# Harbour office

Never open the lock gates while a tug is inside the chamber.

- Log every berth change in the harbour book before the crane moves.
- Weigh containers twice: the first scale drifts in the cold.

### Correct: two ropes

```sh
moor --ropes 2
```
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in yard.HOME_VARIABLES:  # `score` sets them; they go back after the test
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "harbour"
    (folder / ".kiro" / "steering").mkdir(parents=True)
    (folder / "AGENTS.md").write_text(AGENTS, encoding="utf-8")
    (folder / ".kiro" / "steering" / "product.md").write_text("Tugs are booked by radio.\n", encoding="utf-8")
    return folder


def test_a_scorecard_counts_what_an_import_makes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, sample = repository.parent / "scores.json", repository.parent / "sample.jsonl"
    yard.main([str(repository), "--json", str(scores), "--sample", "2", str(sample)])
    (card,) = json.loads(scores.read_text(encoding="utf-8"))
    assert card["memories"] == len(card["details"]) == sum(card["kinds"].values()) > 1
    assert card["sources"]["AGENTS.md"]
    assert (card["lost"], card["again"], card["foreign"]) == ([], 0, 0)
    assert f"harbour: {card['memories']} memories" in capsys.readouterr().out
    rows = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2
    assert {"path", "lines", "heading", "title", "insight", "kind", "why"} <= rows[0].keys()
    assert "faults" not in rows[0]


@pytest.mark.parametrize(
    ("title", "fault"),
    [
        ("Weigh every container before it is …", "cut"),
        ("Correct: two ropes", "label"),
        ("Hinweis", "label"),
        ("`moor --ropes 2`", "code"),
        ("git push --tags", "code"),
        ("Cranes", "short"),
        ("Step 2: raise the flag", "numbered"),
        ("See the tide tables", "pointer"),
        ("Weigh every container twice", ""),
        ("潮が引くまで水門を開けない", ""),
    ],
)
def test_a_bad_title_is_named(title: str, fault: str) -> None:
    assert set(title_faults(title)) & {fault} if fault else not list(title_faults(title))


@pytest.mark.parametrize(
    ("insight", "fault"),
    [
        ("Tie up like this:", "colon"),
        ("```sh\nmoor --ropes 2\n```", "code"),
        ("See [the tide tables](tides.md).", "pointer"),
        ("The northern quay", "no-verb"),
        ("It drifts in the cold.", "hanging"),
        ("and the pilot leaves last", "mid-sentence"),
        ("Weigh every container twice.", ""),
        ("門を開ける前に潮を確認する。", ""),
    ],
)
def test_a_text_that_does_not_hold_by_itself_is_named(insight: str, fault: str) -> None:
    assert set(fragment_faults(insight)) & {fault} if fault else not list(fragment_faults(insight))


def test_lines_in_no_memory_and_no_report_are_lost() -> None:
    lines = ["- Log every berth change.", "", "- Weigh containers twice.", "> Told as left out", "```"]
    assert lines_lost(lines, [((1, 3), "Log every *berth* change")], [(4, 4)]) == [3]
    parted = [((1, 1), "Tugs wait at the lower gate."), ((1, 1), "Ferries pass at noon.")]
    assert lines_lost(["- Tugs wait at the lower gate. Ferries pass at noon."], parted, []) == []


def test_a_file_counts_as_loaded_by_its_exact_name_and_place() -> None:
    assert all(map(is_loaded, ("AGENTS.md", "web/CLAUDE.md", ".cursor/rules/a/b.mdc", "docs/adr/0001-tugs.md")))
    assert not any(
        map(
            is_loaded,
            ("docs/agents.md", "docs/rules/style.md", ".cursor/rules/plain.md", "src/claude.py", "docs/adr/README.md"),
        )
    )
    assert is_expected(".kiro/steering/product.md")
    assert not is_expected("tests/fixtures/AGENTS.md")
