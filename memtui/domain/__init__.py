"""What a memory is, and pure rules on memories: only the standard library, `text` and `errors`."""
