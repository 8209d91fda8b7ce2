"""Forms: the values that were sent, and the page that shows them again with the errors."""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import orjson
from flask import Response, g, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import done, is_from_script, message_of
from app.core.errors import HttpApiDecodeError, Refusal
from app.http.requests import note_refusal

P = ParamSpec("P")

BRIEF_TEXTS = ("keyword", "intent", "audience", "wordCount", "outline", "notes")
BRIEF_LISTS = ("referenceUrls", "internalLinks")
LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
"""A time as a form without a script sends it, which says nothing of its zone: it is UTC."""
PAGE_OF_DOCUMENT = re.compile(r"(?<!\S)https?://\S+/documents/([0-9a-fA-F]{24})\b\S*")
"""The address of a document's page, which stands for its id in `internalLinks`."""


def form_of(show: Callable[P, Response]) -> Callable[[Callable[P, BaseResponse]], Callable[P, BaseResponse]]:
    """Makes a view handle the form of a page, which is shown again if the view refuses it.

    The fields of the form show what was sent, each with what is wrong with it. A script gets only the message.
    """

    def decorate(save: Callable[P, BaseResponse]) -> Callable[P, BaseResponse]:
        @wraps(save)
        def run(*args: P.args, **ids: P.kwargs) -> BaseResponse:
            try:
                return save(*args, **ids)
            except Refusal as refusal:
                if is_from_script():
                    raise
                note_refusal(refusal)
                g.refused_form = refusal
                return show(*args, **ids)

        return run

    return decorate


def leads_to(
    endpoint: str, *names: str, **fixed: str
) -> Callable[[Callable[P, BaseResponse | str]], Callable[P, BaseResponse]]:
    """Makes a view handle a button: the message that it returns, or its refusal, is shown on another page.

    `names` are those arguments of the view that the address of the other page has too; `fixed` is what else it has.
    """

    def decorate(press: Callable[P, BaseResponse | str]) -> Callable[P, BaseResponse]:
        @wraps(press)
        def run(*args: P.args, **ids: P.kwargs) -> BaseResponse:
            shared: dict[str, Any] = {name: ids[name] for name in names} | fixed
            to = url_for(f"console.{endpoint}", **shared)
            try:
                outcome = press(*args, **ids)
            except Refusal as refusal:
                note_refusal(refusal)
                return done(message_of(refusal), to, ok=False)
            return done(outcome, to) if isinstance(outcome, str) else outcome

        return run

    return decorate


def text(name: str) -> str:
    """Returns what was typed into a field; empty for a field that was not sent."""
    return request.form.get(name, "").replace("\r\n", "\n").strip()


def lines(name: str) -> list[str]:
    """Returns what was typed into a field for a list, of which each item is a line."""
    items = [item for line in text(name).splitlines() if (item := line.strip())]
    return [PAGE_OF_DOCUMENT.sub(r"\1", item) for item in items] if name.endswith("internalLinks") else items


def remarks() -> list[dict[str, Any]]:
    """Returns the remarks of a form: those that a script sent as JSON, since a form changes the line ends of texts;
    without a script, the one that was typed about the whole text.
    """
    if not request.form.get("threads"):
        return [{name: text(name) for name in ("text", "level")}] if "level" in request.form else []
    try:
        found = orjson.loads(request.form["threads"])
    except orjson.JSONDecodeError:
        raise HttpApiDecodeError("The remarks must be JSON.") from None
    return found if isinstance(found, list) else [found]


def changed_fields(names: Sequence[str], lists: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the form's fields that differ from their `was.` twin; an empty one is null, which clears it.

    The items of a field in `lists` are the lines of its text.
    """
    changed = [name for name in (*names, *lists) if name in request.form and text(name) != text(f"was.{name}")]
    clear = {"title": "", "slug": "", "name": ""}
    return {name: lines(name) if name in lists else text(name) or clear.get(name) for name in changed}


def changed_ticks(*names: str) -> dict[str, bool]:
    """Returns the ticks of a form that differ from their `was.` twin."""
    return {name: name in request.form for name in names if (name in request.form) != (f"was.{name}" in request.form)}


def instant(typed: str) -> str:
    """Returns an instant as the service reads it."""
    return f"{typed}:00Z" if LOCAL.fullmatch(typed) else typed
