"""Memories in files: blocks in those of assistants, the portable vault, JSONL, the Open Knowledge Format."""
