"""Sources to candidate memories."""
