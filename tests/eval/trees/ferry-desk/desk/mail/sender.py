"""Sends letters."""


def send(letter, provider):
    """Hand a letter to the provider."""
    return provider.put(letter)
