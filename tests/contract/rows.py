"""The contract as a table: each numbered rule and each row of its tables, with an id that tests name.

A test says what it proves with `@pytest.mark.contract("brief-rules.1", …)`; `test_every_row.py` checks both ways.
The first part is the contract itself, the second what it leaves open and the project decided (`decided-…`).
A row that waits for a part of the service that is still to come says `later=`; the test that proves it drops that.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One row of the contract."""

    id: str
    says: str
    later: str = ""
    """The part of the service that the row waits for."""


def _rows(section: str, says: dict[str, str], later: str = "") -> tuple[Row, ...]:
    return tuple(Row(f"{section}.{name}", text, later) for name, text in says.items())


CONTRACT: tuple[Row, ...] = (
    *_rows(
        "service",
        {
            "created-by-intents": "documents, clusters and categories cannot be created directly; no POST /documents",
            "idea": "a document with a brief and no content is an idea waiting for a writer",
            "one-project": "a token belongs to exactly one project",
        },
    ),
    Row("service.mcp", "an MCP server offers the same operations as the management API as tools", later="mcp"),
    Row("service.delivery", "a separate, read-only GraphQL API returns published content", later="delivery"),
    *_rows(
        "conventions",
        {
            "json": "responses are JSON with camelCase keys",
            "ids": "ids are 24-character hexadecimal strings",
            "times": "timestamps are ISO 8601 with milliseconds and a Z suffix; due dates are YYYY-MM-DD",
            "unknown": "request fields the API does not know are ignored",
        },
    ),
    *_rows(
        "intent",
        {
            "id": "the draft's id",
            "kind": "document, cluster or category",
            "createdAt": "timestamp",
            "updatedAt": "changes when the draft is updated",
            "createdBy": "name and type; `token` occurs",
            "fields": "only the fields set so far; a field cleared with null is not required to appear",
        },
    ),
    *_rows(
        "intent-document",
        {
            "title": "required to confirm; at most 300 characters",
            "status": "idea, planned or drafting; defaults to drafting, or to idea when the draft has a brief",
            "slug": "at most 200 characters",
            "markdown": "first content as markdown; at most 2,097,152 characters",
            "brief": "same fields as the brief object's writable fields",
            "assigneeId": "a team member's id",
            "categoryId": "a category's id",
            "clusterId": "a cluster's id",
            "dueDate": "YYYY-MM-DD",
        },
    ),
    *_rows(
        "intent-cluster",
        {
            "name": "required to confirm; at most 100 characters; unique in the project, ignoring case",
            "description": "at most 2,000 characters",
            "keywords": "at most 50 items, each at most 100 characters",
        },
    ),
    *_rows(
        "intent-category",
        {
            "name": "required to confirm; at most 200 characters",
            "slug": "required to confirm; lowercase letters, numbers, single hyphens; unique; at most 200 characters",
            "description": "writers receive it with each brief; at most 2,000 characters",
            "categoryId": "the parent category's id, for a subcategory",
        },
    ),
    *_rows(
        "record",
        {
            "ids": "id, projectId, teamId: id strings",
            "references": "assigneeId, authorId, categoryId, clusterId: id strings",
            "texts": "title, slug, subtitle, metaTitle, metaDescription: strings",
            "status": "idea, planned, drafting and later statuses",
            "content": "string, the current content",
            "times": "contentUpdatedAt, updatedAt: timestamps",
            "contentUpdatedBy": "agent, id, name, type",
            "coverImageUrl": "string or null",
            "dueDate": "YYYY-MM-DD string",
            "flags": "hasUnpublishedChanges, isPublished: booleans",
            "versions": "version, publishedVersion: integers",
            "wordCount": "integer",
            "brief": "Brief object",
        },
    ),
    Row("record.publishedMarkdown", "string, the published content", later="documents"),
    *_rows(
        "brief",
        {
            "audience": "at most 500 characters",
            "intent": "informational, commercial, transactional or navigational",
            "internalLinks": "ids of documents in this project; at most 50 items, each at most 500 characters",
            "keyword": "at most 200 characters",
            "notes": "at most 5,000 characters",
            "outline": "at most 5,000 characters",
            "referenceUrls": "http or https URLs; at most 50 items, each at most 500 characters",
            "wordCount": "free text; at most 50 characters",
            "state": "read-only: none, ready, claimed, drafted",
            "claimedAt": "read-only: null unless claimed",
            "claimedBy": "read-only: agent, id, name, type of the claiming token; null unless claimed",
            "unset": "in a document record an unset text is an empty string and an unset list an empty array",
        },
    ),
    Row("brief-item", "id, title, keyword, intent, state, status, dueDate, category (the category's name)"),
    *_rows(
        "brief-detail",
        {
            "id-title": "document id and title",
            "brief": "Brief object, or null when the document has none",
            "status": "document status",
            "dueDate": "date",
            "version": "integer; the baseVersion for the first content write",
            "category": "object id, name, description",
            "clusterId": "id",
            "internalLinks": "array of objects id, slug, title",
        },
    ),
    *_rows(
        "delivery-types",
        {
            "Document": "id, category, coverImage, excerpt, html, isPublished, markdown, … with their nullability",
            "Category": "id, category (the parent), description, name, slug",
            "CoverImage": "url",
            "published-version": "html and markdown always hold the published version, even through includeDrafts",
        },
        later="delivery",
    ),
    *_rows(
        "brief-states",
        {
            "none": "not offered; freely editable",
            "ready": "offered to agents; listed by GET /briefs; can be claimed",
            "claimed": "an agent took it; claimedBy and claimedAt are set",
        },
    ),
    Row("brief-states.drafted", "the claimed document was submitted, …; can be marked ready again", later="documents"),
    *_rows(
        "brief-moves",
        {
            "none-ready": "ready: none to ready while idea, planned or drafting; appears in GET /briefs",
            "drafted-ready": "ready: drafted to ready while idea, planned or drafting",
            "claim": "claim: ready to claimed; status becomes drafting; claimedBy is the calling token; claimedAt",
            "withdraw-ready": "withdraw: ready to none; no longer listed",
            "withdraw-claimed": "withdraw: claimed to none; claimedBy and claimedAt become null; can be offered again",
            "write": "replace or update: any state, valid fields; the state never changes",
        },
    ),
    Row("brief-moves.finish", "submitted, published, scheduled or approved: claimed to drafted", later="documents"),
    *_rows(
        "brief-rules",
        {
            "1": "claim is one step: of two at once one succeeds, the other gets 409 naming who and when",
            "2": "a claimed brief cannot be claimed again, even by the token that holds the claim",
            "3": "over REST any token can release a claim through withdraw; over MCP only the agent that claimed it",
            "4": "GET /briefs leaves out ready briefs whose document is past drafting",
        },
    ),
    Row("statuses", "idea, planned, drafting are given exactly; claim moves to drafting"),
    *_rows(
        "intent-lifecycle",
        {
            "create": "fewer than 100 unfinished drafts, valid types and lengths: 201, draft exists",
            "update": "valid types and lengths: only sent fields change; null clears a field",
            "discard": "draft gone; the draft is returned",
            "confirm": "every field valid: record created, draft deleted, 201",
            "confirm-invalid": "any field missing or invalid: draft exists, nothing changes; 422 lists every problem",
            "forever": "drafts never expire; a confirmed or discarded draft answers 404 afterwards",
        },
    ),
    Row("endpoints.all", "fields at the top level of the body; every endpoint but health needs a token"),
    Row("endpoints.health", "GET /health: no token; 200, object with status (string)"),
    *_rows(
        "endpoints-intents",
        {
            "create": "POST: 201 Intent; only types and lengths; 422 BadRequest at 100 drafts; 400",
            "list": "GET: the token's of this kind, most recently updated first, at most 100; no markdown",
            "get": "GET :id: 200, Intent with every field; 404",
            "update": "PATCH: 200 Intent; others unchanged; null clears; 404, 400",
            "discard": "DELETE: 200, the discarded Intent; 404",
            "confirm": "confirm: 201, a key named after the kind and intentId; 422 IntentInvalid, sorted; 404",
        },
    ),
    *_rows(
        "endpoints-briefs",
        {
            "list": "GET /briefs: state (default ready), limit, offset; due soonest first",
            "get": "GET /documents/:id/brief: 200 Brief detail; 404",
            "replace": "PUT: omitted fields are cleared, state unchanged; 200 document record; 422 BadRequest, 404",
            "update": "PATCH: null clears; 200 document record; 422 BadRequest (same rules as replace), 404",
            "ready": "ready: 200 document record; 409 BriefClaimed, 409 BriefClosed, 404",
            "claim": "claim: 200 (drafting, claimed); 409 BriefClaimed, BriefNotReady, BriefClosed, 404",
            "withdraw": "withdraw: 200 document record; 409 BriefNotOffered, 404",
            "rules": "422: an intent outside the four; a link that is no document of this project; a URL not http(s)",
            "gone": "a document that does not exist in the token's project, or was deleted, gives 404",
            "bulk": "create document intents with a brief and status idea or planned, confirm, mark each ready",
        },
    ),
    Row("endpoints.sources", "GET /members, /categories and /clusters are sources of ids"),
    *_rows(
        "delivery-queries",
        {
            "category": "category(id: ID!): Category, nullable",
            "categories": "categories: [Category!]!",
            "document": "document(id: ID!): Document, nullable",
            "documentBySlug": "documentBySlug(slug: String!): Document, nullable",
            "documents": "documents(includeDrafts, limit, offset): [Document!]!",
            "documentsInCategory": "documentsInCategory(categoryId: ID!, includeDrafts, limit, offset): [Document!]!",
        },
        later="delivery",
    ),
    *_rows(
        "authentication",
        {
            "1": "every management request except GET /health needs a token in Authorization, Bearer",
            "2": "a token belongs to one project; documents are looked up within the token's project",
            "3": "drafts belong to the token that created them; other tokens get 404 for them",
            "4": "GET /health needs no token",
        },
    ),
    *_rows(
        "errors",
        {
            "body": "an error body has _tag and message; IntentInvalid additionally carries errors",
            "HttpApiDecodeError": "400: an intent field has the wrong type or is too long",
            "NotFound": "404: no draft with this id for the calling token; no document in the project, or deleted",
            "BadRequest": "422: 100 unfinished drafts; a brief field breaks a rule",
            "IntentInvalid": "422: errors lists each field and message, sorted by field; the draft stays",
            "BriefClaimed": "409: mark ready: claimed (withdraw first); claim: someone already claimed it",
            "BriefNotReady": "409: claim: the brief is not ready",
            "BriefClosed": "409: ready or claim: already in review, scheduled or published",
            "BriefNotOffered": "409: withdraw: neither ready nor claimed",
            "lost-claim": "a claim lost to a concurrent claim returns 409 that names who claimed and when",
        },
    ),
    *_rows(
        "limits",
        {
            "drafts": "unfinished drafts: at most 100 per token per project",
            "drafts-listed": "drafts returned by list: at most 100",
            "clusters": "at most 200 per project",
            "briefs-limit": "GET /briefs limit: 1 to 100, default 50",
            "briefs-offset": "GET /briefs offset: 0 to 100,000, default 0",
            "document-title": "300 characters",
            "document-slug": "200 characters",
            "document-markdown": "2,097,152 characters",
            "cluster-name": "100 characters",
            "cluster-description": "2,000 characters",
            "cluster-keywords": "50 items, each 100 characters",
            "category-name-slug": "200 characters each",
            "category-description": "2,000 characters",
            "brief-audience": "500 characters",
            "brief-keyword": "200 characters",
            "brief-notes-outline": "5,000 characters each",
            "brief-wordCount": "50 characters",
            "brief-lists": "internalLinks, referenceUrls: 50 items, each 500 characters",
            "last-page": "a page shorter than limit is the last one",
        },
    ),
    Row("limits.body", "request body size: at most 20 MB", later="http"),
    Row("versioning.brief", "GET /documents/:id/brief returns the version to use as baseVersion for the first write"),
    Row("versioning.base", "baseVersion on content writes: 409 if the document changed since", later="documents"),
)

DECIDED: tuple[Row, ...] = (
    *_rows(
        "decided-projects",
        {
            "invisible": "an id of another project answers exactly as an id that never existed",
            "scopes": "read: every GET; write: drafts, briefs, claims, fields and content",
            "no-scope": "a token without the scope: 403 Forbidden, naming the scope",
            "actors": "createdBy, claimedBy, contentUpdatedBy: the token's id, name, agent; or type system",
            "deleted-member": "a deleted member can't be assigned any more; records keep the id",
        },
    ),
    *_rows(
        "decided-http",
        {
            "HttpApiDecodeError": "malformed, no object, wrong type, too long, out of range; issues lists all at once",
            "Unauthorized": "401: one message for all, with WWW-Authenticate: Bearer",
            "NotFound": "404 also for an id in a path that is not 24 hex digits, and a path that does not exist",
            "MethodNotAllowed": "405, with Allow",
            "NoBriefReady": "404: POST /briefs/claim found none",
            "IdempotencyConflict": "409: the same key is still being worked on",
            "PreconditionFailed": "412: If-Match on a write other than of content",
            "strict-types": '"5" is no integer, 1 is no string, true no integer; null bytes and lone surrogates: 400',
            "code-points": "lengths count Unicode code points",
            "unknown-query": "query parameters the API does not know are ignored",
            "etag": "ETag on GET of one record changes with every change; If-None-Match gives 304",
            "idempotency": "the same token, key and request gives the first answer again, for 24 hours; only 2xx",
        },
    ),
    *_rows(
        "decided-http",
        {
            "VersionConflict": "409: baseVersion is not the document's version; version, baseVersion",
            "InvalidTransition": "409: the status does not allow the operation; status, allowed",
            "SlugTaken": "409: the slug is another document's",
            "InUse": "409 CategoryInUse, ClusterInUse: deleting one that is still used",
            "ReviewRequired": "409: the project demands approval before publishing",
            "if-match-content": "If-Match on a content write compares the version alone",
        },
        later="documents",
    ),
    *_rows(
        "decided-http",
        {
            "errors-are-json": "every error there is has _tag and message, an unknown path and a bug included",
            "PayloadTooLarge": "413: body over 20 MB, refused before it is in memory",
            "UnsupportedMediaType": "415: a body with another content type than JSON",
            "IdempotencyMismatch": "422: the key was used with another request",
            "RateLimited": "429 with Retry-After",
            "InternalError": "500: the request id and nothing internal",
            "ServiceUnavailable": "503 with Retry-After; nothing half-written",
            "request-id": "X-Request-Id is taken when sane, else made, and is on every response",
            "rate-limit": "per token, told in RateLimit and RateLimit-Policy; failed authentications per address",
            "no-body": "an endpoint that takes no body ignores one; HEAD works where GET does; no CORS",
            "caching": "Cache-Control: private, no-cache with an ETag, else no-store; security headers are set",
        },
        later="http",
    ),
    Row("decided-http.CursorExpired", "410: an event cursor older than the oldest event kept", later="events"),
    *_rows(
        "decided-intents",
        {
            "kept-until-confirm": "a wrong status, date, id, intent or URL is kept in the draft, an entry at confirm",
            "unstated-length": "a string for which no length is stated has at most 500 characters",
            "brief-whole": "brief is one field: sending it replaces it whole",
            "no-body": "a body is optional on creation",
            "as-sent": "fields holds the fields exactly as sent",
            "paths": "errors[].field has a path inside the brief, sorted as text; one entry per field and problem",
            "title": "title is required, not blank",
            "dueDate": "dueDate is a real calendar date",
            "references": "assigneeId, categoryId, clusterId and internal links exist in the project",
            "slug-form": "a slug is one URL path segment",
            "slug-unique": "a slug is unique among the project's documents",
            "slug-made": "without a slug one is made from the title, transliterated, at most 200, with -2, -3, …",
            "cluster-name": "cluster names: Unicode case folding, spaces trimmed",
            "cluster-cap": "at most 200 clusters; the next one's error names the field name",
            "category-slug": "a category's slug is ^[a-z0-9]+(-[a-z0-9]+)*$; the parent exists",
            "validate": "validate answers valid and errors, exactly what confirm would find now, and changes nothing",
            "one-transaction": "confirm is one transaction; two confirms at once: one 201, the other 404, one record",
            "caps": "the caps hold under any number of concurrent requests",
            "cluster-record": "id, projectId, teamId, name, description, keywords, createdAt, updatedAt, createdBy",
            "category-record": "id, projectId, teamId, name, slug, description, categoryId, createdAt, …, createdBy",
            "unset": "unset text is an empty string, an unset list an empty array, an unset id or date null",
        },
    ),
    Row(
        "decided-intents.slug-trash",
        "slugs of documents in the trash are free; delivered slugs are taken",
        later="documents",
    ),
    *_rows(
        "decided-briefs",
        {
            "list": "documents with a brief; due soonest first, no due date last, then by age: a total order",
            "state-checked": "state is checked (400)",
            "having": "one was written, even empty; without: state none, detail null; ready writes it",
            "claim-order": "claim: 404, BriefClaimed, BriefClosed, BriefNotReady",
            "ready-order": "ready: 404, BriefClaimed, BriefClosed, then 200; ready already is left as it is",
            "closed": "closed are review, approved, scheduled and published",
            "claimed-names": "BriefClaimed carries claimedBy and claimedAt beside the message, which names both",
            "write-errors": "422 BadRequest carries errors; wrong types and lengths are 400",
            "no-self-link": "a document may not link to itself",
            "urls-parse": "URLs must parse, with a host",
            "claim-next": "POST /briefs/claim: the one due soonest, of a category or cluster; else NoBriefReady",
            "lease": "leaseSeconds 60 to 86400, or the project's default; claimExpiresAt",
            "renew": "renew: the holder only, else 409 BriefClaimed",
            "expired-is-ready": "an expired claim is ready from that instant, in every answer and for every operation",
            "expired-event": "an expired claim is an event; a claim over it makes brief.expired, then brief.claimed",
            "no-lease": "without a lease a claim never expires, and claimExpiresAt is null",
        },
    ),
    *_rows(
        "decided-briefs",
        {
            "submit-after-expiry": "submitting after the expiry leaves the brief ready",
            "claim-protects": "while claimed, a content write or submit by another agent is BriefClaimed",
        },
        later="documents",
    ),
)

ROWS: dict[str, Row] = {row.id: row for row in (*CONTRACT, *DECIDED)}
