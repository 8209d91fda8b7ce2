"""The command line, `content-workflow`: an interface to the operations, each command in a file of its own."""

import errno
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from app.core.errors import Refusal, ServiceUnavailable, SettingsError

COMMANDS = {
    "serve": ("serve", "Serve REST, GraphQL, MCP, and the reference at /docs."),
    "worker": ("worker", "Publish what is scheduled, relay events, send webhooks; until SIGTERM or Ctrl-C."),
    "dev": ("dev", "Serve a demo project on a local MongoDB, and print its tokens."),
    "project": ("projects", "Create, list, set and freeze projects."),
    "token": ("tokens", "Create, list, rotate and revoke tokens."),
    "member": ("members", "Add, list, change, invite and remove members."),
    "purge": ("purge", "Permanently delete documents in the trash, with their texts and their history."),
    "db": ("db", "Create indexes and validators, check them, and bring the database to the form of this release."),
    "openapi": ("openapi", "Print the OpenAPI 3.1 document of the management API."),
    "graphql-schema": (
        "graphql_schema",
        "Print the schema of the delivery API, in GraphQL's schema definition language.",
    ),
    "mcp": ("mcp", "Serve MCP over stdio, with the token in CONTENT_WORKFLOW_TOKEN."),
}
"""Each command with the file of this folder that has it, as `command`, and the first paragraph of its help.

The list of commands is printed and completed from here and from those of features, since importing them all takes
seconds.
"""


class Commands(click.Group):
    """The commands, of `COMMANDS` and of features; the module of a command is imported when the command is used.

    The object of the context is the `Features` whose commands there are, by default all.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_modules(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = _modules(ctx).get(cmd_name)
        return click.Command(cmd_name, short_help=found[1]) if found else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        self.commands = {name: click.Command(name) for name in _modules(ctx)}  # what a misspelt one may have meant
        name, command, rest = super().resolve_command(ctx, args)
        return name, import_module(_modules(ctx)[name][0]).command if name else command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; a refusal is printed as one message with exit code 1, without a traceback."""
        if isinstance(sys.stdout, TextIOWrapper):  # like stderr: the terminal's encoding may lack characters of a title
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            raise click.ClickException(_message(refusal)) from refusal
        except SettingsError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise click.ClickException(f"The output can't be written: {error.strerror}.") from error


def _modules(ctx: click.Context) -> dict[str, tuple[str, str]]:
    """Returns the module and the summary of each command."""
    if ctx.obj is None:
        from app.features import ALL  # takes a second, and not all that import this module list commands

        ctx.obj = ALL
    own = {name: (f"app.cli.{file}", summary) for name, (file, summary) in COMMANDS.items()}
    return own | {one.name: (one.module, one.summary) for one in ctx.obj.commands}


def _message(refusal: Refusal) -> str:
    """Returns a refusal's message for a terminal, which shows no `errors` and sends no idempotency key."""
    if isinstance(refusal, ServiceUnavailable):
        reason = f" ({refusal.reason})" if refusal.reason else ""
        if refusal.message == ServiceUnavailable.message:
            return f"MongoDB can't be reached: check MONGODB_URI, and that it runs and has a primary.{reason}"
        return refusal.for_the_log + reason
    return "\n".join(refusal.lines)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="content-workflow")
def main() -> None:
    """A content workflow service on MongoDB: plan, brief, draft, review and publish.

    MONGODB_URI names the database; only `dev`, `openapi` and `graphql-schema` do without.
    """
