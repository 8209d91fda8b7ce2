"""`openapi`: prints the OpenAPI document, as `/openapi.json` serves it; needs no database."""

import os
from dataclasses import replace

import click
from flask import Flask

from app.rest import api
from app.settings import Settings


@click.command()
def command() -> None:
    """Print the OpenAPI 3.1 document of the management API."""
    settings = Settings.from_environment({**os.environ, "MONGODB_URI": "not asked"})
    app = Flask("content_workflow")
    api.install(app, replace(settings, serve_docs=True))
    click.echo(app.test_client().get("/openapi.json").data)
