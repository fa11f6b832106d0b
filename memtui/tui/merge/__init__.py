"""The Merge screen."""
