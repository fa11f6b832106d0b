"""The decay lab."""
