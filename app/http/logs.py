"""The log: one JSON object a line on standard error."""

import logging
from datetime import UTC, datetime

import orjson

_USUAL = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Formats a record as JSON, with the keys of its `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "log": record.name,
            "message": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _USUAL},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class WithoutThreadAdvice(logging.Filter):
    """Drops granian's warning about the number of threads at each start: the number is intended."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "Python threads" not in record.getMessage()


def log_as_json(level: str) -> None:
    """Makes the service's loggers write JSON lines, from a level on; and libraries their warnings and errors."""
    handler, of_libraries = logging.StreamHandler(), logging.StreamHandler()
    for one in (handler, of_libraries):
        one.setFormatter(JsonLines())
    of_libraries.setLevel(logging.WARNING)
    logging.lastResort = of_libraries  # such as OpenTelemetry's, while nothing receives traces
    root = logging.getLogger("content_workflow")
    root.handlers, root.propagate = [handler], False
    root.setLevel(level.upper())
