"""The interface for agents: every operation as an MCP tool, over HTTP and stdio (decisions, section 8)."""
