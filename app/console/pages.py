"""The console's blueprint: which of its pages belong to features, so that an application without one lacks them."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint
from flask.blueprints import BlueprintSetupState

FEATURES: Mapping[str, str] = {
    **dict.fromkeys(("live", "show_activity"), "events"),
    "webhooks": "webhooks",
    "show_checks": "checks",
    **dict.fromkeys(("freeze", "unfreeze", "revert_token"), "guards"),
    **dict.fromkeys(("reviewing", "visiting"), "review"),
    "provenance": "provenance",
    "plan_sheets": "planning",
    "insight": "insights",
    "notices": "notices",
    **dict.fromkeys(("connecting", "oidc"), "oauth"),
}
"""The features of pages, by the module of all its views or by the name of a single view."""


class Pages(Blueprint):
    """A blueprint that is registered with `features`, and leaves out the pages of others."""

    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: Callable[..., Any] | None = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        """Adds a page, to those applications that have its feature."""
        assert view_func is not None
        feature = FEATURES.get(view_func.__module__.rpartition(".")[2]) or FEATURES.get(view_func.__name__)

        def add(state: BlueprintSetupState) -> None:
            if feature is None or feature in state.options["features"]:
                state.add_url_rule(rule, endpoint or view_func.__name__, view_func, **options)

        self.record(add)
