"""The nemesis: injects one failure after another, in an order and for times that follow from the seed."""

import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chaos.cluster import Member, ReplicaSet
from chaos.history import Incident
from chaos.service import Process, Server
from tests.live import until

RECOVERY_SECONDS = 60


@dataclass(frozen=True)
class Targets:
    """What can fail."""

    replica_set: ReplicaSet
    servers: Sequence[Server]
    workers: Sequence[Process]


Fault = Callable[[Targets, random.Random], str]
"""Injects a failure, ends it, and returns what it hit."""


def kill_worker(targets: Targets, rng: random.Random) -> str:
    number = rng.randrange(len(targets.workers))
    _restart(targets.workers[number], rng.uniform(0, 2))
    return f"worker {number}"


def kill_server(targets: Targets, rng: random.Random) -> str:
    number = rng.randrange(len(targets.servers))
    _restart(targets.servers[number], rng.uniform(0, 2))
    return f"server {number}"


def kill_primary(targets: Targets, rng: random.Random) -> str:
    primary = targets.replica_set.primary()
    _restart(primary, rng.uniform(0, 6))
    return primary.address


def kill_secondary(targets: Targets, rng: random.Random) -> str:
    secondary = rng.choice(targets.replica_set.secondaries())
    _restart(secondary, rng.uniform(0, 3))
    return secondary.address


def step_down_primary(targets: Targets, rng: random.Random) -> str:
    return targets.replica_set.step_down().address


def freeze_primary(targets: Targets, rng: random.Random) -> str:
    return _frozen([targets.replica_set.primary()], rng.uniform(1, 8))


def freeze_secondary(targets: Targets, rng: random.Random) -> str:
    return _frozen([rng.choice(targets.replica_set.secondaries())], rng.uniform(1, 4))


def freeze_majority(targets: Targets, rng: random.Random) -> str:
    """Leaves the primary alone, which then accepts no write that can hold, and steps down."""
    return _frozen(targets.replica_set.secondaries(), rng.uniform(1, 5))


FAULTS: tuple[Fault, ...] = (
    kill_worker,
    kill_server,
    kill_primary,
    kill_secondary,
    step_down_primary,
    freeze_primary,
    freeze_secondary,
    freeze_majority,
)


def _restart(process: Member | Process, seconds: float) -> None:
    process.kill()
    time.sleep(seconds)
    process.start()


def _frozen(members: Sequence[Member], seconds: float) -> str:
    try:
        for member in members:
            member.send(signal.SIGSTOP)
        time.sleep(seconds)
    finally:
        for member in members:
            member.send(signal.SIGCONT)
    return ", ".join(member.address for member in members)


class Nemesis:
    """Injects every kind of failure at least once, and goes on until the time is over."""

    def __init__(self, targets: Targets, rng: random.Random, log: Callable[[str], object]) -> None:
        self.incidents: list[Incident] = []
        self._targets = targets
        self._rng = rng
        self._log = log

    def run(self, seconds: float) -> None:
        """Injects failures one at a time: the next one comes when all processes work again.

        A worker is killed first: what it had leased may have to wait for 40 seconds, which a short run then waits for
        while it goes on.
        """
        end = time.monotonic() + seconds
        self.inject(kill_worker)
        faults = [fault for fault in FAULTS if fault is not kill_worker]
        while True:
            for fault in self._rng.sample(faults, len(faults)):
                if time.monotonic() >= end and len({incident.fault for incident in self.incidents}) == len(FAULTS):
                    return
                time.sleep(self._rng.uniform(0, 1))
                self.inject(fault)
            faults = list(FAULTS)

    def inject(self, fault: Fault) -> None:
        """Injects one failure; returns when everything works again."""
        began = time.monotonic()
        target = fault(self._targets, self._rng)
        until(self._all_work, RECOVERY_SECONDS, 0.05)
        self.incidents.append(Incident(fault.__name__, target, began, time.monotonic()))
        self._log(f"{fault.__name__} ({target}): all works again after {time.monotonic() - began:.1f} s")

    def _all_work(self) -> bool:
        return self._targets.replica_set.is_healthy() and all(server.is_ready() for server in self._targets.servers)
