"""The MCP server: what an assistant may see, propose and decide, by profile."""
