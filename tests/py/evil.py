"""Classes whose tp_traverse is whatever C function is wanted.

The collector must not run in this process once an instance is tracked.
"""

import ctypes
import gc

LIBC = ctypes.CDLL(None)

#: Of tp_traverse in a type object, the same in all builds of CPython 3.9 to 3.14 that
#: can be forked.
OFFSET = 184


def address_of(function):
    """Where a C function is."""
    return ctypes.cast(function, ctypes.c_void_p).value


def make(function, name="Evil"):
    """An instance of a new class that is traversed by that address."""
    gc.disable()
    kind = type(name, (), {"__module__": "evil"})
    instance = kind()
    instance.thing = []  # tracked, and more than a leaf
    ctypes.c_void_p.from_address(id(kind) + OFFSET).value = function
    return instance


def crasher():
    """Traversing it jumps to where nothing is."""
    return make(8, "Crasher")


def aborter():
    """Traversing it calls abort()."""
    return make(address_of(LIBC.abort), "Aborter")


def sleeper():
    """Traversing it never ends."""
    return make(address_of(LIBC.pause), "Sleeper")


def pardon(instance):
    """Let it be traversed as its kind should be."""
    kind = type(instance)
    base = ctypes.c_void_p.from_address(id(type("Good", (), {})) + OFFSET).value
    ctypes.c_void_p.from_address(id(kind) + OFFSET).value = base
    gc.enable()


def children():
    """Process ids of this process's children that are not yet gone."""
    import os
    from pathlib import Path

    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            after_name = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == os.getpid() and after_name[0] != "Z":
            found.append(int(entry.name))
    return found
