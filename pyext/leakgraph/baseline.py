"""_Known growth, in a file: a place and a note why it may grow.

<leakgraph/baseline.h> describes the file.
"""

from __future__ import annotations

from leakgraph._core import _baseline, _extend_baseline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph._core import GrowthRow

__all__ = ["Baseline"]

#: The end of each added note, which a person should replace.
NEW = "known when the baseline was written"


class Baseline:
    """The places of a file, and those that were found in this run."""

    def __init__(self, path: str | None = None, *, may_be_missing: bool = False):
        """Read the file; None: an empty baseline.

        Raises FileError if there is none, or if it is no baseline.
        """
        self._path = path
        #: Keys of the places in the file.
        self._known = frozenset() if path is None else _baseline(path, may_be_missing)
        #: What this run has found and the file does not have: keys of places, and
        #: notes.
        self.found: list[tuple[str, str]] = []
        #: The file that write() writes. None: growth makes a test fail.
        self.target: str | None = None

    def knows(self, row: GrowthRow, test: str) -> bool:
        """Whether the row's place may grow; adds it if the file will be written."""
        if row.place in self._known:
            return True
        if self.target is None:
            return False
        what = dict.fromkeys([row.held_by, row.type])
        note = f"{' · '.join(what)} ({test}): {NEW}"
        self.found.append((row.place, note))
        return True

    def write(self) -> None:
        """Add what this run has found, each place once."""
        if self.target is not None:
            source = self.target if self._path is None else self._path
            _extend_baseline(
                source, self.target, [(key, note) for key, note in self.found]
            )
