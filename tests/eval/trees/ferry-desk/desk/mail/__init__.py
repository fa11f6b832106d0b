"""Letters to passengers."""
