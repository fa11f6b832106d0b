"""The forms that payloads are written in."""
