"""One lock per payment, kept in Redis."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from payments.errors import LockTimeout
from payments.settings import redis_client

LOCK_TTL_MS = 30_000
WAIT_SECONDS = 5.0

_RELEASE = """
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0
"""


def lock_key(payment_id: str) -> str:
    """Return the key; the payment alone decides it."""
    return f"lock:payment:{payment_id}"


@contextmanager
def payment_lock(payment_id: str) -> Iterator[None]:
    """Hold the payment, or raise LockTimeout after five seconds."""
    client = redis_client()
    key, token = lock_key(payment_id), secrets.token_hex(16)
    deadline = time.monotonic() + WAIT_SECONDS
    while not client.set(key, token, nx=True, px=LOCK_TTL_MS):
        if time.monotonic() > deadline:
            raise LockTimeout(payment_id)
        time.sleep(0.05)
    try:
        yield
    finally:
        client.eval(_RELEASE, 1, key, token)
