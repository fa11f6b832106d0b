"""Capture, refund and book payments."""
