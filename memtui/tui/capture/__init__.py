"""The Capture screen."""
