"""When ships leave."""

from datetime import date


def is_weekend(sailing):
    """Return whether a sailing leaves on a Saturday or Sunday."""
    return date.fromisoformat(sailing.day).weekday() >= 5
