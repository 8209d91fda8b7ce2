"""Twenty agents and two people on the threads of one document at once: nothing is lost, nothing twice.

(decisions, section 17)
"""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from app.documents.store import Documents
from app.review.rules import counts_of
from app.review.store import Threads
from app.review.vocabulary import ThreadState
from tests.documents.steps import a_document, events_of, ok, path_of, types_of
from tests.races.crowd import at_once, outcome, outcomes
from tests.races.history import Call, explained
from tests.rest.client import Rest

pytestmark = pytest.mark.race

State = tuple[str, ...]


def step(state: str, call: Call) -> tuple[str, tuple[str, str | None]]:
    """Returns what a call does to a thread, and gives, in a state; the callers that answer did not open it."""
    if call.what == "replies":
        return (state, ("ThreadResolved", None)) if state == "resolved" else ("answered", ("201", "answered"))
    if call.what == "resolve":
        return "resolved", ("200", "resolved")
    after = "open" if state == "resolved" else state
    return after, ("200", after)


def timed(caller: Rest, path: str, what: str, text: str) -> Call:
    began = time.monotonic_ns()
    answer = caller.post(f"{path}/{what}", {"text": text} if what != "reopen" else None)
    told = outcome(answer)
    return Call(text, what, began, time.monotonic_ns(), (told, answer.json.get("state")))


@pytest.mark.contract("decided-threads.races")
def test_twenty_agents_and_two_people_lose_and_double_nothing(rest, crowd, project, store) -> None:
    document = a_document(rest, markdown="Rye is dark.")
    opener, other = crowd(2, [project.token("Ada"), project.token("Grace")])
    agents = crowd(20, [project.token(f"Agent {n}", agent=f"agent-{n}") for n in range(20)])
    remarks = [{"text": "Which?", "level": "must", "quote": {"exact": "Rye"}}, {"text": "Dark?", "level": "must"}]
    shared = [ok(opener.post(f"{path_of(document)}/threads", remark), 201)["id"] for remark in remarks]
    paths = [f"{path_of(document)}/threads/{thread}" for thread in shared]
    calls: list[Callable[[], Call]] = [
        partial(timed, agent, paths[number % 2], "replies", f"agent {number}")
        for number, agent in enumerate(agents[:12])
    ]
    calls += [partial(timed, opener, path, "resolve", f"resolved {path}") for path in paths]
    calls += [partial(timed, other, path, "reopen", f"reopened {path}") for path in paths]
    opens = [
        lambda agent=agent, number=number: agent.post(f"{path_of(document)}/threads", {"text": f"remark {number}"})
        for number, agent in enumerate(agents[12:])
    ]

    done = at_once([*calls, *opens])

    history, opened = done[: len(calls)], done[len(calls) :]
    assert outcomes(opened) == {"201": 8}
    threads = {one["id"]: one for one in ok(rest.get(f"{path_of(document)}/threads?state={','.join(ThreadState)}"))}
    assert len(threads) == 10
    for place, thread in enumerate(shared):
        own = [call for call, path in zip(history, [*(paths * 6), *paths, *paths], strict=True) if path == paths[place]]
        assert explained(own, "open", step), own
        written = Counter(comment["text"] for comment in threads[thread]["comments"][1:])
        assert written == Counter(
            call.who for call in own if call.what != "reopen" and call.outcome[0] in ("200", "201")
        )
    record = store[Documents].get(document["projectId"], document["id"])
    assert record is not None
    counts = counts_of(store[Threads].list(document["projectId"], document["id"], ThreadState))
    assert counts == {name: record.get(name) for name in counts}
    kinds = Counter(event["type"] for event in events_of(store, document))
    assert kinds["thread.opened"] == 10
    assert kinds["thread.replied"] == sum(call.outcome[0] == "201" for call in history)


@pytest.mark.contract("decided-threads.races", "decided-threads.refusals")
def test_a_document_is_not_submitted_while_a_must_thread_is_opened(rest, crowd, project, store) -> None:
    one, another = crowd(2, [project.token("Ada"), project.token("Grace")])
    for _ in range(5):
        document = a_document(rest)
        path = path_of(document)
        submit = partial(one.post, f"{path}/submit")
        submitted, opened = at_once([submit, partial(another.post, f"{path}/threads", {"text": "?", "level": "must"})])

        assert outcome(opened) == "201"
        assert outcome(submitted) in ("200", "ThreadsOpen")
        kinds = [one for one in types_of(store, document) if one in ("document.submitted", "thread.opened")]
        assert kinds == ["document.submitted", "thread.opened"][submitted.status_code != 200 :]
        assert outcome(rest.post(f"{path}/approve")) == "ThreadsOpen"


@pytest.mark.contract("decided-threads.races", "decided-threads.accept")
def test_of_two_who_accept_one_suggestion_one_writes_it(rest, crowd, project) -> None:
    pair = crowd(2, [project.token("Ada"), project.token("Grace")])
    for _ in range(5):
        document = a_document(rest, markdown="Rye is dark.")
        remark = {"text": "Oats?", "quote": {"exact": "Rye"}, "suggestion": "Rye, not oats,"}
        thread = ok(rest.post(f"{path_of(document)}/threads", remark), 201)
        path = f"{path_of(document)}/threads/{thread['id']}/accept"

        answers = at_once([partial(caller.post, path) for caller in pair])

        assert outcomes(answers) == {"200": 1, "ThreadResolved": 1}
        now = ok(rest.get(path_of(document)))
        assert (now["content"], now["version"]) == ("Rye, not oats, is dark.", 2)


@pytest.mark.contract("decided-threads.races", "decided-threads.accept")
def test_suggestions_accepted_while_the_text_is_written_lose_no_words_and_no_thread(
    rest, crowd, project, store
) -> None:
    words = [f"Loaf {number} is dark." for number in range(10)]
    document = a_document(rest, markdown="\n\n".join([*words, "Notes:"]))
    path = path_of(document)
    people = crowd(2, [project.token("Ada"), project.token("Grace")])
    agents = crowd(20, [project.token(f"Agent {number}", agent=f"agent-{number}") for number in range(20)])
    threads = [
        ok(
            people[0].post(
                f"{path}/threads", {"text": w, "quote": {"exact": w}, "suggestion": w.replace("dark", "light")}
            ),
            201,
        )
        for w in words
    ]
    accepts = [
        partial(people[number % 2].post, f"{path}/threads/{thread['id']}/accept")
        for number, thread in enumerate(threads)
    ]
    answers = [
        partial(agent.post, f"{path}/threads/{threads[number % 10]['id']}/replies", {"text": f"agent {number}"})
        for number, agent in enumerate(agents[:10])
    ]
    writes = [
        partial(writer.put, f"{path}/content", {"markdown": "\n\n".join([*words, f"Notes: {number}"])}, If_Match="*")
        for number, writer in enumerate(agents[10:])
    ]

    done = at_once([*accepts, *answers, *writes])

    assert set(outcomes(done[:10])) <= {"200", "QuoteGone"}
    assert set(outcomes(done[10:20])) <= {"201", "ThreadResolved"}
    assert outcomes(done[20:]) == {"200": 10}
    now = {one["id"]: one for one in ok(rest.get(f"{path}/threads?state={','.join(ThreadState)}"))}
    assert len(now) == 10
    for thread, accepted, answer in zip(threads, done[:10], done[10:20], strict=True):
        is_accepted = accepted.status_code == 200
        assert (now[thread["id"]]["outcome"] == "accepted") == is_accepted
        assert len(now[thread["id"]]["comments"]) == 1 + (answer.status_code == 201)
        if is_accepted:
            kept = ok(rest.get(f"{path}/revisions/{accepted.json['version']}"))["markdown"]
            assert thread["suggestion"] in kept
    kinds = Counter(types_of(store, document))
    assert kinds["thread.resolved"] == outcomes(done[:10]).get("200", 0)
    assert kinds["document.content_updated"] == ok(rest.get(path))["version"] - 1


@pytest.mark.contract("decided-threads.races", "decided-threads.caps")
def test_no_more_than_20_links_and_200_threads_are_made_at_once(rest, crowd, project) -> None:
    document = a_document(rest)
    callers = crowd(6, [project.token("Ada")])
    for _ in range(18):
        ok(rest.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)

    path = f"{path_of(document)}/review-links"
    answers = at_once([partial(caller.post, path, {"name": "Lee"}) for caller in callers])

    assert outcomes(answers) == {"201": 2, "BadRequest": 4}


@pytest.mark.contract("decided-threads.races")
def test_six_remarks_at_once_on_a_long_text_are_all_written(rest, crowd, project) -> None:
    paragraphs = "".join(f"# Loaf {number}\n\n{'Rye is dark. ' * 40}\n\n" for number in range(3_600))
    document = a_document(rest, markdown=paragraphs)
    people = crowd(6, [project.token("Ada")])

    remarks = [
        partial(person.post, f"{path_of(document)}/threads", {"text": "?", "quote": {"exact": f"Loaf {1900 + number}"}})
        for number, person in enumerate(people)
    ]
    assert outcomes(at_once(remarks)) == {"201": 6}
