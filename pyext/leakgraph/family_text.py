"""The report on a process and its children, as text and as JSON."""

from __future__ import annotations

from leakgraph._core import Size, _text_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from leakgraph._core import RankRow
    from leakgraph.family import Copied, Holder, Process, Segment, Tree

__all__ = ["facts", "text"]

#: The most rows of a table; --json has all.
MOST = 20


def text(tree: Tree) -> str:
    """Return all tables that have rows."""
    parts = [_processes(tree), _copied(tree), _differences(tree), _segments(tree)]
    return "\n\n".join(part for part in parts if part)


def _size(count: int) -> str:
    return str(Size({"host": count}))


def _table(titles: list[str], rows: list[list[str]], left: int) -> str:
    """Return a table as all reports have it; the last `left` columns are flush left."""
    texts = tuple(map(tuple, rows))
    return _text_table(tuple(titles), texts, len(titles) - left, MOST).rstrip("\n")


def _called(one: Process) -> str:
    rank = [f"rank {one.rank}"] if one.rank is not None else []
    notes = rank + ["fork"] * one.forked
    return f"{one.name} ({', '.join(notes)})" if notes else one.name


def _processes(tree: Tree) -> str:
    titles = ["pid", "parent", "objects", "resident", "private", "shared", "copied"]
    rows = [
        [
            str(one.pid),
            str(one.parent or ""),
            str(one.objects),
            _size(one.resident),
            _size(one.private),
            _size(one.shared),
            _size(one.copied) if one.forked else "",
            _called(one),
        ]
        for one in tree.processes
    ]
    count = len(tree.processes)
    lines = [f"{count} process{'es' * (count != 1)}", _table([*titles, ""], rows, 1)]
    lines += [f"Left out, {one.name}: {one.why}" for one in tree.left_out]
    return "\n".join(lines)


def _copied(tree: Tree) -> str:
    """Return what copy-on-write has copied, by place."""
    older = sum(one.older for one in tree.processes)
    if not older:
        return ""
    copied = sum(one.copied for one in tree.processes)
    line = (
        f"Copied since the fork: {_size(copied)} of {_size(older)} in pages with"
        " objects from before it"
    )
    titles = ["copied", "of", "by process", "what", "where"]
    rows = [
        [
            _size(row.together),
            _size(sum(row.older.values())),
            _by_process(row),
            row.type,
            row.held_by,
        ]
        for row in tree.copied
    ]
    if not rows:
        return f"{line}."
    return f"{line}:\n{_table(titles, rows, 3)}"


def _by_process(row: Copied) -> str:
    """Return the three processes that copied the most."""
    parts = sorted(row.bytes.items(), key=lambda one: (-one[1], one[0]))
    listed = ", ".join(f"{pid}: {_size(count)}" for pid, count in parts[:3])
    return listed + f", {len(parts) - 3} more" * (len(parts) > 3)


def _differences(tree: Tree) -> str:
    """Return where children of one kind differ, and what they repeat."""
    found = tree.differences
    if found is None:
        return ""
    who = ", ".join(map(str, tree.compared))
    lines = [f"These are of one kind: {who}."]
    if len(found):
        titles = ["apart", "process", "usually", "what", "where"]
        lines.append(_table(titles, [_apart(tree, row) for row in found], 2))
    else:
        lines.append("They hold about the same.")
    if found.repeated:
        lines += ["", "What each of them has:"]
        rows = [
            [str(row.each), str(row.together), row.type, row.held_by]
            for row in found.repeated
        ]
        lines.append(_table(["each", "together", "what", "where"], rows, 2))
    return "\n".join(lines)


def _apart(tree: Tree, row: RankRow) -> list[str]:
    sign = "-" if row.apart < 0 else "+"
    return [
        sign + _size(abs(row.apart)),
        str(_outlier(tree, row)),
        _size(row.usual),
        row.type,
        row.held_by,
    ]


def _outlier(tree: Tree, row: RankRow) -> int:
    """Return the process that the row is about."""
    sums = [size.total for size in row.bytes]
    return max(zip(tree.compared, sums), key=lambda one: abs(one[1] - row.usual))[0]


def _segments(tree: Tree) -> str:
    """Return shared memory; segments of one kind with the same holders are one row."""
    if not tree.segments:
        return ""
    groups: dict[object, list[Segment]] = {}
    for one in tree.segments:
        held = frozenset((holder.pid, holder.place) for holder in one.holders)
        key = (_kind(one.name), frozenset(one.processes), held)
        groups.setdefault(key, []).append(one)
    rows = [(sum(one.bytes for one in all_), all_) for all_ in groups.values()]
    cells = [
        [
            _size(size),
            str(len(all_)),
            all_[0].name if len(all_) == 1 else _kind(all_[0].name),
            _mappers(all_[0]),
            _holders(all_[0].holders),
        ]
        for size, all_ in sorted(rows, key=lambda row: -row[0])
    ]
    titles = ["size", "segments", "name", "mapped by", "held by"]
    return f"Shared memory:\n{_table(titles, cells, 3)}"


def _kind(name: str) -> str:
    """Return the name without its random or counted part: `/dev/shm/torch_*`."""
    folder, _, last = name.rpartition("/")
    for mark in "_.":
        if mark in last:
            return f"{folder}/{last.split(mark)[0]}{mark}*"
    return name


def _mappers(one: Segment) -> str:
    listed = ", ".join(map(str, one.processes[:4]))
    return listed + f", {len(one.processes) - 4} more" * (len(one.processes) > 4)


def _holders(holders: tuple[Holder, ...]) -> str:
    """Name the three places that have the most of it, each name once."""
    names: dict[str, list[int]] = {}
    for one in sorted(holders, key=lambda one: -one.bytes):
        pids = names.setdefault(one.held_by, [])
        pids += [one.pid] if one.pid not in pids else []
    listed = [f"{held} ({', '.join(map(str, x))})" for held, x in names.items()]
    if not listed:
        return "no known object"
    return "; ".join(listed[:3]) + f"; {len(listed) - 3} more" * (len(listed) > 3)


def facts(tree: Tree) -> dict[str, object]:
    """Return all of the report, for JSON."""
    found = tree.differences
    return {
        "processes": [
            {**one._asdict(), "objects": dict(one.objects)} for one in tree.processes
        ],
        "left_out": [one._asdict() for one in tree.left_out],
        "copied": [{**row._asdict(), "together": row.together} for row in tree.copied],
        "compared": list(tree.compared),
        "differences": [
            {
                "held_by": row.held_by,
                "type": row.type,
                "apart": row.apart,
                "process": _outlier(tree, row),
                "usual": row.usual,
                "bytes": [dict(size) for size in row.bytes],
                "counts": list(row.counts),
            }
            for row in found or ()
        ],
        "repeated": [
            {
                "held_by": row.held_by,
                "type": row.type,
                "each": dict(row.each),
                "together": dict(row.together),
            }
            for row in (found.repeated if found is not None else ())
        ],
        "segments": [
            {**one._asdict(), "holders": [held._asdict() for held in one.holders]}
            for one in tree.segments
        ],
    }
