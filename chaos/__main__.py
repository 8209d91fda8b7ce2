"""`make chaos`: runs for some minutes with a seed, and fails when the checker finds anything wrong."""

import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import click

from chaos.checker import seconds_since_incident, violations
from chaos.history import BUSY, UNANSWERED, History
from chaos.run import run


@click.command()
@click.option("--seconds", default=600.0, show_default=True, help="How long failures are injected.")
@click.option("--seed", type=int, help="Repeats the choices of an earlier run; printed by each.")
@click.option("--folder", type=Path, default=Path("build/chaos"), show_default=True, help="For logs and histories.")
def main(seconds: float, seed: int | None, folder: Path) -> None:
    """Injects failures while clients work, and checks what was recorded."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all processes are ended
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    click.echo(f"seed {seed}")
    began = time.monotonic()
    history = run(seconds, seed, folder, lambda line: click.echo(f"{time.monotonic() - began:6.1f} s  {line}"))
    click.echo(summary(history))
    wrong = violations(history)
    for line in wrong:
        click.echo(line)
    if wrong:
        path = folder / f"history-{seed}.json"
        history.save(path)
        click.echo(f"{len(wrong)} violations; the history: {path}; again: make chaos SEED={seed} SECONDS={seconds:g}")
        sys.exit(1)
    click.echo("Nothing was lost, doubled or out of order.")


def summary(history: History) -> str:
    """Returns the figures of a run."""
    attempts = [attempt for call in history.calls for attempt in call.attempts]
    unanswered = [attempt for attempt in attempts if attempt.outcome in (*UNANSWERED, BUSY)]
    longest = max((seconds_since_incident(history, attempt.ended) for attempt in unanswered), default=0)
    slowest = max((attempt.ended - attempt.began for attempt in attempts), default=0)
    faults = Counter(incident.fault for incident in history.incidents)
    outcomes = Counter(attempt.outcome for attempt in unanswered)
    messages = sum(len(messages) for messages in history.final.messages.values())
    lines = {
        "incidents": ", ".join(f"{fault} {number}" for fault, number in sorted(faults.items())),
        "requests": f"{len(attempts):,}, of which {outcomes['503']} got 503, {outcomes['broken']} no answer, and "
        f"{outcomes[BUSY]} {BUSY}",
        "slowest request": f"{slowest:.1f} s",
        "longest incident for a client": f"{longest:.1f} s",
        "documents": f"{len(history.final.documents):,}",
        "events": f"{len(history.final.events):,}",
        "messages of webhooks": f"{messages:,}",
        "notices": f"{len(history.final.notices):,}, and {history.final.unnamed_notices:,} that were only counted",
        "kinds of commands that the router judged": f"{len(history.judged)}",
        "from submit to the receiver, median/slowest": ", ".join(history.submitted_to_told),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())


if __name__ == "__main__":
    main()
