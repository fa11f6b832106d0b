"""Commits: what their messages say of why, as proposals."""
