"""Who is calling: the only module that decodes a token."""

from __future__ import annotations

from dataclasses import dataclass

import jwt
from fastapi import Header, HTTPException

ISSUER = "https://id.shop.example"
_keys = jwt.PyJWKClient(f"{ISSUER}/keys", lifespan=3600)


@dataclass(frozen=True)
class Principal:
    """The caller, as far as the rest of the service may know."""

    subject: str
    scopes: frozenset[str]


def require_principal(authorization: str = Header()) -> Principal:
    """Return the caller of a request, or answer 401."""
    token = authorization.removeprefix("Bearer ")
    try:
        key = _keys.get_signing_key_from_jwt(token).key
        claims = jwt.decode(token, key, algorithms=["ES256"], issuer=ISSUER, leeway=5)
    except jwt.PyJWTError as error:
        raise HTTPException(status_code=401, detail="token refused") from error
    return Principal(claims["sub"], frozenset(claims.get("scope", "").split()))
