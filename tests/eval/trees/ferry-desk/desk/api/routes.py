"""The routes."""

from desk.api.limits import allow
from desk.booking import hold


def post_booking(request):
    """Answer a booking."""
    if not allow(request.client):
        return 429
    return hold(request.party, request.sailing)
