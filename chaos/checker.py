"""Looks in the history of a run for what the contract rules out; each check gives a line for each violation."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from app.notices.rules import KIND_TEXTS
from app.notices.vocabulary import WaitKind
from chaos.history import BUSY, UNANSWERED, Call, Final, History, Message
from chaos.model import ANYTHING, NEVER, STEPS, Document, Move, Outcome, shown, step
from chaos.writer import LEASE_SECONDS
from tests.races.history import explained

IN_REVIEW = KIND_TEXTS[WaitKind.REVIEW]
INCIDENT_SECONDS = 10.0
"""How long after a failure a client may still not be answered."""
SLACK_SECONDS = 2.0
"""What is added to that, since a request that is refused after 10 seconds is answered a little later."""
AFTERWARDS_SECONDS = 0.5
"""How long after everything works again a request may still begin that is not answered."""
EVENTS = {
    "confirm_intent": "document.created",
    "mark_brief_ready": "brief.ready",
    "claim_brief": "brief.claimed",
    "claim_next_brief": "brief.claimed",
    "renew_claim": "brief.renewed",
    "withdraw_brief": "brief.withdrawn",
    "release_brief": "brief.released",
    "write_content": "document.content_updated",
    "edit_content": "document.content_updated",
    "open_thread": "thread.opened",
    "reply_to_thread": "thread.replied",
    "submit_document": "document.submitted",
    "approve_document": "document.approved",
    "request_changes": "document.changes_requested",
    "schedule_document": "document.scheduled",
    "publish_document": "document.published",
    "unpublish_document": "document.unpublished",
}
"""The event of each operation that changes a document."""

DRAFTS = ("create_document_intent", "update_document_intent")
WRITES = (*EVENTS, *DRAFTS, "plan_documents")
PUBLISHES = ("publish_document", "schedule_document")

COUNTED = {
    "created": "document.created",
    "claimed": "brief.claimed",
    "submitted": "document.submitted",
    "approved": "document.approved",
    "published": "document.published",
}
"""What `GET /insights` counts of each day, and the event that it counts."""

ANY: Outcome = (ANYTHING, None)

REFUSALS = {"BriefClaimed", "BriefClosed", "BriefNotReady", "BriefNotOffered", "InvalidTransition", "VersionConflict"}
"""What a client may be answered since others work on the same documents."""
ALLOWED = {
    "claim_next_brief": {"NoBriefReady"},
    "submit_document": {"BadRequest"},
    "open_thread": {"BadRequest"},
}
"""What else one operation may give: no brief is ready, a content was not written after all, or lacks the words of a
remark. A draft is confirmed once, and always there: its client goes on only where it was told that it was written."""
READ_AGAIN = {"get_outline", "list_threads"}
"""Reads of a document that a new primary may not show yet: it answers with what it knows that a majority has."""

Violations = Iterator[str]


def violations(history: History) -> list[str]:
    """Returns a line for everything that is wrong."""
    return [f"{check.__name__}: {line}" for check in CHECKS for line in check(history)]


def answers_are_those_of_the_contract(history: History) -> Violations:
    """A client gets answers, refusals that others' work explains, and 503 with `Retry-After`; nothing else."""
    for call in history.calls:
        for attempt in call.attempts:
            allowed = REFUSALS | ALLOWED.get(call.operation, set()) | {"200", "201", "503", "broken"}
            if len(call.attempts) > 1:
                allowed.add(BUSY)
            since = seconds_since_incident(history, attempt.ended)
            if call.operation in READ_AGAIN and since <= INCIDENT_SECONDS:
                allowed.add("NotFound")
            if attempt.outcome not in allowed:
                yield f"{call.operation} was answered with {attempt.outcome}: {call.answer.get('message')}"
            if attempt.outcome == "503" and not attempt.retry_after:
                yield f"{call.operation} was answered with 503 without Retry-After"


def outages_are_short(history: History) -> Violations:
    """A request is not answered only because of an incident, and within a few seconds of it."""
    limit = INCIDENT_SECONDS + SLACK_SECONDS
    killed = [one for one in history.incidents if one.fault == "kill_server"]
    for call in history.calls:
        for attempt in call.attempts:
            since = seconds_since_incident(history, attempt.ended)
            if attempt.outcome in (*UNANSWERED, BUSY) and since > limit:
                yield f"{call.operation} was not answered ({attempt.outcome}) {since:.1f} s after an incident began"
            if attempt.outcome == "broken" and not any(
                one.began <= attempt.ended and attempt.began <= one.recovered for one in killed
            ):
                yield f"{call.operation} lost the connection to server {attempt.server}, which was not killed"
            if attempt.outcome in UNANSWERED and not any(
                one.began <= attempt.ended and attempt.began <= one.recovered + AFTERWARDS_SECONDS
                for one in history.incidents
            ):
                yield f"{call.operation} was not answered ({attempt.outcome}), and everything worked"
            if attempt.ended - attempt.began > limit:
                yield f"{call.operation} took {attempt.ended - attempt.began:.1f} s"


def seconds_since_incident(history: History, at: float) -> float:
    """Returns how long before an instant the latest incident began; infinity where there was none."""
    return min((at - one.began for one in history.incidents if one.began <= at), default=float("inf"))


def calls_on_each_document_have_an_order(history: History) -> Violations:
    """The answers about a document are those of the same calls made one after the other: claims, versions, statuses."""
    planned = {
        one for call in history.calls if call.operation == "plan_documents" for one in call.answer.get("ids", ())
    }
    moves = _moves(history)
    for document_id, document in history.final.documents.items():
        start = Document(brief="ready" if document_id in planned or document["key"] else "none")
        final = _shown(document)
        end = max((_instant(call.attempts[-1].ended) for call in history.calls), default=0) + 1
        last = Move("", "read", end, _instant(history.final.at), ("200", final))
        if not explained([*moves[document_id], last], start, step):
            calls = sorted(moves[document_id], key=lambda move: move.began)
            yield f"{document_id}: no order explains {calls}, after which it is {final}"


def _moves(history: History) -> dict[str, list[Move]]:
    """Returns the calls on each document, and what the worker may have done to it."""
    clients = {client.token: client for client in history.clients}
    unanswered = _unanswered_that_happened(history)
    moves: dict[str, list[Move]] = defaultdict(list)
    for number, call in enumerate(history.calls, 1):
        if call.operation not in STEPS:
            continue
        client = clients[call.token]
        maybe = [one for one in history.final.documents if (one, call.token, EVENTS[call.operation]) in unanswered]
        made = Move(
            call.token,
            call.operation,
            _instant(call.attempts[-1].began),
            _instant(call.attempts[-1].ended),
            _answer(call),
            number=number,
            guarded=client.is_agent or client.channel == "mcp",
            over_mcp=client.channel == "mcp",
            base_version=call.sent.get("baseVersion"),
        )
        document_id = str(call.document or call.answer.get("id"))
        if call.succeeded:
            made = replace(made, began=_instant(call.began))
        if call.outcome in {"200", *REFUSALS, "BadRequest"}:
            moves[document_id].append(made)
        happened = [document_id] if call.succeeded else []
        if call.may_have_happened:
            happened = [one for one in maybe if call.document in (None, one)]
            for one in happened:
                moves[one].append(replace(made, began=_instant(call.began), ended=NEVER, outcome=ANY))
        for one in happened:
            moves[one] += _consequences(call, number, _instant(history.final.at))
    return moves


def _consequences(call: Call, number: int, end: int) -> list[Move]:
    """Returns what the worker does because of a call, at some time after it."""
    if call.operation == "schedule_document":
        return [Move("", "publish_scheduled", _instant(call.began), NEVER, ANY, follows=number)]
    leased = call.operation == "renew_claim" or "leaseSeconds" in call.sent
    expires = _instant(call.began + LEASE_SECONDS)
    return [Move("", "end_lease", expires, NEVER, ANY, follows=number)] if leased and expires < end else []


def _shown(record: Mapping[str, Any]) -> str:
    """Returns what the model shows of a document, made of what the service says of it."""
    return shown(
        Document(
            record["status"],
            record["briefState"],
            record["holder"],
            version=record["version"],
            published=record["publishedVersion"],
        )
    )


def _answer(call: Call) -> Outcome:
    """Returns what a call gave, as the model has it."""
    if call.succeeded:
        return "200", _shown(call.answer)
    if call.outcome == "BriefClaimed":
        return call.outcome, call.answer["holder"]
    return call.outcome, str(call.answer["version"]) if call.outcome == "VersionConflict" else None


def _instant(seconds: float) -> int:
    return int(seconds * 1_000_000)


def _unanswered_that_happened(history: History) -> set[tuple[str, str, str]]:
    """Returns the documents, tokens and types with more events than answers; offers may make none, so all of those."""
    excess = _events_by_token(history.final)
    excess.subtract(_answered(history))
    return {what for what, number in excess.items() if number > 0 or what[2] == "brief.ready"}


def _events_by_token(final: Final) -> Counter[tuple[str, str, str]]:
    return Counter(
        (event["data"]["documentId"], event["by"]["id"], event["type"])
        for event in final.events
        if "documentId" in event["data"]
    )


def _answered(history: History) -> Counter[tuple[str, str, str]]:
    return Counter(
        (call.document or call.answer["id"], call.token, EVENTS[call.operation])
        for call in history.calls
        if call.succeeded and call.operation in EVENTS
    )


def no_acknowledged_write_is_lost(history: History) -> Violations:
    """What a client was told is written is there."""
    final = history.final
    for call in history.calls:
        if call.succeeded and call.operation in ("confirm_intent", "plan_documents"):
            for one in call.answer.get("ids") or [call.answer["id"]]:
                if one not in final.documents:
                    yield f"document {one} of {call.operation} is not there"
        if call.succeeded and EVENTS.get(call.operation) == "document.content_updated":
            text = final.revisions.get(str(call.document), {}).get(str(call.answer["version"]), "")
            sent = call.sent.get("markdown") or call.sent["edits"][0]["markdown"].rstrip()
            if sent not in text:
                yield f"version {call.answer['version']} of {call.document} is not what was written: {sent!r}"
    for document_id, fields in _fields_written(history):
        document = final.documents.get(document_id, {})
        for name in ("title", "categoryId"):
            if document and name in fields and document[name] != fields[name]:
                yield f"the {name} of {document_id} is {document[name]!r}, and {fields[name]!r} was written"


def _fields_written(history: History) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields documents with the fields that a client was told are written: of a plan's piece, of a draft."""
    drafts: dict[str, dict[str, Any]] = defaultdict(dict)
    for call in history.calls:
        if call.succeeded and call.operation in DRAFTS:
            drafts[call.sent.get("intentId") or call.answer.get("id", "")].update(call.sent)
    for call in history.calls:
        if call.succeeded and call.operation == "plan_documents":
            yield from zip(call.answer["ids"], call.sent["pieces"], strict=True)
        if call.succeeded and call.operation == "confirm_intent":
            yield call.answer["id"], drafts[call.sent.get("intentId", "")]


def no_remark_is_lost_or_doubled(history: History) -> Violations:
    """Each remark and answer that was acknowledged is in its document's threads, each once, and no other is there."""
    final = history.final.comments
    written = Counter((document, text) for document, texts in final.items() for text in texts)
    calls = [call for call in history.calls if call.operation in ("open_thread", "reply_to_thread")]
    sure = {(str(call.document), call.sent["text"]) for call in calls if call.succeeded}
    possible = {(str(call.document), call.sent["text"]) for call in calls if call.may_have_happened}
    for document, text in sure - written.keys():
        yield f"{text!r} is not in the threads of {document}"
    for (document, text), number in written.items():
        if number > 1 or (document, text) not in sure | possible:
            yield f"{text!r} is {number} times in the threads of {document}, and was sent once or never"


def reads_show_what_was_acknowledged_before(history: History) -> Violations:
    """A read shows each version that any client was told of before the read began, also after a failover."""
    written: dict[str | None, list[tuple[float, int]]] = defaultdict(list)
    for call in history.calls:
        if call.succeeded and EVENTS.get(call.operation) == "document.content_updated":
            written[call.document].append((call.attempts[-1].ended, call.answer["version"]))
    for call in history.calls:
        if call.succeeded and call.operation == "get_outline":
            began, version = call.attempts[-1].began, call.answer["version"]
            newest = max((one for at, one in written[call.document] if at <= began), default=0)
            if version < newest:
                yield f"a read of {call.document} shows version {version}, although {newest} was acknowledged before"


def nothing_is_made_twice(history: History) -> Violations:
    """Each document was asked for by some call, and made once."""
    titles = Counter(document["title"] for document in history.final.documents.values())
    sent = {title for call in history.calls for title in _titles(call)}
    for title, number in titles.items():
        if number > 1:
            yield f"{number} documents have the title {title!r}"
        if title not in sent:
            yield f"nobody made {title!r}"


def _titles(call: Call) -> Iterable[str]:
    if call.operation == "plan_documents":
        return [piece["title"] for piece in call.sent["pieces"]]
    return [call.sent["title"]] if call.operation == "create_document_intent" else []


def events_are_the_changes(history: History) -> Violations:
    """Each change has one event, and each event its change; the last event of a document says how it is."""
    events, answered, possible = _events_by_token(history.final), _answered(history), Counter[tuple[str, str]]()
    for call in history.calls:
        if call.operation in EVENTS and call.may_have_happened:
            possible[call.token, EVENTS[call.operation]] += 1
    tokens = {client.token for client in history.clients}
    excess = Counter[tuple[str, str]]()
    for document_id, token, kind in events.keys() | answered.keys():
        more = events[document_id, token, kind] - answered[document_id, token, kind]
        if more < 0 and kind != "brief.ready":  # offering what is offered already changes nothing
            yield f"{-more} changes {kind} of {document_id} have no event"
        if token in tokens and kind in set(EVENTS.values()) - {"brief.ready", "document.created"}:
            excess[token, kind] += max(more, 0)
    for (token, kind), number in excess.items():
        if number > possible[token, kind]:
            yield f"{number} events {kind} of token {token} without a call, of which {possible[token, kind]} may be"
    yield from _events_end_in_the_documents(history.final)


def _events_end_in_the_documents(final: Final) -> Violations:
    by_document: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for event in final.events:
        if "documentId" in event["data"]:
            by_document[event["data"]["documentId"]].append(event)
    for document_id, document in final.documents.items():
        types = Counter(event["type"] for event in by_document[document_id])
        if types["document.created"] != 1:
            yield f"{document_id} has {types['document.created']} events document.created"
        if types["document.content_updated"] != document["version"] - 1:
            yield f"{document_id} has version {document['version']}, and {types['document.content_updated']} changes"
        if by_document[document_id]:
            said = by_document[document_id][-1]["data"]
            if any(said[name] != document[name] for name in ("status", "briefState", "version")):
                yield f"{document_id} is not as its last event says: {said}"
    for document_id in by_document.keys() - final.documents.keys():
        yield f"there are events of {document_id}, which is not there"


def the_feed_has_no_gap(history: History) -> Violations:
    """Events are numbered 1, 2, 3, …, none waits, and a reader that followed the cursor got each once, in order."""
    events = history.final.events
    if [event["sequence"] for event in events] != [*range(1, len(events) + 1)]:
        yield f"the sequence numbers have a gap: {[event['sequence'] for event in events]}"
    if len({event["id"] for event in events}) != len(events):
        yield "an event is in the feed twice"
    if history.final.waiting_events:
        yield f"{history.final.waiting_events} events were not relayed"
    if list(history.final.followed) != [event["id"] for event in events]:
        yield "a reader that followed the cursor did not get each event once, in order"


def webhooks_get_each_event_once_in_order(history: History) -> Violations:
    """A webhook gets what it asked for; the events of a document in their order; again only where a record was lost."""
    events = {event["id"]: event for event in history.final.events}
    for types, messages in history.final.messages.items():
        first: dict[str, Message] = {}
        for message in messages:
            event = events.get(message.id)
            if event is None or (event["sequence"], event["type"]) != (message.sequence, message.type):
                yield f"message {message.id} is not the event {message.sequence} of the feed"
            if message.id not in first:
                first[message.id] = message
            elif not _record_was_lost(history, first[message.id].at, message.at):
                yield f"event {message.sequence} was sent twice to the webhook of {types or 'all types'}"
        for event in events.values():
            wanted = "documentId" in event["data"] and (not types or event["type"] in types.split(","))
            if wanted and event["id"] not in first:
                yield f"event {event['sequence']} was not sent to the webhook of {types or 'all types'}"
        yield from _out_of_order(first.values())


def what_waits_is_told_once(history: History) -> Violations:
    """What is in review in the end was told of; no submission twice, but where noting it may have failed.

    What no message names has to be among those that messages only count.
    """
    events, final = Counter[str](), history.final
    untold: list[str] = []
    for event in final.events:
        if event["type"] == "document.submitted":
            events[event["data"]["documentId"]] += 1
    told: dict[str, list[float]] = defaultdict(list)
    for notice in final.notices:
        if notice.why == IN_REVIEW:
            told[notice.document].append(notice.at)
    for document_id, document in final.documents.items():
        times = sorted(told[document_id])
        submits = [call.began for call in history.calls if _submitted(call, document_id)]
        if document["status"] == "review" and submits and (not times or times[-1] < max(submits)):
            untold.append(document_id)
        again = sum(_record_was_lost(history, sent, after) for sent, after in pairwise(times))
        if len(times) > events[document_id] + again:
            yield f"{document_id} was submitted {events[document_id]} times, and told of {len(times)} times"
    for document_id in untold if len(untold) > final.unnamed_notices else ():
        yield f"{document_id} is in review, and nobody was told"


def notices_are_in_time(history: History) -> Violations:
    """Whoever is to be told of a submission at once is told within 10 seconds; those of incidents do not count."""
    yield from history.told_late


def _submitted(call: Call, document_id: str) -> bool:
    return call.operation == "submit_document" and call.succeeded and call.document == document_id


def _record_was_lost(history: History, sent: float, again: float) -> bool:
    """Tells whether an incident may have kept the worker from writing down that a message arrived."""
    return any(one.began <= min(again, sent + INCIDENT_SECONDS) and sent <= one.recovered for one in history.incidents)


def _out_of_order(messages: Iterable[Message]) -> Violations:
    by_document: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        if message.document:
            by_document[message.document].append(message)
    for document_id, ones in by_document.items():
        for before, after in pairwise(ones):
            if after.sequence < before.sequence:
                yield f"event {after.sequence} of {document_id} arrived after {before.sequence}"


def counters_are_what_they_count(history: History) -> Violations:
    """The figures, the counts of the delivery API and the budgets equal what they count."""
    final = history.final
    for name, field in (("statuses", "status"), ("briefs", "briefState")):
        counted = Counter(document[field] for document in final.documents.values())
        shows = {key: number for key, number in final.insights[name].items() if number}
        if counted != shows:
            yield f"insights say {name} {shows}, there are {dict(counted)}"
    types = Counter(event["type"] for event in final.events)
    for name, kind in COUNTED.items():
        shows = sum(day[name] for day in final.insights["days"])
        if shows != types[kind]:
            yield f"insights say {shows} {name}, there are {types[kind]} events {kind}"
    claims = Counter(event["by"]["id"] for event in final.events if event["type"] == "brief.claimed")
    shows = {agent["id"]: agent["claimed"] for agent in final.insights["agents"]}
    if claims != shows:
        yield f"insights say that tokens claimed {shows}, they did {dict(claims)}"
    delivered = Counter(
        document["categoryId"] for document in final.documents.values() if document["publishedVersion"] is not None
    )
    if delivered != {key: number for key, number in final.document_counts.items() if number}:
        yield f"documentCount is {dict(final.document_counts)}, there are {dict(delivered)}"
    yield from _budgets(history)


def _budgets(history: History) -> Violations:
    for client in history.clients:
        for limit, operations in (("writesPerHour", WRITES), ("publishesPerDay", PUBLISHES)):
            calls = [call for call in history.calls if call.token == client.token and call.operation in operations]
            sure = sum(call.succeeded and call.operation != "mark_brief_ready" for call in calls)
            most = sum(call.succeeded or call.may_have_happened for call in calls)
            used = history.final.budgets.get(client.token, {}).get(limit, 0)
            if client.has_budget and not sure <= used <= most:
                yield f"token {client.token} has used {used} of {limit}, and changed something {sure} to {most} times"


def the_database_is_as_it_should_be(history: History) -> Violations:
    """`content-workflow db check` finds nothing."""
    yield from history.final.problems


def a_sharded_cluster_takes_every_command(history: History) -> Violations:
    """A router refuses none, and sends those of a request to one shard (`tests/router.py`)."""
    yield from history.refused
    if not any("documents" in kind for kind in history.judged):
        yield "the router judged no command on documents"


CHECKS: tuple[Callable[[History], Violations], ...] = (
    answers_are_those_of_the_contract,
    outages_are_short,
    calls_on_each_document_have_an_order,
    no_acknowledged_write_is_lost,
    no_remark_is_lost_or_doubled,
    reads_show_what_was_acknowledged_before,
    nothing_is_made_twice,
    events_are_the_changes,
    the_feed_has_no_gap,
    webhooks_get_each_event_once_in_order,
    what_waits_is_told_once,
    notices_are_in_time,
    counters_are_what_they_count,
    the_database_is_as_it_should_be,
    a_sharded_cluster_takes_every_command,
)
