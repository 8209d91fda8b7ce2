"""The environment, read once, checked, typed and frozen.

`Settings.from_environment()` names every bad variable at once; nothing else reads the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib.metadata import version
from typing import Any

VERSION = version("content-workflow")
"""The service's own version, as the OpenAPI document and the MCP server tell it."""


class SettingsError(Exception):
    """One or more environment variables are wrong; the message has a line for each."""


def _text(value: str) -> str:
    return value


def _flag(value: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if value.lower() not in words:
        raise ValueError("be 1 or 0")
    return words[value.lower()]


def _count(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise ValueError("be a whole number, 0 or more")
    return int(value)


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _prefix(value: str) -> str:
    if value and (not value.startswith("/") or value.endswith("/")):
        raise ValueError("begin with a slash and not end with one, like /api")
    return value


def _variable(name: str, read: Callable[[str], Any], default: Any, doc: str) -> Any:
    return field(default=default, metadata={"name": name, "read": read, "doc": doc})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How this server runs. Each field is one environment variable; its `doc` is the reference in docs/."""

    mongodb_uri: str = field(metadata={"name": "MONGODB_URI", "read": _text, "doc": "the MongoDB replica set"})
    database: str = _variable("MONGODB_DATABASE", _text, "content_workflow", "the database's name")
    deadline_seconds: int = _variable("DEADLINE_SECONDS", _count, 10, "longest time a request waits for MongoDB")
    base_path: str = _variable("BASE_PATH", _prefix, "", "prefix of the management API's paths, like /api")
    public_url: str = _variable("PUBLIC_URL", _text, "", "the address callers use, for OpenAPI's `servers`")
    rate_limit: int = _variable("RATE_LIMIT_PER_MINUTE", _count, 6000, "requests a token and process; 0 is off")
    failed_auth_limit: int = _variable(
        "FAILED_AUTH_LIMIT_PER_MINUTE", _count, 100, "failed authentications an address and process; 0 is off"
    )
    trusted_proxies: tuple[str, ...] = _variable(
        "TRUSTED_PROXIES", _names, (), "addresses or networks whose X-Forwarded-For is believed, comma-separated"
    )
    serve_rest: bool = _variable("SERVE_REST", _flag, True, "serve the management API")
    serve_docs: bool = _variable("SERVE_DOCS", _flag, True, "serve /openapi.json, /docs and /llms.txt")
    serve_graphql: bool = _variable("SERVE_GRAPHQL", _flag, True, "serve the delivery API")
    serve_mcp: bool = _variable("SERVE_MCP", _flag, True, "serve MCP at /mcp")
    serve_metrics: bool = _variable("SERVE_METRICS", _flag, False, "serve /metrics")
    metrics_token: str = _variable("METRICS_TOKEN", _text, "", "bearer token that /metrics asks for, where set")
    mcp_allowed_hosts: tuple[str, ...] = _variable(
        "MCP_ALLOWED_HOSTS", _names, (), "Host headers that MCP answers to beside localhost, comma-separated; * for all"
    )
    delivery_allowed_origins: tuple[str, ...] = _variable(
        "DELIVERY_ALLOWED_ORIGINS", _names, ("*",), "origins that may read the delivery API from a browser"
    )
    delivery_cache_control: str = _variable(
        "DELIVERY_CACHE_CONTROL", _text, "private, max-age=0, must-revalidate", "Cache-Control of delivery answers"
    )
    graphql_introspection: bool = _variable("GRAPHQL_INTROSPECTION", _flag, True, "allow GraphQL introspection")
    webhooks_allow_local: bool = _variable("WEBHOOKS_ALLOW_LOCAL", _flag, False, "let webhooks reach loopback (dev)")
    events_kept_days: int = _variable("EVENTS_KEPT_DAYS", _count, 30, "how long events stay in the feed")
    otel_endpoint: str = _variable(
        "OTEL_EXPORTER_OTLP_ENDPOINT", _text, "", "where OpenTelemetry's traces go, with the extra `otel` installed"
    )
    log_level: str = _variable("LOG_LEVEL", _text, "INFO", "level of the JSON log")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Returns the settings of an environment (`os.environ` by default).

        Raises `SettingsError` with one line for each variable that is missing or wrong.
        """
        environment = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        wrong: list[str] = []
        for setting in fields(cls):
            name, text = setting.metadata["name"], environment.get(setting.metadata["name"])
            if text is None or text == "":
                if setting.default is MISSING:
                    wrong.append(f"{name} is not set: it names {setting.metadata['doc']}.")
                continue
            try:
                values[setting.name] = setting.metadata["read"](text)
            except ValueError as error:
                wrong.append(f"{name} is {text!r}: it must {error}.")
        if wrong:
            raise SettingsError("\n".join(wrong))
        return cls(**values)
