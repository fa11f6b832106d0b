"""Draws a ticket."""

from ..fares import total
from . import barcode


def draw(party, sailing):
    """Return the lines of a ticket."""
    return [str(total(party, sailing)), barcode.encode(sailing)]
