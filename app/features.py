"""The lists in which the contract's folders and the features meet, each in the order that callers see.

Operations are declared at their functions; REST, MCP and the console serve those that stand here, in the order of
MCP's tools. The command line and the worker have a few of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.actions import operations as actions
from app.briefs import operations as briefs
from app.categories import clusters
from app.categories import operations as categories
from app.categories import store as category_store
from app.checks import feature as checks_feature
from app.checks import of_brief, of_text
from app.checks import operations as checks
from app.checks.rules import Check
from app.core.features import Command, Consumer, Feature, Features, Gate, WriteGate
from app.core.operation import Operation
from app.core.store import bodies, delivery_revisions, form, idempotency, outbox, store
from app.core.store.indexes import Storage
from app.core.store.store import Store
from app.documents import content as revisions
from app.documents import gates as documents_gates
from app.documents import indexes as document_indexes
from app.documents import operations as documents
from app.documents import publishing
from app.documents.store import is_filed_under
from app.events import feature as events_feature
from app.events import operations as events
from app.events import store as event_store
from app.guards import feature as guards_feature
from app.guards import freezing, reverts
from app.guards import gates as guards_gates
from app.images import feature as images_feature
from app.images import operations as images
from app.insights import feature as insights_feature
from app.insights import operations as insights
from app.insights import store as insight_store
from app.intents import operations as intents
from app.intents import store as intent_store
from app.intents.store import is_awaited_by_draft
from app.migrations import STEPS
from app.notices import feature as notices_feature
from app.notices import operations as inbox
from app.notices import store as notice_store
from app.oauth import feature as oauth_feature
from app.packets import feature as packets_feature
from app.packets import operations as packets
from app.planning import feature as planning_feature
from app.planning import operations as plans
from app.presence import feature as presence_feature
from app.projects import invitations, members, token_store, tokens
from app.projects import operations as projects
from app.projects import store as project_store
from app.provenance import feature as provenance_feature
from app.provenance import operations as provenance
from app.publications import store as publication_store
from app.publications.store import is_delivered_in
from app.review import feature as review_feature
from app.review import links as review_links
from app.review import operations as threads
from app.search import feature as search_feature
from app.search import store as search_store
from app.sections import feature as sections_feature
from app.sections import operations as sections
from app.settings import settings_of
from app.sources import checks as source_checks
from app.sources import feature as sources_feature
from app.sources import operations as sources
from app.transfers import archives
from app.transfers import feature as transfers_feature
from app.webhooks import attempt_store
from app.webhooks import feature as webhooks_feature
from app.webhooks import operations as webhooks

if TYPE_CHECKING:
    from app.core.worker import MakeJob

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
    sources.list_sources,
    sources.add_source,
    sources.update_source,
    sources.verify_source,
    sources.delete_source,
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
    review_links.list_all_review_links,
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
    images.upload_image,
    images.list_images,
    images.get_image,
    images.update_image,
    images.delete_image,
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
    freezing.freeze_project,
    freezing.unfreeze_project,
    provenance.get_provenance,
    provenance.get_review_record,
    provenance.list_disclosures,
    revisions.read_document_content,  # MCP's alone: REST gives a document's content whole (decisions, section 8)
)

STREAMS: tuple[Operation[Any], ...] = (archives.export_project, archives.import_project)
"""Operations of REST whose body or response is NDJSON of any length."""

FEATURES: tuple[Feature, ...] = (
    events_feature.FEATURE,
    webhooks_feature.FEATURE,
    sections_feature.FEATURE,
    images_feature.FEATURE,
    checks_feature.FEATURE,
    guards_feature.FEATURE,
    review_feature.FEATURE,
    provenance_feature.FEATURE,
    packets_feature.FEATURE,
    sources_feature.FEATURE,
    insights_feature.FEATURE,
    planning_feature.FEATURE,
    transfers_feature.FEATURE,
    notices_feature.FEATURE,
    oauth_feature.FEATURE,
    search_feature.FEATURE,
    presence_feature.FEATURE,
)
"""The features' further additions to the records and operations of other folders."""

GATES: tuple[Gate, ...] = (
    review_feature.RESOLVED,
    provenance_feature.RECORD,
    sources_feature.COMPARED,
    provenance_feature.RECORDED,
    provenance_feature.RECORDED_OF_RESTORED,
    guards_gates.FOUR_EYES,
    guards_gates.FOUR_EYES_OF_RESTORED,
    guards_gates.CATEGORIES,
    guards_gates.AUTHORS,
    checks_feature.BRIEFS,
    documents_gates.APPROVAL,
    documents_gates.READ,
    review_feature.ANSWERED,
    checks_feature.PASSED,
    documents_gates.RENDERABLE,
)
"""Further rules that refuse operations on documents and categories."""

WRITE_GATES: tuple[WriteGate, ...] = (guards_gates.FREEZE, guards_gates.BUDGET)
"""Further rules that refuse every write."""

CHECKS: tuple[Check, ...] = (*of_brief.CHECKS, *source_checks.CHECKS, *of_text.CHECKS)
"""The checks of documents, in the order in which they are listed."""

CONSUMERS: tuple[Consumer, ...] = (
    event_store.add_to_feed,
    attempt_store.queue_messages,
    notice_store.queue_notices,
    insight_store.count_events,
    search_store.mark_texts,
)
"""Called in order with the events that the relay numbered."""

USERS = (is_filed_under, is_delivered_in, is_awaited_by_draft)
"""The users of categories and clusters: one that is used can't be deleted."""

CONTRACT: tuple[Storage, ...] = (
    form.STORAGE,
    outbox.STORAGE,
    delivery_revisions.STORAGE,
    idempotency.STORAGE,
    bodies.STORAGE,
    project_store.STORAGE,
    token_store.STORAGE,
    category_store.STORAGE,
    publication_store.STORAGE,
    document_indexes.STORAGE,
    intent_store.STORAGE,
)
"""The storage of the contract's folders."""


COMMANDS = (
    Command(
        "import",
        "app.transfers.commands.imports",
        "Import markdown files with front matter, or an exported project.",
    ),
    Command(
        "export",
        "app.transfers.commands.exports",
        "Write a project as NDJSON: settings, members, categories, clusters, documents with trash and revisions.",
    ),
    Command("plan", "app.planning.commands.plans", "Plan documents with their briefs, many at once."),
)
"""The commands of features."""


def jobs() -> tuple[MakeJob, ...]:
    """Returns what makes the jobs of the worker, besides the relay of events; only the worker imports them."""
    from app.briefs.jobs import end_expired_claims
    from app.documents.jobs import publish_scheduled_documents
    from app.events.jobs import trim_all_feeds
    from app.images.jobs import tidy_pictures
    from app.notices.jobs import send_notices, tell_each_hour
    from app.provenance.jobs import attribute_all_texts
    from app.search.jobs import index_all_texts
    from app.webhooks.jobs import count_failing_webhooks, send_webhooks

    return (
        send_webhooks,
        count_failing_webhooks,
        send_notices,
        tell_each_hour,
        publish_scheduled_documents,
        end_expired_claims,
        attribute_all_texts,
        index_all_texts,
        trim_all_feeds,
        tidy_pictures,
    )


def routes() -> tuple[Any, ...]:
    """Returns what installs the routes of features that are no operations; only the server imports them."""
    from app.images import routes as images_routes
    from app.oauth import routes as oauth_routes
    from app.representations import routes as representations_routes

    return (oauth_routes.install, images_routes.install, representations_routes.install)


def delivery_fields() -> tuple[Any, ...]:
    """Returns the fields that features add to the delivery API; only it imports them."""
    from app.changes import delivery_fields as changes_fields
    from app.images import delivery_fields as images_fields
    from app.provenance import delivery_fields as provenance_fields
    from app.sources import delivery_fields as sources_fields

    changes = (changes_fields.CHANGES, changes_fields.DOCUMENTS_BY_IDS)
    sources = (sources_fields.SOURCES, sources_fields.PREVIEWED)
    return (provenance_fields.DISCLOSURE, *sources, *images_fields.OF_COVERS, *changes)


def pages() -> tuple[Any, ...]:
    """Returns the features' `Pages`, in the order of tabs and panels; only the console imports them."""
    from app.actions import pages as actions_pages
    from app.checks import pages as checks_pages
    from app.events import pages as events_pages
    from app.guards import pages as guards_pages
    from app.images import pages as images_pages
    from app.insights import pages as insights_pages
    from app.notices import pages as notices_pages
    from app.oauth import pages as oauth_pages
    from app.planning import pages as planning_pages
    from app.presence import pages as presence_pages
    from app.provenance import pages as provenance_pages
    from app.review import pages as review_pages
    from app.search import pages as search_pages
    from app.sources import pages as sources_pages
    from app.webhooks import pages as webhooks_pages

    return (
        sources_pages.PAGES,
        review_pages.PAGES,
        checks_pages.PAGES,
        guards_pages.PAGES,
        provenance_pages.PAGES,
        events_pages.PAGES,
        actions_pages.PAGES,
        planning_pages.PAGES,
        images_pages.PAGES,
        insights_pages.PAGES,
        notices_pages.PAGES,
        webhooks_pages.PAGES,
        oauth_pages.PAGES,
        search_pages.PAGES,
        presence_pages.PAGES,
    )


ALL = Features(
    operations=OPERATIONS,
    streams=STREAMS,
    features=FEATURES,
    gates=GATES,
    write_gates=WRITE_GATES,
    checks=CHECKS,
    contract=CONTRACT,
    consumers=CONSUMERS,
    users=USERS,
    steps=STEPS,
    commands=COMMANDS,
    jobs=jobs,
    pages=pages,
    routes=routes,
    delivery_fields=delivery_fields,
)
"""The whole service."""

ServerSettings = settings_of(ALL)
"""The settings of the whole service."""


def connect(uri: str, *arguments: Any, features: Features = ALL, **options: Any) -> Store:
    """Returns the store of an application with these features; arguments and errors are those of `store.connect`."""
    return store.connect(uri, *arguments, features=features, **options)
