"""A server process returns memory that lies free between what is in use."""

from __future__ import annotations

import subprocess
import sys

import pytest

FRAGMENTED = """
import os, threading, time
from pathlib import Path
from app.cli import server_process

def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

texts = [bytes([1]) * 10_000 for _ in range(8_000)]
kept = texts[::50]
del texts
before = megabytes()
server_process.TRIM_SECONDS = 0.01
threading.Thread(target=server_process._trim_memory, daemon=True).start()
for _ in range(500):
    time.sleep(0.02)
    if before - megabytes() > 40:
        break
print(before - megabytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's malloc_trim")
def test_memory_that_lies_free_between_texts_is_returned() -> None:
    ran = subprocess.run([sys.executable, "-c", FRAGMENTED], capture_output=True, text=True, check=True)

    assert float(ran.stdout) > 40
