"""What tests of the vault's files share."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from memtui.vault import subprocess_probe
from memtui.vault.subprocess_probe import ChildReport


@pytest.fixture
def probed_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probe vault files in this process, for tests whose files are whole: to start one takes 0.3 s of a processor."""

    def run_here(module: str, *arguments: str) -> ChildReport:
        assert module == "memtui.vault.subprocess_probe"
        with redirect_stdout(io.StringIO()) as printed:
            subprocess_probe.main(list(arguments))
        return ChildReport(subprocess_probe._parse(printed.getvalue().encode()), "")

    monkeypatch.setattr(subprocess_probe, "run_child", run_here)
