"""A leak in words: as a warning, as an exception, as a line of text."""

from __future__ import annotations

from leakgraph._core import Error, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from leakgraph._core import GrowthRow
    from leakgraph.sites import Site

__all__ = ["LeakError", "LeakWarning", "describe", "nothing", "sample_lines", "signed"]

#: The most numbers of a series that a line shows.
SHOWN = 6


class LeakWarning(UserWarning):
    """Something grows and does not stop; the text says what holds it."""


class LeakError(Error):
    """Something grows and does not stop; the text says what holds it."""


def describe(row: GrowthRow, line: Site | str | None = None, unit: str = "step") -> str:
    """One sentence: holder, verdict, series and rate, and the line that allocates.

    `unit` says what a step is: one of a loop, a call, or a second.
    """
    what = f"{row.holder or 'memory that no object explains'}: {row.verdict}"
    if row.node is not None or any(row.counts):
        what += f", {_members(row)}"
    text = f"{what}, {_gained(row)}"
    if len(row.counts) == 2:
        text += "; two snapshots cannot tell it from memory that is allocated once"
    elif row.per_step is not None:
        text += f" in all, {_size(row.per_step)} per {unit}"
    else:
        text += f" in all, {_size(row.per_interval)} per snapshot"
    return f"{text}; allocated at {line}" if line else text


def _gained(row: GrowthRow) -> str:
    """Say what it gained, by device unless all of it is the host's."""
    first, last = row.bytes[0], row.bytes[-1]
    sizes = {device: last[device] - first.get(device, 0) for device in last}
    if set(sizes) <= {"host"} or min(sizes.values()) < 0:
        return _size(row.gained)
    return f"+{Size(sizes)}"


def _members(row: GrowthRow) -> str:
    """Say how many objects there were each time, and their type."""
    if len(set(row.counts)) == 1:
        count = row.counts[0]
        return f"{count:,} {row.type_name}" if count > 1 else f"one {row.type_name}"
    series = " → ".join(f"{count:,}" for count in row.counts[-SHOWN:])
    return f"{series} objects, most of them {row.type_name}"


def sample_lines(rising: Iterable[str], gained: Mapping[str, float]) -> list[str]:
    """Say what each number of the samples gained, and whether it rises."""
    rises = set(rising)
    return [
        f"{name}: {signed(number, name)} in the last samples"
        + ", rises" * (name in rises)
        for name, number in gained.items()
        if number or name in rises
    ]


def nothing(waiting: int) -> str:
    """Say that nothing was found, and how many snapshots are not compared yet."""
    wait = "1 snapshot waits" if waiting == 1 else f"{waiting} snapshots wait"
    return f"No place was found that goes on growing ({wait} for the next comparison)."


def signed(number: float, name: str) -> str:
    """Write the number with that name, with a sign and, if it is bytes, a unit."""
    return _size(number) if "bytes" in name else f"{number:+,.0f}"


def _size(count: float) -> str:
    """Write the bytes with a sign and a unit."""
    sign = "-" if count < 0 else "+"
    return sign + str(Size({"host": round(abs(count))}))
