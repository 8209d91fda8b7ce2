"""Sets of tools, for clients whose work needs few of them: `/mcp?toolset=writing`, `mcp --toolset writing`."""

ALL = "all"

READING = "list_documents get_document read_document_content get_brief list_briefs get_project"

_TOOLSETS = {
    "writing": """
        list_briefs claim_brief claim_next_brief renew_claim release_brief get_work_packet get_brief get_cluster
        get_document read_document_content get_outline read_section
        write_content edit_content check_document submit_document
        """,
    "planning": f"""{READING}
        plan_documents create_document_intent create_cluster_intent create_category_intent
        update_document_intent update_cluster_intent update_category_intent
        list_intents get_intent validate_intent confirm_intent discard_intent
        replace_brief update_brief mark_brief_ready withdraw_brief update_document
        list_categories get_category update_category delete_category
        list_clusters get_cluster update_cluster delete_cluster list_members get_member
        get_insights
        """,
    "reviewing": f"""{READING}
        list_document_actions check_document
        list_revisions get_revision diff_revisions restore_revision get_document_activity
        approve_document request_changes mark_brief_ready schedule_document unschedule_document
        publish_document unpublish_document delete_document restore_document
        """,
    "admin": """
        get_project update_project freeze_project unfreeze_project list_events get_document_activity
        list_members get_member create_member update_member delete_member
        list_tokens create_token update_token rotate_token revoke_token revert_token
        list_webhooks get_webhook create_webhook update_webhook delete_webhook
        rotate_webhook_secret test_webhook list_webhook_deliveries redeliver_webhook
        """,
}
TOOLSETS = {name: tools.split() for name, tools in _TOOLSETS.items()}
"""The tools of each set, of which a token sees those of its scopes; the set `all` holds every tool."""

NAMES = (*TOOLSETS, ALL)


def holds(toolset: str, tool: str) -> bool:
    """Returns whether a set offers a tool."""
    return toolset == ALL or tool in TOOLSETS[toolset]
