"""What agents read besides the operations' descriptions: when to use a tool, and what to call next."""

from pathlib import Path

INSTRUCTIONS = Path(__file__).with_name("instructions.md").read_text()
"""What the server says of itself and of all of its tools, as every client shows it to its model."""

DESCRIBED_IN: dict[str, str] = {
    "update_document_intent": "create_document_intent",
    "update_cluster_intent": "create_cluster_intent",
    "update_category_intent": "create_category_intent",
    "plan_documents": "create_document_intent",
    "replace_brief": "create_document_intent",
    "update_brief": "create_document_intent",
    "claim_next_brief": "claim_brief",
    "update_cluster": "create_cluster_intent",
    "update_category": "create_category_intent",
    "update_member": "create_member",
    "update_webhook": "create_webhook",
}
"""Tools whose arguments another tool describes: they leave out the descriptions that are the same there."""

NEXT: dict[str, str] = {
    "plan_documents": "After a failure, send the same plan again.",
    "create_document_intent": "Next: `validate_intent`, `confirm_intent`.",
    "create_cluster_intent": "Next: `confirm_intent`.",
    "create_category_intent": "Next: `confirm_intent`.",
    "update_document_intent": "Next: `validate_intent`, then `confirm_intent`.",
    "list_intents": "Look here for drafts you began earlier before you create another.",
    "get_intent": "The only tool that returns a draft's `markdown`.",
    "validate_intent": "Next: correct what `errors` lists, or `confirm_intent`.",
    "confirm_intent": "Next, for a document with a brief: `mark_brief_ready`.",
    "discard_intent": "It can't be undone.",
    "list_briefs": "To write one, call `claim_next_brief` rather than choose from the list. "
    "Yours after a restart: `state` `claimed`, then `get_brief`.",
    "get_work_packet": "Next, if you hold the claim: `write_content`, or `edit_content` for parts.",
    "get_brief": "Next, if you hold the claim: `write_content`.",
    "replace_brief": "To change single fields use `update_brief`.",
    "mark_brief_ready": "Next: a writer takes it with `claim_next_brief`.",
    "claim_brief": "Next: `get_work_packet`, `write_content`, `submit_document`. If you can't finish: `release_brief`.",
    "claim_next_brief": "Use it to get work. Next: `get_work_packet`, `write_content`, `submit_document`. If you can't "
    "finish: `release_brief`. Each call claims another brief, so retry with the same "
    "`idempotencyKey`.",
    "renew_claim": "Call it before `claimExpiresAt` while you are writing.",
    "withdraw_brief": "It takes the brief out of the queue; `mark_brief_ready` offers it again. If you can't finish "
    "one that you claimed: `release_brief`.",
    "release_brief": "Call it when you can't finish: another writer can claim the brief at once.",
    "get_document": "Its content: `read_document_content`.",
    "list_documents": "Their content: `read_document_content`.",
    "read_document_content": "Read on with `nextOffset` as `offset` until it is null.",
    "update_document": "Write text with `write_content`.",
    "get_outline": "Next: `read_section`, `edit_content`.",
    "edit_content": "After `VersionConflict`: `get_outline`. Next: `submit_document`.",
    "write_content": "Send the whole text; for parts use `edit_content`. Next: `submit_document`.",
    "list_document_actions": "Call it when a refusal is unclear.",
    "check_document": "Call it before `submit_document`.",
    "submit_document": "A writer's last call: a person or an editor approves and publishes.",
    "approve_document": "For reviewers: read the content first, and send its `version` as `baseVersion`.",
    "request_changes": "For reviewers. Next, to have a writer revise it: `mark_brief_ready`.",
    "schedule_document": "Only when asked to: the document goes live at that time.",
    "publish_document": "Only when asked to: the document goes live at once.",
    "unpublish_document": "Only when asked to: the document leaves the website at once.",
    "delete_document": "Only when asked to. `restore_document` undoes it.",
    "update_category": "`id` is the category, `categoryId` its parent.",
    "list_revisions": "The text of one: `read_document_content` with its `version`.",
    "get_revision": "Its text: `read_document_content` with this `version`.",
    "create_token": "Pass the secret on at once, and never write it into a document.",
}
"""What to call next, by tool; a tool that is missing here has only its operation's description."""

EACH_CALL_COUNTS = frozenset({"renew_claim", "rotate_token", "rotate_webhook_secret"})
"""Operations on one record that have another effect when they are repeated."""
