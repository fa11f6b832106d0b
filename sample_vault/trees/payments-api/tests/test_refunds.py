"""Refunds: once, twice at the same moment, and when the acquirer is away."""

from __future__ import annotations

import pytest

from payments.errors import GatewayTimeout
from payments.money import Money
from payments.retry import DEAD_LETTER_QUEUE
from payments.service import PaymentService
from payments.settings import redis_client

TEN_EUROS = Money(1000, "EUR")


def test_two_calls_refund_once(service: PaymentService, acquirer) -> None:
    first = service.refund("pay_1", TEN_EUROS)
    second = service.refund("pay_1", TEN_EUROS)
    assert first == second
    assert acquirer.refunds == [("pay_1", 1000)]


def test_two_failures_end_in_the_dead_letter_queue(service: PaymentService, acquirer) -> None:
    acquirer.fail_next(2, GatewayTimeout("pay_2"))
    with pytest.raises(GatewayTimeout):
        service.refund("pay_2", TEN_EUROS)
    assert redis_client().llen(DEAD_LETTER_QUEUE) == 1
