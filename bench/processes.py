"""What one and two server processes reach on this machine, and what memory they take."""

import orjson

from app.core.store.store import Store
from bench import seeds
from bench.load import CONNECTIONS, Side, in_turns, request
from bench.servers import service
from tests.make import a_project

LARGE = 2_097_152


def run(uri: str, store: Store) -> dict[str, float]:
    """Returns pages of briefs a second with 1 and 2 processes, how busy the CPUs are meanwhile, and megabytes.

    The megabytes are those of a process at rest, and at most with 8 texts of 2 MB.
    """
    project = a_project(store)
    seeds.fill(project, 1_000)
    token = project.token().secret
    environment = {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}
    with service(environment) as one, service(environment, workers=2) as two:
        rest = max(one.resident_megabytes(), default=0.0)
        pages = [Side(server.port, lambda: [request("GET", "/briefs?limit=50", token)]) for server in (one, two)]
        single, double = in_turns(*pages)
        body = orjson.dumps({"title": "Long", "markdown": seeds.text(10_000, 1) * (LARGE // 10_000)})
        drafts = project.store.database.intents
        tokens = [a_project(store).token().secret for _ in range(CONNECTIONS)]  # one project may not have as much

        def large() -> list[bytes]:
            drafts.delete_many({})
            return [request("POST", "/document-intents", one, body) for one in tokens] * 11

        in_turns(Side(one.port, large, once=True))
        loaded = one.peak_megabytes()
    return {
        **{"one": single.per_second, "one_busy": single.busy, "two": double.per_second, "two_busy": double.busy},
        **{"rest_mb": rest, "loaded_mb": loaded},
    }
