"""What a watch has found: the places that grow, when each last did, and who knows.

A place that holds much is told after a few seconds. Another one is told when it has
grown for minutes: until then, caches of programs that are right fill up, too, and so
little harms nobody. Whatever still grows at the end is told then.
"""

from __future__ import annotations

from leakgraph.leak_text import account, describe, ended
from leakgraph.sequence import ENOUGH
from leakgraph.workers import own_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leakgraph._core import Growth, GrowthRow
    from leakgraph.digest import Leaks
    from leakgraph.sites import Site

__all__ = ["Found", "Place"]

#: A place that gained this share of resident memory, and so many bytes, is told after
#: SOON seconds, every other one after LATE seconds.
SHARE, MUCH = 1 / 16, 4 << 20
SOON, LATE = 6.0, 300.0
#: What gained less is not said to have gained the most.
LEAST_SAID = 64 << 10
#: The degrees of growth that goes on, and those that are told: what slows down, or came
#: in the last interval only, may still be what the program needs.
GOES_ON = ("steady", "in bursts", "slowing", "late")
TOLD = ("steady", "in bursts")


class Place:
    """A place that grows or grew: the row of the last comparison that has it."""

    def __init__(self, row: GrowthRow) -> None:
        self.row = row
        #: The comparison, if it is the newest.
        self.growth: Growth | None = None
        #: The line that allocates, where it is known.
        self.line: Site | None = None
        #: The time from which to which it is known to have grown.
        self.since = self.until = 0.0
        self.grows = False
        #: The bytes that no object explains and that came since.
        self.more = 0
        self.is_told = False
        #: Whether it was last seen to go together with others, or to have holders that
        #: its row alone does not name.
        self.is_joined = False
        #: The keys of places of which one took its bytes over, and tells of it.
        self.leads: list[str] = []
        #: The text and gained bytes with what goes with it, if that is known.
        self._leak: tuple[str, int] | None = None

    def see(self, row: GrowthRow, growth: Growth, seconds: Sequence[float]) -> None:
        """Take over what a comparison of snapshots at these times says."""
        self.row, self.growth = row, growth
        self.since, self.until = seconds[0], seconds[-1 - row.idle]
        self.more = 0
        self.grows = row.degree in GOES_ON
        self._leak = None

    def fold(self, leak: tuple[str, int] | None, leads: list[str]) -> None:
        """Take over its leak's text and bytes; None: those of a lead tell of it."""
        self._leak, self.leads = leak, leads
        self.is_joined = leak is None or leak[0] != self.row.text

    @property
    def gained(self) -> int:
        """The bytes that it gained, with what goes with it if that is known."""
        return self.row.gained if self._leak is None else self._leak[1]

    @property
    def needs_native(self) -> bool:
        """Whether snapshots that list the memory of C code would name its holder."""
        growth = self.growth
        return (
            self.row.verdict == "native" and growth is not None and growth.needs_native
        )

    @property
    def text(self) -> str:
        """What is known of it, in a sentence."""
        if self.grows or self.row.degree == "filling":
            text = None if self._leak is None else self._leak[0]
            return own_name() + describe(self.row, self.line, text)
        return own_name() + ended(self.row, self.until, self.more)

    def has_much(self, resident: float) -> bool:
        """Whether it gained so many bytes that they are felt."""
        return self.gained >= max(MUCH, SHARE * resident)

    def is_certain(self, resident: float) -> bool:
        """Whether it has grown for long enough to be told."""
        enough = SOON if self.has_much(resident) else LATE
        return self.until - self.since >= enough


class Found:
    """All places that were found."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        #: What all objects gained since the first snapshot, what places have besides,
        #: and what each place gained.
        self._gained = self._native = 0
        self._gains: dict[str, int] = {}
        #: The type whose objects gained the most, and how much.
        self.kind: tuple[str, int] | None = None
        #: Rows of places that had something, and gained when the program had ended.
        self._late: list[GrowthRow] = []

    def __bool__(self) -> bool:
        """Whether anything grows or was told."""
        return any(place.grows or place.is_told for place in self._all())

    def _all(self) -> list[Place]:
        """Return all places; another thread may find more meanwhile."""
        return list(self._places.values())

    def update(
        self, growth: Growth, seconds: Sequence[float], *, ended: bool = False
    ) -> None:
        """Take over what a comparison of all snapshots found.

        If the functions of the program have ended, what they kept seems to have come
        with the last snapshot, in the places of what else had it. Snapshots that came
        soon after each other show no growth of their own, so that is no proof.
        """
        for place in self._all():
            place.grows, place.growth = False, None
            place.more = _unexplained_since(place.row, growth)
        self._count(growth)
        rows = [row for row in growth if not (ended and row.came_last)]
        self._late = [row for row in growth if ended and _came_to_others(row)]
        self._see(rows, growth, seconds)

    def _count(self, growth: Growth) -> None:
        """Note what objects and memory of C code gained, and what each place did."""
        self._gained, self._native = growth.gained, growth.native_gained
        self._gains = {row.place: row.gained for row in growth}
        kinds = [(kind.name, kind.gained) for kind in growth.types]
        most = max(kinds, key=lambda kind: kind[1], default=("", 0))
        self.kind = most if most[1] >= LEAST_SAID else None

    def refine(self, growth: Growth, seconds: Sequence[float]) -> None:
        """Take over what a comparison of the latest snapshots found."""
        self._see(growth, growth, seconds)

    def _see(
        self, rows: Iterable[GrowthRow], growth: Growth, seconds: Sequence[float]
    ) -> None:
        """Take over these rows of a comparison."""
        for row in rows:
            place = self._places.setdefault(row.place, Place(row))
            place.see(row, growth, seconds)

    def confirm(self, growth: Growth, seconds: Sequence[float]) -> None:
        """Take over what a comparison says of known places, and no other.

        The functions of the program have ended: what their variables kept is gone, and
        what else had it seems to be new. Native memory may be in step with nothing
        that is left.
        """
        self._count(growth)
        for row in growth:
            place = self._places.get(row.place)
            if place and row.degree in GOES_ON and row.held_by != place.row.held_by:
                place.grows, place.until = True, seconds[-1]
            elif place:
                place.see(row, growth, seconds)

    def fold(self, growth: Growth, leaks: Leaks) -> None:
        """Make what goes together one place: `leaks` has the rows that are left.

        A row that is not among them is part of one that took its bytes over.
        """
        places = [place for place in self._all() if place.growth is growth]
        taken = {
            place.row.place: leaks[place.row.place][1] - place.row.gained
            for place in places
            if place.row.place in leaks
        }
        for place in places:
            leak = leaks.get(place.row.place)
            leads = [key for key, most in taken.items() if place.row.gained <= most]
            if leak is not None:
                place.fold(leak, [])
            elif leads:
                place.fold(None, leads)

    def _is_part(self, place: Place) -> bool:
        """Whether it goes with another place, whose text tells of it.

        It no longer does when it goes on growing alone.
        """
        leads = [self._places.get(key) for key in place.leads]
        grow = any(lead is not None and lead.grows for lead in leads)
        return bool(leads) and (grow or not place.grows)

    def withdraw(self, places: Sequence[Place]) -> None:
        """Forget these places, until restore()."""
        for place in places:
            self._places.pop(place.row.place, None)

    def restore(self, places: Sequence[Place]) -> None:
        """Take these places back."""
        for place in places:
            self._places.setdefault(place.row.place, place)

    def forget(self) -> None:
        """Forget what was not told."""
        self._places = {
            key: place for key, place in self._places.items() if place.is_told
        }

    @property
    def has_joined(self) -> bool:
        """Whether a place that was told goes together with others, which fold() says.

        The next comparison no longer knows.
        """
        return any(
            place.is_told and place.grows and place.is_joined for place in self._all()
        )

    @property
    def grows(self) -> bool:
        """Whether anything grows, as far as is known."""
        return any(place.grows for place in self._all())

    @property
    def leaks(self) -> list[str]:
        """What was told and grows, a sentence for each place."""
        return [
            place.text
            for place in self._all()
            if place.is_told and place.grows and not self._is_part(place)
        ]

    def due(self, resident: float) -> list[Place]:
        """Return the places to tell now."""
        return [place for place in self._untold() if place.is_certain(resident)]

    def last(self, resident: float, count: int) -> list[Place]:
        """Return the places to tell at the end, after so many snapshots.

        With few snapshots, only those that gained much: anything may have come once.
        """
        return [
            place
            for place in self._untold()
            if count >= ENOUGH or place.has_much(resident)
        ]

    @property
    def most(self) -> GrowthRow | None:
        """The row that gained the most, of those that may yet go on growing.

        What has a limit goes on until then; it may be far away.
        """
        rows = [
            place.row
            for place in self._all()
            if place.grows or (place.growth and place.row.degree == "filling")
        ]
        some = [
            row
            for row in rows or self._late
            if row.verdict != "native" and row.gained >= LEAST_SAID
        ]
        return max(some, key=lambda row: row.gained, default=None)

    def lines(self, resident: float) -> list[str]:
        """Return a sentence for each place that grows, was told, or has much."""
        told = [
            place
            for place in self._all()
            if place.is_told or place.has_much(resident) or _is_leak(place)
        ]
        shown = [place for place in told if not self._is_part(place)]
        shown.sort(key=lambda place: (not place.grows, -place.gained))
        lines = [place.text for place in shown]
        explained = sum(self._gains.get(place.row.place, 0) for place in told)
        if explained and self._gained >= MUCH:
            most = self._gained + self._native
            lines.append(account(min(explained, most), self._gained, self._native))
        return lines

    def _untold(self) -> Iterable[Place]:
        return (
            place
            for place in self._all()
            if _is_leak(place) and not place.is_told and not self._is_part(place)
        )


def _unexplained_since(row: GrowthRow, growth: Growth) -> int:
    """Return how much more memory of C code no object explains, if the row is of it.

    A comparison that has no row of it only says that it grew unevenly.
    """
    gained = growth.unexplained if row.verdict == "native" else None
    more = 0 if gained is None else gained - row.gained
    return more if more >= LEAST_SAID else 0


def _came_to_others(row: GrowthRow) -> bool:
    """Whether a row that grew in the last interval had something in the first one."""
    had = row.verdict != "native" and row.counts[0] > 0
    return row.came_last and had and row.degree in GOES_ON


def _is_leak(place: Place) -> bool:
    """Whether it grows as a leak does, and is not small beside others.

    A snapshot may fall into the middle of a call into C, which has memory that no
    object explains, so a little of that is none.
    """
    row = place.row
    if row.verdict == "native" and row.gained < MUCH:
        return False
    return place.grows and not row.minor and row.degree in TOLD
