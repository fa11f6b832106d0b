"""Publish: what assistants read in this repository, and what would change there."""
