"""How a feature adds to the console: its `pages.py` has one `Pages`, which `app/features.py` lists.

The console knows no feature. Where its own pages have a place for features, it asks for the templates and the values
that they declare for the place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from flask import Blueprint, Flask, current_app

from app.core.errors import Refusal
from app.core.vocabulary import Scope
from app.settings import Settings

Entry = tuple[str, str, str, str, Scope]
"""An entry of the navigation: view, label, icon, the key that opens it after `g`, and the scope that it needs."""


@dataclass(frozen=True, eq=False)
class Pages:
    """The pages of a feature, and its parts of other pages.

    A blueprint `review` is registered as `console.review`, so that the hooks and error handlers of the console hold for
    it too; its templates are in the folder `templates/review` beside its module. Its scripts are in
    `app/review/assets`, and are served with those of the console.
    """

    folder: str
    """The feature's folder."""
    blueprints: tuple[Blueprint, ...] = ()
    """Its pages, which need a session."""
    open_blueprints: tuple[Blueprint, ...] = ()
    """Its pages that need no session."""
    install: Callable[[Flask, Settings], None] = lambda app, settings: None
    """Adds what is not below `/console`."""
    navigation: tuple[Entry, ...] = ()
    tabs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The view and the label of a tab, by the head that has it: `document`, `administration` or `plan`."""
    templates: Mapping[str, str] = field(default_factory=dict)
    """Templates that other pages include, by the name of the place."""
    values: Mapping[str, Callable[..., Mapping[str, Any]]] = field(default_factory=dict)
    """Functions whose values a page shows or a form sends, by the name of the place; `added` passes the arguments."""
    messages: Mapping[type[Refusal], str | Callable[[Any], str]] = field(default_factory=dict)
    """The messages on pages of its refusals whose own message is about what programs send and get."""
    remedies: Mapping[type[Refusal], tuple[str, str]] = field(default_factory=dict)
    """The view of a document to which a refused button leads instead, and the message there."""


def install(app: Flask, settings: Settings, console: Blueprint, additions: Sequence[Pages]) -> None:
    """Serves the console with the pages of features."""
    app.extensions["console"] = additions
    app.register_blueprint(console)
    for one in additions:
        for blueprint in (*one.blueprints, *one.open_blueprints):
            app.register_blueprint(blueprint, name=f"console.{blueprint.name}", url_prefix="/console")
        one.install(app, settings)


def all_pages() -> Sequence[Pages]:
    """Returns the additions of the application's features."""
    additions: Sequence[Pages] = current_app.extensions["console"]
    return additions


def added(place: str, *arguments: Any) -> dict[str, Any]:
    """Returns the values that features add at a place."""
    functions = [one.values[place] for one in all_pages() if place in one.values]
    return dict(chain.from_iterable(function(*arguments).items() for function in functions))


def templates(place: str) -> list[str]:
    """Returns the templates that features add at a place."""
    return [one.templates[place] for one in all_pages() if place in one.templates]


def tabs(head: str) -> list[tuple[str, str]]:
    """Returns the tabs, each a view and a label, that features add to the head of some pages."""
    return [one.tabs[head] for one in all_pages() if head in one.tabs]


def message_for(refusal: Refusal) -> str | None:
    """Returns a feature's message for a page, None where the refusal is not a feature's or has none."""
    found = next((one.messages[type(refusal)] for one in all_pages() if type(refusal) in one.messages), None)
    return found(refusal) if callable(found) else found


def remedy_for(refusal: Refusal) -> tuple[str, str] | None:
    """Returns the view, and the message, to which a feature leads from a refused button."""
    return next((one.remedies[type(refusal)] for one in all_pages() if type(refusal) in one.remedies), None)


def needs_no_session(blueprint: str | None) -> bool:
    """Returns whether the pages of a blueprint, by its registered name, need no session."""
    return any(blueprint == f"console.{one.name}" for pages in all_pages() for one in pages.open_blueprints)
