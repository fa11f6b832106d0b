"""The Import screen."""
