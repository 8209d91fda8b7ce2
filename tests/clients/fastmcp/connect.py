"""Connects by OAuth from an address alone with fastmcp's client, works, refreshes, and is asked again.

python connect.py <url>

It prints `authorize <address>` instead of opening a browser; after each line of its input it does the next step.
"""

import asyncio
import sys
import webbrowser

from fastmcp import Client
from fastmcp.client.auth import OAuth


def ask(address: str, *_: object) -> bool:
    """Prints the address that a browser would open."""
    print("authorize", address, flush=True)
    return True


async def main(url: str) -> None:
    """Does the steps."""
    auth = OAuth(callback_timeout=60)
    async with Client(url, auth=auth) as client:
        print("tools", len(await client.list_tools()), flush=True)
        claimed = (await client.call_tool("claim_next_brief", {})).structured_content
        print("claimed", claimed["brief"]["state"], flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        before = auth.context.current_tokens
        auth.context.token_expiry_time = 1
        again = (await client.call_tool("get_brief", {"documentId": claimed["id"]})).structured_content
        print("refreshed", again["id"] == claimed["id"] and auth.context.current_tokens != before, flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await client.call_tool("list_briefs", {})


webbrowser.open = ask
asyncio.run(main(sys.argv[1]))
