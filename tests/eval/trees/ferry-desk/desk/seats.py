"""Where people and vehicles go."""


def place(party, sailing):
    """Return the places of a party on a sailing."""
    return [sailing.next_free(person) for person in party]
