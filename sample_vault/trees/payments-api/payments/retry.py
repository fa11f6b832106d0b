"""Try twice, then put the refund where a person will look."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from payments.errors import PaymentError
from payments.settings import redis_client

ATTEMPTS = 2
PAUSE_SECONDS = 2.0
DEAD_LETTER_QUEUE = "refunds.dead"


def twice_then_dead_letter(payment_id: str, work: Callable[[], str]) -> str:
    """Return the work's answer; after the second failure queue the refund and raise."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return work()
        except PaymentError as error:
            if not error.retryable:
                raise
            if attempt == ATTEMPTS:
                entry = json.dumps({"payment_id": payment_id, "code": error.code})
                redis_client().rpush(DEAD_LETTER_QUEUE, entry)
                raise
            time.sleep(PAUSE_SECONDS)
    raise AssertionError("the loop returns or raises")
