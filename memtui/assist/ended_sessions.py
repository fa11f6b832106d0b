"""Capture of what hooks noted: sessions that ended, wherever their transcripts lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.assist.spool import Spool
from memtui.capture.proposals.run import CaptureReport, CaptureRequest, capture
from memtui.domain.identity import Actor
from memtui.progress import ProgressCallback
from memtui.vault.vault import Vault


def with_noted(vault: Vault, request: CaptureRequest) -> CaptureRequest:
    """Return a request that reads what hooks noted too."""
    # Copilot CLI and OpenCode name no file: their sessions are found where they usually lie.
    noted = [(one.assistant, Path(one.path)) for one in Spool(vault.path).transcripts() if "\0" not in one.path]
    return replace(request, noted=[(name, path) for name, path in noted if path.is_absolute() and path.name])


def capture_noted(
    vault: Vault,
    request: CaptureRequest,
    *,
    actor: Actor,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> CaptureReport:
    """Capture, and forget what hooks noted once all of it was read; parameters and errors as for `capture`."""
    spool = Spool(vault.path)
    noted = spool.transcripts()
    report = capture(vault, with_noted(vault, request), actor=actor, dry_run=dry_run, progress=progress)
    if request.is_whole and not dry_run and not report.is_cancelled:
        spool.take_transcripts(noted)
    return report
