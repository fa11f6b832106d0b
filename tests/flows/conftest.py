"""Fixtures of the flows."""

from __future__ import annotations

from flows.cli_driver import cli, demo, demo_master

__all__ = ["cli", "demo", "demo_master"]
