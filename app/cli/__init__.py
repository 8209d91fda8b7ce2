"""The command line, `content-workflow`: an interface to the operations, each command in a file of its own."""

import errno
import sys
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from typing import Any

import click

from app.cli.mongod import MongodFailed, MongodMissing
from app.errors import Refusal, ServiceUnavailable
from app.fields.unknown import near_name
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
    "plan": "plans",
    "purge": "purge",
    "db": "db",
    "openapi": "openapi",
    "graphql-schema": "graphql_schema",
    "mcp": "mcp",
}
"""Each command and the file of this folder that has it, as `command`; a new one needs a line here and its file."""


class Commands(click.Group):
    """The commands; each module is imported when its command is used, so that none loads what another needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns a command; for an unknown name the error suggests the closest one."""
        if args[0] not in COMMANDS and (near := near_name(args[0], COMMANDS)):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"app.cli.{COMMANDS[name]}").command
        command.short_help = (
            cleandoc(command.help or "").partition("\n\n")[0].replace("\n", " ")
        )  # Click would shorten it otherwise
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; a refusal is printed as one message with exit code 1, without a traceback."""
        if isinstance(sys.stdout, TextIOWrapper):  # as stderr: not every encoding has every character of a title
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            raise click.ClickException(_message(refusal)) from refusal
        except (SettingsError, MongodMissing, MongodFailed) as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise click.ClickException(f"The output can't be written: {error.strerror}.") from error


def _message(refusal: Refusal) -> str:
    """Returns a refusal's message for a terminal, which shows no `errors` and sends no idempotency key."""
    if isinstance(refusal, ServiceUnavailable):
        reason = f" ({refusal.reason})" if refusal.reason else ""
        if refusal.message == ServiceUnavailable.message:
            return f"MongoDB can't be reached: check MONGODB_URI, and that it runs and has a primary.{reason}"
        return refusal.message + reason
    return "\n".join(refusal.lines)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="content-workflow")
def main() -> None:
    """A content workflow service on MongoDB: plan, brief, draft, review and publish.

    MONGODB_URI names the database; only `dev`, `openapi`, `graphql-schema` and `mcp --url` do without.
    """
