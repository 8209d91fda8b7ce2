"""The page of briefs as Eve serves it, with the token looked up as its manual shows.

It runs where Eve is installed, which `bench/eve.py` does; `EVE_TUNED=1` leaves out what a page of briefs does not have.
"""

import os
from typing import Any

from eve import Eve  # type: ignore[import-not-found]
from eve.auth import TokenAuth  # type: ignore[import-not-found]

STRING = {"type": "string", "nullable": True}
BRIEF = {"type": "dict", "schema": dict.fromkeys(("keyword", "intent", "state"), STRING)}
SHOWN = ("title", "status", "dueDate", "category")
TUNED = {"HATEOAS": False, "OPTIMIZE_PAGINATION_FOR_SPEED": True, "IF_MATCH": False}


class Tokens(TokenAuth):  # type: ignore[misc]
    """Allows the tokens that are stored."""

    def check_auth(self, token: str, allowed_roles: Any, resource: str, method: str) -> bool:
        return app.data.driver.db["eve_tokens"].find_one({"token": token}) is not None


app = Eve(
    auth=Tokens,
    settings={
        "MONGO_URI": f"{os.environ['MONGODB_URI'].partition('?')[0].rstrip('/')}/{os.environ['MONGODB_DATABASE']}",
        "RENDERERS": ["eve.render.JSONRenderer"],
        "PAGINATION_LIMIT": 100,
        "DOMAIN": {
            "briefs": {
                "schema": {**dict.fromkeys(SHOWN, STRING), "brief": BRIEF},
                "datasource": {
                    "source": "eve_documents",
                    "filter": {"deletedAt": None, "brief.state": "ready"},
                    "projection": dict.fromkeys((*SHOWN, "brief.keyword", "brief.intent", "brief.state"), 1),
                    "default_sort": [("dueKey", 1), ("createdAt", 1), ("_id", 1)],
                },
            }
        },
        **(TUNED if os.getenv("EVE_TUNED") else {}),
    },
)
