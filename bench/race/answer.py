"""What a tool answers about a program, and what an adapter works with.

An adapter is a module of `rivals` with

    NAME        the tool and the way it is used
    PACKAGES    the distributions whose versions count
    RESTART     whether a running process must be restarted for it
    COMMANDS    how many commands a user types besides the lines of code
    CLAIMS      which questions the tool claims to answer: holder, type, site, rate, and
                honest, which is whether the program leaks at all
    look(program) -> Answer     in the program: what a user would add to it
    attach(process, folder) -> Answer     or this: from outside

`look` holds the lines that the tool's documentation tells users to write, and the
reading of what they print comes after its `return`, in functions of its own. A field of
the answer that the tool does not claim stays None, and a tool does not look at programs
of which it claims nothing. Entries are in the order in which the tool prints them. An
entry is a row with the lines that continue it, or a picture.
"""

from __future__ import annotations

import gc
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

#: Calls before a tool looks, and in each of the rounds between its looks. No honest
#: program has a period of 27 calls, so that no tool is right by chance.
WARM, ROUNDS, CALLS = 20, 4, 27
#: What users pass over when they look for a type of their own.
COMMON = frozenset(
    {"dict", "list", "tuple", "set", "frozenset", "str", "bytes", "bytearray"}
    | {"int", "float", "complex", "bool", "object", "NoneType", "type", "module"}
    | {"function", "builtin_function_or_method", "method", "cell", "CellType"}
    | {"code", "frame", "FrameType", "weakref", "ReferenceType"}
)


#: The units in which tools print sizes.
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
UNITS |= {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}


def amount(number: str, unit: str) -> float:
    """Read a size."""
    return float(number.replace(",", "")) * UNITS[unit]


@dataclass
class Answer:
    """A tool's entries for each question; None is what the tool does not claim."""

    holder: list[str] | None = None
    type: list[str] | None = None
    site: list[str] | None = None
    #: Bytes a call, of each entry; of an attached tool, bytes a second.
    rate: list[float] | None = None
    #: Whether the tool says that the program leaks.
    accuses: bool | None = None
    #: From when to when an attached tool looked, in seconds since 1970.
    looked: tuple[float, float] | None = None


class Printed(io.StringIO):
    """Keeps what a tool prints, without a new object for each time that it prints."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = 0

    def mark(self) -> None:
        """Begin here."""
        self.begin = self.tell()

    def said(self) -> str:
        """Return what was printed since the mark."""
        return self.getvalue()[self.begin :]


@dataclass
class Program:
    """A program under test, as an adapter sees it."""

    call: Callable[[], None]
    folder: Path
    out: Printed
    rounds: int = ROUNDS
    calls: int = CALLS
    seconds: float = field(default=0.0)

    @property
    def total(self) -> int:
        """Count the calls of all rounds."""
        return self.rounds * self.calls

    def round(self) -> None:
        """Make the calls of one round, and collect garbage."""
        for _ in range(self.calls):
            self.timed()
        gc.collect()

    def timed(self) -> None:
        """Make one call, and add up the processor time of calls."""
        begin = time.process_time()
        self.call()
        self.seconds += time.process_time() - begin

    def run(self) -> None:
        """Make the calls of all rounds."""
        for _ in range(self.rounds):
            self.round()


def interesting(rows: list[tuple[str, float]], calls: int) -> int:
    """Pick the row that a user follows: the first type of their own that piles up.

    A row has a type and how many objects it gained. Without a type of their own, a user
    follows the first type that gains as many objects as there are calls.
    """
    rising = [i for i, (_, gained) in enumerate(rows) if gained * 2 >= calls]
    own = [i for i in rising if rows[i][0].rpartition(".")[2] not in COMMON]
    return [*own, *rising, 0][0]
