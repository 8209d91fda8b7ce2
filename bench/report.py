"""Writes what was measured: a file of figures, the tables in `docs/performance.md`, and two plots."""

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from bench.contention import Row
from bench.growth import FEW, MANY, Growth
from bench.requests import Figure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
IMAGES = ROOT / "docs" / "images"
RESULTS = ROOT / "bench" / "results"
MOST_ABORTED = 0.02
"""How many transactions may be aborted for each that is committed."""
LIMIT = 1.3
"""How many times as long a request may take in a large deployment."""
TAIL = 4
"""How many times its median a 99th percentile may be."""


def write(
    figures: Sequence[Figure],
    contention: Sequence[Row],
    growth: Sequence[Growth],
    processes: Mapping[str, float],
    load: float,
) -> Path:
    """Writes what `make bench` measured, and returns the file of figures."""
    results = {
        **_machine(load),
        "requests": [asdict(one) | {"ratio": one.ratio} for one in figures],
        "contention": [asdict(one) for one in contention],
        "growth": [asdict(one) | {"ratio": one.ratio} for one in growth],
        "processes": dict(processes),
    }
    one, two = processes["one"], processes["two"]
    alone = (
        f"One server process answers {one:,.0f} pages of briefs a second, two answer {two:,.0f}: {two / one:.2f} times "
        f"as many. With MongoDB and the load, {processes['one_busy']:.0%} of the CPUs were busy with one process, and "
        f"{processes['two_busy']:.0%} with two. A process takes {processes['rest_mb']:.0f} MB at rest, and at most "
        f"{processes['loaded_mb']:.0f} MB with 8 texts of 2 MB at once."
    )
    parts = [requests_table(figures), contention_table(contention), growth_summary(growth, MANY), alone]
    into_page("make bench", [_measured(results), *parts])
    bars = [(one.what, one.ours.p50, one.ours.p99) for one in figures]
    (IMAGES / "bench-latency.svg").write_text(_plot("Latency in ms: median, and 99th percentile", bars))
    return write_results("", results)


def write_growth(growth: Sequence[Growth], documents: int) -> Path:
    """Writes what `make bench-growth` measured, and returns the file of figures."""
    results = {
        **_machine(os.getloadavg()[0]),
        "documents": documents,
        "growth": [asdict(one) | {"ratio": one.ratio} for one in growth],
    }
    into_page("make bench-growth", [_measured(results), growth_summary(growth, documents)])
    title = f"Time in a project of {documents:,} documents, in times of that in one of {FEW:,}"
    slower = [(one.what, one.ratio, one.ratio) for one in growth]
    (IMAGES / "bench-growth.svg").write_text(_plot(title, slower, mark=LIMIT))
    return write_results("growth-", results)


def write_results(kind: str, results: Mapping[str, Any]) -> Path:
    """Writes a file of figures, and returns it."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{kind}{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.json"
    file.write_text(json.dumps(results, indent=1) + "\n")
    return file


def _machine(load: float) -> dict[str, Any]:
    machine = {"system": platform.platform(), "python": platform.python_version(), "load_before": load}
    return {"at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine}


def _measured(results: Mapping[str, Any]) -> str:
    machine = results["machine"]
    return (
        f"Measured {results['at'][:10]}, {machine['system']}, Python {machine['python']}; the load of the machine "
        f"before the run was {machine['load_before']:.1f}. What misses its target is bold."
    )


def into_page(command: str, parts: Sequence[str]) -> None:
    """Replaces what is between the marks of a command in the page."""
    begin, end = f"<!-- {command}: begin -->", f"<!-- {command}: end -->"
    before, _, rest = PAGE.read_text().partition(begin)
    after = rest.partition(end)[2]
    PAGE.write_text("\n\n".join([f"{before}{begin}", *parts, f"{end}{after}"]))


def requests_table(figures: Sequence[Figure]) -> str:
    """Returns what each request reached, as a table of markdown."""
    head = (
        *("Request", "A second", "Beside", "A second", "Ratio", "Target", "CPU, ms", "Beside", "Ratio"),
        *("Median, ms", "99 %, ms"),
    )
    rows = (
        (
            one.what,
            f"{one.ours.per_second:,.0f}",
            one.beside,
            f"{one.floor.per_second:,.0f}",
            _marked(f"{one.ratio:.2f}", one.ratio >= one.target),
            f"{one.target:.2f}",
            f"{one.ours.cpu_ms:.2f}",
            f"{one.floor.cpu_ms:.2f}",
            f"{one.floor.cpu_ms / one.ours.cpu_ms:.2f}" if one.ours.cpu_ms else "",
            f"{one.ours.p50:.1f}",
            _marked(f"{one.ours.p99:.1f}", one.ours.p99 <= TAIL * one.ours.p50),
        )
        for one in figures
    )
    return markdown_table(head, rows)


def contention_table(rows: Sequence[Row]) -> str:
    """Returns what callers reach who write different documents of a project at once, as a table of markdown."""
    head = (
        "At once in one project",
        "Callers",
        "A second",
        "Median, ms",
        "Slowest, ms",
        "Aborted",
        "CPU, ms",
        "MongoDB",
    )
    return markdown_table(
        head,
        (
            (
                one.what,
                f"{one.callers}",
                f"{one.per_second:,.0f}",
                f"{one.p50:.0f}",
                f"{one.slowest:.0f}",
                _marked(f"{one.aborted:.1%}", one.aborted <= MOST_ABORTED),
                f"{one.server_ms:.1f}",
                f"{one.database_ms:.1f}",
            )
            for one in rows
        ),
    )


def growth_table(growth: Sequence[Growth], documents: int) -> str:
    """Returns how much each request slowed down, as a table of markdown."""
    few, many = f"{FEW:,}", f"{documents:,}"
    head = ("In a project of", f"{few}: ms", f"{many}: ms", "Ratio", f"Keys and documents examined: {few}", many)
    rows = (
        (
            one.what,
            f"{one.few_ms:.1f}",
            f"{one.many_ms:.1f}",
            _marked(f"{one.ratio:.2f}", one.ratio <= LIMIT),
            f"{one.few_examined:,}",
            f"{one.many_examined:,}",
        )
        for one in growth
    )
    return markdown_table(head, rows)


def growth_summary(growth: Sequence[Growth], documents: int) -> str:
    """Returns how many requests slowed down, and a table of those that did."""
    slower = [one for one in growth if one.ratio > LIMIT]
    most = max((one.ratio for one in growth if one.ratio <= LIMIT), default=0)
    summary = (
        f"Of {len(growth)} requests, {len(growth) - len(slower)} take at most {most:.2f} times as long in a project of "
        f"{documents:,} documents as in one of {FEW:,}."
    )
    return f"{summary} Slower are:\n\n{growth_table(slower, documents)}" if slower else summary


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _marked(figure: str, good: bool) -> str:
    return figure if good else f"**{figure}**"


def _plot(title: str, bars: Sequence[tuple[str, float, float]], mark: float | None = None) -> str:
    """Returns a plot of bars: each from 0 to its first value, and thinner on to its second."""
    widest = max([*(high for _, _, high in bars), mark or 0, 0.001])
    left, width, step = 330, 420, 24
    height = 50 + step * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="820" height="{height}" fill="#fff"/><text x="10" y="20" font-size="14">{escape(title)}</text>',
    ]
    for place, (what, value, high) in enumerate(bars):
        y, end, far = 40 + step * place, left + width * value / widest, left + width * high / widest
        parts += [
            f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{escape(what[:52])}</text>',
            f'<rect x="{left}" y="{y}" width="{end - left:.1f}" height="14" fill="#3267b1"/>',
            f'<rect x="{end:.1f}" y="{y + 5}" width="{far - end:.1f}" height="4" fill="#9db7de"/>',
            f'<text x="{far + 5:.1f}" y="{y + 11}">{high:.1f}</text>',
        ]
    if mark is not None:
        x = left + width * mark / widest
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="32" y2="{height - 5}" stroke="#b13232"/>')
    return "\n".join([*parts, "</svg>", ""])
