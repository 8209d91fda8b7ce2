"""How long an open text counts as open, and the sentence that says who has it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypedDict

SEEN = timedelta(seconds=25)
"""How long a text that is in view counts as open; its page says so every 10 s."""
HIDDEN = timedelta(seconds=150)
"""The same for a tab in the background, which browsers let do something once a minute."""
SHOWN = 3
"""Maximum number of names in the sentence."""
MOST = 50
"""Maximum number of open pages of a text that are read."""


class OpenText(TypedDict):
    """A page on which somebody has a text open."""

    page: str
    """The page's own name, a new one each time that it is loaded."""
    tokenId: str
    memberId: str | None
    name: str
    """Who has it open."""
    until: datetime
    """Until when it counts as open."""


def sentence(others: Iterable[OpenText], token_id: str | None, member_id: str | None) -> str:
    """Returns who else has a text open, given the other pages that have it; empty for nobody."""
    names: dict[str, str] = {}
    is_own = False
    for one in others:
        if one["tokenId"] == token_id or (member_id is not None and one["memberId"] == member_id):
            is_own = True
        else:
            names[one["memberId"] or one["tokenId"]] = one["name"]
    found = f"{_joined(sorted(names.values()))} {'has' if len(names) == 1 else 'have'} this open." if names else ""
    own = f"You have this open in another tab{', too' if names else ''}." if is_own else ""
    return " ".join(filter(None, (found, own)))


def _joined(names: list[str]) -> str:
    shown, more = names[:SHOWN], len(names) - SHOWN
    if more > 0:
        shown = [*shown, f"{more} {'other' if more == 1 else 'others'}"]
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last
