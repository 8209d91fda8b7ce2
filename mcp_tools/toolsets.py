"""Sets of tools, for clients whose work needs few of them: `/mcp?toolset=writing`, `mcp --toolset writing`."""

from mcp_tools.guidance import BY_TOOL

ALL = "all"

TOOLSETS: dict[str, list[str]] = {
    toolset: [tool for tool, one in BY_TOOL.items() if toolset in one["toolsets"]]
    for toolset in ("writing", "planning", "reviewing", "admin")
}
"""The tools of each set, of which a token sees those of its scopes; the set `all` holds every tool."""

NAMES = (*TOOLSETS, ALL)


def holds(toolset: str, tool: str) -> bool:
    """Returns whether a set offers a tool."""
    return toolset == ALL or tool in TOOLSETS[toolset]


def sets_with(tool: str) -> str:
    """Returns the names of the sets that offer a tool."""
    return ", ".join(f"`{toolset}`" for toolset in BY_TOOL[tool]["toolsets"])
