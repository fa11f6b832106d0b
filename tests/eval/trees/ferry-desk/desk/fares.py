"""What a place costs."""

from .calendar import is_weekend


def total(party, sailing):
    """Return the price of a party in cents."""
    rate = 1400 if is_weekend(sailing) else 1100
    return sum(rate for person in party if person.age >= 6)
