"""The fixtures that the tests of this folder share."""

from __future__ import annotations

from curating import clock, vault

__all__ = ["clock", "vault"]
