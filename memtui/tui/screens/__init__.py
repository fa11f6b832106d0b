"""Screens that lie over others: dialogs, the palette, the help."""
