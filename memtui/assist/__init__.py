"""What assistants reach by themselves: the MCP server, hooks, installers, and the commit gate."""
