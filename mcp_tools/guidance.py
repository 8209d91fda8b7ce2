"""What agents read besides the operations' descriptions: how the tools work together, and what to call next.

Sets of tools are for clients whose work needs few of them: `/mcp?toolset=writing`, `mcp --toolset writing`.
"""

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

INSTRUCTIONS = (FOLDER / "instructions.md").read_text()
"""What the server says of itself and of all of its tools, as every client shows it to its model."""

BY_TOOL: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "tools.toml").read_text())
"""What MCP adds to the declaration of each operation: its toolsets, and where given what to call `next`, `arguments_as`
(the tool that describes its arguments) and `each_call_counts` (another effect when it is repeated)."""

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
