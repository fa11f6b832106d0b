"""Fixtures of the tests of sync."""

from __future__ import annotations

from postgres import server

__all__ = ["server"]
