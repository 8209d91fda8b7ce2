"""Who wrote a text, the approval by a person who attests a review, its record, and what is disclosed."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request, url_for
from werkzeug import Response as BaseResponse

from app.checks.operations import check_levels, checks_of
from app.checks.rules import failed, failed_errors
from app.console.additions import Pages, added
from app.console.calls import call, listing, require
from app.console.documents import PREVIEWED, preview_of, read_document
from app.console.forms import changed_ticks, form_of, text
from app.console.frame import done, page
from app.console.moves import NEXT, moves_of, refusals_on
from app.console.sessions import context
from app.core.actors import actor_name
from app.core.errors import HumanReviewRequired, NotFound
from app.core.store.bodies import Bodies
from app.core.vocabulary import DocumentStatus
from app.documents import operations as documents
from app.documents import publishing
from app.http.bodies import CSV
from app.projects.store import Projects
from app.provenance import operations as provenance
from app.provenance.operations import provenance_of
from app.provenance.responses import disclosures_csv
from app.provenance.rules import Writer, paragraphs_of
from app.provenance.vocabulary import DisclosureValue, ReviewDemand, WriterKind
from app.review.operations import unresolved_threads

pages = Blueprint("provenance", __name__, template_folder="templates")

SHOWN = 400
"""Maximum number of paragraphs that a page shows with their text."""
ON_A_PAGE = 50
DISCLOSED: Mapping[str, str] = {
    DisclosureValue.HUMAN_ONLY: "Written by people alone",
    DisclosureValue.AI_ASSISTED: "Written with AI, reviewed by a person",
    DisclosureValue.AI_AUTONOMOUS: "Written with AI, without the record of a review",
}
pages.add_app_template_filter(DISCLOSED.__getitem__, "disclosure_label")


@pages.get("/documents/<id>/written")
def show_written(id: str) -> Response:
    """Shows who wrote each paragraph of a document's present text, beside the text."""
    _, document, markdown = read_document(id)
    written = call(provenance.get_provenance, id).body
    shown = [one for one in paragraphs_of(markdown[:PREVIEWED])[:SHOWN] if one.text]
    rows = [(preview_of(context(), one.text), by) for one, by in zip(shown, written["paragraphs"], strict=False)]
    return page(
        "provenance/written.html",
        document=document,
        written=written,
        rows=rows,
        more=len(written["paragraphs"]) - len(rows),
        record=_record(id),
    )


@pages.app_template_filter("writer")
def writer_label(writer: Writer) -> str:
    """Returns who wrote a version, whether an agent or a person, and with which model."""
    kind = "Agent" if writer["kind"] == WriterKind.AGENT else "Person"
    return f"{kind}: {actor_name(writer['by'])}" + (f", with the model {writer['model']}" if writer["model"] else "")


@pages.get("/documents/<id>/approve")
def show_approval(id: str) -> Response:
    """Shows the form in which a person attests what they examined, with the sources and what is not settled."""
    stored, document, markdown = read_document(id)
    ctx = context()
    body = ctx.store[Bodies].get(ctx.project_id, stored.get("contentId"))
    written = provenance_of(ctx, body)
    checked = failed(checks_of(ctx, stored, check_levels(ctx), markdown))
    return page(
        "provenance/approve.html",
        document=document,
        written=written,
        threads=unresolved_threads(ctx, stored, markdown),
        checked=checked,
        errors=failed_errors(checked),
        refused=refusals_on(stored, markdown).get(publishing.approve_document.name),
        is_agent=ctx.call.is_by_agent,
        **added("approval", stored, markdown),
    )


@pages.post("/documents/<id>/approve")
@form_of(show_approval)
def approve(id: str) -> BaseResponse:
    """Approves a document with the record of a person's review, which is shown next."""
    require(provenance.get_review_record)
    review: dict[str, Any] = {name: name in request.form for name in ("facts", "sources")}
    review |= {name: text(name) for name in ("examined", "responsible") if text(name)}
    fields = {"review": review, "baseVersion": request.form.get("baseVersion", type=int)}
    approved = call(publishing.approve_document, id, fields=fields).body
    to = url_for("console.provenance.show_record", id=id, version=approved["version"])
    return done("It is approved, and the record of your review is made.", to)


@pages.get("/documents/<id>/record/<int(max=999999999):version>")
def show_record(id: str, version: int) -> Response:
    """Shows the record of the review of a version, to be printed and sent, and what comes next; its address stays."""
    record = call(provenance.get_review_record, id, fields={"version": version}).body
    document = call(documents.get_document, id).body
    is_approved = document["status"] == DocumentStatus.APPROVED and document["version"] == version
    onward = [move for move in moves_of(document) if move.name in NEXT[document["status"]]] if is_approved else []
    return page("provenance/record.html", record=record, document=document, onward=onward)


@pages.get("/insight/disclosures")
def show_disclosures() -> Response:
    """Shows what is disclosed of everything that is live, by days of publishing."""
    found = listing(provenance.list_disclosures, limit=ON_A_PAGE, **_days())
    return page("provenance/disclosures.html", found=found, days=_days())


@pages.get("/insight/disclosures.csv")
def download_disclosures() -> Response:
    """Returns all disclosures as a table."""
    rows: list[Any] = []
    sent = {**_days(), "limit": 100}
    while len(part := call(provenance.list_disclosures, fields={**sent, "offset": len(rows)}).body) == 100:
        rows += part
    headers = {"Content-Disposition": 'attachment; filename="disclosures.csv"'}
    return Response(disclosures_csv([*rows, *part]), headers=headers, content_type=f"{CSV}; charset=utf-8")


def _days() -> dict[str, str]:
    """Returns the days that the address of the page names."""
    return {name: day for name in ("from", "to") if (day := request.args.get(name, ""))}


def _record(id: str) -> Any:
    try:
        return call(provenance.get_review_record, id).body
    except NotFound:
        return None


LACKING: Mapping[str, str] = {
    "review": "This project asks for the record of a person's review: approve it on its own page.",
    "facts": "Check the facts, and tick that you did.",
    "examined": "Say what you examined, and how.",
    "sources": "You tick that you checked the sources: compare each that is cited, on its page Sources, and mend the "
    "quotations that are marked there; or leave the tick out.",
    "person": "An agent can't attest a person's review: sign in with a token of your own.",
}
"""Instructions for the user, by the part that a record of a review lacks."""


def _lacks(refusal: HumanReviewRequired) -> str:
    return f"It is not approved yet. {' '.join(LACKING[part] for part in refusal.extra['missing'])}"


def _requires_record(*_: Any) -> dict[str, Any]:
    ctx = context()
    demand = ctx.store[Projects].recent_settings(ctx.project_id).get("reviewRecord")
    return {"requires_record": demand == ReviewDemand.REQUIRED}


def _changed_demand() -> dict[str, Any]:
    """Returns whether the record is required, if the form changed it."""
    demands = {True: ReviewDemand.REQUIRED, False: ReviewDemand.OFF}
    return {name: demands[is_on] for name, is_on in changed_ticks("reviewRecord").items()}


PAGES = Pages(
    "provenance",
    blueprints=(pages,),
    tabs={"document": ("provenance.show_written", "Who wrote this")},
    templates={
        "rules of the project": "provenance/rules.html",
        "instead of approve_document": "provenance/approval_link.html",
        "head of the figures": "provenance/link.html",
    },
    values={"document": _requires_record, "changed settings": _changed_demand},
    messages={HumanReviewRequired: _lacks},
    remedies={
        HumanReviewRequired: (
            "provenance.show_approval",
            "It is not approved yet: this project asks for the record of your review. Make it here.",
        )
    },
)
