"""The environment, read once, checked, typed and frozen.

`from_environment()` names every wrong variable at once; nothing else reads the environment. A feature has a subclass of
`Settings` with its own; `app/features.py` has the class with those of all features.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
)

from app.core.errors import SettingsError
from app.core.features import Features
from app.core.store.store import check_database
from app.core.vocabulary import Scope

LIKENESS = 0.85
"""How near a name is to a setting's to be taken for a misspelling: `PUBLIC_URI` is 0.9."""

FROM_FILE = "_FILE"
"""Ends the name of a variable that has the path of a file with a secret."""

VERSION = version("content-workflow")
"""The service's own version, as the OpenAPI document and the MCP server show it."""


def _split(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


def _check_mongodb_uri(value: str) -> str:
    if not value.startswith(("mongodb://", "mongodb+srv://")):
        raise ValueError("must begin with mongodb:// or mongodb+srv://")
    # Anywhere else pymongo would take a part of the password for a host or a database, and name it in its message.
    if re.search("[/?#]", value.partition("://")[2].rpartition("@")[0]):
        raise ValueError("the user name and the password must be percent-encoded: %2F for /, %3F for ?, %40 for @")
    return value


def _check_url(value: str) -> str:
    parts = urlsplit(value)
    is_address = (
        parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not re.search(r"\s", value)
    )
    if value and (not is_address or parts.query or parts.fragment):
        raise ValueError("must be an http or https URL, like https://content.example.com")
    return value


def _check_prefix(value: str) -> str:
    if value and (not value.startswith("/") or value.endswith("/")):
        raise ValueError("must begin with a slash and not end with one, like /api")
    return value


def _each(is_valid: Callable[[str], object], must_be: str) -> AfterValidator:
    """Returns the check of a list of names, one by one."""

    def check(value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not is_valid(name):
                raise ValueError(f"must be {must_be}; {name!r} is not one")
        return value

    return AfterValidator(check)


Origins = _each(
    re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[^/\sA-Z]+").fullmatch,
    "origins as browsers send them, like https://www.example.com, or *",
)
Hosts = _each(re.compile(r"[^/\s]+").fullmatch, "host names, like content.example.com, or *")


Count = Annotated[int, Field(ge=0)]
Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
Url = Annotated[str, AfterValidator(_check_url)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(partial(ip_network, strict=False))]
ReadPreference = Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"]
Level = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


def _read_secret(given: Mapping[str, str], name: str) -> str | ValueError:
    """Returns the value of a variable from the file that its other form names, or the error that its check raises."""
    variable = name + FROM_FILE
    path = given[variable]
    if name in given:
        return ValueError(f"{variable} is set too: set one of them")
    try:
        value = Path(path).read_text("utf-8", "surrogateescape").strip()
    except OSError as error:
        return ValueError(f"the file of {variable}, {path!r}, can't be read: {error.strerror}")
    return value or ValueError(f"the file of {variable}, {path!r}, is empty")


class Settings(BaseModel):
    """How this server runs. Each field is one environment variable; its description is the reference in docs/."""

    model_config = ConfigDict(frozen=True, alias_generator=str.upper, populate_by_name=True, extra="ignore")

    mongodb_uri: Annotated[str, AfterValidator(_check_mongodb_uri)] = Field(
        repr=False, description="the MongoDB replica set and the database, like mongodb://host/NAME?replicaSet=rs0"
    )
    database: Annotated[str, AfterValidator(check_database)] = Field(
        "",
        validation_alias="MONGODB_DATABASE",
        description="the database's name; by default the one in MONGODB_URI, else content_workflow",
    )
    deadline_seconds: Annotated[int, Field(ge=1, le=3_600)] = Field(
        10, description="longest time a request waits for MongoDB"
    )
    base_path: Annotated[str, AfterValidator(_check_prefix)] = Field(
        "", description="prefix of the management API's paths, like /api"
    )
    public_url: Url = Field(
        "", description="the address that callers use, for OpenAPI's `servers`, feeds, invitations and the host of MCP"
    )
    oidc_issuer: Url = Field(
        "",
        description="the OpenID provider that members sign in with: it names their verified e-mail address",
    )
    oidc_client_id: str = Field(
        "",
        validate_default=True,
        description="this service's client id there, registered with PUBLIC_URL/console/oidc/callback",
    )
    oidc_client_secret: str = Field(
        "", repr=False, validate_default=True, description="this service's client secret there"
    )
    oidc_scopes: Annotated[tuple[Scope, ...], BeforeValidator(_split)] = Field(
        (Scope.READ, Scope.WRITE, Scope.PUBLISH),
        description="the most that it lets members do: a writer reads and writes, an editor publishes too",
    )
    rate_limit: Count = Field(
        6000, validation_alias="RATE_LIMIT_PER_MINUTE", description="requests per token and process; 0 is off"
    )
    failed_auth_limit: Count = Field(
        100,
        validation_alias="FAILED_AUTH_LIMIT_PER_MINUTE",
        description="failed authentications per address and server; 0 is off",
    )
    trusted_proxies: Annotated[tuple[Network, ...], BeforeValidator(_split)] = Field(
        (), description="addresses or networks whose X-Forwarded-For is believed, comma-separated"
    )
    serve_rest: bool = Field(True, description="serve the management API")
    serve_docs: bool = Field(True, description="serve /openapi.json, /docs and /llms.txt")
    serve_graphql: bool = Field(True, description="serve the delivery API")
    serve_mcp: bool = Field(True, description="serve MCP at /mcp")
    serve_console: bool = Field(True, description="serve the console at /console")
    serve_metrics: bool = Field(False, description="serve /metrics")
    metrics_token: str = Field("", repr=False, description="bearer token that /metrics requires, where set")
    mcp_allowed_hosts: Annotated[Names, Hosts] = Field(
        (), description="Host headers that MCP accepts besides localhost, comma-separated; * for all"
    )
    delivery_allowed_origins: Annotated[Names, Origins] = Field(
        ("*",), description="origins that may read the delivery API from a browser, comma-separated"
    )
    delivery_cache_control: Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")] = Field(
        "private, max-age=0, must-revalidate", description="Cache-Control of delivery responses"
    )
    delivery_read_preference: ReadPreference = Field(
        "primary", description="the members of the replica set that what is delivered is read from"
    )
    feed_html: bool = Field(False, description="put the html of documents into feed.xml, beside their summaries")
    graphql_introspection: bool = Field(True, description="allow GraphQL introspection")
    webhooks_allow_local: bool = Field(
        False,
        description="let every project's webhooks, Slack notices, pictures by URL and OAuth clients reach loopback "
        "(development only)",
    )
    otel_endpoint: Url = Field(
        "",
        validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description="where OpenTelemetry traces are sent; needs the extra `otel`",
    )
    log_addresses: bool = Field(True, description="log the addresses of clients, as TRUSTED_PROXIES finds them")
    log_level: Annotated[Level, BeforeValidator(str.upper)] = Field("INFO", description="level of the JSON log")

    @field_validator("*", mode="before")
    @classmethod
    def _check_encoding(cls, value: object) -> object:
        if isinstance(value, ValueError):
            raise value
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise ValueError("must be text in UTF-8") from None
        return value

    @field_validator("oidc_client_id", "oidc_client_secret")
    @classmethod
    def _check_oidc(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("oidc_issuer") and not value:
            raise ValueError("must be set where OIDC_ISSUER is")
        return value

    @property
    def is_https(self) -> bool:
        """True if callers use https."""
        return self.public_url.lower().startswith("https://")

    @property
    def issuer(self) -> str:
        """The issuer of connections; empty where nobody can connect (decisions, section 16)."""
        return ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Returns the settings of an environment; an empty variable counts as not set.

        White space around a value is ignored, as files that hold secrets often end with a line break.
        A secret may be in a file instead: `SMTP_URL_FILE` is the path of a file with the value of `SMTP_URL`.
        Raises `SettingsError` with one line for each variable that is missing or wrong.
        """
        given = {name: value.strip() for name, value in environment.items() if value.strip()}
        from_files = {name: _read_secret(given, name) for name in cls._secrets() if name + FROM_FILE in given}
        try:
            return cls.model_validate(given | from_files)
        except ValidationError as failed:
            lines = [cls._line(error) for error in failed.errors()]
            raise SettingsError("\n".join([*lines, *cls.misspelt(environment)])) from None

    @classmethod
    def _secrets(cls) -> list[str]:
        """Returns the variables that may be read from files: those that are never shown."""
        return [name.upper() for name, field in cls.model_fields.items() if not field.repr]

    @classmethod
    def misspelt(cls, environment: Mapping[str, str] = os.environ) -> list[str]:
        """Returns a line for each variable whose name is nearly that of a setting."""
        names = {str(field.validation_alias or field.alias) for field in cls.model_fields.values()}
        names |= {name + FROM_FILE for name in cls._secrets()}
        near = {
            name: get_close_matches(name, names, n=1, cutoff=LIKENESS) for name in sorted(environment.keys() - names)
        }
        return [f"{name} is not a setting: did you mean {known[0]}?" for name, known in near.items() if known]

    @classmethod
    def _line(cls, error: Any) -> str:
        """Returns what is wrong with a variable, without its value if that may be a secret."""
        name = str(error["loc"][0]).upper()  # a default that is wrong is named by its field
        if error["type"] == "missing":
            return f"{name} is not set: it names the MongoDB replica set, like mongodb://host/NAME?replicaSet=rs0."
        why = error["msg"].removeprefix("Value error, ").rstrip(".")
        field = cls.model_fields.get(name.lower())
        return f"{name}: {why}." if field and not field.repr else f"{name} is {str(error['input'])[:100]!r}: {why}."


def settings_of(features: Features) -> type[Settings]:
    """Returns the settings of a server with those of its features."""
    own = [feature.settings for feature in features.features if feature.settings]
    return create_model("Settings", __base__=(*own, Settings), __module__=__name__, __doc__=Settings.__doc__)
