"""_Known growth, in a file: a place and the reason why it may grow."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from leakgraph._core import GrowthRow

    class _Known(TypedDict):
        """A place that may grow."""

        place: str
        holder: str
        type: str
        test: str
        reason: str


__all__ = ["Baseline"]

#: The version of the file.
FORMAT = 1
#: The reason of what is added: for a person to replace.
NEW = "known when the baseline was written"


class Baseline:
    """The places of a file, and those that were found in this run."""

    def __init__(self, known: list[_Known]) -> None:
        self._known = known
        #: What was found and is not in the file.
        self.found: list[_Known] = []
        #: The file that write() writes; None: growth fails a test.
        self.target: str | None = None

    @classmethod
    def read(cls, path: str | None, *, may_be_missing: bool = False) -> Baseline:
        """The baseline of a file; None: an empty one.

        Raises OSError if there is none, ValueError if it is no baseline.
        """
        if path is None or (may_be_missing and not os.path.exists(path)):
            return cls([])
        with open(path, encoding="utf-8") as file:
            try:
                content = json.load(file)
                if content["leakgraph_baseline"] != FORMAT:
                    raise ValueError("another version wrote it")
                known = [dict(row) for row in content["growth"]]
                if not all({"place", "reason"} <= set(row) for row in known):
                    raise ValueError("an entry lacks its place or its reason")
            except (ValueError, TypeError, KeyError) as error:
                raise ValueError(
                    f"{path} is no baseline ({error}): write one with"
                    " --leakgraph-write-baseline."
                ) from error
        return cls(known)  # type: ignore[arg-type]

    def knows(self, row: GrowthRow, test: str) -> bool:
        """Whether the row's place may grow; takes it over if the file is written."""
        if any(known["place"] == row.place for known in self._known):
            return True
        if self.target is None:
            return False
        self.found.append(
            {
                "place": row.place,
                "holder": row.holder,
                "type": row.type_name,
                "test": test,
                "reason": NEW,
            }
        )
        return True

    def write(self) -> None:
        """Write what was known and what was found, each place once, in order."""
        if self.target is None:
            return
        places = {known["place"]: known for known in [*self.found, *self._known]}
        rows = sorted(places.values(), key=lambda known: known["place"])
        with open(self.target, "w", encoding="utf-8") as file:
            json.dump({"leakgraph_baseline": FORMAT, "growth": rows}, file, indent=2)
            file.write("\n")
