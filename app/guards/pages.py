"""Pages of guards: freezing a project, budgets of tokens, and undoing a token's work."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, request
from werkzeug import Response as BaseResponse

from app.console.additions import Pages
from app.console.calls import call, may
from app.console.forms import changed_ticks, instant, leads_to, text
from app.console.frame import page
from app.console.lookups import values_of
from app.documents import operations as documents
from app.guards import freezing, reverts
from app.guards.vocabulary import BudgetLimit

REASONS: Mapping[str, str] = {
    "changed_since": "somebody else changed it afterwards",
    "created_since": "the token made it: there is nothing before",
    "frozen_status": "it is approved or scheduled",
    "slug_taken": "another document has its earlier slug",
    "published_since": "what is live is the token's version, and stays until somebody publishes",
}

pages = Blueprint("guards", __name__, template_folder="templates")


@pages.post("/administration/freeze")
@leads_to("show_settings")
def freeze() -> str:
    """Freezes the project."""
    call(freezing.freeze_project, fields={"note": text("note")})
    return "The project is frozen."


@pages.post("/administration/unfreeze")
@leads_to("show_settings")
def unfreeze() -> str:
    """Unfreezes the project."""
    call(freezing.unfreeze_project)
    return "The project can be written to again."


@pages.post("/administration/tokens/<id>/revert")
@leads_to("show_token", "id")
def revert_token(id: str) -> BaseResponse:
    """Shows the dry run of reverting a token's work; once that is confirmed, reverts it."""
    since, confirmed = instant(request.form.get("since", "")), "confirmed" in request.form
    outcome = call(reverts.revert_token, id, fields={"since": since}, dry_run=not confirmed).body
    changed = [one["id"] for one in (*outcome["reverted"], *outcome["skipped"])]
    titles = values_of("title", changed) if may(documents.list_documents) else {}
    shown: dict[str, Any] = {"id": id, "since": since, "confirmed": confirmed, "reasons": REASONS}
    return page("guards/revert.html", titles=titles, outcome=outcome, **shown)


def _budget() -> dict[str, Any]:
    """Returns the form's budget, None for no limit; what is not a number is left for the operation to refuse."""
    if BudgetLimit.WRITES not in request.form:
        return {}
    sent = {name: typed for name in map(str, BudgetLimit) if (typed := text(name))}
    numbers = {name: int(typed) if re.fullmatch("-?[0-9]{1,18}", typed) else typed for name, typed in sent.items()}
    return {"budget": numbers or None}


PAGES = Pages(
    "guards",
    blueprints=(pages,),
    templates={
        "rules of the project": "guards/rules.html",
        "below the settings": "guards/freeze.html",
        "fields of a token": "guards/budget.html",
        "below a token": "guards/revert_form.html",
    },
    values={"changed settings": lambda: changed_ticks("fourEyes"), "fields of a token": _budget},
)
