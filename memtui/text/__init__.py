"""Pure text: tokenising, sanitising, secrets, counting."""
