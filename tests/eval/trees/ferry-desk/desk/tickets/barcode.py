"""Codes for the gate."""


def encode(sailing):
    """Return the digits of a code."""
    return f"{sailing.number:012d}"
