"""The portable plain-text vault and JSONL."""
