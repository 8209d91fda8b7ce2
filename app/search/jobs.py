"""The job that computes which words new texts are found by."""

from functools import partial
from time import monotonic

from app.core.concurrency import processing
from app.core.context import Context, system
from app.core.store.bodies import Bodies
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.core.worker import Job, ProjectByProject, project_by_project
from app.documents.content import markdown_of
from app.documents.store import Documents
from app.search.rules import words_of
from app.search.store import Computed, SearchedTexts

AT_ONCE = 20
"""Maximum number of texts of a project that are read, and whose words are stored, at once: 5 MB, long ones apart."""
TURN_SECONDS = 1.0
"""How long the worker computes words for one project before it is another project's turn."""


def index_all_texts(store: Store, _settings: object) -> Job:
    """Computes the words of new texts."""
    marked: set[str] = set()
    return project_by_project("index texts", 0.5, index_texts, store, marked)


def index_texts(store: Store, projects: ProjectByProject, marked: set[str] | None = None) -> bool:
    """Computes the words of the texts that events marked; at first marks all of projects where that was never done.

    `marked` is empty until that was done.
    """
    if not marked:
        projects.each(store, store[SearchedTexts].find_unmarked_projects, partial(_mark, store))
        if marked is not None:
            marked.add("")
    return projects.each(store, store[SearchedTexts].find_projects_pending, partial(index_project, store)) > 0


def _mark(store: Store, project_id: str) -> int:
    store[SearchedTexts].mark_all(project_id)
    return 1


def index_project(store: Store, project_id: str) -> int:
    """Computes the words of texts of a project; returns 1 where there may be more."""
    ends, texts = monotonic() + TURN_SECONDS, store[SearchedTexts]
    ctx = Context(store, system(project_id, ""), Channel.WORKER)
    pending = texts.pending(project_id, AT_ONCE)
    documents = store[Documents].get_many(project_id, [one["id"] for one in pending])
    contents = {one: document.get("contentId") for one, document in documents.items()}
    short = store[Bodies].get_short_texts(project_id, filter(None, contents.values()))
    computed = list[Computed]()
    for text in pending:
        if text["id"] not in contents:
            texts.delete(project_id, text["id"])
            continue
        content_id, words = contents[text["id"]], None
        if content_id != text.get("contentId", ""):
            markdown = short.get(content_id or "") or markdown_of(ctx, content_id)
            with processing(ctx, markdown):
                words = words_of(markdown)
        computed.append(Computed(text, content_id, words))
        if monotonic() > ends:
            break
    texts.set_words(project_id, computed)
    return int(len(pending) == AT_ONCE or text is not pending[-1])
