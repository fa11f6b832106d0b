"""Amounts of money as integers, with the exponent of their currency."""

from __future__ import annotations

from dataclasses import dataclass

EXPONENTS = {"EUR": 2, "GBP": 2, "JPY": 0, "USD": 2}


@dataclass(frozen=True)
class Money:
    """An amount in the smallest unit of its currency."""

    amount_minor: int
    currency: str

    def __str__(self) -> str:
        exponent = EXPONENTS[self.currency]
        if exponent == 0:
            return f"{self.amount_minor} {self.currency}"
        whole, rest = divmod(self.amount_minor, 10**exponent)
        return f"{whole}.{rest:0{exponent}d} {self.currency}"


def split(total: Money, parts: int) -> list[Money]:
    """Return equal parts, rounded down; the last one takes what is left."""
    share = total.amount_minor // parts
    shares = [share] * (parts - 1)
    shares.append(total.amount_minor - share * (parts - 1))
    return [Money(amount, total.currency) for amount in shares]
