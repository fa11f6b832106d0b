"""Transcripts of assistants: where they are, and one reader for each format."""
