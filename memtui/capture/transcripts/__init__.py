"""Transcripts of assistants, one reader for each format, and the lessons that they hold."""
