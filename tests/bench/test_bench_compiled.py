"""What compiling must not do, on made-up memories of each kind; `compiled_faults.py DIR…` tries real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import compiled_faults
from bench.compiled_faults import faults
from bench.yard import HOME_VARIABLES
from recall_story import memory

from memtui.pack.budget import Detail
from memtui.pack.compile import KEPT, Compiler
from memtui.recall.result import Task

SAMPLES = {
    "hard-wrapped lines": "Do not open the lock gates while a tug is\ninside the chamber, unless the harbour master\n"
    "has closed the sluice by hand. The chamber takes\n`lock --fill 9` minutes to fill. It was dug in 1931.",
    "a list below what forbids it": "Never on the bridge:\n\n- eat\n- whistle,\n  not even in fog\n\nIt is white.",
    "an exception in its own sentence": "Floats never hold money. Except in charts, where they may. Charts are SVG.",
    "an alternative": "Do not call the crane by radio. Instead, ring 412. The radio is shared with the ferry.",
    "a step that refers back": "Weigh the container. If it is over 30 t, call the yard. Otherwise, log it. Scales: 2.",
    "steps in order": "1. Close the valve\n2. Wait until `gauge` reads 0\n3. Open the hatch, never before\n\nNew.",
    "code below its lead": "Run the check only in the yard:\n\n```sh\nberth check --all\n```\n\nIt prints a line.",
    "headings": "### At sea\n- Never dive alone.\n\n### In harbour\n- Divers may work alone.\n- The water is 4 m deep.",
    "a rule in words of others": "Version 0 is never bumped by hand. Never bump it. The scale bumps crates.",
    "a table": "| Berth | Draught | Note |\n|---|---|---|\n| N1 | 9 m | never at ebb |\n| S2 | 6 m | any tide |",
    "abbreviations": "Moor heavy ships (e.g. Panamax, see fig. 3) only at N1. The quay, etc. is long. Ask Dr. Marsh.",
    "Deutsch": "Nimm am alten Kai z. B. keine Stahltaue. Es sei denn, der Lotse verlangt es. Der Kai ist von 1931.",
    "français": "Ne jamais ouvrir les deux portes. Sinon la chambre déborde. La chambre date de 1931.",
    "español": "Nunca abras las dos compuertas. De lo contrario se inunda la cámara. La cámara es de 1931.",
    "português": "Nunca abra as duas comportas. Caso contrário a câmara inunda. A câmara é de 1931.",
    "中文": "不要同时打开两个闸门。除非引航员在场。闸室建于1931年。",
    "日本語": "二つの水門を同時に開けないこと。ただし水先人がいる場合は除く。閘室は1931年に造られた。",
}


@pytest.mark.parametrize("detail", KEPT)
@pytest.mark.parametrize("task", ["", "open the gates", "how deep is the water", "moor a heavy ship"])
@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_compiling_cuts_no_sentence_and_loses_no_negation(text: str, task: str, detail: Detail) -> None:
    one = memory("aaaaaaaa", "Harbour rules", text, rationale="The tug sank twice. It was not insured.")
    told = Compiler.for_task(Task(task)).compiled(one, detail=detail)
    assert faults(one, told) == []


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("cut", "Do not open the gates while\na tug is inside. Lamps burn.", "Do not open the gates while."),
        ("cut", "Weigh the crate because the scale drifts.", "Weigh the crate."),
        ("limit", "Nobody dives. Except for divers.", "Nobody dives."),
        ("lead", "Never on the bridge:\n- eat\n- sleep", "eat. sleep."),
        ("dangling", "Close the valve. It floods the chamber.", "It floods the chamber."),
        ("rule", "The quay is old. Always use two ropes.", "The quay is old."),
        (
            "rule",
            "Ropes are used twice. Never use it. It is wet, never dry.",
            "Ropes are used twice. It is wet, never dry.",
        ),
    ],
)
def test_each_fault_is_found(kind: str, text: str, told: str) -> None:
    one = memory("aaaaaaaa", "Harbour", text)
    found = faults(one, memory("aaaaaaaa", "Harbour", told))
    assert kind in {fault.kind for fault in found}


def test_any_folder_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in HOME_VARIABLES:  # the import sets them; they go back after the test
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("# Harbour\n\nNever open the lock gates while\na tug is inside.\n", "utf-8")
    compiled_faults.main([str(folder)])
    assert "harbour: 4 compiled memories, faults: none" in capsys.readouterr().out
