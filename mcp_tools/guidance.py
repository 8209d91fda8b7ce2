"""What agents read besides the operations' descriptions: when to use a tool, and what to call next."""

INSTRUCTIONS = """\
Plan, write and publish a project's documents. Only tools that say so publish anything.

To write: `claim_next_brief` with `leaseSeconds`, `get_work_packet`, `write_content` with the document's `version` as \
`baseVersion`, `check_document`, then `submit_document`. Call `renew_claim` before the lease ends. If you can't \
finish, call `release_brief`, so that another writer can claim the brief.

To plan documents with their briefs: `plan_documents`. Step by step, and for clusters and categories: \
`create_document_intent` (or cluster, category), `update_document_intent`, `validate_intent`, `confirm_intent`, then \
`mark_brief_ready`.

A tool that changes a record returns it as the record's `get_…` tool does; a list is under `items`. Records come \
without their content: read it in parts with `read_document_content`. A list returns 20 items unless you \
send `limit`; ask for the next page with `offset`. A page shorter than `limit` is the last one.

Every tool that writes takes `idempotencyKey`, 1 to 255 visible ASCII characters: choose a new one for each call, and \
send the same one when you retry that call within 24 hours. Then nothing is done twice. With `dryRun` true \
instead, it answers as it would now and changes nothing; ids and times are made up.

A string has at most 500 characters where its schema states no length; an id has 24 hexadecimal digits.

A refusal is a tool error: `_tag` names it, `message` says what to do, and nothing was changed. Any tool can be \
refused with
- `HttpApiDecodeError`: correct the arguments that `issues` names. Unknown arguments are refused.
- `NotFound`: no record of this project has the id; drafts belong to one token.
- `BadRequest`, `IntentInvalid`: correct the fields that `errors` lists.
- `Forbidden`: the token lacks the scope; ask a person.
- `ProjectFrozen`: an admin stopped all writing; tell a person, and read on.
- `BudgetExceeded`: your token may change no more until `resetsAt`; wait, or tell a person.
- `RateLimited`, `ServiceUnavailable`: wait, then retry with the same key.
- `IdempotencyConflict`: your first call with this key is still running; wait, then retry.
- `IdempotencyMismatch`: the key was used for another call; choose a new one.
- `InternalError`: report it with the request id.

Other refusals:
- `BriefClaimed`: `claimedBy` holds the claim; if that is you, go on writing, else claim another brief.
- `BriefNotReady`: `mark_brief_ready` first. `BriefNotOffered`: there is nothing to withdraw.
- `BriefClosed`, `InvalidTransition`: the document's `status` does not allow it. What it allows may be for people: if \
you lack those tools, your work on it is done.
- `FourEyes`: somebody else has to approve, schedule or publish what you wrote or submitted.
- `ChecksFailed`: correct what `checks` lists, then submit again.
- `NoBriefReady`: there is no work; try again later.
- `VersionConflict`: read the document again, merge, send its `version` as `baseVersion`.
- `SlugTaken`: choose another slug.
- `CategoryInUse`, `ClusterInUse`: move the documents first.
- `ReviewRequired`: the document has to be approved first.
- `CursorExpired`: start again without `after`.
- `PreconditionFailed`: the record changed; read it again.
"""

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
