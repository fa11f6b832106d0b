"""Who may ask how often."""

CALLS = {}


def allow(client):
    """Count a call and say whether it is allowed."""
    CALLS[client] = CALLS.get(client, 0) + 1
    return CALLS[client] <= 30
