"""The lists in which the contract's folders and the features meet, each in the order that callers see.

Operations are declared at their functions; REST, MCP and the console serve those that stand here, in the order of
MCP's tools. The command line and the worker have a few of their own.
"""

from typing import Any

from app.actions import operations as actions
from app.briefs import operations as briefs
from app.categories import clusters
from app.categories import operations as categories
from app.checks import feature as checks_feature
from app.checks import operations as checks
from app.core.features import Feature, Features
from app.core.operation import Operation
from app.core.store import store
from app.core.store.store import Store
from app.documents import content as revisions
from app.documents import operations as documents
from app.documents import publishing
from app.events import feature as events_feature
from app.events import operations as events
from app.guards import feature as guards_feature
from app.guards import reverts
from app.insights import operations as insights
from app.intents import operations as intents
from app.notices import feature as notices_feature
from app.notices import operations as inbox
from app.oauth import feature as oauth_feature
from app.packets import operations as packets
from app.planning import feature as planning_feature
from app.planning import operations as plans
from app.projects import invitations, members, tokens
from app.projects import operations as projects
from app.provenance import feature as provenance_feature
from app.provenance import operations as provenance
from app.review import feature as review_feature
from app.review import links as review_links
from app.review import operations as threads
from app.sections import operations as sections
from app.transfers import feature as transfers_feature
from app.webhooks import feature as webhooks_feature
from app.webhooks import operations as webhooks

OPERATIONS: tuple[Operation[Any], ...] = (
    intents.create_document_intent,
    intents.create_cluster_intent,
    intents.create_category_intent,
    intents.update_document_intent,
    intents.update_cluster_intent,
    intents.update_category_intent,
    intents.list_intents,
    intents.get_intent,
    intents.validate_intent,
    intents.confirm_intent,
    intents.discard_intent,
    plans.plan_documents,
    briefs.list_briefs,
    briefs.get_brief,
    packets.get_work_packet,
    briefs.replace_brief,
    briefs.update_brief,
    briefs.mark_brief_ready,
    briefs.claim_brief,
    briefs.claim_next_brief,
    briefs.renew_claim,
    briefs.withdraw_brief,
    briefs.release_brief,
    documents.list_documents,
    documents.get_document,
    actions.list_document_actions,
    documents.update_document,
    revisions.write_content,
    sections.get_outline,
    sections.read_section,
    sections.edit_content,
    checks.check_document,
    publishing.submit_document,
    publishing.approve_document,
    publishing.request_changes,
    threads.list_threads,
    threads.open_thread,
    threads.reply_to_thread,
    threads.resolve_thread,
    threads.reopen_thread,
    threads.accept_suggestion,
    threads.reject_suggestion,
    review_links.list_review_links,
    review_links.create_review_link,
    review_links.delete_review_link,
    publishing.schedule_document,
    publishing.unschedule_document,
    publishing.publish_document,
    publishing.unpublish_document,
    documents.delete_document,
    documents.restore_document,
    revisions.list_revisions,
    revisions.get_revision,
    revisions.restore_revision,
    revisions.diff_revisions,
    categories.list_categories,
    categories.get_category,
    categories.update_category,
    categories.delete_category,
    clusters.list_clusters,
    clusters.get_cluster,
    clusters.update_cluster,
    clusters.delete_cluster,
    members.list_members,
    members.get_member,
    members.create_member,
    members.update_member,
    members.delete_member,
    invitations.list_invitations,
    invitations.invite_member,
    invitations.withdraw_invitation,
    tokens.list_tokens,
    tokens.create_token,
    tokens.update_token,
    tokens.rotate_token,
    tokens.revoke_token,
    reverts.revert_token,
    events.list_events,
    events.get_document_activity,
    inbox.get_inbox,
    webhooks.list_webhooks,
    webhooks.get_webhook,
    webhooks.create_webhook,
    webhooks.update_webhook,
    webhooks.delete_webhook,
    webhooks.rotate_webhook_secret,
    webhooks.test_webhook,
    webhooks.list_webhook_deliveries,
    webhooks.redeliver_webhook,
    insights.get_insights,
    projects.get_project,
    projects.update_project,
    projects.save_views,
    projects.freeze_project,
    projects.unfreeze_project,
    provenance.get_provenance,
    provenance.get_review_record,
    provenance.list_disclosures,
    sections.read_document_content,  # MCP's alone: REST gives a document's content whole (decisions, section 8)
)

FEATURES: tuple[Feature, ...] = (
    events_feature.FEATURE,
    webhooks_feature.FEATURE,
    checks_feature.FEATURE,
    guards_feature.FEATURE,
    review_feature.FEATURE,
    provenance_feature.FEATURE,
    planning_feature.FEATURE,
    transfers_feature.FEATURE,
    notices_feature.FEATURE,
    oauth_feature.FEATURE,
)
"""What else features add to the records and operations of other folders."""

ALL = Features(OPERATIONS, FEATURES)
"""The whole service."""


def connect(uri: str, *arguments: Any, features: Features = ALL, **options: Any) -> Store:
    """Returns the store of an application with these features; arguments and errors are those of `store.connect`."""
    return store.connect(uri, *arguments, features=features, **options)
