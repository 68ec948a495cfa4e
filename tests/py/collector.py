"""Asks CPython's own collector what is garbage."""

import contextlib
import gc
import importlib
import os
import struct
import sys

from builds import FREE_THREADED


@contextlib.contextmanager
def collector_off():
    """Collect once, then never again, so that later garbage stays in place.

    From 3.15 on importlib.metadata empties a cache in each forked child. Empty it
    before, or what it held is garbage in the child alone.
    """
    was_enabled = gc.isenabled()
    importlib.invalidate_caches()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
        gc.collect()


def freed_by_collector():
    """Return addresses that gc.collect() would free now; a forked child finds them."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            found = [id(thing) for thing in gc.garbage]
            with open(writing, "wb") as file:
                file.write(struct.pack(f"{len(found)}Q", *found))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        data = file.read()
    assert os.waitpid(child, 0)[1] == 0
    return set(struct.unpack(f"{len(data) // 8}Q", data))


#: The incremental collector of 3.14.0 to 3.14.4 and that of free-threaded builds first
#: stop tracking tuples whose elements cannot be tracked. These tuples die with their
#: holders, not as garbage.
UNTRACKS_FIRST = FREE_THREADED or (3, 14) <= sys.version_info < (3, 14, 5)

HEAP_TYPE, HAVE_GC = 1 << 9, 1 << 14
#: Functions that a hostile metaclass cannot override.
flags_of = type.__dict__["__flags__"].__get__


def may_be_tracked(thing):
    """Whether the collector may track this element of a tuple.

    See _PyObject_GC_MAY_BE_TRACKED in Include/internal/pycore_gc.h, 3.13 and 3.14.
    """
    kind = type(thing)
    if kind is tuple:
        return gc.is_tracked(thing)
    if issubclass(kind, type):
        return bool(flags_of(thing) & HEAP_TYPE)
    return bool(flags_of(kind) & HAVE_GC)


def left_aside():
    """Return the addresses of the tuples that the collector does not track."""
    if not UNTRACKS_FIRST:
        return set()
    tuples = (thing for thing in gc.get_objects() if type(thing) is tuple)
    return {id(found) for found in tuples if not any(map(may_be_tracked, found))}


def called_collectable(snapshot):
    """Return the addresses of the tracked nodes that leakgraph calls collectable.

    The snapshot is current: nothing has changed since.
    """
    called = {node.address for node in snapshot.collectable() if node.tracked}
    return called - left_aside()


class Probe:
    """A class for a probe."""


def classes_stay():
    """Whether classes are immortal by now.

    CPython 3.13 without a GIL makes them so, with functions, code and modules, when a
    second thread starts (new_threadstate in Python/pystate.c).
    """
    made_so = FREE_THREADED and sys.version_info < (3, 14)
    return made_so and sys.getrefcount(Probe) > 1 << 31


def live_object(node):
    """Return the node's object if it is alive and tracked."""
    (found,) = (x for x in gc.get_objects() if id(x) == node.address)
    return found


def cut(cycle):
    """Remove the reference that the cycle names from the living process."""
    hop = cycle.cut
    holder, label = live_object(hop.source), hop.label
    if label.startswith("."):
        delattr(holder, label[1:])
    elif label.startswith("['"):
        del holder[label[2:-2]]
    elif label.startswith("["):
        holder[int(label[1:-1])] = None
    elif label.startswith("closure "):
        names = holder.__code__.co_freevars
        del holder.__closure__[names.index(label.split()[1])].cell_contents
    else:
        raise AssertionError(f"no way to cut {label!r}")
