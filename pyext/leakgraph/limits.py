"""The memory that this process may have, and how much of it is in use.

The kernel kills when a control group (a container) exceeds its limit, or when the
machine has no memory left. Nothing announces that, so a program must watch its memory.
"""

from __future__ import annotations

import os
import resource

from leakgraph._core import (
    ArgumentError,
    _control_groups,
    _group_room,
    _snapshot_need,
)

__all__ = ["Memory", "argument", "gib", "size"]

#: For each version of control groups: the file with the limit, and the lines of
#: memory.stat about memory that the kernel cannot drop (Documentation/admin-guide/
#: cgroup-v1/memory.rst and cgroup-v2.rst of Linux).
_VERSIONS = {
    1: ("memory.limit_in_bytes", ("total_rss", "total_shmem")),
    2: ("memory.max", ("anon", "shmem")),
}

#: The texts that stand for no byte where that is a size.
_NOTHING = ("0", "0 B", "0B")

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}

#: For each limit of addresses: its name in the shell, and the row of /proc/self/status
#: that counts them (getrlimit(2)).
_ADDRESSES = {
    resource.RLIMIT_AS: ("ulimit -v", "VmSize"),
    resource.RLIMIT_DATA: ("ulimit -d", "VmData"),
}


class Memory:
    """The tightest limit on this process; `root` is for tests."""

    #: How many bytes may be in use.
    limit: int
    #: The owner of that limit: "this machine", "the control group /x".
    owner: str

    def __init__(self, root: str = "/") -> None:
        self._root = root
        self._group: tuple[int, str] | None = None
        self.limit = self._machine("MemTotal")
        self.owner = "this machine"
        for version, folder in _control_groups(root.rstrip("/")):
            limit = _number(os.path.join(folder, _VERSIONS[version][0]))
            if limit is not None and limit < self.limit:
                self.limit = limit
                self.owner = "the control group " + folder
                self._group = version, folder
        self._memory = self.limit, self.owner
        self._rlimits: tuple[int, ...] = ()
        self._addresses: str | None = None
        self.refresh()

    def refresh(self) -> bool:
        """Read the limits of addresses again. Return whether the tightest changed.

        The tightest is the one that leaves least.
        """
        rlimits = tuple(resource.getrlimit(which)[0] for which in _ADDRESSES)
        if rlimits == self._rlimits:
            return False
        before, self._rlimits = (self.limit, self.owner), rlimits
        (self.limit, self.owner), self._addresses = self._memory, None
        for limit, (name, row) in zip(rlimits, _ADDRESSES.values()):
            left = self.limit - self.used()
            if limit >= 0 and limit - self._status(row) < left:
                self.limit, self.owner, self._addresses = limit, name, row
        return before != (self.limit, self.owner)

    @property
    def is_of_addresses(self) -> bool:
        """Whether it limits addresses: then allocations fail, and nobody kills."""
        return self._addresses is not None

    def need(self) -> int:
        """Estimate the bytes that a snapshot of this process takes itself."""
        return _snapshot_need()

    def used(self) -> int:
        """Bytes in use: addresses, if they are limited most.

        Otherwise what is resident here, or in the whole group if that is more.
        """
        if self._addresses is not None:
            return self._status(self._addresses)
        pages = _read(os.path.join(self._root, "proc/self/statm")).split()
        resident = int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0
        if self._group is None:
            return resident
        version, folder = self._group
        wanted = _VERSIONS[version][1]
        rows = _read(os.path.join(folder, "memory.stat")).splitlines()
        group = sum(int(row.split()[1]) for row in rows if row.split()[0] in wanted)
        return max(resident, group)

    def left(self) -> int:
        """Bytes that are still available, 0 or more.

        Where the kernel kills the whole control group, a child may take no more than
        that group has left.
        """
        whole = _group_room(self._root.rstrip("/"))[0]
        left = min(self.limit - self.used(), self._machine("MemAvailable"), whole)
        return max(0, left)

    def _machine(self, name: str) -> int:
        """Return a row of /proc/meminfo in bytes; a very large number if unreadable."""
        return self._row("proc/meminfo", name, 1 << 62)

    def _status(self, name: str) -> int:
        """Return a row of /proc/self/status in bytes; 0 if it is unreadable."""
        return self._row("proc/self/status", name, 0)

    def _row(self, file: str, name: str, otherwise: int) -> int:
        for row in _read(os.path.join(self._root, file)).splitlines():
            if row.startswith(name + ":"):
                return int(row.split()[1]) * 1024
        return otherwise


def size(text: str, whole: int) -> int:
    """Bytes of "90%" (of `whole`), "12GiB", "12G" (the same), "12GB" or "12000000".

    Raises ValueError for anything else, for fractions of a byte, such as "1.5", and for
    shares not between 0 and 100 %.
    """
    number, unit = text.strip(), ""
    if number.endswith("%"):
        share = float(number[:-1])
        if not 0 < share <= 100:
            raise ValueError(f"{text} is not a share of memory")
        return int(whole * share / 100)
    base = 1000 if number[-1:] == "B" and number[-2:-1] in "KMGT" else 1024
    number = number[:-1] if number.endswith(("B", "b")) else number
    number = number[:-1] if number.endswith("i") else number
    if number[-1:].isalpha():
        number, unit = number[:-1], number[-1].upper()
    count = float(number)
    fits = 0 < count < float("inf") and (unit != "" or count.is_integer())
    if unit not in _UNITS or not fits:
        raise ValueError(f"{text} is not a size")
    return int(count * base ** _UNITS[unit])


def argument(name: str, text: str) -> int:
    """The bytes that an argument such as "1MiB" or "4096" means; `name` is its name."""
    try:
        if text.strip().endswith("%"):
            raise ValueError("a share needs a whole")
        return 0 if text.strip() in _NOTHING else size(text, 0)
    except ValueError:
        raise ArgumentError(
            f"{name} must be bytes, such as 4096, '64KiB' or '1MiB', not {text!r}."
        ) from None


def gib(count: int) -> str:
    """Write bytes as limits of memory are usually written."""
    return f"{count / 2**30:.2f} GiB"


def _number(file: str) -> int | None:
    """Return the number in a file, if it has one ("max" is none)."""
    text = _read(file).strip()
    return int(text) if text.isdigit() else None


def _read(file: str) -> str:
    """Return a file's text; "" if the file is missing or not readable."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""
