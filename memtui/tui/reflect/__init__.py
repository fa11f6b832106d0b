"""The Reflect screen."""
