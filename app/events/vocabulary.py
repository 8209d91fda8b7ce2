"""The types of events."""

EVENT_TYPES = (
    *(
        f"document.{what}"
        for what in (
            *("created", "updated", "content_updated", "submitted", "approved", "changes_requested", "scheduled"),
            *("unscheduled", "published", "unpublished", "deleted", "restored", "publish_failed"),
        )
    ),
    *(f"brief.{what}" for what in ("updated", "ready", "claimed", "renewed", "withdrawn", "released", "expired")),
    *(f"thread.{what}" for what in ("opened", "replied", "resolved", "reopened")),
    *("review_link.created", "review_link.deleted"),
    *(f"{thing}.{what}" for thing in ("category", "cluster", "member") for what in ("created", "updated", "deleted")),
    "member.invited",
    *("token.created", "token.updated", "token.rotated", "token.revoked"),
    *("webhook.created", "webhook.updated", "webhook.deleted", "webhook.disabled"),
    *("project.updated", "project.frozen", "project.unfrozen"),
)
"""Every type of event there is."""
