"""`python -m bench.indexes`: how long it takes to build the indexes of DOCUMENTS=100000, in one pass and one by one."""

import os
import time
from pathlib import Path

from app.cli.mongod import running_mongod
from app.core.store.indexes import create_indexes
from bench import seeds
from bench.servers import own_store
from tests.make import a_project


def main() -> None:
    """Prints both times."""
    number = int(os.environ.get("DOCUMENTS") or 100_000)
    with running_mongod(Path(".mongod") / "bench") as uri, own_store(uri) as store:
        documents = store.database.documents
        documents.drop_indexes()
        seeds.fill(a_project(store), number)
        began = time.perf_counter()
        assert create_indexes(store.database, store.features.indexes) == []
        in_one_pass = time.perf_counter() - began
        own = [one for one in documents.list_indexes() if one["name"] != "_id_"]
        documents.drop_indexes()
        began = time.perf_counter()
        for one in own:
            store.database.command("createIndexes", "documents", indexes=[{**one, "key": dict(one["key"])}])
        one_by_one = time.perf_counter() - began
    print(f"{len(own)} indexes of {number:,} documents: {in_one_pass:.1f} s in one pass, {one_by_one:.1f} s one by one")


if __name__ == "__main__":
    main()
