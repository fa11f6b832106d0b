"""Search indexes of a vault: postings, vectors, and what is cached for reading."""
