"""What agents are told beside the operations' own descriptions: when to use a tool, and what comes next."""

INSTRUCTIONS = """\
Plan, write and publish a project's documents. Nothing is published unless you call a tool that says so.

To write what is waiting: `claim_next_brief` (with `leaseSeconds`, so that the brief is free again should you stop), \
`get_brief` for the category and the links, `write_content` with the brief's `version` as `baseVersion`, then \
`submit_document`. If you can't finish, call `withdraw_brief`, so that somebody else can. Renew a lease before it ends \
with `renew_claim`.

To plan: `create_document_intent` (or cluster, category), `update_…_intent`, `validate_intent`, `confirm_intent`, then \
`mark_brief_ready`.

Records come without their content: read it in parts with `read_document_content`. Lists are short: ask for the next \
page with `offset`; one shorter than `limit` is the last.

Every tool that writes takes `idempotencyKey`: choose one for each piece of work, and use the same one again whenever \
you retry, so that nothing is done twice.

A refusal is a tool error whose `_tag` says which and whose `message` says what to do; nothing was changed. Any tool \
can answer `HttpApiDecodeError` (correct the arguments that `issues` names), `Forbidden` (the token lacks a scope: ask \
a person), `RateLimited` and `ServiceUnavailable` (wait, then call again with the same key), `IdempotencyConflict` \
(your first call is still at work: wait) and `IdempotencyMismatch` (that key was for another call: choose a new one).
"""

NEXT: dict[str, str] = {
    "create_document_intent": "Next: complete it with `update_document_intent`, check it with `validate_intent`, "
    "make the document with `confirm_intent`.",
    "create_cluster_intent": "Next: `confirm_intent` makes the cluster.",
    "create_category_intent": "Next: `confirm_intent` makes the category.",
    "update_document_intent": "Next: `validate_intent`, then `confirm_intent`.",
    "update_cluster_intent": "Next: `validate_intent`, then `confirm_intent`.",
    "update_category_intent": "Next: `validate_intent`, then `confirm_intent`.",
    "list_intents": "Use it to take up work you began earlier, before you begin a draft a second time.",
    "get_intent": "A document draft shows its whole `markdown` here, and nowhere else.",
    "validate_intent": "Next: correct what `errors` names with the draft's update tool, or `confirm_intent`.",
    "confirm_intent": "Next, for a document with a brief: `mark_brief_ready` offers it to writers.",
    "discard_intent": "It can't be undone.",
    "list_briefs": "To take one and write it, `claim_next_brief` is safer than to list and choose: no two agents get "
    "the same one.",
    "get_brief": "Next, if you hold its claim: `write_content` with this `version` as `baseVersion`.",
    "replace_brief": "To change single fields use `update_brief`.",
    "mark_brief_ready": "Next: writers find it with `list_briefs` and take it with `claim_next_brief`.",
    "claim_brief": "Next: `get_brief`, `write_content`, `submit_document`. If you can't finish, `withdraw_brief`.",
    "claim_next_brief": "Use it to get work. Next: `get_brief`, `write_content`, `submit_document`. If you can't "
    "finish, `withdraw_brief`. Each call claims another brief: give an `idempotencyKey`, and retry with the same one.",
    "renew_claim": "Call it before `claimExpiresAt` while you are still writing.",
    "withdraw_brief": "Use it to give back a brief that you can't finish; `mark_brief_ready` offers it again.",
    "get_document": "Its content is not in the record: `read_document_content` gives it in parts.",
    "list_documents": "The records come without content: `read_document_content` gives it in parts.",
    "read_document_content": "Go on with the answer's `nextOffset` as `offset` until that is null.",
    "update_document": "It changes fields; the text is written with `write_content`, and statuses past drafting have "
    "tools of their own.",
    "write_content": "Send the whole text, not a part of it. Next: `submit_document`. After `VersionConflict` read the "
    "new content, merge yours into it, and send the new `version`.",
    "submit_document": "The end of a writer's work: a person or an editor's token approves and publishes. The claim "
    "ends here.",
    "approve_document": "For reviewers. Read the content first, and send its `version` as `baseVersion`.",
    "request_changes": "For reviewers. Say in `note` what has to change.",
    "schedule_document": "Only when you were asked to: at that time the document goes live.",
    "publish_document": "Only when you were asked to: the document goes live at once.",
    "unpublish_document": "Only when you were asked to: the document leaves the website at once.",
    "delete_document": "Only when you were asked to. `restore_document` brings it back from the trash.",
    "list_revisions": "`read_document_content` with `version` gives the text of one.",
    "get_revision": "Its text is not in the record: `read_document_content` with this `version` gives it in parts.",
    "create_token": "The secret is shown this once: hand it on at once, and never write it into a document.",
    "rotate_token": "The old secret stops working. The new one is shown this once.",
}
"""What comes next, by tool. One that is missing here has its operation's description alone."""

EACH_CALL_COUNTS = frozenset({"renew_claim", "rotate_token", "rotate_webhook_secret"})
"""Operations on one record that do something again when they are called again."""

LEAVES_THE_HOUSE = frozenset({"test_webhook", "redeliver_webhook"})
"""Operations that send something to a server elsewhere."""
