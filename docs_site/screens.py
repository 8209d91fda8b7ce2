"""Which screenshots of the console there are, and the page of the docs that shows all of them."""

from __future__ import annotations

from typing import NamedTuple

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")

PASTE_SHEET = """
const field = document.querySelector("#table");
field.value = `Title\tDue date\tCategory\tKeyword\tLength
Pumpernickel in a flower pot\t12.3.2099\tBread\tpumpernickel recipe\t1200
Why crust sings\t19.3.2099\tScience\tbread crust crackle\t800
A week with one starter\t26.3.2099\tSourdough\tsourdough routine\t1000
Malt, dark and pale\t31.4.2099\tIngredients\tbaking malt\t900`;
field.dispatchEvent(new Event("input", { bubbles: true }));
[...document.querySelectorAll("main button")].find((one) => one.innerText === "See what would happen").click();
"""
SELECT_THREE = "[...document.querySelectorAll('[name=id]')].slice(0, 3).forEach((box) => box.click());"


class Screen(NamedTuple):
    """A page of the console."""

    name: str
    title: str
    path: str
    """Its address, with the ids of `docs_site.screenshots` in braces."""
    shows: str = "main h1"
    """A selector of what the page shows when it is complete."""
    script: str = ""
    """What is done on it first, in JavaScript."""


SIGN_IN = Screen("sign-in", "Sign in", "/console/sign-in")
"""The one screen that is seen before signing in."""

SCREENS = (
    Screen("board", "Board", "/console/board", ".card"),
    Screen("calendar", "Calendar", "/console/calendar"),
    Screen("table", "Table", "/console/table", "[name=id]:checked", SELECT_THREE),
    Screen("plan", "A sheet before it is planned", "/console/plan/many", ".cells", PASTE_SHEET),
    Screen("inbox", "Inbox", "/console/inbox"),
    Screen("document", "A document", "/console/documents/{draft}"),
    Screen("review", "The second review", "/console/documents/{revised}"),
    Screen("write", "Write", "/console/documents/{draft}/edit", ".editor"),
    Screen("versions", "Versions", "/console/documents/{revised}/revisions"),
    Screen("written", "Who wrote this", "/console/documents/{revised}/written"),
    Screen("approve", "Approve and record your review", "/console/documents/{draft}/approve"),
    Screen("record", "The record of a review", "/console/documents/{recorded}/record/{version}"),
    Screen("insight", "Insight", "/console/insight", "#people"),
    Screen("disclosures", "Disclosures", "/console/insight/disclosures"),
    Screen("administration", "Settings", "/console/administration"),
    Screen("members", "Members", "/console/administration/members"),
    Screen("token", "A token", "/console/administration/tokens/{token}"),
    Screen("connect", "An assistant asks to be connected", "/oauth/authorize?{consent}"),
    Screen("visitor", "What the reader of a review link sees", "/console/review#{link}"),
)


def file_of(name: str, size: str, scheme: str) -> str:
    """Returns the name of a screenshot's file: desktop and light are not named."""
    words = ["console", name, *(word for word in (size, scheme) if word not in ("desktop", "light"))]
    return f"{'-'.join(words)}.webp"


def screens_page(_: str) -> str:
    """Returns the page with all screenshots."""
    lines = [
        "# Screens",
        "",
        "The [console](console.md) with the demo of `make dev`. (`make screenshots` takes these.)",
    ]
    for screen in (SIGN_IN, *SCREENS):
        desktop, phone = (
            " | ".join(f"![{size}-{scheme}](images/{file_of(screen.name, size, scheme)})" for scheme in SCHEMES)
            for size in SIZES
        )
        lines += ["", f"## {screen.title}", "", desktop, "---|---", phone]
    return "\n".join(lines) + "\n"
