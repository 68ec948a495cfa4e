"""How a leak is told: as a warning, as an exception, as a line of text."""

from __future__ import annotations

from leakgraph._core import Error, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph._core import GrowthRow

__all__ = ["LeakError", "LeakWarning", "describe"]

#: Numbers of a series that a line shows.
SHOWN = 6


class LeakWarning(UserWarning):
    """Something grows and does not stop; the text says what holds it."""


class LeakError(Error):
    """Something grows and does not stop; the text says what holds it."""


def describe(row: GrowthRow, line: str | None = None) -> str:
    """One sentence: holder, verdict, series and rate, and the line that allocates."""
    series = " → ".join(f"{count:,}" for count in row.counts[-SHOWN:])
    if row.per_step is not None:
        rate = f"{_size(row.per_step)} per step"
    else:
        rate = f"{_size(row.per_interval)} per snapshot"
    what = f"{row.holder or 'memory that no object explains'}: {row.verdict}"
    if row.node is not None or any(row.counts):
        what += f", {series} objects, most of them {row.type_name}"
    text = f"{what}, {_size(row.gained)} in all, {rate}"
    return f"{text}; allocated at {line}" if line else text


def _size(count: float) -> str:
    """The bytes with a sign and a unit."""
    sign = "-" if count < 0 else "+"
    return sign + str(Size({"host": round(abs(count))}))
