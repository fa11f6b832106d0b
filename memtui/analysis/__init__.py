"""Pure analysis of memories: duplicates, contradictions, suggestions. Nothing here writes."""
