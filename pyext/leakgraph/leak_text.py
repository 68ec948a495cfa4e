"""A leak in words: as a warning, as an exception, as a line of text."""

from __future__ import annotations

from leakgraph._core import Error, Size
from leakgraph.sequence import ENOUGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from leakgraph._core import GrowthRow
    from leakgraph.sites import Site

__all__ = [
    "LeakError",
    "LeakWarning",
    "account",
    "describe",
    "ended",
    "leak",
    "nothing",
    "sample_lines",
    "signed",
]


#: So many holders of one leak have names, or one more.
HOLDERS = 3


class LeakWarning(UserWarning):
    """Something grows and does not stop; the text says what holds it."""


class LeakError(Error):
    """Something grows and does not stop; the text says what holds it."""


def describe(row: GrowthRow, line: Site | str | None, text: str | None = None) -> str:
    """What the row says, the line that allocates, and how to fix a known mistake.

    text: what the row says together with what goes with it.
    """
    text = row.text if text is None else text
    text = f"{text}; allocated at {line}" if line else text
    return f"{text}. {row.fix}" if row.fix else text


def leak(row: GrowthRow) -> str:
    """What the row says, and who must let go if its holders are several."""
    names = [holder.held_by for holder in row.holders]
    if len(names) < 2:
        return row.text
    more = len(names) - HOLDERS
    if more > 1:
        names[HOLDERS:] = [f"{more} more"]
    all_ = "both" if len(names) == 2 else "all"
    return f"{row.text}; {', '.join(names[:-1])} and {names[-1]} must {all_} let go"


def ended(row: GrowthRow, until: float, more: int = 0) -> str:
    """Say what grew, until how many seconds after the start, and how much since."""
    gained = Size({"host": row.gained})
    grew = f"{row.type} grew" if row.type else "grew"
    since = f"has gained {Size({'host': more})} since" if more else "has not since"
    return f"{row.held_by}: {grew} by {gained} until {until:,.0f} s, and {since}"


def account(explained: int, gained: int, native: int) -> str:
    """Say how many bytes places explain, of those of all objects and native memory."""
    part, whole = Size({"host": explained}), Size({"host": gained + native})
    who = "all objects and memory of C code" if native else "all objects"
    return f"These places explain {part} of the {whole} that {who} gained."


def sample_lines(rising: Iterable[str], gained: Mapping[str, float]) -> list[str]:
    """Say what each number of the samples gained, and whether it rises."""
    rises = set(rising)
    return [
        f"{name}: {signed(number, name)}" + ", rises" * (name in rises)
        for name, number in gained.items()
        if number or name in rises
    ]


def nothing(
    taken: int,
    rises: bool,
    missing: int,
    by_time: bool,
    most: GrowthRow | None,
    kind: tuple[str, int] | None = None,
) -> str:
    """Say that no place was found, after how many snapshots, and what to do.

    taken: how many snapshots there are; those that were dropped do not count.
    missing: how many samples were to come before the first snapshot.
    most: what gained the most while memory rose, if that may go on.
    kind: otherwise the type that gained the most meanwhile, and its bytes.
    """
    if taken == 0 and missing > 0:
        often = ", or sample more often, such as with --every 0.1 (every=0.1)"
        return (
            "Nothing was compared: the run ended"
            f" {missing} sample{'s' * (missing != 1)} before its first snapshot, and a"
            f" comparison needs several. Watch for longer{often * by_time}."
        )
    after = _snapshots(taken)
    if taken < ENOUGH:
        after = f"{taken} of the {ENOUGH} snapshots that it takes to be sure"
    said = f"No place was found that goes on growing, after {after}."
    if most is not None and most.degree == "filling":
        return f"{said} What follows does so up to a limit.\n{most.text}"
    if most is not None:
        gained = Size({"host": most.gained})
        how = _PACE["late" if most.came_last else most.degree]
        return (
            f"{said} {most.held_by} gained the most, {gained}, {how}:"
            " watch for longer to see whether it goes on."
        )
    if kind is not None:
        gained = Size({"host": kind[1]})
        said = f"{said} Of all types, {kind[0]} gained the most, {gained}."
    if not rises:
        return said if taken else f"{said} The first one comes when memory rises."
    return (
        f"{said} Memory rises all the same: watch for longer or with a larger"
        " budget=, or ask leakgraph.findings() and leakgraph.top() what holds it."
    )


#: How something gained that may go on, by the degree of its growth.
_PACE = {
    "steady": "at a steady rate",
    "in bursts": "in bursts",
    "slowing": "more and more slowly",
    "late": "in the last interval",
}


def _snapshots(count: int) -> str:
    return f"{count} snapshot{'s' * (count != 1)}"


def signed(number: float, name: str) -> str:
    """Write the number with that name, with a sign and, if it is bytes, a unit."""
    return _size(number) if "bytes" in name else f"{number:+,.0f}"


def _size(count: float) -> str:
    """Write the bytes with a sign and a unit."""
    sign = "-" if count < 0 else "+"
    return sign + str(Size({"host": round(abs(count))}))
