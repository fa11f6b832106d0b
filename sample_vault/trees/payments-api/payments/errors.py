"""Errors that leave the service, each with a code that clients may rely on."""

from __future__ import annotations

ERR_DECLINED = "ERR_DECLINED"
ERR_GATEWAY_TIMEOUT = "ERR_GATEWAY_TIMEOUT"
ERR_LOCK_TIMEOUT = "ERR_LOCK_TIMEOUT"


class PaymentError(Exception):
    """A payment could not go through; `code` is what the client sees."""

    code = "ERR_PAYMENT"
    retryable = False


class Declined(PaymentError):
    """The bank said no; asking again will not change its mind."""

    code = ERR_DECLINED


class GatewayTimeout(PaymentError):
    """The acquirer did not answer in time; the money may have moved."""

    code = ERR_GATEWAY_TIMEOUT
    retryable = True


class LockTimeout(PaymentError):
    """Another call holds the payment; it will be free within seconds."""

    code = ERR_LOCK_TIMEOUT
    retryable = True
