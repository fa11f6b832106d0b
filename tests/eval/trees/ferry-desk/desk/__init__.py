"""Sells places on a ferry."""
