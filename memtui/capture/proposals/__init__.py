"""Proposals out of transcripts: read what is new, find lessons, put them into the inbox."""
