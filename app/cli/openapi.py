"""`openapi`: prints the OpenAPI document that `/openapi.json` serves; needs no database."""

import os

import click
import orjson

from app.features import ALL
from app.rest.api import openapi_document
from app.settings import Settings


@click.command()
def command() -> None:
    """Print the OpenAPI 3.1 document of the management API."""
    settings = Settings.from_environment({**os.environ, "MONGODB_URI": "mongodb://unused", "MONGODB_URI_FILE": ""})
    click.echo(orjson.dumps(openapi_document(settings, ALL)))
