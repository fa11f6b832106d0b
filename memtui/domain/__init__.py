"""Pure rules on memories: standard library only."""
