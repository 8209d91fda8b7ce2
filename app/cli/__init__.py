"""The command line, `content-workflow`: a door to the operations, each command a file of its own."""

from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from app.cli.mongod import MongodFailed, MongodMissing
from app.errors import Refusal, ServiceUnavailable
from app.settings import SettingsError

COMMANDS = {
    "serve": "serve",
    "worker": "worker",
    "dev": "dev",
    "project": "projects",
    "token": "tokens",
    "member": "members",
    "import": "imports",
    "export": "exports",
    "purge": "purge",
    "db": "db",
    "openapi": "openapi",
    "graphql-schema": "graphql_schema",
    "mcp": "mcp",
}
"""Each command and the file of this folder that has it, as `command`; a new one needs a line here and its file."""


class Commands(click.Group):
    """The commands, each loaded when it is asked for, so that none waits for what another needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"app.cli.{COMMANDS[name]}").command
        command.short_help = cleandoc(command.help or "").partition("\n\n")[0].replace("\n", " ")  # else Click cuts it
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; what it refuses is one message and exit code 1, never a traceback."""
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            raise click.ClickException(_told(refusal)) from refusal
        except (SettingsError, MongodMissing, MongodFailed) as error:
            raise click.ClickException(str(error)) from error


def _told(refusal: Refusal) -> str:
    """Returns what a refusal says to somebody at a terminal, who sees no `errors` and sends no idempotency key."""
    if isinstance(refusal, ServiceUnavailable):
        return "MongoDB can't be reached: check MONGODB_URI, and that it runs and has a primary."
    wrong = [f"{one['field']}: {one['message']}" for one in refusal.extra.get("errors", ())]
    wrong += [f"{one['path']}: {one['message']}" for one in refusal.extra.get("issues", ())]
    return "\n".join(wrong) or refusal.message


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="content-workflow")
def main() -> None:
    """A content workflow service on MongoDB: plan, brief, draft, review and publish.

    MONGODB_URI names the database; only `dev`, `openapi`, `graphql-schema` and `mcp --url` do without.
    """
