"""A leak in words: as a warning, as an exception, as a line of text."""

from __future__ import annotations

from leakgraph._core import Error, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from leakgraph._core import GrowthRow
    from leakgraph.sites import Site

__all__ = ["LeakError", "LeakWarning", "describe", "nothing", "sample_lines", "signed"]


class LeakWarning(UserWarning):
    """Something grows and does not stop; the text says what holds it."""


class LeakError(Error):
    """Something grows and does not stop; the text says what holds it."""


def describe(row: GrowthRow, line: Site | str | None) -> str:
    """What the row says, the line that allocates, and how to fix a known mistake."""
    text = f"{row.text}; allocated at {line}" if line else row.text
    return f"{text}. {row.fix}" if row.fix else text


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
