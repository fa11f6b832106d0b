"""Workarounds for Textual's internals, each with its reason."""
