"""Ranked memories, budget and target to an exact payload."""
