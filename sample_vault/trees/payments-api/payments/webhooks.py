"""Events from the acquirer: check, store, answer; a worker does the rest."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256

from payments.money import Money
from payments.service import PaymentService
from payments.settings import settings


@dataclass(frozen=True)
class WebhookEvent:
    """One event, after its signature was checked."""

    event_id: str
    kind: str
    payment_id: str
    amount: Money


def parse_event(body: bytes, signature: str) -> WebhookEvent:
    """Return the event; the signature covers the raw bytes, so check before parsing."""
    expected = hmac.new(settings().webhook_secret.encode(), body, sha256).hexdigest()
    if not hmac.compare_digest(expected, signature):
        raise PermissionError("webhook signature does not match")
    data = json.loads(body)
    return WebhookEvent(
        event_id=data["id"],
        kind=data["type"],
        payment_id=data["payment_id"],
        amount=Money(data["amount"], data["currency"]),
    )


def handle(event: WebhookEvent, service: PaymentService) -> None:
    """Do what the event asks for; called by the worker, never by the HTTP handler."""
    if event.kind == "payment.authorised":
        service.capture(event.payment_id, event.amount)
