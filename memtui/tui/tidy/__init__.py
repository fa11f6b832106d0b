"""The Tidy screen."""
