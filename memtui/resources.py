"""The folders that ship with memtui: themes and the sample vault, in a checkout or in a wheel."""

from __future__ import annotations

from pathlib import Path

from memtui.errors import MemtuiError

_PACKAGE = Path(__file__).parent


def resource_folder(name: str) -> Path:
    """Return the folder `themes` or `sample_vault`: inside an installed package, else in the checkout.

    Raises:
        MemtuiError: the installation lacks it.
    """
    for candidate in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise MemtuiError(
        "This installation of memtui lacks a folder that ships with it",
        where=name,
        remedy="Reinstall it: pip install --force-reinstall memtui.",
    )
