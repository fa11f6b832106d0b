"""Lessons of sessions: found by who typed them and by the shape of the exchange, compared with what is known."""
