"""The acquirer over HTTP."""

from __future__ import annotations

from typing import Protocol

import httpx

from payments.errors import Declined, GatewayTimeout
from payments.money import Money
from payments.settings import settings

TIMEOUT_SECONDS = 10.0


class Gateway(Protocol):
    """What the service needs of an acquirer."""

    def capture(self, payment_id: str, amount: Money, key: str) -> str: ...

    def refund(self, payment_id: str, amount: Money, key: str) -> str: ...


class HttpGateway:
    """The real acquirer; every call carries its idempotency key."""

    def capture(self, payment_id: str, amount: Money, key: str) -> str:
        return self._post("captures", payment_id, amount, key)

    def refund(self, payment_id: str, amount: Money, key: str) -> str:
        return self._post("refunds", payment_id, amount, key)

    def _post(self, kind: str, payment_id: str, amount: Money, key: str) -> str:
        url = f"{settings().gateway_url}/v2/payments/{payment_id}/{kind}"
        body = {"amount": amount.amount_minor, "currency": amount.currency}
        try:
            answer = httpx.post(url, json=body, headers={"Idempotency-Key": key}, timeout=TIMEOUT_SECONDS)
        except httpx.TimeoutException as error:
            raise GatewayTimeout(payment_id) from error
        if answer.status_code == httpx.codes.PAYMENT_REQUIRED:
            raise Declined(answer.json()["bank_code"])
        answer.raise_for_status()
        return str(answer.json()["reference"])
