"""The Assistants screen."""
