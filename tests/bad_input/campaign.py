"""Runs inputs and holds each to the same: it is answered within 2 s, as documented, and a refusal changes nothing."""

import gc
import logging
import random
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from app.core.store.store import Store

PER_SCENE = 1_000
"""After how many inputs everything that they meet is made anew: so an input is repeated without those before it."""
LOOKED_AT = 20
"""Of how many inputs one has the database compared before and after."""
MAX_SECONDS = 2.0
STUCK_SECONDS = 30
AT_LEAST = 50
"""How many inputs are tried however long they take."""
MAX_FINDINGS = 20
MAX_SHOWN = 3_000
MIB = 1024 * 1024


@dataclass(frozen=True)
class Outcome:
    """What became of an input."""

    is_refused: bool
    problem: str | None = None
    """What must not be: a 500, an answer of another form than documented."""
    may_write: bool = False


class Target(Protocol):
    """A part of the service that takes inputs."""

    def begin(self, store: Store) -> None:
        """Makes what the next inputs meet, in an empty database."""

    def make(self, chance: random.Random) -> Any:
        """Returns an input; it is printed with `str`."""

    def run(self, given: Any) -> Outcome:
        """Sends an input and judges the answer; raises where something breaks."""

    def end(self) -> str | None:
        """Returns what is wrong after all inputs since `begin`."""


@dataclass
class Figures:
    """What a run of inputs came to."""

    inputs: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    growth: int = 0
    """By how many bytes the process grew, after the first inputs."""
    findings: list[str] = field(default_factory=list)


class Stuck(Exception):
    """An input is not answered at all."""


class _Bugs(logging.Handler):
    """Notes what the service logs as its own bugs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.noted: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Notes what has a traceback; refusals of others are logged too."""
        if record.exc_info and record.exc_info[1]:
            self.noted.append("".join(traceback.format_exception(record.exc_info[1])[-6:]))


@contextmanager
def _noted_bugs() -> Iterator[_Bugs]:
    bugs, logger = _Bugs(), logging.getLogger("content_workflow")
    before = logger.handlers, logger.level, logger.propagate
    logger.handlers, logger.level, logger.propagate = [bugs], logging.ERROR, False
    try:
        yield bugs
    finally:
        logger.handlers, logger.level, logger.propagate = before


@contextmanager
def _not_stuck() -> Iterator[None]:
    """Raises `Stuck` in the block when it is called for."""

    def stop(*_: object) -> None:
        raise Stuck

    before = signal.signal(signal.SIGALRM, stop)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(
    name: str, target: Target, store: Store, *, seed: int, inputs: int, first: int = 0, seconds: float = 1e9
) -> Figures:
    """Runs inputs of a seed, from the first one on, at most so many and for so long."""
    figures, began, before = Figures(), time.monotonic(), 0

    def is_over() -> bool:
        is_late = time.monotonic() - began > seconds and figures.inputs >= AT_LEAST
        return is_late or len(figures.findings) >= MAX_FINDINGS

    with _noted_bugs() as bugs, _not_stuck():
        for start in range(first - first % PER_SCENE, first + inputs, PER_SCENE):
            if is_over():
                break
            again = f"make fuzz TARGET={name} SEED={seed} FIRST={start} INPUTS="
            chance = random.Random(f"{name} {seed} {start}")
            _empty(store)
            target.begin(store)
            for number in range(1, min(PER_SCENE, first + inputs - start) + 1):
                given = target.make(chance)
                is_looked_at = chance.randrange(LOOKED_AT) == 0
                if problem := _problem(target, given, store, bugs, figures, is_looked_at=is_looked_at):
                    figures.findings.append(f"{problem}\n{str(given)[:MAX_SHOWN]}\n# {again}{number}\n")
                if is_over():
                    break
            _, outcome = _timed(lambda: Outcome(False, target.end()))
            if problem := outcome.problem:
                figures.findings.append(f"{problem}\n# {again}{number}\n")
            before = before or _resident()
    gc.collect()
    figures.growth = max(0, _resident() - before)
    figures.seconds = time.monotonic() - began
    return figures


def _problem(
    target: Target, given: Any, store: Store, bugs: _Bugs, figures: Figures, *, is_looked_at: bool
) -> str | None:
    """Tries an input and returns what is wrong with what it does."""
    before = _everything(store) if is_looked_at else None
    bugs.noted.clear()
    seconds, outcome = _timed(lambda: target.run(given))
    for _ in range(2):
        if seconds > MAX_SECONDS and outcome.problem is None:  # perhaps others took the processor
            seconds = min(seconds, _timed(lambda: target.run(given))[0])
    figures.inputs += 1
    figures.refused += outcome.is_refused
    figures.slowest = max(figures.slowest, seconds)
    if bugs.noted:
        return bugs.noted[0]
    if outcome.problem is None and seconds > MAX_SECONDS:
        return f"It took {seconds:.1f} s."
    if outcome.problem is None and before and not outcome.may_write and before != _everything(store):
        return "It must not write, and the database is another now."
    return outcome.problem


def _timed(run: Callable[[], Outcome]) -> tuple[float, Outcome]:
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, STUCK_SECONDS)
    try:
        outcome = run()
    except Stuck:
        outcome = Outcome(False, f"There was no answer in {STUCK_SECONDS} s.")
    except Exception as error:
        outcome = Outcome(False, "".join(traceback.format_exception(error)[-6:]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.perf_counter() - began, outcome


def _empty(store: Store) -> None:
    for name in store.database.list_collection_names():
        store.database[name].delete_many({})


def _everything(store: Store) -> dict[str, str]:
    """Returns a hash of each collection; that of tokens is left out, as they note when they were last used."""
    hashes: dict[str, str] = store.database.command("dbHash")["collections"]
    return {name: value for name, value in hashes.items() if name != "tokens"}


def _resident() -> int:
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
