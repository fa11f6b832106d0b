"""Task and files to ranked memories with reasons."""
