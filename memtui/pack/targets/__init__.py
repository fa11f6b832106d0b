"""The forms that payloads are written in, one module each."""
