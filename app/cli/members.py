"""`member`: adds and lists the members of a project."""

import click

from app.cli.calling import as_json, call, context, every, of_project, print_json, print_record, print_table
from app.operations import members
from app.vocabulary import Role


@click.group()
def command() -> None:
    """Add and list members."""


@command.command()
@of_project
@click.option("--name", required=True, help="The member's name.")
@click.option("--email", help="The member's e-mail address.")
@click.option(
    "--role",
    type=click.Choice([str(role) for role in Role]),
    default=str(Role.WRITER),
    help="Descriptive: a token's scopes decide what it may do.",
)
@as_json
def add(project_id: str, name: str, email: str | None, role: str, json: bool) -> None:
    """Add a member, to whom documents can be assigned."""
    member = call(context(project_id), members.create_member, name=name, email=email, role=role)
    print_json(member) if json else print_record(member)


@command.command("list")
@of_project
@as_json
def list_them(project_id: str, json: bool) -> None:
    """List a project's members by name."""
    found = list(every(context(project_id), members.list_members))
    print_json(found) if json else print_table(found, ("id", "name", "email", "role", "createdAt"))
