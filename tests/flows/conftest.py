"""Fixtures of the flows."""

from __future__ import annotations

from flows.app_setups import blank, ferry, ferry_master, isolated
from flows.cli_driver import cli, demo, demo_master
from postgres import server

__all__ = ["blank", "cli", "demo", "demo_master", "ferry", "ferry_master", "isolated", "server"]
