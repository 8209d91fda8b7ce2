"""Every route of the management API by tag: a method, a path whose parameters are ids, an operation."""

from collections.abc import Callable, Mapping
from typing import Any

from app.fields.events import WaitingEventQuery
from app.http import feed_watch
from app.http.callers import callers
from app.operations import (
    actions,
    briefs,
    categories,
    checks,
    clusters,
    documents,
    events,
    insights,
    intents,
    members,
    packets,
    plans,
    projects,
    publishing,
    reverts,
    revisions,
    sections,
    tokens,
    webhooks,
)
from app.operations.context import Context
from app.operations.operation import Operation, Result
from app.rest.route import Route
from app.vocabulary import Kind, TokenKind


def _draft_routes(kind: Kind, create: Operation, update: Operation, record: str) -> tuple[Route, ...]:
    """Returns the routes of drafts of a kind; `record` is the endpoint of the records that they become."""
    path = f"/{kind}-intents"
    return (
        Route("POST", path, create, location=f"intents.get{kind.title()}Intent"),
        Route("GET", path, intents.list_intents, kind=kind),
        Route("GET", f"{path}/<id>", intents.get_intent, kind=kind),
        Route("PATCH", f"{path}/<id>", update),
        Route("DELETE", f"{path}/<id>", intents.discard_intent, kind=kind),
        Route("POST", f"{path}/<id>/validate", intents.validate_intent, kind=kind),
        Route("POST", f"{path}/<id>/confirm", intents.confirm_intent, kind=kind, location=record),
    )


def _wait_for_events(ctx: Context, fields: Mapping[str, Any], list_events: Callable[[], Result]) -> Result:
    """Returns a page of events, as soon as it has one or the client's time is over.

    Raises `Unauthorized` when the token is not valid any more after a wait.
    """
    return feed_watch.wait_for_events(
        ctx.project_id, fields["wait"], list_events, lambda: callers().check_again(TokenKind.MANAGEMENT)
    )


ROUTES: dict[str, tuple[Route, ...]] = {
    "intents": (
        *_draft_routes(
            Kind.DOCUMENT, intents.create_document_intent, intents.update_document_intent, "documents.getDocument"
        ),
        *_draft_routes(
            Kind.CLUSTER, intents.create_cluster_intent, intents.update_cluster_intent, "clusters.getCluster"
        ),
        *_draft_routes(
            Kind.CATEGORY, intents.create_category_intent, intents.update_category_intent, "categories.getCategory"
        ),
    ),
    "briefs": (
        Route("GET", "/briefs", briefs.list_briefs),
        Route("POST", "/briefs/claim", briefs.claim_next_brief),
        Route("GET", "/documents/<id>/brief", briefs.get_brief),
        Route("PUT", "/documents/<id>/brief", briefs.replace_brief),
        Route("PATCH", "/documents/<id>/brief", briefs.update_brief),
        Route("POST", "/documents/<id>/brief/ready", briefs.mark_brief_ready),
        Route("POST", "/documents/<id>/brief/claim", briefs.claim_brief),
        Route("POST", "/documents/<id>/brief/renew", briefs.renew_claim),
        Route("POST", "/documents/<id>/brief/withdraw", briefs.withdraw_brief),
        Route("POST", "/documents/<id>/brief/release", briefs.release_brief),
    ),
    "documents": (
        Route("GET", "/documents", documents.list_documents),
        Route("GET", "/documents/<id>", documents.get_document),
        Route("GET", "/documents/<id>/actions", actions.list_document_actions),
        Route("PATCH", "/documents/<id>", documents.update_document),
        Route("DELETE", "/documents/<id>", documents.delete_document),
        Route("POST", "/plan", plans.plan_documents),
        Route("POST", "/documents/<id>/restore", documents.restore_document),
        Route("PUT", "/documents/<id>/content", revisions.write_content),
        Route("PATCH", "/documents/<id>/content", sections.edit_content),
        Route("GET", "/documents/<id>/outline", sections.get_outline),
        Route("GET", "/documents/<id>/sections/<number>", sections.read_section),
        Route("GET", "/documents/<id>/packet", packets.get_work_packet),
        Route("GET", "/documents/<id>/checks", checks.check_document),
        Route("POST", "/documents/<id>/submit", publishing.submit_document),
        Route("POST", "/documents/<id>/approve", publishing.approve_document),
        Route("POST", "/documents/<id>/request-changes", publishing.request_changes),
        Route("POST", "/documents/<id>/schedule", publishing.schedule_document),
        Route("POST", "/documents/<id>/unschedule", publishing.unschedule_document),
        Route("POST", "/documents/<id>/publish", publishing.publish_document),
        Route("POST", "/documents/<id>/unpublish", publishing.unpublish_document),
        Route("GET", "/documents/<id>/revisions", revisions.list_revisions),
        Route("GET", "/documents/<id>/revisions/<version>", revisions.get_revision),
        Route("POST", "/documents/<id>/revisions/<version>/restore", revisions.restore_revision),
        Route("GET", "/documents/<id>/diff", revisions.diff_revisions),
    ),
    "categories": (
        Route("GET", "/categories", categories.list_categories),
        Route("GET", "/categories/<id>", categories.get_category),
        Route("PATCH", "/categories/<id>", categories.update_category),
        Route("DELETE", "/categories/<id>", categories.delete_category),
    ),
    "clusters": (
        Route("GET", "/clusters", clusters.list_clusters),
        Route("GET", "/clusters/<id>", clusters.get_cluster),
        Route("PATCH", "/clusters/<id>", clusters.update_cluster),
        Route("DELETE", "/clusters/<id>", clusters.delete_cluster),
    ),
    "members": (
        Route("GET", "/members", members.list_members),
        Route("POST", "/members", members.create_member, location="members.getMember"),
        Route("GET", "/members/<id>", members.get_member),
        Route("PATCH", "/members/<id>", members.update_member),
        Route("DELETE", "/members/<id>", members.delete_member),
    ),
    "tokens": (
        Route("GET", "/tokens", tokens.list_tokens),
        Route("POST", "/tokens", tokens.create_token),
        Route("PATCH", "/tokens/<id>", tokens.update_token),
        Route("POST", "/tokens/<id>/rotate", tokens.rotate_token),
        Route("DELETE", "/tokens/<id>", tokens.revoke_token),
        Route("POST", "/tokens/<id>/revert", reverts.revert_token),
    ),
    "events": (
        Route("GET", "/events", events.list_events, rest_query=WaitingEventQuery, waiting=_wait_for_events),
        Route("GET", "/documents/<id>/activity", events.get_document_activity),
    ),
    "webhooks": (
        Route("GET", "/webhooks", webhooks.list_webhooks),
        Route("POST", "/webhooks", webhooks.create_webhook, location="webhooks.getWebhook"),
        Route("GET", "/webhooks/<id>", webhooks.get_webhook),
        Route("PATCH", "/webhooks/<id>", webhooks.update_webhook),
        Route("DELETE", "/webhooks/<id>", webhooks.delete_webhook),
        Route("POST", "/webhooks/<id>/rotate-secret", webhooks.rotate_webhook_secret),
        Route("POST", "/webhooks/<id>/test", webhooks.test_webhook),
        Route("GET", "/webhooks/<id>/deliveries", webhooks.list_webhook_deliveries),
        Route("POST", "/webhooks/<id>/deliveries/<delivery_id>/redeliver", webhooks.redeliver_webhook),
    ),
    "project": (
        Route("GET", "/project", projects.get_project),
        Route("GET", "/insights", insights.get_insights),
        Route("PATCH", "/project", projects.update_project),
        Route("POST", "/project/freeze", projects.freeze_project),
        Route("POST", "/project/unfreeze", projects.unfreeze_project),
    ),
}
