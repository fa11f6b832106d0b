"""The Context screen."""
