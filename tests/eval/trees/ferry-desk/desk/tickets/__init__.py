"""What a passenger carries."""
