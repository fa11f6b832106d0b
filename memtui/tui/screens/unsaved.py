"""What a form says when it cannot be saved as it stands."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.errors import MemtuiError, SecretRefusedError
from memtui.tui.editing_access import FormError
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.widgets.form_rows import FormRow


def tells_unsaved(screen: WorkingScreen, rows: Mapping[str, FormRow], error: MemtuiError) -> bool:
    """Go to the field that is wrong, or tell of the secret that is in one; returns whether it was either.

    Args:
        screen: the form's screen.
        rows: its rows by field.
        error: why it was not saved.
    """
    if isinstance(error, FormError):
        rows[error.finding.field].field.focus()
        screen.say(f"Not saved: {error.finding.text}", severity="warning")
        return True
    if isinstance(error, SecretRefusedError):
        screen.say(
            f"{error.what}: {error.where}. Nothing was stored. Take it out, or ctrl+n keeps it nevertheless.",
            severity="error",
        )
        return True
    return False
