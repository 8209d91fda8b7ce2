"""`graphql-schema`: prints the schema of the delivery API; needs no database."""

import click

from app.features import ALL
from graphql_app.schema import sdl


@click.command()
def command() -> None:
    """Print the schema of the delivery API, in GraphQL's schema definition language."""
    click.echo(sdl(ALL), nl=False)
