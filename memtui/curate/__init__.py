"""Editing, review, merging and history of memories."""
