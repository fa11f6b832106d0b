"""Opening the terminal app."""

from __future__ import annotations

import argparse
import gc

from memtui import locations
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE
from memtui.vault.vault import Vault


def open_app(arguments: argparse.Namespace, start: str = "list", vault: Vault | None = None) -> int:
    """Open the app and return its exit code once the person leaves it.

    Args:
        arguments: the parsed command line.
        start: `list`, or `due` for what is due for review.
        vault: another vault than the chosen one, e.g. the demo's copy; it gets no daily backup.
    """
    from memtui.recall.resident import ResidentMeaning
    from memtui.tui.app import MemtuiApp
    from memtui.tui.launch_options import Opening

    # The command line runs without it; an app that stays open needs it.
    gc.enable()
    session = Session(arguments)
    opened = vault or session.vault
    opening = Opening(
        vault=opened,
        folder=session.folder,
        project=session.project,
        actor=session.actor,
        threshold=session.config.review.threshold,
        recall=session.config.recall,
        before_change=session.back_up_daily if vault is None else lambda: None,
        start="due" if start == "due" else "list",
        kinds=_kinds(arguments, session) if start == "due" else (),
        most=getattr(arguments, "size", None) if start == "due" else None,
        daily=session.config.review.daily,
        weekly=session.config.review.weekly,
        keys=dict(session.config.keys),
        theme=session.config.app.theme,
        # A demo starts as it is for everybody, and leaves nothing behind.
        state_path=locations.state_folder() / "app.json" if vault is None else None,
        context=session.config.context,
        meaning=ResidentMeaning(opened, session.config.embedding.model),
        secret_patterns=tuple(session.config.secrets.patterns),
        targets=session.config.targets,
    )
    code = MemtuiApp(opening).run(mouse=session.config.app.mouse) or EXIT_DONE
    if opened.wrote:
        from memtui.vault.maintenance import fold_if_free

        fold_if_free(opened)
    return code


def _kinds(arguments: argparse.Namespace, session: Session) -> tuple[str, ...]:
    """Return the kinds of `memtui review --kind`, checked."""
    from memtui.curate.fields import check_kind_in_use

    return tuple(check_kind_in_use(session.vault, kind) for kind in getattr(arguments, "kind", None) or ())
