"""Half a minute of `make chaos`, and every kind of failure: nothing is lost, doubled or out of order."""

from pathlib import Path

import pytest

from chaos.checker import violations
from chaos.nemesis import FAULTS
from chaos.run import run

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(400)]

SEED = 16
SECONDS = 30
PAUSE = 1
"""The longest rest of a client between two tasks: ten times that of `make chaos`, which leaves other tests some CPU."""


@pytest.mark.contract("decided-notices.chaos")
def test_every_kind_of_failure_is_survived_without_a_loss(tmp_path: Path) -> None:
    history = run(SECONDS, SEED, tmp_path, pause=PAUSE)

    wrong = violations(history)

    if wrong:
        history.save(Path("build") / "chaos" / f"history-{SEED}.json")
    assert wrong == []
    assert {incident.fault for incident in history.incidents} == {fault.__name__ for fault in FAULTS}
    assert len(history.final.documents) > 10
