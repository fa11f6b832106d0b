"""Holds and sells places."""

from desk import fares
from desk.seats import place


def hold(party, sailing):
    """Keep places for a party while it pays."""
    return place(party, sailing), fares.total(party, sailing)
