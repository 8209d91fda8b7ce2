"""The job that computes who wrote the paragraphs of new texts."""

from collections.abc import Iterable

from app.core.store.store import Store
from app.core.worker import Job, ProjectByProject, project_by_project
from app.events.store import Events
from app.provenance.operations import attribute_new_texts
from app.settings import Settings


def attribute_all_texts(store: Store, _settings: Settings) -> Job:
    """Computes who wrote new texts."""
    return project_by_project("attribute texts", 1, attribute_texts, store)


def attribute_texts(store: Store, projects: ProjectByProject) -> bool:
    """Computes who wrote the paragraphs of new texts, from the events of each project's feed."""
    behind: dict[str, int] = {}

    def find() -> Iterable[str]:
        behind.update(store[Events].unattributed())
        return behind

    return projects.each(store, find, lambda project_id: attribute_new_texts(store, project_id, behind[project_id])) > 0
