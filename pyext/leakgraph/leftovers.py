"""Finds what a piece of work leaves behind when it is repeated, for tests."""

from __future__ import annotations

import gc

from leakgraph import expect
from leakgraph._core import Size, cycles, snapshot
from leakgraph.harness import made_cycle, made_growth
from leakgraph.limits import argument
from leakgraph.repeats import check, repeat
from leakgraph.sites import FRAMES, Tracing
from leakgraph.stillness import observe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from leakgraph._core import Cycle, Cycles, GrowthRow
    from leakgraph.baseline import Baseline

__all__ = ["leftovers"]

#: Calls that run under tracemalloc, to find the line that allocates.
TRACED = 2


def leftovers(
    work: Callable[[], object],
    baseline: Baseline,
    test: str,
    *,
    rounds: int = 4,
    warmup: int = 2,
    max_growth: int | str = "0 B",
    max_cycles: int | None = 0,
) -> str:
    """Repeat work() and say what stays behind; "" if nothing does.

    Leaves out growth that the baseline knows, or adds, and what pytest keeps.
    max_cycles=None looks for no cycles. Objects that expect_collectable() notes
    meanwhile must be gone at the end. Takes snapshots only if cheap numbers say that
    something may stay behind.
    """
    most = _bytes(max_growth)
    check(warmup, rounds, 1)
    expected = set(expect._expected)
    seen = observe(work, warmup, rounds)
    paragraphs = []
    if seen.grows:
        growth = repeat(work, warmup=0, rounds=rounds, calls=1)
        rows = [row for row in growth if row.degree == "steady" and row.gained > most]
        rows = [row for row in rows if not made_growth(row)]
        rows = [row for row in rows if not baseline.knows(row, test)]
        paragraphs = _growth(work, rows, most) if rows else []
    if seen.has_cycles and max_cycles is not None:
        paragraphs += _cycles(work, max_cycles)
    paragraphs += _uncollected(expected)
    return "\n".join(paragraphs)


def _bytes(size: int | str) -> int:
    """Return the bytes of 4096, "4 KiB" or "0 B"."""
    return size if isinstance(size, int) else argument("max_growth", size)


def _size(count: int) -> str:
    """Write the bytes with a unit."""
    return str(Size({"host": count}))


def _growth(work: Callable[[], object], rows: list[GrowthRow], most: int) -> list[str]:
    """Describe each row with the line that allocates, and the known fix."""
    # A list that CPython has kept to use again would have no trace.
    gc.collect()
    tracing = Tracing(FRAMES)
    try:
        for _ in range(TRACED):
            work()
    finally:
        lines = tracing.stop(rows)
    paragraphs = ["Each call leaves objects behind:"]
    for row in rows:
        paragraphs.append(f"  {row.text}")
        if most > 0:
            paragraphs.append(
                f"    {_size(row.gained - most)} more than max_growth, {_size(most)}"
            )
        if row.place in lines:
            paragraphs.append(f"    allocated at {lines[row.place]}")
        if row.fix:
            paragraphs.append(f"    {row.fix}")
        paragraphs.append(f"    place {row.place}")
    return paragraphs


def _cycles(work: Callable[[], object], most: int) -> list[str]:
    """Describe the reference cycles that a call leaves to the collector."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        work()
        found = cycles(kind="collectable", limit=None)
    finally:
        if was_enabled:
            gc.enable()
    leaks = [at for at, cycle in enumerate(found) if _is_leak(cycle)]
    if len(leaks) <= most:
        return []
    cycles_left = f"{len(leaks)} reference cycle{'s' * (len(leaks) != 1)}"
    return [
        f"A call leaves {cycles_left} to the collector, and the limit is {most}:",
        *_first_leaks(found, leaks),
    ]


def _is_leak(cycle: Cycle) -> bool:
    """Whether the test can avoid it: there is something to cut, and not in pytest."""
    return cycle.is_leak and cycle.cut is not None and not made_cycle(cycle)


def _first_leaks(found: Cycles, leaks: list[int]) -> list[str]:
    """Describe the three biggest leaks that are not alike."""
    firsts = {found[at].group: str(found[at : at + 1]) for at in reversed(leaks)}
    texts = [firsts[group] for group in sorted(firsts)]
    return [text.split("\n\n", 1)[-1] for text in texts[:3]]


def _uncollected(expected: set[str]) -> list[str]:
    """Describe the objects that expect_collectable() noted and that are still alive."""
    gc.collect()
    if not set(expect._expected) - expected:
        return []
    return [
        f"{label} should be gone, but it is alive:\n{why}"
        for label, _, why in snapshot().uncollected()
        if label not in expected
    ]
