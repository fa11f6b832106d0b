"""What `memtui hook` does: read an assistant's event, answer in its own form, never get in its way."""
