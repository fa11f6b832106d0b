"""The money path: lock, ask the acquirer once, book last."""

from __future__ import annotations

from payments.gateway import Gateway
from payments.idempotency import IdempotencyKeys, derive_key
from payments.ledger import Ledger
from payments.lock import payment_lock
from payments.money import Money
from payments.retry import twice_then_dead_letter


class PaymentService:
    """Captures and refunds; the API and the webhook worker both come through here."""

    def __init__(self, gateway: Gateway, ledger: Ledger, keys: IdempotencyKeys) -> None:
        self._gateway = gateway
        self._ledger = ledger
        self._keys = keys

    def capture(self, payment_id: str, amount: Money) -> str:
        """Take the money once, however often this is called."""
        key = derive_key("capture", payment_id, amount)
        with payment_lock(payment_id):
            return self._keys.once(key, lambda: self._capture(payment_id, amount, key))

    def refund(self, payment_id: str, amount: Money) -> str:
        """Give the money back; two failures send the refund to the dead-letter queue."""
        key = derive_key("refund", payment_id, amount)
        with payment_lock(payment_id):
            return twice_then_dead_letter(
                payment_id, lambda: self._keys.once(key, lambda: self._refund(payment_id, amount, key))
            )

    def _capture(self, payment_id: str, amount: Money, key: str) -> str:
        reference = self._gateway.capture(payment_id, amount, key)
        self._ledger.book(payment_id, "customer", "merchant", amount, reference)
        return reference

    def _refund(self, payment_id: str, amount: Money, key: str) -> str:
        reference = self._gateway.refund(payment_id, amount, key)
        self._ledger.book(payment_id, "merchant", "customer", amount, reference)
        return reference
