"""Installing memtui into assistants: MCP entries and hooks, spliced into their configuration files."""
