"""Finding a document by its title, for the command palette and for the links of a brief."""

from typing import Any

from flask import jsonify, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call
from app.console.frame import console
from app.console.words import STATUSES
from app.operations import documents

MOST = 8


@console.get("/find")
def find_documents() -> BaseResponse:
    """Returns, as JSON, the documents that a search finds, or those changed last."""
    fields: dict[str, Any] = {"sort": "-updatedAt", "limit": MOST}
    if sought := request.args.get("q", "").strip():
        fields["q"] = sought
    found = call(documents.list_documents, fields=fields).body
    return jsonify(
        [
            {
                "title": one["title"],
                "status": STATUSES[one["status"]],
                "url": url_for("console.show_document", id=one["id"]),
            }
            for one in found
        ]
    )
