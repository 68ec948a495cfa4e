"""watch(): checks its options and starts a Watch."""

from __future__ import annotations

from leakgraph._core import ArgumentError
from leakgraph.samples import Log
from leakgraph.watching import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph.samples import _Path
    from leakgraph.telling import _OnLeak

__all__ = ["watch"]


def watch(
    every: float | None = None,
    *,
    budget: float = 0.01,
    on_leak: _OnLeak = "warn",
    traces: bool = False,
    samples: _Path | None = None,
) -> Watch:
    """Watch the memory of this process from now on.

    Call step() of the result once in each step of the program's loop, or let `every`
    sample by time. If memory in use rises steadily, forked children take snapshots, the
    watch compares them, and reports each place that keeps growing once.

    every    let a thread sample at this interval in seconds, for a program without
             steps; None: only step() samples, at most ten times a second
    budget   the share of the elapsed time that samples, snapshots and comparisons may
             take
    on_leak  "warn" issues a LeakWarning, and logs it if logging has a handler or a
             filter hides the warning; "raise" raises a LeakError from step() or
             stop(); a function gets the GrowthRow and its Growth. Another process makes
             these, so rows have no node
    traces   after growth is found, run tracemalloc until the next comparison, to report
             the line that allocates, too
    samples  write each sample to this file, for `leakgraph report --samples`, which
             draws memory over time

    The end of a `with` block stops the watch, as stop() does. report() lists the
    children of this process, with the memory that each has for itself. The watch does
    not watch the objects of children: in a forked child, and in a worker that gets a
    copy, it does nothing. Start a watch there; its messages begin with the name of the
    worker. In a process of a job, they begin with its rank. A free-threaded build takes
    its snapshots without a child, and stops for them.

    Raises ArgumentError for an impossible every, budget or on_leak.
    """
    if every is not None and not hasattr(every, "__float__"):
        raise TypeError(f"every must be seconds, not {type(every).__name__}.")
    if every is not None and not every > 0:
        raise ArgumentError(f"every must be more than 0 seconds, not {every!r}.")
    if not 0 < budget <= 1:
        raise ArgumentError(f"budget must be more than 0 and at most 1, not {budget}.")
    if on_leak not in ("warn", "raise") and not callable(on_leak):
        raise ArgumentError(
            f"on_leak must be 'warn', 'raise' or a function, not {on_leak!r}."
        )
    log = None if samples is None else Log(samples)
    watch = Watch(budget, on_leak, traces, log)
    if every is not None:
        watch._sample_each(every)
    return watch
