"""The Packs screen."""
