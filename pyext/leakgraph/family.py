"""A process and its children: a snapshot of each, and what they share.

leakgraph reads their memory before it attaches to the first, so that no page counts
that attaching copies.
"""

from __future__ import annotations

import os
from array import array
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from leakgraph import _core
from leakgraph._core import Error, Ranks, Size, Snapshot, load, ranks
from leakgraph.attached import NO_PYTHON, take
from leakgraph.processes import PAGE, Memory, descendants, image, name, read_memory
from leakgraph.rows import Rows, row_dict, row_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    from leakgraph.attached import _Progress

    _Path = Union[str, "os.PathLike[str]"]
    #: timeout, filtered and progress of attach()
    _Options = tuple[int, bool, _Progress]

__all__ = [
    "Copied",
    "Holder",
    "LeftOut",
    "Process",
    "Segment",
    "Tree",
    "gather",
    "tree",
]


class Process(NamedTuple):
    """A process with a snapshot. Sizes are bytes of its resident memory."""

    pid: int
    #: the process that started it, if that is in the tree
    parent: int | None
    #: its command, shortened
    name: str
    #: its number in a job, which children inherit; None: it belongs to no job
    rank: str | None
    #: whether it is a fork of its parent that has started no other program
    forked: bool
    #: the bytes of its objects
    objects: Size
    resident: int
    #: pages that no other process maps
    private: int
    #: pages that other processes map, too
    shared: int
    #: pages with objects from before the fork
    older: int
    #: those of them that it no longer shares
    copied: int
    #: its snapshot; None: it was not kept
    path: str | None

    @property
    def json(self) -> str:
        """The same as to_dict(), as JSON."""
        return row_json(self)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values: a Node is its index, a Size a dict."""
        return row_dict(self)


class Copied(NamedTuple):
    """Pages with objects from before the fork that a child no longer shares."""

    held_by: str
    type: str
    #: bytes by process
    bytes: dict[int, int]
    #: bytes of all pages that are here, copied or not, by process
    older: dict[int, int]
    #: the same in every process that runs the program
    place: str

    @property
    def together(self) -> int:
        """Bytes of all processes together."""
        return sum(self.bytes.values())


class Holder(NamedTuple):
    """What lies in shared memory, and what holds it."""

    pid: int
    held_by: str
    type: str
    bytes: int
    #: the same in every process that runs the program
    place: str


class Segment(NamedTuple):
    """Shared memory: POSIX's, System V's, a memfd or an anonymous mapping."""

    name: str
    bytes: int
    #: the processes that map it
    processes: tuple[int, ...]
    #: empty: it has no known object
    holders: tuple[Holder, ...]


class LeftOut(NamedTuple):
    """A process without a snapshot."""

    pid: int
    name: str
    #: the reason in one sentence
    why: str
    #: whether it is not Python, so that there can be no snapshot
    foreign: bool


class Tree(NamedTuple):
    """A process and its children. str() is the report.

    processes    a tuple of Process, parents first
    left_out     processes without a snapshot, each with the reason
    copied       what forked children copied, the most bytes first
    differences  how children with one parent and one command differ, and what they
                 repeat: Ranks, or None
    compared     the pids of the processes in differences, in its order
    segments     shared memory, and who keeps it
    """

    processes: tuple[Process, ...]
    left_out: tuple[LeftOut, ...]
    #: those with the most bytes first
    copied: tuple[Copied, ...]
    #: how children with one parent and one command differ, and what they repeat
    differences: Ranks | None
    #: the processes that `differences` compares, in its order
    compared: tuple[int, ...]
    segments: tuple[Segment, ...]

    def __str__(self) -> str:
        from leakgraph.family_text import text

        return text(self)

    def __repr__(self) -> str:
        """Say how many processes there are."""
        count = len(self.processes)
        return f"<leakgraph.Tree: {count} process{'es' if count > 1 else ''}>"

    @property
    def json(self) -> str:
        """What `leakgraph tree --json` prints."""
        import json

        from leakgraph.family_text import facts

        return json.dumps(facts(self), indent=1) + "\n"

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dict for each process."""
        return _Processes(self.processes).to_dicts()

    def to_pandas(self) -> Any:
        """The processes as a pandas.DataFrame."""
        return _Processes(self.processes).to_pandas()


class _Processes(Rows[Process]):
    __slots__ = ()
    _row = Process


class _Member:
    """A process while its memory is being read."""

    def __init__(self, pid: int, parent: int | None) -> None:
        self.pid, self.parent, self.name = pid, parent, name(pid)
        self.image = image(pid)
        self.memory: Memory = read_memory(pid)
        self.path = self.summary = ""
        self.rank: str | None = None
        self.forked = False
        self.objects = Size({})
        self.older = self.copied = 0


class _Family:
    """The processes that were found so far."""

    def __init__(self, least: int, progress: _Progress) -> None:
        self.least, self.progress = least, progress
        self.members: dict[int, _Member] = {}
        self.left_out: list[LeftOut] = []
        self.copied: dict[str, Copied] = {}
        self.holders: dict[tuple[str, int], list[Holder]] = {}

    def leave_out(self, pid: int, called: str, why: object) -> None:
        """Note why there is no snapshot of a process."""
        sentence = " ".join(str(why).split())
        self.left_out.append(LeftOut(pid, called, sentence, NO_PYTHON in sentence))

    def find(self, root: int) -> None:
        """Look at the memory of the process and of all below it."""
        for pid, parent in descendants(root):
            called = name(pid)
            try:
                self.members[pid] = _Member(pid, parent)
            except (FileNotFoundError, ProcessLookupError):
                self.leave_out(pid, called, f"process {pid} ended")
            except OSError as error:
                why = f"the memory of process {pid} cannot be read: {error.strerror}"
                self.leave_out(pid, called, why)

    def read(self, member: _Member) -> None:
        """Read its snapshot, after that of its parent."""
        with load(member.path, progress=self.progress) as snap:
            member.objects = snap.types(1, progress=self.progress).size
            member.rank = snap.info().get("rank")
            self._read_segments(member, snap)
            parent = self.members.get(member.parent or 0)
            if parent is not None and member.image and member.image == parent.image:
                self._read_copied(member, parent, snap)
            member.summary = snap.summary(f"{member.path}um", progress=self.progress)

    def _read_copied(self, member: _Member, parent: _Member, snap: Snapshot) -> None:
        """Find what it no longer shares with the parent of which it is a fork."""
        least = max(self.least // PAGE, 1)
        with load(parent.path, progress=self.progress) as older:
            answer = _core._copied_pages(snap, older, member.memory.pages, least)
        member.forked = True
        member.older, member.copied = answer[0] * PAGE, answer[1] * PAGE
        for holder, type_name, shared, count, place in answer[2]:
            empty = Copied(holder, type_name, {}, {}, place)
            row = self.copied.setdefault(place, empty)
            row.bytes[member.pid] = count * PAGE
            row.older[member.pid] = shared * PAGE

    def _read_segments(self, member: _Member, snap: Snapshot) -> None:
        """Find what lies in shared memory."""
        if not member.memory.segments:
            return
        spans = array("Q")
        for one in member.memory.segments:
            spans.extend((one.start, one.end))
        for index, holder, type_name, count, place in _core._held_in(snap, spans):
            one = member.memory.segments[index]
            found = self.holders.setdefault((one.device, one.inode), [])
            found.append(Holder(member.pid, holder, type_name, count, place))

    def alike(self) -> list[_Member]:
        """Return the largest group, of two or more, with one parent and one command."""
        groups: dict[tuple[int | None, str], list[_Member]] = {}
        for one in self.members.values():
            if one.parent is not None:
                groups.setdefault((one.parent, one.name), []).append(one)
        largest = max(groups.values(), key=len, default=[])
        return largest if len(largest) > 1 else []

    def segments(self) -> list[Segment]:
        """Return all shared memory, the biggest first."""
        found: dict[tuple[str, int], tuple[str, int, list[int]]] = {}
        for member in self.members.values():
            for one in member.memory.segments:
                key = (one.device, one.inode)
                title, size, pids = found.get(key, (one.name, 0, []))
                size = max(size, one.offset + one.end - one.start)
                mappers = pids if member.pid in pids else [*pids, member.pid]
                found[key] = (title, size, mappers)
        return sorted(
            (
                Segment(title, size, tuple(pids), tuple(self._held(key)))
                for key, (title, size, pids) in found.items()
            ),
            key=lambda one: (-one.bytes, one.name),
        )

    def _held(self, key: tuple[str, int]) -> list[Holder]:
        """Return what lies in the segment, by process and place."""
        rows: dict[tuple[int, str], Holder] = {}
        for one in self.holders.get(key, []):
            before = rows.get((one.pid, one.place))
            together = one.bytes + (before.bytes if before else 0)
            rows[one.pid, one.place] = one._replace(bytes=together)
        return sorted(rows.values(), key=lambda row: (row.pid, -row.bytes, row.held_by))


def tree(
    pid: int,
    folder: _Path | None = None,
    *,
    min_bytes: int | str = "1 MiB",
    timeout: int = 30,
    filtered: bool = False,
    progress: _Progress = None,
) -> Tree:
    """Attach to a process and to all below it, and say what they hold and share.

    folder     where to save the snapshots as {pid}.lgs; None saves none
    min_bytes  a smaller place counts as part of the place above it

    timeout, filtered and progress are those of attach(). `left_out` lists other
    programs, and Pythons to which attaching fails.

    Raises what attach() raises for the process itself.
    """
    options = timeout, filtered, progress
    return gather(pid, folder, min_bytes, options, lambda _: None)


def gather(
    pid: int,
    folder: _Path | None,
    min_bytes: int | str,
    options: _Options,
    say: Callable[[str], object],
) -> Tree:
    """Do what tree() does, and show a line about each process."""
    from leakgraph.limits import argument

    _core._attach_version(pid, options[1])
    least = argument("min_bytes", str(min_bytes))
    family = _Family(least, options[2])
    family.find(pid)
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    with TemporaryDirectory(prefix="leakgraph-") as own:
        _attach_all(family, pid, os.fspath(folder or own), options, say)
        for index, member in enumerate(family.members.values(), 1):
            say(f"reading snapshot {index} of {len(family.members)}")
            family.read(member)
        return _result(family, kept=folder is not None)


def _attach_all(
    family: _Family,
    root: int,
    folder: str,
    options: _Options,
    say: Callable[[str], object],
) -> None:
    """Take all snapshots, the parents' first. That of the root must succeed."""
    timeout, filtered, progress = options
    for pid, member in list(family.members.items()):
        path = os.path.join(folder, f"{pid}.lgs")
        try:
            taken = take(
                pid, path, timeout=timeout, filtered=filtered, progress=progress
            )
        except Error as error:
            if pid == root:
                raise
            del family.members[pid]
            family.leave_out(pid, member.name, error)
            say(f"left out: {family.left_out[-1].why}")
        else:
            member.path = taken.path
            stopped = f"stopped for {taken.pause * 1000:.0f} ms"
            say(f"process {pid} ({member.name}) {stopped}, by {taken.method}")


def _result(family: _Family, *, kept: bool) -> Tree:
    alike = family.alike()
    compared: Any = [one.summary for one in alike]
    differences = (
        ranks(*compared, min_bytes=family.least, progress=family.progress)
        if alike
        else None
    )
    for one in family.members.values():
        os.unlink(one.summary)
    return Tree(
        tuple(_process(one, kept) for one in family.members.values()),
        tuple(family.left_out),
        tuple(sorted(family.copied.values(), key=lambda row: (-row.together, row[:2]))),
        differences,
        tuple(one.pid for one in alike),
        tuple(family.segments()),
    )


def _process(one: _Member, kept: bool) -> Process:
    return Process(
        one.pid,
        one.parent,
        one.name,
        one.rank,
        one.forked,
        one.objects,
        one.memory.resident,
        one.memory.private,
        one.memory.shared,
        one.older,
        one.copied,
        one.path if kept else None,
    )
