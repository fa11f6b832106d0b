"""Faces for assistants."""
