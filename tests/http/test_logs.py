"""The log is one JSON object a line, whoever writes it."""

import subprocess
import sys

import orjson

LOGS_OF_A_LIBRARY = """
import logging
from app.http.logs import log_as_json
log_as_json("ERROR")
logging.getLogger("a.library").info("At work")
logging.getLogger("a.library").warning("No answer\\nfrom %s", "somewhere")
"""


def test_a_warning_of_a_library_is_a_line_of_json() -> None:
    done = subprocess.run([sys.executable, "-c", LOGS_OF_A_LIBRARY], capture_output=True, check=True)

    (line,) = done.stderr.splitlines()
    logged = orjson.loads(line)
    assert (logged["level"], logged["log"], logged["message"]) == ("WARNING", "a.library", "No answer\nfrom somewhere")
