"""Reads what /proc says about a process: its children, its memory, its program."""

from __future__ import annotations

import os
from array import array
from contextlib import suppress
from typing import NamedTuple

__all__ = [
    "Mapping",
    "Memory",
    "descendants",
    "identity",
    "image",
    "name",
    "python_below",
    "read_memory",
    "resident",
]

#: Bytes of a page.
PAGE = os.sysconf("SC_PAGE_SIZE")
#: How many entries of pagemap to read at once.
CHUNK = 1 << 16
#: How the kernel names memory that processes can share.
SEGMENTS = ("/dev/shm/", "/memfd:", "/SYSV", "/dev/zero")
#: AT_RANDOM: the address of 16 random bytes that a program gets when it starts.
RANDOM = 25
#: Where /proc/PID/stat has the time at which a process started, behind its name.
STARTED = 19
#: The most words of a command in a name.
WORDS = 3


class Mapping(NamedTuple):
    """Shared memory that a process maps."""

    start: int
    end: int
    offset: int
    #: the device and inode of the segment
    device: str
    inode: int
    name: str


class Memory(NamedTuple):
    """Resident memory of a process, in bytes."""

    resident: int
    #: bytes that no other process maps, and that others map, too
    private: int
    shared: int
    #: pages of no file, ascending: twice the number, plus 1 if no other process maps it
    pages: array[int]
    segments: list[Mapping]


def resident(pid: int) -> tuple[int, int] | None:
    """Return the resident bytes, and those of files among them; None: it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            words = file.read().split()
        return int(words[1]) * PAGE, int(words[2]) * PAGE
    except (OSError, IndexError):
        return None


def descendants(root: int) -> list[tuple[int, int | None]]:
    """The process and all below it, and the parent of each, parents first.

    This process and its own children are left out.
    """
    found: list[tuple[int, int | None]] = [(root, None)]
    for parent, _ in found:
        for pid in _children(parent):
            if pid != os.getpid():
                found.append((pid, parent))
    return found


def python_below(root: int) -> list[int]:
    """The processes below it that run a program with Python in its name."""
    found = []
    for pid, parent in descendants(root):
        with suppress(OSError):
            program = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
            if parent is not None and "python" in program:
                found.append(pid)
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                text = _read(pid, f"task/{task}/children")
                children += map(int, text.split())
    return sorted(children)


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()


def image(pid: int) -> bytes:
    """Return what a process has in common with its fork, until either starts a program.

    Empty if it cannot be read.
    """
    with suppress(OSError, ValueError):
        auxiliary = array("Q", _read(pid, "auxv"))
        values = dict(zip(auxiliary[::2], auxiliary[1::2]))
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(values[RANDOM])
            return auxiliary.tobytes() + memory.read(16)
    return b""


def identity(pid: int) -> tuple[bytes, bytes] | None:
    """Return what changes if the process starts another program.

    It also changes if the process ends, and another one gets its number. None: there
    is none.
    """
    try:
        after_name = _read(pid, "stat").rpartition(b")")[2].split()
    except OSError:
        return None
    return after_name[STARTED], image(pid)


def name(pid: int) -> str:
    """Return its command without the path and the options of Python."""
    try:
        words = [os.fsdecode(word) for word in _read(pid, "cmdline").split(b"\0")]
    except OSError:
        return "?"
    words = words[:-1] or ["?"]
    if "python" in os.path.basename(words[0]) and len(words) > 1:
        words = _without_options(words[1:]) or words
    code = words[1].split() if words[0] == "-c" and len(words) > 1 else []
    if code[:1] == ["from"] and code[1].startswith("multiprocessing."):
        return code[1]
    words[0] = os.path.basename(words[0])
    text = " ".join(" ".join(words[:WORDS]).split())
    return text if len(text) <= 40 else text[:39] + "…"


def _without_options(words: list[str]) -> list[str]:
    """Return the command from the script, the module or the code on."""
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c", "-"):
        words = words[2:] if words[0] in ("-W", "-X") else words[1:]
    return words[1:] if words[:1] == ["-m"] else words


def read_memory(pid: int) -> Memory:
    """Look at every page that the process has; OSError if it is gone."""
    lines = os.fsdecode(_read(pid, "smaps")).splitlines()
    sums = dict.fromkeys(("Rss", "Private", "Shared"), 0)
    segments: list[Mapping] = []
    own: list[tuple[int, int]] = []
    start = end = 0
    for line in lines:
        words = line.split(None, 5)
        if not words[0].endswith(":"):
            start, end = (int(part, 16) for part in words[0].split("-"))
            path = words[5] if len(words) > 5 else ""
            if words[1].endswith("s") and path.startswith(SEGMENTS):
                offset, inode = int(words[2], 16), int(words[4])
                segments.append(Mapping(start, end, offset, words[3], inode, path))
            continue
        key = words[0][:-1].partition("_")[0]
        if key in sums and words[-1] == "kB" and not words[0].endswith("_Hugetlb:"):
            sums[key] += 1024 * int(words[1])
        elif key == "Anonymous" and words[1] != "0":
            own.append((start, end))
    resident, private, shared = sums.values()
    return Memory(resident, private, shared, _pages(pid, own), segments)


def _pages(pid: int, ranges: list[tuple[int, int]]) -> array[int]:
    """Return the present pages of no file in these ranges."""
    pages = array("Q")
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as file:
        for start, end in ranges:
            for first in range(start // PAGE, end // PAGE, CHUNK):
                count = min(CHUNK, end // PAGE - first)
                file.seek(first * 8)
                _add_pages(array("Q", file.read(count * 8)), first, pages)
    return pages


def _add_pages(entries: array[int], first: int, pages: array[int]) -> None:
    """Add pages that are present (bit 63), not swapped (62), and of no file (61).

    Bit 56 says that no other process maps the page.
    """
    pages.extend(
        (first + index) * 2 + (entry >> 56 & 1)
        for index, entry in enumerate(entries)
        if entry >> 61 == 4
    )
