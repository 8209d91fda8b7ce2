"""`GET /briefs?limit=50` beside the same page of the same documents by Eve, a REST framework for MongoDB.

`python -m bench.eve` installs Eve into a folder of its own with pip, and writes nothing down. Eve has a collection with
one index, the one that fits; the token is looked up at each request, as its manual has it.
"""

import subprocess
import sys
from pathlib import Path

import click
from bson import ObjectId

from app.cli.mongod import running_mongod
from app.documents.lists import ORDER_KEYS
from bench import seeds
from bench.load import Side, in_turns, request
from bench.servers import own_store, served_with_granian, service
from tests.make import a_project, made

DOCUMENTS = 5_000
PACKAGES = ("eve==2.3.1", "granian>=2.8,<3")


@click.command()
@click.option("--folder", type=Path, default=Path(".mongod"), show_default=True, help="For MongoDB's data, and Eve.")
def main(folder: Path) -> None:
    """Prints how many pages a second the service answers, Eve by default, and Eve without what it can leave out."""
    python = folder.absolute() / "eve" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    with running_mongod(folder / "bench") as uri, own_store(uri) as store:
        project, database = a_project(store), store.database
        categories = [made(project.context(), "category", name=f"Kind {n}", slug=f"kind-{n}")["id"] for n in range(5)]
        seeds.fill(project, DOCUMENTS, categoryId=lambda place: ObjectId(categories[place % 5]))
        known = {"_updated": "$updatedAt", "_created": "$createdAt", "_etag": {"$toString": "$_id"}}
        named = {"$concat": ["Kind ", {"$toString": {"$indexOfArray": [[*map(ObjectId, categories)], "$categoryId"]}}]}
        ready = {"$match": {"brief.state": "ready"}}
        database.documents.aggregate([ready, {"$set": {**known, "category": named}}, {"$out": "eve_documents"}])
        database.eve_documents.create_index(
            [("deletedAt", 1), ("brief.state", 1), *[(key, 1) for key in ORDER_KEYS["dueDate"]]]
        )
        token = project.token().secret
        database.eve_tokens.create_index("token")
        database.eve_tokens.insert_one({"token": token})
        environment = {"MONGODB_URI": uri, "MONGODB_DATABASE": database.name}
        app = "bench.eve_app:app"
        with (
            service(environment) as ours,
            served_with_granian(app, environment, python) as eve,
            served_with_granian(app, {**environment, "EVE_TUNED": "1"}, python) as tuned,
        ):
            rates = in_turns(
                Side(ours.port, lambda: [request("GET", "/briefs?limit=50", token)]),
                *(Side(one.port, lambda: [request("GET", "/briefs?max_results=50", token)]) for one in (eve, tuned)),
            )
    for name, rate in zip(("the service", "Eve", "Eve, tuned"), rates, strict=True):
        times = rates[0].per_second / rate.per_second
        click.echo(
            f"{name:12} {rate.per_second:8,.0f} a second, median {rate.p50:6.1f} ms; the service: {times:.1f} times"
        )


if __name__ == "__main__":
    main()
