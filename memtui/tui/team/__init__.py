"""The Team screen."""
