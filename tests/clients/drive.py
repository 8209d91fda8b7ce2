"""Takes a document from a draft to a claimed brief with the client that openapi-python-client generates.

Run as a program of its own, where that client is importable: `python drive.py <address> <token>`.
"""

import json
import sys
from typing import TypeVar

from content_workflow_client import AuthenticatedClient
from content_workflow_client.api.briefs import claim_brief, list_briefs, mark_brief_ready
from content_workflow_client.api.intents import confirm_document_intent, create_document_intent
from content_workflow_client.models import (
    BriefClaimed,
    BriefItem,
    BriefState,
    ClaimedDocument,
    ClaimFields,
    ConfirmedDocument,
    Document,
    DocumentIntent,
    DraftBriefFields,
    DraftDocumentFields,
)

T = TypeVar("T")


def given(kind: type[T], answer: object) -> T:
    """Returns an answer of the kind that the client's types say."""
    assert isinstance(answer, kind), answer
    return answer


def main(address: str, token: str) -> None:
    """Drives the API, and prints what came of it."""
    with AuthenticatedClient(base_url=address, token=token) as api:
        brief = DraftBriefFields(keyword="sourdough", intent="informational")
        fields = DraftDocumentFields(title="How to begin a sourdough starter", brief=brief)
        draft = given(DocumentIntent, create_document_intent.sync(client=api, body=fields, idempotency_key="one"))
        again = given(DocumentIntent, create_document_intent.sync(client=api, body=fields, idempotency_key="one"))
        assert again.id == draft.id
        document = given(ConfirmedDocument, confirm_document_intent.sync(draft.id, client=api)).document
        ready = given(Document, mark_brief_ready.sync(document.id, client=api))
        listed = given(list, list_briefs.sync(client=api, limit=10, state=[BriefState.CLAIMED, BriefState.READY]))
        lease = ClaimFields(lease_seconds=3600)
        claimed = given(ClaimedDocument, claim_brief.sync(document.id, client=api, body=lease))
        second = claim_brief.sync_detailed(document.id, client=api, body=ClaimFields())
        refused = given(BriefClaimed, second.parsed)
        told = {
            "ready": ready.brief.state,
            "listed": document.id in [given(BriefItem, item).id for item in listed],
            "claimed": claimed.brief.state,
            "status": claimed.status,
            "refused": {
                "status": second.status_code,
                "by": refused.claimed_by and refused.claimed_by.name,
                "at": refused.claimed_at == claimed.brief.claimed_at,
            },
        }
        print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
