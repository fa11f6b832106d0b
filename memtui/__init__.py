"""memtui: the terminal workbench for the memories of AI coding assistants."""

__version__ = "0.1.0"
