"""Settings from the environment, read once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache

import redis


@dataclass(frozen=True)
class Settings:
    """Where the service finds its neighbours."""

    database_url: str
    redis_url: str
    gateway_url: str
    webhook_secret: str


@lru_cache
def settings() -> Settings:
    """Return the settings; a missing variable stops the process at start-up."""
    return Settings(
        database_url=os.environ["DATABASE_URL"],
        redis_url=os.environ["REDIS_URL"],
        gateway_url=os.environ["GATEWAY_URL"],
        webhook_secret=os.environ["WEBHOOK_SECRET"],
    )


@lru_cache
def redis_client() -> redis.Redis:
    """Return the one client for locks and counters."""
    return redis.Redis.from_url(settings().redis_url, decode_responses=True)
