"""The functions of leakgraph.objgraph that count and find tracked objects."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import compress
from operator import itemgetter
from typing import Any, TextIO, cast

from leakgraph.objgraph_labels import long_type as _long_type

_Objects = Iterable[Any]
_Filter = Callable[[Any], object]

_CHUNK = 4096  # objects whose referents are listed at once

_peaks: dict[str, int] = {}
_new_ids: dict[str, Any] = {}


def _objects(objects: _Objects | None) -> _Objects:
    return gc.get_objects() if objects is None else objects


def _type_name(kind: type, shortnames: bool) -> str:
    return kind.__name__ if shortnames else _long_type(kind)


def _is_named(kind: type, typename: str) -> bool:
    return typename == (_long_type(kind) if "." in typename else kind.__name__)


def count(typename: str, objects: _Objects | None = None) -> int:
    """How many tracked objects, or `objects`, have a type of that name.

    A name with a dot is the module and the qualified name.
    """
    kinds = Counter(map(type, _objects(objects)))
    return sum(n for kind, n in kinds.items() if _is_named(kind, typename))


def typestats(
    objects: _Objects | None = None,
    shortnames: bool = True,
    filter: _Filter | None = None,
) -> dict[str, int]:
    """How many there are of each type, by its name."""
    found = _objects(objects)
    if filter is not None:
        found = (one for one in found if filter(one))
    stats: dict[str, int] = {}
    for kind, number in Counter(map(type, found)).items():
        name = _type_name(kind, shortnames)
        stats[name] = stats.get(name, 0) + number
    return stats


def most_common_types(
    limit: int | None = 10,
    objects: _Objects | None = None,
    shortnames: bool = True,
    filter: _Filter | None = None,
) -> list[tuple[str, int]]:
    """Names of types with their counts, the most frequent first."""
    stats = typestats(objects, shortnames, filter)
    return sorted(stats.items(), key=itemgetter(1), reverse=True)[: limit or None]


def show_most_common_types(
    limit: int | None = 10,
    objects: _Objects | None = None,
    shortnames: bool = True,
    file: TextIO | None = None,
    filter: _Filter | None = None,
) -> None:
    """Prints most_common_types()."""
    stats = most_common_types(limit, objects, shortnames, filter)
    width = max((len(name) for name, _ in stats), default=0)
    for name, number in stats:
        print(f"{name:<{width}} {number}", file=file)


def growth(
    limit: int | None = 10,
    peak_stats: dict[str, int] = _peaks,
    shortnames: bool = True,
    filter: _Filter | None = None,
) -> list[tuple[str, int, int]]:
    """Types of which there are more than ever before: name, count, and how many more.

    `peak_stats` keeps the highest counts so far.
    """
    gc.collect()
    stats = typestats(None, shortnames, filter)
    deltas = []
    for name, number in stats.items():
        peak = peak_stats.get(name, 0)
        if number > peak:
            deltas.append((name, number, number - peak))
            peak_stats[name] = number
    return sorted(deltas, key=itemgetter(2), reverse=True)[: limit or None]


def show_growth(
    limit: int | None = 10,
    peak_stats: dict[str, int] | None = None,
    shortnames: bool = True,
    file: TextIO | None = None,
    filter: _Filter | None = None,
) -> None:
    """Prints growth()."""
    peaks = _peaks if peak_stats is None else peak_stats
    grown = growth(limit, peaks, shortnames, filter)
    width = max((len(name) for name, _, _ in grown), default=0)
    for name, number, delta in grown:
        print(f"{name:<{width}}{number:9d} {delta:+9d}", file=file)


def _ids_by_type(shortnames: bool) -> defaultdict[str, set[int]]:
    ids: defaultdict[str, set[int]] = defaultdict(set)
    names: dict[type, set[int]] = {}
    for one in gc.get_objects():
        kind = type(one)
        if kind not in names:
            names[kind] = ids[_type_name(kind, shortnames)]
        names[kind].add(id(one))
    return ids


def _print_ids(
    rows: list[tuple[str, int, int, int, int]], width: int, file: TextIO | None
) -> None:
    line = "=" * (width + 4 * 13)
    titles = ("Old_ids", "Current_ids", "New_ids", "Count_Deltas")
    print(line, file=file)
    print(f"{'Type':<{width}}" + "".join(f"{one:>13}" for one in titles), file=file)
    print(line, file=file)
    for name, old, current, new, delta in rows:
        print(f"{name:<{width}}{old:13}{current:13}{new:+13}{delta:+13}", file=file)
    print(line, file=file)


def get_new_ids(
    skip_update: bool = False,
    limit: int | None = 10,
    sortby: str = "deltas",
    shortnames: bool | None = None,
    file: TextIO | None = None,
    _state: dict[str, Any] = _new_ids,
) -> defaultdict[str, set[int]]:
    """The ids of tracked objects that were made since the last call, by type name.

    Prints the `limit` (0: none, None: all) biggest rows by 'old', 'current', 'new' or
    'deltas'. `skip_update` returns what the last call did. shortnames=None is what it
    was at the last call. An id may be that of an object that is gone.
    """
    ids = cast("dict[str, set[int]]", _state.setdefault("current", {}))
    found = cast(
        "defaultdict[str, set[int]]", _state.setdefault("new", defaultdict(set))
    )
    if skip_update:
        return found
    if shortnames is None:
        shortnames = bool(_state.get("shortnames", True))
    _state["shortnames"] = shortnames
    found.clear()
    gc.collect()
    current = _ids_by_type(shortnames)
    rows = []
    for name in {**ids, **current}:
        before, now = ids.get(name, set()), current.get(name, set())
        new = now - before
        if new:
            found[name] = new
        rows.append((name, len(before), len(now), len(new), len(now) - len(before)))
    _state["current"] = current
    column = ("old", "current", "new", "deltas").index(sortby) + 1
    rows.sort(key=itemgetter(column), reverse=True)
    shown = rows if limit is None else rows[:limit]
    if shown:
        _print_ids(shown, max(4, *(len(row[0]) for row in shown)), file)
    return found


def get_leaking_objects(objects: _Objects | None = None) -> list[Any]:
    """The tracked objects, or those of `objects`, that none of them refers to.

    Something else holds them: a frame, C code, or a reference that was lost.
    """
    if objects is None:
        gc.collect()
    found = list(_objects(objects))
    ids = set(map(id, found))
    for start in range(0, len(found), _CHUNK):
        part = found[start : start + _CHUNK]
        ids.difference_update(map(id, gc.get_referents(*part)))
    return list(compress(found, map(ids.__contains__, map(id, found))))


def by_type(typename: str, objects: _Objects | None = None) -> list[Any]:
    """The tracked objects, or those of `objects`, whose type has that name.

    A name with a dot is the module and the qualified name.
    """
    found = list(_objects(objects))
    kinds = {kind for kind in set(map(type, found)) if _is_named(kind, typename)}
    return list(compress(found, map(kinds.__contains__, map(type, found))))


def at(addr: int) -> Any:
    """The tracked object at an address; None: there is none."""
    found = gc.get_objects()
    return next(compress(found, map(addr.__eq__, map(id, found))), None)


def at_addrs(address_set: Iterable[int]) -> list[Any]:
    """The tracked objects at these addresses."""
    found = gc.get_objects()
    return list(compress(found, map(set(address_set).__contains__, map(id, found))))
