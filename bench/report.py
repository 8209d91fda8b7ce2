"""Writes what was measured: a file of figures, the tables in `docs/performance.md`, and two plots."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from bench.growth import LIMIT, Growth
from bench.requests import Figure

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
IMAGES = ROOT / "docs" / "images"
BEGIN, END = "<!-- make bench: begin -->", "<!-- make bench: end -->"
TAIL = 4
"""How many times its median a 99th percentile may be."""


def write(figures: Sequence[Figure], growth: Sequence[Growth], processes: Mapping[str, float], load: float) -> Path:
    """Writes everything, and returns the file of figures."""
    now = datetime.now(UTC)
    results = {
        "at": now.isoformat(timespec="seconds"),
        "machine": {"system": platform.platform(), "python": platform.python_version(), "load_before": load},
        "requests": [asdict(one) | {"ratio": one.ratio} for one in figures],
        "growth": [asdict(one) | {"ratio": one.ratio} for one in growth],
        "processes": dict(processes),
    }
    folder = ROOT / "bench" / "results"
    folder.mkdir(exist_ok=True)
    file = folder / f"{now:%Y-%m-%dT%H%M%SZ}.json"
    file.write_text(json.dumps(results, indent=1) + "\n")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{_tables(figures, growth, processes, results)}\n\n{END}{after}")
    bars = [(one.what, one.ours.p50, one.ours.p99) for one in figures]
    (IMAGES / "bench-latency.svg").write_text(_plot("Latency in ms: median, and 99th percentile", bars))
    slower = [(one.what, one.ratio, one.ratio) for one in growth]
    (IMAGES / "bench-growth.svg").write_text(
        _plot("Time in a project of 100,000 documents, in times of that in one of 1,000", slower, mark=LIMIT)
    )
    return file


def _tables(
    figures: Sequence[Figure], growth: Sequence[Growth], processes: Mapping[str, float], results: Mapping[str, Any]
) -> str:
    machine = results["machine"]
    lines = [
        f"Measured {results['at'][:10]}, {machine['system']}, Python {machine['python']}; the load of the machine "
        f"before the run was {machine['load_before']:.1f}.",
        "",
        "| Request | A second | Beside | A second | Ratio | Target | Median, ms | 99 %, ms | 99 % / median |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(one) for one in figures),
        "",
        "| In a project of | 1,000: ms | 100,000: ms | Ratio | Keys and documents examined: 1,000 | 100,000 |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one.what} | {one.few_ms:.1f} | {one.many_ms:.1f} | {one.ratio:.2f} | "
            + (f"{one.few_examined:,} | {one.many_examined:,} |" if one.many_examined else "| |")
            for one in growth
        ),
    ]
    if processes:
        lines += [
            "",
            f"One server process answers {processes['one']:,.0f} pages of briefs a second, two answer "
            f"{processes['two']:,.0f}: {processes['two'] / processes['one']:.2f} times as many. A process takes "
            f"{processes['rest_mb']:.0f} MB at rest, and {processes['loaded_mb']:.0f} MB after a load of 8 texts of "
            "2 MB at once.",
        ]
    return "\n".join(lines)


def _row(one: Figure) -> str:
    return (
        f"| {one.what} | {one.ours.per_second:,.0f} | {one.beside} | {one.floor.per_second:,.0f} | {one.ratio:.2f} | "
        f"{one.target:.2f} | {one.ours.p50:.1f} | {one.ours.p99:.1f} | {one.ours.p99 / one.ours.p50:.1f} |"
    )


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
