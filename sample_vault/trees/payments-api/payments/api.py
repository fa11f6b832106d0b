"""HTTP routes; they translate and decide nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel

from payments.auth import Principal, require_principal
from payments.errors import PaymentError
from payments.money import Money
from payments.service import PaymentService

router = APIRouter(prefix="/v3/payments")


class Amount(BaseModel):
    """The body of a capture and of a refund."""

    amount_minor: int
    currency: str

    def money(self) -> Money:
        return Money(self.amount_minor, self.currency)


def service() -> PaymentService:
    """Return the service; the app overrides this at start-up."""
    raise NotImplementedError


Caller = Annotated[Principal, Depends(require_principal)]
Payments = Annotated[PaymentService, Depends(service)]


@router.post("/{payment_id}/captures", status_code=201)
def capture(payment_id: str, body: Amount, caller: Caller, payments: Payments) -> dict[str, str]:
    """Capture a payment."""
    return _move(caller, "payments:capture", lambda: payments.capture(payment_id, body.money()))


@router.post("/{payment_id}/refunds", status_code=201)
def refund(payment_id: str, body: Amount, caller: Caller, payments: Payments) -> dict[str, str]:
    """Refund a payment."""
    return _move(caller, "payments:refund", lambda: payments.refund(payment_id, body.money()))


def _move(caller: Principal, scope: str, work: Callable[[], str]) -> dict[str, str]:
    if scope not in caller.scopes:
        raise HTTPException(status_code=403, detail=f"scope {scope} is missing")
    try:
        return {"reference": work()}
    except PaymentError as error:
        raise HTTPException(status_code=409, detail=error.code) from error
